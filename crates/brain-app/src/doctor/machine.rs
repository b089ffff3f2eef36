//! The machine: room on the disk, the zone, who else may read what is kept, and the prompts that were replaced.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use chrono::Utc;
use chrono_tz::Tz;
use rustix::fs::{Access, access, statvfs};

use super::check::Check;
use super::subjects::{CheckJob, Subjects};
use crate::app;
use crate::config::Config;
use brain_core::limits::{DISK_BYTES_LOW, DISK_BYTES_MIN, LIST_ROWS_MAX};
use brain_core::prompts::Prompts;

const SLOW_DISK: &str = "Check the disk of the data folder, or the network if it lies elsewhere";

/// The folders that hold secrets, inside the data folder.
const SECRET_FOLDERS: [&str; 2] = ["", "tokens"];

pub(super) fn jobs(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    let limit = subjects.limits.check;
    let blocking = |name: &'static str, work: fn(&Config, &Path) -> Vec<Check>| {
        let (config, folder) = (subjects.config.clone(), subjects.working_dir.clone());
        CheckJob::new(name, limit, SLOW_DISK, async move {
            let done = tokio::task::spawn_blocking(move || work(&config, &folder)).await;
            done.unwrap_or_else(|_| vec![Check::error(name, "it could not be looked at").advised("Try again")])
        })
    };
    vec![
        blocking("disk", |config, _| vec![disk(&config.data_dir)]),
        blocking("zone", |config, _| vec![zone(config.timezone, iana_time_zone::get_timezone().ok())]),
        blocking("permissions", |config, folder| permissions(&config.data_dir, folder)),
        blocking("prompts", |config, _| vec![prompts(config.prompts_dir.as_deref())]),
    ]
}

/// The folder itself, or the nearest one above it that there is.
fn there(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).ok()?;
    absolute.ancestors().find(|folder| folder.exists()).map(Path::to_owned)
}

fn disk(data_dir: &Path) -> Check {
    const NAME: &str = "disk";
    let room = there(data_dir).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound)).and_then(|folder| {
        let about = statvfs(&folder)?;
        Ok(about.f_bavail.saturating_mul(about.f_frsize))
    });
    match room {
        Ok(free) => room_told(NAME, data_dir, free),
        Err(cause) => Check::error(NAME, format!("the room for {} cannot be told: {cause}", data_dir.display()))
            .advised("Check that BRAIN_DATA_DIR is a folder on a disk of this machine"),
    }
}

fn room_told(name: &str, data_dir: &Path, free: u64) -> Check {
    let message = format!("{} are free for {}", in_words(free), data_dir.display());
    let advice = "Free some space there: when it is full, nothing more can be kept";
    match free {
        ..DISK_BYTES_MIN => Check::error(name, message).advised(advice),
        DISK_BYTES_MIN..DISK_BYTES_LOW => Check::warning(name, message).advised(advice),
        DISK_BYTES_LOW.. => Check::ok(name, message),
    }
}

/// `1.5 GB`.
fn in_words(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes >= 1_000.0 { format!("{:.1} GB", megabytes / 1_000.0) } else { format!("{megabytes:.0} MB") }
}

fn zone(configured: Option<Tz>, host: Option<String>) -> Check {
    const NAME: &str = "zone";
    let advice = "Set BRAIN_TIMEZONE to yours, such as Europe/Berlin";
    let known: Option<Tz> = host.as_deref().and_then(|host| host.parse().ok());
    let time = |zone: Tz| Utc::now().with_timezone(&zone).format("%H:%M");
    match (configured, known, host) {
        (Some(zone), Some(host), _) if zone != host => {
            Check::ok(NAME, format!("{zone} is configured, where it is {}; the machine's is {host}", time(zone)))
        }
        (Some(zone), _, _) => Check::ok(NAME, format!("{zone} is configured, where it is {}", time(zone))),
        (None, Some(zone), _) => {
            Check::ok(NAME, format!("the machine's, {zone}, where it is {}; people may choose their own", time(zone)))
        }
        (None, None, Some(host)) => {
            Check::warning(NAME, format!("the machine's, {host}, is none that is known, so UTC is used"))
                .advised(advice)
        }
        (None, None, None) => Check::warning(NAME, "the machine has none, so UTC is used").advised(advice),
    }
}

