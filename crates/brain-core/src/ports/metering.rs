//! Metering: whose calls of a model these are, and what they came to.
//!
//! A meter is of a turn and goes with each of its calls ([`Call`](super::Call)); whoever sends calls away adds to it, and
//! the turn's commit keeps what it reads ([`DailyUsage`](super::records::DailyUsage)). Not here: prices and budgets.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::model::{Stage, Usage};
use crate::core::ids::UserId;

/// See the module. Clones are the same meter; the default one is nobody's, and counts nothing.
#[derive(Debug, Clone, Default)]
pub struct Meter(Option<Arc<OwnersMeter>>);

#[derive(Debug)]
struct OwnersMeter {
    owner: UserId,
    day: NaiveDate,
    sums: Mutex<MeteredUsage>,
}

/// What calls came to, by stage and model.
pub type MeteredUsage = BTreeMap<(Stage, String), UsageSum>;

/// What calls of one stage and model came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageSum {
    /// Requests sent, retries included, and their tokens.
    pub usage: Usage,
    /// Calls that gave no answer.
    pub failed: u32,
    /// Calls that were not made, because a budget was spent.
    pub refused: u32,
    /// US dollars, of the calls whose price is known.
    pub usd: f64,
    /// Requests whose price is not.
    pub unpriced: u32,
    /// How long all of them took, one after the other, in milliseconds.
    pub ms: u64,
}

impl AddAssign for UsageSum {
    fn add_assign(&mut self, other: Self) {
        self.usage += other.usage;
        self.failed += other.failed;
        self.refused += other.refused;
        self.usd += other.usd;
        self.unpriced += other.unpriced;
        self.ms += other.ms;
    }
}

impl Meter {
    /// Of a turn of this person that began on this day of theirs.
    pub fn of(owner: UserId, day: NaiveDate) -> Self {
        Self(Some(Arc::new(OwnersMeter { owner, day, sums: Mutex::default() })))
    }

    /// Whose it is, and which day counts; `None` for nobody's.
    pub fn owner(&self) -> Option<(&UserId, NaiveDate)> {
        self.0.as_ref().map(|meter| (&meter.owner, meter.day))
    }

    /// Adds what a call came to.
    pub fn add(&self, stage: Stage, model: &str, sum: UsageSum) {
        if let Some(mut sums) = self.sums() {
            *sums.entry((stage, model.to_owned())).or_default() += sum;
        }
    }

    /// What it reads by now.
    pub fn reading(&self) -> MeteredUsage {
        self.sums().map(|sums| sums.clone()).unwrap_or_default()
    }

    fn sums(&self) -> Option<MutexGuard<'_, MeteredUsage>> {
        self.0.as_ref().map(|meter| meter.sums.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
