//! A filled data folder, and the names its items have in a truth.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};

use brain_agent::app::open_store;
use brain_agent::channel::console::chat_of;
use brain_agent::core::ids::UserId;
use brain_agent::ports::{Batch, Store as _};
use brain_agent::services::across::demo;
use brain_agent::services::email::demo::thread_of;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::judge::{Item, Question};

/// The owner, as the console knows people.
pub const OWNER: &str = "me";
/// A Monday.
pub const NOW: &str = "2026-01-12T09:00:00Z";

pub fn now() -> DateTime<Utc> {
    NOW.parse().unwrap()
}

/// A data folder, the questions on it, and what its items are called.
#[derive(Debug)]
pub struct World {
    pub name: &'static str,
    pub zone: Tz,
    pub questions: Vec<Question>,
    pub folder: TempDir,
    pub titles: Titles,
}

/// What sources are called.
#[derive(Debug, Default)]
pub struct Titles {
    /// Names of threads and records by their ids.
    pub by_id: BTreeMap<String, String>,
    /// The addresses of the people in a thread or at an event.
    pub people: BTreeMap<String, BTreeSet<String>>,
    /// The names of people by their addresses.
    pub persons: BTreeMap<String, String>,
}

impl Titles {
    /// The addresses in a header or an attendee belong to this item.
    pub fn note_people(&mut self, item: &str, text: &str) {
        for (name, address) in people(text) {
            if !name.is_empty() {
                self.persons.entry(address.clone()).or_insert(name);
            }
            self.people.entry(item.to_owned()).or_default().insert(address);
        }
    }

    /// The item behind a source of an answer: `{"service", "id", "title"}`.
    pub fn item(&self, source: &Value) -> Item {
        let text = |key: &str| source[key].as_str().unwrap_or_default();
        let (service, id, title) = (text("service"), text("id"), text("title"));
        let name = match (self.by_id.get(id), service) {
            (Some(name), _) => name.clone(),
            (None, "task") => format!("task:{title}"),
            (None, "calendar") => format!("event:{title}"),
            (None, "keep") => format!("note:{title}"),
            (None, "contacts") => format!("contact:{title}"),
            (None, other) => format!("{other}:{id} ({title})"),
        };
        let mut aliases: BTreeSet<String> =
            self.people.get(&name).into_iter().flatten().map(|address| format!("with:{address}")).collect();
        if service == "contacts" {
            let is_that = |(address, person): &(&String, &String)| {
                title.eq_ignore_ascii_case(person) || id == *address || title.contains(address.as_str())
            };
            aliases.extend(self.persons.iter().filter(is_that).map(|(address, _)| format!("person:{address}")));
        }
        Item { name, aliases }
    }
}

/// The `Name <address>` of a list.
fn people(list: &str) -> Vec<(String, String)> {
    let one = |part: &str| match part.split_once('<') {
        Some((name, rest)) => {
            (name.trim_matches([' ', ',', '"']).to_owned(), rest.split('>').next().unwrap_or_default().to_lowercase())
        }
        None => (String::new(), part.trim_matches([' ', ',']).to_lowercase()),
    };
    let parts = if list.contains('>') { list.split_inclusive('>') } else { list.split_inclusive('\u{0}') };
    parts.map(one).filter(|(_, address)| address.contains('@')).collect()
}

impl World {
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// What was said in one copy is unknown in another. The mailbox is shared: it is only read.
    pub fn copy(&self) -> TempDir {
        let copy = TempDir::new().unwrap();
        copy_folder(&self.data(), &copy.path().join("state"));
        copy
    }
}

/// A folder that nobody else may look into, as the program wants it.
fn private(folder: &Path) {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    private(to);
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (kind, there) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        match kind {
            _ if entry.path().ends_with("mail/me") => symlink(entry.path(), there).unwrap(),
            kind if kind.is_dir() => copy_folder(&entry.path(), &there),
            kind if kind.is_file() => drop(fs::copy(entry.path(), there).unwrap()),
            // A socket is nothing to copy.
            _ => {}
        }
    }
}

