//! What became of pending actions, by the audit: lately, of one, and how often. Ids, digests and times; no contents.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::View;
use brain_core::core::ids::PendingId;
use brain_core::ports::records::{Audit, millis};
use brain_core::ports::{Key, RecordExt, Scan, StoreError};

/// Rows of the audit that are looked through for those of one action: its life is hours, not months.
const LOOKED_THROUGH: usize = 10_000;

/// The last transitions of everybody, newest first.
pub async fn lately(view: &View<'_>, limit: usize) -> Result<Vec<Audit>, StoreError> {
    let rows = view.moment.list::<Audit>(Scan::of::<Audit>(&[], limit).newest_first()).await?;
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// The transitions of one action that was made then, oldest first.
pub async fn of_pending(view: &View<'_>, id: &PendingId, made: DateTime<Utc>) -> Result<Vec<Audit>, StoreError> {
    let mut rows = since(view, made, LOOKED_THROUGH).await?;
    rows.retain(|row| row.pending.as_ref() == Some(id));
    Ok(rows)
}

/// How often cards came to each state since then, by its name. At most so many rows are counted, the oldest ones first.
pub async fn counts(view: &View<'_>, from: DateTime<Utc>, limit: usize) -> Result<BTreeMap<String, usize>, StoreError> {
    let mut counts = BTreeMap::new();
    for row in since(view, from, limit).await?.into_iter().filter(|row| row.pending.is_some()) {
        *counts.entry(row.what).or_default() += 1;
    }
    Ok(counts)
}

async fn since(view: &View<'_>, from: DateTime<Utc>, limit: usize) -> Result<Vec<Audit>, StoreError> {
    let scan = Scan::of::<Audit>(&[], limit).after(Key::of(&[&millis(from)]));
    Ok(view.moment.list::<Audit>(scan).await?.into_iter().map(|(row, _)| row).collect())
}
