//! One turn, top to bottom.
//!
//! ```text
//! message or press
//!   ├─ intake: the first of these that has an answer gives it
//!   │     resumed     begun in an earlier life: told from its journal, never done twice
//!   │     press       a button; the record that it names decides
//!   │     forward     passed on without a word: offered, not obeyed
//!   │     command     /today, /undo, …
//!   │     decision    yes or no to an open card ──────────► decide ─► execute ─► receipt, and on with what was open
//!   │     amendment   "yes, but at 4pm": the card changes
//!   │     assistant   "undo that", "my time zone is Lisbon", "did you send it?", "more"
//!   │     told        "always cc Tom", "my NAS is a fnOS now": kept, and gone by
//!   │     snooze      until when, for the reminder whose button asked
//!   │     reminder    "done", right after one was told
//!   │     rows        "only from Anna", "reply to 3", "open the first one", of what was shown last
//!   │     salient     "write her", of whom was spoken last
//!   │     known       "what day is it?", "I'm Mara": answered by code alone
//!   │     tool        "use files: read_text_file /srv/list.txt": of a server that brings tools
//!   │     excess      more at once than can be read: to be said in parts
//!   │     reply       the answer to a question of ours
//!   │     report      "bins are out": what is open and was meant is done
//!   │     undecided   said below a card and decides nothing: the card is shown again
//!   ├─ guard ∥ route ∥ context
//!   │     blocked ────► refuse politely
//!   │     chat ───────► respond
//!   │     investigate ► graph of evidence ─► run ─► answer with its sources, kept for what is asked next
//!   │     otherwise ──► plan ─► grounded ─► gate ─► execute ─► reflect ─► respond
//!   │                      │                └──► card, where a yes is needed
//!   │                      └──► proposed or asked, where it does not follow from what was said
//!   └─ one commit: answer, conversation, journal's end, inbox ─► deliver
//! ```
//!
//! Here is the turn and nothing else. Its rooms stand on each other, and nothing imports what is above it (a test holds
//! that): [`brain`] is what a turn works with; [`turn`] holds what it goes by ([`turn::TurnFacts`], a value that does
//! not change) and what it has cost and done so far ([`turn::TurnAccount`]); `show` renders; [`commit`] ends it, `run`
//! does what is authorised; [`consent`] keeps cards and decisions; [`stages`] are the way of a routed message;
//! [`intake`] may answer before it is routed, and [`recover`] settles what an earlier life left. A function takes
//! facts, the account or the brain, whichever it needs; a test counts those that take the whole turn. Invariants: the
//! pipeline knows ports, not adapters; everything a turn comes to is committed at once before a word of it is shown.
//! Not here: turns in groups (see [`public`]), and
//! what the operator decides (see [`operator`]) or takes in again (see [`import`]).

pub mod brain;
pub mod commit;
pub mod consent;
pub mod import;
pub mod intake;
pub mod locks;
pub mod long_chats;
pub mod operator;
pub mod public;
pub mod recover;
pub(crate) mod run;
pub mod running;
pub mod show;
pub mod stages;
pub mod turn;

use crate::pipeline::stages::guessed;
use brain::Brain;
use brain_core::core::turn::{Done, Incoming, Path};
use brain_core::ports::StoreError;
use brain_core::ports::records::TurnContents;
use brain_language::language::routing::Kind;
use commit::Answer;
use stages::chat::RoutedOrBlocked;
use stages::converse::{Conversing, GoingOn};
use stages::guard::Verdict;
use stages::{act, chat, compress, context, converse, elicitation, freshness, guard, investigate, learning};
use tokio_util::sync::CancellationToken;
use turn::debounce::Debounce;
use turn::{Turn, TurnAccount, TurnError, status};

/// The nodes that say where a message goes.
const ROUTING: [&str; 3] = ["route", "select", "select_services"];

/// One turn: answers what came in, commits, delivers.
pub async fn handle_turn(brain: &Brain, incoming: &Incoming) -> Done {
    handle_turn_in(brain, incoming, Debounce::over()).await
}

/// The same while more may still come: nothing is written before `debounce` allows it.
pub async fn handle_turn_in(brain: &Brain, incoming: &Incoming, debounce: Debounce) -> Done {
    brain.channel.typing(&incoming.chat).await;
    let cancel = begin(brain, incoming);
    for registration in brain.services.now().iter() {
        registration.service.mirroring().iter().for_each(|mirroring| mirroring.serves(&incoming.user));
    }
    let account = TurnAccount::new(incoming.turn.clone());
    let says = || status::of(&brain.services.now(), &incoming.user, &account, &debounce);
    let done = match open(brain, incoming, &account, cancel, debounce.clone()).await {
        Ok(mut turn) => {
            let answer = brain.with_status(&incoming.chat, says, answer(&mut turn)).await;
            finish(&turn, answer).await
        }
        Err(error) => commit::cannot_even_begin(brain, incoming, &error).await,
    };
    brain.end(incoming);
    done
}

