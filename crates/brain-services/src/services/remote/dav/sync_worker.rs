//! Keeps the replica in step with the accounts, in its own time.
//!
//! A pass every so often; after a failure later each time. What was refused until somebody reconnects it is asked for
//! seldom.

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::place::{DavPlace, PlacedAccount, dav_places};
use super::record::DavRecord;
use super::sync::{DavPass, PassError};
use crate::services::contract::capabilities::{ContextSource, Mirroring};
use crate::services::contract::context::RequestContext;
use crate::services::contract::following::{Followed, spread};
use crate::services::remote::backend::BackendAccount;
use crate::services::remote::replica::{Replica, StoreMirror};
use brain_core::core::ids::UserId;
use brain_core::limits::{DAV_POLL_SECS, DAV_REST_FACTOR, DAV_RETRY_SECS, DAV_RETRY_SECS_MAX};
use brain_core::ports::Store;
use brain_wire::accounts::{AccountConfig, AccountPart, AccountStates};
use brain_wire::dav::DavError;

/// How a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassEnd {
    /// It came to its end, or as far as one pass goes.
    Looked,
    /// The account does not let anybody in: only somebody can mend it.
    NotLetIn,
    /// Something else was in the way.
    Failed,
}

/// How long the next pass waits for, after as many failures before this one; `spread`: where an account lies among all.
fn pause(ended: PassEnd, failures: u32, took: Duration, spread: f64) -> Duration {
    let (secs, rest) = match ended {
        // What takes long, because all of it is new at every look, is looked at as much more seldom.
        PassEnd::Looked => (DAV_POLL_SECS, took.saturating_mul(DAV_REST_FACTOR)),
        PassEnd::NotLetIn => (DAV_RETRY_SECS_MAX, Duration::ZERO),
        PassEnd::Failed => {
            let secs = DAV_RETRY_SECS << failures.saturating_add(1).min(8);
            (secs.min(DAV_RETRY_SECS_MAX), Duration::ZERO)
        }
    };
    Duration::from_secs(secs).mul_f64(0.75 + spread / 2.0).max(rest)
}

/// The accounts of everybody for one kind of record.
pub struct DavSyncWorker<T: DavRecord> {
    placed: Vec<PlacedAccount<T>>,
    states: Arc<AccountStates>,
    followed: Followed,
}

impl<T: DavRecord> fmt::Debug for DavSyncWorker<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DavKeeper").field("placed", &self.placed).finish_non_exhaustive()
    }
}

impl<T: DavRecord> DavSyncWorker<T> {
    /// What of an account it keeps in step.
    const PART: AccountPart = AccountPart::Collections(T::KIND);

    /// Of those that have some; how they are is told there.
    pub fn of(
        configured: &[AccountConfig],
        first_admin: &Arc<OnceLock<UserId>>,
        store: &Arc<dyn Store>,
        states: &Arc<AccountStates>,
    ) -> Arc<Self> {
        let placed = dav_places(configured, first_admin, store);
        Arc::new(Self { placed, states: states.clone(), followed: Followed::default() })
    }

    /// Where records are written.
    pub fn accounts(&self) -> Vec<BackendAccount<T>> {
        self.placed.iter().map(|placed| placed.account.clone()).collect()
    }

    fn placed_of(&self, person: &UserId) -> Vec<usize> {
        let is_of = |placed: &PlacedAccount<T>| placed.account.holders.iter().any(|holder| holder.is(person));
        self.placed.iter().enumerate().filter(|(_, placed)| is_of(placed)).map(|(at, _)| at).collect()
    }

    /// The accounts of a person, by the ids of their states.
    pub fn ids(&self, person: &UserId) -> Vec<String> {
        let placed = self.placed_of(person).into_iter().filter_map(|at| self.placed.get(at));
        placed.map(|placed| Self::PART.id(&placed.account.id)).collect()
    }

    /// From now on this person's are followed.
    pub fn serves(&self, person: &UserId) {
        if !self.placed_of(person).is_empty() {
            self.followed.add(person);
        }
    }

    /// Reads a person's accounts once, for as long as `patience`.
    pub async fn catch_up<S: Replica<Kept = T>>(&self, service: &S, ctx: &RequestContext, patience: Duration) {
        let all = self.placed_of(&ctx.owner);
        let passes = all.iter().filter_map(|at| self.placed.get(*at)).map(|placed| self.pass(service, ctx, placed));
        let _ = timeout(patience, join_all(passes)).await;
    }

