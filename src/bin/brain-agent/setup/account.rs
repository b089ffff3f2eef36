//! One account: asked for or taken from flags, tried at its servers, and written into accounts.toml.
//!
//! Order: what it will be ─► its secret ─► signing in everywhere ─► the secret's file ─► accounts.toml. A break in between
//! leaves a file that nothing names, and the account as it was.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use brain_agent::accounts::{
    AccountChange, AccountEntry, AccountPerson, AccountProbe, AccountsPlace, DavKind, FileSetting, FoundCollection,
    Provider, SecretSource, ServerKind, changed, file_text, parse_accounts, parse_sender,
};
use brain_agent::app;
use brain_agent::config::Config;
use brain_agent::limits::PROBE_MS;
use brain_agent::secret_files;
use tokio::time::timeout;

use super::args::AccountArgs;
use super::ask::{choice, line, say, somebody_is_there};
use super::goes_on;
use super::secrets::{NewSecret, ObtainedSecret, new_secret};

pub(super) async fn set_up(config: &Config, args: &AccountArgs, unchecked: bool) -> anyhow::Result<()> {
    let place = &config.accounts_place;
    let text = file_text(&place.path).map_err(|why| anyhow!(why))?.unwrap_or_default();
    let known = parse(&text, place)?;
    let name = match &args.name {
        Some(name) => name.trim().to_owned(),
        None => line("What do you call this account (work, home)?", "its NAME", None)?,
    };
    let person = args.person.clone().map_or(AccountPerson::First, AccountPerson::Id);
    let is_it = |known: &&AccountEntry| known.person == person && known.name.to_lowercase() == name.to_lowercase();
    let old = known.iter().find(is_it);
    let mut provider = provider(args, old)?;
    let mut settings = flags(args);
    if old.is_none() {
        let asked = new_account(args, provider)?;
        settings.extend(asked.settings);
        provider = asked.provider;
    }
    let secret = new_secret(args, old, provider.as_ref())?;
    settings.extend(secret.iter().flat_map(|secret| secret.settings()));
    if settings.is_empty() {
        say("Nothing was to be changed.");
        return Ok(());
    }
    let mut change = AccountChange { person, name: name.clone(), settings };
    // The name of a secret's file follows from the account's id, which is known once the rest is read.
    let entry = entry_of(&text, &change, place)?;
    if let Some(file) = secret.as_ref().and_then(|secret| secret.file_name(&entry)) {
        change.settings.push(("password_file".to_owned(), FileSetting::Text(file)));
    }
    let entry = entry_of(&text, &change, place)?;
    if config.accounts.iter().any(|known| known.id == entry.id) {
        bail!(
            "{} is set as IMAP_URL, SMTP_URL, CALDAV_URL or CARDDAV_URL already, and an account can't be both: take those \
             out of .env (or the environment) first. Nothing was changed.",
            entry.addresses.first().map(|first| first.address.to_string()).unwrap_or_default()
        );
    }
    let typed = match secret {
        Some(secret) => Some(secret.obtain(&entry, args).await?),
        None => None,
    };
    let found = tried(&entry, place, typed.as_ref(), unchecked).await?;
    change.settings.extend(chosen(&entry, &found)?);
    let after = changed(&text, &change).map_err(|why| anyhow!(why))?;
    if let Some(typed) = &typed {
        typed.write(&entry, place).await?;
    }
    secret_files::write(&place.path, &after)
        .with_context(|| format!("{} cannot be written; it is as it was", place.path.display()))?;
    say(&format!("{name} is in {} now.", place.path.display()));
    Ok(())
}

fn parse(text: &str, place: &AccountsPlace) -> anyhow::Result<Vec<AccountEntry>> {
    parse_accounts(text, place).map_err(|problems| anyhow!(problems.join("\n")))
}

