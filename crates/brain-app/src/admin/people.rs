//! Who is let in, who is not heard any more, and of whom nothing is kept any more, as the operator decides it.
//!
//! Invariants: each decision is durable before it is told, and stands in the audit as the operator's; a pairing code lets
//! in one person within ten minutes, and only the newest one counts; who is an admin is not blocked here: that they are
//! one is decided elsewhere. Not here: hearing a code, and turning away whoever is blocked (the channel looks these
//! records up at each batch of updates).

use std::collections::BTreeSet;
use std::path::Path;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Response;
use brain_core::core::ids::UserId;
use brain_core::core::people::OPERATOR;
use brain_core::limits;
use brain_core::ports::records::{Audit, User};
use brain_core::ports::{Batch, Expect, Key, Reader, Record, RecordExt, Scan, StoreError, Table};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::operator::{self, kept_of};

const BLOCKED: &str = "blocked";
const PAIRING: &str = "pairing";

/// Somebody who is not heard, whatever else lets them in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedPerson {
    /// Their id.
    pub user: UserId,
    /// Since when.
    pub at: DateTime<Utc>,
}

impl BlockedPerson {
    fn key_of(user: &UserId) -> Key {
        Key::of(&[BLOCKED, user.as_str()])
    }
}

impl Record for BlockedPerson {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Self::key_of(&self.user)
    }
}

/// A pairing code that the operator has made. There is one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingOffer {
    /// What is to be sent to the bot.
    pub code: String,
    /// Until when it lets somebody in.
    pub until: DateTime<Utc>,
}

impl PairingOffer {
    /// Where it is kept.
    pub fn place() -> Key {
        Key::of(&[PAIRING])
    }
}

impl Record for PairingOffer {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Self::place()
    }
}

/// What the operator wants of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonVerb {
    /// They are not heard any more.
    Block,
    /// They are again.
    Unblock,
}

/// Who is blocked.
pub async fn blocked(reader: &impl Reader) -> Result<BTreeSet<UserId>, StoreError> {
    let all = reader.list::<BlockedPerson>(Scan::of::<BlockedPerson>(&[BLOCKED], limits::BLOCKED_MAX)).await?;
    Ok(all.into_iter().map(|(person, _)| person.user).collect())
}

/// The code that may be used now, if there is one.
pub async fn offered(reader: &impl Reader, now: DateTime<Utc>) -> Result<Option<PairingOffer>, StoreError> {
    let offer = reader.load::<PairingOffer>(&PairingOffer::place()).await?.map(|(offer, _)| offer);
    Ok(offer.filter(|offer| now < offer.until))
}

/// Makes a pairing code; one that was made before is no longer heard.
pub async fn pair(brain: &Brain) -> Response {
    let now = brain.clock.now();
    let offer = PairingOffer { code: brain.new_id(), until: now + Duration::seconds(limits::PAIRING_SECS) };
    let made = async {
        let mut batch = Batch::default();
        batch.put(&offer, Expect::Any)?;
        batch.put(&row(brain, "pairing code made", None), Expect::Absent)?;
        brain.commit(batch).await
    };
    match made.await {
        Ok(_) => Response {
            ok: true,
            text: format!(
                "{}\n\nWhoever sends this code to the bot within {} minutes is let in. It works once.",
                offer.code,
                limits::PAIRING_SECS / 60
            ),
            records: vec![json!({"code": offer.code, "until": offer.until})],
        },
        Err(error) => Response::refused(error.to_string()),
    }
}

/// Blocks somebody, or hears them again.
pub async fn decide(brain: &Brain, user: &UserId, verb: PersonVerb) -> Response {
    let decided = async {
        match verb {
            PersonVerb::Block => block(brain, user).await,
            PersonVerb::Unblock => unblock(brain, user).await,
        }
    };
    decided.await.unwrap_or_else(|error: StoreError| Response::refused(error.to_string()))
}

async fn block(brain: &Brain, user: &UserId) -> Result<Response, StoreError> {
    if user.is_of_terminal() {
        return Ok(Response::refused(format!("{user} sits at this machine, where nobody can be kept out from here.")));
    }
    let stored = brain.store.load::<User>(&Key::of(&[user.as_str()])).await?;
    if brain.policy.admins.contains(user) || stored.is_some_and(|(user, _)| user.admin) {
        return Ok(Response::refused(format!("{user} is an admin. Nothing was changed.")));
    }
    let (person, mut batch) = (BlockedPerson { user: user.clone(), at: brain.clock.now() }, Batch::default());
    if brain.store.load::<BlockedPerson>(&person.key()).await?.is_some() {
        return Ok(told(format!("{user} is blocked already.")));
    }
    if blocked(&brain.store.as_ref()).await?.len() >= limits::BLOCKED_MAX {
        return Ok(Response::refused(format!("{} people are blocked; no more can be.", limits::BLOCKED_MAX)));
    }
    batch.put(&person, Expect::Any)?;
    batch.put(&row(brain, BLOCKED, Some(user)), Expect::Absent)?;
    brain.commit(batch).await?;
    Ok(told(format!("{user} is blocked: I hear nothing of them from now on. What I keep of them stays.")))
}

