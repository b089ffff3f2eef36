use std::sync::Arc;

use serde_json::json;

use super::*;
use brain_adapters::store::MemoryStore;
use brain_core::ports::Store;
use brain_services::services::email::mailbox::source::maildir::Maildir;

fn place() -> Whereabouts {
    Whereabouts {
        owner: UserId::new("me"),
        chat: ChatId::new("console:me"),
        now: "2026-03-11T09:00:00Z".parse().unwrap(),
        zone: chrono_tz::Europe::Berlin,
    }
}

#[tokio::test]
async fn what_is_put_in_is_what_is_read_back() {
    let given = json!({
        "task": [{"title": "Bins", "deadline": "2026-03-12T07:30", "repeat": "FREQ=WEEKLY", "priority": "high",
            "description": "Green", "done": false}],
        "calendar": [
            {"summary": "Dentist", "start": "2026-03-29T09:00", "end": "2026-03-29T10:00", "location": "Mill Lane",
                "attendees": ["Bob <bob@example.com>"]},
            {"summary": "Fair", "start": "2026-04-01", "end": "2026-04-03"},
            {"summary": "Holiday", "start": "2026-04-06"}],
        "keep": [{"title": "Groceries", "items": ["Milk"]}, {"title": "Door", "text": "1234"}],
        "memory": [{"category": "travel", "key": "seat", "value": "aisle"}],
        "contacts": [{"name": "Bob", "email": "bob@example.com", "phone": "555"}],
        "email": [
            {"from": "Ann <ann@example.com>", "subject": "Hi", "body": "Hello", "unread": true},
            {"from": "Me <me@example.com>", "to": ["Ann <ann@example.com>"], "subject": "Re: Hi", "body": "Yes",
                "date": "2026-03-10T10:00"},
            {"from": "Me <me@example.com>", "to": ["ann@example.com"], "subject": "Later", "body": "x",
                "folder": "drafts"}],
    });
    let (place, store) = (place(), MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let belongings: Belongings = serde_json::from_value(given.clone()).unwrap();
    let furnishing = belongings.furnish(&place).unwrap();
    furnishing.put_files(folder.path(), &place.owner).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    store.commit(furnishing.batch).await.unwrap();

    let things = inventory(store.as_ref(), folder.path(), &place).await.unwrap();
    for (service, wanted) in given.as_object().unwrap() {
        for (item, got) in wanted.as_array().unwrap().iter().zip(things[service.as_str()].values()) {
            if service == "email" {
                continue;
            }
            for (field, value) in item.as_object().unwrap() {
                let whole_days = got.get(field).and_then(|value| value.get(0)).filter(|_| field == "end");
                assert_eq!(whole_days.or(got.get(field)), Some(value), "{service} {field}");
            }
        }
    }
    let mails: Vec<_> = things["email"].values().collect();
    let of = |subject: &str| mails.iter().find(|mail| mail["subject"] == subject).unwrap();
    assert_eq!((&of("Hi")["folder"], &of("Hi")["unread"]), (&json!("inbox"), &json!(true)));
    assert_eq!((&of("Re: Hi")["folder"], &of("Re: Hi")["date"]), (&json!("sent"), &json!("2026-03-10T10:00")));
    assert_eq!((&of("Later")["folder"], &of("Later")["to"]), (&json!("drafts"), &json!(["ann@example.com"])));
    assert!(Maildir::of(folder.path(), &place.owner).root().exists());
}

#[test]
fn what_cannot_be_a_thing_is_said() {
    for (given, why) in [
        (json!({"task": [{"title": "x", "deadline": "tomorrow"}]}), "tomorrow"),
        (json!({"calendar": [{"summary": "x", "start": "2026-13-01"}]}), "2026-13-01"),
        (json!({"email": [{"from": "nobody", "to": ["a@b.example"]}]}), "nobody"),
    ] {
        let belongings: Belongings = serde_json::from_value(given).unwrap();
        assert!(belongings.furnish(&place()).unwrap_err().contains(why));
    }
    for unknown in [json!({"tasks": []}), json!({"task": [{"name": "x"}]}), json!({"keep": [{"items": []}]})] {
        assert!(serde_json::from_value::<Belongings>(unknown).is_err());
    }
}
