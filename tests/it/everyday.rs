//! Everyday use: every command of the catalog by id and by description, and how often a harmless request is
//! met with a needless question.

use brain_agent::core::outcome::Status;
use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action, is_high_stakes};

fn demo() -> Rig {
    Rig::new(Setup { demo: true, ..Setup::default() })
}

/// Service, command, parameters.
fn every_command(by_id: bool) -> Vec<(&'static str, &'static str, Value)> {
    let item = |id: &'static str, words: &'static str| if by_id { id } else { words };
    let task = item("demotask12", "milk");
    let event = item("demoevent10", "the Q3 report focus time");
    let note = item("demonote00", "groceries");
    let memory = item("demomemory00", "coffee");
    let thread = if by_id { "THREAD" } else { "Q3 report" };
    vec![
        ("task", "create", json!({"title": "Buy bread", "deadline": "tomorrow at 9am"})),
        ("task", "list", json!({})),
        ("task", "update", json!({"find_by": task, "changes": {"priority": "high"}})),
        ("task", "complete", json!({"find_by": task})),
        ("task", "delete", json!({"find_by": task})),
        ("calendar", "list_events", json!({"from": "tomorrow"})),
        ("calendar", "find_free_time", json!({"from": "tomorrow", "minutes": 60})),
        ("calendar", "create_event", json!({"summary": "Lunch", "start_time": "tomorrow at noon"})),
        ("calendar", "update_event", json!({"find_by": event, "changes": {"location": "Library"}})),
        ("calendar", "delete_event", json!({"find_by": event})),
        ("email", "search", json!({"text": "report"})),
        ("email", "read_thread", json!({"find_by": thread})),
        ("email", "create_draft", json!({"to": ["priya.raman@example.com"], "subject": "Late", "body": "Tomorrow."})),
        ("email", "send_email", json!({"to": ["priya.raman@example.com"], "subject": "Late", "body": "Tomorrow."})),
        ("email", "reply_to_email", json!({"find_by": thread, "body": "Tomorrow."})),
        ("email", "reply_all", json!({"find_by": thread, "body": "Tomorrow."})),
        ("email", "forward_email", json!({"find_by": thread, "to": ["priya.raman@example.com"], "body": "See below."})),
        ("email", "mark", json!({"find_by": thread, "as": "starred"})),
        ("email", "delete_email", json!({"find_by": thread})),
        ("memory", "store", json!({"category": "fact", "key": "shoe size", "value": "42"})),
        ("memory", "update", json!({"key": memory, "new_value": "Tea, never coffee"})),
        ("memory", "recall", json!({"query": "coffee"})),
        ("memory", "forget", json!({"find_by": memory})),
        ("keep", "create", json!({"title": "Ideas", "items": ["one", "two"]})),
        ("keep", "append", json!({"find_by": note, "text": "Butter"})),
        ("keep", "tick", json!({"find_by": note, "items": ["eggs"]})),
        ("keep", "untick", json!({"find_by": note, "items": ["dishwasher tablets"]})),
        ("keep", "remove", json!({"find_by": note, "items": ["leeks"]})),
        ("keep", "list", json!({})),
        ("keep", "search", json!({"query": "groceries"})),
        ("keep", "delete", json!({"find_by": note})),
        ("contacts", "find", json!({"query": "Priya"})),
        ("contacts", "save", json!({"name": "Tom Baker", "email": "tom.baker@example.com"})),
    ]
}

#[tokio::test]
async fn every_command_of_the_catalog_works_by_id_and_by_description() {
    for by_id in [true, false] {
        for (service, command, params) in every_command(by_id) {
            let rig = demo();
            let text = params.to_string().replace("THREAD", &email_thread());
            let params: Value = serde_json::from_str(&text).unwrap();
            rig.plans(json!([action(service, command, params)]));
            let mut answer = rig.says("here is what I want").await;
            if answer.has_card() {
                answer = rig.presses(&answer.card().approve()).await;
            }
            let name = format!("{service}.{command} by id: {by_id}: {}", answer.text());
            assert_eq!(answer.done.outcomes.len(), 1, "{name}");
            assert_eq!(answer.done.outcomes[0].status, Status::Succeeded, "{name}");
            let performed = rig.performed();
            let last = performed.last().unwrap();
            assert_eq!((last.service.as_str(), last.command.as_str()), (service, command));
        }
    }
}

fn email_thread() -> String {
    brain_agent::services::email::demo::thread_of("q3-report")
}

