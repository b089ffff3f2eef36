//! Slot filling: the answer to a question of ours, with which the earlier request goes on, without a router.

use super::offers;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::stages::answers;
use crate::pipeline::stages::context::Context;
use crate::pipeline::stages::converse;
use crate::pipeline::stages::doubts;
use crate::pipeline::stages::guard;
use crate::pipeline::stages::rounds::rounds;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::turn::{Path, Reply};
use brain_core::ports::StoreError;
use brain_core::ports::records::Clarification;
use brain_language::language::consent;
use brain_language::language::consent::Consent;
use brain_language::language::reading::{Clause, Mood};
use brain_language::language::requests;
use brain_services::services::helpers::address_book::split_details;

/// What comes of the request that was asked about; `None` when the message does not complete it.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Some(question) = turn.facts.open_question() else {
        return Ok(None);
    };
    if let Some(answer) = answered(turn, question).await? {
        turn.account.takes_question();
        return Ok(Some(answer));
    }
    // Other words are read beside the question, by a model that sees it.
    if converse::is_held(turn.brain, &turn.facts) {
        return Ok(None);
    }
    let is_no = consent::read(turn.facts.words()) == Consent::No;
    let gives_up = || requests::gives_up(turn.facts.words(), &turn.facts.reference());
    let leaves_it = (question.partial.is_some() && is_no) || gives_up();
    if leaves_it && answers::named(question, turn.facts.words()).is_none() {
        turn.account.takes_question();
        let words = match question.rest.actions.as_slice() {
            [] => "Okay, never mind.".to_owned(),
            rest => format!(
                "Okay, never mind. I leave out the rest of it, too: {}.",
                show::meant(&turn.brain.services, rest)
            ),
        };
        return Ok(Some(Answer::says(Path::Clarify, words)));
    }
    let topic = Topic { answers: Some(question), ..Topic::default() };
    if is_message_of_its_own(turn.brain, &turn.facts, question) || answers::completed(&turn.facts, &topic).is_none() {
        let is_bare_yes = question.partial.is_some() && consent::read(turn.facts.words()) == Consent::Yes;
        let asked_again = || Answer::says(Path::Clarify, format!("That takes more than a yes. {}", question.question));
        return Ok(is_bare_yes.then(|| asked_again().keeping_question()));
    }
    if let Some(stopped) = turn.unless_cancelled(guard::stops(turn.brain, &turn.facts, turn.account)).await? {
        return Ok(Some(stopped));
    }
    turn.account.takes_question();
    Ok(Some(rounds(turn, &question.domains, &Context::default(), topic).await?))
}

/// Whether a message says by itself what it wants: a question, a report, a letter to somebody else. Such a one fits no
/// slot, unless it is a choice of ours.
fn is_message_of_its_own(brain: &Brain, facts: &TurnFacts, question: &Clarification) -> bool {
    let reading = facts.reading();
    let Some((partial, param)) = &question.partial else { return false };
    let entry = brain.services.command(&partial.service, &partial.command);
    let Some(entry) = entry.filter(|_| answers::picked(facts, question).is_none()) else { return false };
    if entry.kinds().composed.contains(&param.as_str()) {
        // Any words can be those of a letter, but not an order that names whom it is for.
        return reading.has(&[Mood::Order]) && split_details(facts.words()).0.is_some();
    }
    let is_said = |clause: &Clause| matches!(clause.mood, Mood::Question | Mood::Report);
    !reading.clauses.is_empty() && reading.clauses.iter().all(is_said)
}

/// The answer in words to a doubt of ours, as its button; `None` when it takes none of the choices.
async fn answered(turn: &Turn<'_>, question: &Clarification) -> Result<Option<Answer>, StoreError> {
    let Some(offer) = question.offer.as_deref().filter(|_| turn.facts.origin().is_own_words()) else {
        return Ok(None);
    };
    let leaves = question.choices.len().saturating_sub(1);
    let choice = match consent::read(turn.facts.words()) {
        Consent::No => Some(leaves),
        Consent::Yes if question.takes_yes => Some(0),
        // A yes to an offer of what was asked about: with it, or without?
        Consent::Yes => return Ok(Some(asked_again(question, offer))),
        Consent::Wait | Consent::Other => {
            answers::chosen(&question.choices, turn.facts.words()).and_then(|value| value.parse().ok())
        }
    };
    let Some(choice) = choice else { return Ok(None) };
    let mut answer = offers::take(turn, offer, choice).await?;
    if answer.path == Path::Button {
        answer.path = if choice == leaves { Path::Clarify } else { Path::Action };
    }
    Ok(Some(answer))
}

fn asked_again(question: &Clarification, offer: &str) -> Answer {
    let labels: Vec<String> = question.choices.iter().map(|(_, label)| label.clone()).collect();
    let reply = Reply { buttons: doubts::buttons(offer, &labels), ..Reply::text(question.question.clone()) };
    Answer::says(Path::Clarify, reply).holding(question.quoted.clone()).keeping_question()
}
