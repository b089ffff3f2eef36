//! Backups that nobody has taken: refused, with nothing written.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use redb::{Database, TableDefinition};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{backs_up, elsewhere, entries, hidden_in, kept, put};
use crate::support::program::Program;

type Entries = Vec<(String, Vec<u8>)>;

fn zipped(path: &Path, entries: &Entries) {
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in entries {
        if name.ends_with('/') {
            zip.add_directory(name, SimpleFileOptions::default()).unwrap();
            continue;
        }
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// A backup, its entries, and where nothing may come to be.
struct HostileBackup {
    program: Program,
    restored: Program,
    file: std::path::PathBuf,
    good: Entries,
}

impl HostileBackup {
    fn new() -> Self {
        let (program, file) = kept();
        put(&program, "contacts.vcf", "BEGIN:VCARD\nEND:VCARD\n");
        backs_up(&program, &file);
        let (restored, good) = (elsewhere(&program), entries(&file));
        Self { program, restored, file, good }
    }

    fn with(&self, name: &str, bytes: &[u8]) -> Entries {
        let mut entries = self.good.clone();
        match entries.iter_mut().find(|(there, _)| there == name) {
            Some(entry) => entry.1 = bytes.to_vec(),
            None => entries.push((name.to_owned(), bytes.to_vec())),
        }
        entries
    }

    /// With this in the place of what it says of itself.
    fn saying(&self, entries: &Entries, change: impl FnOnce(&mut Value)) -> Entries {
        let mut entries = entries.clone();
        let mut statement: Value = serde_json::from_slice(&entries[0].1).unwrap();
        change(&mut statement);
        entries[0].1 = statement.to_string().into_bytes();
        entries
    }

    /// With another store, of which it says that it is the one.
    fn with_store(&self, store: &[u8]) -> Entries {
        let sha256: String = Sha256::digest(store).iter().map(|byte| format!("{byte:02x}")).collect();
        self.saying(&self.with("brain.redb", store), |it| it["store"] = json!({"sha256": sha256, "bytes": store.len()}))
    }

    #[track_caller]
    fn is_refused(&self, what: &str, entries: &Entries, why: &str) {
        zipped(&self.file, entries);
        self.file_is_refused(what, why);
    }

    #[track_caller]
    fn file_is_refused(&self, what: &str, why: &str) {
        let file = self.file.to_str().unwrap();
        for args in [&["restore", file][..], &["check", file]] {
            let ended = self.restored.run(args);
            assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{what}: {ended:?}");
            assert!(ended.stderr.contains(why), "{what}: {ended:?}");
        }
        let above = self.restored.data_dir().parent().unwrap();
        assert_eq!(fs::read_dir(above).unwrap().count(), 0, "{what}: {:?}", hidden_in(above));
        assert!(!self.program.cwd().join("x").exists() && !Path::new("/etc/x").exists());
    }
}

#[test]
fn names_that_lead_out_or_are_none_of_ours_are_refused() {
    let trial = HostileBackup::new();
    let names = [
        "../x",
        "../../x",
        "/etc/x",
        "mail/../../x",
        "mail\\x",
        "a//b",
        "control.sock",
        "search/me/x",
        ".hidden",
        ".restored/x",
        "servers/home.tokens.json",
        "admin-token",
        "brain.redb.rewritten",
    ];
    for name in names {
        let entries = trial.saying(&trial.with(name, b"x"), |it| it["files"] = json!(9));
        trial.is_refused(name, &entries, "none of ours has");
    }
    let mut zip = ZipWriter::new(fs::File::create(&trial.file).unwrap());
    for (name, bytes) in &trial.good {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.add_symlink("mail", "/etc", SimpleFileOptions::default()).unwrap();
    zip.finish().unwrap();
    trial.file_is_refused("a link", "none of ours has");
}

#[test]
fn what_holds_more_than_it_says_is_refused() {
    let trial = HostileBackup::new();
    let bomb = vec![0; 200 * 1024 * 1024];
    trial.is_refused("a bomb", &trial.with("contacts.vcf", &bomb), "more than it says");
    let many = (0..50).fold(trial.good.clone(), |mut entries, n| {
        entries.push((format!("mail/me/new/{n}"), b"x".to_vec()));
        entries
    });
    trial.is_refused("more files", &many, "more than it says");
    let folders = (0..50).fold(trial.good.clone(), |mut entries, n| {
        entries.push((format!("mail/{n}/"), Vec::new()));
        entries
    });
    trial.is_refused("more folders", &folders, "more than it says");
    let no_room = trial.saying(&trial.good, |it| it["bytes"] = json!(u64::MAX));
    zipped(&trial.file, &no_room);
    let ended = trial.restored.run(&["restore", trial.file.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "what it says at most is no size: {ended:?}");
}

#[test]
fn what_is_damaged_cut_or_something_else_is_refused() {
    let trial = HostileBackup::new();
    let wrong = trial.saying(&trial.good, |it| it["store"]["sha256"] = json!("0".repeat(64)));
    trial.is_refused("another digest", &wrong, "not the store that the backup was made of");
    let longer = trial.saying(&trial.good, |it| it["store"]["bytes"] = json!(17));
    trial.is_refused("another length", &longer, "not as long as it says");
    trial.is_refused("no store", &trial.with_store(b"hello"), "damaged");
    let without: Entries = trial.good.iter().filter(|(name, _)| name != "brain.redb").cloned().collect();
    trial.is_refused("without a store", &without, "no brain.redb");
    let late: Entries = trial.good.iter().rev().cloned().collect();
    trial.is_refused("in another order", &late, "does not begin with backup.json");
    trial.is_refused("another document", &trial.with("backup.json", b"{\"a\": 1}"), "no backup of Brain Agent");
    let newer = trial.saying(&trial.good, |it| it["brain_agent_backup"] = json!(2));
    trial.is_refused("a newer format", &newer, "use the newer program");
    let mut pages = trial.good[1].1.clone();
    pages[4_096..].fill(0x5a);
    trial.is_refused("a store with broken pages", &trial.with_store(&pages), "damaged");

    zipped(&trial.file, &trial.good);
    let whole = fs::read(&trial.file).unwrap();
    for end in [0, 1, 40, whole.len() / 2, whole.len() - 1] {
        fs::write(&trial.file, &whole[..end]).unwrap();
        let ended = trial.restored.run(&["restore", trial.file.to_str().unwrap()]);
        assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{end}: {ended:?}");
        assert!(!trial.restored.data_dir().exists());
    }
    fs::write(&trial.file, &whole).unwrap();
    let mut zip = zip::ZipArchive::new(fs::File::open(&trial.file).unwrap()).unwrap();
    let (from, length) = {
        let store = zip.by_name("brain.redb").unwrap();
        (store.data_start().unwrap() as usize, store.compressed_size() as usize)
    };
    for at in (from..from + length).step_by(length / 9) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        fs::write(&trial.file, &flipped).unwrap();
        let ended = trial.restored.run(&["check", trial.file.to_str().unwrap()]);
        assert_eq!(ended.code, 1, "byte {at}: {ended:?}");
    }
    let missing = trial.restored.run(&["check", "nothing.zip"]);
    assert!(missing.code == 1 && missing.stderr.contains("nothing.zip"), "{missing:?}");
}

#[test]
fn a_newer_store_and_records_that_nobody_can_read_are_said() {
    let trial = HostileBackup::new();
    let path = trial.program.cwd().join("newer.redb");
    let changed = |change: &dyn Fn(&redb::WriteTransaction)| {
        fs::write(&path, &trial.good[1].1).unwrap();
        let database = Database::open(&path).unwrap();
        let writing = database.begin_write().unwrap();
        change(&writing);
        writing.commit().unwrap();
        drop(database);
        trial.with_store(&fs::read(&path).unwrap())
    };
    let newer = changed(&|writing| {
        let mut about = writing.open_table(TableDefinition::<&str, u64>::new("about")).unwrap();
        about.insert("format", 99).unwrap();
    });
    trial.is_refused("a newer store", &newer, "use the newer program");
    let unreadable = changed(&|writing| {
        let mut notes = writing.open_table(TableDefinition::<&str, &[u8]>::new("notes")).unwrap();
        notes.insert("me", &b"?"[..]).unwrap();
    });
    zipped(&trial.file, &unreadable);
    let file = trial.file.to_str().unwrap();
    let told = trial.restored.run(&["check", file]);
    assert!(told.code == 1 && told.stdout.contains("1 record of “notes” cannot be read"), "{told:?}");
    let told = trial.restored.run(&["check", file, "--json"]);
    let record = &told.json_lines()[0];
    assert_eq!((told.code, &record["ok"], &record["unreadable"]), (1, &json!(false), &json!({"notes": 1})));
    // The rest is worth having.
    assert_eq!(trial.restored.run(&["restore", file]).code, 0);
}
