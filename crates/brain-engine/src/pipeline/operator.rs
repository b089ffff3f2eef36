//! What the operator of the machine decides in somebody's place: dropping what waits, and saying yes where the
//! configuration allows it; and erasing all that is kept of somebody ([`erase`]).
//!
//! One way in for cards, [`decide`]: whoever asks (command line, control socket, a page) shows what it gives and does nothing of
//! this. Invariants: a decision is made durable as every other one, with `operator` as who made it; its owner is told.
//! Not here: who is the operator (whoever may read the store), and what they see (`queries`).

use super::brain::Brain;
use super::commit::erasure::person::{self, KeptCounts};
use super::consent::closed;
use super::consent::decisions::Revisions;
use super::show;
use crate::queries::offers::Offer;
use crate::queries::questions;
use crate::queries::questions::CostlyQuestion;
use brain_core::core::ids::{ChatId, PendingId, UserId};
use brain_core::core::pending::{Decision, Means, NotYours, Pending, Transition};
use brain_core::core::people::OPERATOR;
use brain_core::core::run::StepProgress;
use brain_core::core::turn::Reply;
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, Expect, Key, Record as _, RecordExt, StoreError, Table};

/// What the operator wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorVerb<'a> {
    /// It is dropped.
    Cancel,
    /// A yes in the owner's place, to what has this digest: its first characters.
    Approve {
        /// What exactly: the first characters of its digest.
        digest: Option<&'a str>,
    },
}

/// What became of it. Nothing was done where it is not said.
#[derive(Debug)]
pub enum OperatorDecision {
    /// It is denied, and its owner told.
    Cancelled(Box<Pending>),
    /// It is approved and carried out, and its owner told this.
    CarriedOut(Box<Pending>, String),
    /// A costly question was dropped, and whoever asked it told.
    Dropped(CostlyQuestion),
    /// Nothing of this id waits.
    NoSuch,
    /// It is decided already.
    Closed(Box<Pending>),
    /// It cannot be approved, and why.
    NotDecidable(Box<Pending>, NotYours),
    /// Somebody else decided at this very moment.
    Meanwhile,
    /// A costly question, about which only who asked it decides.
    OwnersAlone(CostlyQuestion),
    /// The configuration lets only owners approve.
    NotAllowed,
    /// It was not said what exactly is approved.
    NoDigest,
}

/// What is kept of a person that [`erase`] would take, by table: how many records. `but` is what stays all the same.
pub async fn kept_of(brain: &Brain, owner: &UserId, but: &[(Table, Key)]) -> Result<KeptCounts, StoreError> {
    person::kept_of(brain, owner, but).await
}

/// Erases all that is kept of a person, from the store's own bytes as well; false: something of theirs is under way or in
/// doubt, and nothing was erased. They must not be heard meanwhile.
pub async fn erase(brain: &Brain, owner: &UserId, but: &[(Table, Key)]) -> Result<bool, StoreError> {
    let chat = ChatId::alone_with(owner);
    let is_busy = brain.running.turn_in(&chat).is_some() || brain.running.carries_out_in(&chat);
    if is_busy || kept_of(brain, owner, but).await?.contains_key(&Table::Runs) {
        return Ok(false);
    }
    person::erased(brain, owner, but).await?;
    Ok(true)
}

/// Decides in the owner's place.
pub async fn decide(brain: &Brain, id: &str, verb: OperatorVerb<'_>) -> Result<OperatorDecision, StoreError> {
    match verb {
        OperatorVerb::Cancel => cancel(brain, id).await,
        OperatorVerb::Approve { digest } => approve(brain, id, digest).await,
    }
}