/// The account as it will be.
fn entry_of(text: &str, change: &AccountChange, place: &AccountsPlace) -> anyhow::Result<AccountEntry> {
    let after = changed(text, change).map_err(|why| anyhow!(why))?;
    let found = parse(&after, place)?
        .into_iter()
        .find(|entry| entry.person == change.person && entry.name.to_lowercase() == change.name.to_lowercase());
    found.context("the account cannot be found again in accounts.toml: give it another name")
}

fn provider(args: &AccountArgs, old: Option<&AccountEntry>) -> anyhow::Result<Option<Provider>> {
    let name = args.provider.clone().or_else(|| old.and_then(|old| old.provider.clone()));
    match name {
        Some(name) => Provider::named(&name).map(Some).with_context(|| {
            let all: Vec<String> = Provider::all().into_iter().map(|provider| provider.name).collect();
            format!("--provider must be one of {}", all.join(", "))
        }),
        None => Ok(None),
    }
}

/// What the flags say, the secret left out.
fn flags(args: &AccountArgs) -> Vec<(String, FileSetting)> {
    let texts = [
        ("provider", &args.provider),
        ("user", &args.user),
        ("imap", &args.imap),
        ("smtp", &args.smtp),
        ("caldav", &args.caldav),
        ("carddav", &args.carddav),
        (DavKind::Events.key(), &args.calendar),
        (DavKind::Tasks.key(), &args.task_list),
        (DavKind::Contacts.key(), &args.address_book),
        ("signature", &args.signature),
        ("authorities", &args.authorities),
    ];
    let mut settings: Vec<(String, FileSetting)> = Vec::new();
    if !args.addresses.is_empty() {
        settings.push(("addresses".to_owned(), FileSetting::Texts(args.addresses.clone())));
    }
    let given = texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), FileSetting::Text(text.clone()?))));
    settings.extend(given);
    settings.extend(args.mail_days.map(|days| ("mail_days".to_owned(), FileSetting::Number(days))));
    if let Some(cloud) = &args.cloud {
        settings.extend(cloud_settings(cloud));
    }
    settings
}

/// Calendars and contacts of a Nextcloud.
fn cloud_settings(cloud: &str) -> [(String, FileSetting); 2] {
    let path = Provider::named("nextcloud").and_then(|provider| provider.dav_path).unwrap_or_default();
    let cloud = if cloud.contains("://") { cloud.to_owned() } else { format!("https://{cloud}") };
    let dav = FileSetting::Text(format!("{}/{path}", cloud.trim_end_matches('/')));
    [("caldav".to_owned(), dav.clone()), ("carddav".to_owned(), dav)]
}

/// What a new account needs beside the flags.
struct NewAccount {
    settings: Vec<(String, FileSetting)>,
    provider: Option<Provider>,
}

/// Asks for it.
fn new_account(args: &AccountArgs, provider: Option<Provider>) -> anyhow::Result<NewAccount> {
    let mut settings = Vec::new();
    let mut add = |key: &str, text: String| settings.push((key.to_owned(), FileSetting::Text(text)));
    let address = match args.addresses.first() {
        Some(address) => address.clone(),
        None => {
            let address = line("Address (Anna Example <anna@example.com>)", "--address", None)?;
            add("addresses", address.clone());
            address
        }
    };
    let Some(sender) = parse_sender(&address) else { bail!("that is no mail address: --address") };
    let servers = [&args.imap, &args.smtp, &args.caldav, &args.carddav, &args.cloud];
    let names_servers = servers.iter().any(|server| server.is_some());
    let guessed = || Provider::of_address(sender.address.as_ref()).filter(|_| !names_servers);
    let provider = provider.or_else(guessed);
    if let Some(provider) = provider.as_ref().filter(|_| args.provider.is_none()) {
        say(&format!("That is {}; its servers are known.", provider.label));
        add("provider", provider.name.clone());
    }
    let has_servers = provider.as_ref().is_some_and(|provider| provider.imap.is_some());
    if has_servers || names_servers {
        return Ok(NewAccount { settings, provider });
    }
    if provider.as_ref().is_some_and(|provider| provider.dav_path.is_some()) {
        let cloud = line("Address of your Nextcloud (https://cloud.example.com)", "--cloud", None)?;
        settings.extend(cloud_settings(&cloud));
        return Ok(NewAccount { settings, provider });
    }
    let domain = sender.address.domain().to_owned();
    add("imap", line("Server that mail is read at", "--imap", Some(&format!("imaps://imap.{domain}:993")))?);
    add("smtp", line("Server that mail goes out at", "--smtp", Some(&format!("smtps://smtp.{domain}:465")))?);
    Ok(NewAccount { settings, provider })
}

