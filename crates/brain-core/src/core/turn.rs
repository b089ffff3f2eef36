//! One turn as data: what comes in, what goes out, and how it is summed up.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use super::attachment::Attachment;
use super::button::Button;
use super::ids::{ChatId, MessageId, PendingId, RunId, UserId};
use super::markup::{Formatted, Span};
use super::notification::Notification;
use super::outcome::Report;
use super::provenance::UntrustedText;
use super::text::{quoted, shorten, visible};

/// Where the words of a message come from. Only typed words can approve anything (invariant 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Typed by the person, as it stands.
    Typed,
    /// Typed, with only a part of another message quoted.
    PartialQuote,
    /// An edit of an earlier message.
    Edited,
    /// Somebody else's words, passed on.
    Forwarded,
    /// The caption of a photo or file.
    Caption,
    /// Heard, not typed.
    Transcript,
    /// Sent through an inline bot, or in the name of a chat.
    OnBehalf,
    /// Typed by the person in a group, and answered in their private chat.
    InGroup,
}

impl Origin {
    /// True when the words are the person's own request.
    pub fn is_own_words(self) -> bool {
        match self {
            Self::Typed | Self::PartialQuote | Self::Edited | Self::Caption | Self::Transcript | Self::InGroup => true,
            Self::Forwarded | Self::OnBehalf => false,
        }
    }
}

/// What the person did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// Wrote something.
    Message {
        /// The words, as typed or dictated.
        text: String,
        /// Where they come from.
        origin: Origin,
        /// The message this one replies to.
        reply_to: Option<MessageId>,
    },
    /// Pressed a button. The data is untrusted.
    Press {
        /// As received.
        data: String,
        /// The message the button sits on, when the channel knows it.
        message: Option<MessageId>,
    },
}

/// One of several messages that are one turn, because they were sent right after one another, or something that came
/// along with a message: what was passed on, the text of a file, a contact, a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The number of the message.
    pub message: MessageId,
    /// What it says, as text.
    pub text: String,
    /// Whose they are; only the person's own are part of the request.
    pub origin: Origin,
    /// What it is, when it is not the person's own words.
    pub along: Option<Along>,
    /// A file that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<KeptFile>,
    /// The durable inbox entry it was read from; closed together with the turn's own.
    pub inbox: Option<String>,
}

impl Part {
    /// Words and nothing else.
    pub fn words(message: MessageId, text: String, origin: Origin) -> Self {
        Self { message, text, origin, along: None, file: None, inbox: None }
    }

    /// Whether it is, or brings, more than the person's words.
    pub fn comes_along(&self) -> bool {
        self.along.is_some() || self.file.is_some()
    }

    /// As somebody else's words.
    pub fn untrusted(&self) -> UntrustedText {
        let source = self.along.as_ref().map_or_else(|| PASSED_ON.to_owned(), Along::label);
        UntrustedText::new(source, self.text.clone())
    }
}

/// What comes along with a message. Names are other people's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Along {
    /// A message that was passed on.
    Message {
        /// Whose it was, when that is known.
        from: Option<String>,
    },
    /// The text of a file.
    File {
        /// As it was sent.
        name: String,
    },
    /// A card from an address book.
    Contact {
        /// The name on the card.
        name: String,
        /// The number on the card, as it was sent.
        phone: String,
    },
    /// A place on the map.
    Place {
        /// What it is called there.
        name: Option<String>,
    },
}

/// A file that a person sent, as it is kept for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// As their program called it.
    pub name: String,
    /// Its media type, as their program said.
    pub kind: String,
    /// How large it is.
    pub bytes: usize,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// What words of unknown origin are called.
pub const PASSED_ON: &str = "a message you passed on";

impl Along {
    /// What to call it when something was taken from it.
    pub fn label(&self) -> String {
        let name = |name: &str| visible(&shorten(name, 60));
        match self {
            Self::Message { from: Some(from) } => format!("a message from {}", quoted(from, 60)),
            Self::Message { from: None } => PASSED_ON.to_owned(),
            Self::File { name: file } => format!("the file {}", name(file)),
            Self::Contact { .. } => "a contact you passed on".to_owned(),
            Self::Place { .. } => "a place you sent".to_owned(),
        }
    }
}

