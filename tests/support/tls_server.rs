//! A server over TLS that says what a test wants, with certificates that were made for this: of an authority that nobody
//! trusts unless told to, for `localhost`. The key is nobody's secret.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::wire::Background;

/// The certificate that the server shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// One that counts, until 2099.
    Valid,
    /// One that ended with 2020.
    Expired,
}

/// How the server begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With TLS, then with these words.
    Wrapped(&'static str),
    /// With these words; once it has heard `STARTTLS`, with those, and then TLS.
    Plain(&'static str, &'static str),
    /// Takes every connection and never says a word.
    Silent,
}

/// The server; stops when dropped.
#[derive(Debug)]
pub struct TlsServer {
    background: Background,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/tls")
}

/// The certificate of the authority, for whoever is to trust it.
pub fn authority() -> PathBuf {
    folder().join("authority.pem")
}

impl TlsServer {
    pub fn start(begins: Begins, shows: Shows) -> Self {
        let file = if shows == Shows::Valid { "server.pem" } else { "expired.pem" };
        let chain = vec![CertificateDer::from_pem_file(folder().join(file)).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_file(folder().join("server.key")).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_no_client_auth().with_single_cert(chain, key).expect("a pair");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let background = Background::start("tls-server", move |listener| serve(listener, acceptor, begins));
        Self { background }
    }

    pub fn port(&self) -> u16 {
        self.background.addr().port()
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, begins: Begins) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move { meet(stream, acceptor, begins).await });
    }
}

async fn meet(mut stream: TcpStream, acceptor: TlsAcceptor, begins: Begins) -> Option<()> {
    match begins {
        Begins::Wrapped(words) => {
            let mut stream = acceptor.accept(stream).await.ok()?;
            stream.write_all(words.as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        Begins::Plain(words, then) => {
            stream.write_all(words.as_bytes()).await.ok()?;
            let mut said = String::new();
            while !said.contains("STARTTLS\r\n") {
                let mut bytes = [0; 256];
                let read = stream.read(&mut bytes).await.ok().filter(|read| *read > 0)?;
                said.push_str(&String::from_utf8_lossy(&bytes[..read]));
                if said.ends_with("EHLO localhost\r\n") {
                    stream.write_all(b"250-localhost\r\n250 STARTTLS\r\n").await.ok()?;
                }
            }
            stream.write_all(then.as_bytes()).await.ok()?;
            let _open = acceptor.accept(stream).await.ok()?;
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        Begins::Silent => {
            let _open = stream;
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
    }
    Some(())
}
