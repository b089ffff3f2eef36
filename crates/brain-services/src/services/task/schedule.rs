//! When a task is due, repeats and reminds, as the parameters say.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use chrono_tz::Tz;

use super::record::Task;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::{Series, at_clock, instant};
use crate::services::helpers::texts;
use brain_core::core::notification::MORNING;
use brain_core::limits::REMINDERS_MAX;
use brain_language::language::offset::ReminderOffset;

/// Of a series that reminded less than this ago and was not answered, a new time means that reminder.
const JUST_RANG_SECS: i64 = 3_600;

pub(super) fn moment(text: &str, ctx: &RequestContext) -> Result<Moment, ServiceError> {
    Moment::read(text, ctx.zone)
        .ok_or_else(|| ServiceError::Refused(format!("I can't read the time “{}”.", texts::brief(text))))
}

/// When to remind, as a command says it: settled times in their stored form, durations in words or ISO 8601.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule<'a> {
    pub deadline: Option<&'a str>,
    pub repeat: Option<&'a str>,
    pub remind_before: Option<&'a [String]>,
    pub remind_at: Option<&'a [String]>,
    pub snooze: Option<&'a str>,
}

impl Schedule<'_> {
    /// Says nothing of when to remind.
    pub fn is_empty(&self) -> bool {
        self.deadline.is_none()
            && self.repeat.is_none()
            && self.remind_before.is_none()
            && self.remind_at.is_none()
            && self.snooze.is_none()
    }
}

/// Sets deadline, repetition and reminders.
pub(super) fn set(task: &mut Task, wanted: &Schedule<'_>, ctx: &RequestContext) -> Result<(), ServiceError> {
    if let Some(until) = texts::filled(wanted.snooze) {
        let until = match moment(&until, ctx)? {
            Moment::Day(day) => at_own_clock(task, day, ctx).to_utc(),
            Moment::Instant(at) => at.to_utc(),
        };
        snooze(task, until, ctx);
    }
    deadline(task, wanted, ctx)?;
    reminders(task, wanted, ctx)
}

/// The instant at which a time reminds.
fn at(text: &str, ctx: &RequestContext) -> Result<DateTime<Utc>, ServiceError> {
    Ok(match moment(text, ctx)? {
        Moment::Instant(at) => at.to_utc(),
        Moment::Day(day) => instant(ctx.zone, day.and_time(ctx.hour)).to_utc(),
    })
}

/// A day at the clock at which the task was due so far; without one, at the person's hour.
fn at_own_clock(task: &Task, day: NaiveDate, ctx: &RequestContext) -> DateTime<Tz> {
    let clock = match task.due_moment() {
        Some(Moment::Instant(at)) => at.with_timezone(&task.zone).time(),
        Some(Moment::Day(_)) | None => ctx.hour,
    };
    instant(ctx.zone, day.and_time(clock))
}

/// Moves the next time of a series to another day, at its clock: the others stay. A day on which or behind which the
/// series comes round anyway only leaves this one out.
fn move_once(task: &mut Task, rule: &str, day: NaiveDate, ctx: &RequestContext) -> Result<(), ServiceError> {
    let moved = at_own_clock(task, day, ctx);
    let refused = |bad| ServiceError::Refused(format!("{bad} Nothing was written."));
    let Some(due) = task.due_moment() else { return Ok(()) };
    if due.start(ctx.zone).date_naive() == day {
        return Ok(());
    }
    let first = task.anchor.as_deref().and_then(|anchor| Moment::read(anchor, task.zone)).unwrap_or(due);
    let series = Series::new(rule, first, task.zone).map_err(refused)?;
    let Some(next) = series.next_after(due.start(task.zone).to_utc()) else {
        task.snoozed = Some(moved.to_utc());
        return Ok(());
    };
    task.snoozed = Some(moved.to_utc()).filter(|_| day < next.start(task.zone).date_naive());
    task.deadline = Some(next.store());
    Ok(())
}

/// Puts off what reminded. A time that has passed is no plan any more: of a task that is due once, the
/// deadline itself moves; a series and a deadline ahead stay where they are.
fn snooze(task: &mut Task, until: DateTime<Utc>, ctx: &RequestContext) {
    task.chat = ctx.chat.clone();
    let is_over = task.reminds_at().is_none_or(|at| at <= ctx.now);
    if task.repeat.is_none() && is_over && task.also.iter().all(|at| *at <= ctx.now) {
        task.deadline = Some(Moment::Instant(until.with_timezone(&ctx.zone)).store());
        task.zone = ctx.zone;
        task.snoozed = None;
        // What was set before the old deadline has been told.
        task.before.clear();
    } else {
        task.snoozed = Some(until);
    }
}

