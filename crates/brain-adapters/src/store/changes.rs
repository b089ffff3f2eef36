//! The change log in the file: one line a commit that touched a followed table.
//!
//! Invariants: a line is there exactly when its commit is; what was dropped unread is known by its revision, also
//! when a store was opened for a time by somebody who follows other tables, or none.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use redb::{ReadableTable, ReadableTableMetadata, WriteTransaction};
use tokio::sync::watch;

use super::layout::{ABOUT, CHANGES, FOLLOWED_KEY, LOGGED_KEY, TRIMMED_KEY};
use super::opening::{Opened, begin, read_about};
use super::{RedbStore, Schema};
use brain_core::limits;
use brain_core::ports::{Batch, ChangeLog, ChangedRecords, Changes, Key, StoreError, Table};

/// A line as it is written.
pub(super) struct StoredLine {
    revision: u64,
    json: Vec<u8>,
}

impl Schema {
    /// What of a batch is told.
    pub(super) fn followed_in(&self, batch: &Batch) -> Vec<(Table, Key)> {
        let followed = batch.changes.iter().filter(|change| self.followed.contains(&change.table));
        followed.map(|change| (change.table, change.key.clone())).collect()
    }

    /// The line of a batch; `None` when it touches nothing that is followed.
    pub(super) fn line(&self, revision: u64, batch: &Batch) -> Option<StoredLine> {
        let records = self.followed_in(batch);
        if records.is_empty() {
            return None;
        }
        // Tables have names and keys are text: this always has a JSON. If not, the line says that something changed.
        let json = serde_json::to_vec(&records).unwrap_or_default();
        Some(StoredLine { revision, json })
    }

    /// A number that is another one when other tables are followed.
    fn fingerprint(&self) -> u64 {
        let mut names: Vec<&str> = self.followed.iter().map(|table| table.name()).collect();
        names.sort_unstable();
        // FNV-1a.
        let bytes = names.iter().flat_map(|name| name.bytes().chain([0]));
        bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Makes the log of an opened store one that follows the tables of `schema`. Whatever may have changed without a line
/// counts as lost. Writes only when there is something to do.
pub(super) fn adopt(opened: &Opened, schema: &Schema) -> Result<(), redb::Error> {
    let Opened { database, revision } = opened;
    let followed = schema.fingerprint();
    if schema.followed.is_empty() {
        return Ok(());
    }
    let about = |key| read_about(database, key);
    if about(FOLLOWED_KEY)? == Some(followed) && about(LOGGED_KEY)?.unwrap_or(0) == *revision {
        return Ok(());
    }
    let transaction = begin(database)?;
    transaction.open_table(CHANGES)?.retain(|_, _| false)?;
    {
        let mut about = transaction.open_table(ABOUT)?;
        for (key, value) in [(FOLLOWED_KEY, followed), (LOGGED_KEY, *revision), (TRIMMED_KEY, *revision)] {
            about.insert(key, value)?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Writes the lines of a group whose last revision is `revision`; lines up to `trim` go.
pub(super) fn append(
    transaction: &WriteTransaction,
    lines: &[StoredLine],
    revision: u64,
    trim: u64,
) -> Result<(), redb::Error> {
    let mut log = transaction.open_table(CHANGES)?;
    let mut about = transaction.open_table(ABOUT)?;
    about.insert(LOGGED_KEY, revision)?;
    let first = log.first()?.map(|(first, _)| first.value());
    if first.is_some_and(|first| first <= trim) {
        log.retain_in(..=trim, |_, _| false)?;
        about.insert(TRIMMED_KEY, trim)?;
    }
    for line in lines {
        log.insert(line.revision, line.json.as_slice())?;
    }
    let mut dropped = None;
    while log.len()? > limits::CHANGES_MAX as u64 {
        let Some((oldest, _)) = log.pop_first()? else { break };
        dropped = Some(oldest.value());
    }
    if let Some(dropped) = dropped {
        about.insert(TRIMMED_KEY, dropped)?;
    }
    Ok(())
}

/// Removes the lines of a group that is taken back; `began` is the last revision before it.
pub(super) fn take_back(transaction: &WriteTransaction, began: u64) -> Result<(), redb::Error> {
    transaction.open_table(CHANGES)?.retain_in(began.saturating_add(1).., |_, _| false)?;
    Ok(())
}

#[async_trait]
impl ChangeLog for RedbStore {
    async fn changes(&self, after: u64, limit: usize) -> Result<Changes, StoreError> {
        let read = move |reading: &redb::ReadTransaction| {
            let trimmed = reading.open_table(ABOUT)?.get(TRIMMED_KEY)?.map_or(0, |trimmed| trimmed.value());
            if after < trimmed {
                return Ok(None);
            }
            let log = reading.open_table(CHANGES)?;
            let mut lines = Vec::new();
            for entry in log.range(after.saturating_add(1)..)?.take(limit) {
                let (revision, json) = entry?;
                lines.push((revision.value(), json.value().to_vec()));
            }
            Ok(Some(lines))
        };
        let Some(lines) = self.read(read).await? else {
            return Ok(Changes::Lost);
        };
        let parsed = lines.into_iter().map(|(revision, json)| {
            let records = serde_json::from_slice(&json).ok()?;
            Some(ChangedRecords { revision, records })
        });
        // A line that cannot be read tells of changes nobody knows.
        Ok(parsed.collect::<Option<Vec<_>>>().map_or(Changes::Lost, Changes::Lines))
    }

    fn trim_changes(&self, up_to: u64) {
        self.shared.trim.fetch_max(up_to, Ordering::Relaxed);
    }

    async fn trimmed(&self) -> Result<u64, StoreError> {
        self.read(|reading| Ok(reading.open_table(ABOUT)?.get(TRIMMED_KEY)?.map_or(0, |trimmed| trimmed.value()))).await
    }

    fn watch_changes(&self) -> watch::Receiver<u64> {
        self.shared.changed.subscribe()
    }

    fn touched(&self, table: Table, first: &str) -> Option<u64> {
        let is_followed = self.shared.schema.followed.contains(&table);
        is_followed.then(|| self.shared.touched.last(table, first))
    }
}
