//! Change feed: what the store's change log tells is brought to the indexes of those whom it concerns.
//!
//! Whoever asks reads the log, in order, which is soon done: what changed waits by its owner until that owner asks for
//! it, or for a moment, so that nobody waits for what others wrote, and what is written together is brought in
//! together. Documents are made of the records as they are then, so reading a line twice is the same as once. Lines are
//! trimmed when all indexes they went to are durable. A file beside the indexes says how far that is: indexes that are
//! older than the log reaches back, or of another store, are known by it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::durable_directory;
use super::engine::{Durable, Owner, SearchEngine, locked};
use super::owner::OwnerIndex;
use brain_core::core::ids::UserId;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::{ChangedRecords, Changes, Document, IndexError, Key, Source, Update};

/// The name of this feed.
pub(super) const STORE: &str = "store";
const STATE_FILE: &str = "feed";

/// What is written beside the indexes.
#[derive(Debug, Serialize, Deserialize)]
struct FeedState {
    /// Marks of another origin are of another store, or of one that went on without us.
    origin: String,
    /// Up to here all indexes are durable.
    sealed: u64,
}

/// What an update of the store's feed is, but for its documents.
pub(super) fn update() -> Update {
    Update { feed: STORE.to_owned(), ..Update::default() }
}

fn state_file(house: &SearchEngine) -> Option<PathBuf> {
    house.folder.as_ref().map(|folder| folder.join(STATE_FILE))
}

fn new_origin(house: &SearchEngine) -> String {
    let sources = house.sources.iter().map(|source| format!("{}:{}", source.kind, source.version));
    format!("{}/{}", uuid::Uuid::new_v4().simple(), sources.collect::<Vec<_>>().join(","))
}

