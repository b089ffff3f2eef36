//! Buttons and settings against a clock that is moved by hand.

use brain_agent::archive::{Archive, ArchiveBounds, DATA};
use brain_agent::core::button::{Button, Role};
use brain_agent::core::settings::Tone;
use brain_agent::core::turn::{Input, Reply};
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::records::User;
use brain_agent::ports::{Key, RecordExt, Stage};
use chrono::Duration;
use chrono_tz::Tz;
use serde_json::json;

use crate::rig::{ME, Rig, Setup, action, send};

/// A reminder at six, told.
async fn reminded(rig: &Rig) -> Vec<Button> {
    rig.plans(json!([action("task", "create", json!({"title": "Milk", "deadline": "2026-01-12T18:00:00Z"}))]));
    rig.says("remind me of milk at six").await;
    rig.moves_clock(Duration::hours(9)).await;
    reminders(rig)[0].buttons.concat()
}

fn reminders(rig: &Rig) -> Vec<Reply> {
    let replies = rig.channel.all().into_iter().map(|shown| shown.reply);
    replies.filter(|reply| reply.reminder.is_some()).collect()
}

/// When it reminds next.
async fn next(rig: &Rig) -> Option<String> {
    rig.next_due().await.map(|at| at.to_rfc3339())
}

fn button(buttons: &[Button], words: &str) -> Button {
    buttons.iter().find(|button| button.text.contains(words)).unwrap().clone()
}

async fn record(rig: &Rig) -> User {
    rig.store.load::<User>(&Key::of(&[ME])).await.unwrap().unwrap().0
}

#[tokio::test]
async fn tomorrow_is_counted_from_the_press_and_in_the_zone_of_then() {
    let rig = Rig::plain();
    let buttons = reminded(&rig).await;
    // A day later, and somewhere else.
    rig.clock.go_on(Duration::hours(20));
    rig.says("/settings zone Tokyo").await;
    rig.presses(&button(&buttons, "Tomorrow")).await;
    // 14:00 UTC on the 13th is 23:00 in Tokyo; its next morning is 00:00 UTC on the 14th.
    assert_eq!(next(&rig).await.as_deref(), Some("2026-01-14T00:00:00+00:00"));
    rig.moves_clock(Duration::hours(9)).await;
    assert_eq!(reminders(&rig).len(), 1);
    rig.moves_clock(Duration::hours(1)).await;
    assert_eq!(reminders(&rig).len(), 2);
}

#[tokio::test]
async fn the_answer_to_until_when_needs_no_model_and_may_be_refused_or_about_something_else() {
    let rig = Rig::plain();
    let buttons = reminded(&rig).await;
    let until = button(&buttons, "Until");
    let asked = rig.script.asked(Stage::Plan).len();

    rig.presses(&until).await;
    rig.says("yesterday at 9").await;
    assert_eq!(next(&rig).await, None);
    rig.says("friday 9am").await;
    let friday = Some("2026-01-16T09:00:00+00:00".to_owned());
    assert_eq!(next(&rig).await, friday);

    rig.presses(&until).await;
    rig.says("never mind").await;
    assert_eq!(next(&rig).await, friday, "it stays as it is");

    rig.presses(&until).await;
    rig.says("in 3 hours").await;
    assert_eq!(next(&rig).await.as_deref(), Some("2026-01-12T21:00:00+00:00"));
    assert_eq!(rig.script.asked(Stage::Plan).len(), asked);

    // Somebody who talks about something else is not held to the question.
    rig.presses(&until).await;
    rig.plans(json!([action("task", "list", json!({}))]));
    assert_eq!(rig.says("show my tasks").await.did(), ["task.list succeeded"]);
}

#[tokio::test]
async fn a_reminder_of_something_done_or_deleted_or_somebody_elses_says_so() {
    let rig = Rig::plain();
    let buttons = reminded(&rig).await;
    let done = button(&buttons, "Done");
    let eve = rig.as_user("eve").presses(&done.data).await.text();
    assert_eq!(eve, "That reminder's task is gone: it was deleted, or it isn't yours.");
    assert_eq!(rig.presses(&done).await.text(), "✅ Done: Milk");
    assert_eq!(rig.presses(&done).await.text(), "“Milk” is done already.");
    assert_eq!(rig.presses(&button(&buttons, "1 h")).await.text(), "“Milk” is done already.");
}

