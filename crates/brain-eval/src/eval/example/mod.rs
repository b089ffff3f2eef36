//! A made-up person's things in plain fields, for measuring: put into the services' own records, and read back.
//!
//! ```text
//! {"task": [{"title", "description", "priority", "deadline", "repeat", "done"}],
//!  "calendar": [{"summary", "start", "end", "location", "description", "attendees", "repeat"}],
//!  "keep": [{"title", "text", "items"}], "memory": [{"category", "key", "value"}],
//!  "contacts": [{"name", "email", "phone"}],
//!  "email": [{"from", "to", "subject", "body", "date", "folder", "unread"}]}
//! ```
//! All but the first field may be left out. Times are local: `2026-03-14T09:00`, or `2026-03-14` for a day; the end
//! of whole days is the last of them. Deliberately not here: language, and anything that a service decides.

mod inventory;
mod mails;
#[cfg(test)]
mod tests;

use std::path::Path;

use chrono::{DateTime, Days, Duration, NaiveDate, NaiveDateTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use inventory::{Fields, Inventory, InventoryError, LAST_DONE, fields_of, inventory};

pub use mails::outgoing;
use mails::{GivenMail, MailFile};

use brain_core::core::ids::{ChatId, UserId};
use brain_core::ports::{Batch, Expect, StoreError};
use brain_language::language::time::local_instant;
use brain_services::services::calendar::Event;
use brain_services::services::contacts::Contact;
use brain_services::services::contract::provenance::Others;
use brain_services::services::contract::show::Moment;
use brain_services::services::memory::Memory;
use brain_services::services::notes::Note;
use brain_services::services::task::{Priority, Task, TaskStatus};

/// The address of the person whose things they are.
pub const EXAMPLE_ADDRESS: &str = "me@example.com";

/// Whose things they are, when and where.
#[derive(Debug, Clone)]
pub struct Whereabouts {
    /// The person whose data they are.
    pub owner: UserId,
    /// Where tasks remind.
    pub chat: ChatId,
    /// When all of it is already there.
    pub now: DateTime<Utc>,
    /// Where local times are meant.
    pub zone: Tz,
}

/// The things as they are given.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Belongings {
    task: Vec<GivenTask>,
    calendar: Vec<GivenEvent>,
    keep: Vec<GivenNote>,
    memory: Vec<GivenMemory>,
    contacts: Vec<GivenContact>,
    email: Vec<GivenMail>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenTask {
    title: String,
    description: Option<String>,
    priority: Option<Priority>,
    deadline: Option<String>,
    repeat: Option<String>,
    #[serde(default)]
    done: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenEvent {
    summary: String,
    start: String,
    end: Option<String>,
    location: Option<String>,
    description: Option<String>,
    #[serde(default)]
    attendees: Vec<String>,
    repeat: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenNote {
    title: String,
    text: Option<String>,
    #[serde(default)]
    items: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenMemory {
    #[serde(default)]
    category: String,
    key: String,
    value: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenContact {
    name: String,
    email: Option<String>,
    phone: Option<String>,
}

/// The things as records and files.
#[derive(Debug, Clone)]
pub struct Furnishing {
    /// For an empty store.
    pub batch: Batch,
    mails: Vec<MailFile>,
}

impl Furnishing {
    /// Puts what lies in files into a data folder.
    pub fn put_files(&self, data: &Path, owner: &UserId) -> std::io::Result<()> {
        self.mails.iter().try_for_each(|mail| mail.put(data, owner))
    }
}

impl Whereabouts {
    /// A local time.
    fn moment(&self, text: &str) -> Result<Moment, String> {
        if let Ok(day) = text.parse::<NaiveDate>() {
            return Ok(Moment::Day(day));
        }
        match NaiveDateTime::parse_from_str(text, LOCAL_MINUTE) {
            Ok(local) => Ok(Moment::Instant(local_instant(self.zone, local).earliest())),
            Err(_) => Err(format!("“{text}” is no local time such as 2026-03-14T09:00 or 2026-03-14")),
        }
    }

    fn stored(&self, text: Option<&str>) -> Result<Option<String>, String> {
        Ok(text.map(|text| self.moment(text)).transpose()?.map(Moment::store))
    }

    /// When the thing was made behind which there are so many more.
    fn before(&self, more: usize) -> DateTime<Utc> {
        self.now - Duration::days(1) - Duration::minutes(more as i64)
    }
}

const LOCAL_MINUTE: &str = "%Y-%m-%dT%H:%M";

/// A time as it is given and compared: local, to the minute.
fn local(moment: Moment) -> String {
    match moment {
        Moment::Instant(at) => at.format(LOCAL_MINUTE).to_string(),
        Moment::Day(day) => day.to_string(),
    }
}

/// The fields that are there.
fn object(fields: Value) -> Map<String, Value> {
    let Value::Object(mut fields) = fields else { return Map::new() };
    fields.retain(|_, value| !value.is_null());
    fields
}

impl Belongings {
    /// As records and files; what cannot be read is said.
    pub fn furnish(&self, place: &Whereabouts) -> Result<Furnishing, String> {
        let mut batch = Batch::default();
        for (at, given) in self.task.iter().enumerate() {
            let task = given.record(place, at, place.before(self.task.len() - at))?;
            written(batch.put(&task, Expect::Absent))?;
            for due in task.new_dues(None, place.now).into_iter().filter(|due| due.at > place.now) {
                written(batch.put(&due, Expect::Absent))?;
            }
        }
        for (at, given) in self.calendar.iter().enumerate() {
            written(batch.put(&given.record(place, at, place.before(self.calendar.len() - at))?, Expect::Absent))?;
        }
        for (at, given) in self.keep.iter().enumerate() {
            written(batch.put(&given.record(place, at, place.before(self.keep.len() - at)), Expect::Absent))?;
        }
        for (at, given) in self.memory.iter().enumerate() {
            written(batch.put(&given.record(place, at, place.before(self.memory.len() - at)), Expect::Absent))?;
        }
        for (at, given) in self.contacts.iter().enumerate() {
            written(batch.put(&given.record(place, at), Expect::Absent))?;
        }
        Ok(Furnishing { batch, mails: mails::files(place, &self.email)? })
    }
}

fn written(put: Result<&mut Batch, StoreError>) -> Result<(), String> {
    put.map(|_| ()).map_err(|cause| cause.to_string())
}

fn id(kind: &str, at: usize) -> String {
    format!("{kind}{at:02}")
}

impl GivenTask {
    fn record(&self, place: &Whereabouts, at: usize, made: DateTime<Utc>) -> Result<Task, String> {
        let deadline = place.stored(self.deadline.as_deref())?;
        Ok(Task {
            id: id("giventask", at),
            owner: place.owner.clone(),
            chat: place.chat.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            priority: self.priority,
            anchor: self.repeat.as_ref().and(deadline.clone()),
            deadline,
            zone: place.zone,
            repeat: self.repeat.clone(),
            status: if self.done { TaskStatus::Done } else { TaskStatus::Open },
            created_at: made,
            done_at: self.done.then_some(made),
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

impl GivenEvent {
    fn record(&self, place: &Whereabouts, at: usize, made: DateTime<Utc>) -> Result<Event, String> {
        let end = self.end.as_deref().map(|end| place.moment(end)).transpose()?;
        // Stored ends are exclusive.
        let end = end.map(|end| match end {
            Moment::Day(day) => Moment::Day(day + Days::new(1)),
            Moment::Instant(_) => end,
        });
        let start = place.moment(&self.start)?;
        Ok(Event {
            end_time: end.map(Moment::store),
            location: self.location.clone(),
            attendees: self.attendees.clone(),
            notes: self.description.clone(),
            recurrence: self.repeat.clone(),
            created_at: made,
            ..Event::new(id("givenevent", at), place.owner.clone(), &self.summary, start, place.zone)
        })
    }
}

impl GivenNote {
    fn record(&self, place: &Whereabouts, at: usize, made: DateTime<Utc>) -> Note {
        Note {
            id: id("givennote", at),
            owner: place.owner.clone(),
            title: self.title.clone(),
            text: self.text.clone(),
            items: self.items.clone(),
            others: Others::default(),
            created_at: made,
            updated_at: made,
        }
    }
}

impl GivenMemory {
    fn record(&self, place: &Whereabouts, at: usize, made: DateTime<Utc>) -> Memory {
        Memory {
            id: id("givenmemory", at),
            owner: place.owner.clone(),
            category: self.category.clone(),
            key: self.key.clone(),
            value: self.value.clone(),
            source: "told by you".to_owned(),
            former: Vec::new(),
            others: Others::default(),
            at: made,
        }
    }
}

impl GivenContact {
    fn record(&self, place: &Whereabouts, at: usize) -> Contact {
        Contact {
            emails: self.email.iter().cloned().collect(),
            phones: self.phone.iter().cloned().collect(),
            ..Contact::called(&place.owner, &id("givencontact", at), &self.name)
        }
    }
}
