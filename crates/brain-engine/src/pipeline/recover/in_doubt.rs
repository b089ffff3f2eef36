//! Doubts: effects elsewhere that were told as unknown are asked after until somebody can tell.
//!
//! Invariants: nothing is ever done again; what is told then is what the place itself shows; each is told once, in the
//! commit that ends the doubt. What nobody can tell after a day stays unknown, as it was told.

use std::time::Duration;

use futures::stream::{self, StreamExt as _};

use crate::pipeline::brain::Brain;
use crate::pipeline::{run, show};
use brain_core::core::ids::ChatId;
use brain_core::core::outcome::Outcome;
use brain_core::core::pending::{ActualOutcome, State, Transition};
use brain_core::core::plan::Action;
use brain_core::core::turn::Reply;
use brain_core::limits;
use brain_core::ports::records::{InDoubt, Show};
use brain_core::ports::{Batch, Expect, Record, RecordExt, Scan, StoreError, Table};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::service::Attempt;

/// Said above what became of it.
const KNOWN_NOW: &str = "I could not tell what became of this. Now I can:";

/// Said of what did not come about.
const NOT_DONE: &str = "it was not done there";

/// What became of an attempt, as far as the place itself shows it within the time that a command has.
pub(super) async fn seen(brain: &Brain, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Option<Outcome> {
    let entry = brain.services.of(action)?;
    let patience = Duration::from_millis(limits::COMMAND_TIMEOUT_MS);
    let seen = tokio::time::timeout(patience, entry.happened(ctx, action, attempt)).await.ok().flatten()?;
    if matches!(seen, Outcome::Succeeded { .. }) {
        // What was done there is not in what is kept of it here.
        run::mirror_anew(brain, ctx, &action.service).await;
    }
    Some(seen)
}

/// Which doubts are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubts {
    /// All: what was not reached before may be reached after a new start.
    All,
    /// Those whose time has come.
    Due,
}

/// Looks into doubts; the chats in which something is told.
pub async fn settle(brain: &Brain, looked: Doubts) -> Result<Vec<ChatId>, StoreError> {
    let now = brain.clock.now();
    let all = brain.store.list::<InDoubt>(Scan::of::<InDoubt>(&InDoubt::ALL, limits::DOUBTS_AT_ONCE)).await?;
    let due = all.into_iter().filter(|(doubt, _)| looked == Doubts::All || doubt.at <= now);
    let looking = due.map(|(doubt, revision)| async move {
        let chat = doubt.chat.clone();
        match look_into(brain, doubt, revision).await {
            Ok(is_told) => Ok(is_told.then_some(chat)),
            // Somebody else has ended it.
            Err(StoreError::Conflict { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    });
    let looked: Vec<_> = stream::iter(looking).buffer_unordered(limits::DOUBTS_SIDE_BY_SIDE).collect().await;
    looked.into_iter().filter_map(Result::transpose).collect()
}

/// True when something was told.
async fn look_into(brain: &Brain, doubt: InDoubt, revision: u64) -> Result<bool, StoreError> {
    let user = brain.user(&doubt.owner, &doubt.chat).await?;
    let ctx = brain.request_context(&user, &doubt.chat);
    let attempt = Attempt { key: doubt.attempt.clone(), begun: doubt.begun };
    let seen = seen(brain, &ctx, &doubt.action, &attempt).await;
    let known = seen.filter(|outcome| !matches!(outcome, Outcome::Unknown { .. }));
    let mut batch = Batch::default();
    let Some(outcome) = known else {
        if ctx.now < doubt.at {
            return Ok(false);
        }
        match limits::DOUBT_LOOKS_MINS.get(doubt.looks + 1) {
            Some(minutes) => {
                let at = ctx.now + chrono::Duration::minutes(*minutes);
                batch.put(&InDoubt { at, looks: doubt.looks + 1, ..doubt }, Expect::Revision(revision))?;
            }
            None => {
                batch.delete(Table::Meta, doubt.key(), Expect::Revision(revision));
            }
        }
        return brain.commit(batch).await.map(|_| false);
    };
    batch.delete(Table::Meta, doubt.key(), Expect::Revision(revision));
    let happened = matches!(outcome, Outcome::Succeeded { .. });
    if let Some(card) = &doubt.card
        && let Some((mut pending, pending_revision)) = brain.pending(card).await?
        && pending.state == State::Unknown
        && pending.actions.len() == 1
    {
        let settled = if happened { ActualOutcome::Happened } else { ActualOutcome::DidNotHappen };
        if pending.apply(Transition::Settle(settled)).is_ok() {
            batch.put(&pending, Expect::Revision(pending_revision))?;
            batch.put(&brain.audit_pending(&pending.owner, ctx.now, &pending), Expect::Absent)?;
        }
    }
    // Why not is what nobody knows.
    let outcome = if happened { outcome } else { Outcome::failed(NOT_DONE) };
    let receipt = show::receipt(&brain.services, &doubt.action, &outcome, &ctx.reference()).0;
    let shows = vec![Show::Send(Reply::text(format!("{KNOWN_NOW}\n{receipt}")))];
    brain.commit_told(&doubt.chat, shows, batch).await?;
    Ok(true)
}
