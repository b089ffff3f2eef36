//! Access given in a browser: authorization code with PKCE (RFC 7636), and the answer on this machine's loopback
//! address (RFC 8252).
//!
//! Invariants: a code counts only with the state that was sent out, and from whom it was asked of, where that is known;
//! one code is taken, once; whatever else connects is told politely and changes nothing; who connects and says nothing
//! keeps nobody out: it has a moment, and gives its place to whoever comes when there is none left; a page repeats
//! nothing of what came in.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures::future::{AbortHandle, BoxFuture, abortable};
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use oauth2::{AuthUrl, AuthorizationCode, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::http::{GrantError, TokenServer, why};
use super::store::Tokens;
use brain_core::limits::{AUTHORIZE_SECS, REDIRECT_BYTES_MAX, REDIRECT_MS, REDIRECTS_AT_ONCE};

/// Why an address that a browser was sent to holds no code for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// It is none of ours.
    #[error("that is not the address that the browser was sent to; it begins with http:// and holds code=")]
    NotOurs,
    /// It belongs to another attempt.
    #[error("that address belongs to another attempt: open the page once more")]
    OtherAttempt,
    /// The person, or the provider, said no.
    #[error("access was not given")]
    Denied,
    /// Who answered is not whom we asked (RFC 9207).
    #[error("that answer comes from somebody else than the server that was asked")]
    OtherIssuer,
}

/// A code that was sent with our state.
#[derive(Debug)]
pub struct GrantedCode(SecretString);

/// Where this machine waits for a browser's answer.
#[derive(Debug)]
pub struct Loopback {
    redirect: RedirectUrl,
    listener: TcpListener,
}

/// One attempt to be given access.
#[derive(Debug)]
pub struct Authorization {
    url: Url,
    state: CsrfToken,
    verifier: PkceCodeVerifier,
    /// Who has to have answered, and whether each answer says it.
    issuer: Option<(String, bool)>,
    loopback: Loopback,
}

const DONE: &str = "Access was given. You can close this page and go back to the terminal.";
const DENIED: &str = "Access was not given. You can close this page; the terminal says how to go on.";
const OTHER: &str = "Brain Agent waits here for an answer of your provider. This was none, and nothing has changed.";

impl Loopback {
    /// Listens on a port of this machine, 0 for a free one. `host` is its name in the address, `path` what stands behind.
    pub async fn listen(host: &str, port: u16, path: &str) -> Result<Self, GrantError> {
        let cannot = |what: &str| GrantError::Failed(what.to_owned());
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(here).await.map_err(|_| cannot("cannot answer here: no port is free"))?;
        let port = listener.local_addr().map_err(|_| cannot("cannot answer here: no port is free"))?.port();
        let redirect = RedirectUrl::new(format!("http://{host}:{port}{path}"));
        let redirect = redirect.map_err(|_| cannot("cannot answer here: the name of this machine is none"))?;
        Ok(Self { redirect, listener })
    }

    /// Where a browser is sent back to.
    pub fn address(&self) -> &str {
        self.redirect.as_str()
    }
}

impl Authorization {
    /// Listens on a free port of this machine, and knows the page that a browser should open.
    pub async fn begin(server: &TokenServer) -> Result<Self, GrantError> {
        // Without a path: providers compare it as text, and know it without one.
        Self::begin_at(server, Loopback::listen(&server.settings.redirect_host, 0, "").await?)
    }

    /// The same with the answer at a place that is listened at already.
    pub fn begin_at(server: &TokenServer, loopback: Loopback) -> Result<Self, GrantError> {
        let settings = &server.settings;
        let no_page = || GrantError::Failed("has no page where access is given".to_owned());
        let auth_url = settings.auth_url.clone().ok_or_else(no_page)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let redirect = loopback.redirect.clone();
        let client = server.client()?.set_auth_uri(AuthUrl::from_url(auth_url)).set_redirect_uri(redirect);
        let mut request = client
            .authorize_url(CsrfToken::new_random)
            .set_pkce_challenge(challenge)
            .add_scopes(settings.scopes.iter().cloned().map(Scope::new));
        for (name, value) in &settings.extra {
            request = request.add_extra_param(name.clone(), value.clone());
        }
        if let Some(resource) = server.resource() {
            request = request.add_extra_param("resource", resource.to_owned());
        }
        let (url, state) = request.url();
        let issuer = settings.binding.as_ref().map(|binding| (binding.issuer.clone(), binding.names_issuer));
        Ok(Self { url, state, verifier, issuer, loopback })
    }

