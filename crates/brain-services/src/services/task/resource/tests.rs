//! Resources that are read, and changed line by line.

mod hostile;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::changed::written;
use super::new::made;
use super::read::{UnreadableTask, read};
use crate::services::contract::show::Moment;
use crate::services::remote::backend::RecordOrigin;
use crate::services::remote::dav::{DavReader, ResourceName};
use crate::services::task::record::{Priority, Task, TaskStatus};
use brain_core::core::ids::{ChatId, UserId};

pub(super) const NOW: &str = "2026-01-10T08:00:00Z";

pub(super) const SINGLE: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\nX-WR-CALNAME:Mine\r\nBEGIN:VTODO\r\nUID:one@x\r\n\
DTSTAMP:20250101T000000Z\r\nCREATED:20250101T000000Z\r\nSUMMARY;LANGUAGE=en:Buy paint\\, white\r\nPRIORITY:3\r\n\
DTSTART;TZID=Europe/Berlin:20260112T090000\r\nDUE;TZID=Europe/Berlin:20260112T170000\r\nCATEGORIES:HOME,WORK\r\nX-FOLDED;A=\"b:c\":one\r\n  two\r\n\
STATUS:IN-PROCESS\r\nPERCENT-COMPLETE:40\r\nRELATED-TO;RELTYPE=PARENT:two@x\r\nSEQUENCE:3\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nUID:a1\r\n\
TRIGGER;RELATED=END:-PT1H\r\nDESCRIPTION:x\r\nEND:VALARM\r\nBEGIN:VALARM\r\nACTION:AUDIO\r\nUID:a2\r\n\
TRIGGER;VALUE=DATE-TIME:20260111T080000Z\r\nEND:VALARM\r\nEND:VTODO\r\nBEGIN:VTODO\r\nUID:two@x\r\nSUMMARY:Paint\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";

pub(super) fn reader_with(now: &str) -> DavReader<'static> {
    static PERSON: std::sync::LazyLock<(UserId, ChatId, [String; 1])> =
        std::sync::LazyLock::new(|| (UserId::new("tg:1"), ChatId::new("tg:1"), ["me@x.example".to_owned()]));
    let (owner, chat, own) = &*PERSON;
    DavReader { owner, chat, zone: Tz::Europe__Berlin, own, is_shared: false, now: now.parse().unwrap() }
}

pub(super) fn reads_at(text: &str, held: Option<&Task>, now: &str) -> Result<Option<Task>, UnreadableTask> {
    let name = ResourceName { id: "t1".to_owned(), origin: RecordOrigin::new("acct:1", "/t/1.ics", "\"1\"") };
    read(text, name, held, &reader_with(now))
}

pub(super) fn changed_with(
    text: &str,
    change: (&Task, &Task),
    writer: &DavReader<'_>,
) -> Result<String, UnreadableTask> {
    written(text, change, None, writer)
}

pub(super) fn reads(text: &str) -> Task {
    reads_at(text, None, NOW).unwrap().unwrap()
}

pub(super) fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// The text after a change of the record that was read of it, and that record: what is read back is what was wanted.
pub(super) fn turns_at(text: &str, held: &Task, now: &str, change: impl Fn(&mut Task)) -> (String, Task) {
    let mut after = held.clone();
    change(&mut after);
    let changed = changed_with(text, (held, &after), &reader_with(now)).unwrap();
    let again = reads_at(&changed, Some(&after), now).unwrap().unwrap();
    assert_eq!(unmarked(again), unmarked(after.clone()), "{changed}");
    (changed, after)
}

/// Whose words they are is no matter here.
fn unmarked(mut task: Task) -> Task {
    task.others = crate::services::contract::provenance::Others::default();
    task
}

pub(super) fn turns(text: &str, change: impl Fn(&mut Task)) -> String {
    turns_at(text, &reads(text), NOW, change).0
}

/// As the command of that name does it.
pub(super) fn complete(task: &mut Task, now: DateTime<Utc>) {
    let before = task.clone();
    task.done_at = Some(now);
    task.snoozed = None;
    let goes_on = match before.due_moment().filter(|_| before.repeat.is_some()) {
        Some(_) if before.is_unanswered() => true,
        Some(due) => task.advance(task.instant_of(due).max(now)),
        None => false,
    };
    if !goes_on {
        task.status = TaskStatus::Done;
    }
}

