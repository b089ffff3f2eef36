//! A model's plan, held against the message: what it drops is told below the receipts, what it invents is told or asked
//! about, and what depends on something waits for that.

use brain_agent::core::plan::PlannedAction;
use brain_agent::core::turn::Path;
use brain_agent::language::requests;
use brain_agent::language::requests::{ParseInput, Understood};
use brain_agent::language::time::{DateOrder, Reference};
use brain_agent::services::across::filling::BUILDERS;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action, send};

fn demo() -> Rig {
    Rig::new(Setup { demo: true, ..Setup::default() })
}

fn milk() -> Value {
    action("task", "create", json!({"title": "Buy milk", "deadline": "2026-01-13T17:00:00"}))
}

fn lunch() -> Value {
    action("calendar", "create_event", json!({"summary": "Lunch", "start_time": "2026-01-13T12:00:00"}))
}

/// The message, what the model makes of it, and what of the message has to be told as not done.
#[tokio::test]
async fn what_a_model_drops_is_told() {
    for (said, plan, missing) in [
        ("remind me to buy milk tomorrow at 5pm and tell Anna I'm late", json!([milk()]), "tell Anna"),
        ("remind me to buy milk tomorrow at 5pm and remind me to phone grandma", json!([milk()]), "phone grandma"),
        ("remind me to buy milk tomorrow at 5pm and on Thursday at 8", json!([milk()]), "Thursday at 8"),
        ("remind me to buy milk tomorrow at 5pm, but not on Friday", json!([milk()]), "not on Friday"),
        ("remind me to buy milk tomorrow at 5pm. Also cancel the dentist appointment", json!([milk()]), "dentist"),
        ("put lunch on my calendar tomorrow at noon and add eggs to the shopping list", json!([lunch()]), "eggs"),
        ("put lunch with Anna on my calendar tomorrow at noon", json!([lunch()]), "Anna"),
        ("put lunch on my calendar tomorrow at noon and email Bob that I'm out", json!([lunch()]), "Bob"),
        ("put lunch on my calendar tomorrow at noon, except next week", json!([lunch()]), "except next week"),
    ] {
        let rig = demo();
        rig.plans(plan);
        let told = rig.says(said).await.text();
        let line = told.lines().find(|line| line.starts_with("Not done: ")).unwrap_or_default();
        assert!(line.contains(missing), "{said}: {told}");
        assert!(!told.contains("All done"), "{told}");
    }
}

#[tokio::test]
async fn what_a_model_carries_gets_no_line() {
    for (said, plan) in [
        ("remind me to buy milk tomorrow at 5pm", json!([milk()])),
        ("put lunch on my calendar tomorrow at noon", json!([lunch()])),
        (
            "remind me to buy milk tomorrow at 5pm and put lunch on my calendar tomorrow at noon",
            json!([milk(), lunch()]),
        ),
    ] {
        let rig = demo();
        rig.plans(plan);
        let told = rig.says(said).await.text();
        assert!(!told.contains("Not done"), "{said}: {told}");
    }
}

/// A world takes its time to be made; every so many of the messages are played.
const ONE_IN: usize = 5;

/// A message that asks for two things, and what they are.
#[derive(Deserialize)]
struct Row {
    text: String,
    now: DateTime<Utc>,
    tz: chrono_tz::Tz,
    expect: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    service: String,
    command: String,
}

impl Row {
    /// All that a model would plan, where built-in understanding comes to the same actions.
    fn plan(&self) -> Option<Vec<Value>> {
        let reference = Reference { now: self.now, zone: self.tz, order: DateOrder::usual_in(self.tz) };
        let hearing = ParseInput::new(&self.text, &reference, BUILDERS);
        let Understood::Plan { plan, condition: None, .. } = requests::plan(&hearing, &[]) else { return None };
        let names = |action: &PlannedAction| format!("{}.{}", action.service, action.command);
        let mut own: Vec<String> = plan.actions.iter().map(names).collect();
        let mut wanted: Vec<String> = self.expect.iter().map(|e| format!("{}.{}", e.service, e.command)).collect();
        own.sort();
        wanted.sort();
        let planned =
            |planned: &PlannedAction| action(&planned.service, &planned.command, Value::Object(planned.params.clone()));
        (own == wanted).then(|| plan.actions.iter().map(planned).collect())
    }

