//! A second set of models takes turns beside the first, with nothing done, and the two are compared.

use std::sync::Arc;
use std::time::Duration;

use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::pending::Pending;
use brain_agent::metering::Budgets;
use brain_agent::ports::records::{DailyUsage, GateVerdict, Message, ShadowTurn, TurnContents};
use brain_agent::ports::{Clock, Planning, RecordExt, Scan, Stage, TokenPrice};
use brain_agent::queries::shadow::{ComparedPart, ShadowReport, kept_turns, report};
use brain_agent::services::task::Task;
use serde_json::{Value, json};

use crate::rig::{ME, Rig, Script, Setup, action, send};
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Program, text_of};

fn shadowed(setup: Setup) -> (Rig, Arc<Script>) {
    let script = Arc::new(Script::default());
    let rig = Rig::new(Setup { contents_kept: 50, shadow: Some(script.clone()), ..setup });
    (rig, script)
}

fn plans(script: &Script, domain: &str, actions: Value) {
    script.routes(json!({"type": "action", "domains": [domain], "is_followup": false}));
    script.plans(json!({"actions": actions, "question": null, "open": null}));
}

async fn kept(rig: &Rig) -> Vec<TurnContents> {
    rig.brain.store.list_all::<TurnContents>(&[ME]).await.unwrap()
}

