//! Notes and lists.
//!
//! A note is a list when it has entries, or nothing at all yet; what is added to a list becomes entries,
//! what is added to a text becomes a line of it.

pub mod commands;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::items::{self, Item, unknown_command};
use super::provenance;
use super::provenance::Others;
use super::search::{Index, PERHAPS, Query};
use super::texts;
use crate::core::ids::UserId;
use crate::core::outcome::Outcome;
use crate::core::plan::{Action, Params};
use crate::core::provenance::UntrustedText;
use crate::core::stakes::Authorized;
use crate::core::text::capital;
use crate::limits::{NOTE_CHARS_MAX, NOTE_ITEMS_MAX, RESULT_ROWS_MAX};
use crate::ports::{Change, Expect, Key, Record, Store, Table};
use crate::services::service::{Attempt, Noticed, Performed, Prepared, RequestContext, Service, ServiceError, Wanted};

#[cfg(test)]
mod tests;

/// A note far behind the best one is not what was looked for.
const FAR: f32 = 0.5;

/// Something written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Unique among the owner's notes.
    pub id: String,
    /// Whose.
    pub owner: UserId,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub text: Option<String>,
    /// The entries of a list.
    pub items: Vec<String>,
    /// What of it is somebody else's.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl Note {
    /// A new one with nothing in it: an empty list.
    fn called(title: &str, ctx: &RequestContext, attempt: &Attempt) -> Result<Self, ServiceError> {
        Ok(Self {
            id: texts::new_id(attempt),
            owner: ctx.owner.clone(),
            title: texts::title(title, Self::NOUN)?,
            text: None,
            items: Vec::new(),
            others: Others::default(),
            created_at: ctx.now,
            updated_at: ctx.now,
        })
    }

    fn is_list(&self) -> bool {
        !self.items.is_empty() || self.text.is_none()
    }

    /// Adds entries to a list, a line to a text; `source`: whose they are, unless they are the person's own.
    fn append(&mut self, text: &str, source: Option<String>) {
        if self.is_list() {
            let entries = entries(text);
            self.others.add("items", &entries.join("\n"), source);
            self.items.extend(entries);
        } else if let Some(old) = &mut self.text {
            self.others.add("text", text, source);
            old.push('\n');
            old.push_str(text);
        }
    }

    fn check_size(&self) -> Result<(), ServiceError> {
        let chars = self.text.iter().chain(&self.items).map(|text| text.chars().count()).sum::<usize>();
        if self.items.len() > NOTE_ITEMS_MAX || chars > NOTE_CHARS_MAX {
            return Err(ServiceError(format!(
                "“{}” would grow too large ({NOTE_ITEMS_MAX} entries or {NOTE_CHARS_MAX} characters at most); \
                 nothing was written.",
                texts::brief(&self.title)
            )));
        }
        Ok(())
    }
}

/// The entries in a text: its lines, or, when it is one line, what commas and "and" separate.
fn entries(text: &str) -> Vec<String> {
    let plain = |entry: &str| entry.trim().trim_start_matches(['-', '•', '*', '▫']).trim().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    let parts: Vec<&str> = match lines.as_slice() {
        [line] => line.split(',').flat_map(|part| part.split(" and ")).collect(),
        _ => lines,
    };
    let stripped = parts.into_iter().map(|part| part.trim().strip_prefix("and ").unwrap_or(part));
    stripped.map(plain).filter(|entry| !entry.is_empty()).collect()
}

impl Record for Note {
    const TABLE: Table = Table::Notes;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Note {
    const NOUN: &'static str = "note";

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn body(&self) -> String {
        let mut body = self.items.join("\n");
        body.extend(self.text.as_deref());
        body
    }

    fn label(&self, _: &RequestContext) -> String {
        let content = self.items.first().or(self.text.as_ref());
        match content {
            Some(content) => format!("{}: {}", texts::brief(&self.title), texts::brief(content)),
            None => texts::brief(&self.title),
        }
    }

    fn view(&self, _: &RequestContext) -> Value {
        let mut view = json!({"id": self.id, "title": self.title});
        if let Some(text) = &self.text {
            view["text"] = json!(text);
        }
        if !self.items.is_empty() {
            view["items"] = json!(self.items);
        }
        self.others.mark(&mut view);
        view
    }

    fn nearness(&self, ctx: &RequestContext) -> (u8, i64) {
        (0, (ctx.now - self.updated_at).num_seconds().abs())
    }

    fn untrusted(&self) -> Vec<UntrustedText> {
        self.others.untrusted("a note")
    }
}

/// Notes in the store.
#[derive(Debug)]
pub struct KeepService {
    store: Arc<dyn Store>,
}

impl KeepService {
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

