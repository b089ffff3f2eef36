//! The budget: what fits, what is refused, and that no race gets past it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use brain_core::ports::Usage;

fn limits(tokens: u64, calls: u32) -> BudgetLimits {
    BudgetLimits { tokens, calls, time_ms: 1_000 }
}

fn used(tokens_in: u64, tokens_out: u64) -> Usage {
    Usage { calls: 1, tokens_in, tokens_out, ..Usage::default() }
}

#[tokio::test(start_paused = true)]
async fn what_is_settled_unsent_or_dropped_counts_as_it_should() {
    let budget = TurnBudget::new(limits(1_000, 4));
    let (settled, unsent, dropped) =
        (budget.reserve(400).unwrap(), budget.reserve(300).unwrap(), budget.reserve(200).unwrap());
    assert_eq!(budget.left(), BudgetSpent { tokens: 100, calls: 1 });
    assert_eq!(budget.reserve(101).unwrap_err(), OutOfBudget::Tokens { asked: 101, left: 100 });
    settled.settle(&used(100, 50));
    unsent.unsent();
    drop(dropped);
    assert_eq!(budget.spent(), BudgetSpent { tokens: 350, calls: 2 });
    budget.reserve(0).unwrap().settle(&Usage { calls: 2, ..used(0, 900) });
    assert_eq!(budget.left(), BudgetSpent::default(), "more than was reserved counts as well");
    assert_eq!(budget.reserve(0).unwrap_err(), OutOfBudget::Calls { most: 4 });
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reserved_after_the_time() {
    let budget = TurnBudget::new(limits(1_000, 4));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(budget.reserve(1).unwrap_err(), OutOfBudget::Time);
}

#[test]
fn callers_that_ask_at_once_never_get_more_than_there_is() {
    let budget = TurnBudget::new(BudgetLimits { time_ms: 60_000, ..limits(10_000, 1_000) });
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let spent = budget.spent();
                assert!(spent.tokens <= 10_000 && spent.calls <= 1_000, "{spent:?}");
            }
        });
        let callers: Vec<_> = (0..4_u64)
            .map(|caller| {
                let budget = &budget;
                scope.spawn(move || {
                    let mut reserved = 0;
                    for call in 0..2_000 {
                        let tokens = (caller * 31 + call * 17) % 97;
                        let Ok(reservation) = budget.reserve(tokens) else { continue };
                        reserved += 1;
                        match call % 3 {
                            0 => reservation.settle(&used(tokens / 2, tokens / 4)),
                            1 => reservation.unsent(),
                            _ => drop(reservation),
                        }
                    }
                    reserved
                })
            })
            .collect();
        let reserved: u32 = callers.into_iter().map(|caller| caller.join().unwrap()).sum();
        is_over.store(true, Ordering::Relaxed);
        assert!(reserved > 100);
    });
    assert!(budget.spent().tokens > 9_900);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_does_not_fit_is_a_gap_and_each_node_has_its_costs() {
    let costs = |id, most, real| Scripted { tokens: Some((most, real)), ..node(id, &[], 10) };
    let world = World::within(limits(1_000, 10));
    let specs = vec![costs("a", 600, 500), costs("b", 600, 100), node("c", &[], 20).without("a").without("b")];
    let run = world.run(whole(specs)).await;
    expect(&run, &["a 0..10 x1 done", "b 0..0 x1 it would take 600 tokens, and 400 are left", "c 10..30 x1 done"]);
    assert_eq!(
        (run.tokens(), run.calls(), world.bounds.budget.spent()),
        (500, 1, BudgetSpent { tokens: 500, calls: 1 })
    );
    let trouble = NodeFault::OutOfBudget(OutOfBudget::Tokens { asked: 600, left: 400 });
    assert!(matches!(&run.nodes[1].outcome, NodeOutcome::Failed(failed) if *failed == trouble));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cut_off_counts_in_full() {
    let world = World::default();
    let spec = Scripted { tokens: Some((600, 1)), ..node("a", &[], 100) };
    let (run, ()) = tokio::join!(world.run(whole(vec![spec])), async {
        sleep(Duration::from_millis(10)).await;
        world.bounds.cancel.cancel();
    });
    assert_eq!((run.tokens(), run.calls()), (600, 1));
}