/// What the shadow of the last turn came to, once it is over.
async fn last_shadow(rig: &Rig) -> (TurnContents, ShadowTurn) {
    for _ in 0..10_000 {
        if let Some(contents) = kept(rig).await.pop()
            && let Some(shadow) = contents.shadow.clone()
        {
            return (contents, *shadow);
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("no shadow: {:#?}", kept(rig).await);
}

async fn compared(rig: &Rig) -> ShadowReport {
    report(kept_turns(&rig.brain.view().await.unwrap(), 100, |_| true).await.unwrap())
}

/// US dollars and calls of everybody.
async fn spent(rig: &Rig) -> (f64, u32) {
    let used = rig.brain.store.list::<DailyUsage>(Scan::of::<DailyUsage>(&[], 100)).await.unwrap();
    let sum = |of: fn(&DailyUsage) -> f64| used.iter().map(|(used, _)| of(used)).sum::<f64>();
    (sum(|used| used.sum.usd), used.iter().map(|(used, _)| used.sum.usage.calls).sum())
}

async fn tasks(rig: &Rig) -> Vec<String> {
    let all = rig.brain.store.list::<Task>(Scan::of::<Task>(&[], 100)).await.unwrap();
    all.into_iter().map(|(task, _)| task.title).collect()
}

#[tokio::test]
async fn what_a_shadow_plans_is_kept_beside_what_counted_and_nothing_of_it_is_done() {
    let (rig, shadow) = shadowed(Setup::default());
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    plans(&shadow, "task", json!([action("task", "create", json!({"title": "Ring a plumber"}))]));
    rig.says("see to it that I ring the plumber").await;
    let (contents, taken) = last_shadow(&rig).await;
    assert_eq!(tasks(&rig).await, ["Ring the plumber"]);
    assert_eq!(rig.brain.store.list_all::<Message>(&[&format!("console:{ME}")]).await.unwrap().len(), 2);
    let gated = |planned: &brain_agent::ports::records::PlannedTurn| {
        let [action] = &planned.gated[..] else { panic!("{planned:?}") };
        (action.name.clone(), action.params["title"].clone(), action.verdict)
    };
    assert_eq!(gated(&contents.planned), ("task.create".to_owned(), "Ring the plumber".into(), GateVerdict::Runs));
    assert_eq!(gated(&taken.planned), ("task.create".to_owned(), "Ring a plumber".into(), GateVerdict::Runs));
    assert!(taken.failed.is_none() && !taken.is_replay && taken.nodes.iter().any(|node| node.name == "gate"));

    let report = compared(&rig).await;
    let agreement = |part| report.parts[&part];
    assert_eq!((report.turns, report.same, agreement(ComparedPart::Parameters).same), (1, 0, 0));
    for part in [ComparedPart::Route, ComparedPart::Commands, ComparedPart::Stakes] {
        assert_eq!((agreement(part).same, agreement(part).of), (1, 1), "{part:?}");
    }
    let [differing] = &report.differing[..] else { panic!("{report:#?}") };
    assert_eq!(differing.parts, [ComparedPart::Parameters]);
    let value = ("task.create: title".to_owned(), "Ring the plumber".into(), "Ring a plumber".into());
    assert_eq!(differing.values, [value]);
}

#[tokio::test]
async fn a_shadow_makes_no_card_sends_nothing_and_runs_no_command_of_the_assistant() {
    let (rig, shadow) = shadowed(Setup::default());
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    plans(&shadow, "email", json!([send("bob@example.com", "Plumber", "Ring him")]));
    rig.says("see to it that I ring the plumber").await;
    let (_, taken) = last_shadow(&rig).await;
    let [mail] = &taken.planned.gated[..] else { panic!("{taken:#?}") };
    assert_eq!((mail.name.as_str(), mail.verdict), ("email.send_email", GateVerdict::Waits));
    let cards = rig.brain.store.list::<Pending>(Scan::of::<Pending>(&[], 10)).await.unwrap();
    assert!(cards.is_empty(), "{cards:?}");
    let differing = compared(&rig).await.differing;
    assert_eq!(differing[0].parts, [ComparedPart::Route, ComparedPart::Commands]);

    // What would be undone by it still stands.
    plans(&rig.script, "task", json!([action("task", "list", json!({}))]));
    plans(&shadow, "assistant", json!([action("assistant", "undo", json!({}))]));
    rig.says("hm, that thing about the plumber, what of it").await;
    last_shadow(&rig).await;
    assert_eq!(tasks(&rig).await, ["Ring the plumber"]);
}

/// However late it is: what the turn that counts has begun is neither told nor decided by it.
#[tokio::test]
async fn a_late_shadow_takes_up_nothing_of_the_turn_that_counted() {
    let (rig, shadow) = shadowed(Setup::default());
    plans(&shadow, "email", json!([send("bob@example.com", "Plumber", "Ring him")]));
    shadow.takes(Stage::Route, Duration::from_millis(300));
    rig.plans(json!([send("bob@example.com", "Plumber", "Ring him")]));
    let card = rig.says("yes, please send bob@example.com a mail: ring him").await.card();
    let (_, taken) = last_shadow(&rig).await;
    assert_eq!(taken.planned.gated.len(), 1, "{taken:#?}");
    assert_eq!(taken.planned.gated[0].verdict, GateVerdict::Waits);
    let told = rig.presses(&card.approve()).await;
    assert_eq!(told.succeeded(), ["email.send_email"], "{}", told.text());
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn whoever_has_not_agreed_has_no_shadow_and_who_takes_it_back_keeps_none() {
    let (rig, shadow) = shadowed(Setup::default());
    let ann = rig.in_chat("tg:7", &ChatId::alone_with(&UserId::new("tg:7")));
    ann.says("how do you like the weather?").await;
    rig.in_chat(ME, &ChatId::new("tg:-5")).says("how do you like the weather?").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(shadow.stages().is_empty(), "{:?}", shadow.stages());
    rig.says("how do you like the sun?").await;
    last_shadow(&rig).await;
    rig.says("/trace stop").await;
    assert!(kept(&rig).await.is_empty());
}

#[tokio::test]
async fn a_turn_that_is_long_over_is_taken_again_with_what_was_said_by_then() {
    let script = Arc::new(Script::default());
    let setup = || Setup { contents_kept: 50, planning: Planning::Conversation, ..Setup::default() };
    let mut rig = Rig::new(setup());
    rig.plans(json!([]));
    rig.says("I like rain on the roof").await;
    rig.moves_clock(chrono::Duration::minutes(1)).await;
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    rig.says("see to it that I ring the plumber").await;
    rig.plans(json!([]));
    let at = rig.clock.now();
    rig.moves_clock(chrono::Duration::hours(1)).await;
    rig.says("and snow in the garden").await;
    let turn = kept(&rig).await.into_iter().find(|kept| kept.message.contains("plumber")).unwrap();
    assert!(turn.shadow.is_none() && turn.at == at);

    rig.restart(Setup { shadow: Some(script.clone()), ..setup() }).await;
    plans(&script, "task", json!([action("task", "create", json!({"title": "Ring the plumber", "due": "today"}))]));
    let taken = rig.brain.shadow.as_ref().unwrap().replay(&turn).await.unwrap().expect("it is kept");
    assert!(taken.is_replay && taken.failed.is_none(), "{taken:#?}");
    let prompt = script.asked(Stage::Converse)[0].user.to_string();
    assert!(prompt.contains("rain on the roof") && !prompt.contains("snow in the garden"), "{prompt}");
    assert_eq!(tasks(&rig).await, ["Ring the plumber"]);
    let report = compared(&rig).await;
    assert_eq!((report.turns, report.replayed, report.parts[&ComparedPart::Commands].same), (1, 1, 1));

    // What was forgotten meanwhile is not written back.
    rig.says("/trace stop").await;
    assert!(rig.brain.shadow.as_ref().unwrap().replay(&turn).await.unwrap().is_none());
    assert!(kept(&rig).await.is_empty());
}

#[tokio::test]
async fn what_a_shadow_asks_is_counted_and_ends_where_most_of_a_budget_is_used() {
    let budgets = Budgets { daily: Some(2.0), ..Budgets::default() };
    let price = Some(TokenPrice { input_usd: 0.0, output_usd: 1_000.0 });
    let (rig, shadow) = shadowed(Setup { price, budgets, ..Setup::default() });
    rig.script.answers_in_tokens(100);
    shadow.answers_in_tokens(100);
    for number in 0..20 {
        rig.says(&format!("how do you like the weather, part {number}?")).await;
        last_shadow(&rig).await;
    }
    let (spent, calls) = spent(&rig).await;
    let made = rig.script.stages().len() + shadow.stages().len();
    assert!(spent <= 2.0 && made == calls as usize && !shadow.stages().is_empty(), "{spent}: {calls} of {made}");
    let report = compared(&rig).await;
    assert!(report.failed["most of a budget is used"] > 0, "{:?}", report.failed);
}

/// Where the end of a budget is near, nothing is asked of a model beside the router that may not be needed.
#[tokio::test]
async fn near_the_end_of_a_budget_nothing_is_asked_ahead() {
    let budgets = Budgets { daily: Some(2.0), ..Budgets::default() };
    let price = Some(TokenPrice { input_usd: 0.0, output_usd: 1_000.0 });
    let topics = Some("Only work of the office.".to_owned());
    let rig = Rig::new(Setup { price, budgets, topics, ..Setup::default() });
    rig.script.answers_in_tokens(100);
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.script.on(Stage::Guard, |_| json!({"verdict": "blocked"}));
    let asks = async || {
        rig.script.taken();
        rig.says("thank you so much, you are great!").await;
        rig.script.stages()
    };
    let before = asks().await;
    assert!(before.contains(&Stage::Chat), "begun beside the router: {before:?}");
    while spent(&rig).await.0 < 1.6 {
        asks().await;
    }
    let after = asks().await;
    assert!(!after.is_empty() && !after.contains(&Stage::Chat), "{after:?}");
}

/// The program itself, with both models behind real servers.
#[test]
fn a_shadow_is_set_in_a_file_and_reported_by_the_command() {
    let create = |title: &str| json!({"actions": [action("task", "create", json!({"title": title}))], "question": null, "open": null});
    let plan = move |title: &'static str| {
        move |request: &crate::support::model_server::ModelRequest| match request.stage.as_str() {
            "route" => ModelReply::route("action", &["task"]),
            _ => ModelReply::json(create(title)),
        }
    };
    let (first, second) = (ModelServer::start(plan("Ring Tom")), ModelServer::start(plan("Ring Tim")));
    let program = Program::new().whole_plans(&first).env("BRAIN_KEEP_CONTENTS", "20").env("LLM_API_KEY", "sk-first");
    let file = program.cwd().join("shadow.env");
    std::fs::write(&file, format!("LLM_BASE_URL={}\nLLM_MODEL=second\n", second.url())).unwrap();
    let program = program.env("BRAIN_SHADOW", file.to_str().unwrap());
    let report = program.run(&["shadow", "report"]);
    assert!(report.stdout.contains("No turn has been taken twice yet"), "{report:?}");
    let mut console = program.at("2026-01-11T09:00:00Z");
    let told = text_of(&console.say("see to it that I ring Tom up about the roof"));
    assert!(told.contains("Ring Tom"), "{told}");
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while second.calls().len() < 2 && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    drop(console);
    let keys = second.calls();
    assert!(!keys.is_empty() && keys.iter().all(|call| !format!("{call:?}").contains("sk-first")), "{keys:?}");
    let report = program.run(&["shadow", "report"]).stdout;
    assert!(report.contains("1 turns were taken twice") && report.contains("differs in: "), "{report}");
    let again = program.run(&["shadow", "replay"]).stdout;
    assert!(again.contains("1. 2026-01-11 09:00:00 UTC") && again.contains(": another "), "{again}");
}
