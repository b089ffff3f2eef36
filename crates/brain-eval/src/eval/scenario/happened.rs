//! State diff: what changed between two looks at a person's data.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::row::{ChangeKind, ExpectedChange};
use crate::eval::example::{Fields, Inventory, LAST_DONE};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Happened {
    /// Empty for what was sent.
    pub(super) service: String,
    pub(super) kind: FieldChange,
    /// It follows from something else that happened: nobody need expect it.
    pub(super) is_by_the_way: bool,
}

/// What became of the item, with its fields.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldChange {
    Added(Fields),
    Changed { before: Fields, after: Fields },
    Removed(Fields),
    Sent(Fields),
}

impl Happened {
    fn new(service: &str, kind: FieldChange) -> Self {
        Self { service: service.to_owned(), kind, is_by_the_way: false }
    }
}

/// From the things before to the things after. Whatever is there as it was has not happened.
pub(super) fn between(before: &Inventory, after: &Inventory) -> Vec<Happened> {
    let mut happened = Vec::new();
    let none = BTreeMap::new();
    for (service, now) in after {
        let then = before.get(service).unwrap_or(&none);
        let mut removed: Vec<&Fields> =
            then.iter().filter(|(id, _)| !now.contains_key(*id)).map(|(_, fields)| fields).collect();
        for (id, fields) in now {
            match then.get(id) {
                Some(old) if old == fields => {}
                Some(old) => {
                    happened.push(Happened::new(
                        service,
                        FieldChange::Changed { before: old.clone(), after: with_turn_done(old, fields) },
                    ));
                }
                None => match removed.iter().position(|old| *old == fields) {
                    // Taken away and made anew.
                    Some(same) => drop(removed.swap_remove(same)),
                    None if lies_in(fields, "sent") => {
                        happened.push(Happened::new("", FieldChange::Sent(fields.clone())))
                    }
                    None => happened.push(Happened::new(service, FieldChange::Added(fields.clone()))),
                },
            }
        }
        happened.extend(removed.into_iter().map(|old| Happened::new(service, FieldChange::Removed(old.clone()))));
    }
    let sent: Vec<Fields> = happened.iter().filter_map(Happened::sent).cloned().collect();
    for change in &mut happened {
        // A draft that goes out is a draft no more.
        if let FieldChange::Removed(fields) = &change.kind {
            let went = |mail: &Fields| mail.get("subject") == fields.get("subject");
            change.is_by_the_way = lies_in(fields, "drafts") && sent.iter().any(went);
        }
    }
    happened
}

fn lies_in(fields: &Fields, folder: &str) -> bool {
    fields.get("folder").is_some_and(|lies| lies == folder)
}

/// A time of a repeating task that was done: it is to do again, and done all the same.
fn with_turn_done(before: &Fields, after: &Fields) -> Fields {
    let mut after = after.clone();
    let was_done = after.get(LAST_DONE).is_some_and(|last| before.get(LAST_DONE) != Some(last));
    if was_done && after.contains_key("repeat") {
        after.insert("done".to_owned(), Value::Bool(true));
    }
    after
}

impl Happened {
    fn sent(&self) -> Option<&Fields> {
        match &self.kind {
            FieldChange::Sent(fields) => Some(fields),
            FieldChange::Added(_) | FieldChange::Changed { .. } | FieldChange::Removed(_) => None,
        }
    }
}

/// The fields that differ.
pub(super) fn changed_fields<'a>(before: &'a Fields, after: &'a Fields) -> impl Iterator<Item = &'a str> {
    let gone = before.keys().filter(|field| !after.contains_key(*field));
    let other = after.iter().filter(|(field, value)| before.get(*field) != Some(value)).map(|(field, _)| field);
    gone.chain(other).map(String::as_str).filter(|field| *field != LAST_DONE)
}

impl fmt::Display for Happened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |fields: &Fields| {
            let mut fields = fields.clone();
            fields.remove(LAST_DONE);
            Value::Object(fields)
        };
        match &self.kind {
            FieldChange::Added(fields) => write!(f, "{} added {}", self.service, plain(fields)),
            FieldChange::Removed(fields) => write!(f, "{} removed {}", self.service, plain(fields)),
            FieldChange::Sent(fields) => {
                let of = |field: &str| fields.get(field).cloned().unwrap_or_default();
                write!(f, "sent {}", json!({"to": of("to"), "subject": of("subject"), "body": of("body")}))
            }
            FieldChange::Changed { before, after } => {
                let mut told: Fields = changed_fields(before, after)
                    .map(|field| (field.to_owned(), after.get(field).cloned().unwrap_or_default()))
                    .collect();
                let names = ["title", "summary", "key", "name", "subject"];
                for (field, value) in before.iter().filter(|(field, _)| names.contains(&field.as_str())) {
                    told.entry(field.clone()).or_insert_with(|| value.clone());
                }
                write!(f, "{} changed {}", self.service, Value::Object(told))
            }
        }
    }
}

impl fmt::Display for ExpectedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = Value::Object(self.item.clone());
        match self.kind {
            ChangeKind::Sent => write!(f, "sent {item}"),
            ChangeKind::Added => write!(f, "{} added {item}", self.service),
            ChangeKind::Changed => write!(f, "{} changed {item}", self.service),
            ChangeKind::Removed => write!(f, "{} removed {item}", self.service),
        }
    }
}
