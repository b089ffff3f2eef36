//! Postfix as the tests start it, against lettre.

use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{Certificate as Authority, Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport};

use super::SOON;
use crate::support::dovecot::{Certificate, Dovecot};
use crate::support::postfix::Postfix;

const MARA: &str = "mara@example.com";
const BOB: &str = "bob@work.example";

fn dovecot() -> Dovecot {
    Dovecot::setup().user(MARA, "secret").user(BOB, "pass").start()
}

fn transport(port: u16, password: &str, tls: Tls) -> SmtpTransport {
    SmtpTransport::builder_dangerous("127.0.0.1")
        .port(port)
        .tls(tls)
        .credentials(Credentials::new(MARA.to_owned(), password.to_owned()))
        .authentication(vec![Mechanism::Plain])
        .timeout(Some(SOON))
        .build()
}

fn mail(from: &str, to: &str, id: &str) -> Message {
    let mail = Message::builder().from(from.parse().unwrap()).to(to.parse().unwrap());
    mail.subject("Grüße").message_id(Some(format!("<{id}>"))).body("Hello\r\n.dot\r\n".to_owned()).unwrap()
}

#[test]
fn what_is_submitted_lies_in_the_other_persons_box_once() {
    let dovecot = dovecot();
    let postfix = Postfix::setup().start(&dovecot);
    transport(postfix.port(), "secret", Tls::None).send(&mail(MARA, BOB, "a1@example.com")).unwrap();
    postfix.wait_empty(SOON);
    let seen = dovecot.other_client(BOB).only("INBOX", "a1@example.com");
    assert!(seen.text().contains("\r\n\r\nHello\r\n.dot\r\n"), "{}", seen.text());
    assert!(dovecot.other_client(MARA).messages("INBOX").is_empty());
    assert!(dovecot.other_client(MARA).messages("Sent").is_empty());
    assert_eq!(postfix.taken(), 1);
}

#[test]
fn refusals_are_those_of_a_real_server() {
    let dovecot = dovecot();
    let postfix = Postfix::setup().alias("m@home.example", MARA).start(&dovecot);
    let send = |password: &str, mail: &Message| {
        let sent = transport(postfix.port(), password, Tls::None).send(mail);
        sent.map(|_| ()).map_err(|error| error.status().map_or_else(|| error.to_string(), |code| code.to_string()))
    };
    let refused = |sent: Result<(), String>, code: &str| assert_eq!(sent, Err(code.to_owned()));
    refused(send("wrong", &mail(MARA, BOB, "a1@example.com")), "535");
    refused(send("secret", &mail(MARA, "nobody@work.example", "a2@example.com")), "550");
    refused(send("secret", &mail(BOB, BOB, "a3@example.com")), "553");
    send("secret", &mail("m@home.example", BOB, "a4@example.com")).unwrap();
    // A domain that is not the test's: taken, and back as a bounce.
    send("secret", &mail(MARA, "eve@elsewhere.example", "a5@example.com")).unwrap();
    postfix.wait_empty(SOON);
    dovecot.other_client(BOB).only("INBOX", "a4@example.com");
    assert_eq!(dovecot.other_client(BOB).messages("INBOX").len(), 1);
    let back = dovecot.other_client(MARA).messages("INBOX");
    assert_eq!(back.len(), 1);
    assert!(back[0].text().contains("nothing leaves this machine"), "{}", back[0].text());
}

#[test]
fn it_files_what_was_sent_where_it_is_asked_to() {
    let dovecot = dovecot();
    let postfix = Postfix::setup().files_sent().start(&dovecot);
    transport(postfix.port(), "secret", Tls::None).send(&mail(MARA, BOB, "a1@example.com")).unwrap();
    postfix.wait_empty(SOON);
    dovecot.other_client(BOB).only("INBOX", "a1@example.com");
    dovecot.other_client(MARA).only("Sent", "a1@example.com");
}

#[test]
fn it_speaks_tls_from_the_first_byte_or_by_starttls() {
    let dovecot = Dovecot::setup().user(MARA, "secret").tls(Certificate::Good).start();
    let postfix = Postfix::setup().start(&dovecot);
    let authority = Authority::from_pem(&std::fs::read(dovecot.ca_file()).unwrap()).unwrap();
    let tls =
        || TlsParameters::builder("127.0.0.1".to_owned()).add_root_certificate(authority.clone()).build().unwrap();
    transport(postfix.tls_port(), "secret", Tls::Wrapper(tls())).send(&mail(MARA, MARA, "a1@example.com")).unwrap();
    transport(postfix.port(), "secret", Tls::Required(tls())).send(&mail(MARA, MARA, "a2@example.com")).unwrap();
    postfix.wait_empty(SOON);
    assert_eq!(dovecot.other_client(MARA).messages("INBOX").len(), 2);
}

#[test]
fn what_it_took_survives_its_death() {
    let dovecot = dovecot();
    let mut postfix = Postfix::setup().setting("defer_transports = virtual").start(&dovecot);
    transport(postfix.port(), "secret", Tls::None).send(&mail(MARA, BOB, "a1@example.com")).unwrap();
    assert!(!postfix.queue_is_empty());
    postfix.stop();
    assert!(transport(postfix.port(), "secret", Tls::None).send(&mail(MARA, BOB, "a2@example.com")).is_err());
    postfix.start_again();
    assert_eq!(postfix.queue().len(), 1, "{}", postfix.log());
}
