//! Delivery: what waits in a chat's outbox is shown there.
//!
//! Invariants: a message leaves the outbox only once the channel has returned its number, and only as it was when it
//! was shown: what another deliverer put into it meanwhile is still told. Messages of a chat are shown in order; what
//! cannot be shown now stays, with everything behind it; a card that nobody could decide is not shown; a delivery that
//! breaks ends nothing but itself; what was forgotten is erased first. Two deliverers of a chat may show a message
//! twice; one takes it out. Not here: which of several reminders become one message ([`super::notifications`]).

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use super::{conversation, erasure, notifications, shown, wording};
use crate::pipeline::brain::Brain;
use brain_core::core::button::Press;
use brain_core::core::ids::{ChatId, MessageId, PendingId, UserId};
use brain_core::core::pending::{State, Transition};
use brain_core::core::turn::{CardPart, Reply};
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::records::{CardMessage, OutboxEntry, Show};
use brain_core::ports::{Batch, Expect, Key, Record, RecordExt, Scan, SendError, StoreError, Table, optimistic};

/// An entry and its revision.
pub(super) type RevisedEntry = (OutboxEntry, u64);

/// An entry that was shown, as it was then.
struct ShownEntry {
    key: Key,
    revision: u64,
}

impl ShownEntry {
    fn take_out(&self, batch: &mut Batch) {
        batch.delete(Table::Outbox, self.key.clone(), Expect::Revision(self.revision));
    }
}

/// What comes after one entry of an outbox.
enum Then {
    /// The next entry, as it was read.
    GoesOn,
    /// Others have changed with it.
    LooksAgain,
    /// The chat has to wait.
    Waits,
}

/// See [`Brain::delivered_so_far`].
pub(super) async fn delivered_so_far(brain: &Brain, chat: &ChatId) {
    let patience = Duration::from_millis(limits::DELIVERY_PATIENCE_MS);
    // Nobody is kept from delivering: the lock is given back at once.
    let _ = tokio::time::timeout(patience, brain.locks.delivering(chat)).await;
}

/// See [`Brain::deliver`].
pub(super) async fn deliver(brain: &Brain, chat: &ChatId) {
    let _one = brain.locks.delivering(chat).await;
    if let Err(_panic) = AssertUnwindSafe(show_all(brain, chat)).catch_unwind().await {
        tracing::error!(%chat, "a delivery broke; what waits there stays, and is tried again");
        brain.channel.try_again(chat);
    }
}

async fn show_all(brain: &Brain, chat: &ChatId) {
    erasure::carry_out(brain, chat).await;
    loop {
        let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], limits::OUTBOX_AT_ONCE);
        let waiting = match brain.store.list::<OutboxEntry>(scan).await {
            Ok(waiting) if waiting.is_empty() => return,
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::error!(%error, "the outbox cannot be read");
                return;
            }
        };
        let ready = match notifications::ready(brain, chat, waiting).await {
            Ok(Some(ready)) => ready,
            Ok(None) => continue,
            Err(error) => {
                tracing::error!(%error, "the outbox cannot be put in order");
                return;
            }
        };
        if ready.is_empty() {
            return;
        }
        let mut changed = Vec::new();
        let mut then = Then::GoesOn;
        for held in ready {
            then = show(brain, held, &mut changed).await;
            if !matches!(then, Then::GoesOn) {
                break;
            }
        }
        if let Err(error) = take_out(brain, changed).await {
            tracing::error!(%error, "what was changed could not be recorded; it may be changed once more");
            return;
        }
        if matches!(then, Then::Waits) {
            return;
        }
    }
}

