//! Optimistic updates: read with the revision, compute, commit expecting that revision; when somebody else was
//! faster, begin again with what they left.
//!
//! This is what keeps two writers of one record apart, be they tasks, processes or machines: no lock does, and none
//! may be needed for it. Not here: what is computed.

use super::{StoreError, Table};
use crate::limits;

/// Makes `attempt` again while one of its `tables` has changed between its reading and its commit, a bounded number
/// of times; then the conflict is the caller's. Any other conflict is the caller's at once.
pub async fn optimistic<T, F>(tables: &[Table], mut attempt: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    for _ in 1..limits::CONFLICT_TRIES_MAX {
        match attempt().await {
            Err(StoreError::Conflict { table, .. }) if tables.contains(&table) => {}
            other => return other,
        }
    }
    attempt().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Key;
    use futures::FutureExt;
    use std::cell::Cell;

    fn conflict(table: Table) -> StoreError {
        StoreError::Conflict { table, key: Key::of(&["k"]) }
    }

    /// How often it is tried when the first `failures` attempts meet a conflict in `table`, and how it ends.
    fn tried(failures: usize, table: Table) -> (usize, bool) {
        let tries = Cell::new(0);
        let attempt = || async {
            tries.set(tries.get() + 1);
            if tries.get() > failures { Ok(()) } else { Err(conflict(table)) }
        };
        let ended = optimistic(&[Table::Chats], attempt).now_or_never().unwrap();
        (tries.get(), ended.is_ok())
    }

    #[test]
    fn a_conflict_is_tried_again_so_many_times_and_only_where_it_helps() {
        assert_eq!(tried(0, Table::Chats), (1, true));
        assert_eq!(tried(3, Table::Chats), (4, true));
        assert_eq!(tried(usize::MAX, Table::Chats), (limits::CONFLICT_TRIES_MAX, false));
        assert_eq!(tried(3, Table::Pending), (1, false));
    }
}
