//! The five flow examples of the architecture, as a person lives them: with a scripted model, whose calls are
//! counted, and without any.

use serde_json::{Value, json};

use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{
    Console, Lines, Program, button, did, done_of, outcomes_of, params_of, path_of, pending_ids, text_of,
};
use crate::support::smtp_server::{Mode, SmtpServer};

const NOW: &str = "2026-01-11T09:00:00Z";
const HELLO: &str = "Hey, how's it going?";
const REMIND: &str = "Remind me to call mom tomorrow at 5pm";
const TEAM: &str = "Send an email to the whole team about the project delay";
const COMPOSITE: &str = "Check my calendar for tomorrow and email Bob to tell him I'm running late";
const CARDS: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bob Miller\r\nEMAIL:bob.miller@example.com\r\nCATEGORIES:team\r\nEND:VCARD\r\n\
                     BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Sarah Lindqvist\r\nEMAIL:sarah.lindqvist@example.com\r\nCATEGORIES:team\r\nEND:VCARD\r\n";

/// A program that knows a team of two, and a mail server.
fn installed(mail: &SmtpServer) -> Program {
    let program = Program::new().smtp(mail);
    std::fs::create_dir_all(program.data_dir()).unwrap();
    std::fs::write(program.data_dir().join("contacts.vcf"), CARDS).unwrap();
    program
}

fn open(program: &Program) -> Console {
    program.at(NOW)
}

fn calls(lines: &[Value]) -> u64 {
    done_of(lines)["llm_calls"].as_u64().unwrap()
}

/// Answers one turn of each given kind after the other.
fn model(turns: &[(ModelReply, Option<Value>)]) -> ModelServer {
    let mut script = Script::new().always("respond", ModelReply::text("Going well! What's on your mind?"));
    for (routed, actions) in turns {
        script = script.then("route", routed.clone());
        if let Some(actions) = actions {
            script = script.then("plan", ModelReply::json(json!({"actions": actions})));
        }
    }
    ModelServer::scripted(script)
}

// 1. Small talk.

#[test]
fn small_talk_with_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let model = model(&[(ModelReply::route("chat", &[]), None)]);
    let lines = open(&installed(&mail).model(&model)).say(HELLO);
    assert_eq!((path_of(&lines), text_of(&lines).as_str()), ("chat", "Going well! What's on your mind?"));
    assert!(calls(&lines) <= 2, "{lines:#?}");
}

#[test]
fn small_talk_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let lines = open(&installed(&mail)).say(HELLO);
    assert_eq!((path_of(&lines), calls(&lines)), ("chat", 0));
    assert!(!text_of(&lines).is_empty() && did(&lines).is_empty());
}

// 2. A reminder, and then it comes.

fn reminder(console: &mut Console) -> Lines {
    let lines = console.say(REMIND);
    assert_eq!(did(&lines), ["task.create succeeded"], "{lines:#?}");
    assert_eq!(params_of(&lines)["deadline"], "2026-01-12T17:00:00+00:00");
    let early = console.now("2026-01-12T16:59:59Z");
    assert_eq!(text_of(&early), "");
    let due = console.now("2026-01-12T17:00:00Z");
    assert_eq!((text_of(&due).as_str(), calls(&due)), ("⏰ Call mom", 0));
    lines
}

#[test]
fn a_reminder_with_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let create =
        action("task", "create", json!({"title": "Call mom", "deadline": "2026-01-12T17:00:00", "priority": "medium"}));
    let model = model(&[(ModelReply::route("action", &["task"]), Some(json!([create])))]);
    let lines = reminder(&mut open(&installed(&mail).model(&model)));
    assert!(calls(&lines) <= 3, "{lines:#?}");
}

#[test]
fn a_reminder_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let lines = reminder(&mut open(&installed(&mail)));
    assert_eq!((calls(&lines), path_of(&lines)), (0, "action"));
}

// 3. A mail to the team, after a yes.

fn team(console: &mut Console, mail: &SmtpServer) -> (Lines, Lines) {
    let card = console.say(TEAM);
    assert_eq!(did(&card), ["email.send_email pending"], "{card:#?}");
    let shown = text_of(&card);
    assert!(shown.contains("bob.miller@example.com") && shown.contains("sarah.lindqvist@example.com"), "{shown}");
    assert_eq!(mail.mails().len(), 0);
    let yes = console.say("Yes, send it");
    assert_eq!(did(&yes), ["email.send_email succeeded"], "{yes:#?}");
    assert_eq!(path_of(&yes), "consent");
    let mut to = mail.mails()[0].to.clone();
    to.sort();
    assert_eq!(to, ["bob.miller@example.com", "sarah.lindqvist@example.com"]);
    assert_eq!(mail.mails().len(), 1);
    (card, yes)
}

