//! What a person reads who was not understood, or not whole: without a model, on the real program.

use serde_json::Value;

use crate::support::program::{Console, Lines, Program, buttons_of, did, params_of, path_of, text_of};

const NOW: &str = "2026-01-12T09:00:00Z";
/// Of what can be listed, nothing is known by its year.
const OLD: &str = "show my notes from 2019";
const RAIN: &str = "if it rains, remind me to call mom tomorrow at 5pm";
const CREATED: &str = "calendar.create_event succeeded";
const REMEMBERED: &str = "memory.store succeeded";

fn open(program: &Program) -> Console {
    program.at(NOW)
}

/// Nothing was done, and that is known: it is asked back.
fn is_not_understood(lines: &[Value]) -> bool {
    path_of(lines) == "clarify" && did(lines).is_empty()
}

fn labels(lines: &[Value]) -> Vec<String> {
    buttons_of(lines).iter().map(|button| button["text"].as_str().unwrap().to_owned()).collect()
}

fn press(console: &mut Console, lines: &[Value], label: &str) -> Lines {
    let buttons = buttons_of(lines);
    let button = buttons.iter().find(|button| button["text"] == label).unwrap_or_else(|| panic!("{lines:#?}"));
    console.press(button["data"].as_str().unwrap())
}

#[test]
fn small_talk_is_answered_in_kind_and_nothing_else_is() {
    let program = Program::new();
    let mut console = open(&program);
    for talk in ["hi!", "thanks a lot", "how are you?", "👍", "ok", "what's the weather like today?"] {
        let said = text_of(&console.say(talk));
        assert!(!said.is_empty() && !said.contains("understand"), "{talk}: {said}");
    }
    for other in ["the printer on the second floor hums", "is the museum open on sundays?", "xyzzy plugh"] {
        let lines = console.say(other);
        let said = text_of(&lines);
        assert!(said.lines().next().unwrap().matches('“').count() <= 1, "one example: {said}");
        assert!(is_not_understood(&lines), "{other}: {said}");
    }
}

#[test]
fn what_would_mean_the_opposite_without_a_word_is_not_offered_without_it() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("dentist tomorrow at 9am");
    for said in ["cancel all my meetings except the dentist", "cancel everything but not the dentist"] {
        let asked = console.say(said);
        assert!(labels(&asked).is_empty() && is_not_understood(&asked), "{said}: {asked:#?}");
    }
}

