//! What other programs write, as rows: the lines of a calendar, and what is read of them.

use std::fmt::Write as _;

use chrono_tz::Tz;

use super::read::{UnreadableEvent, read};
use crate::services::calendar::record::Event;
use crate::services::remote::backend::RecordOrigin;
use crate::services::remote::dav::{DavReader, ResourceName};
use brain_core::core::ids::{ChatId, UserId};

/// What somebody in Berlin reads.
pub(super) fn event_of(text: &str) -> Result<Option<Event>, UnreadableEvent> {
    let (owner, own) = (UserId::new("tg:1"), ["me@x.example".to_owned()]);
    let now = "2026-01-10T08:00:00Z".parse().unwrap();
    let reader = DavReader {
        owner: &owner,
        chat: &ChatId::new("1"),
        zone: Tz::Europe__Berlin,
        own: &own,
        is_shared: false,
        now,
    };
    let name = ResourceName { id: "e".to_owned(), origin: RecordOrigin::new("a", "/e.ics", "1") };
    read(text, name, &reader)
}

/// The same in words: `start – end, zone: title`, and whatever else is not as usual.
pub(super) fn told(text: &str) -> String {
    let event = match event_of(text) {
        Ok(Some(event)) => event,
        Ok(None) => return "not shown".to_owned(),
        Err(error) => return format!("unreadable: {error}"),
    };
    let end = event.end_time.as_deref().unwrap_or("-");
    let mut told = format!("{} – {end}, {}: {}", event.start_time, event.zone, event.summary);
    for (word, value) in [
        ("rule", &event.recurrence),
        ("unfollowed", &event.unfollowed_rule),
        ("unknown zone", &event.unknown_zone),
        ("at", &event.location),
        ("notes", &event.notes),
    ] {
        if let Some(value) = value {
            write!(told, "; {word} {}", value.replace('\n', "⏎")).unwrap();
        }
    }
    for exception in &event.exceptions {
        let instead = exception.instead.as_ref().map_or("nothing", |instead| instead.start_time.as_str());
        write!(told, "; instead of {} {instead}", exception.of).unwrap();
    }
    for at in &event.also {
        write!(told, "; also {at}").unwrap();
    }
    if !event.attendees.is_empty() {
        write!(told, "; with {}", event.attendees.join(", ")).unwrap();
    }
    if event.keeps_free {
        told.push_str("; keeps free");
    }
    told
}

