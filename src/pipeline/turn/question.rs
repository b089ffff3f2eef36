//! The question of ours that waits for its answer.

use std::sync::atomic::Ordering;

use super::Turn;
use crate::limits;
use crate::ports::records::Clarification;

impl Turn<'_> {
    /// The question that waits; one that is too old waits no more.
    pub fn open_question(&self) -> Option<&Clarification> {
        let kept = chrono::Duration::seconds(limits::CLARIFICATION_SECS);
        self.state.clarification.as_ref().filter(|question| self.ctx.now - question.at <= kept)
    }

    /// This message is about that question.
    pub fn takes_question(&self) {
        self.answers_question.store(true, Ordering::Relaxed);
    }

    /// The question that waits though something was said, unless that was about it. What was only offered waits for
    /// nobody.
    pub fn question_left_open(&self) -> Option<&Clarification> {
        let is_left = !self.answers_question.load(Ordering::Relaxed);
        self.open_question().filter(|question| is_left && question.offer.is_none())
    }
}
