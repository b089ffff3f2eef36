//! When a task is, as the lines of its resource say it.
//!
//! A record has one time, its deadline, and repeats from it. A resource may have two, DTSTART and DUE, and repeats from
//! the first. Where both rules come to the same times, the deadlines are followed; where they do not, the starts are.

use std::collections::HashSet;

use calcard::icalendar::ICalendarProperty;
use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;

use super::read::UnreadableTask;
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{Component, excluded_of, later, moment, occurrence_of};
use crate::services::helpers::recurrence::{Series, counted, ended, moved_rule, pinned, wall_instant};
use brain_core::limits::{READ_EXCEPTIONS_MAX, RECURRENCE_STEPS_MAX};
use brain_wire::ical::{IcalTime, TextZone, Zones, duration_of};

/// Occurrences that are compared to know whether two rules are one.
const COMPARED: usize = 24;

/// Which line is the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeadlineLine {
    /// DUE.
    Due,
    /// DTSTART, and DURATION behind it.
    Length,
    /// DTSTART: no other time is told.
    Start,
    /// There is none.
    Nothing,
}

/// When a task is.
#[derive(Debug)]
pub(super) struct TodoTimes {
    pub zone: Tz,
    pub line: DeadlineLine,
    pub start: Option<Moment>,
    /// DUE, or what DTSTART and DURATION come to.
    pub due: Option<Moment>,
    /// What the record goes by: of a series, the deadline of its first time.
    pub at: Option<Moment>,
    /// The rule of the deadlines.
    pub rule: Option<String>,
    /// There is a rule that cannot be followed.
    pub is_unfollowed: bool,
    /// The times of it: the first one is one, whatever the rule says.
    series: Option<Series>,
    /// Times that are left out, cancelled or done.
    pub gone: Vec<Moment>,
    pub overrides: Vec<TodoOverride>,
}

/// One time of a series that is on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TodoOverride {
    /// Where it stands among the overrides.
    pub number: usize,
    /// The deadline that the series gives it.
    pub of: Moment,
    /// Its own.
    pub due: Moment,
    pub is_done: bool,
    pub done_at: Option<DateTime<Utc>>,
}

