//! The service itself, and what its commands share. Not here: which commands it has (`mod`).

use super::record::{self, Note, Notes};
use crate::services::contract::command::Completed;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages;
use crate::services::helpers::finding::Finder;
use crate::services::helpers::search::{Fit, PERHAPS, WordQuery, WordedItem};
use brain_core::ports::{Index, Query, Ranking, Scan, Store};
use std::sync::Arc;

/// A note far behind the best one is not what was looked for.
const FAR: f32 = 0.5;

/// Notes in the store.
#[derive(Debug)]
pub struct NotesService {
    pub(super) store: Arc<dyn Store>,
    pub(super) index: Arc<dyn Index>,
}

impl NotesService {
    /// Over this store and its index.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>) -> Self {
        Self { store, index }
    }

    pub(super) fn finder<'a>(&'a self, ctx: &'a RequestContext) -> Finder<'a> {
        Finder { store: &self.store, index: &self.index, ctx }
    }

    /// A page of all notes, the ones that were changed last first.
    pub(super) async fn listed(
        &self,
        ctx: &RequestContext,
        after: Option<&str>,
    ) -> Result<Completed<Notes>, ServiceError> {
        let scan = Scan::by(&record::BY_CHANGE, &[ctx.owner.as_str()], usize::MAX);
        Ok(Notes::read(pages::page(&self.store, vec![scan], after, pages::shown(after)).await?, ctx))
    }

    /// The notes that were changed last, and how many there are in all.
    pub(super) async fn latest(&self, ctx: &RequestContext, limit: usize) -> Result<(Vec<Note>, usize), ServiceError> {
        self.finder(ctx).page(Query { ranking: Ranking::Newest, limit, ..Query::default() }).await
    }

    /// The notes that a query fits, best first, and how many there are in all.
    pub(super) async fn matching(
        &self,
        ctx: &RequestContext,
        query: &WordQuery,
    ) -> Result<(Vec<Note>, usize), ServiceError> {
        let by_fit =
            |fit: &Fit<'_>, worded: &[WordedItem], _: &[Note]| worded.iter().map(|note| fit.covered(note)).collect();
        let fits = |score: f32, best: f32| score >= PERHAPS && score >= best.min(1.0) * FAR;
        self.finder(ctx).ranked(query, by_fit, fits).await
    }
}

/// The question for a missing parameter.
pub(super) fn question(param: &str) -> &'static str {
    match param {
        "title" => "What should the note be called?",
        "text" => "What should I write down?",
        "query" => "What should I look for in your notes?",
        "items" => "Which entries do you mean?",
        _ => "Which note do you mean?",
    }
}
