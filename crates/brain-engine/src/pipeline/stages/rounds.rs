//! The rounds of a turn: plan, gate, execute, reflect, at most so many times.
//!
//! ```text
//! plan ─► condition ─► grounded ─► gate ─► execute ─► anything open, or said and not taken up?
//!   ▲                                                   no ─► told · waits for a yes or an answer ─► told
//!   │                                                   yes ─► reflect ─► complete, or unclear ─► told
//!   └──────────── what is missing ◄──────────────────────────────┘ the same again, or nothing new ─► told
//! ```
//!
//! Invariants: every round goes the whole way, within the services that the request was routed to; what an earlier one
//! found is data for the next; what it did or tried is not done again; where rounds end before all is done, that is
//! said.

pub(super) mod noted;
mod of_the_turn;
mod running;

use std::future::ready;
use std::ops::ControlFlow;

use self::noted::WeighedPlan;
use super::answers;
use super::condition::{self, Unmet};
use super::context::Context;
use super::doubts::Doubt;
use super::gate::{self, Gated};
use super::grounding::{self, Grounded};
use super::later::{self, Sorted};
use super::order::{self, InOrder};
use super::own_rules;
use super::plan;
use super::progressing::{Progressing, put_together, told_by_receipts};
use super::unfinished::{self, ChosenNext, EndedRound};
use super::{investigate, omissions, reflect, resolve};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, STOPPED, sorry};
use crate::pipeline::consent::cards;
use crate::pipeline::show;
use crate::pipeline::stages::topic::{self, Planned, Topic};
use crate::pipeline::turn::{Turn, TurnAccount, TurnError, TurnFacts};
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::provenance::{self, Sources, UntrustedText, WrittenBy};
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::Usage;
use brain_core::ports::records::{Clarification, SpanOutcome};

/// Said above what one look gives to a question that needs several.
const ONE_SOURCE: &str = "This is one look, which may not be the whole answer:";

/// Plans, gates and executes until nothing is missing. Once something was done, an end before that (`/cancel`, a
/// store that fails) loses nothing of it: it is told, and why it ended there.
pub(crate) async fn rounds(
    turn: &Turn<'_>,
    domains: &[String],
    context: &Context,
    topic: Topic<'_>,
) -> Result<Answer, TurnError> {
    let mut so_far = begun(turn.brain, &turn.facts, context, &topic);
    match one_after_the_other(turn, domains, context, &topic, &mut so_far).await {
        Ok(None) => {}
        Ok(Some(instead)) => return Ok(instead),
        Err(error) if so_far.answer.reports.is_empty() || turn.account.is_shadow() => return Err(error),
        Err(TurnError::Cancelled) => so_far.results.add_remark(STOPPED.to_owned()),
        Err(TurnError::Store(error)) => {
            tracing::error!(%error, "a later round failed");
            so_far.results.add_remark(sorry(&error));
        }
    }
    so_far.name_what_is_left(turn.brain);
    if omissions::name_what_is_missing(turn.brain, &turn.facts, &topic, &mut so_far) {
        return Ok(told_by_receipts(turn.brain, &turn.facts, so_far).holding(context.untrusted.clone()));
    }
    turn.asked_before().keep_plan(&so_far);
    Ok(put_together(turn, so_far, context).await)
}

/// What rounds begin with: whose words are whose.
pub(super) fn begun(brain: &Brain, facts: &TurnFacts, context: &Context, topic: &Topic<'_>) -> Progressing {
    let untrusted = others_words(brain, facts, context, topic);
    let picked = topic.answers.and_then(|question| answers::picked(facts, question)).map(str::to_owned);
    let completes = topic.answers.into_iter().flat_map(|question| question.own.iter().cloned()).chain(picked).collect();
    let written_by = WrittenBy::Planner { records: context.own.clone(), completes };
    let sources = Sources { own: own_words(brain, facts, topic), untrusted, written_by, ..Sources::default() };
    let replaces = topic.amends.and_then(|amended| amended.card).map(|pending| pending.id.clone());
    let said = said(facts, topic);
    Progressing { sources, said, replaces, ..Progressing::new(Path::Action) }
}

