//! What somebody is understood to want, as a value: an answer, or what is to be done and what is said once it is.
//!
//! Invariant: whoever finds out what is wanted does nothing about it; it is done elsewhere (`stages::act`, or as a part of a
//! plan in `stages::rounds`), through the gate like any other action. Not here: what a planner makes of a message (`stages::rounds`).

use crate::pipeline::commit::Answer;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance::Sources;

/// See the module.
pub(in crate::pipeline) enum Intended {
    Said(Box<Answer>),
    Done(Box<ToBeDone>),
}

/// Actions, with whose words they may hold, and what becomes of the answer that they come to.
pub(in crate::pipeline) struct ToBeDone {
    pub actions: Vec<PlannedAction>,
    pub sources: Sources,
    pub then: Box<dyn FnOnce(Answer) -> Answer + Send>,
}

impl From<Answer> for Intended {
    fn from(answer: Answer) -> Self {
        Self::Said(Box::new(answer))
    }
}

impl Intended {
    /// These actions, of nobody's words but the person's own.
    pub fn actions(facts: &TurnFacts, actions: Vec<PlannedAction>) -> Self {
        Self::of(actions, Sources { own: facts.own_words(), ..Sources::default() })
    }

    /// These actions, of such words.
    pub fn of(actions: Vec<PlannedAction>, sources: Sources) -> Self {
        Self::Done(Box::new(ToBeDone { actions, sources, then: Box::new(|answer| answer) }))
    }

    /// The same with something changed about its answer.
    pub fn then(self, change: impl FnOnce(Answer) -> Answer + Send + 'static) -> Self {
        match self {
            Self::Said(answer) => change(*answer).into(),
            Self::Done(mut todo) => {
                let before = todo.then;
                todo.then = Box::new(move |answer| change(before(answer)));
                Self::Done(todo)
            }
        }
    }
}
