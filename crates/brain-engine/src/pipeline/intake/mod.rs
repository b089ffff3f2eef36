//! Intake: what may answer a message or a press before it is routed.
//!
//! [`STEPS`] is all of it: they are asked in this order, and the first that has an answer gives it. Whatever none of
//! them answers is routed. The pictures of a turn (README, the crate, the pipeline) show the same names in the same
//! order, and a test compares them.
//!
//! A step says what is wanted (`intended`) and does nothing itself where that can be said as a value; one that points
//! at something says what the message is read as from there on. Invariants: no step asks a model whether it is meant;
//! what a step leads to (an amendment, the answer to a question) may be planned by one. What acts or keeps anything by the
//! words of a message does so behind the guard ([`Guarding`]). A step that has no answer leaves no trace. Not here: deciding cards (`consent`), and which messages are one turn (the channel; [`debounce`]
//! only says how long it may wait).

mod assistant;
pub mod buttons;
mod cards;
pub mod commands;
mod coreference;
mod known;
mod named_tool;
pub mod offers;
mod question;
mod report;
mod resumed;
mod rows;
mod standing_rules;
mod too_long;

use futures::FutureExt;
use futures::future::BoxFuture;

use self::Guarding::{Before, Behind, Within};
use self::cards::{amendments, answers};
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::act;
use crate::pipeline::stages::assistant::{Intended, reminder};
use crate::pipeline::stages::{converse, guard, undecided};
use crate::pipeline::turn::{Referent, Turn, TurnError};
use brain_core::ports::Usage;

/// What a step makes of a turn that is its business.
enum Taken {
    By(Intended),
    /// It goes on, read as if it named this: so do the steps below and whatever it is routed to read it.
    ReadAs(Referent),
}

impl<T: Into<Intended>> From<T> for Taken {
    fn from(intended: T) -> Self {
        Self::By(intended.into())
    }
}

/// What a step gives: `None` when the turn is none of its business.
type StepAnswer<'t> = BoxFuture<'t, Result<Option<Taken>, TurnError>>;

/// A step, whatever it gives.
fn step<'t, T: Into<Taken>>(asked: impl Future<Output = Result<Option<T>, TurnError>> + Send + 't) -> StepAnswer<'t> {
    asked.map(|taken| Ok(taken?.map(Into::into))).boxed()
}

/// Where a step stands to the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guarding {
    /// Before it: it carries out what was decided or said by its command, or only shows what there is.
    Before,
    /// What it says is to be done waits for the guard's word.
    Behind,
    /// It plans, and asks the guard before it does.
    Within,
}

/// One of the things that may answer.
#[derive(Debug)]
struct IntakeStep {
    /// As the pictures show it.
    name: &'static str,
    guarding: Guarding,
    answer: for<'t> fn(&'t Turn<'t>) -> StepAnswer<'t>,
}

/// In order; the comments say why each stands where it does.
const STEPS: [IntakeStep; 18] = [
    // What an earlier life began is told from its journal: looked at anew, it could be done twice.
    IntakeStep { name: "resumed", guarding: Before, answer: |turn| step(resumed::answer(turn)) },
    // A press carries what it means; it has no words for the others to read.
    IntakeStep { name: "press", guarding: Before, answer: |turn| step(buttons::answer(turn)) },
    // What is passed on without a word is content: nothing in it may be read as a command or as consent.
    IntakeStep { name: "forward", guarding: Before, answer: |turn| step(offers::answer(turn.brain, &turn.facts)) },
    // A slash command means one thing, whatever is open.
    IntakeStep { name: "command", guarding: Before, answer: |turn| step(commands::answer(turn)) },
    // A yes or no to a card outranks every looser reading of the same word.
    IntakeStep { name: "decision", guarding: Before, answer: |turn| step(answers::answer(turn)) },
    // A yes with a change changes the card it speaks of before anybody takes it for a new request.
    IntakeStep { name: "amendment", guarding: Within, answer: |turn| step(amendments::answer(turn)) },
    // What a phrase asks of the assistant itself is no answer to a question; the question stays open.
    IntakeStep { name: "assistant", guarding: Behind, answer: |turn| step(assistant::answer(turn.brain, &turn.facts)) },
    // A standing rule is no order to do it now, and a changed fact is no small talk.
    IntakeStep { name: "told", guarding: Behind, answer: |turn| step(standing_rules::answer(turn.brain, &turn.facts)) },
    // The time we asked for last, before the same words could answer an older question.
    IntakeStep { name: "snooze", guarding: Behind, answer: |turn| step(reminder::until(turn.brain, &turn.facts)) },
    // A word for a button of a reminder, right after it: as that button.
    IntakeStep { name: "reminder", guarding: Behind, answer: |turn| step(reminder::in_words(turn.brain, &turn.facts)) },
    // Of the rows of an answer or a list. A number behind a verb is a row before it is a time.
    IntakeStep { name: "rows", guarding: Behind, answer: |turn| step(rows::answer(turn)) },
    // A pronoun: what comes now is read with whom it means.
    IntakeStep { name: "salient", guarding: Before, answer: |turn| step(coreference::answer(turn.brain, &turn.facts)) },
    // The time is told whatever is open, and is no model's guess.
    IntakeStep { name: "known", guarding: Before, answer: |turn| step(known::answer(turn.brain, &turn.facts)) },
    // It names its tool and says what each value is for; no model could read it better.
    IntakeStep { name: "tool", guarding: Behind, answer: |turn| step(named_tool::answer(turn.brain, &turn.facts)) },
    // What was not read to its end answers no question and is no request.
    IntakeStep { name: "excess", guarding: Before, answer: |turn| step(too_long::answer(&turn.facts)) },
    // What is left may complete the request that we asked about.
    IntakeStep { name: "reply", guarding: Within, answer: |turn| step(question::answer(turn)) },
    // A report is no request: routed, it would be talk, or a task of its own. An open question gets it first.
    IntakeStep { name: "report", guarding: Behind, answer: |turn| step(report::answer(turn.brain, &turn.facts)) },
    // Nobody else took it, and it stands right below a card: small talk would leave open what became of that.
    IntakeStep { name: "undecided", guarding: Before, answer: |turn| step(undecided::answer(turn.brain, &turn.facts)) },
];

