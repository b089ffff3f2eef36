//! Turn traces: ids, times and counts, no word of anybody's; and what their nodes got and gave, where that is kept.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::outcome::Status;
use brain_core::core::turn::{Done, Path};
use brain_core::limits::{CONTENTS_TURNS_MAX, FILTER_LOOKED_AT_MAX, TRACES_LOOKED_THROUGH};
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

/// Which turns are looked for; what is `None` may be anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnFilter {
    /// Whose.
    pub user: Option<UserId>,
    /// Where.
    pub chat: Option<ChatId>,
    /// The path they took.
    pub path: Option<Path>,
    /// How they went.
    pub went: Option<TurnWent>,
}

/// How a turn went, as it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnWent {
    /// Nothing failed, and no stage fell back.
    Well,
    /// It broke, or something that it did failed or is in doubt.
    Failed,
    /// A stage fell back.
    FellBack,
    /// It waits for a yes.
    Waits,
}

impl TurnWent {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Well, Self::Failed, Self::FellBack, Self::Waits];

    fn is_how(self, done: &Done) -> bool {
        let comes_to = |those: &[Status]| done.outcomes.iter().any(|report| those.contains(&report.status));
        let failed = done.path == Path::Error || comes_to(&[Status::Failed, Status::Unknown]);
        match self {
            Self::Well => !failed && done.fallbacks.is_empty(),
            Self::Failed => failed,
            Self::FellBack => !done.fallbacks.is_empty(),
            Self::Waits => comes_to(&[Status::Pending]),
        }
    }
}

impl TurnFilter {
    fn takes(&self, trace: &TurnTrace) -> bool {
        self.user.as_ref().is_none_or(|user| trace.user == *user)
            && self.chat.as_ref().is_none_or(|chat| trace.chat == *chat)
            && self.path.is_none_or(|path| trace.done.path == path)
            && self.went.is_none_or(|went| went.is_how(&trace.done))
    }
}

/// A page of the turns that fit, newest first, and how many were looked at for it. It ends where it is full, or where
/// [`FILTER_LOOKED_AT_MAX`] were looked at.
pub async fn filtered(
    view: &View<'_>,
    filter: &TurnFilter,
    before: Option<Key>,
    limit: usize,
) -> Result<(TurnsPage, usize), StoreError> {
    let (mut found, mut looked_at) = (TurnsPage { turns: Vec::new(), next: before }, 0);
    loop {
        let TurnsPage { turns, next } = page(view, found.next.take(), limit).await?;
        let mut turns = turns.into_iter().peekable();
        while let Some(trace) = turns.next() {
            looked_at += 1;
            let key = trace.key();
            found.turns.extend(filter.takes(&trace).then_some(trace));
            if found.turns.len() == limit || looked_at == FILTER_LOOKED_AT_MAX {
                found.next = if turns.peek().is_some() || next.is_some() { Some(key) } else { None };
                return Ok((found, looked_at));
            }
        }
        if next.is_none() {
            return Ok((found, looked_at));
        }
        found.next = next;
    }
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