/// The rounds themselves. Gives the answer to what nobody understood well enough to do.
async fn one_after_the_other(
    turn: &Turn<'_>,
    domains: &[String],
    context: &Context,
    topic: &Topic<'_>,
    so_far: &mut Progressing,
) -> Result<Option<Answer>, TurnError> {
    let request = topic::request(&turn.facts, topic);
    let (mut still, whole): (Option<String>, _) = (None, topic);
    for round in 0..limits::REFLECT_ROUNDS_MAX {
        let facts = so_far.results.facts.clone();
        let before = so_far.outcomes();
        // Nothing has come of it yet.
        let is_first = so_far.answer.reports.is_empty();
        let of_round = topic.selection.and_then(|selection| selection.of_round(round));
        let topic = Topic {
            answers: topic.answers,
            amends: topic.amends,
            investigates: topic.investigates,
            selection: of_round.as_ref(),
            round: still.as_deref().map(|still| (facts.as_slice(), still)),
            depth: round,
            conditions: so_far.conditions,
            unanswered: topic.unanswered,
        };
        let planned = turn.unless_cancelled(plan::make(turn, domains, context, &topic)).await?;
        let planned = match planned {
            Planned::Depends(depending) => match condition::weigh(turn.brain, &turn.facts, *depending, so_far).await {
                Ok(planned) => planned,
                Err(Unmet { words, untrusted }) if round == 0 => {
                    return Ok(Some(Answer::says(Path::Action, words).holding(untrusted)));
                }
                Err(Unmet { words, untrusted }) => {
                    so_far.answer.untrusted.extend(untrusted);
                    so_far.results.add_remark(words);
                    break;
                }
            },
            planned => planned,
        };
        let topic = Topic { conditions: so_far.conditions, ..topic };
        noted::planned(turn.account, &planned);
        let ControlFlow::Continue(planned) =
            grounded(turn.brain, &turn.facts, turn.account, domains, &topic, planned, so_far).await
        else {
            break;
        };
        let open = match planned {
            Planned::Plan { mut plan, left, remark, planner: _ } => {
                // Who is on what is changed was settled when it was made.
                if topic.amends.is_none() {
                    let copied = own_rules::copied(turn.brain, &turn.facts, &mut plan).await;
                    copied.iter().for_each(|whom| so_far.sources.own.push_str(&format!("\n{whom}")));
                }
                so_far.left.extend(left);
                if round == 0 {
                    let one_source = topic.investigates.then_some(ONE_SOURCE);
                    remark.into_iter().chain(one_source).for_each(|said| so_far.results.add_remark(said.to_owned()));
                }
                one_round(turn, plan, domains, &request, so_far).await?
            }
            Planned::Ask(question) => {
                so_far.ask(*question);
                None
            }
            Planned::NotUnderstood(words) if round == 0 => return Ok(Some(Answer::says(Path::Clarify, words))),
            Planned::Doubt(doubt) if is_first && may_be_searched(turn.brain, &turn.facts, &doubt) => {
                let asked = doubt.ask(turn.brain, &turn.facts, domains, &so_far.sources, so_far.said.clone());
                let asked = ready(asked.map_err(TurnError::from));
                return Ok(Some(investigate::or_searched(turn, asked).await?));
            }
            Planned::Doubt(doubt) if is_first => {
                return Ok(Some(doubt.ask(turn.brain, &turn.facts, domains, &so_far.sources, so_far.said.clone())?));
            }
            Planned::NotUnderstood(_) | Planned::Doubt(_) | Planned::Depends(_) => None,
        };
        turn.account.knows(&so_far.results.receipts);
        match unfinished::chosen_next(whole, round, so_far) {
            ChosenNext::Words(words) => {
                still = Some(words);
                continue;
            }
            ChosenNext::Ended => break,
            ChosenNext::Nothing => {}
        }
        let round = EndedRound { at: round, missed: still.take(), is_new: so_far.outcomes() > before };
        let Some(open) = unfinished::open_part(turn.brain, &turn.facts, whole, &round, open, so_far) else { break };
        let reflected = turn.unless_cancelled(reflect::missing(turn, &open.words, &so_far.results.facts)).await?;
        still = unfinished::missing(reflected, &open, &round, so_far);
        if still.is_none() {
            break;
        }
    }
    Ok(None)
}

