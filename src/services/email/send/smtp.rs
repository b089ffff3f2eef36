//! Sending through a mail server, with an exact border between *not sent* and *perhaps sent*.
//!
//! | the conversation ends…                                   | it is      |
//! |----------------------------------------------------------|------------|
//! | before the final dot was begun, for whatever reason      | `Refused`  |
//! | after it, with a 4xx or 5xx reply                        | `Refused`  |
//! | after it, with a 2xx reply                               | `Accepted` |
//! | after it, in any other way: silence, a drop, nonsense    | `Doubtful` |
//!
//! A mail goes to all of its recipients or to none: one refused recipient ends the attempt before DATA.
//! Deliberately not here: a pool, a second try, a queue. One call is one connection and one attempt.
//!
//! A made-up world has made-up mail ([`Smtp::nowhere`]): no address that anybody can configure leads there.

use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::{Response, Severity};
use secrecy::{ExposeSecret, SecretString};

use super::super::compose::wire_address;
use super::super::read::one_line;
pub use crate::accounts::Sender;
use crate::core::text::shorten;
use crate::failpoint::fail_point;
use crate::limits::SMTP_TIMEOUT_MS;

#[cfg(test)]
mod tests;

/// How the connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tls {
    /// From the first byte.
    Wrapped,
    /// By STARTTLS, or not at all.
    Required,
    /// Not: the same machine, or the admin said so.
    Plain,
}

/// A mail server we may send through.
#[derive(Clone)]
pub struct Smtp {
    host: String,
    port: u16,
    tls: Tls,
    login: Option<(String, SecretString)>,
    sender: Sender,
    timeout: Duration,
    /// Takes every mail and passes none on.
    is_nowhere: bool,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Smtp({}:{}, {:?})", self.host, self.port, self.tls)
    }
}

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

/// How an attempt ended. The texts are for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// The server has taken responsibility for it.
    Accepted,
    /// Certainly not sent, and why.
    Refused(String),
    /// Perhaps sent: the server had all of it and its answer never came.
    Doubtful(String),
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
            (true, _) => Tls::Wrapped,
            (false, true) => Tls::Plain,
            (false, false) => Tls::Required,
        };
        let user = percent_decode(url.username());
        let mut from = None;
        for (name, value) in url.query_pairs() {
            match (name.as_ref(), value.as_ref()) {
                ("from", value) => from = Some(value.to_owned()),
                ("tls", "required") if !wrapped => tls = Tls::Required,
                ("tls", "none") if !wrapped => tls = Tls::Plain,
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
        Ok(Self {
            host,
            port: url.port().unwrap_or(port),
            tls,
            login: (!user.is_empty()).then(|| (user, password.into())),
            sender,
            timeout: Duration::from_millis(SMTP_TIMEOUT_MS),
            is_nowhere: false,
        })
    }

    /// No server: every mail of `sender` is accepted and goes nowhere. The copy in Sent tells what it was.
    pub fn nowhere(sender: Sender) -> Self {
        Self {
            host: String::new(),
            port: 0,
            tls: Tls::Plain,
            login: None,
            sender,
            timeout: Duration::ZERO,
            is_nowhere: true,
        }
    }

    /// Whose mail goes out here.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// The server's name, for messages.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Another bound for one attempt, for tests and impatient machines.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// One attempt to send `mail` to all of `to`.
    pub async fn send(&self, to: &[Address], mail: &[u8]) -> Sent {
        if self.is_nowhere {
            return Sent::Accepted;
        }
        // True from the moment the final dot may have reached the server.
        let dotted = AtomicBool::new(false);
        let attempt = self.attempt(to, mail, &dotted);
        match tokio::time::timeout(self.timeout, attempt).await {
            Ok(sent) => sent,
            Err(_) if dotted.load(Ordering::SeqCst) => self.doubtful("did not answer in time"),
            Err(_) => Sent::Refused(format!("{} did not answer in time", self.host)),
        }
    }

    async fn attempt(&self, to: &[Address], mail: &[u8], dotted: &AtomicBool) -> Sent {
        fail_point("smtp-before");
        let mut connection = match self.connect().await {
            Ok(connection) => connection,
            Err(why) => return Sent::Refused(why),
        };
        if let Err(why) = self.announce(&mut connection, to).await {
            return Sent::Refused(why);
        }
        // The transport asks for the next part only when the one before is written, and writes the final
        // dot when there is none left: so this is the last moment before it.
        let mut part = Some(mail);
        let parts = std::iter::from_fn(|| {
            let next = part.take();
            dotted.fetch_or(next.is_none(), Ordering::SeqCst);
            next
        });
        fail_point("smtp-data");
        let answer = connection.message_iter(parts).await;
        fail_point("smtp-answered");
        let sent = match answer {
            Ok(response) if is_done(&response) => Sent::Accepted,
            Ok(_) => self.doubtful("gave an answer that makes no sense"),
            Err(error) if error.status().is_some() => {
                Sent::Refused(format!("{} refused the mail: {}", self.host, says(&error)))
            }
            Err(_) if dotted.load(Ordering::SeqCst) => self.doubtful("broke off before confirming it"),
            Err(error) => Sent::Refused(format!("{} broke off in the middle: {}", self.host, says(&error))),
        };
        // A courtesy; what it comes to changes nothing.
        let _ = tokio::time::timeout(Duration::from_millis(500), connection.quit()).await;
        sent
    }

    /// Connected, protected as configured, signed in.
    async fn connect(&self) -> Result<AsyncSmtpConnection, String> {
        let parameters = || {
            TlsParameters::new(self.host.clone())
                .map_err(|error| format!("no secure connection is possible: {}", says(&error)))
        };
        let wrapped = match self.tls {
            Tls::Wrapped => Some(parameters()?),
            Tls::Required | Tls::Plain => None,
        };
        let hello = ClientId::Domain(self.sender.address.domain().to_owned());
        let server = (self.host.as_str(), self.port);
        let mut connection = AsyncSmtpConnection::connect_tokio1(server, Some(self.timeout), &hello, wrapped, None)
            .await
            .map_err(|e| format!("{} cannot be reached: {}", self.host, says(&e)))?;
        if self.tls == Tls::Required {
            if !connection.can_starttls() {
                connection.abort().await;
                return Err(format!("{} offers no encryption (STARTTLS)", self.host));
            }
            let secured = connection.starttls(parameters()?, &hello).await;
            secured.map_err(|e| format!("no secure connection to {}: {}", self.host, says(&e)))?;
        }
        if let Some((user, password)) = &self.login {
            let credentials = Credentials::new(user.clone(), password.expose_secret().to_owned());
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            let signed_in = connection.auth(&mechanisms, &credentials).await;
            if let Err(error) = signed_in {
                connection.abort().await;
                let why = says(&error);
                return Err(format!("{} did not accept user and password: {why}", self.host));
            }
        }
        Ok(connection)
    }

    /// Everything up to the server's readiness for the text.
    async fn announce(&self, connection: &mut AsyncSmtpConnection, to: &[Address]) -> Result<(), String> {
        let from = Mail::new(Some(self.sender.address.clone()), Vec::new());
        if let Err(error) = connection.command(from).await {
            connection.abort().await;
            let address = &self.sender.address;
            return Err(format!("{} refused the sender {address}: {}", self.host, says(&error)));
        }
        let mut refused = Refusals::default();
        for address in to {
            match connection.command(Rcpt::new(address.clone(), Vec::new())).await {
                Ok(_) => {}
                Err(error) if error.status().is_some() => {
                    refused.add(address, says(&error));
                }
                Err(error) => return Err(format!("{} broke off: {}", self.host, says(&error))),
            }
        }
        if !refused.0.is_empty() {
            let _ = connection.command(Rset).await;
            connection.abort().await;
            return Err(format!("{} refused {refused}", self.host));
        }
        match connection.command(Data).await {
            Ok(response) if response.has_code(354) => Ok(()),
            Ok(response) => Err(format!("{} answered {} to DATA", self.host, response.code())),
            Err(error) => {
                connection.abort().await;
                Err(format!("{} refused the mail: {}", self.host, says(&error)))
            }
        }
    }

    fn doubtful(&self, what: &str) -> Sent {
        Sent::Doubtful(format!("{} had the whole mail but {what}", self.host))
    }
}