/// Makes it durable; `None` where somebody else decided at this very moment.
async fn recorded(
    brain: &Brain,
    pending: &mut Pending,
    revision: u64,
    transition: Transition,
) -> Result<Option<Revisions>, StoreError> {
    let by = UserId::new(OPERATOR);
    let decision = Decision { by, means: Means::Admin, at: brain.clock.now(), digest: pending.digest.clone() };
    match brain.record_decision(pending, revision, transition, decision, None).await {
        Ok(revisions) => Ok(Some(revisions)),
        Err(StoreError::Conflict { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn cancel(brain: &Brain, id: &str) -> Result<OperatorDecision, StoreError> {
    let Some((mut pending, revision)) = brain.pending(&PendingId::new(id)).await? else {
        return match questions::one(&brain.view().await?, id).await? {
            Some(waiting) => drop_question(brain, waiting).await,
            None => Ok(OperatorDecision::NoSuch),
        };
    };
    if !pending.state.is_open() {
        return Ok(OperatorDecision::Closed(Box::new(pending)));
    }
    if recorded(brain, &mut pending, revision, Transition::Deny).await?.is_none() {
        return Ok(OperatorDecision::Meanwhile);
    }
    let words =
        format!("The admin of this machine cancelled this, so I won't {}.", show::title(&brain.services, &pending));
    tell(brain, &pending, words, Batch::default()).await?;
    Ok(OperatorDecision::Cancelled(Box::new(pending)))
}

async fn drop_question(brain: &Brain, waiting: CostlyQuestion) -> Result<OperatorDecision, StoreError> {
    let key = Offer::key_of(waiting.id.as_str());
    let Some((_, revision)) = brain.store.load::<Offer>(&key).await? else { return Ok(OperatorDecision::Meanwhile) };
    let mut batch = Batch::default();
    batch.delete(Offer::TABLE, key, Expect::Revision(revision));
    let words = format!("The admin of this machine cancelled this, so I won't {}.", waiting.title());
    match brain.commit_told(&waiting.chat, vec![Show::Send(Reply::text(words))], batch).await {
        Ok(()) => {}
        Err(StoreError::Conflict { .. }) => return Ok(OperatorDecision::Meanwhile),
        Err(error) => return Err(error),
    }
    brain.deliver(&waiting.chat).await;
    Ok(OperatorDecision::Dropped(waiting))
}

async fn approve(brain: &Brain, id: &str, digest: Option<&str>) -> Result<OperatorDecision, StoreError> {
    if let Some(waiting) = questions::one(&brain.view().await?, id).await? {
        return Ok(OperatorDecision::OwnersAlone(waiting));
    }
    if !brain.policy.admin_may_approve {
        return Ok(OperatorDecision::NotAllowed);
    }
    let Some(digest) = digest else { return Ok(OperatorDecision::NoDigest) };
    let Some((mut pending, revision)) = brain.pending(&PendingId::new(id)).await? else {
        return Ok(OperatorDecision::NoSuch);
    };
    if let Err(why) = pending.is_decidable(Some(digest), &brain.clock.instants()) {
        return Ok(OperatorDecision::NotDecidable(Box::new(pending), why));
    }
    let Some(revisions) = recorded(brain, &mut pending, revision, Transition::Approve).await? else {
        return Ok(OperatorDecision::Meanwhile);
    };
    let user = brain.user(&pending.owner, &pending.chat).await?;
    let ctx = brain.request_context(&user, &pending.chat);
    let under_way = brain.running.carries_out(&pending);
    let finished = brain.execute_approved(&ctx, pending, revisions, &under_way).await?;
    let reference = ctx.reference();
    let mut lines = vec!["The admin of this machine approved this:".to_owned()];
    for step in &finished.run.steps {
        if let StepProgress::Done { outcome } = &step.progress {
            lines.push(show::receipt(&brain.services, &step.action, outcome, &reference).0);
        }
    }
    let told = lines.join("\n");
    tell(brain, &finished.pending, told.clone(), finished.batch).await?;
    Ok(OperatorDecision::CarriedOut(Box::new(finished.pending), told))
}

/// Tells the owner, on the card and below it.
async fn tell(brain: &Brain, pending: &Pending, words: String, batch: Batch) -> Result<(), StoreError> {
    let mut shows = closed::shows(brain, pending).await?;
    shows.push(Show::Send(Reply::text(words)));
    brain.commit_decided(pending, shows, batch).await?;
    brain.deliver(&pending.chat).await;
    Ok(())
}
