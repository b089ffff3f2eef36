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
//! Deliberately not here: a pool, a queue, a second try of a mail. One call is one attempt; only a token that the server
//! did not take is asked for anew, once, before anything of the mail was said.
//!
//! A made-up world has made-up mail ([`Smtp::nowhere`]): no address that anybody can configure leads there.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::response::{Response, Severity};

use crate::services::email::message::read::one_line;
use brain_core::core::text::shorten;
use brain_core::failpoint::fail_point;
use brain_core::limits::{SMTP_TIMEOUT_MS, SMTP_WORDS_CHARS_MAX};
pub use brain_wire::accounts::Sender;
use brain_wire::accounts::{AccountConfig, Login, ServerAddress};

mod connecting;
mod replies;
#[cfg(test)]
mod tests;
mod url;

pub use self::url::SmtpUrlError;

/// Where the mail of one account goes out.
#[derive(Clone)]
pub struct Smtp {
    /// `None`: takes every mail and passes none on.
    server: Option<ServerAddress>,
    /// `None`: the server asks nobody who they are.
    login: Option<Arc<dyn Login>>,
    /// One at least; the first is meant where none is named.
    senders: Vec<Sender>,
    signature: Option<String>,
    files_sent: bool,
    /// Certificates (PEM) that the server may show beside those that everybody trusts.
    authorities: Option<PathBuf>,
    timeout: Duration,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            Some(ServerAddress { host, port, tls }) => write!(f, "Smtp({host}:{port}, {tls:?})"),
            None => f.write_str("Smtp(nowhere)"),
        }
    }
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
    /// Where an account sends, if it does.
    pub fn of(account: &AccountConfig) -> Option<Self> {
        if account.addresses.is_empty() {
            return None;
        }
        Some(Self {
            server: Some(account.smtp.clone()?),
            login: Some(account.login.clone()),
            senders: account.addresses.clone(),
            signature: account.signature.clone(),
            files_sent: account.files_sent,
            authorities: account.authorities.clone(),
            timeout: Duration::from_millis(SMTP_TIMEOUT_MS),
        })
    }

    /// No server: every mail of `sender` is accepted and goes nowhere. The copy in Sent tells what it was.
    pub fn nowhere(sender: Sender) -> Self {
        Self {
            server: None,
            login: None,
            senders: vec![sender],
            signature: None,
            files_sent: false,
            authorities: None,
            timeout: Duration::ZERO,
        }
    }

    /// As whom mail goes out here, the default first.
    pub fn senders(&self) -> &[Sender] {
        &self.senders
    }

    /// What stands below everything that is written from here.
    pub fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    /// Whether the server keeps a copy of what it was given by itself.
    pub fn files_sent(&self) -> bool {
        self.files_sent
    }

    /// The server's name, for messages.
    pub fn host(&self) -> &str {
        self.server.as_ref().map_or("", |server| server.host.as_str())
    }

    /// Another bound for one attempt, for tests and impatient machines.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Connects, signs in and goes again: what is in the way of sending, if anything is.
    pub async fn probe(&self) -> Result<(), String> {
        let Some(server) = &self.server else { return Ok(()) };
        let connected = tokio::time::timeout(self.timeout, self.connect(server)).await;
        let mut connection = connected.unwrap_or_else(|_| Err(self.too_slow()))?;
        quit(&mut connection).await;
        Ok(())
    }

    /// One attempt to send `mail` to all of `to`, as one of the [senders](Self::senders).
    pub async fn send(&self, from: &Address, to: &[Address], mail: &[u8]) -> Sent {
        let Some(server) = &self.server else { return Sent::Accepted };
        // True from the moment the final dot may have reached the server.
        let dotted = AtomicBool::new(false);
        let attempt = self.attempt(server, (from, to), mail, &dotted);
        match tokio::time::timeout(self.timeout, attempt).await {
            Ok(sent) => sent,
            Err(_) if dotted.load(Ordering::SeqCst) => self.doubtful("did not answer in time"),
            Err(_) => Sent::Refused(self.too_slow()),
        }
    }

    async fn attempt(
        &self,
        server: &ServerAddress,
        envelope: (&Address, &[Address]),
        mail: &[u8],
        dotted: &AtomicBool,
    ) -> Sent {
        fail_point("smtp-before");
        let mut connection = match self.connect(server).await {
            Ok(connection) => connection,
            Err(why) => return Sent::Refused(why),
        };
        if let Err(why) = self.announce(&mut connection, envelope).await {
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
                Sent::Refused(format!("{} refused the mail: {}", self.host(), says(&error)))
            }
            Err(_) if dotted.load(Ordering::SeqCst) => self.doubtful("broke off before confirming it"),
            Err(error) => Sent::Refused(format!("{} broke off in the middle: {}", self.host(), says(&error))),
        };
        quit(&mut connection).await;
        sent
    }

    /// Everything up to the server's readiness for the text.
    async fn announce(
        &self,
        connection: &mut AsyncSmtpConnection,
        (from, to): (&Address, &[Address]),
    ) -> Result<(), String> {
        let host = self.host();
        if let Err(error) = connection.command(Mail::new(Some(from.clone()), Vec::new())).await {
            connection.abort().await;
            return Err(format!("{host} refused the sender {from}: {}", says(&error)));
        }
        let mut refused = Refusals::default();
        for address in to {
            match connection.command(Rcpt::new(address.clone(), Vec::new())).await {
                Ok(_) => {}
                Err(error) if error.status().is_some() => {
                    refused.add(address, says(&error));
                }
                Err(error) => return Err(format!("{} broke off: {}", host, says(&error))),
            }
        }
        if !refused.0.is_empty() {
            let _ = connection.command(Rset).await;
            connection.abort().await;
            return Err(format!("{} refused {refused}", host));
        }
        match connection.command(Data).await {
            Ok(response) if response.has_code(354) => Ok(()),
            Ok(response) => Err(format!("{} answered {} to DATA", host, response.code())),
            Err(error) => {
                connection.abort().await;
                Err(format!("{} refused the mail: {}", host, says(&error)))
            }
        }
    }

    fn too_slow(&self) -> String {
        format!("{} did not answer in time", self.host())
    }

    fn doubtful(&self, what: &str) -> Sent {
        Sent::Doubtful(format!("{} had the whole mail but {what}", self.host()))
    }
}

/// A courtesy; what it comes to changes nothing.
async fn quit(connection: &mut AsyncSmtpConnection) {
    let _ = tokio::time::timeout(Duration::from_millis(500), connection.quit()).await;
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
    // Looking for what stands twice takes the square of it.
    shorten(&once(&shorten(&one_line(&words), SMTP_WORDS_CHARS_MAX)), 200)
}
