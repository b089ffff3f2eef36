use super::*;
use crate::services::contract::command::{Completed, Effect};
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{Service, ServiceInfo};
use crate::services::tool::{Tool, ToolDefinition, ToolInvocation, ToolResult, Tools};
use crate::testing;
use brain_core::core::stakes::Stakes;

#[derive(Debug)]
struct Crowd;

impl Service for Crowd {
    fn is_open_to(&self, owner: &UserId) -> bool {
        owner.as_str() != "stranger"
    }
}

#[async_trait::async_trait]
impl Tools for Crowd {
    async fn call(&self, _: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        Ok(Completed::read(ToolResult::new("")))
    }
}

fn tool(name: &str, summary: &str, schema: serde_json::Value) -> Tool {
    let (name, summary) = (name.to_owned(), summary.to_owned());
    let (example, effect, stakes) = (String::new(), Effect::ReadElsewhere, Stakes::Low);
    Tool::of(ToolDefinition { name, summary, example, schema, effect, stakes }).expect("usable")
}

#[test]
fn every_service_and_every_command_has_its_words_and_its_shape() {
    let services = testing::registry().now();
    assert_eq!(services.names(), ["task", "calendar", "email", "memory", "keep", "contacts", "assistant"]);
    for ServiceInfo { name, title, summary, place } in services.iter().map(|registration| &registration.info) {
        assert!(![title, summary, place].iter().any(|words| words.is_empty()), "{name}");
    }
    let entries = services.commands(&services.names());
    assert_eq!(entries.len(), 48);
    for entry in entries {
        let words = [entry.summary(), entry.example(), entry.status()];
        assert!(!words.iter().any(|words| words.is_empty()), "{entry:?}");
        assert_eq!(entry.schema()["type"], "object", "{entry:?}");
        let found = services.command(entry.service(), entry.command()).expect("what is listed is found");
        assert!(Arc::ptr_eq(&found, &entry), "{entry:?}");
    }
}

#[test]
fn the_plan_schema_holds_the_routed_domains_only_and_is_stable() {
    let schema = |domains: &[&str]| {
        let domains: Vec<String> = domains.iter().map(|&domain| domain.to_owned()).collect();
        testing::registry().now().plan_schema(&domains).as_str().to_owned()
    };
    let text = schema(&["keep"]);
    assert!(text.contains("\"keep\"") && !text.contains("\"email\""));
    assert_eq!(text, schema(&["keep"]));
    assert_eq!(schema(&["task", "email"]), schema(&["email", "task"]));

    let services = testing::registry().now();
    let number = |domains: &[&str]| {
        services.plan_schema(&domains.iter().map(|&domain| domain.to_owned()).collect::<Vec<_>>()).number()
    };
    assert_eq!(number(&["task", "email"]), number(&["email", "task", "task", "nothing"]), "made once");
    assert_ne!(number(&["task"]), number(&["email"]));
    assert_eq!(services.route_schema().number(), services.route_schema().number());
}

#[test]
fn what_fits_one_prompt_decides_how_services_are_planned() {
    let services = testing::registry().now();
    assert_eq!(services.extent(&services.names()), CatalogExtent::Schemas, "the built-in ones fit into one");
    let crowd = |count: usize, param: &str| {
        let info = ServiceInfo::new("crowd", "Crowd", "many things", "the crowd");
        let tool = |n: usize| {
            let schema = serde_json::json!({"type": "object", "properties": {param: {"type": "string"}}});
            tool(&format!("do_{n}"), &format!("do thing number {n}"), schema)
        };
        let crowd = (0..count).fold(Registration::of(info, Arc::new(Crowd)), |crowd, n| crowd.tool(tool(n)));
        let registry = testing::registry();
        registry.register(crowd.end()).expect("a new name");
        let services = registry.now();
        // What is for conversations is not offered to whoever plans by lines.
        let names: Vec<String> = services.names().into_iter().filter(|name| name != "assistant").collect();
        services.extent(&names)
    };
    assert_eq!(crowd(20, &"long".repeat(200)), CatalogExtent::Lines);
    assert_eq!(crowd(300, "n"), CatalogExtent::Services);
}

#[test]
fn what_a_server_brings_is_found_by_its_name_by_what_it_does_and_by_its_parameters() {
    let registry = testing::registry();
    let near = |words: &str| -> Vec<String> {
        let near = registry.now().near(words, |_| true);
        near.iter().map(|entry| entry.command().to_owned()).collect()
    };
    assert!(near("add a note").is_empty(), "what is built in is known without it");
    let info = ServiceInfo::new("parcels", "Parcels", "parcels and boxes", "the parcels");
    let box_of = serde_json::json!({"type": "object", "properties": {
        "size": {"enum": ["tiny", "huge"]},
        "of": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"cardboard": {"type": "string"}}}]},
        "wrap": {"type": "string", "description": "Wrapping, ".repeat(100) + "ribbons"},
    }});
    let tracking = serde_json::json!({"type": "object"});
    let parcels = Registration::of(info, Arc::new(Crowd))
        .tool(tool("order_box", "order something", box_of))
        .tool(tool("track", "tell where a parcel is", tracking));
    registry.register(parcels.end()).expect("a new name");
    for words in ["a box, please", "the huge one", "cardboard, please", "with wrapping"] {
        assert_eq!(near(words).first().map(String::as_str), Some("order_box"), "{words}");
    }
    assert_eq!(near("where is my parcel?").first().map(String::as_str), Some("track"));
    assert!(near("ribbons").is_empty(), "of a long definition the head");
    assert!(near("add a note of all mails, events, tasks, parcels, boxes").len() <= limits::NEAR_COMMANDS_MAX);
}

#[test]
fn a_service_that_goes_takes_its_commands_along_and_leaves_earlier_looks_alone() {
    let registry = testing::registry();
    let before = registry.now();
    let keep = Registration::clone(before.find("keep").expect("notes"));
    let taken = registry.register(keep.clone());
    assert_eq!(taken, Err(RegistryError::Taken("keep".to_owned())));
    assert!(registry.remove("keep") && !registry.remove("keep"));
    assert!(registry.command("keep", "create").is_none());
    assert!(before.command("keep", "create").is_some());
    assert_eq!(registry.register(keep), Ok(()));
    assert!(registry.command("keep", "create").is_some());
    assert_eq!(registry.now().names().last().map(String::as_str), Some("keep"));
}

#[test]
fn who_may_not_use_a_service_is_offered_nothing_of_it() {
    let registry = Registry::new([]);
    let of = |name: &str| Registration::of(ServiceInfo::new(name, "Crowd", "many things", "it"), Arc::new(Crowd)).end();
    registry.register(of("crowd")).unwrap();
    let [friend, stranger] = ["friend", "stranger"].map(UserId::new);
    assert!(Arc::ptr_eq(&registry.open_to(&friend), &registry.now()));
    let open = registry.open_to(&stranger);
    assert_eq!(open.names(), Vec::<String>::new());
    assert!(!open.route_schema().as_str().contains("crowd"));
    assert!(Arc::ptr_eq(&open, &registry.open_to(&stranger)), "made once");
    registry.register(of("more")).unwrap();
    assert_eq!(registry.open_to(&friend).names(), ["crowd", "more"]);
}
