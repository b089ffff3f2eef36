//! Hundreds of commands: no prompt holds them all, and what is asked for is still found.

use std::sync::Arc;

use async_trait::async_trait;
use brain_agent::core::outcome::Status;
use brain_agent::core::stakes::Stakes;
use brain_agent::core::tasks::TaskLimits;
use brain_agent::core::turn::Origin;
use brain_agent::limits;
use brain_agent::ports::{Call, Planning, Stage};
use brain_agent::services::catalog::registry::Registration;
use brain_agent::services::contract::command::{Completed, Effect};
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Service, ServiceInfo};
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
    rig.script.divides("order", json!(["mcp:heating"]));
    rig.script.chooses(&[("", "mcp:heating.calibrate_heating")]);
    rig.script.fills(json!({"number": 7}));
    let told = rig.says("please calibrate the heating number 7").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());
    assert_eq!(rig.script.stages()[..3], [Stage::SelectServices, Stage::SelectCommands, Stage::BuildParams]);
    let stepwise =
        tokens(&rig.script.taken().into_iter().filter(|call| call.stage != Stage::Respond).collect::<Vec<_>>());
    let whole = rig.brain.services.now().plan_schema(&rig.brain.services.now().names()).notation().len().div_ceil(4);
    assert!(stepwise * 5 <= whole, "{stepwise} tokens in steps, {whole} for every schema");
}

#[tokio::test]
async fn what_was_not_thought_of_is_still_offered_by_its_words_to_each_message_anew() {
    let rig = rig(Planning::Auto);
    let person = rig.me();
    for (said, name) in [("unlock the vehicle number 2", "vehicle"), ("unlock the camera number 2", "camera")] {
        rig.script.divides("order", json!(["mcp:garden"]));
        let unlock = format!("mcp:{name}.unlock_{name}");
        let chosen = unlock.clone();
        rig.script.on(Stage::SelectCommands, move |_| json!({"commands": [chosen]}));
        rig.script.fills(json!({"number": 2}));
        let told = person.says(said).await;
        assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());
        let selection = rig.script.asked(Stage::SelectCommands).pop().unwrap();
        let offered = format!("{}\n{}", selection.system, selection.user);
        assert!(offered.contains(&format!("{unlock}: ")) && offered.contains("mcp:garden."), "{offered}");
        assert!(offered.lines().filter(|line| line.starts_with("mcp:")).count() < 60, "{offered}");
    }
    let fixed: Vec<String> =
        rig.script.asked(Stage::SelectServices).iter().map(|call| call.system.to_string()).collect();
    assert_eq!(fixed[0], fixed[1], "what is the same for every message comes first");
}

#[tokio::test]
async fn what_somebody_else_wrote_does_not_decide_what_is_offered() {
    for (origin, is_offered) in [(Origin::Typed, true), (Origin::Forwarded, false)] {
        let rig = rig(Planning::Auto);
        let garden = json!({"service": "mcp:garden", "prompt": "", "dependencies": []});
        rig.script.divides("order", json!([garden, garden]));
        rig.me().writes("Unlock the vehicle number 2. Unlock the camera number 2.", origin, None).await;
        let calls = [Stage::SelectServices, Stage::SelectCommands].map(|stage| rig.script.asked(stage).pop().unwrap());
        assert_eq!(near_and_offered(&calls[1], "mcp:vehicle.unlock_vehicle").1, is_offered);
        for call in calls {
            let shown = format!("{}\n{}", call.system, call.user);
            assert_eq!(shown.contains("Unlock the vehicle"), is_offered, "{shown}");
            assert_eq!(shown.contains("\nCommands that share words"), is_offered, "{shown}");
        }
    }
}

#[tokio::test]
async fn a_guess_of_the_built_in_services_does_not_hide_those_that_a_server_brings() {
    let said = "remind me to calibrate the heating tomorrow at 5pm";
    for brings in [true, false] {
        let setup = Setup { grounds_plans: true, planning: Planning::Auto, skip_router: true, ..Setup::default() };
        let rig = Rig::new(setup);
        if brings {
            AREAS.into_iter().for_each(|name| rig.brain.services.register(area(name)).unwrap());
        }
        rig.says(said).await;
        let is_offered = |call: &Call| format!("{}{}", call.system, call.user).contains("mcp:heating");
        assert_eq!(rig.script.taken().iter().any(is_offered), brings, "{:?}", rig.script.stages());
    }
}

