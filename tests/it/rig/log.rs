//! What happened, in order: what must be durable before something else happens is read from here.

use std::sync::Mutex;

use brain_agent::core::plan::Action;
use brain_agent::ports::Batch;

use super::channel::Shown;

/// Something that happened, in the order it did.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a test holds few of them")]
pub enum Event {
    /// A batch became durable.
    Committed(Batch),
    /// A service was told to act.
    Performed { action: Action, key: String, owner: String },
    /// A message reached a person.
    Shown(Shown),
}

/// Everything that happened.
#[derive(Debug, Default)]
pub struct Log(Mutex<Vec<Event>>, tokio::sync::Notify);

impl Log {
    pub(super) fn add(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }

    pub fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until a service has been told to act.
    pub async fn begins(&self) {
        while !self.events().iter().any(|event| matches!(event, Event::Performed { .. })) {
            tokio::task::yield_now().await;
        }
    }

    /// A mail is held until it is let go.
    pub(super) async fn is_held(&self) {
        self.1.notified().await;
    }

    /// The mail server that holds a mail takes it now; see [`Sending::Held`].
    pub fn lets_go(&self) {
        self.1.notify_one();
    }

    /// What happened since the last taking.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    pub fn forget(&self) {
        self.0.lock().unwrap().clear();
    }
}
