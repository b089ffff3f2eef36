//! What somebody is understood to want before anything is routed, as a value: an answer, or what is to be done and what
//! is said once it is.
//!
//! Invariant: whoever finds out what is wanted does nothing about it; it is done in one place ([`Intended::answer`]),
//! through the gate like any other action. Not here: what a planner makes of a message (`stages::rounds`).

use crate::pipeline::commit::Answer;
use crate::pipeline::stages::act;
use crate::pipeline::turn::{PointedAt, Turn, TurnFacts};
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance::Sources;
use brain_core::ports::StoreError;

/// See the module.
pub(super) enum Intended {
    Said(Box<Answer>),
    Done(Box<ToBeDone>),
}

/// Actions, with whose words they may hold, and what becomes of the answer that they come to.
pub(super) struct ToBeDone {
    actions: Vec<PlannedAction>,
    sources: Sources,
    then: Box<dyn FnOnce(Answer) -> Answer + Send>,
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

    /// The answer, once everything is done.
    pub async fn answer(self, turn: &Turn<'_>) -> Result<Answer, StoreError> {
        match self {
            Self::Said(answer) => Ok(*answer),
            Self::Done(todo) => {
                let ToBeDone { actions, sources, then } = *todo;
                Ok(then(act::given(turn, actions, sources, Vec::new()).await?))
            }
        }
    }
}

/// What a step makes of a turn that is its business.
pub(super) enum Taken {
    By(Intended),
    /// It goes on, read as if it named this: so do the steps below and whatever it is routed to read it.
    ReadAs(PointedAt),
}

impl<T: Into<Intended>> From<T> for Taken {
    fn from(intended: T) -> Self {
        Self::By(intended.into())
    }
}
