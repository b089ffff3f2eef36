//! Signing in to a server: found out from what it says, asked for in a browser, kept in a file.
//!
//! ```text
//! a question without a token ─► 401 ─► who gives access ─► who we are there ─► a page, a code, tokens ─► file
//! ```
//! Invariants: nothing is asked of whom the server's metadata does not name, or who does not take PKCE with SHA-256; where
//! the file names who gives access, nobody else does; hosts that no file names are agreed to first ([`super::hosts`]); a
//! client of the file goes to no other issuer than before; what was kept before stays until there are new tokens.
//!
//! Not here: what people are asked and told; that is the command line's.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use http::header::{ACCEPT, WWW_AUTHENTICATE};
use reqwest::Url;
use serde_json::json;
use tokio::time::timeout;

use super::config::{McpEndpoint, McpServer, ServerReach};
use super::hosts::{HostsQuestion, SignInHosts};
use crate::accounts::oauth::{
    AuthChallenge, Authorization, DiscoveryError, GrantError, GrantedCode, IssuerMetadata, Loopback, OAuthSettings,
    RegisteredClient, ResourceMetadata, TokenBinding, TokenError, TokenGrant, TokenHttp, TokenServer, TokenStore,
    Tokens,
};
use crate::accounts::{SecretPlace, is_private};
use crate::outside::{HttpPlace, causes};
use brain_core::limits;

/// What stands behind the address of this machine that a browser is sent back to.
const CALLBACK: &str = "/callback";
/// With it a token can be renewed when nobody is there (OpenID Connect Core 11).
const OFFLINE: &str = "offline_access";

/// Why somebody cannot sign in. The texts are sentences without their end.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SignInError(String);

impl From<DiscoveryError> for SignInError {
    fn from(error: DiscoveryError) -> Self {
        Self(error.0)
    }
}

impl From<TokenError> for SignInError {
    fn from(error: TokenError) -> Self {
        Self(error.to_string())
    }
}

/// One attempt to sign in.
#[derive(Debug)]
pub struct ServerSignIn {
    store: TokenStore,
    hosts: SignInHosts,
    server: TokenServer,
    attempt: Option<Authorization>,
}

/// A server that one can sign in to: where, and where its tokens are.
fn endpoint_of(server: &McpServer) -> Result<(&McpEndpoint, &TokenStore), SignInError> {
    let name = &server.name;
    match &server.reach {
        ServerReach::Program(_) => Err(SignInError(format!("“{name}” is a program, and nobody signs in to it"))),
        ServerReach::Unusable(why) => Err(SignInError(format!("“{name}” cannot be used: {why}"))),
        ServerReach::Url(endpoint) => match &endpoint.tokens {
            Some(store) => Ok((endpoint, store)),
            None => Err(SignInError("one signs in to a server of the file, by its name".to_owned())),
        },
    }
}

/// Takes its tokens away; false: there were none.
pub async fn sign_out(server: &McpServer) -> Result<bool, SignInError> {
    let (_, store) = endpoint_of(server)?;
    let lock = store.lock().await?;
    Ok(store.remove(&lock)?)
}

