//! Series that are read, ticked and changed line by line.

use chrono::{DateTime, Duration, Utc};

use super::kept_here;
use super::read::UnreadableTask;
use super::tests::{
    NOW, SINGLE, at, changed_with, complete, difference, differs, reader_with, reads, reads_at, turns, turns_at,
};
use crate::services::task::record::{Task, TaskStatus};

/// Monday, Wednesday at ten, ten times; the first was ticked by a component beside it.
const SERIES: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:s@x\r\nDTSTAMP:20250101T000000Z\r\nSUMMARY:Stretch\r\n\
DTSTART;TZID=Europe/Berlin:20260112T100000\r\nDUE;TZID=Europe/Berlin:20260112T113000\r\nRRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO,WE\r\n\
EXDATE;TZID=Europe/Berlin:20260119T100000\r\nSTATUS:NEEDS-ACTION\r\nCATEGORIES:BODY\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT5M\r\n\
DESCRIPTION:x\r\nX-OWN:stays\r\nEND:VALARM\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";

/// As a reminder does it when the deadline has come.
fn remind(task: &mut Task, now: DateTime<Utc>) {
    let came = task.came(task.reminds_at().unwrap(), now);
    task.reminded_at = Some(now);
    task.advance(came.last().copied().unwrap_or(now).max(now));
}

#[test]
fn ticking_one_time_leaves_the_series_until_its_last() {
    let (mut text, mut held) = (SERIES.to_owned(), reads(SERIES));
    assert_eq!(held.before, ["PT1H35M".parse().unwrap()]);
    let (next, task) =
        turns_at(&text, &held, "2026-01-12T10:00:00Z", |task| complete(task, at("2026-01-12T10:00:00Z")));
    differs(
        &text,
        &next,
        &[
            "DTSTART;TZID=Europe/Berlin:20260112T100000",
            "DUE;TZID=Europe/Berlin:20260112T113000",
            "RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO,WE",
        ],
        &[
            "DTSTART;TZID=Europe/Berlin:20260114T100000",
            "DUE;TZID=Europe/Berlin:20260114T113000",
            "RRULE:FREQ=WEEKLY;COUNT=9;BYDAY=MO,WE",
        ],
    );
    (text, held) = (next, task);
    // The next one is left out there: the record has no place for that, the text says it.
    let now = "2026-01-14T10:00:00Z";
    let mut after = held.clone();
    complete(&mut after, at(now));
    text = changed_with(&text, (&held, &after), &reader_with(now)).unwrap();
    held = reads_at(&text, Some(&after), now).unwrap().unwrap();
    assert_eq!(held.deadline.as_deref(), Some("2026-01-21T11:30:00+01:00"));
    assert!(text.contains("COUNT=7"), "{text}");
    let mut ticked = 2;
    while held.status == TaskStatus::Open {
        let now = held.due_moment().unwrap().start(held.zone).to_utc() - Duration::hours(1);
        (text, held) = turns_at(&text, &held, &now.to_rfc3339(), |task| complete(task, now));
        ticked += 1;
        assert!(ticked < 20, "{text}");
    }
    // Ten, less the one that was left out.
    assert_eq!(ticked, 9);
    assert!(
        text.contains("STATUS:COMPLETED\r\n")
            && text.contains("COUNT=1;")
            && text.contains("DUE;TZID=Europe/Berlin:20260211T113000"),
        "{text}"
    );
    assert!(text.contains("CATEGORIES:BODY") && text.contains("X-OWN:stays") && text.contains("TRIGGER:-PT5M"));
}

#[test]
fn what_was_ticked_is_put_back() {
    let now = "2026-01-12T10:00:00Z";
    let held = reads(SERIES);
    let (next, task) = turns_at(SERIES, &held, now, |task| complete(task, at(now)));
    let (back, _) = turns_at(&next, &task, now, |task| *task = held.clone());
    differs(SERIES, &back, &[], &[]);
}

