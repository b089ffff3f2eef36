//! Recovery of what an earlier life began, where its journal or its card cannot be read any more.
//!
//! Invariant: a missing word is never taken as proof that nothing was done. A card whose journal is unreadable ends as
//! unknown; a journal whose card is unreadable tells what it knows, and nothing more of it is done.

use crate::pipeline::brain::Brain;
use crate::pipeline::consent::closed;
use crate::pipeline::show;
use brain_core::core::ids::{PendingId, UserId};
use brain_core::core::pending::{End, Pending, State, Transition};
use brain_core::core::run::{Run, RunOrigin};
use brain_core::core::turn::Reply;
use brain_core::ports::records::{Aside, Show};
use brain_core::ports::{Batch, Expect, Record, RecordExt, Scan, StoreError, Table};

/// Unreadable journals that are looked at at a start; each is a card that was being executed when the process died.
const JOURNALS_MAX: usize = 1_000;

const NO_CARD: &str = "I can no longer read the card this belongs to, so I do nothing more of it.";

/// Ends every card whose journal cannot be read.
pub(super) async fn settle_cards(brain: &Brain) -> Result<(), StoreError> {
    let journals = Scan::of::<Aside>(&[Table::Runs.name()], JOURNALS_MAX);
    for (aside, _) in brain.store.list::<Aside>(journals).await? {
        // The journal of a card has the card's name.
        let [id] = aside.key.as_slice() else { continue };
        let Some((card, revision)) = brain.readable_pending(&PendingId::new(id.as_str())).await? else { continue };
        match end_as_unknown(brain, card, revision).await {
            Ok(()) | Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn end_as_unknown(brain: &Brain, mut card: Pending, revision: u64) -> Result<(), StoreError> {
    let begun = match card.state {
        State::Approved => card.apply(Transition::Begin).is_ok(),
        State::Executing => true,
        State::Pending | State::Succeeded | State::Failed | State::Unknown => false,
        State::Denied | State::Expired | State::Superseded => false,
    };
    if !begun || card.apply(Transition::Finish(End::Unknown)).is_err() {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.put(&card, Expect::Revision(revision))?;
    let nobody = UserId::new("recovery");
    batch.put(&brain.audit_pending(&nobody, brain.clock.now(), &card), Expect::Absent)?;
    let words = format!(
        "❔ I was restarted while I did this, and can no longer read my notes on it, so I don't know whether it was done: {}. Please look there before trying again; I won't repeat it.",
        show::title(&brain.services, &card)
    );
    let mut shows = closed::shows(brain, &card).await?;
    shows.push(Show::Send(Reply::text(words)));
    brain.commit_decided(&card, shows, batch).await
}

/// Tells what a run came to before its card could no longer be read. Any other run stays as it is.
pub(super) async fn tell_what_was_done(brain: &Brain, run: &Run, revision: u64) -> Result<(), StoreError> {
    let RunOrigin::Pending(id) = &run.origin else { return Ok(()) };
    if !matches!(brain.pending(id).await, Err(StoreError::Unreadable { .. })) {
        return Ok(());
    }
    let ctx = super::request_context(brain, run).await?;
    let mut lines = super::told(brain, run, &ctx.reference());
    lines.push(NO_CARD.to_owned());
    let mut batch = Batch::default();
    batch.delete(Table::Runs, run.key(), Expect::Revision(revision));
    match brain.commit_told(&run.chat, vec![Show::Send(Reply::text(lines.join("\n")))], batch).await {
        Err(StoreError::Conflict { .. }) => Ok(()),
        other => other,
    }
}
