//! One conversation with a server: greeting, commands and their answers. Signing in is [`super::sign_in`].
//!
//! Invariants: nothing with a line end in it goes out as a command; every answer is bounded in bytes and in the time
//! between its parts; what the server says is shown to nobody but as one short line.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use async_imap::Client;
use async_imap::imap_proto::{Capability, Response, ResponseCode, Status};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use super::super::read::one_line;
use super::place::ImapPlace;
use super::socket::Socket;
use crate::accounts::ServerTls;
use crate::core::text::shorten;
use crate::limits::{IMAP_ANSWER_BYTES_MAX, IMAP_ANSWER_MS};

/// Why a conversation came to nothing. The texts are the beginnings of sentences for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ImapError {
    /// The server was not reached, or not securely.
    #[error("{0}")]
    Unreachable(String),
    /// It did not let us in.
    #[error("{why}")]
    NotSignedIn {
        /// What it, or who knows the secret, said.
        why: String,
        /// It stays so until somebody does something about it.
        until_reconnected: bool,
    },
    /// It said no to a command: nothing was done.
    #[error("{0}")]
    Refused(String),
    /// It broke off, or what it said makes no sense: what it was asked for may have been done.
    #[error("{0}")]
    Lost(String),
}

/// A conversation.
pub(super) struct Connection {
    client: Client<Socket>,
    host: String,
    tags: u32,
    capabilities: BTreeSet<String>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.host)
    }
}

impl Connection {
    /// Connects as securely as is wanted; nobody is signed in.
    pub async fn greeted(place: &ImapPlace) -> Result<Self, ImapError> {
        let host = place.server.host.clone();
        let unreachable = |why: String| ImapError::Unreachable(format!("{host} cannot be reached: {why}"));
        let mut socket = Socket::open(&place.server).await.map_err(&unreachable)?;
        if place.server.tls == ServerTls::Wrapped {
            socket = socket.secured(&host, place.authorities.as_deref()).await.map_err(&unreachable)?;
        }
        let client = Client::new(socket);
        let mut connection = Self { client, host: host.clone(), tags: 0, capabilities: BTreeSet::new() };
        connection.greeting().await.map_err(&unreachable)?;
        if place.server.tls == ServerTls::StartTls {
            if connection.run("STARTTLS", |_| {}).await.is_err() {
                return Err(unreachable("it offers no encryption (STARTTLS)".to_owned()));
            }
            let secured = connection.client.into_inner().secured(&host, place.authorities.as_deref()).await;
            connection.client = Client::new(secured.map_err(&unreachable)?);
        }
        connection.look_up_capabilities().await.map_err(|error| unreachable(error.to_string()))?;
        Ok(connection)
    }

    async fn greeting(&mut self) -> Result<(), String> {
        self.allow(IMAP_ANSWER_BYTES_MAX);
        let greeting = match timeout(answer_time(), self.client.read_response()).await {
            Ok(Ok(Some(greeting))) => greeting,
            Ok(_) => return Err("it broke off at once, or is no IMAP server".to_owned()),
            Err(_) => return Err("it did not greet in time".to_owned()),
        };
        match greeting.parsed() {
            // Whom it takes us for without a word of ours is not whom we were told to be.
            Response::Data { status: Status::Ok, .. } => Ok(()),
            Response::Data { outcome, .. } => Err(said_by_server(outcome.information.as_deref())),
            _ => Err("it is no IMAP server".to_owned()),
        }
    }

    /// What is offered: another list before and after signing in.
    pub async fn look_up_capabilities(&mut self) -> Result<(), ImapError> {
        let mut found = BTreeSet::new();
        self.run("CAPABILITY", |answer| {
            let Response::Capabilities(offered) = answer else { return };
            found.extend(offered.iter().map(|one| match one {
                Capability::Imap4rev1 => "IMAP4REV1".to_owned(),
                Capability::Auth(mechanism) => format!("AUTH={}", mechanism.to_uppercase()),
                Capability::Atom(name) => name.to_uppercase(),
            }));
        })
        .await?;
        self.capabilities = found;
        Ok(())
    }