/// The lines that are in one text and not in the other: gone, new. Stamps of each change aside.
pub(super) fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let stamps = |line: &&str| !["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"].iter().any(|stamp| line.starts_with(stamp));
    let lines = |text: &str| text.split("\r\n").filter(stamps).map(str::to_owned).collect::<Vec<_>>();
    let less = |a: Vec<String>, mut b: Vec<String>| -> Vec<String> {
        a.into_iter().filter(|line| b.iter().position(|other| other == line).map(|at| b.remove(at)).is_none()).collect()
    };
    (less(lines(before), lines(after)), less(lines(after), lines(before)))
}

pub(super) fn differs(before: &str, after: &str, gone: &[&str], new: &[&str]) {
    let strings = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(difference(before, after), (strings(gone), strings(new)), "{after}");
}

#[test]
fn a_task_is_read_with_its_times_its_alarms_and_its_priority() {
    let task = reads(SINGLE);
    assert_eq!(
        (task.title.as_str(), task.priority, task.status),
        ("Buy paint, white", Some(Priority::High), TaskStatus::Open)
    );
    assert_eq!(task.deadline.as_deref(), Some("2026-01-12T17:00:00+01:00"));
    assert_eq!(task.before, ["PT1H".parse().unwrap()]);
    assert_eq!(task.also, [at("2026-01-11T08:00:00Z")]);
    assert_eq!((task.created_at, task.zone), (at("2025-01-01T00:00:00Z"), Tz::Europe__Berlin));
}

#[test]
fn words_and_priority_change_one_line_each_and_a_priority_of_the_same_class_stays() {
    let after = turns(SINGLE, |task| task.title = "Buy paint; red".to_owned());
    differs(SINGLE, &after, &["SUMMARY;LANGUAGE=en:Buy paint\\, white"], &["SUMMARY:Buy paint\\; red"]);
    assert!(after.contains("SEQUENCE:4\r\n") && after.contains("DTSTAMP:20260110T080000Z\r\n"));
    let after = turns(SINGLE, |task| task.description = Some("two\nlines".to_owned()));
    differs(SINGLE, &after, &[], &["DESCRIPTION:two\\nlines"]);
    let after = turns(SINGLE, |task| task.priority = Some(Priority::Low));
    differs(SINGLE, &after, &["PRIORITY:3"], &["PRIORITY:9"]);
    let mut held = reads(SINGLE);
    held.priority = None;
    let (after, _) = turns_at(SINGLE, &held, NOW, |task| task.priority = Some(Priority::High));
    assert_eq!(after, SINGLE);
}

#[test]
fn a_deadline_takes_the_start_along_in_the_form_of_what_stood_there() {
    let after = turns(SINGLE, |task| task.deadline = Some("2026-01-14T18:00:00+01:00".to_owned()));
    differs(
        SINGLE,
        &after,
        &["DTSTART;TZID=Europe/Berlin:20260112T090000", "DUE;TZID=Europe/Berlin:20260112T170000"],
        &["DTSTART;TZID=Europe/Berlin:20260114T100000", "DUE;TZID=Europe/Berlin:20260114T180000"],
    );
    let rows: [(&str, &str, &str); 8] = [
        ("DUE:20260112T160000Z", "2026-01-14T18:00:00+01:00", "DUE:20260114T170000Z"),
        ("DUE:20260112T170000", "2026-01-14T18:00:00+01:00", "DUE:20260114T180000"),
        ("DUE;VALUE=DATE:20260112", "2026-01-14", "DUE;VALUE=DATE:20260114"),
        ("DUE;VALUE=DATE:20260112", "2026-01-14T18:00:00+01:00", "DUE;TZID=Europe/Berlin:20260114T180000"),
        (
            "DUE;TZID=America/New_York:20260112T110000",
            "2026-01-14T12:00:00-05:00",
            "DUE;TZID=America/New_York:20260114T120000",
        ),
        ("DTSTART:20260112T160000Z", "2026-01-14T18:00:00+01:00", "DTSTART:20260114T170000Z"),
        ("DTSTART;VALUE=DATE:20260112\r\nDURATION:P1D", "2026-01-15", "DTSTART;VALUE=DATE:20260114"),
        ("X-NO:time", "2026-01-14", "DUE;VALUE=DATE:20260114"),
    ];
    for (line, deadline, expected) in rows {
        let text =
            format!("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:A\r\n{line}\r\nEND:VTODO\r\nEND:VCALENDAR\r\n");
        let after = turns(&text, |task| task.deadline = Some(deadline.to_owned()));
        let (_, new) = difference(&text, &after);
        assert!(new.contains(&expected.to_owned()), "{line}: {after}");
        assert_eq!(after.contains("BEGIN:VTIMEZONE"), expected.contains("Berlin"), "{after}");
    }
}

