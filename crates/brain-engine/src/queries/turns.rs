//! Turn traces: ids, times and counts, no word of anybody's.

use brain_core::core::ids::{ChatId, UserId};
use brain_core::limits::TRACES_LOOKED_THROUGH;
use brain_core::ports::records::{CompressionTrace, TurnTrace};
use brain_core::ports::{Key, Record as _, RecordExt, Scan, StoreError};

use super::View;

/// The last turns of everybody, newest first.
pub async fn latest(view: &View<'_>, limit: usize) -> Result<Vec<TurnTrace>, StoreError> {
    let traces = view.moment.list::<TurnTrace>(Scan::of::<TurnTrace>(&[], limit).newest_first()).await?;
    Ok(traces.into_iter().map(|(trace, _)| trace).collect())
}

/// A page of turns.
#[derive(Debug)]
pub struct TurnsPage {
    /// Newest first.
    pub turns: Vec<TurnTrace>,
    /// What the next page begins behind; `None` on the last one.
    pub next: Option<Key>,
}

/// A page of the turns of everybody, newest first.
pub async fn page(view: &View<'_>, before: Option<Key>, limit: usize) -> Result<TurnsPage, StoreError> {
    let scan = Scan { before, ..Scan::of::<TurnTrace>(&[], limit).newest_first() };
    let turns: Vec<TurnTrace> =
        view.moment.list::<TurnTrace>(scan).await?.into_iter().map(|(trace, _)| trace).collect();
    let next = turns.last().filter(|_| turns.len() == limit).map(TurnTrace::key);
    Ok(TurnsPage { turns, next })
}

/// One turn, where it is kept and can be read.
pub async fn one(view: &View<'_>, key: &Key) -> Result<Option<TurnTrace>, StoreError> {
    match view.moment.load::<TurnTrace>(key).await {
        Err(error) if error.is_of_one_record() => Ok(None),
        found => Ok(found?.map(|(trace, _)| trace)),
    }
}

/// The last turns of a person in a chat that were not long ago, newest first.
pub async fn last_of(view: &View<'_>, owner: &UserId, chat: &ChatId) -> Result<Vec<TurnTrace>, StoreError> {
    let mut traces = latest(view, TRACES_LOOKED_THROUGH).await?;
    traces.retain(|trace| trace.chat == *chat && trace.user == *owner);
    Ok(traces)
}

/// The last times that conversations were shortened, of everybody, newest first.
pub async fn compressions(view: &View<'_>, limit: usize) -> Result<Vec<CompressionTrace>, StoreError> {
    let scan = Scan::of::<CompressionTrace>(&[], limit).newest_first();
    Ok(view.moment.list::<CompressionTrace>(scan).await?.into_iter().map(|(trace, _)| trace).collect())
}

/// The last time that a person's conversation in a chat was shortened, if it was not long ago.
pub async fn last_compression(
    view: &View<'_>,
    owner: &UserId,
    chat: &ChatId,
) -> Result<Option<CompressionTrace>, StoreError> {
    let all = compressions(view, TRACES_LOOKED_THROUGH).await?;
    Ok(all.into_iter().find(|trace| trace.chat == *chat && trace.owner == *owner))
}
