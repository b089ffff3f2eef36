//! The connection to a server: signing in, redirections, bounds, and what an error means for what was to be done.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::response::Parts;
use http::{Request, StatusCode};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use secrecy::ExposeSecret as _;
use tokio::sync::Semaphore;

use super::error::{DavError, garbled};
use super::href::{ServerHosts, base_of, canonical};
use super::multistatus::{Multistatus, entries, parsed};
use crate::accounts::{AccountConfig, Credential, Login, LoginError, certificates};
use brain_core::limits::{
    DAV_ANSWER_BYTES_MAX, DAV_CONNECT_MS, DAV_IDLE_MS, DAV_PARSERS_AT_ONCE, DAV_READ_MS, DAV_REDIRECTS_MAX,
    DAV_RESOURCE_BYTES_MAX, DAV_WRITE_MS,
};

/// A large answer takes seconds of a processor: never one of those that everybody's turns run on, and never all others.
static PARSERS: Semaphore = Semaphore::const_new(DAV_PARSERS_AT_ONCE);

/// A server of an account. Cheap to clone.
#[derive(Clone)]
pub struct DavClient(pub(super) Arc<DavConnection>);

/// What its clones share.
pub(super) struct DavConnection {
    pub home: ServerHosts,
    http: Client,
    login: Arc<dyn Login>,
}

impl fmt::Debug for DavClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DavClient").field("home", &self.0.home.url.as_str()).finish_non_exhaustive()
    }
}

/// What a request does to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Reads,
    /// One resource.
    ReadsOne,
    Writes,
}

/// An answer, whole.
pub(super) struct DavAnswer {
    pub parts: Parts,
    pub body: Vec<u8>,
    /// Where it came from, after redirections.
    pub from: Url,
}

impl DavAnswer {
    pub fn status(&self) -> StatusCode {
        self.parts.status
    }

    pub fn text(&self) -> Result<&str, DavError> {
        std::str::from_utf8(&self.body).map_err(|_| garbled())
    }

    /// What `read` makes of its parts, given where it came from.
    pub async fn read<T: Send + 'static>(
        self,
        read: impl FnOnce(&Multistatus<'_>, &Url) -> T + Send + 'static,
    ) -> Result<T, DavError> {
        let place = PARSERS.acquire().await.map_err(|_| garbled())?;
        let parsing = move || {
            let _place = place;
            let document = parsed(self.text()?)?;
            let all = entries(&document)?;
            Ok(read(&all, &self.from))
        };
        tokio::task::spawn_blocking(parsing).await.unwrap_or_else(|_| Err(garbled()))
    }
}

impl DavClient {
    /// The server at this address, with the account's login.
    pub fn of(account: &AccountConfig, url: &Url) -> Result<Self, DavError> {
        Self::connected(url, account.login.clone(), account.authorities.as_deref())
    }

    pub(super) fn connected(url: &Url, login: Arc<dyn Login>, authorities: Option<&Path>) -> Result<Self, DavError> {
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(Duration::from_millis(DAV_CONNECT_MS))
            .read_timeout(Duration::from_millis(DAV_IDLE_MS));
        if let Some(path) = authorities {
            let own = certificates(path)
                .map_err(|why| DavError::Refused(format!("the file of authorities {why}, so it was not asked")))?;
            for authority in own {
                let authority = reqwest::Certificate::from_der(&authority)
                    .map_err(|_| DavError::Refused("the file of authorities holds no certificate".to_owned()))?;
                builder = builder.add_root_certificate(authority);
            }
        }
        let http = builder.build().map_err(|_| DavError::Refused("it cannot be spoken to".to_owned()))?;
        let mut url = url.clone();
        // What stands in the address is no login, and is shown.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self(Arc::new(DavConnection { home: ServerHosts { url }, http, login })))
    }

