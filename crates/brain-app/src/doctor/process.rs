//! The store and the process that owns it: whether it can be opened, or what its owner says; what came last, and when the
//! accounts were read.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;

use super::account::named;
use super::check::Check;
use super::subjects::{CheckJob, CheckLimits, Subjects};
use crate::app;
use crate::channel::control::Client;
use brain_adapters::search;
use brain_core::core::span::{ago, span};
use brain_core::core::text::grouped;
use brain_core::ports::{Store as _, StoreError};
use brain_engine::investigate::estimate::StagePrices;
use brain_engine::queries::View;
use brain_engine::queries::health::{self, AccountHealth, ProcessHealth, StoreHealth};
use brain_language::language::time::DateOrder;
use brain_services::services::catalog::registry::Registry;
use brain_wire::accounts::{AccountConfig, AccountPart, Disconnected, ListedAccount, since, trouble};

const STORE: &str = "store";
const PROCESS: &str = "process";
const NOBODY_RUNS: &str = "no brain-agent runs in this data folder, so nothing is answered, reminded of or read";
const START_IT: &str = "Start it with “brain-agent serve”";
const NO_ANSWER: &str = "Look at its log; if it stays like this, stop it and start it again";

/// An account that was not read for so long should have been.
const SYNC_OLD_MIN: i64 = 60;

pub(super) fn jobs(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    let limit = subjects.limits.check;
    vec![
        CheckJob::new(STORE, limit, NO_ANSWER, looked_at(subjects)),
        CheckJob::new("index", limit, "Check the disk of the data folder", async {
            vec![index(&subjects.config.data_dir.join("search")).await]
        }),
    ]
}

/// Whether a brain-agent runs in this data folder and answers, its store included: what a health check asks, often and at
/// no cost. An account that is not connected, or a model that does not answer, is no reason to stop it.
pub async fn running(data_dir: &Path, limits: CheckLimits) -> Check {
    let looked = async {
        let Ok(client) = Client::connect(data_dir).await else {
            return Check::error(PROCESS, NOBODY_RUNS).advised(START_IT);
        };
        match client.health().await {
            Ok(response) if response.ok => Check::ok(PROCESS, "brain-agent runs and answers"),
            Ok(response) => Check::error(PROCESS, response.text).advised(NO_ANSWER),
            Err(cause) => Check::error(PROCESS, silent(&cause)).advised(NO_ANSWER),
        }
    };
    let looked = CheckJob::new(PROCESS, limits.check, NO_ANSWER, async { vec![looked.await] }).run().await;
    looked.into_iter().next().unwrap_or_else(|| Check::error(PROCESS, NOBODY_RUNS).advised(START_IT))
}

fn silent(cause: &std::io::Error) -> String {
    format!("the running brain-agent does not say how it is: {cause}")
}

async fn looked_at(subjects: &Subjects) -> Vec<Check> {
    let data_dir = &subjects.config.data_dir;
    if let Ok(client) = Client::connect(data_dir).await {
        return match client.health().await.map(|response| response.records.into_iter().next()) {
            Ok(Some(record)) => match serde_json::from_value::<ProcessHealth>(record) {
                Ok(process) => of_process(subjects, &process),
                Err(_) => vec![another_version()],
            },
            Ok(None) => vec![another_version()],
            Err(cause) => vec![Check::error(STORE, silent(&cause)).advised(NO_ANSWER)],
        };
    }
    let mut checks = vec![];
    match at_rest(&app::store_path(data_dir), data_dir).await {
        Ok(None) => checks.push(Check::ok(STORE, "there is none yet; it is made at the first start")),
        Ok(Some(store)) => checks.extend(of_store(&store, subjects, "can be opened; nobody uses it now")),
        Err(StoreError::Locked { path }) => {
            let message = format!("{path} is in use by a brain-agent that does not answer on control.sock");
            checks.push(Check::error(STORE, message).advised(NO_ANSWER));
            return checks;
        }
        Err(error) => checks.push(
            Check::error(STORE, error.to_string())
                .advised("What to do is under “Records that cannot be read” and “Backups” in docs/operation.md"),
        ),
    }
    if subjects.config.telegram.is_some() || !subjects.accounts.is_empty() {
        checks.push(Check::warning(PROCESS, NOBODY_RUNS).advised(START_IT));
    }
    checks
}

