//! The orders in which tasks are asked for.

use chrono::{DateTime, Days, Duration, Utc};
use chrono_tz::Tz;

use super::record::{Task, TaskStatus};
use crate::services::contract::show::Moment;
use crate::services::remote::backend::origin_key;
use brain_core::ports::records::millis;
use brain_core::ports::secondary::readable;
use brain_core::ports::{Key, Secondary, Table};

/// The key of a task without a deadline; sorts behind all instants.
const NEVER: &str = "never";
/// Of open tasks; sorts before [`DONE`].
pub(super) const OPEN: &str = "open";
/// Of done ones.
pub(super) const DONE: &str = "past";
/// Of tasks that repeat.
pub(super) const REPEATING: &str = "repeating";
/// Of tasks that are due on a day, at no time of it.
const DAY: &str = "day";

/// Tasks by deadline, those without one last, then by age: owner, state, deadline, when it was made.
pub(super) static BY_DUE: Secondary = Secondary {
    name: "tasks_by_due",
    table: Table::Tasks,
    version: 1,
    keys: |_, stored| readable::<Task>(stored).map(|task| by_due(&task)).into_iter().collect(),
};

/// Open tasks that move with the person into another zone: owner, why.
pub(super) static FOLLOWING: Secondary = Secondary {
    name: "tasks_following",
    table: Table::Tasks,
    version: 1,
    keys: |_, stored| readable::<Task>(stored).as_ref().and_then(following).into_iter().collect(),
};

/// Tasks by where they come from.
pub(super) static BY_ORIGIN: Secondary =
    Secondary { name: "tasks_by_origin", table: Table::Tasks, version: 1, keys: origin_key::<Task> };

fn by_due(task: &Task) -> Key {
    let state = match task.status {
        TaskStatus::Open => OPEN,
        TaskStatus::Done => DONE,
    };
    let due = task.due_moment().map(|due| millis(due.start(task.zone).to_utc()));
    Key::of(&[task.owner.as_str(), state, due.as_deref().unwrap_or(NEVER), &millis(task.created_at)])
}

fn following(task: &Task) -> Option<Key> {
    let why = match (&task.repeat, task.due_moment()) {
        (Some(_), _) => REPEATING,
        (None, Some(Moment::Day(_))) => DAY,
        (None, Some(Moment::Instant(_)) | None) => return None,
    };
    (task.status == TaskStatus::Open).then(|| Key::of(&[task.owner.as_str(), why]))
}

/// Before every open task of `owner` that is due at `at` or later; without `at`, before those without a deadline.
pub(super) fn due_at(owner: &str, at: Option<DateTime<Utc>>) -> Key {
    Key::of(&[owner, OPEN, at.map(millis).as_deref().unwrap_or(NEVER)])
}

/// Before every task of `owner` in this state that is due later than `moment`, or than that day.
pub(super) fn due_behind(owner: &str, state: &str, moment: Moment, zone: Tz) -> Key {
    let end = match moment {
        Moment::Instant(at) => at.to_utc() + Duration::milliseconds(1),
        Moment::Day(day) => Moment::Day(day.checked_add_days(Days::new(1)).unwrap_or(day)).start(zone).to_utc(),
    };
    Key::of(&[owner, state, &millis(end)])
}
