//! A plan as a whole beside what was said: how much of it the plan carries, and which other plan it could be.

use std::collections::BTreeSet;

use super::{Judge, PlanGrounding, Planner, TurnPart, is_low_write};
use crate::services::catalog::registry::Services;
use crate::services::planning::values::typed_values;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_language::language::grounding::{Ground, ValueKind, is_odd_name};
use brain_language::language::requests::{Intents, Understood};
use brain_language::language::routing::Guess;

/// Actions of a plan, and the commands that there are.
#[derive(Debug, Clone, Copy)]
pub struct PlanReview<'a> {
    /// What they are held against.
    pub judge: &'a Judge<'a>,
    /// Those that there are.
    pub services: &'a Services,
    /// The names of the services that were asked for.
    pub domains: &'a [String],
}

impl PlanReview<'_> {
    /// How each action stands, once what has no ground is taken out of it.
    ///
    /// # Errors
    /// The place of an action, and the parameter of it that has to be asked for.
    pub fn standings(&self, actions: &mut [PlannedAction]) -> Result<Vec<PlanGrounding>, (usize, String)> {
        let mut standings = Vec::with_capacity(actions.len());
        for (index, planned) in actions.iter_mut().enumerate() {
            let entry = self.services.command(&planned.service, &planned.command);
            // What is none of what was asked for is the gate's to refuse.
            standings.push(match entry.filter(|_| self.domains.contains(&planned.service)) {
                Some(entry) => self.judge.action(entry.as_ref(), planned).map_err(|param| (index, param))?,
                None => PlanGrounding::Exact,
            });
        }
        // What a plan with unreadable values leaves out nobody can tell; the gate asks about these.
        let is_told = || actions.iter().all(|planned| self.services.fits(planned)) && self.leaves_out(actions);
        if standings.contains(&PlanGrounding::Exact) && is_told() {
            self.propose(&mut standings, actions, |_| true);
        }
        Ok(standings)
    }

    /// Proposes what would be done at once, and is of another service or command than the words seem to ask for.
    pub fn doubt(
        &self,
        standings: &mut [PlanGrounding],
        actions: &[PlannedAction],
        (guess, intents, is_order): (&Guess, &Intents, bool),
    ) {
        self.propose(standings, actions, |planned| {
            !is_order
                || !guess.domains.contains(&planned.service)
                || intents.ask_otherwise(&planned.service, &planned.command)
        });
    }

    /// Proposes those of what would be done at once.
    pub fn propose(
        &self,
        standings: &mut [PlanGrounding],
        actions: &[PlannedAction],
        which: impl Fn(&PlannedAction) -> bool,
    ) {
        let done = standings.iter_mut().zip(actions).filter(|(standing, _)| **standing == PlanGrounding::Exact);
        let done = done.filter(|(_, planned)| self.is_low_write(planned) && which(planned));
        done.for_each(|(standing, _)| *standing = PlanGrounding::Likely);
    }

    /// Whether every text of the actions is words of the message, and what they name or are found by a name alone: no
    /// planner has worded anything.
    pub fn are_as_said(&self, actions: &[PlannedAction]) -> bool {
        let Judge { ground, reference, .. } = *self.judge;
        let is_whole_message = |text: &str| text.trim() == ground.reading.text.trim();
        let typed = |planned: &PlannedAction| {
            let entry = self.services.command(&planned.service, &planned.command);
            entry.map(|entry| typed_values(entry.as_ref(), &planned.params)).unwrap_or_default()
        };
        actions.iter().flat_map(typed).all(|value| match value.kind {
            ValueKind::Reference | ValueKind::Name | ValueKind::Entries => !is_odd_name(&value.text, reference),
            ValueKind::Text | ValueKind::Composed => ground.has_text(&value.text) && !is_whole_message(&value.text),
            ValueKind::Time
            | ValueKind::Repetition
            | ValueKind::Length
            | ValueKind::Person
            | ValueKind::Choice
            | ValueKind::Plain => true,
        })
    }

    /// Whether the actions carry too little of what was asked for.
    pub fn leaves_out(&self, actions: &[PlannedAction]) -> bool {
        self.judge.leaves_out(&self.services.values(actions))
    }

    /// What code is sure of, where a model's plan is of other commands, and one of both changes something at once: a
    /// card asks anyway, and what was not asked for is the gate's to refuse.
    pub fn other_reading(&self, actions: &[PlannedAction], understood: Understood, guess: &Guess) -> Option<Plan> {
        if self.judge.planner == Planner::BuiltIn || !self.judge.part.is_new() {
            return None;
        }
        let Understood::Plan { plan: other, condition: None, .. } = understood else { return None };
        let names = |actions: &[PlannedAction]| -> BTreeSet<(String, String)> {
            actions.iter().map(|action| (action.service.clone(), action.command.clone())).collect()
        };
        let entry = |planned: &PlannedAction| self.services.command(&planned.service, &planned.command);
        let may_be = |planned: &PlannedAction| self.domains.contains(&planned.service) && entry(planned).is_some();
        let judge = Judge { planner: Planner::BuiltIn, part: TurnPart::Message, ..*self.judge };
        let is_exact = |planned: &PlannedAction| {
            entry(planned)
                .is_some_and(|entry| judge.action(entry.as_ref(), &mut planned.clone()) == Ok(PlanGrounding::Exact))
        };
        let is_guessed = |planned: &PlannedAction| guess.domains.contains(&planned.service);
        let (own, others) = (names(actions), names(&other.actions));
        let is_begun = self.judge.part == TurnPart::FirstRound && own.is_subset(&others);
        let is_other = own != others
            && !is_begun
            && guess.is_sure()
            && other.actions.iter().all(is_guessed)
            && actions.iter().all(may_be)
            && actions.iter().chain(&other.actions).any(|planned| self.is_low_write(planned))
            && other.actions.iter().all(is_exact)
            && !judge.leaves_out(&self.services.values(&other.actions));
        is_other.then_some(other)
    }

    /// Whether an action changes something, and needs no yes for it.
    pub fn is_low_write(&self, planned: &PlannedAction) -> bool {
        let entry = self.services.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| is_low_write(entry.as_ref(), planned))
    }
}

impl Judge<'_> {
    /// Whether the person named the thing with this id and label, or points at what is in sight.
    pub fn points_at(&self, id: &str, label: &str) -> bool {
        let text = &self.ground.reading.text;
        self.ground.shares_a_word(label) || text.contains(id) || Ground::points_at_something(text)
    }
}

impl Services {
    /// Whether an action can be read as its command.
    pub fn fits(&self, planned: &PlannedAction) -> bool {
        let entry = self.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| entry.check(planned.params.clone()).is_ok())
    }

    /// The values of actions, as words.
    pub fn values(&self, actions: &[PlannedAction]) -> Vec<String> {
        let values = actions.iter().flat_map(|planned| {
            let entry = self.command(&planned.service, &planned.command);
            let typed = entry.map(|entry| typed_values(entry.as_ref(), &planned.params)).unwrap_or_default();
            typed.into_iter().map(|value| value.text)
        });
        values.collect()
    }
}
