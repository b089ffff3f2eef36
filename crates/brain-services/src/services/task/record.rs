//! A task as it is stored, and when it reminds.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::TaskView;

use crate::services::contract::context::RequestContext;
use crate::services::contract::provenance::Others;
use crate::services::contract::show::Moment;
use crate::services::helpers::items::Item;
use crate::services::helpers::recurrence::{Series, instant};
use crate::services::helpers::texts::brief;
use crate::services::remote::backend::{RecordOrigin, Replicated};
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::notification::MORNING;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::RECURRENCE_STEPS_MAX;
use brain_core::ports::records::{Due, DueKind};
use brain_core::ports::{Key, Record, Table};
use brain_language::language::offset::ReminderOffset;

/// Its name in plans.
pub const NAME: &str = "task";

/// How much a task matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Whenever.
    Low,
    /// As usual.
    #[serde(alias = "normal")]
    Medium,
    /// First.
    #[serde(alias = "urgent")]
    High,
}

impl Priority {
    /// As cards say it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Whether it is still to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskStatus {
    /// To do.
    Open,
    /// Done.
    Done,
}

/// Something to do, perhaps by a time, perhaps again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Unique among the owner's tasks; short enough for a button.
    pub id: String,
    /// Whose.
    pub owner: UserId,
    /// Where to remind.
    pub chat: ChatId,
    /// One line.
    pub title: String,
    /// Details.
    pub description: Option<String>,
    /// How much it matters.
    pub priority: Option<Priority>,
    /// When it is due: an RFC 3339 instant, or a date. Of a repeating task: the next time.
    pub deadline: Option<String>,
    /// Where its local times are meant.
    pub zone: Tz,
    /// The value of an RRULE.
    pub repeat: Option<String>,
    /// What the repetition counts from; set together with `repeat`.
    pub anchor: Option<String>,
    /// Whether it is to do.
    pub status: TaskStatus,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was done; of a repeating task: the last time.
    pub done_at: Option<DateTime<Utc>>,
    /// Of a repeating task: when it last reminded. Its deadline is then the time after that.
    pub reminded_at: Option<DateTime<Utc>>,
    /// How long before each deadline it reminds as well.
    #[serde(default)]
    pub before: Vec<ReminderOffset>,
    /// When else it reminds: instants.
    #[serde(default)]
    pub also: Vec<DateTime<Utc>>,
    /// Until when the last reminder was put off.
    #[serde(default)]
    pub snoozed: Option<DateTime<Utc>>,
    /// The hour at which a day of it reminds; `None`: the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<NaiveTime>,
    /// What of it is somebody else's.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
    /// The account that it comes from; `None`: it is kept here alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<RecordOrigin>,
}

impl Replicated for Task {
    fn name(&self) -> &str {
        &self.title
    }

    fn others_words(&self) -> Vec<UntrustedText> {
        self.untrusted()
    }

    fn origin(&self) -> Option<&RecordOrigin> {
        self.origin.as_ref()
    }

    fn set_origin(&mut self, origin: Option<RecordOrigin>) {
        self.origin = origin;
    }
}

impl Task {
    /// The deadline, read.
    pub(super) fn due_moment(&self) -> Option<Moment> {
        Moment::read(self.deadline.as_deref()?, self.zone)
    }

    /// When it reminds of its deadline: then, or in the morning of that day.
    pub(super) fn reminds_at(&self) -> Option<DateTime<Utc>> {
        Some(self.instant_of(self.due_moment()?))
    }

    /// When a time of it reminds: a day in the morning.
    pub(super) fn instant_of(&self, moment: Moment) -> DateTime<Utc> {
        let at = match moment {
            Moment::Instant(at) => at,
            Moment::Day(day) => instant(self.zone, day.and_time(self.hour.unwrap_or(MORNING))),
        };
        at.to_utc()
    }

    /// When it reminds, past and to come; nothing once it is done.
    pub(super) fn rings(&self) -> BTreeSet<DateTime<Utc>> {
        if self.status == TaskStatus::Done {
            return BTreeSet::new();
        }
        let own = self.reminds_at();
        let early = self.before.iter().filter_map(|lead| lead.before(own?.with_timezone(&self.zone)));
        own.into_iter().chain(early).chain(self.also.iter().copied()).chain(self.snoozed).collect()
    }

    /// How urgent the reminder of this instant is: a time the person named themself, or one that follows from
    /// a rule or a habit of ours.
    pub(super) fn is_named(&self, at: DateTime<Utc>) -> bool {
        let by_habit = self.repeat.is_some() || matches!(self.due_moment(), Some(Moment::Day(_)));
        self.snoozed == Some(at) || self.also.contains(&at) || !by_habit
    }

    /// The entry in the due-index of the reminder of this instant.
    pub(in crate::services) fn due_at(&self, at: DateTime<Utc>) -> Due {
        Due {
            at,
            owner: self.owner.clone(),
            chat: self.chat.clone(),
            kind: DueKind::Item { service: NAME.to_owned(), item: self.id.clone() },
            meant: None,
        }
    }