impl TodoTimes {
    /// `floating`: the clocks of whoever reads it.
    pub fn of(
        (main, overrides): (&Component<'_>, &[Component<'_>]),
        zones: &Zones<'_>,
        floating: Tz,
    ) -> Result<Self, UnreadableTask> {
        let rule = main.block.line("RRULE").map(|line| line.value().trim().to_uppercase());
        let mut times = Self::own(main, zones, floating, rule.is_some());
        if let (Some(rule), Some(at)) = (rule.filter(|rule| !rule.is_empty()), times.at) {
            times.follow(&rule, at, main);
        } else {
            times.is_unfollowed = main.block.line("RRULE").is_some();
        }
        if times.series.is_some() {
            times.exceptions((main, overrides), zones)?;
        }
        Ok(times)
    }

    /// Its own lines, without its repetition.
    fn own(one: &Component<'_>, zones: &Zones<'_>, floating: Tz, repeats: bool) -> Self {
        let [starts, dues] = [ICalendarProperty::Dtstart, ICalendarProperty::Due].map(|name| one.time(&name));
        let zone = match dues.as_ref().or(starts.as_ref()).map(|time| time.zone(zones)) {
            // A single time in UTC is shown by the person's clocks anyway; a series goes by its own.
            Some(TextZone::Known(Tz::UTC)) if !repeats => floating,
            Some(TextZone::Known(zone)) => zone,
            Some(TextZone::Floating | TextZone::Unknown(_)) | None => floating,
        };
        let read = |time: &IcalTime| moment(time, zones, floating).in_zone(zone);
        let (start, due) = (starts.as_ref().map(read), dues.as_ref().map(read));
        let lasts = one.read.property(&ICalendarProperty::Duration).and_then(duration_of);
        let ends = start.zip(lasts).and_then(|(start, length)| later(start, length, zone));
        let (line, due) = match (due, ends, start) {
            (Some(due), _, _) => (DeadlineLine::Due, Some(due)),
            (None, Some(ends), _) => (DeadlineLine::Length, Some(ends)),
            (None, None, Some(_)) => (DeadlineLine::Start, None),
            (None, None, None) => (DeadlineLine::Nothing, None),
        };
        let (rule, series, gone, overrides) = (None, None, Vec::new(), Vec::new());
        Self { zone, line, start, due, at: due.or(start), rule, is_unfollowed: false, series, gone, overrides }
    }

    /// The rule of the deadlines, from that of the starts.
    fn follow(&mut self, rule: &str, at: Moment, main: &Component<'_>) {
        let name = if self.start.is_some() { ICalendarProperty::Dtstart } else { ICalendarProperty::Due };
        let rule = pinned_in_gap(rule, main.time(&name).as_ref(), self.start.unwrap_or(at), self.zone);
        let (by, at) = match self.start.filter(|start| *start != at) {
            None => (Some(rule.clone()), at),
            Some(start) => match shifted_rule(&rule, start, at, self.zone) {
                Some(of_dues) => (Some(of_dues), at),
                // The deadlines follow no rule of their own: the starts do.
                None => (Some(rule.clone()), start),
            },
        };
        let followed = by.and_then(|rule| Some((Series::new(&rule, at, self.zone).ok()?.with_start(), rule)));
        let Some((series, rule)) = followed else {
            self.is_unfollowed = true;
            return;
        };
        if self.start == Some(at) {
            self.line = DeadlineLine::Start;
        }
        self.at = Some(at);
        // In the record a start that does not match is no occurrence, and is not counted.
        let matches = Series::new(&rule, at, self.zone).is_ok_and(|plain| is_occurrence(&plain, at, self.zone));
        self.rule = Some(if matches { rule } else { counted(&rule, 1) });
        self.series = Some(series);
    }

    fn exceptions(
        &mut self,
        (main, overrides): (&Component<'_>, &[Component<'_>]),
        zones: &Zones<'_>,
    ) -> Result<(), UnreadableTask> {
        let (Some(at), zone) = (self.at, self.zone) else { return Ok(()) };
        let first = self.start.unwrap_or(at);
        let excluded = main.times(&ICalendarProperty::Exdate);
        if excluded.len() + overrides.len() > READ_EXCEPTIONS_MAX {
            return Err(UnreadableTask::TooMany);
        }
        let deadline = |of: Moment| shifted(of, first, at, zone);
        self.gone = excluded.iter().map(|time| deadline(excluded_of(moment(time, zones, zone), first, zone))).collect();
        for (number, one) in overrides.iter().enumerate() {
            let Some(named) = one.time(&ICalendarProperty::RecurrenceId) else { continue };
            let of = deadline(occurrence_of(moment(&named, zones, zone), first, zone));
            if is_status(one, "CANCELLED") {
                self.gone.push(of);
                continue;
            }
            let own = Self::own(one, zones, zone, true);
            let due = match self.line {
                DeadlineLine::Start => own.start.or(own.due),
                DeadlineLine::Due | DeadlineLine::Length | DeadlineLine::Nothing => {
                    own.due.or_else(|| own.start.map(&deadline))
                }
            };
            let due = due.unwrap_or(of).in_zone(zone);
            let done_at =
                one.time(&ICalendarProperty::Completed).map(|time| moment(&time, zones, zone).start(zone).to_utc());
            self.overrides.push(TodoOverride { number, of, due, is_done: is_done(one), done_at });
        }
        Ok(())
    }

    /// Whether its lines are those of a series.
    pub fn repeats(&self) -> bool {
        self.series.is_some()
    }

    /// The first time that is still to do and is not before `from`, by its deadline: that of the series, and its own.
    pub fn open_from(&self, from: Option<Moment>) -> Option<(Moment, Moment)> {
        let (series, zone) = (self.series.as_ref()?, self.zone);
        let from = from.or(self.at)?.start(zone).to_utc();
        let wanted = self.gone.len() + self.overrides.len() + 1;
        let end = DateTime::<Utc>::MAX_UTC;
        let times = series.between(from, end, wanted.min(RECURRENCE_STEPS_MAX));
        let is_own = |of: Moment| self.overrides.iter().find(|one| one.of == of);
        let plain = times.iter().find(|of| !self.is_gone(**of) && is_own(**of).is_none()).map(|of| (*of, *of));
        let own = self.overrides.iter().filter(|one| !one.is_done && one.of.start(zone) >= from);
        let own: Vec<&TodoOverride> = own.filter(|one| !self.is_gone(one.of)).collect();
        // Followed once for all of them.
        let last = own.iter().map(|one| one.of.start(zone).to_utc()).max();
        let given = last.map(|last| series.between(from, last + Duration::seconds(1), RECURRENCE_STEPS_MAX));
        let key = |of: &Moment| (of.start(zone).to_utc(), matches!(of, Moment::Day(_)));
        let given: HashSet<_> = given.unwrap_or_default().iter().map(key).collect();
        let own = own.into_iter().filter(|one| given.contains(&key(&one.of)));
        plain.into_iter().chain(own.map(|one| (one.of, one.due))).min_by_key(|(_, due)| due.start(zone).to_utc())
    }

    /// Whether one time of the series is left out; a date takes away what is on that day.
    pub fn is_gone(&self, of: Moment) -> bool {
        let day = of.start(self.zone).date_naive();
        self.gone.iter().any(|gone| *gone == of || *gone == Moment::Day(day))
    }

    /// Whether the series has this time.
    pub fn has(&self, of: Moment) -> bool {
        self.series.as_ref().is_some_and(|series| is_occurrence(series, of, self.zone))
    }

    /// The first time behind this one, whatever became of it.
    pub fn next_after(&self, after: DateTime<Utc>) -> Option<Moment> {
        self.series.as_ref()?.next_after(after)
    }
}

