//! What a service says of the resources that hold its records.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::services::remote::backend::{RecordOrigin, Replicated};
use brain_core::core::ids::{ChatId, UserId};
use brain_wire::dav::DavKind;

/// Whose resources are read and written, and when.
#[derive(Debug, Clone, Copy)]
pub struct DavReader<'r> {
    /// The person.
    pub owner: &'r UserId,
    /// Where they are reminded of what was made elsewhere.
    pub chat: &'r ChatId,
    /// Their zone, for times without one.
    pub zone: Tz,
    /// Their own addresses in that account, in small letters; the first is the one that they write as.
    pub own: &'r [String],
    /// Whether others write into that collection, too.
    pub is_shared: bool,
    /// The moment of it.
    pub now: DateTime<Utc>,
}

/// Under which name a resource is kept here.
#[derive(Debug, Clone)]
pub struct ResourceName {
    /// The record's id.
    pub id: String,
    /// Where it comes from.
    pub origin: RecordOrigin,
}

/// A record that is one resource of a collection.
pub trait DavRecord: Replicated {
    /// What collections hold it.
    const KIND: DavKind;
    /// What a name of a resource ends with.
    const SUFFIX: &'static str;

    /// The record's id.
    fn id(&self) -> &str;

    /// The record that a text holds; `None`: nothing that is shown. The error is why it cannot be read.
    ///
    /// `held` is the record as the replica has it: what only we keep of it stays.
    fn read(
        text: &str,
        name: ResourceName,
        held: Option<&Self>,
        reader: &DavReader<'_>,
    ) -> Result<Option<Self>, String>;

    /// The text of a new resource with this UID.
    fn made(&self, uid: &str, reader: &DavReader<'_>) -> String;

    /// The text after one record became another; `uid`: it goes on as a resource of its own.
    fn written(text: &str, change: (&Self, &Self), uid: Option<&str>, reader: &DavReader<'_>)
    -> Result<String, String>;
}
