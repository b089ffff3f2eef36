//! What a look shows a model, in the turn that it was made in and in the next one; and sets, counted before they act.

use brain_agent::core::ids::UserId;
use brain_agent::ports::{Planning, Stage};
use brain_agent::services::email::mailbox::source::maildir::{Folder, Maildir};
use serde_json::{Value, json};

use crate::rig::{ME, Rig, Setup, action};

fn rig() -> Rig {
    let planning = Planning::Conversation;
    Rig::new(Setup { grounds_plans: true, planning, model: true, ..Setup::default() })
}

fn says(actions: Value, reply: Option<&str>) -> Value {
    json!({"actions": actions, "instead_of": null, "question": null, "open": null, "reply": reply})
}

fn receive(rig: &Rig, at: u32, from: &str, subject: &str) {
    let mail = format!(
        "From: {from}\r\nTo: alex.morgan@example.com\r\nSubject: {subject}\r\n\
         Date: Mon, 12 Jan 2026 08:{at:02}:00 +0000\r\nMessage-ID: <{at}@x>\r\n\r\nText {at}\r\n"
    );
    let maildir = Maildir::of(rig.folder(), &UserId::new(ME));
    maildir.put(Folder::Inbox, &format!("17682000{at:02}.m"), "", mail.as_bytes()).unwrap();
}

#[tokio::test]
async fn a_model_is_told_ids_places_guests_and_ends_and_that_a_list_is_a_pick() {
    let rig = rig();
    for at in 0..30 {
        receive(&rig, at, "Amir <amir.ali@atlas.example>", &format!("Status {at}"));
    }
    let look = says(json!([action("email", "search", json!({"from": "amir"}))]), None);
    rig.script.converses(&["email"], vec![look, says(json!([]), Some("The newest is Status 29."))]);
    let answer = rig.says("which of those that amir wrote me came in last, do you reckon?").await;
    assert!(answer.text().starts_with("The newest is Status 29."), "{}", answer.text());
    let asked = rig.script.asked(Stage::Converse);
    let told = &asked[1].user;
    assert!(told.contains("The first 20 of 30, newest first; 10 more are not shown:"), "{told}");
    let rows: Vec<&str> = told.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(
        rows[0].contains("subject: Status 29") && rows[0].contains("address: amir.ali@atlas.example"),
        "{}",
        rows[0]
    );
    assert_eq!(rows.len(), 20);

    rig.script.converses(&["email"], vec![says(json!([]), Some("That one."))]);
    rig.says("and what was the address behind that second one again?").await;
    let asked = rig.script.asked(Stage::Converse);
    let sight = &asked[asked.len() - 1].user;
    let listed = sight.lines().find(|line| line.starts_with("Listed last")).unwrap();
    assert!(listed.contains("“Status 28” (address: ") && listed.contains("amir.ali@atlas.example"), "{listed}");
}

#[tokio::test]
async fn an_event_is_told_with_its_end_its_place_and_its_guests() {
    let rig = rig();
    let event = json!({"summary": "Review", "start_time": "2026-01-13T15:00", "end_time": "2026-01-13T15:45",
                       "location": "Room 2"});
    rig.script.converses(&["calendar"], vec![says(json!([action("calendar", "create_event", event)]), None)]);
    rig.says("Review tomorrow from 15:00 to 15:45 in Room 2").await;
    let look = says(json!([action("calendar", "list_events", json!({"text": "review"}))]), None);
    rig.script.converses(&["calendar"], vec![look, says(json!([]), Some("It is in Room 2."))]);
    rig.says("remind me where that review of mine is supposed to be, would you?").await;
    let asked = rig.script.asked(Stage::Converse);
    let told = &asked[asked.len() - 1].user;
    let row = told.lines().find(|line| line.starts_with("- ")).unwrap_or_else(|| panic!("{told}"));
    assert!(row.contains("T15:45:00") && row.contains("location: Room 2"), "{row}");
}

#[tokio::test]
async fn all_that_fit_stand_on_one_card_counted_before_anything_is_deleted() {
    let rig = rig();
    for at in 1..4 {
        receive(&rig, at, "Gazette <gazette@news.example>", "Your newsletter");
    }
    receive(&rig, 5, "Bob <bob@example.com>", "Lunch");
    let delete = says(json!([action("email", "delete_email", json!({"find_by": "all newsletters"}))]), None);
    rig.script.converses(&["email"], vec![delete]);
    let card = rig.says("please get rid of all the newsletters in there").await.card();
    assert_eq!(card.text().matches("Your newsletter").count(), 3, "{}", card.text());
    assert!(!card.text().contains("Lunch"), "{}", card.text());
    let done = rig.presses(&card.approve()).await;
    assert_eq!(done.did(), ["email.delete_email succeeded"; 3], "{}", done.text());
}
