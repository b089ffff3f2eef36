//! Backends: where a service's records are written, the store or an account elsewhere that the store replicates.
//!
//! A service reads its replica only. What a command is to change becomes [`RecordEdit`]s of records, which go to the
//! backend of the account that the action names; what came of them there is what the replica then holds. No command
//! knows which backend it is, and a new one is this trait for the records that it keeps.
//!
//! Invariants:
//! - a record that comes from an account says which ([`RecordOrigin`]), and is written there and nowhere else;
//! - a backend never writes over what was changed there since: that is [`Unwritten::ChangedElsewhere`];
//! - what may have been done is [`Unwritten::Doubtful`] and is never tried again by itself.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::services::contract::command::Effect;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::holder::Holder;
use crate::services::contract::service::Attempt;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::ports::secondary::readable;
use brain_core::ports::{Change, Expect, Key, Record, StoreError, Stored};

/// Where a record comes from, when that is an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordOrigin {
    /// The account's id.
    pub account: String,
    /// The thing's name there: a path, a UID.
    pub id: String,
    /// Its state there when it was last read: an ETag, a sequence number.
    pub revision: String,
    /// What it said there, of what was taken away: to be put back as it was, byte by byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl RecordOrigin {
    /// A thing of this account.
    pub fn new(account: impl Into<String>, id: impl Into<String>, revision: impl Into<String>) -> Self {
        Self { account: account.into(), id: id.into(), revision: revision.into(), text: None }
    }
}

/// A record that can be written to an account: events, tasks, contacts.
pub trait Replicated:
    Record + Clone + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// What this one is called.
    fn name(&self) -> &str;

    /// Words in it that are not the person's own.
    fn others_words(&self) -> Vec<UntrustedText>;

    /// The account that it comes from; `None`: it is kept here alone.
    fn origin(&self) -> Option<&RecordOrigin>;

    /// It is that of an account from now on, or here alone.
    fn set_origin(&mut self, origin: Option<RecordOrigin>);
}

/// What is to become of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordEdit<T> {
    /// As the replica holds it, and its revision in the store; `None`: it is new.
    pub before: Option<(T, u64)>,
    /// As it is to be; `None`: gone.
    pub after: Option<T>,
}

impl<T> RecordEdit<T> {
    /// Something new.
    pub fn create(after: T) -> Self {
        Self { before: None, after: Some(after) }
    }

    /// Something that is there, changed.
    pub fn update(before: T, revision: u64, after: T) -> Self {
        Self { before: Some((before, revision)), after: Some(after) }
    }

    /// Something that is there, gone.
    pub fn delete(before: T, revision: u64) -> Self {
        Self { before: Some((before, revision)), after: None }
    }
}

impl<T: Record> RecordEdit<T> {
    /// What makes the replica hold it.
    pub fn change(&self) -> Result<Option<Change>, StoreError> {
        let expect = self.before.as_ref().map_or(Expect::Absent, |(_, revision)| Expect::Revision(*revision));
        Ok(match (&self.before, &self.after) {
            (_, Some(after)) => Some(Change::put(after, expect)?),
            (Some((before, _)), None) => Some(Change::delete(T::TABLE, before.key(), expect)),
            (None, None) => None,
        })
    }
}

/// Why a backend did not write, or may not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unwritten {
    /// Certainly nothing was done: a sentence that says why.
    #[error("{0}")]
    Refused(String),
    /// It is something else there by now; nothing was done.
    #[error("it was changed there meanwhile")]
    ChangedElsewhere,
    /// It may or may not have been done: a sentence that says where to look.
    #[error("{0}")]
    Doubtful(String),
}

/// One place where records of a kind are written.
#[async_trait]
pub trait Backend<T: Replicated>: Debug + Send + Sync + 'static {
    /// What a write does to the world: [`Effect::WriteHere`] or [`Effect::WriteElsewhere`].
    fn effect(&self) -> Effect;

    /// Whether what is new is written there.
    fn takes_new(&self) -> bool {
        true
    }

    /// Makes these edits, all or none where the place can, and gives them as they are there from now on: with their
    /// origins, and with whatever the place made of them. One attempt, bounded in time by itself.
    async fn write(
        &self,
        ctx: &RequestContext,
        edits: Vec<RecordEdit<T>>,
        attempt: &Attempt,
    ) -> Result<Vec<RecordEdit<T>>, Unwritten>;

    /// After a crash: whether this attempt at these edits was made, as far as the place shows it. `None` when it cannot
    /// tell.
    async fn settled(&self, _ctx: &RequestContext, _edits: &[RecordEdit<T>], _attempt: &Attempt) -> Option<bool> {
        None
    }

    /// Brings the person's replica to what the place has. Bounded; nothing is written there.
    async fn sync(&self, _ctx: &RequestContext, _mirror: &dyn Mirror<T>) -> Result<(), ServiceError> {
        Ok(())
    }

    /// What a card and a receipt have to say of where exactly this is kept or will be: one calendar of several.
    async fn whereabouts(&self, _owner: &UserId, _origin: Option<&RecordOrigin>) -> KeptPlace {
        KeptPlace::default()
    }
}

