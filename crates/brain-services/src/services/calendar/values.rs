//! From the parameters of a calendar command to values: moments, spans, attendees, a new time for an event.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};

use super::free::ClockTimes;
use super::occurrence::{Occurrence, exclusive};
use super::record::Event;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::{Series, instant, moved_rule};
use crate::services::helpers::texts;
use brain_core::limits::RECIPIENTS_MAX;

/// Days that are looked at when none were said.
pub(super) const DAYS: i64 = 7;
/// Length of an event whose end was not said.
const HOUR: Duration = Duration::hours(1);

/// What is looked at.
pub(super) struct Frame {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    pub clock_times: ClockTimes,
}

pub(super) fn moment(text: &str, ctx: &RequestContext) -> Result<Moment, ServiceError> {
    Moment::read(text, ctx.zone)
        .ok_or_else(|| ServiceError::Refused(format!("I can't read the time “{}”.", texts::brief(text))))
}

pub(super) fn optional(text: Option<&str>, ctx: &RequestContext) -> Result<Option<Moment>, ServiceError> {
    texts::filled(text).map(|text| moment(&text, ctx)).transpose()
}

/// The end of an event: one that begins at a time and ends nowhere takes an hour.
pub(super) fn with_end(start: Option<&str>, end: Option<String>, ctx: &RequestContext) -> Option<String> {
    let start = texts::filled(start).and_then(|text| Moment::read(&text, ctx.zone));
    match (texts::filled(end.as_deref()), start) {
        (None, Some(Moment::Instant(start))) => Some(Moment::Instant(start.checked_add_signed(HOUR)?).store()),
        (end, _) => end,
    }
}

pub(super) fn check_order(start: Moment, end: Option<Moment>, ctx: &RequestContext) -> Result<(), ServiceError> {
    match end {
        Some(end) if end.start(ctx.zone) < start.start(ctx.zone) => {
            Err(ServiceError::Refused("It would end before it starts; nothing was written.".to_owned()))
        }
        Some(_) | None => Ok(()),
    }
}

/// Those who are invited already, and those who are invited now.
pub(super) fn attendees(mut invited: Vec<String>, more: &[String]) -> Result<Vec<String>, ServiceError> {
    for one in texts::filled_all(more) {
        if !invited.contains(&one) {
            invited.push(one);
        }
    }
    if invited.len() > RECIPIENTS_MAX {
        return Err(ServiceError::Refused(format!(
            "I can invite {RECIPIENTS_MAX} people at most; nothing was written."
        )));
    }
    Ok(invited)
}

/// When what took place at `was` takes place after it was given a new start or end: it keeps its length.
pub(super) fn new_times(
    was: &Occurrence,
    start: Option<Moment>,
    end: Option<Moment>,
    ctx: &RequestContext,
) -> Result<(Moment, Option<Moment>), ServiceError> {
    let begins = start.unwrap_or(was.start);
    let length = was.to - was.from;
    let ends = match (end, begins) {
        (Some(end), _) => Some(exclusive(begins, end)),
        (None, Moment::Instant(at)) if !was.is_whole_day() => at.checked_add_signed(length).map(Moment::Instant),
        (None, Moment::Instant(at)) => at.checked_add_signed(HOUR).map(Moment::Instant),
        (None, Moment::Day(_)) if start.is_none() => was.end,
        (None, Moment::Day(_)) => None,
    };
    check_order(begins, ends, ctx)?;
    Ok((begins, ends))
}

