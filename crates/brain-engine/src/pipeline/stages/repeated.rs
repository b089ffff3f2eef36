//! Questions asked again: which look a model planned for one, and its words about what that found, kept for a while.
//!
//! | kept | by what it was made from | so it is no longer found once |
//! |---|---|---|
//! | the plan | the question's words, the day, the zone, the services | it is another day, or a tool changed |
//! | the words | all of that, what was found, the memories, the manner | anything of it is another |
//!
//! Invariants: only what reads is kept, for its owner alone; it is looked up anew each time, through grounding and gate,
//! so that no answer is older than the data behind it; what leans on the conversation is not kept, nor what names a time
//! of the day; what an owner had forgotten goes with the rest of [`crate::investigate::cache`]. Not here: questions over
//! everything, which keep what they found there themselves.

use chrono::{DateTime, NaiveDateTime, Timelike};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::guessed;
use super::progressing::Progressing;
use crate::investigate::cache::{MadeFrom, OwnersCache};
use crate::pipeline::brain::Brain;
use crate::pipeline::show::Results;
use crate::pipeline::turn::{Turn, TurnAccount, TurnFacts};
use brain_core::core::markup::{Formatted, Span};
use brain_core::core::outcome::Status;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::ports::Usage;
use brain_core::ports::records::{ASKED_BEFORE, NodeContents};
use brain_language::language::grounding::Ground;
use brain_language::language::nearest;
use brain_language::language::routing::Kind;
use brain_services::services::catalog::registry::catalog_line;

/// How an instant is written out in a plan.
const INSTANTS: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

/// What is kept of words.
#[derive(Debug, Serialize, Deserialize)]
struct KeptWords {
    text: String,
    spans: Vec<Span>,
}

/// The question of a turn, and what is kept of it.
#[derive(Debug)]
pub(super) struct RepeatedQuestion<'a> {
    brain: &'a Brain,
    facts: &'a TurnFacts,
    account: &'a TurnAccount,
}

impl Turn<'_> {
    /// What is kept of its question, if that was asked before.
    pub(super) fn asked_before(&self) -> RepeatedQuestion<'_> {
        RepeatedQuestion { brain: self.brain, facts: &self.facts, account: self.account }
    }
}

impl RepeatedQuestion<'_> {
    /// What was planned then.
    pub fn plan(&self) -> Option<Plan> {
        let kept = self.of_owner().answer(self.question(&())?)?;
        let plan: Plan = serde_json::from_value(kept).ok()?;
        // What is offered may be another by now.
        self.brain.services.now().only_look(&plan.actions).then_some(plan)
    }

    /// Notes in the trace of the turn that a stage was not asked.
    pub fn note(&self, stage: &str) {
        let (now, words) = (self.account.elapsed_us(), self.facts.words().len());
        self.account.traced(stage, now, words, Usage::default(), ASKED_BEFORE);
        self.account.noted(now, || NodeContents::of(stage, self.facts.words(), ASKED_BEFORE));
    }

    /// Keeps what a model planned, if it only looks and all of it was found.
    pub fn keep_plan(&self, so_far: &Progressing) {
        let (actions, reports) = (&so_far.proposed, &so_far.answer.reports);
        let is_whole = !actions.is_empty()
            && actions.len() == reports.len()
            && reports.iter().all(|report| report.status == Status::Succeeded)
            && so_far.left.is_empty()
            && !so_far.asks();
        if !is_whole || !self.account.asked_a_model() || !self.is_self_contained(actions) {
            return;
        }
        if let (Some(key), Ok(plan)) = (self.question(&()), serde_json::to_value(plan_of(actions))) {
            self.of_owner().keep_answer(key, &plan);
        }
    }

    /// What a model said of just these results then.
    pub fn words(&self, memories: &[String], results: &Results) -> Option<Formatted> {
        let kept = self.of_owner().answer(self.told(memories, results)?)?;
        let KeptWords { text, spans } = serde_json::from_value(kept).ok()?;
        self.note("respond");
        Some(Formatted { text, spans })
    }

    /// Keeps what a model said of what was looked up.
    pub fn keep_words(&self, memories: &[String], results: &Results, words: &Formatted) {
        let Formatted { text, spans } = words.clone();
        let kept = serde_json::to_value(KeptWords { text, spans });
        if let (Some(key), Ok(kept)) = (self.told(memories, results), kept) {
            self.of_owner().keep_answer(key, &kept);
        }
    }

    fn of_owner(&self) -> OwnersCache<'_> {
        self.brain.evidence.of(self.facts.owner(), self.facts.ctx.now)
    }

    /// Of a question that is one of its own; `with`: what else it was made from.
    fn question(&self, with: &impl Serialize) -> Option<MadeFrom> {
        let facts = self.facts;
        let stands_alone = facts.origin().is_own_words()
            && facts.replied.is_none()
            && facts.state.clarification.is_none()
            && facts.ctx.files.is_empty()
            && !Ground::points_at_something(facts.words());
        if !self.brain.policy.keeps_answers || !stands_alone || self.brain.model.is_none() {
            return None;
        }
        let words: Vec<String> = facts.words().split_whitespace().map(str::to_lowercase).collect();
        let words = words.join(" ");
        let words = words.trim_end_matches(|c: char| c.is_ascii_punctuation());
        let day = facts.ctx.now.with_timezone(&facts.ctx.zone).date_naive();
        let services = self.brain.plannable(facts.owner()).route_schema().number();
        MadeFrom::of(&("asked before", words, day, facts.ctx.zone.name(), services, with))
    }

    fn told(&self, memories: &[String], results: &Results) -> Option<MadeFrom> {
        let looked_up = !results.changed && !results.facts.is_empty();
        looked_up.then(|| self.question(&(&results.facts, memories, self.facts.manner()))).flatten()
    }

    /// Whether its words alone say what is to be looked up, at any hour of the day.
    fn is_self_contained(&self, actions: &[PlannedAction]) -> bool {
        let services = self.brain.services.now();
        let guess = guessed::guess(self.brain, self.facts);
        let is_named = |planned: &PlannedAction| {
            let is_guessed = guess.kind == Kind::Action && guess.domains.contains(&planned.service);
            let entry = services.command(&planned.service, &planned.command);
            let line = entry.map(|entry| format!("{} {}", catalog_line(entry.as_ref()), entry.example()));
            is_guessed || line.is_some_and(|line| !nearest::by_words(self.facts.words(), &[&line]).is_empty())
        };
        services.only_look(actions)
            && actions.iter().all(|planned| is_named(planned) && !planned.params.values().any(names_an_hour))
    }
}

/// Whether a value holds an instant that is no midnight: it may have been made of "now".
fn names_an_hour(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let time = INSTANTS.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
            let time = time.or_else(|| DateTime::parse_from_rfc3339(text).ok().map(|instant| instant.naive_local()));
            time.is_some_and(|time| time.num_seconds_from_midnight() != 0)
        }
        Value::Array(values) => values.iter().any(names_an_hour),
        Value::Object(values) => values.values().any(names_an_hour),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn plan_of(actions: &[PlannedAction]) -> Plan {
    Plan { actions: actions.to_vec(), ..Plan::default() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_hour_is_seen_wherever_it_stands() {
        for (value, expected) in [
            (json!("2026-01-12T09:15"), true),
            (json!({"from": ["2026-01-12T09:15:00+01:00"]}), true),
            (json!("2026-01-12T00:00"), false),
            (json!("2026-01-12"), false),
            (json!("tomorrow"), false),
            (json!(9), false),
        ] {
            assert_eq!(names_an_hour(&value), expected, "{value}");
        }
    }
}
