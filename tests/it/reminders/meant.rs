//! What was meant: the time, as it was when the words were written; and "it", once a reminder has rung.

use brain_agent::core::turn::{Input, Origin};
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::{Stage, Table};
use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use crate::rig::{Answer, Rig, Setup, action};

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn at(now: &str, model: bool) -> Rig {
    Rig::new(Setup { model, now: utc(now), ..Setup::default() })
}

/// Written now, and read when so much has passed.
async fn read_after(rig: &Rig, text: &str, minutes: i64) -> String {
    let input = Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None };
    let incoming = rig.me().incoming(input, rig.channel.next_id());
    rig.clock.go_on(Duration::minutes(minutes));
    let (shown, _) = rig.channel.counts();
    handle_turn(&rig.brain, &incoming).await;
    rig.channel.since(shown, 0).0.into_iter().map(|shown| shown.reply.text).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn tomorrow_is_the_day_after_it_was_written() {
    for model in [false, true] {
        let rig = at("2026-01-12T23:50:00Z", model);
        if model {
            rig.plans(json!([action("task", "create", json!({"title": "Call mom", "deadline": "tomorrow at 9"}))]));
        }
        let told = read_after(&rig, "remind me to call mom tomorrow at 9", 20).await;
        assert!(told.contains("today (Tue 13 Jan) at 09:00"), "{model}: {told}");
        if model {
            let prompt = &rig.script.asked(Stage::Plan)[0].user;
            assert!(prompt.contains("Now: Monday 2026-01-12T23:50"), "{prompt}");
            assert!(prompt.contains("Days: Mon 2026-01-12 (today), Tue 13 (tomorrow)"), "{prompt}");
        }
    }
}

#[tokio::test]
async fn a_time_that_has_passed_before_the_words_were_read_is_asked_about() {
    for model in [false, true] {
        let rig = at("2026-01-12T09:00:00Z", model);
        if model {
            rig.plans(json!([action("task", "create", json!({"title": "Stretch", "deadline": "in 10 minutes"}))]));
        }
        let told = read_after(&rig, "remind me to stretch in 10 minutes", 30).await;
        assert!(told.contains("at 09:10 has already passed. Which time do you mean?"), "{model}: {told}");
        assert_eq!(rig.count(Table::Tasks).await, 0);
    }
    let rig = at("2026-01-12T09:00:00Z", false);
    let told = read_after(&rig, "remind me to stretch in 40 minutes", 30).await;
    assert!(told.contains("at 09:40"), "{told}");
}

/// "Call mom" has rung, and then milk was put on the list. Gives the message of the reminder.
async fn rung(rig: &Rig) -> brain_agent::core::ids::MessageId {
    rig.says("remind me to call mom at 6pm").await;
    rig.moves_clock(Duration::hours(9)).await;
    let ring = rig.channel.all().into_iter().rfind(|shown| shown.reply.text.starts_with("⏰ Call mom")).unwrap();
    rig.says("add a task: buy milk").await;
    ring.id
}

#[tokio::test]
async fn a_reply_to_a_reminder_is_about_what_it_reminds_of() {
    for (words, told) in [
        ("mark it as done", "✅ Done: Call mom"),
        ("done", "✅ Done: Call mom"),
        ("finished", "✅ Done: Call mom"),
        ("✅", "✅ Done: Call mom"),
        ("ok, done ✅", "✅ Done: Call mom"),
        ("erledigt", "✅ Done: Call mom"),
        ("move it to 8pm", "Call mom"),
        ("move it to tomorrow 5pm", "Call mom"),
    ] {
        let rig = at("2026-01-12T09:00:00Z", false);
        let ring = rung(&rig).await;
        let answer: Answer = rig.me().replies(words, ring).await;
        assert!(answer.text().contains(told), "{words}: {}", answer.text());
        let list = rig.says("/tasks").await.text();
        assert!(list.contains("milk"), "{words}: {list}");
    }
}

