//! A model's plan, held against the message, over the plans that the files expect.
//!
//! An expected plan holds only some parameters. A model's holds more; where built-in understanding comes to the same
//! plan, all its parameters are there, with times written out as a model writes them.

use super::EvalRow as _;
use super::alike;
use super::plan::{CATALOG, PlanExample};
use brain_core::core::plan::PlannedAction;
use brain_engine::pipeline::stages::times;
use brain_language::language::requests;
use brain_language::language::requests::{ParseInput, Understood};
use brain_services::services::across::filling::BUILDERS;

/// Lines where nothing was dropped: a person who reads one too often does not believe the next.
const NEEDLESS_MAX: f64 = 0.05;

pub(super) fn examples() -> Vec<PlanExample> {
    let files = ["plan_test.jsonl", "plan_regression.jsonl"];
    let text =
        |file: &str| std::fs::read_to_string(format!("{}/../../data/eval/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let rows = files.into_iter().flat_map(|file| text(file).lines().map(str::to_owned).collect::<Vec<_>>());
    rows.filter(|line| line.starts_with('{')).map(|line| PlanExample::parse(&line).unwrap()).collect()
}

impl PlanExample {
    /// The plan of a model that understood it all: what is expected, and what built-in understanding fills in where the
    /// file leaves it open. `None` where nobody knows the rest of that plan.
    pub(super) fn whole_plan(&self) -> Option<Vec<PlannedAction>> {
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

    pub(super) fn own_plan(&self) -> Vec<PlannedAction> {
        let input = ParseInput { history: &self.history, ..ParseInput::new(&self.text, &self.reference, BUILDERS) };
        match requests::plan(&input, &[]) {
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
        let input = ParseInput { history: &self.history, ..ParseInput::new(&self.text, &self.reference, BUILDERS) };
        requests::left_out(&input, requests::plan(&input, &[]), actions, &[])
    }
}

/// How many rows have a whole plan, and the numbers of those of which `fails` says what is wrong.
fn held(fails: impl Fn(&PlanExample, &[PlannedAction]) -> Option<String>) -> (usize, Vec<usize>) {
    let (mut rows, mut wrong) = (0, Vec::new());
    for (number, example) in examples().iter().enumerate() {
        let Some(plan) = example.whole_plan() else { continue };
        rows += 1;
        if let Some(what) = fails(example, &plan) {
            println!("{number}: {} ← {what}", example.text);
            wrong.push(number);
        }
    }
    (rows, wrong)
}

#[test]
fn a_plan_that_carries_everything_gets_hardly_ever_a_line() {
    let (rows, needless) = held(|example, plan| {
        let left_out = example.left_out(plan);
        (!left_out.is_empty()).then(|| format!("{left_out:?}"))
    });
    assert!(rows > 3_000, "{rows}");
    assert!(needless.len() as f64 <= rows as f64 * NEEDLESS_MAX, "{} of {rows}", needless.len());
}

#[test]
fn an_action_that_a_plan_drops_is_told_whichever_it_is() {
    let (rows, silent) = held(|example, plan| {
        let silent = |dropped: &usize| {
            let mut rest = plan.to_vec();
            rest.remove(*dropped);
            plan.len() > 1 && example.left_out(&rest).is_empty()
        };
        let dropped = (0..plan.len()).find(silent)?;
        Some(format!("{}.{}", plan[dropped].service, plan[dropped].command))
    });
    assert!(rows > 3_000, "{rows}");
    assert_eq!(silent, Vec::<usize>::new());
}
