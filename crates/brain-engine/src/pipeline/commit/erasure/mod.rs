//! Erasure: what a person had forgotten is erased from everything that was written down about it.
//!
//! ```text
//! Asked ─► every record looked through ─► Bytes ─► the store is scrubbed ─► done
//!   └────► Waits, for what is still open ──┘   └─► failed: told, and tried at the next start
//! ```
//!
//! Where the text stands a mark is put in its place; the turns that were about the thing itself lose their words even
//! where they said it differently. It is done before anything more is delivered in that chat, so that whoever reads
//! that it is forgotten can rely on it.
//!
//! Invariants: only the person's own records change; what is still open (a card, a question, a journal) is told and
//! left until it is settled; every step may be repeated. Not here: what people made on purpose and keep under a name of
//! its own (their tasks, notes, events): it is told that it has the text. All of a person: [`person`].

pub(in crate::pipeline) mod person;
mod records;

use std::collections::BTreeSet;

use records::ErasureQuery;

use super::outbox;
use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::turn::Reply;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::records::{Erasure, ErasureStage, Show};
use brain_core::ports::{Batch, Expect, IndexError, Key, Record, RecordExt, Scan, StoreError, Table};

const WAITS_CARD: &str = "It still stands in a card that waits for your answer. I don't change what you were shown: once that is decided, I erase it there as well.";
const WAITS_QUESTION: &str =
    "It still stands in what a question of mine is about: once that is answered or dropped, I erase it there as well.";
const BYTES_DONE: &str = "🧹 What you had me forget is now gone from my file on the disk as well.";

/// Erases what was forgotten in this chat and can be erased now.
pub(super) async fn carry_out(brain: &Brain, chat: &ChatId) {
    if let Err(error) = carried_out(brain, chat, Life::GoesOn).await {
        tracing::error!(%error, "what was forgotten could not be erased everywhere yet; it is tried again");
    }
}

