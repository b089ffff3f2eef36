//! A new task as a resource.

use super::alarms::{self, AlarmBase};
use super::changed::left_of;
use super::preserved::count;
use crate::services::helpers::components::{WrittenTimes, clocks, stamp};
use crate::services::remote::dav::DavReader;
use crate::services::task::record::{Priority, Task, TaskStatus};
use brain_wire::ical::{folded, text_value};

const BREAK: &str = "\r\n";

/// The text of a new resource. A series begins at its next time: what it counted from stays here.
pub(super) fn made(task: &Task, uid: &str, reader: &DavReader<'_>) -> String {
    let due = task.due_moment();
    let mut times = WrittenTimes::new(None, task.zone, task.zone);
    let written = due.map(|due| times.time(due, None));
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Brain Agent//EN".to_owned(),
        "CALSCALE:GREGORIAN".to_owned(),
        "BEGIN:VTODO".to_owned(),
        format!("UID:{}", text_value(uid)),
        format!("DTSTAMP:{}", stamp(reader.now)),
        format!("CREATED:{}", stamp(task.created_at)),
        format!("LAST-MODIFIED:{}", stamp(reader.now)),
        format!("SUMMARY:{}", text_value(&task.title)),
    ];
    lines.extend(task.description.as_ref().map(|words| format!("DESCRIPTION:{}", text_value(words))));
    lines.extend(task.priority.map(|priority| format!("PRIORITY:{}", number(priority))));
    if let (Some(rule), Some(due), Some(time)) = (&task.repeat, due, &written) {
        lines.push(time.line("DTSTART"));
        let left = count(rule).map(|_| left_of(task, due));
        lines.push(format!("RRULE:{}", with_count(rule, left)));
    }
    lines.extend(written.as_ref().map(|time| time.line("DUE")));
    match (task.status, task.done_at) {
        (TaskStatus::Open, _) => lines.push("STATUS:NEEDS-ACTION".to_owned()),
        (TaskStatus::Done, done_at) => {
            lines.extend(["STATUS:COMPLETED".to_owned(), "PERCENT-COMPLETE:100".to_owned()]);
            lines.extend(done_at.map(|at| format!("COMPLETED:{}", stamp(at))));
        }
    }
    let mut text: String = lines.iter().map(|line| folded(line, BREAK)).collect();
    let base = due.map(|due| AlarmBase::new(due, task.zone, task.hour));
    text.push_str(&alarms::made(task, base, |line| folded(line, BREAK)));
    text.extend(["END:VTODO", "END:VCALENDAR"].map(|line| folded(line, BREAK)));
    if let (Some(due), true, Some(at)) = (due, times.names_zone, text.find("BEGIN:VTODO")) {
        text.insert_str(at, &clocks(task.zone, due.start(task.zone).to_utc()));
    }
    text
}

/// As it is written where there was none of its kind.
pub(super) fn number(priority: Priority) -> u8 {
    match priority {
        Priority::High => 1,
        Priority::Medium => 5,
        Priority::Low => 9,
    }
}

/// The rule with another COUNT, in its place.
pub(super) fn with_count(rule: &str, left: Option<usize>) -> String {
    let Some(left) = left else { return rule.to_owned() };
    let is_count = |part: &str| part.split('=').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("COUNT"));
    let part = |part: &str| if is_count(part) { format!("COUNT={left}") } else { part.to_owned() };
    rule.split(';').map(part).collect::<Vec<_>>().join(";")
}
