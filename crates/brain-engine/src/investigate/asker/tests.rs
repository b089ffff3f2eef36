use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::investigate::cache::EvidenceCache;
use crate::investigate::run::{
    Attempting, BudgetLimits, BudgetSpent, LaneLimits, NodeFailure, NodeInputs, WorkLane, WorkLanes, whole,
};
use crate::testing::asking::{AskingWorld, ScriptedModel};
use brain_core::core::ids::UserId;

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
    let outcomes: Vec<String> = world.spans.lock().unwrap().iter().map(|span| span.outcome.to_string()).collect();
    assert_eq!(outcomes, ["unusable", "ok"]);
    assert_eq!((world.bounds.budget.spent().calls, world.bounds.budget.spent().tokens), (2, 300), "what both used");
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

#[tokio::test]
async fn what_was_asked_a_while_ago_is_not_asked_again() {
    let mut world = AskingWorld::of(ScriptedModel::of(&[r#"{"order": [2, 1]}"#, r#"{"order": [3]}"#]));
    world.cache = Some(EvidenceCache::default());
    for _ in 0..2 {
        assert_eq!(asked(&world).await, Ok(Order { order: vec![2, 1] }));
    }
    assert_eq!((world.script.asked().len(), world.bounds.budget.spent().calls), (1, 1));
    world.owner = UserId::new("ben");
    assert_eq!(asked(&world).await, Ok(Order { order: vec![3] }), "somebody else is told nothing of it");
}

#[tokio::test]
async fn only_good_answers_of_the_stages_own_endpoint_are_kept() {
    for (answers, is_substitute) in
        [([r#"{"order": [2]}"#, r#"{"order": [1]}"#], true), (["no", r#"{"order": [1]}"#], false)]
    {
        let mut world = AskingWorld::of(ScriptedModel::of(&answers));
        world.script.is_substitute = is_substitute;
        world.cache = Some(EvidenceCache::default());
        for _ in 0..2 {
            asked(&world).await.unwrap();
        }
        assert_eq!(world.script.asked().len(), 2, "{answers:?}");
    }
}

/// A node that asks so often, one after the other, each call through the gate of the node.
struct Asking<'a> {
    model: InvestigationModel<'a>,
    times: usize,
    ms: u64,
    heard: std::sync::Mutex<Vec<String>>,
}

#[async_trait::async_trait]
impl crate::investigate::run::Worker for Asking<'_> {
    type Spec = String;
    type Output = usize;
    type Type = ();

    fn node(&self, spec: &String) -> brain_core::core::graph::Node<String> {
        brain_core::core::graph::Node::new(spec.clone())
    }

    fn lanes(&self, _: &String) -> Vec<WorkLane> {
        Vec::new()
    }

    fn bytes(&self, _: &usize) -> usize {
        8
    }

    async fn attempt(
        &self,
        _: &String,
        _: NodeInputs<'_, usize>,
        attempting: &Attempting<'_>,
    ) -> Result<usize, NodeFailure> {
        let until = Instant::now() + std::time::Duration::from_millis(self.ms);
        let gate = NodeGate {
            attempting,
            lane: WorkLane::Endpoint("model".to_owned()),
            others: BudgetSpent::default(),
            until,
        };
        let model = self.model.through(&gate);
        for _ in 0..self.times {
            let prompt = Prompt { system: "Say.".into(), user: "so".into() };
            let answer = model.streamed(Stage::Extract, prompt, None, 100, None).await;
            let heard = answer.map_or_else(|failure| failure.to_string(), |completion| completion.text);
            self.heard.lock().unwrap().push(heard);
        }
        Ok(1)
    }
}

/// What a node heard that asks so often, and the calls that count as its own.
async fn heard(world: &mut AskingWorld, times: usize, ms: u64) -> (Vec<String>, u32) {
    world.bounds.lanes = WorkLanes::new(LaneLimits { failures: 2, ..LaneLimits::default() });
    world
        .with(async |model| {
            let worker = Asking { model: model.clone(), times, ms, heard: std::sync::Mutex::default() };
            let ran = world.bounds.run(&worker, whole(vec!["ask".to_owned()])).await;
            (worker.heard.into_inner().unwrap(), ran.calls())
        })
        .await
}

#[tokio::test]
async fn calls_of_a_node_count_for_it_and_for_the_question() {
    let mut world = AskingWorld::of(ScriptedModel::saying(|_, _| Some("yes".to_owned())));
    assert_eq!(heard(&mut world, 3, 1_000).await, (vec!["yes".to_owned(); 3], 3));
    assert_eq!(world.bounds.budget.spent(), crate::investigate::run::BudgetSpent { tokens: 450, calls: 3 });
}

#[tokio::test]
async fn an_endpoint_that_is_away_is_left_alone_after_a_few_calls() {
    let mut world = AskingWorld::of(ScriptedModel::of(&[]));
    let (said, calls) = heard(&mut world, 4, 1_000).await;
    assert!(said[1].contains("cannot be reached") && said[2].starts_with("model is left alone"), "{said:?}");
    assert_eq!((world.script.asked().len(), calls), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_longer_than_its_node_may_is_given_up() {
    let mut world = AskingWorld::of(ScriptedModel::taking(500, |_, _| Some("late".to_owned())));
    let (said, calls) = heard(&mut world, 2, 600).await;
    assert_eq!((said[0].as_str(), calls), ("late", 2));
    assert!(said[1].contains("no more time"), "{said:?}");
}
