//! Turns in a group: everybody reads the answer.
//!
//! Only small talk is answered there, from what was said there. Whatever reads or changes somebody's data, and
//! every command, is handed back to be done in the asker's private chat, where cards are shown and decided
//! (invariant 14 of consent). Invariant: no service, no memory and no card is touched here. Not here: who is
//! served, and where the private chat is; a channel knows that.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit;
use crate::pipeline::commit::{Answer, usage};
use crate::pipeline::intake::commands;
use crate::pipeline::stages::guard::Verdict;
use crate::pipeline::stages::guessed;
use crate::pipeline::stages::{guard, respond, route};
use crate::pipeline::turn::debounce::Debounce;
use crate::pipeline::turn::{Turn, TurnAccount, TurnError, unless_cancelled};
use brain_core::core::turn::{Done, Incoming, Path};
use brain_language::language::routing::Kind;

/// What became of it.
#[derive(Debug)]
pub enum Public {
    /// It was answered where everybody reads.
    Answered(Done),
    /// It belongs into the asker's private chat; nothing was done.
    Private,
}

/// Answers in the group what may be answered there.
pub async fn handle_public_turn(brain: &Brain, incoming: &Incoming) -> Public {
    let cancel = super::begin(brain, incoming);
    let account = TurnAccount::new(incoming.turn.clone());
    let ended = match super::open(brain, incoming, &account, cancel.clone(), Debounce::over()).await {
        Ok(mut turn) => match unless_cancelled(&cancel, answer(&mut turn)).await.flatten() {
            Ok(Some(answer)) => Public::Answered(super::finish(&turn, Ok(answer)).await),
            Ok(None) => {
                if let Err(error) =
                    usage::keep_alone(brain.store.as_ref(), &brain.policy.budgets, &account.meter()).await
                {
                    tracing::warn!(%error, "what was asked of a model in a group is not counted");
                }
                Public::Private
            }
            Err(cancelled) => Public::Answered(super::finish(&turn, Err(cancelled)).await),
        },
        Err(error) => Public::Answered(commit::cannot_even_begin(brain, incoming, &error).await),
    };
    brain.end(incoming);
    ended
}

async fn answer(turn: &mut Turn<'_>) -> Result<Option<Answer>, TurnError> {
    if commands::parse(turn.facts.words()).is_some() {
        return Ok(None);
    }
    if let Verdict::Blocked(why) = guard::check(&turn.facts, turn.account) {
        return Ok(Some(Answer::says(Path::Blocked, why)));
    }
    turn.hear().await?;
    let turn = &*turn;
    let guess = guessed::guess(turn.brain, &turn.facts);
    Ok(match route::decide(turn, &guess).await.kind {
        Kind::Chat => {
            turn.brain.channel.typing(turn.facts.chat()).await;
            turn.account.agreed();
            Some(Answer::says(Path::Chat, respond::chat(turn, &[]).await))
        }
        Kind::Action | Kind::Investigate | Kind::Followup => None,
    })
}
