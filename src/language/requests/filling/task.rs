//! Tasks and reminders.

use serde_json::{Value, json};

use super::items;
use crate::language::requests::built::Built;
use crate::language::requests::history;
use crate::language::requests::reading::{ClauseReading, Words, done, set, things, tidy, title};
use crate::language::time;
use crate::language::time::When;
use crate::language::tokens::lower;

/// "remind me to …", "add … to my todo list", "i have to …".
pub(super) fn create(said: &ClauseReading) -> Built {
    if names_several_leads(said.hearing.text) {
        return Built::No;
    }
    let mut action = said.action("task", "create");
    let twice = two_times(said);
    if let Some((_, second)) = &twice {
        action.params.insert("remind_at".to_owned(), json!([second]));
    }
    let is_twice = twice.is_some();
    let when = twice.map(|(both, _)| both).or_else(|| said.moment("title", &[])).or_else(|| of_another_timer(said));
    let used = when.as_ref().map(|w| w.masks.clone()).unwrap_or_default();
    if let Some(when) = &when {
        let name = if said.repeats(when) { "repeat" } else { "deadline" };
        set(&mut action, name, Some(when.text.as_str()));
    }
    set(&mut action, "priority", said.priority());
    let Some(whole) = said.clean("title", &used) else {
        if action.params.contains_key("title") {
            let question = "When should it ring?";
            return if when.is_some() {
                done(action)
            } else {
                Built::Ask { question, partial: action, param: "deadline" }
            };
        }
        return Built::Ask { question: "What should I remind you of?", partial: action, param: "title" };
    };
    if let Some(what) = without_pointer(said, &whole).filter(|_| when.is_none()) {
        set(&mut action, "title", Some(title(&what)).filter(|title| !title.is_empty()));
        return Built::Ask { question: "When exactly is that?", partial: action, param: "deadline" };
    }
    if said.grammar.lexicon.is_phrase("it", &said.ids("title")) {
        return about_it(said, action);
    }
    // "Remind me of everything" names nothing that could be told then.
    if said.grammar.lexicon.is_phrase("vague", &said.ids("title")) {
        return Built::Ask { question: "What should I remind you of?", partial: action, param: "title" };
    }
    let whole = whole.strip_prefix("for ").unwrap_or(&whole);
    let (what, why) = reason(if is_twice { without_and(whole) } else { whole });
    if let Some(several) = list_of_titles(said, &what) {
        let each = several.into_iter().map(|one| {
            let mut one_action = action.clone();
            set(&mut one_action, "title", one.as_str().map(title));
            one_action
        });
        return Built::Acts(each.collect());
    }
    set(&mut action, "title", Some(title(&what)));
    set(&mut action, "description", why.map(|w| title(&w)));
    done(action)
}

/// "(A timer of 12 minutes for the pasta and) another one of 20 for the bread".
fn of_another_timer(said: &ClauseReading) -> Option<Words> {
    let mask = *said.lengths(&[]).first().filter(|_| said.clause_starts("anew"))?;
    let length = said.words(&[mask]);
    Some(Words { text: format!("in {}", length.text.trim_start_matches("of ")), ..length })
}

/// "the night before to pack": what is to be done, where the time is told by something that was not said.
fn without_pointer(said: &ClauseReading, text: &str) -> Option<String> {
    let words = said.grammar.lexicon.starts("pointer", &said.ids("title"))?;
    let rest = text.split_whitespace().skip(words).collect::<Vec<_>>().join(" ");
    Some(tidy(rest.strip_prefix("to ").unwrap_or(&rest)))
}

/// "tomorrow at 5 and at 6": the first of two times joined by "and", with the masks of both, and the second, on
/// the day of the first where it has none of its own.
fn two_times(said: &ClauseReading) -> Option<(Words, String)> {
    let [first, second] = said.moments(&[])[..] else { return None };
    let span = |mask: usize| said.heard.masks[mask].span.clone();
    let between = said.heard.text.get(span(first).end..span(second).start)?.trim().to_lowercase();
    let point = |mask: usize| match said.heard.time(mask)?.result {
        Ok(When::Point { at, .. }) => Some(at),
        Ok(When::Range { .. } | When::Duration(_) | When::Recurrence { .. }) | Err(_) => None,
    };
    let (one, two) = (point(first)?, point(second)?);
    if !AND.contains(&between.as_str()) {
        return None;
    }
    let words = said.words(&[second]).text;
    let also = if time::is_clock_only(&words) {
        one.date_naive().and_time(two.time()).format("%Y-%m-%dT%H:%M").to_string()
    } else {
        words
    };
    Some((Words { masks: vec![first, second], ..said.words(&[first]) }, also))
}