#[tokio::test]
async fn right_after_it_rang_it_is_the_reminder() {
    let rig = at("2026-01-12T09:00:00Z", false);
    rig.says("remind me to call mom at 6pm").await;
    rig.says("add a task: buy milk").await;
    rig.moves_clock(Duration::hours(9)).await;
    rig.says("mark it as done").await;
    assert_eq!(rig.open_tasks().await, ["Buy milk"]);
}

#[tokio::test]
async fn a_word_right_after_it_rang_does_as_its_buttons() {
    for (words, open, next) in [
        ("Done!", 1, None),
        ("✅", 1, None),
        ("finished", 1, None),
        ("yes, done", 1, None),
        ("fertig", 1, None),
        // Until when is asked.
        ("snooze it", 2, None),
        ("Snooze it for an hour", 2, Some("2026-01-12T19:00:00+00:00")),
        ("snooze until 9pm", 2, Some("2026-01-12T21:00:00+00:00")),
    ] {
        let rig = at("2026-01-12T09:00:00Z", false);
        rig.says("remind me to call mom at 6pm").await;
        rig.says("add a task: buy milk").await;
        rig.moves_clock(Duration::hours(9)).await;
        let answer = rig.says(words).await;
        let at = rig.next_due().await.map(|at| at.to_rfc3339());
        assert_eq!((rig.open_tasks().await.len(), at.as_deref()), (open, next), "{words}: {}", answer.text());
        assert_eq!(answer.edits.len(), usize::from(words != "snooze it"), "{words}: the reminder says it, too");
    }
    // A reply to something else, and a word about something later, mean no reminder.
    let rig = at("2026-01-12T09:00:00Z", false);
    let first = rig.says("remind me to call mom at 6pm").await.shown[0].id;
    rig.moves_clock(Duration::hours(9)).await;
    rig.me().replies("done", first).await;
    rig.says("add a task: buy milk").await;
    rig.says("done").await;
    assert_eq!(rig.open_tasks().await.len(), 2);
}

#[tokio::test]
async fn several_reminders_in_one_message_are_no_single_it() {
    let rig = at("2026-01-12T09:00:00Z", false);
    for n in 1..=4 {
        rig.says(&format!("remind me to call number{n} at 6pm")).await;
    }
    rig.says("add a task: buy milk").await;
    rig.moves_clock(Duration::hours(9)).await;
    let list = rig.channel.all().into_iter().rfind(|shown| shown.reply.text.contains("⏰ Call number4")).unwrap();
    rig.me().replies("mark it as done", list.id).await;
    rig.says("mark it as done").await;
    assert_eq!(rig.open_tasks().await.len(), 5, "nothing is guessed");
}

#[tokio::test]
async fn a_model_is_told_what_was_replied_to() {
    let rig = at("2026-01-12T09:00:00Z", true);
    rig.plans(json!([action("task", "create", json!({"title": "Call mom", "deadline": "2026-01-12T18:00:00Z"}))]));
    rig.says("remind me to call mom at 6pm").await;
    rig.moves_clock(Duration::hours(9)).await;
    let ring = rig.channel.all().into_iter().rfind(|shown| shown.reply.text.starts_with("⏰ Call mom")).unwrap();
    rig.plans(json!([action("task", "create", json!({"title": "Buy milk"}))]));
    rig.says("add milk").await;
    let item = ring.reply.notifications[0].item.clone();
    let asked = rig.script.asked(Stage::Plan).len();
    rig.plans(json!([action("task", "complete", json!({"find_by": item}))]));
    rig.me().replies("mark it as done", ring.id).await;
    assert_eq!(rig.open_tasks().await, ["Buy milk"]);
    let prompt = rig.script.asked(Stage::Plan)[asked].user.clone();
    assert!(prompt.contains("The message replies to yours: ⏰ Call mom"), "{prompt}");
    assert!(prompt.contains(&item), "{prompt}");
    // The ring itself stands in the conversation, and only once.
    assert_eq!(prompt.matches("assistant: ⏰ Call mom").count(), 1, "{prompt}");
}