    /// Where a request of `libdav`'s for this name goes: a base for it, and the path.
    pub(super) fn target(&self, href: &str) -> Result<(http::Uri, String), DavError> {
        let nowhere = || DavError::Refused("its address is none at this server, so it was not asked".to_owned());
        let url = self.0.home.url(href).ok_or_else(nowhere)?;
        let base = base_of(&url).ok_or_else(nowhere)?;
        Ok((base, canonical(url.path()).ok_or_else(nowhere)?))
    }

    /// One request and its whole answer. Only what reads is redirected.
    pub(super) async fn ask(&self, request: Request<String>, does: Does) -> Result<DavAnswer, DavError> {
        let mut url = Url::parse(&request.uri().to_string()).map_err(|_| garbled())?;
        for _ in 0..=DAV_REDIRECTS_MAX {
            let answer = self.signed_in(&request, &url, does).await?;
            let location = answer.parts.headers.get(http::header::LOCATION).and_then(|to| to.to_str().ok());
            match (answer.status().is_redirection(), location) {
                (false, _) | (true, None) => return Ok(answer),
                (true, Some(to)) => {
                    let next = url.join(to).ok().filter(|next| self.0.home.trusts(next));
                    let next = next.filter(|_| does != Does::Writes);
                    url = next.ok_or_else(|| DavError::Refused("the server sends us to another one".to_owned()))?;
                }
            }
        }
        Err(DavError::NotDav("the server sends us in a circle".to_owned()))
    }

    /// Once more with a fresh token where the server did not accept the one that was there.
    async fn signed_in(&self, request: &Request<String>, url: &Url, does: Does) -> Result<DavAnswer, DavError> {
        let mut again = true;
        loop {
            let credential = self.0.login.credential().await.map_err(|error| no_credential(&error))?;
            let answer = self.sent(request, url, &credential, does).await?;
            if answer.status() != StatusCode::UNAUTHORIZED {
                return Ok(answer);
            }
            self.0.login.was_refused();
            if !again || matches!(credential, Credential::Password(_)) {
                let until_reconnected = matches!(credential, Credential::Bearer(_));
                let why = "the server does not accept user and password".to_owned();
                return Err(DavError::NotSignedIn { why, until_reconnected });
            }
            again = false;
        }
    }

    async fn sent(
        &self,
        request: &Request<String>,
        url: &Url,
        credential: &Credential,
        does: Does,
    ) -> Result<DavAnswer, DavError> {
        let limit = Duration::from_millis(if does == Does::Writes { DAV_WRITE_MS } else { DAV_READ_MS });
        let sending = self.0.http.request(request.method().clone(), url.clone()).headers(request.headers().clone());
        // A server that packs what it sends may give it another ETag by that.
        let sending = match does {
            Does::Reads => sending,
            Does::ReadsOne | Does::Writes => sending.header(http::header::ACCEPT_ENCODING, "identity"),
        };
        let sending = match credential {
            Credential::Password(password) => sending.basic_auth(self.0.login.user(), Some(password.expose_secret())),
            Credential::Bearer(token) => sending.bearer_auth(token.expose_secret()),
        };
        let began = tokio::time::Instant::now();
        let head = tokio::time::timeout(limit, sending.body(request.body().clone()).send()).await;
        let mut answer = head.map_err(|_| late(does))?.map_err(|error| unsent(&error, does))?;
        let mut body = Vec::new();
        let rest =
            tokio::time::timeout(limit.saturating_sub(began.elapsed()), whole(&mut answer, &mut body, does)).await;
        match (rest.unwrap_or_else(|_| Err(late(does))), does) {
            // The status has said what became of it.
            (Ok(()), _) | (Err(_), Does::Writes) => {}
            (Err(error), Does::Reads | Does::ReadsOne) => return Err(error),
        }
        let mut response = http::Response::new(());
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(DavAnswer { parts: response.into_parts().0, body, from: url.clone() })
    }
}

