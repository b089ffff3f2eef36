//! What is known of providers: their servers, and how one gets access. Data, in `data/accounts/providers.toml`.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use toml_edit::{Item, Table};

use super::oauth::OAuthSettings;

const PROVIDERS: &str = include_str!("../../../../data/accounts/providers.toml");

/// How to get something at a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderSteps {
    /// Where, if there is one page for everybody.
    pub page: Option<String>,
    /// What to do there, one sentence or two each.
    pub steps: Vec<String>,
}

/// A provider's token server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderOAuth {
    /// Where a browser goes.
    pub auth_url: String,
    /// Where tokens come from.
    pub token_url: String,
    /// Where codes for another device come from, if it gives any.
    pub device_url: Option<String>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// What else the page is told.
    pub extra: Vec<(String, String)>,
    /// The name of this machine that its registration takes.
    pub redirect_host: String,
    /// A client of one's own has a secret there.
    pub needs_secret: bool,
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// As it stands in accounts.toml.
    pub name: String,
    /// As people call it.
    pub label: String,
    /// Domains whose mail it keeps.
    pub domains: Vec<String>,
    /// Its servers, each with `{user}` for the user's name.
    pub imap: Option<String>,
    /// The same.
    pub smtp: Option<String>,
    /// The same.
    pub caldav: Option<String>,
    /// The same.
    pub carddav: Option<String>,
    /// Where calendars and contacts are, below an address that everybody has their own of.
    pub dav_path: Option<String>,
    /// Calendars and contacts take no app password.
    pub dav_needs_oauth: bool,
    /// It files what was sent by itself.
    pub files_sent: bool,
    /// How to get an app password; `None`: it takes none.
    pub password: Option<ProviderSteps>,
    /// Its token server, if it has one for everybody.
    pub oauth: Option<ProviderOAuth>,
    /// How to get a client id.
    pub client: Option<ProviderSteps>,
}

impl Provider {
    /// All of them, the best known first, the generic one last.
    pub fn all() -> Vec<Self> {
        let document: toml_edit::DocumentMut = PROVIDERS.parse().unwrap_or_default();
        document.iter().filter_map(|(name, item)| Some(Self::of(name, item.as_table()?))).collect()
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|provider| provider.name == name)
    }

    /// The one that keeps the mail of an address, as far as its domain tells.
    pub fn of_address(address: &str) -> Option<Self> {
        let (_, domain) = address.rsplit_once('@')?;
        let domain = domain.to_lowercase();
        Self::all().into_iter().find(|provider| provider.domains.contains(&domain))
    }

    fn of(name: &str, table: &Table) -> Self {
        let below = |key: &str| table.get(key).and_then(Item::as_table);
        Self {
            name: name.to_owned(),
            label: text(table, "label").unwrap_or_else(|| name.to_owned()),
            domains: texts(table, "domains"),
            imap: text(table, "imap"),
            smtp: text(table, "smtp"),
            caldav: text(table, "caldav"),
            carddav: text(table, "carddav"),
            dav_path: text(table, "dav_path"),
            dav_needs_oauth: truth(table, "dav_needs_oauth"),
            files_sent: truth(table, "files_sent"),
            password: below("password").map(steps),
            oauth: below("oauth").and_then(oauth),
            client: below("client").map(steps),
        }
    }
}

impl ProviderOAuth {
    /// Its settings for a client; `None`: its data is broken, which a test would find.
    pub(super) fn settings(&self, client_id: String) -> Option<OAuthSettings> {
        Some(OAuthSettings {
            auth_url: Some(self.auth_url.parse().ok()?),
            token_url: self.token_url.parse().ok()?,
            device_url: self.device_url.as_ref().and_then(|url| url.parse().ok()),
            client_id,
            client_secret: None,
            scopes: self.scopes.clone(),
            extra: self.extra.clone(),
            redirect_host: self.redirect_host.clone(),
            binding: None,
        })
    }
}

/// An address of the data, for this user.
pub(super) fn for_user(address: &str, user: &str) -> String {
    address.replace("{user}", &utf8_percent_encode(user, NON_ALPHANUMERIC).to_string())
}

fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Item::as_str).map(str::to_owned)
}

fn truth(table: &Table, key: &str) -> bool {
    table.get(key).and_then(Item::as_bool).unwrap_or(false)
}

fn texts(table: &Table, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(Item::as_array);
    list.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

fn steps(table: &Table) -> ProviderSteps {
    ProviderSteps { page: text(table, "page"), steps: texts(table, "steps") }
}

fn oauth(table: &Table) -> Option<ProviderOAuth> {
    let pairs = table.get("extra").and_then(Item::as_array);
    let pair = |value: &toml_edit::Value| {
        let pair = value.as_array()?;
        Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned()))
    };
    Some(ProviderOAuth {
        auth_url: text(table, "auth_url")?,
        token_url: text(table, "token_url")?,
        device_url: text(table, "device_url"),
        scopes: texts(table, "scopes"),
        extra: pairs.into_iter().flatten().filter_map(pair).collect(),
        redirect_host: text(table, "redirect_host")?,
        needs_secret: truth(table, "needs_secret"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::server::{MailProtocol, dav_server, mail_server};

    #[test]
    fn what_is_known_of_providers_can_be_used() {
        let all = Provider::all();
        let names: Vec<&str> = all.iter().map(|provider| provider.name.as_str()).collect();
        assert_eq!(names, ["google", "microsoft", "fastmail", "icloud", "nextcloud", "generic"]);
        for provider in all {
            let name = &provider.name;
            let mail = |address: &Option<String>, protocol| {
                address.iter().all(|address| mail_server(address, protocol).is_ok())
            };
            assert!(mail(&provider.imap, MailProtocol::Imap) && mail(&provider.smtp, MailProtocol::Smtp), "{name}");
            for address in provider.caldav.iter().chain(&provider.carddav) {
                assert!(dav_server(&for_user(address, "anna@example.com")).is_ok(), "{name}");
            }
            assert!(provider.password.is_some() || provider.oauth.is_some(), "{name}: no way in");
            for way in provider.password.iter().chain(&provider.client) {
                assert!(!way.steps.is_empty() && way.page.iter().all(|page| page.starts_with("https://")), "{name}");
            }
            if let Some(oauth) = &provider.oauth {
                let settings = oauth.settings("id".to_owned()).unwrap();
                assert!(settings.auth_url.is_some() && !settings.scopes.is_empty(), "{name}");
                assert_eq!(settings.device_url.is_some(), oauth.device_url.is_some(), "{name}");
                assert!(provider.client.is_some(), "{name}: nobody knows how to get a client id");
            }
        }
        assert_eq!(Provider::of_address("Anna@GMail.com").unwrap().name, "google");
        assert_eq!(Provider::of_address("anna@example.com"), None);
        let google = Provider::named("google").unwrap();
        assert!(for_user(&google.caldav.unwrap(), "a@b.c").ends_with("/v2/a%40b%2Ec/user"));
    }
}
