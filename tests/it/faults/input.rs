//! What people, and programs, may type.

use serde_json::{Value, json};

use super::{NOW, SEND, console};
use crate::support::program::{
    Console, Program, button, done_of, errors_of, messages_of, outcomes_of, pending_id, text_of,
};
use crate::support::smtp_server::{Mode, SmtpServer};

#[test]
fn strange_messages_get_one_friendly_answer_and_change_nothing() {
    let program = Program::new();
    let mut console = console(&program);
    let long = "word ".repeat(20_000);
    let messages = [
        "",
        "   ",
        "\n\n",
        "🎉",
        "🎉🎉🎉👩‍👩‍👧‍👦",
        "/nonsense",
        "/",
        "//",
        "/pending@other_bot extra",
        "\u{0}",
        "\u{202e}evil\u{2066}",
        "a\u{1f}b",
        "?",
        "…",
        "{{ 7 * 7 }}",
        "'; DROP TABLE tasks; --",
        "你好",
        "مرحبا",
        "123456789",
        &long,
    ];
    for text in messages {
        let lines = console.say(text);
        assert_eq!(lines.iter().filter(|line| line["type"] == "done").count(), 1, "{text:.40?}");
        assert!(!text_of(&lines).trim().is_empty(), "{text:.40?} got no answer: {lines:#?}");
        assert!(outcomes_of(&lines).iter().all(|outcome| outcome["status"] != "succeeded"), "{text:.40?}: {lines:#?}");
        assert!(errors_of(&lines).is_empty(), "{text:.40?}: {lines:#?}");
    }
    assert!(text_of(&console.say("/nonsense")).contains("/nonsense"));
    assert!(text_of(&console.say("show my tasks")).len() < 200, "something was created");
}

#[test]
fn a_huge_message_is_cut_and_the_person_is_told() {
    let program = Program::new();
    let mut console = console(&program);
    let text = format!("remind me to call mom tomorrow at 5pm {}", "é".repeat(50_000));
    let lines = console.say(&text);
    assert!(text_of(&lines).contains("very long"), "{lines:#?}");
    assert!(
        messages_of(&lines).iter().all(|message| message["text"].as_str().unwrap().encode_utf16().count() <= 4_096)
    );
    assert_eq!(done_of(&console.say("hi"))["path"], "chat");
}

#[test]
fn a_line_that_is_no_input_gets_an_error_and_a_done() {
    let program = Program::new();
    let mut console = console(&program);
    let huge = format!("{{\"text\":\"{}\"}}", "x".repeat(2 << 20));
    let bad = [
        "nonsense",
        "",
        "   ",
        "{",
        "[]",
        "null",
        "5",
        "\"text\"",
        "{}",
        r#"{"text":5}"#,
        r#"{"text":null}"#,
        r#"{"text":["hi"]}"#,
        r#"["remind me to call mom",null,null,null,null]"#,
        r#"{"text":"a","press":"b"}"#,
        r#"{"text":"a","now":"2026-01-11T10:00:00Z"}"#,
        r#"{"text":"a","text":"b"}"#,
        r#"{"text":"a","mood":"good"}"#,
        r#"{"text":"a","reply_to":"b"}"#,
        r#"{"text":"a","reply_to":1e99}"#,
        r#"{"now":"yesterday"}"#,
        r#"{"now":"2026-02-30T09:00:00Z"}"#,
        r#"{"now":"2026-01-10T09:00:00Z"}"#,
        r#"{"now":5}"#,
        r#"{"text":"a","user":""}"#,
        r#"{"text":"a","user":"a/b"}"#,
        r#"{"text":"a","user":"a\u001fb"}"#,
        r#"{"text":"a"} {"text":"b"}"#,
        &huge,
    ];
    for line in bad {
        let lines = console.send_raw(line);
        let kinds: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
        assert_eq!(kinds, ["error", "done"], "{line:.60}: {lines:#?}");
        assert_eq!(done_of(&lines)["path"], "error", "{line:.60}");
        assert!(errors_of(&lines)[0]["error"].as_str().is_some_and(|why| !why.is_empty() && why.len() < 300));
    }
    assert_eq!(done_of(&console.say("hi"))["path"], "chat", "it goes on");
}

