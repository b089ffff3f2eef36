//! The entries of a list: how one is kept and shown, and which of them words mean.
//!
//! An entry is plain text; a ticked one begins with [`TICK`], so that a note reads the same wherever its text goes.
//! Invariant: a guess (a slip, half of the words) never settles on an entry by itself; it is offered.

use std::collections::HashSet;

use serde_json::Value;

use super::record::NAME;
use crate::services::helpers::search::WordQuery;
use brain_core::core::plan::PlannedAction;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, things, without_determiner};
use brain_language::language::terms;

/// What a ticked entry begins with.
const TICK: &str = "[x] ";
/// What an entry begins with that says outright that it is not ticked; as long as [`TICK`].
const NO_TICK: &str = "[ ] ";

/// Whether an entry is ticked.
pub(super) fn is_ticked(entry: &str) -> bool {
    entry.get(..TICK.len()).is_some_and(|mark| mark.eq_ignore_ascii_case(TICK))
}

/// What an entry says, ticked or not.
pub(super) fn words_of(entry: &str) -> &str {
    let mut words = entry;
    while is_ticked(words) || words.starts_with(NO_TICK) {
        words = words[TICK.len()..].trim_start();
    }
    words
}

/// An entry as it is kept when it is ticked.
pub(super) fn ticked(entry: &str) -> String {
    format!("{TICK}{}", words_of(entry))
}

/// An entry on a line of its own.
pub(super) fn shown(entry: &str) -> String {
    format!("{} {}", if is_ticked(entry) { '☑' } else { '•' }, words_of(entry))
}

/// An entry among others on one line.
pub(super) fn in_line(entry: &str) -> String {
    if is_ticked(entry) { format!("☑ {}", words_of(entry)) } else { words_of(entry).to_owned() }
}

/// The stems of the words that tell things apart.
pub(super) fn stems(text: &str) -> HashSet<String> {
    let query = WordQuery::new(text);
    let found: HashSet<String> = query.words().map(|word| terms::stem(word)).collect();
    if found.is_empty() { terms::stems(&query.folded).into_iter().collect() } else { found }
}

/// How well an entry fits a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EntryFit {
    /// Some of its words are slips of those of the entry, or say more than it does.
    Perhaps,
    /// The entry says all of it, and more.
    Holds,
    /// Both say the same in other forms.
    Same,
    /// It is written so.
    Exact,
}

fn fit(entry: &str, wanted: &str, wanted_stems: &HashSet<String>) -> Option<EntryFit> {
    if entry == wanted {
        return Some(EntryFit::Exact);
    }
    let has = stems(entry);
    if wanted_stems.is_empty() || has.is_empty() {
        return None;
    }
    if has == *wanted_stems {
        return Some(EntryFit::Same);
    }
    if wanted_stems.is_subset(&has) {
        return Some(EntryFit::Holds);
    }
    let alike = |one: &String, all: &HashSet<String>| {
        all.contains(one) || !terms::matching(one, all.iter().map(String::as_str)).is_empty()
    };
    let says_all = wanted_stems.iter().all(|stem| alike(stem, &has));
    (says_all || has.is_subset(wanted_stems)).then_some(EntryFit::Perhaps)
}

/// Which entries a description means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant<'n> {
    One(&'n str),
    /// One of these; `sure` when each of them says all that was asked for.
    Several {
        entries: Vec<&'n str>,
        sure: bool,
    },
    None,
}

impl Meant<'_> {
    /// True where no guess is needed to say that it is there.
    pub(super) fn is_sure(&self) -> bool {
        matches!(self, Meant::One(_) | Meant::Several { sure: true, .. })
    }
}

