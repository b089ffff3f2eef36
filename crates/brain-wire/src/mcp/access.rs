//! How requests to a server over HTTP are signed in: with the token that somebody was given for it.
//!
//! Invariants: a token goes to the address that it was given for, letter by letter; headers of the file come first: who
//! names an `Authorization` there is never signed in otherwise; what a person reads is written here, not by the server.

use std::sync::Arc;

use secrecy::SecretString;
use tokio::sync::watch;

use super::config::McpEndpoint;
use crate::accounts::oauth::{AuthChallenge, OAuthLogin, OAuthSettings, TokenBinding, TokenError, TokenServer, Tokens};
use crate::accounts::{Credential, Login as _, LoginError};
use brain_core::limits;

const NO_TOKEN: &str = "it wants to know who asks: a token is missing or wrong";

/// See the module.
#[derive(Debug, Clone)]
pub struct ServerAccess {
    /// What somebody types to sign in; `None`: there is nothing to be done by that.
    command: Option<String>,
    login: Option<OAuthLogin>,
    /// Why somebody has to sign in again.
    lost: Arc<watch::Sender<Option<String>>>,
}

/// What somebody types to sign in to a server.
pub(super) fn sign_in_command(server: &str) -> String {
    format!("brain-agent mcp login {server}")
}

impl McpEndpoint {
    /// Whether the file says itself how requests are signed in.
    pub(super) fn has_own_authorization(&self) -> bool {
        self.place.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// The settings that tokens were given by, where they are for this address, and of whom the file names.
    fn settings_of(&self, tokens: &Tokens) -> Option<OAuthSettings> {
        let is_client = self.oauth.client_id.as_ref().is_some_and(|id| *id == tokens.client_id);
        let secret = self.oauth.client_secret.clone().filter(|_| is_client);
        let is_pinned = |issuer: &str| self.oauth.issuer.as_ref().is_none_or(|pinned| pinned == issuer);
        let is_here = |binding: &TokenBinding| binding.server == self.place.url && is_pinned(&binding.issuer);
        let is_it = tokens.binding.as_ref().is_some_and(is_here);
        OAuthSettings::of_tokens(tokens, secret).filter(|_| is_it)
    }
}

impl ServerAccess {
    /// With what is there of tokens now; why they cannot be used.
    pub fn of(name: &str, endpoint: &McpEndpoint) -> Result<Self, String> {
        let mut access = Self { command: None, login: None, lost: Arc::default() };
        let Some(store) = endpoint.tokens.as_ref().filter(|_| !endpoint.has_own_authorization()) else {
            return Ok(access);
        };
        let command = sign_in_command(name);
        match store.read() {
            Ok(tokens) => {
                if let Some(settings) = endpoint.settings_of(&tokens) {
                    let server = TokenServer::new(settings, None).map_err(|why| format!("its token server {why}"))?;
                    access.login = Some(OAuthLogin::at_server(name, &command, server, store.clone()));
                }
            }
            Err(TokenError::None) => {}
            Err(why) => return Err(format!("{why} ({})", store.path().display())),
        }
        access.command = Some(command);
        Ok(access)
    }

    /// What the next request carries; why there is nothing.
    pub async fn token(&self) -> Result<Option<SecretString>, String> {
        let Some(login) = &self.login else { return Ok(None) };
        match login.credential().await {
            Ok(Credential::Bearer(token) | Credential::Password(token)) => Ok(Some(token)),
            Err(LoginError::Reconnect(why)) => {
                self.lost.send_replace(Some(why.clone()));
                Err(why)
            }
            Err(LoginError::Unavailable(why)) => Err(why),
        }
    }

    /// The server did not accept this token: the next one is another.
    pub async fn was_refused(&self, token: &SecretString) {
        if let Some(login) = &self.login {
            login.was_refused_with(token).await;
        }
    }

    /// Why a request was not let in, and what to do.
    pub fn refusal(&self, challenge: &AuthChallenge) -> String {
        let Some(command) = &self.command else { return NO_TOKEN.to_owned() };
        let scopes = shown(&challenge.scopes);
        match (&self.login, challenge.wants_scope()) {
            (Some(_), true) if scopes.is_empty() => {
                format!("its access does not suffice for that; sign in again: {command}")
            }
            (Some(_), true) => format!("it wants more access; sign in again for it: {command} --scope '{scopes}'"),
            (Some(_), false) => format!("it does not accept its access; sign in again: {command}"),
            (None, _) => format!("it wants you to sign in: {command}"),
        }
    }

    /// Waits until somebody has to sign in again, and says why.
    pub async fn lost(&self) -> String {
        let mut lost = self.lost.subscribe();
        let why = lost.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
        match why {
            Some(why) => why,
            None => std::future::pending().await,
        }
    }
}

/// Scopes as they may stand between quotes of a command; whatever else a server says stays out.
fn shown(scopes: &[String]) -> String {
    let is_plain = |scope: &&String| scope.bytes().all(|b| b.is_ascii_alphanumeric() || b":/._-+@=,~*".contains(&b));
    let mut text = String::new();
    for scope in scopes.iter().filter(is_plain) {
        if text.len() + scope.len() < limits::MCP_SCOPES_CHARS_MAX {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(scope);
        }
    }
    text
}
