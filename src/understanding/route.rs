//! Where a message belongs.
use super::clauses;
use super::grammar::GRAMMAR;
use super::heard::Heard;
use super::text::own_words;
use super::{Guess, Hearing, Kind};

/// Kind, domains and confidence of a message.
pub fn route(hearing: &Hearing) -> Guess {
    let text = own_words(hearing.text);
    let heard = Heard::new(&text, hearing.reference, &GRAMMAR);
    let readings = clauses::quick_readings(&GRAMMAR, &heard);
    let mut domains: Vec<String> = Vec::new();
    let mut kind = Kind::Chat;
    for found in readings.iter().filter(|m| m.frame.command != "chat") {
        let service = match found.frame.command.split('.').next().unwrap_or_default() {
            "item" => "calendar",
            other => other,
        };
        if !domains.iter().any(|d| d == service) {
            domains.push(service.to_owned());
        }
        kind = if found.frame.investigates {
            Kind::Investigate
        } else {
            Kind::Action
        };
    }
    Guess {
        kind,
        domains,
        confidence: 0.5,
    }
}