#[test]
fn a_mail_to_the_team_with_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let send = action(
        "email",
        "send_email",
        json!({"to": ["the whole team"], "subject": "Project update", "body": "The project is delayed."}),
    );
    let model = model(&[(ModelReply::route("action", &["email"]), Some(json!([send])))]);
    let (card, yes) = team(&mut open(&installed(&mail).model(&model)), &mail);
    assert!(calls(&card) <= 3 && calls(&yes) <= 1, "{card:#?} {yes:#?}");
    assert_eq!(
        (mail.mails()[0].subject.as_str(), mail.mails()[0].body().trim()),
        ("Project update", "The project is delayed.")
    );
}

#[test]
fn a_mail_to_the_team_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let (card, yes) = team(&mut open(&installed(&mail)), &mail);
    assert_eq!((calls(&card), calls(&yes)), (0, 0));
}

// 4. Two things in one breath.

fn composite(console: &mut Console, program: &Program) -> Lines {
    console.say("add standup to my calendar tomorrow at 10am");
    let lines = console.say(COMPOSITE);
    assert_eq!(did(&lines), ["calendar.list_events succeeded", "email.create_draft succeeded"], "{lines:#?}");
    assert!(text_of(&lines).contains("Standup"), "{lines:#?}");
    assert_eq!(outcomes_of(&lines)[1]["params"]["to"], json!(["bob.miller@example.com"]));
    assert!(pending_ids(&lines).is_empty(), "a draft needs no consent");
    assert!(program.data_dir().join("mail").is_dir());
    lines
}

#[test]
fn a_composite_request_with_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let standup =
        action("calendar", "create_event", json!({"summary": "Standup", "start_time": "2026-01-12T10:00:00"}));
    let look = action("calendar", "list_events", json!({"from": "2026-01-12T00:00:00", "to": "2026-01-13T00:00:00"}));
    let draft = action(
        "email",
        "create_draft",
        json!({"to": ["Bob"], "subject": "Running late", "body": "Hi Bob, I'm running late."}),
    );
    let model = model(&[
        (ModelReply::route("action", &["calendar"]), Some(json!([standup]))),
        (ModelReply::route("action", &["calendar", "email"]), Some(json!([look, draft]))),
    ]);
    let program = installed(&mail).model(&model);
    let lines = composite(&mut open(&program), &program);
    assert!(calls(&lines) <= 3, "{lines:#?}");
    assert_eq!(mail.mails().len(), 0);
}

#[test]
fn a_composite_request_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = installed(&mail);
    let lines = composite(&mut open(&program), &program);
    assert_eq!((calls(&lines), mail.mails().len()), (0, 0));
}

// 5. "It" is what was just talked about.

fn pronoun(console: &mut Console) -> (Lines, Lines) {
    let made = console.say("I have a meeting with Sarah at 3pm");
    assert_eq!(did(&made), ["calendar.create_event succeeded"], "{made:#?}");
    let card = console.say("Actually, cancel it");
    assert_eq!(did(&card), ["calendar.delete_event pending"], "{card:#?}");
    assert!(text_of(&card).contains("Sarah") && text_of(&card).contains("15:00"), "{card:#?}");
    let yes = console.say("yes");
    assert_eq!(did(&yes), ["calendar.delete_event succeeded"], "{yes:#?}");
    (card, yes)
}

#[test]
fn it_is_what_was_just_talked_about_with_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let create = action(
        "calendar",
        "create_event",
        json!({"summary": "Meeting with Sarah", "start_time": "2026-01-11T15:00:00"}),
    );
    let delete = action("calendar", "delete_event", json!({"find_by": "meeting with Sarah 3pm"}));
    let model = model(&[
        (ModelReply::route("action", &["calendar"]), Some(json!([create]))),
        (ModelReply::route("action", &["calendar"]), Some(json!([delete]))),
    ]);
    let (card, yes) = pronoun(&mut open(&installed(&mail).model(&model)));
    assert!(calls(&card) <= 3 && calls(&yes) <= 1, "{card:#?} {yes:#?}");
}

#[test]
fn it_is_what_was_just_talked_about_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let (card, yes) = pronoun(&mut open(&installed(&mail)));
    assert_eq!((calls(&card), calls(&yes)), (0, 0));
}

// 6. Two people of one name: the one who was picked from our list was picked by the person.

const SECOND_BOB: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bob Adams\r\nEMAIL:bob.adams@example.com\r\nEND:VCARD\r\n";

