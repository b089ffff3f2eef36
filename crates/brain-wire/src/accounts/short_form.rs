//! One account in four settings: `IMAP_URL`, `SMTP_URL`, `CALDAV_URL`, `CARDDAV_URL`, the first admin's.
//!
//! The four are one account with one login. `SMTP_URL` may be the only one, or sign in otherwise than the rest; then this
//! account has no [`AccountConfig::smtp`], and its mail goes out by `SMTP_URL` alone, as it does where nothing else is
//! set. What is wrong with `SMTP_URL` is told by what sends.
//!
//! Invariants: a problem names a key and shows no value; a password goes only to an address that comes from where the
//! password comes from.

use std::sync::Arc;

use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

use super::account::{AccountConfig, AccountPerson, Sender};
use super::collections::ChosenCollections;
use super::login::FixedLogin;
use super::provider::Provider;
use super::sender::parse_sender;
use super::server::{MailProtocol, ServerUrlError, SignedUrl, dav_server, mail_server};
use brain_core::limits::MAIL_DAYS;

/// An address with user and password in it.
#[derive(Debug, Clone)]
pub struct ShortUrl {
    /// The address.
    pub url: SecretString,
    /// Where it is set, for messages; equal where a password of one may go to the address of another.
    pub place: &'static str,
}

/// What is set of the four.
#[derive(Debug, Clone, Default)]
pub struct ShortForm {
    /// `IMAP_URL`.
    pub imap: Option<ShortUrl>,
    /// `SMTP_URL`.
    pub smtp: Option<ShortUrl>,
    /// `CALDAV_URL`.
    pub caldav: Option<ShortUrl>,
    /// `CARDDAV_URL`.
    pub carddav: Option<ShortUrl>,
}

/// One of them, read.
struct ShortPart<T> {
    key: &'static str,
    place: &'static str,
    url: SignedUrl<T>,
}

/// What all of them are asked for.
struct SignIn<'a> {
    key: &'static str,
    place: &'static str,
    user: Option<&'a str>,
    password: &'a str,
    from: Option<&'a Sender>,
}

impl<T> ShortPart<T> {
    fn sign_in(&self) -> SignIn<'_> {
        SignIn {
            key: self.key,
            place: self.place,
            user: self.url.user.as_deref(),
            password: self.url.password.as_ref().map(|password| password.expose_secret()).unwrap_or_default(),
            from: self.url.from.as_ref(),
        }
    }
}

/// The account that is set, if one is; or what is wrong.
pub fn short_form(form: &ShortForm) -> Result<Option<AccountConfig>, Vec<String>> {
    let mut problems = Vec::new();
    let imap = part("IMAP_URL", form.imap.as_ref(), |text| mail_server(text, MailProtocol::Imap), &mut problems);
    let caldav = part("CALDAV_URL", form.caldav.as_ref(), dav_server, &mut problems);
    let carddav = part("CARDDAV_URL", form.carddav.as_ref(), dav_server, &mut problems);
    let smtp = part("SMTP_URL", form.smtp.as_ref(), |text| mail_server(text, MailProtocol::Smtp), &mut Vec::new());
    let read: Vec<SignIn<'_>> = [
        imap.as_ref().map(ShortPart::sign_in),
        caldav.as_ref().map(ShortPart::sign_in),
        carddav.as_ref().map(ShortPart::sign_in),
    ]
    .into_iter()
    .flatten()
    .collect();
    let sent = smtp.as_ref().map(ShortPart::sign_in);
    let login = read.iter().chain(&sent).find(|part| part.user.is_some());
    problems.extend(read.iter().filter_map(|part| apart(part, login)));
    if !problems.is_empty() {
        return Err(problems);
    }
    // A relay that nobody signs in to is no account.
    let Some((login, user)) = login.and_then(|login| Some((login, login.user?))) else { return Ok(None) };
    let addresses = addresses(sent.iter().chain(&read), user);
    let Some(first) = addresses.first() else {
        let key = login.key;
        let missing =
            format!("{key} does not say whose it is: add ?from=you@example.com (its user is no mail address)");
        return if read.is_empty() { Ok(None) } else { Err(vec![missing]) };
    };
    let signs_in_alike = |sent: &SignIn<'_>| {
        !read.is_empty() && (sent.user, sent.password) == (login.user, login.password) && sent.place == login.place
    };
    let sends = sent.as_ref().is_some_and(signs_in_alike);
    let host = imap.as_ref().map(|part| part.url.server.host.clone());
    Ok(Some(AccountConfig {
        id: AccountConfig::id_of(&AccountPerson::First, &first.address),
        person: AccountPerson::First,
        name: first.address.to_string(),
        login: Arc::new(FixedLogin::new(user, login.password)),
        authorities: None,
        files_sent: host.is_some_and(|host| files_sent(&host)),
        imap: imap.as_ref().map(|part| part.url.server.clone()),
        smtp: smtp.as_ref().filter(|_| sends).map(|part| part.url.server.clone()),
        caldav: caldav.as_ref().map(|part: &ShortPart<Url>| part.url.server.clone()),
        carddav: carddav.as_ref().map(|part| part.url.server.clone()),
        chosen: ChosenCollections::default(),
        signature: None,
        mail_days: MAIL_DAYS,
        addresses,
    }))
}

