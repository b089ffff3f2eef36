//! A token server of OAuth 2 that behaves as the RFCs say, and misbehaves on demand.
//!
//! - `GET /authorize`: the page, whose person says yes at once (or no, see [`TokenServer::denies`]): it redirects
//! - `POST /token`: codes (with PKCE, S256), refresh tokens (each good once), device codes
//! - `POST /device`: codes for another device
//! - `GET /.well-known/oauth-authorization-server`, `POST /register`: what it is, and clients that make themselves known
//! - `GET /introspect?token=…`, or with the token as bearer or at the end of the path: whether it is active, and whose
//!
//! Invariants: a code and a refresh token serve once; a refresh token that is used again revokes all that came of it; what was
//! asked is written down before it is answered.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::wire::{Background, Cut, serve_http};

pub const CLIENT_ID: &str = "test-client";

/// What happens at the next request for a token instead of an answer.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// An error as the RFC writes it, with its status.
    Error(u16, &'static str),
    /// A body that is none.
    Garbage,
    /// More than anybody wants to read.
    Flood,
    /// Nothing, until the test ends or the client goes.
    Silence,
    /// The connection closes.
    Cut,
    /// It leads elsewhere.
    Redirect(String),
    /// The tokens are given, and the answer is lost.
    Lost,
}

/// What a device code is answered, one after the other; the last one stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    Pending,
    SlowDown,
    Denied,
    Expired,
    Yes,
}

#[derive(Clone, Debug)]
struct Token {
    user: String,
    until: Instant,
    is_revoked: bool,
}

#[derive(Debug, Default)]
struct Known {
    user: String,
    lives_secs: u64,
    /// `None`: answers say nothing of when a token ends.
    says_end: bool,
    rotates: bool,
    secret: Option<String>,
    denies: bool,
    next: u64,
    codes: BTreeMap<String, BTreeMap<String, String>>,
    access: BTreeMap<String, Token>,
    /// Whose, and whether it was used.
    refresh: BTreeMap<String, (String, bool)>,
    device: VecDeque<Device>,
    trouble: VecDeque<Trouble>,
    delay: Duration,
    /// What its metadata says in place of the truth.
    says: BTreeMap<String, Value>,
    /// What its answers in a browser say of who it is.
    iss: Option<String>,
    /// What the page was asked for, in order.
    pages: Vec<BTreeMap<String, String>>,
    /// What it calls clients that make themselves known, where that is not what the rest of it knows them by.
    names: Option<String>,
    /// What clients said of themselves.
    registered: Vec<Value>,
    requests: Vec<BTreeMap<String, String>>,
}

/// The server; clones are the same one, which stops with the last of them.
#[derive(Clone, Debug)]
pub struct TokenServer {
    background: Arc<Background>,
    known: Arc<Mutex<Known>>,
}

