//! How fast an endpoint has been lately, by stage: who waits for a model is worth knowing to be told before asking it.
//!
//! Invariants: a single slow answer is forgotten after a few fast ones, and the other way round; time is an argument.
//! Not here: what follows from it (the stages say).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use brain_core::limits::MODEL_SLOW_MS;
use brain_core::ports::Stage;

/// The times of one endpoint's answers, smoothed: each new one counts for half.
#[derive(Debug, Default)]
pub(super) struct EndpointPace(Mutex<[Option<Duration>; Stage::ALL.len()]>);

impl EndpointPace {
    /// An answer was there after so long, or was given up then.
    pub fn took(&self, stage: Stage, time: Duration) {
        let known = &mut self.all()[stage as usize];
        *known = Some(known.map_or(time, |earlier| (earlier + time) / 2));
    }

    /// Whether `stage` will have to wait; a stage that was not asked yet is judged by the slowest of the others.
    pub fn is_slow(&self, stage: Stage) -> bool {
        self.takes(stage).is_some_and(|time| time > Duration::from_millis(MODEL_SLOW_MS))
    }

    /// How long `stage` will take, judged in the same way.
    pub fn takes(&self, stage: Stage) -> Option<Duration> {
        let all = self.all();
        all[stage as usize].or_else(|| all.iter().flatten().max().copied())
    }

    fn all(&self) -> MutexGuard<'_, [Option<Duration>; Stage::ALL.len()]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_slow_while_its_last_answers_were() {
        let pace = EndpointPace::default();
        let plan = |secs: &[u64]| {
            secs.iter().for_each(|secs| pace.took(Stage::Plan, Duration::from_secs(*secs)));
            pace.is_slow(Stage::Plan)
        };
        assert!(!pace.is_slow(Stage::Plan), "nothing is known");
        assert!(plan(&[40]));
        assert!(pace.is_slow(Stage::Route), "judged by what is known");
        pace.took(Stage::Route, Duration::from_millis(300));
        assert!(!pace.is_slow(Stage::Route) && pace.is_slow(Stage::Plan));
        assert!(!plan(&[1, 1, 1]), "it was only being loaded");
    }
}
