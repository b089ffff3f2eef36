//! Drafts and replies.

use brain_language::language::people::NamedBy;
use serde_json::json;

use super::server::Server;
use super::*;
use crate::services::email::compose::composing::Letter;
use crate::services::email::mailbox::source::maildir::Folder;
use brain_core::core::plan::Params;
use brain_core::core::provenance::UntrustedText;

#[tokio::test]
async fn a_draft_is_written_once_read_back_sent_and_gone() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    let first = result(home.run("create_draft", letter(), "d1").await);
    let again = result(home.run("create_draft", letter(), "d1").await);
    assert_eq!(first, again);
    let id = first["draft_id"].as_str().unwrap();
    assert!(id.len() <= 32 && id.chars().all(|c| c.is_ascii_alphanumeric()));
    let owner = &home.ctx.owner;
    let letter_back = home.mailboxes.draft(owner, id).await.unwrap();
    let expected = Letter {
        to: vec!["bob@example.com".into()],
        subject: "Late".into(),
        body: "Sorry, I am late.\n.\nMe  ".into(),
        from: Some("me@example.com".into()),
        ..Letter::default()
    };
    assert_eq!(letter_back, Some(expected));
    assert_eq!(home.listed(Folder::Drafts).await.len(), 1);
    assert_eq!(subjects(&home.search(json!({})).await), Vec::<&str>::new());
    assert_eq!(subjects(&home.search(json!({"text": "my drafts"})).await), ["Late"]);
    let happened = home.happened("create_draft", letter(), "d1").await;
    assert!(matches!(happened, Some(Outcome::Succeeded { .. })), "{happened:?}");
    result(home.run("send_email", letter(), "s1").await);
    assert_eq!(home.mailboxes.draft(owner, id).await.unwrap(), None);
    assert_eq!(home.mails(Folder::Sent).await.len(), 1);
}

#[tokio::test]
async fn a_draft_can_be_taken_back_by_its_owner_only() {
    let home = MailWorld::new();
    let draft = result(home.run("create_draft", letter(), "d1").await);
    let id = draft["draft_id"].as_str().unwrap();
    assert!(!home.mailboxes.delete_draft(&UserId::new("you"), id).await.unwrap());
    assert!(!home.mailboxes.delete_draft(&home.ctx.owner, "../../x").await.unwrap());
    assert!(home.mailboxes.delete_draft(&home.ctx.owner, id).await.unwrap());
    assert!(!home.mailboxes.delete_draft(&home.ctx.owner, id).await.unwrap());
    assert!(home.mails(Folder::Drafts).await.is_empty());
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_in_words() {
    let home = MailWorld::new();
    for bad in [
        "Bob",
        "a b@x.example",
        "a@x",
        "a@x.example\r\nBcc: c@x.example",
        "a@[1.2.3.4]",
        "a@x..example",
        "@x.example",
        "a\0@x.example",
        "a@x.example>",
        "<a@x.example",
    ] {
        let prepared = home.prepare("send_email", json!({"to": [bad], "subject": "s", "body": "b"})).await;
        assert!(matches!(prepared, Prepared::NotFound { .. }), "{bad}: {prepared:?}");
    }
}

async fn ready(home: &MailWorld, command: &str, params: Value) -> (Params, Vec<String>, Vec<UntrustedText>) {
    match home.prepare(command, params).await {
        Prepared::Ready { params, notes, untrusted, .. } => (params, notes, untrusted),
        other => panic!("not ready: {other:?}"),
    }
}

#[tokio::test]
async fn a_stranger_is_noted_until_one_has_written_to_them() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    home.receive("1", &mail("Bob <bob@example.com>", "Hi", "Mon, 4 May 2026 08:00:00 +0000", "", "x"));
    let (_, notes, _) = ready(&home, "send_email", letter()).await;
    assert_eq!(notes, ["first mail to this address: bob@example.com"]);
    result(home.run("send_email", letter(), "1").await);
    let (_, notes, _) = ready(&home, "send_email", letter()).await;
    assert!(notes.is_empty(), "{notes:?}");
}

#[tokio::test]
async fn a_mixed_script_domain_is_shown_and_sent_in_punycode() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    let params = json!({"to": ["bob@exаmple.com"], "subject": "s", "body": "b"});
    let (_, notes, _) = ready(&home, "send_email", params.clone()).await;
    assert_eq!(notes, ["first mail to this address: bob@exаmple.com (that is xn--exmple-4nf.com)"]);
    result(home.run("send_email", params, "1").await);
    assert_eq!(server.saw("RCPT TO:<bob@xn--exmple-4nf.com>"), 1);
}