pub(super) fn status(one: &Component<'_>) -> Option<String> {
    one.block.line("STATUS").map(|line| line.value().trim().to_uppercase())
}

pub(super) fn is_status(one: &Component<'_>, wanted: &str) -> bool {
    status(one).is_some_and(|status| status == wanted)
}

/// Where it has no STATUS, the time of it or all of its percents say so.
pub(super) fn is_done(one: &Component<'_>) -> bool {
    let is_full = || one.block.line("PERCENT-COMPLETE").is_some_and(|line| line.value().trim() == "100");
    match status(one) {
        Some(status) => status == "COMPLETED",
        None => one.block.line("COMPLETED").is_some() || is_full(),
    }
}

pub(super) fn is_occurrence(series: &Series, of: Moment, zone: Tz) -> bool {
    let at = of.start(zone).to_utc();
    series.between(at, at + Duration::seconds(1), 1).first() == Some(&of)
}

/// A time that was moved as another one was, by days and by the clock. Where that one became a day, or a time of a day,
/// so does this one.
pub(super) fn shifted(of: Moment, was: Moment, becomes: Moment, zone: Tz) -> Moment {
    let local = |moment: Moment| moment.start(zone).naive_local();
    let days = (local(becomes).date() - local(was).date()).num_days();
    let day = local(of).date().checked_add_signed(Duration::try_days(days).unwrap_or_default());
    let day = day.unwrap_or(local(of).date());
    match (of, was, becomes) {
        (Moment::Instant(_), Moment::Instant(_), Moment::Instant(_)) => {
            let at = local(of).checked_add_signed(local(becomes) - local(was)).unwrap_or(local(of));
            Moment::Instant(wall_instant(zone, at))
        }
        (_, Moment::Day(_), Moment::Instant(at)) => {
            Moment::Instant(wall_instant(zone, day.and_time(at.with_timezone(&zone).time())))
        }
        (Moment::Instant(_), Moment::Day(_), Moment::Day(_)) => {
            Moment::Instant(wall_instant(zone, day.and_time(local(of).time())))
        }
        (_, _, Moment::Day(_)) | (Moment::Day(_), Moment::Instant(_), Moment::Instant(_)) => Moment::Day(day),
    }
}

/// The rule whose times lie behind those of `rule` as `to` lies behind `from`; `None`: there is none. Its end is no
/// matter for that: however few times are left, the answer is the same.
pub(super) fn shifted_rule(rule: &str, from: Moment, to: Moment, zone: Tz) -> Option<String> {
    let is_end = |part: &&str| part.starts_with("COUNT=") || part.starts_with("UNTIL=");
    let endless = rule.split(';').filter(|part| !is_end(part)).collect::<Vec<_>>().join(";");
    let firsts = |rule: &str, first: Moment| {
        let series = Series::new(rule, first, zone).ok()?;
        Some(series.between(first.start(zone).to_utc(), DateTime::<Utc>::MAX_UTC, COMPARED))
    };
    let given = firsts(&endless, from)?;
    // The first start may be one that the rule has not; a rule that never comes round is any.
    let Some(first) = given.first().copied() else { return Some(rule.to_owned()) };
    let wanted: Vec<Moment> = given.into_iter().map(|of| shifted(of, from, to, zone)).collect();
    let behind = *wanted.first()?;
    let moved = moved_rule(&endless, first, first, behind, zone).ok().map(|(_, rule)| rule);
    // What is followed in elapsed time is so from wherever it begins.
    let is_elapsed = |rule: &str| Series::new(rule, behind, zone).is_ok_and(|series| series.is_elapsed());
    let fits = |rule: &String| is_elapsed(rule) || firsts(rule, behind).is_some_and(|found| found == wanted);
    let mut fitting = [Some(endless), moved].into_iter().flatten().find(fits)?;
    if rule.contains("UNTIL=") {
        let last = Series::new(rule, from, zone).ok()?.with_start().last_before(DateTime::<Utc>::MAX_UTC)?;
        let last = shifted(last, from, to, zone);
        let least = if matches!(last, Moment::Day(_)) { (1, Duration::zero()) } else { (0, Duration::seconds(1)) };
        fitting = ended(&fitting, later(last, least, zone)?);
    }
    let counted = rule.split(';').find(|part| part.starts_with("COUNT="));
    fitting.extend(counted.into_iter().flat_map(|part| [";", part]));
    Some(fitting)
}

/// A start inside of a gap of the clocks: the rule goes by the time that is written.
fn pinned_in_gap(rule: &str, written: Option<&IcalTime>, start: Moment, zone: Tz) -> String {
    match written {
        Some(IcalTime::Local { at, .. })
            if start.start(zone).time() != at.time() && !rule.contains("HOURLY") && !rule.contains("MINUTELY") =>
        {
            let there = start.start(zone).naive_local();
            // Not where the line has another zone than the deadline.
            if there.date() == at.date() && wall_instant(zone, *at) == start.start(zone) {
                return pinned(rule, at.time());
            }
            rule.to_owned()
        }
        _ => rule.to_owned(),
    }
}
