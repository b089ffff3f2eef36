//! Calls of the Bot API: one POST, one answer, one error type.
//!
//! Payloads are teloxide's; the transport is ours, because its own waits ten seconds inside a call after a
//! 5xx, hides the error code, and takes a sent message for a failure when the answer has a shape it does not
//! know. Invariants: no error and no log holds the token (which is part of the address); every call has a
//! time-out; an answer has a largest size.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Url;
use reqwest::header::DATE;
use reqwest::multipart::Form;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use teloxide::payloads::GetFile;
use teloxide::requests::Payload;
use teloxide::types::FileId;

use crate::config::TelegramConfig;
use brain_core::limits;

const OFFICIAL: &str = "https://api.telegram.org";

/// Why a call did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// Telegram understood and refused.
    #[error("Telegram refused ({code}): {why}")]
    Refused {
        /// As in HTTP.
        code: u16,
        /// What it is about, as far as anything depends on that.
        about: RefusalKind,
        /// Telegram's words.
        why: String,
    },
    /// Too many calls.
    #[error("Telegram asks to wait {} s", .0.as_secs())]
    Flood(Duration),
    /// No answer, half an answer, or a server in trouble. The call may have had its effect.
    #[error("Telegram could not be reached: {0}")]
    Unreachable(String),
}

/// What a refusal is about. The Bot API has no codes for these, so its description is read, once, here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// A message is already as it was to become.
    NotModified,
    /// There is no such chat (any more).
    ChatGone,
    /// There is no such topic in the chat (any more), or nobody may write there.
    TopicGone,
    /// The group is a supergroup now, with this number.
    MovedTo(i64),
    /// There is no such message or other thing (any more).
    NotFound,
    /// The formatting of a text.
    Entities,
    /// Too long, or too many of something.
    TooLong,
    /// Anything else.
    Other,
}

impl RefusalKind {
    fn of(description: &str) -> Self {
        let description = description.to_lowercase();
        let told = [
            ("message is not modified", Self::NotModified),
            ("chat not found", Self::ChatGone),
            ("message thread not found", Self::TopicGone),
            ("topic_", Self::TopicGone),
            ("not found", Self::NotFound),
            ("entit", Self::Entities),
            ("too", Self::TooLong),
        ];
        told.into_iter().find(|(words, _)| description.contains(words)).map_or(Self::Other, |(_, kind)| kind)
    }
}

impl ApiError {
    /// A refusal with these words.
    pub fn refused(code: u16, why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Refused { code, about: RefusalKind::of(&why), why }
    }
}

/// A Bot API server and our token for it.
#[derive(Clone)]
pub struct Api {
    client: reqwest::Client,
    base: Url,
    token: SecretString,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.base()).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct ApiReply<'a> {
    ok: bool,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error_code: Option<u16>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    #[serde(default)]
    retry_after: Option<u64>,
    #[serde(default)]
    migrate_to_chat_id: Option<i64>,
}

impl Api {
    /// A client for this configuration. Opens no connection yet.
    pub fn new(config: &TelegramConfig) -> Result<Self, ApiError> {
        let base = match &config.api_url {
            Some(url) => url.clone(),
            None => Url::parse(OFFICIAL).map_err(|error| ApiError::Unreachable(error.to_string()))?,
        };
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_millis(limits::TELEGRAM_CALL_MS))
            .tcp_keepalive(Duration::from_secs(20))
            .build()
            .map_err(unreachable)?;
        Ok(Self { client, base, token: config.token.clone() })
    }

    /// The bot's own id: the part of its token before the colon.
    pub fn bot_id(&self) -> i64 {
        self.token.expose_secret().split(':').next().and_then(|id| id.parse().ok()).unwrap_or_default()
    }

    /// Where the Bot API is: host and port, without what may be secret in its address.
    pub fn base(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Makes one call and reads as much of its result as `T` wants to know.
    pub async fn call<P: Payload + Serialize, T: DeserializeOwned>(&self, payload: &P) -> Result<T, ApiError> {
        self.method(P::NAME, payload, Duration::from_millis(limits::TELEGRAM_CALL_MS)).await
    }

    /// The same by the method's name, for calls that teloxide does not know in this form, or that take long.
    pub async fn method<P: Serialize, T: DeserializeOwned>(
        &self,
        name: &str,
        params: &P,
        limit: Duration,
    ) -> Result<T, ApiError> {
        self.answer(self.client.post(self.address(name)).timeout(limit).json(params)).await
    }

    /// A call that carries a file.
    pub async fn upload<T: DeserializeOwned>(&self, method: &str, form: Form) -> Result<T, ApiError> {
        let limit = Duration::from_millis(limits::TELEGRAM_UPLOAD_MS);
        self.answer(self.client.post(self.address(method)).timeout(limit).multipart(form)).await
    }

    fn address(&self, name: &str) -> String {
        format!("{}/bot{}/{name}", self.base.as_str().trim_end_matches('/'), self.token.expose_secret())
    }

    async fn answer<T: DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> Result<T, ApiError> {
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        read(status, &whole(response, limits::TELEGRAM_REPLY_BYTES_MAX).await?)
    }

    /// What time it is there, if it tells. Says nothing of the token.
    pub async fn date(&self) -> Option<DateTime<Utc>> {
        let request = self.client.get(self.base.clone()).timeout(Duration::from_millis(limits::TELEGRAM_CALL_MS));
        let response = request.send().await.ok()?;
        let date = DateTime::parse_from_rfc2822(response.headers().get(DATE)?.to_str().ok()?);
        date.ok().map(|date| date.with_timezone(&Utc))
    }

    /// A file that somebody has sent, of at most so many bytes.
    pub async fn download(&self, id: &str, bytes_max: u64) -> Result<Vec<u8>, ApiError> {
        #[derive(Deserialize)]
        struct FilePath {
            #[serde(default)]
            file_path: String,
        }
        let found: FilePath = self.call(&GetFile::new(FileId(id.to_owned()))).await?;
        let base = self.base.as_str().trim_end_matches('/');
        let url = format!("{base}/file/bot{}/{}", self.token.expose_secret(), found.file_path);
        let request = self.client.get(url).timeout(Duration::from_millis(limits::DOWNLOAD_MS));
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(ApiError::Unreachable(format!("status {status} instead of a file")));
        }
        whole(response, usize::try_from(bytes_max).unwrap_or(usize::MAX)).await
    }
}