/// What a round planned, held against the message. It breaks off where a later round took a step that nobody asked for.
async fn grounded(
    brain: &Brain,
    facts: &TurnFacts,
    account: &TurnAccount,
    domains: &[String],
    topic: &Topic<'_>,
    planned: Planned,
    so_far: &mut Progressing,
) -> ControlFlow<(), Planned> {
    let Planned::Plan { plan, left, remark, planner } = planned else { return ControlFlow::Continue(planned) };
    let is_first = so_far.answer.reports.is_empty();
    let would = show::meant(&brain.services, &plan.actions);
    let weighed = WeighedPlan::of(account, &plan);
    let grounded = grounding::check(brain, facts, topic, domains, plan, planner).await;
    weighed.grounded(&grounded);
    ControlFlow::Continue(match grounded {
        Grounded::Plan { plan, remarks } => {
            remarks.into_iter().for_each(|remark| so_far.results.add_remark(remark));
            Planned::Plan { plan, left, remark, planner }
        }
        Grounded::Doubt(_) if !is_first => {
            so_far.results.add_remark(format!(
                "There was one more step I could take: {would}. You didn't quite ask for it, so it isn't done."
            ));
            return ControlFlow::Break(());
        }
        Grounded::Doubt(doubt) => Planned::Doubt(Box::new(Doubt { remark, ..*doubt })),
        Grounded::Ask(question) => Planned::Ask(question),
    })
}

/// Whether a search may answer instead: what asked, and what nobody understood without a model.
fn may_be_searched(brain: &Brain, facts: &TurnFacts, doubt: &Doubt) -> bool {
    let may_ask = || doubt.choices.is_empty() || doubt.is_order || facts.leaning().is_some();
    doubt.is_question || brain.model.is_none() && may_ask()
}

/// The person's own words about this request, from when it was first made.
fn said(facts: &TurnFacts, topic: &Topic<'_>) -> Vec<String> {
    let earlier = topic.answers.into_iter().flat_map(|question| question.own.iter().cloned());
    let now = facts.origin().is_own_words().then(|| facts.words().to_owned());
    earlier.chain(now).collect()
}

/// What the person said, what they picked from choices that code listed, and what was theirs in the actions that
/// waited for this answer, or on the card that they are changing.
fn own_words(brain: &Brain, facts: &TurnFacts, topic: &Topic<'_>) -> String {
    let picked = topic.answers.and_then(|question| answers::picked(facts, question)).map(str::to_owned);
    let waited = topic.answers.into_iter().flat_map(|question| question.own.iter().cloned());
    let carded = topic.amends.and_then(|amended| amended.card).into_iter().flat_map(|pending| &pending.actions);
    let carded = carded
        .flat_map(|action| gate::nobody_elses(brain, &action.service, &action.command, &action.params, &action.taints));
    // What a draft says, and to whom, was settled when it was written, with a yes where it was not the person's own.
    let drafted = topic.amends.filter(|amended| amended.card.is_none());
    let drafted = drafted.into_iter().flat_map(|amended| &amended.actions).flat_map(|planned| {
        let entry = brain.services.command(&planned.service, &planned.command);
        let people = entry.map(|entry| resolve::people_of(entry.as_ref(), &planned.params)).unwrap_or_default();
        // An address or a link in it is no more theirs to send to than it was.
        let texts = provenance::untainted(&planned.params, &[], &[]).into_iter();
        people.into_iter().chain(texts.filter(|text| !text.contains(['@', '/'])))
    });
    let all = [facts.own_words()].into_iter().chain(picked).chain(waited).chain(carded).chain(drafted);
    all.collect::<Vec<_>>().join("\n")
}

/// Everything in sight of the planner that is not the person's own: the context, the conversation, and what
/// was already found to be others' words in the question or the card this message is about.
fn others_words(brain: &Brain, facts: &TurnFacts, context: &Context, topic: &Topic<'_>) -> Vec<UntrustedText> {
    let quoted = topic.answers.into_iter().flat_map(|q| q.quoted.iter().cloned());
    let asked = topic.answers.into_iter().flat_map(|q| &q.taints);
    let carded = topic.amends.and_then(|amended| amended.card).into_iter().flat_map(|p| &p.actions);
    let known = asked.chain(carded.flat_map(|action| &action.taints));
    let known = known.cloned().map(UntrustedText::from);
    let mut words = context.untrusted.clone();
    words.extend(facts.others_words(&brain.services));
    words.extend(known);
    words.extend(quoted);
    words
}

