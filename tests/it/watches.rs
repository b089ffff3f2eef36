//! Watches over mail: told once, whenever the program ends, and of nothing that is not the answer.

use brain_agent::core::button::Role;
use brain_agent::core::ids::UserId;
use brain_agent::ports::records::Due;
use brain_agent::ports::{Clock, Table};
use brain_agent::services::email::watch::MailWatch;
use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::rig::{Answer, ME, Rig, Setup, action};

/// When the offer was sent to Anna: an hour before the rig begins.
const SENT: &str = "2026-01-12T08:00:00Z";

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Lays a mail into somebody's folder, as it came at this moment.
fn lay(rig: &Rig, owner: &str, folder: &str, at: DateTime<Utc>, text: &str) {
    let mailbox = rig.folder().join("mail").join(UserId::new(owner).folder_name()).join(folder);
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(mailbox.join(part)).unwrap();
    }
    let number = std::fs::read_dir(mailbox.join("cur")).unwrap().count();
    let name = format!("{}.M{number}P{}.host:2,S", at.timestamp(), rig.clock.now().timestamp_millis());
    std::fs::write(mailbox.join("cur").join(name), text.replace('\n', "\r\n")).unwrap();
}

fn mail(from: &str, to: &str, subject: &str, at: DateTime<Utc>, more: &str) -> String {
    format!("From: {from}\nTo: {to}\nSubject: {subject}\nDate: {}\n{more}\nHello.\n", at.to_rfc2822())
}

fn sent(rig: &Rig, to: &str, subject: &str, at: &str) {
    let id = format!("Message-ID: <{}@example.com>\n", subject.to_lowercase());
    lay(rig, ME, ".Sent", utc(at), &mail("Alex <alex.morgan@example.com>", to, subject, utc(at), &id));
}

/// An answer to what was sent, now.
fn answers(rig: &Rig, from: &str, subject: &str, more: &str) {
    let now = rig.clock.now();
    let to = format!("In-Reply-To: <{}@example.com>\n{more}", subject.to_lowercase());
    let answer = mail(from, "alex.morgan@example.com", &format!("Re: {subject}"), now, &to);
    lay(rig, ME, "", now, &answer);
}

const ANNA: &str = "Anna Kim <anna@example.com>";
const BOB: &str = "Bob Lee <bob@example.com>";

fn at(setup: Setup) -> Rig {
    let rig = Rig::new(setup);
    sent(&rig, ANNA, "Offer", SENT);
    sent(&rig, BOB, "Report", SENT);
    rig
}

fn rig() -> Rig {
    at(Setup::default())
}

async fn plans(rig: &Rig, command: &str, params: Value) -> Answer {
    rig.plans(json!([action("email", command, params)]));
    rig.says("here is what I want").await
}

async fn watches(rig: &Rig, params: Value) -> Answer {
    let told = plans(rig, "watch", params).await;
    assert_eq!(told.did(), ["email.watch succeeded"], "{}", told.text());
    told
}

/// What was told by itself since.
fn heard(rig: &Rig) -> Vec<String> {
    let told = rig.channel.all().into_iter().filter(|shown| !shown.reply.notifications.is_empty());
    told.map(|shown| shown.reply.text).collect()
}

async fn waiting(rig: &Rig) -> Vec<MailWatch> {
    rig.all::<MailWatch>().await.into_iter().filter(MailWatch::is_open).collect()
}

#[tokio::test]
async fn an_answer_is_told_once_and_over_a_restart() {
    for restarts in [false, true] {
        let mut rig = rig();
        let told = watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await.text();
        assert!(told.contains("I'll tell you when Anna Kim answers “Offer”."), "{told}");
        rig.moves_clock(Duration::minutes(10)).await;
        assert_eq!(heard(&rig), Vec::<String>::new());
        if restarts {
            rig.restart(Setup::default()).await;
        }
        answers(&rig, ANNA, "Offer", "");
        rig.works().await;
        assert_eq!(heard(&rig), ["⏰ Anna Kim answered: “Re: Offer”"]);
        answers(&rig, ANNA, "Offer", "");
        rig.moves_clock(Duration::days(100)).await;
        rig.restart(Setup::default()).await;
        rig.works().await;
        assert_eq!(heard(&rig).len(), 1);
        assert!(rig.all::<Due>().await.is_empty());
    }
}

