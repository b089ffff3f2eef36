//! Stored records that belong to no single service: conversation, inbox, outbox, due-index, audit.
//!
//! Keys begin with what they are listed by. Items of a service (tasks, events, …) are defined beside it.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::core::button::Button;
use crate::core::ids::{ChatId, MessageId, PendingId, UserId};
use crate::core::pending::{Pending, State};
use crate::core::plan::{Params, Plan, PlannedAction, Taint};
use crate::core::run::Run;
use crate::core::settings::Settings;
use crate::core::taint::Foreign;
use crate::core::turn::{Done, Edit, Origin, Reply};
use crate::ports::{Change, Key, Record, Table};

impl Record for Pending {
    const TABLE: Table = Table::Pending;

    fn key(&self) -> Key {
        Key::of(&[self.id.as_str()])
    }
}

impl Record for Run {
    const TABLE: Table = Table::Runs;

    fn key(&self) -> Key {
        Key::of(&[self.id.as_str()])
    }
}

/// Index entry: an open pending action of a chat, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingOpen {
    /// Where it waits.
    pub chat: ChatId,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Which.
    pub id: PendingId,
}

impl PendingOpen {
    /// The entry of a pending action.
    pub fn of(pending: &Pending) -> Self {
        Self { chat: pending.chat.clone(), created_at: pending.created_at, id: pending.id.clone() }
    }
}

impl Record for PendingOpen {
    const TABLE: Table = Table::PendingOpen;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str(), &millis(self.created_at), self.id.as_str()])
    }
}

/// Index entry: the card that a message shows, so that a reply to it is understood for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardMessage {
    /// Where.
    pub chat: ChatId,
    /// The message.
    pub message: MessageId,
    /// The card.
    pub pending: PendingId,
}

impl CardMessage {
    /// The key of a message.
    pub fn key_of(chat: &ChatId, message: MessageId) -> Key {
        Key::of(&[chat.as_str(), &Key::number(message.0.unsigned_abs())])
    }
}

impl Record for CardMessage {
    const TABLE: Table = Table::Cards;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, self.message)
    }
}

/// An update that was received; kept after it is done so that a second delivery is recognised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxEntry {
    /// The face it came through, e.g. `tg`.
    pub face: String,
    /// The face's own number of it.
    pub update: u64,
    /// When it was received.
    pub received_at: DateTime<Utc>,
    /// As received; empty once done.
    pub raw: String,
    /// Whether its turn has ended.
    pub done: bool,
    /// The update whose turn this one belongs to, when both came in one breath.
    #[serde(default)]
    pub joins: Option<u64>,
    /// What a recording was heard to say, once the person has been told; empty when something else was told.
    #[serde(default)]
    pub heard: Option<String>,
}

impl InboxEntry {
    /// The key as text, for [`crate::core::turn::Incoming::inbox`].
    pub fn name(&self) -> String {
        self.key().as_str().to_owned()
    }
}

impl Record for InboxEntry {
    const TABLE: Table = Table::Inbox;

    fn key(&self) -> Key {
        Key::of(&[&self.face, &Key::number(self.update)])
    }
}

/// Something to show that is not shown yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Show {
    /// A new message.
    Send(Reply),
    /// A change of an old one.
    Edit(Edit),
}

/// A message on its way to a person. In order within its chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxEntry {
    /// Where to.
    pub chat: ChatId,
    /// Grows within the chat.
    pub number: u64,
    /// What.
    pub show: Show,
    /// When it was put here.
    pub at: DateTime<Utc>,
}

impl Record for OutboxEntry {
    const TABLE: Table = Table::Outbox;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str(), &Key::number(self.number)])
    }
}

/// A person we serve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// Who.
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
    /// Since when.
    pub since: DateTime<Utc>,
}

impl Record for User {
    const TABLE: Table = Table::Users;

    fn key(&self) -> Key {
        Key::of(&[self.id.as_str()])
    }
}

