//! Signing in with an access token that is renewed ahead of its end.
//!
//! | the tokens in the file…                         | what is given                                        |
//! |--------------------------------------------------|------------------------------------------------------|
//! | live on                                           | the access token                                     |
//! | end soon, or were refused by a server             | a renewed one; where that fails, the old one if alive |
//! | were refused for good, are another server's, none | [`LoginError::Reconnect`], until the file changes    |
//!
//! Invariants: a renewal that has begun ends and is written, whoever has stopped waiting for it; after a failure there is
//! a pause, in which nothing is asked.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::Utc;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::http::{GrantError, TokenServer};
use super::store::{TokenError, TokenLock, TokenStore, Tokens};
use crate::accounts::login::{Credential, Login, LoginError};
use brain_core::limits::{TOKEN_FORCED_SECS, TOKEN_PAUSE_SECS, TOKEN_PAUSE_SECS_MAX};

/// Signs in with OAuth 2.
#[derive(Clone)]
pub struct OAuthLogin(Arc<Renewal>);

struct Renewal {
    user: String,
    account: String,
    /// What somebody does to give access again.
    remedy: String,
    server: TokenServer,
    store: TokenStore,
    /// Held while something is renewed, so that it is renewed once for all who wait.
    last: Mutex<LastRenewal>,
    is_refused: AtomicBool,
}

/// What is known beside the file.
#[derive(Default)]
struct LastRenewal {
    /// The access token that was given last.
    given: Option<SecretString>,
    /// The one that a mail or calendar server did not accept.
    refused: Option<SecretString>,
    /// When one was renewed for that.
    forced_at: Option<Instant>,
    /// Renewed tokens that could not be written, and the access token in the file that they replace.
    unwritten: Option<(Tokens, SecretString)>,
    /// The access token in the file when the token server did not accept our client.
    client_refused: Option<(SecretString, LoginError)>,
    /// How often it has failed in a row, until when nothing is asked, and why.
    failures: u32,
    pause: Option<(Instant, LoginError)>,
}

impl fmt::Debug for OAuthLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthLogin").field("user", &self.0.user).field("server", &self.0.server.host()).finish()
    }
}

fn is_same(a: &SecretString, b: &SecretString) -> bool {
    a.expose_secret() == b.expose_secret()
}

impl OAuthLogin {
    /// As this user of an account that the person calls so.
    pub fn new(user: impl Into<String>, account: impl Into<String>, server: TokenServer, store: TokenStore) -> Self {
        let account = account.into();
        let remedy = format!("reconnect with: {}", reconnect_command(&account));
        Self::with_remedy(user.into(), account, remedy, server, store)
    }

    /// At a server elsewhere that is called so; `command` signs in again.
    pub fn at_server(name: &str, command: &str, server: TokenServer, store: TokenStore) -> Self {
        Self::with_remedy(name.to_owned(), name.to_owned(), format!("sign in again: {command}"), server, store)
    }

    /// A server did not accept this token, which may not be the one that was given last.
    pub async fn was_refused_with(&self, token: &SecretString) {
        let mut last = self.0.last.lock().await;
        if last.given.as_ref().is_some_and(|given| is_same(given, token)) {
            last.refused = last.given.take();
        }
    }

    fn with_remedy(user: String, account: String, remedy: String, server: TokenServer, store: TokenStore) -> Self {
        let (last, is_refused) = (Mutex::default(), AtomicBool::new(false));
        Self(Arc::new(Renewal { user, account, remedy, server, store, last, is_refused }))
    }
}

#[async_trait]
impl Login for OAuthLogin {
    fn user(&self) -> &str {
        &self.0.user
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        let renewal = self.0.clone();
        // A token server may have replaced the refresh token by the time somebody stops waiting.
        let given = tokio::spawn(async move { renewal.credential().await }).await;
        given.unwrap_or_else(|_| Err(self.0.unavailable("could not be renewed")))
    }

    fn was_refused(&self) {
        self.0.is_refused.store(true, Ordering::SeqCst);
    }
}

impl Renewal {
    async fn credential(&self) -> Result<Credential, LoginError> {
        let mut last = self.last.lock().await;
        if self.is_refused.swap(false, Ordering::SeqCst) {
            // A refusal that is told once more is of the same one.
            last.refused = last.given.take().or_else(|| last.refused.take());
        }
        let tokens = self.current(&mut last).await?;
        let is_refused = last.refused.as_ref().is_some_and(|refused| is_same(refused, &tokens.access));
        let now = Utc::now();
        let is_alive = tokens.is_alive(now) && !is_refused;
        if is_alive && !tokens.is_due(now) {
            return Ok(last.give(&tokens));
        }
        match self.renewed(&mut last, &tokens, is_refused).await {
            Ok(tokens) => Ok(last.give(&tokens)),
            Err(_) if is_alive => Ok(last.give(&tokens)),
            Err(why) => Err(why),
        }
    }

    /// The tokens of the file, or the newer ones that could not be written to it.
    async fn current(&self, last: &mut LastRenewal) -> Result<Tokens, LoginError> {
        let stored = self.stored()?;
        let Some((tokens, replaced)) = last.unwritten.take_if(|(_, replaced)| is_same(replaced, &stored.access)) else {
            last.unwritten = None;
            return Ok(stored);
        };
        match self.store.lock().await {
            Ok(lock) => self.keep(last, &tokens, replaced, &lock),
            Err(_) => last.unwritten = Some((tokens.clone(), replaced)),
        }
        Ok(tokens)
    }

