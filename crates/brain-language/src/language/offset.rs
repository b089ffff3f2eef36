//! Reminder offsets: how long before something a reminder of it comes, in words or as an ISO 8601 duration.
//!
//! Days are days of the calendar: a day before Monday nine o'clock is Sunday nine o'clock, also when the clocks
//! change in between. Hours and minutes are elapsed time.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Days, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::time::local_instant;
use brain_core::limits::LEAD_DAYS_MAX;

/// A length of time before something. Written as an ISO 8601 duration: `P1D`, `PT1H30M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReminderOffset {
    days: u32,
    minutes: u32,
}

/// These words are no length of time before something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("I can't read “{0}” as a time before something, like “1 day” or “30 minutes”.")]
pub struct OffsetError(String);

impl ReminderOffset {
    /// Days of the calendar and minutes; `None`: too long, or no time at all.
    pub fn of(days: u32, minutes: u32) -> Option<Self> {
        let fits = days <= LEAD_DAYS_MAX && minutes <= LEAD_DAYS_MAX * 24 * 60 && (days, minutes) != (0, 0);
        fits.then_some(Self { days, minutes })
    }

    /// Its days of the calendar and its minutes.
    pub fn parts(self) -> (u32, u32) {
        (self.days, self.minutes)
    }

    /// The instant this long before `at`.
    pub fn before(self, at: DateTime<Tz>) -> Option<DateTime<Utc>> {
        let day = if self.days == 0 {
            at
        } else {
            let local = at.naive_local().checked_sub_days(Days::new(u64::from(self.days)))?;
            local_instant(at.timezone(), local).earliest()
        };
        day.to_utc().checked_sub_signed(Duration::minutes(i64::from(self.minutes)))
    }

    /// `1 day before`, `1 h 30 min before`.
    pub fn words(self) -> String {
        let (weeks, days) = if self.days.is_multiple_of(7) { (self.days / 7, 0) } else { (0, self.days) };
        let plural = |n: u32, unit: &str| format!("{n} {unit}{}", if n == 1 { "" } else { "s" });
        let (hours, minutes) = (self.minutes / 60, self.minutes % 60);
        let parts = [
            (weeks, plural(weeks, "week")),
            (days, plural(days, "day")),
            (hours, format!("{hours} h")),
            (minutes, format!("{minutes} min")),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
        format!("{} before", parts.join(" "))
    }
}

impl fmt::Display for ReminderOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes) = (self.minutes / 60, self.minutes % 60);
        f.write_str("P")?;
        if self.days > 0 {
            write!(f, "{}D", self.days)?;
        }
        if self.minutes > 0 {
            f.write_str("T")?;
        }
        for (n, unit) in [(hours, 'H'), (minutes, 'M')] {
            if n > 0 {
                write!(f, "{n}{unit}")?;
            }
        }
        Ok(())
    }
}

impl From<ReminderOffset> for String {
    fn from(lead: ReminderOffset) -> Self {
        lead.to_string()
    }
}

impl TryFrom<String> for ReminderOffset {
    type Error = OffsetError;

    fn try_from(text: String) -> Result<Self, OffsetError> {
        text.parse()
    }
}

impl FromStr for ReminderOffset {
    type Err = OffsetError;

    fn from_str(text: &str) -> Result<Self, OffsetError> {
        let minutes = read(&text.trim().to_lowercase()).ok_or_else(|| OffsetError(text.chars().take(80).collect()))?;
        let bad = || OffsetError(text.chars().take(80).collect());
        let (days, minutes) = minutes;
        Self::of(days, minutes).ok_or_else(bad)
    }
}

/// Days and minutes.
fn read(text: &str) -> Option<(u32, u32)> {
    let mut sum = (0_u32, 0_u32);
    for (number, unit) in pairs(text)? {
        let (days, minutes) = match unit.as_str() {
            "w" | "wk" | "wks" | "week" | "weeks" => (7.0, 0.0),
            "d" | "day" | "days" => (1.0, 0.0),
            "h" | "hr" | "hrs" | "hour" | "hours" => (0.0, 60.0),
            "m" | "min" | "mins" | "minute" | "minutes" => (0.0, 1.0),
            _ => return None,
        };
        let (days, minutes) = (days * number, minutes * number);
        // Half a day is twelve hours; half a minute is nothing we keep.
        let minutes = minutes + f64::fract(days) * 1_440.0;
        sum.0 = sum.0.checked_add(whole(days.trunc())?)?;
        sum.1 = sum.1.checked_add(whole(minutes.round())?)?;
    }
    Some(sum)
}

