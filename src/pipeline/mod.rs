//! One turn, top to bottom.
//!
//! ```text
//! message or press
//!   ├─ begun in an earlier life? ──────────────────────────────► carried through from its journal
//!   ├─ a button, a command, an answer to an open card? ──────► decide, no model
//!   ├─ guard ∥ route ∥ context
//!   │     blocked ─────► refuse politely
//!   │     chat ────────► respond
//!   │     otherwise ───► plan ─► gate ─► execute ─► reflect ─► respond
//!   │                               └──► card, where a yes is needed
//!   └─ one commit: answer, conversation, journal's end, inbox ─► deliver
//! ```
//!
//! The pipeline knows ports, not adapters. Everything a turn comes to is committed at once (see
//! [`answer::Answer`]) before a word of it is shown.

pub mod brain;
pub mod commit;
pub mod consent;
pub mod intake;
pub mod stages;
pub mod turn;

use futures::future::{Either, select};

use crate::core::markup::Formatted;
use crate::core::turn::{Done, Incoming, Input, Path};
use crate::language::routing::{Guess, Kind};
use crate::pipeline::stages::status;
use brain::Brain;
use commit::answer::Answer;
use commit::outbox;
use consent::Intake;
use intake::debounce::Debounce;
use intake::{buttons, commands, offers, settings};
use stages::context::{self, Context};
use stages::route::{self, Route};
use stages::{act, guard, respond, rounds};
use turn::{Turn, TurnError};

/// Compiles the patterns that turns look for; see [`crate::app::warm_up`].
pub fn warm_up() {
    guard::judge("");
    respond::claims_a_change("");
}

/// One turn: answers what came in, commits, delivers.
pub async fn handle_turn(brain: &Brain, incoming: &Incoming) -> Done {
    handle_turn_in(brain, incoming, Debounce::over()).await
}

/// The same while more may still come: nothing is written before its debounce allows it.
pub async fn handle_turn_in(brain: &Brain, incoming: &Incoming, debounce: Debounce) -> Done {
    brain.channel.typing(&incoming.chat).await;
    let cancel = brain.begin(incoming);
    let done = match Turn::open(brain, incoming, cancel).await {
        Ok(mut turn) => {
            turn.debounce = debounce;
            let answer = brain.with_status(turn.chat(), || turn.what_it_does(), answer(&turn)).await;
            outbox::finish(&turn, answer).await
        }
        Err(error) => outbox::cannot_even_begin(brain, incoming, &error).await,
    };
    brain.end(incoming);
    done
}

async fn answer(turn: &Turn<'_>) -> Result<Answer, TurnError> {
    if let Some(mut answer) = rounds::carried_through(turn).await? {
        buttons::carried_through(turn, &mut answer).await?;
        return Ok(answer);
    }
    if let Input::Press { data, .. } = &turn.incoming.input {
        return Ok(buttons::press(turn, data).await?);
    }
    if let Some(answer) = offers::passed_on(turn).await? {
        return Ok(answer);
    }
    if let Some(answer) = commands::answer(turn).await? {
        return Ok(answer);
    }
    match consent::intake(turn).await? {
        Intake::Answered(answer) => return Ok(*answer),
        Intake::Amends(pending) => return act::amend(turn, *pending).await,
        Intake::Unrelated => {}
    }
    if let Some(answer) = settings::said(turn) {
        return Ok(answer.keeping_question());
    }
    if let Some(answer) = buttons::reminder::until(turn).await? {
        return Ok(answer);
    }
    if let Some(answer) = act::completes_a_question(turn).await? {
        return Ok(answer);
    }

    let guess = route::guess(turn);
    let context = context::fetch(turn, &guess);
    let verdict = guard::check(turn);
    if let guard::Verdict::Blocked(why) = verdict {
        return Ok(Answer::says(Path::Blocked, why));
    }
    let (route, early) = turn.unless_cancelled(route_and_maybe_reply(turn, &guess)).await?;
    turn.agreed();
    turn.doing(match route.kind {
        Kind::Chat => status::writing(),
        Kind::Action | Kind::Investigate | Kind::Followup => {
            status::planning(&turn.brain.services.now(), &route.domains)
        }
    });
    match route.kind {
        Kind::Chat => {
            let (reply, untrusted) = match early {
                Some(reply) => (reply, Vec::new()),
                None => {
                    let Context { memories, untrusted, .. } = context.arrived().await;
                    (turn.unless_cancelled(respond::chat(turn, memories)).await?, untrusted)
                }
            };
            Ok(Answer::says(Path::Chat, reply).holding(untrusted))
        }
        Kind::Action | Kind::Investigate | Kind::Followup => act::act(turn, route, context).await,
    }
}

/// Routes; when built-in understanding is sure that this is small talk, the reply is already being written
/// meanwhile. Nothing of it is shown before the router agrees; if it thinks otherwise, it is thrown away.
async fn route_and_maybe_reply(turn: &Turn<'_>, guess: &Guess) -> (Route, Option<Formatted>) {
    const SURE: f32 = 0.9;
    let routing = Box::pin(route::decide(turn, guess));
    if turn.brain.model.is_none() || guess.kind != Kind::Chat || guess.confidence < SURE {
        return (routing.await, None);
    }
    let replying = Box::pin(respond::chat(turn, Vec::new()));
    match select(routing, replying).await {
        Either::Left((route, replying)) if route.kind == Kind::Chat => {
            turn.agreed();
            (route, Some(replying.await))
        }
        Either::Left((route, _)) => (route, None),
        Either::Right((reply, routing)) => {
            let route = routing.await;
            let reply = (route.kind == Kind::Chat).then_some(reply);
            (route, reply)
        }
    }
}
