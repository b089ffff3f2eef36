//! What is passed on is content, not a request: forwards, files, contacts, places, pictures.

use super::*;
use crate::support::bot_api::Say;

/// Presses the button of an offer that holds `words`.
fn press(api: &FakeBotApi, offer: &SentMessage, words: &str) -> String {
    let button = offer.all_buttons().into_iter().find(|button| button.text.contains(words)).unwrap();
    api.press(ANNA, offer.id, &button.data)
}

const GONE: &str = "I have done that already, or the offer is too old (a day). Nothing was done now.";

#[tokio::test]
async fn a_forward_alone_is_asked_about_and_no_model_sees_it() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| panic!("no {} for a forward", request.stage));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.say(Say::by(ANNA, "Dentist on Tuesday\nBring the papers").forwarded_from(EVE));
    let offer = answer(&api, ANNA, "What should I do with it?").await;
    assert_eq!(offer.all_buttons().len(), 3, "{}", api.transcript());
    press(&api, &offer, "note");
    let noted = answer(&api, ANNA, "Noted").await;
    assert!(noted.text.contains("Bring the papers"), "{}", noted.text);
    let query = press(&api, &offer, "task");
    told(&api, ANNA, &query, GONE).await;
    assert!(api.messages(ANNA).iter().any(|m| m.id == offer.id && m.buttons.is_empty()), "{}", api.transcript());
}

#[tokio::test]
async fn an_offer_is_for_its_owner_in_its_chat() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.say(Say::by(ANNA, "Dentist on Tuesday").forwarded_from(EVE));
    let offer = answer(&api, ANNA, "What should I do with it?").await;
    api.open_chat(BEN);
    let query = api.press(BEN, offer.id, &offer.all_buttons()[0].data);
    told(&api, BEN, &query, GONE).await;
    press(&api, &offer, "task");
    answer(&api, ANNA, "Dentist").await;
}

#[tokio::test]
async fn a_text_file_is_read_and_offered_and_other_files_are_refused_with_a_reason() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.say(Say::by(ANNA, "").with_file("list.txt", b"eggs\nflour"));
    let offer = answer(&api, ANNA, "I have read list.txt").await;
    press(&api, &offer, "note");
    assert!(answer(&api, ANNA, "Noted").await.text.contains("flour"));
    for (file, bytes, why) in [
        ("report.pdf", b"%PDF".as_slice(), "plain text only"),
        ("broken.txt", b"\xff\xfe\x00", "not plain UTF-8"),
        ("empty.txt", b"  ", "is empty"),
        ("huge.txt", &[b'a'; 300 * 1024], "too large"),
    ] {
        api.say(Say::by(ANNA, "").with_file(file, bytes));
        let told = answer(&api, ANNA, why).await;
        assert!(told.text.contains(file), "{}", told.text);
    }
}

#[tokio::test]
async fn a_contact_and_a_place_are_kept_when_asked_for() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let ada = json!({"phone_number": "+441234567", "first_name": "Ada", "last_name": "Lovelace"});
    api.say(Say::nothing_but(ANNA, "contact", ada));
    let offer = answer(&api, ANNA, "Shall I save Ada Lovelace").await;
    assert!(offer.text.contains("+441234567"), "{}", offer.text);
    press(&api, &offer, "Save");
    answer(&api, ANNA, "Saved: Ada Lovelace").await;

    let venue =
        json!({"title": "Café Kotti", "address": "Adalbertstr. 96", "location": {"latitude": 52.5, "longitude": 13.4}});
    let spot = Say::nothing_but(ANNA, "location", json!({"latitude": 52.5, "longitude": 13.4})).field("venue", venue);
    api.say(spot);
    let offer = answer(&api, ANNA, "Café Kotti").await;
    press(&api, &offer, "Keep");
    assert!(answer(&api, ANNA, "Noted").await.text.contains("52.5, 13.4"));
}

#[tokio::test]
async fn pictures_are_answered_by_their_captions_and_honestly_and_the_rest_kindly() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.say(Say::by(ANNA, "remind me to call mom tomorrow at 5pm").under_photo());
    answer(&api, ANNA, "I can't look into pictures").await;
    answer(&api, ANNA, "Reminder set").await;
    api.say(Say::by(ANNA, "").under_photo());
    answer(&api, ANNA, "Shall it go along with a mail?").await;
    for (field, value) in [
        ("sticker", json!({"emoji": "👍"})),
        ("dice", json!({"emoji": "🎲", "value": 6})),
        ("poll", json!({"id": "1", "question": "?"})),
    ] {
        let before = how_many(&api, ANNA, "can't do anything with it");
        api.say(Say::nothing_but(ANNA, field, value));
        api.wait_for("a sentence", SOON, |api| {
            (how_many(api, ANNA, "can't do anything with it") > before).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn an_album_is_refused_once_and_its_caption_answered() {
    for pause in ["300ms", "0s"] {
        let api = FakeBotApi::start().await;
        api.open_chat(ANNA);
        // All of it waits when the program comes, as a phone uploads it: in one go.
        let album = |caption: &str| Say::by(ANNA, caption).under_photo().field("media_group_id", json!("7"));
        api.say(album("remind me to call mom tomorrow at 5pm"));
        if pause != "0s" {
            for _ in 0..4 {
                api.say(album(""));
            }
        }
        let _daemon = serve(&installed().env("BRAIN_BREATH", pause), &api).await;
        let told = answer(&api, ANNA, "so I go by your words alone").await;
        let done = answer(&api, ANNA, "Reminder set").await;
        assert!(told.id < done.id, "{}", api.transcript());
        api.user_says(ANNA, "/pending");
        answer(&api, ANNA, "Nothing is waiting").await;
        assert_eq!(texts(&api, ANNA).len(), 3, "{}", api.transcript());
    }
}
