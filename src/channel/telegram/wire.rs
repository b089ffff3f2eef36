//! What we read of Telegram's updates: little, and everything else may change without harm.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// The number alone: it can be read even from updates that are otherwise strange.
#[derive(Debug, Deserialize)]
pub struct Numbered {
    /// Unique for a bot, but not always growing.
    pub update_id: u64,
}

/// One update, of the kinds we ask for.
#[derive(Debug, Deserialize)]
pub struct Update {
    /// A new message.
    #[serde(default)]
    pub message: Option<TelegramMessage>,
    /// A message whose words were changed.
    #[serde(default)]
    pub edited_message: Option<TelegramMessage>,
    /// A pressed button.
    #[serde(default)]
    pub callback_query: Option<CallbackQuery>,
    /// The bot was let into a chat, or thrown out of it.
    #[serde(default)]
    pub my_chat_member: Option<Membership>,
}

/// The bot's place in a chat has changed.
#[derive(Debug, Deserialize)]
pub struct Membership {
    pub chat: Chat,
    pub from: TelegramUser,
    pub old_chat_member: Standing,
    pub new_chat_member: Standing,
}

/// `member`, `administrator`, `left`, `kicked`, and what may come.
#[derive(Debug, Deserialize)]
pub struct Standing {
    #[serde(default)]
    pub status: String,
}

/// Something that can be downloaded; which of the fields there are depends on what it is.
#[derive(Debug, Deserialize)]
pub struct FileRef {
    #[serde(default)]
    pub file_id: String,
    #[serde(default)]
    pub file_size: Option<u64>,
    #[serde(default)]
    pub file_name: Option<String>,
    #[serde(default)]
    pub mime_type: Option<String>,
    /// In seconds.
    #[serde(default)]
    pub duration: Option<u64>,
}

/// A card from an address book.
#[derive(Debug, Deserialize)]
pub struct SharedContact {
    #[serde(default)]
    pub phone_number: String,
    #[serde(default)]
    pub first_name: String,
    #[serde(default)]
    pub last_name: Option<String>,
}

/// A point on the map.
#[derive(Debug, Deserialize)]
pub struct Location {
    #[serde(default)]
    pub latitude: f64,
    #[serde(default)]
    pub longitude: f64,
}

/// A point with a name.
#[derive(Debug, Deserialize)]
pub struct Venue {
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub address: String,
}

/// Who.
#[derive(Debug, Deserialize)]
pub struct TelegramUser {
    /// Telegram's number.
    pub id: i64,
    /// Whether it is a machine.
    #[serde(default)]
    pub is_bot: bool,
}

/// Where.
#[derive(Debug, Deserialize)]
pub struct Chat {
    /// Telegram's number.
    pub id: i64,
    /// private, group, supergroup or channel.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A message as far as it matters to us. Fields that are only asked for their presence are not read.
#[derive(Debug, Deserialize)]
pub struct TelegramMessage {
    pub message_id: i64,
    pub chat: Chat,
    /// When it was written, in seconds; an edit has the date of the first writing. Whatever it is, it does no harm.
    #[serde(default)]
    pub date: Option<Value>,
    #[serde(default)]
    pub message_thread_id: Option<i32>,
    #[serde(default)]
    pub is_topic_message: bool,
    #[serde(default)]
    pub from: Option<TelegramUser>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub caption: Option<String>,
    #[serde(default)]
    pub reply_to_message: Option<Replied>,

    // Whose words they are.
    #[serde(default)]
    pub forward_origin: Option<Value>,
    /// As servers older than Bot API 7.0 mark a forward.
    #[serde(default)]
    pub forward_date: Option<IgnoredAny>,
    #[serde(default)]
    pub via_bot: Option<IgnoredAny>,
    #[serde(default)]
    pub sender_chat: Option<IgnoredAny>,
    #[serde(default)]
    pub sender_business_bot: Option<IgnoredAny>,
    /// Written earlier and sent by a timer.
    #[serde(default)]
    pub is_from_offline: bool,
    #[serde(default)]
    pub edit_date: Option<IgnoredAny>,
    #[serde(default)]
    pub quote: Option<IgnoredAny>,
    #[serde(default)]
    pub external_reply: Option<IgnoredAny>,

    // What it holds instead of words.
    #[serde(default)]
    pub voice: Option<FileRef>,
    #[serde(default)]
    pub audio: Option<FileRef>,
    #[serde(default)]
    pub video_note: Option<FileRef>,
    #[serde(default)]
    pub photo: Option<IgnoredAny>,
    #[serde(default)]
    pub video: Option<IgnoredAny>,
    #[serde(default)]
    pub document: Option<FileRef>,
    #[serde(default)]
    pub animation: Option<IgnoredAny>,
    #[serde(default)]
    pub sticker: Option<IgnoredAny>,
    #[serde(default)]
    pub contact: Option<SharedContact>,
    #[serde(default)]
    pub location: Option<Location>,
    #[serde(default)]
    pub venue: Option<Venue>,
    #[serde(default)]
    pub poll: Option<IgnoredAny>,
    #[serde(default)]
    pub dice: Option<IgnoredAny>,
    #[serde(default)]
    pub story: Option<IgnoredAny>,
    #[serde(default)]
    pub checklist: Option<IgnoredAny>,
}

/// The message a message replies to.
#[derive(Debug, Deserialize)]
pub struct Replied {
    pub message_id: i64,
    #[serde(default)]
    pub from: Option<TelegramUser>,
}

/// A pressed button.
#[derive(Debug, Deserialize)]
pub struct CallbackQuery {
    pub id: String,
    pub from: TelegramUser,
    /// The message it sits on; "inaccessible" ones have chat and number as well.
    #[serde(default)]
    pub message: Option<TelegramMessage>,
    /// Untrusted.
    #[serde(default)]
    pub data: Option<String>,
}
