//! The mail server against lettre.

use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::SOON;
use crate::support::smtp_server::{Mode, PASSWORD, SmtpServer, USER};

type Transport = AsyncSmtpTransport<Tokio1Executor>;

fn transport(server: &SmtpServer, mechanism: Mechanism) -> Transport {
    Transport::builder_dangerous("127.0.0.1")
        .port(server.port())
        .credentials(Credentials::new(USER.to_owned(), PASSWORD.to_owned()))
        .authentication(vec![mechanism])
        .timeout(Some(SOON))
        .build()
}

fn mail(body: &str) -> Message {
    Message::builder()
        .from("Ann <ann@home.example>".parse().unwrap())
        .to("Bob <bob@work.example>".parse().unwrap())
        .bcc("eve@work.example".parse().unwrap())
        .subject("Grüße aus Köln")
        .message_id(Some("<a1@brain.example>".to_owned()))
        .header(ContentType::TEXT_PLAIN)
        .body(body.to_owned())
        .unwrap()
}

#[tokio::test]
async fn a_mail_is_kept_as_it_was_sent() {
    let server = SmtpServer::start(Mode::Accept);
    let body = "Hello Bob,\r\n.one dot\r\n..two dots\r\n.\r\nBye";
    for mechanism in [Mechanism::Plain, Mechanism::Login] {
        transport(&server, mechanism).send(mail(body)).await.unwrap();
    }
    let mails = server.wait_mails(2, SOON).await;
    let kept = &mails[0];
    assert_eq!(kept.from, "ann@home.example");
    assert_eq!(kept.to, ["bob@work.example", "eve@work.example"], "the envelope holds the blind copy");
    assert!(kept.header("Bcc").is_empty(), "the message does not");
    assert_eq!(kept.header_to, ["bob@work.example"]);
    assert_eq!(kept.subject, "Grüße aus Köln");
    assert_eq!(kept.message_id, "a1@brain.example");
    assert_eq!(kept.body().trim_end(), body);
    assert_eq!(kept.user.as_deref(), Some(USER));
    assert_eq!(server.logins(), vec![(USER.to_owned(), PASSWORD.to_owned()); 2]);
    assert_eq!(server.deliveries("<a1@brain.example>"), 2);
    assert_eq!(server.deliveries("other@brain.example"), 0);
}

#[tokio::test]
async fn refusals_are_permanent_or_passing_as_they_should_be() {
    let server = SmtpServer::start(Mode::RejectRecipient);
    let send = async || transport(&server, Mechanism::Plain).send(mail("hi")).await.unwrap_err();
    let refused = send().await;
    assert!(refused.is_permanent() && refused.to_string().contains("550"), "{refused}");
    server.set_mode(Mode::Busy);
    let busy = send().await;
    assert!(busy.is_transient(), "{busy}");
    server.set_mode(Mode::AuthFails);
    let stranger = send().await;
    assert!(stranger.is_permanent() && stranger.to_string().contains("535"), "{stranger}");
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn lost_answers_are_lost_with_or_without_the_mail() {
    for (mode, kept) in [(Mode::TakeMailAndDropAnswer, 1), (Mode::DropBeforeData, 0)] {
        let server = SmtpServer::start(mode);
        let transport = transport(&server, Mechanism::Plain);
        let sent = tokio::time::timeout(SOON, transport.send(mail("hi"))).await;
        let error = sent.expect("an end").unwrap_err();
        assert!(!error.is_permanent() && !error.is_transient(), "{mode:?} gave a reply: {error}");
        assert_eq!(server.deliveries("a1@brain.example"), kept, "{mode:?}");
        assert_eq!(server.connections(), 1, "{mode:?}");
    }
}

/// lettre's own time-out covers the connecting only: whoever sends must bring a limit.
#[tokio::test]
async fn a_server_that_hangs_is_waited_for_in_vain() {
    for (mode, kept) in [(Mode::HangAfterData, 1), (Mode::HangAtGreeting, 0)] {
        let server = SmtpServer::start(mode);
        let transport = transport(&server, Mechanism::Plain);
        let sending = tokio::spawn(async move { transport.send(mail("hi")).await });
        server.wait_mails(kept, SOON).await;
        let waited = tokio::time::timeout(Duration::from_millis(200), sending).await;
        assert!(waited.is_err(), "{mode:?}: {waited:?}");
        assert_eq!(server.deliveries("a1@brain.example"), kept, "{mode:?}");
    }
}

#[tokio::test]
async fn a_mode_may_change_between_two_mails_of_one_connection() {
    let server = SmtpServer::start(Mode::Busy);
    let transport = transport(&server, Mechanism::Plain);
    assert!(transport.send(mail("hi")).await.is_err());
    server.set_mode(Mode::Accept);
    transport.send(mail("hi")).await.unwrap();
    assert_eq!(server.mails().len(), 1);
}

#[tokio::test]
async fn pipelined_commands_and_rset_work_and_wrong_order_is_refused() {
    let server = SmtpServer::start(Mode::Accept);
    let mut wire = tokio::net::TcpStream::connect(("127.0.0.1", server.port())).await.unwrap();
    let commands = "EHLO me\r\nDATA\r\nRCPT TO:<b@c>\r\nMAIL FROM:<a@b> BODY=8BITMIME SIZE=9\r\n\
        RCPT TO:<b@c>\r\nRSET\r\nDATA\r\nNOOP\r\nJUMP\r\nMAIL FROM:<>\r\nRCPT TO:<b@c>\r\nDATA\r\n\
        Subject: folded\r\n line\r\n\r\n..x\r\n.\r\nQUIT\r\n";
    wire.write_all(commands.as_bytes()).await.unwrap();
    let mut replies = String::new();
    wire.read_to_string(&mut replies).await.unwrap();
    let codes: Vec<&str> = replies.lines().filter(|l| l.as_bytes().get(3) == Some(&b' ')).map(|l| &l[..3]).collect();
    let expected =
        ["220", "250", "503", "503", "250", "250", "250", "503", "250", "500", "250", "250", "354", "250", "221"];
    assert_eq!(codes, expected, "{replies}");
    assert_eq!(server.mails()[0].data, b"Subject: folded\r\n line\r\n\r\n.x\r\n");
    assert_eq!(server.mails()[0].header("subject"), ["folded line"]);
    assert_eq!(server.mails()[0].from, "");
}

#[tokio::test]
async fn a_mail_that_breaks_off_is_not_kept() {
    let server = SmtpServer::start(Mode::Accept);
    let mut wire = tokio::net::TcpStream::connect(("127.0.0.1", server.port())).await.unwrap();
    let commands = "HELO me\r\nMAIL FROM:<a@b>\r\nRCPT TO:<b@c>\r\nDATA\r\nSubject: x\r\n\r\nhalf a";
    wire.write_all(commands.as_bytes()).await.unwrap();
    wire.shutdown().await.unwrap();
    let mut replies = String::new();
    wire.read_to_string(&mut replies).await.unwrap();
    assert!(replies.contains("354"), "{replies}");
    assert!(server.mails().is_empty());
}
