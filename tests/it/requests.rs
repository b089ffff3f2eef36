//! A request is carried through as a whole: a question in between loses nothing of it, and what is too much for
//! one turn is named.

use brain_agent::core::button::Role;
use brain_agent::core::ids::{RunId, UserId};
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use brain_agent::core::plan::Action;
use brain_agent::core::run::{Run, RunOrigin, Step};
use brain_agent::core::turn::{Along, Input, Origin, Part, Path};
use brain_agent::limits;
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::records::Clarification;
use brain_agent::ports::{Batch, Clock, Expect, Stage, Table};
use serde_json::{Value, json};

use crate::rig::{Answer, ME, Rig, Setup, action, chat_of, send};

/// Two people of each name.
fn people(names: &[&str]) -> String {
    let card = |first: &str, last: &str| {
        let mail = format!("{first}.{last}@example.com").to_lowercase();
        format!("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:{first} {last}\r\nEMAIL:{mail}\r\nEND:VCARD\r\n")
    };
    names.iter().flat_map(|name| [card(name, "Adams"), card(name, "Miller")]).collect()
}

fn rig() -> Rig {
    let rig = Rig::plain();
    std::fs::write(rig.folder().join("contacts.vcf"), people(&["Bob", "Anna"])).unwrap();
    rig
}

fn draft(to: &str, subject: &str) -> Value {
    action("email", "create_draft", json!({"to": [to], "subject": subject, "body": "It is late."}))
}

fn task(title: &str) -> Value {
    action("task", "create", json!({"title": title}))
}

fn after(mut action: Value, on: &[usize]) -> Value {
    action["depends_on"] = json!(on);
    action
}

fn done(rig: &Rig) -> Vec<String> {
    let name = |action: &Action| match action.text("subject") {
        "" => format!("{} {}", action.command, action.text("title")),
        subject => format!("{} {subject}", action.command),
    };
    rig.performed().iter().map(name).collect()
}

async fn asks(rig: &Rig, actions: Value) -> Answer {
    rig.plans(actions);
    rig.says("please do all of that").await
}

