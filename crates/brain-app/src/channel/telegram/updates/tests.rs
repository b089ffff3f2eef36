use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use teloxide::types::{MessageKind, Update, UpdateKind};

use super::incoming::{IncomingEvent, IncomingMessage, MessageContent};
use super::*;
use crate::channel::telegram::place::ChatPlace;
use brain_core::core::ids::MessageId;
use brain_core::core::turn::Origin;

fn me() -> BotIdentity {
    BotIdentity { id: 42, username: "brain_bot".into() }
}

fn message(more: Value) -> Value {
    let mut message = json!({
        "message_id": 5, "date": 1, "from": {"id": 7, "is_bot": false, "first_name": "A"},
        "chat": {"id": 7, "type": "private"},
    });
    for (name, value) in more.as_object().unwrap() {
        message[name] = value.clone();
    }
    message
}

fn incoming(kind: &str, more: Value) -> Option<IncomingUpdate> {
    let mut update = json!({"update_id": 1});
    update[kind] = message(more);
    read(&update, &me())
}

fn origin_of(kind: &str, more: Value) -> Origin {
    match incoming(kind, more).unwrap().event {
        IncomingEvent::Message(said) | IncomingEvent::Edited(said) => said.origin,
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_plain_typed_words_are_typed() {
    let origins = [
        (json!({"text": "yes"}), Origin::Typed),
        (json!({"text": "yes", "reply_to_message": {"message_id": 3, "from": {"id": 42}}}), Origin::Typed),
        (json!({"text": "yes", "quote": {"text": "a", "position": 0}}), Origin::PartialQuote),
        (json!({"text": "yes", "external_reply": {}}), Origin::PartialQuote),
        (json!({"text": "yes", "forward_origin": {"type": "hidden_user"}}), Origin::Forwarded),
        (json!({"text": "yes", "forward_date": 1}), Origin::Forwarded),
        (json!({"text": "yes", "via_bot": {"id": 1}}), Origin::OnBehalf),
        (json!({"text": "yes", "sender_chat": {"id": 1}}), Origin::OnBehalf),
        (json!({"text": "yes", "sender_business_bot": {"id": 1}}), Origin::OnBehalf),
        (json!({"text": "yes", "is_from_offline": true}), Origin::OnBehalf),
        (json!({"text": "yes", "edit_date": 2}), Origin::Edited),
        (json!({"caption": "yes", "photo": []}), Origin::Caption),
        (json!({"caption": "yes", "forward_origin": {}, "via_bot": {}}), Origin::Forwarded),
    ];
    for (more, expected) in origins {
        assert_eq!(origin_of("message", more.clone()), expected, "{more}");
    }
    assert_eq!(origin_of("edited_message", json!({"text": "yes"})), Origin::Edited);
}

#[test]
fn a_reply_counts_only_when_it_is_to_the_bot() {
    let reply_to = |from: i64| match incoming(
        "message",
        json!({"text": "x", "reply_to_message": {"message_id": 3, "from": {"id": from}}}),
    )
    .unwrap()
    .event
    {
        IncomingEvent::Message(IncomingMessage { reply_to, number: MessageId(5), .. }) => reply_to,
        other => panic!("{other:?}"),
    };
    assert_eq!(reply_to(42), Some(MessageId(3)));
    assert_eq!(reply_to(7), None);
}

#[test]
fn a_press_knows_the_message_it_sits_on_even_when_that_is_gone() {
    let press = json!({"update_id": 1, "callback_query": {
        "id": "q", "from": {"id": 7}, "data": "y:a:b", "message": {"chat": {"id": 7, "type": "private"}, "message_id": 9, "date": 0},
    }});
    let incoming = read(&press, &me()).unwrap();
    let press = IncomingEvent::Press { query: "q".into(), message: MessageId(9), data: "y:a:b".into() };
    assert_eq!(incoming.event, press);
}

#[test]
fn in_groups_the_bot_hears_its_name_and_replies_only() {
    let group = json!({"id": -5, "type": "supergroup"});
    for (text, words) in [
        ("hello all", None),
        ("@brain_bot hello", Some("hello")),
        ("well, @Brain_Bot, hello", Some("well, , hello")),
        ("@brain_bot: привет @BRAIN_BOT", Some("привет")),
        ("/pending@brain_bot", Some("/pending")),
        ("@brain_bot2 hello", None),
        ("@brain_botany", None),
        ("/pending", None),
    ] {
        let incoming = incoming("message", json!({"text": text, "chat": group}));
        let said = incoming.map(|incoming| match incoming.event {
            IncomingEvent::Message(said) if !incoming.private => said.text,
            other => panic!("{other:?}"),
        });
        assert_eq!(said.as_deref(), words, "{text}");
    }
    let reply = json!({"text": "yes", "chat": group, "reply_to_message": {"message_id": 3, "from": {"id": 42}}});
    assert!(matches!(incoming("message", reply).unwrap().event, IncomingEvent::Message(_)));
    assert_eq!(incoming("edited_message", json!({"text": "@brain_bot hello", "chat": group})), None);
}

#[test]
fn only_being_let_in_is_news() {
    let incoming = |chat: i64, kind: &str, old: &str, new: &str| {
        let update = json!({"update_id": 1, "my_chat_member": {
            "chat": {"id": chat, "type": kind}, "from": {"id": 7, "is_bot": false}, "date": 1,
            "old_chat_member": {"status": old}, "new_chat_member": {"status": new},
        }});
        read(&update, &me()).map(|incoming| incoming.event)
    };
    assert_eq!(incoming(-5, "supergroup", "left", "member"), Some(IncomingEvent::Joined));
    assert_eq!(incoming(-5, "group", "kicked", "administrator"), Some(IncomingEvent::Joined));
    assert_eq!(incoming(-5, "group", "member", "administrator"), None);
    assert_eq!(incoming(-5, "group", "member", "left"), None);
    assert_eq!(incoming(7, "private", "kicked", "member"), Some(IncomingEvent::Joined));
    assert_eq!(incoming(7, "private", "member", "kicked"), None);
    assert_eq!(incoming(-5, "group", "left", "something new"), None);
}

#[test]
fn topics_are_places_of_their_own_and_reply_threads_are_not() {
    let topic = incoming("message", json!({"text": "x", "message_thread_id": 12, "is_topic_message": true})).unwrap();
    assert_eq!(topic.place, ChatPlace { chat: 7, topic: Some(12) });
    let thread = incoming("message", json!({"text": "x", "message_thread_id": 12})).unwrap();
    assert_eq!(thread.place, ChatPlace { chat: 7, topic: None });
}

#[test]
fn what_a_message_holds_beside_words_is_told_apart_and_notices_are_nothing() {
    let with = |more: Value| match incoming("message", more)?.event {
        IncomingEvent::Message(said) => Some(said.content),
        other => panic!("{other:?}"),
    };
    assert!(
        matches!(with(json!({"voice": {"file_id": "v", "duration": 3}})), Some(MessageContent::Recording(d)) if d.seconds == Some(3))
    );
    assert!(matches!(with(json!({"video_note": {}})), Some(MessageContent::Recording(_))));
    let picture = |extra| match with(extra) {
        Some(MessageContent::Picture(file)) => (file.id, file.name.unwrap_or_default()),
        other => panic!("no picture: {other:?}"),
    };
    let sizes = json!([{"file_id": "small"}, {"file_id": "large"}]);
    assert_eq!(picture(json!({"photo": sizes})), ("large".to_owned(), "photo.jpg".to_owned()));
    assert_eq!(picture(json!({"photo": []})).0, "");
    assert_eq!(picture(json!({"animation": {}, "document": {}})).1, "animation.mp4");
    assert!(
        matches!(with(json!({"document": {"file_name": "a.txt"}})), Some(MessageContent::File(d)) if d.name.as_deref() == Some("a.txt"))
    );
    assert_eq!(
        with(json!({"contact": {"phone_number": "+44 1", "first_name": "Ada", "last_name": "Lovelace"}})),
        Some(MessageContent::Contact { name: "Ada Lovelace".into(), phone: "+44 1".into() })
    );
    let spot = json!({"latitude": 1.5, "longitude": -2.0});
    assert_eq!(
        with(json!({"location": spot})),
        Some(MessageContent::Location { latitude: 1.5, longitude: -2.0, name: None })
    );
    assert_eq!(
        with(json!({"location": spot, "venue": {"title": "Café", "address": "Main St", "location": spot}})),
        Some(MessageContent::Location { latitude: 1.5, longitude: -2.0, name: Some("Café, Main St".into()) })
    );
    assert_eq!(with(json!({"sticker": {}})), Some(MessageContent::Unsupported));
    assert_eq!(with(json!({"pinned_message": {}})), None);
    assert_eq!(incoming("edited_message", json!({"location": {}})), None, "a live location moves on");
}

#[test]
fn whose_message_was_passed_on_is_known_when_telegram_says_so() {
    for (origin, name) in [
        (
            json!({"type": "user", "sender_user": {"id": 1, "first_name": "Eve", "last_name": "Adams"}}),
            Some("Eve Adams"),
        ),
        (json!({"type": "hidden_user", "sender_user_name": "E."}), Some("E.")),
        (json!({"type": "channel", "chat": {"title": "News"}}), Some("News")),
        (json!({"type": "something new"}), None),
    ] {
        match incoming("message", json!({"text": "x", "forward_origin": origin})).unwrap().event {
            IncomingEvent::Message(said) => assert_eq!(said.from.as_deref(), name),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_not_understood_is_nothing() {
    for raw in [
        "",
        "[]",
        "null",
        r#"{"update_id":1}"#,
        r#"{"update_id":1,"message":7}"#,
        r#"{"update_id":1,"message":{}}"#,
        r#"{"update_id":1,"poll_answer":{"poll_id":"1"}}"#,
        r#"{"update_id":1,"callback_query":{"id":"q","from":{"id":1}}}"#,
        r#"{"update_id":1,"message":{"message_id":1,"text":"x","chat":{"id":-1,"type":"channel"}}}"#,
    ] {
        let update = serde_json::from_str(raw).unwrap_or_default();
        assert_eq!(read(&update, &me()), None, "{raw}");
    }
    assert_eq!(incoming("message", json!({"text": "x", "from": {"id": 8, "is_bot": true}})), None);
}

#[test]
fn a_message_was_written_when_telegram_says_so_unless_that_cannot_be() {
    let received: DateTime<Utc> = "2026-01-12T10:00:00Z".parse().unwrap();
    let written = |date: Value| match incoming("message", json!({"text": "x", "date": date})).unwrap().event {
        IncomingEvent::Message(said) => said.written(received).to_rfc3339(),
        other => panic!("{other:?}"),
    };
    let at = |seconds: i64| json!(received.timestamp() + seconds);
    assert_eq!(written(at(-1_800)), "2026-01-12T09:30:00+00:00");
    assert_eq!(written(at(-86_400)), "2026-01-11T10:00:00+00:00");
    for date in [at(1), at(86_400), at(-2 * 86_400), json!(0), json!(-1), json!(i64::MAX), json!("today"), Value::Null]
    {
        assert_eq!(written(date.clone()), received.to_rfc3339(), "{date}");
    }
}

#[test]
fn every_kind_of_update_has_an_envelope_that_the_dispatcher_can_read() {
    let place = ChatPlace { chat: -100_987, topic: Some(12) };
    let IncomingUpdate { event: said, .. } = incoming("message", json!({"text": "/cancel"})).unwrap();
    let IncomingUpdate { event: edited, .. } = incoming("edited_message", json!({"text": "x"})).unwrap();
    let press = IncomingEvent::Press { query: "q".into(), message: MessageId(i64::MAX), data: "n:a".into() };
    for (event, private) in [(said, true), (edited, true), (press, false), (IncomingEvent::Joined, false)] {
        let update = IncomingUpdate { who: 7, place, private, event };
        let envelope = update.envelope(5_000_000_001).unwrap();
        assert_eq!(envelope.chat().unwrap().id.0, place.chat, "{envelope:?}");
        let same_kind = match (&update.event, &envelope.kind) {
            (IncomingEvent::Message(said), UpdateKind::Message(message)) => {
                message.text() == Some(&said.text) && message.thread_id.is_some_and(|thread| thread.0.0 == 12)
            }
            (IncomingEvent::Edited(_), UpdateKind::EditedMessage(_))
            | (IncomingEvent::Joined, UpdateKind::MyChatMember(_)) => true,
            (IncomingEvent::Press { .. }, UpdateKind::CallbackQuery(query)) => query.data.as_deref() == Some("n:a"),
            _ => false,
        };
        assert!(same_kind, "{envelope:?}");
    }
}

/// Why updates are not read by teloxide's types: what is newer than they are, or only odd, costs the whole message
/// or makes other people's words the person's own.
#[test]
fn what_teloxide_cannot_read_is_read() {
    let date_time = json!([{"type": "date_time", "offset": 0, "length": 3, "unix_time": 1}]);
    let file =
        json!({"file_id": "f", "file_unique_id": "u", "file_name": "a.txt", "mime_type": "what?", "file_size": 1});
    for (more, origin) in [
        (json!({"text": "yes", "entities": date_time}), Origin::Typed),
        (json!({"text": "yes", "forward_origin": {"type": "something new", "date": 1}}), Origin::Forwarded),
        (json!({"text": "yes", "forward_date": 1}), Origin::Forwarded),
        (json!({"text": "yes", "external_reply": {"origin": {"type": "something new"}}}), Origin::PartialQuote),
        (json!({"text": "yes", "date": i64::MAX}), Origin::Typed),
        (json!({"caption": "yes", "document": file}), Origin::Caption),
    ] {
        let update = json!({"update_id": 1, "message": message(more.clone())});
        let theirs: Update = serde_json::from_str(&update.to_string()).unwrap();
        let lost = match &theirs.kind {
            UpdateKind::Message(message) => match &message.kind {
                MessageKind::Empty {} => true,
                _ => message.forward_origin().is_none() && origin == Origin::Forwarded,
            },
            _ => true,
        };
        assert!(lost, "teloxide reads it by now: {theirs:?}");
        assert_eq!(origin_of("message", more.clone()), origin, "{more}");
    }
}
