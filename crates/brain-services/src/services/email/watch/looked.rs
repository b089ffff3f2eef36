//! Which mailboxes have not changed since they were looked into.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::services::contract::searchable::Freshness;
use brain_core::core::ids::UserId;

/// What each person's mailbox was like when nothing in it was found to decide anything.
#[derive(Debug, Default)]
pub struct LookedAt(Mutex<HashMap<UserId, Freshness>>);

impl LookedAt {
    /// Whether it has been like this since.
    pub(super) fn is_as_it_was(&self, owner: &UserId, fresh: Option<&Freshness>) -> bool {
        let looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        fresh.is_some() && looked.get(owner) == fresh
    }

    /// Nothing in it, as it is, decides anything; without a mark it is looked into again.
    pub(super) fn remember(&self, owner: &UserId, fresh: Option<Freshness>) {
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match fresh {
            Some(fresh) => _ = looked.insert(owner.clone(), fresh),
            None => _ = looked.remove(owner),
        }
    }
}
