//! Damage to the index's files costs a build, and nothing else.

use std::fs;
use std::path::PathBuf;

use super::*;
use brain_core::ports::Update;

const SECRET: &str = "canary4711";

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort_unstable();
    found
}

fn copied(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&file, target).unwrap();
    }
}

/// Makes an index of three notes whose files are durable, and gives the store.
async fn built(folder: &Path) -> Arc<dyn Store> {
    let store: Arc<dyn Store> = open_store(folder).await;
    for (id, title) in [("a", "alpha"), ("b", "beta"), ("c", "alpha gamma")] {
        write(store.as_ref(), "u", id, title).await;
    }
    let index = open_index(&store, folder);
    assert_eq!(content(&index, "u").await.len(), 3);
    let update = Update { feed: "mail".to_owned(), mark: "1".to_owned(), ..Update::default() };
    index.apply(&user("u"), update).await.unwrap();
    closed(index).await;
    store
}

async fn still_right(store: &Arc<dyn Store>, search: &Path, what: &str) {
    let index = SearchIndex::with_few(store.clone(), SOURCES.to_vec(), Some(search.to_owned()), 0);
    let mut ids = found(&index, "u", "alpha").await;
    ids.sort_unstable();
    assert_eq!(ids, ["a", "c"], "{what}");
    assert_eq!(content(&index, "u").await.len(), 3, "{what}");
}

#[tokio::test]
async fn any_file_cut_changed_or_gone_costs_a_build_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = built(folder.path()).await;
    let original = folder.path().join("search");
    let names: Vec<PathBuf> =
        files(&original).iter().map(|file| file.strip_prefix(&original).unwrap().to_owned()).collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names {
        let bytes = fs::read(original.join(&name)).unwrap();
        let step = (bytes.len() / 3).max(1);
        let mut ways: Vec<(String, Option<Vec<u8>>)> = vec![("gone".to_owned(), None)];
        ways.extend((0..bytes.len()).step_by(step).map(|at| {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            (format!("changed at {at}"), Some(changed))
        }));
        ways.extend((0..bytes.len()).step_by(step).map(|at| (format!("cut at {at}"), Some(bytes[..at].to_vec()))));
        for (way, damaged) in ways {
            let place = tempfile::tempdir().unwrap();
            copied(&original, place.path());
            let file = place.path().join(&name);
            match damaged {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            still_right(&store, place.path(), &format!("{} {way}", name.display())).await;
        }
    }
}

#[tokio::test]
async fn what_is_purged_is_in_no_byte_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = open_store(folder.path()).await;
    let index = open_index(&store, folder.path());
    let search = folder.path().join("search");
    let holds = || {
        files(&search).iter().any(|file| {
            let bytes = fs::read(file).unwrap();
            bytes.windows(SECRET.len()).any(|window| window.eq_ignore_ascii_case(SECRET.as_bytes()))
        })
    };
    for n in 0..5 {
        write(store.as_ref(), "u", &format!("k{n}"), "kept").await;
    }
    write(store.as_ref(), "u", "s", &format!("The PIN is {SECRET}")).await;
    assert_eq!(found(&index, "u", SECRET).await, ["s"]);
    index.purge(&user("u")).await.unwrap();
    // What is stored is packed: words stand in their dictionaries as they are.
    assert!(holds(), "or this test shows nothing");
    delete(store.as_ref(), "u", "s").await;
    index.purge(&user("u")).await.unwrap();
    assert!(!holds());
    assert_eq!(content(&index, "u").await.len(), 5);
    closed(index).await;
    let index = open_index(&store, folder.path());
    assert_eq!(found(&index, "u", "kept").await.len(), 5);
}