#[test]
fn a_series_that_reminded_waits_to_be_ticked_and_its_text_with_it() {
    let monday = "2026-01-12T10:31:00Z";
    let mut held = reads(SERIES);
    remind(&mut held, at(monday));
    assert_eq!(held.deadline.as_deref(), Some("2026-01-14T11:30:00+01:00"));
    // Nothing has changed there: the record stays as it is, put off or not.
    held.snoozed = Some(at("2026-01-12T12:00:00Z"));
    assert_eq!(reads_at(SERIES, Some(&held), "2026-01-12T11:00:00Z").unwrap().unwrap(), held);
    // A new name is a new name.
    let (named, _) = turns_at(SERIES, &held, "2026-01-12T11:00:00Z", |task| task.title = "Move".to_owned());
    differs(SERIES, &named, &["SUMMARY:Stretch"], &["SUMMARY:Move"]);
    // Ticked here: the text moves on to where the record is.
    let (ticked, _) =
        turns_at(SERIES, &held, "2026-01-12T11:00:00Z", |task| complete(task, at("2026-01-12T11:00:00Z")));
    assert!(ticked.contains("DUE;TZID=Europe/Berlin:20260114T113000") && ticked.contains("COUNT=9"), "{ticked}");
    // Ticked there: it is no longer waiting here.
    let read = reads_at(&ticked, Some(&held), "2026-01-12T11:30:00Z").unwrap().unwrap();
    assert_eq!((read.deadline.clone(), read.snoozed, read.is_unanswered()), (held.deadline.clone(), None, false));
    assert_eq!((&read.repeat, &read.anchor), (&held.repeat, &held.anchor));
}

#[test]
fn several_times_that_were_missed_are_ticked_by_one() {
    let late = "2026-01-25T08:00:00Z";
    let held = reads_at(SERIES, None, late).unwrap().unwrap();
    assert_eq!(
        (held.deadline.as_deref(), held.reminded_at),
        (Some("2026-01-26T11:30:00+01:00"), Some(at("2026-01-21T10:30:00Z")))
    );
    assert!(held.is_unanswered());
    let (text, _) = turns_at(SERIES, &held, late, |task| complete(task, at(late)));
    assert!(text.contains("DTSTART;TZID=Europe/Berlin:20260126T100000") && text.contains("COUNT=6"), "{text}");
}

#[test]
fn one_time_that_is_put_on_another_day_stays_here_and_is_said() {
    let held = reads(SERIES);
    let (text, after) = turns_at(SERIES, &held, NOW, |task| {
        task.deadline = Some("2026-01-14T11:30:00+01:00".to_owned());
        task.snoozed = Some(at("2026-01-13T10:30:00Z"));
    });
    assert_eq!(text, SERIES);
    assert!(kept_here(&held, &after).is_some() && kept_here(&held, &held).is_none());
    // One that is left out altogether is left out there, too.
    let (text, _) = turns_at(SERIES, &held, NOW, |task| task.deadline = Some("2026-01-14T11:30:00+01:00".to_owned()));
    assert!(text.contains("DTSTART;TZID=Europe/Berlin:20260114T100000") && text.contains("COUNT=9"), "{text}");
}

#[test]
fn a_series_at_another_time_takes_start_and_rule_along() {
    let after = turns(SERIES, |task| {
        task.deadline = Some("2026-01-12T15:00:00+01:00".to_owned());
        task.anchor = task.deadline.clone();
    });
    differs(
        SERIES,
        &after,
        &["DTSTART;TZID=Europe/Berlin:20260112T100000", "DUE;TZID=Europe/Berlin:20260112T113000"],
        &["DTSTART;TZID=Europe/Berlin:20260112T133000", "DUE;TZID=Europe/Berlin:20260112T150000"],
    );
    let after = turns(SERIES, |task| {
        task.repeat = Some("FREQ=DAILY;INTERVAL=2".to_owned());
        task.deadline = Some("2026-01-13T15:00:00+01:00".to_owned());
        task.anchor = task.deadline.clone();
    });
    assert!(
        after.contains("RRULE:FREQ=DAILY;INTERVAL=2\r\n")
            && after.contains("DTSTART;TZID=Europe/Berlin:20260113T133000"),
        "{after}"
    );
    let after = turns(SINGLE, |task| {
        task.repeat = Some("FREQ=WEEKLY".to_owned());
        task.anchor = task.deadline.clone();
    });
    differs(SINGLE, &after, &[], &["RRULE:FREQ=WEEKLY"]);
    let after = turns(SERIES, |task| (task.repeat, task.anchor) = (None, None));
    differs(SERIES, &after, &["RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO,WE"], &[]);
}

