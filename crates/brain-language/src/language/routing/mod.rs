//! Routing: which services a message is for, by a small linear model over words, pieces of words and frames.
//!
//! One logistic unit for each service and one for investigations (`model`), over `features` of the message; learnt from
//! the examples of `data/language/routing` beforehand (`tests/train.rs`). Invariants: at most [`ROUTE_MESSAGE_CHARS`]
//! characters are looked at; nothing that resembles a known word routes to chat with low confidence. Pronouns are
//! resolved by the conversation, not by the model.

pub mod features;
pub mod model;

use super::requests::annotated::AnnotatedText;
use super::requests::grammar::GRAMMAR;
use super::requests::intents::Intent;
use super::requests::parser::{Parser, parsed};
use super::requests::text::{Token, TokenMark, own_words};
use super::requests::{ParseInput, PlanDraft};
use super::requests::{antecedent, phrases};
use super::work::Work;
use crate::language::tables::MadeTables;
use brain_core::core::text::head_and_tail;
use brain_core::limits::ROUTE_MESSAGE_CHARS;
use features::{features, told_of};
use model::{MODEL, RoutingWeights, logistic};

/// Tokens at either end that are looked at; a request stands at an end of a long message.
const ROUTE_CHARS_FAST: usize = 400;
/// A reference that the conversation settles is rarely wrong.
const FOLLOWUP_CONFIDENCE: f32 = 0.9;
/// Below this a domain is not named.
const THRESHOLD: f32 = 0.55;
/// The same, of a domain that a frame of the message asks for.
const THRESHOLD_AGREED: f32 = 0.45;
/// Words alone, with no frame that fits, must say more: talk about mails and meetings has all the words of requests.
const THRESHOLD_WITHOUT_FRAME: f32 = 0.7;
/// A statement about a thing resembles a request for it.
const THRESHOLD_OF_STATEMENTS: f32 = 0.85;
/// A part of a message says less than all of it.
const THRESHOLD_OF_PARTS: f32 = 0.9;

/// What a service's own phrase is worth: it covers the whole message, but nobody measured how often it is meant.
const PHRASE_CONFIDENCE: f32 = 0.9;

/// From this confidence on, a guess needs no second opinion.
///
/// Measured on messages the model had not learnt (tuning file in five folds, test file, eight fresh files): of 10,977
/// messages 4,877 are this sure and 11 of those are wrong, so the true rate of errors is below 0.5 % with 95 %
/// certainty. The test `a_sure_guess_is_wrong_less_than_once_in_two_hundred` prints the whole table.
pub const SURE_ENOUGH: f32 = 0.98;
/// What a guess is worth at most when not all that decides was read: a long message, words that lean on earlier ones.
const UNREAD_CONFIDENCE: f32 = 0.9;

/// What kind of message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Chat,
    Action,
    Investigate,
    Followup,
}

/// Where a message belongs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Guess {
    pub kind: Kind,
    /// Names of services: task, calendar, email, memory, keep, contacts. Empty for chat.
    pub domains: Vec<String>,
    /// How often such a guess is right in kind and domains together, 0..1; see [`SURE_ENOUGH`].
    pub confidence: f32,
}

impl Guess {
    /// Whether a model need not be asked. Investigations and follow-ups are too few to be measured, so never.
    pub fn is_sure(&self) -> bool {
        match self.kind {
            Kind::Chat | Kind::Action => self.confidence >= SURE_ENOUGH,
            Kind::Investigate | Kind::Followup => false,
        }
    }
}

/// Reads the weights, unless they are read.
pub(super) fn ready() {
    MadeTables::force(&MODEL);
}

/// Kind, domains and confidence of a message.
pub fn route(input: &ParseInput) -> Guess {
    route_by(&MODEL, input, &Work::default())
}

/// The same by another model; measuring needs one that has not learnt what it is measured on.
pub fn route_by(model: &RoutingWeights, input: &ParseInput, work: &Work) -> Guess {
    parsed(input, &[], work, |parser| routed(model, parser))
}

