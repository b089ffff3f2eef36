//! Alarms that are read as reminders, and those that are written.

use super::tests::{reads, writes};
use crate::services::calendar::event_reminder::EventReminder;

fn with_alarms(times: &str, alarms: &[&str]) -> String {
    let alarms: String = alarms
        .iter()
        .map(|lines| format!("BEGIN:VALARM\r\n{}\r\nEND:VALARM\r\n", lines.replace('\n', "\r\n")))
        .collect();
    let times = times.replace('\n', "\r\n");
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\n{times}\r\nSUMMARY:A\r\n\
         {alarms}END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

const TIMED: &str = "DTSTART;TZID=Europe/Berlin:20260113T150000\nDTEND;TZID=Europe/Berlin:20260113T160000";
const DAY: &str = "DTSTART;VALUE=DATE:20260113";
const SERIES: &str = "DTSTART;TZID=Europe/Berlin:20260113T150000\nRRULE:FREQ=DAILY";

#[test]
fn alarms_are_reminders_as_far_as_they_ring_here() {
    for (times, alarm, expected) in [
        (TIMED, "ACTION:DISPLAY\nTRIGGER:-PT15M\nDESCRIPTION:x", Some((0, 15))),
        (TIMED, "ACTION:AUDIO\nTRIGGER;RELATED=START:-P1DT2H", Some((1, 120))),
        (TIMED, "TRIGGER:-P1W", Some((7, 0))),
        (TIMED, "ACTION:DISPLAY\nTRIGGER:PT0S", Some((0, 0))),
        (TIMED, "ACTION:DISPLAY\nTRIGGER:PT5M", Some((0, -5))),
        (TIMED, "ACTION:DISPLAY\nTRIGGER;RELATED=END:-PT10M", Some((0, -50))),
        (TIMED, "ACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:20260113T130000Z", Some((0, 60))),
        (SERIES, "ACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:20260113T130000Z", None),
        (SERIES, "ACTION:DISPLAY\nTRIGGER:-PT5M", Some((0, 5))),
        (DAY, "ACTION:DISPLAY\nTRIGGER:-PT15H", Some((0, 900))),
        (DAY, "ACTION:DISPLAY\nTRIGGER:PT9H", Some((0, -540))),
        (DAY, "ACTION:DISPLAY\nTRIGGER:-P1D", Some((0, 900))),
        (DAY, "ACTION:DISPLAY\nTRIGGER:PT0S", Some((0, -540))),
        (TIMED, "ACTION:EMAIL\nTRIGGER:-PT15M\nATTENDEE:mailto:me@x.example", None),
        (TIMED, "ACTION:NONE\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z", None),
        (TIMED, "ACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z", None),
        (TIMED, "ACTION:DISPLAY\nX-APPLE-PROXIMITY:ARRIVE\nTRIGGER:-PT15M", None),
        (TIMED, "ACTION:DISPLAY\nTRIGGER:soon", None),
        (TIMED, "ACTION:DISPLAY\nTRIGGER:-P99999999999W", None),
        (TIMED, "ACTION:DISPLAY", None),
    ] {
        let expected: Vec<EventReminder> =
            expected.map(|(days, minutes)| EventReminder { days, minutes }).into_iter().collect();
        assert_eq!(reads(&with_alarms(times, &[alarm])).reminders, expected, "{times}: {alarm}");
    }
}

#[test]
fn one_that_comes_is_added_one_that_goes_goes_and_the_others_stay_byte_by_byte() {
    let kept = "UID:alarm-1\nACTION:DISPLAY\nTRIGGER:-PT15M\nX-OTHER:stays\nDESCRIPTION:x";
    let mail = "ACTION:EMAIL\nTRIGGER:-PT15M\nATTENDEE:mailto:me@x.example";
    let text = with_alarms(SERIES, &[kept, mail, "ACTION:DISPLAY\nTRIGGER:-P1D\nDESCRIPTION:x"]);
    let reminder = |days, minutes| EventReminder { days, minutes };
    let more = writes(&text, |event| event.reminders = vec![reminder(0, 15), reminder(0, 90), reminder(1, 0)]);
    let block = |lines: &str| format!("BEGIN:VALARM\r\n{}\r\nEND:VALARM\r\n", lines.replace('\n', "\r\n"));
    for there in
        [kept, mail, "ACTION:DISPLAY\nTRIGGER:-P1D\nDESCRIPTION:x", "ACTION:DISPLAY\nDESCRIPTION:A\nTRIGGER:-PT1H30M"]
    {
        assert!(more.contains(&block(there)), "{there}: {more}");
    }
    let less = writes(&text, |event| event.reminders = vec![reminder(0, 15)]);
    assert!(less.contains(&block(kept)) && less.contains(&block(mail)) && !less.contains("-P1D"), "{less}");
    let none = writes(&text, |event| event.reminders = Vec::new());
    assert!(!none.contains("X-OTHER") && none.contains(&block(mail)), "{none}");
    let same = writes(&text, |event| event.snoozed = Some(chrono::DateTime::UNIX_EPOCH));
    assert_eq!(same, text, "what only we keep changes nothing there");
    let day = writes(&with_alarms(DAY, &[]), |event| event.reminders = vec![reminder(0, -540), reminder(0, 900)]);
    assert!(day.contains("TRIGGER:PT9H\r\n") && day.contains("TRIGGER:-PT15H\r\n"), "{day}");
}
