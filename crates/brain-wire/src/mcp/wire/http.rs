//! Streamable HTTP by this program's own HTTP client: what the protocol's library asks of one.
//!
//! Invariants: an answer and each event of a stream have a largest size, counted before they are kept, and are looked
//! through before they are parsed ([`frame`]); a stream is not asked for again and again without a pause, whatever its
//! server says of that; a redirect is not followed, since it would take the key elsewhere. A server of the older protocol
//! that rejects the newer one's first question is told apart from one that is broken.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use hyper::body::Bytes;
use reqwest::{RequestBuilder, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use rmcp::transport::worker::WorkerQuitReason;
use secrecy::{ExposeSecret as _, SecretString};
use sse_stream::{Sse, SseStream};

use super::super::access::ServerAccess;
use super::frame;
use super::traffic::Traffic;
use crate::accounts::oauth::AuthChallenge;
use crate::outside::beginning;
use brain_core::limits;

type HttpFault = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Of a delay that a server asks for.
const RETRY_AFTER_BYTES_MAX: usize = 64;
/// What nobody else may set: they belong to the protocol.
const RESERVED: [&str; 3] = ["accept", "mcp-session-id", "last-event-id"];

/// See the module.
#[derive(Debug, Clone)]
pub struct HttpLink {
    pub client: reqwest::Client,
    pub access: ServerAccess,
    pub traffic: Traffic,
}

/// An event is larger than any may be.
#[derive(Debug, thiserror::Error)]
#[error("an event of more than {0} bytes")]
struct EventTooLarge(usize);

impl HttpLink {
    /// Sends it signed in. A token that is refused is renewed, and the request sent once more.
    async fn sent(&self, request: RequestBuilder, headers: Headers) -> Result<Response, HttpFault> {
        let mut request = request.header(ACCEPT, format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}"));
        for (name, value) in headers {
            if RESERVED.contains(&name.as_str()) {
                return Err(HttpFault::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        let again = request.try_clone();
        let token = self.access.token().await.map_err(refused)?;
        let response = Self::signed(request, token.as_ref()).await?;
        let (StatusCode::UNAUTHORIZED, Some(token), Some(again)) = (response.status(), token, again) else {
            return self.let_in(response);
        };
        self.access.was_refused(&token).await;
        let token = self.access.token().await.map_err(refused)?;
        self.let_in(Self::signed(again, token.as_ref()).await?)
    }

    async fn signed(request: RequestBuilder, token: Option<&SecretString>) -> Result<Response, HttpFault> {
        let request = match token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        };
        request.send().await.map_err(HttpFault::Client)
    }

    /// The answer, unless the server wants to know who asks.
    fn let_in(&self, response: Response) -> Result<Response, HttpFault> {
        let challenges = response.headers().get_all(WWW_AUTHENTICATE);
        let has_challenge = challenges.iter().next().is_some();
        let challenge = AuthChallenge::parse(challenges.iter().filter_map(|value| value.to_str().ok()));
        match response.status() {
            StatusCode::UNAUTHORIZED => Err(refused(self.access.refusal(&challenge))),
            StatusCode::FORBIDDEN if has_challenge => Err(refused(self.access.refusal(&challenge))),
            _ => Ok(response),
        }
    }
}

/// The library keeps a server's header here, and hands it to whoever called; theirs is a sentence that says what to do.
fn refused(why: String) -> HttpFault {
    HttpFault::AuthRequired(AuthRequiredError::new(why))
}

impl StreamableHttpClient for HttpLink {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpFault> {
        let bounds = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, None, headers, bounds).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        bounds: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpFault> {
        let mut request = self.client.post(uri.as_ref()).json(&message);
        if let Some(session) = &session {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let response = self.sent(request, headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(HttpFault::SessionExpired);
        }
        let header = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let given = header(HEADER_SESSION_ID).map(str::to_owned);
        let kind = header(CONTENT_TYPE.as_str()).map(str::to_owned);
        let is = |mime: &str| kind.as_deref().is_some_and(|kind| media_type(kind).eq_ignore_ascii_case(mime));
        if !status.is_success() {
            let retry_after = header(RETRY_AFTER.as_str()).filter(|value| value.len() <= RETRY_AFTER_BYTES_MAX);
            let may_retry = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            let failed = may_retry.then(|| HttpStatusError::new(status.as_u16(), retry_after.map(str::to_owned)));
            let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
            let most = if is(JSON_MIME_TYPE) { bounds.max_json_response_size } else { bounds.max_error_response_size };
            let (body, _) = beginning(response, most).await;
            let error = frame::message(&body);
            if let Some(legacy) = legacy(&message, session.is_some(), status, error.as_ref()) {
                return Ok(legacy);
            }
            if let Some(error @ JsonRpcMessage::Error(_)) = error.filter(|_| !is_refused) {
                return Ok(StreamableHttpPostResponse::Json(error, given));
            }
            return Err(match failed {
                Some(failed) => failed.into(),
                None => HttpFault::UnexpectedServerResponse(format!("HTTP {status}").into()),
            });
        }
        if is(EVENT_STREAM_MIME_TYPE) {
            return Ok(StreamableHttpPostResponse::Sse(events(response, bounds.max_sse_event_size), given));
        }
        let expects_nothing = !matches!(message, JsonRpcMessage::Request(_));
        if expects_nothing && !is(JSON_MIME_TYPE) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !is(JSON_MIME_TYPE) {
            return Err(HttpFault::UnexpectedContentType(kind));
        }
        let body = whole(response, bounds.max_json_response_size).await?;
        match serde_json::from_slice(&frame::readable(&body).unwrap_or_default()) {
            Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, given)),
            Err(_) if expects_nothing => Ok(StreamableHttpPostResponse::Accepted),
            Err(error) => Err(HttpFault::Deserialize(error)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpFault> {
        let request = self.client.delete(uri.as_ref()).header(HEADER_SESSION_ID, session.as_ref());
        let response = self.sent(request, headers).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            _ => response.error_for_status().map(drop).map_err(HttpFault::Client),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, HttpFault> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, None, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, HttpFault> {
        self.traffic.next_stream().await;
        let mut request = self.client.get(uri.as_ref());
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        if let Some(last_event) = last_event {
            request = request.header(HEADER_LAST_EVENT_ID, last_event);
        }
        let response = self.sent(request, headers).await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(HttpFault::ServerDoesNotSupportSse);
        }
        let response = response.error_for_status().map_err(HttpFault::Client)?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !kind.is_some_and(|kind| media_type(kind).eq_ignore_ascii_case(EVENT_STREAM_MIME_TYPE)) {
            return Err(HttpFault::UnexpectedContentType(kind.map(str::to_owned)));
        }
        Ok(events(response, most))
    }
}

/// What went wrong: the last cause of an error; of an address, in one form whoever noticed it.
pub fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    loop {
        if let Some(words) = trouble(last).and_then(in_words) {
            return words;
        }
        match last.source() {
            Some(source) => last = source,
            None => return last.to_string(),
        }
    }
}

/// What went wrong at an address, where an error is that: the library keeps it as no source of its own errors.
pub fn trouble<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e HttpFault> {
    let quit = || match error.downcast_ref::<WorkerQuitReason<HttpFault>>()? {
        WorkerQuitReason::Fatal { error, .. } => Some(error),
        _ => None,
    };
    error.downcast_ref().or_else(quit)
}

/// Nobody can have read it.
pub fn never_arrived(trouble: &HttpFault) -> bool {
    matches!(trouble, HttpFault::Client(error) if error.is_connect())
}

/// In one form, whether the status of an answer says it or there was none; `None`: its own words are good.
fn in_words(trouble: &HttpFault) -> Option<String> {
    let status = |status: StatusCode| Some(format!("it answers with HTTP {status}"));
    match trouble {
        HttpFault::Client(error) => match error.status() {
            Some(answered) => status(answered),
            None if error.is_timeout() => Some("it did not answer in time".to_owned()),
            None if error.is_connect() => Some(format!("nothing answers there: {}", causes(error))),
            None => Some(causes(error)),
        },
        HttpFault::HttpStatus(failed) => StatusCode::from_u16(failed.status).ok().and_then(status),
        HttpFault::UnexpectedServerResponse(said) if said.starts_with("HTTP ") => {
            Some(format!("it answers with {said}"))
        }
        _ => None,
    }
}

/// Without its parameters.
fn media_type(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

/// The answer of a server that does not know the first question of the newer protocol, as the library understands it.
fn legacy(
    asked: &ClientJsonRpcMessage,
    has_session: bool,
    status: StatusCode,
    error: Option<&ServerJsonRpcMessage>,
) -> Option<StreamableHttpPostResponse> {
    let JsonRpcMessage::Request(request) = asked else { return None };
    let is_discovery = matches!(request.request, ClientRequest::DiscoverRequest(_));
    let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if has_session || !status.is_client_error() || is_refused || !is_discovery {
        return None;
    }
    let why = match error {
        Some(JsonRpcMessage::Error(error)) => error.error.clone(),
        _ => ErrorData::invalid_request(format!("HTTP {status}"), None),
    };
    // Who rejects a question unread cannot say which it was.
    Some(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(why, Some(request.id.clone())), None))
}

async fn whole(response: Response, most: usize) -> Result<Vec<u8>, HttpFault> {
    let too_large = || HttpFault::ResponseBodyTooLarge { max_size: most };
    if response.content_length().is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.try_next().await.map_err(HttpFault::Client)? {
        if chunk.len() > most - body.len() {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn events(response: Response, most: usize) -> BoxStream<'static, Result<Sse, SseError>> {
    SseStream::from_bytes_stream(bounded(response.bytes_stream(), most)).map_ok(in_bounds).boxed()
}

/// An event as it may be parsed, and with a delay that leaves time for something else.
fn in_bounds(event: Sse) -> Sse {
    let readable = |data: String| match frame::readable(data.as_bytes()) {
        Some(Cow::Borrowed(_)) => Some(data),
        Some(Cow::Owned(bytes)) => String::from_utf8(bytes).ok(),
        None => None,
    };
    let retry = event.retry.map(|delay_ms| delay_ms.max(limits::MCP_STREAM_PAUSE_MS));
    Sse { data: event.data.and_then(readable), retry, ..event }
}

/// The bytes of a stream, until an event of it, which ends with an empty line, is too large.
fn bounded<E>(
    stream: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    most: usize,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static
where
    E: std::error::Error + Send + Sync + 'static,
{
    let (mut held, mut line) = (0, 0);
    let mut is_over = false;
    stream.map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        for byte in &chunk {
            match byte {
                b'\n' if line == 0 => held = 0,
                b'\n' => line = 0,
                b'\r' => {}
                _ => line += 1,
            }
            held += 1;
            is_over |= held > most;
        }
        if is_over { Err(std::io::Error::other(EventTooLarge(most))) } else { Ok(chunk) }
    })
}