/// An empty data folder with these records in its store.
pub fn folder_with(batch: Batch) -> TempDir {
    let folder = TempDir::new().unwrap();
    let state = folder.path().join("state");
    private(&state);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open_store(&state).await.unwrap();
        store.commit(batch).await.unwrap();
    });
    folder
}

/// The demo, with ids as it gives them.
pub fn demo_world() -> World {
    let zone = chrono_tz::Europe::London;
    let owner = UserId::new(OWNER);
    let folder = folder_with(demo::fill(&owner, &chat_of(OWNER), now(), zone).unwrap());
    demo::fill_files(&folder.path().join("state"), &owner, now(), zone).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/demo");
    let read =
        |file: &str| -> Vec<Value> { serde_json::from_str(&fs::read_to_string(source.join(file)).unwrap()).unwrap() };
    let mut titles = Titles::default();
    let files = [
        ("calendar", "event", "summary"),
        ("tasks", "task", "title"),
        ("notes", "note", "title"),
        ("memories", "memory", "key"),
    ];
    for (file, kind, field) in files {
        for (number, record) in read(&format!("{file}.json")).iter().enumerate() {
            let name = format!("{kind}:{}", record[field].as_str().unwrap());
            for attendee in record["attendees"].as_array().into_iter().flatten() {
                titles.note_people(&name, attendee.as_str().unwrap());
            }
            titles.by_id.insert(format!("demo{kind}{number:02}"), name);
        }
    }
    for entry in fs::read_dir(source.join("mail")).unwrap().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        let slug = file.trim_end_matches(".txt").split_once('-').unwrap().1.to_owned();
        for line in fs::read_to_string(entry.path()).unwrap().lines() {
            if let Some((_, list)) = line.split_once(": ").filter(|(key, _)| ["From", "To", "Cc"].contains(key)) {
                titles.note_people(&slug, list);
            }
        }
        titles.by_id.insert(thread_of(&slug), slug);
    }
    let truth: Value = serde_json::from_str(&fs::read_to_string(source.join("truth.json")).unwrap()).unwrap();
    let questions: Vec<Question> = serde_json::from_value(truth["questions"].clone()).unwrap();
    World { name: "demo", zone, questions, folder, titles }
}

#[test]
fn sources_go_by_the_names_of_the_truth() {
    let titles = demo_world().titles;
    let named = |service: &str, id: &str, title: &str| {
        titles.item(&json!({"n": 1, "service": service, "id": id, "title": title}))
    };
    let report = named("email", &thread_of("q3-report"), "The late report");
    assert_eq!(report.name, "q3-report");
    assert_eq!(
        report.aliases,
        ["with:alex.morgan@example.com", "with:priya.raman@example.com"].map(str::to_owned).into()
    );
    assert_eq!(named("calendar", "demoevent01", "Yoga").name, "event:Yoga");
    assert_eq!(named("calendar", "another", "Yoga").name, "event:Yoga");
    assert_eq!(named("keep", "another", "Groceries").name, "note:Groceries");
    let sarah = named("contacts", "c1", "Sarah Lindqvist");
    assert!(sarah.name == "contact:Sarah Lindqvist" && sarah.aliases.contains("person:sarah.lindqvist@example.com"));
    assert_eq!(named("email", "t0", "Lost").name, "email:t0 (Lost)");
}

#[test]
fn every_item_of_the_demos_truth_is_there() {
    let world = demo_world();
    check_names(&world);
    assert!(world.questions.iter().filter(|question| question.texts.len() >= 3).count() >= 12);
}

/// Every name in a truth is one of an item or a person.
pub fn check_names(world: &World) {
    let titles = &world.titles;
    let known: BTreeSet<&String> = titles.by_id.values().collect();
    for question in &world.questions {
        for name in question.expect.iter().chain(&question.may) {
            let is_known = match name.split_once(':') {
                Some(("person" | "with", address)) => titles.persons.contains_key(address),
                // Contacts get their ids from the program.
                Some(("contact", _)) => true,
                _ => known.contains(name),
            };
            assert!(is_known, "{name} in the truth of {:?}", question.texts);
        }
    }
}