/// Moves an event; of a series, all of it by as much as the occurrence that was shown.
pub(super) fn reschedule(
    event: &mut Event,
    was: &Occurrence,
    start: Option<Moment>,
    end: Option<Moment>,
    ctx: &RequestContext,
) -> Result<(), ServiceError> {
    let (begins, ends) = new_times(was, start, end, ctx)?;
    let Some(rule) = event.recurrence.clone() else {
        event.start_time = begins.store();
        event.end_time = ends.map(Moment::store);
        event.zone = ctx.zone;
        return Ok(());
    };
    let unreadable = || ServiceError::Refused("I can't read when that event is; nothing was changed.".to_owned());
    let first = event.first().ok_or_else(unreadable)?;
    let (first, rule) = moved_rule(&rule, first, was.of, begins, event.zone)
        .map_err(|bad| ServiceError::Refused(format!("{bad} Nothing was changed.")))?;
    let length = ends.map(|ends| ends.start(ctx.zone) - begins.start(ctx.zone));
    event.end_time = length.and_then(|length| later(first, length)).map(Moment::store);
    event.start_time = first.store();
    event.recurrence = Some(rule);
    event.exceptions_moved(was.of, begins);
    Ok(())
}

/// Makes an event repeat by another rule, or, without one, take place once: the time that was shown. What was known of
/// single times of a series that ends is known of none of the new one.
pub(super) fn repeat_so(
    event: &mut Event,
    was: &Occurrence,
    rule: Option<String>,
    (start, end): (Option<Moment>, Option<Moment>),
    ctx: &RequestContext,
) -> Result<(), ServiceError> {
    // A series that stays where it is is another one from its beginning on.
    let from_first = rule.is_some() && start.is_none() && end.is_none();
    let first = event.first().filter(|_| from_first).and_then(|first| event.occurrence_of(first, ctx.zone));
    let (begins, ends) = new_times(first.as_ref().unwrap_or(was), start, end, ctx)?;
    let length = ends.map(|ends| ends.start(ctx.zone) - begins.start(ctx.zone));
    let begins = match &rule {
        Some(rule) => {
            let before_start = begins.start(ctx.zone).to_utc() - Duration::seconds(1);
            let begun = Series::begun(rule, begins, ctx.zone, before_start);
            begun.map_err(|bad| ServiceError::Refused(format!("{bad} Nothing was changed.")))?.1
        }
        None => begins,
    };
    event.start_time = begins.store();
    event.end_time = length.and_then(|length| later(begins, length)).map(Moment::store);
    event.recurrence = rule;
    event.also.clear();
    event.exceptions.clear();
    event.zone = ctx.zone;
    Ok(())
}

fn later(begins: Moment, by: Duration) -> Option<Moment> {
    match begins {
        Moment::Instant(at) => at.checked_add_signed(by).map(Moment::Instant),
        Moment::Day(day) => day.checked_add_signed(by).map(Moment::Day),
    }
}

/// The span that `from` and `to` name. A date means that local day; `to` is exclusive, but a span never ends
/// before the day or instant it begins with.
pub(super) fn frame(from: Option<&str>, to: Option<&str>, ctx: &RequestContext) -> Result<Frame, ServiceError> {
    let zone = ctx.zone;
    let (from, to) = (optional(from, ctx)?, optional(to, ctx)?);
    let midnight = |at: DateTime<Utc>| at.with_timezone(&zone).time() == NaiveTime::MIN;
    let day_after = |at: DateTime<Utc>| {
        let day = at.with_timezone(&zone).date_naive();
        let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
        instant(zone, next.and_time(NaiveTime::MIN)).to_utc()
    };
    let start = match (from, to) {
        (Some(from), _) => from.start(zone).to_utc(),
        // Until a time that was: the week before it.
        (None, Some(to)) if to.start(zone).to_utc() <= ctx.now => to.start(zone).to_utc() - Duration::days(DAYS),
        (None, _) => ctx.now,
    };
    let end = match (from, to.map(|to| to.start(zone).to_utc())) {
        (_, Some(to)) if to > start => to,
        (None, _) => start + Duration::days(DAYS),
        (Some(_), _) => day_after(start),
    };
    let is_clock = |moment: Option<Moment>| match moment {
        Some(Moment::Instant(at)) => !midnight(at.to_utc()),
        Some(Moment::Day(_)) | None => false,
    };
    let both = is_clock(from) && to.is_some() && end - start <= Duration::days(1);
    let clock_times = if both { ClockTimes::Said } else { ClockTimes::Unsaid };
    Ok(Frame { from: start, to: end, clock_times })
}