/// What an action of an earlier turn was about, for "cancel it".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deed {
    /// The service's name.
    pub service: String,
    /// The command's name.
    pub command: String,
    /// The values.
    pub params: Params,
    /// The item it made or touched: id and label.
    pub item: Option<(String, String)>,
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The person.
    Person,
    /// The assistant.
    Assistant,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Where.
    pub chat: ChatId,
    /// Grows within the chat.
    pub number: u64,
    /// Who spoke.
    pub speaker: Speaker,
    /// The words.
    pub text: String,
    /// Where the words come from.
    pub origin: Origin,
    /// When.
    pub at: DateTime<Utc>,
    /// What was done in the turn this answer closes.
    pub deeds: Vec<Deed>,
    /// The face's number of it, for what a person said, and for reminders.
    #[serde(default)]
    pub message: Option<MessageId>,
    /// Which person, for chats with several.
    #[serde(default)]
    pub by: Option<UserId>,
    /// What to call words that are not the person's own.
    #[serde(default)]
    pub source: Option<String>,
    /// How the deeds can be taken back, for a while: ids of undo records.
    #[serde(default)]
    pub undo: Vec<String>,
    /// Of an answer of ours: what it repeats of others' words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<Foreign>,
}

impl Record for Message {
    const TABLE: Table = Table::Messages;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str(), &Key::number(self.number)])
    }
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clarification {
    /// The request it is about, in the person's words.
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
    /// And what of it is nobody else's: our showing it meanwhile does not change that.
    #[serde(default)]
    pub own: Vec<String>,
    /// What else of the request goes on after the answer: actions, a further question, what was left open. Actions
    /// depend on each other by their indexes in the list that has `partial` at `place`.
    #[serde(default)]
    pub rest: Plan,
    /// Where `partial` belongs among them.
    #[serde(default)]
    pub place: usize,
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
            rest: Plan::default(),
            place: 0,
            at,
        }
    }
}

/// What is going on in a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatState {
    /// Which.
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
    /// Since when the face is not allowed to write here; until somebody writes again, nothing is tried.
    #[serde(default)]
    pub blocked: Option<DateTime<Utc>>,
    /// The message that shows what a running turn is doing; after a crash it is still there.
    #[serde(default)]
    pub status_line: Option<MessageId>,
    /// The reminder somebody was asked about: until when?
    #[serde(default)]
    pub snoozing: Option<Snoozing>,
}

/// A reminder that waits for an "until when".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snoozing {
    /// What it reminds of, as its buttons name it.
    pub due: String,
    /// Who was asked.
    pub owner: UserId,
    /// The message of the reminder, when it is known.
    pub message: Option<MessageId>,
    /// When it was asked.
    pub at: DateTime<Utc>,
}

impl ChatState {
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
        }
    }
}

impl Record for ChatState {
    const TABLE: Table = Table::Chats;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str()])
    }
}

/// What falls due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DueKind {
    /// An item of a service; see [`crate::ports::Service::fall_due`].
    Item {
        /// The service's name.
        service: String,
        /// The item's id.
        item: String,
    },
    /// A pending action expires.
    Expiry {
        /// Which.
        pending: PendingId,
    },
    /// The owner's morning briefing.
    Briefing,
    /// What waits in the chat's outbox for the end of quiet hours.
    Outbox,
}

/// An entry of the durable due-index, in order of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    /// When.
    pub at: DateTime<Utc>,
    /// Whose.
    pub owner: UserId,
    /// Where to tell it.
    pub chat: ChatId,
    /// What.
    pub kind: DueKind,
    /// When it was meant, if quiet hours hold it until `at`.
    #[serde(default)]
    pub meant: Option<DateTime<Utc>>,
}

impl Due {
    /// The instant it stands for.
    pub fn meant(&self) -> DateTime<Utc> {
        self.meant.unwrap_or(self.at)
    }
}

impl Record for Due {
    const TABLE: Table = Table::Due;

    fn key(&self) -> Key {
        let (kind, id) = match &self.kind {
            DueKind::Item { service, item } => (service.as_str(), item.as_str()),
            DueKind::Expiry { pending } => ("expiry", pending.as_str()),
            DueKind::Briefing => ("briefing", "daily"),
            DueKind::Outbox => ("outbox", self.chat.as_str()),
        };
        // What is held until the very instant of another reminder of the same item stays a thing of its own.
        match self.meant {
            Some(meant) => Key::of(&[&millis(self.at), kind, self.owner.as_str(), id, &millis(meant)]),
            None => Key::of(&[&millis(self.at), kind, self.owner.as_str(), id]),
        }
    }
}

