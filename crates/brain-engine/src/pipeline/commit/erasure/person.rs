//! Erasing a person: all that is kept of somebody goes, by the word of whoever runs this.
//!
//! Goes: what they keep, what was said in their private chat, cards, reminders, settings, traces and what nodes got and
//! gave. Stays, and is told: who decided what and what models cost (ids, times and counts, no words), ids of what was
//! forgotten, what was said in groups, and what lies elsewhere (accounts, backups).
//!
//! Invariants: only records that name this person, or their private chat, are touched; every step may be repeated; the
//! store's own bytes are rid of it before it is told. Nothing may be under way for them: whoever calls this makes sure of
//! that, and that they are not heard any more.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::purged_of;
use crate::pipeline::brain::Brain;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::limits;
use brain_core::ports::{Batch, Expect, Key, Order, Scan, StoreError, Table};

/// How many records of each table are theirs.
pub type KeptCounts = BTreeMap<Table, usize>;

/// What is kept of a person that would go; `but` stays.
pub(in crate::pipeline) async fn kept_of(
    brain: &Brain,
    owner: &UserId,
    but: &[(Table, Key)],
) -> Result<KeptCounts, StoreError> {
    let mut counts = KeptCounts::new();
    for table in Table::ALL.into_iter().filter(|table| goes(*table)) {
        let mut after = None;
        loop {
            let (keys, last) = theirs(brain, table, owner, after).await?;
            let count = keys.iter().filter(|key| !is_kept(but, table, key)).count();
            if count > 0 {
                *counts.entry(table).or_default() += count;
            }
            after = last;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(counts)
}

/// Erases it.
pub(in crate::pipeline) async fn erased(brain: &Brain, owner: &UserId, but: &[(Table, Key)]) -> Result<(), StoreError> {
    for table in Table::ALL.into_iter().filter(|table| goes(*table)) {
        let mut after = None;
        loop {
            let (keys, last) = theirs(brain, table, owner, after).await?;
            let mut batch = Batch::default();
            for key in keys.into_iter().filter(|key| !is_kept(but, table, key)) {
                batch.delete(table, key, Expect::Any);
            }
            if !batch.changes.is_empty() {
                brain.commit(batch).await?;
            }
            after = last;
            if after.is_none() {
                break;
            }
        }
    }
    brain.evidence.forget(owner);
    purged_of(brain, BTreeSet::from([owner])).await
}

fn is_kept(but: &[(Table, Key)], table: Table, key: &Key) -> bool {
    but.iter().any(|(of, kept)| *of == table && kept == key)
}

/// Whether a table holds what goes.
fn goes(table: Table) -> bool {
    match table {
        // Ids, times and counts: who decided what, what was spent, that something must not come back.
        Table::Audit | Table::Usage | Table::Forgotten => false,
        // Numbers of updates, without words once they are answered; tools are nobody's.
        Table::Inbox | Table::Tools => false,
        Table::Outbox | Table::Messages | Table::Users | Table::Chats | Table::Pending | Table::PendingOpen => true,
        Table::Cards | Table::Shown | Table::Runs | Table::Undo | Table::Due | Table::Turns | Table::Contents => true,
        Table::Summaries | Table::Compressions | Table::Erasures | Table::Tasks | Table::Events | Table::Notes => true,
        Table::Memories | Table::Vectors | Table::Contacts | Table::Watches | Table::MailFolders => true,
        Table::MailUids | Table::Meta | Table::Aside => true,
    }
}

/// Keys of a part of a table that are theirs, and behind which the next part begins.
async fn theirs(
    brain: &Brain,
    table: Table,
    owner: &UserId,
    after: Option<Key>,
) -> Result<(Vec<Key>, Option<Key>), StoreError> {
    let limit = if table == Table::Contents { limits::CONTENTS_STEP } else { limits::ERASURE_PAGE };
    let scan = Scan { table, by: None, prefix: None, before: None, after, order: Order::Ascending, limit };
    let page = brain.store.scan(scan).await?;
    let last = page.last().map(|(key, _)| key.clone()).filter(|_| page.len() == limit);
    let is_theirs = |key: &Key, body: &[u8]| {
        names(&key.parts(), owner) || serde_json::from_slice(body).is_ok_and(|record: Value| is_of(&record, owner))
    };
    let keys = page.into_iter().filter(|(key, stored)| is_theirs(key, &stored.body)).map(|(key, _)| key).collect();
    Ok((keys, last))
}

/// Whether a key leads to something of theirs.
fn names(parts: &[&str], owner: &UserId) -> bool {
    parts.iter().any(|part| *part == owner.as_str() || ChatId::new(*part).is_private_of(owner))
}

/// Whether a record says that it is theirs: by its chat where it has one, else by whom it names.
fn is_of(record: &Value, owner: &UserId) -> bool {
    if let Some(parts) = record["key"].as_array() {
        // Of what could not be read only the place is known.
        return names(&parts.iter().filter_map(Value::as_str).collect::<Vec<_>>(), owner);
    }
    match record["chat"].as_str() {
        Some(chat) => ChatId::new(chat).is_private_of(owner),
        None => ["owner", "user"].iter().any(|field| record[*field] == owner.as_str()),
    }
}
