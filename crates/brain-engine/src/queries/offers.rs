//! What is offered, as it is kept until it is taken or too old: the record that [`questions`](super::questions) reads.
//! It holds plans and evidence graphs, so it stands above both and not among the ports' records. Not here: what is
//! offered when, and taking it (the pipeline's intake).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::investigate::decompose::SynthesisOrder;
use crate::investigate::graph::EvidenceGraph;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::provenance::UntrustedText;
use brain_core::ports::{Key, Record, Table};

/// What the keys of offers begin with.
pub const OFFER: &str = "offer";
/// Said to a press on an offer that was taken, or is too old.
pub const GONE: &str = "I have done that already, or the offer is too old (a day). Nothing was done now.";

/// Something offered, until it is taken or too old.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// Its id, on the buttons.
    pub id: String,
    /// The only person whose press takes it.
    pub owner: UserId,
    /// The chat in which it was made.
    pub chat: ChatId,
    /// The end of its validity.
    pub until: DateTime<Utc>,
    /// What a press chooses from.
    pub what: Offered,
}

/// What is offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Offered {
    /// One of these actions.
    Actions {
        /// In the order of the buttons.
        actions: Vec<PlannedAction>,
        /// What they hold of others' words: all that was passed on.
        #[serde(default)]
        untrusted: Vec<UntrustedText>,
    },
    /// One of the ways in which a message may be meant; the choice behind them leaves it.
    Readings {
        /// In the order of the buttons.
        plans: Vec<Plan>,
        /// The message, in the person's own words.
        request: String,
        /// When it was said.
        at: DateTime<Utc>,
        /// What they hold of others' words.
        #[serde(default)]
        untrusted: Vec<UntrustedText>,
    },
    /// To look into a question that costs more than the person lets pass.
    Investigation {
        /// The question, in the person's own words.
        question: String,
        /// What would be looked at.
        graph: EvidenceGraph,
        /// What the answer should be like.
        order: SynthesisOrder,
        /// When it was asked.
        at: DateTime<Utc>,
    },
    /// Answers to a question that somebody else asks through us; a press says one.
    Answers {
        /// The question, which has to be open still.
        question: String,
        /// In the order of the buttons.
        labels: Vec<String>,
    },
    /// To do a message again whose words were changed.
    Redo {
        /// The update as the channel wants it back.
        raw: String,
        /// What the first answer can still take back: ids of undo records.
        undo: Vec<String>,
    },
}

impl Record for Offer {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Self::key_of(&self.id)
    }
}

impl Offer {
    /// Where an offer is kept.
    pub fn key_of(id: &str) -> Key {
        Key::of(&[OFFER, id])
    }

    /// Whether this person may still take it here.
    pub fn is_open_to(&self, owner: &UserId, chat: &ChatId, now: DateTime<Utc>) -> bool {
        self.owner == *owner && self.chat == *chat && now <= self.until
    }
}
