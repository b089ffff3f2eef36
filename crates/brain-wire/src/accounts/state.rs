//! How the accounts are: connected or not, and when each was last read. Written by what keeps them in step, read by
//! whoever answers about them. In memory: after a start nothing is known until it was tried.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};

/// Why an account is not connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disconnected {
    /// Since when.
    pub since: DateTime<Utc>,
    /// A sentence for the person.
    pub why: String,
    /// It stays so until somebody reconnects it.
    pub until_reconnected: bool,
}

/// How one account is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountState {
    /// When it was last read to its end.
    pub synced: Option<DateTime<Utc>>,
    /// What is in the way, if something is.
    pub disconnected: Option<Disconnected>,
    /// While it is read for the first time: how much, of how much.
    pub progress: Option<(usize, usize)>,
}

/// How all accounts are, by their ids.
#[derive(Debug, Default)]
pub struct AccountStates(Mutex<BTreeMap<String, AccountState>>);

impl AccountStates {
    /// How this one is.
    pub fn of(&self, id: &str) -> AccountState {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned().unwrap_or_default()
    }

    /// It was read to its end.
    pub fn synced(&self, id: &str, at: DateTime<Utc>) {
        self.change(id, |state| *state = AccountState { synced: Some(at), ..AccountState::default() });
    }

    /// It has come so far.
    pub fn progressed(&self, id: &str, done: usize, total: usize) {
        self.change(id, |state| state.progress = Some((done, total)));
    }

    /// It cannot be reached. Since when is kept where it was not reached before; true where it was.
    pub fn failed(&self, id: &str, now: DateTime<Utc>, why: String, until_reconnected: bool) -> bool {
        self.change(id, |state| {
            let earlier = state.disconnected.as_ref();
            let is_new = earlier.is_none_or(|earlier| earlier.until_reconnected != until_reconnected);
            let since = earlier.map_or(now, |earlier| earlier.since);
            state.progress = None;
            state.disconnected = Some(Disconnected { since, why, until_reconnected });
            is_new
        })
    }

    fn change<T>(&self, id: &str, change: impl FnOnce(&mut AccountState) -> T) -> T {
        change(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(id.to_owned()).or_default())
    }
}