/// A row of the audit: ids, digests and times; never contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// When.
    pub at: DateTime<Utc>,
    /// Tells rows of the same instant apart.
    pub id: String,
    /// Who did it.
    pub by: UserId,
    /// What happened, e.g. `approved`.
    pub what: String,
    /// The pending action, if it was about one.
    pub pending: Option<PendingId>,
    /// The state it came to.
    pub state: Option<State>,
    /// The digest at that moment.
    pub digest: Option<String>,
    /// `service.command` of each action.
    pub actions: Vec<String>,
}

impl Record for Audit {
    const TABLE: Table = Table::Audit;

    fn key(&self) -> Key {
        Key::of(&[&millis(self.at), &self.id])
    }
}

/// How to take a done action back: the changes that restore the prior state, each expecting that nothing
/// has changed since. It stays for a while after its use, so that a second press is told the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    /// Its id, on the button. Sorts by time; see [`Undo::id_at`].
    pub id: String,
    /// Who may press it.
    pub owner: UserId,
    /// Where it was done.
    #[serde(default)]
    pub chat: Option<ChatId>,
    /// Until when.
    pub until: DateTime<Utc>,
    /// What was done, in words.
    pub label: String,
    /// What restores the prior state; empty once used.
    pub changes: Vec<Change>,
    /// When it was used.
    #[serde(default)]
    pub used: Option<DateTime<Utc>>,
}

impl Undo {
    /// An id that sorts by time: `unique` behind the instant.
    pub fn id_at(at: DateTime<Utc>, unique: &str) -> String {
        format!("{}{unique}", Self::first_id_at(at))
    }

    /// What every id of that instant begins with.
    pub fn first_id_at(at: DateTime<Utc>) -> String {
        format!("{:011x}", at.timestamp_millis().max(0))
    }
}

impl Record for Undo {
    const TABLE: Table = Table::Undo;

    fn key(&self) -> Key {
        Key::of(&[&self.id])
    }
}

/// A delivered message with buttons that decide no card, or that reminds of something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Where.
    pub chat: ChatId,
    /// The message.
    pub message: MessageId,
    /// What it says now.
    pub text: String,
    /// Its buttons now.
    pub buttons: Vec<Vec<Button>>,
    /// When it was delivered.
    pub at: DateTime<Utc>,
    /// The items it reminds of, id and title: a reply to it is about them.
    #[serde(default)]
    pub about: Vec<(String, String)>,
    /// What they hold of others' words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<Foreign>,
    /// What it said before a press changed it, and the undo that takes the press back.
    #[serde(default)]
    pub before: Option<Before>,
}

/// A message as it was before a press.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// What it said.
    pub text: String,
    /// Its buttons.
    pub buttons: Vec<Vec<Button>>,
    /// The undos of what the press did.
    pub undos: Vec<String>,
}

impl Shown {
    /// The key of a message.
    pub fn key_of(chat: &ChatId, message: MessageId) -> Key {
        CardMessage::key_of(chat, message)
    }
}

impl Record for Shown {
    const TABLE: Table = Table::Shown;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, self.message)
    }
}

/// One node of a turn's trace. Never holds texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The stage or `service.command`.
    pub name: String,
    /// Microseconds after the turn began.
    pub start_us: u64,
    /// Its length.
    pub us: u64,
    /// Bytes it was given.
    pub input_bytes: usize,
    /// Tokens in and out, for stages that called a model.
    pub tokens: (u64, u64),
    /// `ok`, `fallback: …`, `failed: …`, `cancelled`.
    pub outcome: String,
}

/// The trace of one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its id.
    pub id: String,
    /// Whose.
    pub user: UserId,
    /// Where.
    pub chat: ChatId,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How it ended; parameters are left out.
    pub done: Done,
    /// Its nodes.
    pub spans: Vec<Span>,
}

impl Record for Turn {
    const TABLE: Table = Table::Turns;

    fn key(&self) -> Key {
        Key::of(&[&millis(self.at), &self.id])
    }
}

/// An instant as a part of a key that sorts by time.
pub fn millis(at: DateTime<Utc>) -> String {
    Key::number(u64::try_from(at.timestamp_millis()).unwrap_or(0))
}
