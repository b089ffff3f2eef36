//! A contact as the resource of an address book says it (vCard 2.1, 3.0 and 4.0; RFC 2426, RFC 6350): from the text to
//! the record, and from a changed record to the changed text.
//!
//! What a line says is read by the one reader of cards ([`super::vcard`]), line by line, so that it is known which line
//! says what. Writing changes those lines and no others: photos, birthdays, labels and everything of other programs stay
//! byte by byte, and a card that does not change is the same text.
//!
//! A card that is a group of people (KIND, or Apple's `X-ADDRESSBOOKSERVER-KIND`) is not shown, and its members do not get
//! its name: a resource is read on its own, and the record could not say where such a group is to be written. Groups are
//! CATEGORIES, in small letters. Not here: where a resource comes from.

mod card;
mod changed;
mod encoded;
mod names;
mod new;
mod preferred;
#[cfg(test)]
mod properties;
mod read;
#[cfg(test)]
mod real_cards;
#[cfg(test)]
mod tests;

use super::record::Contact;
use crate::services::remote::dav::{DavReader, DavRecord, ResourceName};
use brain_wire::dav::DavKind;

impl DavRecord for Contact {
    const KIND: DavKind = DavKind::Contacts;
    const SUFFIX: &'static str = ".vcf";

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
        new::made(self, uid, reader.now)
    }

    fn written(
        text: &str,
        change: (&Self, &Self),
        uid: Option<&str>,
        reader: &DavReader<'_>,
    ) -> Result<String, String> {
        changed::written(text, change, uid, reader.now).map_err(|error| error.to_string())
    }
}
