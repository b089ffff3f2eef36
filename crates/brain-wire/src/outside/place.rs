//! An address elsewhere that a file names, and what each request to it carries.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};
use secrecy::{ExposeSecret as _, SecretString};

use brain_core::limits;

/// Where something answers over HTTP.
#[derive(Clone)]
pub struct HttpPlace {
    pub url: String,
    pub headers: BTreeMap<String, SecretString>,
}

impl HttpPlace {
    /// With an address that is one.
    pub fn new(url: String, headers: BTreeMap<String, SecretString>) -> Result<Self, String> {
        let parsed = Url::parse(&url).map_err(|error| format!("its url: {error}"))?;
        match parsed.scheme() {
            "http" | "https" => Ok(Self { url, headers }),
            _ => Err("its url has to begin with http:// or https://".to_owned()),
        }
    }

    /// Where it is, without what may be a secret: its password and what stands behind `?`.
    pub fn shown(&self) -> String {
        let Ok(mut url) = Url::parse(&self.url) else { return "a url".to_owned() };
        let _ = url.set_password(None);
        let _ = url.set_username("");
        url.set_query(None);
        url.to_string()
    }

    /// The name of the machine that answers there.
    pub fn host(&self) -> Option<String> {
        Url::parse(&self.url).ok()?.host_str().map(str::to_lowercase)
    }

    /// What each request carries, which nothing shows.
    pub fn headers(&self) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let header = |(name, value): (&String, &SecretString)| {
            let no_header = || format!("“{name}” is no HTTP header that can be sent");
            let name = HeaderName::try_from(name.as_str()).map_err(|_| no_header())?;
            let mut value = HeaderValue::try_from(value.expose_secret()).map_err(|_| no_header())?;
            value.set_sensitive(true);
            Ok((name, value))
        };
        self.headers.iter().map(header).collect()
    }

    /// What requests go out by. A redirect is not followed: it would take the headers elsewhere.
    pub fn client() -> Result<Client, String> {
        let connect = Duration::from_secs(limits::OUTSIDE_CONNECT_SECS);
        let client = Client::builder().redirect(redirect::Policy::none()).connect_timeout(connect).build();
        client.map_err(|error| error.to_string())
    }
}

impl fmt::Debug for HttpPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        f.debug_struct("HttpPlace").field("url", &self.shown()).field("headers", &names).finish()
    }
}