/// Where exactly in an account something is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptPlace {
    /// What it is called there, where there are several.
    pub name: Option<String>,
    /// Others see what is written there.
    pub is_shared: bool,
}

/// One person's replica of one account, as what keeps it in step sees it.
#[async_trait]
pub trait Mirror<T: Replicated>: Send + Sync {
    /// Where all that it holds comes from.
    async fn origins(&self) -> Result<Vec<RecordOrigin>, ServiceError>;

    /// What it holds of these, by their names there, with the revisions in the store.
    async fn held(&self, ids: &[String]) -> Result<Vec<(T, u64)>, ServiceError>;

    /// Holds what these say, all or none.
    async fn apply(&self, edits: Vec<RecordEdit<T>>) -> Result<(), ServiceError>;
}

/// The key of a record in the order by its origin: owner, account, its name there.
pub fn origin_key<T: Replicated>(key: &Key, stored: &Stored) -> Vec<Key> {
    let record = readable::<T>(stored);
    let origin = record.as_ref().and_then(|record| record.origin());
    let owner = key.parts().into_iter().next().unwrap_or_default();
    origin.map(|origin| Key::of(&[owner, &origin.account, &origin.id])).into_iter().collect()
}

/// The store itself: an edit is its record, committed together with the outcome.
#[derive(Debug, Clone, Copy, Default)]
pub struct Embedded;

#[async_trait]
impl<T: Replicated> Backend<T> for Embedded {
    fn effect(&self) -> Effect {
        Effect::WriteHere
    }

    async fn write(
        &self,
        _: &RequestContext,
        edits: Vec<RecordEdit<T>>,
        _: &Attempt,
    ) -> Result<Vec<RecordEdit<T>>, Unwritten> {
        Ok(edits)
    }
}

/// An account of one person's for one kind of thing.
#[derive(Debug, Clone)]
pub struct BackendAccount<T: Replicated> {
    /// Unique among all accounts of everybody.
    pub id: String,
    /// Whose it is.
    pub holders: Vec<Holder>,
    /// What the person calls it: `work`.
    pub label: String,
    /// Where it writes.
    pub backend: Arc<dyn Backend<T>>,
}

/// Where everybody's things of one kind are written: here, or in accounts of theirs.
#[derive(Debug, Clone)]
pub struct Backends<T: Replicated> {
    accounts: Vec<BackendAccount<T>>,
}

impl<T: Replicated> Default for Backends<T> {
    /// Nobody has an account.
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<T: Replicated> Backends<T> {
    /// With these accounts; of several of one person the first that may takes what is new.
    pub fn new(accounts: Vec<BackendAccount<T>>) -> Self {
        Self { accounts }
    }

    /// This person's accounts.
    pub fn of<'a>(&'a self, owner: &'a UserId) -> impl Iterator<Item = &'a BackendAccount<T>> {
        self.accounts.iter().filter(move |account| account.holders.iter().any(|holder| holder.is(owner)))
    }

    /// Nobody has any.
    pub fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    fn for_new<'a>(&'a self, owner: &'a UserId) -> Option<&'a BackendAccount<T>> {
        self.of(owner).find(|account| account.backend.takes_new())
    }

    /// The account that something is done in: that of the thing, or for something new the first that takes it.
    pub fn acting(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        let id = match target {
            Some(target) => target.account.clone()?,
            None => self.for_new(owner)?.id.clone(),
        };
        let label = self.of(owner).find(|account| account.id == id).map(|account| account.label.clone());
        Some(ActingAccount { id, label: label.filter(|_| self.of(owner).count() > 1) })
    }

    /// Where exactly in an account something is kept; `None`: something new.
    pub async fn kept_place(&self, owner: &UserId, thing: Option<&T>) -> Result<KeptPlace, ServiceError> {
        let origin = thing.map(Replicated::origin);
        let account = match origin {
            Some(origin) => origin.map(|origin| origin.account.clone()),
            None => self.for_new(owner).map(|account| account.id.clone()),
        };
        let Some(id) = account else { return Ok(KeptPlace::default()) };
        let backend = self.backend(owner, Some(&ActingAccount { id, label: None }))?;
        Ok(backend.whereabouts(owner, origin.flatten()).await)
    }

    /// What a write does to the world; what cannot be looked up is taken for the most doubtful.
    pub fn effect(&self, account: Option<&ActingAccount>) -> Effect {
        let Some(acting) = account else { return Effect::WriteHere };
        let found = self.accounts.iter().find(|account| account.id == acting.id);
        found.map_or(Effect::WriteElsewhere, |account| account.backend.effect())
    }

    /// The backend of an action.
    pub fn backend(
        &self,
        owner: &UserId,
        account: Option<&ActingAccount>,
    ) -> Result<Arc<dyn Backend<T>>, ServiceError> {
        let Some(acting) = account else { return Ok(Arc::new(Embedded)) };
        let found = self.of(owner).find(|account| account.id == acting.id);
        found.map(|account| account.backend.clone()).ok_or_else(|| {
            let name = acting.label.as_deref().unwrap_or("that this belongs to");
            ServiceError::NotSetUp(format!("The account {name} is not set up here any more; nothing was done."))
        })
    }
}
