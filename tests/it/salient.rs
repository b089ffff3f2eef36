//! What was shown or named last is what "it", "her", "the first one" mean: drafts, rows, people.

use brain_agent::ports::Stage;
use serde_json::{Value, json};

use crate::rig::{Person, Rig, Setup};
use crate::support::program::{Console, Lines, Program, did, params_of, path_of, text_of};

/// What came of a message that asks for one thing, which is named with its end: what it was to do.
fn does(console: &mut Console, text: &str, end: &str) -> Value {
    let lines = console.say(text);
    assert_eq!(did(&lines), [end], "{text}: {lines:#?}");
    params_of(&lines)
}

/// One that is not understood, and does nothing.
fn is_asked_back(lines: &Lines) -> bool {
    path_of(lines) == "clarify" && did(lines).is_empty()
}

const DRAFTED: &str = "email.create_draft succeeded";
const TO_SEND: &str = "email.send_email pending";
const BOB: &str = "bob.miller@example.com";

/// The drafts that are kept, as files.
fn drafts(program: &Program) -> usize {
    fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }
    let is_draft = |path: &std::path::PathBuf| path.components().any(|part| part.as_os_str() == ".Drafts");
    files(program.data_dir()).into_iter().filter(is_draft).count()
}

#[test]
fn a_draft_that_was_just_shown_is_changed_in_words() {
    let program = Program::new();
    let mut console = program.demo();
    assert_eq!(does(&mut console, "email Bob Miller that the boiler is fixed", DRAFTED)["to"], json!([BOB]));
    let kept = drafts(&program);
    let copied = does(&mut console, "cc Anna on it", DRAFTED);
    assert_eq!(copied["to"], json!([BOB, "anna.kowalczyk@example.com"]));
    assert_eq!(does(&mut console, "change the subject to Boiler", DRAFTED)["subject"], "Boiler");
    assert!(is_asked_back(&console.say("make it a bit friendlier")));
    let more = does(&mut console, "add: the keys are with Tom", DRAFTED);
    assert!(more["body"].as_str().unwrap().ends_with("The boiler is fixed.\nThe keys are with Tom."), "{more}");
    let other = does(&mut console, "to Priya instead", DRAFTED);
    assert_eq!(other["to"], json!(["priya.raman@example.com"]));
    assert!(other["body"].as_str().unwrap().starts_with("Hi Priya,"), "{other}");
    assert_eq!(drafts(&program), kept, "one draft, written anew each time");
    let carded = console.say("send it");
    assert_eq!((did(&carded), params_of(&carded)), (vec![TO_SEND.to_owned()], other));
    assert!(!text_of(&carded).contains("not from you"), "{carded:#?}");
}

#[test]
fn what_is_a_request_of_its_own_changes_no_draft() {
    let program = Program::new();
    let mut console = program.demo();
    let draft = does(&mut console, "email Bob Miller that the boiler is fixed", DRAFTED);
    assert!(did(&console.say("add eggs")).is_empty());
    does(&mut console, "add milk to my groceries list", "keep.append succeeded");
    assert_eq!(does(&mut console, "send it", TO_SEND), draft);
}

#[test]
fn the_place_of_a_row_means_that_row() {
    let program = Program::new();
    let mut console = program.demo();
    let tasks = text_of(&console.say("what are my tasks?"));
    let second = tasks.lines().nth(2).unwrap().trim_start_matches(['▫', '\u{fe0f}', ' ', '❗']);
    let second = second.split(" — ").next().unwrap();
    let done = console.say("tick off the second one");
    assert_eq!(did(&done), ["task.complete succeeded"]);
    assert!(text_of(&done).contains(second), "{done:#?} {tasks}");
    assert!(is_asked_back(&console.say("open number 40")));
    let eggs = does(&mut console, "add 2 eggs to my groceries list", "keep.append succeeded");
    assert_eq!(eggs["text"], "2 eggs", "an amount is no row");

    console.say("any mails from the hotel?");
    let reply = does(&mut console, "answer the first one: thanks", "email.reply_to_email pending");
    assert_eq!(reply["to"], json!(["reservations@lindenhof.example"]));
    console.say("no");

    let twice = text_of(&console.say("what are my tasks?"));
    let first =
        twice.lines().nth(1).unwrap().trim_start_matches(['▫', '\u{fe0f}', ' ', '❗']).split(" — ").next().unwrap();
    console.say("tick off the first one");
    let gone = text_of(&console.say("tick off the first one"));
    assert!(gone.contains(first) && !gone.contains("demotask"), "no id is shown: {gone}");

    let mails = text_of(&console.say("what's new in my mail?"));
    assert!(mails.lines().nth(2).is_some_and(|row| row.contains("NW-3391")), "{mails}");
    let opened = console.say("open the second one");
    assert!(text_of(&opened).contains("NW-3391"), "{opened:#?}");
    let archived = does(&mut console, "archive the second one", "email.mark succeeded");
    assert_eq!(archived, json!({"as": "archived", "find_by": params_of(&opened)["find_by"]}));

    let agenda = text_of(&console.say("what's on tomorrow?"));
    let is_event = |line: &&str| line.contains("10:00–10:15");
    let place = agenda.lines().skip(1).position(|line| is_event(&line)).unwrap();
    let word = ["first", "second", "third"][place];
    let cancelled = console.say(&format!("cancel the {word} one"));
    assert_eq!(did(&cancelled), ["calendar.delete_event pending"]);
    assert!(text_of(&cancelled).contains("Standup"), "{cancelled:#?}");
}