impl TokenServer {
    /// One whose person is this one. Tokens live an hour, refresh tokens rotate.
    pub fn of(user: &str) -> Self {
        let known = Known {
            user: user.to_owned(),
            lives_secs: 3_600,
            says_end: true,
            rotates: true,
            device: [Device::Yes].into(),
            ..Known::default()
        };
        let known = Arc::new(Mutex::new(known));
        let shared = Arc::clone(&known);
        let router = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/device", post(device))
            .route("/register", post(register))
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/introspect", get(introspect))
            .route("/introspect/{token}", get(introspect_path))
            .with_state(Arc::clone(&known));
        let background = Arc::new(Background::start("token-server", |listener| serve_http(listener, router)));
        let issuer = format!("http://{}", background.addr());
        shared.lock().unwrap().says.insert("issuer".to_owned(), json!(issuer));
        Self { background, known }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.background.addr())
    }

    /// What stands in accounts.toml to use it.
    pub fn toml(&self) -> String {
        format!(
            "oauth = {{ client_id = \"{CLIENT_ID}\", auth_url = \"{}\", token_url = \"{}\", device_url = \"{}\", scopes = \
             [\"mail\"] }}",
            self.url("authorize"),
            self.url("token"),
            self.url("device")
        )
    }

    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        change(&mut self.known.lock().unwrap())
    }

    /// How long the next access tokens live.
    pub fn lives(&self, secs: u64) {
        self.change(|known| known.lives_secs = secs);
    }

    /// Answers say nothing of when a token ends.
    pub fn says_no_end(&self) {
        self.change(|known| known.says_end = false);
    }

    /// A refresh token serves again and again, and no new one comes.
    pub fn rotates_nothing(&self) {
        self.change(|known| known.rotates = false);
    }

    /// The client has this secret.
    pub fn wants_secret(&self, secret: &str) {
        self.change(|known| known.secret = Some(secret.to_owned()));
    }

    /// Who it is, by its metadata.
    pub fn issuer(&self) -> String {
        format!("http://{}", self.background.addr())
    }

    /// Its metadata says this in place of the truth.
    pub fn says(&self, key: &str, value: Value) {
        self.change(|known| known.says.insert(key.to_owned(), value));
    }

    /// It calls clients so that make themselves known.
    pub fn names_clients(&self, name: &str) {
        self.change(|known| known.names = Some(name.to_owned()));
    }

    /// Its answers in a browser say that it is this one.
    pub fn answers_as(&self, issuer: &str) {
        self.change(|known| known.iss = Some(issuer.to_owned()));
    }

    /// What the page was asked for, in order.
    pub fn pages(&self) -> Vec<BTreeMap<String, String>> {
        self.change(|known| known.pages.clone())
    }

    /// What clients said of themselves.
    pub fn registered(&self) -> Vec<Value> {
        self.change(|known| known.registered.clone())
    }

    /// Takes back the access tokens alone.
    pub fn revoke_access(&self) {
        self.change(|known| known.access.values_mut().for_each(|token| token.is_revoked = true));
    }

    /// The person says no.
    pub fn denies(&self) {
        self.change(|known| known.denies = true);
    }

    /// What the next requests for tokens come to, one each.
    pub fn trouble(&self, trouble: impl IntoIterator<Item = Trouble>) {
        self.change(|known| known.trouble.extend(trouble));
    }

    /// Every answer takes so long.
    pub fn answers_after(&self, delay: Duration) {
        self.change(|known| known.delay = delay);
    }

    pub fn device(&self, answers: impl IntoIterator<Item = Device>) {
        self.change(|known| known.device = answers.into_iter().collect());
    }

    /// A pair of tokens as if somebody had given access.
    pub fn grant(&self) -> (String, String) {
        self.change(Known::tokens)
    }

    /// Takes everything back.
    pub fn revoke_all(&self) {
        self.change(|known| {
            known.refresh.values_mut().for_each(|(_, used)| *used = true);
            known.access.values_mut().for_each(|token| token.is_revoked = true);
        });
    }

    /// Whether a mail server would take this access token.
    pub fn is_active(&self, token: &str) -> bool {
        self.change(|known| known.is_active(token).is_some())
    }

    /// The forms that `POST /token` was sent, in order.
    pub fn requests(&self) -> Vec<BTreeMap<String, String>> {
        self.change(|known| known.requests.clone())
    }

    /// How many of them were for this kind of grant.
    pub fn count(&self, grant: &str) -> usize {
        self.requests().iter().filter(|form| form["grant_type"] == grant).count()
    }
}

impl Known {
    fn name(&mut self, what: &str) -> String {
        self.next += 1;
        format!("{what}-{:04}-geheim", self.next)
    }

    fn tokens(&mut self) -> (String, String) {
        let (access, refresh) = (self.name("access"), self.name("refresh"));
        let until = Instant::now() + Duration::from_secs(self.lives_secs);
        self.access.insert(access.clone(), Token { user: self.user.clone(), until, is_revoked: false });
        self.refresh.insert(refresh.clone(), (self.user.clone(), false));
        (access, refresh)
    }

    fn is_active(&self, token: &str) -> Option<&str> {
        let token = self.access.get(token)?;
        (!token.is_revoked && Instant::now() < token.until).then_some(token.user.as_str())
    }

