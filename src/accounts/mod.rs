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
mod certificate;
mod directory;
mod login;
mod probe;
mod state;

pub use account::{AccountConfig, AccountPerson, Sender, ServerAddress, ServerTls};
pub use certificate::CertificateLook;
pub use directory::{AccountDirectory, ListedAccount, since, trouble};
pub use login::{Credential, FixedLogin, Login, LoginError};
pub use probe::{AccountProbe, ConnectionProbe, ServerKind, ServerProbe};
pub use state::{AccountState, AccountStates, Disconnected};