/// Takes out what nothing was shown behind.
async fn take_out(brain: &Brain, changed: Vec<ShownEntry>) -> Result<(), StoreError> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut batch = Batch::default();
    changed.iter().for_each(|mark| mark.take_out(&mut batch));
    match brain.commit(batch).await {
        // Another deliverer has done it.
        Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Shows one entry. A message that was only changed is taken out together with what is shown next: to change it once
/// more changes nothing.
async fn show(brain: &Brain, (mut entry, revision): RevisedEntry, changed: &mut Vec<ShownEntry>) -> Then {
    if let Err(error) = withhold_altered(brain, &mut entry).await {
        tracing::error!(%error, "a card cannot be checked, so it waits");
        return Then::Waits;
    }
    if let Show::Send(reply) = &mut entry.show {
        *reply = wording::worded(std::mem::take(reply), brain.clock.now());
    }
    let shown = match &entry.show {
        Show::Send(reply) if is_noticed(brain, &entry.chat, reply).await => Ok(None),
        Show::Send(reply) => brain.channel.send(&entry.chat, reply).await.map(Some),
        Show::Edit(edit) => brain.channel.edit(&entry.chat, edit).await.map(|()| None),
    };
    fail_point("shown");
    let mark = ShownEntry { key: entry.key(), revision };
    let recorded = match shown {
        Ok(_) if matches!(entry.show, Show::Edit(_)) => {
            changed.push(mark);
            return Then::GoesOn;
        }
        Ok(message) => delivered(brain, &entry, mark, changed, message).await,
        Err(SendError::Later(why)) => {
            tracing::warn!(chat = %entry.chat, why, "a message has to wait");
            return Then::Waits;
        }
        Err(SendError::Blocked(why)) => {
            if let Err(error) = notifications::blocked(brain, &entry.chat, &why).await {
                tracing::error!(%error, "a closed chat could not be noted");
            }
            return Then::Waits;
        }
        Err(SendError::Never(why)) => {
            tracing::error!(chat = %entry.chat, why, "a message cannot be delivered and is put aside");
            if let Show::Send(Reply { card: Some(card), .. }) = &entry.show {
                return match withdraw(brain, &entry.chat, &card.pending).await {
                    Ok(()) => Then::LooksAgain,
                    Err(error) => {
                        tracing::error!(%error, "a card that cannot be shown could not be withdrawn; it is tried again");
                        Then::Waits
                    }
                };
            }
            delivered(brain, &entry, mark, changed, None).await
        }
    };
    recorded.unwrap_or_else(|error| {
        tracing::error!(%error, "a delivery could not be recorded; the message may be repeated");
        Then::Waits
    })
}

/// Whether a reply needs no message, because its words were shown over the button that asked for them.
async fn is_noticed(brain: &Brain, chat: &ChatId, reply: &Reply) -> bool {
    match &reply.notice {
        Some(notice) => brain.channel.notice(chat, notice, &reply.text).await,
        None => false,
    }
}

/// A card that cannot be shown cannot be decided: it is withdrawn, with what is left of it in the outbox.
async fn withdraw(brain: &Brain, chat: &ChatId, id: &PendingId) -> Result<(), StoreError> {
    let shows = |entry: &OutboxEntry| match &entry.show {
        Show::Send(reply) => reply.card.as_ref().is_some_and(|card| card.pending == *id),
        Show::Edit(_) => false,
    };
    // Somebody may decide it, or deliver here, at this very moment; then both are read again.
    optimistic(&[Table::Pending, Table::Outbox], || async move {
        let mut batch = Batch::default();
        let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], limits::COALESCED_MAX);
        for (entry, revision) in brain.store.list::<OutboxEntry>(scan).await?.iter().filter(|(entry, _)| shows(entry)) {
            batch.delete(Table::Outbox, entry.key(), Expect::Revision(*revision));
        }
        if let Some((mut pending, revision)) = brain.readable_pending(id).await?
            && pending.state.is_open()
            && pending.apply(Transition::Supersede).is_ok()
        {
            batch.put(&pending, Expect::Revision(revision))?;
            brain.leave_open(&pending, &mut batch);
            let nobody = UserId::new("outbox");
            batch.put(&brain.audit_pending(&nobody, brain.clock.now(), &pending), Expect::Absent)?;
        }
        brain.commit(batch).await.map(|_| ())
    })
    .await
}