fn deadline(task: &mut Task, wanted: &Schedule<'_>, ctx: &RequestContext) -> Result<(), ServiceError> {
    let deadline = match texts::filled(wanted.deadline) {
        Some(text) => Some(moment(&text, ctx)?),
        None => None,
    };
    let repeat = texts::filled(wanted.repeat);
    if deadline.is_none() && repeat.is_none() {
        return Ok(());
    }
    task.chat = ctx.chat.clone();
    let just_rang = task.reminded_at.is_some_and(|at| ctx.now - at <= Duration::seconds(JUST_RANG_SECS));
    if let (None, Some(until), true) = (&repeat, deadline, just_rang && task.is_unanswered()) {
        // The reminder that waits for an answer is put off; the repetition stays as it is.
        task.snoozed = Some(at(&until.store(), ctx)?);
        return Ok(());
    }
    let deadline = match (deadline, &repeat, task.repeat.clone()) {
        (Some(Moment::Day(day)), None, Some(rule)) => return move_once(task, &rule, day, ctx),
        // What is moved to another day keeps its hour.
        (Some(Moment::Day(day)), None, None) if matches!(task.due_moment(), Some(Moment::Instant(_))) => {
            Some(Moment::Instant(at_own_clock(task, day, ctx)))
        }
        (deadline, _, _) => deadline,
    };
    task.zone = ctx.zone;
    task.hour = Some(ctx.hour).filter(|hour| *hour != MORNING);
    task.reminded_at = None;
    task.snoozed = None;
    if let Some(repeat) = repeat {
        return series(task, repeat, deadline, ctx);
    }
    if let (Some(rule), Some(Moment::Instant(at))) = (&task.repeat, deadline) {
        task.repeat = Some(at_clock(rule, at.time()));
    }
    task.deadline = deadline.map(Moment::store);
    task.anchor = task.repeat.as_ref().and(task.deadline.clone());
    Ok(())
}

/// A repetition counts from its first time, which has to match it and lie ahead.
fn series(task: &mut Task, rule: String, first: Option<Moment>, ctx: &RequestContext) -> Result<(), ServiceError> {
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let known = first.or_else(|| task.due_moment());
    let start = known.unwrap_or_else(|| Moment::Instant(instant(ctx.zone, today.and_time(ctx.hour))));
    let before_start = start.start(ctx.zone).to_utc() - Duration::seconds(1);
    let after = match first {
        // Of a day whose hour has passed the next one reminds.
        Some(Moment::Day(day)) if instant(ctx.zone, day.and_time(ctx.hour)) <= ctx.now => {
            before_start + Duration::seconds(1)
        }
        Some(_) => before_start,
        None => before_start.max(ctx.now),
    };
    let (_, next) = Series::begun(&rule, start, ctx.zone, after)
        .map_err(|bad| ServiceError::Refused(format!("{bad} Nothing was written.")))?;
    task.anchor = Some(start.store());
    task.deadline = Some(next.store());
    task.repeat = Some(rule);
    Ok(())
}

/// The times it reminds at besides its deadline. A list replaces the one there was.
fn reminders(task: &mut Task, wanted: &Schedule<'_>, ctx: &RequestContext) -> Result<(), ServiceError> {
    if let Some(leads) = list(wanted.remind_before) {
        let bad = |bad: brain_language::language::offset::OffsetError| {
            ServiceError::Refused(format!("{bad} Nothing was written."))
        };
        let mut leads =
            leads.iter().map(|lead| lead.parse().map_err(bad)).collect::<Result<Vec<ReminderOffset>, _>>()?;
        leads.sort();
        leads.dedup();
        if !leads.is_empty() && task.due_moment().is_none() {
            return Err(ServiceError::Refused(
                "A reminder before something needs the time of it. When is it?".to_owned(),
            ));
        }
        task.before = leads;
        task.chat = ctx.chat.clone();
    }
    if let Some(times) = list(wanted.remind_at) {
        let mut times = times.iter().map(|time| at(time, ctx)).collect::<Result<Vec<_>, _>>()?;
        times.sort();
        times.dedup();
        task.also = times;
        task.chat = ctx.chat.clone();
    }
    if task.before.len() + task.also.len() > REMINDERS_MAX {
        return Err(ServiceError::Refused(format!(
            "One task can have {REMINDERS_MAX} reminders besides its own at most; nothing was written."
        )));
    }
    Ok(())
}

/// `["none"]` empties a list.
fn list(entries: Option<&[String]>) -> Option<Vec<String>> {
    let entries = entries?.iter().map(|entry| entry.trim()).filter(|entry| !entry.is_empty());
    Some(entries.filter(|entry| !entry.eq_ignore_ascii_case("none")).map(str::to_owned).collect())
}
