//! Encrypted conversations with a real server: whom the certificate has to be from, and what is said when it is not.

use brain_agent::accounts::{AccountConfig, ServerAddress, ServerTls};

use super::world::{USER, World, account_at, mail};
use crate::support::byte_proxy::{ByteProxy, Direction, Fault, Manner, Place};
use crate::support::dovecot::{Certificate, Dovecot};

/// The account by TLS; `authority`: it trusts the one that the certificate is from.
fn account(server: &Dovecot, tls: ServerTls, trusts: Option<&Dovecot>) -> AccountConfig {
    let port = if tls == ServerTls::Wrapped { server.tls_port() } else { server.port() };
    let imap = ServerAddress { host: "127.0.0.1".to_owned(), port, tls };
    AccountConfig { imap: Some(imap), authorities: trusts.map(Dovecot::ca_file), ..account_at(port) }
}

fn server(certificate: Certificate) -> Dovecot {
    Dovecot::setup().user(USER, "secret").tls(certificate).start()
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_is_read_by_tls_from_the_first_byte_and_by_starttls() {
    for tls in [ServerTls::Wrapped, ServerTls::StartTls] {
        let server = server(Certificate::Good);
        let account = account(&server, tls, Some(&server));
        let world = World::with(server, account).await;
        world.deliver("INBOX", mail("a", "Lunch", "lunch"));
        assert_eq!(world.synchronised().await.len(), 1, "{tls:?}");
        let log = world.server.log();
        assert!(log.contains("TLS"), "{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_does_not_count_is_told_and_nobody_signs_in() {
    let stranger = server(Certificate::Good);
    for tls in [ServerTls::Wrapped, ServerTls::StartTls] {
        for (certificate, trusted, why) in [
            (Certificate::Good, None, "its certificate was issued by nobody that is trusted here"),
            // It bears the name of the right one.
            (Certificate::Good, Some(&stranger), "its certificate is not accepted"),
            (Certificate::OtherHost, None, "its certificate is for another name"),
            (Certificate::Expired, None, "its certificate has expired"),
        ] {
            let server = server(certificate);
            let is_trusted = certificate != Certificate::Good;
            let account = account(&server, tls, if is_trusted { Some(&server) } else { trusted });
            let world = World::with(server, account).await;
            world.deliver("INBOX", mail("a", "Lunch", "lunch"));
            world.synchronise().await;
            let told = world.account().disconnected.unwrap();
            assert!(told.why.starts_with("127.0.0.1 cannot be reached: ") && told.why.contains(why), "{told:?}");
            assert!(world.held().is_empty() && world.server.logins(USER) == 0, "{}", world.server.log());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_starttls_gets_no_password() {
    let server = Dovecot::setup().user(USER, "secret").start();
    let account = account(&server, ServerTls::StartTls, None);
    let world = World::with(server, account).await;
    world.synchronise().await;
    let told = world.account().disconnected.unwrap();
    assert!(told.why.contains("it offers no encryption (STARTTLS)"), "{told:?}");
    assert_eq!(world.server.logins(USER), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_the_encryption_counts_for_nothing() {
    let server = server(Certificate::Good);
    let proxy = ByteProxy::start(server.port());
    let mut account = account(&server, ServerTls::StartTls, Some(&server));
    account.imap = account.imap.map(|imap| ServerAddress { port: proxy.port(), ..imap });
    let world = World::with(server, account).await;
    world.deliver("INBOX", mail("a", "Lunch", "lunch"));
    let more = b"* CAPABILITY IMAP4rev1 LOGINDISABLED\r\nB2 OK done\r\nB3 OK done\r\n".to_vec();
    // In one piece with the last line in the clear, or behind it.
    for place in [Place::Before("Begin TLS"), Place::Line(2)] {
        proxy.next(Manner::clean().at(Direction::ToClient, place, Fault::Insert(more.clone())));
        world.synchronise().await;
        assert!(world.held().len() <= 1);
        assert_eq!(world.synchronised().await.len(), 1, "{place:?}");
    }
    assert_eq!(proxy.faults(), 2);
}
