//! A task as cards, receipts and lists see it.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};

use super::offsets::due;
use super::record::{Priority, Task, TaskStatus};
use crate::services::contract::context::RequestContext;
use crate::services::contract::show::{self, Moment};
use crate::services::helpers::items::Item;
use crate::services::helpers::offsets::also;
use crate::services::helpers::recurrence::instant;
use brain_core::core::history::ItemRef;
use brain_core::core::notification::MORNING;
use brain_language::language::time::Reference;

/// A task at one moment; reminders that have come are left out. Times are stored forms (see [`Moment::store`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskView {
    /// What `find_by` must hold to mean it.
    pub id: String,
    /// One line.
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// The value of an RRULE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
    /// ISO 8601 durations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remind_before: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remind_at: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snoozed: Option<String>,
    pub status: TaskStatus,
    /// The hour at which a day of it reminds; `None`: the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<NaiveTime>,
}

impl TaskView {
    /// The task at the moment of `ctx`.
    pub(super) fn of(task: &Task, ctx: &RequestContext) -> Self {
        let stored = |at: DateTime<Utc>| Moment::Instant(at.with_timezone(&task.zone)).store();
        Self {
            id: task.id.clone(),
            title: task.title.clone(),
            description: task.description.clone(),
            priority: task.priority,
            deadline: task.deadline.clone(),
            repeat: task.repeat.clone(),
            remind_before: task.before.iter().map(ToString::to_string).collect(),
            remind_at: task.also.iter().filter(|at| **at > ctx.now).map(|at| stored(*at)).collect(),
            snoozed: task.snoozed.filter(|at| *at > ctx.now).map(stored),
            status: task.status,
            hour: task.hour,
        }
    }

    /// When it is due, and how it repeats; empty when never.
    pub fn due(&self, reference: &Reference) -> String {
        due(self.deadline.as_deref(), self.repeat.as_deref(), reference)
    }

    /// At which hour it reminds when only a day was said, or that this hour is over; empty otherwise.
    pub fn hour_taken(&self, reference: &Reference) -> String {
        let day = self.deadline.as_deref().and_then(|deadline| deadline.parse::<NaiveDate>().ok());
        let Some(day) = day else { return String::new() };
        let hour = self.hour.unwrap_or(MORNING);
        match instant(reference.zone, day.and_time(hour)) > reference.now {
            true => hour.format(" at %H:%M").to_string(),
            false => " (it is too late in the day for me to ring)".to_owned(),
        }
    }

    /// When it reminds besides; empty when never.
    pub fn also(&self, reference: &Reference) -> String {
        also(Some(&self.remind_before), Some(&self.remind_at), reference)
    }

    /// As one line of a list.
    pub fn line(&self, reference: &Reference) -> String {
        let mark = if self.status == TaskStatus::Done { "✅" } else { "▫️" };
        let urgent = if self.priority == Some(Priority::High) { "❗ " } else { "" };
        let mut line = format!("{mark} {urgent}{}", self.title);
        let (when, also) = (self.due(reference), self.also(reference));
        if !when.is_empty() {
            line.push_str(&format!(" — {when}"));
        }
        if !also.is_empty() {
            line.push_str(&format!(" (also {also})"));
        }
        if let Some(at) = &self.snoozed {
            line.push_str(&format!(" (again {})", show::time(at, reference)));
        }
        line
    }

    /// As conversation refers to it.
    pub fn named(&self) -> ItemRef {
        ItemRef { id: self.id.clone(), label: self.title.clone() }
    }
}

/// What becomes of a reminder in the person's quiet hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuietHours {
    /// The person named this very time.
    Rings,
    /// It waits until they end.
    Waits,
}

/// What a command made of a task.
#[derive(Debug, Serialize, Deserialize)]
pub struct TaskChanged {
    /// Afterwards; of a deleted one, before.
    pub task: TaskView,
    /// When one of its reminders lies in quiet hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHours>,
    /// What of it stays here, as its task list has no place for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_here: Option<String>,
}

impl TaskChanged {
    /// What is told of a task that was changed.
    pub(super) fn told(ctx: &RequestContext, quiet: Option<QuietHours>) -> impl FnOnce(&Task) -> Self + Send + 'static {
        let ctx = ctx.clone();
        move |task| Self { task: task.view(&ctx), quiet, kept_here: None }
    }

    /// The same, and what of it stays here.
    pub(super) fn told_beside(
        ctx: &RequestContext,
        quiet: Option<QuietHours>,
        kept_here: Option<&str>,
    ) -> impl FnOnce(&Task) -> Self + Send + 'static {
        let (told, kept_here) = (Self::told(ctx, quiet), kept_here.map(str::to_owned));
        move |task| Self { kept_here, ..told(task) }
    }

    /// What a receipt adds about quiet hours.
    pub fn quiet_note(&self) -> &'static str {
        match self.quiet {
            Some(QuietHours::Rings) => "\nThat is in your quiet hours; I'll still ring.",
            Some(QuietHours::Waits) => "\nThat is in your quiet hours; it will wait until they end.",
            None => "",
        }
    }

    /// What a receipt adds about what a task list does not keep.
    pub(super) fn place_note(&self) -> String {
        self.kept_here.as_ref().map(|note| format!("\n{note}")).unwrap_or_default()
    }
}

/// A time on a card, when there was none.
pub(super) fn or_dash(text: &str) -> &str {
    if text.is_empty() { "no time" } else { text }
}
