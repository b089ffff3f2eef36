//! What is passed on is content, not a request: forwards, files, contacts, places, pictures.

use super::commands::says;
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

const BOOKINGS: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Rail//EN\r\nBEGIN:VEVENT\r\nUID:ice@rail\r\n\
    DTSTAMP:20260101T000000Z\r\nDTSTART:20300115T140000Z\r\nDTEND:20300115T180000Z\r\nSUMMARY:ICE to Munich\r\n\
    LOCATION:Berlin Hbf\r\nORGANIZER:mailto:sales@rail.example\r\nATTENDEE:mailto:eve@evil.example\r\n\
    BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT1H\r\nDESCRIPTION:Go\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n\
    UID:class@rail\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:20300107\r\nRRULE:FREQ=WEEKLY;COUNT=4\r\n\
    EXDATE;VALUE=DATE:20300114\r\nSUMMARY:Bin day\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

#[tokio::test]
async fn a_calendar_file_goes_onto_the_calendar_once_and_comes_out_as_one() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.say(Say::by(ANNA, "").with_file("bookings.ics", BOOKINGS.as_bytes()));
    let offer = answer(&api, ANNA, "Shall I put these 2 on your calendar?").await;
    for words in ["ICE to Munich", "14:00–18:00", "Berlin Hbf", "Bin day"] {
        assert!(offer.text.contains(words), "{words}: {}", offer.text);
    }
    assert_eq!(offer.all_buttons().len(), 1, "{}", api.transcript());
    press(&api, &offer, "calendar");
    let added = answer(&api, ANNA, "📅 Added").await;
    assert!(added.text.contains("ICE to Munich") && added.text.contains("Bin day"), "{}", added.text);
    // Nobody is invited by a file.
    let listed = says(&api, ANNA, "what's on my calendar on January 15 2030?").await;
    assert!(listed.text.contains("ICE to Munich") && !listed.text.contains("eve@"), "{}", listed.text);
    api.say(Say::by(ANNA, "").with_file("again.ics", BOOKINGS.as_bytes()));
    let is_new = |message: &SentMessage| message.id > listed.id && message.text.contains("Shall I put these 2");
    let offer = api.wait_message(ANNA, is_new, SOON).await;
    press(&api, &offer, "calendar");
    answer(&api, ANNA, "It is there already; nothing was added").await;

    let handed = says(&api, ANNA, "/export calendar").await;
    assert_eq!(handed.text, "📅 2 events, for other calendars to read.");
    let (name, content) = handed.document.clone().unwrap();
    let content = String::from_utf8(content).unwrap();
    assert!(name.starts_with("calendar-") && name.ends_with(".ics"), "{name}");
    for line in ["SUMMARY:ICE to Munich", "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE;VALUE=DATE:20300114", "TRIGGER:-PT1H"] {
        assert!(content.lines().any(|one| one == line), "{line}: {content}");
    }
    assert!(!content.contains("ATTENDEE") && content.matches("BEGIN:VCALENDAR").count() == 1, "{content}");
    let one = says(&api, ANNA, "/export calendar munich").await;
    assert_eq!(one.text, "📅 1 event, for other calendars to read.");
    let none = says(&api, ANNA, "/export calendar vienna").await;
    assert_eq!(none.text, "No event of yours is called “vienna”.");
    says(&api, ANNA, "/undo").await;
}

#[tokio::test]
async fn a_calendar_file_that_holds_no_event_or_too_many_is_told_as_such() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let many: String = (0..400)
        .map(|n| format!("BEGIN:VEVENT\r\nUID:{n}\r\nDTSTART:20300115T140000Z\r\nSUMMARY:Event {n}\r\nEND:VEVENT\r\n"))
        .collect();
    let calendar = |inner: &str| format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{inner}END:VCALENDAR\r\n");
    let todo = "BEGIN:VTODO\r\nUID:t\r\nSUMMARY:Milk\r\nEND:VTODO\r\n";
    for (file, text, told) in [
        ("none.ics", calendar(""), "find no event in it"),
        ("todo.ics", calendar(todo), "I find no event in it"),
        ("cut.ics", calendar("BEGIN:VEVENT\r\nSUMMARY:Half"), "I find no event in it"),
        ("many.ics", calendar(&many), "more than I take from a chat"),
    ] {
        api.say(Say::by(ANNA, "").with_file(file, text.as_bytes()));
        let answered = answer(&api, ANNA, file).await;
        assert!(answered.text.contains(told) && answered.all_buttons().is_empty(), "{}", answered.text);
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
        let _daemon = serve(&installed().env("BRAIN_DEBOUNCE", pause), &api).await;
        let told = answer(&api, ANNA, "so I go by your words alone").await;
        let done = answer(&api, ANNA, "Reminder set").await;
        assert!(told.id < done.id, "{}", api.transcript());
        api.user_says(ANNA, "/pending");
        answer(&api, ANNA, "Nothing is waiting").await;
        assert_eq!(texts(&api, ANNA).len(), 3, "{}", api.transcript());
    }
}