async fn unblock(brain: &Brain, user: &UserId) -> Result<Response, StoreError> {
    let key = BlockedPerson::key_of(user);
    let Some((_, revision)) = brain.store.load::<BlockedPerson>(&key).await? else {
        return Ok(Response::refused(format!("{user} is not blocked.")));
    };
    let mut batch = Batch::default();
    batch.delete(Table::Meta, key, Expect::Revision(revision));
    batch.put(&row(brain, "unblocked", Some(user)), Expect::Absent)?;
    brain.commit(batch).await?;
    Ok(told(format!("{user} is heard again, if they are let in.")))
}

/// What would go with somebody, in words and counts.
pub async fn goes_with(brain: &Brain, user: &UserId) -> Result<Vec<(&'static str, usize)>, StoreError> {
    let kept = kept_of(brain, user, &stays(user)).await?;
    let mut rows: Vec<(&'static str, usize)> = Vec::new();
    for (table, count) in kept {
        let name = KINDS.iter().find(|(of, _)| *of == table).map_or(OTHER, |(_, name)| name);
        match rows.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => rows.push((name, count)),
        }
    }
    rows.sort_by_key(|(name, _)| KINDS.iter().position(|(_, known)| known == name).unwrap_or(usize::MAX));
    Ok(rows)
}

/// What tables hold, in the order in which it is told; what is not here is told together.
const KINDS: [(Table, &str); 9] = [
    (Table::Messages, "messages of their private chat"),
    (Table::Tasks, "tasks"),
    (Table::Events, "calendar events"),
    (Table::Notes, "notes and lists"),
    (Table::Memories, "memories"),
    (Table::Contacts, "saved contacts"),
    (Table::Pending, "cards, open and decided"),
    (Table::Turns, "traces of turns"),
    (Table::Contents, "contents of turns"),
];
const OTHER: &str = "other records: settings, reminders, undo, what waits to be sent";

/// That they are blocked: so they are a stranger who is not heard, and nothing more is known of them.
fn stays(user: &UserId) -> [(Table, Key); 1] {
    [(Table::Meta, BlockedPerson::key_of(user))]
}

/// Erases all that is kept of somebody who is blocked, their mailbox in the data folder included. `confirmed` is who was
/// named when it was asked about.
pub async fn erase(brain: &Brain, data_dir: &Path, user: &UserId, confirmed: &str) -> Response {
    let done = async {
        if confirmed.trim() != user.as_str() {
            return Ok(Response::refused(format!("Type {user} to confirm it. Nothing was erased.")));
        }
        if !blocked(&brain.store.as_ref()).await?.contains(user) {
            return Ok(Response::refused(format!(
                "Block {user} first, so that nothing new comes meanwhile. Nothing was erased."
            )));
        }
        if !operator::erase(brain, user, &stays(user)).await? {
            return Ok(Response::refused(format!(
                "Something of {user} is being carried out, or nobody knows whether it happened: settle that first. Nothing was erased."
            )));
        }
        let mailbox = data_dir.join("mail").join(user.folder_name());
        let left = match tokio::fs::remove_dir_all(&mailbox).await {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                Some(format!(" Their mailbox could not be removed ({cause}): delete {} yourself.", mailbox.display()))
            }
            Ok(()) | Err(_) => None,
        };
        let mut batch = Batch::default();
        batch.put(&row(brain, "erased", Some(user)), Expect::Absent)?;
        brain.commit(batch).await?;
        let text = format!("All that I kept of {user} is erased, in my file on the disk as well. They stay blocked.");
        Ok(Response { ok: left.is_none(), ..told(text + &left.unwrap_or_default()) })
    };
    done.await.unwrap_or_else(|error: StoreError| {
        Response::refused(format!("Not all of it is erased: {error}. Try it again."))
    })
}

fn told(text: String) -> Response {
    Response { ok: true, records: Vec::new(), text }
}

/// A row of the audit about a person.
fn row(brain: &Brain, what: &str, of: Option<&UserId>) -> Audit {
    Audit {
        at: brain.clock.now(),
        id: brain.new_id(),
        by: UserId::new(OPERATOR),
        what: what.to_owned(),
        pending: None,
        state: None,
        digest: None,
        actions: of.map(ToString::to_string).into_iter().collect(),
    }
}
