//! Series whose exceptions are odd, and texts that are broken.

use super::oddities::{calendar, told};

#[test]
fn overrides_without_their_series_and_series_with_odd_ones() {
    let one = |lines: &str| format!("BEGIN:VEVENT\r\nUID:1\r\n{}\r\nEND:VEVENT\r\n", lines.replace('\n', "\r\n"));
    let all = |events: &[&str]| {
        let events: String = events.iter().map(|lines| one(lines)).collect();
        format!("BEGIN:VCALENDAR\r\n{events}END:VCALENDAR\r\n")
    };
    let series = "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=DAILY\nSUMMARY:A";
    for (events, expected) in [
        // Somebody was invited to one of a series.
        (
            vec!["RECURRENCE-ID:20260113T080000Z\nDTSTART;TZID=Europe/Berlin:20260113T100000\nSUMMARY:B"],
            "2026-01-13T10:00:00+01:00 – -, Europe/Berlin: B",
        ),
        // The override stands first.
        (
            vec!["RECURRENCE-ID:20260113T080000Z\nDTSTART;TZID=Europe/Berlin:20260113T100000\nSUMMARY:B", series],
            "2026-01-12T09:00:00+01:00 – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13T09:00:00+01:00 2026-01-13T10:00:00+01:00",
        ),
        // It is cancelled, which takes that occurrence away.
        (
            vec![
                series,
                "RECURRENCE-ID;TZID=Europe/Berlin:20260113T090000\nDTSTART;TZID=Europe/Berlin:20260113T090000\nSTATUS:CANCELLED",
            ],
            "2026-01-12T09:00:00+01:00 – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13T09:00:00+01:00 nothing",
        ),
        // By its day.
        (
            vec![series, "RECURRENCE-ID;VALUE=DATE:20260113\nDTSTART;TZID=Europe/Berlin:20260113T110000\nSUMMARY:B"],
            "2026-01-12T09:00:00+01:00 – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13T09:00:00+01:00 2026-01-13T11:00:00+01:00",
        ),
        // Without times of its own it stays where it was.
        (
            vec![series, "RECURRENCE-ID;TZID=Europe/Berlin:20260113T090000\nSUMMARY:B"],
            "2026-01-12T09:00:00+01:00 – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13T09:00:00+01:00 2026-01-13T09:00:00+01:00",
        ),
    ] {
        assert_eq!(told(&all(&events)), expected, "{events:?}");
    }
}

#[test]
fn what_is_no_event_is_an_error_and_never_a_panic() {
    let series = calendar("DTSTART:20260112T090000\nSUMMARY:A\nRRULE:FREQ=DAILY", "");
    for text in ["", "\u{feff}", "hello", "BEGIN:VCARD\r\nFN:A\r\nEND:VCARD\r\n", &series[..series.len() / 2]] {
        assert!(told(text).starts_with("unreadable"), "{text:?}: {}", told(text));
    }
    // Something else in a calendar is nothing that cannot be read.
    for text in [
        "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
        "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nEND:VTODO\r\nEND:VCALENDAR\r\n",
    ] {
        assert_eq!(told(text), "not shown", "{text:?}");
    }
    // Cut anywhere, with any byte of it another one.
    for at in 0..series.len() {
        let _ = told(&series[..at]);
        for with in ["\u{0}", ";", ":", "\"", "\n", "\r\n ", "9", "Ä"] {
            let _ = told(&format!("{}{with}{}", &series[..at], &series[at + 1..]));
        }
    }
}
