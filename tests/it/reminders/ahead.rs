//! What lies ahead, and what was missed, on the real program: an hour that comes twice, a day with more than events,
//! many reminders at once.

use serde_json::Value;

use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Lines, Program, buttons_of, done_of, outcomes_of, text_of};

fn berlin(program: &Program, now: &str) -> Console {
    program.console(&["--now", now, "--tz", "Europe/Berlin"])
}

/// The night in which 02:30 comes twice is the next one.
const BEFORE_CLOCKS_GO_BACK: &str = "2026-10-24T18:00:00Z";

#[test]
fn a_time_that_comes_twice_is_asked_about_and_either_can_be_chosen() {
    let (first, second) = ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00");
    for (request, param) in [
        ("remind me tomorrow at 2:30am to call mom", "deadline"),
        ("book a dentist appointment tomorrow at 2:30am", "start_time"),
        ("add a task to call mom by tomorrow 02:30", "deadline"),
    ] {
        for (answer, chosen) in [
            ("1", first),
            ("2", second),
            ("before", first),
            ("the second one", second),
            ("after the clocks go back", second),
        ] {
            let mut console = berlin(&Program::new(), BEFORE_CLOCKS_GO_BACK);
            let asked = console.say(request);
            let text = text_of(&asked);
            assert_eq!(done_of(&asked)["path"], "clarify", "{request}: {asked:#?}");
            assert!(text.contains("comes twice") && text.contains("1. before the clocks go back"), "{request}: {text}");
            assert!(text.contains("UTC+02:00") && text.contains("2. after the clocks go back"), "{request}: {text}");
            let done = console.say(answer);
            assert_eq!(outcomes_of(&done)[0]["params"][param], chosen, "{request}, {answer}: {done:#?}");
        }
    }
}

#[test]
fn a_model_that_writes_the_local_time_is_asked_back_too() {
    let action = serde_json::json!({
        "service": "task", "command": "create", "reasoning": "", "depends_on": [],
        "params": {"title": "Call mom", "deadline": "2026-10-25T02:30:00"},
    });
    let script = Script::new()
        .always("route", ModelReply::route("action", &["task"]))
        .always("plan", ModelReply::json(serde_json::json!({"actions": [action]})))
        .always("respond", ModelReply::text("Well."));
    let model = ModelServer::scripted(script);
    let mut console = berlin(&Program::new().whole_plans(&model), BEFORE_CLOCKS_GO_BACK);
    let asked = console.say("remind me tomorrow at 2:30am to call mom");
    assert!(text_of(&asked).contains("comes twice"), "{asked:#?}");
    let done = console.say("2");
    assert_eq!(outcomes_of(&done)[0]["params"]["deadline"], "2026-10-25T02:30:00+01:00", "{done:#?}");
}

#[test]
fn a_time_that_the_clocks_skip_is_offered_and_a_yes_takes_it() {
    let mut console = berlin(&Program::new(), "2026-03-28T20:00:00Z");
    let asked = text_of(&console.say("remind me tomorrow at 2:30am to call mom"));
    assert!(asked.contains("does not exist that day") && asked.contains("03:00"), "{asked}");
    let done = console.say("yes");
    assert_eq!(outcomes_of(&done)[0]["params"]["deadline"], "2026-03-29T03:00:00+02:00", "{done:#?}");
}

#[test]
fn what_do_i_have_tomorrow_tells_reminders_among_the_events() {
    let program = Program::new();
    let mut console = berlin(&program, "2026-01-12T09:00:00Z");
    for words in
        ["remind me to call mom tomorrow at 5pm", "remind me to stretch on Thursday at 5pm", "what do I have tomorrow?"]
    {
        let lines = console.say(words);
        if words.ends_with('?') {
            let text = text_of(&lines);
            assert!(text.contains("Nothing on your calendar") && text.contains("Call mom"), "{text}");
            assert!(text.contains("17:00") && !text.contains("tretch"), "{text}");
        }
    }
    console.say("book lunch with Ana tomorrow at 1pm");
    console.say("book a concert tomorrow at 8pm");
    let text = text_of(&console.say("what do I have tomorrow?"));
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing: {text}"));
    assert!(at("unch") < at("Call mom") && at("Call mom") < at("oncert"), "{text}");
}

fn edited(lines: &[Value]) -> String {
    lines.iter().rfind(|line| line["type"] == "edit").unwrap_or_else(|| panic!("{lines:#?}"))["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn twelve_late_reminders_in_one_message_keep_their_times_and_buttons() {
    let mut console = berlin(&Program::new(), "2026-01-12T09:00:00Z");
    for n in 0..12 {
        console.say(&format!("remind me to check box{n:02} today at 1{}:{:02}", 3 + n / 6, (n % 6) * 10));
    }
    let told: Lines = console.now("2026-01-12T16:00:00Z");
    let text = text_of(&told);
    for (n, due) in [(1, "13:00, late by 4 h"), (6, "13:50, late by 3 h"), (12, "14:50, late by 2 h")] {
        let line = format!("{n}. ⏰ Check box{:02}, due {due}", n - 1);
        assert!(text.contains(&line), "{line:?} is missing: {text}");
    }
    let buttons = buttons_of(&told);
    let pressed = |name: &str| {
        let button = buttons.iter().find(|button| button["text"] == name);
        button.unwrap_or_else(|| panic!("no {name}: {buttons:#?}"))["data"].as_str().unwrap().to_owned()
    };
    assert_eq!(buttons.len(), 24, "{buttons:#?}");
    let rows: Vec<usize> = told
        .iter()
        .filter_map(|line| line["buttons"].as_array())
        .flatten()
        .map(|row| row.as_array().unwrap().len())
        .collect();
    assert!(rows.iter().all(|row| *row <= 8), "{rows:?}");
    let done = console.press(&pressed("✅ 3"));
    assert!(edited(&done).contains("Check box02: done"), "{done:#?}");
    let left = done.iter().rfind(|line| line["type"] == "edit").unwrap()["buttons"].to_string();
    assert!(!left.contains("✅ 3") && !left.contains("💤 3") && left.contains("✅ 4"), "{left}");
    console.press(&pressed("💤 12"));
    let snoozed = console.say("tomorrow 9am");
    assert!(edited(&snoozed).contains("Check box11: snoozed until Tue 13 Jan 09:00"), "{snoozed:#?}");
    let tasks = text_of(&console.say("/tasks"));
    assert!(!tasks.contains("box02") && tasks.contains("box03") && tasks.contains("box11"), "{tasks}");
}

#[test]
fn what_quiet_hours_held_is_not_called_late() {
    for (count, told_at) in [(1, "06:00:00"), (1, "08:00:00"), (5, "06:00:00"), (5, "08:00:00")] {
        let mut console = berlin(&Program::new(), "2026-01-12T09:00:00Z");
        console.say("my quiet hours are from 22:00 to 7:00");
        for n in 0..count {
            console.say(&format!("remind me to check box{n} every day at 23:3{n}"));
        }
        let told = text_of(&console.now(&format!("2026-01-13T{told_at}Z")));
        assert_eq!(told.matches("held by your quiet hours").count(), count, "{told_at}: {told}");
        assert!(
            told.contains("meant for 23:30") && !told.contains("late") && !told.contains("away"),
            "{told_at}: {told}"
        );
    }
}
