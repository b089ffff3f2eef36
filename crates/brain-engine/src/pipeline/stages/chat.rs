//! Small talk: one model call, begun beside the router where built-in understanding is sure of it.

use std::future::ready;

use futures::future::{Either, join, select};

use super::context::{Context, Fetching};
use super::doubts::{self, Doubt};
use super::guard::{self, Verdict};
use super::investigate;
use super::respond;
use super::route;
use super::undecided;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::guessed::{self, Route};
use crate::pipeline::stages::selection::SpeechAct;
use crate::pipeline::turn::status;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::markup::Formatted;
use brain_core::core::provenance::Sources;
use brain_core::core::turn::Path;
use brain_core::ports::records::Speaker;
use brain_language::language::grounding::Ground;
use brain_language::language::requests;
use brain_language::language::routing::{Guess, Kind};
use brain_language::language::time;

/// Built-in understanding at least this confident of small talk begins the reply early.
const SURE: f32 = 0.9;

/// Answers small talk, with the reply that is already there, if one is. What the router took for talk and built-in
/// understanding is sure to be a request is told that nothing was done about it.
pub async fn answer(
    turn: &Turn<'_>,
    route: Route,
    early: Option<Formatted>,
    context: Fetching,
    guess: &Guess,
) -> Result<Answer, TurnError> {
    if let Some(about_the_card) = undecided::instead_of_talk(turn.brain, &turn.facts) {
        return Ok(about_the_card);
    }
    turn.account.doing(status::writing());
    if let Some(reply) = early {
        return Ok(Answer::says(Path::Chat, reply));
    }
    if turn.brain.model.is_none() && !doubts::is_talk(&turn.facts) {
        let sources = Sources { untrusted: turn.facts.others_words(&turn.brain.services), ..Sources::default() };
        let own = if turn.facts.origin().is_own_words() { vec![turn.facts.words().to_owned()] } else { Vec::new() };
        let asked = Doubt::nothing(turn.brain, &turn.facts).ask(turn.brain, &turn.facts, &[], &sources, own);
        return investigate::or_searched(turn, ready(asked.map_err(TurnError::from))).await;
    }
    let Context { memories, untrusted, .. } = context.arrived().await;
    let is_request = guess.kind == Kind::Action && guess.is_sure();
    let words = async {
        let reply = if is_request {
            turn.unless_cancelled(respond::without_action(turn, &memories)).await?
        } else {
            turn.unless_cancelled(respond::chat(turn, &memories)).await?
        };
        Ok(Answer::says(Path::Chat, reply).holding(untrusted))
    };
    if !route.selection.is_some_and(|selection| selection.said == SpeechAct::Question) {
        return words.await;
    }
    // What may be asked of the person's own things is looked up there; a model would make it up.
    let has_times = || !time::find(turn.facts.words(), &turn.facts.reference()).is_empty();
    let is_of_own = guess.kind != Kind::Chat || Ground::is_own(turn.facts.words()) || has_times();
    let instead = async {
        match is_of_own {
            true => Ok(Answer::says(Path::Clarify, doubts::not_understood(turn.brain, &turn.facts))),
            false => words.await,
        }
    };
    Box::pin(investigate::or_searched(turn, instead)).await
}

/// Whether built-in understanding is sure of small talk. What servers bring it does not know.
pub fn is_surely_talk(brain: &Brain, facts: &TurnFacts, guess: &Guess) -> bool {
    guess.kind == Kind::Chat && guess.confidence >= SURE && !guessed::has_tools(brain, facts)
}

/// The same of a message that is about nothing else: it is talk word for word, or nothing is at hand that it could be about.
pub fn is_talk_alone(brain: &Brain, facts: &TurnFacts, guess: &Guess) -> bool {
    let last = facts.history.iter().rfind(|message| message.speaker == Speaker::Assistant);
    let is_new = facts.open.is_empty() && facts.open_question().is_none();
    is_surely_talk(brain, facts, guess)
        && requests::is_read(facts.words())
        && (doubts::is_talk(facts) || is_new && last.is_none_or(|last| last.actions.is_empty()))
}

/// Where a message goes once router and guard have spoken.
pub enum RoutedOrBlocked {
    /// To this route, with the reply where that is small talk and was written meanwhile.
    To(Box<Route>, Option<Formatted>),
    /// Nowhere, for this reason.
    Blocked(String),
}

/// Routes, beside the guard; when built-in understanding is sure that this is small talk, the reply is already being
/// written meanwhile, unless most of a budget is used. Nothing of it is shown before both agree; if they think otherwise,
/// it is thrown away.
pub async fn route_and_maybe_reply(turn: &Turn<'_>, guess: &Guess) -> RoutedOrBlocked {
    let routing = Box::pin(async {
        let verdict = guard::by_policy(turn.brain, &turn.facts, turn.account);
        match join(verdict, route::decide(turn, guess)).await {
            (Verdict::Allowed, route) => Ok(route),
            (Verdict::Blocked(why), _) => Err(why),
        }
    });
    if turn.brain.model.is_none()
        || turn.account.is_frugal()
        || !is_surely_talk(turn.brain, &turn.facts, guess)
        || undecided::instead_of_talk(turn.brain, &turn.facts).is_some()
    {
        return passage(routing.await, None);
    }
    let replying = Box::pin(respond::chat(turn, &[]));
    match select(routing, replying).await {
        Either::Left((Ok(route), replying)) if route.kind == Kind::Chat => {
            turn.account.agreed();
            passage(Ok(route), Some(replying.await))
        }
        Either::Left((routed, _)) => passage(routed, None),
        Either::Right((reply, routing)) => passage(routing.await, Some(reply)),
    }
}

fn passage(routed: Result<Route, String>, reply: Option<Formatted>) -> RoutedOrBlocked {
    match routed {
        Ok(route) => {
            let reply = reply.filter(|_| route.kind == Kind::Chat);
            RoutedOrBlocked::To(Box::new(route), reply)
        }
        Err(why) => RoutedOrBlocked::Blocked(why),
    }
}
