//! One `[[account]]`, from its table to an entry.

use std::path::{Path, PathBuf};

use toml_edit::{Item, Table};

use super::keys::{KeyReader, account_title};
use super::oauth_keys;
use super::{AccountEntry, AccountsPlace, PlaceChosenBy, SecretSource};
use crate::accounts::account::{AccountConfig, AccountPerson, Sender};
use crate::accounts::collections::{ChosenCollections, DavKind};
use crate::accounts::provider::{Provider, for_user};
use crate::accounts::secret::SecretPlace;
use crate::accounts::sender::parse_sender;
use crate::accounts::server::{MailProtocol, ServerUrlError, SignedUrl, dav_server, mail_server};
use brain_core::core::text::one_line;
use brain_core::limits::{ACCOUNT_ADDRESSES_MAX, MAIL_DAYS, MAIL_DAYS_MAX, NAME_CHARS_MAX, SIGNATURE_CHARS_MAX};

/// Keys of which exactly one says where the secret is.
pub(super) const SECRETS: [&str; 4] = ["password_file", "password_variable", "password_command", "oauth"];

const KEYS: &[&str] = &[
    "person",
    "name",
    "addresses",
    "user",
    "provider",
    "imap",
    "smtp",
    "caldav",
    "carddav",
    DavKind::Events.key(),
    DavKind::Tasks.key(),
    DavKind::Contacts.key(),
    "signature",
    "mail_days",
    "files_sent",
    "authorities",
    "password_file",
    "password_variable",
    "password_command",
    "oauth",
];

const NO_PASSWORD: &str = "is not taken, so that no password stands in here: write it into a file of its own and name \
                           that as password_file, or run: brain-agent setup account NAME";

/// Reads one; every problem of it is told.
pub(super) fn read(table: &Table, index: usize, place: &AccountsPlace) -> Result<AccountEntry, Vec<String>> {
    let named = table.get("name").and_then(Item::as_str).filter(|name| !name.trim().is_empty());
    let of = named.map_or_else(|| format!("account {}", index + 1), account_title);
    let mut keys = KeyReader::new(table, of, "");
    if keys.has("password") {
        keys.problem("password", NO_PASSWORD);
        keys.only(&[KEYS, &["password"]].concat());
    } else {
        keys.only(KEYS);
    }
    let account = entry(&mut keys, place);
    match account {
        Some(account) if keys.problems.is_empty() => Ok(account),
        _ => Err(keys.problems),
    }
}

/// `None` where something is missing that the rest needs; then there is a problem.
fn entry(keys: &mut KeyReader<'_>, place: &AccountsPlace) -> Option<AccountEntry> {
    let person = person(keys);
    let addresses = addresses(keys);
    let provider = provider(keys);
    let user = keys.text("user");
    let name = name(keys);
    let mail_days = keys.number("mail_days", MAIL_DAYS_MAX).unwrap_or(MAIL_DAYS);
    let chosen = chosen(keys);
    let signature = signature(keys);
    let authorities = keys.text("authorities").and_then(|name| path(keys, "authorities", &name, place));
    let files_sent = keys.truth("files_sent").unwrap_or_else(|| provider.as_ref().is_some_and(|p| p.files_sent));
    let secret = secret(keys, provider.as_ref(), place);
    let first = addresses.first()?;
    let user = user.unwrap_or_else(|| first.address.to_string());
    let known = |pick: fn(&Provider) -> &Option<String>| {
        let address = provider.as_ref().and_then(|provider| pick(provider).as_deref());
        address.map(|address| for_user(address, &user))
    };
    let takes_dav =
        matches!(secret, Some(SecretSource::OAuth(_))) || !provider.as_ref().is_some_and(|p| p.dav_needs_oauth);
    let [imap, smtp] =
        [("imap", MailProtocol::Imap, known(|p| &p.imap)), ("smtp", MailProtocol::Smtp, known(|p| &p.smtp))]
            .map(|(key, protocol, known)| server(keys, key, known, |text| mail_server(text, protocol)));
    let [caldav, carddav] = [("caldav", known(|p| &p.caldav)), ("carddav", known(|p| &p.carddav))]
        .map(|(key, known)| server(keys, key, known.filter(|_| takes_dav), dav_server));
    if imap.is_none() && smtp.is_none() && caldav.is_none() && carddav.is_none() && keys.problems.is_empty() {
        let all =
            Provider::all().into_iter().filter(|p| p.imap.is_some()).map(|p| p.name).collect::<Vec<_>>().join(", ");
        keys.problem(
            "imap",
            format!("is missing, and smtp, caldav and carddav are: name a server, or a provider ({all})"),
        );
    }
    Some(AccountEntry {
        id: AccountConfig::id_of(&person, &first.address),
        name: name.unwrap_or_else(|| first.address.to_string()),
        person,
        user,
        provider: provider.map(|provider| provider.name),
        imap,
        smtp,
        caldav,
        carddav,
        chosen,
        signature,
        mail_days,
        files_sent,
        authorities,
        secret: secret?,
        addresses,
    })
}

