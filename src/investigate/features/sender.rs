//! Sender classification: a person, a list or a machine, or somebody whom it is better not to answer.

use serde::{Deserialize, Serialize};

use super::cues::{Cue, says};
use super::letter::Sentence;
use super::words::WORDS;
use crate::core::provenance::is_disguised;
use crate::language::words::fold;
use crate::services::searchable::{Party, WrittenText};

/// Of what sort the sender of a letter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SenderSort {
    /// Somebody who may wait for an answer.
    Person,
    /// A machine wrote it.
    Automatic,
    /// It went to many.
    Bulk,
    /// Nobody known, and it reads like a fraud or like something to sell.
    Suspect,
}

/// Of what sort who wrote this is. `is_known`: the person has written to them, or saved them.
pub fn sort_of(letter: &WrittenText, subject: &str, sentences: &[Sentence], is_known: bool) -> SenderSort {
    if letter.warning.is_some() && !is_known {
        return SenderSort::Suspect;
    }
    let any = |cue| sentences.iter().any(|sentence| says(sentence, cue));
    if letter.is_bulk || any(Cue::Bulk) {
        return SenderSort::Bulk;
    }
    if !is_known && any(Cue::Order) {
        return SenderSort::Suspect;
    }
    if !is_known && (is_role(&letter.by) || is_slip(subject)) {
        return SenderSort::Automatic;
    }
    let is_mixed = is_disguised(&letter.by.address);
    let is_dubious = any(Cue::Order) || any(Cue::Cold) || is_mixed || letter.answers_elsewhere;
    if is_dubious && (!is_known || is_mixed) { SenderSort::Suspect } else { SenderSort::Person }
}

/// A subject that machines write: a word for a paper, and a number.
fn is_slip(subject: &str) -> bool {
    let folded = fold(subject);
    let has_number = folded.chars().filter(char::is_ascii_digit).count() >= 3;
    has_number && folded.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.slip.holds(word))
}

fn is_role(by: &Party) -> bool {
    let local = by.address.split('@').next().unwrap_or_default();
    local.split(['+', '.']).any(|part| WORDS.role.holds(part))
        || local.starts_with("noreply")
        || local.starts_with("no-reply")
}

/// Whether several people answer behind an address.
pub(in crate::investigate) fn is_desk(party: &Party) -> bool {
    let local = party.address.split('@').next().unwrap_or_default();
    WORDS.desk.holds(local) || is_role(party)
}
