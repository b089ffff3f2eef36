//! The console: a chat in the terminal, for people and (with `--json`) for programs.
//!
//! One [`Session`] reads lines and answers each with zero or more lines and exactly one `done`. The same
//! session serves standard input, `ask`, and whoever connects to `control.sock`. Standard output carries
//! nothing else. Invariant: whoever speaks here is somebody of this machine ([`ConsoleUser`]), in a chat of the console:
//! a press and a yes decide what was asked there, and nothing of another channel's.

mod channel;
mod conversation;
pub mod terminal;
pub mod wire;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use tracing::Instrument as _;

pub use channel::{ConsoleChannel, Sink, history_of};
pub use conversation::{Line, ReceivedLines};
use wire::{ConsoleLine, ConsoleRequest, Out};

use super::received_files;
use crate::scheduler;
use crate::upkeep;
use brain_core::clock::ManualClock;
use brain_core::core::ids::{ChatId, MessageId, RunId, UserId};
use brain_core::core::people::ConsoleUser;
use brain_core::core::text::visible;
use brain_core::core::turn::{Done, Incoming, Input, KeptFile, Origin, Part, Path, Reply};
use brain_core::kept_files::KeptFiles;
use brain_core::limits;
use brain_core::ports::{Batch, why_not};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::turn::log_span;
use brain_engine::pipeline::{commit, handle_turn};

/// The chat of a console's user.
pub fn chat_of(user: &str) -> ChatId {
    ChatId::alone_with(&UserId::new(user))
}

