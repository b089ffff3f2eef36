//! From the text of a resource to the task.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use chrono::{DateTime, Utc};

use super::alarms::{AlarmBase, alarms, reminders};
use super::preserved::settle;
use super::when::{TodoTimes, is_done, is_status};
use crate::services::contract::provenance::Others;
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{Component, ParsedResource, UnreadableResource, moment, organizer};
use crate::services::remote::dav::{DavReader, ResourceName};
use crate::services::task::record::{Priority, Task, TaskStatus};
use brain_core::limits::TITLE_CHARS_MAX;
use brain_wire::ical::{Malformed, Zones};

/// Why a resource is not shown as a task, or not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnreadableTask {
    /// Its text.
    #[error("{0}")]
    Malformed(Malformed),
    /// It holds something else.
    #[error("there is no task in it")]
    NoTask,
    /// More exceptions than are followed.
    #[error("more of it are on their own than I can follow")]
    TooMany,
    /// One time of it cannot be told from the next.
    #[error("it repeats in a way that I can't follow")]
    Unfollowed,
}

impl From<UnreadableResource> for UnreadableTask {
    fn from(why: UnreadableResource) -> Self {
        match why {
            UnreadableResource::Malformed(why) => Self::Malformed(why),
            UnreadableResource::Nothing => Self::NoTask,
        }
    }
}

/// The task of a resource; `None`: it was cancelled, or there is none. What of `held` the text has no place for stays.
pub(super) fn read(
    text: &str,
    name: ResourceName,
    held: Option<&Task>,
    reader: &DavReader<'_>,
) -> Result<Option<Task>, UnreadableTask> {
    let parsed = ParsedResource::of(text)?;
    if !parsed.holds(&ICalendarComponentType::VTodo) {
        return Ok(None);
    }
    let components = parsed.components(&ICalendarComponentType::VTodo)?;
    let Some((main, overrides)) = components.split_first() else { return Err(UnreadableTask::NoTask) };
    if is_status(main, "CANCELLED") {
        return Ok(None);
    }
    let zones = Zones::new(&parsed.calendar, reader.zone);
    let times = TodoTimes::of((main, overrides), &zones, reader.zone)?;
    let instant_of = |name| main.time(&name).map(|time| moment(&time, &zones, reader.zone).start(times.zone).to_utc());
    let next = if times.repeats() { times.open_from(None).map(|(_, due)| due) } else { times.at };
    let is_done = is_done(main) || (times.repeats() && next.is_none());
    let modified = instant_of(ICalendarProperty::LastModified);
    let overridden = times.overrides.iter().filter(|one| one.is_done).filter_map(|one| one.done_at).max();
    let done_at = match (is_done, times.repeats()) {
        (true, _) => instant_of(ICalendarProperty::Completed).or(overridden),
        (false, true) => overridden,
        (false, false) => None,
    };
    let hour = held.and_then(|held| held.hour);
    let base = times.at.map(|at| AlarmBase::new(at, times.zone, hour));
    let (before, also) = reminders(&alarms(&parsed, main, &times, base), base, held, reader.now);
    let mut task = Task {
        id: name.id,
        owner: reader.owner.clone(),
        chat: held.map_or(reader.chat, |held| &held.chat).clone(),
        title: title(main),
        description: main.text(&ICalendarProperty::Description).map(str::to_owned),
        priority: priority(main),
        deadline: next.or(times.at).map(Moment::store),
        zone: times.zone,
        repeat: times.rule.clone(),
        anchor: times.rule.as_ref().and(times.at).map(Moment::store),
        status: if is_done { TaskStatus::Done } else { TaskStatus::Open },
        created_at: held.map(|held| held.created_at).or(instant_of(ICalendarProperty::Created)).unwrap_or(reader.now),
        done_at,
        reminded_at: None,
        before,
        also,
        snoozed: None,
        hour,
        others: Others::default(),
        origin: Some(name.origin),
    };
    settle(&mut task, &times, held, modified.unwrap_or(reader.now), reader.now);
    mark(&mut task, main, held, reader);
    Ok(Some(task))
}

fn title(one: &Component<'_>) -> String {
    let title = one.text(&ICalendarProperty::Summary).unwrap_or("(no title)");
    // What commands take as one, too: one line.
    let words = title.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|c| !c.is_control()).take(TITLE_CHARS_MAX).collect()
}

fn priority(one: &Component<'_>) -> Option<Priority> {
    priority_of(one.block.line("PRIORITY")?.value())
}

/// 1 is the highest of nine (RFC 5545, 3.8.1.9).
pub(super) fn priority_of(value: &str) -> Option<Priority> {
    match value.trim().parse().ok()? {
        1..=4 => Some(Priority::High),
        5 => Some(Priority::Medium),
        6..=9 => Some(Priority::Low),
        0_u32 | 10.. => None,
    }
}

/// What of a task are words of somebody else. A description is nobody's for sure.
fn mark(task: &mut Task, main: &Component<'_>, held: Option<&Task>, reader: &DavReader<'_>) {
    let organizer = organizer(main, reader.own).map(|from| format!("a task from {from}"));
    let source = organizer.or_else(|| reader.is_shared.then(|| "a task list that others write into, too".to_owned()));
    let described = source.clone().unwrap_or_else(|| "the description of a task".to_owned());
    let (title, description) = (task.title.clone(), task.description.clone().unwrap_or_default());
    task.others.write("title", &title, source);
    task.others.write("description", &description, Some(described));
    // Whose words it holds is known here alone.
    let Some(held) = held else { return };
    if held.title == task.title {
        task.others.same_as("title", &held.others);
    }
    if held.description == task.description {
        task.others.same_as("description", &held.others);
    }
}

/// Of two instants that differ by less than calendars can say, the one that was known.
pub(super) fn as_known(read: DateTime<Utc>, known: Option<DateTime<Utc>>) -> DateTime<Utc> {
    known.filter(|known| known.timestamp() == read.timestamp()).unwrap_or(read)
}
