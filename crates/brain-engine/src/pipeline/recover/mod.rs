//! Recovery: what a start finds of an earlier life is settled before anything new begins.
//!
//! - An interrupted run of low-stakes actions goes on where it stopped. Its inbox entry, if it has one, is
//!   handled again by the channel, which finds the journal and only tells the end.
//! - An approved card that had not begun, or had steps left, goes on; one approved too long ago expires.
//! - An effect that was begun and never answered is unknown, unless the service can see what became of it.
//!   It is told, never tried again, and asked after for a day ([`in_doubt`]).
//! - What was to be forgotten and was not erased everywhere is erased now.
//!
//! What is told here waits in the outbox: the channel delivers it once it serves, and no chat delays the start.

pub mod in_doubt;
mod unreadable;

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::erasure;
use crate::pipeline::consent::closed;
use crate::pipeline::consent::decisions::{Finished, Revisions};
use crate::pipeline::consent::undo;
use crate::pipeline::run::{self, Grant, Start};
use crate::pipeline::show;
use brain_core::core::ids::{ChatId, PendingId};
use brain_core::core::outcome::Outcome;
use brain_core::core::pending::State;
use brain_core::core::run::{Run, RunOrigin, StepProgress};
use brain_core::core::turn::Reply;
use brain_core::ports::records::{InboxEntry, OutboxEntry, Show};
use brain_core::ports::{Batch, Expect, Key, Record, RecordExt, Scan, StoreError, Table};
use brain_language::language::time::Reference;
use brain_services::services::contract::context::RequestContext;

/// At most so many interrupted runs are looked at; more cannot come from one life of one process.
const RUNS_MAX: usize = 100_000;

const INTERRUPTED: &str = "I was restarted in the middle of something. This is what became of it:";
/// Said when a turn is told from its journal: a card or a question beside it died with the turn.
pub const AND_THE_REST: &str = "If you asked for more than that in the same message, please ask for it again.";
const NO_ANSWER: &str =
    "I was stopped before the answer came. Please look there before trying again; I won't repeat it";

/// Settles everything an earlier life left behind. Returns how many runs that were.
pub async fn recover(brain: &Brain) -> Result<usize, StoreError> {
    let runs = brain.store.list::<Run>(Scan::of::<Run>(&[], RUNS_MAX)).await?;
    let found = runs.len();
    for (mut run, revision) in runs {
        run::date_inverses(&mut run, revision);
        // Its message is still in the inbox: that turn is handled again and finds this journal.
        let waits_in_inbox = run.origin == RunOrigin::Turn && waits_in_inbox(brain, &run).await?;
        let run = settle_doubts(brain, run).await;
        let settled =
            if waits_in_inbox { keep(brain, &run, revision).await } else { finish(brain, run.clone(), revision).await };
        match settled {
            // Whoever began it lives after all, or another process settles it as well; it is theirs.
            Err(StoreError::Conflict { .. }) => {}
            // It is told, and holds up nothing else.
            Err(error) if error.is_of_one_record() => {
                tracing::error!(%error, "what an earlier life began cannot be brought to its end");
                unreadable::tell_what_was_done(brain, &run, revision).await?;
            }
            other => other?,
        }
    }
    unreadable::settle_cards(brain).await?;
    // A start fails for nothing that can be done later.
    if let Err(error) = erasure::resume(brain).await {
        tracing::error!(%error, "what was forgotten could not be erased everywhere yet");
    }
    Ok(found)
}

/// What became of its steps is on record; the turn that is handled again tells it.
async fn keep(brain: &Brain, run: &Run, revision: u64) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.put(run, Expect::Revision(revision))?;
    brain.commit(batch).await.map(|_| ())
}

/// Whether the message or press that led to a run is handled again. A turn that ended in trouble has closed its
/// entry and left the journal: nobody else would come back to it.
async fn waits_in_inbox(brain: &Brain, run: &Run) -> Result<bool, StoreError> {
    let Some(name) = &run.inbox else { return Ok(false) };
    let entry = brain.store.load::<InboxEntry>(&Key::from_stored(name)).await?;
    Ok(entry.is_some_and(|(entry, _)| !entry.done))
}

/// Chats that have something waiting in the outbox.
pub async fn undelivered(brain: &Brain) -> Result<Vec<ChatId>, StoreError> {
    let waiting = brain.store.list::<OutboxEntry>(Scan::of::<OutboxEntry>(&[], RUNS_MAX)).await?;
    let mut chats: Vec<_> = waiting.into_iter().map(|(entry, _)| entry.chat).collect();
    chats.sort();
    chats.dedup();
    Ok(chats)
}

