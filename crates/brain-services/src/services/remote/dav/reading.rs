//! What resources say, read beside the threads that everybody's turns run on: many of them, or one that is made for it,
//! take a processor for long.

use tokio::sync::Semaphore;

use super::record::{DavReader, DavRecord, ResourceName};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::remote::backend::{RecordEdit, RecordOrigin};
use brain_core::limits::DAV_PARSERS_AT_ONCE;
use brain_wire::dav::Resource;

/// Those who read, of all accounts together.
static READERS: Semaphore = Semaphore::const_new(DAV_PARSERS_AT_ONCE);

/// A resource, the id under which it is kept, and what is kept of it.
pub(super) type NamedResource<T> = (Resource, String, Option<(T, u64)>);

/// Whose resources are read.
pub(super) struct SliceReading {
    pub account: String,
    /// See [`DavReader::own`].
    pub own: Vec<String>,
    pub ctx: RequestContext,
    /// Whether others write into the collection, too.
    pub is_shared: bool,
}

impl SliceReading {
    /// The edits that resources come to, and those of them that hold nothing that is shown.
    pub async fn of<T: DavRecord>(
        self,
        named: Vec<NamedResource<T>>,
    ) -> Result<(Vec<RecordEdit<T>>, Vec<String>), ServiceError> {
        let broken =
            |why: &dyn std::fmt::Display| ServiceError::Broken(format!("What is new could not be read ({why})."));
        let place = READERS.acquire().await.map_err(|why| broken(&why))?;
        let read = move || {
            let _place = place;
            self.all(named)
        };
        tokio::task::spawn_blocking(read).await.map_err(|why| broken(&why))
    }

    fn all<T: DavRecord>(&self, named: Vec<NamedResource<T>>) -> (Vec<RecordEdit<T>>, Vec<String>) {
        let Self { account, own, ctx, is_shared } = self;
        let (owner, chat) = (&ctx.owner, &ctx.chat);
        let reader = DavReader { owner, chat, zone: ctx.zone, own, is_shared: *is_shared, now: ctx.now };
        let (mut edits, mut left_out) = (Vec::new(), Vec::new());
        for (resource, id, before) in named {
            let name = ResourceName { id, origin: RecordOrigin::new(account, &resource.href, &resource.etag) };
            match T::read(&resource.text, name, before.as_ref().map(|(held, _)| held), &reader) {
                Ok(Some(after)) => edits.push(RecordEdit { before, after: Some(after) }),
                Ok(None) => left_out.push(resource.href),
                Err(why) => {
                    tracing::warn!(account, why, "a resource cannot be read");
                    left_out.push(resource.href);
                }
            }
        }
        (edits, left_out)
    }
}
