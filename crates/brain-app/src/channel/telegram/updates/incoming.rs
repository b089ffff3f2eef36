//! What an update is once it was read: who has caused it, where, and what it brings.

use chrono::{DateTime, TimeDelta, Utc};

use super::super::place::ChatPlace;
use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::turn::{Input, Origin};
use brain_core::limits;
use brain_engine::pipeline::intake::commands;

/// Who the bot is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotIdentity {
    pub id: i64,
    /// Without `@`.
    pub username: String,
}

/// An update that a person has caused.
#[derive(Debug, Clone, PartialEq)]
pub struct IncomingUpdate {
    /// Telegram's number of the person.
    pub who: i64,
    pub place: ChatPlace,
    /// Whether that is the person's private chat with the bot.
    pub private: bool,
    pub event: IncomingEvent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum IncomingEvent {
    Message(IncomingMessage),
    /// A message whose words were changed.
    Edited(IncomingMessage),
    /// `query` has to be acknowledged; `message` is the one the button sits on; `data` is untrusted.
    Press {
        query: String,
        message: MessageId,
        data: String,
    },
    /// The bot was let into a group, or back into a private chat.
    Joined,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IncomingMessage {
    pub number: MessageId,
    /// May be empty when there is something else.
    pub text: String,
    pub origin: Origin,
    /// The message of ours that it replies to.
    pub reply_to: Option<MessageId>,
    /// What it quotes of that.
    pub quote: Option<String>,
    /// When it was written, by Telegram's clock; of an edited message, the first time.
    pub date: Option<DateTime<Utc>>,
    /// Whose message it was, when it was passed on.
    pub from: Option<String>,
    /// The album that it is a part of.
    pub album: Option<String>,
    pub content: MessageContent,
}

/// What a message holds beside words.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageContent {
    TextOnly,
    Recording(Download),
    /// Something to look at: a photo, a video, an animation.
    Picture(Download),
    File(Download),
    Contact {
        name: String,
        phone: String,
    },
    Location {
        latitude: f64,
        longitude: f64,
        /// What is there.
        name: Option<String>,
    },
    Unsupported,
}

/// Something that can be fetched from Telegram. All but the id is as the sender's program said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    pub id: String,
    pub name: Option<String>,
    pub mime: Option<String>,
    pub bytes: Option<u64>,
    /// The length of recordings.
    pub seconds: Option<u64>,
}

impl IncomingUpdate {
    /// What a person writes in their private chat; all that is looked at of strangers.
    pub fn private_text(&self) -> Option<&str> {
        match &self.event {
            IncomingEvent::Message(said) | IncomingEvent::Edited(said) => self.private.then_some(&said.text),
            IncomingEvent::Press { .. } | IncomingEvent::Joined => None,
        }
    }

    /// The message that has come with it. An edit brings none: it has the number of what it changes.
    pub fn new_message(&self) -> Option<(ChatId, MessageId)> {
        match &self.event {
            IncomingEvent::Message(message) => Some((self.place.id(), message.number)),
            IncomingEvent::Edited(_) | IncomingEvent::Press { .. } | IncomingEvent::Joined => None,
        }
    }
}

impl IncomingMessage {
    /// When it was written. A date that cannot be, after it was received or longer ago than Telegram keeps what
    /// is not fetched, comes of clocks that differ: then it was written when it was received.
    pub fn written(&self, received: DateTime<Utc>) -> DateTime<Utc> {
        let earliest = received - TimeDelta::seconds(limits::UPDATE_KEPT_SECS);
        self.date.filter(|date| (earliest..=received).contains(date)).unwrap_or(received)
    }

    /// `/cancel`, however it is written.
    pub fn is_cancel(&self) -> bool {
        is_cancel(&self.text)
    }
}

/// The same for the words of a message.
pub fn is_cancel(text: &str) -> bool {
    commands::overtakes(&Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None })
}
