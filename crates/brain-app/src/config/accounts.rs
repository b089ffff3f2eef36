//! The accounts of everybody: where they are written, and how the short forms and the file become one list.

use std::path::PathBuf;

use secrecy::{ExposeSecret as _, SecretString};

use super::reader::{ConfigReader, ValueSource};
use super::{Config, ConfigError};
use brain_wire::accounts::{
    AccountConfig, AccountsPlace, PlaceChosenBy, SecretPlace, ShortForm, ShortUrl, read_accounts, short_form,
};

impl ConfigReader {
    /// Where accounts.toml is, and whether the environment says so.
    pub(super) fn accounts_place(&self) -> AccountsPlace {
        let said = |key: &str| self.values.get(key).map(|(value, source)| (PathBuf::from(value), *source));
        let in_data_dir = said("BRAIN_DATA_DIR").map(|(folder, source)| (folder.join("accounts.toml"), source));
        let default = || (PathBuf::from("data/state/accounts.toml"), ValueSource::File);
        let (path, source) = said("BRAIN_ACCOUNTS").or(in_data_dir).unwrap_or_else(default);
        let chosen_by = match source {
            ValueSource::Environment | ValueSource::Given => PlaceChosenBy::Environment,
            ValueSource::File => PlaceChosenBy::Folder,
        };
        AccountsPlace { path, chosen_by }
    }

    /// One address with user and password, from its key or from the file that its other key names.
    fn short_url(&mut self, key: &str) -> Option<ShortUrl> {
        let file_key = format!("{key}_FILE");
        let file = self.values.get(&file_key).cloned();
        let (url, source): (SecretString, ValueSource) = match (self.values.get(key).cloned(), file) {
            (None, None) => return None,
            (Some(_), Some(_)) => {
                self.problems.push(format!("{key} and {file_key} are both set: take one of them out"));
                return None;
            }
            (Some((url, source)), None) => (url.into(), source),
            (None, Some((path, source))) => {
                match (SecretPlace::File { path: PathBuf::from(&path), within: None }).look_up() {
                    Ok(url) => (url.expose_secret().trim().into(), source),
                    Err(why) => {
                        // The address itself may have been written there.
                        let why = why.to_string().replace(&format!("file {path}"), "file");
                        self.problems.push(format!("{file_key}: {why}"));
                        return None;
                    }
                }
            }
        };
        let place = match source {
            ValueSource::File => "in .env",
            ValueSource::Environment | ValueSource::Given => "in the environment",
        };
        Some(ShortUrl { url, place })
    }

    /// The account in short form, if there is one, and the address that sends.
    pub(super) fn short_form(&mut self) -> (Option<AccountConfig>, Option<SecretString>) {
        let form = ShortForm {
            imap: self.short_url("IMAP_URL"),
            smtp: self.short_url("SMTP_URL"),
            caldav: self.short_url("CALDAV_URL"),
            carddav: self.short_url("CARDDAV_URL"),
        };
        let smtp_url = form.smtp.as_ref().map(|smtp| smtp.url.clone());
        let account = short_form(&form).unwrap_or_else(|problems| {
            self.problems.extend(problems);
            None
        });
        (account, smtp_url)
    }
}

impl Config {
    /// The same with the accounts of accounts.toml. Without that file there are none, unless somebody has named it.
    pub(super) fn with_accounts(mut self, is_named: bool) -> Result<Self, ConfigError> {
        if is_named && !self.accounts_place.path.exists() {
            let missing = "BRAIN_ACCOUNTS names a file that is not there; brain-agent setup account NAME writes it";
            return Err(ConfigError(vec![missing.to_owned()]));
        }
        let entries = read_accounts(&self.accounts_place).map_err(ConfigError)?;
        let mut problems = Vec::new();
        for entry in entries {
            match entry.config(&self.accounts_place) {
                Ok(account) if self.accounts.iter().any(|known| known.id == account.id) => problems.push(format!(
                    "accounts.toml: {} is set as IMAP_URL, SMTP_URL, CALDAV_URL or CARDDAV_URL as well; take it out in one \
                     of the two places",
                    account.addresses.first().map(|first| first.address.to_string()).unwrap_or_default()
                )),
                Ok(account) => self.accounts.push(account),
                Err(why) => problems.push(format!("accounts.toml, account {}: authorities: {why}", entry.name)),
            }
        }
        if problems.is_empty() { Ok(self) } else { Err(ConfigError(problems)) }
    }
}
