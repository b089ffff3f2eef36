//! The five flow examples of the architecture, as a person lives them: with a scripted model, whose calls are
//! counted, and without any.

use serde_json::{Value, json};

use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Lines, Program, done_of, outcomes_of, pending_ids, text_of};
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
    program.console(&["--now", NOW, "--tz", "UTC"])
}

fn calls(lines: &[Value]) -> u64 {
    done_of(lines)["llm_calls"].as_u64().unwrap()
}

fn action(service: &str, command: &str, params: Value) -> Value {
    json!({"service": service, "command": command, "params": params, "reasoning": "asked for", "depends_on": []})
}

fn route(kind: &str, domains: &[&str]) -> ModelReply {
    ModelReply::json(json!({"type": kind, "domains": domains, "is_followup": false}))
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

fn statuses(lines: &[Value]) -> Vec<(String, String)> {
    let name = |o: &Value| format!("{}.{}", o["service"].as_str().unwrap(), o["command"].as_str().unwrap());
    outcomes_of(lines).iter().map(|o| (name(o), o["status"].as_str().unwrap().to_owned())).collect()
}

fn is(name: &str, status: &str) -> (String, String) {
    (name.to_owned(), status.to_owned())
}

// 1. Small talk.

#[test]
fn small_talk_with_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let model = model(&[(route("chat", &[]), None)]);
    let lines = open(&installed(&mail).model(&model)).say(HELLO);
    assert_eq!(
        (done_of(&lines)["path"].as_str(), text_of(&lines).as_str()),
        (Some("chat"), "Going well! What's on your mind?")
    );
    assert!(calls(&lines) <= 2, "{lines:#?}");
}

#[test]
fn small_talk_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let lines = open(&installed(&mail)).say(HELLO);
    assert_eq!((done_of(&lines)["path"].as_str(), calls(&lines)), (Some("chat"), 0));
    assert!(!text_of(&lines).is_empty() && outcomes_of(&lines).is_empty());
}

// 2. A reminder, and then it comes.

fn reminder(console: &mut Console) -> Lines {
    let lines = console.say(REMIND);
    assert_eq!(statuses(&lines), [is("task.create", "succeeded")], "{lines:#?}");
    assert_eq!(outcomes_of(&lines)[0]["params"]["deadline"], "2026-01-12T17:00:00+00:00");
    assert!(text_of(&lines).contains("⏰ Reminder set: Call mom — tomorrow (Mon 12 Jan) at 17:00"), "{lines:#?}");
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
    let model = model(&[(route("action", &["task"]), Some(json!([create])))]);
    let lines = reminder(&mut open(&installed(&mail).model(&model)));
    assert!(calls(&lines) <= 3, "{lines:#?}");
}

#[test]
fn a_reminder_without_a_model() {
    let mail = SmtpServer::start(Mode::Accept);
    let lines = reminder(&mut open(&installed(&mail)));
    assert_eq!((calls(&lines), done_of(&lines)["path"].as_str()), (0, Some("action")));
}

// 3. A mail to the team, after a yes.