#[test]
fn done_and_open_again_are_three_lines() {
    let (done, held) = turns_at(SINGLE, &reads(SINGLE), NOW, |task| complete(task, at(NOW)));
    differs(
        SINGLE,
        &done,
        &["STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"],
        &["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260110T080000Z"],
    );
    let (open, _) = turns_at(&done, &held, NOW, |task| (task.status, task.done_at) = (TaskStatus::Open, None));
    differs(
        &done,
        &open,
        &["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260110T080000Z"],
        &["STATUS:NEEDS-ACTION"],
    );
}

#[test]
fn alarms_that_are_known_stay_as_they_are_and_new_ones_are_written() {
    let after = turns(SINGLE, |task| task.before = vec!["PT1H".parse().unwrap(), "P1D".parse().unwrap()]);
    differs(
        SINGLE,
        &after,
        &[],
        &["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Buy paint\\, white", "TRIGGER;RELATED=END:-P1D", "END:VALARM"],
    );
    let after = turns(SINGLE, |task| task.before.clear());
    assert!(!after.contains("UID:a1") && after.contains("UID:a2"), "{after}");
    let after = turns(SINGLE, |task| task.also = vec![at("2026-01-11T09:00:00Z")]);
    assert!(!after.contains("UID:a2") && after.contains("TRIGGER;VALUE=DATE-TIME:20260111T090000Z\r\n"), "{after}");
}

#[test]
fn alarms_of_a_day_count_from_its_hour_and_are_told_anew_when_it_gets_a_time() {
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:A\r\nDUE;VALUE=DATE:20260120\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
    let (day, held) = turns_at(text, &reads(text), NOW, |task| {
        task.before = vec!["PT30M".parse().unwrap(), "PT24H".parse().unwrap(), "P2D".parse().unwrap()];
    });
    for trigger in
        ["TRIGGER;RELATED=END:PT8H30M\r\n", "TRIGGER;RELATED=END:-PT15H\r\n", "TRIGGER;RELATED=END:-PT39H\r\n"]
    {
        assert!(day.contains(trigger), "{day}");
    }
    let (timed, _) = turns_at(&day, &held, NOW, |task| task.deadline = Some("2026-01-20T17:00:00+01:00".to_owned()));
    for trigger in ["TRIGGER;RELATED=END:-PT30M\r\n", "TRIGGER;RELATED=END:-PT24H\r\n", "TRIGGER;RELATED=END:-P2D\r\n"]
    {
        assert!(timed.contains(trigger), "{timed}");
    }
    let (later, _) = turns_at(&day, &held, NOW, |task| task.hour = chrono::NaiveTime::from_hms_opt(7, 0, 0));
    assert!(later.contains("TRIGGER;RELATED=END:PT6H30M\r\n"), "{later}");
}

#[test]
fn an_alarm_at_the_deadline_goes_along_with_it() {
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:A\r\nDTSTART;TZID=Europe/Berlin:20260112T180000\r\n\
                DUE;TZID=Europe/Berlin:20260112T180000\r\nRRULE:FREQ=WEEKLY\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nX-WR-ALARMUID:C\r\n\
                TRIGGER;VALUE=DATE-TIME:20260112T170000Z\r\nEND:VALARM\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
    let task = reads(text);
    assert!(task.before.is_empty() && task.also.is_empty());
    let after = turns(text, |task| complete(task, at(NOW)));
    let (_, new) = difference(text, &after);
    let lines = [
        "DTSTART;TZID=Europe/Berlin:20260119T180000",
        "DUE;TZID=Europe/Berlin:20260119T180000",
        "TRIGGER;VALUE=DATE-TIME:20260119T170000Z",
    ];
    assert_eq!(new, lines, "{after}");
}

