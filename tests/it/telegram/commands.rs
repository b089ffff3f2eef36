//! What each command says, word for word. Days and times are written as DAY and TIME: the clock is the real one.

use std::sync::OnceLock;

use brain_agent::archive::{Archive, ArchiveBounds, DATA};
use regex::Regex;

use super::*;
use crate::support::bot_api::Say;

/// Sends words and gives the first message of the bot after them; lines that only say what it is doing don't count.
pub async fn says(api: &FakeBotApi, user: i64, text: &str) -> SentMessage {
    let id = api.user_says(user, text);
    api.wait_message(user, |message| message.id > id && !message.text.ends_with('…'), SOON).await
}

/// Days, clock times, ids and lengths by name, so that a text is the same whenever the test runs.
pub fn timeless(text: &str) -> String {
    static PATTERNS: OnceLock<Vec<(Regex, &str)>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| {
        let day = r"(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)? \d{1,2} [A-Z][a-z]+( 20\d\d)?";
        [(day, "DAY"), (r"\b\d\d:\d\d\b", "TIME"), (r"· [a-z2-9]{10}\b", "· ID"), (r"\d{4}-\d\d-\d\d-\d{6}", "STAMP")]
            .map(|(pattern, name)| (Regex::new(pattern).unwrap(), name))
            .into()
    });
    patterns.iter().fold(text.to_owned(), |text, (pattern, name)| pattern.replace_all(&text, *name).into_owned())
}

/// A conversation: what goes in, and exactly what comes out.
async fn talks(api: &FakeBotApi, user: i64, lines: &[(&str, &str)]) {
    for (said, answer) in lines {
        let heard = says(api, user, said).await;
        assert_eq!(timeless(&heard.text), *answer, "to {said:?}\n{}", api.transcript());
    }
}

async fn served() -> (FakeBotApi, Daemon) {
    let api = FakeBotApi::start().await;
    let daemon = serve(&installed(), &api).await;
    (api, daemon)
}