impl ServerSignIn {
    /// Finds out who gives access, and who we are there. `more`: scopes beside those that were given before; `question`
    /// is asked before anything goes to hosts that no file names.
    pub async fn begin(server: &McpServer, more: &[String], question: &HostsQuestion<'_>) -> Result<Self, SignInError> {
        let (endpoint, store) = endpoint_of(server)?;
        let url = asked_at(endpoint)?;
        let challenge = challenge_of(endpoint).await?;
        let http = TokenHttp::new(None).map_err(|why| SignInError(format!("its token server {why}")))?;
        let resource = ResourceMetadata::of(&http, &url, &challenge).await?;
        let issuer = IssuerMetadata::of(&http, issuer_of(endpoint, &resource)?, &url).await?;
        let is_person = endpoint.oauth.grant == TokenGrant::Person;
        let hosts = SignInHosts::of(&url, &issuer, issuer.auth_url.as_ref().filter(|_| is_person));
        let is_here = |tokens: &Tokens| tokens.binding.as_ref().is_some_and(|it| it.server == endpoint.place.url);
        let before = store.read().ok().filter(is_here);
        is_same_issuer(endpoint, before.as_ref(), &issuer)?;
        hosts.agreed(endpoint, before.as_ref(), question).map_err(SignInError)?;
        let before = before.and_then(|tokens| tokens.binding);
        let scopes = scopes(endpoint, before, more, &challenge, &resource, &issuer);
        let settings = settings(endpoint, &issuer, resource.resource, scopes);
        let store = store.clone();
        let failed = |why: GrantError| SignInError(format!("“{}” {why}", issuer.issuer));
        if !is_person {
            let server = TokenServer::new(settings, None).map_err(failed)?;
            return Ok(Self { store, hosts, server, attempt: None });
        }
        if !issuer.takes_s256 {
            return Err(SignInError(format!(
                "“{}” does not say that it takes PKCE with S256, and without it a code could be stolen",
                issuer.issuer
            )));
        }
        let loopback = Loopback::listen(&settings.redirect_host, endpoint.oauth.callback_port, CALLBACK).await;
        let loopback = loopback.map_err(failed)?;
        let settings = known_there(settings, &http, &issuer, loopback.address()).await?;
        let server = TokenServer::new(settings, None).map_err(failed)?;
        let attempt = Authorization::begin_at(&server, loopback).map_err(failed)?;
        Ok(Self { store, hosts, server, attempt: Some(attempt) })
    }

    /// The page to open, and where its answer comes; `None`: nobody has to say yes.
    pub fn attempt(&self) -> Option<&Authorization> {
        self.attempt.as_ref()
    }

    /// Who is asked for access.
    pub fn hosts(&self) -> &SignInHosts {
        &self.hosts
    }

    /// Exchanges what was given for tokens, and keeps them.
    pub async fn finish(self, code: Option<GrantedCode>) -> Result<PathBuf, SignInError> {
        let Self { store, hosts: _, server, attempt } = self;
        let granted = match (attempt, code) {
            (Some(attempt), Some(code)) => attempt.tokens(&server, code).await,
            (None, _) => server.own_tokens().await,
            (Some(_), None) => Err(GrantError::Denied),
        };
        let tokens = granted.map_err(|why| SignInError(format!("{} {why}", server.host())))?;
        let lock = store.lock().await?;
        store.write(&tokens, &lock)?;
        Ok(store.path().to_owned())
    }
}

/// The address of a server that one can sign in to.
fn asked_at(endpoint: &McpEndpoint) -> Result<Url, SignInError> {
    if endpoint.has_own_authorization() {
        return Err(SignInError("its headers in the file name an Authorization, which comes first".to_owned()));
    }
    let url = Url::parse(&endpoint.place.url).ok().filter(is_private);
    url.ok_or_else(|| SignInError("its url has to begin with https:// to sign in to it".to_owned()))
}

/// Who gives access: whom the file names, where it does, and the server has to name the same.
fn issuer_of<'m>(endpoint: &McpEndpoint, resource: &'m ResourceMetadata) -> Result<&'m str, SignInError> {
    let Some(pinned) = &endpoint.oauth.issuer else { return Ok(resource.issuer()) };
    let named = resource.issuers.iter().find(|issuer| *issuer == pinned);
    let other = || {
        let named = resource.issuer();
        SignInError(format!("the file says that access is given by “{pinned}”, and the server says by “{named}”"))
    };
    named.map(String::as_str).ok_or_else(other)
}

/// A client of the file, and its secret, belong to whoever knows it (RFC 6749 2.2).
fn is_same_issuer(endpoint: &McpEndpoint, before: Option<&Tokens>, issuer: &IssuerMetadata) -> Result<(), SignInError> {
    let before = before.filter(|_| endpoint.oauth.client_id.is_some() && endpoint.oauth.issuer.is_none());
    match before.and_then(|tokens| tokens.binding.as_ref()) {
        Some(before) if before.issuer != issuer.issuer => Err(SignInError(format!(
            "access was given by “{}” before, and now by “{}”. If that is right, sign out first, and see whether the \
             clientId of the file is meant for it",
            before.issuer, issuer.issuer
        ))),
        Some(_) | None => Ok(()),
    }
}

