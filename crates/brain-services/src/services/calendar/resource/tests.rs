//! Resources that are read, and changed line by line.

mod hostile;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::changed::written;
use super::new::made;
use super::read::read;
use crate::services::calendar::exceptions::{Exception, Instead};
use crate::services::calendar::record::Event;
use crate::services::remote::backend::RecordOrigin;
use crate::services::remote::dav::{DavReader, DavRecord as _, ResourceName};
use brain_core::core::ids::{ChatId, UserId};

const SERIES: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nX-WR-CALNAME:Mine\r\nBEGIN:VTIMEZONE\r\nTZID:Berlin clocks\r\n\
X-LIC-LOCATION:Europe/Berlin\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n\
END:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:series@x\r\nDTSTAMP:20250101T000000Z\r\nDTSTART;TZID=Berlin clocks:20260105T100000\r\nDURATION:PT30M\r\n\
SUMMARY;LANGUAGE=en:Stand-up\\, daily\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE\r\nEXDATE;TZID=Berlin clocks:20260107T100000,20260112T100000\r\n\
CATEGORIES:WORK,TEAM\r\nX-FOLDED;A=\"b:c\":one\r\n  two\r\nSEQUENCE:3\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT15M\r\nDESCRIPTION:x\r\nEND:VALARM\r\n\
END:VEVENT\r\nBEGIN:VEVENT\r\nUID:series@x\r\nRECURRENCE-ID;TZID=Berlin clocks:20260114T100000\r\nDTSTART;TZID=Berlin clocks:20260114T150000\r\n\
DURATION:PT1H\r\nSUMMARY:Stand-up\\, late\r\nX-OWN:stays\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

fn now() -> DateTime<Utc> {
    "2026-01-10T08:00:00Z".parse().unwrap()
}

fn with_reader<T>(zone: Tz, work: impl FnOnce(&DavReader<'_>) -> T) -> T {
    let (owner, own) = (UserId::new("tg:1"), ["me@x.example".to_owned()]);
    work(&DavReader { owner: &owner, chat: &ChatId::new("1"), zone, own: &own, is_shared: false, now: now() })
}

fn name() -> ResourceName {
    ResourceName { id: "e1".to_owned(), origin: RecordOrigin::new("acct:1", "/c/1.ics", "\"1\"") }
}

pub(super) fn reads(text: &str) -> Event {
    with_reader(Tz::Europe__Berlin, |reader| read(text, name(), reader)).unwrap().unwrap()
}

pub(super) fn writes(text: &str, change: impl Fn(&mut Event)) -> String {
    let before = reads(text);
    let mut after = before.clone();
    change(&mut after);
    let changed = with_reader(Tz::Europe__Berlin, |reader| written(text, (&before, &after), None, reader)).unwrap();
    // What is read back is what was wanted.
    let mut again = reads(&changed);
    (again.others, again.snoozed) = (after.others.clone(), after.snoozed);
    again.exceptions.sort_by_key(|one| one.of.clone());
    after.exceptions.sort_by_key(|one| one.of.clone());
    assert_eq!(again, after, "{changed}");
    changed
}

/// The lines that are in one text and not in the other: gone, new.
fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let less = |a: &[String], b: &[String]| {
        let mut b = b.to_vec();
        a.iter()
            .filter(|line| b.iter().position(|other| other == *line).map(|at| b.remove(at)).is_none())
            .cloned()
            .collect()
    };
    (less(&before, &after), less(&after, &before))
}

/// Stamps of each change aside.
fn changed_lines(after: &str) -> (Vec<String>, Vec<String>) {
    let stamps = |line: &String| !["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"].iter().any(|stamp| line.starts_with(stamp));
    let (gone, new) = difference(SERIES, after);
    (gone.into_iter().filter(stamps).collect(), new.into_iter().filter(stamps).collect())
}