/// The same at a start, for every chat.
pub(in crate::pipeline) async fn resume(brain: &Brain) -> Result<(), StoreError> {
    let left = brain.store.list::<Erasure>(Scan::of::<Erasure>(&[], limits::ERASURES_MAX)).await?;
    let chats: BTreeSet<ChatId> = left.into_iter().map(|(erasure, _)| erasure.chat).collect();
    for chat in &chats {
        carried_out(brain, chat, Life::Begins).await?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Begins,
    GoesOn,
}

async fn carried_out(brain: &Brain, chat: &ChatId, life: Life) -> Result<(), StoreError> {
    let scan = Scan::of::<Erasure>(&[chat.as_str()], limits::ERASURES_MAX);
    let (mut batch, mut lines) = (Batch::default(), BTreeSet::new());
    let mut bytes = Vec::new();
    for (mut erasure, revision) in brain.store.list::<Erasure>(scan).await? {
        brain.evidence.forget(&erasure.owner);
        let sought = ErasureQuery::of(brain, &erasure).await?;
        let is_first = match &erasure.stage {
            ErasureStage::Bytes { told: true } if life == Life::GoesOn => continue,
            ErasureStage::Bytes { .. } => {
                bytes.push(erasure);
                continue;
            }
            ErasureStage::Waits { for_records } if sought.stands_in_any(brain, for_records).await? => continue,
            ErasureStage::Waits { .. } => false,
            ErasureStage::Asked => true,
        };
        let open = sought.erased(brain).await?;
        if let Some(forgotten) = &sought.forgotten {
            brain.channel.erase(&erasure.owner, forgotten).await;
        }
        if is_first {
            lines.extend(told_open(&open));
            lines.extend(told_kept(brain, &erasure.owner, &sought).await);
        }
        erasure.stage = if open.is_empty() {
            erasure.texts.clear();
            ErasureStage::Bytes { told: false }
        } else {
            ErasureStage::Waits { for_records: open }
        };
        batch.put(&erasure, Expect::Revision(revision))?;
        if erasure.texts.is_empty() {
            bytes.push(erasure);
        }
    }
    if !batch.changes.is_empty() {
        tell(brain, chat, lines, batch).await?;
    }
    if bytes.is_empty() { Ok(()) } else { purge(brain, chat, bytes).await }
}

async fn tell(brain: &Brain, chat: &ChatId, lines: BTreeSet<String>, batch: Batch) -> Result<(), StoreError> {
    if lines.is_empty() {
        return brain.commit(batch).await.map(|_| ());
    }
    let words = lines.into_iter().collect::<Vec<_>>().join("\n");
    outbox::tell(brain, chat, &[Show::Send(Reply::text(words))], &batch, None).await
}

/// Rids the store's own bytes of it.
async fn purge(brain: &Brain, chat: &ChatId, left: Vec<Erasure>) -> Result<(), StoreError> {
    fail_point("erasure-marked");
    let mut batch = Batch::default();
    let mut lines = BTreeSet::new();
    let were_told = left.iter().any(|erasure| erasure.stage == ErasureStage::Bytes { told: true });
    match purged(brain, &left).await {
        Ok(()) => {
            fail_point("erasure-scrubbed");
            for erasure in left {
                // Nobody else writes it any more; gone is gone.
                batch.delete(Table::Erasures, erasure.key(), Expect::Any);
            }
            lines.extend(were_told.then(|| BYTES_DONE.to_owned()));
        }
        Err(error) => {
            tracing::error!(%error, "the store could not be scrubbed");
            for erasure in left {
                batch.put(&Erasure { stage: ErasureStage::Bytes { told: true }, ..erasure }, Expect::Any)?;
            }
            if !were_told {
                lines.insert(told_left(&error));
            }
        }
    }
    tell(brain, chat, lines, batch).await
}

async fn purged(brain: &Brain, left: &[Erasure]) -> Result<(), StoreError> {
    purged_of(brain, left.iter().map(|erasure| &erasure.owner).collect()).await
}

/// Index first: a start that finds the store scrubbed has nothing more to do.
async fn purged_of(brain: &Brain, owners: BTreeSet<&UserId>) -> Result<(), StoreError> {
    for owner in owners {
        brain.index.purge(owner).await.map_err(|cause| match cause {
            IndexError::Store(cause) => cause,
            other @ (IndexError::Building(_) | IndexError::Broken(_)) => {
                StoreError::Disk { path: "the search index".to_owned(), why: other.to_string() }
            }
        })?;
    }
    fail_point("erasure-purged");
    brain.store.purge().await
}

fn told_left(error: &StoreError) -> String {
    let why = match error {
        StoreError::Full { .. } => "the disk is full; please free some space".to_owned(),
        StoreError::Conflict { .. }
        | StoreError::Locked { .. }
        | StoreError::Damaged { .. }
        | StoreError::Newer { .. }
        | StoreError::NewerRecord { .. }
        | StoreError::Unreadable { .. }
        | StoreError::Disk { .. }
        | StoreError::NoIndex { .. }
        | StoreError::Closed => error.to_string(),
    };
    format!(
        "⚠️ I no longer know it, but traces of it may be left in my file on the disk, which could not be written anew: {why}. I erase them at my next start."
    )
}

fn told_open(open: &[(Table, Key)]) -> Vec<String> {
    let stands_in = |wanted: Table| open.iter().any(|(table, _)| *table == wanted);
    let told = [(Table::Pending, WAITS_CARD), (Table::Chats, WAITS_QUESTION)];
    told.iter().filter(|(table, _)| stands_in(*table)).map(|(_, words)| format!("⏳ {words}")).collect()
}

/// What the person keeps elsewhere and has the same text.
async fn told_kept(brain: &Brain, owner: &UserId, sought: &ErasureQuery<'_>) -> Option<String> {
    let mut kept = Vec::new();
    for service in brain.services.now().iter() {
        for (name, records) in service.service.export(owner).await.unwrap_or_default() {
            let count = records.iter().filter(|record| sought.stands_in(record)).count();
            kept.extend((count > 0).then(|| show::counted(name, count)));
        }
    }
    let kept = kept.join(", ");
    (!kept.is_empty()).then(|| {
        format!("ℹ️ The same words stand in what you keep: {kept}. That I left alone; delete it there if you want.")
    })
}
