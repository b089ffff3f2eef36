//! `SMTP_URL`: an account in one line.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use super::{Sender, Smtp};
use crate::services::email::compose::composing::wire_address;
use crate::services::email::message::read::one_line;
use brain_core::limits::SMTP_TIMEOUT_MS;
use brain_wire::accounts::{FixedLogin, Login, ServerAddress, ServerTls};

/// What is wrong with `SMTP_URL`. Holds nothing of it: where a special character of the password is not escaped, any
/// part of the address may be a part of the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SmtpUrlError {
    /// No URL, or one with parts that none of ours has.
    #[error("SMTP_URL is no smtps://USER:PASSWORD@HOST:PORT that can be read; encode @ as %40, / %2F, # %23, % %25")]
    NotAUrl,
    /// Another scheme.
    #[error("SMTP_URL must begin with smtp:// or smtps://")]
    Scheme,
    /// No host.
    #[error("SMTP_URL names no host; write smtps://USER:PASSWORD@HOST")]
    NoHost,
    /// An unknown parameter, or an unknown value of a known one.
    #[error("SMTP_URL has a parameter that I don't know; there are ?from=ADDRESS, ?tls=required and ?tls=none")]
    Parameter,
    /// Nobody knows who is writing.
    #[error("SMTP_URL does not say who is writing: add ?from=you@example.com (its user is no mail address)")]
    NoSender,
    /// A sender that is none.
    #[error("SMTP_URL has a ?from= that is no mail address")]
    BadSender,
}

impl Smtp {
    /// Reads `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS` or `smtps://…`.
    ///
    /// `smtp://` insists on STARTTLS, except on this machine or with `?tls=none`.
    pub fn from_url(url: &SecretString) -> Result<Self, SmtpUrlError> {
        let url = reqwest::Url::parse(url.expose_secret().trim()).map_err(|_| SmtpUrlError::NotAUrl)?;
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            return Err(SmtpUrlError::NoHost);
        }
        let (wrapped, port) = match url.scheme() {
            "smtps" => (true, 465),
            "smtp" => (false, 587),
            _ => return Err(SmtpUrlError::Scheme),
        };
        // An unescaped / or # ends the host early: what was taken for it is then a part of the password.
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(SmtpUrlError::NotAUrl);
        }
        let mut tls = match (wrapped, is_loopback(&host)) {
            (true, _) => ServerTls::Wrapped,
            (false, true) => ServerTls::Plain,
            (false, false) => ServerTls::StartTls,
        };
        let user = percent_decode(url.username());
        let mut from = None;
        for (name, value) in url.query_pairs() {
            match (name.as_ref(), value.as_ref()) {
                ("from", value) => from = Some(value.to_owned()),
                ("tls", "required") if !wrapped => tls = ServerTls::StartTls,
                ("tls", "none") if !wrapped => tls = ServerTls::Plain,
                (_, _) => return Err(SmtpUrlError::Parameter),
            }
        }
        let sender = match from {
            Some(from) => sender(&from).ok_or(SmtpUrlError::BadSender)?,
            // A relay on this machine takes any sender.
            None => sender(&user)
                .or_else(|| is_loopback(&host).then(|| sender(&local_sender(&user))).flatten())
                .ok_or(SmtpUrlError::NoSender)?,
        };
        let password = url.password().map(percent_decode).unwrap_or_default();
        let login: Option<Arc<dyn Login>> = match user.is_empty() {
            true => None,
            false => Some(Arc::new(FixedLogin::new(user, password))),
        };
        Ok(Self {
            server: Some(ServerAddress { host, port: url.port().unwrap_or(port), tls }),
            login,
            senders: vec![sender],
            signature: None,
            files_sent: false,
            authorities: None,
            timeout: Duration::from_millis(SMTP_TIMEOUT_MS),
        })
    }
}

/// `you@example.com` or `Your Name <you@example.com>`.
fn sender(text: &str) -> Option<Sender> {
    let (name, address) = match text.trim().strip_suffix('>').and_then(|t| t.split_once('<')) {
        Some((name, address)) => (one_line(name.trim().trim_matches('"')), address),
        None => (String::new(), text),
    };
    let address = wire_address(address).ok()?;
    Some(Sender { name: (!name.is_empty()).then_some(name), address })
}

/// The address of a user who has none, on this machine.
fn local_sender(user: &str) -> String {
    let name: String = user.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).collect();
    format!("{}@localhost", if name.is_empty() { "brain-agent" } else { &name })
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// User or password; what is no escape stays as it is.
fn percent_decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
