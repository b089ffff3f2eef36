//! Connected, protected as configured, signed in: all that comes before a mail is spoken of.
//!
//! Invariants: a secret goes to nobody before the connection is protected as the account wants it; of what a server did
//! not accept nothing is given again, and a token is asked for anew once.

use std::panic::AssertUnwindSafe;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt as _;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::Auth;
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Response;
use secrecy::ExposeSecret;

use super::super::super::socket::Socket;
use super::replies::{Replies, may_be_secured};
use super::{Smtp, is_done, says};
use brain_wire::accounts::{Credential, Login, LoginError, ServerAddress, ServerTls};
use brain_wire::outside::KnownSecrets;

/// Why nobody is signed in.
enum NotSignedIn {
    /// The server did not take the proof.
    Credential(String),
    /// Anything else: a sentence.
    Other(String),
}

impl Smtp {
    /// A connection that waits for a mail.
    pub(super) async fn connect(&self, server: &ServerAddress) -> Result<AsyncSmtpConnection, String> {
        let Some(login) = &self.login else { return self.open(server).await };
        let mut is_second = false;
        loop {
            let credential = login.credential().await.map_err(|error| match error {
                LoginError::Unavailable(why) | LoginError::Reconnect(why) => why.trim_end_matches('.').to_owned(),
            })?;
            let mut connection = self.open(server).await?;
            let why = match signed_in(&mut connection, server, login.as_ref(), &credential).await {
                Ok(()) => return Ok(connection),
                Err(why) => why,
            };
            connection.abort().await;
            match (why, credential) {
                (NotSignedIn::Other(why), _) => return Err(why),
                (NotSignedIn::Credential(why), Credential::Password(_)) => {
                    login.was_refused();
                    return Err(why);
                }
                (NotSignedIn::Credential(why), Credential::Bearer(_)) => {
                    login.was_refused();
                    if is_second {
                        return Err(why);
                    }
                    is_second = true;
                }
            }
        }
    }

    async fn open(&self, server: &ServerAddress) -> Result<AsyncSmtpConnection, String> {
        let ServerAddress { host, tls, .. } = server;
        let unreachable = |why: String| format!("{host} cannot be reached: {why}");
        let insecure = |why: String| format!("no secure connection to {host}: {why}");
        let domain = self.senders.first().map_or("localhost", |sender| sender.address.domain());
        let hello = ClientId::Domain(domain.to_owned());
        let authorities = self.authorities.as_deref();
        let mut socket = Socket::open(server).await.map_err(&unreachable)?;
        let replies = match tls {
            ServerTls::Plain => Replies::of(socket),
            ServerTls::Wrapped => Replies::of(socket.secured(host, authorities).await.map_err(&unreachable)?),
            ServerTls::StartTls => {
                if !may_be_secured(&mut socket, &hello).await.map_err(&unreachable)? {
                    return Err(format!("{host} offers no encryption (STARTTLS)"));
                }
                Replies::after_greeting(socket.secured(host, authorities).await.map_err(&insecure)?)
            }
        };
        let connecting = AsyncSmtpConnection::connect_with_transport(Box::new(replies), &hello);
        // A feature without a word is more than the transport can bear.
        match AssertUnwindSafe(connecting).catch_unwind().await {
            Ok(connected) => connected.map_err(|error| unreachable(says(&error))),
            Err(_) => Err(unreachable("what it says of itself makes no sense".to_owned())),
        }
    }
}

async fn signed_in(
    connection: &mut AsyncSmtpConnection,
    server: &ServerAddress,
    login: &dyn Login,
    credential: &Credential,
) -> Result<(), NotSignedIn> {
    let host = &server.host;
    let (Credential::Password(secret) | Credential::Bearer(secret)) = credential;
    // It may repeat what it was shown.
    let says = |error: &Error| KnownSecrets::of([secret]).masked(&says(error));
    match credential {
        Credential::Password(password) => {
            let credentials = Credentials::new(login.user().to_owned(), password.expose_secret().to_owned());
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            let answer = connection.auth(&mechanisms, &credentials).await;
            answer.map(|_| ()).map_err(|error| {
                let why = format!("{host} did not accept user and password: {}", says(&error));
                judged(&error, why)
            })
        }
        Credential::Bearer(token) => match bearer(connection, server, login.user(), token.expose_secret()).await {
            Ok(answer) if is_done(&answer) => Ok(()),
            Ok(_) => Err(NotSignedIn::Other(format!("{host} gave an answer to the sign-in that makes no sense"))),
            Err(error) => {
                let why = format!("{host} did not accept the sign-in: {}", says(&error));
                Err(judged(&error, why))
            }
        },
    }
}

/// A refusal for good of what was shown, or anything else: not for now, not like that, not at all.
fn judged(error: &Error, why: String) -> NotSignedIn {
    // A mechanism that the server does not have (RFC 4954, 4) says nothing of the proof.
    let is_of_the_way = error.status().is_some_and(|code| matches!(u16::from(code), 500..=504));
    if error.is_permanent() && !is_of_the_way { NotSignedIn::Credential(why) } else { NotSignedIn::Other(why) }
}

/// By XOAUTH2, or where that is not offered by OAUTHBEARER (RFC 7628).
async fn bearer(
    connection: &mut AsyncSmtpConnection,
    server: &ServerAddress,
    user: &str,
    token: &str,
) -> Result<Response, Error> {
    let (answer, to_reasons) = if connection.server_info().supports_auth_mechanism(Mechanism::Xoauth2) {
        let credentials = Credentials::new(user.to_owned(), token.to_owned());
        (connection.command(Auth::new(Mechanism::Xoauth2, credentials, None)?).await?, "\r\n")
    } else {
        let ServerAddress { host, port, .. } = server;
        let user = user.replace('=', "=3D").replace(',', "=2C");
        let said = format!("n,a={user},\u{1}host={host}\u{1}port={port}\u{1}auth=Bearer {token}\u{1}\u{1}");
        let command = format!("AUTH OAUTHBEARER {}\r\n", STANDARD.encode(said));
        (connection.command(command).await?, "AQ==\r\n")
    };
    if is_done(&answer) {
        return Ok(answer);
    }
    // The reasons come first, as a challenge; what answers it brings the refusal itself.
    connection.command(to_reasons).await
}
