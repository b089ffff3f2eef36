//! Formatting: an instant as short local text, which [`super::resolve`] reads back.

use chrono::{DateTime, Datelike, NaiveDate};
use chrono_tz::Tz;

use super::zone::{LocalInstant, local_instant};
use super::{Grain, Reference};

/// "tomorrow (Mon 12 Jan) at 17:00", in the reference's zone. The day is named by its distance
/// only when that is one; the year is told unless it is the reference's and still ahead. In the
/// hour that comes twice when clocks are put back, each pass carries its offset.
pub fn describe(at: DateTime<Tz>, grain: Grain, reference: &Reference) -> String {
    let at = at.with_timezone(&reference.zone);
    let today = reference.now.with_timezone(&reference.zone).date_naive();
    let date = at.date_naive();
    match grain {
        Grain::Minute | Grain::Hour => format!("{} at {}", day(date, today), clock(at)),
        Grain::Day => day(date, today),
        Grain::Week => format!("the week of {}", plain_day(date, today)),
        Grain::Month => date.format("%B %Y").to_string(),
        Grain::Year => date.format("the year %Y").to_string(),
    }
}

fn day(date: NaiveDate, today: NaiveDate) -> String {
    let word = match (date - today).num_days() {
        0 => "today",
        1 => "tomorrow",
        -1 => "yesterday",
        _ => return plain_day(date, today),
    };
    format!("{word} ({})", plain_day(date, today))
}

fn plain_day(date: NaiveDate, today: NaiveDate) -> String {
    // A date without its year means the next one.
    let needs_year = date.year() != today.year() || date < today;
    let format = if needs_year { "%a %-d %b %Y" } else { "%a %-d %b" };
    date.format(format).to_string()
}

fn clock(at: DateTime<Tz>) -> String {
    let clock = at.format("%H:%M");
    match local_instant(at.timezone(), at.naive_local()) {
        LocalInstant::Overlap { .. } => format!("{clock} (UTC{})", at.format("%:z")),
        LocalInstant::Single(_) | LocalInstant::Gap { .. } => clock.to_string(),
    }
}
