//! A question of ours beside which something else is said: without a model, on the real program.

use crate::support::program::{Console, Program, text_of};

fn open(program: &Program) -> Console {
    program.console(&["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "UTC"])
}

fn told(console: &mut Console, said: &str) -> String {
    text_of(&console.say(said))
}

const STILL_OPEN: &str = "My question is still open: When is it?";

#[test]
fn a_request_beside_a_question_is_done_and_the_question_stays_open() {
    let program = Program::new();
    let mut console = open(&program);
    assert!(told(&mut console, "schedule a call with Anna").contains("When is it?"));
    let list = told(&mut console, "what do I have tomorrow?");
    assert!(list.contains("Client call with Northwind") && list.contains(STILL_OPEN), "{list}");
    let task = told(&mut console, "remind me to call mom tomorrow at 5pm");
    assert!(task.to_lowercase().contains("call mom") && !task.contains("still open"), "once is enough: {task}");
    let talk = told(&mut console, "how are you today?");
    assert!(!talk.contains("still open"), "{talk}");
    let made = told(&mut console, "tomorrow at 3pm");
    assert!(made.contains("Call with Anna") && made.contains("15:00") && !made.contains("still open"), "{made}");
    assert!(!told(&mut console, "what do I have tomorrow?").contains("still open"));
}

#[test]
fn a_question_is_dropped_when_the_person_gives_up() {
    for words in ["never mind", "no", "forget it"] {
        let program = Program::new();
        let mut console = open(&program);
        console.say("schedule a call with Anna");
        let dropped = told(&mut console, words);
        assert!(!dropped.contains("still open"), "{words}: {dropped}");
        assert!(!told(&mut console, "what do I have tomorrow?").contains("still open"), "{words}");
    }
}

#[test]
fn the_text_of_a_mail_may_be_anything_but_a_question_about_own_things() {
    let program = Program::new();
    let mut console = open(&program);
    assert!(told(&mut console, "write a mail to bob.miller@example.com").contains("What should it say?"));
    let list = told(&mut console, "what do I have on friday?");
    assert!(list.contains("Sprint planning") && list.contains("still open: What should it say?"), "{list}");
    let draft = told(&mut console, "can you call me when you are back?");
    assert!(draft.contains("Draft for") && draft.contains("call me when you are back"), "{draft}");
}

#[test]
fn an_answer_fits_its_question_or_is_a_message_of_its_own() {
    let program = Program::new();
    let mut console = open(&program);
    let asks = "Which mail address should I use?";
    assert!(told(&mut console, "draft an email to Dan saying see you at noon").contains(asks));
    let yes = told(&mut console, "yes");
    assert!(yes.contains("more than a yes") && yes.contains(asks), "{yes}");
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
    let draft = told(&mut console, "Rui (rui@example.org)");
    assert!(draft.contains("Draft for") && draft.contains("rui@example.org"), "{draft}");
}
