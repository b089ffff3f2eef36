//! Batches: all or nothing, in order, with what they expect.

use std::sync::Arc;

use super::disk::Disk;
use super::{batch, write};
use crate::store::group::{Prior, commit};
use crate::store::{MemoryStore, RedbStore, Schema};
use brain_core::ports::{Batch, Expect, Key, Order, Reader, Scan, Store, StoreError, Table};

async fn stores() -> Vec<Arc<dyn Store>> {
    vec![Arc::new(Disk::default().store().await), Arc::new(MemoryStore::new())]
}

async fn number(store: &dyn Store, key: &str) -> (u64, u64) {
    let stored = store.get(Table::Meta, &Key::of(&[key])).await.unwrap().unwrap();
    let text = String::from_utf8(stored.body).unwrap();
    (text.parse().unwrap(), stored.revision)
}

#[tokio::test]
async fn a_batch_that_finds_something_else_writes_nothing() {
    for store in stores().await {
        let first = batch([write(Table::Tasks, "a", "1", Expect::Absent)]);
        let revision = store.commit(first.clone()).await.unwrap();
        let conflict = |key: &str| Err(StoreError::Conflict { table: Table::Tasks, key: Key::of(&[key]) });
        assert_eq!(store.commit(first).await, conflict("a"));
        for wrong in [Expect::Revision(revision + 1), Expect::Revision(0), Expect::Absent] {
            let half = batch([write(Table::Tasks, "b", "2", Expect::Any), write(Table::Tasks, "a", "2", wrong)]);
            assert_eq!(store.commit(half).await, conflict("a"));
            assert_eq!(store.get(Table::Tasks, &Key::of(&["b"])).await, Ok(None));
        }
        let absent = batch([write(Table::Tasks, "c", "2", Expect::Revision(revision))]);
        assert_eq!(store.commit(absent).await, conflict("c"));
        let right = batch([write(Table::Tasks, "a", "2", Expect::Revision(revision))]);
        assert!(store.commit(right).await.unwrap() > revision);
    }
}

#[tokio::test]
async fn records_of_one_batch_share_its_revision() {
    for store in stores().await {
        let changes = ["a", "b", "c"].map(|key| write(Table::Meta, key, "1", Expect::Any));
        let revision = store.commit(batch(changes)).await.unwrap();
        for key in ["a", "b", "c"] {
            assert_eq!(number(store.as_ref(), key).await, (1, revision));
        }
    }
}

#[test]
fn batches_of_a_group_see_each_other_and_fail_alone() {
    let opened = Disk::default().source().open().unwrap();
    let one = |body: &str, expect| batch([write(Table::Meta, "k", body, expect)]);
    let group = [
        one("1", Expect::Absent),
        one("2", Expect::Absent),
        one("3", Expect::Revision(8)),
        batch([write(Table::Meta, "other", "4", Expect::Any), write(Table::Meta, "k", "4", Expect::Revision(8))]),
        one("5", Expect::Revision(9)),
    ];
    let mut prior = Prior::after(7);
    let answers = commit(&opened.database, &Schema::default(), &group, 0, &mut prior).unwrap();
    let given: Vec<_> = answers.iter().map(|answer| answer.as_ref().ok()).collect();
    assert_eq!(given, [Some(&8), None, Some(&9), None, Some(&10)]);
    assert_eq!(prior.revision, 10);
}

#[tokio::test]
async fn counting_by_two_hundred_tasks_loses_nothing() {
    for store in stores().await {
        let zero = write(Table::Meta, "n", "0", Expect::Absent);
        store.commit(batch([zero])).await.unwrap();
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    loop {
                        let (n, revision) = number(store.as_ref(), "n").await;
                        let next = (n + 1).to_string();
                        let change = write(Table::Meta, "n", &next, Expect::Revision(revision));
                        match store.commit(batch([change])).await {
                            Ok(_) => break,
                            Err(StoreError::Conflict { .. }) => {}
                            Err(other) => panic!("{other}"),
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(number(store.as_ref(), "n").await.0, 200);
    }
}

#[tokio::test]
async fn a_commit_nobody_waits_for_is_done_whole() {
    let store: RedbStore = Disk::default().store().await;
    for n in 0..100 {
        let both = batch(["a", "b"].map(|key| write(Table::Meta, key, &n.to_string(), Expect::Any)));
        let mut waiting = store.commit(both);
        // Once polled it is queued; a busy machine may even have done it by now.
        let _ = futures::poll!(&mut waiting);
        drop(waiting);
    }
    store.commit(Batch::default()).await.unwrap();
    let (a, b) = (number(&store, "a").await, number(&store, "b").await);
    assert_eq!((a.0, a), (99, b));
}

#[tokio::test]
async fn more_commits_than_the_queue_holds_all_come_through() {
    let store = Arc::new(Disk::default().store().await);
    let many = brain_core::limits::STORE_QUEUE_MAX + 500;
    let commits = (0..many).map(|n| {
        let store = Arc::clone(&store);
        async move {
            let change = write(Table::Audit, &Key::number(n as u64), "1", Expect::Absent);
            store.commit(batch([change])).await.unwrap()
        }
    });
    let mut revisions = futures::future::join_all(commits).await;
    revisions.sort_unstable();
    revisions.dedup();
    assert_eq!(revisions.len(), many, "each batch has a revision of its own");
    let scan = Scan {
        table: Table::Audit,
        by: None,
        prefix: None,
        before: None,
        after: None,
        order: Order::Ascending,
        limit: usize::MAX,
    };
    assert_eq!(store.scan(scan).await.unwrap().len(), many);
}
