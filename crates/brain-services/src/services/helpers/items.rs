//! What the services in the store have in common: reading a person's items, and holding one to the revision that the
//! person was shown.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::search::WordedItem;
use super::texts::brief;
use crate::services::contract::archived::Imported;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use brain_core::core::ids::UserId;
use brain_core::core::plan::Action;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::IMPORTED_RECORD_BYTES_MAX;
use brain_core::ports::records::Due;
use brain_core::ports::{
    Change, Document, Expect, Key, Participant, Record, RecordExt, Source, Store, StoreError, from_stored,
};

/// Something a person owns and may refer to by describing it.
pub(in crate::services) trait Item: Record + Clone {
    /// What cards and receipts see of it.
    type View: Serialize + DeserializeOwned;

    /// How the person calls it.
    const NOUN: &'static str;

    /// The kind of its documents: the name of its service.
    const KIND: &'static str;

    /// Raised whenever its document holds something else of the same record.
    const DOCUMENT_VERSION: u32 = 1;

    /// The flag of those that are looked through first.
    const FIRST: Option<&'static str> = None;

    /// Those that lie ahead are looked through first.
    const AHEAD: bool = false;

    /// It takes place, or is due, at some time.
    const TIMED: bool = false;

    /// Its id, unique among the owner's items.
    fn id(&self) -> &str;

    /// What it is called.
    fn title(&self) -> &str;

    /// Further words it may be known by.
    fn body(&self) -> String;

    /// Who takes part in it.
    fn people(&self) -> Vec<Participant> {
        Vec::new()
    }

    /// When it takes place, is due, or was written; of what takes place at several times, one of them.
    fn at(&self) -> DateTime<Utc>;

    /// What is true of it.
    fn flags(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// What of it can be found.
    fn document(&self) -> Document {
        Document {
            kind: Self::KIND.to_owned(),
            id: self.id().to_owned(),
            title: self.title().to_owned(),
            body: self.body(),
            people: self.people(),
            at: Some(self.at()),
            flags: self.flags().into_iter().map(str::to_owned).collect(),
            group: None,
            kept: Vec::new(),
        }
    }

    /// Its words, to be measured.
    fn worded(&self) -> WordedItem {
        WordedItem::new(self.title(), &self.body())
    }

    /// Title, and whatever tells it apart from one of the same title.
    fn label(&self, ctx: &RequestContext) -> String;

    /// The shape that cards and receipts read.
    fn view(&self, ctx: &RequestContext) -> Self::View;

    /// What is looked through first (0), and inside it what is nearest to now (smallest).
    fn nearness(&self, ctx: &RequestContext) -> (u8, i64);

    /// True when it happens or is due in this span.
    fn falls_into(&self, from: DateTime<Utc>, to: DateTime<Utc>, ctx: &RequestContext) -> bool {
        let _ = (from, to, ctx);
        false
    }

    /// The first or the last instant of a span at which it takes place, is due, or was written.
    fn occurs(
        &self,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
        ctx: &RequestContext,
        last: bool,
    ) -> Option<DateTime<Utc>> {
        let _ = (ctx, last);
        Some(self.at()).filter(|at| (from..to).contains(at))
    }

    /// When it begins or is due, and when it ends, as stored: what words for a new time are relative to.
    fn times(&self, ctx: &RequestContext) -> (Option<String>, Option<String>) {
        let _ = ctx;
        (None, None)
    }

    /// Words in it that are somebody else's.
    fn untrusted(&self) -> Vec<UntrustedText> {
        Vec::new()
    }

    /// The account it comes from; `None`: it is kept here alone.
    fn account(&self) -> Option<&str> {
        None
    }
}

/// Between an id and the time of what takes place at several.
pub(in crate::services) const AT: char = '@';

/// An item and the revision it was read at.
pub(in crate::services) type RevisedItem<T> = (T, u64);

/// Everything of one kind that a person owns, as it is stored.
pub(in crate::services) async fn export<T: Record>(
    store: &Arc<dyn Store>,
    owner: &UserId,
) -> Result<Vec<Value>, ServiceError> {
    let all = store.list_all::<T>(&[owner.as_str()]).await?;
    all.iter().map(|item| serde_json::to_value(item).map_err(|cause| ServiceError::Broken(cause.to_string()))).collect()
}

/// Looks at records of one kind, to be taken in again: what is to be written, and of what is new the records. Whoever's
/// they were, they are this person's from then on; what `mend` refuses is left out. What an account elsewhere keeps is
/// not taken from anywhere else.
pub(in crate::services) async fn import<T: Record>(
    store: &dyn Store,
    ctx: &RequestContext,
    records: Vec<Value>,
    mend: impl Fn(&mut T) -> Result<(), String>,
) -> Result<(Imported, Vec<T>), ServiceError> {
    let (mut imported, mut new) = (Imported::default(), Vec::new());
    let mut seen = HashSet::new();
    for mut record in records {
        let id = record["id"].as_str().unwrap_or_default().to_owned();
        let called = record["title"].as_str().or(record["summary"].as_str()).or(record["name"].as_str());
        let called = brief(called.or(record["key"].as_str()).unwrap_or(&id));
        let mut left_out = |why: &str| imported.unread.push(format!("“{called}”: {why}"));
        if !is_id(&id) || !record.is_object() {
            left_out("it has no id of ours");
            continue;
        }
        if !record["origin"].is_null() {
            imported.elsewhere += 1;
            continue;
        }
        if !seen.insert(id.clone()) {
            left_out("it is in there twice");
            continue;
        }
        if store.get(T::TABLE, &Key::of(&[ctx.owner.as_str(), &id])).await?.is_some() {
            imported.here += 1;
            continue;
        }
        record["owner"] = ctx.owner.as_str().into();
        if let Some(chat) = record.get_mut("chat") {
            *chat = ctx.chat.as_str().into();
        }
        let size = record.to_string().len();
        let read = match serde_json::from_value::<T>(record) {
            Ok(_) if size > IMPORTED_RECORD_BYTES_MAX => Err("it is too large".to_owned()),
            Ok(mut read) => mend(&mut read).map(|()| read),
            Err(why) => Err(why.to_string()),
        };
        match read {
            Ok(read) => new.push(read),
            Err(why) => left_out(&why),
        }
    }
    for record in &new {
        imported.changes.push(Change::put(record, Expect::Absent)?);
    }
    imported.new = new.len();
    Ok((imported, new))
}

/// Shorter ones are read as names.
const ID_CHARS_MIN: usize = 10;

/// Whether a text may be the id of something that is kept here.
pub(in crate::services) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 32 && id.chars().all(|c| c.is_ascii_alphanumeric())
}

