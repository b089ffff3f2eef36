//! A circuit breaker: an endpoint or a source that keeps failing is left alone for a while.
//!
//! ```text
//! closed   ── so many failures in a row ─► open
//! closed   ── any answer ─► closed, count back to 0
//! open     ── after its rest, one request is let through ─► probing
//! probing  ── any answer ─► closed        ── failure ─► open for another rest
//! probing  ── the probe was cancelled ─► open, the next request probes at once
//! ```
//! Requests that began before it opened change nothing when they end later. Time is an argument.
//! Deliberately not here: what counts as a failure.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// See the module.
#[derive(Debug)]
pub struct Breaker {
    /// Failures in a row that open it.
    failures_max: u32,
    /// How long it stays open.
    rest: Duration,
    state: Mutex<BreakerState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BreakerState {
    Closed { failures: u32 },
    Open { until: Instant },
    Probing { since: Instant },
}

/// How long others are told to wait for the end of a probe.
const PROBE_WAIT: Duration = Duration::from_secs(1);
const CLOSED: BreakerState = BreakerState::Closed { failures: 0 };

/// Leave to send one request. Dropped without a word (a cancelled call), it says nothing about the endpoint.
#[derive(Debug)]
pub struct Permit<'a> {
    breaker: &'a Breaker,
    is_probe: bool,
}

impl Breaker {
    /// A closed one.
    pub fn new(failures_max: u32, rest: Duration) -> Self {
        Self { failures_max, rest, state: Mutex::new(CLOSED) }
    }

    /// How long it is still of no use to ask; nothing while requests are let through. Changes nothing.
    pub fn rests(&self, now: Instant) -> Option<Duration> {
        match *self.state() {
            BreakerState::Closed { .. } => None,
            BreakerState::Open { until } => Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero()),
            BreakerState::Probing { .. } => Some(PROBE_WAIT),
        }
    }

    /// May a request be sent now? If not, how long until it is worth asking again.
    pub fn admit(&self, now: Instant) -> Result<Permit<'_>, Duration> {
        let mut state = self.state();
        let is_probe = match *state {
            BreakerState::Closed { .. } => false,
            BreakerState::Open { until } if until > now => return Err(until - now),
            BreakerState::Open { .. } => {
                *state = BreakerState::Probing { since: now };
                true
            }
            BreakerState::Probing { .. } => return Err(PROBE_WAIT),
        };
        Ok(Permit { breaker: self, is_probe })
    }

    fn state(&self) -> MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// The endpoint answered, whatever it said.
    pub fn answered(self) {
        let mut state = self.breaker.state();
        match *state {
            BreakerState::Closed { .. } => *state = CLOSED,
            BreakerState::Probing { .. } if self.is_probe => *state = CLOSED,
            BreakerState::Open { .. } | BreakerState::Probing { .. } => {}
        }
    }

    /// The endpoint failed.
    pub fn failed(self, now: Instant) {
        let mut state = self.breaker.state();
        match *state {
            BreakerState::Closed { failures } if failures + 1 < self.breaker.failures_max => {
                *state = BreakerState::Closed { failures: failures + 1 };
            }
            BreakerState::Closed { .. } => *state = BreakerState::Open { until: now + self.breaker.rest },
            BreakerState::Probing { .. } if self.is_probe => {
                *state = BreakerState::Open { until: now + self.breaker.rest }
            }
            BreakerState::Open { .. } | BreakerState::Probing { .. } => {}
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        // `answered` and `failed` have left `Probing` by now, so only a cancelled probe is still in it.
        if let (true, BreakerState::Probing { since }) = (self.is_probe, *state) {
            *state = BreakerState::Open { until: since };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILURES_MAX: u32 = 5;
    const REST: Duration = Duration::from_secs(30);

    fn breaker() -> (Breaker, Instant) {
        (Breaker::new(FAILURES_MAX, REST), Instant::now())
    }

    fn fail(breaker: &Breaker, times: u32, now: Instant) {
        for _ in 0..times {
            breaker.admit(now).expect("closed").failed(now);
        }
    }

    #[test]
    fn it_opens_after_five_failures_in_a_row_and_one_probe_closes_it() {
        let (breaker, now) = breaker();
        fail(&breaker, FAILURES_MAX, now);
        assert_eq!(breaker.admit(now).err(), Some(REST));
        let almost = now + REST - Duration::from_millis(1);
        assert!(breaker.admit(almost).is_err() && breaker.rests(almost).is_some());
        let later = now + REST;
        assert_eq!(breaker.rests(later), None);
        let probe = breaker.admit(later).expect("a probe");
        assert!(breaker.admit(later).is_err() && breaker.rests(later).is_some(), "one probe only");
        probe.answered();
        breaker.admit(later).expect("closed").answered();
    }

    #[test]
    fn an_answer_in_between_starts_the_count_anew() {
        let (breaker, now) = breaker();
        fail(&breaker, FAILURES_MAX - 1, now);
        breaker.admit(now).expect("closed").answered();
        fail(&breaker, FAILURES_MAX - 1, now);
        assert!(breaker.admit(now).is_ok());
    }

    #[test]
    fn a_failed_probe_opens_it_again_for_the_whole_rest() {
        let (breaker, now) = breaker();
        fail(&breaker, FAILURES_MAX, now);
        let later = now + REST;
        breaker.admit(later).expect("a probe").failed(later);
        assert_eq!(breaker.admit(later).err(), Some(REST));
    }

    #[test]
    fn a_cancelled_probe_leaves_the_next_request_to_probe() {
        let (breaker, now) = breaker();
        fail(&breaker, FAILURES_MAX, now);
        let later = now + REST;
        drop(breaker.admit(later).expect("a probe"));
        breaker.admit(later).expect("the next probe").answered();
        assert!(breaker.admit(later).is_ok() && breaker.admit(later).is_ok());
    }

    #[test]
    fn requests_from_before_it_opened_change_nothing() {
        let (breaker, now) = breaker();
        let (early, other) = (breaker.admit(now).expect("closed"), breaker.admit(now).expect("closed"));
        fail(&breaker, FAILURES_MAX, now);
        early.answered();
        assert!(breaker.admit(now).is_err());
        let probe = breaker.admit(now + REST).expect("a probe");
        other.failed(now + REST);
        probe.answered();
        assert!(breaker.admit(now + REST).is_ok());
    }
}
