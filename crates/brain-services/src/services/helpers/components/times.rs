//! Times of a resource as moments, and moments in the form of what stood there.

use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty};
use chrono::{DateTime, Datelike as _, Duration, NaiveTime, Utc};
use chrono_tz::Tz;

use super::Component;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::wall_instant;
use brain_wire::ical::{Block, IcalTime, Patch, TextZone, Zones, duration_of};

/// Years that the clocks of a zone are written down for.
const CLOCK_YEARS: i32 = 6;

/// A time of a resource as a moment; `floating`: the clocks of whoever reads it.
pub(in crate::services) fn moment(time: &IcalTime, zones: &Zones<'_>, floating: Tz) -> Moment {
    let zone = match time.zone(zones) {
        TextZone::Known(zone) => zone,
        TextZone::Floating | TextZone::Unknown(_) => floating,
    };
    match time {
        IcalTime::Day(day) => Moment::Day(*day),
        IcalTime::Local { at, .. } => Moment::Instant(wall_instant(zone, *at)),
        IcalTime::Instant(at) => Moment::Instant(at.with_timezone(&zone)),
    }
}

/// Where something that begins at `start` ends, in the zone of its clocks: what DTEND says, else what DURATION comes to.
/// An end that is no later than the start is none (RFC 5545, 3.6.1 and 3.8.2.2, allow only later ones): it takes place at
/// that time.
pub(in crate::services) fn end_of(
    one: &Component<'_>,
    start: Moment,
    zones: &Zones<'_>,
    (zone, floating): (Tz, Tz),
) -> Option<Moment> {
    let ends = one.time(&ICalendarProperty::Dtend).map(|end| moment(&end, zones, floating).in_zone(zone));
    let lasts = || one.read.property(&ICalendarProperty::Duration).and_then(duration_of);
    let end = ends.or_else(|| lasts().and_then(|length| later(start, length, zone)))?;
    let end = match (start, end) {
        // A day that ends on the next is one day.
        (Moment::Day(_), Moment::Instant(at)) => Moment::Day(at.naive_local().date()),
        (Moment::Instant(_), Moment::Day(day)) => Moment::Instant(wall_instant(zone, day.and_time(NaiveTime::MIN))),
        (Moment::Day(_), Moment::Day(_)) | (Moment::Instant(_), Moment::Instant(_)) => end,
    };
    Some(end).filter(|end| end.start(zone) > start.start(zone))
}

/// A moment this much later: days by the calendar, the rest by the clock.
pub(in crate::services) fn later(start: Moment, (days, rest): (i64, Duration), zone: Tz) -> Option<Moment> {
    let days = Duration::try_days(days)?;
    match start {
        Moment::Day(day) => day.checked_add_signed(days.checked_add(&rest)?).map(Moment::Day),
        Moment::Instant(at) => {
            let local = at.with_timezone(&zone).naive_local().checked_add_signed(days)?;
            let day = if days.is_zero() { at } else { wall_instant(zone, local) };
            day.checked_add_signed(rest).map(Moment::Instant)
        }
    }
}

/// The occurrence that a RECURRENCE-ID or RDATE names, where the series begins at `first`: a date of a series by the
/// hour is that day's, a time of a series of days is its day.
pub(in crate::services) fn occurrence_of(named: Moment, first: Moment, zone: Tz) -> Moment {
    match (named, first) {
        (Moment::Day(day), Moment::Instant(at)) => {
            let clock: NaiveTime = at.with_timezone(&zone).time();
            Moment::Instant(wall_instant(zone, day.and_time(clock)))
        }
        (named, first) => excluded_of(named, first, zone),
    }
}

/// The same of an EXDATE, where a date takes away whatever begins on that day.
pub(in crate::services) fn excluded_of(named: Moment, first: Moment, zone: Tz) -> Moment {
    match (named, first) {
        (Moment::Instant(at), Moment::Day(_)) => Moment::Day(at.naive_local().date()),
        (Moment::Instant(at), Moment::Instant(_)) => Moment::Instant(at.with_timezone(&zone)),
        (Moment::Day(_), _) => named,
    }
}

pub(in crate::services) fn stamp(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}