const PHISHING: &str = "From: Northwind <billing@northwind.example>\nTo: me@example.com\nReply-To: pay@else.example\nSubject: Re: Invoice\nMessage-ID: <p1@x>\nReferences: <p0@x> <bad id\n>\nDate: Mon, 4 May 2026 08:00:00 +0000\n\nPay now.\n";

#[tokio::test]
async fn a_reply_goes_where_the_mail_says_and_says_so() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    home.receive("1", PHISHING);
    let planned = json!({"find_by": "invoice", "body": "No.", "to": ["evil@x.example"], "subject": "Re: Re: hello"});
    let (params, notes, untrusted) = ready(&home, "reply_to_email", planned.clone()).await;
    assert_eq!(params["to"], json!(["pay@else.example"]));
    assert_eq!(params["subject"], "Re: Invoice");
    assert_eq!(notes[0], "replies go to pay@else.example, not to the sender billing@northwind.example");
    assert_eq!(notes[1], "first mail to this address: pay@else.example");
    assert_eq!(untrusted[0].source, "a mail from “Northwind” <billing@northwind.example>");
    result(home.run("reply_to_email", planned, "1").await);
    let sent = &home.mails(Folder::Sent).await[0];
    assert_eq!(sent.references.last().map(String::as_str), Some("p1@x"));
    assert_eq!(sent.to[0].address, "pay@else.example");
    let found = home.search(json!({})).await;
    assert_eq!(found["threads"][0]["messages"], 2, "the answer joins its thread");
}

#[tokio::test]
async fn a_reply_answers_the_last_mail_that_is_not_ones_own() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    home.receive(
        "1",
        &mail("Anna <anna@example.com>", "Plan", "Fri, 1 May 2026 08:00:00 +0000", "Message-ID: <a@x>\n", "When?"),
    );
    let own = "From: me@example.com\nTo: anna@example.com\nSubject: Re: Plan\nMessage-ID: <b@x>\nIn-Reply-To: <a@x>\nDate: Sat, 2 May 2026 08:00:00 +0000\n\nSoon.";
    home.lay(".Sent/cur", "2:2,S", own.as_bytes());
    let (params, notes, _) = ready(&home, "reply_to_email", json!({"find_by": "plan", "body": "Now."})).await;
    assert_eq!(params["to"], json!(["anna@example.com"]));
    assert_eq!(params["subject"], "Re: Plan");
    assert!(notes.is_empty(), "{notes:?}");
}

#[tokio::test]
async fn a_reply_that_failed_keeps_its_place_in_the_conversation() {
    let home = MailWorld::new();
    home.receive("1", PHISHING);
    let reply = json!({"find_by": "invoice", "body": "No."});
    home.run("reply_to_email", reply, "1").await;
    let drafts = home.mails(Folder::Drafts).await;
    assert_eq!(drafts[0].references.last().map(String::as_str), Some("p1@x"));
    assert_eq!(drafts[0].subject, "Re: Invoice");
}

#[tokio::test]
async fn one_is_no_contact_of_oneself() {
    let home = MailWorld::new();
    let own = "From: Me <me@example.com>\nTo: Anna <anna@example.com>, Me <me@example.com>\nSubject: x\n\nx";
    home.lay(".Sent/cur", "1:2,S", own.as_bytes());
    let people = home.correspondents().await;
    let addresses: Vec<&str> = people.iter().map(|person| person.mailbox.address.as_str()).collect();
    assert_eq!(addresses, ["anna@example.com"]);
}

#[tokio::test]
async fn the_name_that_the_owner_uses_comes_before_the_one_that_somebody_chose() {
    let home = MailWorld::new();
    let date = |day: u32| format!("{day} May 2026 08:00:00 +0000");
    let sent = |name: &str, to: &str, day: u32, more: &str| {
        let text = format!("From: Me <me@example.com>\nTo: {to}\nSubject: x\nDate: {}\n{more}\nx", date(day));
        home.lay(".Sent/cur", &format!("{name}:2,S"), text.as_bytes());
    };
    let known = async || {
        let people = home.correspondents().await;
        people.into_iter().map(|p| (p.mailbox.name, p.written, p.named_by)).collect::<Vec<_>>()
    };
    home.receive("1", &mail("Bob <eve@evil.example>", "x", &date(1), "", "x"));
    assert_eq!(known().await, [("Bob".to_owned(), false, NamedBy::Themself)]);
    // What an answer calls them was copied from their mail, or from its Reply-To.
    sent("2", "\"The Boss\" <eve@evil.example>", 2, "In-Reply-To: <1@x>\n");
    assert_eq!(known().await, [("The Boss".to_owned(), true, NamedBy::Themself)]);
    sent("3", "Eve from the fair <eve@evil.example>", 3, "");
    home.receive("4", &mail("Mum <eve@evil.example>", "x", &date(9), "", "x"));
    assert_eq!(known().await, [("Eve from the fair".to_owned(), true, NamedBy::Person)]);
}

