//! A connection to a mail server, for reading or sending: plain or by TLS. How many bytes may come is counted by whoever
//! reads: [`crate::services::email::imap`] by commands, [`super::send`] by replies.

use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use brain_core::limits::MAIL_CONNECT_MS;
use brain_core::ports::why_not;
use brain_wire::accounts::{ServerAddress, certificate_trouble, certificates};

/// A connection to a server.
pub(in crate::services::email) enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Socket")
    }
}

impl Socket {
    /// Connects, without a word to the server yet. The error is a sentence's end: why not.
    pub async fn open(server: &ServerAddress) -> Result<Self, String> {
        let connecting = TcpStream::connect((server.host.as_str(), server.port));
        let stream = match timeout(Duration::from_millis(MAIL_CONNECT_MS), connecting).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(cause)) => return Err(why_not(&cause)),
            Err(_) => return Err("it did not answer in time".to_owned()),
        };
        let _ = stream.set_nodelay(true);
        Ok(Self::Plain(stream))
    }

    /// The same, from now on by TLS.
    pub async fn secured(self, host: &str, authorities: Option<&Path>) -> Result<Self, String> {
        let Self::Plain(stream) = self else { return Ok(self) };
        let name = ServerName::try_from(host.to_owned()).map_err(|_| "its name is none that a certificate can have")?;
        let connector = TlsConnector::from(Arc::new(tls(authorities)?));
        match timeout(Duration::from_millis(MAIL_CONNECT_MS), connector.connect(name, stream)).await {
            Ok(Ok(stream)) => Ok(Self::Tls(Box::new(stream))),
            Ok(Err(cause)) => {
                Err(certificate_trouble(&cause).unwrap_or_else(|| format!("no secure connection: {cause}")))
            }
            Err(_) => Err("no secure connection came about in time".to_owned()),
        }
    }
}

/// Whom the servers' certificates are checked against.
fn tls(authorities: Option<&Path>) -> Result<rustls::ClientConfig, String> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = authorities {
        let unusable = |why: String| format!("the file of its authorities, {}, {why}", file.display());
        for authority in certificates(file).map_err(&unusable)? {
            roots.add(authority).map_err(|cause| unusable(format!("cannot be used: {cause}")))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|cause| cause.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, into),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}
