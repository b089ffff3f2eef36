//! The whole data folder into one file, looked through, and back again.
//!
//! A process that holds the store copies it into the data folder; everything else is done here.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use brain_agent::app;
use brain_agent::backup::{
    self, BackupError, BackupLock, BackupOrder, BackupProgress, CheckedBackup, LeftOutWhy, PackedBackup, RestoredBackup,
};
use brain_agent::channel::control::Client;
use brain_agent::config::Config;
use brain_agent::core::text::visible;
use brain_agent::limits;
use brain_agent::ports::{Store as _, StoreError};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// What is made again, or is of use to this machine alone.
const NEVER_IN_IT: &str = "Not in it: the search index (made anew), exports, logs, what was typed at terminals.";
const BROUGHT_BACK: &str = "Open cards are back, and expire at the time that is written on them; reminders that fell due in \
                            between are told late; Telegram messages that were answered after the backup are not asked for \
                            again. The search index is built anew at the first start.";

const EVERY: Duration = Duration::from_secs(limits::BACKUP_TOLD_EVERY_SECS);

/// How far it is, on standard error, now and then.
fn told(what: &'static str) -> impl FnMut(BackupProgress) + Send {
    let mut last = Instant::now();
    move |BackupProgress { files, files_all, bytes, bytes_all }| {
        if last.elapsed() >= EVERY {
            last = Instant::now();
            let (done, all) = (in_words(bytes), in_words(bytes_all));
            eprintln!("brain-agent: {what}: {files} of {files_all} files, {done} of {all}");
        }
    }
}

pub(crate) async fn backup(config: &Config, file: PathBuf, with_tokens: bool) -> anyhow::Result<ExitCode> {
    let data_dir = config.data_dir.clone();
    let lock = match BackupLock::take(&data_dir) {
        Ok(lock) => lock,
        Err(error) => return Ok(refused(&error.to_string())),
    };
    let taken_at = Utc::now();
    let store = match copied(&data_dir).await? {
        Ok(store) => store,
        Err(why) => return Ok(refused(&why)),
    };
    let accounts = config.accounts_place.path.clone();
    let order = BackupOrder { data_dir, store, taken_at, accounts, file: file.clone(), with_tokens };
    let packed = tokio::task::spawn_blocking(move || backup::pack(&order, &mut told("backing up"))).await?;
    drop(lock);
    Ok(match packed {
        Ok(packed) => {
            say(&closing(&file, &packed));
            ExitCode::SUCCESS
        }
        Err(error) => refused(&error.to_string()),
    })
}

/// A copy of the store, made by the process that holds it or here where none does; or why there is none.
async fn copied(data_dir: &Path) -> anyhow::Result<Result<PathBuf, String>> {
    let copy = async {
        let store = match app::open_store_read_only(data_dir).await {
            Ok(store) => store,
            Err(locked @ StoreError::Locked { .. }) => {
                let Ok(client) = Client::connect(data_dir).await else { return Err(locked.into()) };
                let response = client.backup().await?;
                let file = response.records.first().and_then(|record| record["file"].as_str()).map(PathBuf::from);
                return Ok(file.filter(|_| response.ok).ok_or(response.text));
            }
            Err(error) => return Err(error.into()),
        };
        let place = BackupLock::place(data_dir);
        let copied = store.copy_to(&place).await;
        store.close().await;
        Ok(copied.map(|()| place).map_err(|error| error.to_string()))
    };
    tokio::pin!(copy);
    loop {
        tokio::select! {
            done = &mut copy => return done,
            () = tokio::time::sleep(EVERY) => eprintln!("brain-agent: the store is being copied"),
        }
    }
}

fn closing(file: &Path, packed: &PackedBackup) -> String {
    let PackedBackup { statement, files, packed, left_out } = packed;
    let mut lines = vec![format!(
        "{}: the store as it was at {}, and {}; {}, {}.",
        file.display(),
        at(statement.taken_at),
        counted(*files, "file"),
        in_words(*packed),
        tokens(statement.with_tokens),
    )];
    lines.push(NEVER_IN_IT.to_owned());
    let of = |why: LeftOutWhy| left_out.iter().filter(move |(_, is)| *is == why).map(|(name, _)| name.as_str());
    for (why, reason) in [
        (LeftOutWhy::Secret, "they give access to accounts; --with-tokens takes them in"),
        (LeftOutWhy::Link, "symbolic links are not followed: back up what they lead to by itself"),
        (LeftOutWhy::Elsewhere, "it lies outside of the data folder, with what signs in to its accounts beside it"),
        (LeftOutWhy::NotAFile, "no ordinary files"),
        (LeftOutWhy::Name, "a ZIP holds no such names"),
        (LeftOutWhy::Grew, "they grew too fast while the backup was taken"),
    ] {
        let count = of(why).count();
        if count > 0 {
            let named: Vec<&str> = of(why).take(limits::BACKUP_LEFT_NAMED_MAX).collect();
            let more = count - named.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("Not in it: {}{more} ({reason}).", named.join(", ")));
        }
    }
    lines.join("\n")
}

