//! Probe of an account: what its servers show of themselves, without anything being changed there.
//!
//! Here is the border ([`AccountProbe`]) and the part of it that is the same for all ([`ConnectionProbe`]): whether a
//! server is there, speaks what it should, and which certificate it shows. Invariants: nothing is signed in with over a
//! connection whose certificate was not accepted; this part signs in nowhere. Bounded in time by whoever asks. Not
//! here: what signing in and looking into folders take, which is each protocol's own.

use std::fmt;
use std::io;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header::DATE;
use reqwest::{Method, Url};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::account::{AccountConfig, ServerAddress, ServerTls};
use super::certificate::{self, CertificateLook};
use super::collections::{DavKind, FoundCollection};
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::{ACCOUNT_TROUBLE_CHARS, GREETING_BYTES_MAX, GREETING_LINES_MAX};

/// What a server of an account is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// Mail is read there.
    Imap,
    /// Mail goes out there.
    Smtp,
    /// Calendars.
    CalDav,
    /// Address books.
    CardDav,
}

impl fmt::Display for ServerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Imap => "imap",
            Self::Smtp => "smtp",
            Self::CalDav => "caldav",
            Self::CardDav => "carddav",
        })
    }
}

impl ServerKind {
    /// The servers that an account has.
    pub fn of(account: &AccountConfig) -> Vec<Self> {
        let has = [
            (account.imap.is_some(), Self::Imap),
            (account.smtp.is_some(), Self::Smtp),
            (account.caldav.is_some(), Self::CalDav),
            (account.carddav.is_some(), Self::CardDav),
        ];
        has.into_iter().filter(|(has, _)| *has).map(|(_, kind)| kind).collect()
    }
}

/// What a server shows of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerProbe {
    /// Host and port.
    pub place: String,
    /// Why it could not be used at all; a sentence without its full stop. `None`: it speaks what it should.
    pub unreachable: Option<String>,
    /// `None` where there is none: without TLS, or nobody got so far.
    pub certificate: Option<CertificateLook>,
    /// Whether it let the account in, or why not; `None` where that was not tried.
    pub signed_in: Option<Result<(), String>>,
    /// How many folders of mail there are, where they were counted.
    pub folders: Option<usize>,
    /// The calendars, task lists or address books, where they were looked for.
    pub collections: Vec<FoundCollection>,
    /// How far its clock is ahead of ours, where it tells the time.
    pub clock_ahead: Option<TimeDelta>,
}

impl ServerProbe {
    /// The collections of a kind.
    pub fn of(&self, kind: DavKind) -> impl Iterator<Item = &FoundCollection> {
        self.collections.iter().filter(move |one| one.kind == kind)
    }

    /// What is in the way of using it, if anything is; a sentence without its full stop.
    pub fn problem(&self) -> Option<String> {
        let certificate = self.certificate.as_ref().and_then(|seen| seen.trouble.clone());
        let refused = self.signed_in.as_ref().and_then(|signed_in| signed_in.as_ref().err());
        self.unreachable.clone().or(certificate).or_else(|| refused.map(|why| format!("it does not let you in: {why}")))
    }
}

/// Looks at the servers of accounts.
#[async_trait]
pub trait AccountProbe: fmt::Debug + Send + Sync {
    /// What this server of the account shows. `None`: it has no such server.
    async fn probe(&self, account: &AccountConfig, kind: ServerKind) -> Option<ServerProbe>;
}

/// Connects, looks at the certificate, and hears whether the right protocol is spoken.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectionProbe;

#[async_trait]
impl AccountProbe for ConnectionProbe {
    async fn probe(&self, account: &AccountConfig, kind: ServerKind) -> Option<ServerProbe> {
        match kind {
            ServerKind::Imap => Some(of_mail(account, kind, account.imap.as_ref()?).await),
            ServerKind::Smtp => Some(of_mail(account, kind, account.smtp.as_ref()?).await),
            ServerKind::CalDav => Some(of_web(account, account.caldav.as_ref()?).await),
            ServerKind::CardDav => Some(of_web(account, account.carddav.as_ref()?).await),
        }
    }
}

async fn of_mail(account: &AccountConfig, kind: ServerKind, server: &ServerAddress) -> ServerProbe {
    let mut probe = ServerProbe { place: format!("{}:{}", server.host, server.port), ..ServerProbe::default() };
    probe.unreachable = met(account, kind, server, &mut probe.certificate).await.err();
    probe
}

/// Meets a mail server, as far as its first words over the connection that would be used.
async fn met(
    account: &AccountConfig,
    kind: ServerKind,
    server: &ServerAddress,
    seen: &mut Option<CertificateLook>,
) -> Result<(), String> {
    let address = (server.host.as_str(), server.port);
    let mut stream = TcpStream::connect(address).await.map_err(|cause| cannot("it cannot be connected to", &cause))?;
    match server.tls {
        ServerTls::Plain => greeting(kind, &mut stream).await,
        ServerTls::StartTls => {
            greeting(kind, &mut stream).await?;
            begins_tls(kind, &mut stream).await?;
            certificate::look(account, &server.host, stream, seen).await.map(drop)
        }
        ServerTls::Wrapped => {
            let mut stream = certificate::look(account, &server.host, stream, seen).await?;
            greeting(kind, &mut stream).await
        }
    }
}

