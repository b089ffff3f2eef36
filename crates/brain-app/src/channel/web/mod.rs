//! The operator's page: what waits for a yes, how turns went and what they cost, how things are, and the conversation of
//! this terminal in a browser. The same as data, for programs: `/api/…`, `/metrics`, `/healthz`.
//!
//! ```text
//! request ─► door (address, token or session, secret of a form) ─► page ─► queries ─► HTML that holds no script
//! ```
//! Invariants: nothing is shown to whoever does not know the token but that there is a page; whatever a chat, a mail or a
//! server has written is text (maud escapes it, and no script is allowed but our own file); nothing is decided here
//! (`pipeline::operator`), and pages are as large as [`PAGE_ROWS`] rows. Not here: TLS, which ends in front where it is
//! wanted.

mod changes;
mod chat;
mod door;
mod figures;
mod filters;
mod graph;
mod layout;
mod metrics;
mod pending;
mod people;
mod plot;
mod system;
mod turns;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use maud::Markup;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use secrecy::SecretString;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use self::door::{Caller, PageDoor, SECRET_FIELD, SECRET_HEADER};
use super::console::ConsoleChannel;
use super::http::{self, HttpLimits};
use crate::config::{SettingsOrigin, WebConfig};
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_engine::pipeline::brain::Brain;

/// Rows of a page.
const PAGE_ROWS: usize = 50;
const LIMITS: HttpLimits = HttpLimits {
    connections: limits::WEB_CONNECTIONS_MAX,
    read: Duration::from_millis(limits::WEBHOOK_READ_MS),
    body_bytes: limits::WEB_BODY_BYTES_MAX,
};
/// No script but ours, nothing from elsewhere, in nobody's frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// Said to a form that no page of the session has sent.
const NOT_FROM_HERE: &str = "That did not come from a page of this session. Nothing was done.";
/// Where the token is kept that nobody has set.
const TOKEN_FILE: &str = "admin-token";

/// Everything that a page is made of.
struct WebContext {
    brain: Arc<Brain>,
    console: Arc<ConsoleChannel>,
    settings: SettingsOrigin,
    door: PageDoor,
    chats: chat::OpenChats,
    /// Places of pages that are told of changes.
    live: Arc<Semaphore>,
}

/// A page that is not served yet.
pub struct Web {
    listener: TcpListener,
    addr: SocketAddr,
    token: SecretString,
}

impl std::fmt::Debug for Web {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Web").field("addr", &self.addr).finish_non_exhaustive()
    }
}

impl Web {
    /// Takes its address.
    pub async fn bind(config: &WebConfig, data_dir: &Path) -> std::io::Result<Self> {
        let token = match &config.token {
            Some(token) => token.clone(),
            None => kept_token(data_dir)?,
        };
        let listener = TcpListener::bind(config.addr).await?;
        Ok(Self { addr: listener.local_addr()?, listener, token })
    }

    /// The file whose token opens it, where none is set.
    pub fn token_place(&self, data_dir: &Path) -> String {
        data_dir.join(TOKEN_FILE).display().to_string()
    }

    /// Where it is.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Serves until dropped.
    pub async fn serve(self, brain: Arc<Brain>, console: Arc<ConsoleChannel>, settings: SettingsOrigin) {
        let door = PageDoor::new(self.token, self.addr);
        let (chats, live) = (chat::OpenChats::default(), Arc::new(Semaphore::new(limits::WEB_LIVE_MAX)));
        let context = Arc::new(WebContext { brain, console, settings, door, chats, live });
        http::serve(self.listener, LIMITS, move |request| {
            let context = Arc::clone(&context);
            async move { guarded(answer(&context, request).await) }
        })
        .await;
    }
}

/// The token of the data folder, made when it is first wanted.
fn kept_token(data_dir: &Path) -> std::io::Result<SecretString> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let path = data_dir.join(TOKEN_FILE);
    match std::fs::read_to_string(&path) {
        Ok(token) if token.trim().len() >= limits::WEB_TOKEN_CHARS_MIN => return Ok(token.trim().into()),
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(cause),
        Ok(_) | Err(_) => {}
    }
    let token = uuid::Uuid::new_v4().simple().to_string();
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    writeln!(file, "{token}")?;
    Ok(token.into())
}

