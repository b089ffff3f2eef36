//! What an answer to a question of ours makes of the action that was asked about.

use serde_json::Value;

use crate::pipeline::stages::topic::{Topic, tidy};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::ports::records::Clarification;
use brain_language::language::consent;
use brain_language::language::consent::Consent;
use brain_language::language::requests::{self, Understood};
use brain_language::language::rows;
use brain_language::language::time;
use brain_language::language::time::{Grain, Reference, When};
use brain_services::services::across::completion;
use brain_services::services::contract::show::Moment;
use brain_services::services::helpers::address_book::split_details;

/// The answer to a question of ours completes what was asked for, and what waited for it: no planner needed.
pub fn completed(facts: &TurnFacts, topic: &Topic<'_>) -> Option<Plan> {
    // Somebody else's words, passed on, answer nothing; and it is answered once.
    let question = topic.answers.filter(|_| facts.origin().is_own_words() && topic.round.is_none())?;
    let (partial, param) = question.partial.as_ref()?;
    let reference = facts.reference();
    let is_time = |value: &str| Moment::read(value, reference.zone).is_some();
    let picked = picked(facts, question).or_else(|| on_that_day(&question.choices, facts.words(), &reference));
    let action = match picked {
        Some(value) if is_time(value) => completion::complete(partial, param, value, &reference)?,
        Some(value) => filled(partial, param, value),
        // A time may also be answered by another one, and whether other words fit is known to who asks.
        None if question.is_relayed || question.choices.iter().all(|(value, _)| is_time(value)) => {
            free_answer(facts, partial, param)?
        }
        None => return None,
    };
    let mut plan = question.rest.clone();
    plan.actions.insert(question.place.min(plan.actions.len()), action);
    Some(tidy(plan))
}

/// The one time among the choices that is on the day the person answers with.
fn on_that_day<'q>(choices: &'q [(String, String)], answer: &str, reference: &Reference) -> Option<&'q str> {
    let Some(Ok(When::Point { at, grain: Grain::Day })) = time::resolve(answer, reference) else {
        return None;
    };
    let mut fitting = choices.iter().filter(|(value, _)| {
        Moment::read(value, reference.zone).is_some_and(|m| m.start(reference.zone).date_naive() == at.date_naive())
    });
    let (only, _) = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

/// The value of the choice that the person took from our list, in words of their own.
pub fn picked<'q>(facts: &TurnFacts, question: &'q Clarification) -> Option<&'q str> {
    if !facts.origin().is_own_words() {
        return None;
    }
    if let Some(value) = named(question, facts.words()) {
        return Some(value);
    }
    match question.choices.as_slice() {
        [(value, _)] if consent::read(facts.words()) == Consent::Yes => Some(value),
        choices => chosen(choices, facts.words()),
    }
}

/// The value of the choice that is called just what was said; a yes and a no are said in many ways.
pub fn named<'q>(question: &'q Clarification, words: &str) -> Option<&'q str> {
    let said = consent::read(words);
    let is_called = |label: &str| {
        label.eq_ignore_ascii_case(words.trim())
            || matches!(said, Consent::Yes | Consent::No) && consent::read(label) == said
    };
    let mut called = question.choices.iter().filter(|(_, label)| is_called(label));
    let (only, None) = (called.next()?, called.next()) else { return None };
    Some(&only.0)
}

/// An answer in the person's own words: an address for somebody unknown, or whatever was missing.
fn free_answer(facts: &TurnFacts, partial: &PlannedAction, param: &str) -> Option<PlannedAction> {
    if param.contains('=') {
        return person_named(facts).map(|person| filled(partial, param, &person));
    }
    completion::complete(partial, param, facts.words(), &facts.reference())
}

/// Whom an answer to a question for an address names: the address in it, or else its few words, unless they are a
/// message of their own.
fn person_named(facts: &TurnFacts) -> Option<String> {
    const NAME_WORDS_MAX: usize = 4;
    let words = facts.words().trim();
    if let (Some(address), _) = split_details(words) {
        return Some(address.trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
    }
    let is_name = words.split_whitespace().count() <= NAME_WORDS_MAX
        && consent::read(words) == Consent::Other
        && !requests::is_question(words)
        && match facts.understood(&[]) {
            Understood::NotUnderstood { .. } | Understood::Which { .. } | Understood::Partly { .. } => true,
            Understood::Plan { .. } | Understood::Ask { .. } | Understood::SmallTalk | Understood::TooMuch => false,
        };
    is_name.then(|| words.to_owned())
}

/// Which of the offered choices the person means: its number, or words that only one of them has.
pub fn chosen<'a>(choices: &'a [(String, String)], answer: &str) -> Option<&'a str> {
    let answer = answer.trim().trim_end_matches(['.', '!', ')']).to_lowercase();
    if answer.is_empty() {
        return None;
    }
    if let Some((value, _)) = rows::place(&answer).and_then(|n| choices.get(n.checked_sub(1)?)) {
        return Some(value);
    }
    let words: Vec<&str> =
        answer.split_whitespace().filter(|word| !["the", "one", "with", "at", "to"].contains(word)).collect();
    let mut fitting = choices.iter().filter(|(value, label)| {
        let text = format!("{label} {value}").to_lowercase();
        !words.is_empty() && words.iter().all(|word| text.contains(word))
    });
    match (fitting.next(), fitting.next()) {
        (Some((value, _)), None) => Some(value),
        (Some(_) | None, _) => None,
    }
}

/// The partial action with one parameter set; a list parameter has the value in place of the unclear name.
fn filled(partial: &PlannedAction, param: &str, value: &str) -> PlannedAction {
    let mut action = partial.clone();
    let (name, unclear) = param.split_once('=').unwrap_or((param, ""));
    match action.params.get_mut(name) {
        Some(Value::Array(items)) if !unclear.is_empty() => {
            for item in items.iter_mut().filter(|item| item.as_str() == Some(unclear)) {
                *item = Value::String(value.to_owned());
            }
        }
        Some(_) | None => {
            action.params.insert(name.to_owned(), Value::String(value.to_owned()));
        }
    }
    action
}
