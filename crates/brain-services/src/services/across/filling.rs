//! Slot filling: what the built-in services make of what is said to them, without a model.
//!
//! What a command's slots cannot say is a builder in the command's own file; each service lists its own, and they come
//! together here. Verbs of cancelling, moving and repeating do not say which service holds the thing; its noun, the
//! conversation and the routed domains do.

use serde_json::{Map, Value, json};

use crate::services::email::compose::letter;
use crate::services::helpers::described::{Timing, find_by, is_event};
use crate::services::task::reminder_offset::plan as ahead;
use crate::services::{calendar, contacts, email, memory, notes, task};
use brain_core::core::history::PastAction;
use brain_core::core::plan::PlannedAction;
use brain_language::language::requests::Builders;
use brain_language::language::requests::built::{Builder, Built, fits, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, TimeWords, without_determiner};
use brain_language::language::time;
use brain_language::language::tokens::lower;

/// Of the built-in services.
pub const BUILDERS: Builders =
    Builders { build, retimed, revalued, looks_up, waits, ahead, address: letter::address, goes_on };

/// Each service's, by the commands that its phrases name.
const BUILT_IN: [(&str, &[(&str, Builder)]); 7] = [
    (task::NAME, &task::BUILDERS),
    (calendar::NAME, &calendar::BUILDERS),
    (email::NAME, &email::BUILDERS),
    (memory::NAME, &memory::BUILDERS),
    (notes::NAME, &notes::BUILDERS),
    (contacts::NAME, &contacts::BUILDERS),
    ("item", &[("move", moved), ("more", more), ("cancel", cancel)]),
];

/// What is told once something happens.
const WAITS: [&str; 1] = ["email.watch"];
/// What only asks for something that is there.
const LOOK_UPS: [&str; 9] = [
    "calendar.list_events",
    "calendar.find_free_time",
    "task.list",
    "email.search",
    "email.watches",
    "keep.search",
    "keep.list",
    "contacts.find",
    "memory.recall",
];

/// Whether a service is one of the program's own, whose parameters have their names from here.
pub(in crate::services) fn is_built_in(service: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == service)
}

pub(in crate::services) fn builder(command: &str) -> Option<Builder> {
    let (service, name) = command.split_once('.')?;
    let (_, builders) = BUILT_IN.iter().find(|(known, _)| *known == service)?;
    builders.iter().find(|(known, _)| *known == name).map(|(_, builder)| *builder)
}

fn build(said: &ClauseReading) -> Built {
    builder(said.command()).map_or(Built::No, |builder| builder(said))
}

pub(in crate::services) fn looks_up(command: &str) -> bool {
    LOOK_UPS.contains(&command)
}

fn waits(command: &str) -> bool {
    WAITS.contains(&command)
}

/// The service that a slot's noun belongs to; `None` when it does not say.
fn service_of(said: &ClauseReading, slot: &str) -> Option<&'static str> {
    let nouns = [("tasknoun", task::NAME), ("notenoun", notes::NAME), ("mailnoun", email::NAME)];
    let named = nouns.into_iter().find(|(class, _)| said.holds(slot, class)).map(|(_, service)| service);
    named.or_else(|| is_event(said, slot).then_some(calendar::NAME))
}

/// A verb of cancelling: an event, a task, a list, whatever its object names.
fn cancel(said: &ClauseReading) -> Built {
    const DELETABLE: [&str; 4] = ["calendar", "task", "keep", "memory"];
    let is_reference = said.grammar.lexicon.is_phrase("it", said.ids("what"));
    if is_reference {
        let past = history::latest(said.input.history, |past| {
            (DELETABLE.contains(&past.service.as_str()) || past.service == "email") && fits(said.domains, &past.service)
        });
        // A draft, or a list of mails that were found, is no mail to be deleted.
        let Some(past) = past.filter(|past| past.service != "email" || email::is_about_a_mail(past)) else {
            return Built::No;
        };
        let Some(handle) = history::handle(past) else {
            return Built::No;
        };
        return Built::Act(deletion(&past.service, handle));
    }
    let text = lower(&said.raw("what").unwrap_or_default());
    if text.contains('@') || ["contact", "draft", "mail", "account"].iter().any(|no| text.ends_with(no)) {
        return Built::No;
    }
    let service = service_of(said, "what").or_else(|| named_before(said)).unwrap_or_else(|| by_verb(said));
    let service = if said.clause_holds("cal") { "calendar" } else { service };
    if !DELETABLE.contains(&service) {
        return Built::No;
    }
    if is_any_of_a_kind(said, &text) {
        return Built::No;
    }
    let mut actions = Vec::new();
    let whole = find_by(said, "what", service, if service == notes::NAME { Timing::Name } else { Timing::Which(None) })
        .unwrap_or_default();
    for one in split_items(&whole) {
        actions.push(deletion(service, one));
    }
    if actions.is_empty() { Built::No } else { Built::Acts(actions) }
}

