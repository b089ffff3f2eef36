//! Respond: receipts by code, always; a few warm words by the model, when there is one.
//!
//! Invariant: no wording of a model can turn a failure into a success. The receipts stand below its words, and what
//! [`super::honest`] has to say above them.

use minijinja::context;

use super::honest::{self, CameTo};
use super::{ask, doubts, phrasing, plan, speak};
use crate::core::markup::Formatted;
use crate::core::outcome::{Outcome, Status};
use crate::core::plan::Action;
use crate::core::run::{Run, RunOrigin, StepProgress};
use crate::core::text::shorten;
use crate::language::requests;
use crate::language::routing::Kind;
use crate::limits;
use crate::pipeline::stages::status;
use crate::pipeline::turn::Turn;
use crate::ports::records::Speaker;
use crate::ports::{Stage, Wording};
use crate::prompts::Fixed;
use crate::services::command::Receipt;
use crate::services::show;

/// How `respond` and receipts see a turn.
#[derive(Debug, Default)]
pub struct Results {
    /// For the person: one a step.
    pub receipts: Vec<String>,
    /// For the model: the same in plain terms, waiting cards included.
    pub facts: Vec<String>,
    /// True when at least one write succeeded or may have.
    pub changed: bool,
    /// Something happened that a receipt alone does not answer: a look, a failure, something that was left out.
    pub wants_words: bool,
}

impl Results {
    /// Receipts and facts of a finished run.
    pub fn add_run(&mut self, turn: &Turn<'_>, run: &Run) {
        let reference = turn.ctx.reference();
        for step in &run.steps {
            if let StepProgress::Done { outcome } = &step.progress {
                let (mut receipt, wrote) = told(turn.brain, &step.action, outcome, &reference);
                // What a card would have pointed out is pointed out here.
                if run.origin == RunOrigin::Turn && wrote {
                    for note in &step.action.notes {
                        receipt.push_str(&format!("\n   ℹ️ {}", crate::core::text::visible(note)));
                    }
                }
                let status = format!("{:?}", outcome.status()).to_lowercase();
                self.facts.push(format!("{} {status}: {}", step.action.name(), shorten(&receipt, 1_500)));
                self.receipts.push(receipt);
                self.changed |= wrote;
                self.wants_words |= !wrote || outcome.status() != Status::Succeeded;
            }
        }
    }

    /// Something that did not come to be done, in words.
    pub fn add_remark(&mut self, remark: String) {
        self.wants_words = true;
        self.facts.push(format!("not done: {remark}"));
        self.receipts.push(remark);
    }
}

/// The receipt of one outcome, and whether it changed, or may have changed, anything.
pub fn told(
    brain: &crate::pipeline::brain::Brain,
    action: &Action,
    outcome: &Outcome,
    reference: &crate::language::time::Reference,
) -> (String, bool) {
    // A service that left since then wrote, for all that anybody knows.
    let entry = brain.services.of(action);
    let entry = entry.as_deref();
    let wrote = entry.is_none_or(|entry| entry.effect().writes()) && outcome.status() != Status::Failed;
    let named = || format!("do “{}”", action.name());
    let deed = || entry.map_or_else(named, |entry| crate::core::text::visible(&entry.attempt(action)));
    let text = match outcome {
        Outcome::Succeeded { result } => entry.map_or_else(
            || {
                format!(
                    "Done: “{}”. Its service is not set up here any more, so I can't say what came of it.",
                    action.name()
                )
            },
            |entry| entry.receipt(result, &Receipt { action, reference }),
        ),
        Outcome::Failed { why } => format!("❗ I could not {}: {}", deed(), sentence(why)),
        Outcome::Unknown { why } => format!("❓ I can't tell whether I managed to {}: {}", deed(), sentence(why)),
    };
    (text, wrote)
}

fn sentence(why: &str) -> String {
    let why = why.trim();
    if why.ends_with(['.', '!', '?', ')']) { why.to_owned() } else { format!("{why}.") }
}

