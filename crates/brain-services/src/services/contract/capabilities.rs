//! What some services can be asked beside their commands (see [`Service`](super::service::Service)): reminders, drafts,
//! what there is to do, what was reported as done, facts about the person, and uses of content that was passed on.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, FixedOffset, Utc};
use tokio_util::sync::CancellationToken;

use super::context::RequestContext;
use super::error::ServiceError;
use super::show::Moment;
use brain_core::core::ids::UserId;
use brain_core::core::notification::Notification;
use brain_core::core::plan::{Action, Params, PlannedAction};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::turn::Along;
use brain_core::ports::Change;
use brain_core::ports::records::Due;
use brain_language::language::own_rule::Revision;
use brain_language::language::requests::{ReportKind, StateReport};

/// A service whose things fall due.
#[async_trait]
pub trait Reminders: Send + Sync {
    /// Something falls due (see [`Due`]): what is notified, and what changes with it. The scheduler commits the changes
    /// together with the message and the removal of the due entry.
    async fn fall_due(&self, ctx: &RequestContext, due: &Due) -> Result<FallenDue, ServiceError>;

    /// What a reminder is about; `None` when it is gone, or is somebody else's.
    async fn reminded(&self, ctx: &RequestContext, item: &str) -> Result<Option<Reminded>, ServiceError>;

    /// The action that answers a reminder; `None`: what it is about does not get done.
    fn answered(&self, item: &str, with: ReminderAnswer) -> Option<PlannedAction>;

    /// What an action of this service answered to a reminder, if it did.
    fn answer_of(&self, command: &str, params: &Params) -> Option<ReminderAnswer>;
}

/// A service that waits for what happens outside the store.
#[async_trait]
pub trait EventWatcher: Send + Sync {
    /// Returns when something may have happened; never, where nothing tells.
    async fn stirred(&self);

    /// What has come of it since the last look, for everybody who waits: changes, each group of which is committed by
    /// itself. Costs little where nothing has happened.
    async fn look(&self, now: DateTime<Utc>) -> Result<Vec<Vec<Change>>, ServiceError>;
}

/// A service whose records here follow accounts elsewhere.
#[async_trait]
pub trait Mirroring: Send + Sync {
    /// From now on this person's accounts are followed, if they have any. Costs next to nothing.
    fn serves(&self, person: &UserId);

    /// Reads this person's accounts once, for as long as `patience`; what was not read by then is read another time.
    async fn catch_up(&self, ctx: &RequestContext, patience: Duration);

    /// Follows the accounts of those who are served, until it is told to stop.
    async fn follow(&self, people: &dyn ContextSource, stop: &CancellationToken);
}

/// The circumstances of people outside of a turn.
#[async_trait]
pub trait ContextSource: Send + Sync {
    /// Those of this person now; `None` where their record cannot be read.
    async fn context_of(&self, person: &UserId) -> Option<RequestContext>;

    /// Records that follow an account are in step with it again: what falls due may be another thing now.
    fn mirrored(&self) {}
}

/// What comes of something falling due.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FallenDue {
    /// What the person is told; `None` when it no longer matters.
    pub notification: Option<Notification>,
    /// What changes, e.g. the next occurrence.
    pub changes: Vec<Change>,
}

/// What a reminder is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reminded {
    /// What the person calls it.
    pub title: String,
    /// Whether it was done already.
    pub done: bool,
}

/// What a person says to a reminder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReminderAnswer {
    /// It is done.
    Done,
    /// Later, at this instant.
    Snooze(DateTime<FixedOffset>),
}

/// A service that keeps drafts.
#[async_trait]
pub trait Drafts: Send + Sync {
    /// The action that sends a draft; `None` when it is gone.
    async fn sending(&self, ctx: &RequestContext, draft: &str) -> Option<PlannedAction>;

    /// The action that writes it once more; `None` when it is gone, or another program's.
    async fn rewriting(&self, ctx: &RequestContext, draft: &str) -> Option<PlannedAction>;

    /// Takes back one that was written once more.
    async fn discard(&self, ctx: &RequestContext, draft: &str);
}

/// A service that keeps what there is to do.
#[async_trait]
pub trait ToDos: Send + Sync {
    /// A page of what is open, by deadline; what has none comes last.
    async fn open(&self, ctx: &RequestContext, after: Option<&str>) -> Result<Listing<ToDo>, ServiceError>;

    /// How much of it has no deadline.
    async fn undated(&self, ctx: &RequestContext) -> Result<usize, ServiceError>;
}

/// A service that keeps what a person gets done one by one: tasks, entries of lists.
#[async_trait]
pub trait OpenItems: Send + Sync {
    /// What is open and may be what a report tells of; few. Where it is to be open again, what is done.
    async fn told_of(&self, ctx: &RequestContext, report: &StateReport) -> Result<Vec<OpenThing>, ServiceError>;

