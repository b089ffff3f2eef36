//! What people send to the bot, in the JSON that Telegram makes of it.

use serde_json::{Map, Value, json};

use super::check::utf16_len;
use super::state::{BOT_NAME, State, bot_json, unix_s, user_json};

/// A message of a person, put together piece by piece.
#[derive(Clone, Debug)]
pub struct Say {
    user: i64,
    chat: i64,
    text: String,
    as_caption: bool,
    reply_to: Option<i64>,
    quote: Option<String>,
    voice: Option<Vec<u8>>,
    document: Option<(String, Vec<u8>)>,
    extra: Map<String, Value>,
}

impl Say {
    /// A text in the private chat with `user`.
    pub fn by(user: i64, text: &str) -> Self {
        Self {
            user,
            chat: user,
            text: text.to_owned(),
            as_caption: false,
            reply_to: None,
            quote: None,
            voice: None,
            document: None,
            extra: Map::new(),
        }
    }

    /// In a group instead; group ids are negative.
    pub fn in_group(self, chat: i64) -> Self {
        assert!(chat < 0, "group ids are negative");
        Self { chat, ..self }
    }

    /// Puts `@bot` in front, with its mention entity.
    pub fn mentioning_bot(self) -> Self {
        Self { text: format!("@{BOT_NAME} {}", self.text), ..self }
    }

    pub fn reply_to(self, message: i64) -> Self {
        Self { reply_to: Some(message), ..self }
    }

    /// A reply that quotes a part of the message it replies to.
    pub fn quoting(self, part: &str) -> Self {
        Self { quote: Some(part.to_owned()), ..self }
    }

    /// The text is the caption of a photo.
    pub fn under_photo(self) -> Self {
        Self { as_caption: true, ..self }
    }

    /// A voice note; its bytes can be fetched by `getFile`. The text is left out.
    pub fn spoken(self, ogg: &[u8]) -> Self {
        Self { voice: Some(ogg.to_vec()), ..self }
    }

    /// With a file, whose bytes can be fetched by `getFile`. The text is its caption.
    pub fn with_file(self, name: &str, bytes: &[u8]) -> Self {
        Self { document: Some((name.to_owned(), bytes.to_vec())), as_caption: true, ..self }
    }

    /// Nothing but this, e.g. a contact.
    pub fn nothing_but(user: i64, field: &str, value: Value) -> Self {
        Self::by(user, "").field("text", Value::Null).field(field, value)
    }

    /// Forwarded from somebody else.
    pub fn forwarded_from(self, author: i64) -> Self {
        let origin = json!({"type": "user", "sender_user": user_json(author), "date": unix_s() - 3_600});
        self.field("forward_origin", origin)
    }

    pub fn via_bot(self) -> Self {
        let bot = json!({"id": 777_001, "is_bot": true, "first_name": "Inline", "username": "inline_bot"});
        self.field("via_bot", bot)
    }

    /// Sent in the name of a channel.
    pub fn on_behalf_of_chat(self, channel: i64) -> Self {
        self.field("sender_chat", json!({"id": channel, "type": "channel", "title": "A channel"}))
    }

    /// Any other field of the message, or another value for one.
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.extra.insert(name.to_owned(), value);
        self
    }

    pub(super) fn chat(&self) -> i64 {
        self.chat
    }

    /// The message without its id and chat.
    pub(super) fn render(self, state: &mut State) -> Value {
        let mut message = json!({"from": user_json(self.user), "date": unix_s()});
        let (text_field, entities_field) =
            if self.as_caption { ("caption", "caption_entities") } else { ("text", "entities") };
        if let Some(ogg) = self.voice {
            let id = format!("voice{}", state.files.len());
            message["voice"] = json!({
                "file_id": id, "file_unique_id": format!("u{id}"), "duration": 3,
                "mime_type": "audio/ogg", "file_size": ogg.len(),
            });
            state.files.insert(id, ogg);
        } else {
            message[text_field] = json!(self.text);
            let entities = detected_entities(&self.text);
            if !entities.is_empty() {
                message[entities_field] = json!(entities);
            }
        }
        if self.as_caption && self.text.is_empty() {
            message["caption"] = Value::Null;
        }
        if let Some((name, bytes)) = self.document {
            let id = format!("file{}", state.files.len());
            message["document"] =
                json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_name": name, "file_size": bytes.len()});
            state.files.insert(id, bytes);
        } else if self.as_caption {
            let photo =
                json!({"file_id": "photo", "file_unique_id": "uphoto", "width": 90, "height": 60, "file_size": 1_000});
            message["photo"] = json!([photo]);
            state.files.insert("photo".to_owned(), b"\xff\xd8 a picture".to_vec());
        }
        if let Some(id) = self.reply_to {
            let replied = state.quoted(self.chat, id);
            message["reply_to_message"] = replied.expect("the message replied to is in that chat");
        }
        if let Some(part) = self.quote {
            let quoted = message["reply_to_message"]["text"].as_str().unwrap_or_default();
            let position = quoted.find(&part).map_or(0, |at| utf16_len(&quoted[..at]));
            message["quote"] = json!({"text": part, "position": position, "is_manual": true});
        }
        for (name, value) in self.extra {
            message[name] = value;
        }
        message
    }
}

/// Commands and mentions, as Telegram finds them in what people write.
fn detected_entities(text: &str) -> Vec<Value> {
    let mut entities = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let name_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '@');
        let kind = match word.chars().next() {
            Some('/') => Some("bot_command"),
            Some('@') => Some("mention"),
            Some(_) | None => None,
        };
        if let Some(kind) = kind {
            let length = word[1..].find(name_end).map_or(word.len(), |end| end + 1);
            if length > 1 {
                entities.push(json!({"type": kind, "offset": at, "length": length}));
            }
        }
        at += utf16_len(word);
    }
    entities
}

/// A press of a button under `message`, whatever `data` it claims to carry.
pub(super) fn press(state: &mut State, user: i64, chat: i64, message: i64, data: &str) -> String {
    let id = format!("{}", 9_000_000_000 + state.callbacks.len());
    let chat_json = state.open_chat(chat).json.clone();
    // A message that is gone is sent as "inaccessible": chat, id and a zero date.
    let shown = state.message(chat, message).map(|m| m.json.clone());
    let shown = shown.unwrap_or_else(|| json!({"chat": chat_json, "message_id": message, "date": 0}));
    state.callbacks.insert(id.clone(), None);
    let query = json!({
        "id": id, "from": user_json(user), "message": shown, "chat_instance": format!("{chat}0"), "data": data,
    });
    state.push_update("callback_query", query);
    id
}

/// An edit of a person's own earlier message.
pub(super) fn edit(state: &mut State, chat: i64, message: i64, text: &str) {
    let message = state.message_mut(chat, message).expect("the message that is edited");
    assert!(!message.by_bot, "people edit their own messages only");
    message.json["text"] = json!(text);
    message.json["edit_date"] = json!(unix_s());
    let json = message.json.clone();
    state.push_update("edited_message", json);
}

/// A message that the bot sent before this server existed, so that an old card can be pressed.
pub(super) fn earlier_bot_message(text: &str) -> Value {
    json!({"from": bot_json(), "date": unix_s() - 86_400, "text": text})
}