#[tokio::test]
async fn what_is_no_answer_of_theirs_is_not_told() {
    let rig = rig();
    watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await;
    rig.clock.go_on(Duration::minutes(5));
    answers(&rig, ANNA, "Offer", "Auto-Submitted: auto-replied\n");
    answers(&rig, ANNA, "Offer", "Precedence: bulk\n");
    answers(&rig, ANNA, "Offer", "List-Id: <all.example.com>\n");
    answers(&rig, "Anna Kim <anna@examp1e.com>", "Offer", "");
    answers(&rig, "\"anna@example.com\" <anna@evil.example>", "Offer", "");
    answers(&rig, BOB, "Offer", "");
    // Something else of hers, and what lies in another person's mailbox.
    let now = rig.clock.now();
    lay(&rig, ME, "", now, &mail(ANNA, "alex.morgan@example.com", "Lunch", now, ""));
    let theirs = mail(ANNA, "eve@example.com", "Re: Offer", now, "In-Reply-To: <offer@example.com>\n");
    lay(&rig, "eve", "", now, &theirs);
    rig.works().await;
    assert_eq!(heard(&rig), Vec::<String>::new());
    answers(&rig, "ANNA <Anna@Example.COM>", "Offer", "");
    rig.works().await;
    assert_eq!(heard(&rig).len(), 1);
}

#[tokio::test]
async fn what_has_come_already_is_said_at_once_and_an_old_mail_is_none() {
    let rig = rig();
    // Before the offer was sent, and yet in its conversation.
    let before = utc("2026-01-11T08:00:00Z");
    lay(&rig, ME, "", before, &mail(ANNA, "alex.morgan@example.com", "Re: Offer", before, ""));
    let told = watches(&rig, json!({"who": ["Bob"], "awaits": "answer"})).await.text();
    assert!(told.contains("Bob Lee answers “Report”"), "{told}");
    answers(&rig, ANNA, "Offer", "");
    rig.clock.go_on(Duration::minutes(30));
    let told = watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await;
    assert!(told.text().contains("Anna Kim answered: “Re: Offer”"), "{}", told.text());
    assert!(told.text().contains("It has come already"), "{}", told.text());
    assert_eq!(told.button(Role::Undo), None, "there is nothing to take back");
    assert_eq!(waiting(&rig).await.len(), 1);
    rig.works().await;
    assert_eq!(heard(&rig), Vec::<String>::new());
}

#[tokio::test]
async fn who_has_not_answered_by_a_time_is_told_once_and_can_be_put_off_and_done() {
    let rig = rig();
    let told = watches(&rig, json!({"who": ["Bob"], "awaits": "answer", "by": "2026-01-16"})).await.text();
    assert!(told.contains("when Bob Lee answers “Report”, and remind you Fri 16 Jan at 09:00"), "{told}");
    rig.moves_clock(Duration::days(3)).await;
    assert_eq!(heard(&rig), Vec::<String>::new());
    rig.moves_clock(Duration::days(1)).await;
    assert_eq!(heard(&rig), ["⏰ Bob Lee hasn't answered “Report”"]);
    let message = rig.channel.all().into_iter().rfind(|shown| !shown.reply.notifications.is_empty()).unwrap();
    let buttons = message.reply.buttons.concat();
    let snooze = buttons.iter().find(|button| button.text.contains("1 h")).unwrap();
    let told = rig.presses(snooze).await.text();
    assert!(told.contains("Snoozed until"), "{told}");
    rig.moves_clock(Duration::minutes(61)).await;
    assert_eq!(heard(&rig).len(), 2);
    let done = buttons.iter().find(|button| button.role == Role::Done).unwrap();
    let told = rig.presses(done).await;
    assert_eq!(told.did(), ["email.unwatch succeeded"], "{}", told.text());
    assert_eq!((rig.count(Table::Watches).await, rig.all::<Due>().await.len()), (0, 0));
}

#[tokio::test]
async fn an_answer_that_comes_in_the_minute_of_the_deadline_has_come() {
    let rig = rig();
    watches(&rig, json!({"who": ["Bob"], "by": "2026-01-12T12:00:00Z", "say": "Call Bob"})).await;
    rig.clock.go_on(Duration::hours(3));
    answers(&rig, BOB, "Report", "");
    rig.works().await;
    rig.moves_clock(Duration::days(1)).await;
    assert_eq!(heard(&rig), ["⏰ Bob Lee answered: “Re: Report”"]);
}

#[tokio::test]
async fn what_is_to_be_done_then_is_what_the_reminder_says() {
    let rig = rig();
    watches(&rig, json!({"who": ["Bob"], "by": "2026-01-12T12:00:00Z", "say": "Call Bob"})).await;
    rig.moves_clock(Duration::hours(3)).await;
    assert_eq!(heard(&rig), ["⏰ Call Bob\nBob Lee hasn't answered “Report”."]);
}

