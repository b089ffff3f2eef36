//! Plan standing: its values by their kinds, and the mood in which it was said.
//!
//! Pure: the same words, people and plan give the same standing. Not here: what the things are that an action is about,
//! and what becomes of an action that does not follow from the message (the pipeline).

mod changed;
mod plan_review;
mod verified;

use std::sync::Arc;

use serde_json::Value;

pub use self::changed::{SettledAction, Unsaid, planned_again};
pub use self::plan_review::PlanReview;
pub use self::verified::{Verified, Verifier};
use super::values::{TypedValue, put_in, take_out, typed_values};
use crate::services::contract::entry::{Entry, ParamError};
use crate::services::helpers::address_book::Person;
use brain_core::core::plan::{Action, Params, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_language::language::grounding::{
    BORDER, Ground, LeftOut, TimeGround, ValueKind, holds_a_time, is_odd_name, is_odd_text, is_plain_name,
};
use brain_language::language::people;
use brain_language::language::reading::Mood;
use brain_language::language::requests::{PartAccount, SpanRole, TokenClass};
use brain_language::language::routing::Guess;
use brain_language::language::time::{self, Reference};

/// Who made a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planner {
    /// Its values may come from anywhere.
    Model,
    /// Its values are words of the message, or defaults that the receipt names.
    BuiltIn,
}

/// What of a turn a plan is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnPart {
    /// What the message asks for.
    Message,
    /// What it asks for first; whoever plans has named what is to follow once that is known.
    FirstRound,
    /// A request that was accepted before, completed.
    Answer,
    /// What is still missing, now that some of it is done: what that gave is a ground like the words.
    LaterRound,
}

impl TurnPart {
    /// Whether nothing was accepted or done before it.
    fn is_new(self) -> bool {
        matches!(self, Self::Message | Self::FirstRound)
    }
}

/// What is known of the conditions that a request sets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConditionState {
    /// Nothing.
    #[default]
    Open,
    /// Something was looked up in this turn, and whoever plans has seen it.
    LookedUp,
    /// It was found to be so, by code.
    Met,
}

/// How an action stands to what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanGrounding {
    /// It follows from it.
    Exact,
    /// It may be meant.
    Likely,
    /// It was told, not asked for.
    Told,
    /// It was asked whether, denied, or only supposed.
    Contradicted(Mood),
}

impl PlanGrounding {
    /// The same, where it cannot even be proposed.
    fn refused(self) -> Self {
        match self {
            Self::Contradicted(mood) => Self::Contradicted(mood),
            Self::Exact | Self::Likely | Self::Told => Self::Contradicted(Mood::Statement),
        }
    }
}

/// What actions are held against.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'a> {
    /// The person's words.
    pub ground: &'a Ground<'a>,
    /// When they were said, and where.
    pub reference: &'a Reference,
    /// Those whose addresses may stand in the plan.
    pub people: &'a [Person],
    /// Whose plan it is.
    pub planner: Planner,
    /// What of a turn it plans.
    pub part: TurnPart,
    /// What is known of what it depends on.
    pub conditions: ConditionState,
}

/// What a value is to what was said.
enum ValueGrounding {
    Grounded,
    /// It may hold more than belongs in it.
    Likely,
    /// Only this much of it was said.
    Instead(String),
    Groundless,
}

/// The time that a name holds, beside those of its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedTime {
    /// There is no other.
    Only,
    /// There is, and it is no part of what a thing is called.
    Another,
}

