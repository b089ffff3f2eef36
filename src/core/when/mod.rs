//! From the words people use for times to instants.
use chrono::{DateTime, Utc};
use chrono_tz::Tz;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    pub now: DateTime<Utc>,
    pub zone: Tz,
    pub order: DateOrder,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}
pub fn describe(at: DateTime<Tz>, grain: Grain, _reference: &Reference) -> String {
    match grain {
        Grain::Minute => at.format("%a %d %b %Y %H:%M").to_string(),
        _ => at.format("%a %d %b %Y").to_string(),
    }
}
pub fn describe_recurrence(rrule: &str) -> String {
    rrule.to_owned()
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalInstant(DateTime<Tz>);
impl LocalInstant {
    pub fn first(self) -> DateTime<Tz> {
        self.0
    }
}
pub fn local_instant(zone: Tz, local: chrono::NaiveDateTime) -> LocalInstant {
    use chrono::TimeZone;
    LocalInstant(zone.from_utc_datetime(&local))
}
