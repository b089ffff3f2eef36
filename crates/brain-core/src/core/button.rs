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
//! | `z:DUE:MINUTES`           | snooze a reminder, from the press on      |
//! | `z:DUE:t`                 | snooze it until tomorrow morning          |
//! | `z:DUE:a`                 | ask until when                            |
//! | `a:MAIL`                  | put the event in this mail on the calendar |
//! | `k:DUE`                   | done, from a reminder                     |
//! | `f:OFFER:N`               | choice N (from 0) of an offer             |
//! | `r:OFFER`                 | do a changed message again                |
//! | `c:KEY`                   | show the choices of a setting             |
//! | `c:KEY:VALUE`             | choose one                                |
//! | `m:PAGE`                  | the next page of a list                   |
//! | `w:PENDING`               | show an open card again                   |

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
    /// Shows or changes a setting.
    Set,
    /// Shows the next page of a list.
    More,
    /// Shows an open card again.
    Show,
}

/// A button as the person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// Its label, as shown.
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
        /// The id of the card that it stands below.
        pending: PendingId,
        /// First characters of the digest it showed.
        digest_prefix: String,
        /// What to do with it.
        verb: CardVerb,
    },
    /// Undo what this record describes.
    Undo(String),
    /// Send this draft.
    Send(String),
    /// Put the event in this mail on the calendar.
    AddEvent(String),
    /// Snooze this reminder.
    Snooze {
        /// What it reminds of.
        due: String,
        /// How far the reminder is put off.
        until: Later,
    },
    /// Complete what this reminder is about.
    Done(String),
    /// Take this choice of an offer.
    Offer {
        /// The id that the offer was stored under.
        id: String,
        /// Which of its choices.
        choice: usize,
    },
    /// Do the changed message of this offer again.
    Redo(String),
    /// Show the choices of a setting, or choose one.
    Set {
        /// The key of the setting, as in the table of settings.
        key: String,
        /// The choice; `None` shows what there is to choose from.
        value: Option<String>,
    },
    /// Show the next page that this record describes.
    More(String),
    /// Show this open card again.
    Show(PendingId),
}

/// How long a reminder is put off: a meaning, not an instant, because nobody knows when a button is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// So many minutes after the press.
    Minutes(u32),
    /// The morning after the day of the press, in the person's zone then.
    Tomorrow,
    /// Whatever the person answers when asked.
    Ask,
}

impl Later {
    fn encode(self) -> String {
        match self {
            Self::Minutes(minutes) => minutes.to_string(),
            Self::Tomorrow => "t".to_owned(),
            Self::Ask => "a".to_owned(),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        match text {
            "t" => Some(Self::Tomorrow),
            "a" => Some(Self::Ask),
            minutes => minutes.parse().ok().map(Self::Minutes),
        }
    }
}

/// What a button of a card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardVerb {
    /// A yes to the card.
    Approve,
    /// A no to the card.
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
            Self::AddEvent(_) => Role::Offer,
            Self::Snooze { .. } => Role::Snooze,
            Self::Done(_) => Role::Done,
            Self::Offer { .. } => Role::Offer,
            Self::Redo(_) => Role::Redo,
            Self::Set { .. } => Role::Set,
            Self::More(_) => Role::More,
            Self::Show(_) => Role::Show,
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
            Self::AddEvent(mail) => format!("a:{mail}"),
            Self::Snooze { due, until } => format!("z:{due}:{}", until.encode()),
            Self::Done(due) => format!("k:{due}"),
            Self::Offer { id, choice } => format!("f:{id}:{choice}"),
            Self::Redo(id) => format!("r:{id}"),
            Self::More(id) => format!("m:{id}"),
            Self::Show(pending) => format!("w:{pending}"),
            Self::Set { key, value: None } => format!("c:{key}"),
            Self::Set { key, value: Some(value) } => format!("c:{key}:{value}"),
        }
    }

    /// Reads data that came back; `None` for anything we never made.
    pub fn decode(data: &str) -> Option<Self> {
        if data.len() > BUTTON_DATA_BYTES_MAX {
            return None;
        }
        let parts: Vec<&str> = data.split(':').collect();
        // Beyond letters and digits: what ids of cards, and names of zones, hold.
        let plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '/', '+'].contains(&c);
        if parts.iter().any(|part| part.is_empty() || !part.chars().all(plain)) {
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
            ["a", id] => Some(Self::AddEvent((*id).to_owned())),
            ["s", id] => Some(Self::Send((*id).to_owned())),
            ["z", due, until] => Some(Self::Snooze { due: (*due).to_owned(), until: Later::decode(until)? }),
            ["k", due] => Some(Self::Done((*due).to_owned())),
            ["f", id, choice] => Some(Self::Offer { id: (*id).to_owned(), choice: choice.parse().ok()? }),
            ["r", id] => Some(Self::Redo((*id).to_owned())),
            ["m", id] => Some(Self::More((*id).to_owned())),
            ["w", id] => Some(Self::Show(PendingId::new(*id))),
            ["c", key] => Some(Self::Set { key: (*key).to_owned(), value: None }),
            ["c", key, value] => Some(Self::Set { key: (*key).to_owned(), value: Some((*value).to_owned()) }),
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
            Press::AddEvent(id.clone()),
            Press::Snooze { due: id.clone(), until: Later::Minutes(10_080) },
            Press::Snooze { due: id.clone(), until: Later::Tomorrow },
            Press::Snooze { due: id.clone(), until: Later::Ask },
            Press::Done(id.clone()),
            Press::Offer { id: id.clone(), choice: 2 },
            Press::Redo(id.clone()),
            Press::More(id.clone()),
            Press::Show(PendingId::new("abc")),
            Press::Set { key: "tone".into(), value: None },
            Press::Set { key: "zone".into(), value: Some("America/Argentina/ComodRivadavia".into()) },
            Press::Set { key: "zone".into(), value: Some("Etc/GMT+12".into()) },
        ] {
            let data = press.encode();
            assert!(data.len() <= BUTTON_DATA_BYTES_MAX, "{data}");
            assert_eq!(Press::decode(&data), Some(press));
        }
    }

    #[test]
    fn a_snooze_button_of_an_earlier_version_still_means_its_minutes() {
        let until = Later::Minutes(1_380);
        assert_eq!(Press::decode("z:0a1b:1380"), Some(Press::Snooze { due: "0a1b".into(), until }));
        assert_eq!(Press::decode("z:0a1b:x"), None);
        assert_eq!(Press::decode("z:0a1b:-5"), None);
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
