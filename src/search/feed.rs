//! Following the store: what its change log tells is brought to the indexes of those whom it concerns.
//!
//! The feed reads the log in order and makes documents of the records as they are now, so reading a line twice is the
//! same as once. Lines are trimmed when all indexes they went to are durable. A file beside the indexes says how far
//! that is: indexes that are older than the log reaches back, or of another store, are known by it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::house::{Durable, House, locked};
use super::shelf;
use crate::core::ids::UserId;
use crate::failpoint::fail_point;
use crate::limits;
use crate::ports::{ChangedRecords, Changes, Document, IndexError, Key, Source, Update};

/// The name of this feed.
pub(super) const STORE: &str = "store";
const STATE_FILE: &str = "feed";

/// What the feed remembers between two lines.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// Up to here everything is durable.
    sealed: u64,
}

/// What is written beside the indexes.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// Marks of another origin are of another store, or of one that went on without us.
    origin: String,
    /// Up to here all indexes are durable.
    sealed: u64,
}

/// What an update of the store's feed is, but for its documents.
pub(super) fn update() -> Update {
    Update { feed: STORE.to_owned(), ..Update::default() }
}

fn state_file(house: &House) -> Option<PathBuf> {
    house.folder.as_ref().map(|folder| folder.join(STATE_FILE))
}

fn new_origin(house: &House) -> String {
    let sources = house.sources.iter().map(|source| format!("{}:{}", source.kind, source.version));
    format!("{}/{}", uuid::Uuid::new_v4().simple(), sources.collect::<Vec<_>>().join(","))
}

/// Finds out where to go on, once.
pub(super) async fn begin(house: &Arc<House>) -> Result<(), IndexError> {
    let begin = || async {
        let log = house.store.change_log();
        let (trimmed, now) = (log.trimmed().await?, *log.watch_changes().borrow());
        let known = state_file(house).and_then(|file| std::fs::read(file).ok());
        let known: Option<State> = known.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let sources = new_origin(house);
        let same_sources = |state: &State| tail(&state.origin) == tail(&sources);
        match known.filter(|state| state.sealed >= trimmed && state.sealed <= now && same_sources(state)) {
            Some(State { origin, sealed }) => {
                *locked(&house.origin) = origin;
                // Lines up to there may still stand in the log: it is cut with a later commit.
                house.applied.store(sealed, Ordering::Release);
                house.feed.lock().await.sealed = sealed;
            }
            None => renew(house, now).await,
        }
        Ok(())
    };
    house.begun.get_or_try_init(begin).await.copied()
}

fn tail(origin: &str) -> Option<&str> {
    origin.split_once('/').map(|(_, sources)| sources)
}

/// Every index is built again; what changes behind `now` is brought to them.
async fn renew(house: &House, now: u64) {
    *locked(&house.origin) = new_origin(house);
    house.applied.store(now, Ordering::Release);
    house.close_all().await;
    write_state(house, now);
}

fn write_state(house: &House, sealed: u64) -> bool {
    let Some(file) = state_file(house) else { return true };
    let state = State { origin: locked(&house.origin).clone(), sealed };
    let write = || {
        shelf::make_folder(file.parent().unwrap_or(&file))?;
        let draft = file.with_extension("new");
        let mut written = shelf::own_file().create(true).truncate(true).open(&draft)?;
        written.write_all(&serde_json::to_vec(&state)?)?;
        written.sync_all()?;
        std::fs::rename(&draft, &file)
    };
    let written: std::io::Result<()> = write();
    if let Err(cause) = &written {
        tracing::warn!(%cause, "how far the search index is could not be written down");
    }
    written.is_ok()
}

/// Brings in all that the log tells by now.
pub(super) async fn catch_up(house: &Arc<House>) -> Result<(), IndexError> {
    begin(house).await?;
    let log = house.store.change_log();
    let target = *log.watch_changes().borrow();
    if house.applied.load(Ordering::Acquire) >= target {
        return Ok(());
    }
    let mut feed = house.feed.lock().await;
    loop {
        let applied = house.applied.load(Ordering::Acquire);
        if applied >= target {
            break;
        }
        let lines = match log.changes(applied, limits::INDEX_LINES_AT_ONCE).await? {
            Changes::Lines(lines) => lines,
            Changes::Lost => {
                tracing::warn!("changes were dropped before the search index had read them; it is built again");
                renew(house, target).await;
                break;
            }
        };
        let last = lines.last().map_or(target, |line| line.revision);
        for (owner, places) in places(&house.sources, &lines) {
            bring(house, &owner, places, last).await?;
        }
        house.applied.store(last.max(applied), Ordering::Release);
    }
    if house.applied.load(Ordering::Acquire) > feed.sealed + limits::INDEX_UNSEALED_LINES_MAX {
        seal(house, &mut feed).await;
    }
    Ok(())
}

