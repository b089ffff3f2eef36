//! Debounce: the short time in which a person's next message may still belong to this one.
//!
//! People send one sentence in several messages. A turn may think at once, so that a single message is not kept
//! waiting; but while more may come it writes nothing and says nothing, so that it can be dropped without a trace and
//! begun anew with all the words coalesced.
//!
//! | stage    | what the turn may do                                                     |
//! |----------|--------------------------------------------------------------------------|
//! | `Held`   | read, think                                                              |
//! | `Acting` | everything but asking back: the rest of the sentence may still be coming |
//! | `Over`   | everything                                                               |
//!
//! Invariant: a turn passes [`Debounce::before_writing`] or [`Debounce::before_asking`] before its first commit, and
//! from then on [`Debounce::has_begun`] is true. The holder drops a turn only while it is false, in the task that
//! also polls the turn, so that the two cannot cross.
//!
//! A turn that has made its decision durable and only waits for somebody else's server keeps nobody behind it waiting:
//! it lets its line pass ([`Debounce::let_pass`]). Not here: whose messages belong together (the channel knows
//! that), and time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, watch};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DebounceStage {
    Held,
    Acting,
    Over,
}

/// Shared by a turn and whoever may still add to it.
#[derive(Debug, Clone)]
pub struct Debounce {
    stage: Arc<watch::Sender<DebounceStage>>,
    begun: Arc<AtomicBool>,
    /// Told when what waits behind this turn need not wait any more.
    passes: Arc<Notify>,
}

impl Debounce {
    /// Nothing more can come.
    pub fn over() -> Self {
        Self::at(DebounceStage::Over)
    }

    /// More may come.
    pub fn held() -> Self {
        Self::at(DebounceStage::Held)
    }

    fn at(stage: DebounceStage) -> Self {
        Self { stage: Arc::new(watch::Sender::new(stage)), begun: Arc::default(), passes: Arc::default() }
    }

    /// The same for a turn that stands in a line, whose next job is begun once `passes` is notified.
    #[must_use]
    pub fn in_line(self, passes: Arc<Notify>) -> Self {
        Self { passes, ..self }
    }

    /// What waits behind this turn may begin: all that order matters to is durable.
    pub fn let_pass(&self) {
        self.passes.notify_one();
    }

    /// The turn may act.
    pub fn let_act(&self) {
        self.raise(DebounceStage::Acting);
    }

    /// The turn may do everything.
    pub fn end(&self) {
        self.raise(DebounceStage::Over);
    }

    fn raise(&self, to: DebounceStage) {
        self.stage.send_if_modified(|stage| {
            let higher = *stage < to;
            *stage = to.max(*stage);
            higher
        });
    }

    /// Whether the turn may have written something, so that it can no longer be dropped.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Whether nothing more can come.
    pub fn is_over(&self) -> bool {
        *self.stage.borrow() == DebounceStage::Over
    }

    /// Waits until the turn may write.
    pub async fn before_writing(&self) {
        self.reach(DebounceStage::Acting).await;
    }

    /// Waits until the turn may ask back; at once when it has already written.
    pub async fn before_asking(&self) {
        if !self.has_begun() {
            self.reach(DebounceStage::Over).await;
        }
    }

    async fn reach(&self, wanted: DebounceStage) {
        let mut stage = self.stage.subscribe();
        // The sender lives as long as this does.
        let _ = stage.wait_for(|stage| *stage >= wanted).await;
        self.begun.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn a_turn_that_is_held_has_not_begun() {
        let debounce = Debounce::held();
        assert!(debounce.before_writing().now_or_never().is_none());
        assert!(!debounce.has_begun());
        debounce.let_act();
        assert!(debounce.before_asking().now_or_never().is_none(), "asking back waits longer");
        assert!(!debounce.has_begun());
        assert!(debounce.before_writing().now_or_never().is_some());
        assert!(debounce.has_begun());
        assert!(debounce.before_asking().now_or_never().is_some(), "what has begun need not wait any more");
    }

    #[test]
    fn it_never_goes_back() {
        let debounce = Debounce::held();
        debounce.end();
        debounce.let_act();
        assert!(debounce.before_asking().now_or_never().is_some());
    }
}