    /// Follows them until it is told to stop.
    pub async fn follow<S: Replica<Kept = T>>(
        &self,
        service: &S,
        people: &dyn ContextSource,
        stop: &CancellationToken,
    ) {
        let keep = |at: usize, person: UserId| async move {
            if let Some(placed) = self.placed.get(at) {
                self.keep(service, people, placed, &person).await;
            }
        };
        self.followed.follow(|person| self.placed_of(person), keep, stop).await;
    }

    async fn keep<S: Replica<Kept = T>>(
        &self,
        service: &S,
        people: &dyn ContextSource,
        placed: &PlacedAccount<T>,
        person: &UserId,
    ) {
        let mut failures = 0_u32;
        loop {
            let began = Instant::now();
            let ended = match people.context_of(person).await {
                Some(ctx) => self.pass(service, &ctx, placed).await,
                None => PassEnd::Failed,
            };
            people.mirrored();
            sleep(pause(ended, failures, began.elapsed(), spread(&placed.account.id))).await;
            failures = if ended == PassEnd::Looked { 0 } else { failures.saturating_add(1) };
        }
    }

    /// One pass, and what it says of the account.
    async fn pass<S: Replica<Kept = T>>(
        &self,
        service: &S,
        ctx: &RequestContext,
        placed: &PlacedAccount<T>,
    ) -> PassEnd {
        let id = placed.account.id.as_str();
        let state = Self::PART.id(id);
        let mirror = StoreMirror { service, ctx, account: id };
        let pass = DavPass { place: placed.place.as_ref(), ctx, mirror: &mirror };
        let told = async {
            loop {
                sleep(Duration::from_secs(1)).await;
                self.tell_progress(&placed.place, id);
            }
        };
        let ended = tokio::select! {
            ended = pass.run() => ended,
            () = told => return PassEnd::Failed,
        };
        match ended {
            Ok(_) => {
                self.states.synced(&state, ctx.now);
                PassEnd::Looked
            }
            Err(error) => {
                let until_reconnected =
                    matches!(error, PassError::Server(DavError::NotSignedIn { until_reconnected: true, .. }));
                if self.states.failed(&state, ctx.now, error.to_string(), until_reconnected) {
                    tracing::warn!(account = id, %error, "an account is not connected");
                }
                match error {
                    PassError::LeftOut { .. } => PassEnd::Looked,
                    PassError::Server(DavError::NotSignedIn { .. }) => PassEnd::NotLetIn,
                    PassError::Server(_) | PassError::Here(_) => PassEnd::Failed,
                }
            }
        }
    }

    fn tell_progress(&self, place: &DavPlace<T>, id: &str) {
        let progress = *place.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((done, of)) = progress {
            self.states.progressed(&Self::PART.id(id), done, of);
        }
    }
}

/// A service whose records a [`DavSyncWorker`] keeps in step.
pub trait DavReplica: Replica<Kept: DavRecord> {
    /// The keeper, where there is one.
    fn keeper(&self) -> Option<&DavSyncWorker<Self::Kept>>;
}

#[async_trait]
impl<S: DavReplica> Mirroring for S {
    fn serves(&self, person: &UserId) {
        if let Some(keeper) = self.keeper() {
            keeper.serves(person);
        }
    }

    async fn catch_up(&self, ctx: &RequestContext, patience: Duration) {
        if let Some(keeper) = self.keeper() {
            keeper.catch_up(self, ctx, patience).await;
        }
    }

    async fn follow(&self, people: &dyn ContextSource, stop: &CancellationToken) {
        if let Some(keeper) = self.keeper() {
            keeper.follow(self, people, stop).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_at_every_look_is_looked_at_more_seldom() {
        let quick = Duration::from_millis(300);
        assert_eq!(pause(PassEnd::Looked, 0, quick, 0.5).as_secs(), DAV_POLL_SECS);
        assert_eq!(pause(PassEnd::Looked, 0, Duration::from_secs(600), 0.5).as_secs(), 1_800);
        assert_eq!(pause(PassEnd::Failed, 0, quick, 0.5).as_secs(), 2 * DAV_RETRY_SECS);
        assert_eq!(pause(PassEnd::Failed, 90, quick, 0.5).as_secs(), DAV_RETRY_SECS_MAX);
        assert_eq!(pause(PassEnd::NotLetIn, 0, quick, 0.5).as_secs(), DAV_RETRY_SECS_MAX);
    }
}