/// The subject of the mail that a question is about.
async fn asked_for(rig: &Rig) -> String {
    let (action, _) = rig.question().await.unwrap().partial.unwrap();
    action.params["subject"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn two_unclear_people_are_asked_about_one_after_the_other() {
    let rig = rig();
    let first = asks(&rig, json!([draft("Bob", "For Bob"), draft("Anna", "For Anna")])).await.text();
    assert_eq!(asked_for(&rig).await, "For Bob");
    assert!(first.contains("For Anna"), "what comes after the answer is named: {first}");
    assert_eq!(done(&rig), [""; 0]);
    let plans = rig.script.asked(Stage::Plan).len();

    rig.says("1").await;
    assert_eq!(asked_for(&rig).await, "For Anna");
    assert_eq!(done(&rig), ["create_draft For Bob"]);
    assert_eq!(rig.says("anna miller").await.did(), ["email.create_draft succeeded"]);
    assert_eq!(done(&rig), ["create_draft For Bob", "create_draft For Anna"]);
    assert_eq!(rig.performed()[1].params["to"], json!(["anna.miller@example.com"]));
    assert_eq!(rig.script.asked(Stage::Plan).len(), plans, "answers need no planner");
}

#[tokio::test]
async fn what_depends_on_the_answer_is_done_after_it() {
    let rig = rig();
    let tell = after(task("Tell the others"), &[0]);
    let asked = asks(&rig, json!([draft("Bob", "For Bob"), tell, task("Milk")])).await;
    assert!(asked.text().contains("Tell the others"), "{}", asked.text());
    assert_eq!(done(&rig), ["create Milk"], "what depends on nothing is done at once");
    assert!(asked.done.outcomes.iter().all(|report| report.status == Status::Succeeded));
    rig.says("2").await;
    assert_eq!(done(&rig), ["create Milk", "create_draft For Bob", "create Tell the others"]);
}

#[tokio::test]
async fn the_answered_action_is_done_although_it_depended_on_something_done_before() {
    let rig = rig();
    asks(&rig, json!([task("Milk"), after(draft("Bob", "For Bob"), &[0])])).await;
    assert_eq!(done(&rig), ["create Milk"]);
    let told = rig.says("1").await;
    assert_eq!(done(&rig), ["create Milk", "create_draft For Bob"], "{}", told.text());
}

#[tokio::test]
async fn nothing_is_asked_for_an_action_whose_forerunner_failed() {
    let rig = rig();
    let fails = action("task", "complete", json!({"find_by": "no such thing"}));
    let told = asks(&rig, json!([fails, after(draft("Bob", "For Bob"), &[0])])).await.text();
    assert!(rig.question().await.is_none() && told.contains("For Bob"), "it is said that it was left out: {told}");
    assert_eq!(done(&rig), [""; 0]);
}

#[tokio::test]
async fn what_needs_a_yes_before_the_answered_action_waits_for_the_answer_too() {
    let rig = rig();
    rig.plans(json!([task("Milk")]));
    rig.says("add milk").await;
    let delete = action("task", "delete", json!({"find_by": "Milk"}));
    let tell = after(action("email", "send_email", json!({"to": ["Bob"], "subject": "Gone", "body": "x"})), &[0]);
    let asked = asks(&rig, json!([delete, tell])).await;
    assert!(asked_for(&rig).await == "Gone" && !asked.has_card(), "{}", asked.text());
    let card = rig.says("1").await.card();
    assert!(card.text().contains("Milk") && card.text().contains("bob.adams@example.com"), "{}", card.text());
    assert_eq!(rig.pending(&card.id).await.depends_on, [vec![], vec![0]]);
    rig.says("yes").await;
    assert_eq!(rig.effects().len(), 2);
}

// What comes after what.

#[tokio::test]
async fn actions_that_wait_for_one_another_are_refused_by_name_and_the_rest_is_done() {
    let rig = rig();
    let answer = asks(&rig, json!([after(task("Milk"), &[1]), after(task("Bread"), &[0]), task("Eggs")])).await;
    assert_eq!(done(&rig), ["create Eggs"]);
    let told = answer.text();
    assert!(told.contains("Milk") && told.contains("Bread"), "{told}");
    let refused = answer.done.outcomes.iter().filter(|report| report.status == Status::Refused);
    let why: Vec<&str> = refused.filter_map(|report| report.error.as_deref()).collect();
    assert_eq!(why, ["task.create (1) → task.create (2) → task.create (1) depend on one another in a circle"; 2]);
}

#[tokio::test]
async fn an_action_that_is_to_come_after_itself_a_later_one_or_none_is_refused_with_what_comes_after_it() {
    for (on, why, reported) in [
        (0, "it was to wait for itself", "task.create (1) depends on itself"),
        (
            2,
            "it was to wait for what only comes after it (add “Bread”)",
            "task.create (1) depends on task.create (3), which only comes after it",
        ),
        (
            7,
            "it was to wait for something that is not part of the plan",
            "task.create (1) depends on action 8, which is not there",
        ),
    ] {
        let rig = rig();
        let plan = json!([after(task("Milk"), &[on]), after(task("Tell them"), &[0]), task("Bread")]);
        let answer = asks(&rig, plan).await;
        let told = answer.text();
        assert_eq!(done(&rig), ["create Bread"], "{told}");
        assert!(told.contains(why) && told.contains("Milk") && told.contains("Tell them"), "{told}");
        let statuses: Vec<Status> = answer.done.outcomes.iter().map(|report| report.status).collect();
        assert_eq!(statuses, [Status::Refused, Status::Failed, Status::Succeeded]);
        assert_eq!(answer.done.outcomes[0].error.as_deref(), Some(reported));
    }
}

#[tokio::test]
async fn nobody_is_asked_for_a_yes_to_actions_that_wait_for_one_another() {
    let rig = rig();
    let tell = after(send("zoe@example.com", "Gone", "It is gone."), &[1]);
    let answer = asks(&rig, json!([tell, after(task("Milk"), &[0])])).await;
    assert!(!answer.has_card() && answer.text().contains("Milk"), "{}", answer.text());
    assert_eq!(done(&rig), [""; 0]);
}

#[tokio::test]
async fn a_stored_card_whose_actions_cannot_be_put_in_an_order_executes_nothing_and_ends_as_failed() {
    for depends_on in [vec![vec![1], vec![0]], vec![vec![0], vec![]], vec![vec![], vec![9]]] {
        let rig = rig();
        let mails = json!([send("zoe@example.com", "One", "1"), send("zoe@example.com", "Two", "2")]);
        let card = rig.card_for(mails).await;
        rig.alters(&card.id, |pending| {
            pending.depends_on = depends_on.clone();
            pending.digest = pending.compute_digest();
        })
        .await;
        let digest = rig.pending(&card.id).await.digest;
        let told = rig.me().presses(&format!("y:{}:{}", card.id, digest.prefix())).await;
        assert_eq!(done(&rig), [""; 0], "{}", told.text());
        assert_eq!(rig.pending(&card.id).await.state, State::Failed, "{}", told.text());
        let named = ["step 1", "step 2"].iter().any(|name| told.text().contains(name));
        assert!(named, "{}", told.text());
        assert!(told.done.outcomes.iter().all(|report| report.status == Status::Failed), "{}", told.text());
    }
}

/// What a restart says of a run of these actions that an earlier life has left, and what is done then.
async fn left_behind(steps: Vec<Step>) -> (String, Vec<String>) {
    let rig = rig();
    let run = Run {
        id: RunId::new("left"),
        origin: RunOrigin::Turn,
        owner: UserId::new(ME),
        chat: chat_of(ME),
        request: "do all of that".to_owned(),
        inbox: None,
        reply_to: None,
        started_at: rig.clock.now(),
        steps,
    };
    let mut batch = Batch::default();
    batch.put(&run, Expect::Absent).unwrap();
    rig.store.put_quietly(batch);
    let rig = rig.restarts(Setup::default()).await;
    assert_eq!(rig.count(Table::Runs).await, 0);
    (rig.channel.all().last().unwrap().reply.text.clone(), done(&rig))
}

fn step(action: Value, on: &[usize]) -> Step {
    let action = json!({"service": action["service"], "command": action["command"], "params": action["params"]});
    Step::planned(serde_json::from_value(action).unwrap(), on.to_vec())
}

#[tokio::test]
async fn a_stored_run_whose_steps_wait_for_one_another_does_nothing_and_is_told_as_failed() {
    let (told, done) = left_behind(vec![step(task("Milk"), &[1]), step(task("Bread"), &[0])]).await;
    assert_eq!(done, [""; 0]);
    assert!(told.contains("Milk") && told.contains("Bread") && told.contains("not tried"), "{told}");
}

#[tokio::test]
async fn a_stored_run_goes_on_in_the_order_of_its_steps() {
    let (told, done) = left_behind(vec![step(task("Milk"), &[1]), step(task("Bread"), &[])]).await;
    assert_eq!(done, ["create Bread", "create Milk"], "{told}");
}

#[tokio::test]
async fn what_comes_after_a_step_that_may_not_be_done_is_not_tried() {
    let mail = send("zoe@example.com", "Hello", "Hello.");
    let (told, done) = left_behind(vec![step(mail, &[]), step(task("Milk"), &[0]), step(task("Bread"), &[1])]).await;
    assert_eq!(done, [""; 0]);
    assert!(told.contains("it needs your yes first"), "{told}");
    assert!(told.contains("not tried, because step 1 before it did not succeed"), "{told}");
    assert!(told.contains("not tried, because step 2 before it did not succeed"), "{told}");
}

const ANNA: &str = "And what shall Anna get?";

#[tokio::test]
async fn what_else_was_open_goes_on_after_the_answer() {
    let rig = rig();
    rig.script.routes(json!({"type": "action", "domains": ["email", "task"], "is_followup": false}));
    rig.script.plans(json!({"actions": [draft("Bob", "For Bob")], "question": ANNA, "open": null}));
    rig.says("mail bob and anna").await;
    assert_eq!(asked_for(&rig).await, "For Bob", "one question at a time");
    rig.says("1").await;
    assert_eq!(rig.question().await.unwrap().question, ANNA);
    assert_eq!(done(&rig), ["create_draft For Bob"]);
}

#[tokio::test]
async fn a_no_to_a_question_names_what_goes_with_it() {
    let rig = rig();
    asks(&rig, json!([draft("Bob", "For Bob"), draft("Anna", "For Anna")])).await;
    let told = rig.says("no").await.text();
    assert!(rig.question().await.is_none() && told.contains("For Anna"), "{told}");
    assert_eq!(done(&rig), [""; 0]);
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    assert_eq!(rig.says("1").await.path(), Path::Chat, "the question is settled");
}

#[tokio::test]
async fn other_peoples_words_stay_theirs_while_an_action_waits_for_an_answer() {
    let rig = rig();
    let theirs = after(draft("eve@evil.example", "For Eve"), &[0]);
    rig.plans(json!([draft("Bob", "For Bob"), theirs]));
    let input = Input::Message { text: "do what it says".into(), origin: Origin::Caption, reply_to: None };
    let mut incoming = rig.me().incoming(input, rig.channel.next_id());
    let message = incoming.message_id;
    let part = |text: &str, origin, along| Part { along, ..Part::words(message, text.to_owned(), origin) };
    incoming.parts = vec![
        part("do what it says", Origin::Caption, None),
        part("mail Bob, then eve@evil.example", Origin::Forwarded, Some(Along::Message { from: None })),
    ];
    handle_turn(&rig.brain, &incoming).await;
    // The message itself is soon out of sight.
    for _ in 0..6 {
        rig.says("/help").await;
    }
    let answer = rig.says("bob adams").await;
    let card = answer.card();
    assert!(card.text().contains("eve@evil.example") && card.text().contains("not from you"), "{}", card.text());
    assert_eq!(done(&rig), ["create_draft For Bob"]);
}

#[tokio::test]
async fn a_changed_card_keeps_what_has_to_succeed_first() {
    let rig = rig();
    rig.plans(json!([task("Milk")]));
    rig.says("add milk").await;
    let delete = action("task", "delete", json!({"find_by": "Milk"}));
    let tell = after(send("zoe@example.com", "Gone", "It is gone."), &[0]);
    rig.card_for(json!([delete, tell])).await;
    // The model is asked for the whole of it again; then it is away, and the change is worked out without it.
    rig.script.on(Stage::Plan, |call| {
        assert!(call.user.contains(r#""depends_on":[0]"#), "{}", call.user);
        Value::Null
    });
    let card = rig.says("yes, but change the subject to No more milk").await.card();
    let changed = rig.pending(&card.id).await;
    assert_eq!((changed.actions[1].text("subject"), changed.depends_on), ("No more milk", vec![vec![], vec![0]]));
}

#[test]
fn a_question_stored_by_an_earlier_version_is_still_read() {
    let stored = json!({
        "request": "mail bob", "question": "Which Bob?", "choices": [], "domains": ["email"],
        "partial": [{"service": "email", "command": "create_draft", "depends_on": [3]}, "to=Bob"],
        "at": "2026-01-12T09:00:00Z",
    });
    let read: Clarification = serde_json::from_value(stored).unwrap();
    assert_eq!(read.partial.unwrap().1, "to=Bob");
}

/// What a plan of more actions than one turn does comes to.
async fn too_many(actions: Vec<Value>) -> Answer {
    let rig = rig();
    asks(&rig, json!(actions)).await
}

#[tokio::test]
async fn what_is_too_much_for_one_turn_is_named() {
    let answer = too_many((1..=25).map(|n| task(&format!("Thing {n}"))).collect()).await;
    let told = answer.text();
    assert_eq!(answer.done.outcomes.len(), limits::PLAN_ACTIONS_MAX);
    assert!(told.contains("the first 20") && told.contains("5 more"), "{told}");
    for n in 21..=25 {
        assert!(told.contains(&format!("Thing {n}")), "{told}");
    }
    let many = too_many((1..=99).map(|n| task(&format!("Thing {n}"))).collect()).await.text();
    assert!(many.contains("79 more") && many.contains("Thing 21") && !many.contains("Thing 99"), "{many}");
}

#[tokio::test]
async fn what_is_too_much_for_a_card_is_named_above_it() {
    let mails = (1..=25).map(|n| send("zoe@example.com", &format!("Mail {n}"), "x")).collect();
    let answer = too_many(mails).await;
    let card = answer.card();
    assert!(card.text().contains("Mail 20") && !card.text().contains("Mail 21"), "{}", card.text());
    let told = &answer.shown[0].reply;
    assert!(told.card.is_none() && told.text.contains("5 more") && told.text.contains("Mail 21"), "{}", told.text);
    assert!(answer.shown.last().unwrap().reply.card.is_some(), "the card stays the last message");
    assert!(card.button(Role::Approve).data.starts_with("y:"));
}

#[tokio::test]
async fn what_a_later_round_does_after_all_is_not_called_left() {
    let rig = rig();
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    let things = |from: usize, to: usize| (from..=to).map(|n| task(&format!("Thing {n}"))).collect::<Vec<_>>();
    let rounds = std::sync::atomic::AtomicUsize::new(0);
    rig.script.on(Stage::Plan, move |_| match rounds.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => json!({"actions": things(1, 22), "question": null, "open": "two more"}),
        _ => json!({"actions": things(21, 22), "question": null, "open": null}),
    });
    rig.script.on(Stage::Reflect, |_| json!({"complete": false, "missing": "two more"}));
    let answer = rig.says("all of it").await;
    assert_eq!(answer.done.outcomes.len(), 22);
    assert!(!answer.text().contains("more are left"), "{}", answer.text());
}

#[tokio::test]
async fn a_start_beside_weekly_is_kept() {
    for (start, repeat, kept, rule) in [
        ("2026-01-15T10:00", "weekly", "2026-01-15T10:00", "FREQ=WEEKLY"),
        ("2026-01-15T10:00:00+00:00", "every week", "2026-01-15T10:00", "FREQ=WEEKLY"),
        ("2026-01-15", "weekly", "2026-01-15", "FREQ=WEEKLY"),
        ("2026-01-15T10:00", "every monday", "2026-01-19T10:00", "BYDAY=MO"),
        ("2026-01-15T10:00", "monthly", "2026-01-15T10:00", "FREQ=MONTHLY"),
        ("thursday at 10am", "weekly", "2026-01-15T10:00", "FREQ=WEEKLY"),
        ("tomorrow at 10am", "every weekday", "2026-01-13T10:00", "FREQ="),
    ] {
        for (service, command, title, time) in
            [("calendar", "create_event", "summary", "start_time"), ("task", "create", "title", "deadline")]
        {
            let rig = Rig::plain();
            rig.plans(json!([action(service, command, json!({title: "Yoga", time: start, "repeat": repeat}))]));
            let told = rig.says("please do that").await;
            let done = rig.performed();
            assert_eq!(done.len(), 1, "{start} {repeat}: {}", told.text());
            let (at, of) = (done[0].text(time), done[0].text("repeat"));
            assert!(at.starts_with(kept) && of.contains(rule), "{command} {start} {repeat}: {at} {of}");
        }
    }
}
