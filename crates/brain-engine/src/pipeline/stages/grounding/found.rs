//! Grounded targets: how many things a plan is about, whether they were meant, and whether anything changes.

use std::cmp::Ordering;

use serde_json::Value;

use super::judging::Judging;
use crate::pipeline::show;
use crate::pipeline::stages::doubts::{Doubt, LEAVE_IT};
use crate::pipeline::stages::resolve::{self, Unsettled};
use crate::pipeline::stages::topic;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Action, Plan, PlannedAction, Target};
use brain_core::core::text::visible;
use brain_core::limits;
use brain_core::ports::records::Clarification;
use brain_language::language::requests::Understood;
use brain_language::language::time::Reference;
use brain_services::services::contract::show::time;
use brain_services::services::planning::plan_grounding::{Planner, TurnPart};

/// Holds what an action is about.
const FIND_BY: &str = "find_by";
/// Holds what becomes of it.
const CHANGES: &str = "changes";
/// More things than these are not changed in one step without asking.
const AT_ONCE_MAX: usize = 3;
/// Turns in which what a pronoun may mean was spoken of.
const LATELY_MAX: usize = 3;

/// What the things that a plan is about turned out to be.
pub(super) enum TargetCheck {
    AsSaid,
    /// Too many for one step, or nothing that would change.
    Doubt(Box<Doubt>),
    /// Something that nothing of what was said points at, or less than at something else.
    Which {
        index: usize,
        /// By id, with their labels; the likeliest first.
        choices: Vec<(String, String)>,
    },
}

