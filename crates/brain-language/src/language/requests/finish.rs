//! Several clauses become one plan: what is missing is asked for, what is said twice is done once, and pronouns get
//! the names they stand for.

use serde_json::Value;

use super::built::Built;
use super::grammar::GRAMMAR;
use super::history;
use super::parse_input::ParseInput;
use super::text::is_phrase;
use super::understood::PlanDraft;
use brain_core::core::plan::{Plan, PlannedAction};

/// A priority said in a sentence of its own is that of the one task.
fn with_priority(mut built: Vec<Built>, priority: Option<&str>) -> Vec<Built> {
    if let ([Built::Act(task)], Some(level)) = (&mut built[..], priority)
        && (task.service.as_str(), task.command.as_str()) == ("task", "create")
    {
        task.params.entry("priority").or_insert_with(|| level.into());
    }
    built
}

/// What the clauses of a message come to together.
pub(super) fn finish(mut built: Vec<Built>, priority: Option<&str>, input: &ParseInput) -> PlanDraft {
    built.retain(|built| !matches!(built, Built::No));
    built = with_priority(built, priority);
    if let [Built::Ask { .. }] = built[..]
        && let Some(Built::Ask { question, partial, param }) = built.pop()
    {
        return PlanDraft::Ask { question: question.into(), partial, param: param.into() };
    }
    let mut actions: Vec<PlannedAction> = Vec::new();
    for built in built {
        match built {
            // A report and the request to mark the same thing are one thing done.
            Built::Act(action) if actions.contains(&action) => {}
            Built::Act(action) => actions.push(action),
            // An occasion told and the request to enter a pronoun are one event.
            Built::Ask { partial, .. } if says_again(&partial, &actions) => {}
            // What is missing is asked for by whoever finds it missing, and the rest goes on.
            Built::Ask { partial, .. } => actions.push(partial),
            Built::Acts(several) => actions.extend(several),
            Built::No => {}
        }
    }
    if actions.is_empty() {
        return PlanDraft::Nothing;
    }
    say_what_titles_point_to(&mut actions);
    if let Some(asked) = name_the_pronouns(&mut actions, input) {
        return asked;
    }
    PlanDraft::Plan(Plan { actions, ..Plan::default() })
}

/// A pronoun in a title is replaced by its antecedent in the same message, as nobody will know it later.
fn say_what_titles_point_to(actions: &mut [PlannedAction]) {
    for at in 1..actions.len() {
        let (before, rest) = actions.split_at_mut(at);
        let Some(Value::String(title)) = rest[0].params.get_mut("title") else { continue };
        let last = title.rsplit(' ').next().unwrap_or_default();
        let person = is_phrase("person", last, GRAMMAR.lexicon) && history::people_of(&before[at - 1].params).is_some();
        let known = if person {
            history::people_of(&before[at - 1].params).map(|people| people.join(", "))
        } else {
            let names = ["find_by", "summary", "title"];
            names.iter().find_map(|name| before[at - 1].params.get(*name)?.as_str()).map(str::to_owned)
        };
        if let Some(known) =
            known.filter(|_| title.contains(' ') && (person || is_phrase("pronoun", last, GRAMMAR.lexicon)))
        {
            *title = format!("{title} ({known})");
        }
    }
}

/// Whether a title holds what its last word points to.
pub(super) fn says_what_it_points_to(action: &PlannedAction) -> bool {
    let title = action.params.get("title").and_then(Value::as_str).unwrap_or_default();
    title.ends_with(')') && title.contains(" (")
}

/// Nothing but a pronoun for what the action before it is about.
fn says_again(partial: &PlannedAction, before: &[PlannedAction]) -> bool {
    let name = ["title", "summary"].iter().find_map(|param| partial.params.get(*param)?.as_str());
    let same = before.last().is_some_and(|last| (&last.service, &last.command) == (&partial.service, &partial.command));
    // A change told and the request to make it are one change.
    let changed = |action: &PlannedAction| action.command.starts_with("update");
    let no_change = changed(partial) && !partial.params.contains_key("changes");
    same && name.is_none_or(|name| is_phrase("pronoun", name, GRAMMAR.lexicon)) && !changed(partial)
        || no_change && before.iter().any(changed)
}

/// A pronoun for a person: whoever was named last, in this message or before it. Nobody: the question who.
fn name_the_pronouns(actions: &mut [PlannedAction], input: &ParseInput) -> Option<PlanDraft> {
    for at in 0..actions.len() {
        let is_pronoun = match actions[at].params.get("to").and_then(Value::as_array).map(Vec::as_slice) {
            Some([Value::String(name)]) => is_phrase("person", name, GRAMMAR.lexicon),
            Some(_) | None => false,
        };
        if !is_pronoun {
            continue;
        }
        let earlier = actions[..at].iter().rev().find_map(|action| history::people_of(&action.params));
        let before = || history::latest(input.history, |past| history::people_of(&past.params).is_some());
        let people = earlier.or_else(|| before().and_then(|past| history::people_of(&past.params)));
        let action = &mut actions[at];
        (input.builders.address)(action, people.as_deref().unwrap_or_default());
        let Some(people) = people else {
            action.params.remove("to");
            if actions.len() > 1 {
                continue;
            }
            let action = &actions[at];
            let (question, param) = ("Who should it go to?".into(), "to".into());
            return Some(PlanDraft::Ask { question, partial: action.clone(), param });
        };
        action.params.insert("to".into(), people.into());
    }
    None
}
