//! CalDAV and CardDAV (RFC 4791, 6352, 6578), as a client: collections, what changed in them, single resources.
//!
//! Requests are `libdav`'s, which knows no network; they go out over the one HTTP client that the whole program has.
//! Answers are read leniently, entry by entry, so that one odd entry costs itself alone.
//!
//! Invariants:
//! - a write names the state that it changes, and its error says exactly whether it can have been done;
//! - a password goes to the host that is configured, and to hosts beside it in the same domain, over TLS;
//! - everything read is bounded in bytes, entries, depth and time, and is parsed beside the threads that turns run on.
//!
//! Not here: what a resource says, and what becomes of it.

mod changes;
mod client;
mod discovery;
#[cfg(test)]
mod discovery_tests;
mod error;
mod href;
mod multistatus;
mod resource;
#[cfg(any(test, feature = "testing"))]
pub mod scripted;
mod shape;
#[cfg(test)]
mod tests;

pub use changes::{CollectionChanges, ListedResource};
pub use client::DavClient;
pub use discovery::Collection;
pub use error::DavError;
pub use resource::{Fetched, Resource, StoredResource};

pub use crate::accounts::DavKind;

/// Its media type.
fn media_type(kind: DavKind) -> &'static str {
    match kind {
        DavKind::Events | DavKind::Tasks => "text/calendar; charset=utf-8",
        DavKind::Contacts => "text/vcard; charset=utf-8",
    }
}

/// The component of a calendar that it is.
fn component(kind: DavKind) -> Option<&'static str> {
    match kind {
        DavKind::Events => Some("VEVENT"),
        DavKind::Tasks => Some("VTODO"),
        DavKind::Contacts => None,
    }
}
