//! Whoever runs this is told of records that could not be read, and so is the person whose record it was.
//!
//! Invariants: each record is told once; it counts as told only when that is in somebody's outbox. Nothing of what a
//! record held is said: only where it was and what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Reply;
use brain_core::limits;
use brain_core::ports::records::{Aside, ChatState, Show, User};
use brain_core::ports::{Batch, Expect, RecordExt, Scan, StoreError, Table};
use brain_engine::pipeline::brain::Brain;

/// Tells what was not told yet. Where nobody is known to run this it stays untold, in the log and in `/status`.
pub(super) async fn tell(brain: &Brain) -> Result<(), StoreError> {
    let known = brain.store.list::<Aside>(Scan::of::<Aside>(&[], limits::ASIDE_LISTED_MAX)).await?;
    let mut new: Vec<(Aside, u64)> = known.into_iter().filter(|(aside, _)| aside.told.is_none()).collect();
    if new.is_empty() {
        return Ok(());
    }
    let chats = chats(brain).await?;
    let operators = operators(brain, &chats).await?;
    let Some((last, others)) = operators.split_last() else { return Ok(()) };
    let records: Vec<&Aside> = new.iter().map(|(aside, _)| aside).collect();
    let words = for_operators(&records);
    for chat in chats.iter().filter(|chat| !operators.contains(chat)) {
        let theirs: Vec<&Aside> = records.iter().copied().filter(|aside| belongs_in(aside, chat)).collect();
        if !theirs.is_empty() {
            brain.tell(chat, vec![Show::Send(Reply::text(for_a_person(&theirs)))], Batch::default()).await?;
        }
    }
    for chat in others {
        brain.tell(chat, vec![Show::Send(Reply::text(words.clone()))], Batch::default()).await?;
    }
    let mut batch = Batch::default();
    for (aside, revision) in &mut new {
        aside.told = Some(brain.clock.now());
        batch.put(aside, Expect::Revision(*revision))?;
    }
    match brain.tell(last, vec![Show::Send(Reply::text(words))], batch).await {
        Err(StoreError::Conflict { .. }) => Ok(()),
        other => other,
    }
}

/// Every chat in which somebody has spoken.
pub(super) async fn chats(brain: &Brain) -> Result<Vec<ChatId>, StoreError> {
    Ok(brain.store.list_all::<ChatState>(&[]).await?.into_iter().map(|state| state.chat).collect())
}

/// A private chat of each admin; where none of them has one, the only chat there is.
pub(super) async fn operators(brain: &Brain, chats: &[ChatId]) -> Result<Vec<ChatId>, StoreError> {
    let users = brain.store.list_all::<User>(&[]).await?;
    let mut admins: BTreeSet<UserId> = brain.policy.admins.iter().cloned().collect();
    admins.extend(users.into_iter().filter(|user| user.admin).map(|user| user.id));
    let chat_of = |admin: &UserId| chats.iter().find(|chat| chat.is_private_of(admin));
    let of_admins: Vec<ChatId> = admins.iter().filter_map(chat_of).cloned().collect();
    Ok(match chats {
        [only] if of_admins.is_empty() => vec![only.clone()],
        _ => of_admins,
    })
}

/// Keys name the person or the chat that a record belongs to.
fn belongs_in(aside: &Aside, chat: &ChatId) -> bool {
    aside.key.iter().any(|part| part == chat.as_str() || chat.is_private_of(&UserId::new(part.as_str())))
}

/// How many records there are of each table, by its name.
fn by_table<'a>(records: &[&'a Aside]) -> BTreeMap<&'a str, usize> {
    let mut tables = BTreeMap::new();
    for record in records {
        *tables.entry(record.table.as_str()).or_default() += 1;
    }
    tables
}

fn counted(tables: &BTreeMap<&str, usize>) -> String {
    let one = |(table, count): (&&str, &usize)| match count {
        1 => format!("One record of “{table}”"),
        many => format!("{many} records of “{table}”"),
    };
    tables.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn for_operators(records: &[&Aside]) -> String {
    let left = records.iter().any(|aside| aside.left);
    let mut lines = vec![format!(
        "⚠️ {} could not be read. {} Nothing else is affected.",
        counted(&by_table(records)),
        if left {
            "I set it aside, or left it where it is if it belongs to a decision, and do nothing that rests on it."
        } else {
            "I set it aside."
        }
    )];
    for aside in records.iter().take(limits::ASIDE_NAMED_MAX) {
        let key = visible(&shorten(&aside.key.join(" / "), limits::ACTION_NAMED_CHARS));
        lines.push(format!("▫️ {} {key}: {}", aside.table, aside.why));
    }
    if records.len() > limits::ASIDE_NAMED_MAX {
        lines.push(format!("… and {} more.", records.len() - limits::ASIDE_NAMED_MAX));
    }
    lines.push(
        "If I was just replaced by an older version, bring the newer one back. Otherwise a backup of my file may still \
         have it; what to do is under “Records that cannot be read” in docs/operation.md."
            .to_owned(),
    );
    lines.join("\n")
}

fn for_a_person(records: &[&Aside]) -> String {
    let settings = records.iter().any(|aside| aside.table == Table::Users.name());
    let again = if settings { " Your settings start afresh: please look at /settings." } else { "" };
    format!(
        "⚠️ {} of yours could not be read, so I set it aside; the rest is as it was.{again} Whoever runs me knows about it.",
        counted(&by_table(records))
    )
}
