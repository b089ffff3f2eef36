//! A client that makes itself known where nobody has done it before (RFC 7591).

use reqwest::Url;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;

use super::binding::SecretWay;
use super::discovery::{DiscoveryError, IssuerMetadata};
use super::http::TokenHttp;
use brain_core::limits::CLIENT_ID_BYTES_MAX;

/// Who we are at an authorization server.
#[derive(Debug, Clone)]
pub struct RegisteredClient {
    /// Its name for us.
    pub id: String,
    /// How we prove it, where that is wanted.
    pub secret: Option<SecretString>,
    /// How that is sent.
    pub secret_way: SecretWay,
}

#[derive(Deserialize)]
pub(super) struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

impl RegisteredClient {
    /// Makes ourselves known, for an answer at `redirect`.
    pub async fn register(
        http: &TokenHttp,
        issuer: &IssuerMetadata,
        place: &Url,
        redirect: &str,
        scopes: &[String],
    ) -> Result<Self, DiscoveryError> {
        let wanted = issuer.method_wanted();
        let mut about = json!({
            "client_name": "Brain Agent",
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": wanted,
            "application_type": "native",
        });
        if !scopes.is_empty() {
            about["scope"] = scopes.join(" ").into();
        }
        let Some(registered) = http.answer_json::<Registered>(place, &about).await? else {
            let issuer = &issuer.issuer;
            return Err(DiscoveryError(format!(
                "“{issuer}” does not take a client that it does not know: make one there and put its id into the file, \
                 \"oauth\": {{\"clientId\": …}}"
            )));
        };
        if !is_client_id(&registered.client_id) {
            return Err(DiscoveryError(format!("“{}” gives us a name that is none", issuer.issuer)));
        }
        let method = registered.token_endpoint_auth_method.as_deref().unwrap_or(wanted);
        let secret = registered.client_secret.filter(|_| method != "none").map(SecretString::from);
        let secret_way = if method == "client_secret_post" { SecretWay::Post } else { SecretWay::Basic };
        Ok(Self { id: registered.client_id, secret, secret_way })
    }
}

/// A name that can stand in an address and in a form (RFC 6749 A.1).
fn is_client_id(id: &str) -> bool {
    (1..=CLIENT_ID_BYTES_MAX).contains(&id.len()) && id.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}
