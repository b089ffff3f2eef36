//! What is found at the path, and what is made of it.

use std::path::Path;

use redb::{Database, TableDefinition};

use super::{batch, write};
use crate::store::RedbStore;
use crate::store::layout::{ABOUT, FORMAT_KEY};
use crate::store::opening::FORMAT;
use brain_core::ports::{Expect, Key, Reader, Store, StoreError, Table};

async fn put(store: &RedbStore, key: &str, body: &str) -> u64 {
    let change = write(Table::Notes, key, body, Expect::Any);
    store.commit(batch([change])).await.unwrap()
}

async fn body(store: &RedbStore, key: &str) -> Option<Vec<u8>> {
    let stored = store.get(Table::Notes, &Key::of(&[key])).await.unwrap();
    stored.map(|stored| stored.body)
}

/// Opening fails, and the file keeps every byte.
async fn refused_and_untouched(path: &Path) -> StoreError {
    let before = std::fs::read(path).unwrap();
    let refused = RedbStore::open(path).await.unwrap_err();
    assert!(std::fs::read(path).unwrap() == before, "{refused}");
    assert!(refused.to_string().contains(path.to_str().unwrap()));
    refused
}

#[tokio::test]
async fn a_store_is_made_with_its_folders_and_only_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/store.redb");
    let store = RedbStore::open(&path).await.unwrap();
    put(&store, "k", "1").await;
    store.close().await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&folder.path().join("a/b")), 0o700);
        assert_eq!(mode(&folder.path().join("a")), 0o700);
    }
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "no draft is left");
}

#[tokio::test]
async fn records_and_revisions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let mut last = 0;
    for round in 0..4 {
        let store = RedbStore::open(&path).await.unwrap();
        if round > 0 {
            assert_eq!(body(&store, "k").await, Some((round - 1).to_string().into_bytes()));
        }
        let revision = put(&store, "k", &round.to_string()).await;
        assert!(revision > last);
        let stored = store.get(Table::Notes, &Key::of(&["k"])).await.unwrap().unwrap();
        assert_eq!((stored.revision, stored.version), (revision, 1));
        // Nor does a deletion give its revision back.
        let gone = store.commit({
            let mut batch = brain_core::ports::Batch::default();
            batch.delete(Table::Notes, Key::of(&["other"]), Expect::Any);
            batch
        });
        last = gone.await.unwrap();
        assert!(last > revision);
        store.close().await;
    }
}

#[tokio::test]
async fn a_second_open_finds_the_store_locked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let store = RedbStore::open(&path).await.unwrap();
    put(&store, "k", "1").await;
    let refused = refused_and_untouched(&path).await;
    assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
    put(&store, "k", "2").await;
    store.close().await;
    assert_eq!(body(&RedbStore::open(&path).await.unwrap(), "k").await, Some(b"2".to_vec()));
}

#[tokio::test]
async fn two_first_starts_at_once_make_one_store() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let path = folder.path().join(format!("{round}/store.redb"));
        let (one, other) = tokio::join!(RedbStore::open(&path), RedbStore::open(&path));
        let locked = |found: &Result<RedbStore, StoreError>| matches!(found, Err(StoreError::Locked { .. }));
        match (one, other) {
            (Ok(store), refused) | (refused, Ok(store)) => {
                assert!(locked(&refused), "{refused:?}");
                put(&store, "k", "1").await;
                store.close().await;
                assert_eq!(body(&RedbStore::open(&path).await.unwrap(), "k").await, Some(b"1".to_vec()));
            }
            // Each may have met the other while it looked.
            (one, other) => assert!(locked(&one) && locked(&other), "{one:?} {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_empty_file_becomes_a_store_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    std::fs::write(&path, b"").unwrap();
    let store = RedbStore::open(&path).await.unwrap();
    put(&store, "k", "1").await;
    store.close().await;
    assert_eq!(body(&RedbStore::open(&path).await.unwrap(), "k").await, Some(b"1".to_vec()));
}

#[tokio::test]
async fn a_database_nobody_has_written_to_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    drop(Database::create(&path).unwrap());
    let store = RedbStore::open(&path).await.unwrap();
    put(&store, "k", "1").await;
}

