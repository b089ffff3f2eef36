//! Reading an owner's index: it is waited for while it is built, brought up to the store, and made anew if it fails.

use std::sync::Arc;

use super::engine::{Owner, SearchEngine, blocking, broken};
use super::feed;
use super::owner::OwnerIndex;
use brain_core::core::ids::UserId;
use brain_core::limits;
use brain_core::ports::IndexError;

/// Which index a read is content with.
#[derive(Debug, Clone, Copy)]
enum Completeness {
    /// Whatever is there, whole or being built.
    AsItIs,
    /// One that holds everything.
    Whole,
}

impl SearchEngine {
    /// Whether the owner has so little that no index is made of it.
    pub(super) async fn has_few(&self, id: &UserId) -> Result<bool, IndexError> {
        if self.is_indexed(id) {
            return Ok(false);
        }
        let mut left = self.few + 1;
        for source in &self.sources {
            for prefix in (source.prefixes)(id) {
                left -= self.store.count(source.scan(prefix, None, left)).await?;
                if left == 0 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Reads an index as it is, whole or not.
    pub(super) async fn look<T: Send + 'static>(
        self: &Arc<Self>,
        owner: &UserId,
        read: impl Fn(&OwnerIndex) -> tantivy::Result<T> + Send + Sync + 'static,
    ) -> Result<T, IndexError> {
        self.try_twice(owner, read, Completeness::AsItIs).await
    }

    /// Reads an index that is whole and holds all of the store's changes of these kinds so far; no kinds: of all.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        owner: &UserId,
        kinds: &[String],
        read: impl Fn(&OwnerIndex) -> tantivy::Result<T> + Send + Sync + 'static,
    ) -> Result<T, IndexError> {
        feed::catch_up(self).await?;
        feed::bring(self, owner, kinds).await?;
        self.try_twice(owner, read, Completeness::Whole).await
    }

    /// Reads; an index that fails is discarded, and the one that takes its place is read once more.
    async fn try_twice<T: Send + 'static>(
        self: &Arc<Self>,
        owner: &UserId,
        read: impl Fn(&OwnerIndex) -> tantivy::Result<T> + Send + Sync + 'static,
        completeness: Completeness,
    ) -> Result<T, IndexError> {
        let read = Arc::new(read);
        let mut why = String::new();
        for _ in 0..2 {
            let (owner, index) = match completeness {
                Completeness::AsItIs => self.opened(owner).await?,
                Completeness::Whole => self.whole(owner).await?,
            };
            match self.read_from(&index, &read).await {
                Ok(found) => return Ok(found),
                Err(cause) => {
                    self.discard(&owner, &index, &cause).await;
                    why = cause;
                }
            }
        }
        Err(IndexError::Broken(why))
    }

    async fn read_from<T: Send + 'static>(
        &self,
        index: &Arc<OwnerIndex>,
        read: &Arc<impl Fn(&OwnerIndex) -> tantivy::Result<T> + Send + Sync + 'static>,
    ) -> Result<T, String> {
        let _permit = self.readers.acquire().await.map_err(|cause| cause.to_string())?;
        let (index, read) = (Arc::clone(index), Arc::clone(read));
        blocking(move || read(&index)).await
    }

    /// The owner's index, waited for while it is being built, for a while.
    async fn whole(self: &Arc<Self>, id: &UserId) -> Result<(Arc<Owner>, Arc<OwnerIndex>), IndexError> {
        let (owner, index) = self.opened(id).await?;
        let mut progress = owner.progress.subscribe();
        let so_far = *progress.borrow();
        let Some(so_far) = so_far else {
            return Ok((owner, index));
        };
        let built = tokio::time::timeout(limits::INDEX_BUILDING_WAIT, progress.wait_for(Option::is_none)).await;
        if built.is_err() {
            return Err(IndexError::Building(owner.progress.borrow().unwrap_or(so_far)));
        }
        if owner.is_current(&index) { Ok((owner, index)) } else { Err(broken("it could not be built")) }
    }
}
