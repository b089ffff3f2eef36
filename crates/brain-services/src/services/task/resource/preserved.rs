//! What stays of the record that was known here: all that a resource has no place for.
//!
//! A series moves on here when it reminds, there when somebody ticks it. So its lines may be behind the record, and
//! still say the same: the time that reminded waits to be ticked. Nor does a resource keep what a series counted from
//! at first: its start moves along. Both are told by comparing the series.

use chrono::{DateTime, Utc};

use super::read::as_known;
use super::when::{TodoTimes, is_occurrence};
use crate::services::contract::show::Moment;
use crate::services::task::record::{Task, TaskStatus};

/// Makes the task that was read the one that is kept. `modified`: when it was last changed there.
pub(super) fn settle(
    task: &mut Task,
    times: &TodoTimes,
    held: Option<&Task>,
    modified: DateTime<Utc>,
    now: DateTime<Utc>,
) {
    let was_done = held.and_then(|held| held.done_at);
    let is_open_series = task.status == TaskStatus::Open && task.repeat.is_some();
    task.done_at = match task.done_at {
        Some(done) if is_open_series => Some(was_done.map_or(done, |was| as_known(done, Some(was)).max(was))),
        Some(done) => Some(as_known(done, was_done)),
        None if task.status == TaskStatus::Done => {
            let known = held.filter(|held| held.status == TaskStatus::Done).and(was_done);
            Some(known.unwrap_or(modified))
        }
        None if is_open_series => was_done,
        None => None,
    };
    if is_open_series {
        match held.filter(|held| is_same_series(held, task)) {
            Some(held) => goes_on(task, times, held, modified, now),
            None => passes(task, times, now),
        }
    }
    if task.repeat.is_none() || task.status == TaskStatus::Done {
        single(task, held);
    }
}

/// A task without further times.
fn single(task: &mut Task, held: Option<&Task>) {
    let Some(held) = held else { return };
    let are_done = held.status == TaskStatus::Done && task.status == TaskStatus::Done;
    if are_done && held.repeat.is_none() && task.repeat.is_some() {
        // The last time of a series.
        (task.repeat, task.anchor) = (None, None);
        (task.deadline, task.zone) = (held.deadline.clone(), held.zone);
    }
    let ours = |task: &Task| Some((task.due_moment()?, task.due_moment()?.start(task.zone).to_utc()));
    let is_same = match (ours(task), ours(held)) {
        (Some((Moment::Instant(_), at)), Some((Moment::Instant(_), known))) => at == known,
        (Some((day, _)), Some((known, _))) => day == known,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    if is_same {
        task.deadline.clone_from(&held.deadline);
        task.zone = held.zone;
        task.reminded_at = held.reminded_at;
        task.snoozed = held.snoozed.filter(|_| held.status == task.status);
    }
}

/// Whether what was read goes on as the record does: by the same rule, from one of its times, as often as is left.
fn is_same_series(held: &Task, read: &Task) -> bool {
    let (Some(known), Some(rule)) = (&held.repeat, &read.repeat) else { return false };
    if held.zone != read.zone || uncounted(known) != uncounted(rule) {
        return false;
    }
    if held.anchor == read.anchor {
        return count(known) == count(rule);
    }
    let (Some(series), Some(anchor)) = (held.series(), moment_of(read.anchor.as_deref(), read)) else { return false };
    let gone = || series.count(anchor);
    let is_left = match (count(known), count(rule)) {
        (None, None) => true,
        (Some(all), Some(left)) => left == all.saturating_sub(gone()).max(1),
        (Some(_), None) | (None, Some(_)) => false,
    };
    is_left && is_occurrence(&series, anchor, held.zone)
}

fn moment_of(text: Option<&str>, task: &Task) -> Option<Moment> {
    Moment::read(text?, task.zone)
}

/// The same series as before: it stands where it stood, was ticked elsewhere, or set back.
fn goes_on(task: &mut Task, times: &TodoTimes, held: &Task, modified: DateTime<Utc>, now: DateTime<Utc>) {
    task.repeat.clone_from(&held.repeat);
    task.anchor.clone_from(&held.anchor);
    let (Some(there), Some(here)) = (task.due_moment(), held.due_moment()) else { return };
    let [at, known] = [there, here].map(|moment| moment.start(task.zone).to_utc());
    let has_reminded = held.reminded_at.is_some_and(|reminded| reminded >= task.instant_of(there));
    let is_behind = at < known && (has_reminded || held.snoozed.is_some());
    if is_behind || (at == known && !held.is_unanswered()) {
        task.deadline.clone_from(&held.deadline);
        (task.reminded_at, task.snoozed) = (held.reminded_at, held.snoozed);
        return;
    }
    if at >= known {
        let done = held.reminded_at.map_or(modified, |reminded| reminded.max(modified));
        task.done_at = task.done_at.map_or(Some(done), |known| Some(known.max(done)));
        task.reminded_at = held.reminded_at;
    }
    passes(task, times, now);
}

/// A series whose time has passed before anybody here knew of it waits to be ticked, as if it had reminded.
fn passes(task: &mut Task, times: &TodoTimes, now: DateTime<Utc>) {
    let Some(first) = task.due_moment() else { return };
    let reminds = task.instant_of(first);
    if reminds > now {
        return;
    }
    let came = task.came(reminds, now).last().copied().unwrap_or(reminds);
    if !task.advance(now) {
        return;
    }
    match times.open_from(task.due_moment()) {
        Some((_, due)) => {
            task.deadline = Some(due.store());
            task.reminded_at = Some(came);
        }
        None => {
            (task.repeat, task.anchor) = (None, None);
            task.deadline = Some(first.store());
        }
    }
}

/// A rule but for its COUNT.
pub(super) fn uncounted(rule: &str) -> String {
    let rule = rule.trim().trim_start_matches("RRULE:").to_uppercase();
    rule.split(';').filter(|part| !part.starts_with("COUNT=") && !part.is_empty()).collect::<Vec<_>>().join(";")
}

/// Its COUNT.
pub(super) fn count(rule: &str) -> Option<usize> {
    rule.to_uppercase().split(';').find_map(|part| part.strip_prefix("COUNT=")?.trim().parse().ok())
}