#[tokio::test]
async fn two_changes_of_settings_at_once_lose_neither() {
    let rig = Rig::plain();
    let me = rig.me();
    let says = |text: &str| {
        let text = text.to_owned();
        let input = Input::Message { text, origin: brain_agent::core::turn::Origin::Typed, reply_to: None };
        me.incoming(input, rig.channel.next_id())
    };
    let wishes = [
        says("/settings tone brief"),
        says("/settings zone Lisbon"),
        says("quiet hours from 10pm to 7am"),
        says("/settings briefing 7:30"),
    ];
    let elsewhere = brain_agent::core::ids::ChatId::new(format!("console:{ME}/2"));
    let mut turns = Vec::new();
    for (number, mut wish) in wishes.into_iter().enumerate() {
        // In chats of their own, so that no lock puts them in order.
        if number % 2 == 1 {
            wish.chat = elsewhere.clone();
        }
        turns.push(wish);
    }
    futures::future::join_all(turns.iter().map(|turn| handle_turn(&rig.brain, turn))).await;
    let user = record(&rig).await;
    assert_eq!((user.zone, user.settings.tone), (Some(Tz::Europe__Lisbon), Tone::Brief));
    assert!(user.settings.quiet.is_some() && user.settings.briefing.is_some());
}

#[tokio::test]
async fn language_and_tone_reach_the_changing_part_of_prompts_and_only_that() {
    let rig = Rig::plain();
    rig.plans(json!([action("task", "list", json!({}))]));
    rig.says("show my tasks").await;
    rig.says("/settings language German").await;
    rig.says("/settings tone formal").await;
    rig.plans(json!([action("task", "list", json!({}))]));
    rig.says("show my tasks").await;
    for stage in [Stage::Plan, Stage::Respond] {
        let asked = rig.script.asked(stage);
        let (first, last) = (asked.first().unwrap(), asked.last().unwrap());
        assert_eq!(first.system, last.system, "{stage}");
        assert!(
            !first.user.contains("Their language") && last.user.contains("Their language: German"),
            "{}",
            last.user
        );
        assert!(last.user.contains("Their tone: polite"), "{}", last.user);
    }
}

#[tokio::test]
async fn a_draft_made_through_a_card_has_a_send_button_as_well() {
    let rig = Rig::plain();
    rig.plans(json!([action(
        "email",
        "create_draft",
        json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late."})
    )]));
    let draft = rig.says("draft a mail to zoe@example.com").await;
    assert!(draft.button(Role::Send).is_some(), "{}", draft.text());

    let mail = send("zoe@example.com", "Late", "It is late.");
    let card = rig.card_for(json!([mail])).await;
    rig.alters(&card.id, |pending| {
        pending.actions[0].command = "create_draft".to_owned();
        pending.digest = pending.compute_digest();
    })
    .await;
    let id = card.id.clone();
    let digest = rig.pending(&id).await.digest;
    let approved = rig.me().presses(&format!("y:{id}:{}", digest.prefix())).await;
    assert!(approved.button(Role::Send).is_some(), "{}", approved.text());
}

#[tokio::test]
async fn private_commands_do_not_work_in_groups() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    let group = brain_agent::core::ids::ChatId::new("tg:-100");
    let alex = rig.in_chat(ME, &group);
    for command in ["/today", "/export", "/forget coffee", "/settings", "/memory", "/undo"] {
        let told = alex.says(command).await;
        assert!(told.text().ends_with("please write it in our private chat."), "{command}: {}", told.text());
        assert!(!told.has_card());
    }
    assert!(alex.says("/help").await.text().contains("/cancel"));
}

#[tokio::test]
async fn an_export_holds_the_cards_that_wait_and_those_that_were_decided_but_nobody_elses() {
    let rig = Rig::plain();
    let ask = async |user: &str, subject: &str| {
        rig.plans(json!([send("bob@example.com", subject, "Soon.")]));
        rig.as_user(user).says("tell Bob, please").await.card()
    };
    ask("ben", "Secret").await;
    let no = ask(ME, "First").await;
    rig.presses(&no.cancel()).await;
    let waits = ask(ME, "Second").await;
    let handed = rig.says("/export").await;
    let text = handed.text();
    assert!(text.contains("▫️ 1 closed card\n") && text.contains("▫️ 1 waiting for your yes\n"), "{text}");
    let content = handed.shown[0].reply.attachment.clone().unwrap().content;
    let mut archive = Archive::of_bytes(&content, ArchiveBounds::default()).unwrap();
    let content = String::from_utf8(archive.read(DATA).unwrap()).unwrap();
    let data: serde_json::Value = serde_json::from_str(&content).unwrap();
    let card = &data["closed_cards"][0];
    assert_eq!((&card["id"], &card["state"], &card["decided"]["by"]), (&json!(no.id), &json!("denied"), &json!(ME)));
    assert_eq!(card["actions"][0]["params"]["subject"], "First");
    assert_eq!(data["waiting_for_your_yes"][0]["id"], json!(waits.id));
    assert!(!content.contains("Secret"), "{content}");
}
