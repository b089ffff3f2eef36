//! Signs in at an SMTP server, and says nothing more.

use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use secrecy::ExposeSecret as _;

use super::{NO_PEM, credential, pem};
use crate::accounts::account::{AccountConfig, ServerAddress, ServerTls};
use crate::accounts::login::Credential;
use crate::limits::PROBE_MS;

pub(super) async fn sign_in(account: &AccountConfig, server: &ServerAddress) -> Result<(), String> {
    let credential = credential(account).await?;
    let parameters = || {
        let mut builder = TlsParameters::builder(server.host.clone());
        for pem in pem(account)? {
            builder = builder.add_root_certificate(Certificate::from_pem(&pem).map_err(|_| NO_PEM.to_owned())?);
        }
        builder.build().map_err(|why| says("cannot be spoken to securely", &why))
    };
    let wrapped = match server.tls {
        ServerTls::Wrapped => Some(parameters()?),
        ServerTls::StartTls | ServerTls::Plain => None,
    };
    let domain = account.addresses.first().map_or("localhost", |first| first.address.domain());
    let hello = ClientId::Domain(domain.to_owned());
    let bound = Some(Duration::from_millis(PROBE_MS));
    let address = (server.host.as_str(), server.port);
    let connected = AsyncSmtpConnection::connect_tokio1(address, bound, &hello, wrapped, None).await;
    let mut connection = connected.map_err(|why| says("cannot be reached", &why))?;
    if server.tls == ServerTls::StartTls {
        if !connection.can_starttls() {
            connection.abort().await;
            return Err("offers no encryption (STARTTLS)".to_owned());
        }
        let secured = connection.starttls(parameters()?, &hello).await;
        secured.map_err(|why| says("cannot be spoken to securely", &why))?;
    }
    let (mechanisms, secret): (&[Mechanism], _) = match &credential {
        Credential::Password(password) => (&[Mechanism::Plain, Mechanism::Login], password),
        Credential::Bearer(token) => (&[Mechanism::Xoauth2], token),
    };
    let credentials = Credentials::new(account.login.user().to_owned(), secret.expose_secret().to_owned());
    let signed_in = connection.auth(mechanisms, &credentials).await;
    if signed_in.as_ref().is_err_and(|why| why.is_permanent()) {
        account.login.was_refused();
    }
    let outcome = signed_in.map(|_| ()).map_err(|why| says("does not let you in", &why));
    let _ = connection.quit().await;
    outcome
}

fn says(what: &str, why: &Error) -> String {
    use std::error::Error as _;
    match why.source() {
        Some(source) => format!("{what}: {source}"),
        None => format!("{what}: {why}"),
    }
}