    /// The actions after which these are as the report says: low stakes, and each can be undone.
    fn settling(&self, things: &[OpenThing], kind: ReportKind) -> Vec<PlannedAction>;
}

/// Something that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenThing {
    /// What `find_by` must hold to mean the item.
    pub id: String,
    /// Which part of the item, where it is not all of it.
    pub part: Option<String>,
    /// What settling it does, as a button says it.
    pub label: String,
    /// How well the report fits it.
    pub fit: ReportFit,
    /// What of the label is not the person's own.
    pub untrusted: Vec<UntrustedText>,
}

/// How well a report fits something that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportFit {
    /// It may be meant.
    Perhaps,
    /// It is meant, unless something else is as well.
    Clear,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub struct ToDo {
    /// As the task's title says it.
    pub title: String,
    /// Before others.
    pub urgent: bool,
    /// Comes again and again.
    pub repeats: bool,
    /// When it is due.
    pub due: Option<Moment>,
}

/// A service that keeps facts about the person.
#[async_trait]
pub trait Facts: Send + Sync {
    /// A page of all of them, by category.
    async fn all(&self, ctx: &RequestContext, after: Option<&str>) -> Result<Listing<Fact>, ServiceError>;

    /// The facts that fit a query, best first.
    async fn facts(&self, ctx: &RequestContext, query: &str) -> Result<Listing<Fact>, ServiceError>;

    /// The action that erases one.
    fn forgetting(&self, id: &str) -> PlannedAction;

    /// The action that keeps a rule of the person's, in their words, in place of one of the same name.
    fn keeping_rule(&self, name: &str, said: &str) -> PlannedAction;

    /// Whether an action makes a rule, or changes one.
    fn makes_a_rule(&self, action: &Action) -> bool;

    /// The rules that were kept, in the person's own words.
    async fn rules(&self, ctx: &RequestContext) -> Result<Vec<String>, ServiceError>;

    /// The action that brings up to date what is known, where a statement says something else of exactly that. Whether a
    /// fact was spoken of last: only then may "it" mean one.
    async fn revising(
        &self,
        ctx: &RequestContext,
        said: &Revision,
        was_spoken_of: bool,
    ) -> Result<Option<PlannedAction>, ServiceError>;

    /// The action that remembers what a statement says of the person, where that lasts and is not known yet.
    async fn worth_remembering(&self, ctx: &RequestContext, said: &str) -> Result<Option<PlannedAction>, ServiceError>;

    /// The action that remembers something the person says of themself.
    fn remembering(&self, key: &str, value: &str) -> PlannedAction;
}

/// A fact about the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What `find_by` must hold to mean it.
    pub id: String,
    /// E.g. `travel`.
    pub category: String,
    /// What it is about.
    pub key: String,
    /// What is so.
    pub value: String,
    /// Whose words they are, if not the person's own.
    pub from: Option<String>,
    /// Since when it is known.
    pub since: DateTime<Utc>,
    /// What it said before, oldest first.
    pub former: Vec<String>,
}

/// A page of what there is.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// In order.
    pub rows: Vec<T>,
    /// How many more there are behind them.
    pub more: usize,
    /// What the next page goes on after, in its service's own words; `None` when there is none.
    pub next: Option<String>,
    /// Texts of others in the rows.
    pub untrusted: Vec<UntrustedText>,
}

impl<T> Listing<T> {
    /// Puts a first page of somebody else's behind this one.
    pub fn add(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.more += other.more;
        self.untrusted.extend(other.untrusted);
    }
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), more: 0, next: None, untrusted: Vec::new() }
    }
}

/// Something that was passed on without a word.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a> {
    /// What it is, when it is one thing of a kind.
    pub along: Option<&'a Along>,
    /// Its name or first line.
    pub title: &'a str,
    /// All of its text, cut to what a parameter may hold.
    pub text: &'a str,
}

impl Content<'_> {
    /// True for a contact, a place or a calendar: content that is not text to be kept.
    pub fn is_of_a_kind(&self) -> bool {
        match self.along {
            Some(Along::Contact { .. } | Along::Place { .. }) => true,
            Some(Along::File { .. } | Along::Message { .. }) | None => self.is_calendar(),
        }
    }

    /// Whether it is the text of a calendar file.
    pub fn is_calendar(&self) -> bool {
        const BEGIN: &str = "BEGIN:VCALENDAR";
        self.text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .get(..BEGIN.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(BEGIN))
    }
}

/// An action that is put on a button because nobody has asked for it yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Offerable {
    /// Its place among the buttons: the smallest first.
    pub rank: u8,
    /// What is asked when this is all that is offered; `None` where the content decides.
    pub question: Option<String>,
    /// What the button says.
    pub label: &'static str,
    /// What a press does.
    pub action: PlannedAction,
}
