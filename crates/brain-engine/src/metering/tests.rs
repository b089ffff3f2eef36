//! What is counted, and what is not asked for want of money.

use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::NaiveDate;
use futures::future::join_all;

use super::*;
use brain_adapters::store::MemoryStore;
use brain_core::core::ids::UserId;
use brain_core::ports::records::DailyUsage;
use brain_core::ports::{Batch, Expect, Meter, Store};

/// Answers after a while, in 1,000 tokens.
#[derive(Debug, Default)]
struct Costly {
    calls: AtomicUsize,
    has_substitute: bool,
}

#[async_trait]
impl Model for Costly {
    async fn complete(&self, _: Call, _: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let usage = Usage { calls: 1, tokens_out: 1_000, ..Usage::default() };
        let is_substitute = self.has_substitute && self.calls.load(Ordering::SeqCst) > 1;
        Ok(Completion { text: "yes".to_owned(), json: None, calls: Vec::new(), usage, is_substitute })
    }

    fn substitute(&self, _: &Call) -> bool {
        self.has_substitute
    }
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn call(meter: &Meter) -> Call {
    Call {
        stage: Stage::Plan,
        system: "".into(),
        user: "hi".into(),
        schema: None,
        tokens_max: 1_000,
        patience: Default::default(),
        meter: meter.clone(),
    }
}

/// A model of which each call costs 2 US dollars, and what is bounded.
fn metered(model: &Arc<Costly>, budgets: Budgets, store: &Arc<dyn Store>) -> Metered {
    let price = Some(TokenPrice { input_usd: 0.0, output_usd: 2_000.0 });
    let stages = Stage::ALL.map(|stage| (stage, PricedModel { name: "big".to_owned(), price })).into();
    let free = PricedModel { name: "small".to_owned(), price: Some(TokenPrice { input_usd: 0.0, output_usd: 0.0 }) };
    let substitute = model.has_substitute.then_some(free);
    let ledger = BudgetLedger::new(budgets, store.clone());
    Metered::new(model.clone(), PricedModels { stages, substitute }, Arc::new(ledger))
}

fn daily(usd: f64) -> Budgets {
    Budgets { daily: Some(usd), ..Budgets::default() }
}

fn ann(on: &str) -> Meter {
    Meter::of(UserId::new("ann"), day(on))
}

#[tokio::test(start_paused = true)]
async fn of_many_calls_at_once_no_more_are_made_than_the_budget_holds() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let metered = metered(&model, daily(3.0), &store);
    let meter = ann("2026-01-12");
    let answers = join_all((0..20).map(|_| metered.complete(call(&meter), None))).await;
    assert_eq!(model.calls.load(Ordering::SeqCst), 1, "2 of 3 US dollars");
    let refused = answers.iter().filter(|answer| matches!(answer, Err(ModelError::OverBudget { .. }))).count();
    assert_eq!(refused, 19);
    let read = meter.reading()[&(Stage::Plan, "big".to_owned())];
    assert_eq!((read.usage.calls, read.refused, read.usd), (1, 19, 2.0));
    let words = answers.iter().find_map(|answer| answer.as_ref().err()).unwrap().to_string();
    assert_eq!(words, "today's budget for the language model does not hold another call: $2.00 of $3.00");
    metered.complete(call(&ann("2026-01-13")), None).await.expect("another day");
    metered.complete(call(&Meter::of(UserId::new("bob"), day("2026-01-12"))), None).await.expect("another person");
}

