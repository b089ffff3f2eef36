//! Tasks on an agenda, and in another zone.

use chrono::{DateTime, NaiveTime, Utc};
use chrono_tz::Tz;

use super::record::{Task, TaskStatus};
use crate::services::contract::service::{AgendaItem, AgendaKind};
use crate::services::contract::show::Moment;
use crate::services::helpers::items::Item;
use crate::services::helpers::recurrence::{instant, pinned};
use brain_core::limits::RECURRENCE_STEPS_MAX;

/// The line of a task that is due once, if it is.
pub(super) fn item(kind: AgendaKind, task: &Task) -> Option<AgendaItem> {
    Some(at(kind, task, task.due_moment()?))
}

fn at(kind: AgendaKind, task: &Task, moment: Moment) -> AgendaItem {
    AgendaItem {
        id: task.id.clone(),
        kind,
        at: moment.start(task.zone).to_utc(),
        until: None,
        whole_day: matches!(moment, Moment::Day(_)),
        title: task.title.clone(),
        place: None,
        untrusted: task.untrusted(),
    }
}

/// When an open task that repeats is due in `from..to`: what is to come, and the time that rang and waits to be marked
/// as done.
pub(super) fn items_of_series(task: &Task, from: DateTime<Utc>, to: DateTime<Utc>) -> Vec<AgendaItem> {
    let Some((series, due)) = task.series().zip(task.due_moment()) else {
        return Vec::new();
    };
    let next = due.start(task.zone).to_utc();
    let waiting = series.last_before(next).filter(|_| task.is_unanswered());
    let waiting = waiting.filter(|at| (from..to).contains(&at.start(task.zone).to_utc()));
    let to_come = series.between(from.max(next), to, RECURRENCE_STEPS_MAX);
    waiting.into_iter().chain(to_come).map(|moment| at(AgendaKind::Task, task, moment)).collect()
}

/// The task where the person lives from now on, if it follows them there: what repeats keeps its time of day,
/// and a day stays that day. What was set for one instant stays at it, and so does what counts hours.
///
/// Times of a series that have come and are still to be told (quiet hours hold them) stay where they were; the
/// series moves on from them. What an account keeps goes by the zone that is written there.
pub(super) fn rezoned(task: &Task, to: Tz, now: DateTime<Utc>) -> Option<Task> {
    let follows = task.repeat.is_some() || matches!(task.due_moment(), Some(Moment::Day(_)));
    if !follows || task.status == TaskStatus::Done || task.zone == to || task.origin.is_some() {
        return None;
    }
    let come = task.reminds_at().filter(|at| *at <= now);
    let task = match come {
        None => task.clone(),
        Some(at) => {
            let mut next = task.clone();
            if task.repeat.is_none() || !next.advance(now) {
                return None;
            }
            next.also.extend(task.came(at, now));
            next.also.push(at);
            next.also.sort();
            next.also.dedup();
            next.reminded_at = Some(now);
            next
        }
    };
    let elapsed = task.series().is_some_and(|series| series.is_elapsed());
    let there = |text: &str| match Moment::read(text, task.zone)? {
        Moment::Instant(at) if elapsed => Some(Moment::Instant(at.with_timezone(&to)).store()),
        Moment::Instant(at) => Some(Moment::Instant(instant(to, at.naive_local())).store()),
        Moment::Day(day) => Some(Moment::Day(day).store()),
    };
    let deadline = task.deadline.as_deref().and_then(there);
    let anchor = task.anchor.as_deref().and_then(there);
    // A start that the clocks of the new zone skip must not become the time of all that follow.
    let repeat = task.repeat.as_deref().map(|rule| match clock_of(task.anchor.as_deref(), task.zone) {
        Some(clock) if !elapsed && clock_of(anchor.as_deref(), to) != Some(clock) => pinned(rule, clock),
        Some(_) | None => rule.to_owned(),
    });
    Some(Task { zone: to, deadline, anchor, repeat, ..task })
}

fn clock_of(moment: Option<&str>, zone: Tz) -> Option<NaiveTime> {
    match Moment::read(moment?, zone)? {
        Moment::Instant(at) => Some(at.time()),
        Moment::Day(_) => None,
    }
}
