//! Descriptions: which thing a clause describes, in its words.

use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, TimeWords, behind, tidy, without_determiner};
use brain_language::language::requests::several;
use brain_language::language::tokens::lower;

/// A thing is named with a few words; more are a story.
const NAME_WORDS_MAX: usize = 8;

/// What a time beside a thing says of it.
#[derive(Debug, Clone, Copy)]
pub(in crate::services) enum Timing<'a> {
    /// It belongs to its name, as the day of a feast does.
    Name,
    /// Nothing: when something was done.
    Nothing,
    /// Which one it is, but for where it is moved to: the same thing on another day is another one.
    Which(Option<&'a TimeWords>),
}

/// Whether a slot names an event, and nothing else that is kept.
pub(in crate::services) fn is_event(said: &ClauseReading, slot: &str) -> bool {
    let holds = |classes: &[&str]| classes.iter().any(|class| said.holds(slot, class));
    holds(&["event", "deevent", "cal"]) && !holds(&["tasknoun", "notenoun", "mailnoun"])
}

/// A clean description of the thing, or the id of a pronoun's antecedent; with a quantifier where all are meant.
pub(in crate::services) fn find_by(said: &ClauseReading, slot: &str, service: &str, times: Timing) -> Option<String> {
    let found = described(said, slot, service, times)?;
    Some(if several::means_all(said, slot) { format!("all {found}") } else { found })
}

fn described(said: &ClauseReading, slot: &str, service: &str, times: Timing) -> Option<String> {
    let is_reference = said.grammar.lexicon.is_phrase("it", said.ids(slot));
    if is_reference || said.found.slot(slot).is_none() {
        return history::latest(said.input.history, |past| past.service == service).and_then(history::handle);
    }
    let all = if matches!(times, Timing::Name) { Vec::new() } else { said.moments(&[]) };
    // A feast in the name of a thing is no time.
    let all: Vec<usize> = all.into_iter().filter(|mask| !said.names_a_thing(slot, *mask)).collect();
    let bare = without_reason(&said.clean(slot, &all).unwrap_or_default());
    let bare = without_kind(without_determiner(&bare)).to_owned();
    if bare.split_whitespace().count() > NAME_WORDS_MAX {
        return None;
    }
    let is_generic = bare.is_empty() || is_determiner(&bare) || {
        let ids: Vec<_> = bare.split_whitespace().map(|w| said.grammar.lexicon.read_word(&lower(w))).collect();
        said.grammar.lexicon.is_phrase("genericevent", &ids)
    };
    let (target, tells) = match times {
        Timing::Name | Timing::Nothing => (&[][..], false),
        Timing::Which(target) => (target.map_or(&[][..], |words| &words.masks), true),
    };
    let is_told_when = tells && said.moments(&[]).iter().any(|mask| !target.contains(mask));
    if !is_generic && !is_told_when {
        return Some(bare);
    }
    let with_time = without_reason(&said.clean(slot, target).unwrap_or_default());
    let with_time =
        if is_generic { without_determiner(&with_time) } else { without_kind(without_determiner(&with_time)) };
    Some(with_time.to_owned()).filter(|text| !text.is_empty() && !is_determiner(text))
}

fn is_determiner(text: &str) -> bool {
    matches!(lower(text).as_str(), "my" | "the" | "a" | "this" | "that" | "all")
}

/// What is meant, without the reason given behind a comma.
fn without_reason(text: &str) -> String {
    const WHY: [&str; 9] = [", i", " because ", ", it", ", she", ", he", ", we", " since i", ", they", " as i "];
    let lower = text.to_lowercase();
    let at = WHY.iter().filter_map(|why| lower.find(why)).min().filter(|&at| text.is_char_boundary(at));
    at.map_or_else(|| tidy(text), |at| tidy(&text[..at]))
}

/// The name without the noun of its kind, before or behind it.
fn without_kind(text: &str) -> &str {
    const KINDS: [&str; 9] = ["task", "reminder", "todo", "note", "event", "calendar event", "entry", "memo", "thing"];
    let mut rest = text.trim();
    for kind in KINDS {
        if let Some(after) = rest.strip_prefix(kind).and_then(|r| r.strip_prefix(' ')) {
            let after = after.trim_start();
            let links = ["about ", "to ", "for ", "called ", "named ", "of ", "on ", "that says ", "with "];
            rest = behind(after, &links);
        }
        if let Some(before) = rest.strip_suffix(kind).and_then(|r| r.strip_suffix(' ')) {
            rest = before.trim_end();
        }
    }
    without_determiner(rest)
}

/// A command over the one thing that is described.
pub(in crate::services) fn over_one(said: &ClauseReading, service: &str, command: &str, times: Timing) -> Built {
    let Some(found) = find_by(said, "what", service, times) else { return Built::No };
    let mut action = said.action(service, command);
    set(&mut action, "find_by", Some(found));
    Built::Act(action)
}
