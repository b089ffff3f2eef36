//! Building an owner's index from the store's tables.
//!
//! The documents of the sources go first and their mark with them; then all records are read, a page at a time, while
//! the feed leaves this owner out; then what changed meanwhile is brought in, and the mark is set: from there the feed
//! goes on. A build that was cut off leaves no mark, so it is done again. Other feeds' documents stay.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::feed;
use super::house::{Durable, House, Owner, locked};
use super::owner::OwnerIndex;
use crate::failpoint::fail_point;
use crate::limits;
use crate::ports::{BuildProgress, Changes, IndexError, Key, Order, Scan, Source, Update};

/// Starts the build; [`Owner::progress`] says when it is done.
pub(super) fn start(house: &Arc<House>, owner: &Arc<Owner>, index: &Arc<OwnerIndex>) {
    let from = *house.store.change_log().watch_changes().borrow();
    owner.progress.send_replace(Some(BuildProgress { done: 0, total: 0 }));
    locked(&house.building).insert(owner.id.clone(), from);
    let build = Build { house: Arc::clone(house), owner: Arc::clone(owner), index: Arc::clone(index) };
    tokio::spawn(async move {
        if let Err(cause) = build.run(from).await {
            build.house.discard(&build.owner, &build.index, &cause.to_string()).await;
            build.done();
        }
    });
}

fn scan(source: &Source, prefix: Key, after: Option<Key>, limit: usize) -> Scan {
    let table = source.table;
    Scan { table, by: None, prefix: Some(prefix), before: None, after, order: Order::Ascending, limit }
}

/// One build. It writes to the index it was begun for, and to no other.
struct Build {
    house: Arc<House>,
    owner: Arc<Owner>,
    index: Arc<OwnerIndex>,
}

impl Build {
    async fn write(&self, update: Update, mark: Option<String>, durable: Durable) -> Result<(), IndexError> {
        self.house.write_into(&self.owner, &self.index, update, mark, durable).await
    }

    async fn run(&self, from: u64) -> Result<(), IndexError> {
        let (house, id) = (&self.house, &self.owner.id);
        let of_source = |source: &Source| (source.prefixes)(id).into_iter().map(|prefix| (*source, prefix)).collect();
        let ranges: Vec<Vec<(Source, Key)>> = house.sources.iter().map(of_source).collect();
        let ranges = ranges.concat();
        let mut progress = BuildProgress { done: 0, total: 0 };
        for (source, prefix) in &ranges {
            progress.total += house.store.count(scan(source, prefix.clone(), None, usize::MAX)).await?;
        }
        self.owner.progress.send_replace(Some(progress));
        let mut update = feed::update();
        update.clear = house.sources.iter().map(|source| source.kind.to_owned()).collect();
        self.write(update, None, Durable::Later).await?;
        for (source, prefix) in ranges {
            let mut after = None;
            loop {
                let page = house.store.scan(scan(&source, prefix.clone(), after, limits::INDEX_BUILD_PAGE)).await?;
                let Some((last, _)) = page.last() else { break };
                after = Some(last.clone());
                let mut update = feed::update();
                update.put = page.iter().filter_map(|(key, stored)| feed::made(&source, id, key, stored)).collect();
                self.write(update, None, Durable::Later).await?;
                fail_point("index-built-page");
                progress.done += page.len();
                self.owner.progress.send_replace(Some(progress));
            }
        }
        self.finish(from).await
    }

    /// Brings in what changed meanwhile. The feed waits, so that no line falls between the two.
    async fn finish(&self, mut from: u64) -> Result<(), IndexError> {
        let house = &self.house;
        let _feed = house.feed.lock().await;
        let applied = house.applied.load(Ordering::Acquire);
        let log = house.store.change_log();
        while from < applied {
            let lines = match log.changes(from, limits::INDEX_LINES_AT_ONCE).await? {
                Changes::Lines(lines) => lines,
                Changes::Lost => return Err(IndexError::Broken("changes were dropped while it was built".to_owned())),
            };
            from = lines.last().map_or(applied, |line| line.revision);
            if let Some(places) = feed::places(&house.sources, &lines).remove(&self.owner.id) {
                let update = feed::current(house, &self.owner.id, places).await?;
                self.write(update, None, Durable::Later).await?;
            }
        }
        self.write(feed::update(), Some(house.mark_at(from)), Durable::Now).await?;
        fail_point("index-built");
        // Before the feed goes on.
        self.done();
        Ok(())
    }

    fn done(&self) {
        locked(&self.house.building).remove(&self.owner.id);
        self.owner.progress.send_replace(None);
    }
}
