//! Error classification: what went wrong with one request, what it allows next, and how the operator is told.
//!
//! Invariant: what leaves here (`why`) holds no key, no text of the request, no hidden characters, and at
//! most [`SAID_CHARS_MAX`] characters of the server's own words.

use std::error::Error;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::structured::Refusal;
use super::wire::error_message;
use brain_core::core::text::{shorten, visible};
use brain_core::limits::RETRY_AFTER_SECS_MAX;
use brain_core::ports::{ModelError, Usage};

/// Of the server's own message.
pub(super) const SAID_CHARS_MAX: usize = 200;
/// A server that repeats this many characters of the request in its message would leak them into logs.
const ECHO_CHARS: usize = 16;
/// Shorter keys ("none", "x") are placeholders; replacing them would only garble messages.
const KEY_BYTES_MIN: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    Unreachable,
    TooSlow,
    Rejected(u16),
    Unreadable,
}

/// Why a request gave no answer.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub kind: FailureKind,
    pub why: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Waiting and asking again cannot help.
    pub is_final: bool,
    /// The error as it came, for negotiation only; it may repeat the request.
    pub body: String,
}

impl Failure {
    pub fn new(kind: FailureKind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into(), retry_after: None, is_final: false, body: String::new() }
    }

    pub fn unreachable(why: impl Into<String>) -> Self {
        Self::new(FailureKind::Unreachable, why)
    }

    /// It was waited for as long as its stage may be.
    pub fn too_slow(why: impl Into<String>) -> Self {
        Self::new(FailureKind::TooSlow, why)
    }

    pub fn unreadable(why: impl Into<String>) -> Self {
        Self::new(FailureKind::Unreadable, why)
    }

    /// The breaker is open, after an outage like the last one.
    pub fn resting(left: Duration, last: Option<&Self>) -> Self {
        let secs = left.as_secs_f64().ceil();
        let rest = format!("it failed several times in a row and is left alone; next try in {secs} s");
        let resting = match last {
            Some(last) => Self::new(last.kind, format!("{}; {rest}", last.why)),
            None => Self::unreachable(rest),
        };
        Self { is_final: true, ..resting }
    }

    /// It let an earlier stage of the same turn wait in vain.
    pub fn given_up() -> Self {
        let why = "it did not answer an earlier stage of this turn in time, so it was not waited for again";
        Self { is_final: true, ..Self::too_slow(why) }
    }

    /// From an error of the transport. Its root says what happened; the URL (which may hold a password) is
    /// left out.
    pub fn transport(error: reqwest::Error, place: &str) -> Self {
        let what = if error.is_connect() {
            format!("cannot connect to {place}")
        } else {
            format!("the transfer from {place} broke off")
        };
        let error = error.without_url();
        let mut root: &dyn Error = &error;
        while let Some(source) = root.source() {
            root = source;
        }
        Self::unreachable(format!("{what}: {}", plain(&root.to_string())))
    }

    /// From an answer with an error status.
    pub fn refused(status: u16, body: String, said: &EchoGuard<'_>, retry_after: Option<Duration>) -> Self {
        let advice = said.advice(status);
        let why = match said.message(&body) {
            Some(message) => format!("{advice} (it says: {message})"),
            None => advice,
        };
        Self {
            retry_after,
            is_final: body.contains("insufficient_quota"),
            body,
            ..Self::new(FailureKind::Rejected(status), why)
        }
    }

    /// May the same request succeed a little later?
    pub fn is_transient(&self) -> bool {
        !self.is_final
            && match self.kind {
                FailureKind::Unreachable | FailureKind::TooSlow => true,
                FailureKind::Rejected(status) => matches!(status, 408 | 429 | 500..=599),
                FailureKind::Unreadable => false,
            }
    }

    /// Is the endpoint down, rather than unwilling? Only that counts for the breaker: an endpoint that asks
    /// to slow down (429) is alive.
    pub fn is_outage(&self) -> bool {
        match self.kind {
            FailureKind::Unreachable | FailureKind::TooSlow => true,
            FailureKind::Rejected(status) => matches!(status, 408 | 500..=599),
            FailureKind::Unreadable => false,
        }
    }

    /// May another endpoint do better? Not with a request that was refused for what it is.
    pub fn wants_fallback(&self) -> bool {
        match self.kind {
            FailureKind::Unreachable | FailureKind::TooSlow => true,
            FailureKind::Rejected(status) => matches!(status, 401..=404 | 408 | 429 | 500..=599),
            FailureKind::Unreadable => false,
        }
    }

    pub fn as_refusal(&self) -> Option<Refusal<'_>> {
        match self.kind {
            FailureKind::Rejected(status) => {
                Some(Refusal { status, body: &self.body, is_explained: raw_message(&self.body).is_some() })
            }
            FailureKind::Unreachable | FailureKind::TooSlow | FailureKind::Unreadable => None,
        }
    }

    /// Both endpoints failed: the first one's failure, with a word about the second.
    pub fn and_fallback(mut self, second: &Self) -> Self {
        self.why = format!("{}; the fallback endpoint: {}", self.why, second.why);
        self
    }

    pub fn into_error(self, usage: Usage) -> ModelError {
        let why = self.why;
        match self.kind {
            FailureKind::Unreachable => ModelError::Unreachable { why, usage },
            FailureKind::TooSlow => ModelError::TooSlow { why, usage },
            FailureKind::Rejected(status) => ModelError::Rejected { status, why, usage },
            FailureKind::Unreadable => ModelError::Unreadable { why, usage },
        }
    }
}

/// What is needed to repeat a server's words safely.
pub(super) struct EchoGuard<'a> {
    pub key: Option<&'a str>,
    /// The volatile part of the request.
    pub user: &'a str,
    /// What the settings of this endpoint are called: `LLM_` or `LLM_FALLBACK_`.
    pub prefix: &'static str,
}

