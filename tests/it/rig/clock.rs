//! Time that passes when a test says so.

use std::sync::Mutex;

use async_trait::async_trait;
use brain_agent::core::pending::{Instants, Monotonic};
use brain_agent::ports::Clock;
use chrono::{DateTime, Utc};

/// Both clocks, each moved by hand.
#[derive(Debug)]
pub struct HandClock(Mutex<Instants>);

impl HandClock {
    pub fn at(now: DateTime<Utc>) -> Self {
        let monotonic = Monotonic { boot: "first boot".to_owned(), ms: 1_000_000 };
        Self(Mutex::new(Instants { now, monotonic }))
    }

    /// Time passes.
    pub fn go_on(&self, by: chrono::Duration) {
        self.set_wall(by);
        self.set_monotonic(by);
    }

    /// Somebody sets the wall clock.
    pub fn set_wall(&self, by: chrono::Duration) {
        self.0.lock().unwrap().now += by;
    }

    /// Time passes, but the wall clock was held.
    pub fn set_monotonic(&self, by: chrono::Duration) {
        self.0.lock().unwrap().monotonic.ms += u64::try_from(by.num_milliseconds()).unwrap();
    }

    /// The machine starts anew: the monotonic clock begins at nothing.
    pub fn reboots(&self) {
        self.0.lock().unwrap().monotonic = Monotonic { boot: "second boot".to_owned(), ms: 0 };
    }
}

#[async_trait]
impl Clock for HandClock {
    fn instants(&self) -> Instants {
        self.0.lock().unwrap().clone()
    }

    async fn sleep_until(&self, _: DateTime<Utc>) {
        std::future::pending::<()>().await;
    }
}
