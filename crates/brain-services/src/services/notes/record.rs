//! A note as it is stored, and as cards and receipts see it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::services::contract::command::Completed;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::Page;
use crate::services::contract::provenance::Others;
use crate::services::contract::service::Attempt;
use crate::services::contract::show;
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts;
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::shorten;
use brain_core::limits::{NOTE_CHARS_MAX, NOTE_ITEMS_MAX};
use brain_core::ports::secondary::readable;
use brain_core::ports::{Change, Key, Record, Secondary, Table};
use brain_language::language::requests::reading::unquoted;
use brain_language::language::{self, terms};

use super::entries;

/// Its name in plans.
pub const NAME: &str = "keep";

/// Something written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Unique among the owner's notes.
    pub id: String,
    /// The person whose note it is.
    pub owner: UserId,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub text: Option<String>,
    /// The entries of a list, ticked or not; see [`entries`](super::entries).
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
    pub(super) fn called(title: &str, ctx: &RequestContext, attempt: &Attempt) -> Result<Self, ServiceError> {
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

    /// The entry that says all of this, or the title that does.
    pub(super) fn says(&self, query: &WordQuery) -> Option<String> {
        let stems = |text: &str| WordQuery::new(text).words().map(|word| terms::stem(word)).collect::<Vec<_>>();
        let wanted: Vec<String> = query.strong.iter().map(|word| terms::stem(word)).collect();
        let title = stems(&self.title);
        let lacks_of_title = |stem: &&String| !title.contains(stem);
        // What the title does not say, the entry does.
        let own: Vec<&String> = wanted.iter().filter(lacks_of_title).collect();
        let holds = |entry: &&String| {
            let has = stems(entries::words_of(entry));
            own.iter().all(|stem| has.contains(stem))
        };
        let entry = self.items.iter().find(holds).filter(|_| !own.is_empty());
        match entry {
            Some(entry) => Some(format!("{} in {}", texts::brief(entries::words_of(entry)), texts::brief(&self.title))),
            None => (own.is_empty() && !wanted.is_empty()).then(|| texts::brief(&self.title)),
        }
    }

    pub(super) fn is_list(&self) -> bool {
        !self.items.is_empty() || self.text.is_none()
    }

    /// Ticks each of these entries once, or takes the tick away; the first of them that is not one, if any.
    pub(super) fn tick(&mut self, words: &[String], ticks: bool) -> Result<(), String> {
        for wanted in words {
            let place = self.place_of(wanted, |is_ticked| is_ticked != ticks).ok_or_else(|| wanted.clone())?;
            let entry = &mut self.items[place];
            *entry = if ticks { entries::ticked(entry) } else { entries::words_of(entry).to_owned() };
        }
        Ok(())
    }

    /// Takes each of these entries off once; the first of them that is not one, if any.
    pub(super) fn remove(&mut self, words: &[String]) -> Result<(), String> {
        for wanted in words {
            let place = self.place_of(wanted, |_| true).ok_or_else(|| wanted.clone())?;
            self.items.remove(place);
        }
        Ok(())
    }

    /// Has an entry say this from now on, where it stands and as it is ticked; the words, if there is none. `source`:
    /// whose they are, unless they are the person's own.
    pub(super) fn change(&mut self, words: &str, to: &str, source: Option<String>) -> Result<(), String> {
        if self.says_once(words)
            && let Some(text) = &mut self.text
        {
            let is_called_so = text.starts_with(&self.title);
            *text = text.replacen(words, to, 1);
            // What is called by its beginning is called by that of what it says now.
            if is_called_so {
                let count = self.title.split_whitespace().count();
                self.title = text.split_whitespace().take(count).collect::<Vec<_>>().join(" ");
            }
            self.others.add("text", to, source);
            return Ok(());
        }
        let place = self.place_of(words, |_| true).ok_or_else(|| words.to_owned())?;
        let is_ticked = entries::is_ticked(&self.items[place]);
        self.items[place] = if is_ticked { entries::ticked(to) } else { entries::words_of(to).to_owned() };
        self.others.add("items", to, source);
        Ok(())
    }

    /// Whether it is no list, and these words stand in it in one place.
    pub(super) fn says_once(&self, words: &str) -> bool {
        let text = self.text.as_deref().filter(|_| self.items.is_empty() && !words.is_empty()).unwrap_or_default();
        text.matches(words).count() == 1
    }

    /// Whether an entry says this, ticked or not.
    pub(super) fn has(&self, words: &str) -> bool {
        self.place_of(words, |_| true).is_some()
    }

    /// Adds one entry as it is; `source`: whose it is, unless it is the person's own.
    pub(super) fn append_one(&mut self, entry: &str, source: Option<String>) {
        self.others.add("items", entry, source);
        self.items.push(entry.to_owned());
    }

    fn place_of(&self, words: &str, fits: impl Fn(bool) -> bool) -> Option<usize> {
        let is_meant = |entry: &String| entries::words_of(entry) == words && fits(entries::is_ticked(entry));
        self.items.iter().position(is_meant)
    }

    /// Adds entries to a list, a line to a text; `source`: whose they are, unless they are the person's own.
    pub(super) fn append(&mut self, text: &str, source: Option<String>) {
        if self.is_list() {
            let entries = entries_in(text);
            self.others.add("items", &entries.join("\n"), source);
            self.items.extend(entries);
        } else if let Some(old) = &mut self.text {
            self.others.add("text", text, source);
            old.push('\n');
            old.push_str(text);
        }
    }

    pub(super) fn check_size(&self) -> Result<(), ServiceError> {
        let chars = self.text.iter().chain(&self.items).map(|text| text.chars().count()).sum::<usize>();
        if self.items.len() > NOTE_ITEMS_MAX || chars > NOTE_CHARS_MAX {
            return Err(ServiceError::Refused(format!(
                "“{}” would grow too large ({NOTE_ITEMS_MAX} entries or {NOTE_CHARS_MAX} characters at most); \
                 nothing was written.",
                texts::brief(&self.title)
            )));
        }
        Ok(())
    }
}

