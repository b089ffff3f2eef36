//! Requests of several steps, by what is done in the end: with a model that plans as models do, well and badly, and
//! without one. The requests are data: `rounds/*.jsonl`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use brain_agent::core::stakes::Stakes;
use brain_agent::limits::REFLECT_ROUNDS_MAX;
use brain_agent::ports::{Stage, Table};
use brain_agent::services::catalog::registry::Registration;
use brain_agent::services::contract::command::{Completed, Effect};
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Service, ServiceInfo};
use brain_agent::services::tool::{Tool, ToolDefinition, ToolInvocation, ToolResult, Tools};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::rig::{Answer, Rig, Setup};

/// Who owns what, as a server would tell.
#[derive(Debug)]
struct Owners;

impl Service for Owners {}

#[async_trait]
impl Tools for Owners {
    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        let module = call.action.params["module"].as_str().unwrap_or_default();
        match module {
            "nothing" => Err(ServiceError::Refused("There is no such module.".to_owned())),
            "payment" => Ok(Completed::read(ToolResult::new("payment is Ada's".to_owned()))),
            other => Ok(Completed::read(ToolResult::new(format!("{other} is Grace's")))),
        }
    }
}

fn owners() -> Registration {
    let definition = ToolDefinition {
        name: "owner".to_owned(),
        summary: "Look up who owns a module.".to_owned(),
        example: String::new(),
        schema: json!({
            "type": "object", "required": ["module"], "additionalProperties": false,
            "properties": {"module": {"type": "string", "maxLength": 40}}
        }),
        effect: Effect::ReadElsewhere,
        stakes: Stakes::Low,
    };
    let info = ServiceInfo::new("owners", "Owners", "who owns which module", "who owns what");
    Registration::of(info, Arc::new(Owners)).tool(Tool::of(definition).unwrap()).end()
}

/// A request, what a model says to it, and what has to come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(default)]
    name: String,
    said: String,
    #[serde(default)]
    domains: Vec<String>,
    /// One a round; the last is said again. Actions are `[service.command, params, depends_on]`; `raw` stands for itself.
    #[serde(default)]
    plans: Vec<Value>,
    /// What is missing, or null where nothing is; `raw` stands for itself.
    #[serde(default)]
    reflects: Vec<Value>,
    did: Vec<String>,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    /// What there is more of in the store.
    #[serde(default)]
    added: Map<String, Value>,
    /// How often it is planned.
    #[serde(default)]
    rounds: usize,
    /// What a yes does.
    #[serde(default)]
    yes: Vec<String>,
}

fn requests(lines: &str) -> Vec<Request> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"))).collect()
}

/// The nth of some answers, the last one from there on.
fn in_turn(rig: &Rig, stage: Stage, answers: Vec<Value>) {
    let next = AtomicUsize::new(0);
    rig.script.on(stage, move |_| {
        let at = next.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
        answers[at].clone()
    });
}

fn plan(of: &Value) -> Value {
    if let Some(raw) = of.get("raw") {
        return raw.clone();
    }
    let action = |action: &Value| {
        let (service, command) = action[0].as_str().unwrap().split_once('.').unwrap();
        let depends_on = action.get(2).cloned().unwrap_or_else(|| json!([]));
        json!({"service": service, "command": command, "params": action[1], "reasoning": "", "depends_on": depends_on})
    };
    let actions: Vec<Value> = of["actions"].as_array().unwrap().iter().map(action).collect();
    json!({"actions": actions, "question": of["question"], "open": of["open"]})
}

fn reflection(of: &Value) -> Value {
    match of {
        Value::Object(of) => of["raw"].clone(),
        missing => json!({"complete": missing.is_null(), "missing": missing}),
    }
}

const TABLES: [(&str, Table); 3] = [("tasks", Table::Tasks), ("events", Table::Events), ("notes", Table::Notes)];

async fn counts(rig: &Rig) -> Vec<i64> {
    let mut counts = Vec::new();
    for (_, table) in TABLES {
        counts.push(i64::try_from(rig.count(table).await).unwrap());
    }
    counts
}

/// Says it, and gives what is not as it has to be.
async fn faults(rig: &Rig, request: &Request) -> Vec<String> {
    let before = counts(rig).await;
    let answer = rig.says(&request.said).await;
    let mut faults = faults_of(request, &answer);
    for ((name, _), (before, after)) in TABLES.iter().zip(before.into_iter().zip(counts(rig).await)) {
        let added = request.added.get(*name).and_then(Value::as_i64).unwrap_or_default();
        if after - before != added {
            faults.push(format!("{name}: {} more", after - before));
        }
    }
    if !rig.effects().is_empty() {
        faults.push(format!("left the machine: {:?}", rig.effects()));
    }
    let planned = rig.script.asked(Stage::Plan).len();
    if request.rounds != planned || planned > REFLECT_ROUNDS_MAX || rig.script.asked(Stage::Reflect).len() > planned + 1
    {
        faults.push(format!("planned {planned} times"));
    }
    if !request.yes.is_empty() {
        let done = rig.says("yes").await;
        if done.did() != request.yes {
            faults.push(format!("a yes: {:?} {}", done.did(), done.text()));
        }
    }
    faults
}

fn faults_of(request: &Request, answer: &Answer) -> Vec<String> {
    let text = answer.text();
    let lacks = request.has.iter().filter(|words| !text.contains(*words)).map(|words| format!("lacks “{words}”"));
    let has = request.lacks.iter().filter(|words| text.contains(*words)).map(|words| format!("has “{words}”"));
    let did = (answer.did() != request.did).then(|| format!("did {:?}", answer.did()));
    let faults: Vec<String> = did.into_iter().chain(lacks).chain(has).collect();
    if faults.is_empty() { faults } else { faults.into_iter().chain([text]).collect() }
}

async fn all(lines: &str, at_least: usize, model: bool) {
    let requests = requests(lines);
    assert!(requests.len() >= at_least, "{}", requests.len());
    let mut wrong = Vec::new();
    for request in &requests {
        let rig = Rig::new(Setup { demo: true, grounds_plans: true, model, ..Setup::default() });
        rig.brain.services.register(owners()).unwrap();
        if model {
            rig.script.routes(json!({"type": "action", "domains": request.domains, "is_followup": false}));
            in_turn(&rig, Stage::Plan, request.plans.iter().map(plan).collect());
        }
        if !request.reflects.is_empty() {
            in_turn(&rig, Stage::Reflect, request.reflects.iter().map(reflection).collect());
        }
        let faults = faults(&rig, request).await;
        if !faults.is_empty() {
            wrong.push(format!("── {} ({})\n{}", request.name, request.said, faults.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), requests.len(), wrong.join("\n"));
}

#[tokio::test]
async fn requests_of_several_steps_come_to_what_was_asked_for_whatever_a_model_plans() {
    all(include_str!("rounds/scripted.jsonl"), 30, true).await;
}

#[tokio::test]
async fn requests_of_several_steps_come_to_what_was_asked_for_without_a_model() {
    all(include_str!("rounds/built_in.jsonl"), 10, false).await;
}