fn another_version() -> Check {
    Check::warning(STORE, "the running brain-agent is of another version, which cannot say how it is")
        .advised("Start it again, so that it is of this one")
}

/// What a store tells that nobody uses; `None`: there is none. Nothing of it is changed.
async fn at_rest(path: &Path, data_dir: &Path) -> Result<Option<StoreHealth>, StoreError> {
    if !tokio::fs::try_exists(path).await.unwrap_or(true) {
        return Ok(None);
    }
    let store = app::open_store_read_only(data_dir).await?;
    let (services, prices) = (Registry::default(), StagePrices::default());
    let told = async {
        let view = View {
            moment: store.snapshot().await?,
            services: &services,
            now: Utc::now(),
            zone: Tz::UTC,
            order: DateOrder::DayFirst,
            prices: &prices,
        };
        health::of_store(&view).await
    };
    let told = told.await;
    store.close().await;
    told.map(Some)
}

fn of_store(store: &StoreHealth, subjects: &Subjects, how: &str) -> Vec<Check> {
    let StoreHealth { last_update, last_turn, unreadable, messages_given_up } = store;
    let now = Utc::now();
    let mut checks = vec![match unreadable {
        0 => Check::ok(STORE, how),
        count => Check::warning(STORE, format!("{how}; {count} records of it could not be read and were set aside"))
            .advised("What to do is under “Records that cannot be read” in docs/operation.md"),
    }];
    if *messages_given_up > 0 {
        let message =
            format!("{messages_given_up} were set aside, because the program ended each time they were handled");
        checks.push(
            Check::warning("messages", message).advised("Look at the log of those times, and report what is there"),
        );
    }
    if subjects.config.telegram.is_some() {
        let message = match last_update {
            Some(at) => format!("the last one was received {}", ago(now, *at)),
            None => "none was received in the time for which they are kept".to_owned(),
        };
        checks.push(Check::ok("updates", message));
    }
    checks.extend(last_turn.map(|at| Check::ok("turns", format!("the last one was {}", ago(now, at)))));
    checks
}

fn of_process(subjects: &Subjects, process: &ProcessHealth) -> Vec<Check> {
    let now = Utc::now();
    let how = format!("in use by the running brain-agent {}, for {}", process.version, span(now - process.since));
    let mut checks = of_store(&process.store, subjects, &how);
    if process.version != env!("CARGO_PKG_VERSION") {
        checks.push(another_version());
    }
    for building in &process.building {
        checks.push(Check::ok("index", format!("one is being built: {} of {} records", building.done, building.of)));
    }
    let zone = app::zone(&subjects.config);
    for (account, part) in
        subjects.accounts.iter().flat_map(|account| read_parts(account).map(move |part| (account, part)))
    {
        checks.push(match process.accounts.iter().find(|known| known.id == part.id(&account.id)) {
            Some(known) => sync(&sync_name(account, part), known, process.since, now, zone),
            None => Check::warning(sync_name(account, part), "the running brain-agent does not know this account")
                .advised("Start it again, so that it reads accounts.toml"),
        });
    }
    checks
}

/// What of an account is read. One that only sends is not.
fn read_parts(account: &AccountConfig) -> impl Iterator<Item = AccountPart> {
    let reads_mail = account.imap.is_some();
    ListedAccount::parts(account)
        .into_iter()
        .map(|part| part.part)
        .filter(move |part| reads_mail || *part != AccountPart::Mail)
}

fn sync_name(account: &AccountConfig, part: AccountPart) -> String {
    match part {
        AccountPart::Mail => format!("{} sync", named(account)),
        AccountPart::Collections(kind) => format!("{} {} sync", named(account), kind.many()),
    }
}

/// When an account was read.
fn sync(name: &str, known: &AccountHealth, started: DateTime<Utc>, now: DateTime<Utc>, zone: Tz) -> Check {
    let AccountHealth { synced, since: from, why, until_reconnected, progress, .. } = known.clone();
    if let Some(from) = from {
        let disconnected = Disconnected { since: from, why: why.unwrap_or_default(), until_reconnected };
        let message = format!("not connected since {}: {}", since(from, now, zone), trouble(&disconnected));
        return match until_reconnected {
            true => Check::error(name, message).advised("Reconnect it with “brain-agent setup”"),
            false => Check::warning(name, message)
                .advised("It is tried again by itself; see what the other lines say about this account"),
        };
    }
    let (last, old) = (synced.unwrap_or(started), TimeDelta::minutes(SYNC_OLD_MIN));
    match (progress, synced) {
        (Some((done, of)), _) => Check::ok(name, format!("it is being read: {} of {}", grouped(done), grouped(of))),
        (None, synced) if now - last > old => {
            let message = match synced {
                Some(at) => format!("it was last read {}", ago(now, at)),
                None => format!("it was not read since the start, {}", ago(now, started)),
            };
            Check::warning(name, message).advised("Look at the log of the running brain-agent, and start it again")
        }
        (None, Some(at)) => Check::ok(name, format!("it was read {}", ago(now, at))),
        (None, None) => Check::ok(name, "it was not read yet since the start a moment ago"),
    }
}