/// One conversation over lines.
pub struct Session {
    brain: Arc<Brain>,
    channel: Arc<ConsoleChannel>,
    sink: Arc<dyn Sink>,
    /// The clock of a `--now` console.
    clock: Option<Arc<ManualClock>>,
    user: ConsoleUser,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Session {
    /// A session for `user`; what reached their chat while nobody was there is shown now.
    pub async fn open(
        brain: Arc<Brain>,
        channel: Arc<ConsoleChannel>,
        sink: Arc<dyn Sink>,
        clock: Option<Arc<ManualClock>>,
        user: ConsoleUser,
    ) -> Self {
        let session = Self { brain, channel, sink, clock, user };
        session.attach(&session.user).await;
        session
    }

    async fn attach(&self, user: &ConsoleUser) {
        let chat = user.chat();
        if self.channel.attach(&chat, &self.sink) {
            self.brain.deliver(&chat).await;
        }
    }

    /// Answers one line, up to and including its `done`.
    pub async fn line(&self, line: &Line) -> Done {
        let number = line.number;
        let read = ConsoleLine::read(&line.text).and_then(|line| Ok((self.said_by(&line)?, line.asked()?)));
        let (user, done) = match read {
            Ok((user, asked)) => match self.asked(&user, asked, number).await {
                Ok(done) => (user, done),
                Err(error) => (user.clone(), self.bad(&user, &error)),
            },
            Err(error) => (self.user.clone(), self.bad(&self.user, &error)),
        };
        self.sink.put(&Out::Done { user: user.to_string(), done: done.clone() });
        done
    }

    /// Who says a line: whoever it names, of this machine.
    fn said_by(&self, line: &ConsoleLine) -> Result<ConsoleUser, String> {
        match &line.user {
            Some(name) => ConsoleUser::named(name).map_err(|why| why.to_string()),
            None => Ok(self.user.clone()),
        }
    }

    fn bad(&self, user: &ConsoleUser, error: &str) -> Done {
        self.sink.put(&Out::error(user.as_str(), error));
        Done::quiet(Path::Error)
    }

    async fn asked(&self, user: &ConsoleUser, asked: ConsoleRequest, number: MessageId) -> Result<Done, String> {
        self.attach(user).await;
        let mut parts = Vec::new();
        let (input, quote) = match asked {
            ConsoleRequest::Text { text, reply_to, quote, files } => {
                parts = self.received(user, number, &text, files).await?;
                let origin = match (&quote, parts.as_slice()) {
                    (_, [_, ..]) if text.trim().is_empty() => Origin::Forwarded,
                    (_, [_, ..]) => Origin::Caption,
                    (Some(_), []) => Origin::PartialQuote,
                    (None, []) => Origin::Typed,
                };
                (Input::Message { text: self.cut(user.as_str(), text), origin, reply_to }, quote)
            }
            ConsoleRequest::Press(data) => (Input::Press { data, message: None }, None),
            ConsoleRequest::Now(now) => return self.move_clock(now).await,
        };
        let incoming = Incoming {
            turn: RunId::new(format!("console-{}", uuid::Uuid::new_v4().simple())),
            user: user.id(),
            chat: user.chat(),
            message_id: number,
            at: self.brain.clock.now(),
            input,
            inbox: None,
            parts,
            quote,
        };
        self.answered(&incoming).instrument(log_span(&incoming)).await
    }

    /// The parts of a message that files come with; none without files. What is not read is told first.
    async fn received(
        &self,
        user: &ConsoleUser,
        number: MessageId,
        text: &str,
        files: Vec<KeptFile>,
    ) -> Result<Vec<Part>, String> {
        if files.len() > limits::FILES_WITH_A_LINE_MAX {
            return Err(format!(
                "more than {} files came with that line; none was taken",
                limits::FILES_WITH_A_LINE_MAX
            ));
        }
        let own = (!files.is_empty() && !text.trim().is_empty())
            .then(|| Part::words(number, text.to_owned(), Origin::Caption));
        let mut parts: Vec<Part> = own.into_iter().collect();
        let mut told = Vec::new();
        for file in files {
            let (kept, owner) = (KeptFiles::of(self.channel.data_dir()), user.id());
            let (sha256, name) = (file.sha256.clone(), visible(&file.name));
            let read = tokio::task::spawn_blocking(move || kept.read(&owner, &sha256)).await;
            let bytes = read.map_err(std::io::Error::other).and_then(|read| read);
            let bytes = bytes.map_err(|cause| format!("{name} could not be read: {}", why_not(&cause)))?;
            let bytes = bytes.ok_or_else(|| format!("{name} is not kept here any more; hand it over again"))?;
            let file = KeptFile { bytes: bytes.len(), ..file };
            let text = received_files::text_of(&file, bytes);
            let (part, beside) = received_files::part(number, file, text);
            parts.push(part);
            told.extend(beside);
        }
        told.into_iter().for_each(|words| self.notes(user.as_str(), words));
        Ok(parts)
    }

    /// Something that is said before the answer.
    fn notes(&self, user: &str, words: String) {
        self.sink.put(&Out::message(user, self.channel.next_id(), &Reply::text(words), None));
    }

    async fn answered(&self, incoming: &Incoming) -> Result<Done, String> {
        match AssertUnwindSafe(handle_turn(&self.brain, incoming)).catch_unwind().await {
            Ok(done) => Ok(done),
            Err(_panic) => {
                tracing::error!("a turn broke");
                self.brain.end(incoming);
                let told = self.brain.tell_broken(incoming, Batch::default()).await;
                told.map(|()| Done::quiet(Path::Error)).map_err(|error| commit::sorry(&error))
            }
        }
    }

    /// A message of a size that can be worked with; the person is told when something was left out.
    fn cut(&self, user: &str, mut text: String) -> String {
        let max = limits::MESSAGE_BYTES_MAX;
        if text.len() > max {
            let mut end = max;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            let note = format!("That message is very long; I read the first {max} bytes of it.");
            self.notes(user, note);
        }
        text
    }

    async fn move_clock(&self, now: chrono::DateTime<chrono::Utc>) -> Result<Done, String> {
        let clock = self.clock.as_ref().ok_or("this console runs on the real clock; start it with --now to move it")?;
        if !clock.move_to(now) {
            return Err("the clock only moves forward".to_owned());
        }
        scheduler::run_due(&self.brain).await.map_err(|error| error.to_string())?;
        upkeep::once(&self.brain).await.map_err(|error| error.to_string())?;
        Ok(Done::quiet(Path::Clock))
    }
}
