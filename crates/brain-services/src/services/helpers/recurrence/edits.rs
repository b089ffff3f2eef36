//! Changes of a rule as text: another time of day, an end, fewer occurrences, another day.

use chrono::{Datelike, Duration, NaiveDate, NaiveTime, Timelike};
use chrono_tz::Tz;

use super::{BadRule, wall_instant};
use crate::services::contract::show::Moment;

/// The rule with the time of day it names, if it names one, replaced.
pub(in crate::services) fn at_clock(rule: &str, clock: NaiveTime) -> String {
    let part = |part: &str| match part.split('=').next() {
        Some("BYHOUR") => format!("BYHOUR={}", clock.hour()),
        Some("BYMINUTE") => format!("BYMINUTE={}", clock.minute()),
        Some(_) | None => part.to_owned(),
    };
    rule.split(';').map(part).collect::<Vec<_>>().join(";")
}

/// The rule with a time of day of its own, where it would take that of its start.
pub(in crate::services) fn pinned(rule: &str, clock: NaiveTime) -> String {
    let parts = [("BYHOUR=", clock.hour()), ("BYMINUTE=", clock.minute()), ("BYSECOND=", clock.second())];
    let missing = parts.into_iter().filter(|(name, _)| !rule.contains(name));
    missing.fold(rule.to_owned(), |rule, (name, value)| format!("{rule};{name}{value}"))
}

/// The rule, ended before the occurrence that begins here.
pub(in crate::services) fn ended(rule: &str, before: Moment) -> String {
    let until = match before {
        Moment::Instant(at) => (at.to_utc() - Duration::seconds(1)).format("%Y%m%dT%H%M%SZ").to_string(),
        Moment::Day(day) => day.pred_opt().unwrap_or(day).format("%Y%m%d").to_string(),
    };
    let ends = |part: &&str| part.starts_with("UNTIL=") || part.starts_with("COUNT=");
    let kept: Vec<&str> = rule.split(';').filter(|part| !ends(part)).collect();
    format!("{};UNTIL={until}", kept.join(";"))
}

/// The rule, where `gone` of its occurrences are counted no more.
pub(in crate::services) fn counted(rule: &str, gone: usize) -> String {
    let part = |part: &str| match part.strip_prefix("COUNT=").and_then(|count| count.parse::<usize>().ok()) {
        Some(count) => format!("COUNT={}", count.saturating_sub(gone).max(1)),
        None => part.to_owned(),
    };
    rule.split(';').map(part).collect::<Vec<_>>().join(";")
}

/// An occurrence of a series that was moved as this one was.
pub(in crate::services) fn moved_along(of: Moment, was: Moment, becomes: Moment, zone: Tz) -> Moment {
    let local = |moment: Moment| moment.start(zone).naive_local();
    let days = (local(becomes).date() - local(was).date()).num_days();
    let day = local(of).date().checked_add_signed(Duration::days(days)).unwrap_or(local(of).date());
    match becomes {
        Moment::Instant(at) => Moment::Instant(wall_instant(zone, day.and_time(at.with_timezone(&zone).time()))),
        Moment::Day(_) => Moment::Day(day),
    }
}

/// Whether a rule on this one day of the month can follow its occurrence to another one.
fn moves_inside_month(day: &str, was: NaiveDate, becomes: NaiveDate) -> bool {
    let is_same_month = (was.year(), was.month()) == (becomes.year(), becomes.month());
    day == was.day().to_string() && is_same_month && becomes.day() <= 28
}

/// A series moved by as much as one of its occurrences: its new start and rule.
///
/// A rule on one weekday, or one day of the month, moves along; one on several fixed days can change its time of day only.
pub(in crate::services) fn moved_rule(
    rule: &str,
    first: Moment,
    was: Moment,
    becomes: Moment,
    zone: Tz,
) -> Result<(Moment, String), BadRule> {
    let local = |moment: Moment| moment.start(zone).naive_local();
    let days = (local(becomes).date() - local(was).date()).num_days();
    let new_date = local(first).date().checked_add_signed(Duration::days(days)).ok_or(BadRule::FixedDays)?;
    let (first, rule) = match becomes {
        Moment::Instant(at) => {
            let clock = at.with_timezone(&zone).time();
            (Moment::Instant(wall_instant(zone, new_date.and_time(clock))), at_clock(rule, clock))
        }
        Moment::Day(_) => (Moment::Day(new_date), rule.to_owned()),
    };
    if days == 0 {
        return Ok((first, rule));
    }
    let mut parts: Vec<String> = rule.split(';').map(str::to_owned).collect();
    for part in &mut parts {
        match part.split_once('=') {
            Some(("BYDAY", day)) if day.len() == 2 => {
                let weekday = local(becomes).date().weekday();
                *part = format!("BYDAY={}", weekday.to_string().to_uppercase().get(..2).unwrap_or(day));
            }
            // Inside its month, on a day that every month has.
            Some(("BYMONTHDAY", day)) if moves_inside_month(day, local(was).date(), local(becomes).date()) => {
                *part = format!("BYMONTHDAY={}", local(becomes).day());
            }
            Some(("BYMONTH", month))
                if month == local(becomes).month().to_string() && local(was).month() == local(becomes).month() => {}
            Some(("BYDAY" | "BYMONTHDAY" | "BYMONTH" | "BYYEARDAY" | "BYSETPOS" | "BYWEEKNO", _)) => {
                return Err(BadRule::FixedDays);
            }
            Some(_) | None => {}
        }
    }
    Ok((first, parts.join(";")))
}
