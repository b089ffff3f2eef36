//! Typed reads over any store or snapshot: records instead of bytes.
//!
//! A record that cannot be read stops no other: it is set aside, where whoever runs this is told of it (see
//! [`Aside`]), and the reading goes on without it. Invariants: that is one commit, which expects the very record that
//! was read; what must not be taken for absent stays where it is and is an error when it is asked for; what a newer
//! program wrote is not broken: it stays, and is an error when it is asked for.

use async_trait::async_trait;

use super::StoreError;
use super::records::Aside;
use super::secondary::Secondary;
use super::snapshot::Reader;
use super::store::{Batch, Expect, Key, Order, Record, Scan, Stored, from_stored};
use super::table::Table;

/// Typed reads over any store or snapshot.
#[async_trait]
pub trait RecordExt {
    /// One record with its revision.
    async fn load<R: Record>(&self, key: &Key) -> Result<Option<(R, u64)>, StoreError>;

    /// The records of a range of keys that can be read, with their revisions. The scan's table must be the record's.
    async fn list<R: Record>(&self, scan: Scan) -> Result<Vec<(R, u64)>, StoreError>;

    /// Every record under these leading key parts, however many; for handing them over.
    async fn list_all<R: Record>(&self, parts: &[&str]) -> Result<Vec<R>, StoreError>;
}

#[async_trait]
impl<T: Reader + ?Sized> RecordExt for T {
    async fn load<R: Record>(&self, key: &Key) -> Result<Option<(R, u64)>, StoreError> {
        let Some(stored) = self.get(R::TABLE, key).await? else { return Ok(None) };
        match from_stored(&stored) {
            Ok(record) => Ok(Some((record, stored.revision))),
            Err(error) if leave_out(self, R::TABLE, key, &stored, &error).await => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn list<R: Record>(&self, mut scan: Scan) -> Result<Vec<(R, u64)>, StoreError> {
        let wanted = scan.limit;
        let mut found = Vec::new();
        loop {
            let page = self.scan(scan.clone()).await?;
            let is_last = page.len() < scan.limit;
            let last = page.last().map(|(key, _)| key.clone());
            found.extend(readable(self, page, scan.by).await);
            if is_last || found.len() >= wanted {
                return Ok(found);
            }
            // What cannot be read takes no other record's place in the page.
            scan.limit = wanted - found.len();
            match scan.order {
                Order::Ascending => scan.after = last,
                Order::Descending => scan.before = last,
            }
        }
    }

    async fn list_all<R: Record>(&self, parts: &[&str]) -> Result<Vec<R>, StoreError> {
        const PAGE: usize = 1_000;
        let mut all = Vec::new();
        let mut scan = Scan::of::<R>(parts, PAGE);
        loop {
            let page = self.scan(scan.clone()).await?;
            let last = page.last().map(|(key, _)| key.clone());
            all.extend(readable(self, page, None).await.into_iter().map(|(record, _)| record));
            match last {
                Some(last) => scan.after = Some(last),
                None => return Ok(all),
            }
        }
    }
}

/// Those that can be read.
async fn readable<R: Record>(
    reader: &(impl Reader + ?Sized),
    page: Vec<(Key, Stored)>,
    by: Option<&'static Secondary>,
) -> Vec<(R, u64)> {
    let mut found = Vec::with_capacity(page.len());
    for (key, stored) in page {
        match from_stored(&stored) {
            Ok(record) => found.push((record, stored.revision)),
            // An index lists what could be read; whoever reads the table itself sees to the rest.
            Err(error) if by.is_some() => tracing::warn!(%error, "a record was skipped"),
            Err(error) => {
                leave_out(reader, R::TABLE, &key, &stored, &error).await;
            }
        }
    }
    found
}

/// Sees to a record that could not be read. True when it is in its place no more.
pub async fn leave_out(
    reader: &(impl Reader + ?Sized),
    table: Table,
    key: &Key,
    stored: &Stored,
    error: &StoreError,
) -> bool {
    let StoreError::Unreadable { why, .. } = error else {
        tracing::warn!(%error, "a record was skipped");
        return false;
    };
    match set_aside(reader, table, key, stored, why).await {
        Ok(moved) => moved,
        // Somebody else has seen to it, or written it anew: it is not that record any more.
        Err(StoreError::Conflict { .. }) => !table.holds_what_must_not_be_missed(),
        Err(cause) => {
            tracing::error!(%cause, table = table.name(), "a record that cannot be read could not be set aside");
            false
        }
    }
}

async fn set_aside(
    reader: &(impl Reader + ?Sized),
    table: Table,
    key: &Key,
    stored: &Stored,
    why: &str,
) -> Result<bool, StoreError> {
    let aside = Aside::of(table, key, stored, why);
    if aside.left && (table == Table::Aside || reader.get(Table::Aside, &aside.key()).await?.is_some()) {
        return Ok(false);
    }
    let mut batch = Batch::default();
    if !aside.left {
        batch.delete(table, key.clone(), Expect::Revision(stored.revision));
    }
    batch.put(&aside, if aside.left { Expect::Absent } else { Expect::Any })?;
    reader.set_aside(batch).await?;
    tracing::error!(table = table.name(), left = aside.left, why, "a record cannot be read; it was noted");
    Ok(!aside.left)
}
