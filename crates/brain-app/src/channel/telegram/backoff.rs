//! What the operator is told when Telegram does not answer: each kind of trouble once, in plain words, and its
//! end; and how long to wait before the next try.

use std::time::Duration;

use super::api::ApiError;
use crate::config::tell;
use brain_core::limits;

/// How things have gone lately.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
    told: Option<&'static str>,
}

impl Backoff {
    /// A call failed: says so if it is news. Returns how long to wait.
    pub(super) fn met(&mut self, error: &ApiError) -> Duration {
        let (news, first_ms) = match error {
            ApiError::Refused { code: 409, .. } => (
                Some(
                    "Another program is fetching this bot's messages. Stop it, or use another token; I wait until it is gone.",
                ),
                1_000,
            ),
            ApiError::Refused { code: 401 | 404, .. } => (
                Some(
                    "Telegram refuses the token (TELEGRAM_BOT_TOKEN) now. Was it revoked? I keep everything and go on trying.",
                ),
                5_000,
            ),
            // One failure is no news on a network.
            ApiError::Unreachable(_) => {
                ((self.failures > 1).then_some("Telegram can't be reached. I keep everything and go on trying."), 200)
            }
            ApiError::Refused { .. } => (Some("Telegram refuses to hand out messages. I go on trying."), 1_000),
            ApiError::Flood(_) => (None, 1_000),
        };
        if let Some(news) = news
            && self.told != Some(news)
        {
            tell(&format!("{news} ({error})"));
            self.told = Some(news);
        }
        tracing::warn!(%error, failures = self.failures, "updates could not be fetched");
        let ms = (first_ms << self.failures.min(10)).min(limits::POLL_PAUSE_MS_MAX);
        self.failures += 1;
        let asked = if let ApiError::Flood(wait) = error { *wait } else { Duration::ZERO };
        Duration::from_millis(ms).max(asked)
    }

    /// A call succeeded.
    pub(super) fn over(&mut self) {
        if self.told.is_some() {
            tell("Telegram answers again.");
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_a_flood_wait_is_kept() {
        let mut backoff = Backoff::default();
        let gone = ApiError::Unreachable("gone".into());
        let pauses: Vec<u128> = (0..10).map(|_| backoff.met(&gone).as_millis()).collect();
        assert_eq!(pauses[..4], [200, 400, 800, 1_600]);
        assert_eq!(pauses[9], u128::from(limits::POLL_PAUSE_MS_MAX));
        assert_eq!(backoff.met(&ApiError::Flood(Duration::from_secs(90))), Duration::from_secs(90));
        backoff.over();
        assert_eq!(backoff.met(&gone).as_millis(), 200);
    }
}