/// The same of a message that is parsed for all services.
pub fn routed(model: &RoutingWeights, parser: &Parser) -> Guess {
    let (input, work) = (parser.input, parser.work);
    if let Some(action) = phrases::planned(input, &[], work) {
        return Guess { kind: Kind::Action, domains: vec![action.service], confidence: PHRASE_CONFIDENCE };
    }
    let own = own_words(&head_and_tail(input.text, ROUTE_MESSAGE_CHARS));
    let text = head_and_tail(&own, ROUTE_CHARS_FAST);
    let heard = AnnotatedText::new(&text, input.reference, GRAMMAR.lexicon).without_timeish(GRAMMAR.lexicon);
    let alone = ParseInput { history: &[], ..*input };
    let ahead = (alone.builders.ahead)(&text, &alone, &[], work);
    if !ahead.is_empty() {
        let domains = ahead.into_iter().map(|action| action.service).collect();
        return Guess { kind: Kind::Action, domains, confidence: UNREAD_CONFIDENCE };
    }
    if let Some(PlanDraft::Plan(plan)) = antecedent::plan(&text, &alone, &[], work) {
        let mut domains: Vec<String> = plan.actions.into_iter().map(|action| action.service).collect();
        domains.dedup();
        return Guess { kind: Kind::Action, domains, confidence: UNREAD_CONFIDENCE };
    }
    let alone = parser.with(&alone, &heard, &[], work);
    let intents = alone.intents();
    if let Some(guess) = about_it(parser, &heard, &intents) {
        return guess;
    }
    let scores = model.scores(&features(&heard, &intents));
    let states = is_statement(&heard, &intents);
    let threshold = match (states, intents.is_empty()) {
        (true, _) => THRESHOLD_OF_STATEMENTS,
        (false, true) => THRESHOLD_WITHOUT_FRAME,
        (false, false) => THRESHOLD,
    };
    // What is written in no letter that was learnt resembles a service by chance only.
    let is_learnt = text.contains(|c: char| c.is_ascii_alphanumeric());
    let mut domains = Vec::new();
    let mut confidence: f32 = 1.0;
    for (name, score) in model.domains().iter().zip(&scores) {
        let chance = logistic(*score);
        let agrees = intents.iter().any(|intent| intent.service == *name);
        let is_named = is_learnt && chance > if agrees { THRESHOLD_AGREED } else { threshold };
        if is_named {
            domains.push((*name).to_owned());
        }
        confidence *= if is_named { chance } else { 1.0 - chance };
    }
    // What is only told beside a request is no talk.
    if !states {
        for name in asked_in_parts(model, &alone, domains.is_empty()) {
            if !domains.contains(&name) {
                domains.push(name);
                confidence = confidence.min(UNREAD_CONFIDENCE);
            }
        }
    }
    // One request beside another is as plain as it would be alone.
    for intent in requests_beside(model, &intents, &domains) {
        domains.push(intent.service.clone());
        confidence = confidence.min(UNREAD_CONFIDENCE);
    }
    let investigating = logistic(model.investigates(&scores));
    let investigates = investigating > THRESHOLD;
    confidence *= if investigates { investigating } else { 1.0 - investigating };
    let misheard = domains.is_empty() && speaks_of(&heard, "ours");
    if text != own || misheard || (!input.history.is_empty() && speaks_of(&heard, "leaning")) {
        confidence = confidence.min(UNREAD_CONFIDENCE);
    }
    let kind = match (domains.is_empty(), investigates) {
        (true, _) => Kind::Chat,
        (false, true) => Kind::Investigate,
        (false, false) => Kind::Action,
    };
    Guess { kind, domains, confidence: confidence.clamp(0.0, 1.0) }
}

