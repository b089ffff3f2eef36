//! A backup each day.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{checked, names};
use crate::support::bot_api::FakeBotApi;
use crate::support::program::{Daemon, Program};

const ANNA: i64 = 1_001;
const SOON: Duration = Duration::from_secs(60);
const FAILED: &str = "The daily backup failed";

fn installed() -> Program {
    Program::new().env("BRAIN_ADMINS", &ANNA.to_string()).env("BRAIN_TIMEZONE", "UTC").env("BRAIN_DEBOUNCE", "0s")
}

async fn serve(program: &Program, api: &FakeBotApi) -> Daemon {
    let mut daemon = program.daemon(api);
    daemon.wait_ready().await;
    daemon
}

fn today() -> String {
    format!("brain-agent-{}.zip", chrono::Utc::now().date_naive())
}

fn listed(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

async fn waits(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + SOON;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn one_is_taken_each_day_and_so_many_are_kept() {
    let api = FakeBotApi::start().await;
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path();
    let old = ["brain-agent-2026-01-01.zip", "brain-agent-2026-01-02.zip", "brain-agent-2026-01-03.zip"];
    for name in old.iter().chain(&["brain-agent-notes.zip", "mine.txt"]) {
        fs::write(backups.join(name), "x").unwrap();
    }
    let program = installed().env("BRAIN_BACKUP_DIR", backups.to_str().unwrap()).env("BRAIN_BACKUP_KEEP", "2");
    fs::create_dir_all(program.data_dir().join("servers")).unwrap();
    fs::write(program.data_dir().join("servers/home.tokens.json"), "x").unwrap();
    let daemon = serve(&program, &api).await;
    let wanted = vec![old[2].to_owned(), today(), "brain-agent-notes.zip".to_owned(), "mine.txt".to_owned()];
    waits("a backup of today", || listed(backups) == wanted).await;
    let taken = backups.join(today());
    let first = fs::read(&taken).unwrap();
    assert_eq!(checked(&program, &taken)["ok"], true);
    assert!(!names(&taken).iter().any(|name| name.contains("tokens")));
    // One a day, over restarts as well.
    assert_eq!(daemon.terminate(), 0);
    let daemon = serve(&program, &api).await;
    api.user_says(ANNA, "/pending");
    api.wait_message(ANNA, |message| message.text.contains("Nothing is waiting"), SOON).await;
    assert_eq!(daemon.terminate(), 0);
    assert!(fs::read(&taken).unwrap() == first && listed(backups) == wanted);
}

#[tokio::test]
async fn admins_are_told_once_that_it_fails_and_again_only_after_it_has_worked() {
    let api = FakeBotApi::start().await;
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("backups");
    let program = installed().env("BRAIN_BACKUP_DIR", backups.to_str().unwrap()).env("RUST_LOG", "error");
    let daemon = serve(&program, &api).await;
    api.user_says(ANNA, "/pending");
    api.wait_message(ANNA, |message| message.text.contains("Nothing is waiting"), SOON).await;
    waits("a backup", || backups.join(today()).exists()).await;
    assert_eq!(daemon.terminate(), 0);
    let told = || api.messages(ANNA).iter().filter(|message| message.text.contains(FAILED)).count();
    for (round, is_working) in [false, false, true, false].into_iter().enumerate() {
        let _ = (fs::remove_file(&backups), fs::remove_dir_all(&backups));
        if !is_working {
            fs::write(&backups, "no folder").unwrap();
        }
        let daemon = serve(&program, &api).await;
        if is_working {
            waits("a backup again", || backups.join(today()).exists()).await;
        } else {
            waits("a failure", || daemon.stderr().contains("the backup of today failed")).await;
            let times = if round == 3 { 2 } else { 1 };
            api.wait_for("what is told of it", SOON, |_| (told() == times).then_some(())).await;
        }
        // What was noted of it is in the store.
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(daemon.terminate(), 0);
    }
    assert_eq!(told(), 2);
}
