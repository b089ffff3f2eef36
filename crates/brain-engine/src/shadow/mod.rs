//! Shadow: the same message taken a second time by other models or prompts, with nothing done.
//!
//! ```text
//! message ─► intake ─► the turn that counts ─────────────► commit, answer
//!                └───► shadow: route ─► plan ─► gate ┤      │
//!                                                    └──────┴─► kept with the contents of that turn
//! ```
//! A second [`Brain`] over the same things, which commits nothing ([`ReadOnlyStore`]), is heard by nobody ([`Muted`]), and
//! ends where anything would be done, a server be asked or a question over everything be looked into. It takes only turns
//! whose contents are kept, so that nobody's words go to a second model who has not agreed, and what it came to goes when
//! those go. A few run at once; those beyond are left out. What its calls cost is counted like all others, and none is
//! made once most of a budget is used.
//!
//! It reads what is there when it looks: where the turn that counts was faster, that is already changed, but nothing of
//! what that turn has begun is taken up. A replay takes a
//! turn that is long over, with what had been said by then and the things of today. Not here: what the two are compared by
//! ([`crate::queries::shadow`]).

mod store;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::{Semaphore, oneshot};

pub use self::store::ReadOnlyStore;
use crate::pipeline;
use crate::pipeline::brain::{Brain, Policy, ShadowTurns};
use crate::pipeline::commit::usage::keep_alone;
use crate::pipeline::turn::TurnAccount;
use brain_core::clock::ManualClock;
use brain_core::core::ids::{ChatId, MessageId, RunId};
use brain_core::core::markup::Formatted;
use brain_core::core::turn::{Edit, Incoming, Input, Origin, Reply};
use brain_core::limits;
use brain_core::ports::records::{ShadowTurn, TurnContents};
use brain_core::ports::{
    Batch, Channel, Clock, Expect, Key, Model, Record, RecordExt, SendError, Store, StoreError, optimistic,
};
use brain_core::prompts::Prompts;

/// What a shadow does another way.
#[derive(Debug)]
pub struct ShadowParts {
    /// The model, if there is one.
    pub model: Option<Arc<dyn Model>>,
    /// What it is told.
    pub prompts: Arc<Prompts>,
    /// How it plans.
    pub policy: Policy,
}

/// See the module. Clones are the same shadow.
#[derive(Debug, Clone)]
pub struct Shadow(Arc<SharedShadow>);

#[derive(Debug)]
struct SharedShadow {
    /// Where the turns that count are kept.
    store: Arc<dyn Store>,
    brain: Brain,
    running: Semaphore,
}

impl Shadow {
    /// The shadow of a brain.
    pub fn of(brain: &Brain, parts: ShadowParts) -> Self {
        let store: Arc<dyn Store> = Arc::new(ReadOnlyStore::of(brain.store.clone()));
        let policy = Policy { learns: false, ..parts.policy };
        let shadow = beside(brain, store, brain.clock.clone(), ShadowParts { policy, ..parts });
        let running = Semaphore::new(limits::SHADOW_TURNS_AT_ONCE);
        Self(Arc::new(SharedShadow { store: brain.store.clone(), brain: shadow, running }))
    }
}

#[async_trait]
impl ShadowTurns for Shadow {
    fn begins(&self, incoming: &Incoming, committed: oneshot::Receiver<DateTime<Utc>>) {
        let (Self(shared), incoming) = (self.clone(), incoming.clone());
        tokio::spawn(async move {
            match shared.running.try_acquire() {
                Ok(_permit) => {
                    if let Err(error) = shared.beside(&incoming, committed).await {
                        tracing::warn!(%error, "what a shadow came to is not kept");
                    }
                }
                Err(_) => tracing::debug!(turn = %incoming.turn.as_str(), "as many shadows as may run at once do"),
            }
        });
    }

    async fn replay(&self, kept: &TurnContents) -> Result<Option<ShadowTurn>, StoreError> {
        if kept.message.is_empty() || kept.is_cut && kept.message.len() >= limits::CONTENTS_TEXT_BYTES_MAX / 2 {
            return Ok(None);
        }
        let Self(shared) = self;
        let store: Arc<dyn Store> = Arc::new(ReadOnlyStore::before(shared.store.clone(), kept.at));
        let parts = ShadowParts {
            model: shared.brain.model.clone(),
            prompts: shared.brain.prompts.clone(),
            policy: shared.brain.policy.clone(),
        };
        let brain = beside(&shared.brain, store, Arc::new(ManualClock::new(kept.at)), parts);
        let incoming = Incoming {
            turn: RunId::new(kept.id.clone()),
            user: kept.owner.clone(),
            chat: kept.chat.clone(),
            message_id: MessageId(0),
            at: kept.at,
            input: Input::Message { text: kept.message.clone(), origin: Origin::Typed, reply_to: None },
            inbox: None,
            parts: Vec::new(),
            quote: None,
        };
        let account = TurnAccount::new(incoming.turn.clone()).of_shadow();
        let taken = shared.taken(&brain, &incoming, &account).await;
        let shadow = shared.over(&account, taken).await;
        let shadow = ShadowTurn { is_replay: true, ..shadow };
        let is_kept = shared.keep(&kept.key(), &shadow).await?;
        Ok(is_kept.then_some(shadow))
    }
}

