//! What a model claims where nothing was done: code says first what is true, whatever the model says below it.

use serde_json::{Value, json};

use super::console;
use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelServer};
use crate::support::program::{Console, Lines, Program, done_of, outcomes_of, text_of};

/// Some of these no lexicon would know.
pub const CLAIMS: &[&str] = &[
    "I've put it on your list.",
    "✅",
    "👍 All yours!",
    "Bob has been informed.",
    "Done!",
    "Done, sent! I've emailed the whole team.",
    "Consider it taken care of.",
    "Your reminder is in place for tomorrow at 5.",
    "It's in your calendar now.",
    "I let Bob know you're running late.",
    "Milk is on the shopping list.",
    "That mail is on its way.",
    "Okay, I stopped it.",
    "You're all booked for Friday.",
    "Mum will get a call from me at five.",
    "Noted.",
    "I took care of it and told Anna as well.",
    "The event has been moved to Tuesday.",
    "Gone! The task no longer exists.",
    "Erledigt, Bob weiß Bescheid.",
    "Listo, ya se lo dije a Bob.",
    "Готово, письмо ушло.",
    "C'est fait, Bob est prévenu.",
];

/// A model whose `n`-th turn claims the `n`-th of [`CLAIMS`].
fn claiming(kind: &'static str, plan: Value) -> ModelServer {
    ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(
            json!({"type": kind, "domains": if kind == "chat" { vec![] } else { vec!["task", "email"] }, "is_followup": false}),
        ),
        "plan" => ModelReply::json(plan.clone()),
        _ => ModelReply::text(CLAIMS[request.nth % CLAIMS.len()]),
    })
}

/// A turn each claim; the first words of each.
fn every_claim(plan: Value, begins: &str, check: impl Fn(&mut Console, &Lines)) {
    let model = claiming("action", plan);
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    for claim in CLAIMS {
        let lines = console.say("please see to that thing with Bob");
        let text = text_of(&lines);
        assert!(text.starts_with(begins), "{claim}: {text}");
        let done = outcomes_of(&lines).into_iter().filter(|o| o["status"] == "succeeded");
        assert!(done.into_iter().all(|o| o["command"] == "list"), "{lines:#?}");
        check(&mut console, &lines);
    }
}

#[test]
fn over_an_empty_plan_every_claim_stands_below_the_truth() {
    every_claim(json!({"actions": []}), "Nothing was done: I found nothing in that to act on.", |_, _| {});
}

#[test]
fn over_a_failed_action_every_claim_stands_below_the_truth() {
    let fails = action("task", "complete", json!({"find_by": "unicorn"}));
    every_claim(json!({"actions": [fails]}), "Nothing was done.\n", |_, lines| {
        assert_eq!(outcomes_of(lines)[0]["status"], "failed", "{lines:#?}");
    });
}

#[test]
fn over_a_refused_action_every_claim_stands_below_the_truth() {
    let refused = action("task", "explode", json!({}));
    every_claim(json!({"actions": [refused]}), "Nothing was done.\n", |_, lines| {
        assert_eq!(outcomes_of(lines)[0]["status"], "refused", "{lines:#?}");
        assert!(text_of(lines).contains("cannot “explode”"));
    });
}

#[test]
fn a_question_of_a_model_that_did_nothing_claims_nothing() {
    let asks = json!({"actions": [], "question": "I've put it on your list. Anything else?"});
    every_claim(asks, "Before I change anything, one question:\n", |_, lines| {
        assert_eq!(done_of(lines)["path"], "clarify");
    });
}

#[test]
fn above_a_card_no_claim_stands_first() {
    let letter = json!({"to": ["bob.miller@example.com"], "subject": "Hi", "body": "Hello."});
    let both = [action("task", "list", json!({})), action("email", "send_email", letter)];
    every_claim(json!({"actions": both}), "Nothing is changed yet", |console, lines| {
        console.press(&crate::support::program::button(lines, "cancel"));
    });
}

#[test]
fn a_true_answer_to_a_question_carries_no_such_statement() {
    let looks = json!({"actions": [action("task", "list", json!({}))]});
    let model = ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::route("action", &["task"]),
        "plan" => ModelReply::json(looks.clone()),
        _ => ModelReply::text("Your list is empty, enjoy the day."),
    });
    let program = Program::new().whole_plans(&model);
    let text = text_of(&console(&program).say("what is on my list?"));
    assert!(text.starts_with("Your list is empty, enjoy the day.") && !text.contains("Nothing was"), "{text}");
}

#[test]
fn talk_that_claims_a_deed_is_set_right_and_a_sure_request_is_no_talk() {
    let model = claiming("chat", json!({}));
    let program = Program::new().whole_plans(&model);
    let mut console = console(&program);
    for claim in CLAIMS {
        let text = text_of(&console.say("remind me to call mom tomorrow at 5pm"));
        assert!(text.starts_with("Nothing was done"), "{claim}: {text}");
    }
    let told = claiming("chat", json!({}));
    let program = Program::new().whole_plans(&told);
    let mut console = super::console(&program);
    for claim in CLAIMS {
        let text = text_of(&console.say("how lovely"));
        let shown = text.strip_prefix("Nothing was done just now.").is_none_or(|rest| !rest.contains(claim));
        assert!(shown, "a claim that cannot be true is not shown: {text}");
    }
}
