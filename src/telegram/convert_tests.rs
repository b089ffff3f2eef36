use super::*;
use serde_json::{Value, json};

fn me() -> Me {
    Me { id: 42, username: "brain_bot".into() }
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

fn heard(kind: &str, more: Value) -> Option<Heard> {
    let mut update = json!({"update_id": 1});
    update[kind] = message(more);
    hear(&update.to_string(), &me())
}

fn origin_of(kind: &str, more: Value) -> Origin {
    match heard(kind, more).unwrap().what {
        What::Turn { input: Input::Message { origin, .. }, .. } => origin,
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
    let reply_to = |from: i64| match heard(
        "message",
        json!({"text": "x", "reply_to_message": {"message_id": 3, "from": {"id": from}}}),
    )
    .unwrap()
    .what
    {
        What::Turn { input: Input::Message { reply_to, .. }, message: MessageId(5) } => reply_to,
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
    let heard = hear(&press.to_string(), &me()).unwrap();
    assert_eq!(heard.callback.as_deref(), Some("q"));
    let input = Input::Press { data: "y:a:b".into(), message: Some(MessageId(9)) };
    assert_eq!(heard.what, What::Turn { message: MessageId(9), input });
}

#[test]
fn in_groups_the_bot_hears_its_name_and_replies_only() {
    let group = json!({"id": -5, "type": "supergroup"});
    for (text, addressed) in [
        ("hello all", false),
        ("@brain_bot hello", true),
        ("well, @Brain_Bot, hello", true),
        ("/pending@brain_bot", true),
        ("@brain_bot2 hello", false),
        ("@brain_botany", false),
        ("/pending", false),
    ] {
        let heard = heard("message", json!({"text": text, "chat": group}));
        assert_eq!(heard.is_some_and(|h| h.what == What::InGroup && !h.private), addressed, "{text}");
    }
    let reply = json!({"text": "yes", "chat": group, "reply_to_message": {"message_id": 3, "from": {"id": 42}}});
    assert_eq!(heard("message", reply).unwrap().what, What::InGroup);
    assert_eq!(heard("edited_message", json!({"text": "@brain_bot hello", "chat": group})), None);
}

#[test]
fn topics_are_places_of_their_own_and_reply_threads_are_not() {
    let topic = heard("message", json!({"text": "x", "message_thread_id": 12, "is_topic_message": true})).unwrap();
    assert_eq!(topic.place, Place { chat: 7, topic: Some(12) });
    let thread = heard("message", json!({"text": "x", "message_thread_id": 12})).unwrap();
    assert_eq!(thread.place, Place { chat: 7, topic: None });
}

#[test]
fn messages_without_words_get_a_sentence_and_notices_get_nothing() {
    assert_eq!(heard("message", json!({"voice": {}})).unwrap().what, What::Wordless(SPOKEN));
    assert_eq!(heard("message", json!({"photo": []})).unwrap().what, What::Wordless(PICTURE));
    assert_eq!(heard("message", json!({"sticker": {}})).unwrap().what, What::Wordless(OTHER));
    assert_eq!(heard("message", json!({"pinned_message": {}})), None);
    assert_eq!(heard("edited_message", json!({"location": {}})), None);
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
        assert_eq!(hear(raw, &me()), None, "{raw}");
    }
    assert_eq!(heard("message", json!({"text": "x", "from": {"id": 8, "is_bot": true}})), None);
}
