//! accounts.toml: the accounts of everybody, one `[[account]]` each, and where the secret of each is.
//!
//! Invariants: a file that others may read or write is refused; an error names the account and the key and shows no
//! value; a file that is merely found in a folder names no secret outside of that folder.

mod edit;
mod entry;
mod keys;
mod oauth_keys;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use reqwest::Url;
use secrecy::ExposeSecret as _;
use toml_edit::{DocumentMut, Item};

use super::account::{AccountConfig, AccountPerson, Sender, ServerAddress};
use super::collections::ChosenCollections;
use super::login::Login;
use super::oauth::{OAuthLogin, OAuthSettings, TokenServer, TokenStore};
use super::secret::{CommandLogin, PlaceLogin, SecretPlace};
use brain_core::limits::{ACCOUNTS_FILE_BYTES_MAX, ACCOUNTS_MAX};
use brain_core::secret_files::{self, SecretFileError, folder_of};

pub use edit::{AccountChange, FileSetting, changed};

/// Who has said which file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceChosenBy {
    /// The environment: it may name any secret.
    Environment,
    /// The folder that we were started in, or its `.env`: its secrets lie beside it.
    Folder,
}

/// Where accounts.toml is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountsPlace {
    /// The file.
    pub path: PathBuf,
    /// Who has said so.
    pub chosen_by: PlaceChosenBy,
}

impl AccountsPlace {
    /// The folder that passwords and tokens lie in.
    pub fn folder(&self) -> PathBuf {
        folder_of(&self.path)
    }

    /// A secret in a file, by its name in accounts.toml: beside it, unless the name says otherwise.
    pub fn secret_file(&self, name: &str) -> SecretPlace {
        let within = match self.chosen_by {
            PlaceChosenBy::Environment => None,
            PlaceChosenBy::Folder => Some(self.folder()),
        };
        SecretPlace::File { path: self.folder().join(name), within }
    }
}

/// Where the secret of an account is.
#[derive(Debug, Clone)]
pub enum SecretSource {
    /// A password, in a file or in a variable.
    Place(SecretPlace),
    /// A password that a command prints.
    Command(Vec<String>),
    /// Access by OAuth 2.
    OAuth(Box<OAuthSettings>),
}

/// One account as it stands in the file, with what its provider fills in.
#[derive(Debug, Clone)]
pub struct AccountEntry {
    /// See [`AccountConfig::id`].
    pub id: String,
    /// Whose it is.
    pub person: AccountPerson,
    /// What the person calls it.
    pub name: String,
    /// Its addresses, one at least.
    pub addresses: Vec<Sender>,
    /// The user's name at its servers.
    pub user: String,
    /// The provider that fills in the rest.
    pub provider: Option<String>,
    /// Its servers.
    pub imap: Option<ServerAddress>,
    /// The same.
    pub smtp: Option<ServerAddress>,
    /// The same.
    pub caldav: Option<Url>,
    /// The same.
    pub carddav: Option<Url>,
    /// See [`AccountConfig`], here and below.
    pub chosen: ChosenCollections,
    /// The same.
    pub signature: Option<String>,
    /// In days.
    pub mail_days: u32,
    /// The server files what was sent.
    pub files_sent: bool,
    /// Certificates (PEM).
    pub authorities: Option<PathBuf>,
    /// Where its secret is.
    pub secret: SecretSource,
}

impl AccountEntry {
    /// How one signs in; or what is wrong with its certificates.
    pub fn login(&self, place: &AccountsPlace) -> Result<std::sync::Arc<dyn Login>, String> {
        Ok(match &self.secret {
            SecretSource::Place(secret) => std::sync::Arc::new(PlaceLogin::new(&self.user, &self.name, secret.clone())),
            SecretSource::Command(words) => {
                std::sync::Arc::new(CommandLogin::new(&self.user, &self.name, words.clone()))
            }
            SecretSource::OAuth(settings) => {
                let server = TokenServer::new(settings.as_ref().clone(), self.authorities.as_deref())
                    .map_err(|why| why.to_string())?;
                std::sync::Arc::new(OAuthLogin::new(&self.user, &self.name, server, self.tokens(place)))
            }
        })
    }

