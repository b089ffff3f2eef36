//! Clocks: the machine's, and one that stands still until it is moved.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::watch;

use crate::core::pending::{Instants, Monotonic};
use crate::ports::Clock;

/// The machine's clocks.
#[derive(Debug)]
pub struct SystemClock {
    boot: String,
    started: std::time::Instant,
}

impl SystemClock {
    /// Names this boot of the machine, so that a reading of the monotonic clock means something later.
    pub fn new() -> Self {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned());
        // Where the system does not tell, every start of the program counts as a boot of its own.
        let boot = boot.unwrap_or_else(|_| uuid::Uuid::new_v4().to_string());
        Self { boot, started: std::time::Instant::now() }
    }

    fn uptime_ms(&self) -> u64 {
        let uptime = std::fs::read_to_string("/proc/uptime").ok();
        let seconds = uptime.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        seconds.map_or_else(|| self.started.elapsed().as_millis() as u64, |seconds| (seconds * 1_000.0) as u64)
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn instants(&self) -> Instants {
        Instants { now: Utc::now(), monotonic: Monotonic { boot: self.boot.clone(), ms: self.uptime_ms() } }
    }

    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        /// The wall clock may be set meanwhile, so it is looked at again at least this often.
        const LOOK_AGAIN: Duration = Duration::from_secs(30);
        while let Ok(left) = (at - Utc::now()).to_std() {
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(LOOK_AGAIN)).await;
        }
    }
}

/// A clock that stands still: `console --now`, and tests.
#[derive(Debug)]
pub struct ManualClock {
    start: DateTime<Utc>,
    now: Mutex<DateTime<Utc>>,
    moved: watch::Sender<DateTime<Utc>>,
}

impl ManualClock {
    /// Stands at `start`.
    pub fn new(start: DateTime<Utc>) -> Self {
        Self { start, now: Mutex::new(start), moved: watch::Sender::new(start) }
    }

    /// Moves forward. False, and unmoved, when `to` lies behind.
    pub fn move_to(&self, to: DateTime<Utc>) -> bool {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if to < *now {
            return false;
        }
        *now = to;
        self.moved.send_replace(to);
        true
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn instants(&self) -> Instants {
        let now = *self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let ms = u64::try_from((now - self.start).num_milliseconds()).unwrap_or(0);
        // Its boot is named by where it started: a later start of the console is another one.
        Instants { now, monotonic: Monotonic { boot: format!("manual {}", self.start), ms } }
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        let mut moved = self.moved.subscribe();
        while *moved.borrow_and_update() < at {
            if moved.changed().await.is_err() {
                return;
            }
        }
    }
}
