//! The search index over everything that people have, behind [`Index`](brain_core::ports::Index).
//!
//! ```text
//! store's change log ─► feed ─► waiting ─► owner's index ◄─ apply ── services with a source of their own
//!                                              │
//!                                              └─► search, candidates, all, get
//! ```
//!
//! One tantivy index an owner, in a folder of its own (in memory where nothing is kept); none for an owner of few
//! records, which are looked through. The feed reads the change log, and what it tells waits by its owner: for a
//! moment, or until the owner asks for that kind. Commits are visible at once and durable a little later, all marks
//! with their documents; what was lost in between is read from the log again. An index that is damaged, of an older
//! shape or of another store is removed and built again.
//!
//! In reading order: `text` and `shape` (how documents are kept), `shelf` and `owner` (one index), `dictionary`,
//! `slips`, `candidates`, `query`, `hits`, `snippet` (what it is asked), `house` and `reading` (all owners' indexes),
//! `feed` and `build` (how they follow the store), [`conversation`] (what was said, as documents), [`plain`] (the same
//! answers without an index).
//! Deliberately not here: what the documents of services are.

#![deny(missing_docs)]

mod build;
mod candidates;
mod columns;
pub mod conversation;
mod dictionary;
mod durable_directory;
mod engine;
mod feed;
mod hits;
mod owner;
pub mod plain;
mod query;
mod reading;
mod shape;
mod snippet;
mod spelling;
#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tantivy::Term;

use self::columns::Columns;
use self::engine::SearchEngine;
use brain_core::core::ids::UserId;
use brain_core::limits;
use brain_core::ports::{
    BuildProgress, Candidates, Description, Found, Index, IndexError, Query, Source, Store, Update,
};

/// How the indexes below a folder are; see [`look`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexesLook {
    /// How many people have one.
    pub people: usize,
    /// How many of those cannot be read; each is built again when it is needed.
    pub damaged: usize,
}

/// Looks at the indexes below a folder, and changes nothing. What is replaced meanwhile by the process that owns it may
/// look damaged.
pub fn look(folder: &Path) -> io::Result<IndexesLook> {
    let mut found = IndexesLook::default();
    let entries = match std::fs::read_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(found),
        other => other?,
    };
    for entry in entries {
        let folder = entry?.path();
        if folder.is_dir() {
            found.people += 1;
            found.damaged += usize::from(durable_directory::look(&folder).is_err());
        }
    }
    Ok(found)
}

/// The index of a store.
#[derive(Debug)]
pub struct SearchIndex {
    house: Arc<SearchEngine>,
}

impl SearchIndex {
    /// The index of what these sources make of the store's records, kept in `folder`; `None`: in memory. The store must
    /// follow the tables of the sources. Inside a runtime it follows the store from now on, else when it is asked.
    pub fn new(store: Arc<dyn Store>, sources: Vec<Source>, folder: Option<PathBuf>) -> Self {
        Self::with_few(store, sources, folder, limits::INDEX_FEW_RECORDS)
    }

    /// The same, where up to so many records are looked through without an index.
    fn with_few(store: Arc<dyn Store>, sources: Vec<Source>, folder: Option<PathBuf>, few: usize) -> Self {
        let house = Arc::new(SearchEngine::new(store, sources, folder, few));
        feed::follow(&house);
        Self { house }
    }
}

#[async_trait]
impl Index for SearchIndex {
    async fn search(&self, owner: &UserId, query: &Query) -> Result<Found, IndexError> {
        if self.house.has_few(owner).await? {
            return self.house.plain.search(owner, query).await;
        }
        let (query, kinds) = (query.clone(), query.kinds.clone());
        self.house
            .read(owner, &kinds, move |index| hits::search(&index.searcher(), &index.fields, &index.slips, &query))
            .await
    }

    async fn candidates(&self, owner: &UserId, description: &Description) -> Result<Candidates, IndexError> {
        if self.house.has_few(owner).await? {
            return self.house.plain.candidates(owner, description).await;
        }
        let sought = description.clone();
        self.house
            .read(owner, std::slice::from_ref(&description.kind), move |index| {
                candidates::candidates(&index.searcher(), &index.fields, &index.slips, &sought)
            })
            .await
    }

    async fn all(&self, owner: &UserId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        if self.house.has_few(owner).await? {
            return self.house.plain.all(owner, kind).await;
        }
        let kinds = [kind.to_owned()];
        let kind = kind.to_owned();
        let read = move |index: &owner::OwnerIndex| {
            let searcher = index.searcher();
            let columns = Columns::of(&searcher)?;
            let term = Term::from_field_text(index.fields.kind, &kind);
            let mut all = Vec::new();
            for (number, segment) in searcher.segment_readers().iter().enumerate() {
                let mut docs = Vec::new();
                dictionary::documents(segment, &term, |doc| docs.push(doc))?;
                all.append(&mut columns.many(number, &docs)?);
            }
            Ok(all)
        };
        self.house.read(owner, &kinds, read).await
    }

    async fn get(&self, owner: &UserId, kind: &str, ids: &[String]) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        if self.house.has_few(owner).await? {
            return self.house.plain.get(owner, kind, ids).await;
        }
        let kinds = [kind.to_owned()];
        let (kind, ids) = (kind.to_owned(), ids.to_vec());
        let read = move |index: &owner::OwnerIndex| {
            let searcher = index.searcher();
            let columns = Columns::of(&searcher)?;
            let mut found = Vec::new();
            for id in &ids {
                for (number, segment) in searcher.segment_readers().iter().enumerate() {
                    let mut docs = Vec::new();
                    dictionary::documents(segment, &index.fields.key(&kind, id), |doc| docs.push(doc))?;
                    if let Some(doc) = docs.first() {
                        found.push((id.clone(), columns.kept(number, *doc)?));
                        break;
                    }
                }
            }
            Ok(found)
        };
        self.house.read(owner, &kinds, read).await
    }

    async fn apply(&self, owner: &UserId, update: Update) -> Result<(), IndexError> {
        let mark = update.mark.clone();
        self.house.write(owner, update, Some(mark), engine::Durable::Now).await
    }

    async fn mark(&self, owner: &UserId, feed: &str) -> Result<Option<String>, IndexError> {
        if self.house.has_few(owner).await? {
            return Ok(None);
        }
        let feed = feed.to_owned();
        self.house.look(owner, move |index| Ok(index.marks()?.feeds.get(&feed).cloned())).await
    }

    fn progress(&self, owner: &UserId) -> Option<BuildProgress> {
        self.house.progress(owner)
    }

    async fn purge(&self, owner: &UserId) -> Result<(), IndexError> {
        self.house.purge(owner).await
    }
}
