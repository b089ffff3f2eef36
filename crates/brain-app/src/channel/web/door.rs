//! Who may open the page: whoever knows its token, in a browser that was led here by its own address.
//!
//! Invariants: the token is compared in constant time, and tried so many times a minute by everybody together; a name
//! that leads here is no address of ours (a page elsewhere could have it lead here, too); what changes anything comes
//! from a page of ours and carries the secret of its session. A session is in memory only, and ends with the process.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method};
use brain_core::limits;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;
use uuid::Uuid;

const COOKIE_NAME: &str = "brain_session";
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The field, or the header, with the secret of a session.
pub(super) const SECRET_FIELD: &str = "secret";
pub(super) const SECRET_HEADER: HeaderName = HeaderName::from_static("x-secret");

#[derive(Debug)]
pub(super) struct PageDoor {
    token: SecretString,
    addr: SocketAddr,
    sessions: Mutex<HashMap<String, BrowserSession>>,
    wrong: Mutex<Vec<Instant>>,
}

#[derive(Debug, Clone)]
struct BrowserSession {
    secret: String,
    until: Instant,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Caller {
    /// A program with the token.
    Program,
    /// A browser that is logged in.
    Browser {
        /// Of its session.
        id: String,
        /// What its forms carry.
        secret: String,
    },
}

/// Why nobody was logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum LogInError {
    #[error(
        "That is not the token. It stands in BRAIN_ADMIN_TOKEN, or else in the file admin-token of the data folder."
    )]
    Wrong,
    #[error("Too many wrong tokens. Wait a minute, then try again.")]
    TooMany,
}

impl PageDoor {
    pub(super) fn new(token: SecretString, addr: SocketAddr) -> Self {
        Self { token, addr, sessions: Mutex::default(), wrong: Mutex::default() }
    }

    /// Whether a request was sent to an address of ours, and, where it may change something, from a page of ours.
    pub(super) fn is_addressed(&self, method: &Method, headers: &HeaderMap) -> bool {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(&HOST).filter(|host| self.is_ours(host)) else { return false };
        if matches!(*method, Method::GET | Method::HEAD) {
            return true;
        }
        let is_same = text(&ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
        is_same && text(&FETCH_SITE).is_none_or(|site| matches!(site, "same-origin" | "none"))
    }

    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_address =
            address.is_ok_and(|ip| ip.is_loopback() || ip == self.addr.ip() || self.addr.ip().is_unspecified());
        (is_address || name.eq_ignore_ascii_case("localhost")) && port == Some(self.addr.port())
    }

    /// Who asks, if it is somebody who may.
    pub(super) fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(given) = text(AUTHORIZATION).and_then(|given| given.strip_prefix("Bearer ")) {
            return (!self.is_shut() && self.is_token(given)).then_some(Caller::Program);
        }
        let mut cookies = text(COOKIE)?.split(';').filter_map(|one| one.trim().split_once('='));
        let (_, id) = cookies.find(|(name, _)| *name == COOKIE_NAME)?;
        let session = self.sessions().get(id).filter(|session| session.until > Instant::now()).cloned()?;
        Some(Caller::Browser { id: id.to_owned(), secret: session.secret })
    }

    /// Whether somebody who was let in still is.
    pub(super) fn knows(&self, caller: &Caller) -> bool {
        match caller {
            Caller::Program => true,
            Caller::Browser { id, .. } => self.sessions().get(id).is_some_and(|session| session.until > Instant::now()),
        }
    }

    fn is_token(&self, given: &str) -> bool {
        let is_right = bool::from(given.trim().as_bytes().ct_eq(self.token.expose_secret().as_bytes()));
        if !is_right {
            self.wrong().push(Instant::now());
        }
        is_right
    }

    /// Whether too many have tried just now.
    fn is_shut(&self) -> bool {
        let mut wrong = self.wrong();
        wrong.retain(|at| at.elapsed() < Duration::from_secs(60));
        wrong.len() >= limits::WEB_WRONG_TOKENS_MAX
    }

    /// A session for whoever knows the token: the cookie that is it.
    pub(super) fn log_in(&self, given: &str) -> Result<String, LogInError> {
        if self.is_shut() {
            return Err(LogInError::TooMany);
        }
        if !self.is_token(given) {
            return Err(LogInError::Wrong);
        }
        let fresh = || format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let (id, lasts) = (fresh(), Duration::from_secs(limits::WEB_SESSION_SECS));
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.until > Instant::now());
        if sessions.len() >= limits::WEB_SESSIONS_MAX
            && let Some(oldest) = sessions.iter().min_by_key(|(_, session)| session.until).map(|(id, _)| id.clone())
        {
            sessions.remove(&oldest);
        }
        sessions.insert(id.clone(), BrowserSession { secret: fresh(), until: Instant::now() + lasts });
        Ok(format!("{COOKIE_NAME}={id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}", lasts.as_secs()))
    }

    /// Ends a session; the cookie that takes its place.
    pub(super) fn log_out(&self, caller: &Caller) -> String {
        if let Caller::Browser { id, .. } = caller {
            self.sessions().remove(id);
        }
        format!("{COOKIE_NAME}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, BrowserSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrong(&self) -> MutexGuard<'_, Vec<Instant>> {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller {
    /// Whether something that changes anything was meant by them: `given` is what the request carries.
    pub(super) fn means(&self, given: Option<&str>) -> bool {
        match self {
            Self::Program => true,
            Self::Browser { secret, .. } => {
                given.is_some_and(|given| bool::from(given.as_bytes().ct_eq(secret.as_bytes())))
            }
        }
    }

    /// What a form of theirs carries.
    pub(super) fn secret(&self) -> &str {
        match self {
            Self::Program => "",
            Self::Browser { secret, .. } => secret,
        }
    }
}