impl Judge<'_> {
    /// Takes out of an action what is optional and has no ground, and says how the rest stands; the name of what is
    /// required and has none.
    ///
    /// # Errors
    /// The parameter that has to be asked for.
    pub fn action(&self, entry: &dyn Entry, planned: &mut PlannedAction) -> Result<PlanGrounding, String> {
        // What only looks has no effect that could be wrong.
        if !entry.writes() {
            return Ok(PlanGrounding::Exact);
        }
        let mood = self.mood(entry, planned);
        let values = match self.values(entry, planned) {
            Ok(values) => values,
            // Nobody is asked for what is missing from something that was not asked for.
            Err(param) => return if mood == PlanGrounding::Exact { Err(param) } else { Ok(mood.refused()) },
        };
        Ok(match (values, mood) {
            // What is told and holds too much is no proposal.
            (PlanGrounding::Likely, PlanGrounding::Told) => PlanGrounding::Contradicted(Mood::Statement),
            (values, mood) => values.max(mood),
        })
    }

    /// Whether a plan of built-in understanding follows from the message as it is, and from all of it: one clause that
    /// asks for it, nothing told beside, no word that says something left over, every action a change.
    /// `guess`: which services the message as a whole is about.
    pub fn is_read_exactly(
        &self,
        actions: &[(Arc<dyn Entry>, PlannedAction)],
        account: &PartAccount,
        guess: &Guess,
    ) -> bool {
        let asks = |mood: Mood| matches!(mood, Mood::Order | Mood::Wish);
        let is_one = matches!(self.ground.reading.clauses.as_slice(), [only] if asks(only.mood));
        let typed = |(entry, planned): &(Arc<dyn Entry>, PlannedAction)| typed_values(entry.as_ref(), &planned.params);
        let typed: Vec<TypedValue> = actions.iter().flat_map(typed).collect();
        // What something is found by may swallow a remark or a time as well as a name may.
        let is_plain = |value: &TypedValue| match value.kind {
            ValueKind::Time | ValueKind::Repetition | ValueKind::Length | ValueKind::Choice | ValueKind::Plain => true,
            ValueKind::Reference | ValueKind::Person | ValueKind::Name | ValueKind::Entries | ValueKind::Text => {
                is_plain_name(&value.text, self.reference)
            }
            // A letter is worded by a model where there is one.
            ValueKind::Composed => false,
        };
        let values: Vec<String> = typed.iter().map(|value| value.text.clone()).collect();
        let stands = |(entry, planned): &(Arc<dyn Entry>, PlannedAction)| {
            entry.writes() && self.action(entry.as_ref(), &mut planned.clone()) == Ok(PlanGrounding::Exact)
        };
        is_one
            && guess.is_sure()
            && actions.iter().all(|(entry, _)| guess.domains.iter().any(|domain| domain == entry.service()))
            && !actions.is_empty()
            && typed.iter().all(is_plain)
            && leaves_nothing(account)
            && self.ground.left_out(&values, self.reference) == LeftOut::default()
            && actions.iter().all(stands)
    }

    /// Whether the values of a whole plan carry too little of what was asked for.
    pub fn leaves_out(&self, values: &[String]) -> bool {
        let left = self.ground.left_out(values, self.reference);
        self.part == TurnPart::Message && (left.words >= BORDER as usize || left.times > 0)
    }

    fn values(&self, entry: &dyn Entry, planned: &mut PlannedAction) -> Result<PlanGrounding, String> {
        // What does not fit its command is the gate's to ask about.
        let Ok(params) = entry.check(planned.params.clone()) else { return Ok(PlanGrounding::Exact) };
        let mut standing = PlanGrounding::Exact;
        // From the last one, so that places in lists stay right while entries go.
        for value in typed_values(entry, &params).iter().rev() {
            match self.value(value) {
                ValueGrounding::Grounded => {}
                ValueGrounding::Likely => standing = standing.max(PlanGrounding::Likely),
                ValueGrounding::Instead(text) => put_in(&mut planned.params, &value.path, text.into()),
                ValueGrounding::Groundless => match value.kind {
                    // What is about somebody or some time cannot do without them; words can be looked at.
                    ValueKind::Time | ValueKind::Person => take(&mut planned.params, value),
                    _ if !value.is_required => take(&mut planned.params, value),
                    ValueKind::Repetition
                    | ValueKind::Length
                    | ValueKind::Choice
                    | ValueKind::Reference
                    | ValueKind::Name
                    | ValueKind::Entries
                    | ValueKind::Text
                    | ValueKind::Composed
                    | ValueKind::Plain => standing = standing.max(PlanGrounding::Likely),
                },
            }
        }
        match self.names_a_time(&typed_values(entry, &planned.params)) {
            Some(NamedTime::Only) => standing = standing.max(PlanGrounding::Likely),
            // What it is called holds a part of when it is: that was read wrongly.
            Some(NamedTime::Another) if self.planner == Planner::BuiltIn => {
                standing = PlanGrounding::Contradicted(Mood::Fragment);
            }
            Some(NamedTime::Another) | None => {}
        }
        match entry.check(planned.params.clone()) {
            Err(ParamError::Missing { param, .. }) => Err(param),
            Err(ParamError::Asked { .. } | ParamError::Unfit { .. } | ParamError::Invalid(_)) | Ok(_) => Ok(standing),
        }
    }

    /// Whether a name holds a time, and whether anything else does.
    fn names_a_time(&self, values: &[TypedValue]) -> Option<NamedTime> {
        let is_timed = values.iter().any(|value| matches!(value.kind, ValueKind::Time | ValueKind::Repetition));
        // What is kept beside its name holds the time as well.
        let is_kept = |name: &str| {
            let mut texts = values.iter().filter(|value| value.kind == ValueKind::Text);
            texts.any(|value| value.text.contains(name) && self.ground.is_handed_over(value.kind, &value.text))
        };
        let names = values.iter().filter(|value| value.kind == ValueKind::Name && self.part.is_new());
        let mut timed = names.filter(|value| !is_kept(&value.text) && holds_a_time(&value.text, self.reference));
        match is_timed {
            false => timed.next().map(|_| NamedTime::Only),
            // "the meeting tomorrow" is a thing of that day.
            true => timed.any(|value| is_odd_name(&value.text, self.reference)).then_some(NamedTime::Another),
        }
    }

    fn value(&self, value: &TypedValue) -> ValueGrounding {
        let text = value.text.as_str();
        if self.planner == Planner::Model {
            let has_ground = match value.kind {
                ValueKind::Time if time::offset_in(&self.ground.reading.text).is_some() => true,
                ValueKind::Time => match self.ground.time(text, self.reference) {
                    TimeGround::Said => true,
                    TimeGround::DayOnly(day) => return ValueGrounding::Instead(day),
                    TimeGround::Nothing => false,
                },
                ValueKind::Repetition => self.ground.has_repetition(),
                ValueKind::Person => {
                    // What stands before an address is whatever its writer liked.
                    let mailbox = people::mailbox_of(text);
                    let known = self.people.iter().filter(|person| person.emails.contains(&mailbox));
                    self.ground.has_person(known.map(|person| person.name.as_str()).chain([mailbox.as_str()]))
                }
                ValueKind::Choice => self.ground.has_choice(text),
                ValueKind::Length => self.ground.has_length_ahead(),
                ValueKind::Name | ValueKind::Entries | ValueKind::Text => self.ground.has_text(text),
                // Which thing is meant is seen once it is found.
                ValueKind::Reference | ValueKind::Composed | ValueKind::Plain => true,
            };
            if !has_ground {
                return ValueGrounding::Groundless;
            }
        }
        // What was set apart from its order is all of it, whatever it says.
        let is_odd = self.part.is_new()
            && !self.ground.is_handed_over(value.kind, text)
            && match value.kind {
                ValueKind::Name => is_odd_name(text, self.reference),
                ValueKind::Entries => text.split(',').any(|one| is_odd_name(one, self.reference)),
                // A remark may be told beside; what is kept alone may not hold one.
                ValueKind::Text => value.is_required && is_odd_text(text, self.reference),
                ValueKind::Time
                | ValueKind::Repetition
                | ValueKind::Length
                | ValueKind::Person
                | ValueKind::Choice
                | ValueKind::Reference
                | ValueKind::Composed
                | ValueKind::Plain => false,
            };
        if is_odd { ValueGrounding::Likely } else { ValueGrounding::Grounded }
    }

    /// Whether it was said in a mood in which something may be done.
    fn mood(&self, entry: &dyn Entry, planned: &PlannedAction) -> PlanGrounding {
        if self.part == TurnPart::Answer {
            return PlanGrounding::Exact;
        }
        let params = entry.check(planned.params.clone()).unwrap_or_else(|_| planned.params.clone());
        let values = typed_values(entry, &params);
        let has_time = values.iter().any(|value| value.kind == ValueKind::Time);
        if values.iter().any(|value| self.ground.is_handed_over(value.kind, &value.text)) {
            return PlanGrounding::Exact;
        }
        let texts: Vec<String> = values.into_iter().map(|value| value.text).collect();
        let is_asked = self.ground.reading.text.trim_end().ends_with('?');
        match self.ground.mood(&texts) {
            mood if mood.is_request() => PlanGrounding::Exact,
            // What is waited for is said as a condition, or as what the person wants to be told.
            Mood::Condition if entry.heeds_conditions() || self.conditions != ConditionState::Open => {
                PlanGrounding::Exact
            }
            Mood::Question if entry.heeds_conditions() && !is_asked => PlanGrounding::Exact,
            // A card says what it would be asked of.
            Mood::Question if entry.may_only_look() && !is_low_write(entry, planned) => PlanGrounding::Exact,
            // An occasion with a time is said to whoever keeps the calendar.
            Mood::Arrangement if has_time => PlanGrounding::Exact,
            // A card proposes it.
            Mood::Arrangement | Mood::Statement | Mood::Report | Mood::Negation if !is_low_write(entry, planned) => {
                PlanGrounding::Exact
            }
            Mood::Arrangement | Mood::Statement | Mood::Report => PlanGrounding::Told,
            mood => PlanGrounding::Contradicted(mood),
        }
    }
}

