//! The servers by themselves: what one client puts in, another one reads.

use std::time::Duration;

use lettre::transport::smtp::authentication::Credentials;
use lettre::{Message, SmtpTransport, Transport};

use crate::support::dovecot::Dovecot;
use crate::support::postfix::Postfix;

#[test]
fn a_delivered_mail_is_read_by_another_client() {
    let server = Dovecot::setup().user("mara@example.com", "secret").start();
    let mail = "From: Bob <bob@work.example>\r\nMessage-ID: <b1@work.example>\r\nSubject: Hi\r\n\r\nHello Mara\r\n";
    server.deliver("mara@example.com", "INBOX", mail);
    let seen = server.other_client("mara@example.com").only("INBOX", "<b1@work.example>");
    assert_eq!(seen.text(), mail);
    assert_eq!(seen.flags, Vec::<String>::new());
}

#[test]
fn a_submitted_mail_is_read_in_the_recipients_box() {
    let (mara, bob) = ("mara@example.com", "bob@work.example");
    let dovecot = Dovecot::setup().user(mara, "secret").user(bob, "pass").start();
    let postfix = Postfix::setup().start(&dovecot);
    let transport = SmtpTransport::builder_dangerous("127.0.0.1")
        .port(postfix.port())
        .credentials(Credentials::new(mara.to_owned(), "secret".to_owned()))
        .build();
    let mail = Message::builder().from(mara.parse().unwrap()).to(bob.parse().unwrap()).subject("Lunch?");
    let mail = mail.message_id(Some("<a1@example.com>".to_owned())).body("At noon?\r\n".to_owned()).unwrap();
    transport.send(&mail).unwrap();
    postfix.wait_empty(Duration::from_secs(60));
    let seen = dovecot.other_client(bob).only("INBOX", "<a1@example.com>");
    assert!(
        seen.text().contains("Subject: Lunch?\r\n") && seen.text().contains("\r\n\r\nAt noon?\r\n"),
        "{}",
        seen.text()
    );
    assert_eq!(dovecot.other_client(bob).messages("INBOX").len(), 1);
}
