//! An event as the resource of a calendar says it (RFC 5545): from the text to the record, and from a changed record to
//! the changed text.
//!
//! One resource is one event with all its exceptions, under one UID. Reading keeps what the record has a place for;
//! writing changes those lines and no others, so that alarms, categories and everything of other programs stay.
//! Not here: where a resource comes from.

mod alarms;
#[cfg(test)]
mod alarms_tests;
#[cfg(test)]
mod broken;
mod changed;
mod new;
#[cfg(test)]
mod oddities;
#[cfg(test)]
mod oracle;
mod read;
#[cfg(test)]
mod tests;

pub(super) use read::{mark, read_of};

use super::record::Event;
use crate::services::remote::dav::{DavReader, DavRecord, ResourceName, uid_of};
use brain_wire::dav::DavKind;

/// An event as a text of its own, its exceptions too; `None`: it cannot be written.
pub(super) fn text(event: &Event, reader: &DavReader<'_>) -> Option<String> {
    let series = Event { exceptions: Vec::new(), ..event.clone() };
    let text = new::made(&series, &uid_of(&event.id), reader);
    changed::written(&text, (&series, event), None, reader).ok()
}

impl DavRecord for Event {
    const KIND: DavKind = DavKind::Events;
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
        let event = read::read(text, name, reader).map_err(|error| error.to_string())?;
        Ok(event.map(|event| match held {
            Some(held) => event.known_as(held),
            None => event,
        }))
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