/// Whether every part of a message is in its plan, or says nothing.
pub fn leaves_nothing(account: &PartAccount) -> bool {
    account.parts.iter().all(|part| match &part.role {
        SpanRole::Command
        | SpanRole::Param(_)
        | SpanRole::Time
        | SpanRole::Politeness
        | SpanRole::Connector
        | SpanRole::Skipped(TokenClass::Mark | TokenClass::Politeness | TokenClass::Function) => true,
        SpanRole::Reason | SpanRole::Condition | SpanRole::Correction | SpanRole::SmallTalk | SpanRole::Skipped(_) => {
            false
        }
    })
}

/// Whether an action changes something, and needs no yes for it.
pub fn is_low_write(entry: &dyn Entry, planned: &PlannedAction) -> bool {
    let params = entry.check(planned.params.clone()).unwrap_or_else(|_| planned.params.clone());
    let (service, command) = (planned.service.clone(), planned.command.clone());
    let action = Action { service, command, params, ..Action::default() };
    entry.writes() && entry.stakes(&action) == Stakes::Low
}

/// Takes a value out; of a list, that entry.
fn take(params: &mut Params, value: &TypedValue) {
    let list = match value.path.as_slice() {
        [only] => params.get_mut(only),
        [first, rest @ ..] => {
            params.get_mut(first).and_then(|outer| outer.pointer_mut(&format!("/{}", rest.join("/"))))
        }
        [] => None,
    };
    match (list.and_then(Value::as_array_mut), value.place) {
        (Some(list), Some(place)) if list.len() > 1 => {
            list.remove(place.min(list.len() - 1));
        }
        (Some(_) | None, _) => take_out(params, &value.path),
    }
}
