//! The store and its memory twin against a model that is too simple to be wrong.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::disk::Disk;
use crate::store::MemoryStore;
use brain_core::ports::{Batch, Change, Expect, Key, Order, Reader, Scan, Store, Stored, Table};

#[derive(Debug, Clone)]
enum Act {
    Commit(Batch),
    Get(Table, Key),
    Scan(Scan),
    Restart,
}

#[derive(Default)]
struct Model {
    revision: u64,
    records: BTreeMap<(Table, String), Stored>,
}

impl Model {
    fn commit(&mut self, batch: &Batch) -> Option<u64> {
        let holds = batch.changes.iter().all(|change| {
            let found = self.records.get(&(change.table, change.key.as_str().to_owned()));
            match change.expect {
                Expect::Any => true,
                Expect::Absent => found.is_none(),
                Expect::Revision(n) => found.is_some_and(|stored| stored.revision == n),
            }
        });
        if !holds {
            return None;
        }
        self.revision += 1;
        for change in &batch.changes {
            let place = (change.table, change.key.as_str().to_owned());
            self.records.remove(&place);
            if let Some((version, body)) = change.put.clone() {
                let revision = self.revision;
                self.records.insert(place, Stored { revision, version, body });
            }
        }
        Some(self.revision)
    }

    fn scan(&self, scan: &Scan) -> Vec<(Key, Stored)> {
        let fits = |key: &str| {
            scan.prefix.as_ref().is_none_or(|prefix| key.starts_with(prefix.as_str()))
                && scan.before.as_ref().is_none_or(|before| key < before.as_str())
                && scan.after.as_ref().is_none_or(|after| key > after.as_str())
        };
        let mut found: Vec<_> = self
            .records
            .iter()
            .filter(|((table, key), _)| *table == scan.table && fits(key))
            .map(|((_, key), stored)| (Key::from_stored(key), stored.clone()))
            .collect();
        if scan.order == Order::Descending {
            found.reverse();
        }
        found.truncate(scan.limit);
        found
    }
}

fn table() -> impl Strategy<Value = Table> {
    prop::sample::select(vec![Table::Tasks, Table::Meta, Table::Due])
}

/// Short keys of awkward letters, so that they often meet.
pub(super) fn key() -> impl Strategy<Value = Key> {
    let letters = ["a", "b", "\u{1}", "\u{2}", "é", "\u{d7ff}", "\u{e000}", "\u{10ffff}"];
    prop::collection::vec(prop::sample::select(letters.to_vec()), 0..4)
        .prop_map(|letters| Key::from_stored(&letters.concat()))
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let expect = prop_oneof![
        4 => Just(Expect::Any),
        1 => Just(Expect::Absent),
        2 => (0_u64..12).prop_map(Expect::Revision),
    ];
    let put = prop::option::weighted(0.8, (any::<u8>(), prop::collection::vec(any::<u8>(), 0..40)));
    (table(), key(), expect, put).prop_map(|(table, key, expect, put)| Change { table, key, expect, put })
}

fn scan() -> impl Strategy<Value = Scan> {
    let some = || prop::option::of(key());
    let order = prop::sample::select(vec![Order::Ascending, Order::Descending]);
    (table(), some(), some(), some(), order, 0_usize..8).prop_map(|(table, prefix, before, after, order, limit)| Scan {
        table,
        by: None,
        prefix,
        before,
        after,
        order,
        limit,
    })
}

fn act() -> impl Strategy<Value = Act> {
    let batch = prop::collection::vec(change(), 0..5).prop_map(|changes| Batch { changes });
    prop_oneof![
        10 => batch.prop_map(Act::Commit),
        3 => (table(), key()).prop_map(|(table, key)| Act::Get(table, key)),
        8 => scan().prop_map(Act::Scan),
        1 => Just(Act::Restart),
    ]
}

async fn agree(acts: Vec<Act>) {
    let disk = Disk::default();
    let mut store = disk.store().await;
    let memory = MemoryStore::new();
    let mut model = Model::default();
    for act in acts {
        match act {
            Act::Commit(batch) => {
                let expected = model.commit(&batch);
                assert_eq!(memory.commit(batch.clone()).await.ok(), expected);
                assert_eq!(store.commit(batch).await.ok(), expected);
            }
            Act::Get(table, key) => {
                let expected = model.records.get(&(table, key.as_str().to_owned()));
                assert_eq!(memory.get(table, &key).await.unwrap().as_ref(), expected);
                assert_eq!(store.get(table, &key).await.unwrap().as_ref(), expected);
            }
            Act::Scan(scan) => {
                let expected = model.scan(&scan);
                assert_eq!(memory.scan(scan.clone()).await.unwrap(), expected);
                assert_eq!(store.scan(scan).await.unwrap(), expected);
            }
            Act::Restart => {
                store.close().await;
                store = disk.store().await;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_stores_do_what_the_model_does(acts in prop::collection::vec(act(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(agree(acts));
    }
}
