//! Files from the chat that go along with a mail: on the card by name, size and digest, and byte for byte in the mail.

use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::support::bot_api::Say;
use crate::support::smtp_server::Mail;

const REPORT: &[u8] = b"%PDF-1.7\n\x00\xff\xfe not a text\r\n.\r\nFrom me\n";

/// The decoded file of this name.
fn file_in(mail: &Mail, name: &str) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(&mail.data).into_owned();
    let part = text.split("--=_brain-agent").find(|part| part.contains(&format!("filename=\"{name}\"")))?.to_owned();
    let encoded: String = part.split_once("\r\n\r\n")?.1.split_whitespace().collect();
    base64::engine::general_purpose::STANDARD.decode(encoded).ok()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_file_with_a_request_goes_along_with_its_mail_and_no_other() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let _daemon = serve(&installed().smtp(&smtp), &api).await;
    api.say(Say::by(ANNA, SEND).with_file("report.pdf", REPORT));
    let shown = card(&api, ANNA).await;
    let line = format!("“report.pdf” ({} bytes, SHA-256 {}…)", REPORT.len(), digest(REPORT));
    assert!(shown.text.contains(&line), "{}", shown.text);
    assert_eq!(how_many(&api, ANNA, "I can't look into report.pdf"), 1, "{}", api.transcript());
    api.user_says(ANNA, "yes");
    let mail = smtp.wait_mails(1, SOON).await.remove(0);
    assert_eq!(file_in(&mail, "report.pdf").as_deref(), Some(REPORT));
    answer(&api, ANNA, "(with “report.pdf”)").await;

    api.user_says(ANNA, "send an email to ben@example.com saying hello again");
    let other = api.wait_message(ANNA, |message| message.text.contains("ben@example.com"), SOON).await;
    assert!(!other.text.contains("report.pdf"), "{}", other.text);
}

#[tokio::test]
async fn a_file_alone_waits_for_the_next_message_through_a_question() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let _daemon = serve(&installed().smtp(&smtp), &api).await;
    api.say(Say::by(ANNA, "").with_file("report.pdf", REPORT));
    answer(&api, ANNA, "Shall it go along with a mail?").await;
    api.user_says(ANNA, "send an email to bob.miller@example.com");
    answer(&api, ANNA, "What should").await;
    api.user_says(ANNA, "here is the report");
    let shown = card(&api, ANNA).await;
    assert!(shown.text.contains("“report.pdf”"), "{}", shown.text);
    api.user_says(ANNA, "yes");
    let mail = smtp.wait_mails(1, SOON).await.remove(0);
    assert_eq!(file_in(&mail, "report.pdf").as_deref(), Some(REPORT));
}

#[tokio::test]
async fn a_draft_keeps_its_file_until_it_is_sent_and_without_it_means_without_it() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let _daemon = serve(&installed().smtp(&smtp), &api).await;
    api.say(
        Say::by(ANNA, "write an email to bob.miller@example.com saying the report is here")
            .with_file("a b.pdf", REPORT),
    );
    let drafted = answer(&api, ANNA, "Draft for").await;
    assert!(drafted.text.contains("Attached: “a b.pdf”"), "{}", drafted.text);
    let send = drafted.all_buttons().into_iter().find(|button| button.text.contains("Send")).unwrap();
    api.press(ANNA, drafted.id, &send.data);
    let shown = answer(&api, ANNA, "Send this email?").await;
    assert!(shown.text.contains("“a b.pdf”"), "{}", shown.text);
    api.user_says(ANNA, "without the file");
    let without = api
        .wait_message(ANNA, |m| m.id != shown.id && !m.buttons.is_empty() && m.text.contains("Send this email?"), SOON)
        .await;
    assert!(!without.text.contains("a b.pdf"), "{}", without.text);
    api.user_says(ANNA, "yes");
    let mail = smtp.wait_mails(1, SOON).await.remove(0);
    assert_eq!(file_in(&mail, "a b.pdf"), None);
}

#[tokio::test]
async fn a_file_that_is_gone_or_another_by_now_sends_nothing() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let program = installed().smtp(&smtp);
    let _daemon = serve(&program, &api).await;
    api.say(Say::by(ANNA, SEND).with_file("report.pdf", REPORT));
    card(&api, ANNA).await;
    let folder = std::fs::read_dir(program.data_dir().join("files")).unwrap().next().unwrap().unwrap().path();
    for file in std::fs::read_dir(folder).unwrap() {
        std::fs::write(file.unwrap().path(), "something else").unwrap();
    }
    api.user_says(ANNA, "yes");
    answer(&api, ANNA, "I don't have “report.pdf” any more, so nothing was sent").await;
    assert!(smtp.mails().is_empty());
}

/// However its parts arrive: one by one, and with the words on the last of them.
#[tokio::test]
async fn an_album_that_arrives_in_parts_is_one_message() {
    for pause in ["0s", "100ms"] {
        let (api, smtp) = (FakeBotApi::start().await, mail_server());
        let _daemon = serve(&installed().smtp(&smtp).env("BRAIN_DEBOUNCE", pause), &api).await;
        let part = |text: &str, name: &str| {
            Say::by(ANNA, text).with_file(name, name.as_bytes()).field("media_group_id", json!("77"))
        };
        api.say(part("", "one.pdf"));
        // It is kept by then, and comes in a batch of its own.
        api.wait_acknowledged(SOON).await;
        api.say(part(SEND, "two.pdf"));
        let shown = card(&api, ANNA).await;
        let is_whole = shown.text.contains("“one.pdf”") && shown.text.contains("“two.pdf”");
        assert!(is_whole, "{pause}: {}", api.transcript());
        assert_eq!(how_many(&api, ANNA, "Shall it go along"), 0, "{pause}: {}", api.transcript());
        let cards = api.messages(ANNA).iter().filter(|message| !message.buttons.is_empty()).count();
        assert_eq!(cards, 1, "{pause}: {}", api.transcript());
    }
}
