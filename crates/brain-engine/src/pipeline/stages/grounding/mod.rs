//! Grounding: a plan is held against what was said before the gate sees it, whoever planned.
//!
//! ```text
//! plan ─► values: groundless ones are left out, or asked for ─► mood: what asks, denies or tells writes nothing
//!      ─► exact: it goes on to the gate  ·  likely: proposed on a button  ·  else: asked, or said that nothing was done
//! ```
//!
//! Invariants: what a question, a denial or a condition says changes nothing; what is only told is proposed at most;
//! what is proposed runs as it was shown, through the gate. Not here: cards (what needs a yes is asked for anyway,
//! unless it was a question), and what a ground is (`language::grounding`).

mod amended;
mod found;
mod judging;
pub(super) mod proposed;

use self::found::TargetCheck;
use self::judging::Judging;
pub(super) use self::judging::{is_exact, may_be_offered};
use super::doubts::Doubt;
use super::{answers, known};
use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use crate::pipeline::stages::selection::SpeechAct;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::ports::records::{Clarification, Message, Speaker};
use brain_language::language::grounding::Ground;
use brain_language::language::reading::{Mood, Reading};
use brain_language::language::requests::Understood;
use brain_language::language::time::Reference;
use brain_services::services::planning::plan_grounding::{Judge, PlanGrounding, Planner, TurnPart};

/// Messages back to which something that was shown may be pointed at.
const IN_SIGHT_MAX: usize = 4;

/// How far back words count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// What is said now.
    Words,
    /// And what it completes, or may point at.
    ThisMessage,
    Conversation,
}

/// What became of a plan.
#[derive(Debug)]
pub(crate) enum Grounded {
    /// It goes on to the gate; what was left out of it is told.
    Plan { plan: Plan, remarks: Vec<String> },
    /// It is not done before its person has said so.
    Doubt(Box<Doubt>),
    /// Something required was not said.
    Ask(Box<Clarification>),
}

/// Whether a small model alone takes the message for this: code reads something else, or nothing. Of tools it reads nothing
/// ever.
fn is_guessed(brain: &Brain, facts: &TurnFacts, planner: Planner, planned: &PlannedAction) -> bool {
    let is_it = |read: &PlannedAction| (&read.service, &read.command) == (&planned.service, &planned.command);
    let has_tools = || brain.services.now().find(&planned.service).is_some_and(|service| service.has_tools());
    planner == Planner::Model
        && brain.is_small()
        && !has_tools()
        && match facts.understood(&[]) {
            Understood::Plan { plan, .. } | Understood::Partly { plan, .. } => !plan.actions.iter().any(is_it),
            Understood::Ask { partial, .. } => !is_it(&partial),
            Understood::Which { readings } => !readings.iter().flat_map(|plan| &plan.actions).any(is_it),
            Understood::NotUnderstood { .. } | Understood::SmallTalk | Understood::TooMuch => true,
        }
}

