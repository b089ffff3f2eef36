//! Grounding, over the plans that the files expect: as if a model had made them, with something invented, and as
//! built-in understanding makes them.

use serde_json::{Value, json};

use super::EvalRow as _;
use super::alike;
use super::omissions::examples;
use super::plan::{CATALOG, PlanExample};
use brain_core::core::plan::{Params, PlannedAction};
use brain_language::language::grounding::{Ground, ValueKind};
use brain_language::language::reading::Reading;
use brain_language::language::requests::{self, Intents, ParseInput, Understood};
use brain_language::language::routing::{self, Guess};
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::planning::plan_grounding::{
    ConditionState, Judge, PlanGrounding, PlanReview, Planner, TurnPart, is_low_write,
};
use brain_services::services::planning::values::typed_values;

/// Every so many of the rows: each reads its message anew.
const ONE_IN: usize = 8;
/// Gold plans that are asked about, proposed or shortened, of a hundred.
const NEEDLESS_MAX: f64 = 5.0;
/// The same, with those that are of another service or command than the words seem to ask for.
const NEEDLESS_DOUBTED_MAX: f64 = 7.0;
/// Invented values that are caught, of a hundred of each kind.
const CAUGHT_MIN: f64 = 95.0;
/// What built-in understanding reads exactly and gets wrong, of a hundred.
const EXACT_WRONG_MAX: f64 = 6.0;

/// The same of what is done without asking a model.
const NEEDS_NO_MODEL_WRONG_MAX: f64 = 0.5;

/// What became of a plan: how it stands, whether its values are as they were, and whether it was its only reading.
struct JudgedPlan {
    standing: Option<PlanGrounding>,
    /// The same by its values and mood alone.
    alone: Option<PlanGrounding>,
    is_whole: bool,
    is_only: bool,
}

impl JudgedPlan {
    /// Whether it is done at once as it is.
    fn passes(&self) -> bool {
        self.standing == Some(PlanGrounding::Exact) && self.is_whole && self.is_only
    }
}

/// The words of a row, as a turn reads them.
struct RowWords<'a> {
    row: &'a PlanExample,
    reading: Reading,
    guess: Guess,
    intents: Intents,
}

impl<'a> RowWords<'a> {
    fn of(row: &'a PlanExample) -> Self {
        let input = ParseInput { history: &row.history, ..ParseInput::new(&row.text, &row.reference, BUILDERS) };
        let reading = Reading::of(&row.text, &row.reference);
        Self { row, reading, guess: routing::route(&input), intents: Intents::of(&input) }
    }

    fn with_judge<T>(&self, planner: Planner, with: impl FnOnce(&Judge) -> T) -> T {
        let reference = &self.row.reference;
        let earlier: Vec<&str> = self.row.history.iter().map(|past| past.said.as_str()).collect();
        let ground = Ground::of(&self.reading, &[], &earlier, &[], reference);
        let (part, conditions) = (TurnPart::Message, ConditionState::Open);
        with(&Judge { ground: &ground, reference, people: &[], planner, part, conditions })
    }