/// Steps that read what a model reads better, which sees the conversation: none of them takes a message before one that
/// may say all there is to say has seen it.
const LEFT_TO_A_CONVERSATION: [&str; 3] = ["salient", "report", "undecided"];

/// Steps that only say how a message is read. A shadow of a turn that none of the others took asks these alone: what has
/// become of that turn meanwhile is nothing that the message could be about.
const OF_SHADOWS: [&str; 1] = ["salient"];

/// The answer of the first step that has one.
pub(super) async fn answer(turn: &mut Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let (started, read) = (turn.account.elapsed_us(), turn.facts.words().len());
    let is_conversation = converse::is_held(turn.brain, &turn.facts);
    let is_asked = |step: &&IntakeStep| {
        let is_left = is_conversation && LEFT_TO_A_CONVERSATION.contains(&step.name);
        !is_left && (!turn.account.is_shadow() || OF_SHADOWS.contains(&step.name))
    };
    let asked: Vec<&IntakeStep> = STEPS.iter().filter(is_asked).collect();
    for step in asked {
        let intended = match (step.answer)(turn).await? {
            None => continue,
            Some(Taken::ReadAs(pointed)) => {
                turn.points_at(pointed).await;
                continue;
            }
            Some(Taken::By(intended)) => intended,
        };
        let stopped = match step.guarding {
            Behind => turn.unless_cancelled(guard::stops(turn.brain, &turn.facts, turn.account)).await?,
            Before | Within => None,
        };
        let answer = match stopped {
            Some(stopped) => stopped,
            None => act::intended(turn, intended).await?,
        };
        turn.account.traced("intake", started, read, Usage::default(), step.name);
        let about = answer.reports.iter().map(|report| format!("{}.{}", report.service, report.command));
        turn.account.came_to(&["intake"], about.collect::<Vec<_>>().join(", "));
        tracing::debug!(turn = %turn.facts.incoming.turn.as_str(), step = step.name, "answered before routing");
        return Ok(Some(answer));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of the lines between the intake and the next branch of a picture.
    fn named_in(picture: &str) -> Vec<&str> {
        let lines = picture.lines().map(|line| line.trim_start_matches("//!").trim_start());
        let steps = lines.skip_while(|line| !line.contains("─ intake")).skip(1);
        let steps = steps.take_while(|line| !line.contains('├') && !line.contains('└'));
        steps.filter_map(|line| line.trim_start_matches('│').split_whitespace().next()).collect()
    }

    #[test]
    fn nothing_stands_before_the_guard_but_decisions_commands_and_what_only_shows() {
        let before: Vec<&str> = STEPS.iter().filter(|step| step.guarding == Before).map(|step| step.name).collect();
        let shows = ["forward", "salient", "known", "excess", "undecided"];
        let decides = ["resumed", "press", "command", "decision"];
        assert!(before.iter().all(|name| shows.contains(name) || decides.contains(name)), "{before:?}");
    }

    #[test]
    fn the_picture_of_a_turn_names_every_step_in_order() {
        let steps: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(named_in(include_str!("../mod.rs")), steps);
    }
}