#[tokio::test]
async fn wherever_the_machine_stops_an_answer_is_told_once() {
    for commits in 0..6 {
        let mut rig = rig();
        watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await;
        rig.clock.go_on(Duration::minutes(5));
        answers(&rig, ANNA, "Offer", "");
        rig.store.dies_after(commits);
        rig.works().await;
        rig.restart(Setup::default()).await;
        rig.works().await;
        rig.works().await;
        let mut heard = heard(&rig);
        // A message whose delivery was not recorded may come again, as the same message.
        heard.dedup();
        assert_eq!(heard, ["⏰ Anna Kim answered: “Re: Offer”"], "after {commits} commits");
        assert!(rig.all::<Due>().await.is_empty(), "after {commits} commits");
    }
}

#[tokio::test]
async fn a_day_by_which_is_its_morning_also_when_the_clocks_change() {
    let setup = || Setup { zone: Tz::Europe__Berlin, now: utc("2026-03-27T09:00:00Z"), ..Setup::default() };
    let rig = at(setup());
    watches(&rig, json!({"who": ["Bob"], "awaits": "answer", "by": "2026-03-29"})).await;
    let due: Vec<Due> = rig.all().await;
    assert_eq!(due[0].at, utc("2026-03-29T07:00:00Z"), "nine o'clock in summer time");
    // An hour that is skipped is asked about.
    let asked = plans(&rig, "watch", json!({"who": ["Anna"], "by": "2026-03-29T02:30"})).await;
    assert_eq!(waiting(&rig).await.len(), 1, "{}", asked.text());
}

#[tokio::test]
async fn two_watches_of_one_person_are_two_and_the_same_one_twice_is_one() {
    let rig = rig();
    sent(&rig, ANNA, "Contract", "2026-01-12T08:30:00Z");
    watches(&rig, json!({"who": ["Anna"], "about": "offer"})).await;
    watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await;
    watches(&rig, json!({"who": ["Anna"], "about": "contract"})).await;
    assert_eq!(waiting(&rig).await.len(), 2);
    rig.clock.go_on(Duration::minutes(5));
    answers(&rig, ANNA, "Contract", "");
    rig.works().await;
    assert_eq!(heard(&rig), ["⏰ Anna Kim answered: “Re: Contract”"]);
    answers(&rig, ANNA, "Offer", "");
    rig.works().await;
    assert_eq!(heard(&rig).len(), 2);
}

#[tokio::test]
async fn what_is_no_longer_watched_for_is_not_told_and_a_watch_can_be_taken_back() {
    let rig = rig();
    watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await;
    let told = watches(&rig, json!({"who": ["Bob"], "awaits": "answer", "by": "2026-01-16"})).await;
    let listed = plans(&rig, "watches", json!({})).await.text();
    assert!(listed.contains("Anna Kim answers “Offer”") && listed.contains("Bob Lee answers “Report”"), "{listed}");
    rig.presses(&told.button(Role::Undo).unwrap()).await;
    let told = plans(&rig, "unwatch", json!({"find_by": "Anna"})).await;
    assert_eq!(told.did(), ["email.unwatch succeeded"], "{}", told.text());
    assert_eq!((waiting(&rig).await.len(), rig.all::<Due>().await.len()), (0, 0));
    answers(&rig, ANNA, "Offer", "");
    answers(&rig, BOB, "Report", "");
    rig.moves_clock(Duration::days(10)).await;
    assert_eq!(heard(&rig), Vec::<String>::new());
    // Stopping can be taken back as well.
    let told = plans(&rig, "unwatch", json!({"find_by": "Anna"})).await.text();
    assert!(told.contains("I'm not watching for any mail."), "{told}");
}

#[tokio::test]
async fn without_a_time_it_ends_after_a_quarter_and_says_so() {
    let rig = rig();
    watches(&rig, json!({"who": ["Anna"], "awaits": "answer"})).await;
    rig.moves_clock(Duration::days(89)).await;
    assert_eq!(heard(&rig), Vec::<String>::new());
    rig.moves_clock(Duration::days(1)).await;
    let told = heard(&rig);
    assert_eq!(told, ["⏰ Anna Kim hasn't answered “Offer”\nAfter 90 days I've stopped looking out for it."]);
}

