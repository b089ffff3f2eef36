//! Going on after a yes: what a card had to find out first comes back to the model, and the request that waited for it
//! ends as if it had been found out at once.
//!
//! Invariants: it begins with a person's yes, behind everything that the card did; it has the rounds that are left of a
//! turn, the services that the request was routed to, and whose words were whose; an error of it loses nothing of what is
//! done. Not here: which cards are gone on with ([`Progressing::asking`]).

use super::says::ModelTurn;
use super::{Conversing, Dialogue, Exchange, came_to, is_held};
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::ask::Typed;
use crate::pipeline::stages::progressing::Progressing;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::stages::{context, guessed, rounds};
use crate::pipeline::turn::{Turn, TurnError};
use brain_core::core::outcome::Status;
use brain_core::core::pending::Pending;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::Stage;

/// Said below what is done where the rest is not: the model gave no answer.
const ASK_AGAIN: &str = "That was only a part of what you asked for; I couldn't go on just now. Ask me for the rest.";

/// A turn that may go on with what was asked for before.
#[derive(Debug)]
pub(in crate::pipeline) struct GoingOn<'a> {
    pub turn: &'a Turn<'a>,
}

impl GoingOn<'_> {
    /// The answer, and behind a yes what the request of its card comes to then.
    pub async fn after(&self, mut answer: Answer) -> Answer {
        let turn = self.turn;
        let Some(card) = answer.goes_on.take() else { return answer };
        let Some(domains) = card.goes_on.clone() else { return answer };
        // What is asked is answered first.
        let asks = turn.facts.open_question().is_some() || !answer.asks.is_empty();
        if asks || !is_held(turn.brain, &turn.facts) {
            return answer;
        }
        let turn = turn.goes_on_with(&card).await;
        let guess = guessed::guess(turn.brain, &turn.facts);
        let going = Going { turn: &turn, card: &card, domains };
        Box::pin(going.on(Conversing { turn: &turn, guess: &guess }, answer)).await
    }
}

/// A request that goes on.
struct Going<'a> {
    turn: &'a Turn<'a>,
    card: &'a Pending,
    /// Where something may be changed.
    domains: Vec<String>,
}

impl Going<'_> {
    async fn on(&self, conversing: Conversing<'_>, answer: Answer) -> Answer {
        let turn = self.turn;
        let names = turn.brain.plannable(turn.facts.owner()).names();
        let fetching = context::fetch(turn.brain, &turn.facts, conversing.guess);
        let context = context::routed(turn, fetching, &names).await;
        let dialogue = Dialogue { turn, context: &context, names };
        let mut so_far = self.begun(&dialogue, answer);
        let log = came_to("They said yes to what waited on the card.", &so_far.results.facts);
        let mut exchange = Exchange { domains: self.domains.clone(), begins: 1, log, ..Exchange::default() };
        let why = match dialogue.says(&exchange.log, Some(&so_far)).await {
            Typed::Answer(first) => self.ended(&dialogue, first, &mut exchange, &mut so_far).await.err(),
            Typed::Unusable(why) => Some(why),
            Typed::Failed(error) => Some(error.to_string()),
        };
        so_far.name_what_is_left(turn.brain);
        if let Some(why) = why {
            turn.account.fell_back(Stage::Converse.name(), &why);
            so_far.results.add_remark(ASK_AGAIN.to_owned());
        }
        dialogue.worded(exchange, so_far)
    }

    /// Why it did not come to its end, where it did not.
    async fn ended(
        &self,
        dialogue: &Dialogue<'_>,
        first: ModelTurn,
        exchange: &mut Exchange,
        so_far: &mut Progressing,
    ) -> Result<(), String> {
        let why = |error: TurnError| error.to_string();
        dialogue.one_after_the_other(first, exchange, so_far).await.map_err(why)?;
        dialogue.offered(exchange, so_far).await.map_err(why)
    }

    /// What the card came to, as the first round of what goes on.
    fn begun(&self, dialogue: &Dialogue<'_>, mut answer: Answer) -> Progressing {
        let turn = self.turn;
        let mut so_far = rounds::begun(turn.brain, &turn.facts, dialogue.context, &Topic::default());
        let on_card = self.card.actions.iter().flat_map(|action| action.others_words().cloned());
        so_far.sources.untrusted.extend(on_card.map(Into::into).chain(answer.untrusted.iter().cloned()));
        so_far.routed = Some(self.domains.clone());
        let planned = |action: &Action| PlannedAction {
            service: action.service.clone(),
            command: action.command.clone(),
            params: action.params.clone(),
            ..PlannedAction::default()
        };
        so_far.proposed = self.card.actions.iter().map(planned).collect();
        if let Some(told) = answer.replies.pop() {
            let done = answer.reports.iter().filter(|report| report.status == Status::Succeeded);
            let done: Vec<String> = done.map(|report| format!("{}.{}", report.service, report.command)).collect();
            so_far.results.facts.push(format!(
                "{} succeeded: {}",
                done.join(", "),
                shorten(&told.text, limits::TOOL_RECEIPT_CHARS_MAX)
            ));
            let writes = self
                .card
                .actions
                .iter()
                .any(|action| turn.brain.services.of(action).is_none_or(|entry| !entry.may_only_look()));
            so_far.results.changed = writes;
            so_far.results.looks.extend((!writes).then_some(0));
            so_far.results.wants_words = true;
            so_far.results.receipts.push(told.text);
            so_far.buttons = told.buttons;
        }
        so_far.answer = answer;
        so_far
    }
}