/// What enters something into the due-index, whether or not it is in there.
pub(in crate::services) async fn armed(store: &dyn Store, due: &Due) -> Result<Change, StoreError> {
    let there = store.load::<Due>(&due.key()).await?;
    let expect = there.map_or(Expect::Absent, |(_, revision)| Expect::Revision(revision));
    Change::put(due, expect)
}

/// What takes something out of the due-index; `None`: it is not in there.
pub(in crate::services) async fn disarmed(store: &dyn Store, due: &Due) -> Result<Option<Change>, StoreError> {
    let there = store.load::<Due>(&due.key()).await?;
    Ok(there.map(|(_, revision)| Change::delete(Due::TABLE, due.key(), Expect::Revision(revision))))
}

/// The item of this id.
pub(in crate::services) async fn by_id<T: Item>(
    store: &Arc<dyn Store>,
    owner: &UserId,
    id: &str,
) -> Result<Option<RevisedItem<T>>, ServiceError> {
    // "ID@2026-01-13": one time of it.
    let id = id.split(AT).next().unwrap_or_default();
    if !is_id(id) {
        return Ok(None);
    }
    Ok(store.load::<T>(&Key::of(&[owner.as_str(), id])).await?)
}

/// How the records of a service become documents of the search index. Their keys begin with the owner.
pub(in crate::services) const fn source<T: Item>() -> Source {
    Source::new(T::TABLE, T::KIND, T::DOCUMENT_VERSION, |key, stored| {
        let owner = UserId::new(*key.parts().first()?);
        Some((owner, from_stored::<T>(stored).ok()?.document()))
    })
}

/// What the target is called, or the words it was looked for by; an id says nothing to a person.
pub(in crate::services) fn label(action: &Action, find_by: &str) -> String {
    let has_id = || find_by.split(|c: char| !c.is_ascii_alphanumeric()).any(is_like_an_id);
    let looked_for = || if has_id() { "that one".to_owned() } else { find_by.to_owned() };
    action.target.as_ref().map_or_else(looked_for, |target| target.label.clone())
}

/// Letters and several digits in one word: more than a name has, as far as one can tell.
pub(in crate::services) fn is_like_an_id(words: &str) -> bool {
    let digits = words.chars().filter(char::is_ascii_digit).count();
    is_id(words) && words.len() >= ID_CHARS_MIN && digits >= 2 && digits < words.len()
}

/// The item an action is about, still as the person was shown it.
pub(in crate::services) async fn held<T: Item>(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    action: &Action,
) -> Result<RevisedItem<T>, ServiceError> {
    let (item, revision) = current::<T>(store, ctx, action).await?;
    let shown = action.target.as_ref().map(|target| target.revision.as_str());
    if shown == Some(revision.to_string().as_str()) {
        return Ok((item, revision));
    }
    Err(ServiceError::Conflict { label: brief(item.title()) })
}

/// The item an action is about, as it is now.
pub(in crate::services) async fn current<T: Item>(
    store: &Arc<dyn Store>,
    ctx: &RequestContext,
    action: &Action,
) -> Result<RevisedItem<T>, ServiceError> {
    let target = action.target.as_ref().ok_or(ServiceError::Several { noun: T::NOUN })?;
    let held = by_id(store, &ctx.owner, &target.id).await?;
    held.ok_or_else(|| ServiceError::NotFound { noun: T::NOUN, label: brief(&target.label) })
}

/// Words in these items that are somebody else's, each once.
pub(in crate::services) fn untrusted<'a, T: Item + 'a>(items: impl IntoIterator<Item = &'a T>) -> Vec<UntrustedText> {
    let mut untrusted: Vec<UntrustedText> = Vec::new();
    for one in items.into_iter().flat_map(T::untrusted) {
        if !untrusted.contains(&one) {
            untrusted.push(one);
        }
    }
    untrusted
}