#[test]
fn a_pronoun_means_whoever_was_named_last() {
    let program = Program::new();
    let mut console = program.demo();
    console.say("who is Sarah?");
    let draft = does(&mut console, "write her that I'll be late", DRAFTED);
    assert_eq!(draft["to"], json!(["sarah.lindqvist@example.com"]));
    let number = console.say("what's her number?");
    assert!(text_of(&number).contains("+44 7700 900158"), "{number:#?}");
    console.say("what did Priya write?");
    let answer = console.say("answer her: yes, that works");
    assert!(is_asked_back(&answer), "{answer:#?}");
    let mails = text_of(&answer);
    let mut offered = mails.lines().skip(1);
    assert!(offered.all(|mail| mail.contains("Priya")), "hers alone: {mails}");
    console.say("never mind");
    let other = does(&mut console, "tell Anna that she called", DRAFTED);
    assert_eq!(other["to"], json!(["anna.kowalczyk@example.com"]), "whoever is named in the message");
}

/// With a model the same: it is asked for that draft anew, and may reword it, but not send it to anybody else.
#[tokio::test]
async fn a_model_rewords_a_draft_and_picks_nobody_for_it() {
    let rig = Rig::new(Setup { demo: true, grounds_plans: true, model: true, ..Setup::default() });
    let person: Person<'_> = rig.me();
    let plans = |actions: Value| {
        rig.script.on(Stage::Plan, move |_| json!({"actions": actions, "question": null, "open": null}))
    };
    rig.script.routes(json!({"type": "action", "domains": ["email"], "is_followup": false}));
    let write = |to: Value, body: &str| json!([{"service": "email", "command": "create_draft", "params": {"to": to, "subject": "Boiler", "body": body}}]);
    plans(write(json!(["Bob Miller"]), "The boiler is fixed."));
    let first = person.says("could you write to Bob Miller about it, the boiler is fixed").await;
    assert_eq!(first.did(), [DRAFTED], "{}", first.text());
    plans(write(json!(["bob.miller@example.com", "eve@example.org"]), "Dear Bob, good news: the boiler is fixed!"));
    let second = person.says("make it a bit friendlier").await;
    assert_eq!((second.did(), &second.params()["to"]), (vec![DRAFTED.to_owned()], &json!([BOB])));
    assert!(second.params()["body"].as_str().unwrap().contains("good news"), "{}", second.text());
    let told = rig.script.asked(Stage::Plan).pop().unwrap();
    let prompt = format!("{told:?}");
    assert!(prompt.contains("draft so far") && prompt.contains("The boiler is fixed."), "{prompt}");
}

#[test]
fn whoever_moves_while_a_mail_waits_is_told_where_it_still_goes() {
    for send in [false, true] {
        let program = Program::new();
        let mut console = program.demo();
        console.say("email Bob Miller that the boiler is fixed");
        if send {
            does(&mut console, "send it", TO_SEND);
        }
        let card = console.say("save Bob Miller's email: bob@new.example");
        assert_eq!(did(&card), ["contacts.save pending"], "{send}");
        assert!(text_of(&card).contains("still goes to bob.miller@example.com"), "{send}: {card:#?}");
    }
}