#[test]
fn what_a_list_has_no_place_for_stays_with_the_record() {
    let mut held = reads(SINGLE);
    held.chat = ChatId::new("tg:2");
    held.hour = chrono::NaiveTime::from_hms_opt(7, 0, 0);
    held.snoozed = Some(at("2026-01-11T12:00:00Z"));
    held.reminded_at = Some(at("2026-01-09T12:00:00Z"));
    assert_eq!(reads_at(SINGLE, Some(&held), NOW).unwrap().unwrap(), held);
    // Of an older deadline nothing is put off.
    let moved = SINGLE.replace("DUE;TZID=Europe/Berlin:20260112", "DUE;TZID=Europe/Berlin:20260113");
    let read = reads_at(&moved, Some(&held), NOW).unwrap().unwrap();
    assert_eq!((read.snoozed, read.hour, read.chat), (None, held.hour, held.chat.clone()));
    // Done elsewhere.
    let done = SINGLE.replace("STATUS:IN-PROCESS", "STATUS:COMPLETED\r\nCOMPLETED:20260110T070000Z");
    let read = reads_at(&done, Some(&held), NOW).unwrap().unwrap();
    assert_eq!((read.status, read.done_at, read.snoozed), (TaskStatus::Done, Some(at("2026-01-10T07:00:00Z")), None));
}

#[test]
fn what_is_made_new_is_read_back() {
    let mut task = reads(SINGLE);
    task.title = "Café; “Mitte”, 2".to_owned();
    task.description = Some("a\nb".to_owned());
    task.created_at = at("2026-01-01T00:00:00Z");
    let series = |rule: &str, deadline: &str, anchor: &str| Task {
        repeat: Some(rule.to_owned()),
        deadline: Some(deadline.to_owned()),
        anchor: Some(anchor.to_owned()),
        ..task.clone()
    };
    let all = [
        task.clone(),
        Task { deadline: None, before: Vec::new(), priority: None, ..task.clone() },
        Task { deadline: Some("2026-03-01".to_owned()), ..task.clone() },
        Task { zone: Tz::UTC, deadline: Some("2026-03-01T09:00:00+00:00".to_owned()), ..task.clone() },
        Task { status: TaskStatus::Done, done_at: Some(at("2026-01-09T08:00:00Z")), ..task.clone() },
        // Asked for on a Tuesday, for Mondays; and in the middle of a counted one.
        series("FREQ=WEEKLY;BYDAY=MO", "2026-01-12T09:00:00+01:00", "2026-01-06T09:00:00+01:00"),
        series("FREQ=DAILY;COUNT=10", "2026-01-12T09:00:00+01:00", "2026-01-08T09:00:00+01:00"),
        series("FREQ=MONTHLY", "2026-01-31", "2025-10-31"),
        series("FREQ=HOURLY;INTERVAL=6", "2026-01-12T09:00:00+01:00", "2026-01-12T09:00:00+01:00"),
    ];
    for wanted in all {
        let text = made(&wanted, "new@us", &reader_with(NOW));
        let again = reads_at(&text, Some(&wanted), NOW).unwrap().unwrap();
        assert_eq!(unmarked(again), unmarked(wanted.clone()), "{text}");
        let is_by_clocks = matches!(wanted.due_moment(), Some(Moment::Instant(_))) && wanted.zone != Tz::UTC;
        assert_eq!(text.contains("BEGIN:VTIMEZONE"), is_by_clocks, "{text}");
    }
    let counted = made(
        &series("FREQ=DAILY;COUNT=10", "2026-01-12T09:00:00+01:00", "2026-01-08T09:00:00+01:00"),
        "u",
        &reader_with(NOW),
    );
    assert!(counted.contains("COUNT=6\r\n"), "{counted}");
}

#[test]
fn another_uid_and_words_of_others() {
    let held = reads(SINGLE);
    let text = written(SINGLE, (&held, &held), Some("new@us"), &reader_with(NOW)).unwrap();
    differs(SINGLE, &text, &["UID:one@x"], &["UID:new@us"]);
    assert!(held.others.is_empty());
    let described =
        SINGLE.replace("PRIORITY:3", "PRIORITY:3\r\nDESCRIPTION:Do this\r\nORGANIZER:mailto:Boss@x.example");
    let task = reads(&described);
    assert!(!task.others.is_empty());
    let own = Task { others: crate::services::contract::provenance::Others::default(), ..task.clone() };
    // What was written here is known here.
    assert!(reads_at(&described, Some(&own), NOW).unwrap().unwrap().others.is_empty());
}
