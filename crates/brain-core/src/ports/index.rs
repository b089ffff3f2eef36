//! The search index's port: what a person has, found by words, people, time and flags.
//!
//! An index is derived. It holds [`Document`]s that feeds make of what is kept elsewhere; for each feed it knows how
//! far it has come ([`Update::mark`]), and it may be thrown away and built again at any time. A feed that was cut off
//! goes on behind its mark; applying the same update twice is the same as once.
//!
//! Invariants: every call names an owner and is answered from that owner's documents alone, frequencies of words
//! included; an update is in the index whole, with its mark, or not at all; what is replaced or deleted is not found
//! from the moment in which [`Index::apply`] returns.
//!
//! Deliberately not here: what a document means, and which of several fits best (its service knows), and any type of
//! the library behind it.

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::StoreError;
use super::store::{Key, Order, Scan, Stored};
use super::table::Table;
use crate::core::ids::UserId;

/// Something that can be found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The sort of thing: the name of the service that keeps it, or `conversation`.
    pub kind: String,
    /// Its id, unique among the owner's documents of this kind.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// Further words it is known by. Searched, not kept.
    pub body: String,
    /// Who takes part in it.
    pub people: Vec<Participant>,
    /// When it takes place, is due, or was written.
    pub at: Option<DateTime<Utc>>,
    /// What is true of it, as its service names it: `open`, `unread`.
    pub flags: Vec<String>,
    /// What it belongs to together with others, e.g. the thread of a mail.
    pub group: Option<String>,
    /// What its service wants back with a hit; nobody else reads it.
    pub kept: Vec<u8>,
}

/// Somebody who takes part in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Participant {
    /// As what, as the service names it: `from`, `to`, `with`.
    pub role: String,
    /// Their name, as it stands there; may be empty.
    pub name: String,
    /// Their address; may be empty.
    pub address: String,
}

/// How a searchable table of the store becomes documents.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Source {
    /// Where the records are kept.
    pub table: Table,
    /// The kind of their documents.
    pub kind: &'static str,
    /// Raised whenever `document` makes something else of the same record: the index is then built again.
    pub version: u32,
    /// Whose record it is and what of it can be found; `None` when nothing can, e.g. as it cannot be read.
    pub document: fn(&Key, &Stored) -> Option<(UserId, Document)>,
    /// Whose record is, or was, under this key, and the id of its document; `None` when nothing there can be found.
    pub place: fn(&Key) -> Option<(UserId, String)>,
    /// What the keys of an owner's records begin with.
    pub prefixes: fn(&UserId) -> Vec<Key>,
}

impl Source {
    /// A table whose keys are owner and id.
    pub const fn new(
        table: Table,
        kind: &'static str,
        version: u32,
        document: fn(&Key, &Stored) -> Option<(UserId, Document)>,
    ) -> Self {
        Self { table, kind, version, document, place: owner_and_id, prefixes: under_owner }
    }

    /// The same table with other keys.
    #[must_use]
    pub const fn keyed(
        mut self,
        place: fn(&Key) -> Option<(UserId, String)>,
        prefixes: fn(&UserId) -> Vec<Key>,
    ) -> Self {
        self.place = place;
        self.prefixes = prefixes;
        self
    }

    /// A page of the records whose keys begin so.
    pub fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> Scan {
        let (table, prefix, order) = (self.table, Some(prefix), Order::Ascending);
        Scan { table, by: None, prefix, before: None, after, order, limit }
    }
}

fn owner_and_id(key: &Key) -> Option<(UserId, String)> {
    match key.parts().as_slice() {
        [owner, id] => Some((UserId::new(*owner), (*id).to_owned())),
        _ => None,
    }
}

fn under_owner(owner: &UserId) -> Vec<Key> {
    vec![Key::prefix(&[owner.as_str()])]
}

/// What a feed brings.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// Which feed: the store, or the service that reads a source of its own.
    pub feed: String,
    /// How far the feed has come with this; its own words.
    pub mark: String,
    /// Everything of these kinds goes away first.
    pub clear: Vec<String>,
    /// Kind and id of documents that go away.
    pub delete: Vec<(String, String)>,
    /// New ones, and those that take the place of the one of the same kind and id.
    pub put: Vec<Document>,
}

/// Whether all words of a query have to occur.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Needs {
    /// All of them.
    #[default]
    All,
    /// At least one.
    Any,
}

/// In which order documents come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranking {
    /// Those that fit best first; among them, newer ones.
    #[default]
    Relevance,
    /// The latest first; those without a time last.
    Newest,
    /// The earliest first; those without a time last.
    Oldest,
}