/// A noun of a kind that is not wanted is about no thing in particular.
fn is_any_of_a_kind(said: &ClauseReading, text: &str) -> bool {
    let clause = said.typed();
    let first = text.split([',', ' ']).next().unwrap_or_default();
    [" a ", " an ", " any "].iter().any(|article| clause.contains(&format!("{article}{first}")))
        && clause.contains("need")
}

/// The things that a conjunction joins.
fn split_items(text: &str) -> Vec<String> {
    let mut parts = vec![text];
    for link in [" and the ", " and my ", " and also the "] {
        parts = parts.into_iter().flat_map(|p| p.split(link)).collect();
    }
    let named =
        |part: &str| if part.starts_with("all ") { part.to_owned() } else { without_determiner(part).to_owned() };
    parts.into_iter().map(named).filter(|part| !part.is_empty()).collect()
}

fn deletion(service: &str, find_by: String) -> PlannedAction {
    let command = match service {
        "calendar" => "delete_event",
        "memory" => "forget",
        "email" => "delete_email",
        _ => "delete",
    };
    let mut action = PlannedAction { service: service.into(), command: command.into(), ..PlannedAction::default() };
    set(&mut action, "find_by", Some(find_by));
    action
}

/// The service in whose hands the conversation last saw a thing of this name.
fn named_before(said: &ClauseReading) -> Option<&'static str> {
    let wanted = lower(without_determiner(&said.clean("what", &said.moments(&[]))?));
    let past = history::latest(said.input.history, |past| lower(&history::label(past)).contains(&wanted))?;
    ["calendar", "task", "keep"].into_iter().find(|service| *service == past.service)
}

/// With no other sign: the only routed service, else appointments are cancelled and tasks deleted.
fn by_verb(said: &ClauseReading) -> &'static str {
    let routed = |service: &str| said.domains.len() == 1 && fits(said.domains, service);
    if let Some(only) = ["task", "calendar", "keep"].into_iter().find(|s| routed(s)) {
        return only;
    }
    let is_cancel = said.grammar.lexicon.find("cancelverb", said.clause_ids()).is_some();
    let has_clock = !said.moments(&[]).is_empty();
    if is_cancel || has_clock { "calendar" } else { "task" }
}

/// A verb of moving with a time: an event or a task.
fn moved(said: &ClauseReading) -> Built {
    let is_reference = said.found.slot("what").is_none()
        || said.grammar.lexicon.is_phrase("it", said.ids("what"))
        || said.grammar.lexicon.is_phrase("direction", said.ids("what"));
    let past = history::latest(said.input.history, |past| {
        matches!(past.service.as_str(), "task" | "calendar")
            && fits(said.domains, &past.service)
            && !matches!(past.command.as_str(), "list" | "list_events" | "find_free_time")
    });
    if said.found.frame.weak
        && let Some(again) = again(said)
    {
        return again;
    }
    let service = if is_reference {
        match past.map(|p| p.service.as_str()) {
            Some("task") => "task",
            Some("calendar") => "calendar",
            Some(_) | None => return Built::No,
        }
    } else {
        service_of(said, "what").or_else(|| named_before(said)).unwrap_or_else(|| kind_by_time(said))
    };
    let command = match service {
        "calendar" => "update_event",
        "task" => "update",
        _ => return Built::No,
    };
    let target = said.target();
    let found = if is_reference {
        past.and_then(history::handle)
    } else {
        find_by(said, "what", service, Timing::Which(target.as_ref().map(|(words, _)| words)))
    };
    let Some(found) = found else { return Built::No };
    let mut action = said.action(service, command);
    set(&mut action, "find_by", Some(found));
    let Some(changes) = changes(said, service, target.map(|(words, _)| words)) else {
        let is_move = said.found.frame.weak || is_vague(said);
        if is_move {
            return Built::No;
        }
        return Built::Ask { question: "When should it be?", partial: action, param: "changes" };
    };
    set(&mut action, "changes", Some(Value::Object(changes)));
    Built::Act(action)
}

/// An object without a new time and without a priority changes nothing.
fn is_vague(said: &ClauseReading) -> bool {
    said.grammar.lexicon.find("realmove", said.clause_ids()).is_none()
}

