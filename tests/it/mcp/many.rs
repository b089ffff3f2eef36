//! Hundreds of commands: no prompt holds them all, and what is asked for is still found.

use std::sync::Arc;

use async_trait::async_trait;
use brain_agent::core::outcome::Status;
use brain_agent::core::stakes::Stakes;
use brain_agent::ports::{Call, Planning, Stage};
use brain_agent::services::command::{Completed, Effect};
use brain_agent::services::error::ServiceError;
use brain_agent::services::registry::Registration;
use brain_agent::services::service::{Service, ServiceInfo};
use brain_agent::services::tool::{Tool, ToolDefinition, ToolInvocation, ToolResult, Tools};
use serde_json::json;

use crate::rig::{Rig, Setup};

const AREAS: [&str; 10] =
    ["printer", "garden", "heating", "library", "camera", "ledger", "parcel", "ticket", "playlist", "vehicle"];
const DEEDS: [(&str, &str); 30] = [
    ("list", "everything"),
    ("get", "one by its number"),
    ("create", "a new one"),
    ("rename", "one"),
    ("archive", "one"),
    ("restore", "an archived one"),
    ("lock", "one"),
    ("unlock", "one"),
    ("share", "one"),
    ("copy", "one"),
    ("move", "one to another place"),
    ("merge", "two"),
    ("split", "one"),
    ("tag", "one"),
    ("untag", "one"),
    ("rate", "one"),
    ("schedule", "one for later"),
    ("pause", "one"),
    ("resume", "one"),
    ("export", "all of it"),
    ("import", "from a file"),
    ("compare", "two"),
    ("count", "all"),
    ("validate", "one"),
    ("refresh", "the state"),
    ("calibrate", "the sensor"),
    ("assign", "one to a person"),
    ("watch", "for changes"),
    ("reset", "to the factory state"),
    ("describe", "in detail"),
];

#[derive(Debug)]
struct Area;

impl Service for Area {}

#[async_trait]
impl Tools for Area {
    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        Ok(Completed::read(ToolResult::new(format!("did {}", call.action.name()))))
    }
}

fn area(name: &str) -> Registration {
    let info = ServiceInfo::new(&format!("mcp:{name}"), name, &format!("the {name}: state, list, schedule"), name);
    DEEDS
        .iter()
        .fold(Registration::of(info, Arc::new(Area)), |building, (deed, what)| {
            let definition = ToolDefinition {
                name: format!("{deed}_{name}"),
                summary: format!("{deed} {what} of the {name}"),
                example: String::new(),
                schema: json!({
                    "type": "object", "required": ["number"], "additionalProperties": false,
                    "properties": {
                        "number": {"type": "integer", "description": format!("Number of the {name} that is meant")},
                        "place": {"type": "string", "description": "Where it is, by its name or its address"},
                        "when": {"type": "string", "format": "date-time"},
                        "force": {"type": "boolean", "description": "Whether to go on where something is in the way"},
                        "mode": {"enum": ["careful", "normal", "fast"]},
                    },
                }),
                effect: Effect::ReadElsewhere,
                stakes: Stakes::Low,
            };
            building.tool(Tool::of(definition).unwrap())
        })
        .end()
}

fn rig(planning: Planning) -> Rig {
    let rig = Rig::new(Setup { grounds_plans: true, planning, model: true, ..Setup::default() });
    for name in AREAS {
        rig.brain.services.register(area(name)).unwrap();
    }
    rig
}

fn tokens(calls: &[Call]) -> usize {
    calls.iter().map(|call| (call.system.len() + call.user.to_string().len()).div_ceil(4)).sum()
}

#[tokio::test]
async fn of_three_hundred_commands_one_is_chosen_by_services_then_commands_then_values() {
    let rig = rig(Planning::Auto);
    rig.script.routes(json!({"type": "action", "domains": ["mcp:heating"], "is_followup": false}));
    rig.script.selects("order", json!(["mcp:heating.calibrate_heating"]));
    rig.script.fills(json!({"number": 7}));
    let told = rig.says("please calibrate the heating number 7").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());
    assert_eq!(rig.script.stages()[..3], [Stage::Route, Stage::Select, Stage::BuildParams]);
    let stepwise =
        tokens(&rig.script.taken().into_iter().filter(|call| call.stage != Stage::Respond).collect::<Vec<_>>());
    let whole = rig.brain.services.now().plan_schema(&rig.brain.services.now().names()).notation().len().div_ceil(4);
    assert!(stepwise * 5 <= whole, "{stepwise} tokens in steps, {whole} for every schema");
}

#[tokio::test]
async fn what_the_router_did_not_think_of_is_still_offered_by_its_words() {
    let rig = rig(Planning::Auto);
    rig.script.routes(json!({"type": "action", "domains": ["mcp:garden"], "is_followup": false}));
    rig.script.selects("order", json!(["mcp:vehicle.unlock_vehicle"]));
    rig.script.fills(json!({"number": 2}));
    let told = rig.says("unlock the vehicle number 2").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());
    let selection = rig.script.asked(Stage::Select).pop().unwrap();
    let offered = format!("{}{}", selection.system, selection.user);
    assert!(offered.contains("mcp:vehicle.unlock_vehicle: ") && offered.contains("mcp:garden."), "{offered}");
    assert!(offered.lines().filter(|line| line.starts_with("mcp:")).count() < 60, "{offered}");
}

#[test]
fn the_shortlist_keeps_to_its_room_and_holds_what_is_meant() {
    let registry = brain_agent::services::registry::Registry::new(AREAS.map(area));
    let services = registry.now();
    let mut found = 0;
    for name in AREAS {
        for (deed, _) in DEEDS {
            let list = services.shortlist(&format!("could you {deed} the {name} number 3 for me"), &[]);
            let chars: usize = list
                .iter()
                .map(|entry| entry.service().len() + entry.command().len() + entry.summary().len() + 4)
                .sum();
            assert!(chars <= brain_agent::limits::CATALOG_CHARS_MAX, "{chars}");
            found += usize::from(list.iter().any(|entry| entry.command() == format!("{deed}_{name}")));
        }
    }
    assert_eq!(found, 300);
    assert!(services.shortlist("xyzzy", &[]).is_empty());
    assert!(!services.shortlist("xyzzy", &["mcp:garden".to_owned()]).is_empty());
}
