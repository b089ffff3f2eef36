//! How one signs in: as whom, and with what at this moment.

use std::fmt::Debug;

use async_trait::async_trait;
use secrecy::SecretString;

/// What a server takes for proof.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A password: PLAIN, LOGIN, HTTP Basic.
    Password(SecretString),
    /// An access token of OAuth 2: OAUTHBEARER, XOAUTH2, HTTP Bearer.
    Bearer(SecretString),
}

/// Why there is nothing to sign in with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// For now: a sentence that says what is in the way. It may be tried again.
    #[error("{0}")]
    Unavailable(String),
    /// Until somebody does something about it: a sentence that says what.
    #[error("{0}")]
    Reconnect(String),
}

/// How one signs in to the servers of an account.
#[async_trait]
pub trait Login: Debug + Send + Sync + 'static {
    /// The user's name at the servers.
    fn user(&self) -> &str;

    /// What to sign in with now; looked up at each call, as far as it may have changed. Bounded in time by itself.
    async fn credential(&self) -> Result<Credential, LoginError>;

    /// A server did not accept what was given last: nothing that is remembered of it is given again.
    fn was_refused(&self) {}
}

/// A user and a password that are known from the start.
#[derive(Debug, Clone)]
pub struct FixedLogin {
    user: String,
    password: SecretString,
}

impl FixedLogin {
    /// This user with this password.
    pub fn new(user: impl Into<String>, password: impl Into<SecretString>) -> Self {
        Self { user: user.into(), password: password.into() }
    }
}

#[async_trait]
impl Login for FixedLogin {
    fn user(&self) -> &str {
        &self.user
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        Ok(Credential::Password(self.password.clone()))
    }
}
