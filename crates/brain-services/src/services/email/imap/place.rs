//! Where an account's mail is kept: its server, and how one signs in there.

use std::path::PathBuf;
use std::sync::Arc;

use brain_wire::accounts::{AccountConfig, Login, ServerAddress};

/// A mail account's server for reading.
#[derive(Debug, Clone)]
pub struct ImapPlace {
    /// The account's id.
    pub(super) account: String,
    pub(super) server: ServerAddress,
    pub(super) login: Arc<dyn Login>,
    pub(super) authorities: Option<PathBuf>,
    /// How far back its mail is kept here.
    pub(super) days: u32,
}

impl ImapPlace {
    /// That of an account that has one.
    pub fn of(account: &AccountConfig) -> Option<Self> {
        Some(Self {
            account: account.id.clone(),
            server: account.imap.clone()?,
            login: account.login.clone(),
            authorities: account.authorities.clone(),
            days: account.mail_days,
        })
    }
}
