//! A channel: where people read and press.

use async_trait::async_trait;

use crate::core::forgotten::Forgotten;
use crate::core::ids::{ChatId, MessageId, UserId};
use crate::core::markup::Formatted;
use crate::core::turn::{Edit, Notice, Reply};

/// Why a message did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It may work later; the message stays in the outbox.
    #[error("could not be delivered yet: {0}")]
    Later(String),
    /// The chat is closed to us (blocked, left, gone); the message stays, and nothing is tried until somebody
    /// writes there again.
    #[error("is not allowed in: {0}")]
    Blocked(String),
    /// It will never work; the message is put aside and the loss recorded.
    #[error("cannot be delivered: {0}")]
    Never(String),
}

/// Shows things to people. Every reply fits one message: splitting is done before.
#[async_trait]
pub trait Channel: Send + Sync + std::fmt::Debug {
    /// Something is being worked on. Best effort.
    async fn typing(&self, chat: &ChatId);

    /// What is being worked on; shown in place, replaced by the answer. Best effort.
    async fn status(&self, chat: &ChatId, text: &str);

    /// Whether an answer can be shown there while it is being written. Where it cannot, it is written in one go.
    fn shows_drafts(&self, chat: &ChatId) -> bool;

    /// An answer as far as it is written, in place of the status; it fits one message. Never the last word: the
    /// answer that is sent replaces it. Best effort, and nobody waits for it.
    async fn draft(&self, chat: &ChatId, words: &Formatted);

    /// Shows a few words over the button that a turn was begun by. False when that is not possible, or not any more:
    /// then they are sent as a message.
    async fn notice(&self, _chat: &ChatId, _notice: &Notice, _words: &str) -> bool {
        false
    }

    /// Sends one message and returns its number once it is certainly there.
    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError>;

    /// Changes a message that is already there.
    async fn edit(&self, chat: &ChatId, edit: &Edit) -> Result<(), SendError>;

    /// Something waits in this chat because delivering it broke: the channel comes back to it, as to what it could not
    /// send ([`SendError::Later`]).
    fn try_again(&self, chat: &ChatId);

    /// Erases what was forgotten from files that were handed to this person and are still kept here. Best effort; what
    /// stands in messages that were delivered is theirs.
    async fn erase(&self, _owner: &UserId, _what: &Forgotten) {}
}
