//! A plan as a whole beside what was said: how much of it the plan carries.

use std::collections::BTreeSet;

use crate::core::plan::{Plan, PlannedAction};
use crate::core::text::{shorten, visible};
use crate::language::reading::Mood;
use crate::language::requests::Understood;
use crate::limits;
use crate::pipeline::stages::route;
use crate::pipeline::turn::Turn;
use crate::services::standing::{self, Judge, PlanStanding, Planner};
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
        self.judge.leaves_out(&self.values(plan))
    }

    /// What is reported beside a request that built-in understanding planned, and nothing was made of: it may have been
    /// meant as something to do, too.
    pub fn told_beside(&self, plan: &Plan) -> Option<String> {
        let reading = self.turn.reading();
        let asks = reading.clauses.iter().any(|clause| clause.mood.is_request());
        if self.judge.planner == Planner::Model || !asks {
            return None;
        }
        let values: Vec<String> = self.values(plan).iter().map(|value| value.to_lowercase()).collect();
        let reports = reading.clauses.iter().filter(|clause| clause.mood == Mood::Report);
        let told: Vec<String> = reports
            .map(|clause| reading.words(clause).trim_end_matches([',', '.', ';', '!']))
            .filter(|words| !values.iter().any(|value| words.to_lowercase().contains(value)))
            .map(|words| format!("“{}”", visible(&shorten(words, limits::ROW_CHARS_MAX))))
            .collect();
        (!told.is_empty()).then(|| format!("I took {} as a remark.", told.join(" and ")))
    }

    fn values(&self, plan: &Plan) -> Vec<String> {
        let values = plan.actions.iter().flat_map(|planned| {
            let entry = self.turn.brain.services.command(&planned.service, &planned.command);
            let typed = entry.map(|entry| typed_values(entry.as_ref(), &planned.params)).unwrap_or_default();
            typed.into_iter().map(|value| value.text)
        });
        values.collect()
    }

    /// What code is sure of, where a model's plan is of other commands, and one of both changes something at once: a
    /// card asks anyway, and what was not asked for is the gate's to refuse.
    pub fn other_reading(&self, plan: &Plan, domains: &[String]) -> Option<Plan> {
        if self.judge.planner == Planner::BuiltIn || self.judge.is_answer {
            return None;
        }
        let Understood::Plan { plan: other, condition: None, .. } = self.turn.understood(&[]) else { return None };
        let names = |plan: &Plan| -> BTreeSet<(String, String)> {
            plan.actions.iter().map(|action| (action.service.clone(), action.command.clone())).collect()
        };
        let entry = |planned: &PlannedAction| self.turn.brain.services.command(&planned.service, &planned.command);
        let may_be = |planned: &PlannedAction| domains.contains(&planned.service) && entry(planned).is_some();
        let judge = Judge { planner: Planner::BuiltIn, ..self.judge };
        let is_exact = |planned: &PlannedAction| {
            entry(planned)
                .is_some_and(|entry| judge.action(entry.as_ref(), &mut planned.clone()) == Ok(PlanStanding::Exact))
        };
        let guess = route::guess(self.turn);
        let is_guessed = |planned: &PlannedAction| guess.domains.contains(&planned.service);
        let is_other = names(plan) != names(&other)
            && guess.is_sure()
            && other.actions.iter().all(is_guessed)
            && plan.actions.iter().all(may_be)
            && plan.actions.iter().chain(&other.actions).any(|planned| self.is_low_write(planned))
            && other.actions.iter().all(is_exact)
            && !self.leaves_out(&other);
        is_other.then_some(other)
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
