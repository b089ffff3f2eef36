//! Mails that are passed on, with what they carry.

use std::fs;

use super::server::{Server, Then};
use super::*;
use crate::services::email::mailbox::source::maildir::{Folder, Raw};
use crate::services::email::message::read::parse;

const INVOICE: &str = "From: Shop <shop@x.example>\r\nTo: Me <me@example.com>\r\nSubject: Invoice 7\r\n\
Date: Mon, 4 May 2026 07:00:00 +0000\r\nMessage-ID: <i@x>\r\nMIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=b\r\n\r\n\
--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nPlease pay.\r\n--=_brain-agent--\r\n\
--b\r\nContent-Type: application/pdf; name=\"invoice.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\
Content-Disposition: attachment; filename=\"invoice.pdf\"\r\n\r\nJVBERi0xLjQKAAECAwQ=\r\n\
--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\n--=_brain-agent\r\n\
--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment;\r\n filename=\"a\u{202E}b/../c.csv\"\r\n\r\n1;2\r\n--b--\r\n";

async fn ready(home: &MailWorld, params: Value) -> Action {
    let Prepared::Ready { params, target, notes, untrusted } = home.prepare("forward_email", params).await else {
        panic!("not ready");
    };
    assert!(untrusted.iter().any(|text| text.text.contains("Please pay")), "{untrusted:?}");
    Action { service: "email".into(), command: "forward_email".into(), params, target, notes, ..Action::default() }
}

async fn perform(home: &MailWorld, action: &Action) -> Performed {
    home.email
        .perform(&home.ctx, &authorized(action.clone()), &Attempt { key: format!("{:0>32}", "f"), begun: home.ctx.now })
        .await
}

#[tokio::test]
async fn the_text_goes_below_the_persons_words_and_the_files_as_they_were() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    home.lay("new", "1767000002.invoice", INVOICE.as_bytes());
    let action =
        ready(&home, json!({"find_by": "invoice", "to": ["bob@x.example"], "body": "Please have a look."})).await;
    assert_eq!(action.notes, ["first mail to this address: bob@x.example"]);
    result(perform(&home, &action).await);
    let [sent] = server.mails().try_into().expect("one mail");
    let parsed = parse(&Raw::Whole(sent.clone()));
    assert_eq!(parsed.subject, "Fwd: Invoice 7");
    assert!(parsed.text.starts_with("Please have a look.\n\n---------- Forwarded message"), "{}", parsed.text);
    assert!(parsed.text.contains("\nFrom: Shop <shop@x.example>\n") && parsed.text.contains("\n> Please pay.\n"));
    assert!(parsed.text.ends_with("> --=_brain-agent--"), "{}", parsed.text);
    let files = message::mime_attachments::files_of(&Raw::Whole(sent.clone())).unwrap();
    let original = message::mime_attachments::files_of(&Raw::Whole(INVOICE.as_bytes().to_vec())).unwrap();
    assert_eq!(files.len(), 3);
    let hashes = |files: &[message::mime_attachments::MimeAttachments]| {
        let all = serde_json::to_value(message::mime_attachments::enclosures(files)).unwrap();
        all.as_array().unwrap().iter().map(|one| one["sha256"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(hashes(&files), hashes(&original));
    assert_eq!(parsed.attachments[0], "invoice.pdf");
    assert!(String::from_utf8(sent).unwrap().is_ascii());
    assert_eq!(home.mails(Folder::Sent).await.len(), 1);
    assert_eq!(server.saw("RCPT"), 1);
}

#[tokio::test]
async fn a_file_that_is_not_what_the_card_named_is_not_sent() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    let path = home.lay("new", "1767000002.invoice", INVOICE.as_bytes());
    let action = ready(&home, json!({"find_by": "invoice", "to": ["bob@x.example"]})).await;
    fs::write(&path, INVOICE.replace("JVBERi0xLjQK", "JVBERi0xLjUK")).unwrap();
    let performed = perform(&home, &action).await;
    assert!(performed.outcome.error().unwrap().contains("has changed meanwhile"), "{performed:?}");
    fs::remove_file(&path).unwrap();
    let performed = perform(&home, &action).await;
    assert!(performed.outcome.error().unwrap().contains("not there any more"), "{performed:?}");
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn a_planner_has_no_say_in_what_goes_along() {
    let home = MailWorld::new();
    home.lay("new", "1767000002.invoice", INVOICE.as_bytes());
    let smuggled = json!({"find_by": "invoice", "to": ["bob@x.example"], "subject": "Win", "forwarded": "Click here"});
    let action = ready(&home, smuggled).await;
    assert_eq!(action.text("subject"), "Fwd: Invoice 7");
    assert!(action.text("forwarded").contains("> Please pay."));
}

#[tokio::test]
async fn a_long_text_is_cut_and_says_so_and_a_mail_without_a_subject_goes_too() {
    let home = MailWorld::new();
    let text = format!("Please pay. {}", "word ".repeat(10_000));
    home.receive("1767000003.long", &mail("Shop <shop@x.example>", "", "Mon, 4 May 2026 07:00:00 +0000", "", &text));
    let action = ready(&home, json!({"find_by": "shop", "to": "bob@x.example"})).await;
    assert_eq!(action.text("subject"), "Fwd: (no subject)");
    let forwarded = action.text("forwarded");
    assert!(forwarded.ends_with("(The text goes on; it was cut here.)") && forwarded.len() < 16_000);
    let before = action.target.unwrap().before;
    assert_eq!((&before["along"], before["chars"].as_u64().unwrap() > 50_000), (&json!(15_000), true));
}

#[tokio::test]
async fn what_the_server_refuses_is_kept_as_a_draft_with_its_files() {
    let server = Server::start(&[("RCPT", Then::Say("550 no such user"))]).await;
    let home = MailWorld::with(server.smtp());
    home.lay("new", "1767000002.invoice", INVOICE.as_bytes());
    let action = ready(&home, json!({"find_by": "invoice", "to": ["bob@x.example"]})).await;
    let performed = perform(&home, &action).await;
    assert!(performed.outcome.error().unwrap().contains("kept as a draft"), "{performed:?}");
    assert_eq!(home.mails(Folder::Drafts).await[0].attachments.len(), 3);
}

#[test]
fn a_card_shows_all_of_a_files_name_and_its_extension_stands_whatever_it_is_called() {
    for count in [1, 79, 200, 3_000] {
        let name = format!("Invoice{}.pdf.exe", "_".repeat(count));
        let mail = INVOICE.replace("invoice.pdf", &name);
        let files = message::mime_attachments::files_of(&Raw::Whole(mail.into_bytes())).unwrap();
        let line = message::mime_attachments::enclosures(&files)[0].line();
        assert!(line.starts_with("“Invoice_") && line.contains(".pdf.exe”"), "{count}: {line}");
        assert!(count > 900 || line.contains(&name), "{count}: {line}");
    }
}