/// A card whose record no longer has the digest it was made with is not shown: nobody could decide it.
async fn withhold_altered(brain: &Brain, entry: &mut OutboxEntry) -> Result<(), StoreError> {
    let Show::Send(reply) = &entry.show else {
        return Ok(());
    };
    let Some(card) = &reply.card else {
        return Ok(());
    };
    let stored = brain.readable_pending(&card.pending).await?;
    let intact = stored.is_some_and(|(pending, _)| {
        let made_for = reply.buttons.iter().flatten().next();
        let made_for = made_for.and_then(|button| Press::decode(&button.data));
        pending.digest == pending.compute_digest()
            && match made_for {
                Some(Press::Card { digest_prefix, .. }) => pending.digest.matches(&digest_prefix),
                Some(_) => false,
                None => !card.is_last(),
            }
    });
    if !intact {
        tracing::error!(pending = %card.pending, "a card's record is not what it was made as; it is not shown");
        let why = format!(
            "A card ({}) was altered in my store, so I don't show it. Nothing was done; please ask again.",
            card.pending
        );
        entry.show = Show::Send(Reply::text(why));
    }
    Ok(())
}

/// Takes an entry that was shown out of the outbox, and notes which message it has become. Where another deliverer has
/// taken it out, or put more into it, the message is noted all the same: it stands there, with its buttons.
async fn delivered(
    brain: &Brain,
    entry: &OutboxEntry,
    mark: ShownEntry,
    changed: &mut Vec<ShownEntry>,
    message: Option<MessageId>,
) -> Result<Then, StoreError> {
    let _order = brain.locks.writing(&entry.chat).await;
    // The marks go with the first message behind them, whatever becomes of them there: at worst they are made anew.
    let marks: Vec<ShownEntry> = changed.drain(..).chain([mark]).collect();
    match recorded(brain, entry, Some(&marks), message).await {
        Ok(()) => Ok(Then::GoesOn),
        Err(StoreError::Conflict { table: Table::Outbox, .. }) => {
            recorded(brain, entry, None, message).await.map(|()| Then::LooksAgain)
        }
        Err(error) => Err(error),
    }
}

/// One commit of a delivery. `marks`: the entries that it takes out; `None` when that is somebody else's to do.
async fn recorded(
    brain: &Brain,
    entry: &OutboxEntry,
    marks: Option<&[ShownEntry]>,
    message: Option<MessageId>,
) -> Result<(), StoreError> {
    optimistic(&[Table::Chats, Table::Pending], || async move {
        let mut batch = Batch::default();
        if let (Some(message), Show::Send(reply)) = (message, &entry.show) {
            let (mut state, expect) = brain.chat_state_at(&entry.chat).await?;
            state.last_bot_message = Some(message);
            // A reminder stands beside the line of a turn; everything else takes its place.
            if reply.reminder.is_none() {
                state.status_line = None;
            }
            let mut said = Batch::default();
            let told = match marks {
                Some(_) => conversation::notified(&mut state, reply, message, brain.clock.now(), &mut said)?,
                None => None,
            };
            batch.put(&state, expect)?.extend(said.changes);
            match &reply.card {
                Some(card) => note_card(brain, &entry.chat, card, message, &mut batch).await?,
                None => {
                    let reply = Reply { said: reply.said.or(told), ..reply.clone() };
                    shown::note(brain, &entry.chat, message, &reply, &mut batch)?;
                }
            }
        }
        marks.into_iter().flatten().for_each(|mark| mark.take_out(&mut batch));
        if batch.changes.is_empty() {
            return Ok(());
        }
        brain.commit(batch).await.map(|_| ())
    })
    .await
}

/// Notes which message shows which part of a card, so that a yes can be told to have come after it.
async fn note_card(
    brain: &Brain,
    chat: &ChatId,
    card: &CardPart,
    message: MessageId,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    // The same number never shows another card; what the channel says now counts.
    batch.put(&CardMessage { chat: chat.clone(), message, pending: card.pending.clone() }, Expect::Any)?;
    let Some((mut pending, revision)) = brain.readable_pending(&card.pending).await? else { return Ok(()) };
    // Whoever executes it goes by the revision of the approval; a repeated message changes nothing about that.
    if matches!(pending.state, State::Approved | State::Executing) {
        return Ok(());
    }
    // A card shown again after a crash starts over, so that its last part is the one shown last.
    if card.part == 1 {
        pending.card_messages.clear();
    }
    pending.card_messages.push(message);
    batch.put(&pending, Expect::Revision(revision))?;
    Ok(())
}
