//! A plan as a whole beside what was said: how much of it the plan carries.

use crate::core::plan::{Plan, PlannedAction};
use crate::pipeline::turn::Turn;
use crate::services::standing::{self, Judge};
use crate::services::values::typed_values;

/// A plan of a turn, under judgement.
#[derive(Debug)]
pub(super) struct Judging<'a> {
    pub turn: &'a Turn<'a>,
    pub judge: Judge<'a>,
}

impl Judging<'_> {
    /// Whether the plan carries too little of what was asked for.
    pub fn leaves_out(&self, plan: &Plan) -> bool {
        let values = plan.actions.iter().flat_map(|planned| {
            let entry = self.turn.brain.services.command(&planned.service, &planned.command);
            let typed = entry.map(|entry| typed_values(entry.as_ref(), &planned.params)).unwrap_or_default();
            typed.into_iter().map(|value| value.text)
        });
        self.judge.leaves_out(&values.collect::<Vec<_>>())
    }

    /// Whether an action can be read as its command.
    pub fn fits(&self, planned: &PlannedAction) -> bool {
        let entry = self.turn.brain.services.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| entry.check(planned.params.clone()).is_ok())
    }

    pub fn is_low_write(&self, planned: &PlannedAction) -> bool {
        let entry = self.turn.brain.services.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| standing::is_low_write(entry.as_ref(), planned))
    }
}