/// What a request asks, taken apart.
struct PageRequest<'a> {
    context: &'a Arc<WebContext>,
    caller: Caller,
    /// Its path, without the first slash.
    path: Vec<String>,
    query: BTreeMap<String, String>,
    form: BTreeMap<String, String>,
}

/// What is answered.
enum PageAnswer {
    Page(&'static str, Markup),
    Data(serde_json::Value),
    Plain(String),
    Elsewhere(String),
    Whole(Response<Body>),
    Refused(StatusCode, String),
}

impl PageAnswer {
    fn data(value: &impl Serialize) -> Self {
        Self::Data(serde_json::to_value(value).unwrap_or_default())
    }

    fn none_there(what: &str) -> Self {
        Self::Refused(StatusCode::NOT_FOUND, format!("There is no such {what}; it may be gone by now."))
    }
}

impl From<StoreError> for PageAnswer {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "a page could not be made");
        Self::Refused(StatusCode::INTERNAL_SERVER_ERROR, format!("The store could not be read: {error}"))
    }
}

async fn answer(context: &Arc<WebContext>, request: Request<Incoming>) -> Response<Body> {
    let (method, headers, uri) = (request.method().clone(), request.headers().clone(), request.uri().clone());
    if !context.door.is_addressed(&method, &headers) {
        return plain(
            StatusCode::MISDIRECTED_REQUEST,
            "Open this page by its address, not by a name, and from itself.",
        );
    }
    let path: Vec<String> = uri.path().split('/').filter(|part| !part.is_empty()).map(decoded).collect();
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    match (&method, parts.as_slice()) {
        (&Method::GET, ["healthz"]) => return metrics::health(context).await,
        (&Method::GET, ["style.css"]) => return asset("text/css", layout::STYLE),
        (&Method::GET, ["page.js"]) => return asset("text/javascript", layout::SCRIPT),
        (&Method::GET, ["live.js"]) => return asset("text/javascript", layout::LIVE),
        (&Method::GET, ["login"]) => return html(StatusCode::OK, &layout::log_in(None)),
        _ => {}
    }
    if method == Method::POST && parts == ["chat", "files"] {
        return chat::received(context, request).await;
    }
    let is_form = !matches!(method, Method::GET | Method::HEAD);
    let form = match is_form {
        true => match http::body(request, LIMITS).await {
            Ok(body) => fields(&String::from_utf8_lossy(&body)),
            Err(status) => return plain(status, "That was too much, or too slow."),
        },
        false => BTreeMap::new(),
    };
    if is_form && parts == ["login"] {
        return match context.door.log_in(form.get("token").map(String::as_str).unwrap_or_default()) {
            Ok(cookie) => with_cookie(elsewhere("/pending"), &cookie),
            Err(why) => html(StatusCode::UNAUTHORIZED, &layout::log_in(Some(&why.to_string()))),
        };
    }
    let Some(caller) = context.door.caller(&headers) else {
        return match parts.first() {
            Some(&("api" | "metrics" | "chat" | "changes")) => {
                plain(StatusCode::UNAUTHORIZED, "Send the token: Authorization: Bearer …")
            }
            _ => elsewhere("/login"),
        };
    };
    let given = headers.get(&SECRET_HEADER).and_then(|value| value.to_str().ok());
    if is_form && !caller.means(given.or(form.get(SECRET_FIELD).map(String::as_str))) {
        return plain(StatusCode::FORBIDDEN, NOT_FROM_HERE);
    }
    if is_form && parts == ["logout"] {
        return with_cookie(elsewhere("/login"), &context.door.log_out(&caller));
    }
    let query = fields(uri.query().unwrap_or_default());
    let asked = PageRequest { context, caller, path: path.clone(), query, form };
    shown(routed(&asked, &method).await, &asked)
}