/// Reads what a turn needs to know; a card that nobody can read any more is withdrawn.
async fn open<'a>(
    brain: &'a Brain,
    incoming: &Incoming,
    account: &'a TurnAccount,
    cancel: CancellationToken,
    debounce: Debounce,
) -> Result<Turn<'a>, StoreError> {
    let turn = Turn::open(brain, incoming, account, cancel, debounce).await?;
    brain.withdraw_broken(&turn.facts.broken).await?;
    Ok(turn)
}

/// Ends a turn: its answer, and below it what still waits.
async fn finish(turn: &Turn<'_>, answer: Result<Answer, TurnError>) -> Done {
    let answer = match answer {
        Ok(answer) => {
            let answer = freshness::told(turn.brain, &turn.facts, answer);
            let answer = elicitation::asked(turn.brain, &turn.facts, answer).await;
            let answer = consent::waiting::question_named(turn.brain, &turn.facts, turn.account, answer);
            Ok(consent::waiting::cards_named(turn.brain, &turn.facts, answer).await)
        }
        Err(error) => Err(error),
    };
    let too_late = |card| async move { consent::too_late(turn.brain, &turn.facts, &card).await };
    let done = commit::finish(turn, answer, too_late).await;
    compress::name_if_long(turn.brain, &turn.facts);
    done
}

/// A turn that nobody hears of: what it planned, up to where anything would be done or a question over everything be
/// looked into; nothing of it is committed. `None` where it is not one of whom that may be kept.
pub async fn rehearse(
    brain: &Brain,
    incoming: &Incoming,
    account: &TurnAccount,
) -> Result<Option<TurnContents>, StoreError> {
    let mut turn = Turn::open(brain, incoming, account, CancellationToken::new(), Debounce::over()).await?;
    let answer = match Box::pin(answer(&mut turn)).await {
        Ok(answer) => answer,
        Err(TurnError::Cancelled) => Answer::of(Path::Action),
        Err(TurnError::Store(error)) => return Err(error),
    };
    Ok(commit::contents::of(&turn.facts, account, &answer))
}

/// Registers a turn, so that `/cancel` finds it. Commands and presses overtake and are not registered.
fn begin(brain: &Brain, incoming: &Incoming) -> CancellationToken {
    if intake::commands::stoppable(&incoming.input) {
        brain.running.begins(&incoming.chat, &incoming.turn)
    } else {
        CancellationToken::new()
    }
}

async fn answer(turn: &mut Turn<'_>) -> Result<Answer, TurnError> {
    turn.hear().await?;
    if let Some(answer) = intake::answer(turn).await? {
        return Ok(GoingOn { turn }.after(answer).await);
    }
    // What it goes by is settled.
    let turn = &*turn;
    if let Some(shadow) = turn.brain.shadow.as_ref().filter(|_| turn.account.meter().is_collecting()) {
        shadow.begins(&turn.facts.incoming, turn.account.watched());
    }
    let guess = guessed::guess(turn.brain, &turn.facts);
    let context = context::fetch(turn.brain, &turn.facts, &guess);
    if let Verdict::Blocked(why) = guard::check(&turn.facts, turn.account) {
        return Ok(Answer::says(Path::Blocked, why));
    }
    let is_conversation = converse::is_held(turn.brain, &turn.facts);
    if is_conversation && !chat::is_talk_alone(turn.brain, &turn.facts, &guess) {
        let answer = Box::pin(Conversing { turn, guess: &guess }.answer(context)).await?;
        return learning::propose(turn.brain, &turn.facts, answer).await;
    }
    let (route, early) = match turn.unless_cancelled(chat::route_and_maybe_reply(turn, &guess)).await? {
        RoutedOrBlocked::To(route, early) => (*route, early),
        RoutedOrBlocked::Blocked(why) => return Ok(Answer::says(Path::Blocked, why)),
    };
    turn.account.agreed();
    turn.account.routed(&ROUTING, route.to_string(), route.kind == guess.kind);
    let answer = match route.kind {
        Kind::Chat => Box::pin(chat::answer(turn, route, early, context, &guess)).await,
        Kind::Investigate | Kind::Action | Kind::Followup if is_conversation => {
            Box::pin(Conversing { turn, guess: &guess }.routed(route, context)).await
        }
        Kind::Investigate => match Box::pin(investigate::investigate(turn)).await? {
            Some(answer) => Ok(answer),
            None => Box::pin(act::act(turn, route, context)).await,
        },
        Kind::Action | Kind::Followup => Box::pin(act::act(turn, route, context)).await,
    }?;
    learning::propose(turn.brain, &turn.facts, answer).await
}