/// Holds a plan against the message; one of a later round against what was found meanwhile, too.
pub(crate) async fn check(
    brain: &Brain,
    facts: &TurnFacts,
    topic: &Topic<'_>,
    domains: &[String],
    plan: Plan,
    planner: Planner,
) -> Grounded {
    let is_judged = brain.policy.grounds_plans && facts.origin().is_own_words();
    if !is_judged || plan.actions.is_empty() {
        return Grounded::Plan { plan, remarks: Vec::new() };
    }
    match (topic.amends, planner) {
        (Some(amended), Planner::Model) => return amended::check(brain, facts, amended, domains, plan).await,
        // What code changes of a card is what was said.
        (Some(amended), Planner::BuiltIn) if amended.card.is_some() => {
            return Grounded::Plan { plan, remarks: Vec::new() };
        }
        (Some(_) | None, Planner::Model | Planner::BuiltIn) => {}
    }
    let reference = facts.reference();
    // What a small model alone takes the message for stands by the words of the message, all of them, or not at all.
    let all_guessed = topic.is_new() && plan.actions.iter().all(|planned| is_guessed(brain, facts, planner, planned));
    let reach = if all_guessed { Reach::Words } else { Reach::Conversation };
    let ground = ground(brain, facts, topic, facts.reading(), &reference, reach);
    let people = known::meant(brain, facts, &plan.actions, &facts.own_words()).await.unwrap_or_default();
    let completes = topic.answers.is_some() || topic.amends.is_some();
    let part = match topic.round {
        Some(_) => TurnPart::LaterRound,
        None if completes => TurnPart::Answer,
        None if plan.open.is_some() => TurnPart::FirstRound,
        None => TurnPart::Message,
    };
    let judge =
        Judge { ground: &ground, reference: &reference, people: &people, planner, part, conditions: topic.conditions };
    let judging = Judging { brain, facts, judge, services: brain.services.now(), domains };

    let (plan, mut standings) = match read(&judging, topic, plan, all_guessed) {
        Ok(read) => read,
        Err(otherwise) => return otherwise,
    };
    // What was said beside it is not done, and that is told.
    let kept: Vec<bool> = standings.iter().map(|standing| !is_contradicted(standing)).collect();
    let left = plan.actions.iter().zip(&kept).filter(|(_, kept)| !**kept);
    let left_out = |(planned, _)| {
        let what = show::meant(&brain.services, std::slice::from_ref(planned));
        format!("I didn't {what}: that didn't read as something to do.")
    };
    let remarks: Vec<String> = left.map(left_out).chain(judging.told_beside(&plan)).collect();
    let plan = only(plan, &kept);
    standings.retain(|standing| !is_contradicted(standing));
    match judging.found(&plan).await {
        TargetCheck::AsSaid => {}
        TargetCheck::Doubt(doubt) => return Grounded::Doubt(below(remarks, doubt)),
        // Of what was only told nobody is asked which one it is.
        TargetCheck::Which { .. } if standings.iter().all(|standing| *standing == PlanGrounding::Told) => {
            return Grounded::Doubt(below(remarks, Box::new(proposed::contradicted(brain, facts, Mood::Statement))));
        }
        TargetCheck::Which { index, choices } => {
            let mut asked = found::which_one(facts, topic, domains, plan, index, choices);
            asked.question = remarks.into_iter().chain([asked.question]).collect::<Vec<_>>().join("\n");
            return Grounded::Ask(Box::new(asked));
        }
    }
    let has_card = |planned: &PlannedAction| !judging.is_low_write(planned);
    match worst(&standings) {
        // A card asks already, with every value of it.
        Some(PlanGrounding::Likely) if plan.actions.iter().all(has_card) => Grounded::Plan { plan, remarks },
        Some(PlanGrounding::Likely | PlanGrounding::Told) => {
            let may_be = |planned: &PlannedAction| domains.contains(&planned.service) && judging.services.fits(planned);
            let kept: Vec<bool> = plan.actions.iter().map(may_be).collect();
            let is_all = kept.iter().all(|kept| *kept);
            let doubt = proposed::proposed(brain, facts, only(plan, &kept), &people, is_all).await;
            Grounded::Doubt(below(remarks, Box::new(doubt)))
        }
        Some(PlanGrounding::Exact | PlanGrounding::Contradicted(_)) | None => Grounded::Plan { plan, remarks },
    }
}