/// Every effect that was begun and never answered gets its outcome: what the service can see, else unknown.
async fn settle_doubts(brain: &Brain, mut run: Run) -> Run {
    let ctx = request_context(brain, &run).await;
    for index in 0..run.steps.len() {
        if run.steps[index].progress != StepProgress::Started {
            continue;
        }
        let action = &run.steps[index].action;
        let seen = match &ctx {
            Ok(ctx) => in_doubt::seen(brain, ctx, action, &run::attempt(&run, index)).await,
            Err(_) => None,
        };
        let outcome = seen.unwrap_or_else(|| Outcome::Unknown { why: NO_ANSWER.to_owned() });
        run.steps[index].progress = StepProgress::Done { outcome };
    }
    run
}

pub(super) async fn request_context(brain: &Brain, run: &Run) -> Result<RequestContext, StoreError> {
    let user = brain.user(&run.owner, &run.chat).await?;
    Ok(brain.request_context(&user, &run.chat))
}

/// Does what is left of a run, and tells the person.
async fn finish(brain: &Brain, run: Run, revision: u64) -> Result<(), StoreError> {
    let ctx = request_context(brain, &run).await?;
    let mut undos = Vec::new();
    let (run, mut shows, mut batch, decided) = match run.origin.clone() {
        RunOrigin::Turn => {
            let ran = run::run(brain, &ctx, run, Start::at(revision), Grant::LowStakes).await?;
            let mut batch = Batch::default();
            ran.end_journal(brain, &mut batch)?;
            (ran.run, Vec::new(), batch, None)
        }
        RunOrigin::Pending(id) => {
            let finished = finish_card(brain, &ctx, &id, run, revision).await?;
            let Some(Finished { pending, run, batch, undo, .. }) = finished else {
                return Ok(());
            };
            undos = undo;
            (run, closed::shows(brain, &pending).await?, batch, Some(pending))
        }
    };
    let reference = ctx.reference();
    let mut lines = told(brain, &run, &reference);
    // What the same message asked for beyond its journal (a card, a question) died with the turn.
    if run.origin == RunOrigin::Turn {
        lines.push(AND_THE_REST.to_owned());
    }
    let buttons = undo::buttons(&undos, &mut batch)?;
    shows.push(Show::Send(Reply { buttons, ..Reply::text(lines.join("\n")) }));
    match decided {
        Some(pending) => brain.commit_decided(&pending, shows, batch).await,
        None => brain.commit_told(&run.chat, shows, batch).await,
    }
}

/// What became of each step, as far as that is known.
pub(super) fn told(brain: &Brain, run: &Run, reference: &Reference) -> Vec<String> {
    let done = run.steps.iter().filter_map(|step| match &step.progress {
        StepProgress::Done { outcome } => Some(show::receipt(&brain.services, &step.action, outcome, reference).0),
        StepProgress::Planned | StepProgress::Started => None,
    });
    std::iter::once(INTERRUPTED.to_owned()).chain(done).collect()
}

/// Does what is left of an approved card.
async fn finish_card(
    brain: &Brain,
    ctx: &RequestContext,
    id: &PendingId,
    run: Run,
    revision: u64,
) -> Result<Option<Finished>, StoreError> {
    let Some((pending, pending_revision)) = brain.pending(id).await? else {
        drop_run(brain, &run, revision).await?;
        return Ok(None);
    };
    let under_way = brain.running.carries_out(&pending);
    match pending.state {
        State::Approved => {
            let revisions = Revisions { pending: pending_revision, run: revision };
            brain.execute_approved(ctx, pending, revisions, &under_way).await.map(Some)
        }
        State::Executing => {
            let ran = run::run(brain, ctx, run, Start::at(revision), Grant::Approved(&pending, &under_way)).await?;
            brain.finish(pending, pending_revision, ran).map(Some)
        }
        // Its end is on record; only the journal was left.
        State::Pending
        | State::Succeeded
        | State::Failed
        | State::Unknown
        | State::Denied
        | State::Expired
        | State::Superseded => {
            drop_run(brain, &run, revision).await?;
            Ok(None)
        }
    }
}

async fn drop_run(brain: &Brain, run: &Run, revision: u64) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.delete(Table::Runs, run.key(), Expect::Revision(revision));
    brain.commit(batch).await?;
    Ok(())
}
