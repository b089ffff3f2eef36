//! Whoever runs this is told what is wrong, once, and once more only after it was over.

use brain_agent::metering::Budgets;
use brain_agent::ports::{Stage, TokenPrice};
use brain_agent::upkeep::alarms;
use serde_json::{Value, json};

use crate::rig::{Rig, Setup};

const MUCH: Option<u64> = Some(1 << 40);
const LITTLE: Option<u64> = Some(10_000_000);

/// What was shown since the last look.
async fn told(rig: &Rig, free: Option<u64>) -> Vec<String> {
    let before = rig.channel.all().len();
    alarms::look(&rig.brain, free).await.unwrap();
    rig.channel.all().into_iter().skip(before).map(|shown| shown.reply.text).collect()
}

#[tokio::test]
async fn a_disk_that_is_nearly_full_is_told_once_and_again_after_it_was_not() {
    let rig = Rig::plain();
    rig.says("hello").await;
    assert_eq!(told(&rig, MUCH).await, Vec::<String>::new());
    let [alarm] = &told(&rig, LITTLE).await[..] else { panic!("one alarm") };
    assert!(alarm.starts_with("💽 Only 10 MB are free"), "{alarm}");
    assert_eq!(told(&rig, LITTLE).await, Vec::<String>::new());
    // Another life of the program knows that it was told.
    let rig = rig.restarts(Setup::default()).await;
    assert_eq!(told(&rig, LITTLE).await, Vec::<String>::new());
    assert_eq!(told(&rig, MUCH).await, Vec::<String>::new());
    assert_eq!(told(&rig, LITTLE).await.len(), 1);
}

#[tokio::test]
async fn a_model_that_fails_again_and_again_is_told_with_what_to_do() {
    let rig = Rig::plain();
    rig.script.on(Stage::Route, |_| Value::Null);
    for number in 0..8 {
        rig.says(&format!("what do you make of the weather, part {number}?")).await;
    }
    let alarms = told(&rig, MUCH).await;
    assert!(!alarms.is_empty() && alarms.iter().all(|alarm| alarm.contains("5 times in a row")), "{alarms:?}");
    assert!(alarms[0].contains("brain-agent doctor") && !alarms[0].contains("weather"), "{alarms:?}");
    assert_eq!(told(&rig, MUCH).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_budget_that_is_used_up_is_told_with_whose_it_is() {
    let price = Some(TokenPrice { input_usd: 0.0, output_usd: 1_000.0 });
    let budgets = Budgets { daily: Some(1.0), ..Budgets::default() };
    let rig = Rig::new(Setup { price, budgets, ..Setup::default() });
    rig.script.answers_in_tokens(400);
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    for number in 0..10 {
        rig.says(&format!("how do you like the weather, part {number}?")).await;
    }
    let alarms = told(&rig, MUCH).await;
    assert!(alarms.iter().any(|alarm| alarm.contains("used up for alex")), "{alarms:?}");
}
