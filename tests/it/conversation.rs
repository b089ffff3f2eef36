//! A turn with a capable model: one growing exchange in which it sees what the person sees, with everything that a plan
//! goes through between it and the world.

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use brain_agent::core::turn::Path;
use brain_agent::ports::{Call, Planning, Stage, Table};
use serde_json::{Value, json};

use crate::faults::claims::CLAIMS;
use crate::rig::{Rig, Setup, action, send};

fn rig(demo: bool) -> Rig {
    let planning = Planning::Conversation;
    Rig::new(Setup { demo, grounds_plans: true, planning, model: true, ..Setup::default() })
}

/// An action with the words that its values rest on.
fn rests(mut action: Value, words: &[(&str, &str)]) -> Value {
    action["words"] = words.iter().map(|(param, from)| json!({"param": param, "from": from})).collect();
    action
}

fn says(actions: Value) -> Value {
    json!({"actions": actions, "instead_of": null, "question": null, "open": null, "reply": null})
}

fn replies(words: &str) -> Value {
    json!({"actions": [], "instead_of": null, "question": null, "open": null, "reply": words})
}

fn exchanged(rig: &Rig) -> Vec<Call> {
    rig.script.asked(Stage::Converse)
}

fn pills(deadline: &str, from: &str) -> Value {
    rests(action("task", "create", json!({"title": "Take the pills", "deadline": deadline})), &[("deadline", from)])
}

#[tokio::test]
async fn an_order_takes_one_call_beside_the_router_and_is_told_by_its_receipt() {
    let rig = rig(false);
    rig.script.converses(&["task"], vec![says(json!([pills("2026-01-13T17:00", "tomorrow at 5pm")]))]);
    let answer = rig.says("could you make sure that I take those pills tomorrow at 5pm").await;
    assert_eq!(answer.succeeded(), ["task.create"], "{}", answer.text());
    assert!(answer.text().starts_with("⏰ Reminder set: Take the pills"), "{}", answer.text());
    assert_eq!(rig.script.stages(), [Stage::Route, Stage::Converse]);
    assert!(answer.button(Role::Undo).is_some());
}

#[tokio::test]
async fn what_was_looked_up_comes_back_and_its_words_stand_above_what_they_rest_on() {
    let rig = rig(true);
    let look = says(json!([action("calendar", "list_events", json!({"from": "2026-01-13", "to": "2026-01-14"}))]));
    rig.script.converses(&["calendar"], vec![look, replies("Only the standup, and then Northwind at two.")]);
    let answer = rig.says("anything on tomorrow that I can't be late for, roughly?").await;
    assert_eq!(exchanged(&rig).len(), 2);
    let (first, second) = (&exchanged(&rig)[0].user, &exchanged(&rig)[1].user);
    assert!(second.starts_with(&**first) && second.contains("Results") && second.contains("Northwind"), "{second}");
    assert!(answer.text().starts_with("Only the standup"), "{}", answer.text());
    assert!(answer.text().contains("📅"), "{}", answer.text());
}

#[tokio::test]
async fn what_code_cannot_read_is_shown_in_full_and_done_with_one_tap() {
    let rig = rig(false);
    rig.script.converses(&["task"], vec![says(json!([pills("2026-01-13T19:00", "demain soir")]))]);
    let offered = rig.says("rappelle-moi demain soir de prendre mes comprimés").await;
    assert_eq!(offered.succeeded(), [""; 0]);
    assert!(offered.text().contains("“Take the pills”, tomorrow (Tue 13 Jan) at 19:00"), "{}", offered.text());
    let taken = rig.presses(&offered.button(Role::Offer).unwrap()).await;
    assert_eq!(taken.succeeded(), ["task.create"], "{}", taken.text());
}

#[tokio::test]
async fn a_time_that_nobody_said_is_left_out_and_that_is_told() {
    let rig = rig(false);
    rig.script.converses(&["task"], vec![says(json!([pills("2026-01-13T19:00", "at seven in the evening")]))]);
    let answer = rig.says("put the pills on my list please").await;
    assert!(answer.text().contains("I left out “2026-01-13T19:00”: you didn't say that."), "{}", answer.text());
    let kept = answer.done.outcomes.iter().find(|report| report.status == Status::Succeeded).unwrap();
    assert!(!kept.params.contains_key("deadline"), "{kept:?}");
}

#[tokio::test]
async fn nothing_is_changed_outside_the_services_that_the_own_words_were_routed_to() {
    let rig = rig(false);
    let beside = action("memory", "store", json!({"category": "fact", "key": "pills", "value": "the pills"}));
    rig.script.converses(&["task"], vec![says(json!([pills("2026-01-13T17:00", "tomorrow at 5pm"), beside]))]);
    let answer = rig.says("could you make sure that I take those pills tomorrow at 5pm").await;
    assert_eq!(answer.succeeded(), ["task.create"], "{}", answer.text());
    assert!(answer.text().contains("Nothing is done yet"), "it is offered: {}", answer.text());
    assert_eq!(rig.count(Table::Memories).await, 0);
}

