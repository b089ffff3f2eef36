//! A task as the resource of a task list says it (RFC 5545, VTODO): from the text to the record, and from a changed
//! record to the changed text.
//!
//! One resource is one task under one UID. Reading keeps what the record has a place for; writing changes those lines
//! and no others, so that categories, subtasks and everything of other programs stay. What a resource has no place for
//! (until when a reminder is put off, the hour at which a day reminds, what has reminded) stays in the record.
//! Not here: where a resource comes from.

mod alarms;
mod changed;
#[cfg(test)]
mod desktop_texts;
#[cfg(test)]
mod generated;
mod new;
mod preserved;
mod read;
#[cfg(test)]
mod real_texts;
#[cfg(test)]
mod series_tests;
#[cfg(test)]
mod tests;
mod when;

use super::record::Task;
use crate::services::remote::dav::{DavReader, DavRecord, ResourceName};
use brain_wire::dav::DavKind;

impl DavRecord for Task {
    const KIND: DavKind = DavKind::Tasks;
    const SUFFIX: &'static str = ".ics";

    fn id(&self) -> &str {
        &self.id
    }

    fn read(
        text: &str,
        name: ResourceName,
        held: Option<&Self>,
        reader: &DavReader<'_>,
    ) -> Result<Option<Self>, String> {
        read::read(text, name, held, reader).map_err(|error| error.to_string())
    }

    fn made(&self, uid: &str, reader: &DavReader<'_>) -> String {
        new::made(self, uid, reader)
    }

    fn written(
        text: &str,
        change: (&Self, &Self),
        uid: Option<&str>,
        reader: &DavReader<'_>,
    ) -> Result<String, String> {
        changed::written(text, change, uid, reader).map_err(|error| error.to_string())
    }
}

/// What of a change stays here, for the receipt: a task list has no place for it.
pub(super) fn kept_here(before: &Task, after: &Task) -> Option<&'static str> {
    let is_put_off = after.origin.is_some() && after.snoozed.is_some() && after.snoozed != before.snoozed;
    is_put_off.then_some("The new time stays with me: a task list has no place for one that is put off.")
}
