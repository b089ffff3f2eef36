//! Each way a conversation with a mail server can end, and what it must mean.

use serde_json::json;

use super::server::Server;
use super::server::Then::{Drop, Hang, Say};
use super::*;
use crate::services::email::mailbox::source::maildir::Folder;

fn words(performed: &Performed) -> &str {
    performed.outcome.error().unwrap_or("it succeeded")
}

#[tokio::test]
async fn everything_before_the_final_dot_is_a_failure_that_keeps_the_text() {
    for (at, then, word) in [
        ("*", Say("554 go away"), "554"),
        ("*", Drop, "reached"),
        ("*", Hang, "in time"),
        ("EHLO", Say("500 what"), "500"),
        ("AUTH", Say("535 5.7.8 bad password"), "bad password"),
        ("AUTH", Drop, "user and password"),
        ("MAIL", Say("451 later"), "refused the sender"),
        ("MAIL", Drop, "refused the sender"),
        ("RCPT", Say("550 no such user"), "bob@example.com (550 no such user)"),
        ("RCPT", Drop, "broke off"),
        ("RCPT", Hang, "in time"),
        ("DATA", Say("452 full"), "452 full"),
        ("DATA", Say("250 odd"), "DATA"),
        ("DATA", Drop, "refused the mail"),
        ("DATA", Hang, "in time"),
        (".", Say("554 spam"), "554 spam"),
        (".", Say("451 try later"), "451 try later"),
    ] {
        let server = Server::start(&[(at, then)]).await;
        let home = MailWorld::with(server.smtp());
        let sent = home.run("send_email", letter(), "1").await;
        assert!(matches!(sent.outcome, Outcome::Failed { .. }), "{at} {then:?}: {sent:?}");
        assert!(words(&sent).contains(word), "{at} {then:?}: {}", words(&sent));
        assert!(words(&sent).contains("Nothing was sent. The text is kept as a draft."));
        let drafts = home.mails(Folder::Drafts).await;
        assert_eq!(drafts.len(), 1, "{at} {then:?}");
        assert_eq!(drafts[0].text, "Sorry, I am late.\n.\nMe  ");
        assert!(home.mails(Folder::Sent).await.is_empty());
        assert!(server.saw("EHLO") <= 1, "one attempt is one connection");
    }
}