/// Gates and executes one plan. Gives what the plan leaves open. What changes the same thing again is gated once the first
/// change is done: before that nobody knows what it changes.
pub(crate) async fn one_round(
    turn: &Turn<'_>,
    mut plan: Plan,
    domains: &[String],
    request: &str,
    so_far: &mut Progressing,
) -> Result<Option<String>, TurnError> {
    let (gating, mut open) = (Gating { turn, domains, request }, None);
    loop {
        let again = order::changes_again(turn.brain, &plan.actions);
        let later = grounding::only(Plan { actions: plan.actions.clone(), ..Plan::default() }, &again);
        let first: Vec<bool> = again.iter().map(|again| !again).collect();
        open = gating.round(grounding::only(plan, &first), so_far).await?.or(open);
        if later.actions.is_empty() {
            return Ok(open);
        }
        plan = later;
    }
}

/// What a plan is gated and executed with.
struct Gating<'a> {
    turn: &'a Turn<'a>,
    domains: &'a [String],
    request: &'a str,
}

impl Gating<'_> {
    /// What can be done side by side.
    async fn round(&self, plan: Plan, so_far: &mut Progressing) -> Result<Option<String>, TurnError> {
        let Self { turn, domains, request } = *self;
        let InOrder { plan, stopped: misplaced, remarks } = order::check(turn.brain, plan);
        remarks.into_iter().for_each(|remark| so_far.results.add_remark(remark));
        let mut plan = reflect::without_repeats(&turn.brain.services, plan, &so_far.answer.reports, &so_far.proposed);
        so_far.answer.reports.extend(misplaced);
        so_far.proposed.extend(plan.actions.iter().cloned());
        if !turn.account.is_shadow() {
            plan = self.of_the_turn(plan, so_far).await?;
        }
        let open = plan.open.take();
        let free_question = plan.question.take();
        turn.account.came_to(&["plan", "build_params"], names(plan.actions.iter().map(PlannedAction::name)));
        let (started, planned) = (turn.account.elapsed_us(), plan.actions.len());
        let weighed = WeighedPlan::of(turn.account, &plan);
        let gated = gate::check(turn.brain, &turn.facts, plan, domains, &so_far.sources, &so_far.told).await;
        if planned > 0 {
            turn.account.traced("gate", started, 0, Usage::default(), SpanOutcome::Ok);
            let Gated { now, later, stopped, .. } = &gated;
            let gave = format!("{} run, {} wait, {} refused", now.len(), later.len(), stopped.len());
            turn.account.came_to(&["gate"], gave);
            weighed.gated(&gated);
            turn.account.gated(|round| noted::at_gate(turn.brain, &gated, round));
            if !noted::only_looks_here(turn.brain, &gated) {
                turn.account.ends_shadow()?;
            }
        }
        let Gated { now, later, stopped, remarks, told } = gated;
        so_far.told = told;
        so_far.answer.reports.extend(stopped);
        remarks.into_iter().for_each(|remark| so_far.results.add_remark(remark));

        let mut failed = Vec::new();
        if !now.is_empty() {
            let indexes: Vec<usize> = now.iter().map(|passed| passed.index).collect();
            let along = std::mem::take(&mut so_far.along);
            let started = turn.account.elapsed_us();
            let ran = running::run_now(turn, now, request, so_far.run.is_some(), along).await?;
            turn.account.traced("execute", started, 0, Usage::default(), SpanOutcome::Ok);
            let came = ran.run.steps.iter().map(show::step_report);
            let came =
                came.map(|report| format!("{}.{} {:?}", report.service, report.command, report.status).to_lowercase());
            turn.account.came_to(&["execute"], names(came));
            failed = indexes
                .iter()
                .zip(&ran.run.steps)
                .filter(|(_, step)| !step.succeeded())
                .map(|(index, _)| *index)
                .collect();
            if ran.revision.is_some() {
                so_far.run = Some(ran.run.id.clone());
            }
            so_far.add(turn.brain, &turn.facts, ran)?;
        }
        let Sorted { consent, held, blocked } = later::sort(later, &failed);
        blocked.iter().for_each(|later| so_far.blocked(turn.brain, later));
        if !consent.is_empty() {
            let asking = so_far.asking(turn.brain, consent, (request, domains), open.as_deref());
            cards::ask(turn.brain, &turn.facts, asking, &mut so_far.answer)?;
        }
        let rest = Plan { question: free_question.clone(), open: open.clone(), ..Plan::default() };
        if let Some(question) = later::question(turn.brain, &turn.facts, held, request, domains, rest) {
            so_far.ask(question);
        } else if let Some(question) = free_question {
            so_far.ask(Clarification::asks(request.to_owned(), question, domains, turn.facts.ctx.now));
        }
        Ok(open)
    }
}

fn names(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
