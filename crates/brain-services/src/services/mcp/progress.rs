//! How far a server is with what a person asked of it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use brain_core::core::ids::UserId;
use brain_wire::mcp::McpCall;

/// The calls of a server that are under way, by whose they are.
#[derive(Debug, Default)]
pub(super) struct CallsOfPeople(Mutex<Vec<(UserId, watch::Receiver<String>)>>);

/// One of them, until this is dropped.
#[derive(Debug)]
pub(super) struct CallOfPerson<'a> {
    calls: &'a CallsOfPeople,
    progress: watch::Receiver<String>,
}

impl CallsOfPeople {
    pub(super) fn begin(&self, owner: &UserId, call: &McpCall) -> CallOfPerson<'_> {
        let progress = call.progress.subscribe();
        self.calls().push((owner.clone(), progress.clone()));
        CallOfPerson { calls: self, progress }
    }

    /// What was told last of what this person waits for.
    pub(super) fn told(&self, owner: &UserId) -> Option<String> {
        let calls = self.calls();
        let mut told = calls.iter().filter(|(whose, _)| whose == owner).map(|(_, progress)| progress.borrow().clone());
        told.rfind(|words| !words.trim().is_empty())
    }

    fn calls(&self) -> MutexGuard<'_, Vec<(UserId, watch::Receiver<String>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CallOfPerson<'_> {
    fn drop(&mut self) {
        self.calls.calls().retain(|(_, progress)| !progress.same_channel(&self.progress));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_is_told_of_their_own_call_and_only_while_it_lasts() {
        let (calls, [anna, bob]) = (CallsOfPeople::default(), ["anna", "bob"].map(UserId::new));
        let (of_anna, of_bob) = (McpCall::default(), McpCall::default());
        let (first, _second) = (calls.begin(&anna, &of_anna), calls.begin(&bob, &of_bob));
        assert_eq!(calls.told(&anna), None, "nothing was said yet");
        of_anna.progress.send_replace("40 %: copying".to_owned());
        assert_eq!((calls.told(&anna).as_deref(), calls.told(&bob)), (Some("40 %: copying"), None));
        drop(first);
        assert_eq!(calls.told(&anna), None);
    }
}
