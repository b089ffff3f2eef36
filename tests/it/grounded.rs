//! Nothing that nobody said: what a plan holds beyond the message is left out, asked about or proposed, whoever planned.

use std::sync::atomic::{AtomicUsize, Ordering};

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::ports::Stage;
use serde_json::{Value, json};

use crate::rig::{Answer, Rig, Setup, action};

fn rig(model: bool) -> Rig {
    Rig::new(Setup { demo: true, grounds_plans: true, model, ..Setup::default() })
}

/// What succeeded and may have changed something.
fn changed(answer: &Answer) -> Vec<String> {
    const LOOKS: [&str; 7] = ["list", "list_events", "find_free_time", "search", "read_thread", "recall", "find"];
    let done = answer.done.outcomes.iter().filter(|report| report.status == Status::Succeeded);
    let writes = done.filter(|report| !LOOKS.contains(&report.command.as_str()));
    writes.map(|report| format!("{}.{}", report.service, report.command)).collect()
}

/// Questions, statements, denials and others' news about things that are there, in both languages.
fn only_told() -> Vec<String> {
    const THINGS: [&str; 8] = [
        "the Q3 report",
        "the dentist",
        "the rent",
        "lunch with Sarah",
        "the parcel",
        "oat milk",
        "Anna",
        "the standup",
    ];
    const FRAMES: [&str; 20] = [
        "is {} done?",
        "when is {}?",
        "did I forget {}?",
        "have I got {} on a list?",
        "who knows about {}",
        "do we still need {} on Friday?",
        "was {} at 3 yesterday?",
        "{} called",
        "{} was lovely",
        "{} is already there",
        "somebody moved {} to Friday at 4",
        "Tom says {} is at 5 tomorrow",
        "she told me about {}",
        "no {} on Friday at noon",
        "don't add {}",
        "never move {}",
        "not {} again",
        "I don't want {} tomorrow",
        "it rained, and {} was late",
        "my boss wants {} by Friday",
    ];
    const GERMAN_THINGS: [&str; 4] = ["der Bericht", "der Zahnarzt", "die Miete", "das Essen mit Sarah"];
    const GERMAN_FRAMES: [&str; 6] = [
        "ist {} fertig?",
        "wann kommt {}?",
        "{} hat angerufen",
        "Tom sagt, {} ist am Freitag um 5",
        "{} kommt am Freitag nicht",
        "habe ich {} auf einer Liste?",
    ];
    let english = FRAMES.iter().flat_map(|frame| THINGS.map(|thing| frame.replace("{}", thing)));
    let german = GERMAN_FRAMES.iter().flat_map(|frame| GERMAN_THINGS.map(|thing| frame.replace("{}", thing)));
    english.chain(german).collect()
}

#[tokio::test]
async fn what_only_asks_tells_or_denies_changes_nothing_without_a_model() {
    let rig = rig(false);
    let person = rig.me();
    for text in only_told() {
        let answer = person.says(&text).await;
        assert_eq!(changed(&answer), Vec::<String>::new(), "{text}: {}", answer.text());
    }
}

/// The same, where a model orders something for each of them.
#[tokio::test]
async fn what_only_asks_tells_or_denies_changes_nothing_whatever_a_model_plans() {
    for text in only_told().iter().step_by(23) {
        for plan in [
            action("task", "create", json!({"title": text, "deadline": "2026-01-16T12:00"})),
            action("task", "complete", json!({"find_by": "report"})),
            action("keep", "append", json!({"find_by": "groceries", "text": text})),
        ] {
            let rig = rig(true);
            rig.plans(json!([plan]));
            let answer = rig.says(text).await;
            assert_eq!(changed(&answer), Vec::<String>::new(), "{text}: {}", answer.text());
        }
    }
}

fn created(answer: &Answer) -> Option<Value> {
    let report = answer.done.outcomes.iter().find(|report| report.status == Status::Succeeded)?;
    Some(Value::Object(report.params.clone()))
}

