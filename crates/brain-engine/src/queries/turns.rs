//! Turn traces: ids, times and counts, no word of anybody's; and what their nodes got and gave, where that is kept.

use chrono::{DateTime, Utc};

use brain_core::core::ids::{ChatId, UserId};
use brain_core::limits::{CONTENTS_TURNS_MAX, TRACES_LOOKED_THROUGH};
use brain_core::ports::records::{CompressionTrace, TurnContents, TurnTrace};
use brain_core::ports::{Key, Reader, Record, RecordExt, Scan, StoreError};

use super::View;

/// The last turns of everybody, newest first.
pub async fn latest(view: &View<'_>, limit: usize) -> Result<Vec<TurnTrace>, StoreError> {
    let traces = view.moment.list::<TurnTrace>(Scan::of::<TurnTrace>(&[], limit).newest_first()).await?;
    Ok(traces.into_iter().map(|(trace, _)| trace).collect())
}

/// Turns, newest first, and where those begin that are older.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnsPage {
    /// At most as many as were asked for.
    pub turns: Vec<TurnTrace>,
    /// The key before which the next page is; `None` on the last.
    pub next: Option<Key>,
}

/// A page of the turns of everybody, newest first; `before`: what the page before gave as the next.
pub async fn page(view: &View<'_>, before: Option<Key>, limit: usize) -> Result<TurnsPage, StoreError> {
    let scan = Scan { before, ..Scan::of::<TurnTrace>(&[], limit.saturating_add(1)).newest_first() };
    let traces = view.moment.list::<TurnTrace>(scan).await?;
    let mut turns: Vec<TurnTrace> = traces.into_iter().map(|(trace, _)| trace).collect();
    let has_more = turns.len() > limit;
    turns.truncate(limit);
    let next = turns.last().filter(|_| has_more).map(Record::key);
    Ok(TurnsPage { turns, next })
}

/// One turn, by when it began and its id, where it is kept and can be read.
pub async fn one(view: &View<'_>, at: DateTime<Utc>, id: &str) -> Result<Option<TurnTrace>, StoreError> {
    match view.moment.load::<TurnTrace>(&TurnTrace::key_of(at, id)).await {
        Err(error) if error.is_of_one_record() => Ok(None),
        found => Ok(found?.map(|(trace, _)| trace)),
    }
}

/// What the nodes of a turn got and gave, if that is kept; `at` and `id` are those of its trace.
pub async fn contents(
    view: &View<'_>,
    owner: &UserId,
    at: DateTime<Utc>,
    id: &str,
) -> Result<Option<TurnContents>, StoreError> {
    let key = TurnContents::key_of(owner, at, id);
    Ok(view.moment.load::<TurnContents>(&key).await?.map(|(contents, _)| contents))
}

/// Of how many turns of a person that is kept.
pub async fn contents_kept(view: &View<'_>, owner: &UserId) -> Result<usize, StoreError> {
    view.moment.count(Scan::of::<TurnContents>(&[owner.as_str()], CONTENTS_TURNS_MAX)).await
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
