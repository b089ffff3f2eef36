//! What calls of models came to, a record for each day of a person, stage and model.
//!
//! Invariant: counts and sums, never what anybody wrote. Written in the commit of the turn whose calls they were.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::core::ids::UserId;
use crate::ports::metering::UsageSum;
use crate::ports::{Key, Record, Stage, Table};

/// See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DailyUsage {
    /// Whose turns.
    pub owner: UserId,
    /// The day on which they began, in the person's zone.
    pub day: NaiveDate,
    /// For which stage was asked.
    pub stage: Stage,
    /// As its endpoint calls it.
    pub model: String,
    /// What it came to.
    pub sum: UsageSum,
}

impl DailyUsage {
    /// Where the record of a person's day, stage and model is.
    pub fn key_of(owner: &UserId, day: NaiveDate, stage: Stage, model: &str) -> Key {
        Key::of(&[owner.as_str(), &day.to_string(), stage.name(), model])
    }
}

impl Record for DailyUsage {
    const TABLE: Table = Table::Usage;

    fn key(&self) -> Key {
        Self::key_of(&self.owner, self.day, self.stage, &self.model)
    }
}
