//! Following accounts elsewhere: one task an account and person, for as long as the program runs.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use brain_core::core::ids::UserId;

/// Who is served, as far as that is known by now.
#[derive(Debug, Default)]
pub(in crate::services) struct Followed {
    people: Mutex<BTreeSet<UserId>>,
    new: Notify,
}

impl Followed {
    /// From now on this person, too.
    pub fn add(&self, person: &UserId) {
        let is_new = self.people.lock().unwrap_or_else(PoisonError::into_inner).insert(person.clone());
        if is_new {
            self.new.notify_one();
        }
    }

    /// Runs `keep`, which never ends, for each account of each of them, until it is told to stop. `accounts`: those of a
    /// person, by a number that stays the same.
    pub async fn follow<F: Future<Output = ()>>(
        &self,
        accounts: impl Fn(&UserId) -> Vec<usize>,
        keep: impl Fn(usize, UserId) -> F,
        stop: &CancellationToken,
    ) {
        let mut kept = FuturesUnordered::new();
        let mut begun: BTreeSet<(usize, UserId)> = BTreeSet::new();
        loop {
            let people = self.people.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for person in &people {
                for account in accounts(person) {
                    if begun.insert((account, person.clone())) {
                        kept.push(keep(account, person.clone()));
                    }
                }
            }
            tokio::select! {
                () = self.new.notified() => {}
                () = stop.cancelled() => return,
                Some(()) = kept.next() => {}
            }
        }
    }
}

/// From 0 to 1, the same for the same account: not all of a server's accounts at the same moment.
pub(in crate::services) fn spread(id: &str) -> f64 {
    let sum: u32 = id.bytes().map(u32::from).sum();
    f64::from(sum % 100) / 100.0
}
