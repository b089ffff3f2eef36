//! Recurrence: how often something happens, beside when it begins.
//!
//! An hour and a rule are one sentence in two parameters, and are read together. Invariant: what is said of the
//! beginning is kept: a repetition that loses its clock or its day when both are read together is read alone, and
//! counts from that beginning.

use chrono::Duration;

use super::{Read, TimeContext, ask, settle_span};
use brain_language::language::time;
use brain_language::language::time::Grain;
use brain_services::services::contract::command::PastTimes;
use brain_services::services::contract::entry::ParamError;
use brain_services::services::contract::show::Moment;

/// `end`: of something that lasts; it ends when the words say, or the first time does.
pub(super) fn settle_repeat(
    repeat: &mut Option<String>,
    first: &mut Option<String>,
    end: Option<&mut Option<String>>,
    clock: &TimeContext<'_>,
) -> Result<(), ParamError> {
    let Some(words) = repeat.clone() else {
        return Ok(());
    };
    let lasts = end.is_some();
    let param = if lasts { "start_time" } else { "deadline" };
    let begin = match first.as_deref() {
        Some(text) => Some(clock.read(param, text)?.start_moment()),
        None => None,
    };
    let mut length_said = None;
    if words.contains("FREQ=") {
        *first = begin.map(Moment::store);
    } else {
        let said = first.as_deref().zip(begin);
        let together = said.map(|(first, begin)| (format!("{words} {first}"), begin));
        let together =
            together.filter(|(text, begin)| clock.read("repeat", text).is_ok_and(|read| keeps(&read, *begin)));
        // The beginning is in the words, or beside them.
        let (text, beside) = match together {
            Some((text, _)) => (text, None),
            None => (words, begin),
        };
        let begun = match clock.read("repeat", &text)? {
            // What began before it was read goes on with the next.
            Read::Repeats { first, .. } if first < clock.now.now => {
                TimeContext { reference: clock.now, ..*clock }.read("repeat", &text)?
            }
            other => other,
        };
        let Read::Repeats { first: at, rrule, grain, length } = begun else {
            return Err(ask("repeat", format!("I can't read “{text}” as something that repeats. How often?")));
        };
        let from_there = beside.and_then(|begin| from(begin, &rrule, clock));
        // Without a clock it is of days: what reminds then does so at the person's hour, never at midnight.
        let at =
            from_there.unwrap_or(if grain >= Grain::Day { Moment::Day(at.date_naive()) } else { Moment::Instant(at) });
        *repeat = Some(rrule);
        *first = Some(at.store());
        length_said = length.map(|length| Moment::Instant(at.start(clock.reference.zone) + length).store());
    }
    match end {
        Some(end) if end.is_some() => settle_span(clock, param, (first, end, None), PastTimes::Fine, None),
        Some(end) => {
            *end = length_said;
            Ok(())
        }
        None => Ok(()),
    }
}

/// Whether what was read together still begins where it was said to: neither earlier, nor at another time of day.
fn keeps(read: &Read, begin: Moment) -> bool {
    let Read::Repeats { first, grain, .. } = read else { return false };
    match begin {
        Moment::Day(day) => first.date_naive() >= day,
        Moment::Instant(at) => {
            *grain < Grain::Day && first.time() == at.time() && first.date_naive() >= at.date_naive()
        }
    }
}

/// The first time of a rule from this beginning on; `None` where that has passed.
fn from(begin: Moment, rrule: &str, clock: &TimeContext<'_>) -> Option<Moment> {
    let start = begin.start(clock.reference.zone);
    let first = time::next_occurrence(rrule, start, (start - Duration::seconds(1)).to_utc())?;
    let first = match begin {
        Moment::Day(_) if first.time() == start.time() => Moment::Day(first.date_naive()),
        Moment::Day(_) | Moment::Instant(_) => Moment::Instant(first),
    };
    let today = clock.now.now.with_timezone(&clock.reference.zone).date_naive();
    let is_ahead = match first {
        Moment::Instant(at) => at >= clock.now.now,
        Moment::Day(day) => day >= today,
    };
    is_ahead.then_some(first)
}
