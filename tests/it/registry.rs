//! Services that arrive at run time: one of a file of its own, from its registration to its receipt, and one that leaves
//! while a card of it is open.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Query, State};
use axum::routing::get;
use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::ports::Stage;
use brain_agent::services::catalog::registry::{Registration, RegistryError};
use brain_agent::services::contract::service::{Service, ServiceInfo};
use serde_json::json;

use crate::rig::{Rig, Setup, action};
use crate::support::internals;

#[path = "../../examples/weather.rs"]
#[allow(dead_code)]
mod weather;

/// A place that only a mail of the demo names.
const COPIED: &str = "The Hillcrest Herald";

/// A service without commands.
#[derive(Debug)]
struct Nothing;

impl Service for Nothing {}

/// A weather server on loopback; it says which places it was asked about.
struct Sky {
    url: String,
    asked: Arc<AtomicUsize>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Sky {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn sky() -> Sky {
    type Asked = (Arc<AtomicUsize>, Query<std::collections::HashMap<String, String>>);
    async fn answer((asked, Query(query)): Asked) -> String {
        asked.fetch_add(1, Ordering::SeqCst);
        json!({"summary": format!("light rain in {}", query["place"]), "high_c": 17}).to_string()
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let app = axum::Router::new()
        .route("/forecast", get(|State(asked), query| answer((asked, query))))
        .with_state(asked.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/forecast", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    Sky { url, asked, serving }
}

fn without_model() -> Rig {
    Rig::new(Setup { model: false, ..Setup::default() })
}

#[tokio::test]
async fn a_service_of_one_file_is_routed_planned_receipted_and_in_help_without_a_model() {
    let (rig, sky) = (without_model(), sky().await);
    rig.brain.services.register(weather::registration(&sky.url)).unwrap();
    let told = rig.says("What's the weather in Lisbon?").await;
    assert_eq!(told.text(), "🌦 Lisbon: light rain in Lisbon, up to 17 °C");
    let told = rig.says("please set my weather home to Porto").await;
    assert_eq!(told.text(), "🌦 Your weather is that of Porto from now on.");
    let told = rig.says("how's the weather").await;
    assert_eq!(told.text(), "🌦 Porto: light rain in Porto, up to 17 °C");
    let help = rig.says("/help weather").await.text();
    assert!(help.contains("Weather\n• What's the weather in Lisbon?"), "{help}");
    assert!(help.contains("• Set my weather home to Porto"), "{help}");
    // What it does not cover goes where it went before.
    let told = rig.says("remind me to call mom tomorrow at 5pm").await;
    assert_eq!(told.done.outcomes[0].service, "task");
}

#[tokio::test]
async fn a_model_is_told_of_it_and_its_plan_is_carried_out() {
    let (rig, sky) = (Rig::plain(), sky().await);
    rig.brain.services.register(weather::registration(&sky.url)).unwrap();
    rig.plans(json!([action("weather", "forecast", json!({"place": "Lisbon", "day": "tomorrow"}))]));
    let told = rig.says("do I need an umbrella in Lisbon tomorrow?").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{told:?}");
    assert_eq!(told.done.outcomes[0].params["day"], "2026-01-13");
    assert!(told.text().contains("🌦 Lisbon: light rain in Lisbon, up to 17 °C"), "{}", told.text());
    let asked = rig.script.asked(Stage::Route);
    assert!(format!("{:?}", asked[0]).contains("weather: weather forecasts for a place"), "{asked:?}");
    let planned = rig.script.asked(Stage::Plan);
    assert!(format!("{:?}", planned[0]).contains("forecast"), "the planner's schema holds its commands");
}

#[tokio::test]
async fn a_place_out_of_somebody_elses_mail_leaves_the_machine_only_after_a_yes() {
    let (rig, sky) = (Rig::new(Setup { demo: true, ..Setup::default() }), sky().await);
    rig.brain.services.register(weather::registration(&sky.url)).unwrap();
    // The mail is read aloud first; then the model takes a place out of it that nobody asked about.
    rig.plans(json!([action("email", "search", json!({"text": "hens"}))]));
    let read = rig.says("what mails are there about the hens?").await;
    assert!(read.text().contains(COPIED), "{}", read.text());
    rig.plans(json!([action("weather", "forecast", json!({"place": COPIED}))]));
    let card = rig.says("and how is the weather there?").await;
    assert_eq!(card.done.outcomes[0].status, Status::Pending, "{card:?}");
    assert_eq!(sky.asked.load(Ordering::SeqCst), 0, "nothing has left the machine");
    let card = card.card();
    assert!(card.parts.concat().contains("not from you"), "{:?}", card.parts);
    let told = rig.presses(&card.button(Role::Approve)).await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{told:?}");
    assert_eq!(sky.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_read_elsewhere_that_cannot_be_reached_has_failed_and_is_not_doubtful() {
    let rig = without_model();
    rig.brain.services.register(weather::registration("http://127.0.0.1:9/forecast")).unwrap();
    let told = rig.says("what's the weather in Lisbon?").await;
    assert_eq!(told.done.outcomes[0].status, Status::Failed);
    assert!(told.text().starts_with("❗ I could not look up the weather: The weather server could not be reached"));
}

#[tokio::test]
async fn a_service_comes_and_goes_while_the_program_runs_and_its_open_card_is_refused_in_words() {
    let (rig, sky) = (Rig::new(Setup { demo: true, ..Setup::default() }), sky().await);
    // Before it is there, nobody can ask for it.
    rig.plans(json!([action("weather", "forecast", json!({"place": "Lisbon"}))]));
    let told = rig.says("what is the weather in Lisbon?").await;
    assert!(told.done.outcomes.iter().all(|outcome| outcome.status != Status::Succeeded), "{told:?}");

    rig.brain.services.register(weather::registration(&sky.url)).unwrap();
    let twice = rig.brain.services.register(weather::registration(&sky.url));
    assert_eq!(twice, Err(RegistryError::Taken("weather".to_owned())));
    rig.plans(json!([action("weather", "forecast", json!({"place": "Lisbon"}))]));
    let told = rig.says("what is the weather in Lisbon?").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "used in the next turn: {told:?}");

    // A card of it, open while it leaves.
    rig.plans(json!([action("email", "search", json!({"text": "hens"}))]));
    let read = rig.says("what mails are there about the hens?").await;
    assert!(read.text().contains(COPIED), "{}", read.text());
    rig.plans(json!([action("weather", "forecast", json!({"place": COPIED}))]));
    let card = rig.says("and how is the weather there?").await.card();
    assert!(rig.brain.services.remove("weather"));
    assert!(!rig.brain.services.remove("weather"));
    let asked_before = sky.asked.load(Ordering::SeqCst);
    let told = rig.presses(&card.button(Role::Approve)).await;
    assert_eq!(told.done.outcomes[0].status, Status::Failed, "{told:?}");
    assert!(told.text().contains("is not set up here"), "{}", told.text());
    assert_eq!(sky.asked.load(Ordering::SeqCst), asked_before);
    // And the rest of the house stands.
    rig.plans(json!([action("task", "create", json!({"title": "Buy milk"}))]));
    let told = rig.says("add buy milk to my tasks").await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded);
}

#[tokio::test]
async fn phrases_that_cannot_be_read_are_named_and_register_nothing() {
    let rig = without_model();
    let info = ServiceInfo::new("odd", "Odd", "nothing", "nowhere");
    let broken = Registration::of(info, Arc::new(Nothing)).phrases("do\n  (what is\n").end();
    let error = rig.brain.services.register(broken).unwrap_err();
    assert!(matches!(error, RegistryError::Phrases(_)), "{error}");
    assert!(rig.brain.services.now().find("odd").is_none());
}

/// Names of commands are looked for in every text that a test sees (`support::internals`).
#[tokio::test]
async fn every_command_that_is_built_in_is_looked_for_in_what_people_read() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    let services = rig.brain.services.now();
    for entry in services.commands(&services.names()) {
        let known = internals::COMMANDS.iter().find(|(service, _)| *service == entry.service());
        let is_known = known.is_some_and(|(_, commands)| commands.contains(&entry.command()));
        assert!(is_known, "{}.{}", entry.service(), entry.command());
    }
}
