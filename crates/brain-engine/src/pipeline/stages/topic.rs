//! Planning values that the stages hand to each other: what a turn plans for, and what comes of it.

use serde_json::Value;

use super::doubts::Doubt;
use super::selection::Selection;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::pending::Pending;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::limits;
use brain_core::ports::ModelError;
use brain_core::ports::records::Clarification;
use brain_language::language::requests::Condition;
use brain_services::services::across::amendment;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::planning::plan_grounding::{ConditionState, Planner};

/// What a turn is about beyond its own words.
#[derive(Debug, Default)]
pub struct Topic<'a> {
    /// The earlier request this message completes.
    pub answers: Option<&'a Clarification>,
    /// What this message changes.
    pub amends: Option<&'a Amended<'a>>,
    /// It asks for what no single look can tell.
    pub investigates: bool,
    /// What a model made of it when it was routed.
    pub selection: Option<&'a Selection>,
    /// Receipts of earlier rounds of this turn, and what is still missing.
    pub round: Option<(&'a [String], &'a str)>,
    /// How many rounds there were before this one.
    pub depth: usize,
    /// What is known of what it depends on.
    pub conditions: ConditionState,
    /// Why no model is asked (again): it gave no answer in this turn.
    pub unanswered: Option<Unanswered<'a>>,
}

impl Topic<'_> {
    /// Whether it is a request of its own, and nothing was done for it yet.
    pub fn is_new(&self) -> bool {
        self.round.is_none() && self.amends.is_none() && self.answers.is_none()
    }
}

/// How a model gave no answer.
#[derive(Debug, Clone, Copy)]
pub enum Unanswered<'a> {
    /// Twice something else.
    Unusable,
    /// None.
    Failed(&'a ModelError),
}

/// What was planned before and is to be planned again, changed.
#[derive(Debug)]
pub struct Amended<'a> {
    /// What was asked for.
    pub request: String,
    /// Their values are settled already and stay as they are, and so does what has to succeed first.
    pub actions: Vec<PlannedAction>,
    /// Whom the change puts in the place of whoever it was for, where that is somebody.
    pub somebody: Option<String>,
    /// The card that they wait on; what has been done already, a draft, waits on none.
    pub card: Option<&'a Pending>,
}

impl<'a> Amended<'a> {
    /// A card.
    pub fn card(pending: &'a Pending) -> Self {
        let actions = pending.planned(|target| target.id.clone());
        Self { request: pending.request.clone(), actions, somebody: None, card: Some(pending) }
    }

    /// A draft, which waits on no card.
    pub fn draft(services: &Registry, writing: PlannedAction) -> Self {
        let request = show::meant(services, std::slice::from_ref(&writing));
        Self { request, actions: vec![writing], somebody: None, card: None }
    }

    /// The actions, changed by code as a message says; `None` where it says nothing that code can read.
    pub(super) fn changed(&self, facts: &TurnFacts) -> Option<Vec<PlannedAction>> {
        let is_somebody = |name: &str| self.somebody.as_deref() == Some(name);
        amendment::amend(&self.actions, facts.words(), &facts.reference(), is_somebody)
    }

    /// The actions with the words of the card, not with the ids behind them.
    pub(super) fn shown(&self) -> Vec<PlannedAction> {
        let params = |index: usize, planned: &PlannedAction| {
            let action = self.card.and_then(|pending| pending.actions.get(index));
            action.map_or_else(|| planned.params.clone(), |action| action.params.clone())
        };
        let shown = self.actions.iter().enumerate();
        shown.map(|(index, again)| PlannedAction { params: params(index, again), ..again.clone() }).collect()
    }

    fn as_shown(&self) -> Value {
        self.shown().iter().map(PlannedAction::as_proposed).collect()
    }
}

/// What came of planning.
#[derive(Debug)]
pub enum Planned {
    /// Proposed actions, perhaps with a question beside them.
    Plan {
        /// What is to be resolved and gated next; nothing of it is authorised.
        plan: Plan,
        /// What was too much for one turn.
        left: Vec<PlannedAction>,
        /// For the person, when something unusual happened on the way.
        remark: Option<&'static str>,
        /// Whose it is.
        planner: Planner,
    },
    /// Something is missing before anything can be proposed.
    Ask(Box<Clarification>),
    /// It is to be done if something is so, which has to be looked up first.
    Depends(Box<Depending>),
    /// Nobody can use the planner's answer; this is what to say.
    NotUnderstood(String),
    /// Built-in understanding is in doubt; nothing is done before that is settled.
    Doubt(Box<Doubt>),
}

/// Said to a message that was not read to its end.
pub const TOO_MUCH: &str =
    "That was too much at once, so nothing was done. Could you say it in parts, a few sentences each?";
pub(super) const REPHRASE: &str = "I had trouble making sense of that. Nothing was done. Could you say it another way?";

/// A plan that is to be carried out if something is so.
#[derive(Debug)]
pub struct Depending {
    pub plan: Plan,
    pub condition: Condition,
    /// For the person, when something unusual happened on the way.
    pub remark: Option<&'static str>,
    /// Whose it is.
    pub planner: Planner,
}

/// The request as the person made it, the earlier one included.
pub fn request(facts: &TurnFacts, topic: &Topic<'_>) -> String {
    let earlier =
        topic.answers.map(|q| q.request.clone()).or_else(|| topic.amends.map(|amended| amended.request.clone()));
    match earlier {
        Some(earlier) => format!("{earlier}\n{}", facts.words()),
        None => facts.words().to_owned(),
    }
}

/// What was asked and planned before, for a planner.
pub(super) fn earlier(topic: &Topic<'_>) -> String {
    let json = |actions: Vec<Value>| Value::Array(actions).to_string();
    if let Some(question) = topic.answers {
        let waiting = match question.rest.actions.as_slice() {
            [] => String::new(),
            rest => format!(
                "\nThese wait for the answer, too: {}",
                json(rest.iter().map(PlannedAction::as_proposed).collect())
            ),
        };
        return format!(
            "The person asked before: {}\nYou asked back: {}\nThe request below answers that.{waiting}",
            question.request, question.question
        );
    }
    if let Some(amended) = topic.amends {
        let stands = if amended.card.is_some() { "This waits for their yes" } else { "This is a draft so far" };
        return format!(
            "The person asked before: {}\n{stands}: {}\nThe request below changes it: plan the whole of it again, changed.",
            amended.request,
            amended.as_shown(),
        );
    }
    String::new()
}

/// A plan as a proposal, and what of it is too much for one turn.
pub(super) fn proposed(mut plan: Plan, remark: Option<&'static str>, planner: Planner) -> Planned {
    let left = plan.actions.split_off(plan.actions.len().min(limits::PLAN_ACTIONS_MAX));
    Planned::Plan { plan: tidy(plan), left, remark, planner }
}

/// A plan whose blanks are nothing.
pub(super) fn tidy(mut plan: Plan) -> Plan {
    plan.question = plan.question.filter(|question| !question.trim().is_empty());
    plan.open = plan.open.filter(|open| !open.trim().is_empty());
    plan
}