impl Judging<'_> {
    /// Looks at what the actions of a plan are about.
    pub async fn found(&self, plan: &Plan) -> TargetCheck {
        for (index, planned) in plan.actions.iter().enumerate() {
            let Some(entry) = self.brain.services.command(&planned.service, &planned.command) else { continue };
            let names_one = entry.writes() && planned.params.contains_key(FIND_BY);
            if !names_one {
                continue;
            }
            match resolve::settle(self.facts, entry.as_ref(), planned, self.judge.people).await {
                // More than a plan may hold is told by the gate.
                Err(Unsettled::Each(ids))
                    if ids.len() > AT_ONCE_MAX
                        && plan.actions.len() - 1 + ids.len() <= limits::PLAN_ACTIONS_MAX
                        && self.is_low_write(planned) =>
                {
                    return TargetCheck::Doubt(Box::new(self.many(plan, index, &ids)));
                }
                Ok(settled) => {
                    let Some(target) = &settled.action.target else { continue };
                    if self.judge.planner == Planner::Model {
                        let meant = self.other_item(planned, target).await.into_iter().collect::<Vec<_>>();
                        if !meant.is_empty() || !self.is_pointed_at(&target.id, &target.label) {
                            let choices = meant.into_iter().chain([named(target)]).collect();
                            return TargetCheck::Which { index, choices };
                        }
                    }
                    let is_alone = plan.actions.len() == 1;
                    if let Some(same) = changes_nothing(&settled.action, self.judge.reference).filter(|_| is_alone) {
                        let words = format!("{} is so already ({same}). Nothing was changed.", visible(&target.label));
                        return TargetCheck::Doubt(Box::new(Doubt { words, ..Doubt::default() }));
                    }
                }
                Err(Unsettled::Each(_) | Unsettled::Ask { .. } | Unsettled::Impossible(_)) => {}
            }
        }
        match self.addition(plan).await {
            Some(doubt) => TargetCheck::Doubt(Box::new(doubt)),
            None => TargetCheck::AsSaid,
        }
    }

    /// What is made under the name of something that is there is offered as an addition to it.
    async fn addition(&self, plan: &Plan) -> Option<Doubt> {
        let [planned] = plan.actions.as_slice() else { return None };
        let services = self.brain.services.now();
        let service = services.find(&planned.service)?;
        let addition = service.service.addition(&self.facts.ctx, planned).await.unwrap_or_else(|error| {
            tracing::warn!(%error, service = planned.service, "nobody can tell whether it is there already");
            None
        })?;
        let another = ("Make another".to_owned(), plan.clone());
        let there = format!("“{}” is there already.", visible(&addition.label));
        Some(match addition.action {
            Some(add) => Doubt {
                words: format!("{there} Shall I add to it? Nothing is done yet."),
                choices: vec![("Add to it".to_owned(), Plan { actions: vec![add], ..Plan::default() }), another],
                leave: LEAVE_IT,
                takes_yes: true,
                ..Doubt::default()
            },
            None => Doubt {
                words: format!("{there} Shall I make another? Nothing is done yet."),
                choices: vec![another],
                leave: LEAVE_IT,
                takes_yes: true,
                ..Doubt::default()
            },
        })
    }

    /// What the words themselves name for the same command, where that is another thing than the plan's.
    async fn other_item(&self, planned: &PlannedAction, target: &Target) -> Option<(String, String)> {
        // What a later round goes on with may be another than the words began with.
        if self.judge.part == TurnPart::LaterRound {
            return None;
        }
        let Understood::Plan { plan: own, condition: None, .. } = self.facts.understood(&[]) else { return None };
        let is_same = |other: &&PlannedAction| other.service == planned.service && other.command == planned.command;
        let mut alike = own.actions.iter().filter(is_same);
        let (Some(other), None) = (alike.next(), alike.next()) else { return None };
        let entry = self.services.command(&other.service, &other.command)?;
        let settled = resolve::settle(self.facts, entry.as_ref(), other, self.judge.people).await.ok()?;
        settled.action.target.as_ref().filter(|other| other.id != target.id).map(named)
    }

    /// Whether the person named the thing, points at what is in sight, or speaks of what was last spoken of.
    fn is_pointed_at(&self, id: &str, label: &str) -> bool {
        let past = self.facts.past();
        let lately = past.iter().rev().take(LATELY_MAX).flat_map(|past| &past.actions);
        let was_spoken_of = lately.filter_map(|action| action.item.as_ref()).any(|item| item.id == id);
        self.judge.points_at(id, label) || was_spoken_of || self.facts.pointed_at().is_some()
    }

    /// More things at once than one step takes: their number is told, and each stands in the plan that a tap takes.
    fn many(&self, plan: &Plan, index: usize, ids: &[String]) -> Doubt {
        let would = show::meant(&self.brain.services, &plan.actions);
        // Each of them stands in the place of the one; what depended on that depends on all.
        let places = |on: usize| match on.cmp(&index) {
            Ordering::Less => on..on + 1,
            Ordering::Equal => index..index + ids.len(),
            Ordering::Greater => on + ids.len() - 1..on + ids.len(),
        };
        let moved = |action: &PlannedAction| PlannedAction {
            depends_on: action.depends_on.iter().flat_map(|on| places(*on)).collect(),
            ..action.clone()
        };
        let each = |(at, action): (usize, &PlannedAction)| match at == index {
            false => vec![moved(action)],
            true => {
                let one = |id: &String| {
                    let mut one = moved(action);
                    one.params.insert(FIND_BY.to_owned(), id.clone().into());
                    one
                };
                ids.iter().map(one).collect()
            }
        };
        let actions = plan.actions.iter().enumerate().flat_map(each).collect();
        let words = format!("I'd {would}: that is {} things. Shall I? Nothing is done yet.", ids.len());
        let plan = Plan { actions, ..plan.clone() };
        let label = format!("Yes, all {}", ids.len());
        Doubt { words, choices: vec![(label, plan)], leave: LEAVE_IT, takes_yes: true, ..Doubt::default() }
    }
}

/// What an action would change to what it is already, in words; `None` where it changes anything, or nobody can tell.
fn changes_nothing(action: &Action, reference: &Reference) -> Option<String> {
    let before = &action.target.as_ref()?.before;
    let changes = action.params.get(CHANGES)?.as_object().filter(|changes| !changes.is_empty())?;
    let is_same = |(name, value): (&String, &Value)| before.get(name) == Some(value);
    let told = changes.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| time(text, reference));
        format!("{}: {value}", name.replace('_', " "))
    });
    changes.iter().all(is_same).then(|| told.collect::<Vec<_>>().join(", "))
}

/// Whether what was found is meant; the answer puts it in its place.
pub(super) fn which_one(
    facts: &TurnFacts,
    topic: &Topic<'_>,
    domains: &[String],
    mut plan: Plan,
    index: usize,
    choices: Vec<(String, String)>,
) -> Clarification {
    let labels: Vec<String> = choices.iter().map(|(_, label)| visible(label)).collect();
    let question = format!("Do you mean {}?", labels.join(" or "));
    let partial = plan.actions.remove(index);
    let asked = Clarification::asks(topic::request(facts, topic), question, domains, facts.ctx.now);
    Clarification { partial: Some((partial, FIND_BY.to_owned())), choices, rest: plan, place: index, ..asked }
}

fn named(target: &Target) -> (String, String) {
    (target.id.clone(), target.label.clone())
}
