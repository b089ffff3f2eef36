//! Metering: whose calls of a model these are, and what they came to.
//!
//! A meter is of a turn and goes with each of its calls ([`Call`](super::Call)); whoever sends calls away adds to it, and
//! the turn's commit keeps what it reads ([`DailyUsage`](super::records::DailyUsage)). Where the contents of a turn are kept
//! ([`TurnContents`](super::records::TurnContents)) it collects them as well; else nothing is made of them. Not here:
//! prices and budgets.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::model::{Stage, Usage};
use super::records::NodeContents;
use crate::core::ids::UserId;
use crate::limits::CONTENTS_NODES_MAX;

/// See the module. Clones are the same meter; the default one is nobody's, and counts nothing.
#[derive(Debug, Clone, Default)]
pub struct Meter(Option<Arc<OwnersMeter>>);

#[derive(Debug)]
struct OwnersMeter {
    owner: UserId,
    day: NaiveDate,
    sums: Mutex<MeteredUsage>,
    contents: Option<ContentsCollector>,
}

/// What nodes got and gave, of a turn that began then.
#[derive(Debug)]
struct ContentsCollector {
    began: Instant,
    nodes: Mutex<CollectedNodes>,
}

/// What was collected of nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollectedNodes {
    /// In the order in which they ended, bounded as they came.
    pub nodes: Vec<NodeContents>,
    /// Those beyond the most that are kept.
    pub left_out: usize,
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
        Self(Some(Arc::new(OwnersMeter { owner, day, sums: Mutex::default(), contents: None })))
    }

    /// The same, which has counted nothing yet and also collects what nodes of the turn got and gave that began then.
    #[must_use]
    pub fn collecting(&self, began: Instant) -> Self {
        let new = |meter: &Arc<OwnersMeter>| {
            let contents = Some(ContentsCollector { began, nodes: Mutex::default() });
            Arc::new(OwnersMeter { owner: meter.owner.clone(), day: meter.day, sums: Mutex::default(), contents })
        };
        Self(self.0.as_ref().map(new))
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

    /// Adds what a node got and gave that began then and ends now; it is not even made where nothing is collected.
    pub fn note(&self, start: Instant, node: impl FnOnce() -> NodeContents) {
        let Some(collector) = self.collector() else { return };
        let us = |span: std::time::Duration| u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        let (start_us, us) = (us(start.saturating_duration_since(collector.began)), us(start.elapsed()));
        let node = NodeContents { start_us, us, ..node() };
        let mut collected = collector.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        match collected.nodes.len() < CONTENTS_NODES_MAX {
            true => collected.nodes.push(node),
            false => collected.left_out += 1,
        }
    }

    /// Whether anything is collected.
    pub fn is_collecting(&self) -> bool {
        self.collector().is_some()
    }

    /// What was collected by now; `None` where nothing is.
    pub fn collected(&self) -> Option<CollectedNodes> {
        self.collector().map(|collector| collector.nodes.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn collector(&self) -> Option<&ContentsCollector> {
        self.0.as_ref().and_then(|meter| meter.contents.as_ref())
    }

    fn sums(&self) -> Option<MutexGuard<'_, MeteredUsage>> {
        self.0.as_ref().map(|meter| meter.sums.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