/// What is looked for. Everything that is given has to hold.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Kinds; none: all of them.
    pub kinds: Vec<String>,
    /// As typed: words, `"a phrase"`, `begin*`. Compared by stem; a word that nothing holds may be a slip of one that
    /// something does. Empty: whatever the rest allows.
    pub text: String,
    /// Whether all words have to occur.
    pub needs: Needs,
    /// Only words of the title.
    pub in_title: String,
    /// Each of them takes part: role (any, when empty), and words of a name or an address.
    pub people: Vec<(String, String)>,
    /// All of these are true of it.
    pub flags: Vec<String>,
    /// At least one of these is, where any are given.
    pub any_flags: Vec<String>,
    /// None of these is.
    pub without: Vec<String>,
    /// Of this group.
    pub group: Option<String>,
    /// Not before.
    pub from: Option<DateTime<Utc>>,
    /// Before.
    pub until: Option<DateTime<Utc>>,
    /// Order.
    pub ranking: Ranking,
    /// So many are left out at the beginning.
    pub skip: usize,
    /// At most so many are given.
    pub limit: usize,
    /// Characters of a piece of the body around the words; 0: none.
    pub snippet_chars: usize,
}

/// One document that fits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hit {
    /// See [`Document::kind`].
    pub kind: String,
    /// See [`Document::id`].
    pub id: String,
    /// How well it fits, beside the others of the same answer.
    pub score: f32,
    /// See [`Document::at`].
    pub at: Option<DateTime<Utc>>,
    /// See [`Document::kept`].
    pub kept: Vec<u8>,
    /// A piece of it around the words, when that was asked for.
    pub snippet: Option<String>,
}

/// A page of what fits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// In the order asked for.
    pub hits: Vec<Hit>,
    /// How many fit in all.
    pub total: usize,
}

/// A description of one thing, taken apart by who asks.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// Of which kind it is.
    pub kind: String,
    /// The words that may tell it from others, folded.
    pub words: Vec<String>,
    /// The whole description, folded: a title that says exactly this comes first.
    pub exact: String,
    /// Documents with this flag come before all others, however well those fit.
    pub first: Option<String>,
    /// Among equals those nearest to this come first.
    pub near: Option<DateTime<Utc>>,
    /// At most so many documents.
    pub limit: usize,
}

/// What a description may mean, and what its words are worth among the documents of its kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidates {
    /// For each word of the description, in its order.
    pub words: Vec<WordMatch>,
    /// How many documents of the kind there are.
    pub documents: usize,
    /// Ids, best first.
    pub ids: Vec<String>,
    /// How many documents fit besides these.
    pub more: usize,
}

/// What a word of a description matches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordMatch {
    /// Stems of the documents, and how well each of them fits: 1 is the same.
    pub stems: Vec<(String, f32)>,
    /// In how many documents they occur.
    pub documents: usize,
}

/// How far building an index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    /// Documents that are in it.
    pub done: usize,
    /// Documents there will be, as far as it is known.
    pub total: usize,
}

/// Why the index did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// It is being built, and was not ready in time.
    #[error("I'm still reading through everything ({} of {} so far); ask again in a moment", .0.done, .0.total)]
    Building(BuildProgress),
    /// The store that it is made of could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its files cannot be written or read, and building it again did not help either.
    #[error("the search index cannot be used ({0}); it will be built again, and nothing of what you keep is in danger")]
    Broken(String),
}

/// The search index over everything that people have.
#[async_trait]
pub trait Index: Send + Sync + std::fmt::Debug {
    /// What fits, a page of it.
    async fn search(&self, owner: &UserId, query: &Query) -> Result<Found, IndexError>;

    /// What a description may mean.
    async fn candidates(&self, owner: &UserId, description: &Description) -> Result<Candidates, IndexError>;

    /// Id and [`Document::kept`] of all documents of a kind, in no order.
    async fn all(&self, owner: &UserId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, IndexError>;

    /// [`Document::kept`] of those of a kind that are there, by id, in no order. Costs what is asked for, not what
    /// there is, wherever an engine knows its ids.
    async fn get(&self, owner: &UserId, kind: &str, ids: &[String]) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let mut all = self.all(owner, kind).await?;
        let ids: HashSet<&String> = ids.iter().collect();
        all.retain(|(id, _)| ids.contains(id));
        Ok(all)
    }

    /// Brings an update in, durably.
    async fn apply(&self, owner: &UserId, update: Update) -> Result<(), IndexError>;

    /// How far a feed has come; `None` when it has never brought anything, and after damage.
    async fn mark(&self, owner: &UserId, feed: &str) -> Result<Option<String>, IndexError>;

    /// How far building this owner's index from the store has come; `None` when it is whole.
    fn progress(&self, owner: &UserId) -> Option<BuildProgress>;

    /// Leaves no byte of what was deleted or replaced in the owner's files. Returns when the store's changes so far
    /// are in it and that is so.
    async fn purge(&self, owner: &UserId) -> Result<(), IndexError>;
}