fn tokens(with_tokens: bool) -> &'static str {
    if with_tokens {
        "with what signs in to accounts: keep it as you keep passwords"
    } else {
        "without sign-ins of accounts"
    }
}

pub(crate) async fn restore(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    Ok(match backup::restore(file, &config.data_dir, told("restoring")).await {
        Ok(RestoredBackup { statement, files, store }) => {
            let records: u64 = store.records.values().sum();
            let mut lines = vec![format!(
                "{}: the store as it was at {} ({}), and {}.",
                config.data_dir.display(),
                at(statement.taken_at),
                counted(records, "record"),
                counted(files, "file"),
            )];
            lines.push(BROUGHT_BACK.to_owned());
            if !statement.with_tokens {
                lines.push(
                    "What signs in to accounts was not in it: sign in again with “brain-agent setup”, and to servers of \
                     tools with “brain-agent mcp login NAME”."
                        .to_owned(),
                );
            }
            say(&lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => refused(&format!("{}: {error}", file.display())),
    })
}

pub(crate) async fn check(file: &Path, json: bool) -> ExitCode {
    let checked = backup::check(file, told("checking")).await;
    let is_fine = checked.as_ref().is_ok_and(CheckedBackup::is_fine);
    if json {
        let _ = writeln!(std::io::stdout().lock(), "{}", checked_record(file, &checked));
    } else {
        match &checked {
            Ok(checked) => say(&checked_words(file, checked)),
            Err(error) => _ = refused(&format!("{}: {error}", file.display())),
        }
    }
    if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn checked_record(file: &Path, checked: &Result<CheckedBackup, BackupError>) -> Value {
    match checked {
        Ok(CheckedBackup { statement, files, packed, unpacked, store }) => json!({
            "ok": store.unreadable.is_empty(),
            "file": file,
            "format": statement.brain_agent_backup,
            "program": statement.program,
            "taken_at": statement.taken_at,
            "with_tokens": statement.with_tokens,
            "files": files,
            "packed_bytes": packed,
            "unpacked_bytes": unpacked,
            "store": statement.store,
            "revision": store.revision,
            "records": store.records,
            "unreadable": store.unreadable,
        }),
        Err(error) => json!({"ok": false, "file": file, "error": error.to_string()}),
    }
}

fn checked_words(file: &Path, checked: &CheckedBackup) -> String {
    let CheckedBackup { statement, files, packed, unpacked, store } = checked;
    let is_fine = if checked.is_fine() { "it is fine" } else { "not all of it can be read" };
    let mut lines = vec![format!(
        "{}: {is_fine}. Taken at {} by Brain Agent {}, {}; {}, {} when unpacked.",
        file.display(),
        at(statement.taken_at),
        visible(&statement.program),
        tokens(statement.with_tokens),
        in_words(*packed),
        in_words(*unpacked),
    )];
    let some = store.records.iter().filter(|(_, count)| **count > 0);
    let tables: Vec<String> = some.map(|(table, count)| format!("{table} {count}")).collect();
    let records: u64 = store.records.values().sum();
    lines.push(format!(
        "{} were read ({}), and {}.",
        counted(records, "record"),
        tables.join(", "),
        counted(*files, "file")
    ));
    for (table, count) in &store.unreadable {
        lines.push(format!("{} of “{table}” cannot be read.", counted(*count, "record")));
    }
    lines.join("\n")
}

fn at(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// `1.5 GB`.
fn in_words(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        bytes if bytes >= 1e6 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.0} kB", (bytes / 1e3).ceil()),
    }
}

fn say(text: &str) {
    let lines: Vec<String> = text.lines().map(visible).collect();
    let _ = writeln!(std::io::stdout().lock(), "{}", lines.join("\n"));
}

fn refused(why: &str) -> ExitCode {
    eprintln!("brain-agent: {}", visible(why));
    ExitCode::from(1)
}
