//! Task lists that are made to cost much: each is read, or refused, in time that grows with its length.

use std::time::Duration;

use super::{NOW, SINGLE, reads_at};
use brain_core::limits::READ_EXCEPTIONS_MAX;
use brain_testing::fuzzing::{ThreadClock, fuzz};

/// What an unoptimised build may take for some hundred kilobytes.
const PATIENCE: Duration = Duration::from_secs(8);

fn todo(lines: &str, beside: &str) -> String {
    format!("BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nSUMMARY:A\n{lines}END:VTODO\n{beside}END:VCALENDAR\n")
}

#[test]
fn a_series_with_as_many_of_its_times_on_their_own_as_are_followed_is_read() {
    let overrides: String = (0..READ_EXCEPTIONS_MAX)
        .map(|at| {
            let day = chrono::NaiveDate::from_ymd_opt(1990, 1, 1).unwrap() + chrono::Days::new(at as u64);
            let day = day.format("%Y%m%d");
            format!("BEGIN:VTODO\nUID:1\nRECURRENCE-ID:{day}T090000Z\nDUE:{day}T100000Z\nSTATUS:COMPLETED\nEND:VTODO\n")
        })
        .collect();
    for rule in
        ["FREQ=DAILY", "FREQ=DAILY;COUNT=9000", "FREQ=HOURLY;BYHOUR=9;COUNT=4000000", "FREQ=MONTHLY;COUNT=4000000"]
    {
        let began = ThreadClock::now();
        let text = todo(&format!("DTSTART:19900101T090000Z\nDUE:19900101T100000Z\nRRULE:{rule}\n"), &overrides);
        reads_at(&text, None, NOW).unwrap();
        assert!(began.elapsed() < PATIENCE, "{rule}: {:?}", began.elapsed());
    }
}

#[test]
fn fuzzed_todo() {
    let series = todo(
        "DTSTART;TZID=Europe/Berlin:20260105T090000\nDUE;TZID=Europe/Berlin:20260105T170000\nRRULE:FREQ=WEEKLY;COUNT=20\nEXDATE;TZID=Europe/Berlin:20260112T090000\n\
         BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;RELATED=END:-PT1H\nEND:VALARM\n",
        "BEGIN:VTODO\nUID:1\nRECURRENCE-ID:20260119T080000Z\nDUE:20260120T080000Z\nSTATUS:COMPLETED\nEND:VTODO\n",
    );
    let tokens = [
        "BEGIN:VTODO\n",
        "END:VTODO\n",
        "BEGIN:VALARM\n",
        "END:VALARM\n",
        "\n ",
        ";",
        ":",
        ",",
        "\"",
        "=",
        "\\",
        "DUE:20260101\n",
        "DUE:00010101T000000Z\n",
        "DTSTART:99991231T235959Z\n",
        "DURATION:-P99999999W\n",
        "PERCENT-COMPLETE:100\n",
        "STATUS:COMPLETED\n",
        "COMPLETED:20260101T000000Z\n",
        "RRULE:FREQ=HOURLY\n",
        ";COUNT=4000000",
        ";UNTIL=20260101",
        ";BYMONTHDAY=30;BYMONTH=2",
        "TRIGGER:-P9999999D\n",
        "EXDATE:20260112\n",
        "\u{0}",
        "é",
    ];
    fuzz("todo", &[SINGLE, &series], &tokens, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let held = reads_at(&text, None, NOW).ok().flatten();
        let _ = reads_at(&text, held.as_ref(), "2026-03-10T08:00:00Z");
    });
}
