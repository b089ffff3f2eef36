//! A store that is written anew: nothing of what was deleted is left, and everything else is there.

use std::path::Path;

use super::{batch, write};
use crate::store::RedbStore;
use brain_core::ports::{Change, Expect, Key, Order, Reader, Scan, Store, StoreError, Table};

const SECRET: &str = "4711-canary";

fn has_secret(file: &Path) -> bool {
    let bytes = std::fs::read(file).unwrap();
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

async fn keys(store: &RedbStore, table: Table) -> Vec<String> {
    let scan =
        Scan { table, by: None, prefix: None, before: None, after: None, order: Order::Ascending, limit: 10_000 };
    store.scan(scan).await.unwrap().into_iter().map(|(key, _)| key.as_str().to_owned()).collect()
}

#[tokio::test]
async fn what_was_deleted_is_in_no_byte_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.redb"), folder.path().join("link.redb"));
    let store = RedbStore::open(&file).await.unwrap();
    store.close().await;
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let store = RedbStore::open(&link).await.unwrap();
    let secret = write(Table::Memories, "pin", &format!("{{\"value\":\"{SECRET}\"}}"), Expect::Any);
    let kept = (0..2_000).map(|n| write(Table::Messages, &format!("{n:05}"), "{}", Expect::Absent));
    let first = store.commit(batch(kept.chain([secret]))).await.unwrap();
    store.commit(batch([Change::delete(Table::Memories, Key::of(&["pin"]), Expect::Any)])).await.unwrap();
    assert!(has_secret(&file), "or this test shows nothing");
    store.purge().await.unwrap();
    assert!(!has_secret(&file) && link.is_symlink());
    assert_eq!(keys(&store, Table::Messages).await.len(), 2_000);
    // The same process goes on with it, and nobody else may.
    let expected = write(Table::Messages, "00007", "{\"n\":1}", Expect::Revision(first));
    assert!(store.commit(batch([expected])).await.unwrap() > first);
    assert!(matches!(RedbStore::open(&file).await, Err(StoreError::Locked { .. })));
    store.close().await;
    let again = RedbStore::open(&file).await.unwrap();
    let seventh = again.get(Table::Messages, &Key::of(&["00007"])).await.unwrap().unwrap();
    assert_eq!(seventh.body, b"{\"n\":1}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
}

#[tokio::test]
async fn whoever_reads_and_writes_meanwhile_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&folder.path().join("brain.redb")).await.unwrap();
    let one = |n: usize| store.commit(batch([write(Table::Turns, &format!("{n:04}"), "{}", Expect::Absent)]));
    let (store, one) = (&store, &one);
    let rounds = (0..8).map(|round| async move {
        for n in 0..20 {
            one(round * 20 + n).await.unwrap();
            assert!(!keys(store, Table::Turns).await.is_empty());
        }
    });
    let scrubs = async {
        for _ in 0..5 {
            store.purge().await.unwrap();
        }
    };
    futures::future::join(futures::future::join_all(rounds), scrubs).await;
    assert_eq!(keys(store, Table::Turns).await.len(), 160);
}

#[tokio::test]
async fn where_it_cannot_be_written_anew_the_old_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("brain.redb");
    let store = RedbStore::open(&file).await.unwrap();
    store.commit(batch([write(Table::Turns, "a", "{}", Expect::Any)])).await.unwrap();
    // A folder stands where the copy is to be written.
    std::fs::create_dir(folder.path().join("brain.redb.rewritten")).unwrap();
    assert!(matches!(store.purge().await, Err(StoreError::Disk { .. })));
    store.commit(batch([write(Table::Turns, "b", "{}", Expect::Any)])).await.unwrap();
    assert_eq!(keys(&store, Table::Turns).await, ["a", "b"]);
}

/// Many records, most of them deleted again.
async fn sparse(file: &Path) -> RedbStore {
    let store = RedbStore::open(file).await.unwrap();
    let body = format!("\"{}\"", "x".repeat(1_000));
    for part in 0..20_usize {
        let records =
            (0..1_000).map(|n| write(Table::Messages, &format!("{:05}", part * 1_000 + n), &body, Expect::Absent));
        store.commit(batch(records)).await.unwrap();
    }
    for part in 0..18_usize {
        let gone = (0..1_000).map(|n| Key::of(&[&format!("{:05}", part * 1_000 + n)]));
        store.commit(batch(gone.map(|key| Change::delete(Table::Messages, key, Expect::Any)))).await.unwrap();
    }
    store
}

#[tokio::test]
async fn a_file_that_is_mostly_free_gives_its_space_back_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("brain.redb");
    let store = sparse(&file).await;
    let length = || std::fs::metadata(&file).unwrap().len();
    let before = length();
    assert!(store.give_back().await.unwrap());
    let after = length();
    println!("{before} bytes before, {after} after");
    assert!(after < before / 2, "{before} {after}");
    assert_eq!(keys(&store, Table::Messages).await.len(), 2_000);
    assert!(!store.give_back().await.unwrap(), "there is nothing left to give");
    store.commit(batch([write(Table::Turns, "a", "{}", Expect::Any)])).await.unwrap();
    store.close().await;
    let again = RedbStore::open(&file).await.unwrap();
    assert_eq!((keys(&again, Table::Messages).await.len(), keys(&again, Table::Turns).await.len()), (2_000, 1));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[tokio::test]
async fn a_file_without_room_beside_it_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("brain.redb");
    let store = sparse(&file).await;
    std::fs::create_dir(folder.path().join("brain.redb.rewritten")).unwrap();
    assert!(store.give_back().await.is_err());
    assert_eq!(keys(&store, Table::Messages).await.len(), 2_000);
}