/// One thing that came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incoming {
    /// Stable across a redelivery, so that a turn is never done twice.
    pub turn: RunId,
    /// Who wrote or pressed.
    pub user: UserId,
    /// The chat in which the answer is due.
    pub chat: ChatId,
    /// Its own number in the chat; for a press, the number it would have had.
    pub message_id: MessageId,
    /// When the person wrote or pressed it, as far as that is known; never after it was received.
    pub at: DateTime<Utc>,
    /// A message or a press.
    pub input: Input,
    /// The durable inbox entry it was read from.
    pub inbox: Option<String>,
    /// What it was put together from; empty when it is a single message.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// The words that it quotes of the message it replies to: whoever wrote these, it points at them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl Incoming {
    /// The files that came with it.
    pub fn files(&self) -> impl Iterator<Item = &KeptFile> {
        self.parts.iter().filter_map(|part| part.file.as_ref())
    }

    /// What came along and is not the person's own request.
    pub fn passed_on(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.along.is_some())
    }
}

/// The path a turn took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// Small talk; left early.
    Chat,
    /// Something was done, or looked up.
    Action,
    /// A card was made or decided.
    Consent,
    /// A question over many items.
    Investigate,
    /// Refused by the guard.
    Blocked,
    /// Asked back.
    Clarify,
    /// The clock of a test console moved.
    Clock,
    /// A slash command.
    Command,
    /// A button that decides no card.
    Button,
    /// The turn itself failed.
    Error,
}

/// A message to the person: words and buttons.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reply {
    /// As people read it.
    pub text: String,
    /// What stands out in it, where a model phrased it; everything else is literal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// Rows of buttons.
    #[serde(default)]
    pub buttons: Vec<Vec<Button>>,
    /// The card this message is, or is a part of.
    #[serde(default)]
    pub card: Option<CardPart>,
    /// The reminder this message delivers: the key of its entry in the due-index, of several that of the first.
    #[serde(default)]
    pub reminder: Option<String>,
    /// What this message reminds of; its words are made when it is shown.
    #[serde(default, alias = "rings", skip_serializing_if = "Vec::is_empty")]
    pub notifications: Vec<Notification>,
    /// A file that comes with it.
    #[serde(default)]
    pub attachment: Option<Box<Attachment>>,
    /// Its words are enough over the button that was pressed, where the channel can still show them there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<Box<Notice>>,
    /// It asks for words: what may be said, for the empty field in which they are typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<Box<str>>,
    /// What it rests on, by the numbers in its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<NumberedSource>,
    /// The number, in the conversation, of the answer that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<u64>,
}

/// Something that an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedSource {
    /// Its number in the answer, from 1.
    pub n: usize,
    /// The service that keeps it.
    pub service: String,
    /// What `find_by` takes to mean it.
    pub id: String,
    /// What it is called.
    pub title: String,
}

/// A few words over a button, instead of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The turn that the press has begun.
    pub turn: RunId,
    /// How they are shown.
    pub kind: NoticeKind,
}

/// How a notice is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// It goes away by itself.
    Toast,
    /// It stays until it is read: something did not happen that was asked for.
    Alert,
}

impl Reply {
    /// Words alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl From<Formatted> for Reply {
    fn from(Formatted { text, spans }: Formatted) -> Self {
        Self { text, spans, ..Self::default() }
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// Which part of which card a message is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPart {
    /// The pending action.
    pub pending: PendingId,
    /// 1-based.
    pub part: usize,
    /// How many there are; the last one carries the buttons.
    pub of: usize,
}

impl CardPart {
    /// True for the part after which the card is complete.
    pub fn is_last(&self) -> bool {
        self.part == self.of
    }
}

/// A change to a message that is already there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The message that changes, as the channel numbers it.
    pub message: MessageId,
    /// Its new words; `None` keeps them.
    pub text: Option<String>,
    /// What stands out in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// Its new buttons; empty removes them.
    pub buttons: Vec<Vec<Button>>,
}

impl Edit {
    /// Other words, and no buttons.
    pub fn says(message: MessageId, Formatted { text, spans }: Formatted) -> Self {
        Self { message, text: Some(text), spans, buttons: Vec::new() }
    }

    /// Other buttons below the same words.
    pub fn buttons(message: MessageId, buttons: Vec<Vec<Button>>) -> Self {
        Self { message, text: None, spans: Vec::new(), buttons }
    }
}

/// How a turn ended: what `done` says on the console, and what the trace keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The path it took.
    pub path: Path,
    /// Model calls made.
    pub llm_calls: u32,
    /// Tokens sent, as reported by the endpoint or estimated.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// From receipt to the committed answer, in milliseconds.
    pub ms: f64,
    /// Stages that fell back.
    pub fallbacks: Vec<String>,
    /// One a planned action.
    pub outcomes: Vec<Report>,
}

impl Done {
    /// A turn that called nothing.
    pub fn quiet(path: Path) -> Self {
        Self { path, llm_calls: 0, tokens_in: 0, tokens_out: 0, ms: 0.0, fallbacks: Vec::new(), outcomes: Vec::new() }
    }
}