fn team(console: &mut Console, mail: &SmtpServer) -> (Lines, Lines) {
    let card = console.say(TEAM);
    assert_eq!(statuses(&card), [is("email.send_email", "pending")], "{card:#?}");
    let shown = text_of(&card);
    assert!(shown.contains("bob.miller@example.com") && shown.contains("sarah.lindqvist@example.com"), "{shown}");
    assert_eq!(mail.mails().len(), 0);
    let yes = console.say("Yes, send it");
    assert_eq!(statuses(&yes), [is("email.send_email", "succeeded")], "{yes:#?}");
    assert_eq!(done_of(&yes)["path"], "consent");
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
    let model = model(&[(route("action", &["email"]), Some(json!([send])))]);
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
    assert_eq!(
        statuses(&lines),
        [is("calendar.list_events", "succeeded"), is("email.create_draft", "succeeded")],
        "{lines:#?}"
    );
    let text = text_of(&lines);
    assert!(text.contains("Standup") && text.contains("Draft for “Bob Miller” <bob.miller@example.com>"), "{text}");
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
        (route("action", &["calendar"]), Some(json!([standup]))),
        (route("action", &["calendar", "email"]), Some(json!([look, draft]))),
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
    assert_eq!(statuses(&made), [is("calendar.create_event", "succeeded")], "{made:#?}");
    let card = console.say("Actually, cancel it");
    assert_eq!(statuses(&card), [is("calendar.delete_event", "pending")], "{card:#?}");
    assert!(text_of(&card).contains("Sarah") && text_of(&card).contains("15:00"), "{card:#?}");
    let yes = console.say("yes");
    assert_eq!(statuses(&yes), [is("calendar.delete_event", "succeeded")], "{yes:#?}");
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
        (route("action", &["calendar"]), Some(json!([create]))),
        (route("action", &["calendar"]), Some(json!([delete]))),
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
    assert!(text_of(&asked).contains("Which bob do you mean?"), "{asked:#?}");
    let picked = console.say("bob miller");
    assert_eq!(statuses(&picked), [is("email.create_draft", "succeeded")], "{picked:#?}");
    let text = text_of(&picked);
    assert!(text.contains("Draft for “Bob Miller” <bob.miller@example.com>") && !text.contains('⚠'), "{text}");
    assert!(picked.iter().any(|line| line.to_string().contains(r#""role":"send""#)), "{picked:#?}");
}

#[test]
fn somebody_picked_from_our_list_stays_picked_when_the_card_is_changed() {
    let mail = SmtpServer::start(Mode::Accept);
    let mut console = open(&two_bobs(&mail));
    console.say("send an email to bob saying I'm late");
    let card = console.say("2");
    assert_eq!(statuses(&card), [is("email.send_email", "pending")], "{card:#?}");
    let shown = text_of(&card);
    assert!(shown.contains("@example.com") && !shown.contains("not from you"), "{shown}");
    let changed = console.say("change the subject to Train trouble");
    let shown = text_of(&changed);
    assert!(shown.contains("Train trouble") && !shown.contains("not from you"), "{shown}");
}

// 7. A time that can be two.

/// It is Sunday morning: "Sunday at 6pm" may be today.
#[test]
fn a_time_that_can_be_two_is_asked_about_and_the_answer_may_be_a_number_a_day_or_another_time() {
    for (answer, when) in [
        ("2", "Sun 18 Jan at 18:00"),
        ("today", "today (Sun 11 Jan) at 18:00"),
        ("the 18th", "Sun 18 Jan at 18:00"),
        ("tomorrow at 5pm", "tomorrow (Mon 12 Jan) at 17:00"),
    ] {
        let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
        let asked = text_of(&console.say("drinks with zoe sunday at 6pm"));
        assert!(asked.contains("1. today (Sun 11 Jan) at 18:00\n2. Sun 18 Jan at 18:00"), "{asked}");
        let added = console.say(answer);
        assert!(text_of(&added).contains(&format!("Added: {when}")), "{answer}: {added:#?}");
    }
}

/// The words of the time alone do not say it; the name of the thing does, and what only mentions it leaves it open.
#[test]
fn a_bare_hour_lies_in_the_half_of_the_day_of_what_it_is_for() {
    for (said, told) in [
        ("dinner with anna saturday at 8", "Added: Sat 17 Jan at 20:00"),
        ("breakfast with anna saturday at 8", "Added: Sat 17 Jan at 08:00"),
        ("drinks with anna every friday at 9", "Fri 16 Jan at 21:00"),
        ("wake me at 6", "Reminder set: Wake up — tomorrow (Mon 12 Jan) at 06:00"),
        ("set an alarm for 5:30", "Reminder set: Wake up — tomorrow (Mon 12 Jan) at 05:30"),
        ("remind me about the concert friday at 8", "Reminder set: The concert — Fri 16 Jan at 20:00"),
        ("remind me to buy drinks for the party tomorrow at 9", "1. tomorrow (Mon 12 Jan) at 09:00\n2. tomorrow"),
    ] {
        let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
        let answer = text_of(&console.say(said));
        assert!(answer.contains(told), "{said}: {answer}");
    }
    let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
    let asked = text_of(&console.say("wake me at 3"));
    assert!(asked.contains("1. today (Sun 11 Jan) at 15:00\n2. tomorrow (Mon 12 Jan) at 03:00"), "{asked}");
    let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
    console.say("dinner with anna saturday at 8");
    let moved = text_of(&console.say("move the dinner to 9"));
    assert!(moved.contains("Sat 17 Jan at 20:00–21:00 → Sat 17 Jan at 21:00–22:00"), "{moved}");
}

/// "or" between two days, a day that does not exist: one question, and its answer is all that is needed.
#[test]
fn a_time_that_cannot_be_used_is_asked_about_once() {
    for (said, question) in [
        ("drinks with zoe friday or saturday at 8pm", "“friday or saturday at 8pm”"),
        ("drinks with zoe on 31 february", "February has no day 31"),
        ("move the standup to 31 february", "February has no day 31"),
    ] {
        let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
        if said.starts_with("move") {
            console.say("standup thursday at 9");
        }
        let asked = text_of(&console.say(said));
        assert!(asked.contains(question), "{said}: {asked}");
        let done = console.say("tomorrow at 5pm");
        let told = text_of(&done);
        let wanted = if said.starts_with("move") { "pending" } else { "succeeded" };
        assert!(statuses(&done).iter().all(|(_, status)| status == wanted), "{said}: {done:#?}");
        assert!(told.contains("tomorrow (Mon 12 Jan) at 17:00") && !told.contains("or saturday"), "{said}: {told}");
    }
}

/// What a newcomer says first, to an empty store.
#[test]
fn a_list_is_begun_by_adding_to_it_and_a_word_takes_it_back() {
    let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
    let begun = text_of(&console.say("add eggs, milk and bread to the shopping list"));
    assert!(begun.contains("🗒 New list: Shopping list\n• eggs\n• milk\n• bread"), "{begun}");
    let added = text_of(&console.say("add tea to the shopping list"));
    assert!(added.contains("🗒 Added to Shopping list: tea"), "{added}");
    let undone = text_of(&console.say("undo"));
    assert!(undone.contains("Taken back: add to “Shopping list”"), "{undone}");
    let mut console = open(&installed(&SmtpServer::start(Mode::Accept)));
    console.say("add bread to the shopping list");
    let undone = text_of(&console.say("undo that, please"));
    assert!(undone.contains("Taken back: add to “shopping list”"), "{undone}");
    assert!(!text_of(&console.say("what's on the shopping list")).contains("bread"));
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
        (route("action", &["calendar"]), Some(json!([standup]))),
        (route("action", &["calendar", "email"]), Some(json!([delete, tell]))),
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
        .always("route", ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})))
        .always("plan", ModelReply::json(json!({"actions": [create]})))
        .always("respond", ModelReply::text("All right."));
    let model = ModelServer::scripted(script);
    let program = installed(&mail).model(&model).env("BRAIN_SKIP_ROUTER", "true");
    let mut console = open(&program);
    let stages = |since: usize| model.stages().split_off(since);

    let hello = console.say("hi there, how are you?");
    assert_eq!((calls(&hello), stages(0)), (1, vec!["chat".to_owned()]));
    let sure = console.say(REMIND);
    assert_eq!(statuses(&sure), [is("task.create", "succeeded")], "{sure:#?}");
    assert_eq!((calls(&sure), stages(1)), (2, vec!["plan".to_owned(), "respond".to_owned()]));
    console.say("that thing about the quarterly blorb, could you maybe");
    assert!(stages(3).contains(&"route".to_owned()), "{:?}", stages(3));
}
