//! What other programs write, as rows: the lines of a task, and what is read of them.
//!
//! Names, ids and words are made up; the lines are those that each program writes.

use std::fmt::Write as _;

use super::desktop_texts::{others, thunderbird};
use super::tests::{changed_with, reader_with, reads_at};
use crate::services::task::record::{Task, TaskStatus};

const NOW: &str = "2026-01-10T08:00:00Z";

/// Read by somebody in Berlin: `title; due …`, and whatever else there is.
fn told(text: &str) -> String {
    let task = match reads_at(text, None, NOW) {
        Ok(Some(task)) => task,
        Ok(None) => return "not shown".to_owned(),
        Err(error) => return format!("unreadable: {error}"),
    };
    let mut told = task.title.clone();
    let minutes = |at: chrono::DateTime<chrono::Utc>| at.format("%Y-%m-%dT%H:%MZ").to_string();
    let words: [(&str, Option<String>); 10] = [
        ("due", task.deadline.clone()),
        ("rule", task.repeat.clone()),
        ("from", task.anchor.clone().filter(|anchor| Some(anchor) != task.deadline.as_ref())),
        ("in", Some(task.zone.to_string()).filter(|zone| zone != "Europe/Berlin")),
        ("priority", task.priority.map(|priority| format!("{priority:?}").to_lowercase())),
        ("notes", task.description.clone().map(|notes| notes.replace('\n', "⏎"))),
        ("done", Some("").filter(|_| task.status == TaskStatus::Done).map(str::to_owned)),
        ("done at", task.done_at.map(minutes)),
        ("passed", task.reminded_at.map(minutes)),
        (
            "before",
            Some(task.before.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
                .filter(|all| !all.is_empty()),
        ),
    ];
    for (word, value) in words {
        if let Some(value) = value {
            write!(told, "; {word} {value}").unwrap();
        }
    }
    for at in &task.also {
        write!(told, "; also {}", minutes(*at)).unwrap();
    }
    told
}

/// A resource with this task, and beside it these components.
fn todo(lines: &str, beside: &str) -> String {
    format!("BEGIN:VCALENDAR\nVERSION:2.0\n{beside}BEGIN:VTODO\nUID:1\n{lines}\nEND:VTODO\nEND:VCALENDAR\n")
        .replace('\n', "\r\n")
}

pub(super) const CHICAGO: &str = "BEGIN:VTIMEZONE\nTZID:America/Chicago\nBEGIN:DAYLIGHT\nTZOFFSETFROM:-0600\nTZOFFSETTO:-0500\nTZNAME:CDT\n\
DTSTART:20070311T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\nEND:DAYLIGHT\nBEGIN:STANDARD\nTZOFFSETFROM:-0500\nTZOFFSETTO:-0600\n\
TZNAME:CST\nDTSTART:20071104T020000\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU\nEND:STANDARD\nEND:VTIMEZONE\n";
const APPLE_ALARM: &str = "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:Reminder\nTRIGGER;VALUE=DATE-TIME:20260112T170000Z\nUID:C8\n\
X-WR-ALARMUID:C8\nEND:VALARM";

pub(super) type TaskRow = (&'static str, String, &'static str);

pub(super) fn row(name: &'static str, lines: &str, beside: &str, expected: &'static str) -> TaskRow {
    (name, todo(lines, beside), expected)
}

fn rows() -> Vec<TaskRow> {
    let mut rows = nextcloud();
    rows.extend(tasks_org());
    rows.extend(apple());
    rows.extend(thunderbird());
    rows.extend(others());
    rows
}

fn nextcloud() -> Vec<TaskRow> {
    let stamps = "CREATED:20251219T183919\nDTSTAMP:20251220T095816\nLAST-MODIFIED:20251220T095816\n";
    vec![
        row(
            "Nextcloud: stamps and due without a zone",
            &format!("{stamps}SUMMARY:Call the bank\nPRIORITY:1\nDUE:20260112T123400"),
            "",
            "Call the bank; due 2026-01-12T12:34:00+01:00; priority high",
        ),
        row(
            "Nextcloud: all day, tags",
            &format!("{stamps}CATEGORIES:tag1,tag2\nDUE;VALUE=DATE:20260112\nSUMMARY:A test task"),
            "",
            "A test task; due 2026-01-12",
        ),
        row(
            "Nextcloud: a start alone",
            &format!("{stamps}SUMMARY:Start\nPRIORITY:9\nDTSTART:20260118T095800"),
            "",
            "Start; due 2026-01-18T09:58:00+01:00; priority low",
        ),
        row(
            "Nextcloud: neither time",
            &format!("{stamps}SUMMARY:Someday\nPRIORITY:0\nPERCENT-COMPLETE:0\nX-OC-HIDESUBTASKS:0"),
            "",
            "Someday",
        ),
        row(
            "Nextcloud: half done",
            &format!("{stamps}SUMMARY:Half\nPERCENT-COMPLETE:50\nSTATUS:IN-PROCESS"),
            "",
            "Half",
        ),
        row(
            "Nextcloud: done, by a time without a zone",
            &format!("{stamps}SUMMARY:Tidy up\nPERCENT-COMPLETE:100\nCOMPLETED:20260102T081557\nSTATUS:COMPLETED"),
            "",
            "Tidy up; done ; done at 2026-01-02T07:15Z",
        ),
        row(
            "Nextcloud: done, nobody knows when",
            &format!("{stamps}SUMMARY:Tidy up\nSTATUS:COMPLETED"),
            "",
            "Tidy up; done ; done at 2025-12-20T08:58Z",
        ),
        row(
            "Nextcloud: a subtask",
            &format!("{stamps}SUMMARY:Child\nRELATED-TO:7daa4a5c\nRELATED-TO;RELTYPE=SIBLING:2"),
            "",
            "Child",
        ),
        row(
            "Nextcloud: dates, counted",
            &format!(
                "{stamps}DTSTART;VALUE=DATE:20260111\nDUE;VALUE=DATE:20260112\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:Water\nPRIORITY:4\nBEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:This is a todo reminder.\nTRIGGER;RELATED=END:-PT1H\nEND:VALARM"
            ),
            "",
            "Water; due 2026-01-12; rule FREQ=DAILY;COUNT=3; priority high; before PT10H",
        ),
    ]
}

fn tasks_org() -> Vec<TaskRow> {
    let stamps = "DTSTAMP:20260101T204211Z\nCREATED:20260101T204143Z\nLAST-MODIFIED:20260101T204209Z\n";
    let alarm =
        "BEGIN:VALARM\nTRIGGER;RELATED=END:PT0S\nACTION:DISPLAY\nDESCRIPTION:Default Tasks.org description\nEND:VALARM";
    vec![
        row(
            "tasks.org: a day, told on that day",
            &format!(
                "{stamps}SUMMARY:Test task\nDESCRIPTION:Notes\\, two\\nlines\nPRIORITY:5\nSTATUS:NEEDS-ACTION\nDUE;VALUE=DATE:20260112\nX-APPLE-SORT-ORDER:559033419\nRELATED-TO;RELTYPE=PARENT:9999\n{alarm}"
            ),
            "",
            "Test task; due 2026-01-12; priority medium; notes Notes, two⏎lines",
        ),
        row(
            "tasks.org: a time ends with a second",
            &format!(
                "{stamps}SUMMARY:Rent\nDUE;TZID=America/Chicago:20260112T110001\nX-MOZ-LASTACK:20260101T190429Z\nX-MOZ-SNOOZE-TIME:20260101T191929Z\n{alarm}"
            ),
            CHICAGO,
            "Rent; due 2026-01-12T11:00:01-06:00; in America/Chicago",
        ),
        row(
            "tasks.org: repeats without a start",
            &format!(
                "{stamps}SUMMARY:Pay the rent\nDUE;TZID=Europe/Berlin:20260115T170000\nRRULE:FREQ=MONTHLY\nBEGIN:VALARM\nTRIGGER:-PT15M\nACTION:DISPLAY\nDESCRIPTION:Default Tasks.org description\nEND:VALARM"
            ),
            "",
            "Pay the rent; due 2026-01-15T17:00:00+01:00; rule FREQ=MONTHLY; before PT15M",
        ),
        row(
            "tasks.org: hidden until, then due",
            &format!(
                "{stamps}SUMMARY:Taxes\nDTSTART;VALUE=DATE:20260111\nDUE;TZID=Europe/Berlin:20260115T170000\nBEGIN:VALARM\nTRIGGER;RELATED=END:-P1D\nACTION:DISPLAY\nEND:VALARM"
            ),
            "",
            "Taxes; due 2026-01-15T17:00:00+01:00; before P1D",
        ),
        row(
            "tasks.org: days before a day",
            &format!(
                "{stamps}SUMMARY:Trip\nDUE;VALUE=DATE:20260120\nBEGIN:VALARM\nTRIGGER;RELATED=END:-P1D\nACTION:DISPLAY\nEND:VALARM\nBEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:20260118T090000Z\nACTION:DISPLAY\nEND:VALARM"
            ),
            "",
            "Trip; due 2026-01-20; before P1D; also 2026-01-18T09:00Z",
        ),
        row(
            "tasks.org: reminds again when overdue",
            &format!(
                "{stamps}SUMMARY:Nag\nDUE;TZID=Europe/Berlin:20260112T180000\n{alarm}\nBEGIN:VALARM\nTRIGGER;RELATED=END:PT24H\nACTION:DISPLAY\nREPEAT:6\nDURATION:P1D\nEND:VALARM"
            ),
            "",
            "Nag; due 2026-01-12T18:00:00+01:00",
        ),
        row(
            "DAVx5: overdue for days, daily",
            &format!(
                "{stamps}SUMMARY:Cards\nDTSTART;VALUE=DATE:20260107\nDUE;VALUE=DATE:20260107\nRRULE:FREQ=DAILY;INTERVAL=1"
            ),
            "",
            "Cards; due 2026-01-11; rule FREQ=DAILY;INTERVAL=1; from 2026-01-07; passed 2026-01-10T08:00Z",
        ),
        row(
            "tasks.org: weekly, at most",
            &format!(
                "{stamps}SUMMARY:Bins\nDUE;TZID=Europe/Berlin:20260112T180000\nRRULE:FREQ=WEEKLY;UNTIL=20260301T000000Z;BYDAY=MO"
            ),
            "",
            "Bins; due 2026-01-12T18:00:00+01:00; rule FREQ=WEEKLY;UNTIL=20260301T000000Z;BYDAY=MO",
        ),
    ]
}

fn apple() -> Vec<TaskRow> {
    let stamps = "CREATED:20260101T090000Z\nDTSTAMP:20260101T090000Z\nLAST-MODIFIED:20260101T090000Z\nSEQUENCE:0\nSTATUS:NEEDS-ACTION\n";
    vec![
        row(
            "Reminders: its alarm is its deadline",
            &format!(
                "{stamps}PRIORITY:0\nSUMMARY:Buy milk\nDUE;TZID=Europe/Berlin:20260112T180000\nX-APPLE-SORT-ORDER:731235684\n{APPLE_ALARM}"
            ),
            "",
            "Buy milk; due 2026-01-12T18:00:00+01:00",
        ),
        row(
            "Reminders: start and due are one",
            &format!(
                "{stamps}DTSTART;TZID=America/Chicago:20260112T110000\nDUE;TZID=America/Chicago:20260112T110000\nRRULE:FREQ=DAILY\nSUMMARY:Test daily\n{APPLE_ALARM}"
            ),
            CHICAGO,
            "Test daily; due 2026-01-12T11:00:00-06:00; rule FREQ=DAILY; in America/Chicago",
        ),
        row(
            "Reminders: monthly, a day",
            &format!("{stamps}DTSTART;VALUE=DATE:20260119\nDUE;VALUE=DATE:20260119\nRRULE:FREQ=MONTHLY\nSUMMARY:Miete"),
            "",
            "Miete; due 2026-01-19; rule FREQ=MONTHLY",
        ),
        row(
            "Reminders: at a place",
            &format!(
                "{stamps}SUMMARY:Keys\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z\nX-APPLE-PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION;VALUE=URI:geo:52.5\\,13.4\nEND:VALARM"
            ),
            "",
            "Keys",
        ),
        row(
            "Reminders: done",
            "COMPLETED:20260105T020342Z\nPERCENT-COMPLETE:100\nSTATUS:COMPLETED\nDESCRIPTION:\nSUMMARY:Chop saw",
            "",
            "Chop saw; done ; done at 2026-01-05T02:03Z",
        ),
        row(
            "Reminders: an early reminder of its own",
            &format!("{stamps}SUMMARY:Dentist\nPRIORITY:1\nDUE;TZID=Europe/Berlin:20260113T180000\n{APPLE_ALARM}"),
            "",
            "Dentist; due 2026-01-13T18:00:00+01:00; priority high; also 2026-01-12T17:00Z",
        ),
    ]
}

/// All texts that are tasks.
pub(super) fn texts() -> Vec<String> {
    rows().into_iter().map(|(_, text, _)| text).collect()
}

#[test]
fn tasks_of_other_programs_are_read_as_their_authors_meant_them() {
    let wrong: Vec<String> = rows()
        .into_iter()
        .filter_map(|(name, text, expected)| {
            let found = told(&text);
            (found != expected).then(|| format!("{name}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows().len() >= 45);
}

/// What is known changes nothing: neither what is read again, nor the text.
#[test]
fn each_is_read_again_as_it_was_and_nothing_changes_without_a_change() {
    for (name, text, _) in rows() {
        let Ok(Some(task)) = reads_at(&text, None, NOW) else { continue };
        assert_eq!(reads_at(&text, Some(&task), NOW).unwrap().as_ref(), Some(&task), "{name}");
        assert_eq!(changed_with(&text, (&task, &task), &reader_with(NOW)).unwrap(), text, "{name}");
    }
}

/// A new name is one line, whoever wrote the text; stamps aside.
#[test]
fn a_new_name_is_one_line_in_each() {
    for (name, text, _) in rows() {
        let Ok(Some(before)) = reads_at(&text, None, NOW) else { continue };
        let after = Task { title: "Another; name".to_owned(), ..before.clone() };
        let changed = changed_with(&text, (&before, &after), &reader_with(NOW)).unwrap();
        let is_kept = |line: &&str| {
            !["SUMMARY", "SEQUENCE", "DTSTAMP", "LAST-MODIFIED"].iter().any(|name| line.starts_with(name))
        };
        // Of the task; what stands beside it is compared with all its lines.
        let lines = |text: &str| {
            text.split_inclusive("\r\n").filter(|line| is_kept(line)).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(&changed), lines(&text), "{name}");
        let again = reads_at(&changed, Some(&after), NOW).unwrap().unwrap();
        assert_eq!(again, after, "{name}");
    }
}
