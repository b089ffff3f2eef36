//! Snapshots: one moment, whatever is written meanwhile, and nobody's way to a file that changes hands.

use std::sync::Arc;

use super::disk::{Disk, Failure};
use super::{batch, write};
use crate::store::{MemoryStore, RedbStore};
use brain_core::limits;
use brain_core::ports::{Expect, Key, Order, Reader, Scan, Store, Table};

const ALL: Scan = Scan {
    table: Table::Notes,
    by: None,
    prefix: None,
    before: None,
    after: None,
    order: Order::Ascending,
    limit: usize::MAX,
};

async fn fill(store: &dyn Store, count: usize) {
    let number = |n: usize| Key::number(u64::try_from(n).unwrap());
    let notes = (0..count).map(|n| write(Table::Notes, &number(n), &format!("{n}"), Expect::Any));
    store.commit(batch(notes)).await.unwrap();
}

fn said(found: &[(Key, brain_core::ports::Stored)]) -> Vec<usize> {
    found.iter().map(|(_, stored)| std::str::from_utf8(&stored.body).unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn a_snapshot_sees_one_moment_and_the_next_one_what_was_written_since() {
    let file = tempfile::tempdir().unwrap();
    let redb = RedbStore::open(&file.path().join("store")).await.unwrap();
    for store in [Arc::new(redb) as Arc<dyn Store>, Arc::new(MemoryStore::new())] {
        fill(store.as_ref(), 3).await;
        let before = store.snapshot().await.unwrap();
        fill(store.as_ref(), 5).await;
        let key = Key::of(&[&Key::number(4)]);
        assert_eq!(before.get(Table::Notes, &key).await.unwrap(), None);
        assert_eq!(before.scan(ALL).await.unwrap().len(), 3);
        let after = store.snapshot().await.unwrap();
        assert!(after.get(Table::Notes, &key).await.unwrap().is_some());
        assert_eq!((after.scan(ALL).await.unwrap().len(), store.scan(ALL).await.unwrap().len()), (5, 5));
    }
}

#[tokio::test]
async fn a_range_that_goes_on_elsewhere_is_whole_and_in_order() {
    let file = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&file.path().join("store")).await.unwrap();
    let many = 3 * limits::STORE_READ_INLINE;
    fill(&store, many).await;
    for limit in [limits::STORE_READ_INLINE, limits::STORE_READ_INLINE + 1, many, usize::MAX] {
        let count = limit.min(many);
        let found = store.scan(Scan { limit, ..ALL }).await.unwrap();
        assert_eq!(said(&found), (0..count).collect::<Vec<_>>());
        let newest = store.scan(Scan { limit, order: Order::Descending, ..ALL }).await.unwrap();
        assert_eq!(said(&newest), (many - count..many).rev().collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_snapshot_that_is_held_keeps_nobody_from_the_file() {
    let disk = Disk::default();
    let store = disk.store().await;
    fill(&store, 3).await;
    let held = store.snapshot().await.unwrap();
    disk.fail(Some(Failure::Everything));
    assert!(store.commit(batch([write(Table::Tasks, "t", "1", Expect::Any)])).await.is_err());
    disk.fail(None);
    fill(&store, 4).await;
    // The file was opened anew under it: it goes on with what is there.
    assert_eq!(held.scan(ALL).await.unwrap().len(), 4);
    drop(held);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store");
    let store = RedbStore::open(&file).await.unwrap();
    fill(&store, 2).await;
    let held = store.snapshot().await.unwrap();
    store.purge().await.unwrap();
    assert_eq!(held.scan(ALL).await.unwrap().len(), 2);
    store.close().await;
    assert!(held.scan(ALL).await.is_err());
    assert!(RedbStore::open(&file).await.is_ok(), "closed is closed");
}