    fn rig(&self) -> Rig {
        Rig::new(Setup { now: self.now, zone: self.tz, ..Setup::default() })
    }
}

/// The messages of the plan files that ask for two things and that a whole plan is known of, with that plan.
fn two_part_rows() -> Vec<(Row, Vec<Value>)> {
    let file =
        |name: &str| std::fs::read_to_string(format!("{}/data/eval/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let text = ["plan_test.jsonl", "plan_regression.jsonl"].map(file).concat();
    let rows =
        text.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows = rows.filter(|row| row["expect"].as_array().unwrap().len() == 2 && row.get("history").is_none());
    let rows = rows.map(|row| serde_json::from_value::<Row>(row).unwrap());
    let rows = rows.step_by(ONE_IN);
    let rows: Vec<(Row, Vec<Value>)> = rows.filter_map(|row| row.plan().map(|plan| (row, plan))).collect();
    assert!(rows.len() * ONE_IN > 100, "{}", rows.len());
    rows
}

#[tokio::test]
async fn whichever_of_two_actions_a_model_drops_it_is_told() {
    let mut silent = Vec::new();
    for (row, plan) in two_part_rows() {
        for kept in &plan {
            let rig = row.rig();
            rig.plans(json!([kept]));
            let told = rig.says(&row.text).await.text();
            // A condition of the message's own is asked about before.
            if !told.contains("Not done: “") && !told.contains("Nothing is done yet") {
                silent.push(format!("{} → {kept}: {told}", row.text));
            }
        }
    }
    assert!(silent.is_empty(), "{} are silent:\n{}", silent.len(), silent.join("\n"));
}

#[tokio::test]
async fn what_a_model_invents_is_told_and_waits_where_it_cannot_be_taken_back() {
    for (row, plan) in two_part_rows() {
        let rig = row.rig();
        let letter = send("mallory@example.net", "Hello", "Here is all of it.");
        let ferns = action("task", "create", json!({"title": "Water the ferns"}));
        rig.plans(json!([plan[0], plan[1], ferns, letter]));
        let told = rig.says(&row.text).await.text();
        assert!(told.contains("Water the ferns"), "{}: {told}", row.text);
        assert!(told.contains("mallory@example.net"), "{}: {told}", row.text);
        let sent = rig.effects().iter().any(|effect| format!("{effect:?}").contains("mallory"));
        assert!(!sent, "{}: {told}", row.text);
    }
}

#[tokio::test]
async fn whatever_a_model_plans_as_if_there_were_no_condition_is_asked_about_first() {
    for (row, plan) in two_part_rows() {
        let rig = row.rig();
        let name = |name: &Value| name.as_str().unwrap().to_owned();
        let writes = |action: &Value| {
            let entry = rig.brain.services.command(&name(&action["service"]), &name(&action["command"]));
            entry.unwrap().writes()
        };
        // What only looks does no harm.
        if !plan.iter().any(writes) {
            continue;
        }
        let end = row.text.trim_end_matches(['.', '!', '?', ' ']);
        for said in [format!("if Anna agrees, {}", row.text), format!("{end}, but only if Anna agrees")] {
            let rig = row.rig();
            let before = rig.performed().len();
            rig.plans(json!(plan));
            let asked = rig.says(&said).await;
            let told = asked.text();
            assert_eq!((rig.performed().len(), asked.path()), (before, Path::Clarify), "{said}: {told}");
            assert!(told.contains("Anna agrees"), "{said}: {told}");
        }
    }
}