/// What a rehearsal came to, or why to nothing.
type Rehearsed = Result<TurnContents, String>;

impl SharedShadow {
    /// Takes a turn beside the one that counts, and keeps what it came to once that one is committed. Where that never
    /// is, because it was begun anew or stopped, this one ends as well.
    async fn beside(
        &self,
        incoming: &Incoming,
        mut committed: oneshot::Receiver<DateTime<Utc>>,
    ) -> Result<(), StoreError> {
        let account = TurnAccount::new(incoming.turn.clone()).of_shadow();
        let taken = {
            let mut taking = std::pin::pin!(self.taken(&self.brain, incoming, &account));
            tokio::select! {
                taken = &mut taking => committed.await.ok().map(|at| (taken, at)),
                kept = &mut committed => match kept {
                    Ok(at) => Some((taking.await, at)),
                    Err(_) => None,
                },
            }
        };
        let (taken, at) = match taken {
            Some((taken, at)) => (taken, Some(at)),
            None => (Err("the turn that counts was not committed".to_owned()), None),
        };
        let shadow = self.over(&account, taken).await;
        if let Some(at) = at {
            self.keep(&TurnContents::key_of(&incoming.user, at, incoming.turn.as_str()), &shadow).await?;
        }
        Ok(())
    }

    async fn taken(&self, brain: &Brain, incoming: &Incoming, account: &TurnAccount) -> Rehearsed {
        let day = self.brain.clock.now().with_timezone(&brain.policy.zone).date_naive();
        match brain.policy.budgets.are_nearly_used(self.store.as_ref(), &incoming.user, day).await {
            Ok(false) => {}
            Ok(true) => return Err("most of a budget is used".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
        let patience = Duration::from_secs(limits::SHADOW_SECS_MAX);
        match tokio::time::timeout(patience, pipeline::rehearse(brain, incoming, account)).await {
            Ok(Ok(Some(contents))) => Ok(contents),
            Ok(Ok(None)) => Err("nothing of it is kept".to_owned()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("it took longer than {} s", limits::SHADOW_SECS_MAX)),
        }
    }

    /// What it came to, with its calls counted.
    async fn over(&self, account: &TurnAccount, taken: Rehearsed) -> ShadowTurn {
        let budgets = &self.brain.policy.budgets;
        if let Err(error) = keep_alone(self.store.as_ref(), budgets, &account.meter()).await {
            tracing::warn!(%error, "what a shadow asked of a model is not counted");
        }
        let at = self.brain.clock.now();
        match taken {
            Ok(TurnContents { planned, nodes, answer, .. }) => {
                ShadowTurn { at, is_replay: false, planned, nodes, answer, failed: None }
            }
            Err(why) => {
                let planned = account.planned();
                let (nodes, answer) = (Vec::new(), String::new());
                ShadowTurn { at, is_replay: false, planned, nodes, answer, failed: Some(why) }
            }
        }
    }

    /// Adds it to the contents of a turn; false where they are kept no more.
    async fn keep(&self, key: &Key, shadow: &ShadowTurn) -> Result<bool, StoreError> {
        optimistic(&[TurnContents::TABLE], || async move {
            let Some((contents, revision)) = self.store.load::<TurnContents>(key).await? else {
                return Ok(false);
            };
            let contents = TurnContents { shadow: Some(Box::new(shadow.clone())), ..contents };
            let mut batch = Batch::default();
            batch.put(&contents, Expect::Revision(revision))?;
            self.store.commit(batch).await.map(|_| true)
        })
        .await
    }
}

/// A brain over the same things that shares nothing which changes with its turns.
fn beside(brain: &Brain, store: Arc<dyn Store>, clock: Arc<dyn Clock>, parts: ShadowParts) -> Brain {
    let ShadowParts { model, prompts, policy } = parts;
    Brain {
        store,
        index: brain.index.clone(),
        model,
        services: brain.services.clone(),
        servers: Default::default(),
        people: brain.people.clone(),
        accounts: brain.accounts.clone(),
        since: brain.since,
        clock,
        channel: Arc::new(Muted),
        prompts,
        policy,
        shadow: None,
        due_changed: Default::default(),
        pool: Default::default(),
        lanes: Default::default(),
        evidence: Default::default(),
        locks: Default::default(),
        running: Default::default(),
        long_chats: Default::default(),
    }
}

/// A channel that nobody hears.
#[derive(Debug)]
struct Muted;

#[async_trait]
impl Channel for Muted {
    async fn typing(&self, _chat: &ChatId) {}

    async fn status(&self, _chat: &ChatId, _text: &str) {}

    fn shows_drafts(&self, _chat: &ChatId) -> bool {
        false
    }

    async fn draft(&self, _chat: &ChatId, _words: &Formatted) {}

    async fn send(&self, _chat: &ChatId, _reply: &Reply) -> Result<MessageId, SendError> {
        Err(SendError::Never("a shadow says nothing".to_owned()))
    }

    async fn edit(&self, _chat: &ChatId, _edit: &Edit) -> Result<(), SendError> {
        Err(SendError::Never("a shadow says nothing".to_owned()))
    }

    fn try_again(&self, _chat: &ChatId) {}
}
