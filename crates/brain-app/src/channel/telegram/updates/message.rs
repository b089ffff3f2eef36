//! Messages: whose words they are and what they hold.
//!
//! Invariants: only words typed in a message of one's own are `Typed` (invariant 6 of consent rests on it); what is
//! passed on never counts as said; in groups only what is addressed to the bot is read. Not here: making words of a
//! recording or a file (see [`super::super::attachments`]).

use chrono::DateTime;
use serde_json::Value;

use super::super::place::ChatPlace;
use super::incoming::{BotIdentity, Download, IncomingEvent, IncomingMessage, IncomingUpdate, MessageContent};
use super::json::{has, text};
use brain_core::core::ids::MessageId;
use brain_core::core::turn::Origin;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Edited {
    Yes,
    No,
}

/// A message, new or changed; `None` when it is nobody's, not for us, or a notice.
pub(super) fn read(message: &Value, edited: Edited, me: &BotIdentity) -> Option<IncomingUpdate> {
    let from = &message["from"];
    let who = from["id"].as_i64().filter(|_| from["is_bot"] != true)?;
    let private = match message["chat"]["type"].as_str()? {
        "private" => true,
        "group" | "supergroup" if edited == Edited::No && addressed(message, me) => false,
        _ => return None,
    };
    let read = IncomingMessage {
        number: MessageId(message["message_id"].as_i64()?),
        origin: origin(message, edited),
        reply_to: replied_to(message, me),
        quote: text(&message["quote"]["text"]).filter(|_| replied_to(message, me).is_some()),
        date: message["date"].as_i64().and_then(|seconds| DateTime::from_timestamp(seconds, 0)),
        from: author(&message["forward_origin"]),
        album: text(&message["media_group_id"]),
        content: content(message)?,
        text: words(message).unwrap_or_default().to_owned(),
    };
    let event = match edited {
        Edited::Yes if read.text.is_empty() => return None,
        Edited::Yes => IncomingEvent::Edited(read),
        Edited::No if private => IncomingEvent::Message(read),
        Edited::No => IncomingEvent::Message(IncomingMessage { text: without_name(&read.text, me), ..read }),
    };
    Some(IncomingUpdate { who, place: ChatPlace::of(message)?, private, event })
}

fn words(message: &Value) -> Option<&str> {
    message["text"].as_str().or(message["caption"].as_str())
}

/// Whose words these are. Other people's come first: a forward stays one, however it was edited or quoted.
fn origin(message: &Value, edited: Edited) -> Origin {
    // Servers older than Bot API 7.0 mark a forward by its date.
    if has(message, &["forward_origin", "forward_date"]) {
        Origin::Forwarded
    } else if has(message, &["via_bot", "sender_chat", "sender_business_bot"]) || message["is_from_offline"] == true {
        Origin::OnBehalf
    } else if edited == Edited::Yes || has(message, &["edit_date"]) {
        Origin::Edited
    } else if !has(message, &["text"]) && has(message, &["caption"]) {
        Origin::Caption
    } else if has(message, &["quote", "external_reply"]) {
        Origin::PartialQuote
    } else {
        Origin::Typed
    }
}

/// Whose message was passed on: a person, a chat or a channel.
fn author(origin: &Value) -> Option<String> {
    let person = full_name(&origin["sender_user"]);
    let others = [&origin["sender_user_name"], &origin["sender_chat"]["title"], &origin["chat"]["title"]];
    person.or_else(|| others.into_iter().find_map(text))
}

fn full_name(person: &Value) -> Option<String> {
    let names = [&person["first_name"], &person["last_name"]].into_iter().filter_map(Value::as_str);
    let name = names.collect::<Vec<_>>().join(" ").trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// The message of ours that this one replies to.
fn replied_to(message: &Value, me: &BotIdentity) -> Option<MessageId> {
    let replied = &message["reply_to_message"];
    replied["message_id"].as_i64().filter(|_| replied["from"]["id"] == me.id).map(MessageId)
}

/// Mentioned by name, called by a command with its name, or replied to.
fn addressed(message: &Value, me: &BotIdentity) -> bool {
    replied_to(message, me).is_some() || !mentions(words(message).unwrap_or_default(), me).is_empty()
}

/// Where a text holds the bot's name, in bytes.
fn mentions(text: &str, me: &BotIdentity) -> Vec<usize> {
    let name = format!("@{}", me.username.to_ascii_lowercase());
    let text = text.to_ascii_lowercase();
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(&name).map(|(at, _)| at);
    let found = found.filter(|at| !text[at + name.len()..].starts_with(part_of_name));
    if me.username.is_empty() { Vec::new() } else { found.collect() }
}

/// What was said to the bot, without its name.
fn without_name(text: &str, me: &BotIdentity) -> String {
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
fn content(message: &Value) -> Option<MessageContent> {
    let file = |kinds: &[&str]| kinds.iter().map(|kind| &message[*kind]).find(|file| file.is_object()).map(download);
    if let Some(recording) = file(&["voice", "audio", "video_note"]) {
        return Some(MessageContent::Recording(recording));
    }
    // An animation is a document, too.
    if has(message, &["photo", "video", "animation"]) {
        return Some(MessageContent::Picture(picture(message)));
    }
    if let Some(file) = file(&["document"]) {
        return Some(MessageContent::File(file));
    }
    let (contact, spot, venue) = (&message["contact"], &message["location"], &message["venue"]);
    if contact.is_object() {
        let phone = text(&contact["phone_number"]).unwrap_or_default();
        return Some(MessageContent::Contact { name: full_name(contact).unwrap_or_default(), phone });
    }
    if spot.is_object() {
        let named = [&venue["title"], &venue["address"]].into_iter().filter_map(Value::as_str);
        let name = Some(named.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", "));
        let degrees = |name: &str| spot[name].as_f64().unwrap_or_default();
        let (latitude, longitude) = (degrees("latitude"), degrees("longitude"));
        return Some(MessageContent::Location { latitude, longitude, name: name.filter(|name| !name.is_empty()) });
    }
    if has(message, &["sticker", "poll", "dice", "story", "checklist"]) {
        return Some(MessageContent::Unsupported);
    }
    words(message).map(|_| MessageContent::TextOnly)
}

/// Of a photo the largest size there is.
fn picture(message: &Value) -> Download {
    let photo = message["photo"].as_array().and_then(|sizes| sizes.last());
    let (file, name, mime) = match photo {
        Some(photo) => (photo, "photo.jpg", "image/jpeg"),
        None if message["video"].is_object() => (&message["video"], "video.mp4", "video/mp4"),
        None => (&message["animation"], "animation.mp4", "video/mp4"),
    };
    let file = download(file);
    let (name, mime) = (file.name.or(Some(name.to_owned())), file.mime.or(Some(mime.to_owned())));
    Download { name, mime, seconds: None, ..file }
}

fn download(file: &Value) -> Download {
    Download {
        id: text(&file["file_id"]).unwrap_or_default(),
        name: text(&file["file_name"]),
        mime: text(&file["mime_type"]),
        bytes: file["file_size"].as_u64(),
        seconds: file["duration"].as_u64(),
    }
}
