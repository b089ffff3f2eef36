//! The index's promises.

mod damage;
mod figures;
mod finding;
mod following;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::search::SearchIndex;
use crate::store::{MemoryStore, RedbStore, Schema};
use brain_core::core::ids::UserId;
use brain_core::ports::{Batch, Change, Document, Expect, Index, IndexError, Key, Query, Source, Store, Stored, Table};

const SOURCES: [Source; 1] = [Source::new(Table::Notes, "note", 1, note)];

fn note(key: &Key, stored: &Stored) -> Option<(UserId, Document)> {
    let record: Value = serde_json::from_slice(&stored.body).ok()?;
    let parts = key.parts();
    let text = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
    let document = Document {
        kind: "note".to_owned(),
        id: parts[1].to_owned(),
        title: text("title"),
        body: text("body"),
        at: record["at"].as_i64().and_then(|at| chrono::DateTime::from_timestamp(at, 0)),
        flags: record["open"].as_bool().unwrap_or(false).then(|| "open".to_owned()).into_iter().collect(),
        kept: stored.body.clone(),
        ..Document::default()
    };
    Some((UserId::new(parts[0]), document))
}

fn user(name: &str) -> UserId {
    UserId::new(name)
}

/// Writes a record, or deletes it.
fn change(owner: &str, id: &str, record: Option<Value>) -> Change {
    let put = record.map(|record| (1, serde_json::to_vec(&record).unwrap()));
    Change { table: Table::Notes, key: Key::of(&[owner, id]), expect: Expect::Any, put }
}

async fn write(store: &dyn Store, owner: &str, id: &str, title: &str) {
    let change = change(owner, id, Some(json!({ "title": title })));
    store.commit(Batch { changes: vec![change] }).await.unwrap();
}

async fn delete(store: &dyn Store, owner: &str, id: &str) {
    store.commit(Batch { changes: vec![change(owner, id, None)] }).await.unwrap();
}

fn query(text: &str) -> Query {
    Query { kinds: vec!["note".to_owned()], text: text.to_owned(), limit: 20, ..Query::default() }
}

/// Asks until the index is built.
async fn asked<T>(ask: impl AsyncFn() -> Result<T, IndexError>) -> T {
    loop {
        match ask().await {
            Err(IndexError::Building(_)) => {}
            answer => return answer.unwrap(),
        }
    }
}

async fn ids(index: &dyn Index, owner: &str, query: &Query) -> Vec<String> {
    let found = asked(async || index.search(&user(owner), query).await).await;
    found.hits.into_iter().map(|hit| hit.id).collect()
}

async fn found(index: &dyn Index, owner: &str, text: &str) -> Vec<String> {
    ids(index, owner, &query(text)).await
}

/// Everything that is in an owner's index.
async fn content(index: &dyn Index, owner: &str) -> BTreeMap<String, Vec<u8>> {
    let all = asked(async || index.all(&user(owner), "note").await).await;
    let count = all.len();
    let all: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(all.len(), count, "one document a record");
    all
}

fn schema() -> Schema {
    Schema { followed: vec![Table::Notes], ..Schema::default() }
}

async fn open_store(folder: &Path) -> Arc<RedbStore> {
    Arc::new(RedbStore::open_with(&folder.join("brain.redb"), schema()).await.unwrap())
}

fn open_index(store: &Arc<dyn Store>, folder: &Path) -> SearchIndex {
    SearchIndex::with_few(store.clone(), SOURCES.to_vec(), Some(folder.join("search")), 0)
}

/// Lets go of an index, and waits until whatever it was doing has let go of its files: a process has one.
async fn closed(index: SearchIndex) {
    let house = Arc::downgrade(&index.house);
    drop(index);
    while house.strong_count() > 0 {
        tokio::task::yield_now().await;
    }
}

fn in_memory() -> (Arc<dyn Store>, SearchIndex) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let index = SearchIndex::with_few(store.clone(), SOURCES.to_vec(), None, 0);
    (store, index)
}