#[tokio::test]
async fn a_server_nobody_answers_at_is_a_failure() {
    let server = Server::start(&[]).await;
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let url = format!("smtp://127.0.0.1:{port}?from=me@example.com");
    let home = MailWorld::with(Smtp::from_url(&url.into()).unwrap());
    let sent = home.run("send_email", letter(), "1").await;
    assert!(words(&sent).contains("127.0.0.1 cannot be reached"), "{}", words(&sent));
    assert!(words(&sent).contains("kept as a draft"));
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn everything_after_the_final_dot_but_a_clear_answer_is_unknown_and_never_tried_again() {
    for then in [Drop, Hang, Say("what?"), Say("354 more"), Say("99 bottles"), Say("")] {
        let server = Server::start(&[(".", then)]).await;
        let home = MailWorld::with(server.smtp());
        let sent = home.run("send_email", letter(), "1").await;
        assert!(matches!(sent.outcome, Outcome::Unknown { .. }), "{then:?}: {sent:?}");
        assert!(words(&sent).contains("may or may not"), "{}", words(&sent));
        assert_eq!(server.mails().len(), 1);
        assert_eq!(server.saw("EHLO"), 1);
        assert!(home.mails(Folder::Drafts).await.is_empty());
        assert!(home.mails(Folder::Sent).await.is_empty());
        assert_eq!(home.happened("send_email", letter(), "1").await, None);
    }
}

#[tokio::test]
async fn a_connection_that_ends_in_the_middle_of_the_text_is_never_a_success() {
    let server = Server::start(&[("TEXT", Drop)]).await;
    let home = MailWorld::with(server.smtp());
    let mut long = letter();
    long["body"] = "word ".repeat(4_000).into();
    let sent = home.run("send_email", long, "1").await;
    assert!(!matches!(sent.outcome, Outcome::Succeeded { .. }), "{sent:?}");
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn a_text_that_never_reached_its_final_dot_is_certainly_not_sent() {
    let server = Server::start(&[("TEXT", Drop)]).await;
    // More than the buffers between the two hold, so that writing fails before the dot.
    let mail = b"Subject: x\r\n\r\n".iter().chain([b'x'; 80].iter()).copied();
    let mail: Vec<u8> = mail.cycle().take(32 * 1024 * 1024).collect();
    let to = ["bob@example.com".parse().unwrap()];
    let smtp = server.smtp().with_timeout(std::time::Duration::from_secs(60));
    let sent = smtp.send(&"me@example.com".parse().unwrap(), &to, &mail).await;
    assert!(matches!(&sent, delivery::send::smtp::Sent::Refused(why) if why.contains("in the middle")), "{sent:?}");
}

#[tokio::test]
async fn one_refused_recipient_means_nobody_gets_it() {
    let server = Server::start(&[("RCPT TO:<ANNA", Say("550 5.1.1 unknown"))]).await;
    let home = MailWorld::with(server.smtp());
    let mut params = letter();
    params["to"] = json!(["bob@example.com", "anna@example.com", "carl@example.com"]);
    let sent = home.run("send_email", params, "1").await;
    assert!(matches!(sent.outcome, Outcome::Failed { .. }));
    assert!(words(&sent).contains("anna@example.com (550 5.1.1 unknown)"), "{}", words(&sent));
    assert!(!words(&sent).contains("bob@"));
    assert_eq!((server.saw("RCPT"), server.saw("RSET"), server.saw("DATA")), (3, 1, 0));
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn a_sent_mail_lies_in_sent_and_its_attempt_is_recognised() {
    let server = Server::start(&[]).await;
    let home = MailWorld::with(server.smtp());
    let sent = result(home.run("send_email", letter(), "a1").await);
    assert_eq!(sent["filed"], true);
    let wire = server.mails();
    let parsed = message::read::parse(&mailbox::source::maildir::Raw::Whole(wire[0].clone()));
    assert_eq!(parsed.text, "Sorry, I am late.\n.\nMe  ");
    assert_eq!(parsed.from.name, "Me Myself");
    let key = format!("{:0>32}", "a1");
    assert_eq!(parsed.message_id, Some(format!("{key}@example.com")));
    assert_eq!(home.mails(Folder::Sent).await.len(), 1);
    let happened = home.happened("send_email", letter(), &key).await;
    assert!(matches!(happened, Some(Outcome::Succeeded { .. })), "{happened:?}");
}

#[tokio::test]
async fn the_login_is_the_decoded_one_and_never_shown() {
    let server = Server::start(&[]).await;
    let smtp = server.smtp();
    assert!(!format!("{smtp:?}").contains("cret"));
    let home = MailWorld::with(smtp);
    result(home.run("send_email", letter(), "1").await);
    // AUTH PLAIN of NUL me@example.com NUL se:cret
    assert_eq!(server.saw("AUTH PLAIN AG1lQGV4YW1wbGUuY29tAHNlOmNyZXQ="), 1);
}

#[tokio::test]
async fn a_server_elsewhere_without_encryption_gets_no_password() {
    let server = Server::start(&[]).await;
    let url = format!("smtp://u:p@127.0.0.1:{}?from=me@example.com&tls=required", server.port);
    let home = MailWorld::with(Smtp::from_url(&url.into()).unwrap());
    let sent = home.run("send_email", letter(), "1").await;
    assert!(words(&sent).contains("offers no encryption"), "{}", words(&sent));
    assert_eq!((server.saw("AUTH"), server.saw("MAIL")), (0, 0));
}

#[tokio::test]
async fn an_encryption_that_fails_is_a_failure() {
    let offers = ("EHLO", Say("250-test.example\r\n250 STARTTLS"));
    for (scheme, more) in [("smtps", ""), ("smtp", "&tls=required")] {
        let server = Server::start(&[offers]).await;
        let address = format!("127.0.0.1:{}", server.port);
        let url = format!("{scheme}://u:p@{address}?from=me@example.com{more}");
        let smtp = Smtp::from_url(&url.into()).unwrap();
        let home = MailWorld::with(smtp.with_timeout(std::time::Duration::from_secs(2)));
        let sent = home.run("send_email", letter(), "1").await;
        assert!(matches!(sent.outcome, Outcome::Failed { .. }), "{scheme}: {sent:?}");
        assert_eq!((server.saw("AUTH"), server.saw("MAIL")), (0, 0));
    }
}

#[tokio::test]
async fn a_reply_without_an_end_is_not_waited_for_and_after_the_dot_leaves_a_doubt() {
    let long: &str = "250-x".repeat(1_000_000).leak();
    let many: &str = "250-x\r\n".repeat(200_000).leak();
    for reply in [long, many] {
        for place in ["*", "EHLO", "AUTH", "MAIL", "."] {
            let server = Server::start(&[(place, Say(reply))]).await;
            let began = std::time::Instant::now();
            let sent = MailWorld::with(server.smtp()).run("send_email", letter(), "1").await;
            assert!(began.elapsed() < std::time::Duration::from_secs(10), "{place}");
            match place {
                "." => assert!(matches!(sent.outcome, Outcome::Unknown { .. }), "{sent:?}"),
                _ => assert!(words(&sent).contains("said more than an answer may hold"), "{place}: {}", words(&sent)),
            }
            assert_eq!(server.mails().len(), usize::from(place == "."), "{place}");
        }
    }
}

#[tokio::test]
async fn a_server_whose_features_make_no_sense_gets_no_mail() {
    for features in ["250-   \r\n250 ok", "250-\u{2003}\r\n250 AUTH PLAIN", "250-a\r\n251 b", "250"] {
        let server = Server::start(&[("EHLO", Say(features))]).await;
        let smtp = server.smtp().with_timeout(std::time::Duration::from_secs(2));
        let sent = MailWorld::with(smtp).run("send_email", letter(), "1").await;
        assert!(matches!(sent.outcome, Outcome::Failed { .. }), "{features:?}: {sent:?}");
        assert_eq!(server.saw("MAIL"), 0, "{features:?}");
    }
}

#[tokio::test]
async fn what_is_said_behind_the_word_that_a_connection_may_be_secured_ends_it() {
    let offers = ("EHLO", Say("250-test.example\r\n250 STARTTLS"));
    let more = ("STARTTLS", Say("220 go\r\n250-test.example\r\n250 AUTH PLAIN"));
    let server = Server::start(&[offers, more]).await;
    let url = format!("smtp://u:p@127.0.0.1:{}?from=me@example.com&tls=required", server.port);
    let sent = MailWorld::with(Smtp::from_url(&url.into()).unwrap()).run("send_email", letter(), "1").await;
    assert!(words(&sent).contains("more than it was asked before the connection was secure"), "{}", words(&sent));
    assert_eq!((server.saw("AUTH"), server.saw("MAIL")), (0, 0));
}

#[tokio::test]
async fn without_a_server_a_send_fails_honestly_and_keeps_the_draft() {
    let home = MailWorld::new();
    let sent = home.run("send_email", letter(), "1").await;
    assert_eq!(
        words(&sent),
        "No outgoing mail server is set up (SMTP_URL), so nothing was sent. The text is kept as a draft."
    );
    assert_eq!(home.mails(Folder::Drafts).await.len(), 1);
}

#[test]
fn a_wrong_smtp_url_says_what_to_set_and_keeps_the_password_to_itself() {
    for (url, word) in [
        ("", "can be read"),
        ("mail.example.com", "can be read"),
        ("smtp://user:hunter2@mail.example.com", "?from="),
        ("http://user:hunter2@mail.example.com", "smtp:// or smtps://"),
        ("smtp://:hunter2@", "HOST"),
        ("smtps://a%40b.example:hunter2@h?from=nobody", "?from="),
        ("smtps://a%40b.example:hunter2@h?fron=a@b.example", "parameter"),
        ("smtps://a%40b.example:hunter2@h?tls=none", "parameter"),
        ("smtp://a%40b.example:hunter2@h:99999", "can be read"),
        // Where a password ends too early, its rest stands elsewhere.
        ("smtps://a:12/hunter2@h.example", "can be read"),
        ("smtps://a:12#hunter2@h.example", "can be read"),
        ("smtps://a:12?hunter2@h.example", "parameter"),
        ("smtps://a%40b.example:12?from=hunter2@h example", "?from="),
        ("hunter2:x@h.example", "names no host"),
        ("hunter2://x@h.example", "smtp:// or smtps://"),
    ] {
        let error = Smtp::from_url(&url.to_owned().into()).unwrap_err().to_string();
        assert!(error.contains(word), "{url}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn the_user_is_the_sender_when_it_is_an_address() {
    for url in ["smtps://alex%40example.com:p@h.example", "smtps://alex@example.com:p@h.example"] {
        let smtp = Smtp::from_url(&url.to_owned().into()).unwrap();
        assert_eq!(smtp.senders()[0].address.to_string(), "alex@example.com");
    }
}