const AND: [&str; 3] = ["and", "und", "&"];

/// What stood between the two times, at the end of what they were cut out of.
fn without_and(text: &str) -> &str {
    let ended = AND.iter().find_map(|and| text.strip_suffix(and)?.strip_suffix(' '));
    ended.unwrap_or(text).trim_end()
}

/// "a day before and an hour before …" is more than is read here: better nothing than half of it.
fn names_several_leads(text: &str) -> bool {
    let text = text.to_lowercase();
    [" before and ", " vorher und "].iter().any(|words| text.contains(words))
}

/// "remind me about it tomorrow": the item talked about last.
fn about_it(said: &ClauseReading, mut action: crate::core::plan::PlannedAction) -> Built {
    let Some(past) = history::latest(said.hearing.history, |_| true) else {
        return Built::Ask { question: "What should I remind you of?", partial: action, param: "title" };
    };
    set(&mut action, "title", Some(title(&history::label(past))));
    done(action)
}

/// "call mom, it's her birthday": what to do, and why.
fn reason(text: &str) -> (String, Option<String>) {
    const WHY: [&str; 7] = [", it's ", ", its ", ", it is ", ", she's ", ", he's ", ", because ", ", they "];
    let at = WHY.iter().filter_map(|why| text.find(why)).min();
    match at {
        Some(at) => (tidy(&text[..at]), Some(tidy(&text[at..]))),
        None => (text.to_owned(), None),
    }
}

/// "tasks: call mom, pay rent and buy milk", but only where several were announced.
fn list_of_titles(said: &ClauseReading, text: &str) -> Option<Vec<Value>> {
    let announced = said.heard.raw(said.found.tokens.start, said.found.tokens.end - 1).to_lowercase();
    let several = announced.starts_with("tasks") || announced.contains(" tasks:") || announced.contains("todos:");
    let parts = things(text);
    (several && parts.len() > 1).then_some(parts)
}

/// "what do i have to do today?"
pub(super) fn list(said: &ClauseReading) -> Built {
    // "Order new capes, no rush. Low priority todo" tells of the task before.
    if said.priority().is_some() && said.clause_words() == 1 {
        return Built::No;
    }
    let mut action = said.action("task", "list");
    if let Some(when) = said.moment("", &[]) {
        set(&mut action, "due_before", Some(when.text));
    }
    done(action)
}

/// A new due date, priority, title or rule for a task.
pub(super) fn update(said: &ClauseReading) -> Built {
    let mut changes = serde_json::Map::new();
    let target = said.target();
    let repeats = target.as_ref().is_some_and(|(words, _)| said.repeats(words));
    if let Some((words, _)) = &target {
        let name = if repeats { "repeat" } else { "deadline" };
        changes.insert(name.into(), json!(words.text));
    }
    if let Some(level) = said.priority() {
        changes.insert("priority".into(), json!(level));
    }
    if let Some(level) = said.raw("level") {
        changes.insert("priority".into(), json!(level_of(&level)));
    }
    for name in ["title", "description"] {
        if let Some(text) = said.clean(name, &[]) {
            changes.insert(name.into(), json!(title(&text)));
        }
    }
    // "Set | up a sound check".
    let apart = said.raw("what").is_some_and(|what| lower(&what).starts_with("up "));
    if changes.is_empty() || apart {
        return Built::No;
    }
    // "Change the boiler service to Friday at 10" may be an event; `item.move` tells.
    let unnamed = !said.clause_holds("tasknoun") && !said.clause_holds("deadlineword") && !repeats;
    if unnamed && changes.keys().all(|name| name == "deadline") && said.clause_starts("changeverb") {
        return Built::No;
    }
    let is_event = said.found.slot("what").is_some() && items::service_of(said, "what") == Some("calendar");
    let names_task = said.found.slot("what").is_some() && said.clause_holds("tasknoun");
    let is_event = is_event && !names_task;
    let only_priority = changes.keys().all(|k| k == "priority");
    if is_event && !only_priority {
        return Built::No;
    }
    let Some(find_by) = items::find_by(said, "what", &["task"], target.as_ref().map(|(w, _)| w)) else {
        return Built::No;
    };
    let mut action = said.action("task", "update");
    set(&mut action, "find_by", Some(find_by));
    set(&mut action, "changes", Some(Value::Object(changes)));
    done(action)
}

fn level_of(word: &str) -> &'static str {
    match word.to_lowercase().as_str() {
        "low" | "lowest" | "niedrig" => "low",
        "medium" | "normal" | "mid" | "middle" | "mittel" => "medium",
        _ => "high",
    }
}
