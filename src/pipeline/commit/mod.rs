//! How a turn ends: the answer, one commit, the outbox, delivery; and what a start finds of an earlier life.

pub mod answer;
pub(crate) mod conversation;
pub mod delivery;
pub mod due;
pub mod notifications;
pub mod outbox;
pub mod recover;
pub mod wording;
