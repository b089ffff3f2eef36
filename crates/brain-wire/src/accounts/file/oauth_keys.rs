//! The table `oauth` of an account.

use reqwest::Url;
use toml_edit::Item;

use super::AccountsPlace;
use super::entry::secret_place;
use super::keys::KeyReader;
use crate::accounts::oauth::OAuthSettings;
use crate::accounts::provider::Provider;
use crate::accounts::secret::SecretPlace;
use crate::accounts::server::is_private;

const KEYS: &[&str] = &[
    "client_id",
    "client_secret",
    "client_secret_file",
    "client_secret_variable",
    "auth_url",
    "token_url",
    "device_url",
    "scopes",
    "redirect_host",
];

/// Reads it over what is known of the provider.
pub(super) fn read(
    account: &mut KeyReader<'_>,
    provider: Option<&Provider>,
    place: &AccountsPlace,
) -> Option<OAuthSettings> {
    let Some(table) = account.item("oauth").and_then(Item::as_table_like) else {
        account.problem("oauth", "must be a table: [account.oauth], with client_id and what else it needs");
        return None;
    };
    let mut keys = KeyReader::new(table, account.title(), "oauth.");
    keys.only(KEYS);
    let settings = settings(&mut keys, provider, place);
    account.problems.append(&mut keys.problems);
    settings
}

fn settings(keys: &mut KeyReader<'_>, provider: Option<&Provider>, place: &AccountsPlace) -> Option<OAuthSettings> {
    if !keys.has("client_id") {
        keys.problem("client_id", "is missing: who are we at the token server?");
    }
    let client_id = keys.text("client_id");
    let client_secret = client_secret(keys, place);
    let [auth_url, token_url, device_url] = ["auth_url", "token_url", "device_url"].map(|key| url(keys, key));
    let scopes = if keys.has("scopes") { keys.texts("scopes") } else { Vec::new() };
    let redirect_host = keys.text("redirect_host");
    if redirect_host.as_deref().is_some_and(|host| !matches!(host, "localhost" | "127.0.0.1")) {
        keys.problem("redirect_host", "must be localhost or 127.0.0.1");
    }
    let known = provider.and_then(|provider| provider.oauth.as_ref());
    let known = known.and_then(|known| known.settings(client_id.clone().unwrap_or_default()));
    let settings = match known {
        Some(known) => OAuthSettings {
            auth_url: auth_url.or(known.auth_url),
            token_url: token_url.unwrap_or(known.token_url),
            device_url: device_url.or(known.device_url),
            client_id: client_id?,
            client_secret,
            scopes: if scopes.is_empty() { known.scopes } else { scopes },
            extra: known.extra,
            redirect_host: redirect_host.unwrap_or(known.redirect_host),
            binding: None,
        },
        None => {
            if !keys.has("token_url") {
                keys.problem("token_url", "is missing: where do tokens come from?");
            }
            OAuthSettings {
                auth_url,
                token_url: token_url?,
                device_url,
                client_id: client_id?,
                client_secret,
                scopes,
                extra: Vec::new(),
                redirect_host: redirect_host.unwrap_or_else(|| "127.0.0.1".to_owned()),
                binding: None,
            }
        }
    };
    if settings.auth_url.is_none() && settings.device_url.is_none() {
        keys.problem("auth_url", "is missing, and device_url is: where does somebody give access?");
    }
    Some(settings)
}

fn client_secret(keys: &mut KeyReader<'_>, place: &AccountsPlace) -> Option<SecretPlace> {
    let all = ["client_secret", "client_secret_file", "client_secret_variable"];
    let given: Vec<&str> = all.into_iter().filter(|key| keys.has(key)).collect();
    match given.as_slice() {
        [] => None,
        ["client_secret"] => keys.text("client_secret").map(|secret| SecretPlace::Value(secret.into())),
        [_] => secret_place(keys, ["client_secret_file", "client_secret_variable"], place),
        [_, second, ..] => {
            keys.problem(second, "stands beside another client secret: take one of them out");
            None
        }
    }
}

fn url(keys: &mut KeyReader<'_>, key: &str) -> Option<Url> {
    let text = keys.text(key)?;
    let url = Url::parse(&text).ok().filter(|url| is_private(url) && url.username().is_empty());
    if url.is_none() {
        keys.problem(key, "must be a https:// address (http:// on this machine)");
    }
    url
}
