//! Stores that cannot be used.

use std::path::Path;

use redb::{Database, TableDefinition};

use super::console;
use crate::support::program::{Program, done_of, text_of};

/// A store with one task in it.
fn used() -> Program {
    let program = Program::new();
    let mut console = console(&program);
    console.say("remind me to call mom tomorrow at 5pm");
    assert_eq!(console.finish().code, 0);
    program
}

fn file(program: &Program) -> std::path::PathBuf {
    program.data_dir().join("brain.redb")
}

/// Every command refuses in the same way: exit 2, a reason on standard error, nothing on standard output.
fn refuses(program: &Program, reason: &str) {
    for args in [&["console", "--json"] as &[&str], &["ask", "hi"], &["pending", "list"]] {
        let ended = program.run_with_stdin(args, "{\"text\":\"hi\"}\n");
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{args:?}: {ended:?}");
        let said = ended.stderr.to_lowercase();
        assert!(said.contains(&reason.to_lowercase()) && !said.contains("panicked"), "{args:?}: {ended:?}");
        assert!(ended.stderr.lines().count() <= 3, "{ended:?}");
    }
}

#[test]
fn a_damaged_store_is_named_and_keeps_every_byte() {
    let whole = std::fs::read(file(&used())).unwrap();
    let mut torn = whole.clone();
    torn.truncate(whole.len() / 3);
    let mut scribbled = whole.clone();
    scribbled[..64].fill(0x55);
    for (name, bytes) in
        [("a stranger's", b"this is my diary, not a database".to_vec()), ("torn", torn), ("scribbled", scribbled)]
    {
        let program = Program::new();
        std::fs::create_dir_all(program.data_dir()).unwrap();
        std::fs::write(file(&program), &bytes).unwrap();
        refuses(&program, "brain.redb");
        assert!(std::fs::read(file(&program)).unwrap() == bytes, "{name} was changed");
    }
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let program = used();
    let about: TableDefinition<&str, u64> = TableDefinition::new("about");
    let database = Database::open(file(&program)).unwrap();
    let writing = database.begin_write().unwrap();
    writing.open_table(about).unwrap().insert("format", 99).unwrap();
    writing.commit().unwrap();
    drop(database);
    let bytes = std::fs::read(file(&program)).unwrap();
    refuses(&program, "newer");
    assert!(std::fs::read(file(&program)).unwrap() == bytes);
}

#[test]
fn a_folder_that_takes_no_files_is_named() {
    // Works for root as well, whom no permission bit stops.
    let beside = tempfile::tempdir().unwrap();
    let in_the_way = beside.path().join("file");
    std::fs::write(&in_the_way, "").unwrap();
    for folder in [Path::new("/proc/brain-agent"), &in_the_way.join("state")] {
        let program = Program::with_data_dir(folder);
        refuses(&program, folder.to_str().unwrap());
    }
}

/// The program under a limit on the size of its files: what a full disk looks like, for anybody.
fn cramped(program: &Program, blocks: usize) -> Program {
    // The signal that comes with the limit is ignored, so that writing fails as it does on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{}' \"$@\"", env!("CARGO_BIN_EXE_brain-agent"));
    for name in ["console", "ask"] {
        std::fs::write(program.cwd().join(name), script.replace("\"$@\"", &format!("{name} \"$@\""))).unwrap();
    }
    program.clone().binary(Path::new("/bin/bash"))
}

#[test]
fn a_disk_without_room_for_a_store_is_told() {
    let program = Program::new();
    let ended = cramped(&program, 8).run(&["ask", "hi"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{ended:?}");
    assert!(!ended.stderr.is_empty() && !ended.stderr.contains("panicked"), "{ended:?}");
    // Nothing half-made is in the way afterwards.
    assert_eq!(program.run(&["ask", "hi"]).code, 0);
}

#[test]
fn a_disk_that_fills_up_stops_nothing_but_the_new_and_loses_nothing_told() {
    let program = used();
    let size = std::fs::metadata(file(&program)).unwrap().len();
    let blocks = usize::try_from(size.div_ceil(1_024)).unwrap();
    let mut cramped = console(&cramped(&program, blocks));
    let mut told = 1;
    let mut trouble = false;
    for n in 0..400 {
        let word = format!("thing{}", "abcdefghij".chars().cycle().nth(n).unwrap().to_string().repeat(1 + n / 10));
        let lines = cramped.say(&format!("remind me to buy {word} tomorrow at 5pm. {}", "x".repeat(12_000)));
        let text = text_of(&lines);
        assert!(!text.is_empty(), "{lines:#?}");
        if done_of(&lines)["path"] == "error" {
            assert!(text.contains("disk") && text.contains("is full") && text.contains("free some space"), "{text}");
            assert_eq!(text.matches("is full").count(), 1, "{text}");
            trouble = true;
            break;
        }
        told += 1;
    }
    assert!(trouble, "the limit was never met");
    // It still answers.
    assert!(!text_of(&cramped.say("hi")).is_empty());
    cramped.finish();
    // With room again everything that was told is there, and what was not is settled and told now.
    let mut again = console(&program);
    let lines = text_of(&again.say("show my tasks"));
    let settled = lines.matches("Reminder set").count();
    assert_eq!(rows(&lines), told + settled, "{lines}");
}

/// The rows of a list, those it only counts included.
fn rows(list: &str) -> usize {
    let more = list.split("… and ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    list.matches("▫️").count() + more.unwrap_or(0)
}
