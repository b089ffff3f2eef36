//! The tokens of an account, in a file of their own beside accounts.toml; those of a server, in one of the data folder.
//!
//! Invariant: who changes the file holds its lock, over all processes, and has read it under that lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::binding::TokenBinding;
use brain_core::limits::{TOKEN_AHEAD_SECS, TOKEN_ANSWER_BYTES_MAX, TOKEN_LOCK_MS};
use brain_core::secret_files::{self, SecretFileError};

/// What was granted.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// Who gave them: nobody else gets the refresh token.
    pub token_url: String,
    /// To which client.
    pub client_id: String,
    /// What signs in.
    pub access: SecretString,
    /// Since when.
    pub obtained_at: DateTime<Utc>,
    /// Until when; `None`: it was not said, so until a server refuses it.
    pub expires_at: Option<DateTime<Utc>>,
    /// What the next one is got with.
    pub refresh: Option<SecretString>,
    /// It was refused for good.
    pub is_revoked: bool,
    /// What they are bound to, where no configuration says it.
    pub binding: Option<TokenBinding>,
}

impl Tokens {
    /// Whether the access token is still good, by its own word.
    pub(super) fn is_alive(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether it should be renewed by now.
    pub(super) fn is_due(&self, now: DateTime<Utc>) -> bool {
        let Some(end) = self.expires_at else { return false };
        let ahead = ((end - self.obtained_at).num_seconds() / 4).clamp(0, TOKEN_AHEAD_SECS);
        now + chrono::TimeDelta::seconds(ahead) >= end
    }
}

/// As they are stored.
#[derive(Serialize, Deserialize)]
struct TokensRecord {
    version: u32,
    token_url: String,
    client_id: String,
    access_token: String,
    obtained_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    refresh_token: Option<String>,
    #[serde(default)]
    revoked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    binding: Option<TokenBinding>,
    /// That of the binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
}

const VERSION: u32 = 1;

/// Why tokens cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// There are none yet.
    #[error("nobody has given access yet")]
    None,
    /// The file is not read, or not understood.
    #[error("the file of its tokens {0}")]
    Unreadable(String),
    /// The file cannot be written.
    #[error("the file of its tokens cannot be written: {0}")]
    Unwritable(io::Error),
    /// Another process holds it.
    #[error("another process is renewing its access")]
    Locked,
}

/// Its text holds the cause already.
impl From<io::Error> for TokenError {
    fn from(cause: io::Error) -> Self {
        Self::Unwritable(cause)
    }
}

/// The file of one account's tokens.
#[derive(Debug, Clone)]
pub struct TokenStore {
    path: PathBuf,
}

/// Whoever holds it may change the file.
#[derive(Debug)]
pub struct TokenLock(#[allow(dead_code, reason = "held for its lock")] File);

impl TokenStore {
    /// That of the account with this id, in the folder of accounts.toml; or of the server with this name, in its folder.
    pub fn new(folder: &Path, account_id: &str) -> Self {
        Self { path: folder.join(format!("{}.tokens.json", account_id.replace(':', "-"))) }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is there now.
    pub fn read(&self) -> Result<Tokens, TokenError> {
        let file = secret_files::read(&self.path, 4 * TOKEN_ANSWER_BYTES_MAX).map_err(|why| match why {
            SecretFileError::Missing => TokenError::None,
            why => TokenError::Unreadable(why.to_string()),
        })?;
        if file.exposure.is_some() {
            return Err(TokenError::Unreadable("may be read by others. Run: chmod 600 on it".to_owned()));
        }
        let broken = || TokenError::Unreadable("makes no sense".to_owned());
        let record: TokensRecord = serde_json::from_str(file.text.expose_secret()).map_err(|_| broken())?;
        if record.version != VERSION {
            return Err(TokenError::Unreadable("is of another version".to_owned()));
        }
        let secret = record.client_secret.map(SecretString::from);
        Ok(Tokens {
            token_url: record.token_url,
            client_id: record.client_id,
            access: record.access_token.into(),
            obtained_at: record.obtained_at,
            expires_at: record.expires_at,
            refresh: record.refresh_token.map(Into::into),
            is_revoked: record.revoked,
            binding: record.binding.map(|binding| TokenBinding { secret, ..binding }),
        })
    }

    /// Replaces what is there.
    pub fn write(&self, tokens: &Tokens, _: &TokenLock) -> Result<(), TokenError> {
        let secret = tokens.binding.as_ref().and_then(|binding| binding.secret.as_ref());
        let record = TokensRecord {
            version: VERSION,
            token_url: tokens.token_url.clone(),
            client_id: tokens.client_id.clone(),
            access_token: tokens.access.expose_secret().to_owned(),
            obtained_at: tokens.obtained_at,
            expires_at: tokens.expires_at,
            refresh_token: tokens.refresh.as_ref().map(|token| token.expose_secret().to_owned()),
            revoked: tokens.is_revoked,
            client_secret: secret.map(|secret| secret.expose_secret().to_owned()),
            binding: tokens.binding.clone(),
        };
        let text = serde_json::to_string_pretty(&record).map_err(io::Error::from)?;
        Ok(secret_files::write(&self.path, &text)?)
    }

    /// Takes the tokens away; false: there were none.
    pub fn remove(&self, _: &TokenLock) -> Result<bool, TokenError> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(cause) => Err(cause.into()),
        }
    }

    /// Waits until nobody else changes the file, for a while.
    pub async fn lock(&self) -> Result<TokenLock, TokenError> {
        secret_files::make_folder(&self.path)?;
        let path = self.path.with_extension("lock");
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
        let until = Instant::now() + Duration::from_millis(TOKEN_LOCK_MS);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(TokenLock(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(TryLockError::WouldBlock) => return Err(TokenError::Locked),
                Err(TryLockError::Error(cause)) => return Err(cause.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_token_is_due_ahead_of_its_end_and_a_short_one_not_at_once() {
        let obtained_at = DateTime::UNIX_EPOCH;
        let after = |secs| obtained_at + chrono::TimeDelta::seconds(secs);
        for (lives, due) in [(3_600, 3_300), (60, 45), (0, 0), (-5, -5)] {
            let tokens = Tokens {
                token_url: String::new(),
                client_id: String::new(),
                access: String::new().into(),
                obtained_at,
                expires_at: Some(after(lives)),
                refresh: None,
                is_revoked: false,
                binding: None,
            };
            assert!(!tokens.is_due(after(due - 1)) && tokens.is_due(after(due)), "{lives}");
            assert!(!tokens.is_alive(after(lives)) && tokens.is_alive(after(lives - 1)), "{lives}");
            assert!(!Tokens { expires_at: None, ..tokens }.is_due(after(1_000_000)));
        }
    }
}