fn person(keys: &mut KeyReader<'_>) -> AccountPerson {
    let Some(id) = keys.text("person") else { return AccountPerson::First };
    let is_fine = match id.strip_prefix("tg:") {
        Some(number) => number.parse::<i64>().is_ok_and(|number| number > 0),
        None => id.chars().count() <= NAME_CHARS_MAX && !id.contains(char::is_control),
    };
    if !is_fine {
        keys.problem("person", "must be tg: and a numeric Telegram id, or a name in the terminal");
    }
    AccountPerson::Id(id)
}

fn name(keys: &mut KeyReader<'_>) -> Option<String> {
    let name = keys.text("name")?;
    let is_fine = name.chars().count() <= NAME_CHARS_MAX && one_line(&name) == name;
    if !is_fine {
        keys.problem("name", format!("must be one line of at most {NAME_CHARS_MAX} characters"));
    }
    is_fine.then_some(name)
}

fn addresses(keys: &mut KeyReader<'_>) -> Vec<Sender> {
    if !keys.has("addresses") {
        keys.problem("addresses", "is missing: [\"Anna Example <anna@example.com>\"]");
        return Vec::new();
    }
    let texts = keys.texts("addresses");
    let read: Vec<Option<Sender>> = texts.iter().map(|text| parse_sender(text)).collect();
    if read.contains(&None) {
        keys.problem("addresses", "holds something that is no mail address: “Anna Example <anna@example.com>” is one");
    }
    if read.len() > ACCOUNT_ADDRESSES_MAX {
        keys.problem("addresses", format!("holds more than {ACCOUNT_ADDRESSES_MAX}"));
    }
    let mut addresses: Vec<Sender> = Vec::new();
    for sender in read.into_iter().flatten() {
        if !addresses.iter().any(|known| known.address == sender.address) {
            addresses.push(sender);
        }
    }
    addresses
}

fn provider(keys: &mut KeyReader<'_>) -> Option<Provider> {
    let name = keys.text("provider")?;
    let provider = Provider::named(&name);
    if provider.is_none() {
        let all: Vec<String> = Provider::all().into_iter().map(|provider| provider.name).collect();
        keys.problem("provider", format!("is none that I know; there are {}", all.join(", ")));
    }
    provider
}

/// Which collections take what is new.
fn chosen(keys: &mut KeyReader<'_>) -> ChosenCollections {
    let mut chosen = Vec::new();
    for kind in DavKind::ALL {
        let Some(name) = keys.text(kind.key()) else { continue };
        if name.chars().count() > NAME_CHARS_MAX || one_line(&name) != name {
            keys.problem(kind.key(), format!("must be one line of at most {NAME_CHARS_MAX} characters"));
        }
        chosen.push((kind, name));
    }
    chosen.into_iter().collect()
}