/// A reply to small talk.
pub async fn chat(turn: &Turn<'_>, memories: &[String]) -> Formatted {
    let is_talk = doubts::is_talk(turn);
    let asks = turn.guess().kind == Kind::Action || turn.intents().ask_a_command();
    let came_to = match (asks && !is_talk, has_done_something(turn)) {
        (true, _) => CameTo::TalkAtRequest,
        (false, true) => CameTo::TalkAfterDeeds,
        (false, false) => CameTo::Talk,
    };
    let in_kind =
        || Formatted::plain(if is_talk { requests::chat(turn.words()) } else { doubts::not_understood(turn) });
    if is_worth_no_wait(turn) && is_talk {
        return in_kind();
    }
    by_model(turn, memories, &Results::default(), came_to).await.unwrap_or_else(in_kind)
}

/// The answer to a request in which no action was found.
pub async fn without_action(turn: &Turn<'_>, memories: &[String]) -> Formatted {
    let not_understood = || Formatted::plain(doubts::not_understood(turn));
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
    if !is_asked || is_worth_no_wait(turn) {
        turn.agreed();
        return Formatted::plain(receipts);
    }
    turn.doing(status::writing());
    turn.agreed();
    match by_model(turn, memories, results, came_to).await {
        Some(mut words) => {
            words.push(&format!("\n\n{receipts}"));
            words
        }
        None => Formatted::plain(receipts),
    }
}

/// Whether everything so far was answered without the model, and its words would come long after.
fn is_worth_no_wait(turn: &Turn<'_>) -> bool {
    !turn.asked_a_model() && turn.brain.model.as_ref().is_some_and(|model| model.is_slow(Stage::Respond))
}

/// Whether anything was done lately that words of this turn could be about.
fn has_done_something(turn: &Turn<'_>) -> bool {
    turn.history.iter().flat_map(|message| &message.actions).any(|past| {
        let entry = turn.brain.services.command(&past.service, &past.command);
        entry.is_none_or(|entry| entry.effect().writes())
    })
}

/// The model's words as they are shown; `None` when there is no model, or no answer of it.
async fn by_model(turn: &Turn<'_>, memories: &[String], results: &Results, came_to: CameTo) -> Option<Formatted> {
    let model = turn.brain.model.as_deref()?;
    let stage = came_to.stage();
    // Talk is about anything that was said; words about what was done need what was said just before.
    let history: Vec<String> = match stage {
        Stage::Chat => plan::history(turn, limits::CHAT_HISTORY_TOKENS),
        _ => turn.history.iter().rev().take(3).rev().map(line).collect(),
    };
    let changing = context! {
        history => ask::lines(&history),
        memories => ask::lines(memories),
        results => ask::lines(&results.facts),
        statement => came_to.statement(),
        manner => turn.manner(),
        message => turn.words(),
    };
    // Not its own earlier words: a link that it has made up once is no more given to it than before.
    let wrote = turn.history.iter().filter(|message| message.speaker == Speaker::Person).map(|said| said.text.as_str());
    let told = memories.iter().chain(&results.facts).map(String::as_str);
    let given = wrote.chain(told).chain([turn.words()]).collect::<Vec<_>>().join("\n");
    let said = match ask::prompt(turn, stage, Fixed::ALWAYS, &changing) {
        Ok(prompt) => speak::aloud(turn, model, prompt, &given, came_to).await,
        Err(error) => Err(error),
    };
    match said {
        Ok(words) => {
            let words = phrasing::presentable(words, &turn.brain.services.now(), &results.receipts.join("\n"), &given);
            if words.text.trim().is_empty() {
                return came_to.statement().map(Formatted::plain);
            }
            Some(honest::shown(words, came_to))
        }
        Err(error) => {
            turn.fell_back(stage.name(), &error.to_string());
            None
        }
    }
}

fn line(message: &crate::ports::records::Message) -> String {
    let speaker = match message.speaker {
        Speaker::Person => "person",
        Speaker::Assistant => "assistant",
    };
    format!("{speaker}: {}", shorten(&message.text, 500))
}

/// The line that names an assumed zone, once.
pub fn zone_note(zone: chrono_tz::Tz) -> String {
    let name = zone.name();
    format!("(I took {name} as your time zone. If it is another, write for example “my time zone is Lisbon”.)")
}

/// True when a text shows a time that was resolved, so that the zone matters.
pub fn shows_time(action: &Action) -> bool {
    action.params.values().chain(action.params.get("changes")).any(holds_time)
}

fn holds_time(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => {
            matches!(show::Moment::read(text, chrono_tz::UTC), Some(show::Moment::Instant(_)))
        }
        serde_json::Value::Object(map) => map.values().any(holds_time),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::Array(_) => false,
    }
}
