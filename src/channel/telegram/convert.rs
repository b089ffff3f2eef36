//! From an update to what it means for us: something said, an edit, a press, or nothing.
//!
//! Invariants: only words typed in a message of one's own are `Typed` (invariant 6 of consent rests on it);
//! what is passed on never counts as said; in groups only what is addressed to the bot is heard; what we do not
//! understand is nothing, without harm.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::place::ChatPlace;
use super::wire::{CallbackQuery, FileRef, Membership, TelegramMessage, Update};
use crate::core::ids::MessageId;
use crate::core::turn::Origin;
use crate::limits;

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
pub struct ChatUpdate {
    /// Telegram's number of the person.
    pub who: i64,
    /// Where it happened.
    pub place: ChatPlace,
    /// Whether that is the person's private chat with the bot.
    pub private: bool,
    /// The press that has to be acknowledged.
    pub callback: Option<String>,
    /// What happened.
    pub what: UpdateKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum UpdateKind {
    /// A message.
    Said(Said),
    /// A message whose words were changed.
    Edited(Said),
    /// A pressed button: the message it sits on, and the data it carries, which are untrusted.
    Press(MessageId, String),
    /// The bot was let into a group, or back into a private chat.
    Added,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its number.
    pub number: MessageId,
    /// Its words; may be empty when there is something else.
    pub text: String,
    /// Where the words come from.
    pub origin: Origin,
    /// The message of ours that it replies to.
    pub reply_to: Option<MessageId>,
    /// When it was written, by Telegram's clock; of an edited message, the first time.
    pub date: Option<DateTime<Utc>>,
    /// Whose message it was, when it was passed on.
    pub from: Option<String>,
    /// What it holds beside words.
    pub with: With,
}

/// What a message holds beside words.
#[derive(Debug, Clone, PartialEq)]
pub enum With {
    /// Nothing.
    Nothing,
    /// Something spoken.
    Spoken(Download),
    /// Something to look at: a photo, a video, an animation.
    Picture,
    /// A file.
    File(Download),
    /// A card from an address book.
    Contact {
        /// Who.
        name: String,
        /// Their number.
        phone: String,
    },
    /// A point on the map.
    Spot {
        /// Latitude and longitude.
        at: (f64, f64),
        /// What is there.
        name: Option<String>,
    },
    /// Something we have no use for.
    Other,
}

/// Something that can be fetched from Telegram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Telegram's name of it.
    pub id: String,
    /// As its sender called it.
    pub name: Option<String>,
    /// As its sender's program said.
    pub mime: Option<String>,
    /// Its size, as far as it is known before.
    pub bytes: Option<u64>,
    /// Its length, for recordings.
    pub seconds: Option<u64>,
}

/// Reads an update; `None` when there is nothing to do about it.
pub fn hear(raw: &str, me: &Me) -> Option<ChatUpdate> {
    let update: Update = serde_json::from_str(raw).ok()?;
    if let Some(press) = update.callback_query {
        return pressed(press);
    }
    if let Some(membership) = update.my_chat_member {
        return joined(&membership);
    }
    match (update.message, update.edited_message) {
        (Some(message), _) => said(message, Edited::No, me),
        (None, Some(message)) => said(message, Edited::Yes, me),
        (None, None) => None,
    }
}

