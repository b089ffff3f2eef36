//! The whole of built-in understanding: the flow examples, the evaluation files, and hostile input.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::*;
use crate::core::when::DateOrder;

fn reference(now: &str, zone: &str) -> Reference {
    let now: DateTime<Utc> = now.parse().unwrap();
    Reference { now, zone: zone.parse().unwrap(), order: DateOrder::DayFirst }
}

fn sunday() -> Reference {
    reference("2026-01-11T09:00:00Z", "UTC")
}

/// `service.command {params}` for each action, one a line; a question as `? param question`.
fn shown(understood: &Understood) -> String {
    match understood {
        Understood::Plan(plan) => plan
            .actions
            .iter()
            .map(|a| format!("{}.{} {}", a.service, a.command, Value::Object(a.params.clone())))
            .collect::<Vec<_>>()
            .join("\n"),
        Understood::Ask { question, partial, param } => {
            format!(
                "? {param} “{question}” {}.{} {}",
                partial.service,
                partial.command,
                Value::Object(partial.params.clone())
            )
        }
        Understood::NotUnderstood => "-".into(),
    }
}

#[test]
#[ignore = "a tool: prints the plan of each line of the file that TRY names"]
fn try_lines() {
    let file = std::env::var("TRY").unwrap();
    let reference = sunday();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let hearing = Hearing { text: line, reference: &reference, history: &[] };
        println!("{line}\n    {}", shown(&plan(&hearing, &[])).replace('\n', "\n    "));
    }
}