fn two_bobs(mail: &SmtpServer) -> Program {
    let program = installed(mail);
    std::fs::write(program.data_dir().join("contacts.vcf"), format!("{CARDS}{SECOND_BOB}")).unwrap();
    program
}

#[test]
fn somebody_picked_from_our_list_needs_no_consent_for_a_draft() {
    let mail = SmtpServer::start(Mode::Accept);
    let mut console = open(&two_bobs(&mail));
    let asked = console.say("write an email to bob saying I'm late");
    assert_eq!(path_of(&asked), "clarify", "{asked:#?}");
    let picked = console.say("bob miller");
    assert_eq!(did(&picked), ["email.create_draft succeeded"], "{picked:#?}");
    assert_eq!(params_of(&picked)["to"], json!(["bob.miller@example.com"]));
    assert!(!text_of(&picked).contains('⚠'), "{picked:#?}");
    button(&picked, "send");
}

#[test]
fn somebody_picked_from_our_list_stays_picked_when_the_card_is_changed() {
    let mail = SmtpServer::start(Mode::Accept);
    let mut console = open(&two_bobs(&mail));
    console.say("send an email to bob saying I'm late");
    let card = console.say("2");
    assert_eq!(did(&card), ["email.send_email pending"], "{card:#?}");
    let shown = text_of(&card);
    assert!(shown.contains("@example.com") && !shown.contains("not from you"), "{shown}");
    let changed = console.say("change the subject to Train trouble");
    assert_eq!(params_of(&changed)["subject"], "Train trouble");
    assert!(!text_of(&changed).contains("not from you"), "{changed:#?}");
}

// 7. A time that can be two.

/// It is Sunday morning: "Sunday at 6pm" may be today.
#[test]
fn a_time_that_can_be_two_is_asked_about_and_the_answer_may_be_a_number_a_day_or_another_time() {
    for (answer, when) in [
        ("2", "2026-01-18T18:00:00+00:00"),
        ("today", "2026-01-11T18:00:00+00:00"),
        ("the 18th", "2026-01-18T18:00:00+00:00"),
        ("tomorrow at 5pm", "2026-01-12T17:00:00+00:00"),
    ] {
        let mut console = open(&Program::new());
        let asked = text_of(&console.say("drinks with zoe sunday at 6pm"));
        assert!(asked.contains("1. today (Sun 11 Jan) at 18:00\n2. Sun 18 Jan at 18:00"), "{asked}");
        let added = console.say(answer);
        assert_eq!(params_of(&added)["start_time"], when, "{answer}: {added:#?}");
    }
}

/// The words of the time alone do not say it; the name of the thing does, and what only mentions it leaves it open.
#[test]
fn a_bare_hour_lies_in_the_half_of_the_day_of_what_it_is_for() {
    for (said, time, at) in [
        ("dinner with anna saturday at 8", "start_time", "2026-01-17T20:00"),
        ("breakfast with anna saturday at 8", "start_time", "2026-01-17T08:00"),
        ("drinks with anna every friday at 9", "start_time", "2026-01-16T21:00"),
        ("wake me at 6", "deadline", "2026-01-12T06:00"),
        ("set an alarm for 5:30", "deadline", "2026-01-12T05:30"),
        ("remind me about the concert friday at 8", "deadline", "2026-01-16T20:00"),
    ] {
        let answer = open(&Program::new()).say(said);
        assert_eq!(params_of(&answer)[time], format!("{at}:00+00:00"), "{said}: {answer:#?}");
    }
    for (said, choices) in [
        ("remind me to buy drinks for the party tomorrow at 9", "1. tomorrow (Mon 12 Jan) at 09:00\n2. tomorrow"),
        ("wake me at 3", "1. today (Sun 11 Jan) at 15:00\n2. tomorrow (Mon 12 Jan) at 03:00"),
    ] {
        let asked = text_of(&open(&Program::new()).say(said));
        assert!(asked.contains(choices), "{asked}");
    }
    let mut console = open(&Program::new());
    console.say("dinner with anna saturday at 8");
    let moved = console.say("move the dinner to 9");
    assert_eq!(params_of(&moved)["changes"]["start_time"], "2026-01-17T21:00:00+00:00", "{moved:#?}");
}

