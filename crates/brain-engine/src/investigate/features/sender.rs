//! Sender classification: a person, a list or a machine, or somebody whom it is better not to answer.

use serde::{Deserialize, Serialize};

use super::cues::{Cue, says};
use super::letter::Sentence;
use super::words::WORDS;
use brain_core::core::provenance::is_disguised;
use brain_language::language::words::fold;
use brain_services::services::contract::searchable::{Party, WrittenText};

/// Of what sort the sender of a letter is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SenderSort {
    /// Somebody who may wait for an answer.
    #[default]
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
    let any = |cue| sentences.iter().any(|sentence| says(sentence, cue));
    match is_known {
        _ if letter.is_bulk || any(Cue::Bulk) => SenderSort::Bulk,
        false if letter.warning.is_some() || any(Cue::Order) => SenderSort::Suspect,
        false if is_role(&letter.by) || is_slip(subject) => SenderSort::Automatic,
        false if any(Cue::Cold) || letter.answers_elsewhere => SenderSort::Suspect,
        _ if is_disguised(&letter.by.address) => SenderSort::Suspect,
        true | false => SenderSort::Person,
    }
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
