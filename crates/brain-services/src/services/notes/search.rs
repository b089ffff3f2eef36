//! `search`: find and read notes.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{NAME, Note, NoteView, Notes};
use super::service::NotesService;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages;
use crate::services::contract::show::{self, Paging};
use crate::services::helpers::finding::Choice;
use crate::services::helpers::items::Item;
use crate::services::helpers::search::WordQuery;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};
use brain_language::language::tokens::lower;

/// Find and read notes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchNotes {
    query: String,
    // How the list was called that the words are to be on, where that is no name: whichever is meant where one is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    list: Option<String>,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

impl SearchNotes {
    /// For a note by its title.
    pub(super) fn of(title: &str) -> Self {
        Self { query: title.to_owned(), list: None, after: None }
    }

    fn paging<'a>(&'a self, output: &'a Notes) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }
}

impl Command for SearchNotes {
    type Output = Notes;

    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "find and read notes";
    const EXAMPLE: &'static str = "What's on my packing list?";
    const STATUS: &'static str = "Searching your notes…";
    const STAKES: Stakes = Stakes::Low;

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Search your notes?").words("For", &self.query)
    }

    fn receipt(&self, output: &Notes, _: &Receipt<'_>) -> String {
        let paging = self.paging(output);
        let list = || show::page(output.notes.iter().map(NoteView::line).collect(), paging);
        match (paging.after, output.notes.as_slice()) {
            (Some(_), _) => list(),
            (None, []) => "🗒 I found no such note.".to_owned(),
            (None, [note]) => format!("🗒 {}", note.whole()),
            (None, _) => format!("🗒 Found:\n{}", list()),
        }
    }

    fn next_page(&self, output: &Notes) -> Option<(usize, Self)> {
        let (rest, after) = pages::rest(self.paging(output), output.notes.len())?;
        Some((rest, Self { query: self.query.clone(), list: self.list.clone(), after: Some(after) }))
    }

    fn listed(&self, output: &Notes) -> Vec<ItemRef> {
        output.notes.iter().map(NoteView::named).take(pages::shown(self.after.as_deref())).collect()
    }

    fn made(&self, output: &Notes) -> Option<ItemRef> {
        match output.notes.as_slice() {
            [only] => Some(only.named()),
            _ => None,
        }
    }

    fn attempt(&self, _: &Action) -> String {
        "search your notes".to_owned()
    }
}

#[async_trait]
impl Handle<SearchNotes> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, SearchNotes>) -> Result<Completed<Notes>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let query = WordQuery::new(&command.query);
        if query.is_for_everything() {
            return self.listed(ctx, command.after.as_deref()).await;
        }
        let (found, total) = match self.list_called(ctx, &command.query).await? {
            Some(list) => (vec![list], 1),
            None => self.matching(ctx, &query).await?,
        };
        let (found, total) = match (command.list.as_deref(), found.as_slice()) {
            (Some(list), []) => match self.named(ctx, list, Note::is_list).await? {
                Choice::One((list, _)) => (vec![list], 1),
                Choice::Several { .. } | Choice::None => (found, total),
            },
            (_, _) => (found, total),
        };
        Ok(Notes::read(pages::ranked(found, total, command.after.as_deref(), Note::id), ctx))
    }
}

/// A question about a list, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "search");
    let name = |slot: &str| said.name(slot).map(|name| without_determiner(&name).to_owned());
    // A bare noun for a list: whichever has the entry, else the one that is meant where one is changed.
    let (bare, named) = match name("list") {
        Some(list) if lower(&list) == "list" => (Some(list), None),
        list => (None, list),
    };
    let Some(query) = named.or_else(|| name("query")) else { return Built::No };
    set(&mut action, "query", Some(query));
    set(&mut action, "list", bare);
    Built::Act(action)
}
