//! What was done is told from the record, and what was approved is taken back: without a model, on the real program.

use brain_agent::core::pending::{Pending, State};
use brain_agent::ports::records::PendingOpen;
use brain_agent::ports::{Batch, Change, Expect, Record, Table};
use serde_json::json;

use crate::rig::{Rig, send};
use crate::support::program::{Console, Program, did, text_of};

fn open(program: &Program) -> Console {
    program.demo()
}

fn told(console: &mut Console, said: &str) -> String {
    text_of(&console.say(said))
}

#[test]
fn what_was_done_last_is_told_and_nothing_is_invented() {
    let program = Program::new();
    let mut console = open(&program);
    assert!(told(&mut console, "what did you just do?").contains("I haven't done anything here yet."));
    console.say("add lunch with Anna tomorrow at noon");
    assert!(told(&mut console, "what did you just do?").contains("✅ Done at 09:00: add “Lunch with Anna”"));
    let sent = told(&mut console, "did you send it?");
    assert!(sent.starts_with("I have no record of anything like that here."), "{sent}");
    console.say("undo");
    let back = told(&mut console, "did you add it?");
    assert!(back.starts_with("No.") && back.contains("taken back at 09:00"), "{back}");
}

#[test]
fn a_card_that_waits_and_one_that_was_refused_are_no_deed() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("send an email to bob.miller@example.com saying the report is late");
    let waits = told(&mut console, "did you send it?");
    assert!(waits.starts_with("No.") && waits.contains("waits for your yes or no"), "{waits}");
    console.say("cancel it");
    console.say("/pending");
    console.say("no");
    let refused = told(&mut console, "did you send it?");
    assert!(refused.starts_with("No."), "{refused}");
}

#[test]
fn undo_is_a_stack_over_what_was_approved_and_what_was_not() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("add lunch with Anna on friday at noon");
    console.say("move the dentist to friday at 4pm");
    assert_eq!(did(&console.say("yes")), ["calendar.update_event succeeded"]);
    console.say("cancel the lunch with Anna");
    assert_eq!(did(&console.say("yes")), ["calendar.delete_event succeeded"]);
    // The lunch is there again, the dentist is not there any more, nor is the lunch.
    for on_friday in [2, 1, 0] {
        console.say("undo");
        let friday = told(&mut console, "what do I have on friday?");
        let there = ["Lunch with Anna", "Dentist"].iter().filter(|what| friday.contains(**what)).count();
        assert_eq!(there, on_friday, "{friday}");
    }
    console.say("undo");
    assert!(told(&mut console, "when's the dentist?").contains("Thu 15 Jan at 09:30"));
}

/// A card may come to its end where no turn tells it: after a crash.
#[tokio::test]
async fn what_became_of_a_card_is_told_from_its_own_record() {
    for (state, told) in [
        (State::Succeeded, "Yes. ✅ Done"),
        (State::Unknown, "❓ Tried"),
        (State::Executing, "⏳ You said yes"),
        (State::Failed, "No. ❌"),
        (State::Pending, "No. ⏳ Not done: it waits"),
    ] {
        let rig = Rig::plain();
        let card = rig.card_for(json!([send("bob@example.com", "Late", "It is late.")])).await;
        let pending = rig.pending(&card.id).await;
        let ended = Pending { state, ..pending.clone() };
        let mut changes = vec![Change::put(&ended, Expect::Any).unwrap()];
        if state != State::Pending {
            changes.push(Change::delete(Table::PendingOpen, PendingOpen::of(&pending).key(), Expect::Any));
        }
        rig.store.put_quietly(Batch { changes });
        let answer = rig.says("did you send it?").await.text();
        assert!(answer.starts_with(told), "{state:?}: {answer}");
    }
}

#[test]
fn a_forward_is_a_sending() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("read the mail about the Q3 report");
    console.say("forward it to bob.miller@example.com");
    console.say("yes");
    let sent = told(&mut console, "did you send it?");
    // The demo has no way to send, and that is told of it.
    assert!(sent.starts_with("No.") && sent.contains("Tried at 09:00") && sent.contains("forward"), "{sent}");
}