fn cannot(what: &str, cause: &io::Error) -> String {
    format!("{what}: {}", one_line(&shorten(&cause.to_string(), ACCOUNT_TROUBLE_CHARS)))
}

/// The first words of a server; who says something else is another kind of server.
async fn greeting(kind: ServerKind, stream: &mut (impl AsyncRead + Unpin)) -> Result<(), String> {
    let first = line(stream).await?;
    let (expected, is_right): (_, bool) = match kind {
        ServerKind::Imap => ("IMAP", first.starts_with("* OK") || first.starts_with("* PREAUTH")),
        ServerKind::Smtp | ServerKind::CalDav | ServerKind::CardDav => {
            let mut last = first.clone();
            for _ in 0..GREETING_LINES_MAX {
                if !last.starts_with("220-") {
                    break;
                }
                last = line(stream).await?;
            }
            ("SMTP", last.starts_with("220"))
        }
    };
    if is_right {
        return Ok(());
    }
    let said = one_line(&shorten(first.trim(), ACCOUNT_TROUBLE_CHARS));
    Err(format!("it does not speak {expected}, or turned us away: it said “{said}”"))
}

/// Asks for TLS, as RFC 9051 and RFC 3207 have it. Nothing that was said before counts after it.
async fn begins_tls(kind: ServerKind, stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> Result<(), String> {
    let refused = |said: &str| {
        let said = one_line(&shorten(said.trim(), ACCOUNT_TROUBLE_CHARS));
        Err(format!("it does not begin TLS (STARTTLS): it said “{said}”"))
    };
    match kind {
        ServerKind::Imap => {
            says(stream, "a STARTTLS\r\n").await?;
            for _ in 0..GREETING_LINES_MAX {
                let answer = line(stream).await?;
                if let Some(status) = answer.strip_prefix("a ") {
                    return if status.starts_with("OK") { Ok(()) } else { refused(&answer) };
                }
            }
            refused("too much")
        }
        ServerKind::Smtp | ServerKind::CalDav | ServerKind::CardDav => {
            says(stream, "EHLO localhost\r\n").await?;
            reply(stream).await?;
            says(stream, "STARTTLS\r\n").await?;
            let answer = reply(stream).await?;
            if answer.starts_with("220") { Ok(()) } else { refused(&answer) }
        }
    }
}

/// The last line of a reply of SMTP.
async fn reply(stream: &mut (impl AsyncRead + Unpin)) -> Result<String, String> {
    for _ in 0..GREETING_LINES_MAX {
        let line = line(stream).await?;
        if line.as_bytes().get(3) != Some(&b'-') {
            return Ok(line);
        }
    }
    Err("it said too much".to_owned())
}

async fn says(stream: &mut (impl AsyncWrite + Unpin), words: &str) -> Result<(), String> {
    stream.write_all(words.as_bytes()).await.map_err(|cause| cannot("it hung up", &cause))
}

/// One line. Read byte by byte: what comes after it may be the beginning of TLS.
async fn line(stream: &mut (impl AsyncRead + Unpin)) -> Result<String, String> {
    let mut bytes = Vec::new();
    loop {
        match stream.read_u8().await {
            Ok(b'\n') => return Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned()),
            Ok(_) if bytes.len() >= GREETING_BYTES_MAX => return Err("it said too much".to_owned()),
            Ok(byte) => bytes.push(byte),
            Err(cause) => return Err(cannot("it hung up", &cause)),
        }
    }
}

/// A server of the web: what it answers to somebody whom it does not know.
async fn of_web(account: &AccountConfig, url: &Url) -> ServerProbe {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or(443);
    let mut probe = ServerProbe { place: format!("{host}:{port}"), ..ServerProbe::default() };
    if url.scheme() == "https" {
        let looked = match TcpStream::connect((host.as_str(), port)).await {
            Ok(stream) => certificate::look(account, &host, stream, &mut probe.certificate).await.map(drop),
            Err(cause) => Err(cannot("it cannot be connected to", &cause)),
        };
        // A request would end at the same certificate.
        if looked.is_err() || probe.certificate.as_ref().is_some_and(|seen| seen.trouble.is_some()) {
            probe.unreachable = looked.err();
            return probe;
        }
    }
    match answered(account, url).await {
        Ok(clock_ahead) => probe.clock_ahead = clock_ahead,
        Err(why) => probe.unreachable = Some(why),
    }
    probe
}

/// Asks what is possible, without signing in. Gives how far the clock there is ahead.
async fn answered(account: &AccountConfig, url: &Url) -> Result<Option<TimeDelta>, String> {
    let words = |error: reqwest::Error| one_line(&shorten(&error.without_url().to_string(), ACCOUNT_TROUBLE_CHARS));
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    for authority in certificate::authorities(account)? {
        client = client.add_root_certificate(reqwest::Certificate::from_der(&authority).map_err(words)?);
    }
    let client = client.build().map_err(words)?;
    // What stands in the address may be a secret, and goes nowhere without having to.
    let mut plain = url.clone();
    let _ = plain.set_username("").and_then(|()| plain.set_password(None));
    let sent = Utc::now();
    let response = client.request(Method::OPTIONS, plain).send().await.map_err(words)?;
    let status = response.status();
    if status.is_server_error() {
        return Err(format!("it answered {}", status.as_u16()));
    }
    let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    let there = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    Ok(there.map(|there| there.with_timezone(&Utc) - sent))
}