    fn create(ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Result<Performed, ServiceError> {
        let mut note = Note {
            text: texts::given(&action.params, "text"),
            items: texts::given_list(&action.params, "items"),
            ..Note::called(action.text("title"), ctx, attempt)?
        };
        let text = note.text.as_deref().unwrap_or_default();
        for (field, text) in [("title", note.title.as_str()), ("text", text), ("items", &note.items.join("\n"))] {
            note.others.write(field, text, provenance::source(action, field));
        }
        note.check_size()?;
        let change = Change::put(&note, Expect::Absent)?;
        Ok(told(&note, ctx, change))
    }

    /// Adding commutes: a note that grew since it was looked up is still the one that was meant.
    async fn append(
        &self,
        ctx: &RequestContext,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Performed, ServiceError> {
        let text =
            texts::given(&action.params, "text").ok_or_else(|| ServiceError("There was nothing to add.".to_owned()))?;
        if action.target.is_none() && names_a_list(action.text("find_by")) {
            return Self::begin_list(ctx, action, &text, attempt);
        }
        let (mut note, revision) = items::current::<Note>(&self.store, ctx, action).await?;
        note.append(&text, provenance::source(action, "text"));
        note.check_size()?;
        note.updated_at = ctx.now;
        let change = Change::put(&note, Expect::Revision(revision))?;
        Ok(told(&note, ctx, change))
    }

    /// A list of the name under which none was found.
    fn begin_list(
        ctx: &RequestContext,
        action: &Action,
        text: &str,
        attempt: &Attempt,
    ) -> Result<Performed, ServiceError> {
        let mut note = Note::called(&capital(action.text("find_by")), ctx, attempt)?;
        note.append(text, provenance::source(action, "text"));
        note.check_size()?;
        let change = Change::put(&note, Expect::Absent)?;
        let mut begun = told(&note, ctx, change);
        if let Outcome::Succeeded { result } = &mut begun.outcome {
            result["begun"] = true.into();
        }
        Ok(begun)
    }

    async fn delete(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (note, revision) = items::held::<Note>(&self.store, ctx, action).await?;
        let change = Change::delete(Note::TABLE, note.key(), Expect::Revision(revision));
        Ok(told(&note, ctx, change))
    }

    async fn search(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let notes = self.all(ctx).await?;
        let query = Query::new(action.text("query"));
        if query.is_for_everything() {
            return Ok(listed(&notes, ctx));
        }
        Ok(listed(&matching(notes, &query), ctx))
    }
}

/// The notes that a query fits, best first.
fn matching(notes: Vec<Note>, query: &Query) -> Vec<Note> {
    let bodies: Vec<String> = notes.iter().map(Note::body).collect();
    let index = Index::new(notes.iter().zip(&bodies).map(|(n, body)| (n.title.as_str(), body.as_str())));
    let mut ranked: Vec<(f32, Note)> = index.covered(query).into_iter().zip(notes).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let best = ranked.first().map_or(0.0, |(score, _)| score.min(1.0));
    let fits = |score: f32| score >= PERHAPS && score >= best * FAR;
    ranked.into_iter().filter(|(score, _)| fits(*score)).map(|(_, note)| note).collect()
}

fn told(note: &Note, ctx: &RequestContext, change: Change) -> Performed {
    Performed::changed(json!({"note": note.view(ctx)}), vec![change]).holding(note.untrusted())
}

fn listed(notes: &[Note], ctx: &RequestContext) -> Performed {
    let shown = &notes[..notes.len().min(RESULT_ROWS_MAX)];
    let rows: Vec<Value> = shown.iter().map(|note| note.view(ctx)).collect();
    let more = notes.len() - shown.len();
    Performed::result(json!({"notes": rows, "more": more})).holding(items::untrusted(shown))
}

/// A list that is not there is begun; any other note could be.
fn or_a_new_list(found: Prepared, params: Params, words: &str) -> Prepared {
    match found {
        Prepared::NotFound { .. } if names_a_list(words) => Prepared::as_is(params),
        Prepared::NotFound { what } => Prepared::NotFound {
            what: format!("{what} Say “make a list called {}” and I'll start it.", texts::brief(words)),
        },
        ready @ (Prepared::Ready { .. } | Prepared::Several { .. }) => ready,
    }
}

/// "The shopping list": a few plain words. What a note is found by is not judged for others' words, so a name that
/// could carry an address, a link or a number begins nothing.
fn names_a_list(words: &str) -> bool {
    const WORDS_MAX: usize = 4;
    let last = words.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_list = ["list", "liste"].iter().any(|list| last.ends_with(list));
    let plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '’');
    is_list && words.split_whitespace().count() <= WORDS_MAX && words.chars().all(plain)
}

#[async_trait]
impl Service for KeepService {
    fn name(&self) -> &'static str {
        "keep"
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        match command {
            "create" | "list" | "search" => Ok(Prepared::as_is(params)),
            "append" => {
                let words = texts::given(&params, "find_by").unwrap_or_default();
                let found = items::prepare::<Note>(&self.store, ctx, params.clone(), "find_by", |_| true).await?;
                Ok(or_a_new_list(found, params, &words))
            }
            "delete" => items::prepare::<Note>(&self.store, ctx, params, "find_by", |_| true).await,
            _ => Err(unknown_command("keep", command)),
        }
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match action.command.as_str() {
            "create" => Self::create(ctx, action, attempt),
            "append" => self.append(ctx, action, attempt).await,
            "list" => self.all(ctx).await.map(|notes| listed(&notes, ctx)),
            "search" => self.search(ctx, action).await,
            "delete" => self.delete(ctx, action).await,
            other => Err(unknown_command("keep", other)),
        };
        done.unwrap_or_else(Performed::from)
    }

    /// Titles: what the message is about first, then what was changed last.
    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("notes", items::export::<Note>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let notes = self.all(ctx).await?;
        let mut chosen = matching(notes.clone(), &Query::new(&wanted.message));
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

    async fn happened(&self, ctx: &RequestContext, command: &str, attempt: &Attempt) -> Option<bool> {
        if command != "create" {
            return None;
        }
        let key = Key::of(&[ctx.owner.as_str(), &texts::new_id(attempt)]);
        self.store.get(Note::TABLE, &key).await.ok().map(|stored| stored.is_some())
    }
}
