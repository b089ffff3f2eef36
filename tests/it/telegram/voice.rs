//! Recordings.

use super::*;
use crate::support::bot_api::{Fault, Say};
use crate::support::transcriber::Transcriber;

fn hearing(endpoint: &Transcriber) -> Program {
    installed()
        .env("TRANSCRIBE_BASE_URL", &endpoint.url())
        .env("TRANSCRIBE_API_KEY", "hearing-key")
        .env("TRANSCRIBE_MODEL", "whisper-test")
}

#[tokio::test]
async fn a_recording_is_heard_shown_and_done() {
    let api = FakeBotApi::start().await;
    let endpoint = Transcriber::saying(" remind me to call mom tomorrow at 5pm ");
    let _daemon = serve(&hearing(&endpoint), &api).await;
    api.say(Say::by(ANNA, "").spoken(b"OggS-bytes"));
    let shown = answer(&api, ANNA, "🎙 “remind me to call mom tomorrow at 5pm”").await;
    let done = answer(&api, ANNA, "Reminder set").await;
    assert!(shown.id < done.id, "{}", api.transcript());
    let [heard] = <[_; 1]>::try_from(endpoint.heard()).unwrap();
    assert_eq!(heard.authorization.as_deref(), Some("Bearer hearing-key"));
    assert!(heard.content_type.starts_with("multipart/form-data; boundary="), "{}", heard.content_type);
    for part in ["name=\"file\"; filename=\"recording.ogg\"", "OggS-bytes", "name=\"model\"", "whisper-test"] {
        assert!(heard.body.contains(part), "{part} is missing in {}", heard.body);
    }
}

#[tokio::test]
async fn a_spoken_yes_decides_nothing() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let endpoint = Transcriber::saying("yes");
    let _daemon = serve(&hearing(&endpoint).model(&model).smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    api.say(Say::by(ANNA, "").spoken(b"ogg"));
    answer(&api, ANNA, "🎙 “yes”").await;
    answer(&api, ANNA, "can't decide a card").await;
    assert!(smtp.mails().is_empty());
    assert!(api.messages(ANNA).iter().any(|m| m.id == card.id && !m.buttons.is_empty()), "{}", api.transcript());
}

#[tokio::test]
async fn what_cannot_be_heard_is_said_and_nothing_is_done() {
    let api = FakeBotApi::start().await;
    let daemon = serve(&installed(), &api).await;
    api.say(Say::by(ANNA, "").spoken(b"ogg"));
    answer(&api, ANNA, "TRANSCRIBE_BASE_URL").await;
    drop(daemon);

    for (status, words, told) in [
        (500, "hearing-key is wrong", "could not get that recording transcribed"),
        (200, "<html>", "could not get that recording transcribed"),
        (200, "{\"text\": \"  \"}", "could not make out any words"),
    ] {
        let api = FakeBotApi::start().await;
        let endpoint = Transcriber::answering(status, words);
        let daemon = serve(&hearing(&endpoint).env("RUST_LOG", "debug"), &api).await;
        api.say(Say::by(ANNA, "").spoken(b"ogg"));
        answer(&api, ANNA, told).await;
        let ours: String = daemon.stderr().lines().filter(|line| line.contains("brain_agent")).collect();
        assert!(!ours.contains("hearing-key") && !ours.contains("AAfake-token"), "{ours}");
    }

    let api = FakeBotApi::start().await;
    let endpoint = Transcriber::saying("never asked");
    let daemon = serve(&hearing(&endpoint).env("RUST_LOG", "debug"), &api).await;
    api.fail_times("getFile", Fault::ServerError(500), 1);
    api.say(Say::by(ANNA, "").spoken(b"ogg"));
    answer(&api, ANNA, "could not fetch that").await;
    let long = json!({"file_id": "v", "duration": 3_600, "file_size": 10});
    api.say(Say::nothing_but(ANNA, "voice", long));
    answer(&api, ANNA, "too long for me").await;
    let huge = json!({"file_id": "v", "duration": 60, "file_size": 30_000_000});
    api.say(Say::nothing_but(ANNA, "voice", huge));
    answer(&api, ANNA, "too large for me").await;
    assert!(endpoint.heard().is_empty());
    assert!(!daemon.stderr().contains("AAfake-token"), "{}", daemon.stderr());
}

#[tokio::test]
async fn while_a_recording_is_heard_there_are_signs_of_life_and_cancel_stops_it_and_no_card() {
    let api = FakeBotApi::start().await;
    let model = mailing();
    let endpoint = Transcriber::saying_late("hello");
    let _daemon = serve(&hearing(&endpoint).model(&model), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    let before = api.calls("sendChatAction").len();
    api.say(Say::by(ANNA, "").spoken(b"ogg"));
    let line = answer(&api, ANNA, "Listening…").await;
    api.wait_calls("sendChatAction", before + 1, SOON).await;
    api.user_says(ANNA, "/cancel");
    answer(&api, ANNA, "Okay, stopping.").await;
    answer(&api, ANNA, "Stopped. Nothing more was done.").await;
    assert!(api.messages(ANNA).iter().any(|m| m.id == card.id && !m.buttons.is_empty()), "{}", api.transcript());
    api.wait_for("no line left behind", SOON, |api| (how_many(api, ANNA, "Listening…") == 0).then_some(())).await;
    assert!(line.id > card.id);
    api.user_says(ANNA, "and now?");
    answer(&api, ANNA, "All right.").await;
}

#[tokio::test]
async fn the_words_of_a_recording_that_takes_long_take_the_place_of_its_line() {
    let api = FakeBotApi::start().await;
    let endpoint = Transcriber::saying_late("remind me to call mom tomorrow at 5pm");
    let _daemon = serve(&hearing(&endpoint), &api).await;
    api.say(Say::by(ANNA, "").spoken(b"ogg"));
    let line = answer(&api, ANNA, "Listening…").await;
    endpoint.release();
    let words = answer(&api, ANNA, "🎙 “remind me").await;
    assert!(words.id > line.id, "{}", api.transcript());
    answer(&api, ANNA, "Reminder set").await;
    assert_eq!(texts(&api, ANNA).len(), 2, "{}", api.transcript());
}

#[cfg(feature = "failpoints")]
#[tokio::test]
async fn a_recording_is_paid_for_once_even_when_the_program_is_stopped() {
    let api = FakeBotApi::start().await;
    let endpoint = Transcriber::saying("remind me to call mom tomorrow at 5pm");
    let program = hearing(&endpoint);
    let daemon = serve(&program.clone().fail_at("plan-before"), &api).await;
    api.say(Say::by(ANNA, "").spoken(b"ogg"));
    tokio::task::spawn_blocking(move || daemon.kill_at("plan-before")).await.unwrap();
    let _daemon = serve(&program.without_failpoint(), &api).await;
    answer(&api, ANNA, "Reminder set").await;
    assert_eq!(endpoint.heard().len(), 1);
    assert_eq!(how_many(&api, ANNA, "🎙"), 1, "{}", api.transcript());
}
