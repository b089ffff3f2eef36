//! Asking first when a question is costly: the estimate and what would be looked at, with a yes, a smaller look, and a no.
//!
//! The graph waits in the store until it is decided: it survives a restart, only who asked decides, and once.

use chrono::Duration;

use super::by_model;
use crate::core::button::{Button, Press};
use crate::core::turn::{Path, Reply};
use crate::investigate::decompose::SynthesisOrder;
use crate::investigate::estimate::CostEstimate;
use crate::investigate::graph::EvidenceGraph;
use crate::investigate::node::Strategy;
use crate::limits;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::intake::offers::{Offer, Offered};
use crate::pipeline::turn::{Turn, TurnError};
use crate::ports::records::Clarification;
use crate::ports::{Expect, StoreError};

/// What the buttons say.
const CHOICES: [&str; 3] = ["Look into it", "Only the last month", "Leave it"];

/// The card: what it would cost, and the choices.
pub(super) fn ask(
    turn: &Turn<'_>,
    graph: EvidenceGraph,
    order: SynthesisOrder,
    estimate: &CostEstimate,
) -> Result<Answer, StoreError> {
    let offer = Offer {
        id: turn.brain.new_id(),
        owner: turn.owner().clone(),
        chat: turn.chat().clone(),
        until: turn.ctx.now + Duration::seconds(limits::OFFER_SECS),
        what: Offered::Investigation { question: turn.words().to_owned(), graph, order, at: turn.as_written().now },
    };
    let words = format!(
        "💰 That is a large question: about {} things, {} model calls, {} tokens, {:.0} seconds, ${:.2}. Nothing has been spent on reading yet. Shall I look into it?",
        estimate.items,
        estimate.calls,
        estimate.tokens(),
        estimate.seconds,
        estimate.usd
    );
    let button =
        |(choice, text): (usize, &&str)| vec![Button::new(*text, &Press::Offer { id: offer.id.clone(), choice })];
    let buttons = CHOICES.iter().enumerate().map(button).collect();
    let mut answer = Answer::of(Path::Clarify);
    answer.replies.push(Reply { buttons, ..Reply::text(words.clone()) });
    answer.batch.put(&offer, Expect::Absent)?;
    let choices = CHOICES.iter().enumerate().map(|(choice, label)| (choice.to_string(), (*label).to_owned()));
    answer.clarification = Question::Open(Box::new(Clarification {
        choices: choices.collect(),
        offer: Some(offer.id),
        takes_yes: true,
        ..Clarification::asks(turn.words().to_owned(), words, &[], turn.ctx.now)
    }));
    Ok(answer)
}

/// What a press, or a word, comes to: the graph as it was shown, a smaller one, or nothing.
pub async fn decided(
    turn: &Turn<'_>,
    choice: usize,
    mut graph: EvidenceGraph,
    order: SynthesisOrder,
) -> Result<Answer, TurnError> {
    match choice {
        0 => {}
        1 => since(turn, &mut graph, Duration::days(30)),
        _ => return Ok(Answer::says(Path::Button, "Okay, I left it. Nothing was looked into.")),
    }
    match turn.brain.model.as_deref() {
        Some(model) => by_model::run_known(turn, model, graph, order).await,
        None => super::investigated(turn, graph, "", false).await,
    }
}

/// Cuts every search to what came since then.
fn since(turn: &Turn<'_>, graph: &mut EvidenceGraph, span: Duration) {
    let from = (turn.ctx.now - span).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    for node in &mut graph.nodes {
        match &mut node.strategy {
            Strategy::MetadataFilter(filter) => filter.from = Some(from.clone()),
            Strategy::KeywordSearch(search) => search.from = Some(from.clone()),
            Strategy::BatchThreadRead(_) | Strategy::CrossReference(_) | Strategy::SemanticAnalysis(_) => {}
        }
    }
}
