//! Retention: what has had its time goes away, in small steps (see [`brain_core::limits::kept`] for how long, and why).
//!
//! Each step reads a page, commits what of it is over, and says where to go on. Nothing is remembered of a walk but its
//! place, so one that was cut short begins anew and finds what is left.
//!
//! Invariants: what is open, due, undecided, being done, doubtful or can still be undone stays, however old it is; each
//! deletion expects the record that was looked at; a record that cannot be read is set aside, not deleted.

use chrono::{DateTime, TimeDelta, Utc};

use super::looking::first_parts;
use brain_core::core::pending::{Pending, State};
use brain_core::limits;
use brain_core::limits::kept::{Kept, RETENTION};
use brain_core::ports::records::{
    Aside, Audit, CardMessage, CompressionTrace, ConversationSummary, DailyUsage, InboxEntry, Message, OutboxEntry,
    Show, Shown, TurnContents, TurnTrace, Undo,
};
use brain_core::ports::{Batch, Expect, Key, Order, Scan, StoreError, Stored, Table, from_stored, leave_out};
use brain_engine::pipeline::brain::Brain;
use brain_engine::queries::offers::{OFFER, Offer};

/// A walk through everything that is not kept for ever.
#[derive(Debug)]
pub(super) struct RetentionWalk {
    /// What is still to be walked through, the next one last.
    left: Vec<KeyRange>,
    /// Records that went away.
    pub(super) gone: usize,
}

/// A range of keys that is looked through from its beginning.
#[derive(Debug)]
struct KeyRange {
    of: Kept,
    scan: Scan,
    /// Whether its keys are in order of time, so that the first that stays is the last that is looked at.
    is_by_time: bool,
}

impl RetentionWalk {
    /// From the beginning, with the chats that there are now.
    pub(super) async fn begin(brain: &Brain) -> Result<Self, StoreError> {
        let mut left = Vec::new();
        for of in RETENTION.map(|row| row.of) {
            left.extend(parts(brain, of).await?);
        }
        Ok(Self { left, gone: 0 })
    }