    /// As a turn judges it, by a model that takes everything for an order.
    fn judged(&self, plan: &[PlannedAction], planner: Planner) -> JudgedPlan {
        let mut actions = plan.to_vec();
        // The files give several entries of a list as a list; what is read gives them as they were said.
        for action in actions.iter_mut().filter(|action| !CATALOG.fits(action)) {
            for value in action.params.values_mut() {
                if let Some(several) = value.as_array() {
                    let several: Vec<&str> = several.iter().filter_map(Value::as_str).collect();
                    *value = several.join(", ").into();
                }
            }
        }
        let plan = actions.clone();
        let domains = CATALOG.names();
        self.with_judge(planner, |judge| {
            let whole = PlanReview { judge, services: &CATALOG, domains: &domains };
            let mut standings = whole.standings(&mut actions).ok();
            let alone = standings.iter().flatten().max().copied();
            if let Some(standings) = standings.as_mut().filter(|_| planner == Planner::Model) {
                whole.doubt(standings, &actions, (&self.guess, &self.intents, true));
            }
            let input = ParseInput {
                history: &self.row.history,
                ..ParseInput::new(&self.row.text, &self.row.reference, BUILDERS)
            };
            let is_only = whole.other_reading(&actions, requests::plan(&input, &[]), &self.guess).is_none();
            let standing = standings.and_then(|standings| standings.into_iter().max());
            JudgedPlan { standing, alone, is_whole: actions == plan, is_only }
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[test]
fn what_was_asked_for_passes_as_it_is() {
    let (mut all, mut alone, mut needless) = (0, 0, Vec::new());
    for row in examples().iter().step_by(ONE_IN) {
        let Some(plan) = row.whole_plan() else { continue };
        all += 1;
        let judged = RowWords::of(row).judged(&plan, Planner::Model);
        alone += usize::from(judged.alone != Some(PlanGrounding::Exact) || !judged.is_whole);
        if !judged.passes() {
            let meant = plan.iter().map(|action| Value::Object(action.params.clone()).to_string());
            let meant = meant.collect::<Vec<_>>().join(" ");
            needless.push(format!("{:?} {}\n     {meant}", judged.standing, row.text));
        }
    }
    println!("needless: {} of {all} ({:.1} %)\n{}", needless.len(), share(needless.len(), all), needless.join("\n"));
    assert!(all > 100 && share(alone, all) <= NEEDLESS_MAX, "{alone} of {all}");
    assert!(share(needless.len(), all) <= NEEDLESS_DOUBTED_MAX);
}

/// The first action as another command that the same words could fill.
fn other_command(action: &PlannedAction) -> Option<PlannedAction> {
    let text = |param: &str| action.params.get(param).cloned();
    let (service, command, params) = match (action.service.as_str(), action.command.as_str()) {
        ("task", "create") => ("keep", "create", json!({"title": text("title")?})),
        ("calendar", "create_event") => {
            ("task", "create", json!({"title": text("summary")?, "deadline": text("start_time")?}))
        }
        ("keep", "append") => ("task", "create", json!({"title": text("text")?})),
        ("keep", "create") => ("task", "create", json!({"title": text("title").or_else(|| text("text"))?})),
        // What needs a card is asked about anyway.
        ("task", "delete" | "update") => ("task", "complete", json!({"find_by": text("find_by")?})),
        ("memory", "store") => ("keep", "create", json!({"title": text("value")?})),
        _ => return None,
    };
    let params = params.as_object()?.clone();
    let other = PlannedAction { service: service.to_owned(), command: command.to_owned(), params, ..action.clone() };
    // What does not fit its command is the gate's to ask about.
    CATALOG.fits(&other).then_some(other)
}

/// Takes the hour off the first time of an action.
fn drop_hour(params: &mut Params) -> bool {
    params.values_mut().any(|value| match value {
        Value::String(text) => match text.split_once('T') {
            Some((day, _)) if day.parse::<chrono::NaiveDate>().is_ok() => {
                *text = day.to_owned();
                true
            }
            Some(_) | None => false,
        },
        Value::Object(inner) => drop_hour(inner),
        _ => false,
    })
}

/// The plan with something in it that nobody said, or less than was said; `None` where there is no place for it.
fn mutated(kind: &str, plan: &[PlannedAction]) -> Option<Vec<PlannedAction>> {
    let mut plan = plan.to_vec();
    let action = plan.first_mut()?;
    match kind {
        "other command" => {
            *action = other_command(action)?;
            return Some(plan);
        }
        "dropped hour" => {
            let entry = CATALOG.command(&action.service, &action.command)?;
            // A repetition has its hour in itself; a card says what is left out.
            let may_drop = is_low_write(entry.as_ref(), action) && !action.params.contains_key("repeat");
            return (may_drop && drop_hour(&mut action.params)).then_some(plan);
        }
        _ => {}
    }
    let name = format!("{}.{}", action.service, action.command);
    let has = |action: &PlannedAction, param: &str| action.params.contains_key(param);
    let (param, value) = match (kind, name.as_str()) {
        ("time", "task.create") if !has(action, "deadline") && !has(action, "repeat") => {
            ("deadline", json!("2031-03-05T18:00"))
        }
        ("other time", "task.create") if has(action, "deadline") && !has(action, "repeat") => {
            ("deadline", json!("2031-03-05T18:17"))
        }
        ("repetition", "task.create" | "calendar.create_event") if !has(action, "repeat") => {
            ("repeat", json!("every Tuesday at 6pm"))
        }
        ("place", "calendar.create_event") if !has(action, "location") => ("location", json!("Copperfield Pottery")),
        ("person", "calendar.create_event") if !has(action, "attendees") => ("attendees", json!(["Zebulon Quist"])),
        ("person", "email.send_email" | "email.create_draft") => ("to", json!(["Zebulon Quist"])),
        ("priority", "task.create") if !has(action, "priority") => ("priority", json!("high")),
        ("description", "task.create") if !has(action, "description") => {
            ("description", json!("before the glazier visits the orangery"))
        }
        ("title", "task.create") => ("title", json!("Polish grandfather's trombone")),
        _ => return None,
    };
    action.params.insert(param.to_owned(), value);
    Some(plan)
}

#[test]
fn what_nobody_said_is_caught_whatever_its_kind() {
    let rows = examples();
    let invented = ["time", "other time", "repetition", "place", "person", "priority", "description", "title"];
    for kind in invented.into_iter().chain(["other command", "dropped hour"]) {
        let (mut all, mut passed) = (0, Vec::new());
        for row in rows.iter().step_by(ONE_IN) {
            let Some(plan) = row.whole_plan() else { continue };
            let Some(plan) = mutated(kind, &plan) else { continue };
            all += 1;
            if RowWords::of(row).judged(&plan, Planner::Model).passes() {
                passed.push(format!("{} {:?}", row.text, plan.first()));
            }
        }
        let caught = share(all - passed.len(), all);
        println!("{kind}: {caught:.1} % of {all}\n{}", passed.join("\n"));
        assert!(all >= 5 && caught >= CAUGHT_MIN, "{kind}");
    }
}

#[test]
fn what_is_read_exactly_is_right() {
    let (mut all, mut exact, mut wrong) = (0, 0, Vec::new());
    for row in examples().iter().step_by(ONE_IN) {
        let plan = row.built_in();
        if plan.is_empty() {
            continue;
        }
        all += 1;
        if RowWords::of(row).judged(&plan, Planner::BuiltIn).standing == Some(PlanGrounding::Exact) {
            exact += 1;
            if !alike::alike(&CATALOG, &row.expect, &plan, &row.reference) {
                wrong.push(format!("{} {plan:?}", row.text));
            }
        }
    }
    println!("exact: {exact} of {all}, of these wrong: {} ({:.1} %)", wrong.len(), share(wrong.len(), exact));
    println!("{}", wrong.join("\n"));
    assert!(exact * 2 > all && share(wrong.len(), exact) <= EXACT_WRONG_MAX);
}

/// What needs no model is planned by code alone, so it is held to more than what may be undone.
#[test]
fn what_needs_no_model_is_right() {
    let (mut all, mut exact, mut at_once, mut wrong) = (0, 0, 0, Vec::new());
    for row in examples() {
        all += usize::from(!row.expect.is_empty());
        let input = ParseInput { history: &row.history, ..ParseInput::new(&row.text, &row.reference, BUILDERS) };
        let Understood::Plan { plan, condition: None, account } = requests::plan(&input, &[]) else { continue };
        let entry = |action: &PlannedAction| CATALOG.command(&action.service, &action.command).unwrap();
        let actions: Vec<_> = plan.actions.iter().map(|action| (entry(action), action.clone())).collect();
        let heard = RowWords::of(&row);
        let judge = |judge: &Judge| judge.is_read_exactly(&actions, &account, &heard.guess);
        if heard.with_judge(Planner::BuiltIn, judge) {
            exact += 1;
            if !alike::alike(&CATALOG, &row.expect, &plan.actions, &row.reference) {
                // What needs a yes is shown before it is done.
                at_once += usize::from(actions.iter().any(|(entry, action)| is_low_write(entry.as_ref(), action)));
                wrong.push(format!("{} {:?}", row.text, plan.actions.iter().map(|a| &a.params).collect::<Vec<_>>()));
            }
        }
    }
    let told = format!("of these wrong: {} ({:.2} %)", wrong.len(), share(wrong.len(), exact));
    println!("read exactly: {exact} of {all}, {told}, done at once {at_once}\n{}", wrong.join("\n"));
    assert!(exact * 8 > all && share(at_once, exact) <= NEEDS_NO_MODEL_WRONG_MAX);
}

#[test]
fn every_kind_of_value_is_told_by_its_type() {
    let kinds = |service: &str, command: &str, params: Value| {
        let entry = CATALOG.command(service, command).unwrap();
        let params = params.as_object().unwrap().clone();
        let typed = typed_values(entry.as_ref(), &params);
        typed.into_iter().map(|value| (value.path.join("."), value.kind)).collect::<Vec<_>>()
    };
    let is = |path: &str, kind| (path.to_owned(), kind);
    let task = json!({"title": "x", "deadline": "tomorrow", "repeat": "daily", "priority": "high", "description": "y"});
    assert_eq!(
        kinds("task", "create", task),
        [
            is("deadline", ValueKind::Time),
            is("description", ValueKind::Text),
            is("priority", ValueKind::Choice),
            is("repeat", ValueKind::Repetition),
            is("title", ValueKind::Name),
        ]
    );
    let change = json!({"find_by": "x", "changes": {"deadline": "tomorrow", "priority": "low"}});
    assert_eq!(
        kinds("task", "update", change),
        [
            is("changes.deadline", ValueKind::Time),
            is("changes.priority", ValueKind::Choice),
            is("find_by", ValueKind::Reference),
        ]
    );
    let mail = json!({"to": ["Bob", "Eve"], "subject": "x", "body": "y"});
    assert_eq!(
        kinds("email", "send_email", mail),
        [
            is("body", ValueKind::Composed),
            is("subject", ValueKind::Composed),
            is("to", ValueKind::Person),
            is("to", ValueKind::Person),
        ]
    );
}