fn strings(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn a_series_is_read_with_its_zone_its_exceptions_and_its_length() {
    let event = reads(SERIES);
    assert_eq!((event.summary.as_str(), event.zone), ("Stand-up, daily", Tz::Europe__Berlin));
    assert_eq!(
        (event.start_time.as_str(), event.end_time.as_deref()),
        ("2026-01-05T10:00:00+01:00", Some("2026-01-05T10:30:00+01:00"))
    );
    assert_eq!(event.recurrence.as_deref(), Some("FREQ=WEEKLY;BYDAY=MO,WE"));
    let of: Vec<(&str, bool)> = event.exceptions.iter().map(|e| (e.of.as_str(), e.instead.is_some())).collect();
    assert_eq!(
        of,
        [
            ("2026-01-07T10:00:00+01:00", false),
            ("2026-01-12T10:00:00+01:00", false),
            ("2026-01-14T10:00:00+01:00", true)
        ]
    );
    assert_eq!(event.exceptions[2].instead.as_ref().unwrap().start_time, "2026-01-14T15:00:00+01:00");
}

#[test]
fn a_new_name_changes_one_line() {
    let after = writes(SERIES, |event| event.summary = "Stand-up; weekly".to_owned());
    assert_eq!(
        changed_lines(&after),
        (strings(&["SUMMARY;LANGUAGE=en:Stand-up\\, daily"]), strings(&["SUMMARY:Stand-up\\; weekly"]))
    );
    assert!(after.contains("SEQUENCE:4\r\n"));
}

#[test]
fn one_occurrence_that_goes_is_one_exdate() {
    let after = writes(SERIES, |event| {
        event.exceptions.push(Exception { of: "2026-01-19T10:00:00+01:00".to_owned(), instead: None })
    });
    assert_eq!(changed_lines(&after), (vec![], strings(&["EXDATE;TZID=Berlin clocks:20260119T100000"])));
}

#[test]
fn one_occurrence_that_moves_is_an_override_with_all_that_the_series_has() {
    let after = writes(SERIES, |event| {
        event.exceptions.push(Exception {
            of: "2026-01-19T10:00:00+01:00".to_owned(),
            instead: Some(Instead {
                summary: event.summary.clone(),
                start_time: "2026-01-19T16:00:00+01:00".to_owned(),
                end_time: Some("2026-01-19T16:30:00+01:00".to_owned()),
                location: Some("Room 2".to_owned()),
                attendees: Vec::new(),
            }),
        });
    });
    let (gone, new) = changed_lines(&after);
    assert_eq!(gone, Vec::<String>::new());
    for line in [
        "RECURRENCE-ID;TZID=Berlin clocks:20260119T100000",
        "DTSTART;TZID=Berlin clocks:20260119T160000",
        "CATEGORIES:WORK,TEAM",
        "TRIGGER:-PT15M",
        "X-FOLDED;A=\"b:c\":one",
        "LOCATION:Room 2",
        "UID:series@x",
    ] {
        assert!(new.contains(&line.to_owned()), "{line}: {after}");
    }
    assert_eq!(after.matches("RRULE").count(), 1);
}

#[test]
fn a_series_that_moves_takes_its_exceptions_along() {
    let after = writes(SERIES, |event| {
        event.start_time = "2026-01-05T11:00:00+01:00".to_owned();
        event.end_time = Some("2026-01-05T11:30:00+01:00".to_owned());
        for exception in &mut event.exceptions {
            exception.of = exception.of.replace("T10:", "T11:");
        }
    });
    let (gone, new) = changed_lines(&after);
    assert_eq!(
        new,
        strings(&[
            "DTSTART;TZID=Berlin clocks:20260105T110000",
            "EXDATE;TZID=Berlin clocks:20260107T110000,20260112T110000",
            "RECURRENCE-ID;TZID=Berlin clocks:20260114T110000"
        ])
    );
    assert_eq!(gone.len(), 3);
}

#[test]
fn an_override_that_changes_again_changes_in_its_place_and_one_that_goes_goes() {
    let after = writes(SERIES, |event| event.exceptions[2].instead.as_mut().unwrap().summary = "Retro".to_owned());
    assert_eq!(changed_lines(&after), (strings(&["SUMMARY:Stand-up\\, late"]), strings(&["SUMMARY:Retro"])));
    let after = writes(SERIES, |event| event.exceptions[2].instead = None);
    assert!(!after.contains("X-OWN") && after.contains("EXDATE;TZID=Berlin clocks:20260114T100000\r\n"), "{after}");
    let after = writes(SERIES, |event| {
        event.exceptions.remove(0);
    });
    assert_eq!(changed_lines(&after).1, strings(&["EXDATE;TZID=Berlin clocks:20260112T100000"]));
}

#[test]
fn a_series_that_ends_early_and_its_rest_under_another_uid() {
    let before = reads(SERIES);
    let mut rest = before.clone();
    rest.start_time = "2026-01-14T10:00:00+01:00".to_owned();
    rest.end_time = Some("2026-01-14T10:30:00+01:00".to_owned());
    rest.exceptions.retain(|one| one.of.as_str() >= "2026-01-14");
    let text =
        with_reader(Tz::Europe__Berlin, |reader| written(SERIES, (&before, &rest), Some("rest@y"), reader)).unwrap();
    let again = reads(&text);
    assert_eq!((again.start_time.clone(), again.exceptions.len()), (rest.start_time.clone(), 1));
    assert!(
        !text.contains("series@x")
            && text.matches("UID:rest@y").count() == 2
            && !text.contains("EXDATE")
            && text.contains("TRIGGER:-PT15M"),
        "{text}"
    );
}

#[test]
fn what_is_made_new_is_read_back() {
    let mut event = reads(SERIES);
    event.exceptions.clear();
    event.location = Some("Café; “Mitte”, 2".to_owned());
    event.attendees = vec!["Bob Miller <bob@work.example>".to_owned(), "anna@x.example".to_owned()];
    event.notes = None;
    let text = with_reader(Tz::Europe__Berlin, |reader| made(&event, "new@us", reader));
    let mut again = reads(&text);
    again.created_at = event.created_at;
    assert_eq!(again, event, "{text}");
    assert!(
        text.contains("BEGIN:VTIMEZONE")
            && text.contains("TZID:Europe/Berlin")
            && text.contains("ORGANIZER:mailto:me@x.example")
    );
    for (start, end) in [("2026-03-01", None), ("2026-03-01", Some("2026-03-04"))] {
        let day = Event {
            start_time: start.to_owned(),
            end_time: end.map(str::to_owned),
            recurrence: None,
            attendees: Vec::new(),
            ..event.clone()
        };
        let text = with_reader(Tz::Europe__Berlin, |reader| made(&day, "day@us", reader));
        assert!(text.contains("DTSTART;VALUE=DATE:20260301") && !text.contains("VTIMEZONE"), "{text}");
        let again = reads(&text);
        assert_eq!((again.start_time, again.end_time), (day.start_time, day.end_time));
    }
}

/// Whether something was written is told by reading it, so what was written must be what is read.
#[test]
fn what_was_made_here_to_the_millisecond_is_read_back_as_itself() {
    let made_at: DateTime<Utc> = "2026-01-10T08:00:00.123Z".parse().unwrap();
    let event = Event { created_at: made_at, attendees: Vec::new(), notes: None, ..reads(SERIES) };
    let event = Event { exceptions: Vec::new(), others: Default::default(), ..event };
    let again = with_reader(Tz::Europe__Berlin, |reader| {
        Event::read(&event.made("new@us", reader), name(), Some(&event), reader).unwrap().unwrap()
    });
    assert_eq!(again, event);
}