fn whole(number: f64) -> Option<u32> {
    (0.0..=1e6).contains(&number).then_some(number as u32)
}

/// Numbers with their units, of an ISO 8601 duration and of words.
fn pairs(text: &str) -> Option<Vec<(f64, String)>> {
    let iso = text.strip_prefix('p').filter(|rest| rest.starts_with(|c: char| c == 't' || c.is_ascii_digit()));
    if let Some(rest) = iso {
        let (date, time) = rest.split_once('t').unwrap_or((rest, ""));
        // Months have no length of their own.
        let date = number_units(date)?.into_iter().filter(|(_, unit)| unit != "m");
        return Some(date.chain(number_units(time)?).collect());
    }
    let mut pairs = Vec::new();
    let mut number = None;
    for word in text.split(|c: char| c.is_whitespace() || c == ',') {
        let amount = match word {
            "" | "and" | "of" | "before" | "beforehand" | "earlier" | "ahead" | "prior" | "in" | "advance" => continue,
            "a" | "an" | "one" => Some(number.unwrap_or(1.0)),
            "half" => Some(0.5),
            "two" => Some(2.0),
            "three" => Some(3.0),
            other => other.parse().ok(),
        };
        if amount.is_some() {
            number = amount;
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            pairs.extend(number_units(word)?);
        } else {
            pairs.push((number.take()?, word.to_owned()));
        }
    }
    (number.is_none() && !pairs.is_empty()).then_some(pairs)
}

/// `1h30m` as numbers with their units.
fn number_units(text: &str) -> Option<Vec<(f64, String)>> {
    let mut rest = text;
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        pairs.push((number.parse().ok()?, unit.to_owned()));
        rest = tail;
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_read_from_words_and_written_as_durations() {
        for (words, written, told) in [
            ("1 day", "P1D", "1 day before"),
            ("a day before", "P1D", "1 day before"),
            ("An hour before", "PT1H", "1 h before"),
            ("half an hour earlier", "PT30M", "30 min before"),
            ("half a day", "PT12H", "12 h before"),
            ("two weeks", "P14D", "2 weeks before"),
            ("1.5 hours", "PT1H30M", "1 h 30 min before"),
            ("an hour and 15 minutes", "PT1H15M", "1 h 15 min before"),
            ("10min", "PT10M", "10 min before"),
            ("P1DT2H", "P1DT2H", "1 day 2 h before"),
            ("P1W", "P7D", "1 week before"),
            ("pt90m", "PT1H30M", "1 h 30 min before"),
        ] {
            let lead: ReminderOffset = words.parse().unwrap();
            assert_eq!((lead.to_string().as_str(), lead.words().as_str()), (written, told), "{words}");
            assert_eq!(written.parse::<ReminderOffset>().unwrap(), lead);
        }
        for words in
            ["", "soon", "0 minutes", "day", "3", "1 month", "P1M", "-1 day", "1 day 3", "9999999 days", "1e9 h"]
        {
            assert!(words.parse::<ReminderOffset>().is_err(), "{words}");
        }
    }

    #[test]
    fn a_day_before_is_the_same_time_of_day_when_the_clocks_change() {
        let zone = chrono_tz::Europe::Berlin;
        let nine = "2026-03-29T07:00:00Z".parse::<DateTime<Utc>>().unwrap().with_timezone(&zone);
        let before = |words: &str| words.parse::<ReminderOffset>().unwrap().before(nine).unwrap().to_rfc3339();
        assert_eq!(before("1 day"), "2026-03-28T08:00:00+00:00");
        assert_eq!(before("24 hours"), "2026-03-28T07:00:00+00:00");
    }
}
