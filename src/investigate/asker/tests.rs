use serde::Deserialize;
use serde_json::json;

use super::testing::{AskingWorld, ScriptedModel};
use super::*;
use crate::investigate::run::BudgetLimits;

#[derive(Debug, Deserialize, PartialEq)]
struct Order {
    order: Vec<u32>,
}

async fn asked(world: &AskingWorld) -> Result<Order, AskFailure> {
    let schema = AnswerSchema::of(json!({"type": "object", "required": ["order"]}));
    let prompt = Prompt { system: "Rank.".into(), user: "1 2 3".into() };
    world.with(async |model| model.typed::<Order>(Stage::Rank, prompt, &schema, 100).await).await
}

#[tokio::test]
async fn an_answer_of_the_wrong_shape_is_asked_for_once_more_with_what_is_wrong() {
    let world = AskingWorld::of(ScriptedModel::of(&[r#"{"order": "first"}"#, r#"{"order": [2, 1]}"#]));
    assert_eq!(asked(&world).await, Ok(Order { order: vec![2, 1] }));
    let again = &world.script.asked()[1].user;
    assert!(again.starts_with("1 2 3") && again.contains("invalid type"), "{again}");
    let outcomes: Vec<String> = world.spans.lock().unwrap().iter().map(|span| span.outcome.clone()).collect();
    assert_eq!(outcomes, ["unusable", "ok"]);
    assert_eq!((world.budget.spent().calls, world.budget.spent().tokens), (2, 300), "what both used");
}

#[tokio::test]
async fn after_two_unusable_answers_nothing_is_asked() {
    let world = AskingWorld::of(ScriptedModel::of(&["no", "no", r#"{"order": [1]}"#]));
    assert_eq!(asked(&world).await, Err(AskFailure::Unusable { why: "it was no JSON".to_owned() }));
    assert_eq!(world.script.asked().len(), 2);
}

#[tokio::test]
async fn a_call_that_does_not_fit_the_budget_is_not_sent() {
    let limits = BudgetLimits { tokens: 100, ..BudgetLimits::default() };
    let world = AskingWorld::within(ScriptedModel::of(&[r#"{"order": [1]}"#]), limits);
    assert!(matches!(asked(&world).await, Err(AskFailure::OutOfBudget(OutOfBudget::Tokens { left: 100, .. }))));
    assert!(world.script.asked().is_empty());
    assert_eq!(world.spans.lock().unwrap().len(), 1, "it is on record all the same");
}

#[tokio::test]
async fn a_model_that_is_away_is_no_empty_answer() {
    let world = AskingWorld::of(ScriptedModel::of(&[]));
    assert!(matches!(asked(&world).await, Err(AskFailure::Model(ModelError::Unreachable { .. }))));
}
