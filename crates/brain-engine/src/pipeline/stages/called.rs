//! A plan that a model wrote as calls of tools: the same actions in another form.
//!
//! Invariant: it is read as a plan only where every name stands for one command of the routed services; else the model
//! is asked again. What comes of it goes the way of every plan. Not here: finding the calls (the adapter does).

use brain_core::core::plan::{Params, Plan, PlannedAction};
use brain_core::ports::ToolCall;
use brain_services::services::catalog::registry::Services;

/// The plan that these calls amount to.
pub(super) fn plan(services: &Services, domains: &[String], calls: &[ToolCall]) -> Option<Plan> {
    if let [only] = calls
        && only.arguments.get("actions").is_some()
    {
        // The planner itself as a tool.
        return serde_json::from_value(only.arguments.clone()).ok();
    }
    let actions: Option<Vec<PlannedAction>> = calls.iter().map(|call| action(services, domains, call)).collect();
    let actions = actions.filter(|actions| !actions.is_empty())?;
    Some(Plan { actions, ..Plan::default() })
}

fn action(services: &Services, domains: &[String], call: &ToolCall) -> Option<PlannedAction> {
    let wanted = folded(&call.name);
    let commands = services.commands(domains);
    let whole = |service: &str, command: &str| wanted.ends_with(&folded(&format!("{service}.{command}")));
    let mut named = commands.iter().filter(|entry| whole(entry.service(), entry.command()));
    let mut alone = commands.iter().filter(|entry| folded(entry.command()) == wanted);
    let entry = match (named.next(), named.next(), alone.next(), alone.next()) {
        (Some(entry), None, _, _) | (None, _, Some(entry), None) => entry,
        (_, _, _, _) => return None,
    };
    Some(PlannedAction {
        service: entry.service().to_owned(),
        command: entry.command().to_owned(),
        params: call.arguments.as_object().map(|map| map.clone().into_iter().collect::<Params>()).unwrap_or_default(),
        ..PlannedAction::default()
    })
}

/// Letters and digits: `task.create`, `task_create` and `functions/task-create` are written as models like it.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(calls: &[(&str, Value)], domains: &[&str]) -> Option<Vec<String>> {
        let domains: Vec<String> = domains.iter().map(ToString::to_string).collect();
        let calls: Vec<ToolCall> = calls
            .iter()
            .map(|(name, arguments)| ToolCall { name: (*name).to_owned(), arguments: arguments.clone() })
            .collect();
        let plan = plan(&crate::testing::registry().now(), &domains, &calls)?;
        Some(plan.actions.iter().map(|action| format!("{}.{}", action.service, action.command)).collect())
    }

    #[test]
    fn names_are_read_as_models_write_them_and_one_that_is_unknown_spoils_the_plan() {
        let title = json!({"title": "Milk"});
        for name in ["task.create", "task_create", "functions.task.create", "Task-Create"] {
            assert_eq!(read(&[(name, title.clone())], &["task"]), Some(vec!["task.create".to_owned()]), "{name}");
        }
        let event = read(&[("create_event", json!({}))], &["task", "calendar"]);
        assert_eq!(event, Some(vec!["calendar.create_event".to_owned()]));
        // Of two services, of another service, and of none.
        assert_eq!(read(&[("create", title.clone())], &["task", "keep"]), None);
        assert_eq!(read(&[("keep.create", title.clone())], &["task"]), None);
        assert_eq!(read(&[("task.create", title.clone()), ("web_search", json!({}))], &["task"]), None);
        let actions = json!({"actions": [{"service": "task", "command": "create", "params": title}]});
        assert_eq!(read(&[("plan", actions)], &["task"]), Some(vec!["task.create".to_owned()]));
    }
}
