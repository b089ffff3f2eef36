//! Indexes of the store: whatever happens, each is what would be computed afresh.

use std::io::ErrorKind;
use std::sync::Arc;

use proptest::prelude::*;

use super::crash::images;
use super::disk::{Disk, Failure};
use super::model::{change, key};
use super::{batch, write};
use crate::store::{MemoryStore, RedbStore, Schema};
use brain_core::ports::{Batch, Change, Expect, Key, Order, Reader, Scan, Secondary, Store, StoreError, Stored, Table};

/// By the first letters of the body: none, one or two keys.
fn letters(_: &Key, stored: &Stored) -> Vec<Key> {
    let text = String::from_utf8_lossy(&stored.body).into_owned();
    text.chars().take(2).map(|letter| Key::of(&[&letter.to_string(), "x"])).collect()
}

static BY_LETTER: Secondary = Secondary { name: "letters", table: Table::Tasks, version: 1, keys: letters };
static ELSEWHERE: Secondary = Secondary { name: "meta", table: Table::Meta, version: 1, keys: letters };

const EVERYTHING: usize = usize::MAX;

/// What the index should list, from the records alone.
async fn afresh(store: &dyn Store, index: &'static Secondary) -> Vec<(Key, Stored)> {
    let all = Scan { by: None, ..Scan::by(index, &[], EVERYTHING) };
    let mut entries = Vec::new();
    for (key, stored) in store.scan(all).await.unwrap() {
        let keys = (index.keys)(&key, &stored);
        entries.extend(keys.iter().map(|by| (Key::of(&[by.as_str(), key.as_str()]), stored.clone())));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    entries.dedup();
    entries
}

async fn is_as_computed_afresh(store: &dyn Store, index: &'static Secondary) -> bool {
    let scan = Scan::by(index, &[], EVERYTHING);
    let listed = store.scan(scan.clone()).await.unwrap();
    store.count(scan).await.unwrap() == listed.len() && listed == afresh(store, index).await
}

/// Prefix, before, after, order and limit of a scan.
type Range = (Option<Key>, Option<Key>, Option<Key>, Order, usize);

async fn follows(acts: Vec<Option<Vec<Change>>>, ranges: Vec<Range>) {
    let disk = Disk::default();
    let mut store = disk.indexed(vec![&BY_LETTER, &ELSEWHERE]).await;
    let memory = MemoryStore::new();
    for act in acts {
        match act {
            Some(changes) => {
                let expected = memory.commit(Batch { changes: changes.clone() }).await.is_ok();
                assert_eq!(store.commit(Batch { changes }).await.is_ok(), expected);
            }
            None => {
                store.close().await;
                store = disk.indexed(vec![&BY_LETTER, &ELSEWHERE]).await;
            }
        }
        for index in [&BY_LETTER, &ELSEWHERE] {
            assert!(is_as_computed_afresh(&store, index).await);
            assert!(is_as_computed_afresh(&memory, index).await);
        }
    }
    for (prefix, before, after, order, limit) in ranges {
        let scan = Scan { prefix, before, after, order, ..Scan::by(&BY_LETTER, &[], limit) };
        let mut expected = afresh(&store, &BY_LETTER).await;
        expected.retain(|(key, _)| {
            scan.prefix.as_ref().is_none_or(|prefix| key.as_str().starts_with(prefix.as_str()))
                && scan.before.as_ref().is_none_or(|before| key < before)
                && scan.after.as_ref().is_none_or(|after| key > after)
        });
        if order == Order::Descending {
            expected.reverse();
        }
        expected.truncate(limit);
        assert_eq!(memory.scan(scan.clone()).await.unwrap(), expected);
        assert_eq!(store.count(scan.clone()).await.unwrap(), expected.len());
        assert_eq!(store.scan(scan).await.unwrap(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_index_follows_every_change_and_every_restart(
        acts in prop::collection::vec(prop::option::weighted(0.9, prop::collection::vec(change(), 0..5)), 1..30),
        ranges in prop::collection::vec(
            (
                prop::option::of(key()),
                prop::option::of(key()),
                prop::option::of(key()),
                prop::sample::select(vec![Order::Ascending, Order::Descending]),
                0_usize..5,
            ),
            4,
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(follows(acts, ranges));
    }
}

/// Batch `n` of a story that moves, adds and removes records.
fn story(n: usize) -> Batch {
    let letter = |n: usize| char::from(b'a' + (n % 7) as u8);
    let body = format!("{}{}", letter(n), letter(n * 3)).repeat(1 + (n * 61) % 300);
    let mut batch = batch([write(Table::Tasks, &(n % 5).to_string(), &body, Expect::Any)]);
    batch.changes.push(write(Table::Tasks, &format!("own {n}"), &body, Expect::Any));
    if n % 3 == 2 {
        batch.delete(Table::Tasks, Key::of(&[&format!("own {}", n - 1)]), Expect::Any);
    }
    batch
}

#[tokio::test]
async fn after_a_power_cut_at_any_moment_the_index_equals_one_computed_afresh() {
    let disk = Disk::default();
    let store = disk.indexed(vec![&BY_LETTER]).await;
    let (start, begun) = (disk.bytes(), disk.steps());
    for n in 0..12 {
        store.commit(story(n)).await.unwrap();
    }
    let log = disk.log().split_off(begun);
    for cut in (0..=log.len()).step_by(3) {
        for image in images(&start, &log[..cut]) {
            let store = Disk::holding(image).indexed(vec![&BY_LETTER]).await;
            assert!(is_as_computed_afresh(&store, &BY_LETTER).await, "cut {cut}");
            store.close().await;
        }
    }
}

#[tokio::test]
async fn an_index_whose_building_was_cut_short_is_built_by_the_next_start() {
    let disk = Disk::default();
    let store = disk.store().await;
    for n in 0..12 {
        store.commit(story(n)).await.unwrap();
    }
    store.close().await;
    let (start, begun) = (disk.bytes(), disk.steps());
    disk.indexed(vec![&BY_LETTER]).await.close().await;
    let log = disk.log().split_off(begun);
    for cut in 0..=log.len() {
        for image in images(&start, &log[..cut]) {
            let store = Disk::holding(image).indexed(vec![&BY_LETTER]).await;
            assert!(is_as_computed_afresh(&store, &BY_LETTER).await, "cut {cut}");
            store.close().await;
        }
    }
}

#[tokio::test]
async fn a_commit_that_failed_is_in_no_index() {
    for step in 0..60 {
        let disk = Disk::default();
        let store = disk.indexed(vec![&BY_LETTER]).await;
        store.commit(story(1)).await.unwrap();
        disk.fail(Some(Failure::Once(step, ErrorKind::Other)));
        let _ = store.commit(story(2)).await;
        disk.fail(None);
        assert!(is_as_computed_afresh(&store, &BY_LETTER).await, "step {step}");
        store.commit(story(3)).await.unwrap();
        assert!(is_as_computed_afresh(&store, &BY_LETTER).await, "step {step}, later");
    }
}

#[tokio::test]
async fn indexes_come_change_and_go_with_what_the_store_is_opened_with() {
    fn other(key: &Key, _: &Stored) -> Vec<Key> {
        vec![key.clone()]
    }
    static NEWER: Secondary = Secondary { name: "letters", table: Table::Tasks, version: 2, keys: other };
    let disk = Disk::default();
    let store = disk.store().await;
    store.commit(story(0)).await.unwrap();
    let unknown = store.scan(Scan::by(&BY_LETTER, &[], 1)).await;
    assert_eq!(unknown, Err(StoreError::NoIndex { name: "letters" }));
    store.close().await;
    let store = disk.indexed(vec![&BY_LETTER]).await;
    assert!(is_as_computed_afresh(&store, &BY_LETTER).await);
    store.close().await;
    let steps = disk.steps();
    disk.indexed(vec![&BY_LETTER]).await.close().await;
    let opened = disk.steps() - steps;
    let store = disk.indexed(vec![&NEWER]).await;
    assert!(disk.steps() - steps - opened > opened, "what is there already is not built again");
    assert!(is_as_computed_afresh(&store, &NEWER).await);
    store.close().await;
    // Opened without it, it is gone; what was committed meanwhile is in it when it comes back.
    let store = disk.store().await;
    store.commit(story(1)).await.unwrap();
    store.close().await;
    let store = disk.indexed(vec![&NEWER]).await;
    assert!(is_as_computed_afresh(&store, &NEWER).await);
}

#[tokio::test]
async fn an_index_that_another_program_has_passed_by_is_built_anew() {
    let disk = Disk::default();
    let store = disk.indexed(vec![&BY_LETTER]).await;
    store.commit(story(0)).await.unwrap();
    store.close().await;
    // As a program before this one commits: the record and the revision, and nothing else.
    let opened = disk.source().open().unwrap();
    let transaction = opened.database.begin_write().unwrap();
    let bytes = crate::store::layout::encode(1, 7, b"zz");
    let table = crate::store::layout::records(Table::Tasks);
    transaction.open_table(table).unwrap().insert("passed by", bytes.as_slice()).unwrap();
    transaction.open_table(crate::store::layout::ABOUT).unwrap().insert("revision", 7).unwrap();
    transaction.commit().unwrap();
    drop(opened);
    let store = disk.indexed(vec![&BY_LETTER]).await;
    assert!(is_as_computed_afresh(&store, &BY_LETTER).await);
    assert_eq!(store.count(Scan::by(&BY_LETTER, &["z"], EVERYTHING)).await.unwrap(), 1);
}

#[tokio::test]
async fn a_store_written_anew_keeps_its_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open_with(
        &folder.path().join("brain.redb"),
        Schema { indexes: vec![&BY_LETTER], ..Schema::default() },
    )
    .await
    .unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    for n in 0..12 {
        store.commit(story(n)).await.unwrap();
        store.purge().await.unwrap();
        assert!(is_as_computed_afresh(store.as_ref(), &BY_LETTER).await);
    }
}
