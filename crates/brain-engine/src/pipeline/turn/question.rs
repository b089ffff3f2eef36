//! Open question: the one of ours that waits for its answer.

use super::account::TurnAccount;
use super::facts::TurnFacts;
use brain_core::limits;
use brain_core::ports::records::Clarification;

impl TurnFacts {
    /// The question that waits; one that is too old waits no more.
    pub fn open_question(&self) -> Option<&Clarification> {
        let kept = chrono::Duration::seconds(limits::CLARIFICATION_SECS);
        self.state.clarification.as_ref().filter(|question| self.ctx.now - question.at <= kept)
    }

    /// The question that waits though something was said, unless that was about it. What was only offered waits for
    /// nobody.
    pub fn question_left_open(&self, account: &TurnAccount) -> Option<&Clarification> {
        let is_left = !account.took_question();
        self.open_question().filter(|question| is_left && question.offer.is_none())
    }
}
