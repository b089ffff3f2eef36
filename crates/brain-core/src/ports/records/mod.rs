//! Stored records that belong to no single service: conversation, cards, inbox and outbox, due-index, audit,
//! what is to be erased, what could not be read.
//!
//! Keys begin with what they are listed by. Items of a service (tasks, events, …) are defined beside it.

mod aside;
mod cards;
mod contents;
mod conversation;
mod due;
mod erasure;
mod in_doubt;
mod planned;
mod post;
mod summary;
mod trace;
mod usage;

use chrono::{DateTime, Utc};

use crate::ports::Key;
pub use aside::{Aside, Bytes};
pub use cards::{CARDS_BY_OWNER, CardMessage, PendingOpen, UNDOS_BY_CHAT, Undo};
pub use contents::{ContentsChoice, NodeContents, TurnContents};
pub use conversation::{
    ActionRecord, ChatState, Clarification, FilesAtHand, LastDecided, Message, Snoozing, Speaker, User,
};
pub use due::{DUE_BY_OWNER, Due, DueKind};
pub use erasure::{Erasure, ErasureStage, Tombstone};
pub use in_doubt::InDoubt;
pub use planned::{GateVerdict, GatedAction, PlannedTurn, ShadowTurn};
pub use post::{Before, InboxEntry, OPEN_UPDATES, OutboxEntry, Show, Shown, UPDATES_BY_MESSAGE};
pub use summary::{CompressionTrace, ConversationSummary};
pub use trace::{
    ASKED_BEFORE, Audit, OFFER_LEFT, OFFER_NODE, OFFER_TAKEN, ROUTED_OTHERWISE, SpanOutcome, StageSpan, TurnTrace,
};
pub use usage::DailyUsage;

/// An instant as a part of a key that sorts by time.
pub fn millis(at: DateTime<Utc>) -> String {
    Key::number(u64::try_from(at.timestamp_millis()).unwrap_or(0))
}
