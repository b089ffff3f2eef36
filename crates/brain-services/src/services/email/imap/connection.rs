//! One conversation with a server: greeting, commands and their answers. Signing in is [`super::sign_in`].
//!
//! Invariants: nothing with a line end in it goes out as a command; every answer is bounded in bytes and in the time
//! between its parts; of a server that has not proven yet who it is only a status in a line is read, and nothing that it
//! said before that counts afterwards; what the server says is shown to nobody but as one short line.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::answer::{FolderCode, ImapAnswer, ImapStatus, StatusReply};
use super::framing::{AnswerBounds, Framing};
use super::place::ImapPlace;
use super::tokens::Nonsense;
use crate::services::email::delivery::socket::Socket;
use crate::services::email::message::read::one_line;
use brain_core::core::text::shorten;
use brain_core::limits::{IMAP_ANSWER_MS, IMAP_READ_BYTES};
use brain_wire::accounts::ServerTls;

#[cfg(test)]
mod tests;

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

/// Why there is no answer.
enum NoAnswer {
    Nonsense(Nonsense),
    Ended,
}

impl From<Nonsense> for NoAnswer {
    fn from(why: Nonsense) -> Self {
        Self::Nonsense(why)
    }
}

/// A conversation.
pub(super) struct Connection {
    socket: Socket,
    framing: Framing,
    /// Where bytes are read to.
    chunk: Box<[u8]>,
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
        let mut connection = Self::over(socket, host.clone());
        connection.greeting().await.map_err(&unreachable)?;
        if place.server.tls == ServerTls::StartTls {
            match connection.run_within("STARTTLS", AnswerBounds::IN_THE_CLEAR, |_| {}).await {
                Ok(()) => {}
                Err(ImapError::Refused(_)) => {
                    return Err(unreachable("it offers no encryption (STARTTLS)".to_owned()));
                }
                Err(error) => return Err(unreachable(format!("before the connection was secure, {error}"))),
            }
            // Whoever is on the way could have put it there, to be taken for the server's word afterwards.
            if !connection.framing.is_empty() {
                return Err(unreachable(
                    "something was said behind its word that the connection may be secured".into(),
                ));
            }
            let secured = connection.socket.secured(&host, place.authorities.as_deref()).await;
            connection = Self::over(secured.map_err(&unreachable)?, host.clone());
        }
        connection.look_up_capabilities().await.map_err(|error| unreachable(error.to_string()))?;
        Ok(connection)
    }

    fn over(socket: Socket, host: String) -> Self {
        let chunk = vec![0; IMAP_READ_BYTES].into_boxed_slice();
        Self { socket, framing: Framing::new(), chunk, host, tags: 0, capabilities: BTreeSet::new() }
    }

    async fn greeting(&mut self) -> Result<(), String> {
        self.allow(AnswerBounds::IN_THE_CLEAR);
        match timeout(answer_time(), self.read()).await {
            // Whom it takes us for without a word of ours is not whom we were told to be.
            Ok(Ok(ImapAnswer::Said(StatusReply { status: ImapStatus::Ok, .. }))) => Ok(()),
            Ok(Ok(ImapAnswer::Said(said))) => Err(said_by_server(&said.words)),
            Ok(Ok(_)) => Err("it is no IMAP server".to_owned()),
            Ok(Err(NoAnswer::Nonsense(Nonsense::TooLong))) => Err("its greeting is longer than any".to_owned()),
            Ok(Err(NoAnswer::Nonsense(_))) => Err("it is no IMAP server".to_owned()),
            Ok(Err(NoAnswer::Ended)) => Err("it broke off at once, or is no IMAP server".to_owned()),
            Err(_) => Err("it did not greet in time".to_owned()),
        }
    }

    /// The next answer. Whoever stops waiting for it loses nothing of it.
    async fn read(&mut self) -> Result<ImapAnswer, NoAnswer> {
        loop {
            if let Some(answer) = self.framing.next()? {
                let answer = ImapAnswer::parse(&answer, self.framing.reading());
                return answer.map_err(|why| NoAnswer::Nonsense(self.framing.refuse(why)));
            }
            match self.socket.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return Err(NoAnswer::Ended),
                Ok(count) => self.framing.push(&self.chunk[..count]),
            }
        }
    }

    /// What is offered: another list before and after signing in.
    pub async fn look_up_capabilities(&mut self) -> Result<(), ImapError> {
        let mut found = BTreeSet::new();
        self.run("CAPABILITY", |answer| {
            let ImapAnswer::Capabilities(offered) = answer else { return };
            found.extend(offered);
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
    pub async fn run(&mut self, command: &str, each: impl FnMut(ImapAnswer)) -> Result<(), ImapError> {
        self.run_within(command, AnswerBounds::SMALL, each).await
    }

    /// The same with an answer within other bounds.
    pub async fn run_within(
        &mut self,
        command: &str,
        bounds: AnswerBounds,
        each: impl FnMut(ImapAnswer),
    ) -> Result<(), ImapError> {
        self.allow(bounds);
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
            self.socket.write_all(bytes).await?;
            self.socket.flush().await
        };
        match timeout(answer_time(), sending).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(self.lost("broke off")),
        }
    }

    /// The rest of the answer to the command of this tag.
    pub async fn answered(&mut self, tag: &str, mut each: impl FnMut(ImapAnswer)) -> Result<(), ImapError> {
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
        mut each: impl FnMut(ImapAnswer),
    ) -> Result<Option<Result<(), ImapError>>, ImapError> {
        match timeout(patience, self.read()).await {
            Ok(Ok(ImapAnswer::Done(tag, said))) if tag == wanted => Ok(Some(match said.status {
                ImapStatus::Ok => Ok(()),
                _ => Err(ImapError::Refused(format!("{} said no: {}", self.host, said_by_server(&said.words)))),
            })),
            // An answer to nothing that was asked.
            Ok(Ok(ImapAnswer::Done(..))) => {
                let why = self.framing.refuse(Nonsense::NotAsked);
                Err(self.lost(&why.to_string()))
            }
            Ok(Ok(part)) => {
                each(part);
                Ok(None)
            }
            Ok(Err(NoAnswer::Nonsense(why))) => Err(self.lost(&why.to_string())),
            Ok(Err(NoAnswer::Ended)) => Err(self.lost("broke off")),
            Err(_) => Err(self.lost("did not answer in time")),
        }
    }

    /// Reads on until the server asks for the rest of the command, or how that ended instead.
    pub async fn asked_for_more(&mut self, tag: &str) -> Result<Option<Result<(), ImapError>>, ImapError> {
        loop {
            let mut is_asked = false;
            let ended = self.next(tag, answer_time(), |part| is_asked = part == ImapAnswer::Continue).await?;
            if is_asked || ended.is_some() {
                return Ok(ended);
            }
        }
    }

    /// How much may come from now on.
    pub fn allow(&mut self, bounds: AnswerBounds) {
        self.framing.allow(bounds);
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
pub(super) fn said_by_server(words: &str) -> String {
    let words = shorten(&one_line(words), 200);
    if words.is_empty() { "it did not say why".to_owned() } else { words }
}

/// The state that a server gives with a folder.
pub(super) fn code_of(answer: &ImapAnswer) -> Option<FolderCode> {
    match answer {
        ImapAnswer::Said(said) => said.code,
        _ => None,
    }
}
