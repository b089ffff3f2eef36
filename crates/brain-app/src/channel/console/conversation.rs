//! Ordering of lines: they are answered one after the other, but `/cancel` overtakes what runs.
//!
//! Invariant: what was written ahead is answered in order, as what it was: said before the answers that came since, so
//! that it decides nothing that they ask. A `/cancel` that was written together with the request before
//! it finds the same as if its writer had waited: it overtakes only what takes longer than a moment.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc;

use super::wire::{ConsoleLine, ConsoleRequest};
use super::{Session, chat_of};
use brain_core::core::ids::MessageId;
use brain_core::core::turn::{Done, Input, Origin};
use brain_core::limits;
use brain_engine::pipeline::intake::commands;
use brain_language::language::consent::{self, Consent};

/// A line as it came in.
#[derive(Debug, Clone)]
pub struct Line {
    /// As a session reads it.
    pub text: String,
    /// The number of the message that it is. What is shown later has a greater one, however late the line is answered.
    pub number: MessageId,
}

/// What was said to a session.
#[derive(Debug)]
pub struct ReceivedLines {
    lines: mpsc::Receiver<Line>,
    /// Came while something else was being answered, oldest first.
    ahead: VecDeque<Line>,
    has_ended: bool,
}

impl ReceivedLines {
    /// Lines, each numbered when it was written.
    pub fn of(lines: mpsc::Receiver<Line>) -> Self {
        Self { lines, ahead: VecDeque::new(), has_ended: false }
    }

    /// The next line to answer; `None` at the end.
    pub async fn next(&mut self) -> Option<Line> {
        match self.ahead.pop_front() {
            Some(line) => Some(line),
            None => self.lines.recv().await,
        }
    }

    /// Whether there may be more to read ahead.
    fn listens(&self) -> bool {
        !self.has_ended && self.ahead.len() < limits::LINES_AHEAD_MAX
    }
}

impl Session {
    /// Answers a line, and meanwhile whatever overtakes it.
    pub async fn answer(&self, line: &Line, heard: &mut ReceivedLines) -> Done {
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
            if !self.overtakes(&next, line) {
                heard.ahead.push_back(next);
                continue;
            }
            let moment = Duration::from_millis(limits::CANCEL_WAITS_MS);
            if let Ok(done) = tokio::time::timeout(moment, &mut turn).await {
                heard.ahead.push_back(next);
                return done;
            }
            let mut first = pin!(self.line(&next));
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
    fn overtakes(&self, line: &Line, running: &Line) -> bool {
        let Ok(line) = ConsoleLine::read(&line.text) else { return false };
        let Ok(ConsoleRequest::Text { text, reply_to, .. }) = line.asked() else { return false };
        let of_running = ConsoleLine::read(&running.text).ok().and_then(|running| running.user);
        let by = |user: Option<String>| user.unwrap_or_else(|| self.user.to_string());
        let user = by(line.user);
        let stops = matches!(consent::read(&text), Consent::No | Consent::Wait);
        user == by(of_running)
            && (stops && self.brain.running.carries_out_in(&chat_of(&user))
                || commands::overtakes(&Input::Message { text, origin: Origin::Typed, reply_to }))
    }
}
