//! Features: what can be told of a conversation without a model, the same way every time.
//!
//! ```text
//! letters ─► letter (what is new, sentences) ─► cues (what a sentence says) ─► conversation ─► ledger (who owes whom what)
//!                                                                           ├► elsewhere (settled by another one)
//!                                                                           └► sender (a person, a machine, a swindler)
//! ```
//!
//! Templates answer from these; with a model they say which conversations are read first. Invariants: pure, no clock
//! but the one that is given; the text of others is data and leads to nothing but a feature. Not here: which
//! conversations a question is about.

pub mod amounts;
pub mod conversation;
pub mod cues;
mod due;
pub mod elsewhere;
mod kept;
pub mod letter;
pub mod sender;
#[cfg(test)]
mod tests;
mod words;

pub use super::ledger::{Debt, DebtKind};
pub use conversation::{ConversationFeatures, PromiseMade, features};
pub use kept::{KeptFeatures, ReadLetters};
pub use sender::SenderSort;
