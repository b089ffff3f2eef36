//! Routing guess: where a message seems to go before any model is asked.

use std::fmt;

use super::selection::Selection;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::text::head_and_tail;
use brain_core::core::turn::PASSED_ON;
use brain_core::limits;
use brain_language::language::grounding::Ground;
use brain_language::language::requests;
use brain_language::language::requests::{FamilyQuestion, QuestionFamily};
use brain_language::language::routing;
use brain_language::language::routing::{Guess, Kind};

/// Where a message goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// What kind of message it is.
    pub kind: Kind,
    /// The services it may use, and no others.
    pub domains: Vec<String>,
    /// The commands that were chosen with it, where a model plans in steps.
    pub selection: Option<Selection>,
}

/// For the trace: `action: calendar, email`.
impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Chat => "chat",
            Kind::Action => "action",
            Kind::Investigate => "investigate",
            Kind::Followup => "followup",
        })?;
        if !self.domains.is_empty() {
            write!(f, ": {}", self.domains.join(", "))?;
        }
        Ok(())
    }
}

/// What built-in understanding makes of the message.
pub fn guess(brain: &Brain, facts: &TurnFacts) -> Guess {
    // A question that a phrase covers as a whole is no request, whatever else its words may be.
    if question(brain, facts).is_some() {
        let domains = brain.services.now().searchable();
        return Guess { kind: Kind::Investigate, domains, confidence: routing::SURE_ENOUGH };
    }
    facts.guess().clone()
}

/// Whether a server brings tools that are open to whoever asks: built-in understanding knows nothing of what they do.
pub(super) fn has_tools(brain: &Brain, facts: &TurnFacts) -> bool {
    let services = brain.services.open_to(facts.owner());
    services.iter().any(|service| service.has_tools() && service.commands().next().is_some())
}

/// Whether a question may be one over the person's own things: what anybody may know needs no search of them.
pub(super) fn is_of_own_things(facts: &TurnFacts, guess: &Guess) -> bool {
    // What asks of anything by a name may be answered by what anybody knows.
    let is_loose = facts.question().is_some_and(|question| is_of_anything(question.family));
    let is_likely = !is_loose && (guess.kind == Kind::Investigate || facts.intents().investigates());
    is_likely || !requests::is_read(facts.words()) || Ground::is_own(facts.words())
}

/// The question of a family that the message is, if it is one. What a command answers is left to that, where a question
/// could mean anything.
pub fn question(brain: &Brain, facts: &TurnFacts) -> Option<FamilyQuestion> {
    if !facts.origin().is_own_words() {
        return None;
    }
    let Some(question) = facts.question() else {
        // With a model, its router knows better than what words lean to.
        if brain.model.is_some() {
            return None;
        }
        let leaning = facts.leaning().filter(|_| requests::is_question(facts.words()))?;
        let is_of_none = requests::plain_leaning(leaning, facts.words())?;
        return (is_of_none || !facts.intents().ask_a_command()).then(|| leaning.clone());
    };
    let is_loose = is_of_anything(question.family);
    Some(question.clone()).filter(|_| !is_loose || !facts.intents().ask_a_command())
}

fn is_of_anything(family: QuestionFamily) -> bool {
    matches!(family, QuestionFamily::Find | QuestionFamily::About)
}

/// The message as far as it is the person's own words.
pub(super) fn own_message(facts: &TurnFacts) -> String {
    let own = facts.origin().is_own_words();
    if own { head_and_tail(facts.words(), limits::ROUTE_MESSAGE_CHARS) } else { PASSED_ON.to_owned() }
}