#[test]
fn a_series_of_starts_is_ticked_by_its_deadline() {
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:Sprint\r\nDTSTART;VALUE=DATE:20260112\r\nDUE;VALUE=DATE:20260116\r\n\
                RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
    assert_eq!(reads(text).deadline.as_deref(), Some("2026-01-16"));
    let after = turns(text, |task| complete(task, at("2026-01-16T08:30:00Z")));
    let (_, new) = difference(text, &after);
    assert_eq!(new, ["DTSTART;VALUE=DATE:20260119", "DUE;VALUE=DATE:20260123", "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3"]);
    // Two days a week, due on the next: told by their starts.
    let text =
        text.replace("BYDAY=MO;COUNT=4", "BYDAY=MO,WE").replace("DUE;VALUE=DATE:20260116", "DUE;VALUE=DATE:20260113");
    let after = turns(&text, |task| complete(task, at("2026-01-12T08:30:00Z")));
    let (_, new) = difference(&text, &after);
    assert_eq!(new, ["DTSTART;VALUE=DATE:20260114", "DUE;VALUE=DATE:20260115"]);
}

#[test]
fn a_time_that_is_on_its_own_is_done_with_the_series() {
    let own = "BEGIN:VTODO\r\nUID:s@x\r\nRECURRENCE-ID;TZID=Europe/Berlin:20260112T100000\r\nSUMMARY:Stretch\\, long\r\n\
               DTSTART;TZID=Europe/Berlin:20260113T100000\r\nDUE;TZID=Europe/Berlin:20260113T120000\r\nEND:VTODO\r\n";
    let text = SERIES.replace("END:VCALENDAR", &format!("{own}END:VCALENDAR"));
    let held = reads(&text);
    assert_eq!(held.deadline.as_deref(), Some("2026-01-13T12:00:00+01:00"));
    let now = "2026-01-13T12:00:00Z";
    let (next, task) = turns_at(&text, &held, now, |task| complete(task, at(now)));
    let (_, new) = difference(&text, &next);
    assert!(
        new.contains(&"DUE;TZID=Europe/Berlin:20260114T113000".to_owned())
            && new.contains(&"STATUS:COMPLETED".to_owned()),
        "{next}"
    );
    assert_eq!(next.matches("STATUS:COMPLETED").count(), 1);
    let mut before = held.clone();
    before.done_at = None;
    let back = changed_with(&next, (&task, &before), &reader_with(now)).unwrap();
    assert_eq!(reads(&back).deadline, held.deadline);
    assert!(back.contains("DTSTART;TZID=Europe/Berlin:20260112T100000\r\n") && back.contains("COUNT=10"), "{back}");
}

#[test]
fn a_series_that_nobody_can_follow_is_not_ticked_and_not_moved() {
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:A\r\nDUE;VALUE=DATE:20260112\r\nRRULE:FREQ=SOMETIMES\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
    let held = reads(text);
    assert_eq!(held.repeat, None);
    for change in
        [|task: &mut Task| complete(task, at(NOW)), |task: &mut Task| task.deadline = Some("2026-01-13".to_owned())]
    {
        let mut after = held.clone();
        change(&mut after);
        assert_eq!(changed_with(text, (&held, &after), &reader_with(NOW)), Err(UnreadableTask::Unfollowed));
    }
    turns(text, |task| task.title = "B".to_owned());
}

#[test]
fn one_time_ticked_back_elsewhere_is_to_do_again() {
    let now = "2026-01-12T10:00:00Z";
    let (_, task) = turns_at(SERIES, &reads(SERIES), now, |task| complete(task, at(now)));
    let read = reads_at(SERIES, Some(&task), now).unwrap().unwrap();
    assert_eq!(read.deadline.as_deref(), Some("2026-01-12T11:30:00+01:00"));
}

#[test]
fn clocks_that_change_leave_a_series_at_its_time_of_day() {
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:A\r\nDTSTART;TZID=Europe/Berlin:20260328T023000\r\n\
                DUE;TZID=Europe/Berlin:20260328T023000\r\nRRULE:FREQ=DAILY\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
    let mut held = reads(text);
    let mut text = text.to_owned();
    for (now, due) in [("2026-03-28T00:00:00Z", "20260329T023000"), ("2026-03-29T00:30:00Z", "20260330T023000")] {
        let mut after = held.clone();
        complete(&mut after, at(now));
        text = changed_with(&text, (&held, &after), &reader_with(now)).unwrap();
        assert!(text.contains(&format!("DUE;TZID=Europe/Berlin:{due}\r\n")), "{due}: {text}");
        held = reads_at(&text, Some(&after), now).unwrap().unwrap();
        assert_eq!(held.deadline, after.deadline);
    }
}