/// An event with these lines, and beside it these components.
pub(super) fn calendar(lines: &str, beside: &str) -> String {
    let lines = lines.replace('\n', "\r\n");
    let beside = beside.replace('\n', "\r\n");
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{beside}BEGIN:VEVENT\r\nUID:1\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

const NINE: &str = "2026-01-12T09:00:00+01:00";

#[test]
fn odd_events_are_read_as_their_authors_meant_them() {
    let own_zone = "BEGIN:VTIMEZONE\nTZID:Mine\nBEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\n\
                    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\n\
                    TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE\n";
    let rows: &[(&str, &str, &str, &str)] = &[
        // Zones.
        (
            "of the IANA",
            "DTSTART;TZID=America/New_York:20260112T090000\nSUMMARY:A",
            "",
            "2026-01-12T09:00:00-05:00 – -, America/New_York: A",
        ),
        (
            "in quotes",
            "DTSTART;TZID=\"Europe/Berlin\":20260112T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "of Windows",
            "DTSTART;TZID=W. Europe Standard Time:20260112T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "of Windows, in its words",
            "DTSTART;TZID=\"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna\":20260112T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "of Evolution",
            "DTSTART;TZID=/freeassociation.sourceforge.net/Europe/London:20260112T090000\nSUMMARY:A",
            "",
            "2026-01-12T09:00:00+00:00 – -, Europe/London: A",
        ),
        (
            "of Mozilla",
            "DTSTART;TZID=/mozilla.org/20050126_1/Asia/Tokyo:20260112T090000\nSUMMARY:A",
            "",
            "2026-01-12T09:00:00+09:00 – -, Asia/Tokyo: A",
        ),
        (
            "its own, by its rules",
            "DTSTART;TZID=Mine:20260112T090000\nSUMMARY:A",
            own_zone,
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "its own, named beside",
            "DTSTART;TZID=Mine:20260112T090000\nSUMMARY:A",
            "BEGIN:VTIMEZONE\nTZID:Mine\nX-LIC-LOCATION:Europe/Berlin\nEND:VTIMEZONE\n",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "nobody's",
            "DTSTART;TZID=Mars/Olympus:20260112T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; unknown zone Mars/Olympus"),
        ),
        ("of the instant", "DTSTART:20260112T080000Z\nSUMMARY:A", "", &format!("{NINE} – -, Europe/Berlin: A")),
        (
            "of the instant, repeated",
            "DTSTART:20260112T080000Z\nRRULE:FREQ=DAILY\nSUMMARY:A",
            "",
            "2026-01-12T08:00:00+00:00 – -, UTC: A; rule FREQ=DAILY",
        ),
        ("none", "DTSTART:20260112T090000\nSUMMARY:A", "", &format!("{NINE} – -, Europe/Berlin: A")),
        (
            "another one at its end",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nDTEND;TZID=America/New_York:20260112T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – 2026-01-12T15:00:00+01:00, Europe/Berlin: A"),
        ),
        ("UTC, as a zone", "DTSTART;TZID=UTC:20260112T080000\nSUMMARY:A", "", &format!("{NINE} – -, Europe/Berlin: A")),
        // Days.
        (
            "a day",
            "DTSTART;VALUE=DATE:20260112\nDTEND;VALUE=DATE:20260113\nSUMMARY:A",
            "",
            "2026-01-12 – 2026-01-13, Europe/Berlin: A",
        ),
        ("a day without an end", "DTSTART;VALUE=DATE:20260112\nSUMMARY:A", "", "2026-01-12 – -, Europe/Berlin: A"),
        (
            "a day that ends on itself",
            "DTSTART;VALUE=DATE:20260112\nDTEND;VALUE=DATE:20260112\nSUMMARY:A",
            "",
            "2026-01-12 – -, Europe/Berlin: A",
        ),
        (
            "days by their length",
            "DTSTART;VALUE=DATE:20260112\nDURATION:P3D\nSUMMARY:A",
            "",
            "2026-01-12 – 2026-01-15, Europe/Berlin: A",
        ),
        ("a day without its type", "DTSTART:20260112\nSUMMARY:A", "", "2026-01-12 – -, Europe/Berlin: A"),
        (
            "a day in a zone",
            "DTSTART;VALUE=DATE;TZID=America/New_York:20260112\nSUMMARY:A",
            "",
            "2026-01-12 – -, Europe/Berlin: A",
        ),
        (
            "a time until a day",
            "DTSTART:20260112T090000\nDTEND;VALUE=DATE:20260113\nSUMMARY:A",
            "",
            &format!("{NINE} – 2026-01-13T00:00:00+01:00, Europe/Berlin: A"),
        ),
        // Ends.
        (
            "a length",
            "DTSTART:20260112T090000\nDURATION:PT1H30M\nSUMMARY:A",
            "",
            &format!("{NINE} – 2026-01-12T10:30:00+01:00, Europe/Berlin: A"),
        ),
        (
            "a length in weeks",
            "DTSTART:20260112T090000\nDURATION:P1W\nSUMMARY:A",
            "",
            &format!("{NINE} – 2026-01-19T09:00:00+01:00, Europe/Berlin: A"),
        ),
        (
            "a length over the change of the clocks",
            "DTSTART;TZID=Europe/Berlin:20260328T120000\nDURATION:P1D\nSUMMARY:A",
            "",
            "2026-03-28T12:00:00+01:00 – 2026-03-29T12:00:00+02:00, Europe/Berlin: A",
        ),
        (
            "an end before the start",
            "DTSTART:20260112T090000\nDTEND:20260112T080000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "an end at the start",
            "DTSTART:20260112T090000\nDTEND:20260112T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "a negative length",
            "DTSTART:20260112T090000\nDURATION:-PT1H\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        // Words.
        (
            "escaped",
            "DTSTART:20260112T090000\nSUMMARY:A\\, b\\; c\\\\d\nDESCRIPTION:one\\ntwo\\Nthree",
            "",
            &format!("{NINE} – -, Europe/Berlin: A, b; c\\d; notes one⏎two⏎three"),
        ),
        (
            "not escaped",
            "DTSTART:20260112T090000\nSUMMARY:A, b; c: d",
            "",
            &format!("{NINE} – -, Europe/Berlin: A, b; c: d"),
        ),
        (
            "folded inside a letter's word",
            "DTSTART:20260112T090000\nSUMMARY:Caf\n é\n  au lait",
            "",
            &format!("{NINE} – -, Europe/Berlin: Café au lait"),
        ),
        (
            "folded by a tab",
            "DTSTART:20260112T090000\nSUMMARY:Long\n\t er",
            "",
            &format!("{NINE} – -, Europe/Berlin: Long er"),
        ),
        (
            "with a language",
            "DTSTART:20260112T090000\nSUMMARY;LANGUAGE=de;X-A=\"b;c:d\":Grüße",
            "",
            &format!("{NINE} – -, Europe/Berlin: Grüße"),
        ),
        (
            "in quoted-printable",
            "DTSTART:20260112T090000\nSUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC=C3=9Fe",
            "",
            &format!("{NINE} – -, Europe/Berlin: Grüße"),
        ),
        ("none", "DTSTART:20260112T090000", "", &format!("{NINE} – -, Europe/Berlin: (no title)")),
        (
            "empty",
            "DTSTART:20260112T090000\nSUMMARY:\nLOCATION: ",
            "",
            &format!("{NINE} – -, Europe/Berlin: (no title)"),
        ),
        (
            "in small letters",
            "dtstart:20260112T090000\nsummary:A\nlocation:B",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; at B"),
        ),
        ("twice", "DTSTART:20260112T090000\nSUMMARY:A\nSUMMARY:B", "", &format!("{NINE} – -, Europe/Berlin: A")),
        // States.
        ("cancelled", "DTSTART:20260112T090000\nSTATUS:CANCELLED\nSUMMARY:A", "", "not shown"),
        (
            "tentative",
            "DTSTART:20260112T090000\nSTATUS:TENTATIVE\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "keeping nobody busy",
            "DTSTART:20260112T090000\nTRANSP:TRANSPARENT\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; keeps free"),
        ),
        ("without a start", "SUMMARY:A", "", "unreadable: it does not say when it begins"),
        ("with a start that is none", "DTSTART:tomorrow\nSUMMARY:A", "", "unreadable: it does not say when it begins"),
        // People.
        (
            "with people",
            "DTSTART:20260112T090000\nORGANIZER;CN=Bob:mailto:bob@y.example\nATTENDEE;CN=\"Me\":MAILTO:me@x.example\nATTENDEE;PARTSTAT=ACCEPTED:mailto:eve@z.example\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; with Bob <bob@y.example>, eve@z.example"),
        ),
        (
            "with people by another address",
            "DTSTART:20260112T090000\nATTENDEE;EMAIL=eve@z.example:urn:uuid:1234\nATTENDEE:http://x.example/principals/7\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; with eve@z.example"),
        ),
        (
            "with oneself alone",
            "DTSTART:20260112T090000\nORGANIZER:mailto:me@x.example\nATTENDEE:mailto:ME@X.example\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        // Series.
        (
            "a series",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=WEEKLY;COUNT=3\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; rule FREQ=WEEKLY;COUNT=3"),
        ),
        (
            "of one time",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=WEEKLY;COUNT=1\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A"),
        ),
        (
            "without that day",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=DAILY\nEXDATE;VALUE=DATE:20260113\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13 nothing"),
        ),
        (
            "without that instant",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=DAILY\nEXDATE:20260113T080000Z\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13T09:00:00+01:00 nothing"),
        ),
        (
            "of days, without that time",
            "DTSTART;VALUE=DATE:20260112\nRRULE:FREQ=DAILY\nEXDATE:20260113T000000\nSUMMARY:A",
            "",
            "2026-01-12 – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13 nothing",
        ),
        (
            "without several, in one line",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=DAILY\nEXDATE;TZID=Europe/Berlin:20260113T090000,20260114T090000\nSUMMARY:A",
            "",
            &format!(
                "{NINE} – -, Europe/Berlin: A; rule FREQ=DAILY; instead of 2026-01-13T09:00:00+01:00 nothing; instead of 2026-01-14T09:00:00+01:00 nothing"
            ),
        ),
        (
            "and besides",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRDATE;TZID=Europe/Berlin:20260120T090000\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; also 2026-01-20T09:00:00+01:00"),
        ),
        (
            "and besides, as a period",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260120T090000/PT1H\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; also 2026-01-20T09:00:00+01:00"),
        ),
        (
            "by a rule that nobody follows",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=SOMETIMES\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; unfollowed FREQ=SOMETIMES"),
        ),
        (
            "every minute",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=MINUTELY\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; unfollowed FREQ=MINUTELY"),
        ),
        (
            "until a day",
            "DTSTART;TZID=Europe/Berlin:20260112T090000\nRRULE:FREQ=DAILY;UNTIL=20260115\nSUMMARY:A",
            "",
            &format!("{NINE} – -, Europe/Berlin: A; rule FREQ=DAILY;UNTIL=20260115"),
        ),
    ];
    for (name, lines, beside, expected) in rows {
        assert_eq!(told(&calendar(lines, beside)), *expected, "{name}: {lines}");
    }
    assert!(rows.len() >= 50, "{}", rows.len());
}