/// The lines that say that it was changed now.
pub(in crate::services) fn stamped(patch: &mut Patch<'_>, block: &Block, now: DateTime<Utc>) {
    let now = stamp(now);
    let sequence = block.line("SEQUENCE").and_then(|line| line.value().trim().parse::<u32>().ok()).unwrap_or(0);
    patch.set(block, "SEQUENCE", Some(&format!("SEQUENCE:{}", sequence.saturating_add(1))));
    patch.set(block, "DTSTAMP", Some(&format!("DTSTAMP:{now}")));
    patch.set(block, "LAST-MODIFIED", Some(&format!("LAST-MODIFIED:{now}")));
}

/// The definition of a zone: how its clocks go from then on.
pub(in crate::services) fn clocks(zone: Tz, from: DateTime<Utc>) -> String {
    let mut calendar = ICalendar { components: vec![ICalendarComponent::new(ICalendarComponentType::VCalendar)] };
    let until = from.with_year(from.year() + CLOCK_YEARS).unwrap_or(from);
    calendar.add_timezone(zone.name(), from.timestamp() - 366 * 86_400, until.timestamp());
    let text = calendar.to_string();
    let begin = text.find("BEGIN:VTIMEZONE").unwrap_or(text.len());
    let end = text.rfind("END:VCALENDAR").unwrap_or(begin);
    text.get(begin..end).unwrap_or_default().to_owned()
}

/// Writes moments in the form of what stood there: by the clocks of the same zone, as an instant, or floating.
#[derive(Debug)]
pub(in crate::services) struct WrittenTimes<'z> {
    zones: Option<&'z Zones<'z>>,
    /// The clocks of times without a zone.
    floating: Tz,
    /// That of what has no form yet.
    zone: Tz,
    /// A time was written by the clocks of `zone`, which the text may not define.
    pub names_zone: bool,
}

impl<'z> WrittenTimes<'z> {
    pub fn new(zones: Option<&'z Zones<'z>>, floating: Tz, zone: Tz) -> Self {
        Self { zones, floating, zone, names_zone: false }
    }

    pub fn time(&mut self, moment: Moment, like: Option<&IcalTime>) -> IcalTime {
        let zone_of = |like: &IcalTime| match self.zones.map(|zones| like.zone(zones)) {
            Some(TextZone::Known(zone)) => Some(zone),
            Some(TextZone::Floating) => Some(self.floating),
            // A zone that nobody knows is not guessed at when a time is written.
            Some(TextZone::Unknown(_)) | None => None,
        };
        let like = like.filter(|like| !matches!(like, IcalTime::Day(_))).and_then(|like| Some((like, zone_of(like)?)));
        match (moment, like) {
            (Moment::Day(day), _) => IcalTime::Day(day),
            (Moment::Instant(at), Some((IcalTime::Local { zone, at: stood }, there))) => {
                let local = at.with_timezone(&there).naive_local();
                // A clock inside of a gap: the rule goes by the time that is written.
                let same_clock = local.date().and_time(stood.time());
                let is_that = wall_instant(there, same_clock) == at;
                IcalTime::Local { at: if is_that { same_clock } else { local }, zone: zone.clone() }
            }
            (Moment::Instant(at), Some((IcalTime::Instant(_), _))) => IcalTime::Instant(at.to_utc().fixed_offset()),
            (Moment::Instant(at), _) if self.zone == Tz::UTC => IcalTime::Instant(at.to_utc().fixed_offset()),
            (Moment::Instant(at), _) => {
                self.names_zone = true;
                let at = at.with_timezone(&self.zone).naive_local();
                IcalTime::Local { at, zone: Some(self.zone.name().to_owned()) }
            }
        }
    }

    /// The text with a definition of the zone that was written, where it had none.
    pub fn defined(&self, mut text: String, calendar: &Block, from: DateTime<Utc>) -> String {
        let is_it = |zone: &Block| zone.line("TZID").is_some_and(|id| id.value() == self.zone.name());
        let is_defined = calendar.inner("VTIMEZONE").any(is_it);
        let first = calendar.blocks.first().map(|block| block.span.start);
        if let (true, false, Some(at)) = (self.names_zone, is_defined, first) {
            text.insert_str(at, &clocks(self.zone, from));
        }
        text
    }
}
