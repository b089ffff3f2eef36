//! Plain actions and the reminders that come of them.

use serde_json::{Value, json};

use super::{NOW, World, dies, each, files_in, times, told, told_at_start};
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Program, button, text_of};
use crate::support::smtp_server::Mode;

const REMIND: &str = "remind me to call mom tomorrow at 5pm";
const DUE: &str = "2026-01-12T17:00:00Z";

/// A plain action, how it is told, and how often it is there.
#[derive(Clone, Copy, Debug)]
struct Plain {
    says: &'static str,
    told: &'static str,
    count: fn(&mut Console, &Program) -> usize,
}

const TASK: Plain = Plain { says: REMIND, told: "Call mom", count: |console, _| tasks(console) };
const EVENT: Plain = Plain {
    says: "add dentist to my calendar tomorrow at 3pm",
    told: "Dentist",
    count: |console, _| times(&text_of(&console.say("what's on my calendar tomorrow?")), "Dentist"),
};
const DRAFT: Plain = Plain {
    says: "draft an email to bob.miller@example.com saying the report is late",
    told: "The report is late",
    count: |_, program| files_in(program.data_dir(), ".Drafts"),
};

fn tasks(console: &mut Console) -> usize {
    times(&text_of(&console.say("show my tasks")), "Call mom")
}

const IN_THE_STORE: [&str; 6] =
    ["plan-before", "effect-done", "outcome-recorded", "answer-before", "answer-durable", "shown"];
/// Without a model the outcome is in the commit of the answer.
const OUTSIDE: [&str; 6] = ["plan-before", "effect-started", "effect-done", "answer-before", "answer-durable", "shown"];

#[test]
fn a_task_is_there_once_or_was_never_acknowledged() {
    each(&IN_THE_STORE, |border| check(TASK, border));
}

#[test]
fn an_event_is_there_once_or_was_never_acknowledged() {
    each(&IN_THE_STORE, |border| check(EVENT, border));
}

#[test]
fn a_draft_is_there_once_or_was_never_acknowledged() {
    each(&OUTSIDE, |border| check(DRAFT, border));
}

fn check(plain: Plain, border: &str) {
    let world = World::new(Mode::Accept);
    world.dies_at(border, NOW, &json!({"text": plain.says}));
    let mut second = world.lives();
    let at_start = told(&told_at_start(&mut second));
    let there = (plain.count)(&mut second, &world.program);
    let inside = plain.says != DRAFT.says;
    match border {
        // Nothing was written down, so nothing has happened, and nothing was said.
        "plan-before" => assert_eq!((at_start.as_str(), there), ("", 0)),
        "effect-done" if inside => assert_eq!((at_start.as_str(), there), ("", 0)),
        // The file is either there or not, and a look tells: it was not written.
        "effect-started" => {
            assert!(at_start.contains("❗ I could not save the draft"), "{at_start}");
            assert_eq!(there, 0);
        }
        _ => {
            assert!(at_start.contains(plain.told), "{border}: {at_start:?}");
            assert!(!at_start.contains(['❗', '❓']), "{border}: {at_start:?}");
            assert_eq!(there, 1, "{border}");
        }
    }
    drop(second);
    let mut third = world.lives();
    assert_eq!(told(&told_at_start(&mut third)), "", "{border}");
    assert_eq!((plain.count)(&mut third, &world.program), there, "{border}");
}

#[test]
fn an_undo_that_is_killed_is_done_once_or_not_at_all() {
    each(&["answer-before", "answer-durable", "shown"], |border| {
        let world = World::new(Mode::Accept);
        let mut first = world.lives();
        let undo = button(&first.say(REMIND), "undo");
        drop(first);
        world.dies_at(border, NOW, &json!({"press": undo}));
        let mut second = world.lives();
        let at_start = told(&told_at_start(&mut second));
        assert_eq!(at_start.contains("Taken back"), border != "answer-before", "{border}: {at_start}");
        assert_eq!(tasks(&mut second), 0, "{border}");
        second.press(&undo);
        assert_eq!(tasks(&mut second), 0, "{border}");
    });
}

