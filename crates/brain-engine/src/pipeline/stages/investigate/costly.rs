//! Consent to a costly question: the estimate and what would be looked at, with a yes, a smaller look, and a no.
//!
//! The graph waits in the store until it is decided: it survives a restart, only who asked decides, and once. Until
//! then it is listed beside the cards, and decided there as they are. It is no pending action: it only reads, so no
//! digest has to bind what is done to what was shown.

use chrono::Duration;

use super::by_model::{self, ByModel, QuestionScope};
use crate::investigate::decompose::SynthesisOrder;
use crate::investigate::estimate::{CostEstimate, estimate};
use crate::investigate::graph::EvidenceGraph;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use crate::queries::offers::{Offer, Offered};
use crate::queries::questions::{CostlyQuestion, costs};
use brain_core::core::button::{Button, Press};
use brain_core::core::turn::{Path, Reply};
use brain_core::limits;
use brain_core::ports::records::Clarification;
use brain_core::ports::{Expect, StoreError};

/// How far the smaller look goes back.
const LESS_DAYS: i64 = 30;

/// What the buttons say.
const CHOICES: [&str; 3] = ["Look into it", "Only the last month", "Leave it"];

/// The choice that leaves it.
pub const LEAVE: usize = CHOICES.len() - 1;

/// Asks, and keeps what would be looked at.
pub(super) fn ask(
    brain: &Brain,
    facts: &TurnFacts,
    graph: EvidenceGraph,
    order: SynthesisOrder,
    estimate: &CostEstimate,
) -> Result<Answer, StoreError> {
    let offer = Offer {
        id: brain.new_id(),
        owner: facts.owner().clone(),
        chat: facts.chat().clone(),
        until: facts.ctx.now + Duration::seconds(limits::OFFER_SECS),
        what: Offered::Investigation { question: facts.words().to_owned(), graph, order, at: facts.as_written().now },
    };
    let mut answer = asking(facts, &offer.id, facts.words(), estimate);
    answer.batch.put(&offer, Expect::Absent)?;
    Ok(answer)
}

/// Asks once more.
pub fn ask_again(facts: &TurnFacts, waiting: &CostlyQuestion) -> Answer {
    asking(facts, waiting.id.as_str(), &waiting.question, &waiting.estimate)
}

/// What takes a plain yes or no, right below a list of nothing but this question.
pub fn asks_again(facts: &TurnFacts, waiting: &CostlyQuestion) -> Question {
    let words = format!("Shall I {}?", waiting.title());
    Question::Open(Box::new(open_question(facts, waiting.id.as_str(), &waiting.question, words)))
}

/// What it would cost, and the choices.
fn asking(facts: &TurnFacts, offer: &str, question: &str, estimate: &CostEstimate) -> Answer {
    let words = format!(
        "💰 That is a large question: about {}. Nothing has been spent on reading yet. Shall I look into it?",
        costs(estimate)
    );
    let button =
        |(choice, text): (usize, &&str)| vec![Button::new(*text, &Press::Offer { id: offer.to_owned(), choice })];
    let buttons = CHOICES.iter().enumerate().map(button).collect();
    let mut answer = Answer::of(Path::Clarify);
    answer.replies.push(Reply { buttons, ..Reply::text(words.clone()) });
    answer.clarification = Question::Open(Box::new(open_question(facts, offer, question, words)));
    answer
}

fn open_question(facts: &TurnFacts, offer: &str, question: &str, words: String) -> Clarification {
    let choices = CHOICES.iter().enumerate().map(|(choice, label)| (choice.to_string(), (*label).to_owned()));
    Clarification {
        choices: choices.collect(),
        offer: Some(offer.to_owned()),
        takes_yes: true,
        ..Clarification::asks(question.to_owned(), words, &[], facts.ctx.now)
    }
}

/// What a press, or a word, comes to: the graph as it was shown, a smaller one, or nothing.
pub async fn decided(
    turn: &Turn<'_>,
    choice: usize,
    graph: EvidenceGraph,
    order: SynthesisOrder,
) -> Result<Answer, TurnError> {
    let since = match choice {
        0 => None,
        1 => Some(turn.facts.ctx.now - Duration::days(LESS_DAYS)),
        _ => return Ok(Answer::says(Path::Button, "Okay, I left it. Nothing was looked into.")),
    };
    let Some(model) = turn.brain.model.as_deref() else {
        return super::investigated(turn, graph, "", false, since).await;
    };
    if since.is_some() {
        // A smaller question may be taken apart differently. Up to what was shown, it needs no second yes.
        let agreed_usd = estimate(&graph.nodes, &turn.brain.policy.prices).usd;
        if let ByModel::Answered(answer) =
            by_model::answer(turn, model, None, QuestionScope { since, agreed_usd }).await?
        {
            return Ok(*answer);
        }
    }
    by_model::run_known(turn, model, graph, order, since).await
}