/// The page of a path.
async fn routed(asked: &PageRequest<'_>, method: &Method) -> PageAnswer {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    let found = match (method, path.as_slice()) {
        (&Method::GET, []) => return PageAnswer::Elsewhere("/pending".to_owned()),
        (&Method::GET, ["pending"]) => pending::list(asked).await,
        (&Method::GET, ["pending", id]) => pending::one(asked, id).await,
        (&Method::POST, ["pending", id, verb @ ("cancel" | "approve")]) => {
            return pending::decided(asked, id, verb).await;
        }
        (&Method::GET, ["turns"]) => turns::list(asked).await,
        (&Method::GET, ["turns", at, id]) => turns::one(asked, at, id).await,
        (&Method::GET, ["figures"]) => figures::page(asked).await,
        (&Method::GET, ["people"]) => people::page(asked).await,
        (&Method::POST, ["people", "pair"]) => return people::paired(asked).await,
        (&Method::POST, ["people", id, verb @ ("block" | "unblock")]) => return people::decided(asked, id, verb).await,
        (&Method::GET, ["people", id, "erase"]) => people::erase_asked(asked, id).await,
        (&Method::POST, ["people", id, "erase"]) => return people::erased(asked, id).await,
        (&Method::GET, ["system"]) => system::page(asked).await,
        (&Method::GET, ["chat"]) => return chat::page(asked),
        (&Method::GET, ["chat", "events"]) => chat::events(asked).await,
        (&Method::GET, ["chat", "files", name]) => return chat::handed_over(asked, name).await,
        (&Method::POST, ["chat", "lines"]) => return chat::line(asked),
        (&Method::GET, ["changes", list]) => {
            let list = changes::LiveList::named(list);
            return list.map_or_else(|| PageAnswer::none_there("list"), |list| changes::events(asked, list));
        }
        (&Method::GET, ["api", "pending"]) => pending::data(asked).await,
        (&Method::GET, ["api", "turns"]) => turns::data(asked).await,
        (&Method::GET, ["api", "usage"]) => figures::data(asked).await,
        (&Method::GET, ["metrics"]) => metrics::page(asked).await,
        _ => return PageAnswer::none_there("page"),
    };
    found.unwrap_or_else(PageAnswer::from)
}

fn shown(answer: PageAnswer, asked: &PageRequest<'_>) -> Response<Body> {
    let page = |status, title: &str, body: Markup| html(status, &layout::page(title, asked.caller.secret(), &body));
    match answer {
        PageAnswer::Page(title, body) => page(StatusCode::OK, title, body),
        PageAnswer::Data(value) => typed(StatusCode::OK, "application/json", value.to_string()),
        PageAnswer::Plain(text) => typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text),
        PageAnswer::Elsewhere(place) => elsewhere(&place),
        PageAnswer::Whole(response) => response,
        PageAnswer::Refused(status, why)
            if asked.path.first().is_some_and(|part| matches!(part.as_str(), "api" | "chat" | "changes")) =>
        {
            plain(status, &why)
        }
        PageAnswer::Refused(status, why) => page(status, "Not done", maud::html! { p.warning role="alert" { (why) } }),
    }
}

/// The fields of a query or a form; of one that stands there twice the last.
fn fields(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').take(limits::WEB_FIELDS_MAX).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(&value.replace('+', " ")))).collect()
}

/// Without percent signs; what is none of ours stays as it is.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A value as it stands in an address.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn typed(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    typed(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

fn html(status: StatusCode, page: &Markup) -> Response<Body> {
    typed(status, "text/html; charset=utf-8", page.0.clone())
}

fn asset(kind: &'static str, text: &'static str) -> Response<Body> {
    typed(StatusCode::OK, kind, text)
}

fn elsewhere(place: &str) -> Response<Body> {
    let mut response = plain(StatusCode::SEE_OTHER, place);
    if let Ok(place) = HeaderValue::from_str(place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}

fn with_cookie(mut response: Response<Body>, cookie: &str) -> Response<Body> {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// What stands in every answer.
fn guarded(mut response: Response<Body>) -> Response<Body> {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