    /// Where its tokens are, if it has any.
    pub fn tokens(&self, place: &AccountsPlace) -> TokenStore {
        TokenStore::new(&place.folder(), &self.id)
    }

    /// The account, ready to be used.
    pub fn config(&self, place: &AccountsPlace) -> Result<AccountConfig, String> {
        Ok(AccountConfig {
            id: self.id.clone(),
            person: self.person.clone(),
            name: self.name.clone(),
            addresses: self.addresses.clone(),
            login: self.login(place)?,
            authorities: self.authorities.clone(),
            imap: self.imap.clone(),
            smtp: self.smtp.clone(),
            caldav: self.caldav.clone(),
            carddav: self.carddav.clone(),
            chosen: self.chosen.clone(),
            signature: self.signature.clone(),
            mail_days: self.mail_days,
            files_sent: self.files_sent,
        })
    }
}

/// The text of the file; `None`: there is none.
pub fn file_text(path: &Path) -> Result<Option<String>, String> {
    let why = match secret_files::read(path, ACCOUNTS_FILE_BYTES_MAX) {
        Ok(file) if file.exposure.is_some() => {
            "others may read it, so it is not read: it says where passwords go. Run: chmod 600 on it".to_owned()
        }
        Ok(file) => return Ok(Some(file.text.expose_secret().to_owned())),
        Err(SecretFileError::Missing) => return Ok(None),
        Err(why @ (SecretFileError::Foreign | SecretFileError::Writable)) => {
            format!("it {why}; it is not read, as it could send your passwords anywhere")
        }
        Err(why) => format!("it {why}"),
    };
    Err(format!("{}: {why}", path.display()))
}

/// The accounts of the file; none without a file. Every problem is told, not only the first.
pub fn read_accounts(place: &AccountsPlace) -> Result<Vec<AccountEntry>, Vec<String>> {
    match file_text(&place.path).map_err(|why| vec![why])? {
        Some(text) => parse_accounts(&text, place),
        None => Ok(Vec::new()),
    }
}

/// What a text says. Reads no other file.
pub fn parse_accounts(text: &str, place: &AccountsPlace) -> Result<Vec<AccountEntry>, Vec<String>> {
    let document = document(text).map_err(|why| vec![why])?;
    let mut problems = Vec::new();
    if document.iter().any(|(key, _)| key != "account") {
        problems
            .push("accounts.toml has a key outside of any account: each account begins with [[account]]".to_owned());
    }
    let tables = match document.get("account") {
        None => return if problems.is_empty() { Ok(Vec::new()) } else { Err(problems) },
        Some(Item::ArrayOfTables(tables)) => tables,
        Some(_) => {
            problems.push("accounts.toml: each account begins with [[account]], in two pairs of brackets".to_owned());
            return Err(problems);
        }
    };
    if tables.len() > ACCOUNTS_MAX {
        problems.push(format!("accounts.toml has more than {ACCOUNTS_MAX} accounts"));
    }
    let mut accounts = Vec::new();
    for (index, table) in tables.iter().enumerate().take(ACCOUNTS_MAX) {
        match entry::read(table, index, place) {
            Ok(account) => accounts.push(account),
            Err(more) => problems.extend(more),
        }
    }
    problems.extend(doubled(&accounts));
    if problems.is_empty() { Ok(accounts) } else { Err(problems) }
}

/// The file as it can be changed. What is wrong is told by its line alone.
fn document(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        format!(
            "accounts.toml, line {line}, cannot be read: it is KEY = \"VALUE\", and no key stands twice in an account"
        )
    })
}

/// Names and addresses that one person has twice.
fn doubled(accounts: &[AccountEntry]) -> Vec<String> {
    let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
    let mut problems = Vec::new();
    for account in accounts {
        let of = keys::account_title(&account.name);
        let person = format!("{:?}", account.person);
        if !names.insert((person, account.name.to_lowercase())) {
            problems.push(format!("accounts.toml, {of}: name stands twice; each account of one person has its own"));
        }
        if !ids.insert(account.id.clone()) {
            problems
                .push(format!("accounts.toml, {of}: addresses begins as those of another account of one person do"));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