/// "or" between two days, a day that does not exist: one question, and its answer is all that is needed.
#[test]
fn a_time_that_cannot_be_used_is_asked_about_once() {
    for (said, question) in [
        ("drinks with zoe friday or saturday at 8pm", "“friday or saturday at 8pm”"),
        ("drinks with zoe on 31 february", "February has no day 31"),
        ("move the standup to 31 february", "February has no day 31"),
    ] {
        let mut console = open(&Program::new());
        if said.starts_with("move") {
            console.say("standup thursday at 9");
        }
        let asked = text_of(&console.say(said));
        assert!(asked.contains(question), "{said}: {asked}");
        let done = console.say("tomorrow at 5pm");
        let wanted = if said.starts_with("move") { "pending" } else { "succeeded" };
        assert!(did(&done).iter().all(|did| did.ends_with(wanted)), "{said}: {done:#?}");
        let params = params_of(&done);
        let start = params.get("changes").unwrap_or(&params)["start_time"].clone();
        assert_eq!(start, "2026-01-12T17:00:00+00:00", "{said}");
        assert!(!text_of(&done).contains("or saturday"), "{said}: {done:#?}");
    }
}

/// What a newcomer says first, to an empty store.
#[test]
fn a_list_is_begun_by_adding_to_it_and_a_word_takes_it_back() {
    let listed = |console: &mut Console| {
        let list = text_of(&console.say("what's on the shopping list"));
        ["eggs", "milk", "bread", "tea"].map(|thing| list.contains(thing))
    };
    let mut console = open(&Program::new());
    console.say("add eggs, milk and bread to the shopping list");
    console.say("add tea to the shopping list");
    assert_eq!(listed(&mut console), [true; 4]);
    console.say("undo");
    assert_eq!(listed(&mut console), [true, true, true, false]);
    let mut console = open(&Program::new());
    console.say("add bread to the shopping list");
    console.say("undo that, please");
    assert_eq!(listed(&mut console), [false; 4]);
    console.say("remember that my sister's birthday is on may 4");
    let recalled = text_of(&console.say("when is my sister's birthday?"));
    assert!(recalled.contains("may 4"), "{recalled}");
    console.say("remind me to call the bank tomorrow morning");
    let left = text_of(&console.say("what's left on my list?"));
    assert!(left.contains("Call the bank"), "{left}");
}

// 8. One thing after another: what a yes depends on is on the card.

#[test]
fn a_card_says_what_has_to_succeed_first() {
    let mail = SmtpServer::start(Mode::Accept);
    let standup =
        action("calendar", "create_event", json!({"summary": "Standup", "start_time": "2026-01-12T10:00:00"}));
    let delete = action("calendar", "delete_event", json!({"find_by": "standup"}));
    let mut tell =
        action("email", "send_email", json!({"to": ["Bob"], "subject": "No standup", "body": "It is cancelled."}));
    tell["depends_on"] = json!([0]);
    let model = model(&[
        (ModelReply::route("action", &["calendar"]), Some(json!([standup]))),
        (ModelReply::route("action", &["calendar", "email"]), Some(json!([delete, tell]))),
    ]);
    let mut console = open(&installed(&mail).model(&model));
    console.say("put standup in my calendar tomorrow at 10am");
    let card = console.say("delete the standup, and once it's gone send bob a mail that it is cancelled");
    let shown = text_of(&card);
    assert_eq!(shown.matches("Only if: 1 succeeds").count(), 1, "{shown}");
    assert!(shown.find("Only if").unwrap() > shown.find("2. ").unwrap(), "it stands with the second: {shown}");
}

// 8. What built-in understanding is sure about needs no router.

#[test]
fn a_sure_guess_saves_the_routers_call_and_an_unsure_one_does_not() {
    let mail = SmtpServer::start(Mode::Accept);
    let create = action("task", "create", json!({"title": "Call mom", "deadline": "2026-01-12T17:00:00"}));
    let script = Script::new()
        .always("route", ModelReply::route("chat", &[]))
        .always("plan", ModelReply::json(json!({"actions": [create]})))
        .always("respond", ModelReply::text("All right."));
    let model = ModelServer::scripted(script);
    let program = installed(&mail).whole_plans(&model).env("BRAIN_SKIP_ROUTER", "true");
    let mut console = open(&program);
    let stages = |since: usize| model.stages().split_off(since);

    let hello = console.say("hi there, how are you?");
    assert_eq!((calls(&hello), stages(0)), (1, vec!["chat".to_owned()]));
    let sure = console.say(REMIND);
    assert_eq!(did(&sure), ["task.create succeeded"], "{sure:#?}");
    assert_eq!((calls(&sure), stages(1)), (2, vec!["plan".to_owned(), "respond".to_owned()]));
    console.say("that thing about the quarterly blorb, could you maybe");
    assert!(stages(3).contains(&"route".to_owned()), "{:?}", stages(3));
}
