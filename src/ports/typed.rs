//! Typed reads over any store or snapshot: records instead of bytes.

use async_trait::async_trait;

use super::snapshot::Reader;
use super::store::{Key, Record, Scan, StoreError, from_stored};

/// Typed reads over any store or snapshot.
#[async_trait]
pub trait RecordExt {
    /// One record with its revision.
    async fn load<R: Record>(&self, key: &Key) -> Result<Option<(R, u64)>, StoreError>;

    /// Records of a range of keys with their revisions. The scan's table must be the record's.
    async fn list<R: Record>(&self, scan: Scan) -> Result<Vec<(R, u64)>, StoreError>;

    /// Every record under these leading key parts, however many; for handing them over.
    async fn list_all<R: Record>(&self, parts: &[&str]) -> Result<Vec<R>, StoreError>;
}

#[async_trait]
impl<T: Reader + ?Sized> RecordExt for T {
    async fn load<R: Record>(&self, key: &Key) -> Result<Option<(R, u64)>, StoreError> {
        match self.get(R::TABLE, key).await? {
            Some(stored) => Ok(Some((from_stored(&stored)?, stored.revision))),
            None => Ok(None),
        }
    }

    async fn list<R: Record>(&self, scan: Scan) -> Result<Vec<(R, u64)>, StoreError> {
        let stored = self.scan(scan).await?;
        stored.iter().map(|(_, stored)| Ok((from_stored(stored)?, stored.revision))).collect()
    }

    async fn list_all<R: Record>(&self, parts: &[&str]) -> Result<Vec<R>, StoreError> {
        const PAGE: usize = 1_000;
        let mut all = Vec::new();
        let mut scan = Scan::of::<R>(parts, PAGE);
        loop {
            let page = self.scan(scan.clone()).await?;
            for (_, stored) in &page {
                all.push(from_stored(stored)?);
            }
            match page.into_iter().next_back() {
                Some((last, _)) => scan.after = Some(last),
                None => return Ok(all),
            }
        }
    }
}