    /// Whether the server offers something.
    pub fn offers(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    /// What the server is called in sentences.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Runs a command whose answer is small; `each` gets every part of it.
    pub async fn run(&mut self, command: &str, each: impl FnMut(&Response<'_>)) -> Result<(), ImapError> {
        self.run_within(command, IMAP_ANSWER_BYTES_MAX, each).await
    }

    /// The same with an answer of `bytes` in all at most.
    pub async fn run_within(
        &mut self,
        command: &str,
        bytes: usize,
        each: impl FnMut(&Response<'_>),
    ) -> Result<(), ImapError> {
        self.allow(bytes);
        let tag = self.begin(command).await?;
        self.answered(&tag, each).await
    }

    /// Sends a command and reads nothing; its tag.
    pub async fn begin(&mut self, command: &str) -> Result<String, ImapError> {
        if command.contains(['\r', '\n', '\0']) {
            return Err(ImapError::Refused("a name or a word has a line end in it, so nothing was asked".to_owned()));
        }
        self.tags += 1;
        let tag = format!("B{}", self.tags);
        self.write(format!("{tag} {command}\r\n").as_bytes()).await?;
        Ok(tag)
    }

    /// Sends a line that belongs to the command under way.
    pub async fn line(&mut self, bytes: &[u8]) -> Result<(), ImapError> {
        self.write(&[bytes, b"\r\n"].concat()).await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), ImapError> {
        let sending = async {
            let socket = self.client.get_mut();
            socket.write_all(bytes).await?;
            socket.flush().await
        };
        match timeout(answer_time(), sending).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(self.lost("broke off")),
        }
    }

    /// The rest of the answer to the command of this tag.
    pub async fn answered(&mut self, tag: &str, mut each: impl FnMut(&Response<'_>)) -> Result<(), ImapError> {
        loop {
            let ended = self.next(tag, answer_time(), &mut each).await?;
            if let Some(ended) = ended {
                return ended;
            }
        }
    }

    /// The next part of the answer to the command of this tag: how it ended, or what `each` makes of it.
    pub async fn next(
        &mut self,
        wanted: &str,
        patience: Duration,
        mut each: impl FnMut(&Response<'_>),
    ) -> Result<Option<Result<(), ImapError>>, ImapError> {
        let answer = match timeout(patience, self.client.read_response()).await {
            Ok(Ok(Some(answer))) => answer,
            Ok(Ok(None)) => return Err(self.lost("broke off")),
            // The error repeats what came, which may be anybody's words.
            Ok(Err(cause)) if cause.kind() == std::io::ErrorKind::Other => {
                return Err(self.lost("said what makes no sense"));
            }
            Ok(Err(_)) => return Err(self.lost("broke off")),
            Err(_) => return Err(self.lost("did not answer in time")),
        };
        match answer.parsed() {
            Response::Done { tag, status, outcome } if tag.0 == wanted => Ok(Some(match status {
                Status::Ok => Ok(()),
                _ => Err(ImapError::Refused(format!(
                    "{} said no: {}",
                    self.host,
                    said_by_server(outcome.information.as_deref())
                ))),
            })),
            // An answer to nothing that was asked.
            Response::Done { .. } => Err(self.lost("said what makes no sense")),
            part => {
                each(part);
                Ok(None)
            }
        }
    }

    /// Reads on until the server asks for the rest of the command, or how that ended instead.
    pub async fn asked_for_more(&mut self, tag: &str) -> Result<Option<Result<(), ImapError>>, ImapError> {
        loop {
            let mut is_asked = false;
            let ended = self.next(tag, answer_time(), |part| is_asked = matches!(part, Response::Continue(_))).await?;
            if is_asked || ended.is_some() {
                return Ok(ended);
            }
        }
    }

    /// How much may come from now on.
    pub fn allow(&mut self, bytes: usize) {
        self.client.get_mut().allow(bytes);
    }

    /// Whether it is still there.
    pub async fn is_alive(&mut self, patience: Duration) -> bool {
        matches!(timeout(patience, self.run("NOOP", |_| {})).await, Ok(Ok(())))
    }

    /// A courtesy; what it comes to changes nothing.
    pub async fn close(mut self) {
        let _ = timeout(Duration::from_millis(500), self.run("LOGOUT", |_| {})).await;
    }

    pub(super) fn lost(&self, what: &str) -> ImapError {
        ImapError::Lost(format!("{} {what}", self.host))
    }
}

/// How long a part of an answer is waited for.
pub(super) fn answer_time() -> Duration {
    Duration::from_millis(IMAP_ANSWER_MS)
}

/// A string as commands take it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A server's words on one short line.
pub(super) fn said_by_server(words: Option<&str>) -> String {
    let words = shorten(&one_line(words.unwrap_or_default()), 200);
    if words.is_empty() { "it did not say why".to_owned() } else { words }
}

/// The state that a server gives with a folder.
pub(super) fn code_of<'a>(answer: &'a Response<'a>) -> Option<&'a ResponseCode<'a>> {
    match answer {
        Response::Data { outcome, .. } | Response::Done { outcome, .. } => outcome.code.as_ref(),
        _ => None,
    }
}
