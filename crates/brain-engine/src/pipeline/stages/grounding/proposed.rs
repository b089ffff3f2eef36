//! Words for what is not done at once: what is missing, what was no request, and what one tap would do.

use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use crate::pipeline::stages::doubts::{Doubt, TOLD, not_understood};
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::stages::{resolve, topic};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::text::{capital, visible};
use brain_core::ports::records::Clarification;
use brain_language::language::reading::Mood;
use brain_services::services::contract::command::Subject;
use brain_services::services::helpers::address_book::Person;

/// The question for what is required and was not said.
pub(super) fn asks(
    brain: &Brain,
    facts: &TurnFacts,
    topic: &Topic<'_>,
    domains: &[String],
    mut plan: Plan,
    index: usize,
    param: String,
) -> Clarification {
    let partial = plan.actions.remove(index);
    let entry = brain.services.command(&partial.service, &partial.command);
    let question = entry.map(|entry| entry.question(&param)).unwrap_or_default();
    let asked = Clarification::asks(topic::request(facts, topic), question, domains, facts.ctx.now);
    Clarification { partial: Some((partial, param)), rest: plan, place: index, ..asked }
}

/// Said where a plan held something that cannot be shown.
const MORE: &str = "(Another part of it I could not make sense of.) ";

/// Said of what was asked, denied or supposed.
pub(super) fn contradicted(brain: &Brain, facts: &TurnFacts, mood: Mood) -> Doubt {
    let words = match mood {
        Mood::Negation => "I read that as something not to do, so nothing was done.".to_owned(),
        Mood::Condition => "I read that as a condition, and found nothing to do with it. Nothing was done.".to_owned(),
        Mood::Arrangement | Mood::Statement | Mood::Report => TOLD.to_owned(),
        Mood::Order | Mood::Wish | Mood::Fragment | Mood::Question => not_understood(brain, facts),
    };
    Doubt { words, is_question: mood == Mood::Question, ..Doubt::default() }
}

/// The plan, shown in a line each, to be taken with one tap; `is_all`: there was nothing more in it.
pub(in crate::pipeline::stages) async fn proposed(
    brain: &Brain,
    facts: &TurnFacts,
    plan: Plan,
    people: &[Person],
    is_all: bool,
) -> Doubt {
    let mut lines = Vec::new();
    for planned in &plan.actions {
        lines.push(line(brain, facts, planned, people).await);
    }
    let words = match lines.as_slice() {
        [only] => format!("{only}?"),
        lines => format!("Shall I do this?\n{}", lines.iter().map(|line| format!("• {line}\n")).collect::<String>()),
    };
    let would = show::meant(&brain.services, &plan.actions);
    let verb = would.split_whitespace().next().unwrap_or("do").to_owned();
    let label = if plan.actions.len() == 1 { capital(&verb) } else { format!("Yes, all {}", plan.actions.len()) };
    Doubt {
        words: format!("{words} {}Nothing is done yet.", if is_all { "" } else { MORE }),
        choices: vec![(label, plan)],
        leave: "No",
        takes_yes: true,
        ..Doubt::default()
    }
}

/// What an action would do, with the values that it would have.
async fn line(brain: &Brain, facts: &TurnFacts, planned: &PlannedAction, people: &[Person]) -> String {
    let fallback = || capital(&show::meant(&brain.services, std::slice::from_ref(planned)));
    let Some(entry) = brain.services.command(&planned.service, &planned.command) else { return fallback() };
    match resolve::settle(facts, entry.as_ref(), planned, people).await {
        Ok(settled) => {
            let reference = facts.ctx.reference();
            let card = entry.card(&Subject { action: &settled.action, reference: &reference });
            visible(&card.in_one_line())
        }
        Err(_) => fallback(),
    }
}
