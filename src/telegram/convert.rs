//! From an update to what it means for us: a turn, a sentence in reply, or nothing.
//!
//! Invariants: only words typed in a message of one's own are `Typed` (invariant 6 of consent rests on it);
//! nothing private is ever said in a group; what we do not understand is nothing, without harm.

use super::place::Place;
use super::wire::{CallbackQuery, Message, Update};
use crate::core::ids::MessageId;
use crate::core::turn::{Input, Origin};

/// What the bot is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    /// Its number.
    pub id: i64,
    /// Its name, without `@`.
    pub username: String,
}

/// An update that a person has caused.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Telegram's number of the person.
    pub who: i64,
    /// Where it happened.
    pub place: Place,
    /// Whether that is the person's private chat with the bot.
    pub private: bool,
    /// The press that has to be acknowledged.
    pub callback: Option<String>,
    /// What is to be done.
    pub what: What,
}

/// What is to be done about it.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A turn.
    Turn {
        /// The number of the message, or of the one under which a button was pressed.
        message: MessageId,
        /// What the person did.
        input: Input,
    },
    /// A message without words we can read: it is answered with this sentence.
    Wordless(&'static str),
    /// The bot was addressed in a group.
    InGroup,
}

const SPOKEN: &str = "I can't listen to recordings yet. Could you write it instead?";
const PICTURE: &str =
    "I can only read words so far, not pictures or files. Could you tell me what you need in a message?";
const OTHER: &str = "I can only read words so far. Could you write what you need?";

/// Reads an update; `None` when there is nothing to do about it.
pub fn hear(raw: &str, me: &Me) -> Option<Heard> {
    let update: Update = serde_json::from_str(raw).ok()?;
    if let Some(press) = update.callback_query {
        return pressed(press);
    }
    match (update.message, update.edited_message) {
        (Some(message), _) => said(message, Edited::No, me),
        (None, Some(message)) => said(message, Edited::Yes, me),
        (None, None) => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Edited {
    Yes,
    No,
}

fn place(message: &Message) -> Place {
    Place { chat: message.chat.id, topic: message.message_thread_id.filter(|_| message.is_topic_message) }
}

fn pressed(press: CallbackQuery) -> Option<Heard> {
    // Buttons of messages that are sent through other chats' inline mode have no message; we never make them.
    let message = press.message?;
    let private = message.chat.kind == "private";
    let number = MessageId(message.message_id);
    let what = if private {
        let input = Input::Press { data: press.data.unwrap_or_default(), message: Some(number) };
        What::Turn { message: number, input }
    } else {
        What::InGroup
    };
    Some(Heard { who: press.from.id, place: place(&message), private, callback: Some(press.id), what })
}

fn said(message: Message, edited: Edited, me: &Me) -> Option<Heard> {
    let who = message.from.as_ref().filter(|from| !from.is_bot)?.id;
    let place = place(&message);
    let heard = |private, what| Some(Heard { who, place, private, callback: None, what });
    match message.chat.kind.as_str() {
        "private" => {}
        "group" | "supergroup" if edited == Edited::No && addressed(&message, me) => {
            return heard(false, What::InGroup);
        }
        _ => return None,
    }
    let origin = origin(&message, edited);
    let reply_to = replied_to(&message, me);
    let number = MessageId(message.message_id);
    let wordless = without_words(&message);
    match message.text.or(message.caption) {
        Some(text) => heard(true, What::Turn { message: number, input: Input::Message { text, origin, reply_to } }),
        None if edited == Edited::Yes => None,
        None => heard(true, What::Wordless(wordless?)),
    }
}

/// Whose words these are. Other people's come first: a forward stays one, however it was edited or quoted.
fn origin(message: &Message, edited: Edited) -> Origin {
    let forwarded = message.forward_origin.is_some() || message.forward_date.is_some();
    let on_behalf = message.via_bot.is_some()
        || message.sender_chat.is_some()
        || message.sender_business_bot.is_some()
        || message.is_from_offline;
    let quoting = message.quote.is_some() || message.external_reply.is_some();
    if forwarded {
        Origin::Forwarded
    } else if on_behalf {
        Origin::OnBehalf
    } else if edited == Edited::Yes || message.edit_date.is_some() {
        Origin::Edited
    } else if message.text.is_none() && message.caption.is_some() {
        Origin::Caption
    } else if quoting {
        Origin::PartialQuote
    } else {
        Origin::Typed
    }
}

/// The message of ours that this one replies to.
fn replied_to(message: &Message, me: &Me) -> Option<MessageId> {
    let replied = message.reply_to_message.as_ref()?;
    let ours = replied.from.as_ref().is_some_and(|from| from.id == me.id);
    ours.then_some(MessageId(replied.message_id))
}

/// Mentioned by name, called by a command with its name, or replied to.
fn addressed(message: &Message, me: &Me) -> bool {
    if replied_to(message, me).is_some() {
        return true;
    }
    let text = message.text.as_deref().or(message.caption.as_deref()).unwrap_or_default().to_lowercase();
    let name = format!("@{}", me.username.to_lowercase());
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    !me.username.is_empty()
        && text.match_indices(&name).any(|(at, _)| !text[at + name.len()..].starts_with(part_of_name))
}

/// What to say to a message without words; `None` for notices such as "pinned a message".
fn without_words(message: &Message) -> Option<&'static str> {
    let spoken = message.voice.is_some() || message.audio.is_some() || message.video_note.is_some();
    let picture =
        message.photo.is_some() || message.video.is_some() || message.document.is_some() || message.animation.is_some();
    let other = message.sticker.is_some()
        || message.contact.is_some()
        || message.location.is_some()
        || message.poll.is_some()
        || message.dice.is_some()
        || message.story.is_some()
        || message.checklist.is_some();
    if spoken {
        Some(SPOKEN)
    } else if picture {
        Some(PICTURE)
    } else {
        other.then_some(OTHER)
    }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
