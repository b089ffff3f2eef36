//! Amounts of money in a text, with the words around them.

use serde::{Deserialize, Serialize};

use super::letter::sentences;
use brain_core::core::text::shorten;
use brain_core::limits::{AMOUNTS_MAX, SENTENCE_CHARS_MAX};

/// An amount, as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// `£386.40`, `100 €`; empty where a note has only a number.
    pub text: String,
    /// The sentence or line it stands in.
    pub within: String,
}

const SIGNS: [char; 5] = ['£', '€', '$', '¥', '₽'];
const CODES: [&str; 12] = ["eur", "gbp", "usd", "chf", "sek", "nok", "dkk", "pln", "czk", "euro", "euros", "pounds"];

/// The amounts of a text, in order.
pub fn amounts(text: &str) -> Vec<Amount> {
    let mut found: Vec<Amount> = Vec::new();
    for line in text.lines().flat_map(sentences) {
        for amount in of_line(&line.text) {
            let within = shorten(&line.text, SENTENCE_CHARS_MAX);
            found.push(Amount { text: amount, within });
            if found.len() >= AMOUNTS_MAX {
                return found;
            }
        }
    }
    found
}

fn of_line(line: &str) -> Vec<String> {
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_matches([',', ';', ':', '(', ')', '"', '!', '?'])).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_end_matches('.');
        let bare = word.trim_matches(SIGNS);
        if !is_number(bare) {
            continue;
        }
        let next = words.get(at + 1).map(|next| next.trim_end_matches('.'));
        let unit = next.filter(|next| {
            next.chars().all(|c| SIGNS.contains(&c)) && !next.is_empty()
                || CODES.contains(&next.to_lowercase().as_str())
        });
        let before = at.checked_sub(1).map(|at| words[at]).filter(|before| {
            CODES.contains(&before.to_lowercase().as_str())
                || (before.chars().count() == 1 && before.starts_with(SIGNS))
        });
        match (word.len() > bare.len(), unit, before) {
            (true, ..) => found.push(word.to_owned()),
            (false, Some(unit), _) => found.push(format!("{word} {unit}")),
            (false, None, Some(before)) => found.push(format!("{before} {word}")),
            (false, None, None) => {}
        }
    }
    found
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\u{a0}' | '\'' | '-'))
}