/// A record that has or had a document: its source and key by kind and id.
type Places = BTreeMap<(&'static str, String), (Source, Key)>;

/// Whom lines concern, and with what.
pub(super) fn places(sources: &[Source], lines: &[ChangedRecords]) -> BTreeMap<UserId, Places> {
    let mut concerned: BTreeMap<UserId, Places> = BTreeMap::new();
    for (table, key) in lines.iter().flat_map(|line| &line.records) {
        for source in sources.iter().filter(|source| source.table == *table) {
            if let Some((owner, id)) = (source.place)(key) {
                concerned.entry(owner).or_default().insert((source.kind, id), (*source, key.clone()));
            }
        }
    }
    concerned
}

/// Brings records as they are now into an owner's index, unless it is being built: then the build does.
async fn bring(house: &Arc<House>, owner: &UserId, places: Places, last: u64) -> Result<(), IndexError> {
    let Ok((open, index)) = house.opened(owner).await else {
        // Told already; the next one who asks for it builds it.
        return Ok(());
    };
    if open.progress.borrow().is_some() {
        return Ok(());
    }
    let update = current(house, owner, places).await?;
    let mark = house.mark_at(last);
    match house.write_into(&open, &index, update, Some(mark), Durable::Later).await {
        Ok(()) | Err(IndexError::Broken(_)) => Ok(()),
        Err(other) => Err(other),
    }
}

/// The update that these records come to.
pub(super) async fn current(house: &House, owner: &UserId, places: Places) -> Result<Update, IndexError> {
    let mut update = update();
    for ((kind, id), (source, key)) in places {
        let stored = house.store.get(source.table, &key).await?;
        let made: Option<Document> = stored.and_then(|stored| made(&source, owner, &key, &stored));
        match made {
            Some(document) => update.put.push(document),
            None => update.delete.push((kind.to_owned(), id)),
        }
    }
    Ok(update)
}

/// The document of a record, when it is this owner's.
pub(super) fn made(source: &Source, owner: &UserId, key: &Key, stored: &crate::ports::Stored) -> Option<Document> {
    let (whose, document) = (source.document)(key, stored)?;
    (whose == *owner).then_some(document)
}

/// Makes durable what was brought in, and lets the log go.
async fn seal(house: &Arc<House>, feed: &mut Feed) {
    let applied = house.applied.load(Ordering::Acquire);
    if house.folder.is_some() {
        house.seal().await;
    }
    // A build needs the log from where it began.
    let needed = locked(&house.building).values().min().copied().unwrap_or(u64::MAX);
    let sealed = applied.min(needed);
    fail_point("index-before-trim");
    let writing = Arc::clone(house);
    let written = spawn_blocking(move || write_state(&writing, sealed)).await;
    if written.unwrap_or(false) {
        house.store.change_log().trim_changes(sealed);
        feed.sealed = sealed;
    }
}

/// Follows the store until the index is dropped.
pub(super) fn follow(house: &Arc<House>) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let mut changed = house.store.change_log().watch_changes();
    let weak = Arc::downgrade(house);
    runtime.spawn(async move {
        let mut unsealed: BTreeSet<u64> = BTreeSet::new();
        loop {
            {
                let Some(house) = weak.upgrade() else { return };
                if let Err(cause) = catch_up(&house).await {
                    tracing::warn!(%cause, "the search index could not follow the store");
                }
                unsealed.insert(house.applied.load(Ordering::Acquire));
            }
            let waits = weak.upgrade().is_some_and(|house| house.folder.is_some());
            let more = async { changed.changed().await.is_ok() };
            let went_on = if waits && !unsealed.is_empty() {
                tokio::time::timeout(limits::INDEX_SEAL_AFTER, more).await
            } else {
                Ok(more.await)
            };
            match went_on {
                Ok(true) => {}
                Ok(false) => return,
                Err(_) => {
                    let Some(house) = weak.upgrade() else { return };
                    let mut feed = house.feed.lock().await;
                    seal(&house, &mut feed).await;
                    unsealed.clear();
                }
            }
        }
    });
}
