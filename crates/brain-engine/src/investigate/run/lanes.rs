//! Where the work of nodes happens: a source such as the mail, or a model endpoint. Each has so many places, and a
//! breaker that leaves it alone after too many failures in a row.
//!
//! There is one [`WorkLanes`] for all runs, since a limit that each run has for itself is none. Names of lanes come
//! from the program and its settings, so there are few of them.
//!
//! Invariants: places of several lanes are taken all at once or not at all, so nobody waits for one while holding
//! another; a place is given back when its holder ends or is dropped. Deliberately not here: what counts as a failure
//! ([`attempt`](super::attempt)).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use brain_core::core::breaker::{Breaker, Permit};
use brain_core::limits;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorkLane {
    /// The store of a service, or the server behind it.
    Source(String),
    /// A model endpoint.
    Endpoint(String),
}

impl fmt::Display for WorkLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(name) | Self::Endpoint(name) => f.write_str(name),
        }
    }
}

/// Bounds of each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneLimits {
    /// Places of a source; 0 counts as 1, here and below.
    pub source_at_once: usize,
    /// Places of an endpoint.
    pub endpoint_at_once: usize,
    /// Failures in a row after which it is left alone.
    pub failures: u32,
    /// For so long, in milliseconds.
    pub rest_ms: u64,
}

impl Default for LaneLimits {
    fn default() -> Self {
        Self {
            source_at_once: limits::SOURCE_AT_ONCE_MAX,
            endpoint_at_once: limits::ENDPOINT_AT_ONCE_MAX,
            failures: limits::LANE_FAILURES_MAX,
            rest_ms: limits::LANE_REST_MS,
        }
    }
}

/// A lane is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{lane} is left alone for {left_ms} ms: {why}")]
pub struct LaneRests {
    /// The lane that is left alone.
    pub lane: WorkLane,
    /// The last failure.
    pub why: String,
    /// Until it is worth asking again.
    pub left_ms: u64,
}

type KnownLanes = HashMap<WorkLane, Arc<LaneState>>;

/// All lanes of the program.
#[derive(Debug, Default)]
pub struct WorkLanes {
    limits: LaneLimits,
    lanes: Mutex<KnownLanes>,
    /// A place was given back.
    freed: Arc<Notify>,
}

#[derive(Debug)]
pub(super) struct LaneState {
    lane: WorkLane,
    places: Arc<Semaphore>,
    breaker: Breaker,
    /// What the last failure was.
    why: Mutex<String>,
}

impl LaneState {
    /// Leave for one attempt.
    pub fn admit(&self) -> Result<LanePermit<'_>, LaneRests> {
        let permit = self.breaker.admit(Instant::now().into_std()).map_err(|left| self.resting(left))?;
        Ok(LanePermit { lane: self, permit })
    }

    fn resting(&self, left: Duration) -> LaneRests {
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        LaneRests { lane: self.lane.clone(), why, left_ms: left.as_millis() as u64 }
    }
}

/// Leave for one attempt. Dropped without a word, it says nothing about the lane.
#[derive(Debug)]
pub(super) struct LanePermit<'a> {
    lane: &'a LaneState,
    permit: Permit<'a>,
}

impl LanePermit<'_> {
    /// The lane did what it could.
    pub fn answered(self) {
        self.permit.answered();
    }

    pub fn failed(self, why: &str) {
        why.clone_into(&mut self.lane.why.lock().unwrap_or_else(PoisonError::into_inner));
        self.permit.failed(Instant::now().into_std());
    }
}

/// One place; given back when it is dropped.
#[derive(Debug)]
pub(super) struct LanePlace {
    pub lane: Arc<LaneState>,
    permit: Option<OwnedSemaphorePermit>,
    freed: Arc<Notify>,
}

impl Drop for LanePlace {
    fn drop(&mut self) {
        drop(self.permit.take());
        self.freed.notify_waiters();
    }
}

/// Whether a node finds its places.
#[derive(Debug)]
pub(super) enum Entering {
    In(Vec<LanePlace>),
    Full,
    Rests(LaneRests),
}

impl WorkLanes {
    /// Lanes that all have these bounds.
    pub fn new(limits: LaneLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// A place of each lane, or of none.
    pub(super) fn enter(&self, lanes: &[WorkLane]) -> Entering {
        // Kept to the end: places that are taken and given back in between would look taken to another run.
        let mut known = self.lock();
        let mut lanes: Vec<_> = lanes.iter().map(|lane| self.lane(&mut known, lane)).collect();
        lanes.sort_by(|a, b| a.lane.cmp(&b.lane));
        lanes.dedup_by(|a, b| a.lane == b.lane);
        let now = Instant::now().into_std();
        if let Some((lane, left)) = lanes.iter().find_map(|lane| Some((lane, lane.breaker.rests(now)?))) {
            return Entering::Rests(lane.resting(left));
        }
        let mut permits = Vec::with_capacity(lanes.len());
        for lane in &lanes {
            match Arc::clone(&lane.places).try_acquire_owned() {
                Ok(permit) => permits.push(permit),
                Err(_) => return Entering::Full,
            }
        }
        Entering::In(lanes.into_iter().zip(permits).map(|(lane, permit)| self.place(lane, permit)).collect())
    }

    /// Waits for a place in one lane; those who wait get theirs in the order in which they came.
    pub(super) async fn wait_for(&self, lane: &WorkLane) -> Option<LanePlace> {
        let lane = self.lane(&mut self.lock(), lane);
        // Never closed, so there always is one in the end.
        let permit = Arc::clone(&lane.places).acquire_owned().await.ok()?;
        Some(self.place(lane, permit))
    }

    /// Ends when a place was given back after this was called and enabled.
    pub(super) fn freed(&self) -> Notified<'_> {
        self.freed.notified()
    }

    fn place(&self, lane: Arc<LaneState>, permit: OwnedSemaphorePermit) -> LanePlace {
        LanePlace { lane, permit: Some(permit), freed: Arc::clone(&self.freed) }
    }

    fn lock(&self) -> MutexGuard<'_, KnownLanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lane(&self, known: &mut KnownLanes, lane: &WorkLane) -> Arc<LaneState> {
        let places = match lane {
            WorkLane::Source(_) => self.limits.source_at_once,
            WorkLane::Endpoint(_) => self.limits.endpoint_at_once,
        };
        let new = || {
            Arc::new(LaneState {
                lane: lane.clone(),
                places: Arc::new(Semaphore::new(places.max(1))),
                breaker: Breaker::new(self.limits.failures, Duration::from_millis(self.limits.rest_ms)),
                why: Mutex::default(),
            })
        };
        Arc::clone(known.entry(lane.clone()).or_insert_with(new))
    }
}
