//! Occurrences: when a rule happens next, and how it is told.
//!
//! Days and longer are counted on the local calendar: the wall clock of every occurrence is
//! computed first and made an instant last, so 9:00 stays 9:00 when the clocks change. Minutes and
//! hours are exact lengths of time.

use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use rrule::RRuleSet;

use super::zone::{LocalInstant, local_instant};

/// A rule that does not happen for so long is treated as one that never does.
const OCCURRENCES_MAX: usize = 100_000;
const RULE_BYTES_MAX: usize = 500;

/// The first occurrence after `after`, of a rule whose first occurrence is `first`. `None`: the
/// rule has ended, never happens, or is not an RFC 5545 rule.
pub fn next_occurrence(rrule: &str, first: DateTime<Tz>, after: DateTime<Utc>) -> Option<DateTime<Tz>> {
    let parts = RuleParts::read(rrule)?;
    let zone = first.timezone();
    let found = match parts.exact_step() {
        Some(step) => exact(&parts, first, after, step?),
        None => on_the_calendar(&parts, first, after, zone),
    }?;
    let ended = parts.until(zone).is_some_and(|until| found.to_utc() > until);
    (!ended).then_some(found)
}

/// The parts of a rule: "FREQ=WEEKLY;BYDAY=MO".
struct RuleParts<'a>(Vec<(&'a str, &'a str)>);

impl<'a> RuleParts<'a> {
    fn read(rrule: &'a str) -> Option<RuleParts<'a>> {
        if rrule.len() > RULE_BYTES_MAX {
            return None;
        }
        let parts = rrule.trim_start_matches("RRULE:").split(';').filter(|p| !p.is_empty());
        parts.map(|p| p.split_once('=')).collect::<Option<Vec<_>>>().map(RuleParts)
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(k, _)| *k == key).map(|(_, value)| *value)
    }

    fn number(&self, key: &str) -> Option<i64> {
        self.get(key)?.parse().ok()
    }

    /// For plain MINUTELY and HOURLY rules: the step, or `None` inside if it is out of bounds.
    fn exact_step(&self) -> Option<Option<Duration>> {
        let unit = match self.get("FREQ")? {
            "SECONDLY" => 1,
            "MINUTELY" => 60,
            "HOURLY" => 3600,
            _ => return None,
        };
        let interval = self.number("INTERVAL").unwrap_or(1);
        let seconds = (1..=1_000_000).contains(&interval).then_some(interval * unit);
        Some(seconds.map(Duration::seconds))
    }

    fn until(&self, zone: Tz) -> Option<DateTime<Utc>> {
        let text = self.get("UNTIL")?;
        let digits = text.trim_end_matches('Z');
        let local = NaiveDateTime::parse_from_str(digits, "%Y%m%dT%H%M%S")
            .or_else(|_| NaiveDateTime::parse_from_str(&format!("{digits}T235959"), "%Y%m%dT%H%M%S"))
            .ok()?;
        let utc = text.ends_with('Z');
        Some(if utc { local.and_utc() } else { local_instant(zone, local).earliest().to_utc() })
    }
}

fn exact(parts: &RuleParts, first: DateTime<Tz>, after: DateTime<Utc>, step: Duration) -> Option<DateTime<Tz>> {
    let steps =
        if after < first.to_utc() { 0 } else { (after - first.to_utc()).num_seconds() / step.num_seconds() + 1 };
    let allowed = parts.number("COUNT").is_none_or(|count| steps < count);
    let later = Duration::try_seconds(step.num_seconds().checked_mul(steps)?)?;
    if allowed { first.checked_add_signed(later) } else { None }
}

/// Occurrences are computed as if the wall clock were UTC: it knows no gaps.
fn on_the_calendar(parts: &RuleParts, first: DateTime<Tz>, after: DateTime<Utc>, zone: Tz) -> Option<DateTime<Tz>> {
    let wall = first.naive_local().with_nanosecond(0)?;
    let kept = parts.0.iter().filter(|(key, _)| *key != "UNTIL");
    let rule: Vec<String> = kept.map(|(key, value)| format!("{key}={value}")).collect();
    let text = format!("DTSTART:{}Z\nRRULE:{}", wall.format("%Y%m%dT%H%M%S"), rule.join(";"));
    // The engine cuts a weekday by bytes.
    let set: RRuleSet = Some(text).filter(|text| text.is_ascii())?.parse().ok()?;
    // A change of clocks moves an occurrence by hours: begin looking a day earlier.
    let from = after.with_timezone(&zone).naive_local().checked_sub_signed(Duration::days(1))?;
    let from = rrule::Tz::UTC.from_utc_datetime(&from);
    let occurrences = set.limit().into_iter().take(OCCURRENCES_MAX);
    occurrences
        .skip_while(|at| *at < from)
        .filter(|at| day_exists(zone, at.date_naive()))
        .map(|at| local_instant(zone, at.naive_utc()).earliest())
        .find(|at| at.to_utc() > after)
}

/// Samoa had no 30 December 2011: what is due every day was not due on it.
fn day_exists(zone: Tz, date: NaiveDate) -> bool {
    let noon = date.and_hms_opt(12, 0, 0);
    noon.is_none_or(|noon| !matches!(local_instant(zone, noon), LocalInstant::Gap { .. }))
}

