//! Signs in at an IMAP server, and out again.

use std::fmt::Debug;
use std::pin::Pin;

use async_imap::{Authenticator, Client};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::{credential, initial_response, tls};
use crate::accounts::account::{AccountConfig, ServerAddress, ServerTls};

trait Connection: AsyncRead + AsyncWrite + Debug + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> Connection for T {}

/// Answers the first challenge, and any further one, which is an error, with nothing.
struct FirstAnswer(Option<String>);

impl Authenticator for FirstAnswer {
    type Response = String;

    fn process(&mut self, _: &[u8]) -> String {
        self.0.take().unwrap_or_default()
    }
}

pub(super) async fn sign_in(account: &AccountConfig, server: &ServerAddress) -> Result<(), String> {
    let credential = credential(account).await?;
    let stream = TcpStream::connect((server.host.as_str(), server.port)).await;
    let stream = stream.map_err(|cause| format!("cannot be reached: {cause}"))?;
    let stream: Pin<Box<dyn Connection>> = match server.tls {
        ServerTls::Wrapped => Box::pin(secured(account, server, stream).await?),
        ServerTls::Plain => Box::pin(stream),
        ServerTls::StartTls => {
            let mut client = Client::new(stream);
            greeted(&mut client).await?;
            client
                .run_command_and_check_ok("STARTTLS", None)
                .await
                .map_err(|why| says("offers no encryption", &why))?;
            Box::pin(secured(account, server, client.into_inner()).await?)
        }
    };
    let mut client = Client::new(stream);
    if server.tls != ServerTls::StartTls {
        greeted(&mut client).await?;
    }
    let (mechanism, answer) = initial_response(account.login.user(), &credential);
    match client.authenticate(mechanism, FirstAnswer(Some(answer))).await {
        Ok(mut session) => {
            let _ = session.logout().await;
            Ok(())
        }
        Err((why, _)) => {
            if matches!(why, async_imap::error::Error::No(_)) {
                account.login.was_refused();
            }
            Err(says("does not let you in", &why))
        }
    }
}

async fn greeted<T: AsyncRead + AsyncWrite + Debug + Send + Unpin>(client: &mut Client<T>) -> Result<(), String> {
    match client.read_response().await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err("closed the connection without a word".to_owned()),
        Err(cause) => Err(format!("broke off: {cause}")),
    }
}

async fn secured(
    account: &AccountConfig,
    server: &ServerAddress,
    stream: TcpStream,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, String> {
    let name = ServerName::try_from(server.host.clone())
        .map_err(|_| "has no name that a certificate could have".to_owned())?;
    let secured = TlsConnector::from(tls(account)?).connect(name, stream).await;
    secured.map_err(|cause| format!("cannot be spoken to securely: {cause}"))
}

fn says(what: &str, why: &async_imap::error::Error) -> String {
    use async_imap::error::Error;
    match why {
        Error::No(said) | Error::Bad(said) => format!("{what}: {said}"),
        Error::ConnectionLost => format!("{what}: it closed the connection"),
        Error::Io(cause) => format!("{what}: {cause}"),
        _ => format!("{what}: its answer makes no sense"),
    }
}