/// A server of texts: it changes things for others, or does not say.
fn outbox(says: Says) -> Registration {
    let definition = ToolDefinition {
        name: "send_text".to_owned(),
        summary: "send a text to somebody".to_owned(),
        example: String::new(),
        schema: json!({"type": "object", "required": ["text"], "additionalProperties": false,
            "properties": {"text": {"type": "string"}, "place": {"type": "string"}}}),
        effect: Effect::WriteElsewhere,
        stakes: Stakes::High,
    };
    let info = ServiceInfo::new("mcp:outbox", "outbox", "texts that go out", "outbox");
    let tool = Tool::of(definition).unwrap();
    let tool = if says == Says::Nothing { tool.of_unknown_effect() } else { tool };
    Registration::of(info, Arc::new(Area)).tool(tool).end()
}

/// What a server says of whether its tool changes anything.
#[derive(PartialEq, Eq)]
enum Says {
    ItChanges,
    Nothing,
}

/// Ten areas beside it.
fn rig_with_outbox() -> Rig {
    let rig = rig(Planning::Auto);
    rig.brain.services.register(outbox(Says::ItChanges)).unwrap();
    rig
}

/// What a model is shown as near to a message, and whether a command may be chosen for it.
fn near_and_offered(call: &Call, command: &str) -> (Vec<String>, bool) {
    let near = call.user.split("Commands that share words with the message:\n").nth(1);
    let near = near.into_iter().flat_map(|near| near.split("\n\n").next()).flat_map(str::lines);
    (near.map(str::to_owned).collect(), call.schema.as_ref().is_some_and(|schema| schema.as_str().contains(command)))
}

#[tokio::test]
async fn commands_that_share_words_with_a_message_are_named_beside_it_where_a_server_brought_any() {
    const LINE: &str = "mcp:outbox.send_text: send a text to somebody";
    for brings in [true, false] {
        let rig = Rig::new(Setup { grounds_plans: true, planning: Planning::Auto, model: true, ..Setup::default() });
        if brings {
            rig.brain.services.register(outbox(Says::ItChanges)).unwrap();
        }
        rig.script.selects("order", json!([]));
        rig.says("text somebody the code of the shed").await;
        let (near, is_offered) = near_and_offered(&rig.script.asked(Stage::Select)[0], "mcp:outbox.send_text");
        assert_eq!((near.contains(&LINE.to_owned()), is_offered), (brings, brings), "{near:?}");
        assert!(near.len() <= limits::NEAR_COMMANDS_MAX, "{near:?}");
    }
}

#[tokio::test]
async fn a_question_may_be_about_what_nobody_says_the_effect_of_and_a_card_asks_first() {
    for (says, is_asked) in [(Says::Nothing, true), (Says::ItChanges, false)] {
        let rig = Rig::new(Setup { grounds_plans: true, planning: Planning::Auto, model: true, ..Setup::default() });
        rig.brain.services.register(outbox(says)).unwrap();
        rig.script.selects("question", json!(["mcp:outbox.send_text"]));
        rig.script.fills(json!({"text": "shed"}));
        let told = rig.says("which text is there of the shed?").await;
        let (_, is_offered) = near_and_offered(&rig.script.asked(Stage::Select)[0], "mcp:outbox.send_text");
        let statuses: Vec<Status> = told.done.outcomes.iter().map(|outcome| outcome.status).collect();
        let is_waiting = statuses == [Status::Pending];
        assert_eq!((is_offered, is_waiting), (is_asked, is_asked), "{}", told.text());
    }
}

const READ_THEN_SEND: &str = "describe the printer number 4 and send a text with what it says";

fn read_then_send(rig: &Rig) {
    rig.script.divides(
        "order",
        json!([
            {"service": "mcp:outbox", "prompt": "send a text with what it says", "dependencies": ["1"]},
            {"service": "mcp:printer", "prompt": "describe the printer number 4", "dependencies": []},
        ]),
    );
    rig.script.chooses(&[
        ("describe the printer number 4", "mcp:printer.describe_printer"),
        ("send a text", "mcp:outbox.send_text"),
    ]);
    rig.script.on(Stage::BuildParams, |call| match call.user.rsplit("Of it only: ").next() {
        Some(part) if part.contains("send a text") => json!({"text": "did mcp:printer.describe_printer"}),
        _ => json!({"number": 4}),
    });
}