/// A body of at most so many bytes.
async fn whole(mut response: reqwest::Response, bytes_max: usize) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        if body.len() + piece.len() > bytes_max {
            return Err(ApiError::Unreachable("the answer was too large".to_owned()));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Reads an answer. Pages of proxies and broken JSON are "not reached", whatever their status.
fn read<T: DeserializeOwned>(status: u16, body: &[u8]) -> Result<T, ApiError> {
    let unreadable = |what: &str| ApiError::Unreachable(format!("status {status}, {what}"));
    let envelope: ApiReply<'_> =
        serde_json::from_slice(body).map_err(|_| unreadable("no answer of a Bot API server"))?;
    if envelope.ok {
        let result = envelope.result.ok_or_else(|| unreadable("no result"))?;
        return serde_json::from_str(result.get()).map_err(|_| unreadable("a result of an unknown shape"));
    }
    let code = envelope.error_code.unwrap_or(status);
    let why = envelope.description.unwrap_or_default();
    let parameters = envelope.parameters;
    let moved = parameters.as_ref().and_then(|parameters| parameters.migrate_to_chat_id);
    match code {
        429 => {
            let asked = parameters.and_then(|p| p.retry_after).unwrap_or(1);
            let seconds = asked.min(limits::RETRY_AFTER_SECS_MAX);
            if seconds < asked {
                tracing::warn!(asked, seconds, "Telegram asks for a longer pause than I believe");
            }
            Err(ApiError::Flood(Duration::from_secs(seconds)))
        }
        500.. => Err(unreadable(&why)),
        _ => Err(match moved {
            Some(to) => ApiError::Refused { code, about: RefusalKind::MovedTo(to), why },
            None => ApiError::refused(code, why),
        }),
    }
}

/// The cause in words, without the address: it holds the token.
fn unreachable(error: reqwest::Error) -> ApiError {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(deeper) = cause {
        words = format!("{words}: {deeper}");
        cause = deeper.source();
    }
    ApiError::Unreachable(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use teloxide::payloads::GetMe;

    #[test]
    fn answers_are_read_by_what_they_say_and_never_by_their_status_alone() {
        assert_eq!(read::<bool>(200, br#"{"ok":true,"result":true}"#), Ok(true));
        let flood = br#"{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":7}}"#;
        assert_eq!(read::<bool>(429, flood), Err(ApiError::Flood(Duration::from_secs(7))));
        let endless = br#"{"ok":false,"error_code":429,"parameters":{"retry_after":18446744073709551615}}"#;
        let longest = Duration::from_secs(limits::RETRY_AFTER_SECS_MAX);
        assert_eq!(read::<bool>(429, endless), Err(ApiError::Flood(longest)));
        let moved = br#"{"ok":false,"error_code":400,"description":"x","parameters":{"migrate_to_chat_id":-100123}}"#;
        let to = Err(ApiError::Refused { code: 400, about: RefusalKind::MovedTo(-100_123), why: "x".into() });
        assert_eq!(read::<bool>(400, moved), to);
        let blocked = br#"{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}"#;
        assert!(matches!(read::<bool>(403, blocked), Err(ApiError::Refused { code: 403, .. })));
        for (status, body) in [
            (502, "<html>Bad Gateway</html>"),
            (200, "{"),
            (200, ""),
            (200, r#"{"ok":true}"#),
            (500, r#"{"ok":false,"error_code":500}"#),
        ] {
            assert!(matches!(read::<bool>(status, body.as_bytes()), Err(ApiError::Unreachable(_))), "{body}");
        }
    }

    #[tokio::test]
    async fn no_error_and_no_debug_output_shows_the_token() {
        let config = TelegramConfig {
            token: "7:AAAsecretsecret".to_owned().into(),
            api_url: Url::parse("http://me:secret@127.0.0.1:1/x/").ok(),
            webhook: None,
        };
        let api = Api::new(&config).unwrap();
        assert_eq!(api.bot_id(), 7);
        let error = api.call::<_, bool>(&GetMe::new()).await.unwrap_err();
        assert!(!format!("{error} {error:?} {api:?}").contains("secret"), "{error:?}");
    }

    #[tokio::test]
    async fn a_poll_on_a_connection_that_is_open_at_one_end_only_is_given_up() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        // Takes everything and answers nothing, for ever.
        let silent = tokio::spawn(async move {
            let mut kept = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                kept.push(stream);
            }
        });
        let config = TelegramConfig {
            token: "7:AAAsecretsecret".to_owned().into(),
            api_url: Url::parse(&url).ok(),
            webhook: None,
        };
        let api = Api::new(&config).unwrap();
        let error = api.method::<_, bool>(GetMe::NAME, &GetMe::new(), Duration::from_millis(100)).await.unwrap_err();
        assert!(matches!(&error, ApiError::Unreachable(_)), "{error:?}");
        assert!(!format!("{error}").contains("secret"), "{error}");
        silent.abort();
    }
}
