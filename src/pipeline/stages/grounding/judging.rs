//! How the actions of a plan stand to what was said: their values, their mood, and what they leave out.

use super::Planner;
use crate::core::plan::{Action, Params, Plan, PlannedAction};
use crate::core::stakes::Stakes;
use crate::language::grounding::{Ground, TimeGround, ValueKind, is_odd_name, is_odd_text};
use crate::language::reading::Mood;
use crate::language::time::{self, Reference};
use crate::pipeline::turn::Turn;
use crate::services::entry::{Entry, ParamError};
use crate::services::service::Person;
use crate::services::values::{TypedValue, put_in, take_out, typed_values};

/// So many words of a request that no value carries make it only likely.
const LEFT_WORDS_MAX: usize = 2;

/// How an action stands to what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// It follows from it.
    Exact,
    /// It may be meant.
    Likely,
    /// It was told, not asked for.
    Told,
    /// It was asked whether, denied, or only supposed.
    Contradicted(Mood),
}

pub(super) struct Judging<'a> {
    pub turn: &'a Turn<'a>,
    pub ground: &'a Ground<'a>,
    pub people: &'a [Person],
    pub planner: Planner,
    /// The request was accepted before.
    pub is_answer: bool,
}

impl Judging<'_> {
    /// Leaves out what has no ground; the name of what is required and has none.
    pub fn values(&self, entry: &dyn Entry, planned: &mut PlannedAction) -> Result<Standing, String> {
        let Ok(params) = entry.check(planned.params.clone()) else { return Ok(Standing::Exact) };
        let mut standing = Standing::Exact;
        for value in typed_values(entry, &params) {
            match self.value(&value) {
                Fit::Grounded => {}
                Fit::Likely => standing = standing.max(Standing::Likely),
                Fit::Instead(text) => put_in(&mut planned.params, &value.path, text),
                Fit::Groundless if value.is_required && value.path.len() == 1 => match value.kind {
                    // What is about somebody or some time cannot do without; words can be looked at.
                    ValueKind::Time | ValueKind::Person => {
                        take_out(&mut planned.params, &value.path);
                        return Err(value.path.join("."));
                    }
                    ValueKind::Repetition
                    | ValueKind::Choice
                    | ValueKind::Reference
                    | ValueKind::Name
                    | ValueKind::Entries
                    | ValueKind::Text
                    | ValueKind::Composed
                    | ValueKind::Plain => standing = standing.max(Standing::Likely),
                },
                Fit::Groundless => take_out(&mut planned.params, &value.path),
            }
        }
        // A change of which nothing is left asks for what is to change.
        if entry.check(planned.params.clone()).is_err() && entry.check(params).is_ok() {
            return Err(missing(entry, &planned.params));
        }
        Ok(standing)
    }

    /// Whether the plan as a whole carries too little of what was asked for.
    pub fn leaves_out(&self, plan: &Plan) -> bool {
        let values = plan.actions.iter().flat_map(|planned| {
            let entry = self.turn.brain.services.command(&planned.service, &planned.command);
            let typed = entry.map(|entry| typed_values(entry.as_ref(), &planned.params)).unwrap_or_default();
            typed.into_iter().map(|value| value.text)
        });
        let left = self.ground.left_out(&values.collect::<Vec<_>>(), &self.turn.reference());
        !self.is_answer && (left.words >= LEFT_WORDS_MAX || left.times > 0)
    }

    pub fn is_low_write(&self, planned: &PlannedAction) -> bool {
        let Some(entry) = self.turn.brain.services.command(&planned.service, &planned.command) else { return false };
        let action = Action {
            service: planned.service.clone(),
            command: planned.command.clone(),
            params: entry.check(planned.params.clone()).unwrap_or_else(|_| planned.params.clone()),
            ..Action::default()
        };
        entry.effect().writes() && entry.stakes(&action) == Stakes::Low
    }

    fn value(&self, value: &TypedValue) -> Fit {
        let reference = self.turn.reference();
        let text = value.text.as_str();
        let grounded = |is: bool| if is { Fit::Grounded } else { Fit::Groundless };
        let holds_too_much =
            |is_odd: fn(&str, &Reference) -> bool, text: &str| !self.is_answer && is_odd(text, &reference);
        if self.planner == Planner::BuiltIn {
            let is_odd = match value.kind {
                ValueKind::Name => holds_too_much(is_odd_name, text),
                ValueKind::Entries => text.split(',').any(|one| holds_too_much(is_odd_name, one)),
                ValueKind::Text => holds_too_much(is_odd_text, text),
                ValueKind::Time
                | ValueKind::Repetition
                | ValueKind::Person
                | ValueKind::Choice
                | ValueKind::Reference
                | ValueKind::Composed
                | ValueKind::Plain => false,
            };
            return if is_odd { Fit::Likely } else { Fit::Grounded };
        }
        match value.kind {
            ValueKind::Time if time::offset_in(&self.ground.reading.text).is_some() => Fit::Grounded,
            ValueKind::Time => match self.ground.time(text, &reference) {
                TimeGround::Said => Fit::Grounded,
                TimeGround::DayOnly(day) => Fit::Instead(day),
                TimeGround::Nothing => Fit::Groundless,
            },
            ValueKind::Repetition => grounded(self.ground.has_repetition()),
            ValueKind::Person => {
                let known = self.people.iter().filter(|person| person.emails.iter().any(|email| email == text));
                let names = known.flat_map(|person| [person.name.as_str()]).chain([text]);
                grounded(self.ground.has_person(names))
            }
            ValueKind::Choice => grounded(self.ground.has_choice(text)),
            ValueKind::Name if !self.ground.has_text(text) => Fit::Groundless,
            ValueKind::Name if holds_too_much(is_odd_name, text) => Fit::Likely,
            ValueKind::Name => Fit::Grounded,
            ValueKind::Entries if !self.ground.has_text(text) => Fit::Groundless,
            ValueKind::Entries if text.split(',').any(|one| holds_too_much(is_odd_name, one)) => Fit::Likely,
            ValueKind::Entries => Fit::Grounded,
            ValueKind::Text if !self.ground.has_text(text) => Fit::Groundless,
            ValueKind::Text if holds_too_much(is_odd_text, text) => Fit::Likely,
            ValueKind::Text => Fit::Grounded,
            // Which thing is meant is seen once it is found.
            ValueKind::Reference | ValueKind::Composed | ValueKind::Plain => Fit::Grounded,
        }
    }

    /// Whether it was said in a mood in which something may be done.
    pub fn mood(&self, entry: &dyn Entry, planned: &PlannedAction) -> Standing {
        if !entry.effect().writes() || self.is_answer {
            return Standing::Exact;
        }
        let params = entry.check(planned.params.clone()).unwrap_or_else(|_| planned.params.clone());
        let texts: Vec<String> = typed_values(entry, &params).into_iter().map(|value| value.text).collect();
        let mood = self.ground.mood(&texts);
        let action =
            Action { service: planned.service.clone(), command: planned.command.clone(), params, ..Action::default() };
        let is_high = entry.stakes(&action) == Stakes::High;
        match mood {
            mood if mood.is_request() => Standing::Exact,
            // A card proposes it.
            Mood::Arrangement | Mood::Statement | Mood::Report | Mood::Negation if is_high => Standing::Exact,
            Mood::Arrangement | Mood::Statement | Mood::Report => Standing::Told,
            mood => Standing::Contradicted(mood),
        }
    }
}

/// What a value is to what was said.
enum Fit {
    Grounded,
    Likely,
    /// Only this much of it was said.
    Instead(String),
    Groundless,
}

/// The parameter that is missing now.
fn missing(entry: &dyn Entry, params: &Params) -> String {
    match entry.check(params.clone()) {
        Err(ParamError::Missing { param, .. }) => param,
        Err(_) | Ok(_) => String::new(),
    }
}