/// Everything that holds secrets: whose it is, and who else may read it.
fn permissions(data_dir: &Path, working_dir: &Path) -> Vec<Check> {
    const NAME: &str = "permissions";
    let mut checks = Vec::new();
    checks.extend(app::exposed_folder(data_dir).map(|exposed| {
        let (message, advice) = exposed.rsplit_once(": ").unwrap_or((&exposed, "chmod 700"));
        Check::warning(NAME, message).advised(format!("Run: {advice}"))
    }));
    let folder = there(data_dir);
    let is_ours = folder.as_deref().is_some_and(|folder| access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok());
    if !is_ours {
        let message = format!("{} cannot be written by the user that runs this", data_dir.display());
        checks.push(Check::error(NAME, message).advised(
            "Make it belong to the user that runs brain-agent (chown), or set BRAIN_DATA_DIR to a folder of theirs",
        ));
    }
    let mut files = vec![working_dir.join(".env")];
    for folder in SECRET_FOLDERS.map(|folder| data_dir.join(folder)) {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().take(LIST_ROWS_MAX);
        files.extend(entries.map(|entry| entry.path()).filter(|path| path.is_file()));
    }
    checks.extend(files.iter().filter_map(|file| secret(NAME, file)));
    if checks.is_empty() {
        let message = format!("nobody else on this machine may read {} or .env", data_dir.display());
        checks.push(Check::ok(NAME, message));
    }
    checks
}

/// What is wrong with who may read a file of secrets, if it is there.
fn secret(name: &str, file: &Path) -> Option<Check> {
    let about = std::fs::metadata(file).ok()?;
    let (mode, shown) = (about.permissions().mode() & 0o777, file.display());
    let (me, owner) = (rustix::process::geteuid().as_raw(), about.uid());
    if owner != me && owner != 0 {
        let message = format!("{shown} belongs to somebody else (user {owner})");
        return Some(Check::error(name, message).advised(format!("Run: chown {me} {shown}")));
    }
    let message = format!("others on this machine may use {shown} (mode {mode:o})");
    match (mode & 0o022, mode & 0o055) {
        (0, 0) => None,
        (0, _) => Some(Check::warning(name, message).advised(format!("Run: chmod 600 {shown}"))),
        (_, _) => Some(Check::error(name, message).advised(format!("Run: chmod 600 {shown}"))),
    }
}

fn prompts(folder: Option<&Path>) -> Check {
    const NAME: &str = "prompts";
    let Some(shown) = folder.map(Path::display) else { return Check::ok(NAME, "the built-in ones are used") };
    match Prompts::load(folder) {
        Ok(_) => Check::ok(NAME, format!("those of {shown} can be used")),
        Err(error) => Check::error(NAME, error.to_string())
            .advised("Mend that file, or take BRAIN_PROMPTS_DIR away: the program does not start like this"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::CheckStatus;

    #[test]
    fn little_room_is_a_warning_and_none_an_error() {
        let told = |free| room_told("disk", Path::new("state"), free).status;
        assert_eq!(told(DISK_BYTES_LOW), CheckStatus::Ok);
        assert_eq!(told(DISK_BYTES_LOW - 1), CheckStatus::Warning);
        assert_eq!(told(DISK_BYTES_MIN - 1), CheckStatus::Error);
        assert_eq!(disk(Path::new("/proc/nowhere/state")).check, "disk", "a folder that is not there yet has a disk");
    }

    #[test]
    fn a_zone_that_nobody_knows_is_a_warning() {
        let told = |configured, host: Option<&str>| zone(configured, host.map(str::to_owned)).status;
        assert_eq!(told(None, Some("Europe/Berlin")), CheckStatus::Ok);
        assert_eq!(told(Some(Tz::UTC), None), CheckStatus::Ok);
        assert_eq!(told(None, Some("Mars/Base")), CheckStatus::Warning);
        assert_eq!(told(None, None), CheckStatus::Warning);
    }

    #[test]
    fn what_others_may_read_or_write_is_told_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("state");
        std::fs::create_dir(&data).unwrap();
        let allow = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        allow(&data, 0o700);
        let statuses = || permissions(&data, folder.path()).into_iter().map(|check| check.status).collect::<Vec<_>>();
        assert_eq!(statuses(), [CheckStatus::Ok]);
        let (env, accounts) = (folder.path().join(".env"), data.join("accounts.toml"));
        for file in [&env, &accounts] {
            std::fs::write(file, "secret").unwrap();
            allow(file, 0o600);
        }
        assert_eq!(statuses(), [CheckStatus::Ok]);
        allow(&accounts, 0o640);
        let told = permissions(&data, folder.path());
        assert!(told[0].message.contains("accounts.toml") && told.len() == 1, "{told:?}");
        allow(&env, 0o622);
        allow(&data, 0o755);
        assert_eq!(statuses(), [CheckStatus::Warning, CheckStatus::Error, CheckStatus::Warning]);
        assert!(!format!("{:?}", permissions(&data, folder.path())).contains("secret"));
    }
}
