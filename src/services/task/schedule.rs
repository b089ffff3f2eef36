//! When a task is due, repeats and reminds, as the parameters say.

use chrono::{DateTime, Duration, Utc};
use serde_json::Value;

use super::record::Task;
use crate::catalog::show::Moment;
use crate::core::lead::Lead;
use crate::core::plan::Params;
use crate::core::ring::MORNING;
use crate::limits::REMINDERS_MAX;
use crate::ports::{Scene, ServiceError};
use crate::services::recurrence::{Series, at_clock, instant};
use crate::services::texts;

/// Of a series that rang less than this ago and was not answered, a new time means that reminder.
const JUST_RANG_SECS: i64 = 3_600;

pub(super) fn moment(text: &str, scene: &Scene) -> Result<Moment, ServiceError> {
    Moment::read(text, scene.zone)
        .ok_or_else(|| ServiceError(format!("I can't read the time “{}”.", texts::brief(text))))
}

/// Do these say when to remind?
pub(super) fn is_set_by(params: &Params) -> bool {
    ["deadline", "repeat", "remind_before", "remind_at", "snooze"].iter().any(|time| params.contains_key(*time))
}

/// Sets deadline, repetition and reminders.
pub(super) fn set(task: &mut Task, params: &Params, scene: &Scene) -> Result<(), ServiceError> {
    if let Some(until) = texts::given(params, "snooze") {
        snooze(task, at(&until, scene)?, scene);
    }
    deadline(task, params, scene)?;
    reminders(task, params, scene)
}

/// The instant at which a time reminds.
fn at(text: &str, scene: &Scene) -> Result<DateTime<Utc>, ServiceError> {
    Ok(match moment(text, scene)? {
        Moment::Instant(at) => at.to_utc(),
        Moment::Day(day) => instant(scene.zone, day.and_time(MORNING)).to_utc(),
    })
}

/// Puts off what reminded. A time that has passed is no plan any more: of a task that is due once, the
/// deadline itself moves; a series and a deadline ahead stay where they are.
fn snooze(task: &mut Task, until: DateTime<Utc>, scene: &Scene) {
    task.chat = scene.chat.clone();
    let is_over = task.reminds_at().is_none_or(|at| at <= scene.now);
    if task.repeat.is_none() && is_over && task.also.iter().all(|at| *at <= scene.now) {
        task.deadline = Some(Moment::Instant(until.with_timezone(&scene.zone)).store());
        task.zone = scene.zone;
        task.snoozed = None;
        // What was set before the old deadline has been told.
        task.before.clear();
    } else {
        task.snoozed = Some(until);
    }
}

fn deadline(task: &mut Task, params: &Params, scene: &Scene) -> Result<(), ServiceError> {
    let deadline = match texts::given(params, "deadline") {
        Some(text) => Some(moment(&text, scene)?),
        None => None,
    };
    let repeat = texts::given(params, "repeat");
    if deadline.is_none() && repeat.is_none() {
        return Ok(());
    }
    task.chat = scene.chat.clone();
    let just_rang = task.reminded_at.is_some_and(|at| scene.now - at <= Duration::seconds(JUST_RANG_SECS));
    if let (None, Some(until), true) = (&repeat, deadline, just_rang && task.is_unanswered()) {
        // The reminder that waits for an answer is put off; the repetition stays as it is.
        task.snoozed = Some(at(&until.store(), scene)?);
        return Ok(());
    }
    task.zone = scene.zone;
    task.reminded_at = None;
    task.snoozed = None;
    if let Some(repeat) = repeat {
        return series(task, repeat, deadline, scene);
    }
    if let (Some(rule), Some(Moment::Instant(at))) = (&task.repeat, deadline) {
        task.repeat = Some(at_clock(rule, at.time()));
    }
    task.deadline = deadline.map(Moment::store);
    task.anchor = task.repeat.as_ref().and(task.deadline.clone());
    Ok(())
}

/// A repetition counts from its first time, which has to match it and lie ahead.
fn series(task: &mut Task, rule: String, first: Option<Moment>, scene: &Scene) -> Result<(), ServiceError> {
    let today = scene.now.with_timezone(&scene.zone).date_naive();
    let known = first.or_else(|| task.due_moment());
    let start = known.unwrap_or_else(|| Moment::Instant(instant(scene.zone, today.and_time(MORNING))));
    let series =
        Series::new(&rule, start, scene.zone).map_err(|bad| ServiceError(format!("{bad} Nothing was written.")))?;
    let before_start = start.start(scene.zone).to_utc() - Duration::seconds(1);
    let after = match first {
        Some(_) => before_start,
        None => before_start.max(scene.now),
    };
    let next = series
        .next_after(after)
        .ok_or_else(|| ServiceError("That repetition never comes round; nothing was written.".to_owned()))?;
    task.anchor = Some(start.store());
    task.deadline = Some(next.store());
    task.repeat = Some(rule);
    Ok(())
}

/// The times it reminds at besides its deadline. A list replaces the one there was.
fn reminders(task: &mut Task, params: &Params, scene: &Scene) -> Result<(), ServiceError> {
    if let Some(leads) = list(params, "remind_before") {
        let bad = |bad: crate::core::lead::BadLead| ServiceError(format!("{bad} Nothing was written."));
        let mut leads = leads.iter().map(|lead| lead.parse().map_err(bad)).collect::<Result<Vec<Lead>, _>>()?;
        leads.sort();
        leads.dedup();
        if !leads.is_empty() && task.due_moment().is_none() {
            return Err(ServiceError("A reminder before something needs the time of it. When is it?".to_owned()));
        }
        task.before = leads;
        task.chat = scene.chat.clone();
    }
    if let Some(times) = list(params, "remind_at") {
        let mut times = times.iter().map(|time| at(time, scene)).collect::<Result<Vec<_>, _>>()?;
        times.sort();
        times.dedup();
        task.also = times;
        task.chat = scene.chat.clone();
    }
    if task.before.len() + task.also.len() > REMINDERS_MAX {
        return Err(ServiceError(format!(
            "One task can have {REMINDERS_MAX} reminders besides its own at most; nothing was written."
        )));
    }
    Ok(())
}

/// `["none"]` empties a list.
fn list(params: &Params, name: &str) -> Option<Vec<String>> {
    let entries = params.get(name)?.as_array()?.iter().filter_map(Value::as_str);
    let entries: Vec<String> = entries.map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()).collect();
    Some(entries.into_iter().filter(|entry| !entry.eq_ignore_ascii_case("none")).collect())
}
