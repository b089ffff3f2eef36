//! Formatting of values on cards and receipts: times in the person's zone, people with their addresses.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeZone};
use chrono_tz::Tz;

use crate::services::contract::pages;
use brain_core::core::card::show_address;
use brain_core::core::plan::Action;
use brain_core::core::text::quoted;
use brain_core::limits::{ANSWER_ROWS_MAX, NAME_CHARS_MAX};
use brain_language::language::time;
use brain_language::language::time::{Grain, Reference, local_instant};

/// A resolved time: an instant, or a whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A point in time.
    Instant(DateTime<Tz>),
    /// A day in the person's zone.
    Day(NaiveDate),
}

/// An instant by the clocks of its reader's zone.
const LOCAL: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

impl Moment {
    /// Reads what [`Moment::store`] wrote (and any RFC 3339 instant).
    pub fn read(text: &str, zone: Tz) -> Option<Self> {
        if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
            return Some(Self::Instant(instant.with_timezone(&zone)));
        }
        // One that the clocks skip or repeat is for whoever reads words.
        let local = LOCAL.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
        let local = local.and_then(|at| zone.from_local_datetime(&at).single()).map(Self::Instant);
        local.or_else(|| text.parse().ok().map(Self::Day))
    }

    /// As parameters and records hold it: RFC 3339 with offset, or `YYYY-MM-DD`.
    pub fn store(self) -> String {
        match self {
            Self::Instant(at) => at.to_rfc3339_opts(chrono::SecondsFormat::Secs, false),
            Self::Day(day) => day.to_string(),
        }
    }

    /// The same by the clocks of this zone; a day is a day everywhere.
    #[must_use]
    pub fn in_zone(self, zone: Tz) -> Self {
        match self {
            Self::Instant(at) => Self::Instant(at.with_timezone(&zone)),
            Self::Day(_) => self,
        }
    }

    /// Its first instant.
    pub fn start(self, zone: Tz) -> DateTime<Tz> {
        match self {
            Self::Instant(at) => at,
            Self::Day(day) => local_instant(zone, day.and_time(chrono::NaiveTime::MIN)).earliest(),
        }
    }

    /// As a person reads it.
    pub fn show(self, reference: &Reference) -> String {
        match self {
            Self::Instant(at) => time::describe(at, Grain::Minute, reference),
            Self::Day(_) => time::describe(self.start(reference.zone), Grain::Day, reference),
        }
    }
}

/// A stored time as a person reads it; text that is no time stays as it is.
pub fn time(text: &str, reference: &Reference) -> String {
    Moment::read(text, reference.zone).map_or_else(|| text.to_owned(), |moment| moment.show(reference))
}

/// `from – to`, naming the day once when it is the same.
pub fn span(start: &str, end: Option<&str>, reference: &Reference) -> String {
    let shown = time(start, reference);
    let (Some(Moment::Instant(from)), Some(Moment::Instant(to))) =
        (Moment::read(start, reference.zone), end.and_then(|end| Moment::read(end, reference.zone)))
    else {
        // A whole day at either side: the end is still part of what is approved.
        return match end.filter(|end| *end != start) {
            Some(end) => format!("{shown} – {}", time(end, reference)),
            None => shown,
        };
    };
    if from.date_naive() == to.date_naive() {
        format!("{shown}–{}", to.format("%H:%M"))
    } else {
        format!("{shown} – {}", time::describe(to, Grain::Minute, reference))
    }
}

/// `“Bob Miller” <bob@example.com>`, each on a line of its own.
pub fn people(addresses: &[String], action: &Action) -> Vec<String> {
    addresses.iter().map(|address| person(address, action)).collect()
}

/// Names alone, where the addresses were shown before.
pub fn names(addresses: &[String], action: &Action) -> String {
    let name = |address: &String| match action.names.get(address) {
        Some(name) => chosen(name),
        None => show_address(address),
    };
    addresses.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The name behind an address, and the address: the name is anybody's choice, so it can look like no other address
/// and like no further person.
pub fn person(address: &str, action: &Action) -> String {
    match action.names.get(address) {
        Some(name) if name != address => format!("{} <{}>", chosen(name), show_address(address)),
        Some(_) | None => show_address(address),
    }
}

/// A name that somebody may have chosen for themselves.
pub fn chosen(name: &str) -> String {
    quoted(&name.replace([',', ';'], " ").replace('@', " at "), NAME_CHARS_MAX)
}

/// ` (from a message from Anna)`, behind what holds somebody else's words.
pub fn from(source: &str) -> String {
    format!(" (from {source})")
}

/// Where a page lies in its list.
#[derive(Debug, Clone, Copy)]
pub struct Paging<'a> {
    /// What it goes on after; `None` for the first one.
    pub after: Option<&'a str>,
    /// What the next one goes on after; `None` for the last one.
    pub next: Option<&'a str>,
    /// How many more there are behind its lines.
    pub more: usize,
}

impl Paging<'_> {
    /// What stands below the lines: how many more there are and how to see them, or that a list that was gone on with
    /// has come to its end. Empty below a list that is on one page.
    pub fn end(self) -> String {
        match (self.after, self.next) {
            (_, Some(_)) => format!("… and {} more: say “more”.", self.more),
            (_, None) if self.more > 0 => format!("… and {} more.", self.more),
            (Some(_), None) => "That was all of them.".to_owned(),
            (None, None) => String::new(),
        }
    }
}

/// One page of a list: as many lines as fit on it, and what stands below them.
pub fn page(mut lines: Vec<String>, paging: Paging<'_>) -> String {
    let shown = pages::shown(paging.after);
    let hidden = lines.len().saturating_sub(shown);
    lines.truncate(shown);
    let end = Paging { more: paging.more + hidden, ..paging }.end();
    lines.extend(Some(end).filter(|end| !end.is_empty()));
    lines.join("\n")
}

/// Lines of a list, and how many more there are.
pub fn list(lines: Vec<String>, more: usize) -> String {
    let hidden = lines.len().saturating_sub(ANSWER_ROWS_MAX) + more;
    let mut text = lines.into_iter().take(ANSWER_ROWS_MAX).collect::<Vec<_>>().join("\n");
    if hidden > 0 {
        text.push_str(&format!("\n… and {hidden} more."));
    }
    text
}
