//! Lines in the order in which they are answered: one after the other, but `/cancel` overtakes what runs.
//!
//! Invariant: what was written ahead is answered in order. A `/cancel` that was written together with the request before
//! it finds the same as if its writer had waited: it overtakes only what takes longer than a moment.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc;

use super::Session;
use super::wire::{ConsoleLine, ConsoleRequest};
use crate::core::turn::{Done, Input, Origin};
use crate::limits;
use crate::pipeline::intake::commands;

/// What was said to a session.
pub struct Heard {
    lines: mpsc::Receiver<String>,
    /// Came while something else was being answered, oldest first.
    ahead: VecDeque<String>,
    /// A line as the session reads it.
    read: Box<dyn Fn(&str) -> String + Send + Sync>,
    has_ended: bool,
}

impl std::fmt::Debug for Heard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heard").field("ahead", &self.ahead.len()).finish_non_exhaustive()
    }
}

impl Heard {
    /// Lines that a session reads as they are.
    pub fn of(lines: mpsc::Receiver<String>) -> Self {
        Self::through(lines, |line| line.to_owned())
    }

    /// Lines that are made into what a session reads when it is their turn.
    pub fn through(lines: mpsc::Receiver<String>, read: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self { lines, ahead: VecDeque::new(), read: Box::new(read), has_ended: false }
    }

    /// The next line to answer; `None` at the end.
    pub async fn next(&mut self) -> Option<String> {
        let line = match self.ahead.pop_front() {
            Some(line) => Some(line),
            None => self.lines.recv().await,
        };
        line.map(|line| (self.read)(&line))
    }

    /// Whether there may be more to read ahead.
    fn listens(&self) -> bool {
        !self.has_ended && self.ahead.len() < limits::LINES_AHEAD_MAX
    }
}

impl Session {
    /// Answers a line, and meanwhile whatever overtakes it.
    pub async fn answer(&self, line: &str, heard: &mut Heard) -> Done {
        let mut turn = pin!(self.line(line));
        loop {
            let next = tokio::select! {
                biased;
                done = &mut turn => return done,
                next = heard.lines.recv(), if heard.listens() => next,
            };
            let Some(next) = next else {
                heard.has_ended = true;
                continue;
            };
            let asked = (heard.read)(&next);
            if !self.overtakes(&asked, line) {
                heard.ahead.push_back(next);
                continue;
            }
            let moment = Duration::from_millis(limits::CANCEL_WAITS_MS);
            if let Ok(done) = tokio::time::timeout(moment, &mut turn).await {
                heard.ahead.push_back(next);
                return done;
            }
            let mut first = pin!(self.line(&asked));
            tokio::select! {
                biased;
                done = &mut turn => {
                    first.await;
                    return done;
                }
                _ = &mut first => {}
            }
        }
    }

    /// Whether a line stops what its writer has asked for in `running`.
    fn overtakes(&self, line: &str, running: &str) -> bool {
        let Ok(line) = ConsoleLine::read(line) else { return false };
        let Ok(ConsoleRequest::Text { text, reply_to, .. }) = line.asked() else { return false };
        let of_running = ConsoleLine::read(running).ok().and_then(|running| running.user);
        let by = |user: Option<String>| user.unwrap_or_else(|| self.user.clone());
        by(line.user) == by(of_running)
            && commands::overtakes(&Input::Message { text, origin: Origin::Typed, reply_to })
    }
}
