//! What built-in understanding makes of a message, in words for whoever wants to know why.

use std::fmt::Write as _;

use brain_agent::core::plan::{Plan, PlannedAction};
use brain_agent::language::requests::Understood;

/// The outcome, the account of each part, and what would be done.
pub(crate) fn explain(understood: &Understood) -> String {
    let mut text = String::new();
    if let Some(account) = understood.account() {
        let rows: Vec<(String, &str)> =
            account.parts.iter().map(|part| (part.role.to_string(), account.words(part))).collect();
        let width = rows.iter().map(|(role, _)| role.chars().count()).max().unwrap_or_default();
        for (role, words) in rows {
            let _ = writeln!(text, "  {role:width$}  {words}");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "outcome: {}", outcome(understood));
    match understood {
        Understood::Plan { plan, condition, .. } => {
            if let Some(condition) = condition {
                let _ = writeln!(text, "depends on: {}", condition.said);
            }
            text.push_str(&actions(plan));
        }
        Understood::Partly { plan, unread, .. } => {
            for part in unread {
                let _ = writeln!(text, "asked about: {} ({})", part.text, part.class);
            }
            text.push_str(&actions(plan));
        }
        Understood::Ask { question, partial, param } => {
            let _ = writeln!(text, "asked for {param}: {question}");
            text.push_str(&action(partial));
        }
        Understood::Which { readings } => {
            for plan in readings {
                let _ = writeln!(text, "perhaps:");
                text.push_str(&actions(plan));
            }
        }
        Understood::NotUnderstood { .. } | Understood::SmallTalk | Understood::TooMuch => {}
    }
    text
}

fn outcome(understood: &Understood) -> String {
    let consequence = match understood {
        Understood::Plan { .. } => "goes to the gate",
        Understood::Ask { .. } => "something is missing and asked for",
        Understood::Which { .. } | Understood::Partly { .. } => "nothing is done before it is settled",
        Understood::NotUnderstood { .. } => "nothing is done, and that is said",
        Understood::SmallTalk => "answered in kind",
        Understood::TooMuch => "nothing is done, and it is to be said in parts",
    };
    format!("{} ({consequence})", understood.name())
}

fn actions(plan: &Plan) -> String {
    plan.actions.iter().map(action).collect()
}

fn action(planned: &PlannedAction) -> String {
    let params = serde_json::Value::Object(planned.params.clone());
    format!("action: {}.{} {params}\n", planned.service, planned.command)
}
