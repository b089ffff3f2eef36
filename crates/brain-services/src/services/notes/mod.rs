//! Notes and lists.
//!
//! A note is a list when it has entries, or nothing at all yet; what is added to a list becomes entries,
//! what is added to a text becomes a line of it. Entries are ticked and taken off one by one (see [`entries`]).

mod append;
mod change;
mod create;
mod delete;
mod entries;
mod entry_query;
mod list;
mod named;
mod open;
mod record;
mod remove;
mod search;
mod searchable;
mod service;
mod tick;
mod untick;

use std::sync::Arc;

use append::AppendNote;
use async_trait::async_trait;
use change::ChangeEntry;
pub(super) use change::revalued;
use create::CreateNote;
pub(super) use create::go_on;
use delete::DeleteNote;
use list::ListNotes;
pub use record::Note;
use remove::RemoveEntries;
use search::SearchNotes;
use serde_json::Value;
use tick::TickEntries;
use untick::UntickEntries;

use crate::services::catalog::registry::Registration;
use crate::services::contract::archived::Imported;
use crate::services::contract::capabilities::{Content, Offerable, OpenItems};
use crate::services::contract::circumstance::{Circumstance, Evidence};
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Searchable;
use crate::services::contract::service::{Addition, ContextRequest, ContextRole, Noticed, Service, ServiceInfo};
use crate::services::helpers::described::{Timing, over_one};
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts;
use brain_core::core::ids::UserId;
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Along;
use brain_core::ports::{Secondary, Source};
use brain_language::language::requests::built::{Builder, Built};

#[cfg(test)]
mod tests;

pub use record::NAME;
pub use service::NotesService;

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 9] = [
    ("create", create::built),
    ("append", append::built),
    ("tick", |said| entries::built(said, "tick")),
    ("untick", |said| entries::built(said, "untick")),
    ("remove", |said| entries::built(said, "remove")),
    ("change", change::built),
    ("list", |said| Built::Act(said.action(NAME, "list"))),
    ("search", search::built),
    ("delete", |said| over_one(said, NAME, "delete", Timing::Name)),
];

/// Its notes, to be found.
pub(super) const SOURCE: Source = items::source::<Note>();

/// The orders by which it asks the store for notes.
pub(super) static INDEXES: [&Secondary; 1] = [&record::BY_CHANGE];

/// What notes are called in an export.
const RECORDS: &str = "notes";

impl NotesService {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "Notes and lists", "notes and lists", "your notes");
        Registration::of(info, self)
            .command::<CreateNote>()
            .command::<AppendNote>()
            .command::<TickEntries>()
            .command::<UntickEntries>()
            .command::<RemoveEntries>()
            .command::<ChangeEntry>()
            .command::<ListNotes>()
            .command::<SearchNotes>()
            .command::<DeleteNote>()
            .end()
    }
}

#[async_trait]
impl Service for NotesService {
    fn context_role(&self) -> ContextRole {
        ContextRole::Items
    }

    fn offers(&self, content: &Content<'_>, _: &RequestContext) -> Vec<Offerable> {
        let note = |title: &str| {
            let (title, text) = (shorten(title, 80), Some(content.text.to_owned()));
            planned(NAME, &CreateNote { title, text, items: Vec::new() })
        };
        match content.along {
            Some(Along::Contact { .. }) => Vec::new(),
            Some(Along::Place { name }) => {
                let title = name.as_deref().unwrap_or("A place");
                let question = format!("Shall I keep this place as a note ({})?", visible(&shorten(title, 80)));
                vec![Offerable { rank: 1, question: Some(question), label: "📌 Keep it", action: note(title) }]
            }
            Some(Along::File { .. } | Along::Message { .. }) | None if content.is_calendar() => Vec::new(),
            Some(Along::File { .. } | Along::Message { .. }) | None => {
                let action = note(content.title);
                vec![Offerable { rank: 1, question: None, label: "📝 Keep it as a note", action }]
            }
        }
    }

    async fn addition(&self, ctx: &RequestContext, planned: &PlannedAction) -> Result<Option<Addition>, ServiceError> {
        self.addition_to_its_like(ctx, planned).await
    }

    async fn holds(&self, ctx: &RequestContext, what: &Circumstance) -> Result<Option<Evidence>, ServiceError> {
        let Circumstance::Exists { words } = what else { return Ok(None) };
        let query = WordQuery::new(words);
        let (notes, _) = self.matching(ctx, &query).await?;
        // An entry is what most people mean; a title is what is left.
        let holding = notes.iter().find_map(|note| note.says(&query).map(|said| (note, said)));
        Ok(Some(holding.map_or_else(Evidence::default, |(note, said)| Evidence {
            holds: true,
            shown: Some(said),
            untrusted: note.untrusted(),
        })))
    }

    fn open_items(&self) -> Option<&dyn OpenItems> {
        Some(self)
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![(RECORDS, items::export::<Note>(&self.store, owner).await?)])
    }

    async fn import(
        &self,
        ctx: &RequestContext,
        kind: &str,
        records: Vec<Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        if kind != RECORDS {
            return Ok(None);
        }
        let mend = |note: &mut Note| match note.title.trim() {
            "" => Err("it has no title".to_owned()),
            _ => note.check_size().map_err(|error| error.to_string()),
        };
        Ok(Some(items::import::<Note>(self.store.as_ref(), ctx, records, mend).await?.0))
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        let (mut chosen, _) = self.matching(ctx, &WordQuery::new(&wanted.message)).await?;
        let (latest, _) = self.latest(ctx, wanted.limit).await?;
        for note in latest {
            if !chosen.iter().any(|known| known.id == note.id) {
                chosen.push(note);
            }
        }
        let line = |note: &Note| match note.items.len() {
            0 => texts::brief(&note.title),
            count => format!("{} (list, {count})", texts::brief(&note.title)),
        };
        let noticed =
            |note: &Note| Noticed { id: Some(note.id.clone()), line: line(note), untrusted: note.untrusted() };
        Ok(chosen.iter().take(wanted.limit).map(noticed).collect())
    }
}
