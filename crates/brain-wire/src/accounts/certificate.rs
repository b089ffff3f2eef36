//! Certificate of a server: until when it counts, and what is wrong with it.
//!
//! A look lets every certificate pass, so that it can be told what a refused one is: what is connected like this is for
//! looking only, and nothing secret is ever said over it when [`CertificateLook::trouble`] is set.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::account::AccountConfig;
use super::authorities::certificates;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::ACCOUNT_TROUBLE_CHARS;

/// A moment after the end of every certificate: the year 9999. Whoever checks one for then says when it ended.
const AFTER_ALL: Duration = Duration::from_secs(253_400_000_000);

/// The certificate that a server showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CertificateLook {
    /// When it ends; `None` where nobody could read that.
    pub ends: Option<DateTime<Utc>>,
    /// Why it is not accepted; a sentence without its full stop. `None`: it is.
    pub trouble: Option<String>,
}

/// Begins TLS, and keeps what was seen of the certificate, also when it fails after that.
pub(super) async fn look(
    account: &AccountConfig,
    host: &str,
    stream: TcpStream,
    seen: &mut Option<CertificateLook>,
) -> Result<TlsStream<TcpStream>, String> {
    let verifier = Arc::new(LookingVerifier { real: verifier(account)?, seen: Mutex::default() });
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier.clone())
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|_| "its name is none that a certificate can have")?;
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    *seen = verifier.seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    let said = |cause: std::io::Error| one_line(&shorten(&cause.to_string(), ACCOUNT_TROUBLE_CHARS));
    connected.map_err(|cause| format!("it does not speak TLS there: {}", said(cause)))
}

fn verifier(account: &AccountConfig) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for authority in authorities(account)? {
        roots.add(authority).map_err(|error| format!("a certificate of its authorities cannot be used: {error}"))?;
    }
    let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(ring::default_provider()));
    builder.build().map_err(|error| error.to_string())
}

/// The certificates that an account trusts beside those that everybody does.
pub(super) fn authorities(account: &AccountConfig) -> Result<Vec<CertificateDer<'static>>, String> {
    let Some(path) = &account.authorities else { return Ok(Vec::new()) };
    certificates(path).map_err(|why| format!("the file of its authorities, {}, {why}", path.display()))
}

/// Judges as the real one does, keeps the judgement, and lets everything pass.
#[derive(Debug)]
struct LookingVerifier {
    real: Arc<WebPkiServerVerifier>,
    seen: Mutex<Option<CertificateLook>>,
}

impl ServerCertVerifier for LookingVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let judged = |at| self.real.verify_server_cert(end_entity, intermediates, name, ocsp, at);
        // Its own dates are checked before anything else.
        let ends = match judged(UnixTime::since_unix_epoch(AFTER_ALL)) {
            Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
                i64::try_from(not_after.as_secs()).ok().and_then(|secs| DateTime::from_timestamp(secs, 0))
            }
            Ok(_) | Err(_) => None,
        };
        let trouble = judged(now).err().map(|error| in_words(&error));
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(CertificateLook { ends, trouble });
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.real.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.real.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.real.supported_verify_schemes()
    }
}

/// Why no secure connection came about, where that is the certificate's fault; a sentence without its full stop.
pub fn certificate_trouble(cause: &std::io::Error) -> Option<String> {
    let error = cause.get_ref()?.downcast_ref::<Error>()?;
    matches!(error, Error::InvalidCertificate(_)).then(|| in_words(error))
}

fn in_words(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "its certificate has expired".to_owned()
        }
        Error::InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
            "its certificate is not valid yet, or the clock of this machine is wrong".to_owned()
        }
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "its certificate was issued by nobody that is trusted here".to_owned()
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "its certificate is for another name".to_owned(),
        Error::InvalidCertificate(CertificateError::Revoked) => "its certificate was revoked".to_owned(),
        other => {
            format!(
                "its certificate is not accepted: {}",
                one_line(&shorten(&other.to_string(), ACCOUNT_TROUBLE_CHARS))
            )
        }
    }
}