async fn whole(answer: &mut reqwest::Response, body: &mut Vec<u8>, does: Does) -> Result<(), DavError> {
    let max = match does {
        Does::Reads => DAV_ANSWER_BYTES_MAX,
        // One byte more shows that it is too large.
        Does::ReadsOne | Does::Writes => DAV_RESOURCE_BYTES_MAX + 1,
    };
    let broken = |_| DavError::Unreachable("the server's answer broke off".to_owned());
    while let Some(part) = answer.chunk().await.map_err(broken)? {
        if body.len() + part.len() > max {
            return Err(DavError::Unexpected("the server's answer is too long".to_owned()));
        }
        body.extend_from_slice(&part);
    }
    Ok(())
}

fn late(does: Does) -> DavError {
    let why = "the server did not answer in time".to_owned();
    if does == Does::Writes { DavError::Doubtful(why) } else { DavError::Unreachable(why) }
}

fn no_credential(error: &LoginError) -> DavError {
    let until_reconnected = matches!(error, LoginError::Reconnect(_));
    DavError::NotSignedIn { why: error.to_string(), until_reconnected }
}

/// Nothing was done where there was no connection; after that nobody can tell.
fn unsent(error: &reqwest::Error, does: Does) -> DavError {
    match (error.is_connect() || error.is_builder(), does) {
        (true, _) => DavError::Unreachable("the server cannot be reached".to_owned()),
        (false, Does::Reads | Does::ReadsOne) if error.is_timeout() => late(does),
        (false, Does::Reads | Does::ReadsOne) => DavError::Unreachable("the connection to the server broke".to_owned()),
        (false, Does::Writes) => DavError::Doubtful("the connection broke before the server answered".to_owned()),
    }
}

/// What a status says that is no success, of what reads.
pub(super) fn failed(answer: &DavAnswer) -> DavError {
    let status = answer.status();
    match status.as_u16() {
        404 | 410 => DavError::Gone,
        403 => DavError::Refused("the server does not allow it (403)".to_owned()),
        405 | 501 => {
            DavError::NotDav(format!("what is at this address is no calendar or contact server ({})", status.as_u16()))
        }
        429 | 503 => {
            DavError::Unreachable(format!("the server has no time now ({}{})", status.as_u16(), pause(answer)))
        }
        500..=599 => DavError::Unreachable(format!("the server has failed ({})", status.as_u16())),
        200..=299 => {
            DavError::NotDav("what is at this address answers as no calendar or contact server does".to_owned())
        }
        code => DavError::Refused(format!("the server refused it ({code})")),
    }
}

/// The same of a write: what it says about whether it was done.
pub(super) fn unwritten(answer: &DavAnswer) -> DavError {
    let status = answer.status().as_u16();
    let says = |what: &str| answer.text().is_ok_and(|text| text.contains(what));
    match status {
        404 | 410 => DavError::Gone,
        // RFC 4791 §5.3.2.1 has these in 403 and 409; some servers say 412 or 415.
        400..=499 if says("no-uid-conflict") => {
            DavError::Refused(format!("something with its UID is there already ({status})"))
        }
        400..=499 if says("valid-calendar-data") || says("valid-address-data") => {
            DavError::Refused(format!("the server does not accept what it would say ({status})"))
        }
        412 => DavError::ChangedThere,
        403 => DavError::Refused("the server does not allow it (403)".to_owned()),
        413 => DavError::Refused("it is too large for the server (413)".to_owned()),
        507 => DavError::Refused("there is no room left at the server (507)".to_owned()),
        429 | 503 => DavError::Refused(format!("the server has no time now ({status}{})", pause(answer))),
        500..=599 => DavError::Doubtful(format!("the server has failed ({status})")),
        code => DavError::Refused(format!("the server refused it ({code})")),
    }
}

fn pause(answer: &DavAnswer) -> String {
    let after = answer.parts.headers.get(http::header::RETRY_AFTER).and_then(|after| after.to_str().ok());
    let seconds = after.and_then(|after| after.trim().parse::<u32>().ok());
    seconds.map(|seconds| format!("; again in {seconds} s")).unwrap_or_default()
}
