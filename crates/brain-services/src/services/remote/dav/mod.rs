//! Accounts that are reached by CalDAV and CardDAV: their resources and our records, kept in step.
//!
//! ```text
//! collections ─► changes since the token ─► texts of what changed ─► records ─► the replica, then the token
//! an edit ─► the text as it is there now ─► its lines changed ─► written on the condition that it still is that one
//! ```
//! Invariants:
//! - nothing is written over what changed there since it was read: every write names the state that it changes;
//! - what is not ours stays: a resource is changed line by line, and is never deleted and made again;
//! - a token is kept only after all that came with it is in the replica, so a pass that ends early is done again;
//! - one resource that cannot be read is one resource that cannot be read.
//!
//! Which lines of a resource are a record is said by each service ([`DavRecord`]); what goes over the wire by
//! [`brain_wire::dav`].

mod backend;
mod place;
mod reading;
mod record;
mod state;
mod sync;
mod sync_worker;
#[cfg(test)]
mod tests;

pub(in crate::services) use place::uid_of;
pub use place::{DavPlace, dav_places};
pub use record::{DavReader, DavRecord, ResourceName};
pub use state::DavState;
pub use sync_worker::{DavReplica, DavSyncWorker};