/// Signs in at each server; what does not work is told. Gives the collections that are there.
async fn tried(
    entry: &AccountEntry,
    place: &AccountsPlace,
    typed: Option<&ObtainedSecret>,
    unchecked: bool,
) -> anyhow::Result<Vec<FoundCollection>> {
    let mut account = entry.config(place).map_err(|why| anyhow!("authorities: {why}"))?;
    if let Some(login) = typed.and_then(|typed| typed.login(&entry.user)) {
        account.login = Arc::new(login);
    }
    let patience = Duration::from_millis(PROBE_MS);
    let (mut problems, mut found) = (Vec::new(), Vec::new());
    for kind in ServerKind::of(&account) {
        match timeout(patience, app::account_probe().probe(&account, kind)).await {
            Ok(Some(probe)) => match probe.problem() {
                None => {
                    say(&format!("{}: {} lets you in.", purpose(kind), probe.place));
                    found.extend(probe.collections);
                }
                Some(why) => problems.push(format!("{}: {}: {why}.", purpose(kind), probe.place)),
            },
            Ok(None) => {}
            Err(_) => problems.push(format!("{}: it did not answer in time.", purpose(kind))),
        }
    }
    if problems.is_empty() {
        return Ok(found);
    }
    if matches!(entry.secret, SecretSource::Place(_)) && entry.provider.is_none() {
        problems.push("Many providers want an app password here, not the password of the account.".to_owned());
    }
    goes_on(&problems.join("\n"), unchecked)?;
    Ok(found)
}

/// Which of several collections take what is new, where nobody has said it yet and somebody is there to ask.
fn chosen(entry: &AccountEntry, found: &[FoundCollection]) -> anyhow::Result<Vec<(String, FileSetting)>> {
    let mut settings = Vec::new();
    for kind in DavKind::ALL {
        let writable = found.iter().filter(|one| one.kind == kind && one.is_writable);
        let names: Vec<String> = writable.map(|one| one.name.clone()).collect();
        // Without a choice tasks stay here, and of one calendar there is no choice.
        let stays_here = (kind == DavKind::Tasks).then(|| "none: they stay with me".to_owned());
        let options: Vec<String> = stays_here.into_iter().chain(names).collect();
        if options.len() < 2 || entry.chosen.of(kind).is_some() || !somebody_is_there() {
            continue;
        }
        let question = format!("Which {} takes new {}?", kind.one(), kind.things());
        let flag = format!("--{}", kind.key().replace('_', "-"));
        let number = choice(&question, &options, &flag)?;
        let is_none = kind == DavKind::Tasks && number == 0;
        let name = options.into_iter().nth(number).filter(|_| !is_none);
        settings.extend(name.map(|name| (kind.key().to_owned(), FileSetting::Text(name))));
    }
    Ok(settings)
}

/// What a server is for, as a person would say it.
fn purpose(kind: ServerKind) -> &'static str {
    match kind {
        ServerKind::Imap => "Reading mail (IMAP)",
        ServerKind::Smtp => "Sending mail (SMTP)",
        ServerKind::CalDav => "Calendars (CalDAV)",
        ServerKind::CardDav => "Contacts (CardDAV)",
    }
}

impl NewSecret {
    /// The file that a typed password goes into.
    fn file_name(&self, entry: &AccountEntry) -> Option<String> {
        match self {
            Self::Password => Some(format!("{}.password", entry.id.replace(':', "-"))),
            Self::Elsewhere(_) | Self::OAuth { .. } => None,
        }
    }
}