#[test]
fn a_reminder_that_falls_due_during_a_kill_comes_once_more_at_most() {
    each(&["tell-before", "tell-durable", "shown"], |border| {
        let world = World::new(Mode::Accept);
        let mut first = world.lives();
        assert!(text_of(&first.say(REMIND)).contains("Call mom"));
        assert_eq!(first.finish().code, 0);
        let printed = world.dies_at(border, NOW, &json!({"now": DUE}));
        assert_eq!(reminders(&printed), usize::from(border == "shown"), "{printed:#?}");

        let mut second = world.lives_at(DUE);
        let lines = second.send(json!({"now": DUE}));
        assert_eq!(reminders(&lines), 1, "{border}: {lines:#?}");
        assert_eq!(tasks(&mut second), 1, "{border}");
        drop(second);

        let mut third = world.lives_at("2026-01-12T18:00:00Z");
        let lines = third.send(json!({"now": "2026-01-12T18:00:00Z"}));
        assert_eq!(reminders(&lines), 0, "{border}: {lines:#?}");
        assert_eq!(tasks(&mut third), 1, "{border}");
    });
}

#[test]
fn a_reminder_that_fell_due_while_nothing_ran_says_how_late_it_is() {
    let world = World::new(Mode::Accept);
    let mut first = world.lives();
    first.say(REMIND);
    first.kill();
    let mut second = world.lives_at("2026-01-12T17:12:00Z");
    let lines = second.send(json!({"now": "2026-01-12T17:12:00Z"}));
    assert!(told(&lines).contains("⏰ Call mom, late by 12 min"), "{lines:#?}");
}

#[test]
fn a_repeating_reminder_goes_on_after_a_kill() {
    each(&["tell-before", "tell-durable", "shown"], |border| {
        let world = World::new(Mode::Accept);
        let mut first = world.lives();
        let set = first.say("remind me to call mom every day at 5pm");
        assert!(text_of(&set).contains("Call mom"), "{set:#?}");
        drop(first);
        world.dies_at(border, NOW, &json!({"now": "2026-01-11T17:00:00Z"}));
        let mut second = world.lives_at("2026-01-11T17:00:00Z");
        let today = second.send(json!({"now": "2026-01-11T17:00:00Z"}));
        let tomorrow = second.send(json!({"now": DUE}));
        assert_eq!((reminders(&today), reminders(&tomorrow)), (1, 1), "{border}: {today:#?} {tomorrow:#?}");
    });
}

/// Reminders that were delivered; "Reminder set" is none.
fn reminders(lines: &[Value]) -> usize {
    times(&told(lines), "⏰ Call mom")
}

fn model() -> ModelServer {
    let plan = json!({"actions": [
        {"service": "task", "command": "create", "params": {"title": "Call mom", "deadline": "2026-01-12T17:00:00"}, "reasoning": "asked", "depends_on": []},
        {"service": "email", "command": "send_email", "params": {"to": ["bob.miller@example.com"], "subject": "The report", "body": "Here it is."}, "reasoning": "asked", "depends_on": []},
    ]});
    let route = json!({"type": "action", "domains": ["email", "task"], "is_followup": false});
    let script = Script::new().always("route", ModelReply::json(route)).always("plan", ModelReply::json(plan));
    ModelServer::scripted(script.otherwise(ModelReply::text("Here you are.")))
}

/// A plain action and a send asked for in one breath: what ran is told, and nothing goes out unasked.
#[test]
fn a_composite_request_that_is_killed_sends_nothing() {
    each(&["outcome-recorded", "answer-before", "answer-durable"], |border| {
        let world = World::new(Mode::Accept);
        let model = model();
        let program = world.program.clone().whole_plans(&model);
        dies(&program, border, NOW, &json!({"text": "remind me to call mom tomorrow at 5pm, and send Bob the report"}));
        let mut second = world.lives();
        let at_start = told_at_start(&mut second);
        assert!(told(&at_start).contains("Call mom"), "{border}: {at_start:#?}");
        let whole = border == "answer-durable";
        assert_eq!(told(&at_start).contains("please ask for it again"), !whole, "{border}: {at_start:#?}");
        assert_eq!(tasks(&mut second), 1, "{border}");
        drop(second);
        assert_eq!(world.sent(), 0, "{border}");
        assert_eq!(world.program.open_cards().len(), usize::from(border == "answer-durable"), "{border}");
    });
}