impl EchoGuard<'_> {
    fn advice(&self, status: u16) -> String {
        let prefix = self.prefix;
        match status {
            300..=399 => format!("it points to another address; set {prefix}BASE_URL to that one"),
            401 | 403 => format!("the key was refused; check {prefix}API_KEY"),
            402 => "the account has no credit left".into(),
            404 => format!(
                "it knows no such model or address; check {prefix}MODEL, and {prefix}BASE_URL, which usually ends in /v1"
            ),
            413 => "the request is too large for it".into(),
            429 => "too many requests, or the quota is used up".into(),
            500..=599 => "it failed inside".into(),
            _ => "it refused the request".into(),
        }
    }

    /// The server's own message, fit to be shown.
    pub fn message(&self, body: &str) -> Option<String> {
        let mut message = raw_message(body)?;
        if let Some(key) = self.key.filter(|key| key.len() >= KEY_BYTES_MIN) {
            message = message.replace(key, "[key]");
        }
        if repeats(&message, self.user) {
            return Some("(left out: it repeats the request)".into());
        }
        Some(plain(&message))
    }
}

fn raw_message(body: &str) -> Option<String> {
    let message = match serde_json::from_str::<Value>(body) {
        Ok(value) => error_message(&value)?,
        Err(_) if body.trim_start().starts_with('<') => return None,
        Err(_) => body.to_owned(),
    };
    Some(message).filter(|message| !message.trim().is_empty())
}

/// One line, nothing hidden, not long.
fn plain(message: &str) -> String {
    let line: Vec<&str> = message.split_whitespace().collect();
    shorten(&visible(&line.join(" ")), SAID_CHARS_MAX)
}

/// Does the message hold a stretch of the request, or the whole of a short one?
fn repeats(message: &str, user: &str) -> bool {
    let short = user.trim();
    if short.len() >= 4 && message.contains(short) {
        return true;
    }
    let starts: Vec<usize> = message.char_indices().map(|(at, _)| at).take(2_000).collect();
    starts.windows(ECHO_CHARS + 1).any(|window| user.contains(&message[window[0]..window[ECHO_CHARS]]))
}

/// `Retry-After` in seconds or as an HTTP date; a date in the past asks for no wait.
pub(super) fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(secs) = value.parse::<f64>() {
        let wait = || Duration::try_from_secs_f64(secs).unwrap_or(Duration::MAX);
        return (secs >= 0.0).then(|| bounded(wait()));
    }
    let date = DateTime::parse_from_rfc2822(value).ok()?;
    Some(bounded((date.to_utc() - now).to_std().unwrap_or_default()))
}

/// What a server asks for, as far as it can be meant.
fn bounded(asked: Duration) -> Duration {
    let longest = Duration::from_secs(RETRY_AFTER_SECS_MAX);
    if asked > longest {
        tracing::warn!(asked_secs = asked.as_secs(), "the endpoint asks for a longer pause than I believe");
    }
    asked.min(longest)
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    const SAID: EchoGuard<'_> = EchoGuard {
        key: Some("sk-very-secret"),
        user: "Message: tell Bob about the surprise party on Friday",
        prefix: "LLM_",
    };

    #[test]
    fn a_servers_message_is_made_fit_to_show() {
        for (body, message) in [
            (r#"{"error":{"message":"bad key sk-very-secret!"}}"#, Some("bad key [key]!")),
            ("plain\n  words\u{202E}", Some("plain words⟨U+202E⟩")),
            (r#"{"message":"cannot parse: about the surprise party"}"#, Some("(left out: it repeats the request)")),
            ("<html>502</html>", None),
            (r#"{"error":{}}"#, None),
            ("", None),
        ] {
            assert_eq!(SAID.message(body).as_deref(), message, "{body}");
        }
        let long = SAID.message(&"é".repeat(5_000)).expect("a message");
        assert_eq!(long.chars().count(), SAID_CHARS_MAX);
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let longest = Duration::from_secs(RETRY_AFTER_SECS_MAX);
        let now = Utc.with_ymd_and_hms(2026, 11, 21, 6, 0, 0).single().expect("a time");
        for (value, expected) in [
            ("1", Some(Duration::from_secs(1))),
            ("0.5", Some(Duration::from_millis(500))),
            ("Sat, 21 Nov 2026 06:00:07 GMT", Some(Duration::from_secs(7))),
            ("Sat, 21 Nov 2026 05:00:00 GMT", Some(Duration::ZERO)),
            ("-3", None),
            ("99999999999999999999999", Some(longest)),
            ("18446744073709551615", Some(longest)),
            ("21 Nov 9999 06:00:07 GMT", Some(longest)),
            ("soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().expect("a header"));
            assert_eq!(retry_after(&headers, now), expected, "{value}");
        }
    }

    #[test]
    fn what_a_failure_allows_follows_from_its_kind() {
        let rejected = |status| Failure::new(FailureKind::Rejected(status), "");
        for (failure, transient, outage, fallback) in [
            (Failure::unreachable(""), true, true, true),
            (Failure::too_slow(""), true, true, true),
            (Failure::unreadable(""), false, false, false),
            (Failure::resting(Duration::from_secs(9), None), false, true, true),
            (rejected(400), false, false, false),
            (rejected(401), false, false, true),
            (rejected(404), false, false, true),
            (rejected(408), true, true, true),
            (rejected(429), true, false, true),
            (rejected(503), true, true, true),
        ] {
            let kind = failure.kind;
            assert_eq!(
                (failure.is_transient(), failure.is_outage(), failure.wants_fallback()),
                (transient, outage, fallback),
                "{kind:?}"
            );
        }
    }
}