/// The entries in a text: its lines, or, when it is one line, what commas and conjunctions separate.
pub(super) fn entries_in(text: &str) -> Vec<String> {
    let plain = |entry: &str| entry.trim().trim_start_matches(['-', '•', '*', '▫']).trim().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    let parts: Vec<String> = match lines.as_slice() {
        [line] => language::entries::entries(line),
        _ => lines.into_iter().map(str::to_owned).collect(),
    };
    let stripped =
        parts.iter().map(|part| unquoted(plain(part.trim().strip_prefix("and ").unwrap_or(part)).as_str()).to_owned());
    stripped.filter(|entry| !entry.is_empty()).collect()
}

/// Notes by their last change, the newest first: owner, time from its far end.
pub(super) static BY_CHANGE: Secondary = Secondary {
    name: "notes_by_change",
    table: Table::Notes,
    version: 1,
    keys: |_, stored| {
        let ago = |note: &Note| u64::MAX - u64::try_from(note.updated_at.timestamp_millis()).unwrap_or(0);
        let key = |note: Note| Key::of(&[note.owner.as_str(), &Key::number(ago(&note))]);
        readable::<Note>(stored).map(key).into_iter().collect()
    },
};

impl Record for Note {
    const TABLE: Table = Table::Notes;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Note {
    type View = NoteView;

    const NOUN: &'static str = "note";
    const KIND: &'static str = NAME;

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn body(&self) -> String {
        let entries = self.items.iter().map(|entry| entries::words_of(entry));
        entries.chain(self.text.as_deref()).collect::<Vec<_>>().join("\n")
    }

    fn at(&self) -> DateTime<Utc> {
        self.updated_at
    }

    fn label(&self, _: &RequestContext) -> String {
        let first = self.items.first().map(|entry| entries::words_of(entry));
        match first.or(self.text.as_deref()) {
            Some(content) => format!("{}: {}", texts::brief(&self.title), texts::brief(content)),
            None => texts::brief(&self.title),
        }
    }

    fn view(&self, _: &RequestContext) -> NoteView {
        NoteView {
            id: self.id.clone(),
            title: self.title.clone(),
            text: self.text.clone(),
            items: self.items.clone(),
            from: self.others.first().map(str::to_owned),
        }
    }

    fn nearness(&self, ctx: &RequestContext) -> (u8, i64) {
        (0, (ctx.now - self.updated_at).num_seconds().abs())
    }

    fn untrusted(&self) -> Vec<UntrustedText> {
        self.others.untrusted("a note")
    }
}

/// A note as cards and receipts see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteView {
    /// What `find_by` must hold to mean it.
    pub id: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
    /// Whose words it holds, if not only the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl NoteView {
    /// Title and where it is from, text and entries.
    pub(super) fn whole(&self) -> String {
        let from = self.from.as_deref().map(show::from).unwrap_or_default();
        let mut lines = vec![format!("{}{from}", self.title)];
        lines.extend(self.text.clone());
        lines.extend(self.items.iter().map(|entry| entries::shown(entry)));
        lines.join("\n")
    }

    /// One line of a list.
    pub(super) fn line(&self) -> String {
        let content = match self.items.as_slice() {
            [] => self.text.clone().unwrap_or_default(),
            entries => entries.iter().map(|entry| entries::in_line(entry)).collect::<Vec<_>>().join(", "),
        };
        if content.is_empty() {
            return format!("▫️ {}", self.title);
        }
        format!("▫️ {}: {}", self.title, shorten(&content.replace('\n', " "), 60))
    }

    /// How many entries are not ticked.
    pub(super) fn left(&self) -> usize {
        self.items.iter().filter(|entry| !entries::is_ticked(entry)).count()
    }

    /// As conversation refers to it.
    pub(super) fn named(&self) -> ItemRef {
        ItemRef { id: self.id.clone(), label: self.title.clone() }
    }
}

/// A note that was written or changed, or was there before it was deleted.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoteChanged {
    pub note: NoteView,
    /// A list that adding to it began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun: bool,
}

impl NoteChanged {
    /// The end of a command that changed `note`.
    pub(super) fn done(note: &Note, ctx: &RequestContext, change: Change) -> Completed<Self> {
        Completed::changed(Self { note: note.view(ctx), begun: false }, vec![change]).holding(note.untrusted())
    }
}

/// Some of a person's notes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Notes {
    pub notes: Vec<NoteView>,
    /// How many more there are.
    pub more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Notes {
    /// A page of them.
    pub(super) fn read(page: Page<Note>, ctx: &RequestContext) -> Completed<Self> {
        let Page { rows, more, next } = page;
        let notes = rows.iter().map(|note| note.view(ctx)).collect();
        Completed::read(Self { notes, more, next }).holding(items::untrusted(&rows))
    }
}
