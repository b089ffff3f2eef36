//! One owner's index: opened or made, written, read, made durable.
//!
//! Invariants: a commit carries its [`CommitMarks`], so documents and marks are never apart; readers see the last
//! commit, durable or not; a writer exists only while it writes. One call at a time writes: the caller sees to it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tantivy::directory::RamDirectory;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term};

use super::durable_directory::DurableDirectory;
use super::shape::{self, IndexFields, SHAPE};
use super::spelling::SpellingCandidates;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::Update;

/// What a commit says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CommitMarks {
    shape: u32,
    /// How far each feed has come.
    pub(super) feeds: BTreeMap<String, String>,
}

/// See the module.
pub(super) struct OwnerIndex {
    pub(super) fields: IndexFields,
    pub(super) slips: SpellingCandidates,
    index: tantivy::Index,
    reader: IndexReader,
    /// `None`: nothing of it is kept in files.
    shelf: Option<DurableDirectory>,
    verified: std::sync::atomic::AtomicBool,
}

impl std::fmt::Debug for OwnerIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnerIndex").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

fn damaged(why: impl std::fmt::Display) -> TantivyError {
    TantivyError::IoError(std::sync::Arc::new(io::Error::new(io::ErrorKind::InvalidData, why.to_string())))
}

impl OwnerIndex {
    /// The one in `folder`, or in memory. An error means that it has to be made again.
    pub(super) fn open(folder: Option<&Path>) -> tantivy::Result<Self> {
        let (schema, fields) = shape::schema();
        let shelf = folder.map(DurableDirectory::open).transpose()?;
        let index = match &shelf {
            Some(shelf) => tantivy::Index::open_or_create(shelf.clone(), schema)?,
            None => tantivy::Index::open_or_create(RamDirectory::create(), schema)?,
        };
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(limits::INDEX_STORE_BLOCKS)
            .try_into()?;
        let verified = std::sync::atomic::AtomicBool::new(shelf.is_none());
        let opened = Self { fields, slips: SpellingCandidates::default(), index, reader, shelf, verified };
        let marks = opened.marks()?;
        if marks.shape != SHAPE && opened.searcher().num_docs() > 0 {
            return Err(damaged("it has another shape"));
        }
        if opened.shelf.as_ref().is_some_and(|shelf| shelf.bytes() <= limits::INDEX_VERIFIED_AT_OPEN_BYTES) {
            opened.verify()?;
        }
        Ok(opened)
    }

    /// Reads all files and compares their check sums.
    pub(super) fn verify(&self) -> tantivy::Result<()> {
        let broken = self.index.validate_checksum()?;
        if !broken.is_empty() {
            return Err(damaged("its check sums are wrong"));
        }
        self.verified.store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    /// Whether its check sums were compared.
    pub(super) fn is_verified(&self) -> bool {
        self.verified.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// What the last commit said of itself.
    pub(super) fn marks(&self) -> tantivy::Result<CommitMarks> {
        let payload = self.index.load_metas()?.payload;
        Ok(payload.and_then(|payload| serde_json::from_str(&payload).ok()).unwrap_or_default())
    }

    /// What is there now.
    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    fn write(&self, write: impl FnOnce(&mut IndexWriter) -> tantivy::Result<()>) -> tantivy::Result<()> {
        let options = IndexWriterOptions::builder().num_worker_threads(1).num_merge_threads(1).build();
        let mut writer: IndexWriter = self.index.writer_with_options(options)?;
        let mut merging = LogMergePolicy::default();
        merging.set_max_docs_before_merge(limits::INDEX_MERGED_DOCS_MAX);
        writer.set_merge_policy(Box::new(merging));
        write(&mut writer)?;
        // Whatever merges is done when this returns, and its memory is free.
        writer.wait_merging_threads()?;
        self.reader.reload()
    }

    /// Brings an update in, with its mark; `None` takes the mark away. Durable after [`Self::seal`].
    pub(super) fn apply(&self, update: &Update, mark: Option<&str>) -> tantivy::Result<()> {
        let mut marks = CommitMarks { shape: SHAPE, ..self.marks()? };
        match mark {
            Some(mark) => marks.feeds.insert(update.feed.clone(), mark.to_owned()),
            None => marks.feeds.remove(&update.feed),
        };
        let payload = serde_json::to_string(&marks).map_err(damaged)?;
        self.write(|writer| {
            for kind in &update.clear {
                writer.delete_term(Term::from_field_text(self.fields.kind, kind));
            }
            for (kind, id) in &update.delete {
                writer.delete_term(self.fields.key(kind, id));
            }
            let mut put = BTreeSet::new();
            // Of two of the same place the later one counts.
            let documents: Vec<_> =
                update.put.iter().rev().filter(|document| put.insert((&document.kind, &document.id))).collect();
            for document in documents.iter().rev() {
                writer.delete_term(self.fields.key(&document.kind, &document.id));
            }
            for document in documents.into_iter().rev() {
                let made: TantivyDocument = self.fields.document(document);
                writer.add_document(made)?;
            }
            fail_point("index-written");
            let mut commit = writer.prepare_commit()?;
            commit.set_payload(&payload);
            commit.commit()?;
            fail_point("index-committed");
            Ok(())
        })
    }

    /// Makes the last commit durable.
    pub(super) fn seal(&self) -> tantivy::Result<()> {
        let Some(shelf) = &self.shelf else { return Ok(()) };
        let metas = self.index.load_metas()?;
        let segments = metas.segments.iter().map(|segment| segment.id().uuid_string()).collect();
        Ok(shelf.seal(&segments)?)
    }

    /// Merges all segments that hold deleted documents, so that these are in no file once it is sealed.
    pub(super) fn expunge(&self) -> tantivy::Result<()> {
        let metas = self.index.load_metas()?;
        let payload = metas.payload.clone().unwrap_or_default();
        let holding: Vec<_> =
            metas.segments.iter().filter(|segment| segment.has_deletes()).map(|segment| segment.id()).collect();
        if !holding.is_empty() {
            self.write(|writer| {
                writer.set_merge_policy(Box::new(tantivy::indexer::NoMergePolicy));
                writer.merge(&holding).wait()?;
                let mut commit = writer.prepare_commit()?;
                commit.set_payload(&payload);
                commit.commit()?;
                writer.garbage_collect_files().wait()?;
                Ok(())
            })?;
        }
        self.seal()
    }
}