#[test]
fn bytes_that_are_no_text_get_one_done() {
    let program = Program::new();
    let input =
        [b"{\"text\":\"hi \xff\xfe\"}\n".as_slice(), b"\xff\xff\xff\n", b"\x00\n", b"{\"text\":\"hi\"}"].concat();
    let ended = run_with_bytes(&program, &input);
    let dones: Vec<Value> = ended.into_iter().filter(|line| line["type"] == "done").collect();
    assert_eq!(dones.len(), 4, "{dones:#?}");
    assert_eq!((&dones[1]["path"], &dones[2]["path"]), (&json!("error"), &json!("error")));
    assert_eq!(dones[3]["path"], "chat", "the last line needs no end");
}

/// Through a file, since a test's strings are always UTF-8.
fn run_with_bytes(program: &Program, input: &[u8]) -> Vec<Value> {
    std::fs::write(program.cwd().join("input"), input).unwrap();
    let script = format!("exec '{}' \"$@\" < input", env!("CARGO_BIN_EXE_brain-agent"));
    std::fs::write(program.cwd().join("run"), script).unwrap();
    let ended =
        program.clone().binary(std::path::Path::new("/bin/sh")).run(&["run", "console", "--json", "--now", NOW]);
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.json_lines()
}

/// A card of `me`, in a console with a mail server.
fn asked(mail: &SmtpServer) -> (Console, String, String) {
    let program = Program::new().smtp(mail);
    let mut console = console(&program);
    let card = console.say(SEND);
    let (id, yes) = (pending_id(&card), button(&card, "approve"));
    (console, id, yes)
}

#[test]
fn a_forged_button_does_nothing() {
    let mail = SmtpServer::start(Mode::Accept);
    let (mut console, id, yes) = asked(&mail);
    let digest = yes.rsplit(':').next().unwrap().to_owned();
    let forged = [
        String::new(),
        "y".to_owned(),
        "y:".to_owned(),
        "💥".to_owned(),
        format!("y:{id}"),
        format!("y:{id}:"),
        format!("y:{id}:000000000000"),
        format!("y:{id}:{}", &digest[..4]),
        format!("y:0000000000:{digest}"),
        format!("{yes}:x"),
        yes.to_uppercase(),
        "y".repeat(10_000),
        "u:0000000000".to_owned(),
        "s:../../etc/passwd".to_owned(),
        "z:1:99999999999999".to_owned(),
        "k:\u{0}".to_owned(),
        format!("d99:{id}:{digest}"),
    ];
    for data in forged {
        let lines = console.press(&data);
        assert!(!text_of(&lines).is_empty(), "{data:.40?}: {lines:#?}");
        assert!(
            outcomes_of(&lines).iter().all(|o| o["status"] != "succeeded" && o["status"] != "denied"),
            "{data:.40?}: {lines:#?}"
        );
    }
    assert_eq!(mail.mails().len(), 0);
    assert_eq!(outcomes_of(&console.press(&yes))[0]["status"], "succeeded", "the real one still works");
}

#[test]
fn a_yes_that_was_written_before_the_card_was_shown_decides_nothing() {
    let mail = SmtpServer::start(Mode::Accept);
    let mut console = Program::new().smtp(&mail).console(&[]);
    let words = "send an email to bob.miller@example.com saying the report is late";
    console.start_sending(&format!("{}\n{}", json!({"text": words}), json!({"text": "yes"})));
    let card = console.answer("the request");
    pending_id(&card);
    let early = console.answer("the early yes");
    assert!(outcomes_of(&early).iter().all(|outcome| outcome["status"] != "succeeded"), "{early:#?}");
    assert!(mail.mails().is_empty());
    assert_eq!(outcomes_of(&console.say("yes"))[0]["status"], "succeeded", "a yes to what was shown again");
}

