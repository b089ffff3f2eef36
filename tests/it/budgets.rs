//! What calls of a model cost is kept with the turn, and ends where a budget does.

use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::turn::Path;
use brain_agent::metering::Budgets;
use brain_agent::ports::records::DailyUsage;
use brain_agent::ports::{Batch, Change, Expect, Record, RecordExt, Scan, Stage, Table, TokenPrice};
use brain_agent::queries::usage;
use serde_json::json;

use crate::rig::{ME, Rig, Setup, action};
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Program, text_of};

/// A thousandth of a US dollar for each token of an answer.
const PRICE: TokenPrice = TokenPrice { input_usd: 0.0, output_usd: 1_000.0 };

async fn used(rig: &Rig) -> Vec<DailyUsage> {
    let all = rig.brain.store.list::<DailyUsage>(Scan::of::<DailyUsage>(&[], usize::MAX)).await.unwrap();
    all.into_iter().map(|(used, _)| used).collect()
}

#[tokio::test]
async fn each_turn_adds_what_its_calls_came_to_by_day_person_stage_and_model() {
    let rig = Rig::new(Setup { price: Some(PRICE), ..Setup::default() });
    rig.script.answers_in_tokens(100);
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    rig.says("see to it that I ring the plumber").await;
    rig.says("and once more").await;
    let used = used(&rig).await;
    let of = |stage| used.iter().find(|used| used.stage == stage).unwrap_or_else(|| panic!("{stage}: {used:?}"));
    for stage in [Stage::Route, Stage::Plan] {
        let DailyUsage { owner, day, model, sum, .. } = of(stage);
        assert_eq!((owner, day.to_string().as_str(), model.as_str()), (&UserId::new(ME), "2026-01-12", "scripted"));
        assert_eq!((sum.usage.calls, sum.usage.tokens_out, sum.unpriced), (2, 200, 0), "{stage}");
        assert!((sum.usd - 0.2).abs() < 1e-9, "{stage}: {}", sum.usd);
    }
}

#[tokio::test]
async fn a_budget_is_told_when_it_is_nearly_used_and_never_exceeded() {
    let budgets = Budgets { daily: Some(5.0), ..Budgets::default() };
    let rig = Rig::new(Setup { price: Some(PRICE), budgets, ..Setup::default() });
    rig.script.answers_in_tokens(200);
    let person = rig.me();
    let mut told = String::new();
    for number in 0..40 {
        told.push_str(&person.says(&format!("how do you like the weather, part {number}?")).await.text());
    }
    let spent: f64 = used(&rig).await.iter().map(|used| used.sum.usd).sum();
    assert!(spent > 4.0 && spent <= 5.0, "{spent}");
    assert_eq!(told.matches("More than 80 % of today's budget for the language model is used").count(), 1, "{told}");
    assert_eq!(told.matches("is used up for now. Until there is more").count(), 1, "{told}");
    let status = person.says("/status").await;
    assert!(status.text().contains(" of $5.00, "), "{}", status.text());

    // What code can do it still does, and says why it does it alone.
    let reminder = person.says("remind me to ring the plumber tomorrow at 6pm").await;
    assert_eq!(reminder.succeeded(), ["task.create"], "{}", reminder.text());
    let calls = rig.script.stages().len();
    let unread = person.says("the thing with the plumber, you know").await;
    assert_eq!((unread.path() == Path::Error, rig.script.stages().len()), (false, calls), "{}", unread.text());
}

#[tokio::test]
async fn the_budget_of_another_person_is_another_and_a_new_day_begins_anew() {
    let budgets = Budgets { daily: Some(1.0), ..Budgets::default() };
    let rig = Rig::new(Setup { price: Some(PRICE), budgets, ..Setup::default() });
    rig.script.answers_in_tokens(300);
    let asks = async |person: &str| {
        let before = rig.script.stages().len();
        for number in 0..10 {
            rig.as_user(person).says(&format!("how do you like the weather, part {number}?")).await;
        }
        rig.script.stages().len() - before
    };
    let first = asks(ME).await;
    assert!(first > 0 && asks(ME).await == 0);
    assert_eq!(asks("bob").await, first);
    rig.moves_clock(chrono::Duration::days(1)).await;
    assert_eq!(asks(ME).await, first);
}

