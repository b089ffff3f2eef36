//! A watch as it is stored, and its entry in the due-index.

use chrono::{DateTime, Duration, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::services::contract::error::ServiceError;
use crate::services::email::message::mail::NAME;
use crate::services::helpers::items;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::WATCH_KEPT_DAYS;
use brain_core::ports::records::{Due, DueKind};
use brain_core::ports::secondary::readable;
use brain_core::ports::{Change, Expect, Key, Record, RecordExt, Scan, Secondary, Store, Table};

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Awaited {
    /// An answer to a mail of the owner's.
    Answer,
    /// A mail, whatever it answers.
    Mail,
}

/// The mail that an answer is waited for to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredMail {
    /// [`MailId`](crate::services::email::message::mail::MailId), for as long as its file stays where it is.
    pub id: String,
    /// Its conversation.
    pub thread: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// As it was sent.
    pub subject: String,
}

/// The mail that was waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameMail {
    /// [`MailId`](crate::services::email::message::mail::MailId) as it was found.
    pub id: String,
    /// Who sent it, as the owner knows them.
    pub from: String,
    /// Its sender's words.
    pub subject: String,
    /// When it came.
    pub at: DateTime<Utc>,
}

/// How far a watch is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WatchState {
    /// Nothing has come.
    Waiting,
    /// This has.
    Came(CameMail),
    /// Nothing had come when its time came, and that was told.
    Missed,
}

/// Something a person waits for in their mail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MailWatch {
    /// Unique among the owner's; short enough for a button.
    pub id: String,
    /// Whose.
    pub owner: UserId,
    /// Where to tell.
    pub chat: ChatId,
    /// Whose mail: addresses in small letters; none: anybody's but the owner's.
    pub from: Vec<String>,
    /// What the owner called them when it was set, for words.
    pub who: String,
    /// What is waited for.
    pub awaits: Awaited,
    /// What is to be answered, where that is what is waited for.
    pub answers: Option<AnsweredMail>,
    /// Words that have to stand in the mail.
    pub about: Option<String>,
    /// What came before is not it.
    pub since: DateTime<Utc>,
    /// Whether its end was asked for: then it is told that nothing has come; else that the watch has ended.
    pub is_due: bool,
    /// Whether the owner named the time of the day of its end.
    pub is_timed: bool,
    /// What the owner is to be reminded of then.
    pub say: Option<String>,
    /// How far it is.
    pub state: WatchState,
    /// When its entry in the due-index stands; `None` once everything was told.
    pub rings_at: Option<DateTime<Utc>>,
    /// When it was set.
    pub created_at: DateTime<Utc>,
    /// When it was told last.
    pub told_at: Option<DateTime<Utc>>,
    /// Words in it that are not the owner's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedText>,
}

impl MailWatch {
    /// Still looked out for.
    pub fn is_waiting(&self) -> bool {
        self.state == WatchState::Waiting
    }

    /// Waits, or is still to be told.
    pub fn is_open(&self) -> bool {
        self.is_waiting() || self.rings_at.is_some()
    }

    /// Told so long ago that nobody presses its buttons any more.
    pub(super) fn is_stale(&self, now: DateTime<Utc>) -> bool {
        !self.is_open() && self.told_at.is_none_or(|told| now - told > Duration::days(WATCH_KEPT_DAYS))
    }

    /// Its entry in the due-index.
    pub(in crate::services::email) fn due(&self) -> Option<Due> {
        Some(Due {
            at: self.rings_at?,
            owner: self.owner.clone(),
            chat: self.chat.clone(),
            kind: DueKind::Item { service: NAME.to_owned(), item: self.id.clone() },
            meant: None,
        })
    }
}

impl Record for MailWatch {
    const TABLE: Table = Table::Watches;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

/// Watches that wait: owner.
static WAITING: Secondary = Secondary {
    name: "watches_waiting",
    table: Table::Watches,
    version: 1,
    keys: |_, stored| {
        let waiting = readable::<MailWatch>(stored).filter(MailWatch::is_waiting);
        waiting.map(|watch| Key::of(&[watch.owner.as_str()])).into_iter().collect()
    },
};

/// The orders by which the store is asked for them.
pub(in crate::services) static INDEXES: [&Secondary; 1] = [&WAITING];

/// Everybody's that wait.
pub(super) async fn waiting(store: &dyn Store) -> Result<Vec<(MailWatch, u64)>, ServiceError> {
    Ok(store.list::<MailWatch>(Scan::by(&WAITING, &[], usize::MAX)).await?)
}

/// One person's that wait.
pub(super) async fn waiting_of(store: &dyn Store, owner: &UserId) -> Result<Vec<(MailWatch, u64)>, ServiceError> {
    Ok(store.list::<MailWatch>(Scan::by(&WAITING, &[owner.as_str()], usize::MAX)).await?)
}

/// All of one person's.
pub(super) async fn of_owner(store: &dyn Store, owner: &UserId) -> Result<Vec<(MailWatch, u64)>, ServiceError> {
    Ok(store.list::<MailWatch>(Scan::of::<MailWatch>(&[owner.as_str()], usize::MAX)).await?)
}

/// One person's that wait or are still to be told, the oldest first.
pub(super) async fn open_watches(store: &dyn Store, owner: &UserId) -> Result<Vec<(MailWatch, u64)>, ServiceError> {
    let mut all = of_owner(store, owner).await?;
    all.retain(|(watch, _)| watch.is_open());
    all.sort_by(|(a, _), (b, _)| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Ok(all)
}

/// The one of this id.
pub(super) async fn by_id(
    store: &dyn Store,
    owner: &UserId,
    id: &str,
) -> Result<Option<(MailWatch, u64)>, ServiceError> {
    let is_id = !id.is_empty() && id.len() <= 32 && id.chars().all(|c| c.is_ascii_alphanumeric());
    if !is_id {
        return Ok(None);
    }
    Ok(store.load::<MailWatch>(&Key::of(&[owner.as_str(), id])).await?)
}

/// What brings a watch from one state to another, its entry in the due-index with it. An entry that quiet hours have moved
/// stays behind: it finds that the watch rings at another instant, and is silent.
pub(super) async fn changed(
    store: &dyn Store,
    before: Option<(&MailWatch, u64)>,
    after: Option<&MailWatch>,
) -> Result<Vec<Change>, ServiceError> {
    let mut changes = Vec::new();
    match (before, after) {
        (Some((_, revision)), Some(after)) => changes.push(Change::put(after, Expect::Revision(revision))?),
        (None, Some(after)) => changes.push(Change::put(after, Expect::Absent)?),
        (Some((before, revision)), None) => {
            changes.push(Change::delete(Table::Watches, Record::key(before), Expect::Revision(revision)));
        }
        (None, None) => {}
    }
    let (old, new) = (before.and_then(|(before, _)| before.due()), after.and_then(MailWatch::due));
    let same = old.as_ref().map(Record::key) == new.as_ref().map(Record::key);
    if let Some(old) = old.filter(|_| !same) {
        changes.extend(items::disarmed(store, &old).await?);
    }
    if let Some(new) = new {
        changes.push(items::armed(store, &new).await?);
    }
    Ok(changes)
}
