//! Health: what `doctor` asks the process that owns the store for. Times, counts and states; no word of anybody's.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::View;
use super::figures;
use super::turns;
use brain_core::limits;
use brain_core::ports::records::{InboxEntry, User};
use brain_core::ports::{Index, RecordExt, Scan, StoreError};
use brain_wire::accounts::{AccountDirectory, AccountState, Disconnected};

/// What the store tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreHealth {
    /// When the last update of a bot was received, as far back as they are kept.
    pub last_update: Option<DateTime<Utc>>,
    /// When the last turn began.
    pub last_turn: Option<DateTime<Utc>>,
    /// How many records could not be read and were set aside.
    pub unreadable: usize,
    /// How many messages were given up, because the process ended each time they were handled.
    pub messages_given_up: usize,
}

/// How an account is, as the process sees it that keeps it in step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountHealth {
    /// The account's id.
    pub id: String,
    /// When it was last read to its end.
    pub synced: Option<DateTime<Utc>>,
    /// Since when it is not connected, if it is not.
    pub since: Option<DateTime<Utc>>,
    /// Why.
    pub why: Option<String>,
    /// Whether somebody has to reconnect it.
    #[serde(default)]
    pub until_reconnected: bool,
    /// While it is read for the first time: how much, of how much.
    pub progress: Option<(usize, usize)>,
}

impl AccountHealth {
    fn of(id: &str, state: AccountState) -> Self {
        let AccountState { synced, disconnected, progress } = state;
        let until_reconnected = disconnected.as_ref().is_some_and(|disconnected| disconnected.until_reconnected);
        let (since, why) = disconnected.map(|Disconnected { since, why, .. }| (since, why)).unzip();
        Self { id: id.to_owned(), synced, since, why, until_reconnected, progress }
    }
}

/// An index that is being built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildingIndex {
    /// Records that are in it.
    pub done: u64,
    /// Of so many.
    pub of: u64,
}

/// How a running process is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessHealth {
    /// The program's.
    pub version: String,
    /// Since when it runs.
    pub since: DateTime<Utc>,
    /// What its store tells.
    pub store: StoreHealth,
    /// The accounts that it knows.
    pub accounts: Vec<AccountHealth>,
    /// The indexes that it is building.
    pub building: Vec<BuildingIndex>,
}

/// What the store tells of how things go.
pub async fn of_store(view: &View<'_>) -> Result<StoreHealth, StoreError> {
    let inbox = view.moment.list::<InboxEntry>(Scan::of::<InboxEntry>(&[], usize::MAX)).await?;
    let kept = figures::of_store(view).await?;
    Ok(StoreHealth {
        last_update: inbox.iter().map(|(entry, _)| entry.received_at).max(),
        last_turn: turns::latest(view, 1).await?.first().map(|trace| trace.at),
        unreadable: kept.unreadable.len(),
        messages_given_up: kept.messages_given_up,
    })
}

/// How this process is.
pub async fn of_process(
    view: &View<'_>,
    since: DateTime<Utc>,
    accounts: &AccountDirectory,
    index: &dyn Index,
) -> Result<ProcessHealth, StoreError> {
    let people = view.moment.list::<User>(Scan::of::<User>(&[], limits::LIST_ROWS_MAX)).await?;
    let building = people.iter().filter_map(|(user, _)| index.progress(&user.id));
    Ok(ProcessHealth {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        since,
        store: of_store(view).await?,
        accounts: accounts.listed.iter().map(|one| AccountHealth::of(&one.id, accounts.states.of(&one.id))).collect(),
        building: building
            .map(|progress| BuildingIndex { done: progress.done as u64, of: progress.total as u64 })
            .collect(),
    })
}
