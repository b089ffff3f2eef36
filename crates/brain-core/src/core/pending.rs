//! A pending action: high-stakes actions that wait for their owner's yes or no.
//!
//! ```text
//! state      event                 next
//! ---------  --------------------  ----------
//! Pending    Approve               Approved
//! Pending    Deny                  Denied
//! Pending    Expire                Expired
//! Pending    Supersede             Superseded
//! Approved   Begin                 Executing
//! Approved   Expire                Expired      not begun in time after the approval
//! Approved   PreconditionChanged   Failed
//! Approved   Supersede             Superseded   by import or restore only
//! Executing  Finish(Succeeded)     Succeeded
//! Executing  Finish(Failed)        Failed
//! Executing  Finish(Unknown)       Unknown
//! Unknown    Settle(Succeeded)     Succeeded    by evidence, or the owner's word
//! Unknown    Settle(Failed)        Failed
//! ```
//! Everything else is an [`IllegalTransition`]. States only move forward, so the first decision wins.
//!
//! Deliberately not here: how a decision is made durable (the store's port) and how a card looks.

use std::fmt;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use super::digest::{Digest, Scheme};
use super::ids::{ChatId, MessageId, PendingId, UserId};
use super::plan::{Action, PlannedAction, Target};
use crate::limits;

/// Where a pending action stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waits for a decision.
    Pending,
    /// The owner said yes; the intent to execute is durable.
    Approved,
    /// The start is durable; effects may have happened.
    Executing,
    /// All done.
    Succeeded,
    /// At least one action certainly failed, none is doubtful.
    Failed,
    /// Whether an effect happened is not known.
    Unknown,
    /// The owner, or an admin, said no.
    Denied,
    /// Nobody decided in time.
    Expired,
    /// A newer card took its place.
    Superseded,
}

impl State {
    /// True while a decision is still possible.
    pub fn is_open(self) -> bool {
        self == Self::Pending
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Executing => "executing",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
        })
    }
}

/// How an execution ended, all actions of the card together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every action succeeded.
    Succeeded,
    /// One failed, none is doubtful.
    Failed,
    /// One is doubtful.
    Unknown,
}

/// What can happen to a pending action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// The owner's yes.
    Approve,
    /// The owner's no, or an admin's cancel.
    Deny,
    /// Its time is over.
    Expire,
    /// A newer card replaces it.
    Supersede,
    /// Execution starts.
    Begin,
    /// What it is about has changed since it was shown.
    PreconditionChanged,
    /// Execution ended.
    Finish(End),
    /// A doubt was settled: true when the effect did happen.
    Settle(ActualOutcome),
}

/// How a doubt was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActualOutcome {
    /// It happened.
    Happened,
    /// It did not.
    DidNotHappen,
}

/// An event that the state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pending action that is {state} cannot take {event:?}")]
pub struct IllegalTransition {
    /// The state it was in.
    pub state: State,
    /// The transition that the state does not allow.
    pub event: Transition,
}

/// The whole machine; see the table above.
pub fn next(state: State, event: Transition) -> Result<State, IllegalTransition> {
    match (state, event) {
        (State::Pending, Transition::Approve) => Ok(State::Approved),
        (State::Pending, Transition::Deny) => Ok(State::Denied),
        (State::Pending | State::Approved, Transition::Expire) => Ok(State::Expired),
        (State::Pending | State::Approved, Transition::Supersede) => Ok(State::Superseded),
        (State::Approved, Transition::Begin) => Ok(State::Executing),
        (State::Approved, Transition::PreconditionChanged) => Ok(State::Failed),
        (State::Executing, Transition::Finish(End::Succeeded)) => Ok(State::Succeeded),
        (State::Executing, Transition::Finish(End::Failed)) => Ok(State::Failed),
        (State::Executing, Transition::Finish(End::Unknown)) => Ok(State::Unknown),
        (State::Unknown, Transition::Settle(ActualOutcome::Happened)) => Ok(State::Succeeded),
        (State::Unknown, Transition::Settle(ActualOutcome::DidNotHappen)) => Ok(State::Failed),
        (state, event) => Err(IllegalTransition { state, event }),
    }
}

/// How the decision reached us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// A button on the card.
    Button,
    /// A reply to the card.
    Reply,
    /// A bare yes or no.
    Text,
    /// `/cancel` or a command of that kind.
    Command,
    /// The admin's command line or page.
    Admin,
    /// A clock.
    Clock,
    /// A newer card.
    Amendment,
}

/// Who decided what, when and how. Never changes once written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The person who decided; the owner unless an admin did.
    pub by: UserId,
    /// The way in which it reached us.
    pub means: Means,
    /// When it was decided, in UTC.
    pub at: DateTime<Utc>,
    /// What was decided: the digest at that moment.
    pub digest: Digest,
}

/// A reading of a clock that only runs forward while the machine is up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Monotonic {
    /// Differs after every boot of the machine.
    pub boot: String,
    /// Milliseconds since then.
    pub ms: u64,
}

/// Wall clock and monotonic clock, read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instants {
    /// Wall clock.
    pub now: DateTime<Utc>,
    /// Monotonic clock.
    pub monotonic: Monotonic,
}

