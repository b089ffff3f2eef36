//! An event as the resource of a calendar says it (RFC 5545): from the text to the record, and from a changed record to
//! the changed text.
//!
//! One resource is one event with all its exceptions, under one UID. Reading keeps what the record has a place for;
//! writing changes those lines and no others, so that alarms, categories and everything of other programs stay.
//! Not here: where a resource comes from.

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

use super::record::Event;
use crate::dav::DavKind;
use crate::services::dav::{DavReader, DavRecord, ResourceName};

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
