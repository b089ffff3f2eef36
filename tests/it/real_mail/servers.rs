//! The servers by themselves: what one client puts in, another one reads.

use crate::support::dovecot::Dovecot;

#[test]
fn a_delivered_mail_is_read_by_another_client() {
    let server = Dovecot::setup().user("mara@example.com", "secret").start();
    let mail = "From: Bob <bob@work.example>\r\nMessage-ID: <b1@work.example>\r\nSubject: Hi\r\n\r\nHello Mara\r\n";
    server.deliver("mara@example.com", "INBOX", mail);
    let seen = server.other_client("mara@example.com").only("INBOX", "<b1@work.example>");
    assert_eq!(seen.text(), mail);
    assert_eq!(seen.flags, Vec::<String>::new());
}