fn part<T>(
    key: &'static str,
    set: Option<&ShortUrl>,
    read: impl Fn(&str) -> Result<SignedUrl<T>, ServerUrlError>,
    problems: &mut Vec<String>,
) -> Option<ShortPart<T>> {
    let set = set?;
    match read(set.url.expose_secret()) {
        Ok(url) => Some(ShortPart { key, place: set.place, url }),
        Err(why) => {
            problems.push(format!("{key} {why}"));
            None
        }
    }
}

/// Why a part does not belong to this login.
fn apart(part: &SignIn<'_>, login: Option<&SignIn<'_>>) -> Option<String> {
    let key = part.key;
    let Some(login) = login else {
        return Some(format!("{key} says neither user nor password; write them before the host: USER:PASSWORD@HOST"));
    };
    if part.user.is_none() {
        let is_elsewhere = part.place != login.place;
        return is_elsewhere.then(|| {
            format!(
                "{} is set {}, and {key} {}: a secret goes only to an address from the same place. Set both in one",
                login.key, login.place, part.place
            )
        });
    }
    let is_alike = (part.user, part.password) == (login.user, login.password);
    (!is_alike).then(|| {
        format!(
            "{key} signs in otherwise than {} does, and the two are one account: write two accounts into accounts.toml \
             instead (brain-agent setup account NAME)",
            login.key
        )
    })
}

/// All addresses that are said, the one that sends first, none twice.
fn addresses<'a>(parts: impl Iterator<Item = &'a SignIn<'a>>, user: &str) -> Vec<Sender> {
    let mut all: Vec<Sender> = Vec::new();
    let said = parts.filter_map(|part| part.from.cloned());
    for sender in said.chain(parse_sender(user)) {
        if !all.iter().any(|known| known.address == sender.address) {
            all.push(sender);
        }
    }
    all
}

