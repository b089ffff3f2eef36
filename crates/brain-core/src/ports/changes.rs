//! The change log of the store: which records of followed tables were written or deleted, in order of their commits.
//!
//! For what is derived from records and kept elsewhere. A line is written in the transaction of the change it tells of,
//! so the log knows of a change exactly when the change is there. It holds keys, no contents: whoever follows it reads
//! the record as it is now, and may read a line twice.
//!
//! Deliberately not here: who follows. There is one follower a store; what it has made durable it trims.

use async_trait::async_trait;
use tokio::sync::watch;

use super::StoreError;
use super::store::Key;
use super::table::Table;

/// What one commit changed in followed tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRecords {
    /// The commit's revision.
    pub revision: u64,
    /// Its records, in the order of the batch.
    pub records: Vec<(Table, Key)>,
}

/// Changes behind a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// Oldest first; none when nothing has changed since.
    Lines(Vec<ChangedRecords>),
    /// Lines behind that revision are gone, trimmed or dropped unread: who has not read them has to begin anew.
    Lost,
}

/// Reading and trimming the log.
#[async_trait]
pub trait ChangeLog: Send + Sync {
    /// The lines behind revision `after`, at most `limit` of them.
    async fn changes(&self, after: u64, limit: usize) -> Result<Changes, StoreError>;

    /// Lines up to this revision are not needed any more. They go with one of the next commits.
    fn trim_changes(&self, up_to: u64);

    /// The revision up to which lines are gone. Who has not come as far is older than this store.
    async fn trimmed(&self) -> Result<u64, StoreError>;

    /// The revision of the last commit that may have a line, from before the answer to that commit is given.
    fn watch_changes(&self) -> watch::Receiver<u64>;

    /// The revision of the last commit that changed a record of this table whose key begins with this part; less than
    /// any revision to come when none has since the store was opened, and `None` for a table that is not followed. From
    /// before the answer to that commit is given, and after readers see it: who asks first and reads afterwards has
    /// nothing older.
    fn touched(&self, table: Table, first: &str) -> Option<u64>;
}
