//! What tokens are bound to where no configuration says it: for whom they are, who gives them, and as whom.
//!
//! Invariant: it is kept with the tokens, so that a later process sends them nowhere else.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::OAuthSettings;
use super::store::Tokens;
use crate::accounts::secret::SecretPlace;

/// How a client proves itself to a token server (RFC 6749 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretWay {
    /// In a header; it is what every server has to take.
    Basic,
    /// In the request's form.
    Post,
}

/// Who says yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenGrant {
    /// A person, in a browser.
    Person,
    /// Nobody: the client asks for itself (RFC 6749 4.4).
    Client,
}

/// See the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TokenBinding {
    /// The address whose requests carry the token, and no other.
    pub server: String,
    /// That server by its own metadata (RFC 9728); token requests name it (RFC 8707).
    pub resource: String,
    /// Who gives the tokens, by its own metadata (RFC 8414).
    pub issuer: String,
    /// Its answers in a browser say who it is (RFC 9207).
    pub names_issuer: bool,
    /// What was asked for.
    pub scopes: Vec<String>,
    /// Who says yes.
    pub grant: TokenGrant,
    /// How the secret is sent, where there is one.
    pub secret_way: SecretWay,
    /// The secret that came with a registration (RFC 7591); one of a configuration stays there.
    #[serde(skip)]
    pub secret: Option<SecretString>,
}

impl OAuthSettings {
    /// Those that tokens were given by; `secret` is the configuration's. `None`: they are bound to nothing.
    pub fn of_tokens(tokens: &Tokens, secret: Option<SecretString>) -> Option<Self> {
        let binding = tokens.binding.clone()?;
        Some(Self {
            auth_url: None,
            token_url: tokens.token_url.parse().ok()?,
            device_url: None,
            client_id: tokens.client_id.clone(),
            client_secret: secret.or_else(|| binding.secret.clone()).map(SecretPlace::Value),
            scopes: binding.scopes.clone(),
            extra: Vec::new(),
            redirect_host: "127.0.0.1".to_owned(),
            binding: Some(binding),
        })
    }
}
