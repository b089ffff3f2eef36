//! What a message or a press says about cards, drafts and what was done: read before anything is routed.
//!
//! A yes or no in words is read in [`answers`], a card or a question that is named in [`named`], a change in
//! [`amendments`]; a draft's in [`drafts`]. What was decided or done is told and taken back elsewhere (`stages::assistant`).
//! Here nothing is decided: all of them come to `consent::decide`.

pub(super) mod amendments;
pub(super) mod answers;
mod consent_words;
mod drafts;
pub(super) mod named;