/// The program itself, over a real server, ended and begun anew.
#[test]
fn what_was_spent_counts_in_the_next_life() {
    let server = ModelServer::start(|_| ModelReply::route("chat", &[]));
    let program = Program::new()
        .model(&server)
        .env("LLM_PRICE_IN", "100")
        .env("LLM_PRICE_OUT", "100")
        .env("BRAIN_DAILY_BUDGET_USD", "1");
    let life = || {
        let mut console = program.at("2026-01-11T09:00:00Z");
        for number in 0..12 {
            console.say(&format!("how do you like the weather, part {number}?"));
        }
        text_of(&console.say("/status"))
    };
    let first = life();
    let calls = server.calls().len();
    assert!(calls > 4 && first.contains(" of $1.00, "), "{first}");
    server.forget_calls();
    let second = life();
    assert!(server.calls().len() < calls / 2, "what the first life left: {:?}", server.stages());
    let line = second.lines().find(|line| line.contains("💰")).expect("a line");
    assert!(line.contains("What it may cost today is used up") && line.contains("for $0.9"), "{line}");
}

/// What is counted is no reason to leave somebody without an answer, and nobody else is told of it.
#[tokio::test]
async fn a_count_that_cannot_be_read_stops_no_turn_and_a_group_hears_nothing_of_it() {
    let budgets = Budgets { daily: Some(1.0), ..Budgets::default() };
    let rig = Rig::new(Setup { price: Some(PRICE), budgets, ..Setup::default() });
    rig.script.answers_in_tokens(300);
    let group = rig.in_chat(ME, &ChatId::new("group"));
    let mut told = String::new();
    for number in 0..10 {
        told.push_str(&group.says(&format!("how do you like the weather, part {number}?")).await.text());
    }
    assert!(!told.contains("budget") && !told.contains("may cost is used up"), "{told}");

    let rig = Rig::new(Setup { price: Some(PRICE), ..Setup::default() });
    rig.says("how do you like the weather?").await;
    let kept = used(&rig).await;
    let broken = |used: &DailyUsage| Change {
        table: Table::Usage,
        key: used.key(),
        expect: Expect::Any,
        put: Some((DailyUsage::VERSION, b"?".to_vec())),
    };
    let mut batch = Batch::default();
    batch.extend(kept.iter().map(broken));
    rig.brain.store.commit(batch).await.unwrap();
    assert_eq!(rig.says("how do you like the weather?").await.path(), Path::Chat);
    assert_eq!(used(&rig).await.len(), kept.len(), "counted anew");
}

#[tokio::test]
async fn what_everybody_used_is_read_from_a_day_on() {
    let rig = Rig::plain();
    let mut batch = Batch::default();
    let days = ["2025-12-31", "2026-01-05", "2026-01-12"];
    for owner in ["a", "a~", "ab", "b"] {
        for day in days {
            let (owner, day) = (UserId::new(owner), day.parse().unwrap());
            let used = DailyUsage { owner, day, stage: Stage::Plan, model: "m".to_owned(), sum: Default::default() };
            batch.put(&used, Expect::Absent).unwrap();
        }
    }
    rig.store.put_quietly(batch);
    for (from, each) in [("2025-01-01", 3), ("2026-01-05", 2), ("2026-01-06", 1), ("2027-01-01", 0)] {
        let all = usage::of_everybody(rig.brain.store.as_ref(), from.parse().unwrap(), 100).await.unwrap();
        let of = |owner: &str| all.iter().filter(|used| used.owner.as_str() == owner).count();
        assert_eq!(["a", "a~", "ab", "b"].map(of), [each; 4], "{from}");
    }
}
