//! The cards that are open, as a turn asks for them. Not here: deciding them (`consent`).

use crate::pipeline::brain::Brain;
use crate::queries::pending;
use brain_core::core::ids::PendingId;
use brain_core::core::pending::Pending;
use brain_core::ports::StoreError;

impl Brain {
    /// A pending action and its revision.
    pub async fn pending(&self, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
        pending::pending(&self.store.as_ref(), id).await
    }

    /// The same for whoever only shows or tells something: nothing is there when it cannot be read.
    pub async fn readable_pending(&self, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
        pending::readable(&self.store.as_ref(), id).await
    }
}