#[tokio::test]
async fn a_file_that_is_no_store_is_refused_and_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let contents: [Vec<u8>; 5] = [
        b"x".to_vec(),
        b"SQLite format 3\0".to_vec(),
        vec![0; 4096],
        b"redb\x1A\x0A\xA9\x0D\x0A".to_vec(),
        [b"redb\x1A\x0A\xA9\x0D\x0A".as_slice(), &[0xff; 8192]].concat(),
    ];
    for content in contents {
        std::fs::write(&path, &content).unwrap();
        let refused = refused_and_untouched(&path).await;
        assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    }
}

#[tokio::test]
async fn another_programs_database_is_refused_and_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let database = Database::create(&path).unwrap();
    let writing = database.begin_write().unwrap();
    let theirs: TableDefinition<'_, u64, u64> = TableDefinition::new("theirs");
    writing.open_table(theirs).unwrap().insert(1, 1).unwrap();
    writing.commit().unwrap();
    drop(database);
    let refused = refused_and_untouched(&path).await;
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
}

/// A store whose format says `format`, closed cleanly or killed.
async fn store_of_format(path: &Path, format: u64, killed: bool) {
    RedbStore::open(path).await.unwrap().close().await;
    let database = Database::create(path).unwrap();
    let writing = database.begin_write().unwrap();
    writing.open_table(ABOUT).unwrap().insert(FORMAT_KEY, format).unwrap();
    writing.commit().unwrap();
    if killed {
        let image = std::fs::read(path).unwrap();
        drop(database);
        std::fs::write(path, image).unwrap();
    }
}

#[tokio::test]
async fn a_newer_store_is_refused_and_untouched_after_a_crash_too() {
    let folder = tempfile::tempdir().unwrap();
    for killed in [false, true] {
        let path = folder.path().join(format!("{killed}.redb"));
        store_of_format(&path, u64::from(FORMAT) + 1, killed).await;
        let refused = refused_and_untouched(&path).await;
        let StoreError::Newer { found, known, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!((found, known), (FORMAT + 1, FORMAT));
    }
}

#[tokio::test]
async fn a_store_without_a_format_is_refused_and_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    store_of_format(&path, 0, false).await;
    let refused = refused_and_untouched(&path).await;
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
}

#[tokio::test]
async fn a_damaged_store_is_never_changed_by_a_refused_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let store = RedbStore::open(&path).await.unwrap();
    for n in 0..50 {
        put(&store, &n.to_string(), &"x".repeat(500)).await;
    }
    store.close().await;
    let whole = std::fs::read(&path).unwrap();
    let mut refusals = 0;
    for page in 0..whole.len() / 4096 {
        let mut broken = whole.clone();
        broken[page * 4096..(page + 1) * 4096].fill(0xa5);
        std::fs::write(&path, &broken).unwrap();
        match RedbStore::open(&path).await {
            // That page held nothing the start needs.
            Ok(store) => store.close().await,
            Err(refused) => {
                refusals += 1;
                assert!(matches!(refused, StoreError::Damaged { .. }), "page {page}: {refused}");
                assert!(std::fs::read(&path).unwrap() == broken, "page {page}");
            }
        }
    }
    assert!(refusals > 0);
    for length in [1, 9, 100, 320, 4096, 8192, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let refused = refused_and_untouched(&path).await;
        assert!(matches!(refused, StoreError::Damaged { .. }), "{length}: {refused}");
    }
}

#[tokio::test]
async fn a_place_that_cannot_hold_a_file_is_the_disks_fault() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), b"mine").unwrap();
    for place in ["", "file/store.redb", "file/deeper/store.redb"] {
        let path = folder.path().join(place);
        let refused = RedbStore::open(&path).await.unwrap_err();
        assert!(matches!(refused, StoreError::Disk { .. }), "{place}: {refused}");
    }
    assert_eq!(std::fs::read(folder.path().join("file")).unwrap(), b"mine");
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let store = RedbStore::open(&path).await.unwrap();
    store.close().await;
    store.close().await;
    let change = write(Table::Notes, "k", "1", Expect::Any);
    assert_eq!(store.commit(batch([change])).await, Err(StoreError::Closed));
    assert_eq!(store.get(Table::Notes, &Key::of(&["k"])).await, Err(StoreError::Closed));
}