#[test]
fn an_answer_has_one_mark_whatever_the_language_and_the_count() {
    use crate::services::email::message::thread::reply_subject;
    for (subject, answer) in [
        ("Lunch", "Re: Lunch"),
        ("Re: Lunch", "Re: Lunch"),
        ("RE: Re[2]: AW: Re (3): Lunch", "Re: Lunch"),
        ("Antw: Lunch: where?", "Re: Lunch: where?"),
        ("Fwd: Lunch", "Re: Fwd: Lunch"),
        ("Ref: 4711", "Re: Ref: 4711"),
        ("Re : Déjeuner", "Re: Déjeuner"),
        ("", "Re:"),
    ] {
        assert_eq!(reply_subject(subject), answer, "{subject}");
    }
}

#[tokio::test]
async fn a_long_conversation_keeps_how_it_began_and_names_no_mail_twice() {
    let home = MailWorld::new();
    let ids: Vec<String> = (0..250).map(|number| format!("<{number}@x>")).collect();
    let more = format!("Message-ID: <last@x>\nIn-Reply-To: <5@x>\nReferences: {} <5@x>\n", ids.join("\n "));
    home.receive("1", &mail("Bob <bob@example.com>", "Long", "Mon, 4 May 2026 08:00:00 +0000", &more, "x"));
    home.run("reply_to_email", json!({"find_by": "long", "body": "Yes."}), "1").await;
    let references = &home.mails(Folder::Drafts).await[0].references;
    assert_eq!((references[0].as_str(), references.len()), ("0@x", 100));
    assert_eq!(references.last().map(String::as_str), Some("last@x"));
    assert_eq!(references.iter().filter(|id| *id == "5@x").count(), 0, "it is among those that are left out");
}

#[tokio::test]
async fn a_blind_copy_reaches_its_reader_and_stands_in_no_mail_that_goes_out() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    let mut copied = letter();
    copied["cc"] = json!(["carla@example.com"]);
    copied["bcc"] = json!(["zoe@example.com"]);
    let drafted = result(home.run("create_draft", copied.clone(), "d1").await);
    let back = home.mailboxes.draft(&home.ctx.owner, drafted["draft_id"].as_str().unwrap()).await.unwrap().unwrap();
    assert_eq!((back.cc, back.bcc), (vec!["carla@example.com".to_owned()], vec!["zoe@example.com".to_owned()]));
    result(home.run("send_email", copied, "s1").await);
    assert!(home.mails(Folder::Drafts).await.is_empty(), "what was sent is a draft no more");

    home.receive("1", &mail("Bob <bob@example.com>", "Hi", "Mon, 4 May 2026 08:00:00 +0000", "", "x"));
    let answer = json!({"find_by": "Hi", "body": "Yes.", "add_cc": ["carla@example.com"], "bcc": ["zoe@example.com"]});
    result(home.run("reply_to_email", answer.clone(), "r1").await);
    let prepared = home.prepare("reply_to_email", answer).await;
    let action = testing::ready(&home.email, "reply_to_email", prepared);
    let reference = home.ctx.reference();
    let subject = crate::services::contract::command::Subject { action: &action, reference: &reference };
    let card = format!("{:?}", home.email.command("reply_to_email").unwrap().card(&subject));
    assert!(card.contains("Cc") && card.contains("Bcc") && card.contains("zoe@example.com"), "{card}");

    let passed_on = json!({"find_by": "Hi", "to": ["tom@example.com"], "bcc": ["zoe@example.com"]});
    result(home.run("forward_email", passed_on, "f1").await);
    for (sent, to) in server.mails().iter().zip([3, 3, 2]) {
        let text = String::from_utf8_lossy(sent);
        assert!(!text.to_lowercase().contains("bcc") && !text.contains("zoe@"), "{to}: {text}");
    }
    assert_eq!((server.mails().len(), server.saw("RCPT TO:<zoe@example.com>")), (3, 3));
}
