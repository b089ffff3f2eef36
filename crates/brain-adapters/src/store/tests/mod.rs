//! The store's promises.

mod changes;
mod commits;
mod copying;
mod crash;
mod disk;
mod failing;
mod figures;
mod model;
mod opening;
mod rewriting;
mod secondary;
mod snapshots;

use brain_core::ports::{Batch, Change, Expect, Key, Table};

/// One change that writes `body` as a record of version 1.
fn write(table: Table, key: &str, body: &str, expect: Expect) -> Change {
    Change { table, key: Key::of(&[key]), expect, put: Some((1, body.as_bytes().to_vec())) }
}

fn batch(changes: impl IntoIterator<Item = Change>) -> Batch {
    Batch { changes: changes.into_iter().collect() }
}