/// Finds out where to go on, once.
pub(super) async fn begin(house: &Arc<SearchEngine>) -> Result<(), IndexError> {
    let begin = || async {
        let log = house.store.change_log();
        let (trimmed, now) = (log.trimmed().await?, *log.watch_changes().borrow());
        let known = state_file(house).and_then(|file| std::fs::read(file).ok());
        let known: Option<FeedState> = known.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let sources = new_origin(house);
        let same_sources = |state: &FeedState| tail(&state.origin) == tail(&sources);
        match known.filter(|state| state.sealed >= trimmed && state.sealed <= now && same_sources(state)) {
            Some(FeedState { origin, sealed }) => {
                *locked(&house.origin) = origin;
                // Lines up to there may still stand in the log: it is cut with a later commit.
                house.applied.store(sealed, Ordering::Release);
                house.sealed.store(sealed, Ordering::Release);
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
async fn renew(house: &SearchEngine, now: u64) {
    *locked(&house.origin) = new_origin(house);
    house.applied.store(now, Ordering::Release);
    house.sealed.store(now, Ordering::Release);
    house.close_all().await;
    locked(&house.waiting).clear();
    write_state(house, now);
}

fn write_state(house: &SearchEngine, sealed: u64) -> bool {
    let Some(file) = state_file(house) else { return true };
    let state = FeedState { origin: locked(&house.origin).clone(), sealed };
    let write = || {
        durable_directory::make_folder(file.parent().unwrap_or(&file))?;
        let draft = file.with_extension("new");
        let mut written = durable_directory::own_file().create(true).truncate(true).open(&draft)?;
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

/// Reads all that the log tells by now.
pub(super) async fn catch_up(house: &Arc<SearchEngine>) -> Result<(), IndexError> {
    begin(house).await?;
    let log = house.store.change_log();
    let target = *log.watch_changes().borrow();
    if house.applied.load(Ordering::Acquire) >= target {
        return Ok(());
    }
    let _feed = house.feed.lock().await;
    loop {
        let applied = house.applied.load(Ordering::Acquire);
        if applied >= target {
            return Ok(());
        }
        let lines = match log.changes(applied, limits::INDEX_LINES_AT_ONCE).await? {
            Changes::Lines(lines) => lines,
            Changes::Lost => {
                tracing::warn!("changes were dropped before the search index had read them; it is built again");
                renew(house, target).await;
                return Ok(());
            }
        };
        let last = lines.last().map_or(target, |line| line.revision);
        put_by(house, &lines);
        house.applied.store(last.max(applied), Ordering::Release);
    }
}

/// A record that has or had a document, and the revision that told of it.
#[derive(Debug, Clone)]
pub(super) struct IndexedRecord {
    source: Source,
    key: Key,
    revision: u64,
}

/// Records by kind and id.
pub(super) type Places = BTreeMap<(&'static str, String), IndexedRecord>;

/// Puts by what lines tell, for those who have an index: another one is made of the records as they are.
fn put_by(house: &SearchEngine, lines: &[ChangedRecords]) {
    let mut told: BTreeMap<UserId, Places> = BTreeMap::new();
    for (line, (table, key)) in lines.iter().flat_map(|line| line.records.iter().map(move |record| (line, record))) {
        for source in house.sources.iter().filter(|source| source.table == *table) {
            if let Some((owner, id)) = (source.place)(key) {
                let place = IndexedRecord { source: *source, key: key.clone(), revision: line.revision };
                told.entry(owner).or_default().insert((source.kind, id), place);
            }
        }
    }
    told.retain(|owner, _| house.is_indexed(owner));
    let mut waiting = locked(&house.waiting);
    for (owner, mut places) in told {
        waiting.entry(owner).or_default().append(&mut places);
    }
}

/// Whether something of these kinds waits for an owner; no kinds: anything.
fn waits(house: &SearchEngine, id: &UserId, kinds: &[String]) -> bool {
    let is_asked_for = |kind: &str| kinds.is_empty() || kinds.iter().any(|asked| asked == kind);
    locked(&house.waiting).get(id).is_some_and(|places| places.keys().any(|(kind, _)| is_asked_for(kind)))
}

/// The mark of an index that holds what was read so far.
pub(super) fn mark(house: &SearchEngine) -> String {
    house.mark_at(house.applied.load(Ordering::Acquire))
}

/// Brings what waits for an owner into its index, when something of these kinds does; no kinds: anything. An index that
/// is being built is left alone: its build does it.
pub(super) async fn bring(house: &Arc<SearchEngine>, id: &UserId, kinds: &[String]) -> Result<(), IndexError> {
    if !waits(house, id, kinds) {
        return Ok(());
    }
    if house.has_few(id).await? {
        // Its index is gone.
        locked(&house.waiting).remove(id);
        return Ok(());
    }
    let Ok((owner, index)) = house.opened(id).await else {
        // Told already; the next one who asks for it builds it.
        return Ok(());
    };
    let _bringing = owner.bringing.lock().await;
    if owner.progress.borrow().is_some() {
        return Ok(());
    }
    match write_waiting(house, &owner, &index).await {
        Ok(()) | Err(IndexError::Broken(_)) => Ok(()),
        Err(other) => Err(other),
    }
}

/// Writes what waits. It waits until it is written, so that whoever asks meanwhile waits as well.
pub(super) async fn write_waiting(
    house: &SearchEngine,
    owner: &Owner,
    index: &Arc<OwnerIndex>,
) -> Result<(), IndexError> {
    let mark = mark(house);
    let Some(places) = locked(&house.waiting).get(&owner.id).cloned() else { return Ok(()) };
    let update = current(house, &owner.id, &places).await?;
    house.write_into(owner, index, update, Some(mark), Durable::Later).await?;
    let mut waiting = locked(&house.waiting);
    if let Some(left) = waiting.get_mut(&owner.id) {
        left.retain(|name, place| places.get(name).is_none_or(|written| written.revision < place.revision));
        if left.is_empty() {
            waiting.remove(&owner.id);
        }
    }
    Ok(())
}

/// Brings in whatever waits, for everybody.
async fn bring_all(house: &Arc<SearchEngine>) -> Result<(), IndexError> {
    let owners: Vec<UserId> = locked(&house.waiting).keys().cloned().collect();
    for owner in owners {
        bring(house, &owner, &[]).await?;
    }
    Ok(())
}

/// The update that these records come to.
async fn current(house: &SearchEngine, owner: &UserId, places: &Places) -> Result<Update, IndexError> {
    let mut update = update();
    for ((kind, id), IndexedRecord { source, key, .. }) in places {
        let stored = house.store.get(source.table, key).await?;
        let made: Option<Document> = stored.and_then(|stored| made(source, owner, key, &stored));
        match made {
            Some(document) => update.put.push(document),
            None => update.delete.push(((*kind).to_owned(), id.clone())),
        }
    }
    Ok(update)
}

/// The document of a record, when it is this owner's.
pub(super) fn made(source: &Source, owner: &UserId, key: &Key, stored: &brain_core::ports::Stored) -> Option<Document> {
    let (whose, document) = (source.document)(key, stored)?;
    (whose == *owner).then_some(document)
}

/// Makes durable all that was read so far, and lets the log go.
async fn seal(house: &Arc<SearchEngine>) -> Result<(), IndexError> {
    let _sealing = house.sealing.lock().await;
    let applied = house.applied.load(Ordering::Acquire);
    bring_all(house).await?;
    if house.folder.is_some() {
        house.seal().await;
    }
    fail_point("index-before-trim");
    let writing = Arc::clone(house);
    let written = spawn_blocking(move || write_state(&writing, applied)).await;
    if written.unwrap_or(false) {
        house.store.change_log().trim_changes(applied);
        house.sealed.store(applied, Ordering::Release);
    }
    Ok(())
}

/// What the follower does at each of its steps: it reads the log, and brings in what has waited for a moment.
async fn follow_once(house: &Arc<SearchEngine>, seals: bool) -> Result<(), IndexError> {
    catch_up(house).await?;
    bring_all(house).await?;
    let unsealed = house.applied.load(Ordering::Acquire) - house.sealed.load(Ordering::Acquire);
    if seals || unsealed > limits::INDEX_UNSEALED_LINES_MAX { seal(house).await } else { Ok(()) }
}

/// Follows the store until the index is dropped.
pub(super) fn follow(house: &Arc<SearchEngine>) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let mut changed = house.store.change_log().watch_changes();
    let weak = Arc::downgrade(house);
    let keeps = house.folder.is_some();
    runtime.spawn(async move {
        let mut seals = false;
        loop {
            {
                let Some(house) = weak.upgrade() else { return };
                if let Err(cause) = follow_once(&house, seals).await {
                    tracing::warn!(%cause, "the search index could not follow the store");
                }
            }
            let is_sealed = |house: Arc<SearchEngine>| {
                house.sealed.load(Ordering::Acquire) == house.applied.load(Ordering::Acquire)
            };
            let rests = seals || !keeps || weak.upgrade().is_none_or(is_sealed);
            let more = async { changed.changed().await.is_ok() };
            let went_on =
                if rests { Ok(more.await) } else { tokio::time::timeout(limits::INDEX_SEAL_AFTER, more).await };
            seals = went_on.is_err();
            match went_on {
                Ok(true) => tokio::time::sleep(limits::INDEX_GATHERS).await,
                Ok(false) => return,
                Err(_) => {}
            }
        }
    });
}