#[tokio::test(start_paused = true)]
async fn what_the_records_say_was_spent_counts_after_a_restart_and_for_the_month() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    for (on, usd) in [("2026-01-11", 5.0), ("2026-01-12", 2.0), ("2025-12-31", 100.0)] {
        let sum = UsageSum { usd, ..UsageSum::default() };
        let (owner, model) = (UserId::new("ann"), "big".to_owned());
        let record = DailyUsage { owner, day: day(on), stage: Stage::Plan, model, sum };
        let mut batch = Batch::default();
        batch.put(&record, Expect::Absent).unwrap();
        store.commit(batch).await.unwrap();
    }
    let monthly = |usd| Budgets { monthly: Some(usd), ..Budgets::default() };
    let of_plans = |usd| Budgets { stages: [(Stage::Plan, usd)].into(), ..Budgets::default() };
    for (budgets, is_made) in [
        (daily(3.0), false),
        (daily(4.0), true),
        (monthly(8.0), false),
        (monthly(9.0), true),
        (of_plans(3.5), false),
        (of_plans(4.5), true),
        (Budgets::default(), true),
    ] {
        let metered = metered(&model, budgets.clone(), &store);
        let answer = metered.complete(call(&ann("2026-01-12")), None).await;
        assert_eq!(answer.is_ok(), is_made, "{budgets:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn over_its_budget_the_endpoint_that_costs_nothing_is_asked() {
    let model = Arc::new(Costly { has_substitute: true, ..Costly::default() });
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let metered = metered(&model, daily(3.0), &store);
    let meter = ann("2026-01-12");
    for _ in 0..3 {
        metered.complete(call(&meter), None).await.expect("an answer");
    }
    let read = meter.reading();
    let sums = |name: &str| read[&(Stage::Plan, name.to_owned())];
    assert_eq!((sums("big").usage.calls, sums("small").usage.calls, sums("small").usd), (1, 2, 0.0));
}

/// A stand-in may answer at its own price.
#[tokio::test(start_paused = true)]
async fn a_call_is_held_at_the_price_of_the_dearest_who_may_answer_it() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let priced =
        |output_usd| PricedModel { name: "m".to_owned(), price: Some(TokenPrice { input_usd: 0.0, output_usd }) };
    let stages = Stage::ALL.map(|stage| (stage, priced(1.0))).into();
    let models = PricedModels { stages, substitute: Some(priced(4_000.0)) };
    let metered = Metered::new(model.clone(), models, Arc::new(BudgetLedger::new(daily(3.0), store)));
    let refused = metered.complete(call(&ann("2026-01-12")), None).await;
    assert!(matches!(refused, Err(ModelError::OverBudget { .. })), "4 of 3 US dollars: {refused:?}");
    assert_eq!(model.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_any_more_is_counted_and_gives_back_what_it_held() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let metered = metered(&model, daily(3.0), &store);
    let meter = ann("2026-01-12");
    let dropped = tokio::time::timeout(Duration::from_millis(10), metered.complete(call(&meter), None)).await;
    assert!(dropped.is_err());
    let read = meter.reading()[&(Stage::Plan, "big".to_owned())];
    assert_eq!((read.usage.calls, read.failed), (1, 1));
    metered.complete(call(&meter), None).await.expect("nothing of the budget is held any more");
}

#[tokio::test(start_paused = true)]
async fn nobodys_calls_and_those_of_an_unknown_price_are_made_and_the_price_is_said_to_be_unknown() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let metered = Metered::new(model.clone(), PricedModels::default(), Arc::new(BudgetLedger::new(daily(0.0), store)));
    metered.complete(call(&Meter::default()), None).await.expect("nobody's");
    let meter = ann("2026-01-12");
    metered.complete(call(&meter), None).await.expect("no price");
    let read = meter.reading()[&(Stage::Plan, String::new())];
    assert_eq!((read.unpriced, read.usd), (1, 0.0));
}

#[tokio::test(start_paused = true)]
async fn what_calls_got_and_gave_is_collected_where_that_is_asked_for_and_nowhere_else() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let metered = metered(&model, daily(5.0), &store);
    let meter = ann("2026-01-12").collecting(Instant::now());
    for _ in 0..3 {
        let _ = metered.complete(call(&meter), None).await;
    }
    let given_up = tokio::time::timeout(Duration::ZERO, metered.complete(call(&meter), None)).await;
    assert!(given_up.is_ok(), "refused at once");
    let collected = meter.collected().expect("it is asked for").nodes;
    let told = collected.iter().map(|node| (node.gave.as_str(), node.failed.is_some(), node.start_us, node.us));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [("yes", false, 0, 100_000), ("yes", false, 100_000, 100_000), ("", true, 200_000, 0), ("", true, 200_000, 0)]
    );
    assert!(collected.iter().all(|node| node.got == "hi" && node.model.as_deref() == Some("big")));
    let meter = ann("2026-01-13");
    metered.complete(call(&meter), None).await.expect("another day");
    assert_eq!((meter.collected(), meter.is_collecting()), (None, false));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_any_more_is_collected_with_that() {
    let (model, store): (Arc<Costly>, Arc<dyn Store>) = (Arc::default(), Arc::new(MemoryStore::new()));
    let metered = metered(&model, daily(3.0), &store);
    let meter = ann("2026-01-12").collecting(Instant::now());
    let dropped = tokio::time::timeout(Duration::from_millis(10), metered.complete(call(&meter), None)).await;
    assert!(dropped.is_err());
    let [node] = &meter.collected().expect("it is asked for").nodes[..] else { panic!("one call") };
    assert_eq!((node.failed.as_deref(), node.us), (Some(GIVEN_UP), 10_000));
}
