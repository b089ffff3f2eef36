//! Respond: receipts by code, always; a few warm words by the model, when there is one.
//!
//! Invariant: no wording of a model can turn a failure into a success. The receipts stand below its words, and what
//! [`super::honest`] has to say above them.

use minijinja::context;

use super::honest::{self, CameTo};
use super::phrasing::{self, Internals};
use super::{ask, doubts, speak};
use crate::pipeline::brain::Brain;
use crate::pipeline::show::Results;
use crate::pipeline::turn::status;
use crate::pipeline::turn::{Turn, TurnAccount, TurnFacts};
use brain_core::core::markup::Formatted;
use brain_core::ports::{Stage, Wording};
use brain_core::prompts::Fixed;
use brain_language::language::requests;
use brain_language::language::routing::Kind;

/// A reply to small talk.
pub async fn chat(turn: &Turn<'_>, memories: &[String]) -> Formatted {
    let is_talk = doubts::is_talk(&turn.facts);
    let asks = turn.facts.guess().kind == Kind::Action || turn.facts.intents().ask_a_command();
    let came_to = match (asks && !is_talk, has_done_something(turn.brain, &turn.facts)) {
        (true, _) => CameTo::TalkAtRequest,
        (false, true) => CameTo::TalkAfterDeeds,
        (false, false) => CameTo::Talk,
    };
    let in_kind = || {
        Formatted::plain(if is_talk {
            requests::chat(turn.facts.words())
        } else {
            doubts::not_understood(turn.brain, &turn.facts)
        })
    };
    if is_worth_no_wait(turn.brain, turn.account) && is_talk {
        return in_kind();
    }
    by_model(turn, memories, &Results::default(), came_to).await.unwrap_or_else(in_kind)
}

/// The answer to a request in which no action was found.
pub async fn without_action(turn: &Turn<'_>, memories: &[String]) -> Formatted {
    let not_understood = || Formatted::plain(doubts::not_understood(turn.brain, &turn.facts));
    by_model(turn, memories, &Results::default(), CameTo::NoAction).await.unwrap_or_else(not_understood)
}

/// The answer to a turn with outcomes: words, then receipts.
pub async fn outcomes(turn: &Turn<'_>, memories: &[String], results: &Results, came_to: CameTo) -> Formatted {
    let receipts = results.receipts.join("\n");
    let is_asked = match turn.brain.policy.wording {
        Wording::Always => true,
        Wording::Never => false,
        // Receipts of writes that succeeded say everything there is to say.
        Wording::Auto => results.wants_words || !results.changed,
    };
    if !is_asked || is_worth_no_wait(turn.brain, turn.account) {
        turn.account.agreed();
        return Formatted::plain(receipts);
    }
    turn.account.doing(status::writing());
    turn.account.agreed();
    let before = turn.asked_before();
    let words = match before.words(memories, results) {
        Some(words) => Some(words),
        None => {
            let words = by_model(turn, memories, results, came_to).await;
            words.iter().for_each(|words| before.keep_words(memories, results, words));
            words
        }
    };
    match words {
        Some(mut words) => {
            words.push(&format!("\n\n{receipts}"));
            words
        }
        None => Formatted::plain(receipts),
    }
}

/// Whether everything so far was answered without the model, and its words would come long after.
fn is_worth_no_wait(brain: &Brain, account: &TurnAccount) -> bool {
    !account.asked_a_model() && brain.model.as_ref().is_some_and(|model| model.is_slow(Stage::Respond))
}

/// Whether anything was done lately that words of this turn could be about.
fn has_done_something(brain: &Brain, facts: &TurnFacts) -> bool {
    facts.history.iter().flat_map(|message| &message.actions).any(|past| {
        let entry = brain.services.command(&past.service, &past.command);
        entry.is_none_or(|entry| entry.writes())
    })
}

/// The model's words as they are shown; `None` when there is no model, or no answer of it.
async fn by_model(turn: &Turn<'_>, memories: &[String], results: &Results, came_to: CameTo) -> Option<Formatted> {
    let model = turn.brain.model.as_deref()?;
    let stage = came_to.stage();
    let said_before = turn.facts.conversation();
    // Talk is about anything that was said; words about what was done need what was said just before.
    let history: Vec<String> = match stage {
        Stage::Chat => said_before.for_chat(),
        _ => said_before.for_receipts(),
    };
    let changing = context! {
        history => ask::lines(&history),
        memories => ask::lines(memories),
        results => ask::lines(&results.facts),
        statement => came_to.statement(),
        manner => turn.facts.manner(),
        message => turn.facts.words(),
    };
    // Not its own earlier words: a link that it has made up once is no more given to it than before.
    let wrote = said_before.written_by_people();
    let told = memories.iter().chain(&results.facts).map(String::as_str);
    let given = wrote.chain(told).chain([turn.facts.words()]).collect::<Vec<_>>().join("\n");
    let said = match ask::prompt(turn.brain, stage, Fixed::ALWAYS, &changing) {
        Ok(prompt) => speak::aloud(turn, model, prompt, &given, came_to).await,
        Err(error) => Err(error),
    };
    match said {
        Ok(words) => {
            let internals = Internals::of(turn.brain, &turn.facts);
            let words = phrasing::presentable(words, &internals, &results.receipts.join("\n"), &given);
            if words.text.trim().is_empty() {
                return came_to.statement().map(Formatted::plain);
            }
            Some(honest::shown(words, came_to))
        }
        Err(error) => {
            turn.account.fell_back(stage.name(), &error.to_string());
            None
        }
    }
}
