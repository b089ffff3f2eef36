//! The Telegram daemon, as a test starts, kills and stops it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::super::bot_api::FakeBotApi;
use super::child::{Child, exit_code, wait_reached};

/// How long a start may take; far above what is promised, so that a busy machine is no failure.
const READY_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// `brain-agent serve`; killed when dropped.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    api: FakeBotApi,
    polled_before: usize,
    reached: PathBuf,
}

impl Daemon {
    pub(super) fn new(child: Child, api: FakeBotApi, polled_before: usize, reached: PathBuf) -> Self {
        Self { child, api, polled_before, reached }
    }

    /// Waits until this daemon, not an earlier one, has asked for updates.
    pub async fn wait_ready(&mut self) {
        let deadline = Instant::now() + READY_LIMIT;
        while self.api.calls("getUpdates").len() <= self.polled_before {
            if let Some(status) = self.child.ended() {
                panic!("the daemon ended with {status} before it was ready\n{}", self.child.story());
            }
            assert!(Instant::now() < deadline, "not ready\n{}\n{}", self.child.story(), self.api.transcript());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    pub fn stderr(&self) -> String {
        self.child.stderr()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.ended().is_none()
    }

    /// SIGKILL; the process is gone when this returns.
    pub fn kill(mut self) {
        self.child.kill();
    }

    /// SIGTERM, then its exit code.
    pub fn terminate(mut self) -> i32 {
        self.child.signal("TERM");
        exit_code(self.child.wait(STOP_LIMIT))
    }

    /// Waits for it to end by itself.
    pub fn wait_exit(&mut self, limit: Duration) -> i32 {
        exit_code(self.child.wait(limit))
    }

    /// Waits until it has stopped at the failpoint it was started with, then kills it there.
    pub fn kill_at(self, failpoint: &str) {
        wait_reached(&self.reached, failpoint);
        self.kill();
    }
}