#[tokio::test]
async fn what_a_model_invents_is_left_out() {
    for (text, plan, kept) in [
        (
            "remind me to ring the plumber",
            json!({"title": "Ring the plumber", "deadline": "2026-01-12T20:00", "repeat": "every day"}),
            json!({"title": "Ring the plumber"}),
        ),
        (
            "remind me to buy stamps tomorrow",
            json!({"title": "Buy stamps", "deadline": "2026-01-13T18:00", "priority": "high"}),
            json!({"title": "Buy stamps", "deadline": "2026-01-13"}),
        ),
        (
            "remind me to buy stamps tomorrow at 6pm",
            json!({"title": "Buy stamps", "deadline": "2026-01-13T18:00:00", "description": "at the post office in town"}),
            json!({"title": "Buy stamps", "deadline": "2026-01-13T18:00:00+00:00"}),
        ),
    ] {
        let rig = rig(true);
        rig.plans(json!([action("task", "create", plan)]));
        let answer = rig.says(text).await;
        assert_eq!(created(&answer), Some(kept), "{text}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_title_that_nobody_said_is_proposed_and_a_tap_adds_it() {
    let rig = rig(true);
    rig.plans(json!([action("task", "create", json!({"title": "Water the neighbour's orchids"}))]));
    let person = rig.me();
    let answer = person.says("remind me to ring the plumber").await;
    assert_eq!(changed(&answer), Vec::<String>::new(), "{}", answer.text());
    assert!(answer.text().contains("orchids") && answer.button(Role::Offer).is_some(), "{}", answer.text());
    let taken = person.says("yes").await;
    assert_eq!(changed(&taken), ["task.create"], "{}", taken.text());
}

#[tokio::test]
async fn what_was_only_proposed_is_no_ground_for_more_of_the_like() {
    let rig = rig(true);
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    let person = rig.me();
    let made_up = [["Menuza", "Tapolo", "Ridana"], ["Kazoba", "Velimi", "Sorene"]];
    for names in made_up {
        let title = |name: &str| action("task", "create", json!({"title": format!("Write to {name}")}));
        rig.script.plans(json!({"actions": names.map(title), "question": null, "open": null}));
        let answer = person.says("add these tasks to my list").await;
        assert_eq!(changed(&answer), Vec::<String>::new(), "{}", answer.text());
    }
}

#[tokio::test]
async fn more_than_three_things_are_counted_and_taken_back_together() {
    let rig = rig(false);
    let person = rig.me();
    let answer = person.says("snooze all reminders until Monday").await;
    assert_eq!(changed(&answer), Vec::<String>::new(), "{}", answer.text());
    assert!(answer.text().contains("things"), "{}", answer.text());
    let done = person.says("yes").await;
    assert!(changed(&done).len() > 3, "{}", done.text());
    let undo = done.shown.iter().flat_map(|shown| shown.reply.buttons.iter().flatten());
    assert_eq!(undo.filter(|button| button.text.contains("Undo")).count(), 1, "{}", done.text());
}

#[tokio::test]
async fn nobody_is_asked_for_what_is_missing_from_something_that_was_only_told() {
    let rig = rig(true);
    let event = json!({"summary": "Parcel pickup", "start_time": "2026-01-13T18:00", "repeat": "every Tuesday"});
    rig.plans(json!([action("calendar", "create_event", event)]));
    let answer = rig.says("parcel pickup is urgent now").await;
    assert_eq!(changed(&answer), Vec::<String>::new());
    assert!(rig.question().await.is_none(), "{}", answer.text());
}

#[tokio::test]
async fn what_was_asked_beside_many_things_is_in_the_same_tap() {
    let rig = rig(true);
    let milk = action("keep", "append", json!({"find_by": "groceries", "text": "milk"}));
    let all = action("task", "update", json!({"find_by": "all reminders", "changes": {"snooze": "Monday"}}));
    rig.plans(json!([milk, all]));
    let asked = rig.says("add milk to groceries and snooze all reminders until Monday").await;
    assert_eq!(changed(&asked), Vec::<String>::new(), "{}", asked.text());
    assert!(asked.text().contains("things"), "{}", asked.text());
    let done = changed(&rig.says("yes").await);
    assert!(done.contains(&"keep.append".to_owned()) && done.len() > 4, "{done:?}");
}

#[tokio::test]
async fn what_a_model_adds_to_a_letter_is_marked_on_its_card_and_its_draft() {
    for (command, said) in [
        ("send_email", "send Anna Kowalczyk an email that the report is late"),
        ("create_draft", "email Anna Kowalczyk that the report is late"),
    ] {
        let rig = rig(true);
        let body = "Hi Anna,\n\nThe report is late. Let's meet at 3pm tomorrow; call me on 555-0100.\n\nBest regards,\n[Your Name]";
        let letter = json!({"to": ["Anna Kowalczyk"], "subject": "The report", "body": body});
        rig.plans(json!([action("email", command, letter)]));
        let text = rig.says(said).await.text();
        assert!(text.contains("Added by me, you didn't say it: "), "{command}: {text}");
        assert!(text.contains("555-0100”") && text.contains("3pm"), "{command}: {text}");
        assert!(!text.contains("[Your Name]"), "{command}: {text}");
        let plain =
            json!({"to": ["Anna Kowalczyk"], "subject": "The report", "body": "Hi Anna,\n\nThe report is late."});
        rig.plans(json!([action("email", command, plain)]));
        let text = rig.says(said).await.text();
        assert!(!text.contains("Added by me"), "{command}: {text}");
    }
}

#[tokio::test]
async fn what_is_reported_beside_a_request_is_never_dropped_in_silence() {
    let rig = rig(false);
    let said = "I've done the service on the boiler add to the groceries list that the vessel's gone \
                and remind me Tuesday to order a new one";
    let answer = rig.says(said).await;
    assert!(answer.text().contains("Order a new one"), "{}", answer.text());
    assert!(answer.text().contains("I took “I've done the service on the boiler add to"), "{}", answer.text());
}

#[tokio::test]
async fn what_says_nothing_is_asked_for() {
    let rows = [
        ("email priya the thing", "What should it say?"),
        ("remind me of everything", "What should I remind you of?"),
        ("remind me about stuff tomorrow", "What should I remind you of?"),
    ];
    for (said, question) in rows {
        let answer = rig(false).says(said).await;
        assert!(changed(&answer).is_empty() && answer.text().contains(question), "{said}: {}", answer.text());
    }
}

#[tokio::test]
async fn what_is_made_under_the_name_of_what_is_there_is_offered_as_an_addition() {
    let rig = rig(false);
    let person = rig.me();
    let said = "make a groceries list with oat milk and bananas";
    let answer = person.says(said).await;
    assert!(changed(&answer).is_empty() && answer.button(Role::Offer).is_some(), "{}", answer.text());
    let added = person.says("yes").await;
    assert_eq!(changed(&added), ["keep.append"], "{}", added.text());
    assert!(added.text().contains("bananas"), "{}", added.text());
    person.says(said).await;
    assert_eq!(changed(&person.says("make another").await), ["keep.create"]);
    let list = person.says("make a list called Regatta with ropes").await;
    assert_eq!(changed(&list), ["keep.create"], "{}", list.text());
}

/// A plan of the first round, and of those after it.
fn in_rounds(rig: &Rig, domains: Value, rounds: [Value; 2], open: &'static str) {
    rig.script.routes(json!({"type": "action", "domains": domains, "is_followup": false}));
    let round = AtomicUsize::new(0);
    rig.script.on(Stage::Plan, move |_| {
        let round = round.fetch_add(1, Ordering::SeqCst).min(1);
        json!({"actions": rounds[round], "question": null, "open": (round == 0).then_some(open)})
    });
    rig.script.on(Stage::Reflect, move |_| json!({"complete": false, "missing": open}));
}

#[tokio::test]
async fn a_later_round_does_what_follows_from_what_was_found() {
    let rig = rig(true);
    let look = action("calendar", "find_free_time", json!({"date": "tomorrow", "duration_minutes": 60}));
    let book = |at: &str| action("calendar", "create_event", json!({"summary": "Lunch with Sarah", "start_time": at}));
    in_rounds(&rig, json!(["calendar"]), [json!([look]), json!([book("2026-01-13T09:00")])], "the lunch");
    let answer = rig.says("find me a free hour tomorrow and put lunch with Sarah into it").await;
    assert_eq!(changed(&answer), ["calendar.create_event"], "{}", answer.text());
}

#[tokio::test]
async fn a_later_round_adds_nothing_that_nobody_said() {
    let rig = rig(true);
    let look = action("task", "list", json!({}));
    let add = action("task", "create", json!({"title": "Ring the plumber", "repeat": "every day"}));
    in_rounds(&rig, json!(["task"]), [json!([look.clone()]), json!([add])], "the plumber");
    let asked = rig.says("what do I still have to do about the plumber?").await;
    assert_eq!(changed(&asked), Vec::<String>::new(), "{}", asked.text());
    assert!(asked.text().contains("isn't done"), "{}", asked.text());

    let ordered = rig.says("look at my tasks and add ring the plumber").await;
    assert_eq!(changed(&ordered), ["task.create"], "{}", ordered.text());
    let kept = ordered.done.outcomes.iter().find(|report| report.command == "create").unwrap();
    assert!(!kept.params.contains_key("repeat"), "{kept:?}");
}

/// Orders whose words to be kept tell, ask, deny, or set a condition.
fn handed_over() -> Vec<(&'static str, &'static str, Value)> {
    let note = |text: &'static str| ("keep.create", json!({"title": text, "text": text}));
    let task = |title: &'static str| ("task.create", json!({"title": title}));
    let fact = |key: &'static str, value: &'static str| {
        ("memory.store", json!({"category": "preference", "key": key, "value": value}))
    };
    [
        ("note: gate code at Quay Street is 2290", note("Gate code at Quay Street is 2290")),
        ("add a note: the code is 4711", note("The code is 4711")),
        ("make a note: the bins are on Tuesdays now", note("The bins are on Tuesdays now")),
        ("make a note: did Anna pay?", note("Did Anna pay?")),
        ("note: Anna isn't coming, she is ill", note("Anna isn't coming, she is ill")),
        ("text to keep: is this right?", note("Is this right?")),
        ("Notiz: der Code ist 4711", note("Der Code ist 4711")),
        ("add a task: the bin is full", task("The bin is full")),
        ("add a task: I'm out of ink", task("I'm out of ink")),
        ("add a task: is this right?", task("Is this right?")),
        ("task: don't forget the keys", task("Don't forget the keys")),
        ("todo: I didn't call mom", task("I didn't call mom")),
        ("remind me that I'm not allowed to eat", task("I'm not allowed to eat")),
        ("Aufgabe: der Eimer ist voll", task("Der Eimer ist voll")),
        ("remember: no peanuts for me", fact("peanuts", "No peanuts for me")),
        ("remember that I don't like fish", fact("fish", "I don't like fish")),
        ("merk dir, dass ich keinen Fisch mag", fact("Fisch", "Ich mag keinen Fisch")),
    ]
    .map(|(said, (command, params))| (said, command, params))
    .to_vec()
}

#[tokio::test]
async fn what_an_order_is_to_keep_is_not_read_for_its_mood() {
    for (said, command, params) in handed_over() {
        // Of these words only a model makes anything.
        if said != "text to keep: is this right?" {
            let told = rig(false).says(said).await;
            assert_eq!(changed(&told), [command], "{said}: {}", told.text());
        }
        let rig = rig(true);
        let (service, name) = command.split_once('.').unwrap();
        rig.plans(json!([action(service, name, params)]));
        let told = rig.says(said).await;
        assert_eq!(changed(&told), [command], "{said}, with a model: {}", told.text());
    }
}

/// What is handed over is no order itself, and what hands nothing over keeps the mood that it has.
#[tokio::test]
async fn a_colon_without_an_order_before_it_orders_nothing() {
    for said in [
        "Anna said: the code is 4711",
        "update: the meeting was moved to 5",
        "don't make a note: the code is 4711",
        "question: is the rent paid?",
        "she told me that I should call Tom",
    ] {
        for plan in [
            action("task", "create", json!({"title": "the code is 4711"})),
            action("task", "create", json!({"title": "the meeting was moved"})),
            action("task", "complete", json!({"find_by": "rent"})),
            action("task", "create", json!({"title": "I should call Tom"})),
        ] {
            let rig = rig(true);
            rig.plans(json!([plan]));
            let told = rig.says(said).await;
            assert_eq!(changed(&told), Vec::<String>::new(), "{said}: {}", told.text());
        }
    }
}

#[tokio::test]
async fn right_after_a_time_another_one_behind_a_denial_corrects_it() {
    for before in [
        &["remind me to call mom at 5pm"][..],
        &["remind me to call mom", "at 5pm"],
        &["remind me at 5pm to call mom"],
        &["add a task: call mom at 5pm"],
    ] {
        for said in ["no, 6pm", "not 5pm, 6pm", "no - 6pm", "nein, 18 Uhr", "no, at 6pm", "sorry, 6pm"] {
            let rig = Rig::new(Setup { grounds_plans: true, model: false, ..Setup::default() });
            for text in before {
                rig.says(text).await;
            }
            let told = rig.says(said).await;
            assert_eq!(changed(&told), ["task.update"], "{before:?}, {said}: {}", told.text());
            let due = rig.next_due().await.map(|at| at.to_rfc3339());
            assert_eq!(due.as_deref(), Some("2026-01-12T18:00:00+00:00"), "{before:?}, {said}");
        }
    }
}
