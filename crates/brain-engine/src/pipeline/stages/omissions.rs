//! Plan check of a model's plan: what the person said and nothing of it carries is told.
//!
//! Invariant: a turn that left something out says so below its receipts, and no model says anything about it, so that
//! nothing claims that all is done. Not here: what of a message is dear (`language::requests`).

use super::progressing::Progressing;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Question;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::Status;
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::{shorten, visible};
use brain_language::language::grounding;
use brain_language::language::requests;
use brain_language::language::requests::ParseInput;
use brain_services::services::across::filling::BUILDERS;

/// Of each part that is named.
const PART_CHARS_MAX: usize = 120;
/// Parts that are named; who left out more understood nothing.
const PARTS_MAX: usize = 4;

/// Names what was left out, if anything was; whether it was.
pub(crate) fn name_what_is_missing(
    brain: &Brain,
    facts: &TurnFacts,
    topic: &Topic<'_>,
    so_far: &mut Progressing,
) -> bool {
    let left_out = parts_left_out(brain, facts, topic, so_far);
    if left_out.is_empty() {
        return false;
    }
    let parts = left_out.iter().take(PARTS_MAX).map(|part| format!("“{}”", visible(&shorten(part, PART_CHARS_MAX))));
    so_far.results.add_remark(format!("Not done: {}", parts.collect::<Vec<_>>().join(", ")));
    true
}

/// What the person said and nothing that was planned or told so far carries.
pub(crate) fn parts_left_out(brain: &Brain, facts: &TurnFacts, topic: &Topic<'_>, so_far: &Progressing) -> Vec<String> {
    let is_new = topic.answers.is_none() && topic.amends.is_none();
    let planned = brain.model.is_some() && !so_far.proposed.is_empty();
    // Where everything was refused, each refusal says that nothing was done.
    let reports = &so_far.answer.reports;
    let all_refused = !reports.is_empty() && reports.iter().all(|report| report.status == Status::Refused);
    if !is_new || !planned || all_refused || !facts.origin().is_own_words() {
        return Vec::new();
    }
    let actions: Vec<PlannedAction> = so_far.proposed.iter().chain(&so_far.left).cloned().collect();
    let told = told(so_far);
    let left_out = left_out(facts, &actions, &told);
    // A look takes one thing at a time, and its values are the person's words.
    let services = brain.services.now();
    let listed = || grounding::listed_left_out(facts.words(), &services.values(&actions), &told);
    if left_out.is_empty() && services.only_look(&actions) { listed() } else { left_out }
}

/// What the message says and neither these actions nor what is told carry. A condition is looked up or asked about before
/// anything is done; see `condition`.
pub(crate) fn left_out(facts: &TurnFacts, actions: &[PlannedAction], told: &[String]) -> Vec<String> {
    let (past, reference) = (facts.past(), facts.reference());
    let hearing = ParseInput { history: &past, ..ParseInput::new(facts.words(), &reference, BUILDERS) };
    requests::left_out(&hearing, facts.understood(&[]), actions, told)
}

/// What the person reads about this turn: receipts, cards, and the question.
fn told(so_far: &Progressing) -> Vec<String> {
    let receipts = so_far.results.receipts.iter().cloned();
    let replies = so_far.answer.replies.iter().map(|reply| reply.text.clone());
    let question = match &so_far.answer.clarification {
        Question::Open(question) => Some(question.question.clone()),
        Question::Settled | Question::Keep | Question::Beside => None,
    };
    receipts.chain(replies).chain(question).collect()
}