/// How each action of a plan stands by the words, or what there is to say of the plan instead of doing any of it.
fn read(
    judging: &Judging<'_>,
    topic: &Topic<'_>,
    mut plan: Plan,
    all_guessed: bool,
) -> Result<(Plan, Vec<PlanGrounding>), Grounded> {
    let Judging { brain, facts, domains, .. } = *judging;
    let is_order = topic.selection.map(|selection| selection.said == SpeechAct::Order);
    let standings = match judging.standings(&mut plan, is_order) {
        Ok(standings) => standings,
        // Of what nobody else sees in the message nothing more is asked.
        Err(_) if all_guessed && !judging.may_ask(&plan) => {
            return Err(Grounded::Doubt(Box::new(Doubt::nothing(brain, facts))));
        }
        Err((index, param)) => {
            return Err(Grounded::Ask(Box::new(proposed::asks(brain, facts, topic, domains, plan, index, param))));
        }
    };
    let lacks_something = !plan.actions.iter().any(|planned| judging.services.fits(planned));
    if all_guessed && !judging.is_carried(&plan) && !(lacks_something && judging.may_ask(&plan)) {
        return Err(Grounded::Doubt(Box::new(Doubt::nothing(brain, facts))));
    }
    // Where code misread one part, it misread the message.
    if standings.contains(&PlanGrounding::Contradicted(Mood::Fragment)) {
        return Err(Grounded::Doubt(Box::new(Doubt::nothing(brain, facts))));
    }
    if let Some(other) = judging.other_reading(&plan) {
        return Err(Grounded::Doubt(Box::new(Doubt::which(brain, vec![other, plan]))));
    }
    if let Some(PlanGrounding::Contradicted(mood)) = worst(&standings).filter(|_| standings.iter().all(is_contradicted))
    {
        return Err(Grounded::Doubt(Box::new(proposed::contradicted(brain, facts, mood))));
    }
    Ok((plan, standings))
}

/// The person's words, and what they may point at.
pub(super) fn ground<'r>(
    brain: &Brain,
    facts: &TurnFacts,
    topic: &Topic<'_>,
    reading: &'r Reading,
    reference: &Reference,
    reach: Reach,
) -> Ground<'r> {
    let answered = topic.answers.map(|question| question.request.as_str());
    let picked = topic.answers.and_then(|question| answers::picked(facts, question));
    let found = topic.round.into_iter().flat_map(|(facts, _)| facts).map(String::as_str);
    let amended = topic.amends.map(|amended| brain.services.now().values(&amended.actions)).unwrap_or_default();
    let amended = amended.iter().map(String::as_str);
    let completes: Vec<&str> = answered.into_iter().chain(picked).chain(found).chain(amended).collect();
    let earlier: Vec<&str> = match reach {
        Reach::Conversation => facts.conversation().own_words().collect(),
        Reach::Words | Reach::ThisMessage => Vec::new(),
    };
    // What was only proposed is no ground for more of the like: a planner made it up.
    let is_shown = |message: &&Message| message.speaker == Speaker::Assistant && !message.only_proposes;
    let shown = facts.history.iter().rev().take(IN_SIGHT_MAX).filter(is_shown);
    let passed_on = facts.incoming.passed_on().map(|part| part.text.as_str());
    let replied = facts.replied.iter().map(|replied| replied.text.as_str());
    let shown = shown.filter(|_| reach != Reach::Words).map(|message| message.text.as_str());
    let in_sight: Vec<&str> = passed_on.chain(replied).chain(shown).collect();
    Ground::of(reading, &completes, &earlier, &in_sight, reference)
}

/// A doubt below what is told of the rest.
fn below(remarks: Vec<String>, mut doubt: Box<Doubt>) -> Box<Doubt> {
    doubt.words = remarks.into_iter().chain([doubt.words]).collect::<Vec<_>>().join("\n");
    doubt
}

fn worst(standings: &[PlanGrounding]) -> Option<PlanGrounding> {
    standings.iter().max().copied()
}

fn is_contradicted(standing: &PlanGrounding) -> bool {
    matches!(standing, PlanGrounding::Contradicted(_))
}

/// The actions that are kept, which depend on each other by their new places.
pub(super) fn only(plan: Plan, kept: &[bool]) -> Plan {
    if kept.iter().all(|kept| *kept) {
        return plan;
    }
    let place = |on: usize| kept.get(on).is_some_and(|kept| *kept).then(|| kept[..on].iter().filter(|k| **k).count());
    let actions = plan.actions.into_iter().zip(kept).filter(|(_, kept)| **kept);
    let actions = actions.map(|(mut action, _)| {
        action.depends_on = action.depends_on.into_iter().filter_map(place).collect();
        action
    });
    Plan { actions: actions.collect(), question: plan.question, open: plan.open }
}
