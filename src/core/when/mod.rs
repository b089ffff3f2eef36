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
