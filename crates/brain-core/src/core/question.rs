//! The open question of a chat: what becomes of it with each message that comes after it. There is one at a time.
//!
//! | the message | becomes | said |
//! |---|---|---|
//! | fits what was asked | answered | what it came to |
//! | gives it up | dropped | so |
//! | brought something else about, or another question | replaced | in one line, once |
//! | only looked something up, or was talk, for the first time | open | that it is still asked, once |
//! | the same, for the second time | open | nothing |
//! | the same, for the third time; or anything, ten minutes later | dropped | in one line, once |
//!
//! In a conversation with a model what is offered with one tap is such a question too, and a request beside it replaces
//! it only where it names it.
//!
//! Invariant: what is a request, a question or a report by itself fits no slot, so that no question eats the message
//! after it. Not here: whether a message fits (the words of a slot are its command's business), and the cards that wait
//! for a yes ([`super::pending`]).

use crate::limits::{QUESTION_BESIDE_MAX, QUESTION_SECS};

/// What a message is to the question that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterQuestion {
    /// It says what was asked for.
    Fits,
    /// It wants no answer to be waited for any more.
    GivesUp,
    /// Something else came of it.
    Request,
    /// It changed nothing.
    Beside,
}

/// What becomes of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionState {
    /// The request that it belongs to goes on.
    Answered,
    /// Something else is talked about.
    Replaced,
    /// Nobody answers it.
    Dropped,
    /// It waits; whether that is said now.
    Open {
        /// Once is enough: whoever goes on with something else has seen it.
        is_named: bool,
    },
}

/// A question that waits: for so many messages and so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenSince {
    /// Messages beside it that changed nothing.
    pub beside: u8,
    /// Since it was asked.
    pub secs: i64,
    /// It only offers: beside anything else, until its time is over.
    pub is_offer: bool,
}

impl OpenSince {
    /// Whether it may still be answered.
    pub fn waits(self) -> bool {
        (self.is_offer || self.beside < QUESTION_BESIDE_MAX) && self.secs <= QUESTION_SECS
    }

    /// See the module.
    pub fn next(self, message: AfterQuestion) -> QuestionState {
        if !self.waits() {
            return QuestionState::Dropped;
        }
        match message {
            AfterQuestion::Fits => QuestionState::Answered,
            AfterQuestion::GivesUp => QuestionState::Dropped,
            AfterQuestion::Request => QuestionState::Replaced,
            AfterQuestion::Beside if !self.is_offer && self.beside + 1 == QUESTION_BESIDE_MAX => QuestionState::Dropped,
            AfterQuestion::Beside => QuestionState::Open { is_named: self.beside == 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_waits_for_three_turns_or_ten_minutes_and_is_named_once() {
        let open = |beside, secs| OpenSince { beside, secs, is_offer: false };
        for (since, message, state) in [
            (open(0, 0), AfterQuestion::Fits, QuestionState::Answered),
            (open(2, 600), AfterQuestion::Fits, QuestionState::Answered),
            (open(0, 601), AfterQuestion::Fits, QuestionState::Dropped),
            (open(1, 5), AfterQuestion::GivesUp, QuestionState::Dropped),
            (open(0, 5), AfterQuestion::Request, QuestionState::Replaced),
            (open(0, 5), AfterQuestion::Beside, QuestionState::Open { is_named: true }),
            (open(1, 5), AfterQuestion::Beside, QuestionState::Open { is_named: false }),
            (open(2, 5), AfterQuestion::Beside, QuestionState::Dropped),
            (open(0, 700), AfterQuestion::Beside, QuestionState::Dropped),
        ] {
            assert_eq!(since.next(message), state, "{since:?} {message:?}");
        }
        let offer = |beside, secs| OpenSince { is_offer: true, ..open(beside, secs) };
        assert_eq!(offer(7, 600).next(AfterQuestion::Beside), QuestionState::Open { is_named: false });
        assert_eq!(offer(1, 601).next(AfterQuestion::Beside), QuestionState::Dropped);
    }
}
