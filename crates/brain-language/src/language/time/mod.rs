//! From the words people use for times to instants, and back.
//!
//! ```text
//! text ─► words (tokens, then their senses by the tables in data/language/time)
//!      ─► grammar (senses become a Phrase: date, clock, part of day, span, rule …)
//!      ─► resolve (a Phrase and a Reference become a When, or the Problem that prevents it)
//! ```
//!
//! Invariants: the same text and reference give the same answer; no input panics; work is bounded: a long text is
//! read in pieces, each of them by a number of tokens; an expression that was understood but is no usable time is a
//! [`Problem`], never a guess. Every preference (of an evening, of a bare hour) stands in
//! `defaults.rs`, every word of a language in `data/language/time`.
//!
//! Deliberately not here: a clock, the person's settings, and words for the person.

mod agree;
mod clock_only;
mod defaults;
mod describe;
mod grammar;
mod occurrence;
mod once;
mod resolve;
mod shift;
mod window;
mod words;
mod zone;

#[cfg(test)]
mod tests;

use std::ops::Range;

use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;

use crate::language::tables::MadeTables;

pub use clock_only::is_clock_only;
pub use describe::describe;
pub use grammar::{OffsetMention, offset_in};
pub use occurrence::{describe_recurrence, next_occurrence};
pub use once::recognised_once;
pub use shift::{Shift, shift, shift_in};
pub use window::{season, window};
pub use words::Half;
pub use zone::{LocalInstant, local_instant};

/// Makes the lexica, unless they are made.
pub(super) fn ready() {
    MadeTables::force(&words::LEXICONS);
}

/// What relative days and dates in figures mean to the person who wrote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    pub now: DateTime<Utc>,
    pub zone: Tz,
    pub order: DateOrder,
}

/// How an all-numeric date is read: 3/4 is 3 April or March 4th.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
}

impl DateOrder {
    /// The order in use where a zone lies: the United States write the month first.
    pub fn usual_in(zone: Tz) -> DateOrder {
        const MONTH_FIRST: [&str; 12] = [
            "New_York",
            "Chicago",
            "Denver",
            "Los_Angeles",
            "Phoenix",
            "Anchorage",
            "Detroit",
            "Boise",
            "Honolulu",
            "Juneau",
            "Indianapolis",
            "Louisville",
        ];
        let name = zone.name();
        let city = name.rsplit('/').next().unwrap_or(name);
        let month_first = name.starts_with("US/") || MONTH_FIRST.contains(&city);
        if month_first { DateOrder::MonthFirst } else { DateOrder::DayFirst }
    }
}

/// How exact an expression was: a day, a minute for a clock time, an hour for a part of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grain {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// A time, resolved. Local times are in the reference's zone, whatever zone the words named.
#[derive(Debug, Clone, PartialEq)]
pub enum When {
    Point {
        at: DateTime<Tz>,
        grain: Grain,
    },
    /// `end` is exclusive.
    Range {
        start: DateTime<Tz>,
        end: DateTime<Tz>,
        grain: Grain,
    },
    Duration(chrono::Duration),
    /// `rrule` is the value of an RFC 5545 RRULE; it carries BYHOUR and BYMINUTE if a clock time was said, and `first`
    /// is the first occurrence after the reference. `length`: how long each lasts, if an end or a length was said.
    Recurrence {
        first: DateTime<Tz>,
        rrule: String,
        grain: Grain,
        length: Option<chrono::Duration>,
    },
}

/// Why an expression was understood but is no usable time.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// The form means the future, and `at`, the instant it names, has passed.
    Past { at: DateTime<Tz> },
    /// There is no such date or clock time.
    Impossible { why: String },
    /// It can be read in several ways, or contradicts itself (a date and another weekday).
    Ambiguous { candidates: Vec<DateTime<Tz>>, why: String },
    /// It says more about time than was understood; `words` are the part that was not.
    Unclear { words: String },
    /// The clocks are put forward over this time; `next` is the first instant after the gap.
    SkippedByClockChange { at_local: NaiveDateTime, next: DateTime<Tz> },
    /// The clocks are put back over this time, so it comes twice.
    RepeatedByClockChange { first: DateTime<Tz>, second: DateTime<Tz> },
}

/// What is known of a time beside its own words, which count for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Known {
    /// The half of the day in which a bare hour lies.
    pub half: Option<Half>,
    /// It has been: the last occurrence is meant.
    pub past: bool,
}

/// What an expression is to its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeRole {
    #[default]
    Plain,
    /// A deadline, by its preposition.
    By,
    Until,
    Since,
    From,
    /// The new time of what is moved, behind its old one or not.
    To,
}

/// One time expression of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeMention {
    /// Bytes of the text, with the expression's own preposition.
    pub span: Range<usize>,
    pub role: TimeRole,
    pub result: Result<When, Problem>,
}