    /// The reminders this state has in the due-index and `before` had not: those that lie ahead, and the next
    /// one of a series wherever it lies.
    pub fn new_dues(&self, before: Option<&Self>, now: DateTime<Utc>) -> Vec<Due> {
        let had = before.map(Self::rings).unwrap_or_default();
        let moved = before.is_some_and(|before| before.chat != self.chat);
        let next = self.repeat.as_ref().and_then(|_| self.reminds_at());
        let rings = self.rings().into_iter().filter(|at| *at > now || Some(*at) == next);
        rings.filter(|at| moved || !had.contains(at)).map(|at| self.due_at(at)).collect()
    }

    /// The entries of `before` that this state no longer has.
    pub(super) fn old_dues(&self, before: &Self) -> Vec<Due> {
        let has = self.rings();
        before.rings().into_iter().filter(|at| !has.contains(at)).map(|at| before.due_at(at)).collect()
    }

    /// True when it reminded, is going to again, and nobody has marked it as done since.
    pub(super) fn is_unanswered(&self) -> bool {
        let unanswered = |reminded: DateTime<Utc>| self.done_at.is_none_or(|done| done < reminded);
        self.repeat.is_some() && self.reminded_at.is_some_and(unanswered)
    }

    /// Its repetition, if it has a readable one.
    pub(super) fn series(&self) -> Option<Series> {
        let anchor = self.anchor.as_deref().or(self.deadline.as_deref())?;
        let series = Series::new(self.repeat.as_deref()?, Moment::read(anchor, self.zone)?, self.zone).ok()?;
        // In an account it has the times that other programs give it.
        Some(if self.origin.is_some() { series.by_wall() } else { series })
    }

    /// Moves a repeating task to its first time that reminds after `after`; the last time ends the repetition.
    /// False when there is no next time.
    pub(super) fn advance(&mut self, after: DateTime<Utc>) -> bool {
        match self.series().and_then(|series| self.next_of(&series, after)) {
            Some(next) => {
                self.deadline = Some(next.store());
                true
            }
            None => {
                self.repeat = None;
                self.anchor = None;
                false
            }
        }
    }

    /// A day reminds some hours after it began.
    fn next_of(&self, series: &Series, after: DateTime<Utc>) -> Option<Moment> {
        let mut next = series.next_after(after - Duration::days(1))?;
        while self.instant_of(next) <= after {
            next = series.next_after(next.start(self.zone).to_utc())?;
        }
        Some(next)
    }

    /// The times of its series that have come from `from` on, as instants that remind.
    pub(super) fn came(&self, from: DateTime<Utc>, now: DateTime<Utc>) -> Vec<DateTime<Utc>> {
        let Some(series) = self.series() else {
            return Vec::new();
        };
        let until = now + Duration::milliseconds(1);
        let times = series.between(from - Duration::days(1), until, RECURRENCE_STEPS_MAX).into_iter();
        times.map(|at| self.instant_of(at)).filter(|at| from <= *at && *at <= now).collect()
    }
}

/// The flag of what is to do.
const OPEN: &str = "open";

impl Record for Task {
    const TABLE: Table = Table::Tasks;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Task {
    type View = TaskView;

    const NOUN: &'static str = "task";
    const KIND: &'static str = NAME;
    const FIRST: Option<&'static str> = Some(OPEN);
    const TIMED: bool = true;

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn body(&self) -> String {
        self.description.clone().unwrap_or_default()
    }

    fn at(&self) -> DateTime<Utc> {
        self.due_moment().map_or(self.created_at, |due| due.start(self.zone).to_utc())
    }

    fn flags(&self) -> Vec<&'static str> {
        match self.status {
            TaskStatus::Open => vec![OPEN],
            TaskStatus::Done => Vec::new(),
        }
    }

    fn label(&self, ctx: &RequestContext) -> String {
        match self.due_moment() {
            Some(due) => format!("{} — {}", brief(&self.title), due.show(&ctx.reference())),
            None => brief(&self.title),
        }
    }

    fn view(&self, ctx: &RequestContext) -> TaskView {
        TaskView::of(self, ctx)
    }

    fn times(&self, _: &RequestContext) -> (Option<String>, Option<String>) {
        (self.deadline.clone(), None)
    }

    fn account(&self) -> Option<&str> {
        self.origin.as_ref().map(|origin| origin.account.as_str())
    }

    fn untrusted(&self) -> Vec<UntrustedText> {
        self.others.untrusted("a task")
    }

    fn nearness(&self, ctx: &RequestContext) -> (u8, i64) {
        let tier = match self.status {
            TaskStatus::Open => 0,
            TaskStatus::Done => 1,
        };
        (tier, (self.at() - ctx.now).num_seconds().abs())
    }

    fn falls_into(&self, from: DateTime<Utc>, to: DateTime<Utc>, _: &RequestContext) -> bool {
        match self.due_moment() {
            Some(Moment::Instant(at)) => from <= at && at < to,
            // A day falls into whatever holds part of it, but not into a minute of it.
            Some(Moment::Day(day)) => {
                let start = Moment::Day(day).start(self.zone);
                to - from > Duration::hours(1) && from < start + Duration::days(1) && start < to
            }
            None => false,
        }
    }
}
