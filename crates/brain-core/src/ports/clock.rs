//! Clock: time as the program sees it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::core::pending::Instants;

/// Tells the time. The console's `--now` clock stands still until it is moved.
#[async_trait]
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Both clocks, read together.
    fn instants(&self) -> Instants;

    /// The wall clock.
    fn now(&self) -> DateTime<Utc> {
        self.instants().now
    }

    /// Returns once the wall clock shows `at` or later. A clock that stands still returns when it is moved.
    async fn sleep_until(&self, at: DateTime<Utc>);
}
