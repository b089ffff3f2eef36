//! Notes and lists.
//!
//! A note is a list when it has entries, or nothing at all yet; what is added to a list becomes entries,
//! what is added to a text becomes a line of it.

mod append;
mod create;
mod delete;
mod list;
mod record;
mod search;

use std::sync::Arc;

use append::AppendNote;
use async_trait::async_trait;
use create::CreateNote;
use delete::DeleteNote;
use list::ListNotes;
pub use record::Note;
use search::SearchNotes;
use serde_json::Value;

use super::command::planned;
use super::error::ServiceError;
use super::items::{self, Item};
use super::registry::Registration;
use super::search::{PERHAPS, WordIndex, WordQuery};
use super::service::{Content, ContextRole, Noticed, Offerable, RequestContext, Service, ServiceInfo, Wanted};
use super::texts;
use crate::core::ids::UserId;
use crate::core::text::{shorten, visible};
use crate::core::turn::Along;
use crate::ports::Store;

#[cfg(test)]
mod tests;

/// A note far behind the best one is not what was looked for.
const FAR: f32 = 0.5;

/// Its name in plans.
pub const NAME: &str = "keep";

/// Notes in the store.
#[derive(Debug)]
pub struct NotesService {
    store: Arc<dyn Store>,
}

impl NotesService {
    /// Over this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// All notes, last changed first.
    async fn all(&self, ctx: &RequestContext) -> Result<Vec<Note>, ServiceError> {
        let held = items::all::<Note>(&self.store, &ctx.owner).await?;
        let mut notes: Vec<Note> = held.into_iter().map(|(note, _)| note).collect();
        notes.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.id.cmp(&b.id)));
        Ok(notes)
    }
}

/// The question for a missing parameter.
fn question(param: &str) -> &'static str {
    match param {
        "title" => "What should the note be called?",
        "text" => "What should I write down?",
        "query" => "What should I look for in your notes?",
        _ => "Which note do you mean?",
    }
}

/// The notes that a query fits, best first.
fn matching(notes: Vec<Note>, query: &WordQuery) -> Vec<Note> {
    let bodies: Vec<String> = notes.iter().map(Note::body).collect();
    let index = WordIndex::new(notes.iter().zip(&bodies).map(|(n, body)| (n.title.as_str(), body.as_str())));
    let mut ranked: Vec<(f32, Note)> = index.covered(query).into_iter().zip(notes).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let best = ranked.first().map_or(0.0, |(score, _)| score.min(1.0));
    let fits = |score: f32| score >= PERHAPS && score >= best * FAR;
    ranked.into_iter().filter(|(score, _)| fits(*score)).map(|(_, note)| note).collect()
}

impl NotesService {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "Notes and lists", "notes and lists", "your notes");
        Registration::of(info, self)
            .command::<CreateNote>()
            .command::<AppendNote>()
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

    fn offers(&self, content: &Content<'_>) -> Vec<Offerable> {
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
            Some(Along::File { .. } | Along::Message { .. }) | None => {
                let action = note(content.title);
                vec![Offerable { rank: 1, question: None, label: "📝 Keep it as a note", action }]
            }
        }
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("notes", items::export::<Note>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let notes = self.all(ctx).await?;
        let mut chosen = matching(notes.clone(), &WordQuery::new(&wanted.message));
        for note in notes {
            if !chosen.iter().any(|known| known.id == note.id) {
                chosen.push(note);
            }
        }
        let line = |note: &Note| match note.items.len() {
            0 => texts::brief(&note.title),
            count => format!("{} (list, {count})", texts::brief(&note.title)),
        };
        let noticed = |note: &Note| Noticed { id: note.id.clone(), line: line(note), untrusted: note.untrusted() };
        Ok(chosen.iter().take(wanted.limit).map(noticed).collect())
    }
}
