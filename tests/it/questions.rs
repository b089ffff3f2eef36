//! A question of ours beside which something else is said: without a model, on the real program. And what is asked of a
//! plan that cannot be.

use serde_json::json;

use crate::rig::{Rig, Setup, action};
use crate::support::program::{Console, Program, button, did, params_of, path_of, text_of};

fn open(program: &Program) -> Console {
    program.demo()
}

const LISTED: &str = "calendar.list_events succeeded";
const DRAFTED: &str = "email.create_draft succeeded";

fn is_asked(console: &mut Console, said: &str) {
    let asked = console.say(said);
    assert!(path_of(&asked) == "clarify" && did(&asked).is_empty(), "{said}: {asked:#?}");
}

fn told(console: &mut Console, said: &str) -> String {
    text_of(&console.say(said))
}

const STILL_ASKED: &str = "❔ Still asked: When is it?";
const DROPPED: &str = "❔ No longer asked: When is it?";

#[test]
fn what_is_asked_or_said_beside_a_question_leaves_it_open_and_that_is_said_once() {
    let program = Program::new();
    let mut console = open(&program);
    is_asked(&mut console, "schedule a call with Anna");
    let list = console.say("what do I have tomorrow?");
    assert_eq!(did(&list), [LISTED]);
    assert!(text_of(&list).ends_with(STILL_ASKED), "{list:#?}");
    let talk = console.say("how are you today?");
    assert!(path_of(&talk) == "chat" && !text_of(&talk).contains('❔'), "once is enough: {talk:#?}");
    let made = console.say("tomorrow at 3pm");
    assert_eq!(did(&made), ["calendar.create_event succeeded"]);
    let (summary, start) = (&params_of(&made)["summary"], &params_of(&made)["start_time"]);
    assert_eq!((summary.as_str(), start.as_str()), (Some("Call with Anna"), Some("2026-01-13T15:00:00+00:00")));
    assert!(!told(&mut console, "what do I have tomorrow?").contains('❔'));
}

#[test]
fn a_request_beside_a_question_is_done_and_takes_its_place() {
    let program = Program::new();
    let mut console = open(&program);
    is_asked(&mut console, "schedule a call with Anna");
    let task = console.say("remind me to call mom tomorrow at 5pm");
    assert_eq!(did(&task), ["task.create succeeded"]);
    assert!(text_of(&task).ends_with(DROPPED), "{task:#?}");
    let later = did(&console.say("tomorrow at 3pm"));
    assert!(!later.contains(&"calendar.create_event succeeded".to_owned()), "nothing is asked any more: {later:?}");
}

#[test]
fn a_question_waits_for_three_turns_or_ten_minutes() {
    let program = Program::new();
    let mut console = open(&program);
    is_asked(&mut console, "schedule a call with Anna");
    console.say("how are you today?");
    console.say("what do I have tomorrow?");
    assert!(told(&mut console, "how are you today?").ends_with(DROPPED));
    assert_eq!(did(&console.say("tomorrow at 3pm")), [""; 0]);
    let mut console = Program::new().console(&["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"]);
    is_asked(&mut console, "schedule a call with Anna");
    console.send(json!({"now": "2026-01-12T09:11:00Z"}));
    let late = console.say("tomorrow at 3pm");
    assert!(did(&late).is_empty() && text_of(&late).ends_with(DROPPED), "{late:#?}");
}

#[test]
fn a_question_eats_no_question_no_report_and_no_letter_to_somebody_else() {
    for (asked, said) in [
        ("schedule a call with Anna", "Wann hab ich am Donnerstag Zeit?"),
        ("remind me tomorrow", "I've called the bank"),
    ] {
        let mut console = open(&Program::new());
        is_asked(&mut console, asked);
        let answer = console.say(said);
        assert!(did(&answer).iter().all(|done| done == LISTED), "{said}: {answer:#?}");
    }
    let mut console = open(&Program::new());
    is_asked(&mut console, "write a mail to Bob Miller");
    let answer = console.say("email this to carl@example.com saying hello there");
    assert_eq!(did(&answer), ["email.send_email pending"], "{answer:#?}");
    let to = params_of(&answer)["to"].to_string();
    assert!(to.contains("carl@example.com") && !to.contains("bob"), "{to}");
}

#[test]
fn a_question_is_dropped_when_the_person_gives_up() {
    for words in ["never mind", "no", "forget it"] {
        let program = Program::new();
        let mut console = open(&program);
        console.say("schedule a call with Anna");
        console.say(words);
        assert!(!told(&mut console, "what do I have tomorrow?").contains(STILL_ASKED), "{words}");
        assert_eq!(did(&console.say("tomorrow at 3pm")), [""; 0], "{words}: it is no answer any more");
    }
}