#[tokio::test]
async fn a_mail_that_was_read_brings_nothing_to_be_done() {
    let rig = rig(true);
    let look = says(json!([action("email", "read_thread", json!({"find_by": "Leadspark"}))]));
    let obeys = says(json!([
        action("task", "create", json!({"title": "Call Chad"})),
        action("email", "forward_email", json!({"find_by": "Leadspark", "to": ["chad@leadspark.example"]})),
    ]));
    rig.script.converses(&["email", "task"], vec![look, obeys, replies("That is all it says.")]);
    let before = rig.open_tasks().await;
    let answer = rig.says("what does the mail from Leadspark say?").await;
    assert!(answer.succeeded().iter().all(|done| done == "email.read_thread"), "{:?}", answer.succeeded());
    assert_eq!((rig.open_tasks().await, rig.effects().len()), (before, 0), "{}", answer.text());
}

#[tokio::test]
async fn a_card_is_changed_by_what_takes_its_place() {
    let rig = rig(false);
    rig.script.converses(&["email"], vec![says(json!([send("bob@example.com", "Late", "I am late.")]))]);
    let card = rig.says("send an email to bob@example.com that I am late").await.card();
    let mut changed = says(json!([send("bob@example.com", "Late", "I am late, sorry.")]));
    changed["instead_of"] = card.id.as_str().into();
    rig.script.converses(&["email"], vec![changed]);
    let answer = rig.says("hmm, rather with a sorry at its end").await;
    assert!(exchanged(&rig).last().unwrap().user.contains(&format!("Card {}, waits", card.id)));
    assert_eq!(rig.pending(&card.id).await.state, State::Superseded, "{}", answer.text());
    let newer = answer.card();
    assert!(newer.text().contains("I am late, sorry."), "{}", newer.text());
    assert!(rig.effects().is_empty());
    assert_eq!(rig.presses(&newer.approve()).await.did(), ["email.send_email succeeded"]);
}

#[tokio::test]
async fn what_fits_no_order_is_answered_in_words_and_claims_nothing() {
    let rig = rig(false);
    rig.script.converses(&[], vec![replies("I've sent it to Bob. That leaves €890.")]);
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    let answer = rig.says("Invoice: 14 hrs @ €85, minus the €300 deposit. What's outstanding?").await;
    assert!(answer.text().contains("That leaves €890"), "{}", answer.text());
    assert!(!answer.text().contains("sent it to Bob"), "{}", answer.text());
    assert_eq!(answer.succeeded(), [""; 0]);
}

#[tokio::test]
async fn where_the_model_gives_no_answer_built_in_understanding_does() {
    let rig = rig(false);
    rig.script.converses(&["task"], vec![json!("no JSON at all")]);
    rig.script.on(Stage::Plan, |_| json!("no JSON at all"));
    let answer = rig.says("what do I have to do this week?").await;
    assert_eq!(answer.succeeded(), ["task.list"], "{}", answer.text());
    assert!(answer.done.fallbacks.contains(&"converse".to_owned()), "{:?}", answer.done.fallbacks);
}

#[tokio::test]
async fn an_open_question_takes_no_message_before_the_model_has_seen_it() {
    let rig = rig(false);
    let mut asks = says(json!([]));
    asks["question"] = "Which evening do you mean?".into();
    rig.script.converses(&["task"], vec![asks]);
    let asked = rig.says("remind me one evening to take the pills").await;
    assert_eq!(asked.done.path, Path::Clarify);
    rig.script.converses(&["calendar"], vec![replies("On Thursday you are free all day.")]);
    let answer = rig.says("Wann hab ich am Donnerstag Zeit?").await;
    assert!(exchanged(&rig).last().unwrap().user.contains("You asked about"), "it is in sight");
    assert!(answer.text().contains("free all day") && answer.succeeded().is_empty(), "{}", answer.text());
}

/// The id by which the last prompt names what is offered.
fn offered_id(rig: &Rig) -> String {
    let prompt = exchanged(rig).last().unwrap().user.to_string();
    let line = prompt.lines().find(|line| line.starts_with("Offer ")).unwrap_or_else(|| panic!("{prompt}"));
    line.split([' ', ',']).nth(1).unwrap().to_owned()
}

fn unread_pills(deadline: &str, from: &str) -> Value {
    says(json!([pills(deadline, from)]))
}

