//! Connection slots: who is connected, and that whoever has been silent for longest gives up their place.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use brain_core::limits;

/// The places there are.
#[derive(Debug, Default)]
pub(super) struct ConnectionSlots {
    taken: Mutex<TakenSlots>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct TakenSlots {
    /// Whoever says something takes a new number, so the first one that waits has been silent for longest.
    by_number: BTreeMap<u64, CancellationToken>,
    last: u64,
    /// Of them, those whose line is being answered.
    busy: Vec<u64>,
}

impl TakenSlots {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    seats: Arc<ConnectionSlots>,
    number: Mutex<u64>,
    leaves: CancellationToken,
}

impl ConnectionSlots {
    fn taken(&self) -> MutexGuard<'_, TakenSlots> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place, of somebody who is silent when all are taken. Waits only while all of them are being answered.
    pub(super) async fn take(self: &Arc<Self>) -> ConnectionSlot {
        loop {
            let freed = self.freed.notified();
            if let Some(seat) = self.try_take() {
                return seat;
            }
            freed.await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let mut taken = self.taken();
        if taken.by_number.len() >= limits::CONTROL_CONNECTIONS_MAX {
            let silent = taken.by_number.keys().find(|number| !taken.busy.contains(number)).copied()?;
            if let Some(leaves) = taken.by_number.remove(&silent) {
                leaves.cancel();
            }
        }
        let (number, leaves) = (taken.next(), CancellationToken::new());
        taken.by_number.insert(number, leaves.clone());
        Some(ConnectionSlot { seats: self.clone(), number: Mutex::new(number), leaves })
    }
}

impl ConnectionSlot {
    /// What is said next; `None` when the place was given up meanwhile.
    pub(super) async fn hears<T>(&self, next: impl Future<Output = T>) -> Option<T> {
        self.is_busy(false);
        tokio::select! {
            biased;
            () = self.leaves.cancelled() => None,
            said = next => {
                self.is_busy(true);
                Some(said)
            }
        }
    }

    /// Whether somebody else has the place now.
    pub(super) fn was_given_up(&self) -> bool {
        self.leaves.is_cancelled()
    }

    fn is_busy(&self, busy: bool) {
        let mut taken = self.seats.taken();
        let mut number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        taken.busy.retain(|other| other != &*number);
        let Some(leaves) = taken.by_number.remove(&number) else { return };
        *number = taken.next();
        taken.by_number.insert(*number, leaves);
        if busy {
            taken.busy.push(*number);
        } else {
            self.seats.freed.notify_one();
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
        let number = *self.number.lock().unwrap_or_else(PoisonError::into_inner);
        taken.by_number.remove(&number);
        taken.busy.retain(|other| *other != number);
        self.seats.freed.notify_one();
    }
}