    fn answer(&mut self, refresh: Option<String>) -> Value {
        let (access, fresh) = self.tokens();
        let mut answer = json!({"access_token": access, "token_type": "Bearer", "scope": "mail"});
        if self.says_end {
            answer["expires_in"] = json!(self.lives_secs);
        }
        match refresh {
            // The old one stays, and nobody is told.
            Some(_) if !self.rotates => drop(self.refresh.remove(&fresh)),
            _ => answer["refresh_token"] = json!(fresh),
        }
        answer
    }

    fn grant_for(&mut self, form: &BTreeMap<String, String>) -> Result<Value, (u16, &'static str)> {
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        match field("grant_type") {
            "authorization_code" => {
                let asked = self.codes.remove(field("code")).ok_or((400, "invalid_grant"))?;
                let challenge = base64url(&Sha256::digest(field("code_verifier").as_bytes()));
                let is_proved = asked.get("code_challenge") == Some(&challenge)
                    && asked.get("code_challenge_method").is_some_and(|method| method == "S256");
                let is_same_place = asked.get("redirect_uri").map(String::as_str) == Some(field("redirect_uri"));
                if is_proved && is_same_place { Ok(self.answer(None)) } else { Err((400, "invalid_grant")) }
            }
            "refresh_token" => {
                let rotates = self.rotates;
                let given = field("refresh_token").to_owned();
                match self.refresh.get_mut(&given) {
                    Some((_, used @ false)) => {
                        *used = rotates;
                        Ok(self.answer(Some(given)))
                    }
                    // Somebody has it who should not.
                    Some((_, true)) => {
                        self.refresh.values_mut().for_each(|(_, used)| *used = true);
                        Err((400, "invalid_grant"))
                    }
                    None => Err((400, "invalid_grant")),
                }
            }
            "client_credentials" => Ok(self.answer(None)),
            "urn:ietf:params:oauth:grant-type:device_code" => {
                let step = if self.device.len() > 1 { self.device.pop_front() } else { self.device.front().copied() };
                match step.unwrap_or(Device::Yes) {
                    Device::Pending => Err((400, "authorization_pending")),
                    Device::SlowDown => Err((400, "slow_down")),
                    Device::Denied => Err((400, "access_denied")),
                    Device::Expired => Err((400, "expired_token")),
                    Device::Yes => Ok(self.answer(None)),
                }
            }
            _ => Err((400, "unsupported_grant_type")),
        }
    }

    fn knows_client(&self, headers: &HeaderMap, form: &BTreeMap<String, String>) -> bool {
        let basic = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match &self.secret {
            Some(secret) => {
                // RFC 6749 2.3.1: written as in a form before they are joined.
                let secret = utf8_percent_encode(secret, FORM).to_string();
                let expected = format!("Basic {}", base64(format!("{CLIENT_ID}:{secret}").as_bytes(), STANDARD, true));
                basic == expected
            }
            None => form.get("client_id").is_some_and(|id| id == CLIENT_ID),
        }
    }
}

const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'*');
const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn base64(bytes: &[u8], alphabet: &[u8; 64], is_padded: bool) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(char::from(alphabet[(word >> (18 - 6 * place) & 63) as usize]));
        }
        if is_padded {
            out.extend(std::iter::repeat_n('=', 3 - chunk.len()));
        }
    }
    out
}

fn base64url(bytes: &[u8]) -> String {
    base64(bytes, URL_SAFE, false)
}

type Shared = State<Arc<Mutex<Known>>>;

