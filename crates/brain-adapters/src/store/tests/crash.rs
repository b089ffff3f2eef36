//! Every moment a power cut can come: what was acknowledged is there, and nothing is there in part.

use std::collections::BTreeMap;

use redb::{ReadableDatabase, ReadableTable};

use super::disk::{Disk, Step, apply};
use super::{batch, write};
use crate::store::layout::{decode, records};
use brain_core::ports::{Batch, Expect, Key, Store, Table};

type Dump = BTreeMap<(Table, String), Vec<u8>>;

const TABLES: [Table; 3] = [Table::Pending, Table::Audit, Table::Runs];

/// Batch `n` of the story: it touches three tables, rewrites, grows and deletes.
fn story(n: usize) -> Batch {
    let body = format!("{n}").repeat(1 + (n * 97) % 700);
    let mut batch = batch(TABLES.map(|table| {
        let key = if table == Table::Audit { n } else { n % 5 };
        write(table, &key.to_string(), &body, Expect::Any)
    }));
    if n % 3 == 2 {
        let gone = Key::of(&[&(n - 1).to_string()]);
        batch.delete(Table::Audit, gone, Expect::Any);
    }
    batch
}

fn follow(dump: &mut Dump, batch: &Batch) {
    for change in &batch.changes {
        let place = (change.table, change.key.as_str().to_owned());
        match &change.put {
            Some((_, body)) => dump.insert(place, body.clone()),
            None => dump.remove(&place),
        };
    }
}

/// Everything in the store that these bytes are, read after a restart.
fn restart(disk: &Disk) -> Dump {
    let opened = disk.source().open().unwrap();
    let reading = opened.database.begin_read().unwrap();
    let mut dump = Dump::new();
    for table in TABLES {
        for entry in reading.open_table(records(table)).unwrap().iter().unwrap() {
            let (key, value) = entry.unwrap();
            let stored = decode(value.value().to_vec());
            dump.insert((table, key.value().to_owned()), stored.body);
        }
    }
    dump
}

/// What may be on the platter when the power goes after `steps`: all that was synced, and of the rest anything.
pub(super) fn images(before: &[u8], steps: &[Step]) -> Vec<Vec<u8>> {
    let synced = steps.iter().rposition(|step| matches!(step, Step::Sync));
    let (safe, loose) = steps.split_at(synced.map_or(0, |at| at + 1));
    let mut base = before.to_vec();
    safe.iter().for_each(|step| apply(&mut base, step));
    let of = |chosen: &mut dyn Iterator<Item = Step>| {
        let mut bytes = base.clone();
        chosen.for_each(|step| apply(&mut bytes, &step));
        bytes
    };
    let torn = |step: &Step| match step {
        Step::Write(at, data) => Step::Write(*at, data[..data.len() / 2].to_vec()),
        other => other.clone(),
    };
    let last = loose.len().saturating_sub(1);
    let mut images = vec![of(&mut loose.iter().cloned())];
    if !loose.is_empty() {
        images.push(of(&mut std::iter::empty()));
        images.push(of(&mut loose.iter().rev().cloned()));
        images.push(of(&mut loose[last..].iter().cloned()));
        images.push(of(&mut loose.iter().map(torn)));
        images.push(of(&mut loose.iter().skip(1).step_by(2).cloned()));
    }
    images
}

#[tokio::test]
async fn after_a_power_cut_acknowledged_batches_are_whole_and_others_absent() {
    let disk = Disk::default();
    let store = disk.store().await;
    let start = disk.bytes();
    let begun = disk.steps();
    let mut states = vec![Dump::new()];
    let mut acknowledged = Vec::new();
    for n in 0..24 {
        let mut next = states[n].clone();
        follow(&mut next, &story(n));
        states.push(next);
        store.commit(story(n)).await.unwrap();
        acknowledged.push(disk.steps() - begun);
    }
    let log = disk.log().split_off(begun);
    let mut torn_apart = 0;
    for cut in 0..=acknowledged[23] {
        let promised = acknowledged.iter().filter(|at| **at <= cut).count();
        for (kind, image) in images(&start, &log[..cut]).into_iter().enumerate() {
            let disk = Disk::holding(image.clone());
            let found = restart(&disk);
            let whole = [promised, promised + 1].iter().any(|n| states.get(*n) == Some(&found));
            assert!(whole, "cut {cut}, image {kind}: not the state after batch {promised}");
            torn_apart += 1;
            // The power goes again while the restart repairs.
            if cut % 5 != 0 {
                continue;
            }
            let repair = disk.log();
            for again in (0..repair.len()).step_by(3) {
                for image in images(&image, &repair[..again]) {
                    assert!(restart(&Disk::holding(image)) == found, "cut {cut}, {kind}, {again}");
                    torn_apart += 1;
                }
            }
        }
    }
    println!("{torn_apart} crash images of {} steps", log.len());
}
