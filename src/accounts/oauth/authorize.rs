//! Access given in a browser: authorization code with PKCE (RFC 7636), and the answer on this machine's loopback
//! address (RFC 8252).
//!
//! Invariants: a code counts only with the state that was sent out; one code is taken, once; whatever else connects is
//! told politely and changes nothing; a page repeats nothing of what came in.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use oauth2::{AuthUrl, AuthorizationCode, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::http::{GrantError, TokenServer, why};
use super::store::Tokens;
use crate::limits::{AUTHORIZE_SECS, REDIRECT_BYTES_MAX, REDIRECT_MS, REDIRECTS_AT_ONCE};

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
}

/// A code that was sent with our state.
#[derive(Debug)]
pub struct GrantedCode(SecretString);

/// One attempt to be given access.
#[derive(Debug)]
pub struct Authorization {
    url: Url,
    state: CsrfToken,
    verifier: PkceCodeVerifier,
    redirect: RedirectUrl,
    listener: TcpListener,
}

const DONE: &str = "Access was given. You can close this page and go back to the terminal.";
const DENIED: &str = "Access was not given. You can close this page; the terminal says how to go on.";
const OTHER: &str = "Brain Agent waits here for an answer of your provider. This was none, and nothing has changed.";

impl Authorization {
    /// Listens on a free port of this machine, and knows the page that a browser should open.
    pub async fn begin(server: &TokenServer) -> Result<Self, GrantError> {
        let cannot = |what: &str| GrantError::Failed(what.to_owned());
        let settings = &server.settings;
        let auth_url = settings.auth_url.clone().ok_or_else(|| cannot("has no page where access is given"))?;
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = TcpListener::bind(here).await.map_err(|_| cannot("cannot answer here: no port is free"))?;
        let port = listener.local_addr().map_err(|_| cannot("cannot answer here: no port is free"))?.port();
        // Without a path: providers compare it as text, and know it without one.
        let redirect = RedirectUrl::new(format!("http://{}:{port}", settings.redirect_host));
        let redirect = redirect.map_err(|_| cannot("cannot answer here: the name of this machine is none"))?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = server.client()?.set_auth_uri(AuthUrl::from_url(auth_url)).set_redirect_uri(redirect.clone());
        let mut request = client
            .authorize_url(CsrfToken::new_random)
            .set_pkce_challenge(challenge)
            .add_scopes(settings.scopes.iter().cloned().map(Scope::new));
        for (name, value) in &settings.extra {
            request = request.add_extra_param(name.clone(), value.clone());
        }
        let (url, state) = request.url();
        Ok(Self { url, state, verifier, redirect, listener })
    }

    /// The page to open.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The code in an address that a browser was sent to, when a person pastes it.
    pub fn pasted(&self, address: &str) -> Result<GrantedCode, CodeError> {
        let url = Url::parse(address.trim()).map_err(|_| CodeError::NotOurs)?;
        let ours = Url::parse(self.redirect.as_str()).map_err(|_| CodeError::NotOurs)?;
        if url.origin() != ours.origin() || url.path() != "/" {
            return Err(CodeError::NotOurs);
        }
        let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let state = value("state").ok_or(CodeError::NotOurs)?;
        if !bool::from(state.as_bytes().ct_eq(self.state.secret().as_bytes())) {
            return Err(CodeError::OtherAttempt);
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
        let mut open = FuturesUnordered::new();
        loop {
            tokio::select! {
                connected = self.listener.accept(), if open.len() < REDIRECTS_AT_ONCE => match connected {
                    Ok((stream, _)) => open.push(self.serve(stream)),
                    // Too many open files, most likely: that passes.
                    Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                },
                Some(answer) = open.next() => match answer {
                    Some(Ok(code)) => return Ok(code),
                    Some(Err(CodeError::Denied)) => return Err(GrantError::Denied),
                    Some(Err(CodeError::NotOurs | CodeError::OtherAttempt)) | None => {}
                },
            }
        }
    }

    /// One connection: what it brought, if it asked for anything.
    async fn serve(&self, mut stream: TcpStream) -> Option<Result<GrantedCode, CodeError>> {
        let bound = Duration::from_millis(REDIRECT_MS);
        let target = timeout(bound, target(&mut stream)).await.ok().flatten()?;
        let answer = self.pasted(&format!("{}{target}", self.redirect.as_str()));
        let (status, text) = match &answer {
            Ok(_) => ("200 OK", DONE),
            Err(CodeError::Denied) => ("200 OK", DENIED),
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
        let client = server.client()?.set_redirect_uri(self.redirect);
        let code = AuthorizationCode::new(code.0.expose_secret().to_owned());
        let granted = client.exchange_code(code).set_pkce_verifier(self.verifier).request_async(&server.http).await;
        server.tokens(&granted.map_err(why)?)
    }
}

/// What the head of a request asks for; `None`: it is none that we know.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > REDIRECT_BYTES_MAX || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    (method == "GET" && target.starts_with('/')).then(|| target.to_owned())
}