/// Whether the provider with this server files what was sent.
fn files_sent(host: &str) -> bool {
    let is_its = |address: &Option<String>| {
        let url = address.as_ref().and_then(|address| Url::parse(address).ok());
        url.is_some_and(|url| url.host_str().is_some_and(|its| its.eq_ignore_ascii_case(host)))
    };
    Provider::all().iter().any(|provider| provider.files_sent && is_its(&provider.imap))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::{Credential, ServerTls};

    fn form(pairs: &[(&str, &str)]) -> ShortForm {
        let of = |key: &str| {
            let (_, url) = pairs.iter().find(|(k, _)| k.trim_end_matches('!') == key)?;
            let is_env = pairs.iter().any(|(k, _)| *k == format!("{key}!"));
            let place = if is_env { "in the environment" } else { "in .env" };
            Some(ShortUrl { url: (*url).into(), place })
        };
        ShortForm { imap: of("imap"), smtp: of("smtp"), caldav: of("caldav"), carddav: of("carddav") }
    }

    const IMAP: (&str, &str) = ("imap", "imaps://anna%40example.com:geheim@imap.example.com");
    const SMTP: (&str, &str) = ("smtp", "smtps://anna%40example.com:geheim@smtp.example.com");

    #[tokio::test]
    async fn the_four_are_one_account_that_is_called_by_its_address() {
        let account = short_form(&form(&[IMAP, SMTP, ("caldav", "https://dav.example.com/")])).unwrap().unwrap();
        assert_eq!((account.name.as_str(), &account.person), ("anna@example.com", &AccountPerson::First));
        assert_eq!(account.imap.as_ref().unwrap().tls, ServerTls::Wrapped);
        assert_eq!(account.smtp.as_ref().unwrap().host, "smtp.example.com");
        assert_eq!(account.caldav.as_ref().unwrap().as_str(), "https://dav.example.com/");
        assert_eq!((account.carddav.as_ref(), account.files_sent), (None, false));
        assert_eq!(account.login.user(), "anna@example.com");
        let Ok(Credential::Password(password)) = account.login.credential().await else { panic!("no password") };
        assert_eq!(password.expose_secret(), "geheim");
        assert!(!format!("{account:?}").contains("geheim"));
    }

    #[test]
    fn what_sends_alone_or_otherwise_leaves_sending_to_smtp_url() {
        let alone = short_form(&form(&[SMTP])).unwrap().unwrap();
        assert!(alone.imap.is_none() && alone.smtp.is_none() && alone.name == "anna@example.com");
        let relay = ("smtp", "smtps://apikey:other@relay.example?from=Anna%20%3Canna@example.org%3E");
        let account = short_form(&form(&[IMAP, relay])).unwrap().unwrap();
        assert!(account.imap.is_some() && account.smtp.is_none());
        let addresses: Vec<String> = account.addresses.iter().map(|sender| sender.address.to_string()).collect();
        assert_eq!(addresses, ["anna@example.org", "anna@example.com"], "the one that sends comes first");
        for nothing in [form(&[]), form(&[("smtp", "smtp://127.0.0.1:25?from=a@example.com")]), form(&[("smtp", "?")])]
        {
            assert!(short_form(&nothing).unwrap().is_none());
        }
    }

    #[test]
    fn a_password_goes_nowhere_else_and_two_logins_are_no_account() {
        let other = ("caldav", "https://anna:geheimer@cloud.example/");
        for (pairs, expected) in [
            (vec![IMAP, other], "CALDAV_URL signs in otherwise than IMAP_URL does"),
            (
                vec![IMAP, ("caldav!", "https://elsewhere.example/")],
                "a secret goes only to an address from the same place",
            ),
            (vec![("imap", "imaps://imap.example.com")], "IMAP_URL says neither user nor password"),
            (vec![("imap", "imaps://anna:geheim@imap.example.com")], "IMAP_URL does not say whose it is"),
            (vec![("imap", "https://anna:geheim@imap.example.com")], "IMAP_URL must begin with imaps://"),
            (vec![("caldav", "imaps://anna:geheim@imap.example.com")], "CALDAV_URL must begin with https://"),
        ] {
            let problems = short_form(&form(&pairs)).unwrap_err().join("\n");
            assert!(problems.contains(expected), "{pairs:?}: {problems}");
            assert!(!problems.contains("geheim"), "{problems}");
        }
        assert!(
            short_form(&form(&[("imap", "imaps://anna%40gmail.com:x@imap.gmail.com")])).unwrap().unwrap().files_sent
        );
    }
}
