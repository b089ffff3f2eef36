//! A question of ours beside which something else is said: without a model, on the real program. And what is asked of a
//! plan that cannot be.

use serde_json::json;

use crate::rig::{Rig, Setup, action};
use crate::support::program::{Console, Program, did, params_of, path_of, text_of};

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

const STILL_OPEN: &str = "My question is still open: When is it?";

#[test]
fn a_request_beside_a_question_is_done_and_the_question_stays_open() {
    let program = Program::new();
    let mut console = open(&program);
    is_asked(&mut console, "schedule a call with Anna");
    let list = console.say("what do I have tomorrow?");
    assert_eq!(did(&list), [LISTED]);
    assert!(text_of(&list).contains(STILL_OPEN), "{list:#?}");
    let task = console.say("remind me to call mom tomorrow at 5pm");
    assert_eq!(did(&task), ["task.create succeeded"]);
    assert!(!text_of(&task).contains(STILL_OPEN), "once is enough: {task:#?}");
    assert_eq!(path_of(&console.say("how are you today?")), "chat");
    let made = console.say("tomorrow at 3pm");
    assert_eq!(did(&made), ["calendar.create_event succeeded"]);
    let (summary, start) = (&params_of(&made)["summary"], &params_of(&made)["start_time"]);
    assert_eq!((summary.as_str(), start.as_str()), (Some("Call with Anna"), Some("2026-01-13T15:00:00+00:00")));
    assert!(!told(&mut console, "what do I have tomorrow?").contains(STILL_OPEN));
}

#[test]
fn a_question_is_dropped_when_the_person_gives_up() {
    for words in ["never mind", "no", "forget it"] {
        let program = Program::new();
        let mut console = open(&program);
        console.say("schedule a call with Anna");
        console.say(words);
        assert!(!told(&mut console, "what do I have tomorrow?").contains(STILL_OPEN), "{words}");
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
    for said in ["draft an email to Dan saying see you at noon", "yes"] {
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
    console.say("draft an email to Dan saying see you at noon");
    let draft = console.say("Rui (rui@example.org)");
    assert_eq!((did(&draft), &params_of(&draft)["to"][0]), (vec![DRAFTED.to_owned()], &"rui@example.org".into()));
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
