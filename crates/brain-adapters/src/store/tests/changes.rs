//! The change log: every change of a followed table has its line, and nothing else has one.

use std::io::ErrorKind;

use super::disk::{Disk, Failure};
use super::{batch, write};
use crate::store::opening::StoreSource;
use crate::store::{MemoryStore, RedbStore, Schema};
use brain_core::limits;
use brain_core::ports::{ChangeLog, ChangedRecords, Changes, Expect, Key, Store, Table};

fn schema() -> Schema {
    Schema { followed: vec![Table::Tasks, Table::Notes], ..Schema::default() }
}

async fn following(disk: &Disk) -> RedbStore {
    RedbStore::start(disk.source(), StoreSource::open, schema()).await.unwrap()
}

fn line(revision: u64, records: &[(Table, &str)]) -> ChangedRecords {
    ChangedRecords { revision, records: records.iter().map(|(table, key)| (*table, Key::of(&[key]))).collect() }
}

async fn lines(log: &dyn ChangeLog, after: u64) -> Vec<ChangedRecords> {
    match log.changes(after, usize::MAX).await.unwrap() {
        Changes::Lines(lines) => lines,
        Changes::Lost => panic!("lost"),
    }
}

#[tokio::test]
async fn a_commit_has_a_line_of_its_followed_records_and_a_refused_one_has_none() {
    let disk = Disk::default();
    let store = following(&disk).await;
    {
        let log = store.change_log();
        let watched = log.watch_changes();
        let first = batch([
            write(Table::Tasks, "a", "1", Expect::Absent),
            write(Table::Turns, "t", "1", Expect::Any),
            write(Table::Notes, "n", "1", Expect::Any),
        ]);
        let one = store.commit(first.clone()).await.unwrap();
        assert_eq!(*watched.borrow(), one);
        store.commit(first).await.unwrap_err();
        store.commit(batch([write(Table::Turns, "t", "2", Expect::Any)])).await.unwrap();
        let mut gone = batch([]);
        gone.delete(Table::Tasks, Key::of(&["a"]), Expect::Any);
        let two = store.commit(gone).await.unwrap();
        let told = [line(one, &[(Table::Tasks, "a"), (Table::Notes, "n")]), line(two, &[(Table::Tasks, "a")])];
        assert_eq!(lines(log, 0).await, told);
        assert_eq!(lines(log, one).await, told[1..]);
        assert_eq!(*watched.borrow(), two);
        log.trim_changes(one);
        store.commit(batch([write(Table::Turns, "t", "3", Expect::Any)])).await.unwrap();
        assert_eq!(log.changes(0, 10).await.unwrap(), Changes::Lost);
        assert_eq!(lines(log, one).await, told[1..]);
        assert_eq!(log.trimmed().await.unwrap(), one);
    }
}

#[tokio::test]
async fn lines_outlive_a_restart_and_a_time_without_a_log_is_a_loss() {
    let disk = Disk::default();
    let store = following(&disk).await;
    let change = |n: &str| batch([write(Table::Tasks, "a", n, Expect::Any)]);
    let one = store.commit(change("1")).await.unwrap();
    store.close().await;
    let store = following(&disk).await;
    assert_eq!(lines(&store, 0).await, [line(one, &[(Table::Tasks, "a")])]);
    assert_eq!(*store.watch_changes().borrow(), one);
    store.close().await;
    let forgetful = disk.store().await;
    let two = forgetful.commit(change("2")).await.unwrap();
    forgetful.close().await;
    let store = following(&disk).await;
    assert_eq!(store.changes(one, 10).await.unwrap(), Changes::Lost);
    assert_eq!(lines(&store, two).await, []);
    store.close().await;
    let other = Schema { followed: vec![Table::Tasks, Table::Events], ..Schema::default() };
    let store = RedbStore::start(disk.source(), StoreSource::open, other).await.unwrap();
    assert_eq!(store.changes(two - 1, 10).await.unwrap(), Changes::Lost, "events had no lines");
}

#[tokio::test]
async fn what_nobody_reads_is_dropped_and_says_so() {
    let store = MemoryStore::new();
    for _ in 0..limits::CHANGES_MAX + 2 {
        store.commit(batch([write(Table::Tasks, "a", "1", Expect::Any)])).await.unwrap();
    }
    assert_eq!(store.changes(1, 1).await.unwrap(), Changes::Lost);
    assert_eq!(lines(&store, 2).await.len(), limits::CHANGES_MAX);
}

#[tokio::test]
async fn a_commit_that_failed_leaves_no_line() {
    for step in 0..60 {
        let disk = Disk::default();
        let store = following(&disk).await;
        let change = |n: &str| batch([write(Table::Tasks, "a", &n.repeat(3_000), Expect::Any)]);
        let mut told = vec![store.commit(change("1")).await.unwrap()];
        disk.fail(Some(Failure::Once(step, ErrorKind::Other)));
        told.extend(store.commit(change("2")).await);
        disk.fail(None);
        told.push(store.commit(change("3")).await.unwrap());
        let found: Vec<u64> = lines(&store, 0).await.iter().map(|line| line.revision).collect();
        assert_eq!(found, told, "step {step}");
        assert_eq!(*store.watch_changes().borrow(), told[told.len() - 1]);
    }
}

#[tokio::test]
async fn the_log_goes_along_when_the_store_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open_with(&folder.path().join("s.redb"), schema()).await.unwrap();
    let one = store.commit(batch([write(Table::Tasks, "a", "1", Expect::Any)])).await.unwrap();
    store.purge().await.unwrap();
    assert_eq!(lines(&store, 0).await, [line(one, &[(Table::Tasks, "a")])]);
}