    fn stored(&self) -> Result<Tokens, LoginError> {
        let tokens = self.store.read().map_err(|why| self.no_tokens(&why))?;
        let settings = &self.server.settings;
        if tokens.is_revoked {
            return Err(self.reconnect(&GrantError::Revoked.to_string()));
        }
        if tokens.token_url != settings.token_url.as_str() || tokens.client_id != settings.client_id {
            return Err(self.reconnect("is another one than gave this access"));
        }
        Ok(tokens)
    }

    /// Tokens that live on, from the server or from whoever was faster.
    async fn renewed(&self, last: &mut LastRenewal, old: &Tokens, is_forced: bool) -> Result<Tokens, LoginError> {
        if let Some((of, why)) = &last.client_refused
            && is_same(of, &old.access)
        {
            return Err(why.clone());
        }
        let forced = Duration::from_secs(TOKEN_FORCED_SECS);
        if is_forced && last.forced_at.is_some_and(|at| at.elapsed() < forced) {
            let account = &self.account;
            return Err(LoginError::Unavailable(format!(
                "The servers of {account} do not accept its access, though it was renewed a moment ago."
            )));
        }
        if let Some((until, why)) = &last.pause
            && Instant::now() < *until
        {
            return Err(why.clone());
        }
        let lock = self.store.lock().await.map_err(|why| self.no_tokens(&why))?;
        let stored = self.stored()?;
        let is_ours = last.unwritten.as_ref().is_some_and(|(_, replaced)| is_same(replaced, &stored.access));
        if !is_same(&stored.access, &old.access) && !is_ours {
            // Somebody else has renewed them meanwhile; if they are due as well, that is seen at the next call.
            return Ok(stored);
        }
        let renewed = match &old.refresh {
            _ if self.server.asks_for_itself() => self.server.own_tokens().await,
            Some(refresh) => self.server.refresh(refresh).await,
            None => return Err(self.reconnect("gave access for a time that is over")),
        };
        match renewed {
            Ok(tokens) => {
                (last.failures, last.pause, last.client_refused) = (0, None, None);
                last.forced_at = is_forced.then(Instant::now).or(last.forced_at);
                self.keep(last, &tokens, stored.access, &lock);
                Ok(tokens)
            }
            Err(why @ GrantError::Revoked) => {
                let refused = Tokens { is_revoked: true, ..stored };
                if let Err(error) = self.store.write(&refused, &lock) {
                    tracing::warn!(%error, "the refusal of an account's access could not be written down");
                }
                let error = self.reconnect(&why.to_string());
                last.unwritten = None;
                last.client_refused = Some((old.access.clone(), error.clone()));
                Err(error)
            }
            Err(why @ GrantError::Client(_)) => {
                let error = self.reconnect(&why.to_string());
                last.client_refused = Some((old.access.clone(), error.clone()));
                Err(error)
            }
            Err(why @ (GrantError::Denied | GrantError::Expired | GrantError::Failed(_))) => {
                let error = self.unavailable(&why.to_string());
                let secs = TOKEN_PAUSE_SECS.saturating_mul(1 << last.failures.min(16)).min(TOKEN_PAUSE_SECS_MAX);
                last.failures += 1;
                last.pause = Some((Instant::now() + Duration::from_secs(secs), error.clone()));
                Err(error)
            }
        }
    }

    /// Writes renewed tokens in place of those with the access token `replaced`. Where that fails they stay here.
    fn keep(&self, last: &mut LastRenewal, tokens: &Tokens, replaced: SecretString, lock: &TokenLock) {
        // Who has reconnected meanwhile has newer ones.
        if self.store.read().is_ok_and(|stored| !is_same(&stored.access, &replaced)) {
            return;
        }
        if let Err(error) = self.store.write(tokens, lock) {
            tracing::warn!(%error, "renewed access of an account could not be written down; it is kept in memory");
            last.unwritten = Some((tokens.clone(), replaced));
        }
    }

    fn no_tokens(&self, why: &TokenError) -> LoginError {
        match why {
            TokenError::None | TokenError::Unreadable(_) => {
                LoginError::Reconnect(format!("{}: {why}; {}", self.account, self.remedy))
            }
            TokenError::Unwritable(_) | TokenError::Locked => {
                LoginError::Unavailable(format!("{}: {why}.", self.account))
            }
        }
    }

    fn reconnect(&self, why: &str) -> LoginError {
        LoginError::Reconnect(format!("{}: {} {why}; {}", self.account, self.server.host(), self.remedy))
    }

    fn unavailable(&self, why: &str) -> LoginError {
        LoginError::Unavailable(format!("The access to {} is not renewed: {} {why}.", self.account, self.server.host()))
    }
}

impl LastRenewal {
    fn give(&mut self, tokens: &Tokens) -> Credential {
        self.given = Some(tokens.access.clone());
        Credential::Bearer(tokens.access.clone())
    }
}

/// What somebody types to give access again.
pub(in crate::accounts) fn reconnect_command(account: &str) -> String {
    format!("brain-agent setup account {}", shell_word(account))
}

/// A word as a shell takes it for one.
pub(in crate::accounts) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@._-+:".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