    /// One step; false when there is nothing left to look at.
    pub(super) async fn step(&mut self, brain: &Brain) -> Result<bool, StoreError> {
        let Some(mut part) = self.left.pop() else { return Ok(false) };
        let until = brain.clock.now() - TimeDelta::seconds(brain.policy.keep.secs(part.of));
        let page = brain.store.scan(part.scan.clone()).await?;
        let last = page.last().map(|(key, _)| key.clone());
        let is_full = page.len() == part.scan.limit;
        let (mut batch, mut one_stays) = (Batch::default(), false);
        for (key, stored) in page {
            match is_over(brain, &part, &stored, until).await {
                Ok(Some(along)) => {
                    batch.delete(part.scan.table, key, Expect::Revision(stored.revision));
                    batch.changes.extend(along.changes);
                }
                Ok(None) => one_stays = true,
                Err(error) if error.is_of_one_record() => {
                    leave_out(brain.store.as_ref(), part.scan.table, &key, &stored, &error).await;
                }
                Err(error) => return Err(error),
            }
        }
        let gone = batch.changes.len();
        if gone > 0 {
            match brain.commit(batch).await {
                Ok(_) => self.gone += gone,
                // Somebody uses one of them: the next walk looks again.
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if is_full && !(part.is_by_time && one_stays) {
            part.scan.after = last;
            self.left.push(part);
        }
        Ok(!self.left.is_empty())
    }
}

/// Where its records are.
async fn parts(brain: &Brain, of: Kept) -> Result<Vec<KeyRange>, StoreError> {
    let whole = |table, is_by_time| vec![KeyRange { of, scan: scan(table, None), is_by_time }];
    Ok(match of {
        Kept::Inbox => whole(Table::Inbox, false),
        Kept::Cards => {
            let mut parts = by_first_part(brain, of, Table::Cards).await?;
            parts.extend(whole(Table::Pending, false));
            parts
        }
        Kept::Undo => whole(Table::Undo, true),
        Kept::Offers => vec![KeyRange { of, scan: scan(Table::Meta, Some(Key::prefix(&[OFFER]))), is_by_time: false }],
        Kept::Traces => {
            let mut parts = by_first_part(brain, of, Table::Contents).await?;
            parts.iter_mut().for_each(|part| part.scan.limit = limits::CONTENTS_STEP);
            parts.extend([Table::Turns, Table::Compressions].into_iter().flat_map(|table| whole(table, true)));
            parts
        }
        Kept::Audit => whole(Table::Audit, true),
        Kept::Usage => whole(Table::Usage, false),
        Kept::Aside => whole(Table::Aside, false),
        Kept::Outbox => by_first_part(brain, of, Table::Outbox).await?,
        Kept::Conversation => {
            let mut parts = by_first_part(brain, of, Table::Messages).await?;
            parts.extend(whole(Table::Summaries, false));
            parts
        }
        Kept::Shown => by_first_part(brain, of, Table::Shown).await?,
    })
}

/// A part for each chat, or each person: inside it what came later has a greater key.
async fn by_first_part(brain: &Brain, of: Kept, table: Table) -> Result<Vec<KeyRange>, StoreError> {
    let firsts = first_parts(brain, table).await?;
    let part = |first: &String| KeyRange { of, scan: scan(table, Some(Key::prefix(&[first]))), is_by_time: true };
    Ok(firsts.iter().map(part).collect())
}

fn scan(table: Table, prefix: Option<Key>) -> Scan {
    let limit = limits::RETENTION_STEP;
    Scan { table, by: None, prefix, before: None, after: None, order: Order::Ascending, limit }
}

/// Whether a record has had its time: what goes with it, or `None` when it stays.
async fn is_over(
    brain: &Brain,
    part: &KeyRange,
    stored: &Stored,
    until: DateTime<Utc>,
) -> Result<Option<Batch>, StoreError> {
    let alone = |is_over: bool| is_over.then(Batch::default);
    Ok(match part.of {
        Kept::Inbox => {
            let entry = from_stored::<InboxEntry>(stored)?;
            alone(entry.done && entry.received_at < until)
        }
        Kept::Outbox => {
            let entry = from_stored::<OutboxEntry>(stored)?;
            // A card that was not shown is withdrawn when it expires; until then it may still be decided.
            let is_card = matches!(&entry.show, Show::Send(reply) if reply.card.is_some());
            alone(!is_card && entry.at < until)
        }
        Kept::Conversation if part.scan.table == Table::Summaries => {
            alone(from_stored::<ConversationSummary>(stored)?.at < until)
        }
        Kept::Conversation => alone(from_stored::<Message>(stored)?.at < until),
        Kept::Shown => alone(from_stored::<Shown>(stored)?.at < until),
        Kept::Undo => alone(from_stored::<Undo>(stored)?.until < until),
        Kept::Offers => alone(from_stored::<Offer>(stored)?.until < until),
        Kept::Traces if part.scan.table == Table::Compressions => {
            alone(from_stored::<CompressionTrace>(stored)?.at < until)
        }
        // What they got and gave has no longer life than how they went.
        Kept::Traces if part.scan.table == Table::Contents => {
            alone(brain.policy.contents_kept == 0 || from_stored::<TurnContents>(stored)?.at < until)
        }
        Kept::Traces => alone(from_stored::<TurnTrace>(stored)?.at < until),
        Kept::Audit => alone(from_stored::<Audit>(stored)?.at < until),
        Kept::Usage => alone(from_stored::<DailyUsage>(stored)?.day < until.date_naive()),
        // What was left where it is is still there.
        Kept::Aside => {
            let aside = from_stored::<Aside>(stored)?;
            alone(!aside.left && aside.told.is_some_and(|told| told < until))
        }
        Kept::Cards if part.scan.table == Table::Cards => {
            // Left of a card that is gone, or was shown again.
            let card = Key::of(&[from_stored::<CardMessage>(stored)?.pending.as_str()]);
            alone(brain.store.get(Table::Pending, &card).await?.is_none())
        }
        Kept::Cards => card_is_over(&from_stored::<Pending>(stored)?, until),
    })
}

/// A card goes together with what says which messages showed it.
fn card_is_over(card: &Pending, until: DateTime<Utc>) -> Option<Batch> {
    let has_ended = match card.state {
        State::Succeeded | State::Failed | State::Denied | State::Expired | State::Superseded => true,
        State::Pending | State::Approved | State::Executing | State::Unknown => false,
    };
    let at = card.decision.as_ref().map_or(card.expires_at, |decision| decision.at);
    let mut rows = Batch::default();
    for message in &card.card_messages {
        rows.delete(Table::Cards, CardMessage::key_of(&card.chat, *message), Expect::Any);
    }
    (has_ended && at < until).then_some(rows)
}
