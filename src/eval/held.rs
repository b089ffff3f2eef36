//! A model's plan, held against the message, over the plans that the files expect.
//!
//! An expected plan holds only some parameters. A model's holds more; where built-in understanding comes to the same
//! plan, all its parameters are there, with times written out as a model writes them.

use super::Row as _;
use super::alike;
use super::plan::{CATALOG, Example};
use crate::core::plan::PlannedAction;
use crate::language::requests;
use crate::language::requests::{Hearing, Understood};
use crate::pipeline::stages::times;

/// Lines where nothing was dropped: a person who reads one too often does not believe the next.
const NEEDLESS_MAX: f64 = 0.05;

fn examples() -> Vec<Example> {
    let files = ["plan_test.jsonl", "plan_regression.jsonl"];
    let text =
        |file: &str| std::fs::read_to_string(format!("{}/data/eval/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let rows = files.into_iter().flat_map(|file| text(file).lines().map(str::to_owned).collect::<Vec<_>>());
    rows.filter(|line| line.starts_with('{')).map(|line| Example::parse(&line).unwrap()).collect()
}

impl Example {
    /// The plan of a model that understood it all: what is expected, and what built-in understanding fills in where the
    /// file leaves it open. `None` where nobody knows the rest of that plan.
    fn whole_plan(&self) -> Option<Vec<PlannedAction>> {
        let mut own = self.own_plan();
        let mut plan = Vec::new();
        for wanted in &self.expect {
            let is_it = |one: &PlannedAction| one.service == wanted.service && one.command == wanted.command;
            // The like of it that says most of the same.
            let shared =
                |one: &PlannedAction| wanted.params.iter().filter(|(k, v)| one.params.get(*k) == Some(v)).count();
            let at = (0..own.len()).filter(|at| is_it(&own[*at])).max_by_key(|at| shared(&own[*at]))?;
            let filled = own.remove(at);
            let params = alike::overlaid(&filled.params, &wanted.params);
            plan.push(self.written_out(&PlannedAction { params, ..filled }));
        }
        (own.is_empty() && !plan.is_empty()).then_some(plan)
    }

    fn own_plan(&self) -> Vec<PlannedAction> {
        let hearing = Hearing { text: &self.text, reference: &self.reference, history: &self.history, phrases: &[] };
        match requests::plan(&hearing, &[]) {
            Understood::Plan { plan, .. } | Understood::Partly { plan, .. } => plan.actions,
            Understood::Ask { partial, .. } => vec![partial],
            Understood::Which { .. }
            | Understood::NotUnderstood { .. }
            | Understood::SmallTalk
            | Understood::TooMuch => Vec::new(),
        }
    }

    fn written_out(&self, action: &PlannedAction) -> PlannedAction {
        let entry = CATALOG.command(&action.service, &action.command).unwrap();
        let params = times::settled(&*entry, action.params.clone(), &self.reference);
        PlannedAction { params: params.unwrap_or_else(|_| action.params.clone()), ..action.clone() }
    }

    fn left_out(&self, actions: &[PlannedAction]) -> Vec<String> {
        let hearing = Hearing { text: &self.text, reference: &self.reference, history: &self.history, phrases: &[] };
        requests::left_out(&hearing, actions, &[])
    }
}

#[test]
fn a_plan_that_carries_everything_gets_hardly_ever_a_line() {
    let (mut rows, mut needless) = (0, Vec::new());
    for example in examples() {
        let Some(plan) = example.whole_plan() else { continue };
        rows += 1;
        let left_out = example.left_out(&plan);
        if !left_out.is_empty() {
            needless.push(format!("{} ← {left_out:?}", example.text));
        }
    }
    println!("needless: {} of {rows}\n{}", needless.len(), needless.join("\n"));
    assert!(needless.len() as f64 <= f64::from(rows) * NEEDLESS_MAX, "{} of {rows}", needless.len());
}

#[test]
fn an_action_that_a_plan_drops_is_told_whichever_it_is() {
    let (mut rows, mut silent) = (0, Vec::new());
    for example in examples().into_iter().filter(|example| example.expect.len() > 1) {
        let Some(plan) = example.whole_plan() else { continue };
        for dropped in 0..plan.len() {
            rows += 1;
            let mut rest = plan.clone();
            let dropped = rest.remove(dropped);
            if example.left_out(&rest).is_empty() {
                silent.push(format!("{} ← {}.{}", example.text, dropped.service, dropped.command));
            }
        }
    }
    println!("silent: {} of {rows}\n{}", silent.len(), silent.join("\n"));
    assert!(silent.is_empty(), "{} of {rows}", silent.len());
}
