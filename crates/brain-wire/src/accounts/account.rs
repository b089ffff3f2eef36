//! One account, as it is configured.

use std::path::PathBuf;
use std::sync::Arc;

use lettre::Address;
use reqwest::Url;
use sha2::{Digest as _, Sha256};

use super::collections::{ChosenCollections, DavKind};
use super::login::Login;
use brain_core::core::digest::hex;
use brain_core::core::ids::UserId;

/// Whose mail it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// Shown beside the address, if set.
    pub name: Option<String>,
    /// In the From header and in the envelope.
    pub address: Address,
}

/// Whose account it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountPerson {
    /// The first admin's, and in the terminal its person's.
    First,
    /// This person's, by their id: `tg:11111111`, or a name in the terminal.
    Id(String),
}

impl AccountPerson {
    /// The person, where that is told by name.
    pub fn id(&self) -> Option<UserId> {
        match self {
            Self::First => None,
            Self::Id(id) => Some(UserId::new(id.clone())),
        }
    }
}

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerTls {
    /// From the first byte.
    Wrapped,
    /// By STARTTLS, or not at all.
    StartTls,
    /// Not: the same machine, or the admin said so.
    Plain,
}

/// A mail server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// Its name; without brackets where it is an address of IPv6.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How it is reached.
    pub tls: ServerTls,
}

/// An account of one person's.
#[derive(Debug, Clone)]
pub struct AccountConfig {
    /// Unique among all accounts of everybody, and the same for as long as its person and its first address are.
    pub id: String,
    /// Whose it is.
    pub person: AccountPerson,
    /// What the person calls it: `work`.
    pub name: String,
    /// Its addresses: the first one sends, unless another was written to. One at least.
    pub addresses: Vec<Sender>,
    /// How one signs in, at all of its servers.
    pub login: Arc<dyn Login>,
    /// A file of certificates (PEM) that its servers may show beside those that everybody trusts.
    pub authorities: Option<PathBuf>,
    /// Where its mail is read.
    pub imap: Option<ServerAddress>,
    /// Where its mail goes out.
    pub smtp: Option<ServerAddress>,
    /// Where its calendars are.
    pub caldav: Option<Url>,
    /// Where its address books are.
    pub carddav: Option<Url>,
    /// Which of those take what is new.
    pub chosen: ChosenCollections,
    /// What stands below every mail that is written from it.
    pub signature: Option<String>,
    /// How far back its mail is kept here, in days.
    pub mail_days: u32,
    /// Whether the server files what was sent by itself, so that a copy of ours would be a second one.
    pub files_sent: bool,
}

impl AccountConfig {
    /// Where its collections of this kind are.
    pub fn dav(&self, kind: DavKind) -> Option<&Url> {
        match kind {
            DavKind::Events | DavKind::Tasks => self.caldav.as_ref(),
            DavKind::Contacts => self.carddav.as_ref(),
        }
    }

    /// The id of this person's account with this first address: `acct:` and eight hexadecimal digits, which serve in
    /// names of files as well.
    pub fn id_of(person: &AccountPerson, address: &Address) -> String {
        let person = match person {
            AccountPerson::First => "first",
            AccountPerson::Id(id) => id.as_str(),
        };
        // No address has a line feed, so no two accounts have one text.
        let text = format!("{person}\n{}", address.to_string().to_lowercase());
        let digest = hex(&Sha256::digest(text.as_bytes()));
        format!("acct:{}", digest.chars().take(8).collect::<String>())
    }
}
