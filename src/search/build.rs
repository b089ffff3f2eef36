//! Building an owner's index from the store's tables.
//!
//! The documents of the sources go first and their mark with them; then all records are read, a page at a time, while
//! the feed leaves this owner out; then what changed meanwhile is brought in, and the mark is set: from there the feed
//! goes on. A build that was cut off leaves no mark, so it is done again. Other feeds' documents stay.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::feed;
use super::house::{Durable, House, Owner, locked};
use crate::core::ids::UserId;
use crate::failpoint::fail_point;
use crate::limits;
use crate::ports::{Changes, IndexError, Key, Order, Progress, Scan, Source};

/// Starts the build; [`Owner::progress`] says when it is done.
pub(super) fn start(house: &Arc<House>, owner: &Arc<Owner>) {
    let from = *house.store.change_log().watch_changes().borrow();
    owner.progress.send_replace(Some(Progress { done: 0, total: 0 }));
    locked(&house.building).insert(owner.id.clone(), from);
    let (house, owner) = (Arc::clone(house), Arc::clone(owner));
    tokio::spawn(async move {
        if let Err(cause) = build(&house, &owner, from).await {
            tracing::warn!(owner = %owner.id, %cause, "a search index could not be built");
            if let Ok((_, index)) = house.opened(&owner.id).await {
                house.discard(&owner, &index, "it could not be built").await;
            }
        }
        locked(&house.building).remove(&owner.id);
        owner.progress.send_replace(None);
    });
}

fn scan(source: &Source, prefix: Key, after: Option<Key>, limit: usize) -> Scan {
    let table = source.table;
    Scan { table, by: None, prefix: Some(prefix), before: None, after, order: Order::Ascending, limit }
}

async fn build(house: &Arc<House>, owner: &Arc<Owner>, from: u64) -> Result<(), IndexError> {
    let id = &owner.id;
    let ranges: Vec<(Source, Key)> = house
        .sources
        .iter()
        .flat_map(|source| (source.prefixes)(id).into_iter().map(|prefix| (*source, prefix)))
        .collect();
    let mut progress = Progress { done: 0, total: 0 };
    for (source, prefix) in &ranges {
        progress.total += house.store.count(scan(source, prefix.clone(), None, usize::MAX)).await?;
    }
    owner.progress.send_replace(Some(progress));
    let mut update = feed::update();
    update.clear = house.sources.iter().map(|source| source.kind.to_owned()).collect();
    house.write(id, update, None, Durable::Later).await?;
    for (source, prefix) in ranges {
        let mut after = None;
        loop {
            let page = house.store.scan(scan(&source, prefix.clone(), after, limits::INDEX_BUILD_PAGE)).await?;
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            let mut update = feed::update();
            update.put = page.iter().filter_map(|(key, stored)| feed::made(&source, id, key, stored)).collect();
            house.write(id, update, None, Durable::Later).await?;
            fail_point("index-built-page");
            progress.done += page.len();
            owner.progress.send_replace(Some(progress));
        }
    }
    finish(house, id, from).await
}

/// Brings in what changed meanwhile. The feed waits, so that no line falls between the two.
async fn finish(house: &Arc<House>, id: &UserId, mut from: u64) -> Result<(), IndexError> {
    let _feed = house.feed.lock().await;
    let applied = house.applied.load(Ordering::Acquire);
    let log = house.store.change_log();
    while from < applied {
        let lines = match log.changes(from, limits::INDEX_LINES_AT_ONCE).await? {
            Changes::Lines(lines) => lines,
            Changes::Lost => return Err(IndexError::Broken("changes were dropped while it was built".to_owned())),
        };
        from = lines.last().map_or(applied, |line| line.revision);
        if let Some(places) = feed::places(&house.sources, &lines).remove(id) {
            let update = feed::current(house, id, places).await?;
            house.write(id, update, None, Durable::Later).await?;
        }
    }
    let mark = house.mark_at(applied.max(from));
    house.write(id, feed::update(), Some(mark), Durable::Now).await?;
    fail_point("index-built");
    locked(&house.building).remove(id);
    // Before the feed goes on.
    let (owner, _) = house.opened(id).await?;
    owner.progress.send_replace(None);
    Ok(())
}