/// A clock time suggests an event, a mere day a task.
fn kind_by_time(said: &ClauseReading) -> &'static str {
    if said.domains.len() == 1 {
        if fits(said.domains, "task") {
            return "task";
        }
        if fits(said.domains, "calendar") {
            return "calendar";
        }
    }
    let text = said.target().map(|(words, _)| words.text).unwrap_or_default();
    let is_clock = text.chars().any(|c| c.is_ascii_digit()) || text.contains("noon");
    if is_clock && said.priority().is_none() { "calendar" } else { "task" }
}

fn changes(said: &ClauseReading, service: &str, target: Option<TimeWords>) -> Option<Map<String, Value>> {
    let mut changes = Map::new();
    if let Some(words) = target {
        let name = match service {
            "calendar" => "start_time",
            _ if said.repeats(&words) => "repeat",
            _ => "deadline",
        };
        changes.insert(name.into(), json!(words.text));
    } else if service == "calendar"
        && let Some(&length) = said.lengths(&[]).first()
    {
        changes.insert("end_time".into(), json!(said.words(&[length]).text));
    }
    if let (Some(level), "task") = (said.priority(), service) {
        changes.insert("priority".into(), json!(level));
    }
    (!changes.is_empty()).then_some(changes)
}

/// A bare time, asked about after a question about a day, asks the same for another.
fn again(said: &ClauseReading) -> Option<Built> {
    let last = history::latest(said.input.history, |past| !past.service.is_empty())?;
    let param = match last.command.as_str() {
        "list_events" | "find_free_time" => "from",
        "list" if last.service == "task" => "due_before",
        _ => return None,
    };
    let when = said.moment("", &[])?;
    let mut action = PlannedAction {
        service: last.service.clone(),
        command: last.command.clone(),
        params: last.params.clone(),
        ..PlannedAction::default()
    };
    action.params.remove("to");
    set(&mut action, param, Some(when.text));
    Some(Built::Act(action))
}

/// Like the last event, with somebody else or at another time.
fn more(said: &ClauseReading) -> Built {
    let last = history::latest(said.input.history, |past| past.command == "create_event" && past.service == "calendar");
    let Some(last) = last else { return Built::No };
    let summary = history::label(last);
    let when = said.moment("with", &[]);
    let used = when.as_ref().map(|w| w.masks.clone()).unwrap_or_default();
    let what = summary.split(" with ").next().unwrap_or(&summary);
    let summary = match said.clean("with", &used) {
        Some(with) => format!("{what} with {with}"),
        None => summary.clone(),
    };
    let mut action =
        PlannedAction { service: "calendar".into(), command: "create_event".into(), ..PlannedAction::default() };
    set(&mut action, "summary", Some(summary));
    let Some(when) = when else {
        return Built::Ask { question: "When is it?", partial: action, param: "start_time" };
    };
    set(&mut action, "start_time", Some(on_the_same_day(said, &when.text, last)));
    Built::Act(action)
}

/// A mere clock time belongs to the day talked about.
fn on_the_same_day(said: &ClauseReading, words: &str, last: &PastAction) -> String {
    let before = last.params.get("start_time").and_then(Value::as_str);
    let day =
        before.and_then(|text| time::resolve(text, said.input.reference)).and_then(Result::ok).and_then(|w| w.start());
    match day.filter(|_| time::is_clock_only(words)) {
        Some(day) => format!("{} {words}", day.format("%Y-%m-%d")),
        None => words.to_owned(),
    }
}

/// What was said behind a request, where it keeps or sends words.
fn goes_on(action: &mut PlannedAction, sentence: &str) {
    match action.service.as_str() {
        email::NAME => letter::go_on(action, sentence),
        notes::NAME => notes::go_on(action, sentence),
        _ => {}
    }
}

/// A message that is nothing but another value, after words that hold one like it were kept.
fn revalued(last: &PastAction, value: &str) -> Option<PlannedAction> {
    notes::revalued(last, value).or_else(|| memory::revalued(last, value))
}

/// A message that is nothing but a time, after something that has one.
fn retimed(last: &PastAction, words: &str) -> Option<PlannedAction> {
    let (service, command, name) = match (last.service.as_str(), last.command.as_str()) {
        ("calendar", "create_event" | "update_event") => ("calendar", "update_event", "start_time"),
        ("task", "create" | "update") => ("task", "update", "deadline"),
        _ => return None,
    };
    let mut action = PlannedAction { service: service.into(), command: command.into(), ..PlannedAction::default() };
    set(&mut action, "find_by", Some(history::handle(last)?));
    set(&mut action, "changes", Some(json!({ name: words })));
    Some(action)
}
