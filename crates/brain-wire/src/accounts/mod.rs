//! Accounts of people elsewhere: which there are, where their servers are, how one signs in to them, and how they are.
//!
//! Here is what an account is and who may use it. Not here: what is done with its mail, its calendars or its contacts;
//! that is each service's backend.
//!
//! Invariants:
//! - a secret is never shown, and goes to the servers of its own account only;
//! - what a token server refused for good is not asked again until somebody has reconnected the account.

#![deny(missing_docs)]

mod account;
mod authorities;
mod certificate;
mod collections;
mod directory;
mod file;
mod login;
pub mod oauth;
mod probe;
mod provider;
mod secret;
mod sender;
mod server;
mod short_form;
mod state;

pub use account::{AccountConfig, AccountPerson, Sender, ServerAddress, ServerTls};
pub use authorities::certificates;
pub use certificate::{CertificateLook, certificate_trouble};
pub use collections::{ChosenCollections, DavKind, FoundCollection, is_chosen};
pub use directory::{AccountDirectory, AccountPart, ListedAccount, since, trouble};
pub use file::{
    AccountChange, AccountEntry, AccountsPlace, FileSetting, PlaceChosenBy, SecretSource, changed, file_text,
    parse_accounts, read_accounts,
};
pub use login::{Credential, FixedLogin, Login, LoginError};
pub use probe::{AccountProbe, ConnectionProbe, ServerKind, ServerProbe};
pub use provider::{Provider, ProviderOAuth, ProviderSteps};
pub use secret::{CommandLogin, PlaceLogin, SecretError, SecretPlace};
pub use sender::{parse_sender, sender_text};
pub use server::{MailProtocol, ServerUrlError, SignedUrl, dav_server, is_loopback, is_private, mail_server};
pub use short_form::{ShortForm, ShortUrl, short_form};
pub use state::{AccountState, AccountStates, Disconnected};
