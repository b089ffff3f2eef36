//! What a turn knows while it runs: what it goes by ([`TurnFacts`], which do not change) and what it has cost and done
//! so far ([`TurnAccount`]). Most functions need the first alone; whoever needs all of it asks a model, or begins
//! something. Not here: what it comes to (an `Answer`, see [`super::commit`]).

pub mod account;
mod conversation_provenance;
pub mod debounce;
pub mod facts;
pub(super) mod open;
mod question;
mod read;
mod referent;
mod sight;
pub(super) mod status;
mod understanding;
mod waiting;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio_util::sync::CancellationToken;

pub use self::account::TurnAccount;
pub use self::conversation_provenance::{shown_of_others, voice_for};
use self::debounce::Debounce;
pub use self::facts::TurnFacts;
pub use self::referent::Referent;
use self::understanding::Understanding;
use super::brain::Brain;
use brain_core::core::pending::Pending;
use brain_core::core::plan::PlannedAction;
use brain_core::core::turn::{Incoming, Input, Origin};
use brain_core::ports::StoreError;

/// Why a turn ends before its answer.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// `/cancel`.
    #[error("stopped on request")]
    Cancelled,
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What whoever runs a turn runs it in: every line of the log that is written meanwhile carries the turn's id, whatever
/// level is logged.
pub fn log_span(incoming: &Incoming) -> tracing::Span {
    tracing::error_span!("turn", turn = %incoming.turn)
}

/// One turn under way.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Everything it works with.
    pub brain: &'a Brain,
    /// What it goes by.
    pub facts: TurnFacts,
    /// What it has cost and done so far.
    pub account: &'a TurnAccount,
    /// Ends it early.
    pub cancel: CancellationToken,
    /// What it has to wait for before it writes.
    pub debounce: Debounce,
}

impl<'a> Turn<'a> {
    /// Reads what a turn needs to know.
    pub async fn open(
        brain: &'a Brain,
        incoming: &Incoming,
        account: &'a TurnAccount,
        cancel: CancellationToken,
        debounce: Debounce,
    ) -> Result<Self, StoreError> {
        let beginning = read::beginning(brain, incoming).await?;
        let ctx = brain.request_context(&beginning.user, &incoming.chat);
        let day = ctx.now.with_timezone(&ctx.zone).date_naive();
        account.is_of(&ctx.owner, day);
        if brain.policy.budgets.are_nearly_used(brain.store.as_ref(), &ctx.owner, day).await? {
            account.becomes_frugal();
        }
        let facts = TurnFacts::new(incoming.clone(), ctx, beginning, brain.services.now().kept_phrases());
        if facts.keeps_contents(&brain.policy) {
            account.collects_contents();
        }
        Ok(Self { brain, facts, account, cancel, debounce })
    }

    /// Reads the message, once; what is asked of it afterwards is known.
    pub async fn hear(&mut self) -> Result<(), TurnError> {
        let heard = self.understood(self.facts.words().to_owned());
        self.facts.understanding = unless_cancelled(&self.cancel, heard).await?;
        Ok(())
    }

    /// From here on the message is read as if it named this thing.
    pub async fn points_at(&mut self, pointed: Referent) {
        self.facts.understanding = self.understood(pointed.text.clone()).await;
        self.facts.pointed = Some(pointed);
    }

    /// The turn as it goes on with what was said at an earlier moment: relative times count from that one.
    pub fn said_at(&self, at: DateTime<Utc>) -> Turn<'a> {
        let facts = TurnFacts { written: Some(at), ..self.facts.clone() };
        let (cancel, debounce) = (self.cancel.clone(), self.debounce.clone());
        Turn { brain: self.brain, facts, account: self.account, cancel, debounce }
    }

    /// The turn as it goes on with the request of a card that is done: its words stand for the message, as of the moment
    /// when they were said.
    pub async fn goes_on_with(&self, card: &Pending) -> Turn<'a> {
        let input = Input::Message { text: card.request.clone(), origin: Origin::Typed, reply_to: None };
        let incoming = Incoming { input, parts: Vec::new(), quote: None, ..self.facts.incoming.clone() };
        let mut turn = self.said_at(card.created_at);
        turn.facts.open.retain(|open| open.id != card.id);
        let (replied, replied_message, replied_card, pointed) = (None, None, None, None);
        turn.facts = TurnFacts { incoming, replied, replied_message, replied_card, pointed, ..turn.facts };
        turn.facts.understanding = turn.understood(card.request.clone()).await;
        turn
    }

    /// Reads words; beside the runtime, where there are any.
    async fn understood(&self, text: String) -> Arc<Understanding> {
        let is_empty = text.is_empty();
        let read = self.facts.reader(text);
        Arc::new(if is_empty { read() } else { self.brain.pool.run(self.facts.owner(), read).await })
    }

    /// Whether words may be shown before the answer is complete: not while it may still be begun anew.
    pub fn may_be_shown(&self) -> bool {
        status::may_be_shown(self.account, &self.debounce)
    }

    /// Runs something that may be stopped by `/cancel`.
    pub async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, TurnError> {
        unless_cancelled(&self.cancel, work).await
    }
}

/// Runs something that may be stopped by `/cancel`.
pub async fn unless_cancelled<T>(cancel: &CancellationToken, work: impl Future<Output = T>) -> Result<T, TurnError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(TurnError::Cancelled),
        result = work => Ok(result),
    }
}

/// What a planned action is called before it is settled.
pub fn report_name(planned: &PlannedAction) -> String {
    format!("{}.{}", planned.service, planned.command)
}