impl When {
    /// Where it begins; a mere duration begins nowhere.
    pub fn start(&self) -> Option<DateTime<Tz>> {
        match self {
            When::Point { at, .. } => Some(*at),
            When::Range { start, .. } => Some(*start),
            When::Recurrence { first, .. } => Some(*first),
            When::Duration(_) => None,
        }
    }
}

/// The first instant after a point of this grain; of an hour or a minute the point itself.
pub fn end_of(at: DateTime<Tz>, grain: Grain) -> DateTime<Utc> {
    let after = match grain {
        Grain::Minute | Grain::Hour => chrono::Duration::zero(),
        Grain::Day => chrono::Duration::days(1),
        Grain::Week => chrono::Duration::days(7),
        Grain::Month => chrono::Duration::days(31),
        Grain::Year => chrono::Duration::days(366),
    };
    at.to_utc().checked_add_signed(after).unwrap_or_else(|| at.to_utc())
}

/// All time expressions of a text, left to right, not overlapping. Date, clock, zone and length that belong together
/// are one expression, even if prepositions stand between them; where other words do, there are two, and both mean the
/// same instant.
pub fn find(text: &str, reference: &Reference) -> Vec<TimeMention> {
    once::known(text, reference, || find_anew(text, reference))
}

fn find_anew(text: &str, reference: &Reference) -> Vec<TimeMention> {
    find_within(text, Known::default(), reference)
}

fn find_within(text: &str, known: Known, reference: &Reference) -> Vec<TimeMention> {
    let of_piece = |piece: Range<usize>| {
        let found = find_in_piece(&text[piece.clone()], known, reference);
        found.into_iter().map(move |mention| TimeMention {
            span: piece.start + mention.span.start..piece.start + mention.span.end,
            ..mention
        })
    };
    words::pieces(text).into_iter().flat_map(of_piece).collect()
}

fn find_in_piece(text: &str, known: Known, reference: &Reference) -> Vec<TimeMention> {
    let mut heard = grammar::read_all(text, reference.order);
    agree::agree(text, &mut heard, reference);
    heard
        .into_iter()
        .map(|heard| TimeMention {
            span: heard.span,
            role: heard.phrase.role,
            result: resolve::resolve(&heard.phrase.within(known), reference),
        })
        .collect()
}

/// The text as one expression; politeness and prepositions around it are allowed. Besides words it
/// takes ISO 8601, local or with an offset. `None`: there is no time in it, or more than one.
pub fn resolve(text: &str, reference: &Reference) -> Option<Result<When, Problem>> {
    resolve_within(text, Known::default(), reference)
}

/// The same where more is known of the time than its words say.
pub fn resolve_within(text: &str, known: Known, reference: &Reference) -> Option<Result<When, Problem>> {
    if let Some(phrase) = grammar::read_whole(text, reference.order) {
        return Some(resolve::resolve(&phrase.within(known), reference));
    }
    let mut found = find_within(text, known, reference);
    let only = found.pop().filter(|_| found.is_empty())?;
    Some(only.result)
}

/// The half of the day in which the name of something lets its hour lie, such as a meal.
pub fn half_of(name: &str) -> Option<Half> {
    grammar::cue_in(name)
}

/// A number as people say it, in figures or in words.
pub fn number(word: &str) -> Option<u32> {
    word.parse().ok().or_else(|| grammar::number_of(word))
}

/// Where a text begins, whether it is a sentence or an expression alone; see [`start_of`]. What is asked for comes
/// before the reason it is asked for, wherever that stands.
pub fn start_in(text: &str, reference: &Reference) -> Option<DateTime<Tz>> {
    match grammar::read_whole(text, reference.order) {
        Some(phrase) => resolve::resolve(&phrase, reference).ok()?.start(),
        None => {
            let found = find(text, reference);
            let request = grammar::request_in(text);
            // The time of a request to be reminded, and the time of what it is to remind of.
            let gap =
                |from: usize, to: usize| text.get(from..to).is_some_and(|gap| gap.trim_matches([' ', ',']).is_empty());
            let opens = found.first().is_some_and(|f| f.span.start == 0 && gap(f.span.end, request.start));
            let from = if opens { 0 } else { request.start };
            let asks = |f: &TimeMention| f.span.start >= from && !matches!(f.result, Ok(When::Duration(_)));
            let moved = found.iter().any(|f| f.role == TimeRole::To);
            let first = found.iter().position(asks).filter(|_| !moved).unwrap_or(0);
            start_of(&found[first..])
        }
    }
}

/// The instant a sentence is about: where something is moved to, else the first expression that
/// begins somewhere. A problem anywhere before it means that there is none.
pub fn start_of(found: &[TimeMention]) -> Option<DateTime<Tz>> {
    let target = found.iter().filter(|f| f.role == TimeRole::To);
    for f in target.chain(found) {
        match &f.result {
            Ok(when) => {
                if let Some(start) = when.start() {
                    return Some(start);
                }
            }
            Err(_) => return None,
        }
    }
    None
}