#[tokio::test]
async fn a_person_who_has_nothing_yet_is_told_so_kindly_by_every_command() {
    let (api, _daemon) = served().await;
    talks(
        &api,
        ANNA,
        &[
            ("/cancel", "There is nothing to cancel."),
            (
                "/start",
                "Hi! I keep your tasks, reminders, calendar, mail, notes and memories, and I ask before I do anything that can't be taken back.\n\n\
                 Try:\n• Remind me to call mom tomorrow at 5pm\n• What do I have this week?\n\n\
                 Your time zone is UTC; it's TIME there. If that is wrong, write “my time zone is Lisbon” with your city.\n\
                 /help shows everything.",
            ),
            ("/today", "☀️ Today, DAY\nNothing on today. Enjoy it, or tell me what to add."),
            ("/week", "🗓 DAY – DAY\nNothing in the next seven days. A good time for plans."),
            ("/tasks", "Nothing on your list. 🎉 Tell me “add milk to my tasks”, or “remind me to call mom at 5pm”."),
            ("/pending", "Nothing is waiting for your yes or no."),
            (
                "/undo",
                "There is nothing to undo: in the last 10 minutes I did nothing here that can be taken back. What has been sent or erased after your yes can't be.",
            ),
            (
                "/memory",
                "🧠 I remember nothing about you yet. Tell me, for example: “remember that I prefer window seats”.",
            ),
            ("/forget", "What shall I forget? Write for example “/forget coffee”. /memory shows what there is."),
            ("/forget coffee", "🧠 I remember nothing about “coffee”. /memory shows what there is."),
            (
                "/status",
                "✅ Brain Agent 0.1.0 is running, for less than a minute.\n\
                 🧠 Model: none is set up; my built-in understanding does everything.\n\
                 ✋ Nothing waits for your yes or no.\n\
                 ⏰ Next reminder: none is set.",
            ),
            ("/taks", "I don't know /taks. Did you mean /tasks? /help shows all."),
            ("/frobnicate", "I don't know /frobnicate. /help shows what there is. Or just say what you need."),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_two_examples_of_start_work() {
    let (api, _daemon) = served().await;
    let reminder = says(&api, ANNA, "Remind me to call mom tomorrow at 5pm").await;
    assert_eq!(timeless(&reminder.text), "⏰ Reminder set: Call mom — tomorrow (DAY) at TIME");
    let week = says(&api, ANNA, "What do I have this week?").await;
    assert!(!week.text.is_empty() && !week.text.contains("can't"), "{}", week.text);
}

#[tokio::test]
async fn the_agenda_commands_show_what_there_is() {
    let (api, _daemon) = served().await;
    for words in ["add a task: buy milk", "remind me to call mom tomorrow at 5pm", "lunch with Max tomorrow at noon"] {
        says(&api, ANNA, words).await;
    }
    talks(
        &api,
        ANNA,
        &[
            ("/tasks", "📋 2 open tasks\n\n▫️ Call mom — tomorrow (DAY) at TIME\n▫️ Buy milk"),
            (
                "/today",
                "☀️ Today, DAY\nNothing on today. Enjoy it, or tell me what to add. (1 task without a day is in /tasks.)",
            ),
            ("/week", "🗓 DAY – DAY\n\nTomorrow (DAY)\n🗓 TIME–TIME Lunch with Max\n▫️ TIME Call mom"),
        ],
    )
    .await;
    let status = says(&api, ANNA, "/status").await;
    let next = "⏰ Next reminder: tomorrow (DAY) at TIME — Call mom";
    assert!(timeless(&status.text).contains(next), "{}", status.text);
}

#[tokio::test]
async fn undo_takes_back_the_last_thing_and_then_the_one_before_it() {
    let (api, _daemon) = served().await;
    says(&api, ANNA, "add a task: buy milk").await;
    let second = says(&api, ANNA, "add a task: buy bread").await;
    assert_eq!(second.button("Undo").text, "↩️ Undo");
    talks(
        &api,
        ANNA,
        &[
            ("/undo", "↩️ Taken back: add “Buy bread”."),
            ("/tasks", "📋 1 open task\n\n▫️ Buy milk"),
            ("/undo", "↩️ Taken back: add “Buy milk”."),
            ("/undo", "That was already taken back at TIME: add “Buy milk”. There is nothing else to undo."),
        ],
    )
    .await;
    let after = api.messages(ANNA).into_iter().find(|message| message.id == second.id).unwrap();
    assert!(after.buttons.is_empty(), "{}", api.transcript());
}

#[tokio::test]
async fn what_is_remembered_is_shown_and_forgotten_through_a_card() {
    let (api, _daemon) = served().await;
    for words in ["remember that my coffee order is a flat white", "remember that my shoe size is 42"] {
        says(&api, ANNA, words).await;
    }
    let memory = says(&api, ANNA, "/memory").await.text;
    assert!(memory.starts_with("🧠 What I remember about you\n\n"), "{memory}");
    assert!(memory.contains("flat white") && memory.contains("42") && memory.contains("/forget"), "{memory}");

    let card = says(&api, ANNA, "/forget coffee").await;
    assert!(card.text.starts_with("Forget this?") && card.text.contains("flat white"), "{}", card.text);
    assert!(!card.text.contains("shoe"), "only what matches: {}", card.text);
    api.press(ANNA, card.id, &card.button("Forget").data);
    let closed = changed(&api, ANNA, &card).await;
    assert!(timeless(&closed.text).ends_with("✅ Forgotten — you, DAY TIME"), "{}", closed.text);
    answer(&api, ANNA, "🗑 Forgotten: coffee").await;
    let memory = says(&api, ANNA, "/memory").await.text;
    assert!(!memory.contains("flat white") && memory.contains("42"), "{memory}");
}

/// The message once it reads differently and has no buttons any more.
pub async fn changed(api: &FakeBotApi, chat: i64, message: &SentMessage) -> SentMessage {
    api.wait_message(chat, |m| m.id == message.id && m.text != message.text && m.buttons.is_empty(), SOON).await
}

#[tokio::test]
async fn the_export_is_a_file_of_ones_own_data_and_of_nobody_elses() {
    let (api, _daemon) = served().await;
    says(&api, BEN, "add a task: ben's secret").await;
    says(&api, ANNA, "add a task: buy milk").await;
    says(&api, ANNA, "remember that my shoe size is 42").await;
    let handed = says(&api, ANNA, "/export").await;
    assert_eq!(
        handed.text,
        "📦 This is your data, with your settings:\n\
         ▫️ 1 memory\n▫️ 4 messages\n▫️ 1 task\n\
         One archive, which “brain-agent import” reads back.\n\
         Not in it: mail that your accounts keep on their servers, what was said in groups, and my notes on how my own work went."
    );
    let (name, content) = handed.document.clone().unwrap();
    assert_eq!(timeless(&name), "brain-agent-STAMP.zip");
    let mut archive = Archive::of_bytes(&content, ArchiveBounds::default()).unwrap();
    let content = String::from_utf8(archive.read(DATA).unwrap()).unwrap();
    let data: serde_json::Value = serde_json::from_str(&content).unwrap();
    assert_eq!(data["tasks"][0]["title"], "Buy milk");
    assert_eq!(data["memories"][0]["value"], "42");
    assert_eq!(data["person"]["zone"], "UTC");
    assert_eq!(data["messages"][0]["text"], "add a task: buy milk");
    assert!(!content.to_lowercase().contains("secret"), "{content}");
}

#[tokio::test]
async fn settings_are_shown_and_changed_by_words_and_stay_after_a_restart() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let daemon = serve(&program, &api).await;
    let page = |zone: &str, quiet: &str, tone: &str| {
        format!(
            "⚙️ Your settings\n🌍 Time zone: {zone} (it's TIME there)\n🗣 Language: the one you write in\n💬 Tone: {tone}\n🌙 Quiet hours: {quiet}\n☀️ Morning briefing: off\n⏰ Reminders without an hour: TIME\n\nPress one to change it, or write for example “/settings zone Paris” or “/settings quiet TIME-TIME”."
        )
    };
    let zone_told = "🌍 Your time zone is now Europe/Paris; it's TIME there. Reminders for one moment stay at that moment; what repeats keeps its time of day, in the new zone.";
    let quiet_told = "🌙 Quiet hours TIME–TIME: reminders wait until TIME.";
    talks(
        &api,
        ANNA,
        &[
            ("/settings", &page("UTC", "off", "warm")),
            ("/settings zone Paris", &format!("{zone_told}\n\n{}", page("Europe/Paris", "off", "warm"))),
            ("quiet hours from 10pm to 7am", &format!("{quiet_told}\n\n{}", page("Europe/Paris", "TIME–TIME", "warm"))),
            (
                "/settings tone brief",
                &format!("💬 My tone is brief from now on.\n\n{}", page("Europe/Paris", "TIME–TIME", "brief")),
            ),
            ("/settings zone Narnia", "I don't know a time zone “Narnia”. Write a bigger city nearby, or a name like Europe/Lisbon. Nothing was changed."),
            ("/settings zone Lisbonn", "I don't know a time zone “Lisbonn”. Do you mean one of these? Nothing was changed yet."),
            ("/settings volume 11", "I know these settings: zone, language, tone, quiet, briefing, hour. For example “/settings tone brief”. Nothing was changed."),
        ],
    )
    .await;
    assert_eq!(daemon.terminate(), 0);
    let _daemon = serve(&program, &api).await;
    talks(&api, ANNA, &[("/settings", &page("Europe/Paris", "TIME–TIME", "brief"))]).await;
    talks(&api, BEN, &[("/settings", &page("UTC", "off", "warm"))]).await;
}

#[tokio::test]
async fn commands_count_only_when_they_are_typed() {
    let (api, _daemon) = served().await;
    says(&api, ANNA, "add a task: buy milk").await;
    for passed_on in [Say::by(ANNA, "/undo").forwarded_from(EVE), Say::by(ANNA, "/undo").via_bot()] {
        let id = api.say(passed_on);
        let answer = api.wait_message(ANNA, |message| message.id > id, SOON).await;
        assert!(!answer.text.contains("Taken back"), "{}", answer.text);
    }
    let tasks = says(&api, ANNA, "/tasks").await.text;
    assert!(tasks.contains("Buy milk"), "{tasks}");
}

#[tokio::test]
async fn help_lists_every_command_of_the_menu_and_groups_get_a_menu_of_their_own() {
    let (api, _daemon) = served().await;
    let help = says(&api, ANNA, "/help commands").await.text;
    let menus = api.wait_calls("setMyCommands", 2, SOON).await;
    let names = |call: &crate::support::bot_api::FakeBotApi, index: usize| -> Vec<String> {
        let menu = &call.calls("setMyCommands")[index].params["commands"];
        menu.as_array().unwrap().iter().map(|c| c["command"].as_str().unwrap().to_owned()).collect()
    };
    for name in names(&api, 0) {
        assert!(help.contains(&format!("\n/{name}")), "{name} is not in {help}");
    }
    assert_eq!(menus[0].params["scope"]["type"], "all_private_chats");
    assert_eq!(menus[1].params["scope"]["type"], "all_group_chats");
    assert_eq!(names(&api, 1), ["cancel", "help"]);
}
