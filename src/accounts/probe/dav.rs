//! Asks a WebDAV server for what it calls the person (RFC 5397), which it tells nobody who is not signed in.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode, Url};
use secrecy::ExposeSecret as _;

use crate::accounts::account::AccountConfig;
use crate::accounts::authorities::certificates;
use crate::accounts::login::Credential;
use crate::limits::PROBE_MS;

const WHO_AM_I: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\
                        <propfind xmlns=\"DAV:\"><prop><current-user-principal/></prop></propfind>";

/// Signs in there. The error is a sentence without its server: why not.
pub async fn dav_signs_in(account: &AccountConfig, url: &Url) -> Result<(), String> {
    let credential = account.login.credential().await.map_err(|why| format!("was not asked: {why}"))?;
    let mut builder = reqwest::Client::builder().redirect(Policy::none()).timeout(Duration::from_millis(PROBE_MS));
    if let Some(path) = &account.authorities {
        let own = certificates(path).map_err(|why| format!("was not asked: the file of authorities {why}"))?;
        for authority in own {
            let authority = reqwest::Certificate::from_der(&authority).map_err(|_| "cannot be spoken to".to_owned())?;
            builder = builder.add_root_certificate(authority);
        }
    }
    let client = builder.build().map_err(|_| "cannot be spoken to".to_owned())?;
    let method = Method::from_bytes(b"PROPFIND").map_err(|_| "cannot be spoken to".to_owned())?;
    let request = client.request(method, url.clone()).header("Depth", "0").header("Content-Type", "application/xml");
    let request = match &credential {
        Credential::Password(password) => request.basic_auth(account.login.user(), Some(password.expose_secret())),
        Credential::Bearer(token) => request.bearer_auth(token.expose_secret()),
    };
    let answer = request.body(WHO_AM_I).send().await.map_err(|why| match why.is_timeout() {
        true => "did not answer in time".to_owned(),
        false => "cannot be reached".to_owned(),
    })?;
    match answer.status() {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            account.login.was_refused();
            Err(format!("does not let you in ({})", answer.status().as_u16()))
        }
        StatusCode::MULTI_STATUS | StatusCode::OK => Ok(()),
        // Where a server only says where it is, its password is not sent on; what keeps calendars in step follows it.
        status if status.is_redirection() => Ok(()),
        status => Err(format!("answers with {}, so this is not the address of calendars or contacts", status.as_u16())),
    }
}
