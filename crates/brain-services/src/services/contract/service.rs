//! A service beside its commands: what it is called, and what the rest of the program may ask of it.
//!
//! Nothing outside a service's folder knows it by name; who wants something of services asks all of them, and those
//! that have it answer (`reminders`, `drafts`, `facts` …). Deliberately not here: commands (see [`super::command`]).

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;

pub use super::agenda::{AgendaItem, AgendaKind, Rezoned};
use super::archived::{ArchivedFiles, Imported, Unarchived};
use super::capabilities::{
    Content, Drafts, EventWatcher, Facts, Listing, Mirroring, Offerable, OpenItems, Reminders, ToDos,
};
use super::circumstance::{Circumstance, Evidence};
use super::context::RequestContext;
use super::error::ServiceError;
use super::searchable::Searchable;
use brain_core::core::ids::UserId;
use brain_core::core::outcome::Outcome;
use brain_core::core::plan::{Params, PlannedAction, Target};
use brain_core::core::progress::Progress;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::turn::Attachment;
use brain_core::ports::Change;

/// One of several items a description fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChoice {
    /// What `find_by` must hold to mean this one.
    pub id: String,
    /// How to show it.
    pub label: String,
    /// What of the label is not the person's own.
    pub untrusted: Vec<UntrustedText>,
}

/// What would be added to a thing, in place of another one of its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// What that thing is called.
    pub label: String,
    /// What adds to it; `None` where there is nothing to add.
    pub action: Option<PlannedAction>,
}

/// An action made ready: what it is about was found, what follows from it was filled in.
#[derive(Debug, Clone, PartialEq)]
pub enum Prepared<P = Params> {
    /// Everything needed is known.
    Ready {
        /// The parameters, completed (e.g. a reply's recipients).
        params: P,
        /// What `find_by` means.
        target: Option<Target>,
        /// Remarks for the card.
        notes: Vec<String>,
        /// Texts of others that the action touches, for taint.
        untrusted: Vec<UntrustedText>,
    },
    /// Nothing fits the description.
    NotFound {
        /// For the person, e.g. `I found no open task like "dentist".`
        what: String,
    },
    /// All of several things are meant, each of which is an action of its own.
    Every {
        /// What `find_by` must hold to mean each.
        ids: Vec<String>,
    },
    /// Several things fit: which one?
    Several {
        /// The parameter the answer goes into.
        param: String,
        /// For the person: `Which one do you mean?`
        question: String,
        /// The choices, best first.
        candidates: Vec<ItemChoice>,
    },
}

impl<P> Prepared<P> {
    /// Ready as it is.
    pub fn as_is(params: P) -> Self {
        Self::Ready { params, target: None, notes: Vec::new(), untrusted: Vec::new() }
    }
}

/// What makes a retried effect recognisable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Derived from the run and the step: the same for every try of the same action, and for no other.
    /// 32 hexadecimal characters.
    pub key: String,
    /// When its run began: the same whenever it is tried and whenever it is asked about.
    pub begun: DateTime<Utc>,
}

/// What executing one action came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Performed {
    /// How it ended.
    pub outcome: Outcome,
    /// Effects inside the store, to be committed together with the outcome; empty when it failed.
    pub changes: Vec<Change>,
    /// Texts of others that the result holds, for taint in later rounds.
    pub untrusted: Vec<UntrustedText>,
    /// What takes an effect elsewhere back; `None` where nothing does, or its command says what.
    pub reversal: Option<PlannedAction>,
    /// The same once more, where something was asked first that the person has to answer; `None`: nothing was.
    pub asks: Option<PlannedAction>,
}

impl Performed {
    /// A result without changes.
    pub fn result(result: serde_json::Value) -> Self {
        Self::changed(result, Vec::new())
    }

    /// A result with changes to commit.
    pub fn changed(result: serde_json::Value, changes: Vec<Change>) -> Self {
        Self { changes, ..Self::ended(Outcome::Succeeded { result }) }
    }