    /// The page to open.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The code in an address that a browser was sent to, when a person pastes it.
    pub fn pasted(&self, address: &str) -> Result<GrantedCode, CodeError> {
        let url = Url::parse(address.trim()).map_err(|_| CodeError::NotOurs)?;
        let ours = Url::parse(self.loopback.address()).map_err(|_| CodeError::NotOurs)?;
        if url.origin() != ours.origin() || url.path() != ours.path() {
            return Err(CodeError::NotOurs);
        }
        let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let state = value("state").ok_or(CodeError::NotOurs)?;
        if !bool::from(state.as_bytes().ct_eq(self.state.secret().as_bytes())) {
            return Err(CodeError::OtherAttempt);
        }
        let is_other = match (&self.issuer, value("iss")) {
            (Some((issuer, _)), Some(said)) => *issuer != said,
            (Some((_, names_itself)), None) => *names_itself,
            (None, _) => false,
        };
        if is_other {
            return Err(CodeError::OtherIssuer);
        }
        match (value("code"), value("error")) {
            (_, Some(_)) => Err(CodeError::Denied),
            (Some(code), None) if !code.is_empty() => Ok(GrantedCode(code.into())),
            (_, None) => Err(CodeError::NotOurs),
        }
    }

    /// Waits until a browser brings the answer, for some minutes.
    pub async fn answered(&self) -> Result<GrantedCode, GrantError> {
        let waited = timeout(Duration::from_secs(AUTHORIZE_SECS), self.accept()).await;
        waited.unwrap_or(Err(GrantError::Expired))
    }

    async fn accept(&self) -> Result<GrantedCode, GrantError> {
        let mut silent: FuturesUnordered<BoxFuture<'_, (u64, Option<RedirectRequest>)>> = FuturesUnordered::new();
        let mut answering = FuturesUnordered::new();
        // Those who have said nothing yet, the first in front, each by its number.
        let mut places: VecDeque<(u64, AbortHandle)> = VecDeque::new();
        let mut number = 0_u64;
        loop {
            let stream = loop {
                tokio::select! {
                    connected = self.loopback.listener.accept() => match connected {
                        Ok((stream, _)) => break stream,
                        // Too many open files, most likely: that passes.
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    },
                    Some((number, asked)) = silent.next() => {
                        places.retain(|(known, _)| *known != number);
                        answering.extend(asked.map(|asked| self.serve(asked)));
                    }
                    Some(answer) = answering.next() => match answer {
                        Some(Ok(code)) => return Ok(code),
                        Some(Err(CodeError::Denied)) => return Err(GrantError::Denied),
                        Some(Err(why @ CodeError::OtherIssuer)) => {
                            return Err(GrantError::Failed(format!("is not known to have answered: {why}")));
                        }
                        Some(Err(CodeError::NotOurs | CodeError::OtherAttempt)) | None => {}
                    },
                }
            };
            if places.len() >= REDIRECTS_AT_ONCE
                && let Some((_, first)) = places.pop_front()
            {
                first.abort();
            }
            let (asks, place) = abortable(asked(stream));
            places.push_back((number, place));
            silent.push(async move { (number, asks.await.ok().flatten()) }.boxed());
            number += 1;
        }
    }

    /// One connection that asked for something: what it brought.
    async fn serve(
        &self,
        RedirectRequest { mut stream, target }: RedirectRequest,
    ) -> Option<Result<GrantedCode, CodeError>> {
        let bound = Duration::from_millis(REDIRECT_MS);
        let origin = Url::parse(self.loopback.address()).ok()?.origin().ascii_serialization();
        let answer = self.pasted(&format!("{origin}{target}"));
        let (status, text) = match &answer {
            Ok(_) => ("200 OK", DONE),
            Err(CodeError::Denied) => ("200 OK", DENIED),
            Err(CodeError::OtherIssuer) => ("400 Bad Request", DENIED),
            Err(CodeError::NotOurs | CodeError::OtherAttempt) => ("404 Not Found", OTHER),
        };
        let body = format!("<!doctype html><meta charset=utf-8><title>Brain Agent</title><p>{text}</p>\n");
        let page = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: \
             no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        // A browser that has gone has given its answer all the same.
        let _ = timeout(bound, async {
            stream.write_all(page.as_bytes()).await?;
            stream.shutdown().await
        })
        .await;
        Some(answer)
    }

    /// Exchanges the code for tokens.
    pub async fn tokens(self, server: &TokenServer, code: GrantedCode) -> Result<Tokens, GrantError> {
        let client = server.client()?.set_redirect_uri(self.loopback.redirect);
        let code = AuthorizationCode::new(code.0.expose_secret().to_owned());
        let mut request = client.exchange_code(code).set_pkce_verifier(self.verifier);
        if let Some(resource) = server.resource() {
            request = request.add_extra_param("resource", resource.to_owned());
        }
        server.tokens(&request.request_async(&server.http).await.map_err(why)?)
    }
}

/// A request for something, and who waits for its answer.
struct RedirectRequest {
    stream: TcpStream,
    target: String,
}

/// What the head of a request asks for; `None`: it is none that we know, or it was too slow.
async fn asked(mut stream: TcpStream) -> Option<RedirectRequest> {
    let mut head = Vec::new();
    let read = async {
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            if head.len() > REDIRECT_BYTES_MAX || stream.read_buf(&mut head).await.ok()? == 0 {
                return None;
            }
        }
        Some(())
    };
    timeout(Duration::from_millis(REDIRECT_MS), read).await.ok().flatten()?;
    let head = String::from_utf8(head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let target = (method == "GET" && target.starts_with('/')).then(|| target.to_owned())?;
    Some(RedirectRequest { stream, target })
}
