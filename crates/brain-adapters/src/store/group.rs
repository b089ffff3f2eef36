//! Group commit: many batches, one transaction.
//!
//! Each batch sees what the ones before it in its group have written. A batch whose expectation fails is left
//! out whole, before anything of it is written; the others go on.

use std::collections::BTreeMap;

use redb::{Database, ReadableTable, WriteTransaction};

use super::Schema;
use super::changes::{self, StoredLine};
use super::layout::{ABOUT, REVISION_KEY, Records, encode, holds, records, revision_of};
use super::opening::begin;
use super::secondary::{IndexTables, KEPT_TO};
use brain_core::ports::{Batch, Change, Key, Secondary, StoreError, Table};

/// What each batch of a group came to: its revision or its conflict.
pub(super) type Answers = Vec<Result<u64, StoreError>>;

/// What the records of a group were before it, oldest last to restore; kept until the group is known to be
/// durable.
#[derive(Debug)]
pub(super) struct Prior {
    /// The last revision the group gave.
    pub(super) revision: u64,
    /// The last one before it.
    began: u64,
    changed: Vec<(Table, Key, Option<Vec<u8>>)>,
}

impl Prior {
    /// Nothing yet, after this revision.
    pub(super) fn after(revision: u64) -> Self {
        Self { revision, began: revision, changed: Vec::new() }
    }
}

/// The open tables of one transaction.
struct OpenTables<'t> {
    transaction: &'t WriteTransaction,
    open: BTreeMap<Table, redb::Table<'t, &'static str, &'static [u8]>>,
    indexes: IndexTables<'t>,
}

impl<'t> OpenTables<'t> {
    fn of(transaction: &'t WriteTransaction, indexes: &'t [&'static Secondary]) -> Self {
        Self { transaction, open: BTreeMap::new(), indexes: IndexTables::of(transaction, indexes) }
    }

    fn table(&mut self, table: Table) -> Result<&mut redb::Table<'t, &'static str, &'static [u8]>, redb::Error> {
        use std::collections::btree_map::Entry;
        match self.open.entry(table) {
            Entry::Occupied(open) => Ok(open.into_mut()),
            Entry::Vacant(free) => {
                let definition: Records = records(table);
                Ok(free.insert(self.transaction.open_table(definition)?))
            }
        }
    }

    /// The first change of `batch` that does not find what it expects.
    fn conflict<'b>(&mut self, batch: &'b Batch) -> Result<Option<&'b Change>, redb::Error> {
        for change in &batch.changes {
            let there = self.table(change.table)?.get(change.key.as_str())?;
            // Bytes too short for a revision are something, and no revision at all.
            let revision = there.map(|bytes| revision_of(bytes.value()).unwrap_or(0));
            if !holds(change.expect, revision) {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }

    /// Writes or deletes a record; gives what was there.
    fn set(&mut self, table: Table, key: &Key, value: Option<&[u8]>) -> Result<Option<Vec<u8>>, redb::Error> {
        let place = self.table(table)?;
        let before = match value {
            Some(value) => place.insert(key.as_str(), value)?,
            None => place.remove(key.as_str())?,
        };
        let before = before.map(|bytes| bytes.value().to_vec());
        self.indexes.follow(table, key, before.as_deref(), value)?;
        Ok(before)
    }
}

/// Does all batches whose expectations hold, durably, with the revisions that follow `prior.revision`. Lines of the
/// change log up to `trim` go.
pub(super) fn commit(
    database: &Database,
    schema: &Schema,
    batches: &[Batch],
    trim: u64,
    prior: &mut Prior,
) -> Result<Answers, redb::Error> {
    let transaction = begin(database)?;
    let mut answers = Vec::with_capacity(batches.len());
    let mut lines: Vec<StoredLine> = Vec::new();
    {
        let mut tables = OpenTables::of(&transaction, &schema.indexes);
        for batch in batches {
            let answer = apply(&mut tables, batch, prior)?;
            if let Ok(revision) = answer {
                lines.extend(schema.line(revision, batch));
            }
            answers.push(answer);
        }
    }
    if answers.iter().all(Result::is_err) {
        transaction.abort()?;
        return Ok(answers);
    }
    {
        let mut about = transaction.open_table(ABOUT)?;
        about.insert(REVISION_KEY, prior.revision)?;
        about.insert(KEPT_TO, prior.revision)?;
    }
    if !schema.followed.is_empty() {
        changes::append(&transaction, &lines, prior.revision, trim)?;
    }
    transaction.commit()?;
    Ok(answers)
}

fn apply(
    tables: &mut OpenTables<'_>,
    batch: &Batch,
    prior: &mut Prior,
) -> Result<Result<u64, StoreError>, redb::Error> {
    if let Some(change) = tables.conflict(batch)? {
        return Ok(Err(StoreError::Conflict { table: change.table, key: change.key.clone() }));
    }
    prior.revision += 1;
    for change in &batch.changes {
        let value = change.put.as_ref().map(|(version, body)| encode(*version, prior.revision, body));
        let before = tables.set(change.table, &change.key, value.as_deref())?;
        prior.changed.push((change.table, change.key.clone(), before));
    }
    Ok(Ok(prior.revision))
}

/// Takes a group back whose callers were told that it failed.
pub(super) fn take_back(database: &Database, indexes: &[&'static Secondary], prior: &Prior) -> Result<(), redb::Error> {
    let transaction = begin(database)?;
    {
        let mut tables = OpenTables::of(&transaction, indexes);
        for (table, key, before) in prior.changed.iter().rev() {
            tables.set(*table, key, before.as_deref())?;
        }
    }
    changes::take_back(&transaction, prior.began)?;
    transaction.commit()?;
    Ok(())
}
