//! Who we serve, what was said, and what is going on in a chat.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::ContentsChoice;
use crate::core::history::PastAction;
use crate::core::ids::{ChatId, MessageId, PendingId, UserId};
use crate::core::outcome::Status;
use crate::core::plan::{Plan, PlannedAction, Taint};
use crate::core::provenance::UntrustedText;
use crate::core::settings::Settings;
use crate::core::turn::{KeptFile, Origin};
use crate::ports::{Key, Record, Table};

/// A person we serve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// The id under which they are served.
    pub id: UserId,
    /// Their private chat.
    pub chat: ChatId,
    /// Whether they may cancel other people's pending actions and see the admin's commands.
    pub admin: bool,
    /// Their zone, once they have chosen one.
    pub zone: Option<Tz>,
    /// True once a receipt has named the assumed zone.
    pub zone_named: bool,
    /// What they chose with `/settings`.
    #[serde(default)]
    pub settings: Settings,
    /// What they said with `/trace`; `None`: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<ContentsChoice>,
    /// Since when they are served.
    pub since: DateTime<Utc>,
}

impl Record for User {
    const TABLE: Table = Table::Users;

    fn key(&self) -> Key {
        Key::of(&[self.id.as_str()])
    }
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Who writes to the assistant.
    Person,
    /// This program.
    Assistant,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The chat in which it was said.
    pub chat: ChatId,
    /// Grows within the chat.
    pub number: u64,
    /// Who spoke.
    pub speaker: Speaker,
    /// What was said; a mark stands where something was forgotten.
    pub text: String,
    /// Where the words come from.
    pub origin: Origin,
    /// When it was said, in UTC.
    pub at: DateTime<Utc>,
    /// What was done in the turn this answer closes.
    #[serde(alias = "deeds")]
    pub actions: Vec<PastAction>,
    /// The channel's number of it, for what a person said, and for reminders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Which person, for chats with several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserId>,
    /// What to call words that are not the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How they can be taken back, for a while: ids of undo records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<String>,
    /// Of an answer of ours: what became of everything that its turn was about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<ActionRecord>,
    /// Of an answer of ours: what it repeats of others' words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedText>,
    /// Of an answer of ours: it only asks or proposes, so its words are what a planner made up, until somebody points at
    /// them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_proposes: bool,
}

impl Message {
    /// Of the message of this number.
    pub fn key_of(chat: &ChatId, number: u64) -> Key {
        Key::of(&[chat.as_str(), &Key::number(number)])
    }

    /// What it is called in the search index.
    pub const KIND: &str = "conversation";
    /// The flag, in the search index, of what the person said in words of their own.
    pub const OWN_WORDS: &str = "own";
}

impl Record for Message {
    const TABLE: Table = Table::Messages;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, self.number)
    }
}

/// What became of one action, in words for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// An infinitive with its object: `send “Lunch” to Anna`.
    pub label: String,
    /// Where it stood at the end of the turn.
    pub status: Status,
    /// Why, for everything that is not fine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The service and the command, where it is of a time when that was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<(String, String)>,
    /// The card that asked for a yes to it; what became of that is on its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingId>,
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clarification {
    /// The request it is about; what of it is the person's own stands in `own`.
    pub request: String,
    /// The question, as asked.
    pub question: String,
    /// What is known so far, and the parameter the answer goes into; `None` when a model asked freely.
    pub partial: Option<(PlannedAction, String)>,
    /// The choices offered: value and label.
    pub choices: Vec<(String, String)>,
    /// The domains of the request; the answer keeps them.
    pub domains: Vec<String>,
    /// What all that waits for the answer holds of other people's words; they stay theirs meanwhile.
    #[serde(default)]
    pub taints: Vec<Taint>,
    /// And what of it, the request included, is nobody else's: our showing it meanwhile does not change that.
    #[serde(default)]
    pub own: Vec<String>,
    /// Others' words that the question itself shows: an answer to it makes them nobody's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quoted: Vec<UntrustedText>,
    /// What else of the request goes on after the answer: actions, a further question, what was left open. Actions
    /// depend on each other by their indexes in the list that has `partial` at `place`.
    #[serde(default)]
    pub rest: Plan,
    /// Where `partial` belongs among them.
    #[serde(default)]
    pub place: usize,
    /// What is offered with it: `service.command` of each, without a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<String>,
    /// The offer on its buttons, which an answer in words takes as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<String>,
    /// Whether a yes takes the first of its choices; otherwise it has to be named.
    #[serde(default)]
    pub takes_yes: bool,
    /// Whether somebody else asks it through us: its choices are buttons as well, and other words may answer it, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_relayed: bool,
    /// How many messages beside it changed nothing.
    #[serde(default)]
    pub beside: u8,
    /// When it was asked.
    pub at: DateTime<Utc>,
}