#[test]
fn a_request_that_begins_like_giving_up_is_a_message_of_its_own() {
    let program = Program::new();
    let mut console = open(&program);
    for said in ["add milk to my shopping list", "add dentist on Friday at 10 to my calendar"] {
        console.say(said);
    }
    for said in ["cancel the dentist on Friday", "no, add bread to my shopping list", "skip the dentist on Friday"] {
        console.say("schedule a call with Anna");
        let answer = told(&mut console, said);
        assert!(!answer.contains("never mind"), "{said}: {answer}");
        console.say("never mind");
    }
    let list = told(&mut console, "show my shopping list");
    assert!(list.contains("bread"), "{list}");
}

#[test]
fn the_text_of_a_mail_may_be_anything_but_a_question_about_own_things() {
    let program = Program::new();
    let mut console = open(&program);
    is_asked(&mut console, "write a mail to bob.miller@example.com");
    assert_eq!(did(&console.say("what do I have on friday?")), [LISTED]);
    let draft = console.say("can you call me when you are back?");
    assert_eq!(did(&draft), [DRAFTED]);
    assert!(params_of(&draft)["body"].as_str().unwrap().contains("call me when you are back"), "{draft:#?}");
}

#[test]
fn an_answer_fits_its_question_or_is_a_message_of_its_own() {
    let program = Program::new();
    let mut console = open(&program);
    for said in ["send an email to Dan saying see you at noon", "yes"] {
        is_asked(&mut console, said);
    }
    for other in ["what's the wifi password?", "delete the vitamins task", "send it"] {
        let answer = told(&mut console, other);
        assert!(!answer.contains(&format!("I don't know “{other}”")), "{answer}");
    }
}

#[test]
fn an_address_beside_a_name_is_an_address() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("send an email to Dan saying see you at noon");
    let card = console.say("Rui (rui@example.org)");
    let pending = vec!["email.send_email pending".to_owned()];
    assert_eq!((did(&card), &params_of(&card)["to"][0]), (pending, &"rui@example.org".into()));
}

#[tokio::test]
async fn an_event_that_would_end_before_it_begins_is_asked_about() {
    for (start, end) in [
        ("2026-01-13T15:00:00Z", "2026-01-13T14:00:00Z"),
        ("2026-01-13T15:00:00Z", "2026-01-13T15:00:00Z"),
        ("2026-01-13", "2026-01-12"),
    ] {
        let rig = Rig::new(Setup { demo: true, ..Setup::default() });
        let planned = json!({"summary": "Workshop", "start_time": start, "end_time": end});
        rig.plans(json!([action("calendar", "create_event", planned)]));
        let asked = rig.says("put the workshop on my calendar").await;
        assert!(asked.did().is_empty() && asked.text().contains("When does it end?"), "{end}: {}", asked.text());
        let made = rig.says("on 2026-01-13 at 17:00").await;
        assert_eq!(made.did().len(), 1, "{end}: {}", made.text());
        assert!(made.params()["end_time"].as_str().unwrap().starts_with("2026-01-13T17:00"), "{}", made.params());
    }
    // The same of one that is there: it begins at 16:00.
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    for changes in [
        json!({"end_time": "2026-01-12T15:00:00Z"}),
        json!({"start_time": "2026-01-12T17:00:00Z", "end_time": "2026-01-12T16:30:00Z"}),
    ] {
        let planned = json!({"find_by": "Onboarding decision with Sarah", "changes": changes});
        rig.plans(json!([action("calendar", "update_event", planned)]));
        let asked = rig.says("change the onboarding decision").await;
        assert!(!asked.has_card() && asked.text().contains("When does it end?"), "{changes}: {}", asked.text());
        rig.says("never mind").await;
    }
}

#[test]
fn a_draft_needs_no_address_and_asks_for_one_when_it_is_sent() {
    let program = Program::new();
    let mut console = program.at("2026-01-12T09:00:00Z");
    let draft = console.say("draft an email to Mr Aziz saying the quote is 951.60");
    assert_eq!(did(&draft), [DRAFTED]);
    assert!(text_of(&draft).contains("“Mr Aziz” (no address yet)"), "{draft:#?}");
    let asked = console.press(&button(&draft, "send"));
    assert!(text_of(&asked).contains("Who should it go to?"), "{asked:#?}");
    let card = text_of(&console.say("aziz@example.com"));
    assert!(card.contains("Send this email?") && card.contains("aziz@example.com"), "{card}");
}
