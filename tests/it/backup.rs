//! The whole data folder in one file: taken under load, killed in the middle, put back, and refused.

mod daily;
mod hostile;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use brain_agent::ports::{Batch, Change, Expect, Key, Order, Reader as _, Scan, Store as _, Table};
use brain_agent::store::{RedbStore, Schema};
use serde_json::{Value, json};
use zip::ZipArchive;

use crate::support::program::{Console, Finished, Program, did, text_of};

/// A program that has kept something, and where its backup goes.
fn kept() -> (Program, PathBuf) {
    let program = Program::new();
    let said = program.run(&["ask", "remind me to call mom tomorrow at 5pm"]);
    assert_eq!(said.code, 0, "{said:?}");
    let file = program.cwd().join("out.zip");
    (program, file)
}

fn put(program: &Program, name: &str, text: &str) {
    let path = program.data_dir().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[track_caller]
fn runs(program: &Program, args: &[&str]) -> Finished {
    let ended = program.run(args);
    assert_eq!(ended.code, 0, "{args:?}: {ended:?}");
    ended
}

#[track_caller]
fn backs_up(program: &Program, file: &Path) -> String {
    runs(program, &["backup", file.to_str().unwrap()]).stdout
}

/// A folder that there is not yet, below one that is empty.
fn elsewhere(program: &Program) -> Program {
    let above = program.cwd().join("elsewhere");
    fs::create_dir_all(&above).unwrap();
    Program::with_data_dir(&above.join("state"))
}

/// Everything in a backup, in order.
fn entries(file: &Path) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(fs::File::open(file).unwrap()).unwrap();
    let all = 0..zip.len();
    let read = all.map(|at| {
        let mut entry = zip.by_index(at).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().to_owned(), bytes)
    });
    read.collect()
}

fn names(file: &Path) -> Vec<String> {
    entries(file).into_iter().map(|(name, _)| name).collect()
}

fn checked(program: &Program, file: &Path) -> Value {
    runs(program, &["check", file.to_str().unwrap(), "--json"]).json_lines().remove(0)
}

fn hidden_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.starts_with('.') && name != ".backup.lock");
    names
}

/// A name that nobody has, of letters alone.
fn made_up(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    format!("Zor{}{}{}", letter(n / 26), letter(n), letter(n / 26))
}

fn adds(console: &mut Console, n: usize) {
    let lines = console.say(&format!("remind me to call {} tomorrow at 5pm", made_up(n)));
    assert_eq!(did(&lines), ["task.create succeeded"], "{}", text_of(&lines));
}

