//! Built-in language understanding: what a message is about, and a plan for everyday requests, without a model.
//!
//! ```text
//! text ─► text (tokens) ─► annotated (times and priorities masked) ─► borders ─► chart (the cheapest derivation)
//!      ─► derivation (what is said beside, what points back) ─► finish ─► unread (the account) ─► Plan or a question
//! a part: parser ─► matching (frames) ─► reading ─► a builder (with each command, in the folder of its service)
//! text ─► intents (what the parts seem to ask) ─► routing
//! a model's plan ─► held (what of the message it leaves out)
//! ```
//!
//! It runs when no model is configured, catches a failed stage and drives speculation. Invariants: no I/O, no
//! clock; the same hearing gives the same answer; no input panics and work is bounded; plans name only
//! commands and parameters that are registered; times and people stay in the person's words. What people say
//! stands beside the services (`phrases.en.txt`) and in `data/language/requests`, never in code.
//!
//! Deliberately not here: resolving times and people, stakes, and any knowledge of what services hold.

mod account;
pub mod annotated;
pub mod antecedent;
mod asides;
mod borders;
pub mod built;
pub mod built_in;
mod carried;
mod chart;
mod condition;
pub mod coordination;
pub mod derivation;
mod explain;
mod families;
mod finish;
pub mod grammar;
pub mod history;
pub mod intents;
pub mod lexicon;
pub mod matching;
mod notation;
mod orders;
mod parse_input;
pub mod parser;
pub mod phrases;
mod plan_check;
mod plan_wording;
mod prices;
mod question_scoring;
mod question_words;
pub mod reading;
mod reports;
mod residue;
pub mod several;
pub mod slot_types;
mod talk;
pub mod text;
mod understood;

pub use text::{RULES, TOKENS_MAX, own_words};

use std::ops::Range;

use annotated::AnnotatedText;

use condition::Spoken;
use derivation::Derived;
use grammar::GRAMMAR;
use parser::{Parser, Passage};

use crate::language::tables::MadeTables;
use crate::language::work::Work;
use brain_core::core::plan::{Plan, PlannedAction};

pub use account::{AccountedPart, PartAccount, Residue, SpanRole};
pub use built::Builders;
pub use condition::{Condition, unheeded_conditions};
pub use families::{
    FamilyQuestion, QuestionFamily, Refinement, asked_for, circle_elsewhere, is_earlier, is_joining, is_money,
    is_question, is_until, question, refinement, span, without_meeting,
};
pub use intents::{Intents, asks_nothing};
pub use notation::Mistake;
pub use orders::{begins_as_order, is_shortened, is_worded_with, order};
pub use parse_input::{ParseInput, Past};
pub use parser::parsed;
pub use phrases::{Phrases, PhrasesError};
pub use plan_check::left_out;
pub use prices::TokenClass;
pub use question_scoring::{leaning, plain_leaning};
pub use question_words::{is_bill, is_detail, says_which};
pub use reports::{ReportKind, StateReport, is_bare_report, report};
pub use talk::{asked_plainly, chat, gives_up, is_read, is_request, is_small_talk, language, not_understood};
pub use understood::{PlanDraft, Understood};

/// Makes the grammar, and the frames of what else is read, unless they are made.
pub(super) fn ready() {
    MadeTables::force(&GRAMMAR);
    reports::ready();
    families::ready();
}

/// Plans a message. Only commands of `domains` come back; an empty slice allows any.
pub fn plan(input: &ParseInput, domains: &[String]) -> Understood {
    plan_within(input, domains, &Work::default())
}

/// The same with the steps that are given: [`Understood::TooMuch`] where they do not suffice.
pub fn plan_within(input: &ParseInput, domains: &[String], work: &Work) -> Understood {
    parsed(input, domains, work, planned)
}

/// The plan of a message that is parsed.
pub fn planned(parser: &Parser) -> Understood {
    let understood = conditional(parser);
    if parser.work.is_spent() { Understood::TooMuch } else { understood }
}

/// What a message comes to; a condition that it sets is never left out of it in silence.
fn conditional(parser: &Parser) -> Understood {
    let input = parser.input;
    let planned = |text: &str| {
        parsed(&ParseInput { text, ..*input }, parser.domains, parser.work, without_conditions).into_plan()
    };
    let depends = |account: &PartAccount, span| depending(input, account, span, &planned);
    let understood = without_conditions(parser);
    let depending = match &understood {
        Understood::Partly { account, .. } => {
            condition::only_condition(account).and_then(|span| depends(account, span))
        }
        Understood::NotUnderstood { .. } => {
            Spoken::find(input.text, input.reference).first().and_then(|(text, span)| {
                let parts = vec![AccountedPart { span: 0..text.len(), role: SpanRole::Command }];
                depends(&PartAccount { text, parts }, span)
            })
        }
        Understood::Plan { plan, account, .. } => conditions(input, &plan.actions).and_then(|spoken| {
            match spoken.dropped(account, &plan.actions) {
                Some(span) => depends(account, span).or_else(|| Some(asked_about(&spoken, plan.clone(), account))),
                // What is said before a request is no part of what it keeps.
                None => depends(account, spoken.begins()?),
            }
        }),
        Understood::Ask { partial, .. } => whole_without(input, std::slice::from_ref(partial)),
        Understood::Which { readings } => readings.first().and_then(|plan| whole_without(input, &plan.actions)),
        Understood::SmallTalk | Understood::TooMuch => None,
    };
    depending.unwrap_or(understood)
}