impl Said {
    /// When it was written. A date that cannot be, after it was received or longer ago than Telegram keeps what
    /// is not fetched, comes of clocks that differ: then it was written when it was received.
    pub fn written(&self, received: DateTime<Utc>) -> DateTime<Utc> {
        let earliest = received - TimeDelta::seconds(limits::UPDATE_KEPT_SECS);
        self.date.filter(|date| (earliest..=received).contains(date)).unwrap_or(received)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Edited {
    Yes,
    No,
}

fn place(message: &TelegramMessage) -> ChatPlace {
    ChatPlace { chat: message.chat.id, topic: message.message_thread_id.filter(|_| message.is_topic_message) }
}

fn pressed(press: CallbackQuery) -> Option<ChatUpdate> {
    // Buttons of messages that are sent through other chats' inline mode have no message; we never make them.
    let message = press.message?;
    let private = message.chat.kind == "private";
    let what = UpdateKind::Press(MessageId(message.message_id), press.data.unwrap_or_default());
    Some(ChatUpdate { who: press.from.id, place: place(&message), private, callback: Some(press.id), what })
}

fn joined(membership: &Membership) -> Option<ChatUpdate> {
    let inside = |status: &str| matches!(status, "member" | "administrator");
    let is_new = inside(&membership.new_chat_member.status) && !inside(&membership.old_chat_member.status);
    let private = membership.chat.kind == "private";
    let is_known = private || matches!(membership.chat.kind.as_str(), "group" | "supergroup");
    let place = ChatPlace { chat: membership.chat.id, topic: None };
    let added = ChatUpdate { who: membership.from.id, place, private, callback: None, what: UpdateKind::Added };
    (is_new && is_known && !membership.from.is_bot).then_some(added)
}

fn said(message: TelegramMessage, edited: Edited, me: &Me) -> Option<ChatUpdate> {
    let who = message.from.as_ref().filter(|from| !from.is_bot)?.id;
    let place = place(&message);
    let private = match message.chat.kind.as_str() {
        "private" => true,
        "group" | "supergroup" if edited == Edited::No && addressed(&message, me) => false,
        _ => return None,
    };
    let said = Said {
        number: MessageId(message.message_id),
        origin: origin(&message, edited),
        reply_to: replied_to(&message, me),
        date: message.date.as_ref().and_then(Value::as_i64).and_then(|seconds| DateTime::from_timestamp(seconds, 0)),
        from: message.forward_origin.as_ref().and_then(author),
        with: with(&message)?,
        text: message.text.or(message.caption).unwrap_or_default(),
    };
    let what = match edited {
        Edited::Yes if said.text.is_empty() => return None,
        Edited::Yes => UpdateKind::Edited(said),
        Edited::No if private => UpdateKind::Said(said),
        Edited::No => UpdateKind::Said(Said { text: without_name(&said.text, me), ..said }),
    };
    Some(ChatUpdate { who, place, private, callback: None, what })
}

/// Whose words these are. Other people's come first: a forward stays one, however it was edited or quoted.
fn origin(message: &TelegramMessage, edited: Edited) -> Origin {
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

/// Whose message was passed on: a person, a chat or a channel.
fn author(origin: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let person = &origin["sender_user"];
    let named = [&person["first_name"], &person["last_name"]].into_iter().filter_map(Value::as_str);
    let person = named.collect::<Vec<_>>().join(" ");
    let person = (!person.is_empty()).then_some(person);
    let chat = || text(&origin["sender_chat"]["title"]).or_else(|| text(&origin["chat"]["title"]));
    person.or_else(|| text(&origin["sender_user_name"])).or_else(chat)
}

/// The message of ours that this one replies to.
fn replied_to(message: &TelegramMessage, me: &Me) -> Option<MessageId> {
    let replied = message.reply_to_message.as_ref()?;
    let ours = replied.from.as_ref().is_some_and(|from| from.id == me.id);
    ours.then_some(MessageId(replied.message_id))
}

/// Mentioned by name, called by a command with its name, or replied to.
fn addressed(message: &TelegramMessage, me: &Me) -> bool {
    let text = message.text.as_deref().or(message.caption.as_deref()).unwrap_or_default();
    replied_to(message, me).is_some() || !mentions(text, me).is_empty()
}

/// Where a text holds the bot's name, in bytes.
fn mentions(text: &str, me: &Me) -> Vec<usize> {
    let name = format!("@{}", me.username.to_ascii_lowercase());
    let text = text.to_ascii_lowercase();
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(&name).map(|(at, _)| at);
    let found = found.filter(|at| !text[at + name.len()..].starts_with(part_of_name));
    if me.username.is_empty() { Vec::new() } else { found.collect() }
}

/// What was said to the bot, without its name.
fn without_name(text: &str, me: &Me) -> String {
    let mut rest = String::new();
    let mut from = 0;
    for at in mentions(text, me) {
        rest.push_str(&text[from..at]);
        from = at + 1 + me.username.len();
    }
    rest.push_str(&text[from..]);
    rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':')).to_owned()
}

/// What a message holds beside words; `None` for notices such as "pinned a message".
fn with(message: &TelegramMessage) -> Option<With> {
    let spoken = message.voice.as_ref().or(message.audio.as_ref()).or(message.video_note.as_ref());
    if let Some(file) = spoken {
        return Some(With::Spoken(download(file)));
    }
    // An animation is a document, too.
    if message.photo.is_some() || message.video.is_some() || message.animation.is_some() {
        return Some(With::Picture);
    }
    if let Some(file) = &message.document {
        return Some(With::File(download(file)));
    }
    if let Some(contact) = &message.contact {
        let name = [Some(contact.first_name.as_str()), contact.last_name.as_deref()];
        let name = name.into_iter().flatten().collect::<Vec<_>>().join(" ").trim().to_owned();
        return Some(With::Contact { name, phone: contact.phone_number.clone() });
    }
    if let Some(spot) = &message.location {
        let name = message.venue.as_ref().map(|venue| format!("{}, {}", venue.title, venue.address));
        let name = name.map(|name| name.trim_matches([',', ' ']).to_owned()).filter(|name| !name.is_empty());
        return Some(With::Spot { at: (spot.latitude, spot.longitude), name });
    }
    let other = message.sticker.is_some()
        || message.poll.is_some()
        || message.dice.is_some()
        || message.story.is_some()
        || message.checklist.is_some();
    let words = message.text.is_some() || message.caption.is_some();
    if other { Some(With::Other) } else { words.then_some(With::Nothing) }
}

fn download(file: &FileRef) -> Download {
    Download {
        id: file.file_id.clone(),
        name: file.file_name.clone(),
        mime: file.mime_type.clone(),
        bytes: file.file_size,
        seconds: file.duration,
    }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
