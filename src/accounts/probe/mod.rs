//! Whether an account works: signs in at each of its servers, and changes nothing there.
//!
//! Invariants: bounded in time; what is told holds nothing of a secret, and of what a server said only its own words, on
//! one line.

mod dav;
mod imap;
mod smtp;

use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use secrecy::ExposeSecret as _;
use tokio::time::timeout;

use super::account::AccountConfig;
use super::login::Credential;
use crate::core::text::{one_line, shorten};
use crate::limits::{AUTHORITIES_BYTES_MAX, PROBE_MS};
use crate::secret_files;

/// Which of an account's servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountServer {
    /// Where mail is read.
    Imap,
    /// Where mail goes out.
    Smtp,
    /// Where calendars are.
    CalDav,
    /// Where address books are.
    CardDav,
}

impl fmt::Display for AccountServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Imap => "reading mail (IMAP)",
            Self::Smtp => "sending mail (SMTP)",
            Self::CalDav => "calendars (CalDAV)",
            Self::CardDav => "contacts (CardDAV)",
        })
    }
}

/// How signing in at one server went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedServer {
    /// Which one.
    pub server: AccountServer,
    /// Where it is.
    pub host: String,
    /// What is wrong, as a sentence, if something is.
    pub problem: Option<String>,
}

/// Tries an account. The one of [`SignInProbe`] signs in and out again.
#[async_trait]
pub trait AccountProbe: Debug + Send + Sync {
    /// Each of its servers, in order.
    async fn probe(&self, account: &AccountConfig) -> Vec<ProbedServer>;
}

/// Signs in at each server.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignInProbe;

#[async_trait]
impl AccountProbe for SignInProbe {
    async fn probe(&self, account: &AccountConfig) -> Vec<ProbedServer> {
        let mut probed = Vec::new();
        if let Some(server) = &account.imap {
            let outcome = within(imap::sign_in(account, server)).await;
            probed.push(told(AccountServer::Imap, &server.host, outcome));
        }
        if let Some(server) = &account.smtp {
            let outcome = within(smtp::sign_in(account, server)).await;
            probed.push(told(AccountServer::Smtp, &server.host, outcome));
        }
        for (which, url) in [(AccountServer::CalDav, &account.caldav), (AccountServer::CardDav, &account.carddav)] {
            if let Some(url) = url {
                let outcome = within(dav::sign_in(account, url)).await;
                probed.push(told(which, url.host_str().unwrap_or_default(), outcome));
            }
        }
        probed
    }
}

async fn within(probe: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    timeout(Duration::from_millis(PROBE_MS), probe).await.unwrap_or_else(|_| Err("did not answer in time".to_owned()))
}

fn told(server: AccountServer, host: &str, outcome: Result<(), String>) -> ProbedServer {
    let problem = outcome.err().map(|why| format!("{host} {}", shorten(&one_line(&why), 300)));
    ProbedServer { server, host: host.to_owned(), problem }
}

/// What to sign in with now; a server's refusal of it is told to the login.
async fn credential(account: &AccountConfig) -> Result<Credential, String> {
    account.login.credential().await.map_err(|why| format!("was not asked: {why}"))
}

/// The answer to the first challenge, RFC 4616 or Google's XOAUTH2.
fn initial_response(user: &str, credential: &Credential) -> (&'static str, String) {
    match credential {
        Credential::Password(password) => ("PLAIN", format!("\0{user}\0{}", password.expose_secret())),
        Credential::Bearer(token) => {
            ("XOAUTH2", format!("user={user}\x01auth=Bearer {}\x01\x01", token.expose_secret()))
        }
    }
}

/// Whom certificates are checked against.
fn tls(account: &AccountConfig) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for pem in pem(account)? {
        let certificate = CertificateDer::from_pem_slice(&pem).map_err(|_| NO_PEM.to_owned())?;
        roots.add(certificate).map_err(|_| NO_PEM.to_owned())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|_| "cannot be spoken to securely".to_owned())?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

const NO_PEM: &str = "was not asked: the file of authorities holds something that is no certificate";

/// The account's own certificates, each as PEM.
fn pem(account: &AccountConfig) -> Result<Vec<Vec<u8>>, String> {
    let Some(path) = &account.authorities else { return Ok(Vec::new()) };
    let file = secret_files::read(path, AUTHORITIES_BYTES_MAX);
    let file = file.map_err(|why| format!("was not asked: the file of authorities {why}"))?;
    const END: &str = "-----END CERTIFICATE-----";
    let parts = file.text.expose_secret().split_inclusive(END);
    Ok(parts.filter(|part| part.contains("-----BEGIN CERTIFICATE-----")).map(|part| part.as_bytes().to_vec()).collect())
}