/// The entries that `wanted` means, in the words of [`words_of`]. The best fit counts; of two equal ones, either.
pub(super) fn meant<'n>(entries: impl IntoIterator<Item = &'n str>, wanted: &str) -> Meant<'n> {
    let wanted = wanted.trim();
    let wanted_stems = stems(wanted);
    let mut found: Vec<(EntryFit, &str)> = Vec::new();
    for entry in entries.into_iter().map(words_of) {
        if let Some(fit) = fit(entry, wanted, &wanted_stems)
            && !found.iter().any(|(_, known)| *known == entry)
        {
            found.push((fit, entry));
        }
    }
    let Some(best) = found.iter().map(|(fit, _)| *fit).max() else { return Meant::None };
    let entries: Vec<&str> = found.into_iter().filter(|(fit, _)| *fit == best).map(|(_, entry)| entry).collect();
    match entries.as_slice() {
        [only] if best > EntryFit::Perhaps => Meant::One(only),
        _ => Meant::Several { entries, sure: best > EntryFit::Perhaps },
    }
}

/// Entries of a list that is named, or of the one talked about last.
pub(super) fn built(said: &ClauseReading, command: &str) -> Built {
    let mut action = said.action(NAME, command);
    // The noun for a task speaks of no list of these.
    let is_task = said.holds("items", "tasknoun");
    let is_reference = is_task || said.grammar.lexicon.is_phrase("it", said.ids("items"));
    let Some(items) = said.raw("items").map(|items| entry_names(&items)).filter(|_| !is_reference) else {
        return Built::No;
    };
    set(&mut action, "items", Some(Value::Array(items)));
    on_list(said, &mut action);
    Built::Act(action)
}

/// The list that is named, and the one talked about last.
pub(super) fn on_list(said: &ClauseReading, action: &mut PlannedAction) {
    set(action, "find_by", said.name("name").map(|name| without_determiner(&name).to_owned()));
    set(action, "near", list_shown(said));
}

/// What commas and conjunctions divide, each without its article.
fn entry_names(items: &str) -> Vec<Value> {
    let bare = |item: Value| item.as_str().map(|item| Value::from(without_determiner(item)));
    things(items).into_iter().filter_map(bare).collect()
}

/// The id of the list talked about last, whatever else was since.
fn list_shown(said: &ClauseReading) -> Option<String> {
    let past = history::latest(said.input.history, |past| past.service == NAME && past.item.is_some())?;
    past.item.as_ref().map(|item| item.id.clone()).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: [&str; 6] =
        ["Milk", "Oat milk", "[x] Eggs", "Smoked paprika", "Dishwasher tablets", "Something for Ellie's lunch box"];

    #[test]
    fn an_entry_is_plain_text_with_its_tick_before_it() {
        for (entry, is, words, line) in [
            ("milk", false, "milk", "• milk"),
            ("[x] milk", true, "milk", "☑ milk"),
            ("[X] milk", true, "milk", "☑ milk"),
            ("[ ] milk", false, "milk", "• milk"),
            ("[x] [ ] milk", true, "milk", "☑ milk"),
            ("[x]milk", false, "[x]milk", "• [x]milk"),
            ("äöü", false, "äöü", "• äöü"),
        ] {
            assert_eq!((is_ticked(entry), words_of(entry), shown(entry).as_str()), (is, words, line));
            assert_eq!(words_of(&ticked(entry)), words);
            assert!(is_ticked(&ticked(entry)));
        }
    }

    #[test]
    fn words_mean_the_entry_that_says_them_and_a_guess_is_none() {
        let one = |entry| Meant::One(entry);
        let perhaps = |entry| Meant::Several { entries: vec![entry], sure: false };
        for (wanted, expected) in [
            ("milk", one("Milk")),
            ("the oat milk", one("Oat milk")),
            ("egg", one("Eggs")),
            ("paprika", one("Smoked paprika")),
            ("dishwasher tablet", one("Dishwasher tablets")),
            ("paprka", perhaps("Smoked paprika")),
            ("soy milk", perhaps("Milk")),
            ("butter", Meant::None),
            ("it", Meant::None),
            ("", Meant::None),
        ] {
            assert_eq!(meant(LIST, wanted), expected, "{wanted}");
        }
        assert_eq!(
            meant(["Red wine", "White wine"], "wine"),
            Meant::Several { entries: vec!["Red wine", "White wine"], sure: true }
        );
    }
}
