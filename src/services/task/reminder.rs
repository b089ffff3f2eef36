//! What is told when a task falls due, and what becomes of it.

use chrono::{DateTime, Days, Duration, Utc};

use super::record::{MORNING, Status, Task};
use crate::core::button::{Button, Press};
use crate::core::text::{shorten, visible};
use crate::core::turn::Reply;
use crate::ports::{Record, Scene};
use crate::records::Due;
use crate::services::recurrence::instant;

/// A reminder this late says so.
const LATE_SECS: i64 = 90;
/// Characters of the details that a reminder shows.
const DETAILS_CHARS: usize = 300;

/// The reminder, if it still matters, and the task as it is afterwards, if that differs.
pub(super) fn remind(task: &Task, due: &Due, scene: &Scene) -> (Option<Reply>, Option<Task>) {
    if task.status == Status::Done {
        return (None, None);
    }
    let is_own = task.reminds_at() == Some(due.at);
    if !is_own && is_stale(task, due) {
        return (None, None);
    }
    let reply = reply(task, due, scene);
    if !is_own || task.repeat.is_none() {
        return (Some(reply), None);
    }
    let mut next = task.clone();
    next.reminded_at = Some(scene.now);
    next.advance(due.at.max(scene.now));
    (Some(reply), Some(next))
}

/// A snoozed reminder no longer matters when what it was about was done or moved.
fn is_stale(task: &Task, due: &Due) -> bool {
    if task.repeat.is_some() {
        return !task.is_unanswered();
    }
    task.reminds_at().is_none_or(|at| at > due.at)
}

fn reply(task: &Task, due: &Due, scene: &Scene) -> Reply {
    let mut text = format!("⏰ {}", visible(&task.title));
    let late = scene.now - due.at;
    if late > Duration::seconds(LATE_SECS) {
        text.push_str(&format!(", late by {}", span(late)));
    }
    if let Some(details) = &task.description {
        text.push_str(&format!("\n{}", visible(&shorten(details, DETAILS_CHARS))));
    }
    let snooze = |label: &str, minutes: i64| {
        let minutes = u32::try_from(minutes).unwrap_or(u32::MAX);
        Button::new(label, &Press::Snooze { due: task.id.clone(), minutes })
    };
    Reply {
        text,
        buttons: vec![
            vec![snooze("💤 10 min", 10), snooze("💤 1 h", 60), snooze("💤 Tomorrow", minutes_to_morning(scene))],
            vec![Button::new("✅ Done", &Press::Done(task.id.clone()))],
        ],
        card: None,
        reminder: Some(due.key().as_str().to_owned()),
    }
}

/// Minutes until tomorrow morning.
fn minutes_to_morning(scene: &Scene) -> i64 {
    let today = scene.now.with_timezone(&scene.zone).date_naive();
    let Some(tomorrow) = today.checked_add_days(Days::new(1)) else {
        return 24 * 60;
    };
    let morning: DateTime<Utc> = instant(scene.zone, tomorrow.and_time(MORNING)).to_utc();
    (morning - scene.now).num_seconds().div_euclid(60)
}

/// `12 min`, `3 h`, `2 days`.
fn span(late: Duration) -> String {
    match (late.num_minutes(), late.num_hours(), late.num_days()) {
        (minutes, 0, _) => format!("{minutes} min"),
        (_, hours, 0 | 1) => format!("{hours} h"),
        (_, _, days) => format!("{days} days"),
    }
}