#[test]
fn what_was_acknowledged_before_a_backup_began_is_in_the_restored_store() {
    const BEFORE: usize = 12;
    let program = Program::new();
    let mut owner = program.console(&[]);
    for n in 0..BEFORE {
        adds(&mut owner, n);
    }
    let file = program.cwd().join("out.zip");
    let (asker, target) = (program.clone(), file.clone());
    let backup = std::thread::spawn(move || backs_up(&asker, &target));
    let mut n = BEFORE;
    while !backup.is_finished() {
        adds(&mut owner, n);
        n += 1;
    }
    let told = backup.join().unwrap();
    assert!(told.contains("the store as it was at") && told.contains("without sign-ins"), "{told}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(hidden_in(program.data_dir()), [""; 0], "the copy of the store is gone");
    adds(&mut owner, n);

    let found = checked(&program, &file);
    assert_eq!((&found["ok"], &found["unreadable"]), (&json!(true), &json!({})), "{found}");
    let tasks = found["records"]["tasks"].as_u64().unwrap();
    assert!((BEFORE as u64..=n as u64).contains(&tasks), "{tasks} of {n}");

    let restored = elsewhere(&program);
    let told = runs(&restored, &["restore", file.to_str().unwrap()]).stdout;
    assert!(told.contains("told late") && told.contains("sign in again"), "{told}");
    assert_eq!(fs::metadata(restored.data_dir()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(hidden_in(restored.data_dir().parent().unwrap()), [""; 0]);
    let document = runs(&restored, &["export", "--user", "me", "--json"]).stdout;
    for n in 0..BEFORE {
        assert!(document.contains(&made_up(n)), "{n} is missing in {document}");
    }
    assert_eq!(did(&restored.console(&[]).say("show my tasks")), ["task.list succeeded"]);
    owner.finish();
}

/// Two records that are always written together, and the file that is written anew meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_copy_is_of_one_moment_while_commits_go_on_and_the_file_changes_hands() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(RedbStore::open_with(&folder.path().join("store.redb"), Schema::default()).await.unwrap());
    let pair = |n: u64| {
        let one = |key: String| Change {
            table: Table::Notes,
            key: Key::of(&[&key]),
            expect: Expect::Any,
            put: Some((1, json!({"n": n, "filler": "x".repeat(2_000)}).to_string().into_bytes())),
        };
        let slot = n % 300;
        Batch { changes: vec![one(format!("a{slot:03}")), one(format!("z{slot:03}"))] }
    };
    let acknowledged = Arc::new(AtomicU64::new(0));
    let stop = tokio_util::sync::CancellationToken::new();
    let writer = {
        let (store, acknowledged, stop) = (store.clone(), acknowledged.clone(), stop.clone());
        tokio::spawn(async move {
            for n in 0.. {
                if stop.is_cancelled() {
                    break;
                }
                store.commit(pair(n)).await.unwrap();
                acknowledged.store(n, Ordering::SeqCst);
                if n % 400 == 399 {
                    store.purge().await.unwrap();
                }
            }
        })
    };
    for round in 0..6 {
        while acknowledged.load(Ordering::SeqCst) < 301 * (round + 1) {
            tokio::task::yield_now().await;
        }
        let before = acknowledged.load(Ordering::SeqCst);
        let copy = folder.path().join(format!("copy{round}"));
        store.copy_to(&copy).await.unwrap();
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
        let again = store.copy_to(&copy).await.unwrap_err().to_string();
        assert!(again.contains("exists"), "{again}");
        let examined = RedbStore::examine(&copy).await.unwrap();
        assert_eq!((examined.records["notes"], examined.unreadable.len()), (600, 0));
        let copied = RedbStore::open_with(&copy, Schema::default()).await.unwrap();
        let (table, order, limit) = (Table::Notes, Order::Ascending, usize::MAX);
        let scan = Scan { table, by: None, prefix: None, before: None, after: None, order, limit };
        let found: BTreeMap<String, Vec<u8>> =
            copied.scan(scan).await.unwrap().into_iter().map(|(key, at)| (key.as_str().to_owned(), at.body)).collect();
        let number = |body: &[u8]| serde_json::from_slice::<Value>(body).unwrap()["n"].as_u64().unwrap();
        for slot in 0..300 {
            let (a, z) = (number(&found[&format!("a{slot:03}")]), number(&found[&format!("z{slot:03}")]));
            assert_eq!(a, z, "one commit, torn apart");
            let last = before - (before + 300 - slot) % 300;
            assert!(a >= last, "{a} of slot {slot}, and {last} was acknowledged");
        }
        copied.close().await;
    }
    stop.cancel();
    writer.await.unwrap();
}

#[cfg(feature = "failpoints")]
#[test]
fn who_is_killed_in_the_middle_leaves_the_old_backup_and_the_next_run_tidies_up() {
    use crate::support::program::wait_reached;
    let (program, file) = kept();
    put(&program, "mail/me/new/1", "From: a@b.example\n\nhello");
    put(&program, "contacts.vcf", "BEGIN:VCARD\nEND:VCARD\n");
    backs_up(&program, &file);
    let old = fs::read(&file).unwrap();
    runs(&program, &["ask", "remind me to call dad tomorrow at 6pm"]);
    for place in ["store-copied", "backup-store-in", "backup-file-in:2", "backup-written"] {
        let dying = program.clone().fail_at(place);
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_brain-agent"))
            .args(["backup", file.to_str().unwrap()])
            .env("BRAIN_DATA_DIR", program.data_dir())
            .env("FAIL_AT", place)
            .env("FAIL_REACHED", dying.reached_file())
            .current_dir(program.cwd())
            .spawn()
            .unwrap();
        wait_reached(&dying.reached_file(), place.split(':').next().unwrap());
        let other = program.run(&["backup", file.to_str().unwrap()]);
        assert!(other.code == 1 && other.stderr.contains("under way"), "{other:?}");
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(fs::read(&file).unwrap() == old, "{place}");
        assert_eq!(hidden_in(program.data_dir()).len(), 1, "{place}");
    }
    assert_eq!(hidden_in(program.cwd()), [".out.zip.part"]);
    backs_up(&program, &file);
    assert!(fs::read(&file).unwrap() != old);
    assert_eq!(checked(&program, &file)["records"]["tasks"], 2);
    assert_eq!((hidden_in(program.cwd()), hidden_in(program.data_dir())), (vec![], vec![]));
}

#[cfg(feature = "failpoints")]
#[test]
fn who_is_killed_while_restoring_leaves_no_store_and_the_next_run_does_it() {
    use crate::support::program::wait_reached;
    let (program, file) = kept();
    put(&program, "contacts.vcf", "BEGIN:VCARD\nEND:VCARD\n");
    backs_up(&program, &file);
    let restored = elsewhere(&program);
    let reached = program.cwd().join("reached-restore");
    let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_brain-agent"))
        .args(["restore", file.to_str().unwrap()])
        .env("BRAIN_DATA_DIR", restored.data_dir())
        .env("FAIL_AT", "restore-unpacked")
        .env("FAIL_REACHED", &reached)
        .current_dir(program.cwd())
        .spawn()
        .unwrap();
    wait_reached(&reached, "restore-unpacked");
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(!restored.data_dir().exists());
    runs(&restored, &["restore", file.to_str().unwrap()]);
    assert!(restored.data_dir().join("contacts.vcf").exists());
    assert_eq!(hidden_in(restored.data_dir().parent().unwrap()), [""; 0]);
}

#[test]
fn a_store_that_is_there_is_never_restored_over() {
    let (program, file) = kept();
    put(&program, "mail/me/new/1", "one");
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let mail = fs::File::open(program.data_dir().join("mail/me/new/1")).unwrap();
    mail.set_modified(written).unwrap();
    backs_up(&program, &file);
    let store = fs::read(program.data_dir().join("brain.redb")).unwrap();
    let refused = program.run(&["restore", file.to_str().unwrap()]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
    assert!(refused.stderr.contains("is there already") && refused.stderr.contains("move the folder"), "{refused:?}");
    assert!(fs::read(program.data_dir().join("brain.redb")).unwrap() == store);
    // Nor over anything else of it.
    let other = elsewhere(&program);
    put(&other, "mail/me/new/2", "two");
    let refused = other.run(&["restore", file.to_str().unwrap()]);
    assert!(refused.code == 1 && refused.stderr.contains("mail is there already"), "{refused:?}");
    assert!(!other.data_dir().join("brain.redb").exists() && hidden_in(other.data_dir()).is_empty());
    // What is in nobody's way stays.
    fs::remove_dir_all(other.data_dir().join("mail")).unwrap();
    put(&other, "notes.txt", "mine");
    runs(&other, &["restore", file.to_str().unwrap()]);
    let read = |name: &str| fs::read_to_string(other.data_dir().join(name)).unwrap();
    assert_eq!((read("mail/me/new/1"), read("notes.txt")), ("one".to_owned(), "mine".to_owned()));
    let mail = fs::metadata(other.data_dir().join("mail/me/new/1")).unwrap();
    assert_eq!(mail.modified().unwrap(), written, "mails without a date go by it");
    let mode = |name: &str| fs::metadata(other.data_dir().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("mail"), mode("mail/me/new"), mode("mail/me/new/1")), (0o700, 0o700, 0o600));
    assert!(hidden_in(other.data_dir()).is_empty());
}

#[test]
fn what_gives_access_is_in_it_only_when_that_is_asked_for_and_what_is_left_out_is_said() {
    const SECRETS: [&str; 4] = ["admin-token", "key", "servers/home.tokens.json", "work-me.password"];
    let (program, file) = kept();
    for name in SECRETS {
        put(&program, name, "4711-Canary");
    }
    put(&program, "accounts.toml", "[work]\npassword_file = \"key\"\n");
    for name in ["mail/me/cur/1:2,S", "mail/me/.Sent/cur/2:2,S", "files/me/00ff", "contacts.vcf", "model-profiles.json"]
    {
        put(&program, name, name);
    }
    let passing = ["search/me/x", "exports/x.zip", "brain-agent.log", "terminal-history.me", ".env", "mail/me.reading"];
    for name in passing.iter().chain(&["old/brain-agent-2026-01-01.zip", "servers/home.tokens.lock"]) {
        put(&program, name, "x");
    }
    let outside = program.cwd().join("Maildir");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, program.data_dir().join("mail/linked")).unwrap();

    let told = backs_up(&program, &file);
    for said in
        ["mail/linked (symbolic links", "admin-token, key, servers/home.tokens.json, work-me.password (they give"]
    {
        assert!(told.contains(said), "{said} is not in {told}");
    }
    let without = names(&file);
    assert_eq!(without[..2], ["backup.json", "brain.redb"]);
    let kept = without.iter().filter(|name| !name.ends_with('/')).skip(2).collect::<Vec<_>>();
    assert_eq!(
        kept,
        [
            "accounts.toml",
            "contacts.vcf",
            "files/me/00ff",
            "mail/me/.Sent/cur/2:2,S",
            "mail/me/cur/1:2,S",
            "model-profiles.json"
        ]
    );
    assert_eq!(checked(&program, &file)["with_tokens"], false);

    let told = runs(&program, &["backup", file.to_str().unwrap(), "--with-tokens"]).stdout;
    assert!(told.contains("with what signs in") && !told.contains("they give access"), "{told}");
    let with = names(&file);
    assert!(SECRETS.iter().all(|name| with.iter().any(|there| there == name)), "{with:?}");
    assert_eq!(checked(&program, &file)["with_tokens"], true);
    let restored = elsewhere(&program);
    let told = runs(&restored, &["restore", file.to_str().unwrap()]).stdout;
    assert!(!told.contains("sign in again"), "{told}");
    assert!(SECRETS.iter().all(|name| restored.data_dir().join(name).exists()));
}

#[test]
fn a_program_that_the_assistant_has_started_gets_no_copy_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let (commands, script) = (folder.path().join("commands.toml"), folder.path().join("script.sh"));
    let program = Program::new().env("BRAIN_COMMANDS", commands.to_str().unwrap());
    let (data, binary, file) =
        (program.data_dir().display(), env!("CARGO_BIN_EXE_brain-agent"), folder.path().join("x.zip"));
    let asks = format!("export BRAIN_DATA_DIR={data}\n{binary} backup {} 2>&1\necho end\n", file.display());
    fs::write(&script, asks).unwrap();
    let service = "[[service]]\nname = \"box\"\nabout = \"a box\"\n[[service.command]]\nname = \"run\"\ndoes = \"run it\"\n\
                   stakes = \"low\"\n";
    fs::write(&commands, format!("{service}program = [\"/bin/sh\", \"{}\"]\n", script.display())).unwrap();
    let mut owner = program.console(&[]);
    let told = text_of(&owner.say("use box: run"));
    assert!(told.contains("end") && told.contains("decides nothing"), "{told}");
    assert!(!file.exists() && hidden_in(program.data_dir()).is_empty());
}

#[test]
fn without_a_store_there_is_nothing_to_back_up_and_a_folder_that_is_not_there_is_said() {
    let program = Program::new();
    let refused = program.run(&["backup", "out.zip"]);
    assert!(refused.code == 1 && refused.stderr.contains("there is no store in"), "{refused:?}");
    assert!(!program.data_dir().exists());
    let (program, _) = kept();
    let refused = program.run(&["backup", "nowhere/out.zip"]);
    assert!(refused.code == 1 && refused.stderr.contains("nowhere"), "{refused:?}");
    assert_eq!(hidden_in(program.data_dir()), [""; 0]);
    // In the data folder itself, and so not in itself.
    let inside = program.data_dir().join("own.zip");
    backs_up(&program, &inside);
    backs_up(&program, &inside);
    assert_eq!(names(&inside), ["backup.json", "brain.redb"]);
}
