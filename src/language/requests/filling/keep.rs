//! Notes and lists.

use serde_json::Value;

use crate::language::requests::built::Built;
use crate::language::requests::history;
use crate::language::requests::reading::{ClauseReading, behind, done, set, things, tidy, title, without_determiner};
use crate::language::tokens::lower;

/// "make a shopping list with milk, eggs and bread", "note: …"
pub(super) fn create(said: &ClauseReading) -> Built {
    let mut action = said.action("keep", "create");
    if let Some(items) = said.raw("items").map(|items| things(&items)).filter(|items| !items.is_empty()) {
        set(&mut action, "items", Some(Value::Array(items)));
    }
    let text = said.raw("text").map(|text| without_that(&text));
    let purpose = said.raw("for").map(|purpose| format!(" for {purpose}")).unwrap_or_default();
    let named = said.raw("title").map(|t| format!("{}{purpose}", title(without_determiner(&t))));
    match (named, text) {
        (Some(name), text) => {
            set(&mut action, "title", Some(name));
            set(&mut action, "text", text.map(|t| title(&t)));
        }
        (None, Some(text)) => {
            set(&mut action, "title", Some(title(&short_title(&text))));
            set(&mut action, "text", Some(title(&text)));
        }
        (None, None) if action.params.contains_key("items") => set(&mut action, "title", Some("List")),
        (None, None) => {
            return Built::Ask { question: "What should the note say?", partial: action, param: "title" };
        }
    }
    done(action)
}

fn without_that(text: &str) -> String {
    behind(&tidy(text), &["that ", "down ", "saying ", "about "]).to_owned()
}

/// A note of few words is its own title; a long one is called by its beginning.
fn short_title(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= 8 { text.to_owned() } else { words[..6].join(" ") }
}

/// "add butter to the shopping list"
pub(super) fn append(said: &ClauseReading) -> Built {
    let mut action = said.action("keep", "append");
    let Some(text) = said.raw("text") else {
        return Built::No;
    };
    // "We're out of everything, add toothpaste".
    if is_shopping(said) && said.grammar.lexicon.starts("vague", &said.ids("text")).is_some() {
        return Built::No;
    }
    let text = things(&text).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    let name = said.raw("name").map(|n| without_determiner(&n).to_owned());
    let name = match name {
        Some(name) => Some(name),
        None => list_before(said).or_else(|| is_shopping(said).then(|| "shopping list".to_owned())),
    };
    let fixed = action.params.get("find_by").and_then(Value::as_str).map(str::to_owned);
    let Some(name) = fixed.or(name) else { return Built::No };
    set(&mut action, "find_by", Some(name));
    set(&mut action, "text", Some(text));
    done(action)
}

/// "take milk and eggs off the list": entries of a list that is named, or of the one talked about last.
pub(super) fn entries(said: &ClauseReading, command: &str) -> Built {
    let mut action = said.action("keep", command);
    // "Remove the window cleaner task from my list" speaks of no list of these.
    let is_task = said.holds("items", "tasknoun");
    let is_reference = is_task || said.grammar.lexicon.is_phrase("it", &said.ids("items"));
    let Some(items) = said.raw("items").map(|items| entry_names(&items)).filter(|_| !is_reference) else {
        return Built::No;
    };
    set(&mut action, "items", Some(Value::Array(items)));
    set(&mut action, "find_by", said.raw("name").map(|name| without_determiner(&name).to_owned()));
    set(&mut action, "near", list_shown(said));
    done(action)
}

/// What commas and "and" divide, each without its article.
fn entry_names(items: &str) -> Vec<Value> {
    let bare = |item: Value| item.as_str().map(|item| Value::from(without_determiner(item)));
    things(items).into_iter().filter_map(bare).collect()
}

/// The id of the list talked about last, whatever else was since.
fn list_shown(said: &ClauseReading) -> Option<String> {
    let past = history::latest(said.hearing.history, |past| past.service == "keep" && past.item.is_some())?;
    past.item.as_ref().map(|item| item.id.clone()).filter(|id| !id.is_empty())
}

/// The list talked about last.
fn list_before(said: &ClauseReading) -> Option<String> {
    let past = history::latest(said.hearing.history, |past| !past.params.is_empty())?;
    (past.service == "keep").then(|| history::handle(past)).flatten()
}

/// "we're out of milk"
fn is_shopping(said: &ClauseReading) -> bool {
    let clause = lower(said.heard.raw(said.found.tokens.start, said.found.tokens.end - 1));
    ["out of", "running low"].iter().any(|w| clause.contains(w))
}

pub(super) fn list(said: &ClauseReading) -> Built {
    done(said.action("keep", "list"))
}

/// "what's on my packing list?"
pub(super) fn search(said: &ClauseReading) -> Built {
    let mut action = said.action("keep", "search");
    let name = |slot: &str| said.raw(slot).map(|name| without_determiner(&name).to_owned());
    // "Is milk on the list?": whichever has it.
    let list = name("list").filter(|list| lower(list) != "list");
    let Some(query) = list.or_else(|| name("query")) else { return Built::No };
    set(&mut action, "query", Some(query));
    done(action)
}
