//! Where a rule ends: its UNTIL, in any of the forms that calendars have.
//!
//! The RFC wants the form of DTSTART, and UTC for a start with a zone. Of other forms: a date beside a start with a
//! time is all of that day; a time without a zone is meant in the zone of the start; of a time beside whole days, the
//! date that is written counts.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;

use super::wall_instant;
use crate::services::contract::show::Moment;

/// The last moment at which an occurrence may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Of whole days.
    Day(NaiveDate),
    /// Of times.
    At(DateTime<Utc>),
}

impl Until {
    /// The rule without its UNTIL, in capital letters, and that; `None`: it cannot be read.
    pub fn split(rule: &str, first: Moment, zone: Tz) -> Option<(String, Option<Self>)> {
        let rule = rule.to_uppercase();
        let (mut rest, mut until) = (Vec::new(), None);
        for part in rule.split(';') {
            match part.strip_prefix("UNTIL=") {
                Some(value) => until = Some(Self::read(value, first, zone)?),
                None => rest.push(part),
            }
        }
        Some((rest.join(";"), until))
    }

    fn read(value: &str, first: Moment, zone: Tz) -> Option<Self> {
        let date = NaiveDate::parse_from_str(value.get(..8)?, "%Y%m%d").ok()?;
        if value.len() == 8 {
            let last = NaiveTime::from_hms_opt(23, 59, 59)?;
            return Some(match first {
                Moment::Day(_) => Self::Day(date),
                Moment::Instant(_) => Self::At(wall_instant(zone, date.and_time(last)).to_utc()),
            });
        }
        let local = NaiveDateTime::parse_from_str(value.trim_end_matches('Z'), "%Y%m%dT%H%M%S").ok()?;
        Some(match first {
            Moment::Day(_) => Self::Day(date),
            Moment::Instant(_) if value.ends_with('Z') => Self::At(Utc.from_utc_datetime(&local)),
            Moment::Instant(_) => Self::At(wall_instant(zone, local).to_utc()),
        })
    }

    /// True when an occurrence may begin here.
    pub fn includes(self, at: Moment) -> bool {
        match (self, at) {
            (Self::Day(last), Moment::Day(day)) => day <= last,
            (Self::At(last), Moment::Instant(at)) => at <= last,
            // A series has the one or the other.
            (Self::Day(_), Moment::Instant(_)) | (Self::At(_), Moment::Day(_)) => false,
        }
    }

    /// Its instant; of a day, the first of it.
    pub fn instant(self, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Day(day) => wall_instant(zone, day.and_time(NaiveTime::MIN)).to_utc(),
            Self::At(at) => at,
        }
    }
}