/// The record of one card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Its id, the same over its whole life.
    pub id: PendingId,
    /// The only person whose yes or no counts.
    pub owner: UserId,
    /// Where it must be decided.
    pub chat: ChatId,
    /// The account of the services it acts on.
    pub account: String,
    /// What executes, in order.
    pub actions: Vec<Action>,
    /// For each action, the indexes of those that must succeed first.
    pub depends_on: Vec<Vec<usize>>,
    /// Of all of the above but the id.
    pub digest: Digest,
    /// How the digest is made; records from before there were several say nothing.
    #[serde(default)]
    pub scheme: Scheme,
    /// Where it stands.
    pub state: State,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was made, by the clock nobody can set.
    pub created_monotonic: Monotonic,
    /// When nobody can decide it any more.
    pub expires_at: DateTime<Utc>,
    /// How many messages the card takes.
    pub card_parts: usize,
    /// The messages that show it, oldest first; the last one carries the buttons. Complete once there are
    /// as many as parts.
    pub card_messages: Vec<MessageId>,
    /// Who decided, once somebody has.
    pub decision: Option<Decision>,
    /// The card that took its place.
    pub superseded_by: Option<PendingId>,
    /// The person's words that led to it; an amendment is planned together with them.
    pub request: String,
    /// The domains of that request; an amendment keeps them.
    pub domains: Vec<String>,
    /// Where the request goes on after a yes: the services that it was routed to. `None`: nothing of it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_on: Option<Vec<String>>,
}

/// Why somebody may not decide a pending action (now, here, this way).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotYours {
    /// Somebody else's.
    #[error("only the person it belongs to can decide it")]
    NotOwner,
    /// The owner, in another chat.
    #[error("it can only be decided in the chat where it was asked")]
    OtherChat,
    /// A press on an older view.
    #[error("the card has changed since that button was made")]
    OlderView,
    /// Its time is over.
    #[error("it has expired")]
    Expired,
    /// Made by a clock that is ahead of ours.
    #[error("it was made in the future; check this machine's clock")]
    FromTheFuture,
    /// Shown only in part, or not at all.
    #[error("its card has not been shown completely yet")]
    NotShown,
    /// Decided before.
    #[error("it is already {0}")]
    Decided(State),
    /// The stored record does not fit its own digest.
    #[error("its record was altered after it was shown")]
    Altered,
}

impl Pending {
    /// The digest of what is stored now, made as when the card was shown.
    pub fn compute_digest(&self) -> Digest {
        Digest::under(self.scheme, &self.owner, &self.chat, &self.account, &self.actions, &self.depends_on)
    }

    /// True when its time is over by either clock.
    pub fn has_expired(&self, at: &Instants) -> bool {
        let life_ms = (self.expires_at - self.created_at).num_milliseconds().max(0) as u64;
        let by_monotonic = self.created_monotonic.boot == at.monotonic.boot
            && at.monotonic.ms >= self.created_monotonic.ms.saturating_add(life_ms);
        at.now >= self.expires_at || by_monotonic
    }

    /// True when it was approved so long ago that it may not begin any more.
    pub fn approval_is_stale(&self, at: &Instants) -> bool {
        self.decision
            .as_ref()
            .is_some_and(|decision| at.now - decision.at > Duration::seconds(limits::APPROVED_BEGIN_SECS))
    }

    /// Whether `who`, in `chat`, may decide what carries `digest_prefix`, at this moment.
    /// `None` for the prefix: decided by words, not by a button.
    pub fn may_decide(
        &self,
        who: &UserId,
        chat: &ChatId,
        digest_prefix: Option<&str>,
        at: &Instants,
    ) -> Result<(), NotYours> {
        if *who != self.owner {
            return Err(NotYours::NotOwner);
        }
        if *chat != self.chat {
            return Err(NotYours::OtherChat);
        }
        self.is_decidable(digest_prefix, at)
    }

    /// The part of [`Pending::may_decide`] that holds for an admin as well.
    pub fn is_decidable(&self, digest_prefix: Option<&str>, at: &Instants) -> Result<(), NotYours> {
        if !self.state.is_open() {
            return Err(NotYours::Decided(self.state));
        }
        if digest_prefix.is_some_and(|prefix| !self.digest.matches(prefix)) {
            return Err(NotYours::OlderView);
        }
        if self.digest != self.compute_digest() {
            return Err(NotYours::Altered);
        }
        if self.created_at > at.now + Duration::seconds(limits::CLOCK_SKEW_SECS) {
            return Err(NotYours::FromTheFuture);
        }
        if self.has_expired(at) {
            return Err(NotYours::Expired);
        }
        if self.last_card_message().is_none() {
            return Err(NotYours::NotShown);
        }
        Ok(())
    }

    /// Takes one event; the record moves forward or stays as it was.
    pub fn apply(&mut self, event: Transition) -> Result<(), IllegalTransition> {
        self.state = next(self.state, event)?;
        Ok(())
    }

    /// Its actions as a planner would write them; `find_by`: how each says what it was found to be about.
    pub fn planned(&self, find_by: impl Fn(&Target) -> String) -> Vec<PlannedAction> {
        let planned = self.actions.iter().enumerate().map(|(index, action)| {
            let mut params = action.params.clone();
            if let (Some(target), Some(found)) = (&action.target, params.get_mut("find_by")) {
                *found = find_by(target).into();
            }
            PlannedAction {
                service: action.service.clone(),
                command: action.command.clone(),
                params,
                depends_on: self.depends_on.get(index).cloned().unwrap_or_default(),
                ..PlannedAction::default()
            }
        });
        planned.collect()
    }

    /// The message that carries the buttons, once the card is complete.
    pub fn last_card_message(&self) -> Option<MessageId> {
        if self.card_messages.len() < self.card_parts.max(1) {
            return None;
        }
        self.card_messages.last().copied()
    }
}
