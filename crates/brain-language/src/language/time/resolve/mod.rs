//! Resolution: a phrase and a reference become an instant, a range, a length or a rule.
//!
//! Dates are computed as local calendar days ([`day`]), clock times are put on them ([`hour`]),
//! and only then does a local time become an instant.

mod day;
mod holiday;
mod hour;
mod period;
mod recurrence;

use chrono::{DateTime, Duration, FixedOffset, Months, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;

use super::grammar::{Date, Phrase, SpanPhrase, TimeDoubt, Zone};
use super::zone::{LocalInstant, local_instant};
use super::{Grain, Problem, Reference, TimeRole, When};
use day::{Days, Tense};

/// The years that are handled; what lies outside is a typing error.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2300;

/// What the present and the day are for one phrase.
#[derive(Debug, Clone, Copy)]
pub struct ResolveContext {
    /// The person's zone; results are given in it.
    pub home: Tz,
    /// The zone that the phrase names, else the person's.
    pub zone: ZoneOf,
    pub now: DateTime<Tz>,
    /// The local time in `zone`.
    pub local_now: NaiveDateTime,
    /// The person's own day: relative days beside a time in another zone are counted in the person's.
    pub today: NaiveDate,
    /// A preposition of beginning in the past looks back.
    pub back: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum ZoneOf {
    Named(Tz),
    Fixed(FixedOffset),
}

impl ResolveContext {
    fn new(phrase: &Phrase, reference: &Reference) -> ResolveContext {
        let home = reference.zone;
        let now = reference.now.with_timezone(&home);
        let zone = match phrase.zone {
            Some(Zone::Named(zone)) => ZoneOf::Named(zone),
            Some(Zone::Fixed(minutes)) => match FixedOffset::east_opt(minutes * 60) {
                Some(offset) => ZoneOf::Fixed(offset),
                None => ZoneOf::Named(home),
            },
            None => ZoneOf::Named(home),
        };
        let local_now = match zone {
            ZoneOf::Named(zone) => now.with_timezone(&zone).naive_local(),
            ZoneOf::Fixed(offset) => now.with_timezone(&offset).naive_local(),
        };
        let back = phrase.role == TimeRole::Since;
        ResolveContext { home, zone, now, local_now, today: now.date_naive(), back }
    }

    /// A local time of the phrase's zone as an instant.
    fn instant(&self, local: NaiveDateTime) -> LocalInstant {
        match self.zone {
            ZoneOf::Named(zone) if zone == self.home => local_instant(zone, local),
            ZoneOf::Named(zone) => local_instant(zone, local).with_timezone(self.home),
            ZoneOf::Fixed(offset) => {
                let utc = local.checked_sub_offset(offset).unwrap_or(local).and_utc();
                LocalInstant::Single(utc.with_timezone(&self.home))
            }
        }
    }

    /// An instant for a clock time that a person named: a skipped one is a problem, and so is one that is still to
    /// come twice.
    fn exact(&self, local: NaiveDateTime) -> Result<DateTime<Tz>, Problem> {
        match self.instant(local) {
            LocalInstant::Gap { next } => Err(Problem::SkippedByClockChange { at_local: local, next }),
            LocalInstant::Overlap { first, second } if first > self.now => {
                Err(Problem::RepeatedByClockChange { first, second })
            }
            LocalInstant::Overlap { second, .. } if second > self.now => Ok(second),
            other @ (LocalInstant::Single(_) | LocalInstant::Overlap { .. }) => Ok(other.earliest()),
        }
    }

    /// The first instant of a day.
    fn day_start(&self, date: NaiveDate) -> DateTime<Tz> {
        self.instant(date.and_time(NaiveTime::MIN)).earliest()
    }
}

pub fn impossible(why: impl Into<String>) -> Problem {
    Problem::Impossible { why: why.into() }
}

pub fn resolve(phrase: &Phrase, reference: &Reference) -> Result<When, Problem> {
    match &phrase.doubt {
        None => {}
        Some(TimeDoubt::Unread(words)) => return Err(Problem::Unclear { words: words.clone() }),
        Some(TimeDoubt::OrDate(date)) => {
            let clock = Phrase { doubt: None, ..phrase.clone() };
            let date = Phrase { clock: None, date: Some(date.clone()), ..clock.clone() };
            let both = [resolve(&clock, reference), resolve(&date, reference)];
            let candidates = both.into_iter().flatten().filter_map(|when| when.start()).collect();
            return Err(Problem::Ambiguous { candidates, why: "it may be a clock time or a date".to_owned() });
        }
        Some(TimeDoubt::OneOfSeveral) => {
            let sure = Phrase { doubt: None, ..phrase.clone() };
            let candidates = resolve(&sure, reference)?.start().into_iter().collect();
            let why = "it names more than one time".to_owned();
            return Err(Problem::Ambiguous { candidates, why });
        }
    }
    let context = ResolveContext::new(phrase, reference);
    if phrase.rule.is_some() {
        return recurrence::recurrence(phrase, &context, reference);
    }
    if phrase.now {
        return Ok(When::Point { at: context.now, grain: Grain::Minute });
    }
    let spot = spot(phrase, &context)?;
    if let Some(to) = &phrase.to {
        return range(phrase, to, spot, reference);
    }
    let Some(length) = phrase.length else {
        return spot.when();
    };
    match spot {
        Spot::Nowhere => Ok(When::Duration(plain_duration(length))),
        Spot::Days { start, .. } | Spot::At { at: start, .. } => {
            let end = moved(start, length)?;
            if end <= start {
                return spot.when();
            }
            Ok(When::Range { start, end, grain: spot.grain() })
        }
    }
}

/// Where a phrase begins.
#[derive(Debug, Clone, Copy)]
pub enum Spot {
    At {
        at: DateTime<Tz>,
        grain: Grain,
    },
    /// Whole days; `end` is exclusive.
    Days {
        start: DateTime<Tz>,
        end: DateTime<Tz>,
        grain: Grain,
        single: bool,
    },
    Nowhere,
}

impl Spot {
    fn grain(&self) -> Grain {
        match self {
            Spot::At { grain, .. } | Spot::Days { grain, .. } => *grain,
            Spot::Nowhere => Grain::Minute,
        }
    }

    fn when(self) -> Result<When, Problem> {
        match self {
            Spot::At { at, grain } => Ok(When::Point { at, grain }),
            Spot::Days { start, grain, single: true, .. } => Ok(When::Point { at: start, grain }),
            Spot::Days { start, end, grain, single: false } => Ok(When::Range { start, end, grain }),
            Spot::Nowhere => Err(impossible("nothing says when")),
        }
    }
}

/// The beginning of a phrase, without its length and end.
fn spot(phrase: &Phrase, context: &ResolveContext) -> Result<Spot, Problem> {
    if let Some(offset) = phrase.offset {
        return offset_spot(phrase, offset, context);
    }
    if let Some(Date::Local(local)) = phrase.date {
        let at = context.exact(local)?;
        return not_past(at, context, Tense::Future).map(|at| Spot::At { at, grain: Grain::Minute });
    }
    if let Some(shift) = phrase.shift {
        return shifted_spot(phrase, shift, context);
    }
    let days = match &phrase.date {
        Some(date) => Some(day::days(date, context, phrase.clock.is_some())?),
        None => None,
    };
    if phrase.same_time {
        let Some(days) = days else {
            return Ok(Spot::Nowhere);
        };
        // A demonstrative time in a later week is the same day of that week.
        let shift = match days.grain {
            Grain::Week => (days.first - day::week_start(context.today)?).num_days(),
            _ => (days.first - context.today).num_days(),
        };
        let at = moved(context.now, SpanPhrase { days: shift, ..SpanPhrase::default() })?;
        return Ok(Spot::At { at, grain: Grain::Minute });
    }
    spot_on(phrase, days, context)
}

fn spot_on(phrase: &Phrase, days: Option<Days>, context: &ResolveContext) -> Result<Spot, Problem> {
    if phrase.clock.is_some() || phrase.part.is_some() {
        return hour::spot(phrase, days, context);
    }
    let Some(days) = days else {
        return Ok(Spot::Nowhere);
    };
    if let Some((start, end)) = days.window {
        return Ok(Spot::Days { start, end, grain: days.grain, single: false });
    }
    let start = context.day_start(days.first);
    let end = context.day_start(days.end);
    if end <= context.now && days.tense == Tense::Future && !context.back {
        return Err(Problem::Past { at: start });
    }
    let single = days.grain == Grain::Day && days.single();
    Ok(Spot::Days { start, end, grain: days.grain, single })
}

fn not_past(at: DateTime<Tz>, context: &ResolveContext, tense: Tense) -> Result<DateTime<Tz>, Problem> {
    if at < context.now && tense == Tense::Future && !context.back {
        return Err(Problem::Past { at });
    }
    Ok(at)
}

/// A length of hours is exact; one of days is a day, on which a clock time may follow.
fn offset_spot(phrase: &Phrase, offset: SpanPhrase, context: &ResolveContext) -> Result<Spot, Problem> {
    if !offset.is_calendar() {
        let at = moved(context.now, offset)?;
        return Ok(Spot::At { at, grain: Grain::Minute });
    }
    let date = day::moved(context.today, offset)?;
    let past = offset.months < 0 || offset.days < 0 || offset.workdays < 0;
    let tense = if past { Tense::Past } else { Tense::Open };
    spot_on(phrase, Some(Days::one(date, tense)?), context)
}

/// A length before or after another time.
fn shifted_spot(phrase: &Phrase, shift: SpanPhrase, context: &ResolveContext) -> Result<Spot, Problem> {
    let anchor = Phrase { shift: None, length: None, to: None, ..phrase.clone() };
    if shift.is_calendar() && phrase.date.is_some() {
        let days = match &phrase.date {
            Some(date) => day::days(date, context, false)?,
            None => return Ok(Spot::Nowhere),
        };
        let date = day::moved(days.first, shift)?;
        return spot_on(&anchor, Some(Days::one(date, days.tense)?), context);
    }
    match spot(&anchor, context)? {
        Spot::At { at, .. } => Ok(Spot::At { at: moved(at, shift)?, grain: Grain::Minute }),
        // An offset in hours before a thing on a day: which hour is that?
        Spot::Days { start, .. } => Err(Problem::Ambiguous {
            candidates: vec![start],
            why: "it counts hours from a day, and the hour was not said".to_owned(),
        }),
        Spot::Nowhere => Ok(Spot::Nowhere),
    }
}

/// An instant, moved: calendar parts on its local calendar, the rest exactly.
pub fn moved(at: DateTime<Tz>, span: SpanPhrase) -> Result<DateTime<Tz>, Problem> {
    let local = at.naive_local();
    let date = day::moved(local.date(), SpanPhrase { seconds: 0, ..span })?;
    let start =
        if date == local.date() { at } else { local_instant(at.timezone(), date.and_time(local.time())).earliest() };
    let moved = Duration::try_seconds(span.seconds).and_then(|d| start.checked_add_signed(d));
    moved.filter(|at| YEARS.contains(&chrono::Datelike::year(at))).ok_or_else(too_far)
}

pub fn too_far() -> Problem {
    impossible("that is too far away")
}

/// A length as it stands, without a calendar: a month counts 30 days, a year 365.
pub fn plain_duration(span: SpanPhrase) -> Duration {
    let days = span.months / 12 * 365 + span.months % 12 * 30 + span.days + span.workdays;
    Duration::try_seconds(days * 86_400 + span.seconds).unwrap_or(Duration::MAX)
}

fn range(phrase: &Phrase, to: &Phrase, first: Spot, reference: &Reference) -> Result<When, Problem> {
    let (start, grain) = match first {
        Spot::At { at, grain } => (at, grain),
        Spot::Days { start, grain, .. } => (start, grain),
        Spot::Nowhere => return Err(impossible("the range has no beginning")),
    };
    let to = with_shared_parts(phrase, to);
    // Hours of the second end are looked for after the first one.
    let after = Reference { now: start.to_utc(), ..*reference };
    let end_context = ResolveContext { back: false, ..ResolveContext::new(&to, &after) };
    let end = match (to.date.is_some(), to.clock) {
        (false, Some(clock)) => hour::next_after(clock, start, &end_context)?,
        _ => match spot(&to, &end_context)? {
            Spot::At { at, .. } => at,
            Spot::Days { end, .. } => end,
            Spot::Nowhere => return Err(impossible("the range has no end")),
        },
    };
    if end <= start {
        return Err(Problem::Ambiguous { candidates: vec![start, end], why: "it ends before it begins".to_owned() });
    }
    Ok(When::Range { start, end, grain })
}

fn with_shared_parts(phrase: &Phrase, to: &Phrase) -> Phrase {
    Phrase { zone: to.zone.or(phrase.zone), cue: phrase.cue, ..to.clone() }
}

/// Months later or earlier; the last day of a shorter month.
pub fn months_moved(date: NaiveDate, months: i64) -> Option<NaiveDate> {
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    if months < 0 { date.checked_sub_months(count) } else { date.checked_add_months(count) }
}
