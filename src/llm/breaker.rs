//! A circuit breaker: an endpoint that keeps failing is left alone for a while.
//!
//! ```text
//! closed   ── 5 failures in a row ─► open
//! closed   ── any answer ─► closed, count back to 0
//! open     ── 30 s later, one request is let through ─► probing
//! probing  ── any answer ─► closed        ── failure ─► open for another 30 s
//! probing  ── the probe was cancelled ─► open, the next request probes at once
//! ```
//! Requests that began before it opened change nothing when they end later. Time is an argument.
//! Deliberately not here: what counts as a failure (`failure`).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row that open the breaker.
pub(super) const FAILURES_MAX: u32 = 5;
/// How long it stays open.
pub(super) const REST: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<State>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed { failures: u32 },
    Open { until: Instant },
    Probing { since: Instant },
}

impl Default for State {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

/// Leave to send one request. Dropped without a word (a cancelled call), it says nothing about the endpoint.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    breaker: &'a Breaker,
    is_probe: bool,
}

impl Breaker {
    /// May a request be sent now? If not, how long until it is worth asking again.
    pub fn admit(&self, now: Instant) -> Result<Permit<'_>, Duration> {
        let mut state = self.state();
        let is_probe = match *state {
            State::Closed { .. } => false,
            State::Open { until } if until > now => return Err(until - now),
            State::Open { .. } => {
                *state = State::Probing { since: now };
                true
            }
            State::Probing { .. } => return Err(Duration::from_secs(1)),
        };
        Ok(Permit { breaker: self, is_probe })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// The endpoint answered, whatever it said.
    pub fn answered(self) {
        let mut state = self.breaker.state();
        match *state {
            State::Closed { .. } => *state = State::default(),
            State::Probing { .. } if self.is_probe => *state = State::default(),
            State::Open { .. } | State::Probing { .. } => {}
        }
    }

    /// The endpoint failed.
    pub fn failed(self, now: Instant) {
        let mut state = self.breaker.state();
        match *state {
            State::Closed { failures } if failures + 1 < FAILURES_MAX => {
                *state = State::Closed { failures: failures + 1 };
            }
            State::Closed { .. } => *state = State::Open { until: now + REST },
            State::Probing { .. } if self.is_probe => *state = State::Open { until: now + REST },
            State::Open { .. } | State::Probing { .. } => {}
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        // `answered` and `failed` have left `Probing` by now, so only a cancelled probe is still in it.
        if let (true, State::Probing { since }) = (self.is_probe, *state) {
            *state = State::Open { until: since };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(breaker: &Breaker, times: u32, now: Instant) {
        for _ in 0..times {
            breaker.admit(now).expect("closed").failed(now);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_opens_after_five_failures_in_a_row_and_one_probe_closes_it() {
        let breaker = Breaker::default();
        fail(&breaker, FAILURES_MAX, Instant::now());
        assert_eq!(breaker.admit(Instant::now()).err(), Some(REST));

        tokio::time::advance(REST - Duration::from_millis(1)).await;
        assert!(breaker.admit(Instant::now()).is_err());
        tokio::time::advance(Duration::from_millis(1)).await;
        let probe = breaker.admit(Instant::now()).expect("a probe");
        assert!(breaker.admit(Instant::now()).is_err(), "one probe only");
        probe.answered();
        breaker.admit(Instant::now()).expect("closed").answered();
    }

    #[test]
    fn an_answer_in_between_starts_the_count_anew() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        fail(&breaker, FAILURES_MAX - 1, now);
        breaker.admit(now).expect("closed").answered();
        fail(&breaker, FAILURES_MAX - 1, now);
        assert!(breaker.admit(now).is_ok());
    }

    #[test]
    fn a_failed_probe_opens_it_again_for_the_whole_rest() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        fail(&breaker, FAILURES_MAX, now);
        let later = now + REST;
        breaker.admit(later).expect("a probe").failed(later);
        assert_eq!(breaker.admit(later).err(), Some(REST));
    }

    #[test]
    fn a_cancelled_probe_leaves_the_next_request_to_probe() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        fail(&breaker, FAILURES_MAX, now);
        let later = now + REST;
        drop(breaker.admit(later).expect("a probe"));
        breaker.admit(later).expect("the next probe").answered();
        assert!(breaker.admit(later).is_ok() && breaker.admit(later).is_ok());
    }

    #[test]
    fn requests_from_before_it_opened_change_nothing() {
        let (breaker, now) = (Breaker::default(), Instant::now());
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