fn is_done(response: &Response) -> bool {
    response.code().severity == Severity::PositiveCompletion
}

/// Who was refused, by what the server said: of many addresses it often says the same.
#[derive(Debug, Default)]
struct Refusals(Vec<(String, Vec<String>)>);

impl Refusals {
    fn add(&mut self, address: &Address, why: String) {
        // Servers name the address once more.
        let why = why.replace(&format!("<{address}>"), "").replace(&address.to_string(), "");
        let why = one_line(why.trim_matches([':', ' ']));
        match self.0.iter_mut().find(|(known, _)| *known == why) {
            Some((_, addresses)) => addresses.push(address.to_string()),
            None => self.0.push((why, vec![address.to_string()])),
        }
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.0.iter().map(|(why, addresses)| format!("{} ({why})", addresses.join(", ")));
        f.write_str(&told.collect::<Vec<_>>().join(", "))
    }
}

/// Words without what they say again right away: servers begin every line of an answer alike.
fn once(words: &str) -> String {
    let mut said: Vec<&str> = words.split_whitespace().collect();
    let mut at = 0;
    while at < said.len() {
        let longest = (said.len() - at) / 2;
        // A single word may be meant twice.
        match (2..=longest).rev().find(|run| said[at..at + run] == said[at + run..at + 2 * run]) {
            Some(run) => drop(said.drain(at + run..at + 2 * run)),
            None => at += 1,
        }
    }
    said.join(" ")
}

/// What the server or the system said, on one short line, once.
fn says(error: &Error) -> String {
    use std::error::Error as _;
    let words = error.source().map(ToString::to_string).filter(|words| !words.is_empty());
    let words = match (error.status(), words) {
        (Some(code), Some(words)) => format!("{code} {words}"),
        (Some(code), None) => code.to_string(),
        (None, Some(words)) => words,
        (None, None) => error.to_string(),
    };
    shorten(&once(&one_line(&words)), 200)
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
