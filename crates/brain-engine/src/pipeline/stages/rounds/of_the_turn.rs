//! What of a plan is asked of the assistant itself, carried out by the turn; what that comes to passes the gate as a plan
//! of its own, and is told as a part of the answer.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::{Gating, one_round};
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::assistant::{self, Intended, ToBeDone};
use crate::pipeline::stages::grounding;
use crate::pipeline::stages::progressing::{Progressing, told_by_receipts};
use crate::pipeline::turn::TurnError;
use brain_core::core::plan::Plan;
use brain_core::core::turn::Path;
use brain_services::services::contract::entry::Entry;

impl Gating<'_> {
    /// Carries out what is asked of the assistant itself; the rest of the plan. What it may not change, and what depends
    /// on another action, is left to the gate, which says so.
    pub(super) async fn of_the_turn(&self, plan: Plan, so_far: &mut Progressing) -> Result<Plan, TurnError> {
        let Self { turn, domains, .. } = *self;
        let mut rest = Vec::with_capacity(plan.actions.len());
        for planned in &plan.actions {
            let entry = turn.brain.services.command(&planned.service, &planned.command);
            let may = |entry: &Arc<dyn Entry>| !entry.writes() || domains.contains(&planned.service);
            let asked = assistant::asked(turn.brain, planned).filter(|_| planned.depends_on.is_empty());
            let (Some(entry), Some(request)) = (entry.filter(may), asked) else {
                rest.push(true);
                continue;
            };
            let intended = assistant::carried_out(turn.brain, &turn.facts, request).await?;
            let answer = self.intended(intended, so_far).await?;
            so_far.joins(entry.as_ref(), planned, answer);
            rest.push(false);
        }
        Ok(if rest.contains(&false) { grounding::only(plan, &rest) } else { plan })
    }

    /// What is understood to be wanted, done.
    fn intended<'f>(
        &'f self,
        intended: Intended,
        so_far: &'f mut Progressing,
    ) -> BoxFuture<'f, Result<Answer, TurnError>> {
        let done = async move {
            let ToBeDone { actions, sources, then } = match intended {
                Intended::Said(answer) => return Ok(*answer),
                Intended::Done(todo) => *todo,
            };
            let domains: Vec<String> = actions.iter().map(|action| action.service.clone()).collect();
            let mut part = Progressing { sources, run: so_far.run.take(), ..Progressing::new(Path::Action) };
            one_round(self.turn, Plan { actions, ..Plan::default() }, &domains, "", &mut part).await?;
            so_far.run = part.run.take();
            Ok(then(told_by_receipts(self.turn.brain, &self.turn.facts, part)))
        };
        done.boxed()
    }
}
