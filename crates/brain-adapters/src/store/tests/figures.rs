//! Prints what a commit and a restart cost here; asserts nothing about time.
//!
//! Each durable commit is paired with an append and `fdatasync` of the same bytes, on the same disk, in turn.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{batch, write};
use crate::store::RedbStore;
use brain_core::limits;
use brain_core::ports::{Batch, Expect, Key, Order, Reader, Scan, Store, Table};

/// A decision: the pending action, its audit row, the intent to execute.
fn decision(n: usize) -> Batch {
    let body = "x".repeat(600);
    batch(
        [Table::Pending, Table::Audit, Table::Runs]
            .map(|table| write(table, &Key::number(n as u64), &body, Expect::Any)),
    )
}

fn bytes_of(batch: &Batch) -> Vec<u8> {
    let parts = batch.changes.iter();
    parts.flat_map(|change| change.put.clone().unwrap().1).collect()
}

fn median(mut times: Vec<Duration>) -> u128 {
    times.sort_unstable();
    times[times.len() / 2].as_micros()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_of_commits() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(RedbStore::open(&folder.path().join("s.redb")).await.unwrap());
    let mut log = std::fs::File::create(folder.path().join("log")).unwrap();
    let (mut commits, mut appends) = (Vec::new(), Vec::new());
    for n in 0..300 {
        let decision = decision(n);
        let bytes = bytes_of(&decision);
        let began = Instant::now();
        store.commit(decision).await.unwrap();
        commits.push(began.elapsed());
        let began = Instant::now();
        log.write_all(&bytes).unwrap();
        log.sync_data().unwrap();
        appends.push(began.elapsed());
    }
    let (alone, append) = (median(commits), median(appends));
    let ratio = alone as f64 / append as f64;
    println!("alone: {alone} µs a commit, {append} µs append + fdatasync: x{ratio:.1}");
    let began = Instant::now();
    let load = (0..2_000).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.commit(decision(1_000 + n)).await.unwrap() })
    });
    futures::future::join_all(load).await;
    println!("2,000 at once: {} µs a commit", began.elapsed().as_micros() / 2_000);
    let began = Instant::now();
    for n in 0..1_000 {
        store.get(Table::Pending, &Key::of(&[&Key::number(n)])).await.unwrap();
    }
    println!("get: {} µs", began.elapsed().as_micros() / 1_000);
}

#[tokio::test]
async fn figures_of_a_restart_after_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.redb");
    let store = RedbStore::open(&path).await.unwrap();
    let body = "x".repeat(300);
    for part in 0..100 {
        let record = |n: u64| write(Table::Pending, &Key::number(part * 1_000 + n), &body, Expect::Any);
        store.commit(batch((0..1_000).map(record))).await.unwrap();
    }
    let open = |n: u64| write(Table::PendingOpen, &Key::number(n), "1", Expect::Any);
    store.commit(batch((0..10).map(open))).await.unwrap();
    let killed = folder.path().join("killed.redb");
    std::fs::copy(&path, &killed).unwrap();
    let began = Instant::now();
    let store = RedbStore::open(&killed).await.unwrap();
    let opened = began.elapsed();
    let scan = Scan {
        table: Table::PendingOpen,
        by: None,
        prefix: None,
        before: None,
        after: None,
        order: Order::Ascending,
        limit: limits::PENDING_OPEN_MAX,
    };
    let items = store.scan(scan).await.unwrap();
    assert_eq!(items.len(), 10);
    for (key, _) in items {
        assert!(store.get(Table::Pending, &key).await.unwrap().is_some());
    }
    println!("100,000 records after kill: open {opened:?}, with open items {:?}", began.elapsed());
}
