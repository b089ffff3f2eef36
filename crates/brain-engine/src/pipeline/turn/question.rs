//! Open question: the one of ours that waits for its answer.

use super::account::TurnAccount;
use super::facts::TurnFacts;
use brain_core::core::question::OpenSince;
use brain_core::ports::records::Clarification;

impl TurnFacts {
    /// The question that waits; one that is too old waits no more.
    pub fn open_question(&self) -> Option<&Clarification> {
        self.state.clarification.as_ref().filter(|question| self.question_since(question).waits())
    }

    /// How long it has been waiting.
    pub fn question_since(&self, question: &Clarification) -> OpenSince {
        let is_offer = question.offer.is_some() && question.takes_yes;
        OpenSince { beside: question.beside, secs: (self.ctx.now - question.at).num_seconds(), is_offer }
    }

    /// The question that was not answered by this message, too old or not; `with_offers`: what a yes takes is one.
    /// Otherwise what was only offered waits for nobody.
    pub fn question_left_open(&self, account: &TurnAccount, with_offers: bool) -> Option<&Clarification> {
        let is_left = !account.took_question();
        let asks = |question: &&Clarification| question.offer.is_none() || with_offers && question.takes_yes;
        self.state.clarification.as_ref().filter(|question| is_left && asks(question))
    }
}
