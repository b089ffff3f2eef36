//! Buttons, and the data they carry.
//!
//! The data comes back from the outside and is untrusted: it only names things, it proves nothing. What may
//! be decided is checked against the stored record. It is at most 64 bytes, Telegram's limit:
//!
//! | data                      | meaning                                   |
//! |---------------------------|-------------------------------------------|
//! | `y:PENDING:DIGEST12`      | approve                                   |
//! | `n:PENDING:DIGEST12`      | cancel                                    |
//! | `e:PENDING:DIGEST12`      | edit                                      |
//! | `d:PENDING:DIGEST12:N`    | drop action N (from 0)                    |
//! | `u:UNDO`                  | undo                                      |
//! | `s:DRAFT`                 | send a draft: makes a card                |
//! | `z:DUE:MINUTES`           | snooze a reminder                         |
//! | `k:DUE`                   | done, from a reminder                     |
//! | `f:OFFER:N`               | choice N (from 0) of an offer             |
//! | `r:OFFER`                 | do a changed message again                |

use serde::{Deserialize, Serialize};

use super::ids::PendingId;
use crate::limits::BUTTON_DATA_BYTES_MAX;

/// What a button is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Approves a card.
    Approve,
    /// Cancels a card.
    Cancel,
    /// Asks for a change of a card.
    Edit,
    /// Takes one action off a card.
    Drop,
    /// Takes a done action back.
    Undo,
    /// Moves a reminder.
    Snooze,
    /// Completes what a reminder is about.
    Done,
    /// Makes a card for sending a draft.
    Send,
    /// Takes an offer.
    Offer,
    /// Does a changed message again.
    Redo,
}

/// A button as the person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// Its words.
    pub text: String,
    /// What comes back when it is pressed.
    pub data: String,
    /// What it is for.
    pub role: Role,
}

impl Button {
    /// A button for `press`.
    pub fn new(text: impl Into<String>, press: &Press) -> Self {
        Self { text: text.into(), data: press.encode(), role: press.role() }
    }
}

/// The parsed data of a pressed button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Press {
    /// Approve, cancel, edit or drop a card in the view that has this digest.
    Card {
        /// Which card.
        pending: PendingId,
        /// First characters of the digest it showed.
        digest_prefix: String,
        /// What to do.
        verb: CardVerb,
    },
    /// Undo what this record describes.
    Undo(String),
    /// Send this draft.
    Send(String),
    /// Snooze this reminder by so many minutes.
    Snooze {
        /// Its entry in the due-index.
        due: String,
        /// From now.
        minutes: u32,
    },
    /// Complete what this reminder is about.
    Done(String),
    /// Take this choice of an offer.
    Offer {
        /// Which offer.
        id: String,
        /// Which of its choices.
        choice: usize,
    },
    /// Do the changed message of this offer again.
    Redo(String),
}

/// What a button of a card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardVerb {
    /// Yes.
    Approve,
    /// No.
    Cancel,
    /// Change it.
    Edit,
    /// Without this action.
    Drop(usize),
}

impl Press {
    /// What it is for.
    pub fn role(&self) -> Role {
        match self {
            Self::Card { verb: CardVerb::Approve, .. } => Role::Approve,
            Self::Card { verb: CardVerb::Cancel, .. } => Role::Cancel,
            Self::Card { verb: CardVerb::Edit, .. } => Role::Edit,
            Self::Card { verb: CardVerb::Drop(_), .. } => Role::Drop,
            Self::Undo(_) => Role::Undo,
            Self::Send(_) => Role::Send,
            Self::Snooze { .. } => Role::Snooze,
            Self::Done(_) => Role::Done,
            Self::Offer { .. } => Role::Offer,
            Self::Redo(_) => Role::Redo,
        }
    }

    /// The data of the button.
    pub fn encode(&self) -> String {
        match self {
            Self::Card { pending, digest_prefix, verb } => match verb {
                CardVerb::Approve => format!("y:{pending}:{digest_prefix}"),
                CardVerb::Cancel => format!("n:{pending}:{digest_prefix}"),
                CardVerb::Edit => format!("e:{pending}:{digest_prefix}"),
                CardVerb::Drop(index) => format!("d:{pending}:{digest_prefix}:{index}"),
            },
            Self::Undo(id) => format!("u:{id}"),
            Self::Send(draft) => format!("s:{draft}"),
            Self::Snooze { due, minutes } => format!("z:{due}:{minutes}"),
            Self::Done(due) => format!("k:{due}"),
            Self::Offer { id, choice } => format!("f:{id}:{choice}"),
            Self::Redo(id) => format!("r:{id}"),
        }
    }

    /// Reads data that came back; `None` for anything we never made.
    pub fn decode(data: &str) -> Option<Self> {
        if data.len() > BUTTON_DATA_BYTES_MAX {
            return None;
        }
        let parts: Vec<&str> = data.split(':').collect();
        if parts.iter().any(|part| part.is_empty() || !part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')) {
            return None;
        }
        let card = |pending: &str, digest: &str, verb| Self::Card {
            pending: PendingId::new(pending),
            digest_prefix: digest.to_owned(),
            verb,
        };
        match parts.as_slice() {
            ["y", id, digest] => Some(card(id, digest, CardVerb::Approve)),
            ["n", id, digest] => Some(card(id, digest, CardVerb::Cancel)),
            ["e", id, digest] => Some(card(id, digest, CardVerb::Edit)),
            ["d", id, digest, index] => Some(card(id, digest, CardVerb::Drop(index.parse().ok()?))),
            ["u", id] => Some(Self::Undo((*id).to_owned())),
            ["s", id] => Some(Self::Send((*id).to_owned())),
            ["z", due, minutes] => Some(Self::Snooze { due: (*due).to_owned(), minutes: minutes.parse().ok()? }),
            ["k", due] => Some(Self::Done((*due).to_owned())),
            ["f", id, choice] => Some(Self::Offer { id: (*id).to_owned(), choice: choice.parse().ok()? }),
            ["r", id] => Some(Self::Redo((*id).to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_survives_the_way_there_and_back_within_telegrams_limit() {
        let card =
            |verb| Press::Card { pending: PendingId::new("k3f9x2mmpq"), digest_prefix: "0123456789ab".into(), verb };
        let id = "z".repeat(32);
        for press in [
            card(CardVerb::Approve),
            card(CardVerb::Cancel),
            card(CardVerb::Edit),
            card(CardVerb::Drop(19)),
            Press::Undo(id.clone()),
            Press::Send(id.clone()),
            Press::Snooze { due: id.clone(), minutes: 10_080 },
            Press::Done(id.clone()),
            Press::Offer { id: id.clone(), choice: 2 },
            Press::Redo(id.clone()),
        ] {
            let data = press.encode();
            assert!(data.len() <= BUTTON_DATA_BYTES_MAX, "{data}");
            assert_eq!(Press::decode(&data), Some(press));
        }
    }

    #[test]
    fn forged_data_is_nothing() {
        for data in [
            "",
            ":",
            "y",
            "y:",
            "y::",
            "y:a",
            "x:a:b",
            "d:a:b:-1",
            "d:a:b:99999999999999999999",
            "y:a b:c",
            "u:\u{202e}",
            "k:ü",
            &"u:a".repeat(40),
        ] {
            assert_eq!(Press::decode(data), None, "{data:?}");
        }
    }
}