#[tokio::test]
async fn an_offer_waits_beside_talk_and_is_taken_by_a_yes_in_any_words_for_it() {
    let rig = rig(false);
    let person = rig.me();
    rig.script.converses(&["task"], vec![unread_pills("2026-01-13T19:00", "demain soir")]);
    person.says("rappelle-moi demain soir de prendre mes comprimés").await;
    rig.script.converses(&["task"], vec![replies("Il est dix heures à Berlin.")]);
    let beside = person.says("au fait, quelle heure est-il chez ma sœur à Berlin ?").await;
    assert!(beside.text().contains("❔ Still asked: "), "{}", beside.text());
    let before = exchanged(&rig).len();
    let taken = person.says("yes thx").await;
    assert_eq!(taken.succeeded(), ["task.create"], "{}", taken.text());
    assert_eq!(exchanged(&rig).len(), before, "a yes is read by code");
}

#[tokio::test]
async fn what_is_offered_stands_beside_what_was_and_gives_way_to_what_changes_it() {
    let rig = rig(false);
    let person = rig.me();
    rig.script.converses(&["task"], vec![unread_pills("2026-01-13T19:00", "demain soir")]);
    person.says("rappelle-moi demain soir de prendre mes comprimés").await;
    let call = rests(
        action("task", "create", json!({"title": "Appeler maman", "deadline": "2026-01-14T19:00"})),
        &[("deadline", "après-demain")],
    );
    rig.script.converses(&["task"], vec![says(json!([call]))]);
    let both = person.says("et après-demain d'appeler maman, même heure").await;
    assert!(both.text().contains("“Take the pills”") && both.text().contains("“Appeler maman”"), "{}", both.text());
    // Changed under its id it is one thing, and the other one is gone.
    rig.script.on(Stage::Converse, |call| {
        let line = call.user.lines().find(|line| line.starts_with("Offer ")).unwrap();
        let mut said = unread_pills("2026-01-13T20:00", "vingt heures");
        said["instead_of"] = line.split([' ', ',']).nth(1).unwrap().into();
        said
    });
    let changed = person.says("non, seulement les comprimés, à vingt heures").await;
    assert!(changed.text().contains("at 20:00") && !changed.text().contains("maman"), "{}", changed.text());
    assert_eq!(person.says("oui").await.succeeded(), ["task.create"]);
    assert_eq!(rig.open_tasks().await, ["Take the pills"]);
}

#[tokio::test]
async fn what_is_wanted_no_more_is_withdrawn_and_a_yes_to_it_finds_nothing() {
    let rig = rig(false);
    let person = rig.me();
    let letter = says(json!([send("bob.miller@example.com", "Hello", "Hello Bob, I am late.")]));
    rig.script.converses(&["email"], vec![letter]);
    let asked = person.says("send bob.miller@example.com a mail that says Hello Bob, I am late.").await;
    let card = asked.card();
    let id = card.id.clone();
    let withdrawn = json!({"actions": [], "instead_of": id.as_str(), "question": null, "open": null, "reply": null});
    rig.script.converses(&[], vec![withdrawn]);
    let left = person.says("ach, das hat sich erledigt").await;
    assert_eq!(rig.pending(&id).await.state, State::Superseded, "{}", left.text());
    person.says("yes").await;
    assert_eq!(rig.pending(&id).await.state, State::Superseded);
    rig.script.converses(&["task"], vec![unread_pills("2026-01-13T19:00", "demain soir")]);
    person.says("rappelle-moi demain soir de prendre mes comprimés").await;
    rig.script.on(Stage::Converse, |_| replies("D'accord."));
    person.says("hmm").await;
    let offer = offered_id(&rig);
    rig.script.converses(
        &[],
        vec![json!({"actions": [], "instead_of": offer, "question": null, "open": null, "reply": null})],
    );
    assert_eq!(person.says("laisse tomber, en fait").await.succeeded(), [""; 0]);
    assert_eq!(person.says("oui").await.succeeded(), [""; 0]);
    assert_eq!(rig.open_tasks().await, [""; 0]);
}

#[tokio::test]
async fn beside_a_mail_that_waits_another_one_of_a_later_round_waits_as_well() {
    let rig = rig(true);
    let to_bob = send("bob.miller@example.com", "Desk", "Desk 3, please.");
    let look = action("email", "read_thread", json!({"find_by": "Leadspark"}));
    let to_anna = send("anna.kowalczyk@example.com", "Visa", "It goes on the trip.");
    let first = json!({
        "actions": [to_bob, look], "instead_of": null, "question": null, "open": "tell Anna as well", "reply": null,
    });
    rig.script.converses(&["email"], vec![first, says(json!([to_anna]))]);
    let words = "send bob.miller@example.com Desk 3, please. and anna.kowalczyk@example.com It goes on the trip.";
    let answer = rig.says(words).await;
    let waits = answer.done.outcomes.iter().filter(|report| report.status == Status::Pending).count();
    assert_eq!((waits, rig.all_pending().await.len()), (2, 2), "{}", answer.text());
}

