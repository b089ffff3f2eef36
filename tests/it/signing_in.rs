//! Signing in to a mail server with what an account has: a password or a token, given again only where it is fresh.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use brain_agent::accounts::{
    AccountConfig, AccountPerson, ChosenCollections, Credential, FixedLogin, Login, LoginError, Sender, ServerAddress,
    ServerTls,
};
use brain_agent::services::email::delivery::send::smtp::{Sent, Smtp};

use crate::support::smtp_server::{Mode, SmtpServer};

/// Tokens that are given one after the other, a new one whenever the last was refused.
#[derive(Debug)]
struct Tokens {
    tokens: &'static [&'static str],
    refused: AtomicUsize,
}

#[async_trait]
impl Login for Tokens {
    fn user(&self) -> &str {
        "alex@work.example"
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        let reconnect = || LoginError::Reconnect("Reconnect the account work, then send it again.".to_owned());
        let token = self.tokens.get(self.refused.load(Ordering::SeqCst)).ok_or_else(reconnect)?;
        Ok(Credential::Bearer((*token).into()))
    }

    fn was_refused(&self) {
        self.refused.fetch_add(1, Ordering::SeqCst);
    }
}

fn account(server: &SmtpServer, login: Arc<dyn Login>) -> AccountConfig {
    let sender = |address: &str| Sender { name: None, address: address.parse().unwrap() };
    AccountConfig {
        id: "work".to_owned(),
        person: AccountPerson::First,
        name: "work".to_owned(),
        addresses: vec![sender("alex@work.example"), sender("am@work.example")],
        login,
        authorities: None,
        imap: None,
        smtp: Some(ServerAddress { host: "127.0.0.1".to_owned(), port: server.port(), tls: ServerTls::Plain }),
        caldav: None,
        carddav: None,
        chosen: ChosenCollections::default(),
        signature: None,
        mail_days: 1,
        files_sent: false,
    }
}

async fn sends(smtp: &Smtp) -> Sent {
    let from = &smtp.senders()[1].address;
    smtp.send(from, &["bob@example.com".parse().unwrap()], b"Subject: Hi\r\nMessage-ID: <1@x>\r\n\r\nHi").await
}

fn with_tokens(server: &SmtpServer, tokens: &'static [&'static str]) -> (Smtp, Arc<Tokens>) {
    let login = Arc::new(Tokens { tokens, refused: AtomicUsize::new(0) });
    (Smtp::of(&account(server, login.clone())).unwrap(), login)
}

#[tokio::test]
async fn a_token_signs_in_by_either_mechanism_and_the_address_that_was_chosen_sends() {
    for mechanisms in ["PLAIN LOGIN XOAUTH2 OAUTHBEARER", "OAUTHBEARER"] {
        let server = SmtpServer::start(Mode::Accept);
        server.offers(mechanisms);
        let (smtp, _) = with_tokens(&server, &["fresh"]);
        assert_eq!(sends(&smtp).await, Sent::Accepted, "{mechanisms}");
        assert_eq!(server.logins(), [("alex@work.example".to_owned(), "fresh".to_owned())]);
        let mails = server.mails();
        assert_eq!((mails[0].from.as_str(), mails[0].user.as_deref()), ("am@work.example", Some("alex@work.example")));
    }
}

#[tokio::test]
async fn a_stale_token_is_asked_for_anew_once_and_the_mail_is_sent_once() {
    for mechanisms in ["XOAUTH2", "OAUTHBEARER"] {
        let server = SmtpServer::start(Mode::Accept);
        server.offers(mechanisms);
        server.makes_stale("old");
        let (smtp, login) = with_tokens(&server, &["old", "fresh"]);
        assert_eq!(sends(&smtp).await, Sent::Accepted, "{mechanisms}");
        assert_eq!((login.refused.load(Ordering::SeqCst), server.deliveries("1@x")), (1, 1));
    }
}

#[tokio::test]
async fn a_token_that_is_refused_twice_is_not_given_a_third_time() {
    let server = SmtpServer::start(Mode::Accept);
    server.offers("XOAUTH2");
    server.makes_stale("old");
    server.makes_stale("older");
    let (smtp, login) = with_tokens(&server, &["old", "older", "fresh"]);
    let sent = sends(&smtp).await;
    assert!(matches!(&sent, Sent::Refused(why) if why.contains("535 5.7.8 The token has expired")), "{sent:?}");
    assert_eq!((login.refused.load(Ordering::SeqCst), server.connections(), server.mails().len()), (2, 2, 0));
}

#[tokio::test]
async fn an_account_that_has_to_be_reconnected_says_so_and_connects_to_nobody() {
    let server = SmtpServer::start(Mode::Accept);
    let (smtp, _) = with_tokens(&server, &[]);
    let why = "Reconnect the account work, then send it again";
    assert_eq!(sends(&smtp).await, Sent::Refused(why.to_owned()));
    assert_eq!((smtp.probe().await, server.connections()), (Err(why.to_owned()), 0));
}

#[tokio::test]
async fn a_probe_signs_in_and_sends_nothing() {
    let server = SmtpServer::start(Mode::Accept);
    let login = Arc::new(FixedLogin::new("alex", "secret"));
    let smtp = Smtp::of(&account(&server, login)).unwrap();
    assert_eq!(smtp.probe().await, Ok(()));
    assert_eq!((server.logins(), server.mails().len()), (vec![("alex".to_owned(), "secret".to_owned())], 0));
    server.set_mode(Mode::AuthFails);
    let why = smtp.probe().await.unwrap_err();
    assert!(why.contains("did not accept user and password: 535"), "{why}");
    assert!(!why.contains("secret") && !format!("{smtp:?}").contains("secret"), "{why}");
    assert_eq!(server.connections(), 2, "a password is given once");
}

#[test]
fn an_account_without_a_server_to_send_by_sends_nothing() {
    let server = SmtpServer::start(Mode::Accept);
    let mut account = account(&server, Arc::new(FixedLogin::new("alex", "secret")));
    account.smtp = None;
    assert!(Smtp::of(&account).is_none());
}

#[tokio::test]
async fn certificates_that_cannot_be_read_are_told_by_their_file() {
    let server = SmtpServer::start(Mode::Accept);
    let mut account = account(&server, Arc::new(FixedLogin::new("alex", "secret")));
    account.smtp = account.smtp.map(|smtp| ServerAddress { tls: ServerTls::Wrapped, ..smtp });
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [("none.pem", None), ("empty.pem", Some("no certificate"))] {
        let path = folder.path().join(file);
        text.into_iter().for_each(|text| std::fs::write(&path, text).unwrap());
        account.authorities = Some(path);
        let why = Smtp::of(&account).unwrap().probe().await.unwrap_err();
        assert!(why.contains("the file of its authorities") && why.contains(file), "{why}");
    }
    assert!(server.logins().is_empty());
}
