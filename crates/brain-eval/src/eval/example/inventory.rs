//! Reading back what a person has.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::Days;
use chrono_tz::Tz;
use serde_json::{Map, Value, json};

use super::{Whereabouts, local, mails, object};
use brain_core::ports::{Record, RecordExt, Store, StoreError};
use brain_services::services::calendar::{self, Event};
use brain_services::services::contacts::{self, Contact};
use brain_services::services::contract::show::Moment;
use brain_services::services::email;
use brain_services::services::memory::{self, Memory};
use brain_services::services::notes::{self, Note};
use brain_services::services::task::{self, Task, TaskStatus};

/// A thing in plain fields; those it has not are left out. One field with several values is a list.
pub type Fields = Map<String, Value>;

/// A person's things: service, id, fields.
pub type Inventory = BTreeMap<&'static str, BTreeMap<String, Fields>>;

/// The last time a repeating task was done; changes when one time of it is.
pub const LAST_DONE: &str = "last_done";

/// Why the things cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// A record of the example cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A mail of the example cannot be read.
    #[error("the mailbox cannot be read")]
    Files(#[from] std::io::Error),
}

/// Everything the person has now.
pub async fn inventory(store: &dyn Store, data: &Path, place: &Whereabouts) -> Result<Inventory, InventoryError> {
    let mut things = Inventory::new();
    let mail = mails::read_all(data, &place.owner, place.zone)?;
    things.insert(email::NAME, mail.into_iter().collect());
    things.insert(task::NAME, all(store, place, |t: &Task| (t.id.clone(), of_task(t))).await?);
    things.insert(calendar::NAME, all(store, place, |e: &Event| (e.id.clone(), of_event(e))).await?);
    things.insert(notes::NAME, all(store, place, |n: &Note| (n.id.clone(), of_note(n))).await?);
    things.insert(memory::NAME, all(store, place, |m: &Memory| (m.id.clone(), of_memory(m))).await?);
    things.insert(contacts::NAME, all(store, place, |c: &Contact| (c.id.clone(), of_contact(c))).await?);
    Ok(things)
}

async fn all<R: Record>(
    store: &dyn Store,
    place: &Whereabouts,
    fields: impl Fn(&R) -> (String, Fields),
) -> Result<BTreeMap<String, Fields>, StoreError> {
    let records = store.list_all::<R>(&[place.owner.as_str()]).await?;
    Ok(records.iter().map(fields).collect())
}

fn shown(text: Option<&str>, zone: Tz) -> Option<String> {
    text.map(|text| Moment::read(text, zone).map_or_else(|| text.to_owned(), local))
}

fn of_task(task: &Task) -> Fields {
    object(json!({
        "title": task.title,
        "description": task.description,
        "priority": task.priority,
        "deadline": shown(task.deadline.as_deref(), task.zone),
        "repeat": task.repeat,
        "done": task.status == TaskStatus::Done,
        LAST_DONE: task.done_at,
    }))
}

fn of_event(event: &Event) -> Fields {
    let start = Moment::read(&event.start_time, event.zone);
    let end = event.end_time.as_deref().and_then(|end| Moment::read(end, event.zone));
    // The end of whole days is said in two ways; one day has none.
    let end = match (start, end) {
        (Some(Moment::Day(start)), Some(Moment::Day(end))) => {
            let last = end - Days::new(1);
            (last > start).then(|| json!([last.to_string(), end.to_string()]))
        }
        (_, end) => end.map(|end| Value::from(local(end))),
    };
    object(json!({
        "summary": event.summary,
        "start": shown(Some(&event.start_time), event.zone),
        "end": end,
        "location": event.location,
        "description": event.notes,
        "attendees": event.attendees,
        "repeat": event.recurrence,
    }))
}

fn of_note(note: &Note) -> Fields {
    object(json!({"title": note.title, "text": note.text, "items": note.items}))
}

fn of_memory(memory: &Memory) -> Fields {
    object(json!({"category": memory.category, "key": memory.key, "value": memory.value}))
}

fn of_contact(contact: &Contact) -> Fields {
    let several = |values: &[String]| match values {
        [] => Value::Null,
        [only] => json!(only),
        several => json!(several),
    };
    object(json!({"name": contact.name, "email": several(&contact.emails), "phone": several(&contact.phones)}))
}

/// The fields of a service's things, the one that names them first; `None`: there is no such service.
pub fn fields_of(service: &str) -> Option<&'static [&'static str]> {
    let of: [(&str, &'static [&'static str]); 6] = [
        (task::NAME, &["title", "description", "priority", "deadline", "repeat", "done"]),
        (calendar::NAME, &["summary", "start", "end", "location", "description", "attendees", "repeat"]),
        (notes::NAME, &["title", "text", "items"]),
        (memory::NAME, &["key", "category", "value"]),
        (contacts::NAME, &["name", "email", "phone"]),
        (email::NAME, &["subject", "from", "to", "body", "date", "folder", "unread"]),
    ];
    of.into_iter().find(|(name, _)| *name == service).map(|(_, fields)| fields)
}