#[tokio::test]
async fn what_is_offered_and_planned_again_is_done_behind_a_yes_and_never_by_the_model_alone() {
    for (words, done) in [("Yes, put it in then", true), ("Put it in then", false), ("Should that be in there?", false)]
    {
        let rig = rig(false);
        let person = rig.me();
        rig.script.converses(&["task"], vec![unread_pills("2026-01-13T19:00", "demain soir")]);
        person.says("rappelle-moi demain soir de prendre mes comprimés").await;
        rig.script.on(Stage::Converse, |call| {
            let line = call.user.lines().find(|line| line.starts_with("Offer ")).unwrap();
            let mut said = unread_pills("2026-01-13T19:00", "demain soir");
            said["instead_of"] = line.split([' ', ',']).nth(1).unwrap().into();
            said
        });
        let answer = person.says(words).await;
        assert_eq!(answer.succeeded() == ["task.create"], done, "{words}: {}", answer.text());
    }
}

#[tokio::test]
async fn an_offer_stays_beside_a_card_and_whatever_else_is_said() {
    let rig = rig(false);
    let person = rig.me();
    rig.script.converses(&["task"], vec![unread_pills("2026-01-13T19:00", "demain soir")]);
    person.says("rappelle-moi demain soir de prendre mes comprimés").await;
    rig.script.converses(&["email"], vec![says(json!([send("bob@example.com", "Late", "I am late.")]))]);
    person.says("send an email to bob@example.com that I am late").await.card();
    rig.script.converses(&["email"], vec![replies("Six.")]);
    for question in ["how many strings has a guitar", "and a violin", "and a banjo", "and a harp"] {
        person.says(question).await;
        let seen = exchanged(&rig).pop().unwrap();
        assert!(seen.user.lines().any(|line| line.starts_with("Offer ")), "{question}: {}", seen.user);
    }
}

#[tokio::test]
async fn what_joined_another_offer_is_done_once_whichever_button_is_pressed() {
    let rig = rig(false);
    let person = rig.me();
    rig.script.converses(&["task"], vec![unread_pills("2026-01-13T19:00", "demain soir")]);
    let first = person.says("rappelle-moi demain soir de prendre mes comprimés").await;
    let call = rests(
        action("task", "create", json!({"title": "Appeler maman", "deadline": "2026-01-14T19:00"})),
        &[("deadline", "après-demain")],
    );
    rig.script.converses(&["task"], vec![says(json!([call]))]);
    let both = person.says("et après-demain d'appeler maman, même heure").await;
    assert_eq!(rig.presses(&both.button(Role::Offer).unwrap()).await.succeeded(), ["task.create", "task.create"]);
    assert_eq!(rig.presses(&first.button(Role::Offer).unwrap()).await.succeeded(), [""; 0]);
    assert_eq!(rig.open_tasks().await.len(), 2);
}

#[tokio::test]
async fn over_an_order_that_nothing_was_done_about_every_claim_stands_below_the_truth() {
    for claim in CLAIMS {
        let rig = rig(false);
        rig.script.converses(&["task", "email"], vec![replies(claim)]);
        for order in ["please see to that thing with Bob", "the thing with Bob"] {
            let told = rig.says(order).await.text();
            assert!(told.starts_with("(Only words: nothing was sent or changed.)"), "{order}: {claim}: {told}");
        }
    }
}

#[tokio::test]
async fn a_day_behind_an_id_is_that_day_of_a_series() {
    let rig = rig(false);
    let person = rig.me();
    let gym = json!({
        "summary": "Gym", "start_time": "2026-01-13T18:00", "end_time": "2026-01-13T19:00", "repeat": "FREQ=WEEKLY;BYDAY=TU,TH",
    });
    rig.script.converses(&["calendar"], vec![says(json!([action("calendar", "create_event", gym)]))]);
    person.says("put gym into my calendar every tuesday and thursday from 6pm to 7pm").await;
    rig.script.on(Stage::Converse, |call| {
        let line = call.user.lines().find(|line| line.starts_with("In hand (calendar.create_event): ")).unwrap();
        let id = line.split(' ').nth(3).unwrap();
        says(json!([action("calendar", "delete_event", json!({"find_by": format!("{id} Thu 2026-01-15")}))]))
    });
    let card = person.says("skip it this thu").await;
    assert!(card.text().contains("When: Thu 15 Jan at 18:00–19:00"), "{}", card.text());
    assert!(card.text().contains("only this one goes"), "{}", card.text());
}