    /// The same, holding these texts of others.
    #[must_use]
    pub fn holding(mut self, untrusted: Vec<UntrustedText>) -> Self {
        self.untrusted.extend(untrusted);
        self
    }

    /// Not done.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::ended(Outcome::failed(why))
    }

    /// Perhaps done.
    pub fn unknown(why: impl Into<String>) -> Self {
        Self::ended(Outcome::Unknown { why: why.into() })
    }

    fn ended(outcome: Outcome) -> Self {
        Self { outcome, changes: Vec::new(), untrusted: Vec::new(), reversal: None, asks: None }
    }
}

impl From<ServiceError> for Performed {
    fn from(error: ServiceError) -> Self {
        Self::failed(error.to_string())
    }
}

/// What the context stage asks a service for.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRequest {
    /// The message, for a search by words.
    pub message: String,
    /// Most items.
    pub limit: usize,
    /// What was said from then on is in sight already.
    pub in_sight_from: Option<DateTime<Utc>>,
}

/// One line of context.
#[derive(Debug, Clone, PartialEq)]
pub struct Noticed {
    /// The item's id, usable in `find_by`; none of what is no item.
    pub id: Option<String>,
    /// One line for a prompt.
    pub line: String,
    /// The words in it that are not the person's own.
    pub untrusted: Vec<UntrustedText>,
}

/// A service as people and routers know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceInfo {
    /// Its name in plans.
    pub name: String,
    /// Its heading in `/help`.
    pub title: String,
    /// What it is for, in one line, for routers.
    pub summary: String,
    /// Where its things are, as the object of a sentence in the status line: `your calendar`.
    pub place: String,
}

impl ServiceInfo {
    /// From its parts, in the order of the fields.
    pub fn new(name: &str, title: &str, summary: &str, place: &str) -> Self {
        let [name, title, summary, place] = [name, title, summary, place].map(str::to_owned);
        Self { name, title, summary, place }
    }
}

/// What a service gives to the context of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextRole {
    /// Nothing.
    None,
    /// Items that matter when the message is about them.
    Items,
    /// Facts about the person, which small talk may use as well.
    AboutPerson,
}

