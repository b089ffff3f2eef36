//! What `--demo` puts into the store: Alex Morgan's calendar, tasks, notes and memories.
//!
//! The texts are in `data/demo`; days count from `now`, clock times are local.

use std::path::Path;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::services::calendar::Event;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance::Others;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::instant;
use crate::services::memory::Memory;
use crate::services::notes::Note;
use crate::services::task::Priority;
use crate::services::task::{Task, TaskStatus};
use brain_core::core::ids::{ChatId, UserId};
use brain_core::ports::{Batch, Expect, StoreError};

#[cfg(test)]
mod tests;

/// The demo's files are part of the program, so this is a mistake in them.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// Not the shape that is expected.
    #[error("the demo's {file} cannot be read: {why}")]
    File {
        /// The name of the demo's file.
        file: &'static str,
        /// What was found.
        why: String,
    },
    /// A record cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Deserialize)]
struct DemoEvent {
    summary: String,
    day: i64,
    start: Option<String>,
    end: Option<String>,
    location: Option<String>,
    attendees: Vec<String>,
    notes: Option<String>,
    recurrence: Option<String>,
}

#[derive(Deserialize)]
struct DemoTask {
    title: String,
    description: Option<String>,
    priority: Option<Priority>,
    due: Option<DemoDue>,
    repeat: Option<String>,
    done: bool,
}

#[derive(Deserialize)]
struct DemoDue {
    day: i64,
    time: Option<String>,
}

#[derive(Deserialize)]
struct DemoNote {
    title: String,
    text: Option<String>,
    items: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct DemoMemory {
    category: String,
    key: String,
    value: String,
}

/// For whom and from when.
struct DemoContext<'a> {
    owner: &'a UserId,
    chat: &'a ChatId,
    now: DateTime<Utc>,
    zone: Tz,
}

impl DemoContext<'_> {
    fn day(&self, day: i64) -> NaiveDate {
        let today = self.now.with_timezone(&self.zone).date_naive();
        let days = Days::new(day.unsigned_abs());
        let there = if day < 0 { today.checked_sub_days(days) } else { today.checked_add_days(days) };
        there.unwrap_or(today)
    }

    fn moment(&self, file: &'static str, day: i64, time: Option<&str>) -> Result<Moment, DemoError> {
        let date = self.day(day);
        let Some(time) = time else {
            return Ok(Moment::Day(date));
        };
        let clock = NaiveTime::parse_from_str(time, "%H:%M")
            .map_err(|cause| DemoError::File { file, why: format!("{time}: {cause}") })?;
        Ok(Moment::Instant(instant(self.zone, date.and_time(clock))))
    }

    fn event(&self, number: usize, event: DemoEvent) -> Result<Event, DemoError> {
        let file = "calendar.json";
        let end = event.end.as_deref().map(|end| self.moment(file, event.day, Some(end))).transpose()?;
        let start = self.moment(file, event.day, event.start.as_deref())?;
        Ok(Event {
            end_time: end.map(Moment::store),
            location: event.location,
            attendees: event.attendees,
            notes: event.notes,
            recurrence: event.recurrence,
            created_at: self.now,
            ..Event::new(format!("demoevent{number:02}"), self.owner.clone(), event.summary, start, self.zone)
        })
    }

    fn task(&self, number: usize, task: DemoTask) -> Result<Task, DemoError> {
        let due = task.due.map(|due| self.moment("tasks.json", due.day, due.time.as_deref())).transpose()?;
        let deadline = due.map(Moment::store);
        Ok(Task {
            id: format!("demotask{number:02}"),
            owner: self.owner.clone(),
            chat: self.chat.clone(),
            title: task.title,
            description: task.description,
            priority: task.priority,
            anchor: task.repeat.as_ref().and(deadline.clone()),
            deadline,
            zone: self.zone,
            repeat: task.repeat,
            status: if task.done { TaskStatus::Done } else { TaskStatus::Open },
            created_at: self.now,
            done_at: task.done.then_some(self.now),
            reminded_at: None,
            before: Vec::new(),
            also: Vec::new(),
            snoozed: None,
            hour: None,
            others: Others::default(),
            origin: None,
        })
    }
}

/// The demo's calendar, tasks (with their reminders), notes and memories, as one batch for an empty store.
pub fn fill(owner: &UserId, chat: &ChatId, now: DateTime<Utc>, zone: Tz) -> Result<Batch, DemoError> {
    let stage = DemoContext { owner, chat, now, zone };
    let mut batch = Batch::default();
    let events = read::<DemoEvent>("calendar.json", include_str!("../../../../../data/demo/calendar.json"))?;
    for (number, event) in events.into_iter().enumerate() {
        batch.put(&stage.event(number, event)?, Expect::Absent)?;
    }
    let tasks = read::<DemoTask>("tasks.json", include_str!("../../../../../data/demo/tasks.json"))?;
    for (number, task) in tasks.into_iter().enumerate() {
        let task = stage.task(number, task)?;
        batch.put(&task, Expect::Absent)?;
        for due in task.new_dues(None, now).into_iter().filter(|due| due.at > now) {
            batch.put(&due, Expect::Absent)?;
        }
    }
    let notes = read::<DemoNote>("notes.json", include_str!("../../../../../data/demo/notes.json"))?;
    for (number, note) in notes.into_iter().enumerate() {
        let note = Note {
            id: format!("demonote{number:02}"),
            owner: owner.clone(),
            title: note.title,
            text: note.text,
            items: note.items.unwrap_or_default(),
            others: Others::default(),
            created_at: now,
            updated_at: now,
        };
        batch.put(&note, Expect::Absent)?;
    }
    let memories = read::<DemoMemory>("memories.json", include_str!("../../../../../data/demo/memories.json"))?;
    for (number, memory) in memories.into_iter().enumerate() {
        let memory = Memory {
            id: format!("demomemory{number:02}"),
            owner: owner.clone(),
            category: memory.category,
            key: memory.key,
            value: memory.value,
            former: Vec::new(),
            source: "the demo".to_owned(),
            others: Others::default(),
            at: now,
        };
        batch.put(&memory, Expect::Absent)?;
    }
    Ok(batch)
}

fn read<T: DeserializeOwned>(file: &'static str, text: &str) -> Result<Vec<T>, DemoError> {
    serde_json::from_str(text).map_err(|cause| DemoError::File { file, why: cause.to_string() })
}

/// The demo's mail and address book, as files in the data folder.
pub fn fill_files(data_dir: &Path, owner: &UserId, now: DateTime<Utc>, zone: Tz) -> Result<usize, ServiceError> {
    crate::services::email::demo::fill(data_dir, owner, now, zone)
}
