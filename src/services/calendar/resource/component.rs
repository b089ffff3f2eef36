//! The components of a resource that are its event: the series or single event, and its overrides.

use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty};
use chrono::NaiveTime;
use chrono_tz::Tz;

use super::read::UnreadableEvent;
use crate::ical::{Block, IcalTime, TextZone, Zones, blocks, times_of};
use crate::services::recurrence::wall_instant;
use crate::services::show::Moment;

/// A component as `calcard` reads it, and where it stands.
#[derive(Debug)]
pub(super) struct Component<'r> {
    pub read: &'r ICalendarComponent,
    pub block: &'r Block,
}

/// A resource, read once.
#[derive(Debug)]
pub(super) struct ParsedResource {
    pub calendar: ICalendar,
    pub block: Block,
}

impl ParsedResource {
    pub fn of(text: &str) -> Result<Self, UnreadableEvent> {
        let block =
            blocks(text).map_err(UnreadableEvent::Malformed)?.into_iter().find(|block| block.name == "VCALENDAR");
        let block = block.ok_or(UnreadableEvent::NoEvent)?;
        // A parser of somebody else's: what it cannot bear is one resource that cannot be read.
        let entry = std::panic::catch_unwind(|| calcard::Parser::new(&text[block.span.clone()]).entry());
        match entry {
            Ok(calcard::Entry::ICalendar(calendar)) => Ok(Self { calendar, block }),
            _ => Err(UnreadableEvent::NoEvent),
        }
    }

    /// Its events: those of one UID, the series or single event first where there is one.
    pub fn components(&self) -> Result<Vec<Component<'_>>, UnreadableEvent> {
        let is_event = |component: &&ICalendarComponent| component.component_type == ICalendarComponentType::VEvent;
        let read: Vec<&ICalendarComponent> = self.calendar.components.iter().filter(is_event).collect();
        let stand: Vec<&Block> = self.block.inner("VEVENT").collect();
        if read.len() != stand.len() {
            return Err(UnreadableEvent::NoEvent);
        }
        let all = read.into_iter().zip(stand).map(|(read, block)| Component { read, block });
        let (mut masters, overrides): (Vec<_>, Vec<_>) = all.partition(|one| !one.is_override());
        let rest = if masters.is_empty() {
            overrides
        } else {
            let uid = masters[0].read.uid().map(str::to_owned);
            masters.truncate(1);
            masters.extend(overrides.into_iter().filter(|one| one.read.uid().map(str::to_owned) == uid));
            masters
        };
        if rest.is_empty() { Err(UnreadableEvent::NoEvent) } else { Ok(rest) }
    }
}

impl Component<'_> {
    pub fn is_override(&self) -> bool {
        self.read.has_property(&ICalendarProperty::RecurrenceId)
    }

    pub fn text(&self, name: &ICalendarProperty) -> Option<&str> {
        let text = self.read.property(name)?.values.first()?.as_text()?.trim();
        Some(text).filter(|text| !text.is_empty())
    }

    /// The times of all its lines of this name.
    pub fn times(&self, name: &ICalendarProperty) -> Vec<IcalTime> {
        self.read.properties(name).flat_map(times_of).collect()
    }

    pub fn time(&self, name: &ICalendarProperty) -> Option<IcalTime> {
        self.times(name).into_iter().next()
    }
}

/// A time of a resource as a moment; `floating`: the clocks of whoever reads it.
pub(super) fn moment(time: &IcalTime, zones: &Zones<'_>, floating: Tz) -> Moment {
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

/// The occurrence that a RECURRENCE-ID or RDATE names, where the series begins at `first`: a date of a series by the
/// hour is that day's, a time of a series of days is its day.
pub(super) fn occurrence_of(named: Moment, first: Moment, zone: Tz) -> Moment {
    match (named, first) {
        (Moment::Day(day), Moment::Instant(at)) => {
            let clock: NaiveTime = at.with_timezone(&zone).time();
            Moment::Instant(wall_instant(zone, day.and_time(clock)))
        }
        (named, first) => excluded_of(named, first, zone),
    }
}

/// The same of an EXDATE, where a date takes away whatever begins on that day.
pub(super) fn excluded_of(named: Moment, first: Moment, zone: Tz) -> Moment {
    match (named, first) {
        (Moment::Instant(at), Moment::Day(_)) => Moment::Day(at.naive_local().date()),
        (Moment::Instant(at), Moment::Instant(_)) => Moment::Instant(at.with_timezone(&zone)),
        (Moment::Day(_), _) => named,
    }
}
