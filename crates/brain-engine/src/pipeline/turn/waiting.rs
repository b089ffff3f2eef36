//! How long a turn has been waiting for a model: whoever waits is told what for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::account::TurnAccount;
use brain_core::limits::MODEL_WAIT_TOLD_MS;

/// The calls under way.
#[derive(Debug, Default)]
pub(super) struct ModelWait(Mutex<Calls>);

#[derive(Debug, Default)]
struct Calls {
    count: usize,
    since: Option<Instant>,
}

/// One call under way; it ends with this.
#[derive(Debug)]
pub struct Waiting<'t>(&'t ModelWait);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut calls = self.0.calls();
        calls.count = calls.count.saturating_sub(1);
        if calls.count == 0 {
            calls.since = None;
        }
    }
}

impl ModelWait {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the status line, in steps: it is not changed every second.
    pub fn told(&self) -> Option<String> {
        let step = Duration::from_millis(MODEL_WAIT_TOLD_MS);
        let steps = self.calls().since?.elapsed().as_secs() / step.as_secs();
        let secs = steps * step.as_secs();
        (steps > 0).then(|| format!("My language model is slow: {secs} s so far. /cancel stops it."))
    }
}

impl TurnAccount {
    /// A model is asked from now on, until what this gives is dropped.
    pub fn waits_for_model(&self) -> Waiting<'_> {
        let mut calls = self.waiting.calls();
        calls.count += 1;
        calls.since.get_or_insert_with(Instant::now);
        Waiting(&self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_told_in_steps_and_only_while_somebody_waits() {
        let wait = ModelWait::default();
        let told = || wait.told();
        assert_eq!(told(), None);
        let begin = || {
            let mut calls = wait.calls();
            calls.count += 1;
            calls.since.get_or_insert_with(Instant::now);
            Waiting(&wait)
        };
        let first = begin();
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(told(), None);
        let second = begin();
        tokio::time::advance(Duration::from_secs(17)).await;
        assert!(told().is_some_and(|told| told.contains("20 s so far")));
        drop(first);
        assert!(told().is_some(), "the other goes on");
        drop(second);
        assert_eq!(told(), None);
    }
}