#[tokio::test]
async fn a_bill_that_a_machine_sends_is_a_mail_that_arrives() {
    let rig = rig();
    sent(&rig, "Acme <billing@acme.example>", "Order", "2026-01-10T08:00:00Z");
    let told = watches(&rig, json!({"who": ["Acme"], "awaits": "mail", "about": "the invoice"})).await.text();
    assert!(told.contains("when a mail from Acme about “the invoice” comes"), "{told}");
    let (now, old) = (rig.clock.now() + Duration::minutes(5), utc("2026-01-11T08:00:00Z"));
    let from = "Acme <billing@acme.example>";
    lay(&rig, ME, "", old, &mail(from, "alex.morgan@example.com", "Invoice 1", old, ""));
    lay(&rig, ME, "", now, &mail(from, "alex.morgan@example.com", "Invoice 1 (copied)", old - Duration::days(2), ""));
    lay(&rig, ME, "", now, &mail(from, "alex.morgan@example.com", "News", now, "Auto-Submitted: auto-generated\n"));
    lay(
        &rig,
        ME,
        "",
        now,
        &mail(from, "alex.morgan@example.com", "Re: Invoice", now, "Auto-Submitted: auto-replied\n"),
    );
    rig.moves_clock(Duration::minutes(10)).await;
    assert_eq!(heard(&rig), Vec::<String>::new());
    let now = rig.clock.now();
    lay(
        &rig,
        ME,
        "",
        now,
        &mail(from, "alex.morgan@example.com", "Your invoices", now, "Auto-Submitted: auto-generated\n"),
    );
    rig.works().await;
    assert_eq!(heard(&rig), ["⏰ Mail from Acme: “Your invoices”"]);
}

#[tokio::test]
async fn who_nobody_is_known_by_or_several_are_is_asked_about() {
    let rig = rig();
    sent(&rig, "Anna Berg <berg@example.com>", "Hello", SENT);
    for who in ["Anna", "Zebulon"] {
        let asked = plans(&rig, "watch", json!({"who": [who], "awaits": "answer"})).await;
        assert!(asked.text().contains('?'), "{}", asked.text());
        assert_eq!(rig.count(Table::Watches).await, 0);
    }
}

/// What a conversation without a model does.
async fn does(rig: &Rig, said: &str) -> (Vec<String>, Value, String) {
    let told = rig.says(said).await;
    let params = told.done.outcomes.last().map(|last| Value::Object(last.params.clone())).unwrap_or_default();
    (told.did(), params, told.text())
}

#[tokio::test]
async fn without_a_model_it_is_asked_for_in_everyday_words() {
    for (said, who, by) in [
        ("tell me when Anna answers", "anna@example.com", None),
        ("let me know when Anna replies", "anna@example.com", None),
        ("let me know as soon as Anna has answered", "anna@example.com", None),
        ("please let me know when Anna replies to my mail", "anna@example.com", None),
        ("tell me when Anna answers about the offer", "anna@example.com", None),
        ("notify me when I get a reply from Anna", "anna@example.com", None),
        ("if Bob hasn't answered by Friday, remind me", "bob@example.com", Some("2026-01-16")),
        ("If Bob hasn't replied by Friday remind me", "bob@example.com", Some("2026-01-16")),
        ("remind me if Bob hasn't answered by Friday", "bob@example.com", Some("2026-01-16")),
        ("remind me on Friday if Bob hasn't answered", "bob@example.com", Some("2026-01-16")),
        ("remind me by tomorrow 9am if Bob doesn't reply", "bob@example.com", Some("2026-01-13T09:00:00")),
        ("remind me tomorrow at 9am unless Bob has answered", "bob@example.com", Some("2026-01-13T09:00:00")),
        ("watch for a reply from Bob", "bob@example.com", None),
        ("remind me on Friday if I don't have an answer from Bob", "bob@example.com", Some("2026-01-16")),
        ("remind me on Friday unless Bob has written", "bob@example.com", Some("2026-01-16")),
        ("sag mir Bescheid, wenn Anna antwortet", "anna@example.com", None),
    ] {
        let rig = at(Setup { model: false, grounds_plans: true, ..Setup::default() });
        let (did, params, told) = does(&rig, said).await;
        assert_eq!(did, ["email.watch succeeded"], "{said}: {told}");
        assert_eq!(params["who"], json!([who]), "{said}: {params}");
        let is_by = |until: &str| by.is_some_and(|by| until.starts_with(by));
        assert!(params["by"].as_str().map_or(by.is_none(), is_by), "{said}: {params}");
        assert_eq!(rig.count(Table::Tasks).await, 0, "{said}");
    }
}