fn signature(keys: &mut KeyReader<'_>) -> Option<String> {
    let text = keys.text("signature")?;
    let is_fine = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if text.chars().count() > SIGNATURE_CHARS_MAX || !text.chars().all(is_fine) {
        keys.problem("signature", format!("must be text of at most {SIGNATURE_CHARS_MAX} characters"));
    }
    Some(text)
}

/// What the key says, else what is known; `false` is none at all.
fn server<T>(
    keys: &mut KeyReader<'_>,
    key: &str,
    known: Option<String>,
    read: impl Fn(&str) -> Result<SignedUrl<T>, ServerUrlError>,
) -> Option<T> {
    if keys.item(key).and_then(Item::as_bool) == Some(false) {
        return None;
    }
    let text = if keys.has(key) { keys.text(key)? } else { known? };
    match read(&text) {
        Ok(SignedUrl { user: None, password: None, from: None, server }) => Some(server),
        Ok(_) => {
            keys.problem(key, "must be the server alone: user, password and sender have keys of their own");
            None
        }
        Err(why) => {
            keys.problem(key, why.to_string());
            None
        }
    }
}

/// A file by its name.
pub(super) fn path(keys: &mut KeyReader<'_>, key: &str, name: &str, place: &AccountsPlace) -> Option<PathBuf> {
    if name.starts_with('~') {
        keys.problem(key, "must be the whole path: ~ is not known here");
        return None;
    }
    Some(place.folder().join(name))
}

/// A file with a secret in it, or a variable; the other keys do not say where it is.
pub(super) fn secret_place(
    keys: &mut KeyReader<'_>,
    [file, variable]: [&str; 2],
    place: &AccountsPlace,
) -> Option<SecretPlace> {
    if keys.has(file) {
        let name = keys.text(file)?;
        path(keys, file, &name, place)?;
        let is_beside = Path::new(&name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if place.chosen_by == PlaceChosenBy::Folder && !is_beside {
            keys.problem(file, foreign("a file beside accounts.toml"));
        }
        return Some(place.secret_file(&name));
    }
    let name = keys.text(variable)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.chars().all(is_name) || name.starts_with(|c: char| c.is_ascii_digit()) {
        keys.problem(variable, "must be the name of a variable of the environment, such as WORK_PASSWORD");
    }
    if place.chosen_by == PlaceChosenBy::Folder {
        keys.problem(variable, foreign("a file beside accounts.toml (password_file)"));
    }
    Some(SecretPlace::Variable(name))
}

/// Anybody can write a folder that somebody is then started in.
fn foreign(instead: &str) -> String {
    format!(
        "is not used, as accounts.toml was found in a folder and nobody but that folder says so: set BRAIN_ACCOUNTS (or \
         BRAIN_DATA_DIR) in the environment, or name {instead}"
    )
}

fn secret(keys: &mut KeyReader<'_>, provider: Option<&Provider>, place: &AccountsPlace) -> Option<SecretSource> {
    let given: Vec<&str> = SECRETS.into_iter().filter(|key| keys.has(key)).collect();
    match given.as_slice() {
        [] if keys.has("password") => None,
        [] => {
            let more = "is missing: exactly one of password_file, password_variable, password_command and oauth says \
                        where the secret is";
            keys.problem("password_file", more);
            None
        }
        ["password_command"] => {
            let words = keys.texts("password_command");
            if place.chosen_by == PlaceChosenBy::Folder {
                keys.problem("password_command", foreign("a file beside accounts.toml (password_file)"));
            }
            (!words.is_empty()).then_some(SecretSource::Command(words))
        }
        ["oauth"] => oauth_keys::read(keys, provider, place).map(|settings| SecretSource::OAuth(Box::new(settings))),
        [_] => secret_place(keys, ["password_file", "password_variable"], place).map(SecretSource::Place),
        [_, second, ..] => {
            keys.problem(second, "stands beside another key that says where the secret is: take one of them out");
            None
        }
    }
}