impl Clarification {
    /// A question with nothing behind it yet.
    pub fn asks(request: String, question: String, domains: &[String], at: DateTime<Utc>) -> Self {
        Self {
            request,
            question,
            partial: None,
            choices: Vec::new(),
            domains: domains.to_vec(),
            taints: Vec::new(),
            own: Vec::new(),
            quoted: Vec::new(),
            rest: Plan::default(),
            place: 0,
            offers: Vec::new(),
            offer: None,
            takes_yes: false,
            is_relayed: false,
            beside: 0,
            at,
        }
    }
}

/// What is going on in a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatState {
    /// The chat that it describes.
    pub chat: ChatId,
    /// The next number of a conversation message.
    pub next_message: u64,
    /// The next number in the outbox.
    pub next_outbox: u64,
    /// The assistant's last message that was delivered.
    pub last_bot_message: Option<MessageId>,
    /// The open question.
    pub clarification: Option<Clarification>,
    /// The card whose *Edit* was pressed: the next message changes it.
    pub editing: Option<PendingId>,
    /// Since when the channel is not allowed to write here; until somebody writes again, nothing is tried.
    #[serde(default)]
    pub blocked: Option<DateTime<Utc>>,
    /// The message that shows what a running turn is doing; after a crash it is still there.
    #[serde(default)]
    pub status_line: Option<MessageId>,
    /// The reminder somebody was asked about: until when?
    #[serde(default)]
    pub snoozing: Option<Snoozing>,
    /// The card that was decided here last, by whomever.
    #[serde(default)]
    pub decided: Option<LastDecided>,
    /// The accounts, by their ids, that were told here to wait for being reconnected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told_disconnected: Vec<String>,
    /// Files that were sent here without saying what for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<FilesAtHand>,
}

/// Files that the next mail which is written in a chat takes along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesAtHand {
    /// In the order in which they came.
    pub files: Vec<KeptFile>,
    /// Later, nobody means them any more.
    pub until: DateTime<Utc>,
}

/// A card that was decided, until something else is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastDecided {
    /// The pending action of that card.
    pub pending: PendingId,
    /// When its result was told last.
    pub at: DateTime<Utc>,
    /// The number of the first message of the conversation after that.
    pub next_message: u64,
}

/// A reminder whose new time was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snoozing {
    /// What it reminds of, as its buttons name it.
    pub due: String,
    /// The owner of the reminder.
    pub owner: UserId,
    /// The message of the reminder, when it is known.
    pub message: Option<MessageId>,
    /// When it was asked.
    pub at: DateTime<Utc>,
}

impl ChatState {
    /// From now on this is the card that was decided last.
    pub fn decides(&mut self, pending: &PendingId, at: DateTime<Utc>) {
        self.decided = Some(LastDecided { pending: pending.clone(), at, next_message: self.next_message });
    }

    /// A chat nobody has spoken in.
    pub fn new(chat: ChatId) -> Self {
        Self {
            chat,
            next_message: 1,
            next_outbox: 1,
            last_bot_message: None,
            clarification: None,
            editing: None,
            blocked: None,
            status_line: None,
            snoozing: None,
            decided: None,
            told_disconnected: Vec::new(),
            files: None,
        }
    }
}

impl Record for ChatState {
    const TABLE: Table = Table::Chats;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str()])
    }
}