/// Where a message says what some actions depend on. What only looks something up depends on nothing, what waits heeds
/// it, and what a service says itself of its commands covers the whole of the message.
fn conditions(input: &ParseInput, actions: &[PlannedAction]) -> Option<Spoken> {
    let heeds = |action: &PlannedAction| {
        let command = format!("{}.{}", action.service, action.command);
        (input.builders.looks_up)(&command)
            || (input.builders.waits)(&command)
            || input.phrases.iter().any(|phrases| phrases.service() == action.service)
    };
    let spoken = (!actions.iter().all(heeds)).then(|| Spoken::find(input.text, input.reference))?;
    (!spoken.spans.is_empty()).then_some(spoken)
}

/// The same where nothing was accounted for.
fn whole_without(input: &ParseInput, actions: &[PlannedAction]) -> Option<Understood> {
    let spoken = conditions(input, actions)?;
    spoken.dropped(&PartAccount::default(), actions)?;
    let whole = PartAccount::new(&own_words(input.text), std::iter::once((0, SpanRole::Command)));
    Some(asked_about(&spoken, of(actions.to_vec()), &whole))
}

/// A plan whose conditions nobody can take out of the words: they are asked about.
fn asked_about(spoken: &Spoken, plan: Plan, account: &PartAccount) -> Understood {
    let text = |span: &Range<usize>| spoken.text[span.clone()].trim().to_owned();
    let unread = spoken.spans.iter().map(|span| Residue { text: text(span), class: TokenClass::Condition }).collect();
    Understood::Partly { plan, unread, account: account.clone() }
}

/// How the rest of a message is planned.
type PlansRest<'p> = &'p dyn Fn(&str) -> Option<Plan>;

/// A condition before the request: the plan of the request, and on what it depends, if nothing else was left out.
fn depending(input: &ParseInput, account: &PartAccount, span: Range<usize>, planned: PlansRest) -> Option<Understood> {
    let spoken = Spoken::find(input.text, input.reference);
    // What is to be done otherwise, or depends on something else, is no part of that plan: what is left is asked about.
    if spoken.spans.len() > 1 {
        let plan = planned(&condition::without(&spoken.text, &spoken.spans))?;
        return Some(asked_about(&spoken, plan, account));
    }
    let plan = planned(&condition::without(&account.text, std::slice::from_ref(&span)))?;
    let condition = Condition { said: reading::tidy(&account.text[span.clone()]), is_all: spoken.is_simple };
    Some(Understood::Plan { plan, condition: Some(condition), account: account.with(span, SpanRole::Condition) })
}

/// The same, where a condition is something that is left out.
fn without_conditions(parser: &Parser) -> Understood {
    let (input, heard) = (parser.input, parser.heard);
    if let Some(action) = phrases::planned(input, parser.domains, parser.work) {
        let (account, _) = residue::account(heard, None, std::slice::from_ref(&action), input.reference.now);
        return Understood::Plan { plan: of(vec![action]), condition: None, account };
    }
    let Derived { draft, parts, rival } = derivation::derived(parser);
    if draft == PlanDraft::Nothing && (derivation::says_nothing(parser) || is_talk(input)) {
        return Understood::SmallTalk;
    }
    let understood = accounted(input, heard, draft, parts.as_deref());
    match (understood, rival.map(|(draft, parts)| accounted(input, heard, draft, Some(&parts)))) {
        (Understood::Plan { plan, .. }, Some(Understood::Plan { plan: rival, .. })) if plan != rival => {
            Understood::Which { readings: vec![plan, rival] }
        }
        (understood, _) => understood,
    }
}

/// A draft, with what it leaves out of the message.
fn accounted(input: &ParseInput, heard: &AnnotatedText, draft: PlanDraft, parts: Option<&[Passage]>) -> Understood {
    let (actions, asked) = match draft {
        PlanDraft::Plan(plan) => (plan.actions, None),
        PlanDraft::Ask { question, partial, param } => (vec![partial], Some((question, param))),
        PlanDraft::Nothing => return Understood::NotUnderstood { nearest: Vec::new() },
    };
    let (account, unread) = residue::account(heard, parts, &actions, input.reference.now);
    let mut plan = of(actions);
    match asked {
        _ if !unread.is_empty() => Understood::Partly { plan, unread, account },
        Some((question, param)) => {
            let partial = plan.actions.pop().unwrap_or_default();
            Understood::Ask { question, partial, param }
        }
        None => Understood::Plan { plan, condition: None, account },
    }
}

/// Whether a message in which no request was found talks.
fn is_talk(input: &ParseInput) -> bool {
    talk::dismisses(input.text)
        || talk::is_all_talk(input.text)
        || talk::asks_for_talk(input.text) && order(input.text, input.reference).is_none()
}

fn of(actions: Vec<PlannedAction>) -> Plan {
    Plan { actions, ..Plan::default() }
}
