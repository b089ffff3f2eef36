//! Times as calendars write them.

use calcard::icalendar::{ICalendarEntry, ICalendarPeriod, ICalendarValue};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use chrono_tz::Tz;

use super::zones::{TextZone, Zones};

/// A value of DTSTART, EXDATE and the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IcalTime {
    /// A date, in whatever zone.
    Day(NaiveDate),
    /// A time by the clocks of a zone, or by those of wherever one is.
    Local {
        /// What the clocks show.
        at: NaiveDateTime,
        /// Its TZID.
        zone: Option<String>,
    },
    /// An instant.
    Instant(DateTime<FixedOffset>),
}

impl IcalTime {
    fn of(value: &calcard::common::PartialDateTime, zone: Option<&str>) -> Option<Self> {
        let found = value.to_date_time()?;
        Some(match (value.has_time(), found.offset) {
            (false, _) => Self::Day(found.date_time.date()),
            (true, Some(offset)) => {
                let at = found.date_time.and_local_timezone(offset).single()?;
                Self::Instant(at)
            }
            (true, None) => Self::Local { at: found.date_time, zone: zone.map(str::to_owned) },
        })
    }

    /// The zone whose clocks it goes by; one that nobody knows is told.
    pub fn zone(&self, zones: &Zones<'_>) -> TextZone {
        match self {
            Self::Day(_) | Self::Local { zone: None, .. } => TextZone::Floating,
            Self::Local { zone: Some(name), .. } => zones.of(name),
            Self::Instant(_) => TextZone::Known(Tz::UTC),
        }
    }

    /// As the value of a line: the digits alone.
    pub fn digits(&self) -> String {
        match self {
            Self::Day(day) => day.format("%Y%m%d").to_string(),
            Self::Local { at, .. } => at.format("%Y%m%dT%H%M%S").to_string(),
            Self::Instant(at) => at.with_timezone(&Utc).format("%Y%m%dT%H%M%SZ").to_string(),
        }
    }

    /// As a whole line of this name.
    pub fn line(&self, name: &str) -> String {
        match self {
            Self::Day(_) => format!("{name};VALUE=DATE:{}", self.digits()),
            Self::Local { zone: Some(zone), .. } => format!("{name};TZID={}:{}", quoted(zone), self.digits()),
            Self::Local { zone: None, .. } | Self::Instant(_) => format!("{name}:{}", self.digits()),
        }
    }
}

/// A parameter's value, in quotes where it needs them.
fn quoted(value: &str) -> String {
    let value: String = value.chars().filter(|c| *c != '"' && !c.is_control()).collect();
    if value.contains([':', ';', ',']) { format!("\"{value}\"") } else { value }
}

/// All times of a line; of a period its start.
pub fn times_of(entry: &ICalendarEntry) -> Vec<IcalTime> {
    let zone = entry.tz_id();
    let time = |value: &ICalendarValue| match value {
        ICalendarValue::PartialDateTime(at) => IcalTime::of(at, zone),
        ICalendarValue::Period(ICalendarPeriod::Range { start, .. } | ICalendarPeriod::Duration { start, .. }) => {
            IcalTime::of(start, zone)
        }
        _ => None,
    };
    entry.values.iter().filter_map(time).collect()
}

/// The length that a line of type DURATION says: days of the calendar, and the rest of it.
pub fn duration_of(entry: &ICalendarEntry) -> Option<(i64, chrono::Duration)> {
    let Some(ICalendarValue::Duration(length)) = entry.values.first() else { return None };
    let sign = if length.neg { -1 } else { 1 };
    let days = i64::from(length.weeks) * 7 + i64::from(length.days);
    let seconds = i64::from(length.hours) * 3600 + i64::from(length.minutes) * 60 + i64::from(length.seconds);
    Some((sign * days, chrono::Duration::seconds(sign * seconds)))
}