/// What people ask every day, with what a planner makes of it. Nothing here needs a yes.
fn low_stakes() -> Vec<(String, Value)> {
    let mut asked: Vec<(String, Value)> = Vec::new();
    let mut add = |said: &str, service: &str, command: &str, params: Value| {
        asked.push((said.to_owned(), action(service, command, params)));
    };
    for (title, when) in [
        ("call mom", "tomorrow at 5pm"),
        ("water the plants", "on Friday"),
        ("pay the rent", "on the first at 9am"),
        ("send Priya the Q3 report", "today at 11am"),
        ("book the dentist", "tomorrow morning"),
        ("pick up Ellie", "at 3pm"),
        ("answer Bob about the churn export", "tomorrow"),
        ("buy a birthday card for Mum", "on Thursday"),
        ("check the boiler", "tonight at 8"),
        ("stretch", "in 20 minutes"),
        ("renew the passport", "next month"),
        ("sign the lease", "on Saturday"),
        ("sign the letter for Tom's visa", "tomorrow at noon"),
        ("bring the school trip consent form", "tomorrow at 8am"),
        ("confirm the hotel in Berlin", "today at 6pm"),
    ] {
        add(&format!("remind me to {title} {when}"), "task", "create", json!({"title": title, "deadline": when}));
    }
    for title in [
        "Buy stamps",
        "Fix the bike lamp",
        "Write to Olga",
        "Read the contract from Northwind",
        "Return the library books",
    ] {
        add(&format!("add a task: {title}"), "task", "create", json!({"title": title}));
    }
    for task in ["Buy milk", "Call the dentist", "Put the bins out", "Pick up Mum's lemon cake"] {
        add(&format!("{task} is done"), "task", "complete", json!({"find_by": task}));
        add(
            &format!("make “{task}” urgent"),
            "task",
            "update",
            json!({"find_by": task, "changes": {"priority": "high"}}),
        );
    }
    for (said, when) in
        [("what do I have tomorrow", "tomorrow"), ("what's on this week", "this week"), ("my day on Friday?", "Friday")]
    {
        add(said, "calendar", "list_events", json!({"from": when}));
        add(&format!("when am I free? {when}"), "calendar", "find_free_time", json!({"from": when, "minutes": 30}));
    }
    for (what, when) in [
        ("Dentist", "Thursday at 10am"),
        ("Lunch with Sarah", "Friday at noon"),
        ("Gym", "tomorrow at 7am"),
        ("Focus time for the Q3 report", "tomorrow from 2 to 4pm"),
        ("Parents' evening", "Wednesday at 6pm"),
        ("Haircut", "Saturday at 11"),
    ] {
        add(
            &format!("put {what} on my calendar {when}"),
            "calendar",
            "create_event",
            json!({"summary": what, "start_time": when}),
        );
    }
    for text in ["report", "Berlin", "invoice", "school trip"] {
        add(&format!("find mails about {text}"), "email", "search", json!({"text": text}));
    }
    for (who, body) in [
        ("bob.miller@example.com", "I am running ten minutes late"),
        ("priya.raman@example.com", "The report comes tomorrow"),
        ("sarah.lindqvist@example.com", "Let us take design B"),
    ] {
        add(
            &format!("draft a mail to {who}: {body}"),
            "email",
            "create_draft",
            json!({"to": [who], "subject": "Note", "body": body}),
        );
    }
    for (key, value) in [
        ("seat", "I prefer window seats"),
        ("sister", "my sister is called Nina"),
        ("allergy", "I am allergic to nuts"),
        ("size", "my shoe size is 42"),
    ] {
        add(
            &format!("remember that {value}"),
            "memory",
            "store",
            json!({"category": "fact", "key": key, "value": value}),
        );
        add(&format!("what do you know about my {key}?"), "memory", "recall", json!({"query": key}));
    }
    for item in ["butter", "leeks and potatoes", "dishwasher tablets"] {
        add(&format!("add {item} to the groceries"), "keep", "append", json!({"find_by": "Groceries", "text": item}));
    }
    for title in ["Book ideas", "Questions for the landlord", "Packing for the weekend"] {
        add(&format!("start a note called {title}"), "keep", "create", json!({"title": title}));
    }
    add("what's on my packing list", "keep", "search", json!({"query": "packing list"}));
    add("show my notes", "keep", "list", json!({}));
    add("what is Priya's address", "contacts", "find", json!({"query": "Priya"}));
    add(
        "save Tom Baker, tom.baker@example.com",
        "contacts",
        "save",
        json!({"name": "Tom Baker", "email": "tom.baker@example.com"}),
    );
    asked
}

#[tokio::test]
async fn fewer_than_one_harmless_request_in_ten_is_met_with_a_card() {
    let asked = low_stakes();
    assert!(asked.len() >= 60, "{}", asked.len());
    let mut carded = Vec::new();
    let rig = demo();
    for (said, planned) in &asked {
        rig.plans(json!([planned]));
        let answer = rig.says(said).await;
        if answer.has_card() {
            carded.push(format!("{said}: {}", answer.text()));
            rig.presses(&answer.card().cancel()).await;
        }
    }
    println!("needless confirmations: {} of {} harmless requests", carded.len(), asked.len());
    assert!(rig.performed().iter().all(|action| !is_high_stakes(action)));
    assert!(carded.len() * 10 < asked.len(), "{carded:#?}");
}

#[tokio::test]
async fn one_thing_is_changed_twice_in_order_and_what_waits_for_a_change_is_not_done_before_it() {
    let rename = |to: &str| action("task", "update", json!({"find_by": "demotask12", "changes": {"title": to}}));
    let done = async |plan: Value| {
        let rig = demo();
        rig.plans(plan);
        let answer = rig.says("please do that").await;
        let outcomes = answer.done.outcomes.iter();
        outcomes.map(|outcome| (outcome.command.clone(), outcome.status)).collect::<Vec<_>>()
    };
    let renamed = ("update".to_owned(), Status::Succeeded);
    assert_eq!(done(json!([rename("Buy oats"), rename("Buy rye")])).await, [renamed.clone(), renamed.clone()]);
    let mut waits = action("task", "create", json!({"title": "Bake bread"}));
    waits["depends_on"] = json!([1]);
    let done = done(json!([rename("Buy oats"), rename("Buy rye"), waits])).await;
    let is_made = done.iter().position(|one| *one == ("create".to_owned(), Status::Succeeded));
    assert!(is_made.is_none_or(|at| done[..at] == [renamed.clone(), renamed.clone()]), "{done:?}");
}