/// How access is asked for there, as far as that is known before we are.
fn settings(endpoint: &McpEndpoint, issuer: &IssuerMetadata, resource: String, scopes: Vec<String>) -> OAuthSettings {
    let binding = TokenBinding {
        server: endpoint.place.url.clone(),
        resource,
        issuer: issuer.issuer.clone(),
        names_issuer: issuer.names_issuer,
        scopes: scopes.clone(),
        grant: endpoint.oauth.grant,
        secret_way: issuer.secret_way(),
        secret: None,
    };
    let is_offline = scopes.iter().any(|scope| scope == OFFLINE);
    OAuthSettings {
        auth_url: issuer.auth_url.clone(),
        token_url: issuer.token_url.clone(),
        device_url: None,
        client_id: endpoint.oauth.client_id.clone().unwrap_or_default(),
        client_secret: endpoint.oauth.client_secret.clone().map(SecretPlace::Value),
        scopes,
        // OpenID Connect Core 11: without it nothing is given for later.
        extra: if is_offline { vec![("prompt".to_owned(), "consent".to_owned())] } else { Vec::new() },
        redirect_host: "127.0.0.1".to_owned(),
        binding: Some(binding),
    }
}

/// The settings with a client that the authorization server knows: the file's, or one that is made known now.
async fn known_there(
    settings: OAuthSettings,
    http: &TokenHttp,
    issuer: &IssuerMetadata,
    redirect: &str,
) -> Result<OAuthSettings, SignInError> {
    if !settings.client_id.is_empty() {
        return Ok(settings);
    }
    let Some(place) = &issuer.registration_url else {
        return Err(SignInError(format!(
            "“{}” does not know us and lets no client make itself known: make one there and put its id into the file, \
             \"oauth\": {{\"clientId\": …}}",
            issuer.issuer
        )));
    };
    let client = RegisteredClient::register(http, issuer, place, redirect, &settings.scopes).await?;
    let binding = settings.binding.map(|binding| TokenBinding {
        secret: client.secret.clone(),
        secret_way: client.secret_way,
        ..binding
    });
    let client_secret = client.secret.map(SecretPlace::Value);
    Ok(OAuthSettings { client_id: client.id, client_secret, binding, ..settings })
}

/// What to ask for: what the file says, else what the server wants now, else what there is; and what was given before,
/// where more is wanted.
fn scopes(
    endpoint: &McpEndpoint,
    before: Option<TokenBinding>,
    more: &[String],
    challenge: &AuthChallenge,
    resource: &ResourceMetadata,
    issuer: &IssuerMetadata,
) -> Vec<String> {
    let said = [&endpoint.oauth.scopes, &challenge.scopes, &resource.scopes];
    let mut scopes = said.into_iter().find(|scopes| !scopes.is_empty()).cloned().unwrap_or_default();
    if !more.is_empty() {
        scopes.extend(before.into_iter().flat_map(|before| before.scopes));
        scopes.extend(more.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned));
    }
    let is_for_a_person = endpoint.oauth.grant == TokenGrant::Person && endpoint.oauth.scopes.is_empty();
    if is_for_a_person && issuer.scopes.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    let mut seen = BTreeSet::new();
    scopes.retain(|scope| seen.insert(scope.clone()));
    scopes
}

/// What a server says to whoever asks it without a token. A greeting may be open to all: what it offers is asked for.
async fn challenge_of(endpoint: &McpEndpoint) -> Result<AuthChallenge, SignInError> {
    let question = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let mut request = HttpPlace::client().map_err(SignInError)?.post(&endpoint.place.url).json(&question);
    request = request.header(ACCEPT, "application/json, text/event-stream");
    for (name, value) in endpoint.place.headers().map_err(SignInError)? {
        request = request.header(name, value);
    }
    let sent = timeout(Duration::from_secs(limits::MCP_START_SECS), request.send());
    let unreached = |why: String| SignInError(format!("{} cannot be asked: {why}", endpoint.place.shown()));
    let answer = sent.await.map_err(|_| unreached("it did not answer in time".to_owned()))?;
    let answer = answer.map_err(|error| unreached(causes(&error)))?;
    let headers = answer.headers().get_all(WWW_AUTHENTICATE);
    Ok(AuthChallenge::parse(headers.iter().filter_map(|value| value.to_str().ok())))
}