#[tokio::test]
async fn without_a_model_nobody_in_particular_a_mail_and_the_end_are_understood() {
    let rig = at(Setup { model: false, grounds_plans: true, ..Setup::default() });
    sent(&rig, "Acme <billing@acme.example>", "Order", "2026-01-10T08:00:00Z");
    for (said, expected) in [
        ("remind me if nobody has replied to the offer by Tuesday 9am", "email.watch succeeded"),
        ("let me know when the invoice from Acme arrives", "email.watch succeeded"),
        ("tell me when Bob writes", "email.watch succeeded"),
        ("what mails are you watching for?", "email.watches succeeded"),
        ("stop watching for Bob", "email.unwatch succeeded"),
        ("stop watching for the invoice from Acme", "email.unwatch succeeded"),
    ] {
        let (did, params, told) = does(&rig, said).await;
        assert_eq!(did, [expected], "{said}: {params} {told}");
    }
    let left = waiting(&rig).await;
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].from.len(), left[0].rings_at), (0, Some(utc("2026-01-13T09:00:00Z"))));
    rig.clock.go_on(Duration::minutes(5));
    answers(&rig, "Zoe <zoe@example.com>", "Offer", "");
    rig.works().await;
    assert_eq!(heard(&rig), ["⏰ “Zoe” <zoe@example.com> answered: “Re: Offer”"]);
}

#[tokio::test]
async fn what_only_looks_like_it_stays_what_it_was() {
    for (said, expected) in [
        ("remind me to answer Anna on Friday", "task.create succeeded"),
        ("remind me to call mom tomorrow at 5pm", "task.create succeeded"),
    ] {
        let rig = at(Setup { model: false, grounds_plans: true, ..Setup::default() });
        let (did, _, told) = does(&rig, said).await;
        assert_eq!(did, [expected], "{said}: {told}");
    }
    for said in ["remind me if it rains", "let me know if Anna is there", "remind me to call Bob if Anna answers"] {
        let rig = at(Setup { model: false, grounds_plans: true, ..Setup::default() });
        let (did, _, told) = does(&rig, said).await;
        assert_eq!(rig.count(Table::Watches).await, 0, "{said}: {did:?} {told}");
        assert_eq!(rig.count(Table::Tasks).await, 0, "{said}: {did:?} {told}");
    }
}

#[tokio::test]
async fn a_models_watch_takes_its_condition_with_it() {
    let rig = at(Setup { grounds_plans: true, ..Setup::default() });
    for (said, params) in [
        ("if Bob hasn't answered by Friday, remind me", json!({"who": ["Bob"], "awaits": "answer", "by": "Friday"})),
        ("let me know if Anna answers", json!({"who": ["Anna"], "awaits": "answer"})),
    ] {
        rig.plans(json!([action("email", "watch", params)]));
        let told = rig.says(said).await;
        assert_eq!(told.did(), ["email.watch succeeded"], "{said}: {}", told.text());
    }
    // A plan that does at once, or at a time, what waits for something is not carried out.
    for (said, domains) in [
        ("if Bob hasn't answered by Friday, remind me", json!(["task", "email"])),
        ("remind me on Friday unless Bob has written", json!(["task", "email"])),
        ("if Bob hasn't answered by Friday, remind me", json!(["task"])),
    ] {
        let rig = at(Setup { grounds_plans: true, ..Setup::default() });
        rig.plans(json!([action("task", "create", json!({"title": "Bob", "deadline": "2026-01-16"}))]));
        let is_routed = domains.as_array().unwrap().len() > 1;
        rig.script.routes(json!({"type": "action", "domains": domains, "is_followup": false}));
        let told = rig.says(said).await;
        assert_eq!(rig.count(Table::Tasks).await, 0, "{said}: {}", told.text());
        assert_eq!(waiting(&rig).await.len(), usize::from(is_routed), "{said}: {}", told.text());
        if !is_routed {
            let offer = told.button(Role::Offer).expect("both are offered");
            let told = rig.presses(&offer).await;
            assert_eq!(told.did(), ["email.watch succeeded"], "{said}: {}", told.text());
        }
    }
    // Nobody said by when, or whose.
    rig.plans(json!([action("email", "watch", json!({"who": ["Anna"], "by": "2026-01-20"}))]));
    let told = rig.says("tell me when Bob answers").await;
    let (watched, unsaid) = (waiting(&rig).await, utc("2026-01-20T09:00:00Z"));
    assert!(watched.iter().all(|watch| watch.rings_at != Some(unsaid)), "{}: {watched:?}", told.text());
}