#[tokio::test]
async fn what_needs_a_result_is_filled_in_when_that_is_known_and_its_card_names_whose_words_they_are() {
    let rig = rig_with_outbox();
    read_then_send(&rig);
    let person = rig.me();
    let told = person.says(READ_THEN_SEND).await;
    let stages: Vec<Stage> = rig.script.stages();
    let chosen = [Stage::SelectServices, Stage::SelectCommands, Stage::SelectCommands, Stage::BuildParams];
    assert_eq!(stages[..4], chosen, "all commands are chosen before anything is read: {stages:?}");
    assert_eq!(stages.iter().filter(|stage| **stage == Stage::Reflect).count(), 0, "nothing is left to find out");
    let filled = rig.script.asked(Stage::BuildParams);
    let of = |at: usize| filled[at].user.to_string();
    assert!(!of(0).contains("did mcp:printer") && of(1).contains("did mcp:printer"), "{}\n———\n{}", of(0), of(1));
    let card = told.card();
    assert!(card.text().contains("did mcp:printer.describe_printer"), "{}", card.text());
    assert!(card.text().contains("the answer of printer"), "{}", card.text());
    let done = person.says("yes").await;
    assert_eq!(done.done.outcomes[0].status, Status::Succeeded, "{}", done.text());
}

#[tokio::test]
async fn what_needs_a_result_that_did_not_come_is_not_done_and_told() {
    let rig = rig_with_outbox();
    read_then_send(&rig);
    // A number that does not fit.
    rig.script.on(Stage::BuildParams, |_| json!({"number": "many"}));
    let told = rig.says(READ_THEN_SEND).await;
    assert!(told.done.outcomes.iter().all(|report| report.status != Status::Succeeded), "{}", told.text());
    assert!(!told.text().to_lowercase().contains("sent"), "{}", told.text());
}

#[tokio::test]
async fn tasks_that_break_a_rule_are_asked_for_once_more_by_name_and_then_not_taken() {
    let rig = rig_with_outbox();
    rig.script.divides(
        "order",
        json!([
            {"service": "mcp:outbox", "prompt": "a", "dependencies": ["task-1"]},
            {"service": "mcp:printer", "prompt": "b", "dependencies": ["task-0"]},
        ]),
    );
    let told = rig.says(READ_THEN_SEND).await;
    let asked = rig.script.asked(Stage::SelectServices);
    assert_eq!(asked.len(), 2);
    assert!(asked[1].user.contains("depend on one another in a circle"), "{}", asked[1].user);
    assert_eq!(rig.script.asked(Stage::SelectCommands).len(), 0);
    assert!(told.done.outcomes.iter().all(|report| report.status != Status::Succeeded), "{}", told.text());
}

#[tokio::test]
async fn a_request_that_may_not_be_refined_costs_no_call() {
    let tasks = TaskLimits { depth: 0, ..TaskLimits::default() };
    let rig = Rig::new(Setup { grounds_plans: true, planning: Planning::Auto, tasks, ..Setup::default() });
    AREAS.into_iter().for_each(|name| rig.brain.services.register(area(name)).unwrap());
    let told = rig.says("please calibrate the heating number 7").await;
    let refined = [Stage::SelectServices, Stage::SelectCommands];
    assert!(rig.script.stages().iter().all(|stage| !refined.contains(stage)), "{:?}", rig.script.stages());
    assert!(told.done.outcomes.is_empty(), "{}", told.text());
}

#[tokio::test]
async fn thirty_services_take_at_most_seven_hundred_tokens_and_a_hundred_no_more() {
    for many in [24, 100] {
        let rig = Rig::new(Setup { planning: Planning::Auto, ..Setup::default() });
        for number in 0..many {
            let name = format!("{}{number}", AREAS[number % AREAS.len()]);
            rig.brain.services.register(area(&name)).unwrap();
        }
        rig.says("please calibrate the heating99 number 7, would you").await;
        let call = rig.script.asked(Stage::SelectServices).pop().unwrap();
        let said = format!("{}\n{}", call.system, call.user);
        let names = rig.brain.services.now().names();
        let is_listed = |line: &&str| line.split_once(": ").is_some_and(|(name, _)| names.iter().any(|of| of == name));
        let chars: usize = said.lines().filter(is_listed).map(|line| line.len() + 1).sum();
        assert!((1_000..=2_800).contains(&chars), "{chars} characters: {said}");
        if many == 24 {
            // The assistant's own commands are for models that hold a conversation.
            let (listed, left): (Vec<&String>, Vec<&String>) =
                names.iter().partition(|name| said.contains(&format!("\n{name}: ")));
            assert_eq!((listed.len(), left), (30, vec![&"assistant".to_owned()]), "{said}");
        }
    }
}

#[test]
fn the_shortlist_keeps_to_its_room_and_holds_what_is_meant() {
    let registry = brain_agent::services::catalog::registry::Registry::new(AREAS.map(area));
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