/// What the parts of a message ask for by their own words: `talk`, where all of it together was taken for that.
fn asked_in_parts(model: &RoutingWeights, parser: &Parser, talk: bool) -> Vec<String> {
    const PARTS_MAX: usize = 4;
    const PART_WORDS_MIN: usize = 3;
    let heard = parser.heard;
    let ends = |token: &Token| match (token.mark, &heard.text[token.span.clone()]) {
        (TokenMark::Word, word) => !talk && matches!(word, "and" | "+" | "&"),
        (TokenMark::Soft, mark) => !matches!(mark, "'" | "\"" | ":" | "-"),
        (TokenMark::Stop, _) => true,
    };
    let mut domains: Vec<String> = Vec::new();
    let len = heard.tokens.len();
    let cuts: Vec<usize> = (0..len).filter(|at| ends(&heard.tokens[*at])).chain([len]).collect();
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut + 1));
    let parts = starts.zip(&cuts).map(|(start, end)| start..*end);
    for part in parts.filter(|part| (PART_WORDS_MIN..len).contains(&part.len())).take(PARTS_MAX) {
        let intents = parser.intents_in(part.clone());
        let part = heard.part(part);
        if is_statement(&part, &intents) {
            continue;
        }
        let scores = model.scores(&features(&part, &intents));
        for (name, score) in model.domains().iter().zip(&scores) {
            let agrees = intents.iter().any(|intent| !intent.weak && intent.service == *name);
            let threshold = if agrees { THRESHOLD } else { THRESHOLD_OF_PARTS };
            if logistic(*score) > threshold && !domains.iter().any(|known| known == name) {
                domains.push((*name).to_owned());
            }
        }
    }
    domains
}

/// The plain requests of a message of several, of which the model named one but not these.
fn requests_beside<'s>(model: &RoutingWeights, intents: &'s [Intent], named: &[String]) -> Vec<&'s Intent> {
    // Beside a request, a statement with its own time is one.
    let stated =
        |intent: &Intent| intents.len() > 1 && intent.service == "calendar" && intent.command == "create_event";
    let plain = |intent: &&Intent| (!intent.weak || stated(intent)) && intent.service != "chat";
    let stated_beside = intents.iter().any(stated);
    if !intents.iter().any(|intent| (stated_beside || plain(&intent)) && named.contains(&intent.service)) {
        return Vec::new();
    }
    let mut beside: Vec<&Intent> = Vec::new();
    for intent in intents.iter().filter(plain).filter(|intent| model.domains().contains(&intent.service.as_str())) {
        if !named.contains(&intent.service) && beside.iter().all(|known| known.service != intent.service) {
            beside.push(intent);
        }
    }
    beside
}

/// Begins as somebody tells something, and no frame makes a request of it.
fn is_statement(heard: &AnnotatedText, intents: &[Intent]) -> bool {
    let ids = heard.ids(0..heard.tokens.len());
    let tells = ["subject", "reported", "negation", "him", "howto"]
        .iter()
        .any(|class| GRAMMAR.lexicon.starts(class, ids).is_some());
    let tells = tells || told_of(ids).is_some() || GRAMMAR.lexicon.find("hypothetical", ids).is_some();
    tells && intents.iter().all(|intent| intent.weak || intent.service == "chat")
}

/// Holds a word that may stand for something said before (a pronoun, an adverb of repetition), or one of ours, which
/// talk has as well.
fn speaks_of(heard: &AnnotatedText, class: &str) -> bool {
    GRAMMAR.lexicon.find(class, heard.ids(0..heard.tokens.len())).is_some()
}

/// An order with a pronoun, or an addition to it: the message means something only after what was said before.
fn about_it(parser: &Parser, heard: &AnnotatedText, alone: &[Intent]) -> Option<Guess> {
    let input = parser.input;
    if input.history.is_empty() || alone.iter().any(|intent| !intent.weak) {
        return None;
    }
    let together = parser.with(input, heard, &[], parser.work).intents();
    if together == alone {
        return None;
    }
    let mut domains: Vec<String> = Vec::new();
    for intent in together.into_iter().filter(|intent| intent.service != "chat") {
        if !domains.contains(&intent.service) {
            domains.push(intent.service);
        }
    }
    (!domains.is_empty()).then_some(Guess { kind: Kind::Followup, domains, confidence: FOLLOWUP_CONFIDENCE })
}
