//! A disk that fails: nobody is told what is not true, and work goes on when the disk does.

use std::io::ErrorKind;

use super::disk::{Disk, Failure};
use super::{batch, write};
use crate::store::RedbStore;
use brain_core::ports::{Batch, Expect, Key, Order, Reader, Scan, Store, StoreError, Table};

/// Two records that must stay equal; large enough to need new pages.
fn pair(body: &str) -> Batch {
    let body = body.repeat(3_000);
    batch([write(Table::Pending, "k", &body, Expect::Any), write(Table::Audit, "k", &body, Expect::Any)])
}

/// What both records say.
async fn said(store: &RedbStore) -> Result<String, StoreError> {
    let mut said = Vec::new();
    for table in [Table::Pending, Table::Audit] {
        let stored = store.get(table, &Key::of(&["k"])).await?.unwrap();
        said.push(String::from_utf8(stored.body[..1].to_vec()).unwrap());
    }
    assert_eq!(said[0], said[1], "half a batch");
    Ok(said.remove(0))
}

async fn a_store_that_says_a() -> (Disk, RedbStore, u64) {
    let disk = Disk::default();
    let store = disk.store().await;
    let revision = store.commit(pair("a")).await.unwrap();
    (disk, store, revision)
}

/// Lets the disk fail at each step of a commit in turn; gives how many of the commits failed.
async fn fail_at_each_step(failure: impl Fn(usize) -> Failure) -> usize {
    let mut failed = 0;
    for step in 0..60 {
        let (disk, store, first) = a_store_that_says_a().await;
        disk.fail(Some(failure(step)));
        let answer = store.commit(pair("b")).await;
        let lasting = matches!(failure(step), Failure::Changes(..));
        if answer.is_err() && lasting {
            let again = store.commit(pair("c")).await;
            assert!(matches!(again, Err(StoreError::Disk { .. } | StoreError::Full { .. })), "step {step}: {again:?}");
        }
        disk.fail(None);
        let expected = match &answer {
            Ok(_) => "b",
            Err(StoreError::Disk { path, .. } | StoreError::Full { path }) => {
                assert_eq!(path, "test-disk");
                failed += 1;
                "a"
            }
            Err(other) => panic!("step {step}: {other}"),
        };
        assert_eq!(said(&store).await.unwrap(), expected, "step {step}");
        // The disk as it would be found now tells the same.
        let killed = Disk::holding(disk.bytes()).store().await;
        assert_eq!(said(&killed).await.unwrap(), expected, "step {step}, restarted");
        let later = store.commit(pair("d")).await.unwrap();
        assert!(later > answer.unwrap_or(first), "step {step}");
        assert_eq!(said(&store).await.unwrap(), "d");
    }
    failed
}

#[tokio::test]
async fn what_a_full_disk_refused_is_not_there_and_the_rest_is() {
    assert!(fail_at_each_step(|step| Failure::Changes(step, ErrorKind::StorageFull)).await > 5);
}

#[tokio::test]
async fn a_disk_that_turns_read_only_loses_nothing() {
    let read_only = |step| Failure::Changes(step, ErrorKind::ReadOnlyFilesystem);
    assert!(fail_at_each_step(read_only).await > 5);
}

#[tokio::test]
async fn one_failed_step_is_one_failed_commit() {
    assert!(fail_at_each_step(|step| Failure::Once(step, ErrorKind::Other)).await > 5);
}

#[tokio::test]
async fn reads_fail_with_the_disk_and_come_back_with_it() {
    let (disk, store, _) = a_store_that_says_a().await;
    // More than the cache holds, so that reading it all must go to the disk.
    let body = "x".repeat(64 * 1024);
    let records = 2 * brain_core::limits::STORE_CACHE_BYTES / body.len();
    for n in 0..records {
        let change = write(Table::Notes, &Key::number(n as u64), &body, Expect::Any);
        store.commit(batch([change])).await.unwrap();
    }
    let everything = Scan {
        table: Table::Notes,
        by: None,
        prefix: None,
        before: None,
        after: None,
        order: Order::Ascending,
        limit: usize::MAX,
    };
    disk.fail(Some(Failure::Everything));
    let refused = store.scan(everything.clone()).await;
    assert!(matches!(refused, Err(StoreError::Disk { .. })), "{}", refused.is_ok());
    disk.fail(None);
    assert_eq!(store.scan(everything).await.unwrap().len(), records);
    store.commit(pair("b")).await.unwrap();
    assert_eq!(said(&store).await.unwrap(), "b");
}

#[tokio::test]
async fn a_store_that_failed_and_was_closed_opens_again() {
    let (disk, store, _) = a_store_that_says_a().await;
    disk.fail(Some(Failure::Everything));
    assert!(store.commit(pair("b")).await.is_err());
    store.close().await;
    disk.fail(None);
    assert_eq!(said(&disk.store().await).await.unwrap(), "a");
}
