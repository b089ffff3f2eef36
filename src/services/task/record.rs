//! A task as it is stored, and when it reminds.

use chrono::{DateTime, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::catalog::Priority;
use crate::catalog::show::Moment;
use crate::core::ids::{ChatId, UserId};
use crate::ports::{Key, Record, Scene, Table};
use crate::records::{Due, DueKind};
use crate::services::items::Item;
use crate::services::recurrence::{Series, instant};
use crate::services::texts::brief;

/// When a task that is due on a day reminds.
pub(super) const MORNING: NaiveTime = match NaiveTime::from_hms_opt(9, 0, 0) {
    Some(time) => time,
    None => NaiveTime::MIN,
};

/// Whether it is still to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
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
    pub status: Status,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was done; of a repeating task: the last time.
    pub done_at: Option<DateTime<Utc>>,
    /// Of a repeating task: when it last reminded. Its deadline is then the time after that.
    pub reminded_at: Option<DateTime<Utc>>,
}

impl Task {
    /// The deadline, read.
    pub(super) fn due_moment(&self) -> Option<Moment> {
        Moment::read(self.deadline.as_deref()?, self.zone)
    }

    /// When it reminds of its deadline: then, or in the morning of that day.
    pub(super) fn reminds_at(&self) -> Option<DateTime<Utc>> {
        let at = match self.due_moment()? {
            Moment::Instant(at) => at,
            Moment::Day(day) => instant(self.zone, day.and_time(MORNING)),
        };
        Some(at.to_utc())
    }

    /// Its entry in the due-index, if it is still going to remind.
    pub(in crate::services) fn due(&self, now: DateTime<Utc>) -> Option<Due> {
        let at = self.reminds_at().filter(|at| *at > now && self.status == Status::Open)?;
        Some(Due {
            at,
            owner: self.owner.clone(),
            chat: self.chat.clone(),
            kind: DueKind::Item { service: "task".to_owned(), item: self.id.clone() },
        })
    }

    /// True when it reminded, is going to again, and nobody has said "done" since.
    pub(super) fn is_unanswered(&self) -> bool {
        let unanswered = |reminded: DateTime<Utc>| self.done_at.is_none_or(|done| done < reminded);
        self.repeat.is_some() && self.reminded_at.is_some_and(unanswered)
    }

    /// Its repetition, if it has a readable one.
    pub(super) fn series(&self) -> Option<Series> {
        let anchor = self.anchor.as_deref().or(self.deadline.as_deref())?;
        Series::new(self.repeat.as_deref()?, Moment::read(anchor, self.zone)?, self.zone).ok()
    }

    /// Moves a repeating task to its first time after `after`; the last time ends the repetition. False when
    /// there is no next time.
    pub(super) fn advance(&mut self, after: DateTime<Utc>) -> bool {
        match self.series().and_then(|series| series.next_after(after)) {
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

    /// True when it is due by the end of `moment`.
    pub(super) fn is_due_by(&self, moment: Moment) -> bool {
        let Some(due) = self.due_moment().map(|due| due.start(self.zone)) else {
            return false;
        };
        match moment {
            Moment::Instant(at) => due <= at,
            Moment::Day(day) => due.with_timezone(&self.zone).date_naive() <= day,
        }
    }
}

impl Record for Task {
    const TABLE: Table = Table::Tasks;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Task {
    const NOUN: &'static str = "task";

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn body(&self) -> String {
        self.description.clone().unwrap_or_default()
    }

    fn label(&self, scene: &Scene) -> String {
        match self.due_moment() {
            Some(due) => format!("{} — {}", brief(&self.title), due.show(&scene.reference())),
            None => brief(&self.title),
        }
    }

    fn view(&self, _: &Scene) -> Value {
        let mut view = json!({
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "priority": self.priority,
            "deadline": self.deadline,
            "repeat": self.repeat,
            "status": self.status,
        });
        if let Some(view) = view.as_object_mut() {
            view.retain(|_, value| !value.is_null());
        }
        view
    }

    fn nearness(&self, scene: &Scene) -> (u8, i64) {
        let tier = match self.status {
            Status::Open => 0,
            Status::Done => 1,
        };
        let at = self.due_moment().map_or(self.created_at, |due| due.start(self.zone).to_utc());
        (tier, (at - scene.now).num_seconds().abs())
    }

    fn falls_into(&self, from: DateTime<Utc>, to: DateTime<Utc>, _: &Scene) -> bool {
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