/// "every weekday at 9:00": a rule in words. A rule beyond the grammar's own is told as it is.
pub fn describe_recurrence(rrule: &str) -> String {
    RuleParts::read(rrule).and_then(|parts| words(&parts)).unwrap_or_else(|| rrule.to_owned())
}

fn words(parts: &RuleParts) -> Option<String> {
    let every = parts.number("INTERVAL").unwrap_or(1);
    let unit = match parts.get("FREQ")? {
        "MINUTELY" => "minute",
        "HOURLY" => "hour",
        "DAILY" => "day",
        "WEEKLY" => "week",
        "MONTHLY" => "month",
        "YEARLY" => "year",
        _ => return None,
    };
    let known =
        ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYHOUR", "BYMINUTE", "BYSETPOS", "UNTIL", "COUNT"];
    if parts.0.iter().any(|(key, _)| !known.contains(key)) {
        return None;
    }
    // Only the working days of a month are counted so by the grammar.
    let counted = parts.get("BYDAY") == Some("MO,TU,WE,TH,FR") && unit == "month";
    if parts.get("BYSETPOS").is_some() && !counted {
        return None;
    }
    let step = match every {
        1 => format!("every {unit}"),
        2 => format!("every other {unit}"),
        n => format!("every {n} {unit}s"),
    };
    let mut text = match (parts.get("BYDAY"), unit) {
        (Some(days), "week") => weekly(days, every)?,
        (Some(day), _) => format!("on the {} {}", nth_weekday(parts, day)?, of(parts, every, unit)?),
        (None, "year") => match (parts.number("BYMONTHDAY"), parts.number("BYMONTH")) {
            (Some(day), Some(month)) => format!("{step} on {day} {}", month_name(month)?),
            (None, None) => step,
            _ => return None,
        },
        (None, _) => match parts.number("BYMONTHDAY") {
            Some(n) if n < 0 => format!("on the {} day {}", nth(n), of(parts, every, unit)?),
            Some(day) => format!("on the {} {}", ordinal(day), of(parts, every, unit)?),
            None => step,
        },
    };
    if let Some(hours) = parts.get("BYHOUR") {
        let minute = parts.number("BYMINUTE").unwrap_or(0);
        let clocks: Vec<String> = hours.split(',').map(|hour| format!("{}:{minute:02}", hour.trim())).collect();
        let (last, first) = clocks.split_last()?;
        let and = if first.is_empty() { String::new() } else { format!("{} and ", first.join(", ")) };
        text += &format!(" at {and}{last}");
    }
    if let Some(until) = parts.until(Tz::UTC) {
        text += &format!(" until {}", until.format("%-d %b %Y"));
    }
    if let Some(count) = parts.number("COUNT") {
        text += &format!(", {count} times");
    }
    Some(text)
}

fn of(parts: &RuleParts, every: i64, unit: &str) -> Option<String> {
    Some(match (parts.number("BYMONTH"), every) {
        (Some(month), _) => format!("of {} every year", month_name(month)?),
        (None, 1) => format!("of every {unit}"),
        (None, 2) => format!("of every other {unit}"),
        (None, n) => format!("of every {n} {unit}s"),
    })
}

const DAYS: [(&str, &str); 7] = [
    ("MO", "Monday"),
    ("TU", "Tuesday"),
    ("WE", "Wednesday"),
    ("TH", "Thursday"),
    ("FR", "Friday"),
    ("SA", "Saturday"),
    ("SU", "Sunday"),
];

fn day_name(code: &str) -> Option<&'static str> {
    DAYS.iter().find(|(c, _)| *c == code).map(|(_, name)| *name)
}

fn weekly(days: &str, every: i64) -> Option<String> {
    let named = match days {
        "MO,TU,WE,TH,FR" => "weekday".to_owned(),
        "SA,SU" => "weekend".to_owned(),
        days => {
            let names: Vec<&str> = days.split(',').map(day_name).collect::<Option<_>>()?;
            let (last, others) = names.split_last()?;
            if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) }
        }
    };
    Some(match every {
        1 => format!("every {named}"),
        2 => format!("every other {named}"),
        n => format!("every {n} weeks on {named}"),
    })
}

fn nth_weekday(parts: &RuleParts, code: &str) -> Option<String> {
    if let Some(n) = parts.number("BYSETPOS") {
        return Some(format!("{} working day", nth(n)));
    }
    let at = code.len().checked_sub(2)?;
    let name = day_name(code.get(at..)?)?;
    Some(format!("{} {name}", nth(code.get(..at)?.parse().ok()?)))
}

/// "2nd", "last", "2nd to last".
fn nth(n: i64) -> String {
    match n {
        -1 => "last".to_owned(),
        n if n < 0 => format!("{} to last", ordinal(-n)),
        n => ordinal(n),
    }
}

fn ordinal(n: i64) -> String {
    let mark = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{mark}")
}

fn month_name(month: i64) -> Option<String> {
    let date = chrono::NaiveDate::from_ymd_opt(2024, u32::try_from(month).ok()?, 1)?;
    Some(date.format("%B").to_string())
}