#[test]
fn who_was_not_understood_reads_what_comes_nearest() {
    let program = Program::new();
    let said = text_of(&open(&program).say("the groceries list smells of butter"));
    assert!(
        said.ends_with("nothing was done. You could say, for example: “Add butter to the groceries list”."),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Its kind as routing guesses it, and an example of that kind, if it was of any.
#[test]
fn a_refusal_says_what_kind_of_thing_was_not_understood() {
    let program = Program::new();
    let mut console = open(&program);
    for (said, kind, example) in [
        ("fix the hotel mail thing", "about your mail", "mail"),
        ("ad milk to teh shoping list", "about your notes", "milk"),
        ("asdf qwer", "what you mean", ""),
        ("what is the capital of France?", "that question", ""),
    ] {
        let told = text_of(&console.say(said));
        let line = told.lines().next().unwrap();
        assert!(line.contains(kind) && line.contains("nothing was done") && line.contains(example), "{said}: {told}");
        let is_of_it = usize::from(!example.is_empty());
        assert_eq!(line.matches('“').count(), is_of_it, "an example is of what was spoken of: {said}: {told}");
    }
}

#[test]
fn what_points_at_the_conversation_or_ends_it_is_no_task() {
    let program = Program::new();
    for said in [
        "Shorter please",
        "Send it",
        "To Anna instead",
        "Cc Anna on it",
        "say: hello there",
        "make it a bit friendlier",
        "change the subject to Boiler",
        "forget it",
        "no no no",
        "thanks, that's all",
        "undo the last thing",
        "delete everything",
        "asdf qwer",
        "vergiss es",
        "das war's, danke",
        "leave me alone",
        "polish the draft",
    ] {
        let mut console = program.at(NOW);
        let lines = console.say(said);
        assert_eq!((labels(&lines).len(), did(&lines).len()), (0, 0), "{said}: {}", text_of(&lines));
    }
}

#[test]
fn what_dismisses_changes_nothing_and_drops_what_was_asked() {
    let program = Program::new();
    let mut console = open(&program);
    for said in ["forget it", "no no no", "never mind", "thanks, that's all", "that's all", "ok stop", "enough"] {
        assert_eq!(text_of(&console.say(said)), "Okay, I leave everything as it is; nothing was changed.", "{said}");
    }
    for said in ["vergiss es", "das war's, danke", "nein danke"] {
        assert!(text_of(&console.say(said)).starts_with("Gut, ich lasse alles, wie es ist"), "{said}");
    }
    for said in ["thanks, that's all", "no no no", "forget it"] {
        assert_eq!(path_of(&console.say("schedule a call with Anna")), "clarify");
        console.say(said);
        assert!(!did(&console.say("tomorrow at 3pm")).contains(&CREATED.to_owned()), "{said}");
    }
}

#[test]
fn the_last_thing_is_undone_in_words_as_by_its_button() {
    for words in ["undo the last thing", "take that back", "Undo that, please", "mach das rückgängig"] {
        let program = Program::new();
        let mut console = open(&program);
        assert_eq!(path_of(&console.say(words)), "command", "{words}");
        console.say("remind me to call mom tomorrow at 5pm");
        assert!(text_of(&console.say("show my tasks")).contains("Call mom"), "{words}");
        console.say(words);
        assert!(!text_of(&console.say("show my tasks")).contains("Call mom"), "{words}");
    }
}

#[test]
fn what_code_knows_is_told() {
    let program = Program::new();
    let mut console = program.console(&["--now", NOW, "--tz", "Europe/Lisbon"]);
    for (said, told) in [
        ("what time is it", "09:00 (Lisbon)"),
        ("what day is it?", "Monday, 12 January 2026"),
        ("wie spät ist es?", "Es ist 09:00 Uhr"),
        ("welcher Tag ist heute", "Montag, der 12.1.2026"),
        ("how do I connect my Gmail?", "brain-agent setup account"),
        ("good morning", "?"),
        ("thanks", "elp"),
        ("danke dir", "ern"),
        ("guten Morgen", "?"),
    ] {
        let lines = console.say(said);
        let text = text_of(&lines);
        assert!((text.contains(told) || text.contains("welcome")) && did(&lines).is_empty(), "{said}: {text}");
    }
    assert_eq!(path_of(&console.say("schedule a call with Anna")), "clarify");
    assert!(text_of(&console.say("what day is it?")).contains("Monday"));
    let made = console.say("tomorrow at 3pm");
    assert_eq!(params_of(&made)["summary"], "Call with Anna", "the question stayed open: {made:#?}");
}

#[test]
fn a_name_that_is_said_is_remembered_and_one_said_by_the_way_replaces_none() {
    let program = Program::new();
    let mut console = open(&program);
    let named = console.say("Hi, I'm Mara");
    assert_eq!((did(&named), params_of(&named)["value"].as_str()), (vec![REMEMBERED.to_owned()], Some("Mara")));
    assert!(text_of(&console.say("what's my name?")).contains("Mara"));
    assert!(did(&console.say("I'm Portuguese")).is_empty());
    assert_eq!(params_of(&console.say("call me Marie"))["value"], "Marie");
    let name = text_of(&console.say("what's my name?"));
    assert!(name.contains("Marie") && !name.contains("Mara"), "{name}");
    for said in ["I'm tired", "I'm on my way", "call me tomorrow"] {
        assert!(!did(&console.say(said)).contains(&REMEMBERED.to_owned()), "{said}");
    }
}

#[test]
fn an_order_that_fits_no_command_is_offered_as_a_task() {
    let program = Program::new();
    let mut console = open(&program);
    let asked = console.say("please descale the kettle");
    assert_eq!(
        (labels(&asked), did(&asked).len()),
        (vec!["✅ Note it as a task".to_owned(), "Leave it".to_owned()], 0)
    );
    assert!(buttons_of(&asked).iter().all(|button| button["role"] == "offer"));
    let noted = press(&mut console, &asked, "✅ Note it as a task");
    assert_eq!(did(&noted), ["task.create succeeded"], "{noted:#?}");
    assert_eq!(params_of(&noted)["title"], "Descale the kettle");
    // Once.
    assert!(did(&press(&mut console, &asked, "✅ Note it as a task")).is_empty());
}

#[test]
fn a_yes_right_after_takes_the_offer_and_a_no_leaves_it() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("descale the kettle");
    assert_eq!(did(&console.say("yes")), ["task.create succeeded"]);
    console.say("recalibrate the scales");
    assert!(did(&console.say("no")).is_empty());
    assert!(did(&console.say("yes")).is_empty());
}

#[test]
fn what_was_understood_in_part_is_asked_about_before_it_runs() {
    let program = Program::new();
    let mut console = open(&program);
    let asked = console.say(OLD);
    let said = text_of(&asked);
    assert!(said.starts_with("I'd ") && said.contains("What about “from 2019”? Nothing is done yet."), "{said}");
    assert_eq!((labels(&asked), did(&asked).len()), (vec!["Do it without that".to_owned(), "Leave it".to_owned()], 0));
    let done = press(&mut console, &asked, "Do it without that");
    assert_eq!(did(&done), ["keep.list succeeded"], "{done:#?}");
    let again = console.say(OLD);
    assert!(did(&press(&mut console, &again, "Leave it")).is_empty());
    assert!(did(&press(&mut console, &again, "Do it without that")).is_empty(), "it was left");
    // Whoever runs this sees how often an offer was what was meant.
    drop(console);
    let turns = program.run(&["turns", "--json"]).stdout;
    for gives in ["\"gives\":\"taken\"", "\"gives\":\"left\""] {
        assert_eq!(turns.matches(gives).count(), 1, "{gives}: {turns}");
    }
}

#[test]
fn what_depends_on_something_is_not_done_as_if_it_were_so() {
    let program = Program::new();
    let mut console = open(&program);
    let asked = console.say(RAIN);
    let said = text_of(&asked);
    assert!(said.contains("if “it rains”, but I can't tell whether that is so."), "{said}");
    assert_eq!((labels(&asked), did(&asked).len()), (vec!["Do it anyway".to_owned(), "Leave it".to_owned()], 0));
    assert_eq!(did(&console.say("yes")), ["task.create succeeded"]);
}

#[test]
fn a_request_of_its_own_ends_the_doubt() {
    let program = Program::new();
    let mut console = open(&program);
    console.say(RAIN);
    assert_eq!(did(&console.say("remind me to call mom tomorrow at 5pm")), ["task.create succeeded"]);
    assert!(did(&console.say("yes")).is_empty());
}

#[test]
fn a_yes_to_what_about_it_is_asked_again() {
    let program = Program::new();
    let mut console = open(&program);
    let asked = console.say(OLD);
    let again = console.say("yes");
    assert_eq!((text_of(&again), labels(&again), did(&again).len()), (text_of(&asked), labels(&asked), 0));
    assert_eq!(did(&console.say("do it without that")), ["keep.list succeeded"]);
}

#[test]
fn tomorrow_is_the_day_after_it_was_said_however_late_the_press() {
    let program = Program::new();
    let mut console = open(&program);
    console.now("2026-01-12T23:40:00Z");
    let asked = console.say("remind me to call mom tomorrow at 5pm unless she calls");
    assert!(did(&asked).is_empty(), "{asked:#?}");
    console.now("2026-01-13T00:10:00Z");
    let label = labels(&asked).remove(0);
    let done = press(&mut console, &asked, &label);
    assert_eq!(did(&done), ["task.create succeeded"], "{done:#?}");
    assert_eq!(params_of(&done)["deadline"], "2026-01-13T17:00:00+00:00");
}

#[test]
fn explaining_shows_each_part_and_does_nothing() {
    let program = Program::new();
    let explained = program.run(&["ask", "--explain", OLD]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    for line in ["command", "from 2019", "left out (time)", "outcome: partly", "action: keep.list"] {
        assert!(explained.stdout.contains(line), "{line}: {}", explained.stdout);
    }
    assert!(!program.data_dir().join("store.redb").exists());
    let unknown = program.run(&["ask", "--explain", "descale the kettle"]);
    assert!(unknown.stdout.contains("routed: to no service") && unknown.stdout.contains("Descale the kettle"));
}
