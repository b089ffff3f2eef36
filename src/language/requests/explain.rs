//! What became of a message, in words for whoever wants to know why: whole for the command line, and without any word of
//! the message for traces.

use std::fmt::Write as _;

use super::Understood;
use super::account::{Account, SpanRole};
use super::prices::TokenClass;
use crate::core::plan::{Plan, PlannedAction};

/// The outcome, the account of each part, and what would be done.
pub fn explain(understood: &Understood) -> String {
    let mut text = String::new();
    if let Some(account) = account_of(understood) {
        let rows: Vec<(String, &str)> =
            account.parts.iter().map(|part| (role(&part.role), account.words(part))).collect();
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

/// The outcome and how many words each role has: nothing of what was said.
pub fn in_short(understood: &Understood) -> String {
    let mut text = format!("built in: {}", name(understood));
    for part in account_of(understood).into_iter().flat_map(|account| account.parts.iter().map(move |p| (account, p))) {
        let (account, part) = part;
        let _ = write!(text, " · {} {}", role(&part.role), account.words(part).split_whitespace().count());
    }
    text
}

fn account_of(understood: &Understood) -> Option<&Account> {
    match understood {
        Understood::Plan { account, .. } | Understood::Partly { account, .. } => Some(account),
        Understood::Ask { .. }
        | Understood::Which { .. }
        | Understood::NotUnderstood { .. }
        | Understood::SmallTalk
        | Understood::TooMuch => None,
    }
}

fn name(understood: &Understood) -> &'static str {
    match understood {
        Understood::Plan { condition: None, .. } => "plan",
        Understood::Plan { condition: Some(_), .. } => "plan on a condition",
        Understood::Ask { .. } => "ask",
        Understood::Which { .. } => "which",
        Understood::Partly { .. } => "partly",
        Understood::NotUnderstood { .. } => "not understood",
        Understood::SmallTalk => "small talk",
        Understood::TooMuch => "too much",
    }
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
    format!("{} ({consequence})", name(understood))
}

fn role(role: &SpanRole) -> String {
    match role {
        SpanRole::Command => "command".to_owned(),
        SpanRole::Param(name) => name.clone(),
        SpanRole::Time => "time".to_owned(),
        SpanRole::Politeness => "politeness".to_owned(),
        SpanRole::Connector => "connector".to_owned(),
        SpanRole::Reason => "reason".to_owned(),
        SpanRole::Condition => "condition".to_owned(),
        SpanRole::Correction => "correction".to_owned(),
        SpanRole::SmallTalk => "small talk".to_owned(),
        SpanRole::Skipped(TokenClass::Mark) => "mark".to_owned(),
        SpanRole::Skipped(class) => format!("left out ({class})"),
    }
}

fn actions(plan: &Plan) -> String {
    plan.actions.iter().map(action).collect()
}

fn action(planned: &PlannedAction) -> String {
    let params = serde_json::Value::Object(planned.params.clone());
    format!("action: {}.{} {params}\n", planned.service, planned.command)
}
