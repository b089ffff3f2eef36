//! Where a message belongs: a small linear model over words, pieces of words and frames.
//!
//! One logistic unit for each domain and one for "investigates", trained at first use from
//! `data/understanding/route.tsv` (see `learn`). Invariants: at most [`ROUTE_MESSAGE_CHARS`] characters are
//! looked at; nothing that resembles a known word routes to chat with low confidence. "It" and its like are
//! settled by the conversation, not by the model.

use super::clauses;
use super::grammar::GRAMMAR;
use super::heard::Heard;
use super::history;
use super::learn::{DOMAINS, INVESTIGATES, MODEL, features};
use super::matching::Match;
use super::text::own_words;
use super::{Guess, Hearing, Kind};
use crate::core::text::head_and_tail;
use crate::limits::ROUTE_MESSAGE_CHARS;

/// Tokens at either end that are looked at; a request stands at an end of a long message.
const ROUTE_CHARS_FAST: usize = 400;
/// The model's own probabilities, softened or sharpened until they agree with how often it is right.
const TEMPERATURE: f32 = 1.0;
/// Below this a domain is not named.
const THRESHOLD: f32 = 0.5;

/// Kind, domains and confidence of a message.
pub fn route(hearing: &Hearing) -> Guess {
    let text = own_words(&head_and_tail(hearing.text, ROUTE_MESSAGE_CHARS));
    let text = head_and_tail(&text, ROUTE_CHARS_FAST);
    let heard = Heard::quick(&text, &GRAMMAR);
    let readings = clauses::quick_readings(&GRAMMAR, &heard);
    if let Some(guess) = about_it(hearing, &heard, &readings) {
        return guess;
    }
    let scores = MODEL.scores(&features(&heard, &readings));
    let chances: Vec<f32> = scores.iter().map(|score| logistic(score / TEMPERATURE)).collect();
    let mut domains = Vec::new();
    let mut confidence = 1.0;
    for (name, chance) in DOMAINS.iter().zip(&chances) {
        let is_named = *chance > THRESHOLD;
        if is_named {
            domains.push((*name).to_owned());
        }
        confidence *= if is_named { *chance } else { 1.0 - chance };
    }
    let investigates = chances.get(INVESTIGATES).is_some_and(|chance| *chance > THRESHOLD);
    let kind = match (domains.is_empty(), investigates) {
        (true, _) => Kind::Chat,
        (false, true) => Kind::Investigate,
        (false, false) => Kind::Action,
    };
    Guess { kind, domains, confidence: confidence.clamp(0.0, 1.0) }
}

fn logistic(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// "cancel it", "and one with Sarah at 3": the domain of what was talked about last.
fn about_it(hearing: &Hearing, heard: &Heard, readings: &[Match]) -> Option<Guess> {
    let [only] = readings else { return None };
    let frame = only.frame;
    let is_reference = only.slots.iter().any(|slot| {
        let ids: Vec<_> = heard.live(slot.first..slot.last + 1).into_iter().map(|i| heard.tokens[i].id).collect();
        slot.name == "what" && GRAMMAR.lexicon.is_phrase("it", &ids)
    });
    let is_elliptic = frame.command == "item.more" || (frame.command == "item.move" && only.slot("what").is_none());
    let sends = frame.command == "email.send_draft";
    if !(is_reference || is_elliptic || sends) {
        return None;
    }
    let past =
        history::latest(hearing.history, |past| !past.service.is_empty() && (!sends || past.service == "email"))?;
    Some(Guess { kind: Kind::Followup, domains: vec![past.service.clone()], confidence: 0.9 })
}
