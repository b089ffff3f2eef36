//! What a server was given in confidence, hidden in what it says.

use std::sync::Arc;

use reqwest::Url;
use secrecy::SecretString;

use super::config::{McpServer, ServerReach};
use crate::accounts::oauth::TokenStore;
use crate::outside::KnownSecrets;

/// The secrets of one server.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerSecrets {
    known: Arc<KnownOfServer>,
}

#[derive(Debug, Default)]
struct KnownOfServer {
    /// What signs requests in, and is never what an answer is about.
    keys: KnownSecrets,
    /// The variables of a program, which may be: a folder, a name.
    variables: KnownSecrets,
    tokens: Option<TokenStore>,
}

impl ServerSecrets {
    pub(super) fn of(server: &McpServer) -> Self {
        let known = match &server.reach {
            ServerReach::Program(command) => {
                KnownOfServer { variables: KnownSecrets::of(command.env.values()), ..KnownOfServer::default() }
            }
            ServerReach::Url(endpoint) => {
                let of_url = secrets_of(&endpoint.place.url);
                let values = endpoint.place.headers.values().chain(&endpoint.oauth.client_secret).chain(&of_url);
                KnownOfServer {
                    keys: KnownSecrets::of(values),
                    tokens: endpoint.tokens.clone(),
                    ..KnownOfServer::default()
                }
            }
            ServerReach::Unusable(_) => KnownOfServer::default(),
        };
        Self { known: Arc::new(known) }
    }

    /// Words about some trouble, without any of them.
    pub(super) fn masked(&self, words: &str) -> String {
        self.known.variables.masked(&self.keys_masked(words))
    }

    /// Any words, without what signs requests in.
    pub(super) fn keys_masked(&self, words: &str) -> String {
        let words = self.known.keys.masked(words);
        // They change while the server is connected.
        let Some(tokens) = self.known.tokens.as_ref().and_then(|store| store.read().ok()) else { return words };
        let secret = tokens.binding.as_ref().and_then(|binding| binding.secret.as_ref());
        KnownSecrets::of([&tokens.access].into_iter().chain(&tokens.refresh).chain(secret)).masked(&words)
    }
}

/// What may be one in an address: its password, and the values behind `?`.
fn secrets_of(url: &str) -> Vec<SecretString> {
    let Ok(url) = Url::parse(url) else { return Vec::new() };
    let values = url.query_pairs().map(|(_, value)| value.into_owned());
    url.password().map(str::to_owned).into_iter().chain(values).map(SecretString::from).collect()
}
