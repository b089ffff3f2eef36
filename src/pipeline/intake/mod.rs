//! Intake: what may answer a message or a press before it is routed.
//!
//! [`STEPS`] is all of it: they are asked in this order, and the first that has an answer gives it. Whatever none of
//! them answers is routed. The pictures of a turn (README, the crate, the pipeline) show the same names in the same
//! order, and a test compares them.
//!
//! Invariants: no step asks a model whether it is meant; what a step leads to (an amendment, the answer to a
//! question) may be planned by one. A step that has no answer leaves no trace. Not here: deciding cards
//! (`consent`), and which messages are one turn (the channel; [`debounce`] only says how long it may wait).

pub mod agenda;
pub mod buttons;
mod cards;
pub mod commands;
mod excess;
mod findings;
mod known;
pub mod offers;
pub mod pages;
mod question;
mod report;
mod resumed;
mod salient;
pub mod settings;
mod told;

use futures::FutureExt;
use futures::future::BoxFuture;

use self::cards::{amendments, answers, record};
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::undecided;
use crate::pipeline::turn::{PointedAt, Turn, TurnError};

/// What a step makes of a turn that is its business.
#[derive(Debug)]
enum Taken {
    Answered(Box<Answer>),
    /// It goes on, read as if it named this: so do the steps below and whatever it is routed to read it.
    ReadAs(PointedAt),
}

impl Taken {
    /// The answer of a step that may give something else as well.
    fn by(answer: Answer) -> Option<Self> {
        Some(Self::Answered(Box::new(answer)))
    }
}

/// What a step gives: `None` when the turn is none of its business.
type Asked<'t> = BoxFuture<'t, Result<Option<Taken>, TurnError>>;

/// A step that answers or does not.
fn only_answers<'t>(step: impl Future<Output = Result<Option<Answer>, TurnError>> + Send + 't) -> Asked<'t> {
    step.map(|answer| Ok(answer?.and_then(Taken::by))).boxed()
}

/// One of the things that may answer.
#[derive(Debug)]
struct Step {
    /// As the pictures show it.
    name: &'static str,
    answer: for<'t> fn(&'t Turn<'t>) -> Asked<'t>,
}

/// In order; the comments say why each stands where it does.
const STEPS: [Step; 19] = [
    // What an earlier life began is told from its journal: looked at anew, it could be done twice.
    Step { name: "resumed", answer: |turn| only_answers(resumed::answer(turn)) },
    // A press carries what it means; it has no words for the others to read.
    Step { name: "press", answer: |turn| only_answers(buttons::answer(turn)) },
    // What is passed on without a word is content: nothing in it may be read as a command or as consent.
    Step { name: "forward", answer: |turn| only_answers(offers::answer(turn.brain, &turn.facts)) },
    // A slash command means one thing, whatever is open.
    Step { name: "command", answer: |turn| only_answers(commands::answer(turn)) },
    // A yes or no to a card outranks every looser reading of the same word.
    Step { name: "decision", answer: |turn| only_answers(answers::answer(turn)) },
    // "Yes, but at 4pm" is no yes: it changes the card it speaks of before anybody takes it for a new request.
    Step { name: "amendment", answer: |turn| only_answers(amendments::answer(turn)) },
    // A setting named outright is no answer to a question; the question stays open.
    Step { name: "setting", answer: |turn| only_answers(settings::answer(turn.brain, &turn.facts)) },
    // "Always cc Tom" is no order to cc Tom now, and "my NAS is a fnOS now" is no small talk.
    Step { name: "told", answer: |turn| only_answers(told::answer(turn)) },
    // The time we asked for last, before the same words could answer an older question.
    Step { name: "snooze", answer: |turn| only_answers(buttons::reminder::until(turn)) },
    // "Done", right after a reminder: as its button.
    Step { name: "reminder", answer: |turn| only_answers(buttons::reminder::in_words(turn)) },
    // "More", right below a list: as its button. A question asked since then stands below the list, and gets the word.
    Step { name: "page", answer: |turn| only_answers(pages::answer(turn)) },
    // "Only from Anna", "reply to 3": of the rows of an answer. A number behind a verb is a row before it is a time.
    Step { name: "findings", answer: |turn| findings::answer(turn).boxed() },
    // "Answer the first one", "write her": what comes now is read with what they mean.
    Step { name: "salient", answer: |turn| salient::answer(turn).boxed() },
    // "Did you send it?" asks what became of something; nothing is planned for it.
    Step { name: "record", answer: |turn| only_answers(record::answer(turn.brain, &turn.facts)) },
    // The time is told whatever is open, and is no model's guess.
    Step { name: "known", answer: |turn| only_answers(known::answer(turn)) },
    // What was not read to its end answers no question and is no request.
    Step { name: "excess", answer: |turn| only_answers(excess::answer(&turn.facts)) },
    // What is left may complete the request that we asked about.
    Step { name: "reply", answer: |turn| only_answers(question::answer(turn)) },
    // "Bins are out" is no request: routed, it would be talk, or a task of its own. An open question gets it first.
    Step { name: "report", answer: |turn| only_answers(report::answer(turn)) },
    // Nobody else took it, and it stands right below a card: small talk would leave open what became of that.
    Step { name: "undecided", answer: |turn| only_answers(undecided::answer(turn.brain, &turn.facts)) },
];

/// The answer of the first step that has one.
pub(super) async fn answer(turn: &mut Turn<'_>) -> Result<Option<Answer>, TurnError> {
    for step in &STEPS {
        match (step.answer)(turn).await? {
            Some(Taken::Answered(answer)) => {
                tracing::debug!(turn = %turn.facts.incoming.turn.as_str(), step = step.name, "answered before routing");
                return Ok(Some(*answer));
            }
            Some(Taken::ReadAs(pointed)) => turn.points_at(pointed).await,
            None => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of the lines between "intake" and the next branch of a picture.
    fn named_in(picture: &str) -> Vec<&str> {
        let lines = picture.lines().map(|line| line.trim_start_matches("//!").trim_start());
        let steps = lines.skip_while(|line| !line.contains("─ intake")).skip(1);
        let steps = steps.take_while(|line| !line.contains('├') && !line.contains('└'));
        steps.filter_map(|line| line.trim_start_matches('│').split_whitespace().next()).collect()
    }

    #[test]
    fn the_pictures_of_a_turn_name_every_step_in_order() {
        let steps: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(named_in(include_str!("../mod.rs")), steps, "src/pipeline/mod.rs");
        assert_eq!(named_in(include_str!("../../lib.rs")), steps, "src/lib.rs");
        assert_eq!(named_in(include_str!("../../../README.md")), steps, "README.md");
    }
}