/// The search indexes. Each can be made again from what is kept, so that damage is no loss.
async fn index(folder: &Path) -> Check {
    const NAME: &str = "index";
    let look = || {
        let folder = folder.to_owned();
        async move { tokio::task::spawn_blocking(move || search::look(&folder)).await }
    };
    let mut found = look().await;
    // What its process replaced at this very moment is whole a moment later.
    if matches!(&found, Ok(Ok(seen)) if seen.damaged > 0) {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        found = look().await;
    }
    match found {
        Ok(Ok(seen)) if seen.damaged > 0 => {
            Check::warning(NAME, format!("{} of {} indexes cannot be read", seen.damaged, seen.people))
                .advised("Nothing is lost: each is built again when it is needed. If it comes back, check the disk")
        }
        Ok(Ok(seen)) if seen.people == 0 => Check::ok(NAME, "none is needed yet"),
        Ok(Ok(seen)) => Check::ok(NAME, format!("{} can be read", seen.people)),
        Ok(Err(cause)) => Check::error(NAME, format!("{} cannot be read: {cause}", folder.display()))
            .advised("Make the folder and what is in it belong to the user that runs brain-agent"),
        Err(_) => Check::error(NAME, "it could not be looked at").advised("Try again; if it stays so, report it"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::doctor::CheckStatus;
    use brain_wire::accounts::{AccountPerson, ChosenCollections, FixedLogin};

    #[test]
    fn a_sync_is_told_by_its_age_and_by_what_is_in_its_way() {
        let account = AccountConfig {
            id: "a".to_owned(),
            person: AccountPerson::First,
            name: "work".to_owned(),
            addresses: Vec::new(),
            login: Arc::new(FixedLogin::new("anna", "secret".to_owned())),
            authorities: None,
            imap: None,
            smtp: None,
            caldav: None,
            carddav: None,
            chosen: ChosenCollections::default(),
            signature: None,
            mail_days: 30,
            files_sent: false,
        };
        let now: DateTime<Utc> = "2026-01-12T09:30:00Z".parse().unwrap();
        let health = AccountHealth {
            id: "a".to_owned(),
            synced: None,
            since: None,
            why: None,
            until_reconnected: false,
            progress: None,
        };
        let ago = |minutes| now - TimeDelta::minutes(minutes);
        let name = sync_name(&account, AccountPart::Mail);
        let told = |known: &AccountHealth, started| sync(&name, known, started, now, Tz::UTC);
        let away = AccountHealth { since: Some(ago(18)), why: Some("It is away.".to_owned()), ..health.clone() };
        for (check, status, says) in [
            (
                told(&AccountHealth { synced: Some(ago(2)), ..health.clone() }, ago(900)),
                CheckStatus::Ok,
                "read 2 min ago",
            ),
            (
                told(&AccountHealth { synced: Some(ago(90)), ..health.clone() }, ago(900)),
                CheckStatus::Warning,
                "1 h 30 min",
            ),
            (told(&health, ago(1)), CheckStatus::Ok, "not read yet"),
            (told(&health, ago(90)), CheckStatus::Warning, "not read since the start"),
            (
                told(&AccountHealth { progress: Some((12, 4_000)), ..health.clone() }, ago(90)),
                CheckStatus::Ok,
                "12 of 4,000",
            ),
            (told(&away, ago(90)), CheckStatus::Warning, "not connected since 09:12: It is away"),
            (
                told(&AccountHealth { until_reconnected: true, ..away.clone() }, ago(90)),
                CheckStatus::Error,
                "reconnect",
            ),
        ] {
            assert_eq!(check.status, status, "{check}");
            assert!(check.message.contains(says), "{check}");
            assert_eq!(check.check, "account work sync");
        }
    }
}
