//! Invalidation: when the records of an owner changed last, for whoever keeps what was made of them.
//!
//! Invariant: a revision is noted after readers see what it changed, and before whoever committed it gets an answer. So
//! who asks first and reads afterwards has nothing older than that. Not here: what is kept, and where.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use brain_core::limits::OWNERS_TOUCHED_MAX;
use brain_core::ports::{Key, Table};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Touched {
    known: Mutex<KnownRevisions>,
}

#[derive(Debug, Default)]
struct KnownRevisions {
    /// By table and first part of the key.
    last: HashMap<(Table, String), u64>,
    /// What is known of those that are not there: nothing newer.
    floor: u64,
}

impl Touched {
    /// These records have changed with this revision.
    pub fn note<'k>(&self, revision: u64, records: impl Iterator<Item = (Table, &'k Key)>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (table, key) in records {
            known.last.insert((table, first(key).to_owned()), revision);
        }
        if known.last.len() > OWNERS_TOUCHED_MAX {
            // As if all of them had changed just now.
            *known = KnownRevisions { last: HashMap::new(), floor: revision };
        }
    }

    /// The last revision that changed one of these.
    pub fn last(&self, table: Table, first: &str) -> u64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.last.get(&(table, first.to_owned())).copied().unwrap_or(known.floor)
    }
}

fn first(key: &Key) -> &str {
    key.parts().first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_table_and_owner_that_changed_are_newer() {
        let touched = Touched::default();
        touched
            .note(7, [(Table::Tasks, &Key::of(&["ann", "t1"])), (Table::Notes, &Key::of(&["ben", "n1"]))].into_iter());
        for (table, owner, expected) in
            [(Table::Tasks, "ann", 7), (Table::Tasks, "ben", 0), (Table::Notes, "ben", 7), (Table::Events, "ann", 0)]
        {
            assert_eq!(touched.last(table, owner), expected, "{table:?} {owner}");
        }
    }

    #[test]
    fn what_is_let_go_counts_as_changed() {
        let touched = Touched::default();
        for revision in 1..=OWNERS_TOUCHED_MAX as u64 + 1 {
            let key = Key::of(&[&revision.to_string(), "x"]);
            touched.note(revision, std::iter::once((Table::Tasks, &key)));
        }
        assert_eq!(touched.last(Table::Tasks, "1"), OWNERS_TOUCHED_MAX as u64 + 1);
        touched.note(90_000, std::iter::once((Table::Tasks, &Key::of(&["1", "x"]))));
        assert_eq!(touched.last(Table::Tasks, "1"), 90_000);
    }
}