fn error(status: u16, code: &str) -> Response {
    let body = json!({"error": code, "error_description": "said by the test: geheim"});
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

async fn authorize(State(known): Shared, Query(asked): Query<BTreeMap<String, String>>) -> Response {
    let mut known = known.lock().unwrap();
    if asked.get("client_id").is_none_or(|id| id != CLIENT_ID) || asked.get("response_type").is_none_or(|t| t != "code")
    {
        return error(400, "invalid_request");
    }
    known.pages.push(asked.clone());
    let (redirect, state) = (asked["redirect_uri"].clone(), asked.get("state").cloned().unwrap_or_default());
    let answer = if known.denies {
        "error=access_denied".to_owned()
    } else {
        let code = known.name("code");
        known.codes.insert(code.clone(), asked);
        format!("code={code}")
    };
    let iss = known.iss.as_ref().map(|iss| format!("&iss={}", utf8_percent_encode(iss, FORM)));
    let slash = if redirect.matches('/').count() > 2 { "" } else { "/" };
    let to = format!("{redirect}{slash}?{answer}&state={state}{}", iss.unwrap_or_default());
    (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
}

async fn token(
    State(known): Shared,
    ConnectInfo(cut): ConnectInfo<Cut>,
    headers: HeaderMap,
    Form(form): Form<BTreeMap<String, String>>,
) -> Response {
    let (trouble, delay) = {
        let mut known = known.lock().unwrap();
        known.requests.push(form.clone());
        (known.trouble.pop_front(), known.delay)
    };
    tokio::time::sleep(delay).await;
    match trouble {
        Some(Trouble::Error(status, code)) => return error(status, code),
        Some(Trouble::Garbage) => return (StatusCode::OK, "<html>geheim").into_response(),
        Some(Trouble::Flood) => {
            let body = format!("{{\"x\": \"{}\"}}", "x".repeat(1_000_000));
            return (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        }
        Some(Trouble::Silence) => std::future::pending().await,
        Some(Trouble::Cut) => {
            cut.now();
            return StatusCode::OK.into_response();
        }
        Some(Trouble::Redirect(to)) => {
            return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response();
        }
        Some(Trouble::Lost) | None => {}
    }
    let mut known = known.lock().unwrap();
    if !known.knows_client(&headers, &form) {
        return error(401, "invalid_client");
    }
    let answer = known.grant_for(&form);
    if matches!(trouble, Some(Trouble::Lost)) {
        cut.now();
    }
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err((status, code)) => error(status, code),
    }
}

async fn metadata(State(known): Shared, headers: HeaderMap) -> Response {
    let here = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let url = |path: &str| format!("http://{here}/{path}");
    let mut about = json!({
        "authorization_endpoint": url("authorize"), "token_endpoint": url("token"),
        "registration_endpoint": url("register"), "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
    });
    about.as_object_mut().unwrap().extend(known.lock().unwrap().says.clone());
    Json(about).into_response()
}

async fn register(State(known): Shared, Json(about): Json<Value>) -> Response {
    let mut known = known.lock().unwrap();
    known.registered.push(about);
    let name = known.names.as_deref().unwrap_or(CLIENT_ID);
    (StatusCode::CREATED, Json(json!({"client_id": name}))).into_response()
}

async fn device(State(known): Shared, Form(form): Form<BTreeMap<String, String>>) -> Response {
    if form.get("client_id").is_none_or(|id| id != CLIENT_ID) {
        return error(401, "invalid_client");
    }
    let code = known.lock().unwrap().name("device");
    Json(json!({"device_code": code, "user_code": "ABCD-EFGH", "verification_uri": "https://example.com/device",
        "expires_in": 900, "interval": 1}))
    .into_response()
}

/// RFC 7662 in the shape that Dovecot asks for: it appends the token to an address, or sends it as bearer.
async fn introspect(
    State(known): Shared,
    headers: HeaderMap,
    Query(asked): Query<BTreeMap<String, String>>,
) -> Response {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned);
    let token = asked.get("token").cloned().or(bearer).unwrap_or_default();
    told(&known.lock().unwrap(), &token)
}

async fn introspect_path(State(known): Shared, Path(token): Path<String>) -> Response {
    told(&known.lock().unwrap(), &token)
}

fn told(known: &Known, token: &str) -> Response {
    match known.is_active(token) {
        Some(user) => Json(json!({"active": true, "username": user, "scope": "mail"})).into_response(),
        None => Json(json!({"active": false})).into_response(),
    }
}