/// A service beside its commands (see [`Handle`](super::command::Handle)): what the rest of the program may ask of any
/// service, without knowing which it is. Everything has a default; a service takes part in what it overrides.
#[async_trait]
pub trait Service: Send + Sync + std::fmt::Debug + 'static {
    /// Whether it takes part in context.
    fn context_role(&self) -> ContextRole {
        ContextRole::None
    }

    /// Items that may matter for a message. Reads only.
    async fn notice(&self, _ctx: &RequestContext, _wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        Ok(Vec::new())
    }

    /// Whether something is so on which a request depends; `None` where it cannot tell. Reads only.
    async fn holds(&self, _ctx: &RequestContext, _what: &Circumstance) -> Result<Option<Evidence>, ServiceError> {
        Ok(None)
    }

    /// Makes ready in the background what its answers may use and never need, until this is dropped.
    async fn keep_ready(&self) {
        std::future::pending().await
    }

    /// All that is kept of a person, to be handed over to them: a name for each kind, and its records.
    async fn export(&self, _owner: &UserId) -> Result<Vec<(&'static str, Vec<serde_json::Value>)>, ServiceError> {
        Ok(Vec::new())
    }

    /// Looks at records of a kind that [`export`](Self::export) names, to be taken in again; `None`: it keeps no such kind.
    /// What is to be written is committed by whoever asks.
    async fn import(
        &self,
        _ctx: &RequestContext,
        _kind: &str,
        _records: Vec<serde_json::Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        Ok(None)
    }

    /// What else of a person belongs into an archive of theirs, as files that other programs read.
    async fn archived(&self, _ctx: &RequestContext) -> Result<ArchivedFiles, ServiceError> {
        Ok(ArchivedFiles::default())
    }

    /// Takes files of an archive in again, by their names in it; `None`: it keeps no such files.
    async fn unarchive(
        &self,
        _ctx: &RequestContext,
        _files: &[(String, Vec<u8>)],
    ) -> Result<Option<Unarchived>, ServiceError> {
        Ok(None)
    }

    /// What should have been done before `before` and was not, the longest overdue first: one page. Reads only.
    async fn overdue(
        &self,
        _ctx: &RequestContext,
        _before: DateTime<Utc>,
    ) -> Result<Listing<AgendaItem>, ServiceError> {
        Ok(Listing::default())
    }

    /// What lies in `from..to`. Reads only.
    async fn agenda(
        &self,
        _ctx: &RequestContext,
        _from: DateTime<Utc>,
        _to: DateTime<Utc>,
    ) -> Result<Vec<AgendaItem>, ServiceError> {
        Ok(Vec::new())
    }

    /// The person lives in zone `to` from now on: what follows them there. Committed together with the zone.
    async fn rezone(&self, _ctx: &RequestContext, _to: Tz) -> Result<Rezoned, ServiceError> {
        Ok(Rezoned::default())
    }

    /// Everything it keeps whose name holds these words, as a file that other programs read, and how many; `None`: there is
    /// nothing, or no such form.
    async fn file(&self, _ctx: &RequestContext, _words: &str) -> Result<Option<(Attachment, usize)>, ServiceError> {
        Ok(None)
    }

    /// The action that puts the event of something it keeps on the calendar, and whose words that is; `None`: there is none.
    async fn enclosed_event(&self, _ctx: &RequestContext, _item: &str) -> Option<(PlannedAction, UntrustedText)> {
        None
    }

    /// What could be made of content that was passed on without a word: low stakes only.
    fn offers(&self, _content: &Content<'_>, _ctx: &RequestContext) -> Vec<Offerable> {
        Vec::new()
    }

    /// What could be kept of an order that no command carries out: low stakes only, and with a question.
    fn keeps_order(&self, _order: &str) -> Option<Offerable> {
        None
    }

    /// What the making of something is as an addition to a thing of that name that is there already.
    async fn addition(
        &self,
        _ctx: &RequestContext,
        _planned: &PlannedAction,
    ) -> Result<Option<Addition>, ServiceError> {
        Ok(None)
    }

    /// What is done elsewhere has changed the records that mirror it, or should have: reads them again from there.
    async fn mirror_anew(&self, _ctx: &RequestContext) -> Result<(), ServiceError> {
        Ok(())
    }

    /// The accounts elsewhere, by their ids, of which what is read here is a copy: it is as fresh as they are.
    fn mirrors(&self, _owner: &UserId) -> Vec<String> {
        Vec::new()
    }

    /// Its things fall due.
    fn reminders(&self) -> Option<&dyn Reminders> {
        None
    }

    /// Its records here follow accounts elsewhere.
    fn mirroring(&self) -> Option<&dyn Mirroring> {
        None
    }

    /// It waits for what happens outside the store.
    fn event_watcher(&self) -> Option<&dyn EventWatcher> {
        None
    }

    /// It keeps drafts that can be sent.
    fn drafts(&self) -> Option<&dyn Drafts> {
        None
    }

    /// Whether this person may use it at all; what they may not is offered to them nowhere.
    fn is_open_to(&self, _owner: &UserId) -> bool {
        true
    }

    /// Whether only a model that holds a conversation is offered its commands: others leave them to code.
    fn is_for_conversations(&self) -> bool {
        false
    }

    /// What a turn of this person waits for inside it, when that takes its time.
    fn waited_for(&self, _owner: &UserId) -> Option<Progress> {
        None
    }

    /// It keeps what there is to do, for `/tasks`.
    fn to_dos(&self) -> Option<&dyn ToDos> {
        None
    }

    /// It keeps what is done when a person reports it.
    fn open_items(&self) -> Option<&dyn OpenItems> {
        None
    }

    /// It keeps facts about the person, for `/memory` and `/forget`.
    fn facts(&self) -> Option<&dyn Facts> {
        None
    }

    /// Its things can be asked over.
    fn searchable(&self) -> Option<&dyn Searchable> {
        None
    }
}
