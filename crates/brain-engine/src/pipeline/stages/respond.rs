//! Respond: receipts by code, always; a few warm words by the model, when there is one.
//!
//! Invariant: no wording of a model can turn a failure into a success. The receipts stand below its words, and what
//! [`super::honest`] has to say above them.

use minijinja::context;

use super::honest::{self, CameTo, Truth};
use super::phrasing::{self, Internals};
use super::progressing::Progressing;
use super::{ask, doubts, speak};
use crate::pipeline::brain::Brain;
use crate::pipeline::show::Results;
use crate::pipeline::turn::status;
use crate::pipeline::turn::{Turn, TurnAccount, TurnFacts};
use brain_core::core::markup::Formatted;
use brain_core::limits;
use brain_core::ports::{Stage, Wording};
use brain_core::prompts::Fixed;
use brain_language::language::grounding::Ground;
use brain_language::language::reading::Mood;
use brain_language::language::requests;
use brain_language::language::routing::Kind;

/// A reply to small talk.
pub async fn chat(turn: &Turn<'_>, memories: &[String]) -> Formatted {
    if is_worth_no_wait(turn.brain, turn.account) && doubts::is_talk(&turn.facts) {
        return in_kind(turn.brain, &turn.facts);
    }
    by_model(turn, memories, &Results::default(), talked(turn.brain, &turn.facts))
        .await
        .unwrap_or_else(|| in_kind(turn.brain, &turn.facts))
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

/// A model's words at the end of a conversation, as they are shown; `is_talk`: the router found nothing to do either.
pub(super) fn in_conversation(
    brain: &Brain,
    facts: &TurnFacts,
    words: &str,
    memories: &[String],
    so_far: &Progressing,
    is_talk: bool,
) -> Formatted {
    let came_to = match so_far.came_to() {
        _ if so_far.is_empty() && is_talk => talked(brain, facts),
        // To a question words are the answer, and need no statement that they are only words.
        CameTo::NoAction | CameTo::Answer if only_asks(facts) => CameTo::Talk,
        CameTo::NoAction => CameTo::OnlyWords,
        came_to => came_to,
    };
    let given = given(facts, memories, Some(&so_far.results));
    let receipts = so_far.results.receipts.join("\n");
    let words = Formatted::read(words, &given);
    let internals = Internals::of(brain, facts).with(so_far.results.items());
    let words = phrasing::presentable(words, &internals, &receipts, &given);
    let truth = Truth::of(brain, facts, &so_far.results, came_to);
    if words.text.trim().is_empty() { Formatted::default() } else { honest::shown(words, &truth) }
}

/// Whether a message asks, with what it tells beside that, or plainly orders looks alone: what code does not read may be
/// an order, and words about one stand beside a statement whether it was done.
fn only_asks(facts: &TurnFacts) -> bool {
    let clauses = &facts.reading().clauses;
    let denies = !clauses.is_empty() && clauses.iter().all(|clause| clause.mood == Mood::Negation);
    let asks = facts.reading().has(&[Mood::Question]) && !clauses.iter().any(|clause| clause.mood.is_request());
    let asks = asks || denies && requests::is_read(facts.words());
    asks || facts.intents().ask_a_command() && facts.intents().only_look()
}

/// What talk is beside.
fn talked(brain: &Brain, facts: &TurnFacts) -> CameTo {
    // What code cannot read may be an order, and what is said to it in the same language a claim.
    let is_unread = || !requests::is_read(facts.words()) && !facts.reading().has(&[Mood::Question]);
    // What is kept of the person a small model makes up.
    let is_of_own = || brain.is_small() && facts.reading().has(&[Mood::Question]) && Ground::is_own(facts.words());
    let asks = facts.guess().kind == Kind::Action || facts.intents().ask_a_command() || is_unread() || is_of_own();
    match asks && !doubts::is_talk(facts) {
        true => CameTo::TalkAtRequest,
        false => CameTo::Talk,
    }
}

/// What a reply to talk is where no model gives one.
pub(super) fn in_kind(brain: &Brain, facts: &TurnFacts) -> Formatted {
    Formatted::plain(match doubts::is_talk(facts) {
        true => requests::chat(facts.words()),
        false => doubts::not_understood(brain, facts),
    })
}

/// What the model was given; not its own earlier words: a link that it has made up once is no more given to it than
/// before.
pub(super) fn given(facts: &TurnFacts, memories: &[String], results: Option<&Results>) -> String {
    let said_before = facts.conversation();
    let wrote = said_before.written_by_people();
    let told = memories.iter().chain(results.iter().flat_map(|results| &results.facts)).map(String::as_str);
    wrote.chain(told).chain([facts.words()]).collect::<Vec<_>>().join("\n")
}

/// Whether everything so far was answered without the model, and its words would come long after.
fn is_worth_no_wait(brain: &Brain, account: &TurnAccount) -> bool {
    !account.asked_a_model() && brain.model.as_ref().is_some_and(|model| model.is_slow(Stage::Respond))
}

/// The model's words as they are shown; `None` when there is no model, or no answer of it.
async fn by_model(turn: &Turn<'_>, memories: &[String], results: &Results, came_to: CameTo) -> Option<Formatted> {
    let model = turn.brain.model.as_deref()?;
    // What was refused, waits or was not found code says better than a small model.
    if turn.brain.is_small() && (came_to.statement().is_some() || came_to == CameTo::TalkAtRequest) {
        return None;
    }
    let stage = came_to.stage();
    let truth = Truth::of(turn.brain, &turn.facts, results, came_to);
    let sight = turn.facts.sight(&turn.brain.services).data(limits::CHAT_HISTORY_TOKENS);
    let changing = context! {
        history => ask::lines(&sight.history),
        sight => ask::lines(&sight.beside()),
        memories => ask::lines(memories),
        results => ask::lines(&results.facts),
        statement => came_to.statement(),
        manner => turn.facts.manner(),
        message => turn.facts.words(),
    };
    let given = given(&turn.facts, memories, Some(results));
    let said = match ask::prompt(turn.brain, stage, Fixed::ALWAYS, &changing) {
        Ok(prompt) => speak::aloud(turn, model, prompt, &given, &truth).await,
        Err(error) => Err(error),
    };
    match said {
        Ok(words) => {
            let internals = Internals::of(turn.brain, &turn.facts).with(results.items());
            let words = phrasing::presentable(words, &internals, &results.receipts.join("\n"), &given);
            if words.text.trim().is_empty() {
                return came_to.statement().map(Formatted::plain);
            }
            Some(honest::shown(words, &truth)).filter(|words| !words.text.trim().is_empty())
        }
        Err(error) => {
            turn.account.fell_back(stage.name(), &error.to_string());
            None
        }
    }
}