#[test]
fn a_yes_that_replies_to_something_else_decides_nothing() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = Program::new().smtp(&mail);
    let mut console = console(&program);
    let hello = console.say("hi");
    let number = messages_of(&hello)[0]["id"].as_i64().unwrap();
    let card = console.say(SEND);
    for other in [number, 0, -1, 999_999, i64::MAX] {
        let lines = console.reply(other, "yes");
        assert!(outcomes_of(&lines).is_empty(), "{other}: {lines:#?}");
    }
    assert_eq!(mail.mails().len(), 0);
    let to_the_card = messages_of(&card)[0]["id"].as_i64().unwrap();
    assert_eq!(outcomes_of(&console.reply(to_the_card, "yes"))[0]["status"], "succeeded");
}

#[test]
fn a_replayed_button_sends_once() {
    let mail = SmtpServer::start(Mode::Accept);
    let (mut console, _, yes) = asked(&mail);
    assert_eq!(outcomes_of(&console.press(&yes))[0]["status"], "succeeded");
    for _ in 0..3 {
        assert_eq!(outcomes_of(&console.press(&yes))[0]["status"], "succeeded", "it is said to be done already");
    }
    assert_eq!(mail.mails().len(), 1);
}

#[test]
fn an_expired_button_does_nothing() {
    let mail = SmtpServer::start(Mode::Accept);
    let (mut console, _, yes) = asked(&mail);
    let lines = console.now("2026-01-12T09:00:01Z");
    assert!(text_of(&lines).contains("⌛"), "{lines:#?}");
    let late = console.press(&yes);
    assert_eq!(outcomes_of(&late)[0]["status"], "expired", "{late:#?}");
    assert!(outcomes_of(&console.say("yes")).is_empty());
    assert_eq!(mail.mails().len(), 0);
}

#[test]
fn two_people_never_see_or_decide_each_others_things() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = Program::new().smtp(&mail);
    let mut console = console(&program);
    console.say_as("ann", "remind me to call mom tomorrow at 5pm");
    console.say_as("ben", "remind me to buy milk tomorrow at 6pm");
    let card = console.say_as("ann", SEND);
    let yes = button(&card, "approve");
    let number = messages_of(&card).last().unwrap()["id"].as_i64().unwrap();

    let by_ben = [
        console.press_as("ben", &yes),
        console.press_as("ben", &button(&card, "cancel")),
        console.press_as("ben", &button(&card, "edit")),
        console.say_as("ben", "yes"),
        console.send(json!({"text": "yes", "user": "ben", "reply_to": number})),
        console.send(json!({"text": "no", "user": "ben", "reply_to": number})),
        console.say_as("ben", "/cancel"),
        console.say_as("ben", "/pending"),
        console.say_as("ben", "show my tasks"),
        console.say_as("ben", "yes, but at 4pm"),
    ];
    for lines in &by_ben {
        assert!(lines.iter().all(|line| line["user"] == "ben"), "{lines:#?}");
        let text = text_of(lines);
        assert!(!text.contains("report") && !text.contains("bob.miller") && !text.contains("mom"), "{text}");
        assert!(outcomes_of(lines).iter().all(|outcome| outcome["command"] != "send_email"), "{lines:#?}");
    }
    assert!(text_of(&by_ben[8]).contains("Buy milk"));
    assert_eq!(mail.mails().len(), 0);
    let due = console.now("2026-01-12T08:00:00Z");
    assert!(text_of(&due).is_empty());
    let due = console.now("2026-01-12T17:00:00Z");
    assert!(due.iter().filter(|line| line["type"] == "message").all(|line| line["user"] == "ann"), "{due:#?}");
}

#[test]
fn a_card_is_still_its_owners_after_somebody_elses_attempt() {
    let mail = SmtpServer::start(Mode::Accept);
    let program = Program::new().smtp(&mail);
    let mut console = console(&program);
    let card = console.say_as("ann", SEND);
    console.press_as("ben", &button(&card, "cancel"));
    console.say_as("ben", SEND);
    let yes = console.say_as("ann", "yes");
    assert_eq!(outcomes_of(&yes)[0]["status"], "succeeded", "{yes:#?}");
    assert_eq!(mail.mails().len(), 1);
    assert!(text_of(&console.say_as("ann", "/pending")).contains("Nothing"));
    assert!(text_of(&console.say_as("ben", "/pending")).contains("bob.miller"));
}
