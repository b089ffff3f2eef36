//! Building an owner's index from the store's tables.
//!
//! The documents of the sources go first and their mark with them; then all records are read, a page at a time, while
//! what changes waits; then that is brought in, and the mark is set: from there the feed goes on. A build that was cut
//! off leaves no mark, so it is done again. Other feeds' documents stay.

use std::sync::Arc;

use super::engine::{Durable, Owner, SearchEngine};
use super::feed;
use super::owner::OwnerIndex;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::{BuildProgress, IndexError, Key, Source, Update};

/// Starts the build; [`Owner::progress`] says when it is done.
pub(super) fn start(house: &Arc<SearchEngine>, owner: &Arc<Owner>, index: &Arc<OwnerIndex>) {
    owner.progress.send_replace(Some(BuildProgress { done: 0, total: 0 }));
    let build = Build { house: Arc::clone(house), owner: Arc::clone(owner), index: Arc::clone(index) };
    tokio::spawn(async move {
        if let Err(cause) = build.run().await {
            build.house.discard(&build.owner, &build.index, &cause.to_string()).await;
            build.done();
        }
    });
}

/// One build. It writes to the index it was begun for, and to no other.
struct Build {
    house: Arc<SearchEngine>,
    owner: Arc<Owner>,
    index: Arc<OwnerIndex>,
}

impl Build {
    async fn run(&self) -> Result<(), IndexError> {
        let (house, id) = (&self.house, &self.owner.id);
        let of_source = |source: &Source| (source.prefixes)(id).into_iter().map(|prefix| (*source, prefix)).collect();
        let ranges: Vec<Vec<(Source, Key)>> = house.sources.iter().map(of_source).collect();
        let ranges = ranges.concat();
        let mut progress = BuildProgress { done: 0, total: 0 };
        for (source, prefix) in &ranges {
            progress.total += house.store.count(source.scan(prefix.clone(), None, usize::MAX)).await?;
        }
        self.owner.progress.send_replace(Some(progress));
        let mut update = feed::update();
        update.clear = house.sources.iter().map(|source| source.kind.to_owned()).collect();
        for (source, prefix) in ranges {
            let mut after = None;
            loop {
                let page = source.scan(prefix.clone(), after, limits::INDEX_BUILD_PAGE);
                let page = house.store.scan(page).await?;
                let Some((last, _)) = page.last() else { break };
                after = Some(last.clone());
                update.put.extend(page.iter().filter_map(|(key, stored)| feed::made(&source, id, key, stored)));
                if update.put.len() >= limits::INDEX_BUILD_PAGE {
                    let full = std::mem::replace(&mut update, feed::update());
                    self.house.write_into(&self.owner, &self.index, full, None, Durable::Later).await?;
                }
                fail_point("index-built-page");
                progress.done += page.len();
                self.owner.progress.send_replace(Some(progress));
            }
        }
        self.finish(update).await
    }

    /// Brings in the rest, and what changed meanwhile.
    async fn finish(&self, rest: Update) -> Result<(), IndexError> {
        let _bringing = self.owner.bringing.lock().await;
        let mark = feed::mark(&self.house);
        // Whoever is stopped now need not do it again.
        self.house.write_into(&self.owner, &self.index, rest, Some(mark), Durable::Now).await?;
        feed::write_waiting(&self.house, &self.owner, &self.index).await?;
        fail_point("index-built");
        self.done();
        Ok(())
    }

    fn done(&self) {
        self.owner.progress.send_replace(None);
    }
}
