//! A copy of a store that goes on.

use super::{batch, write};
use crate::store::RedbStore;
use brain_core::ports::{Expect, Key, Reader, Store, StoreError, Table};

#[tokio::test]
async fn a_moment_that_is_copied_is_over_when_the_file_changes_hands_and_not_read_on_from_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&folder.path().join("brain.redb")).await.unwrap();
    store.commit(batch([write(Table::Notes, "a", "{}", Expect::Absent)])).await.unwrap();
    let moment = store.shared.moment();
    let is_on = || moment.read_on(&store.shared, &|_| Ok(())).unwrap().is_some();
    assert!(!is_on(), "it has not begun");
    moment.begin(&store.shared).unwrap();
    store.commit(batch([write(Table::Notes, "b", "{}", Expect::Absent)])).await.unwrap();
    assert!(is_on(), "commits are nothing to it");
    store.purge().await.unwrap();
    assert!(!is_on());
}

#[tokio::test]
async fn a_copy_that_cannot_be_written_leaves_nothing_and_one_of_a_closed_store_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&folder.path().join("brain.redb")).await.unwrap();
    store.commit(batch([write(Table::Notes, "a", "{}", Expect::Absent)])).await.unwrap();
    let nowhere = store.copy_to(&folder.path().join("nowhere/copy")).await.unwrap_err();
    assert!(matches!(nowhere, StoreError::Disk { .. }), "{nowhere}");
    let copy = folder.path().join("copy");
    std::fs::write(&copy, "mine").unwrap();
    assert!(matches!(store.copy_to(&copy).await, Err(StoreError::Disk { .. })));
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), "mine");
    std::fs::remove_file(&copy).unwrap();
    store.copy_to(&copy).await.unwrap();
    store.close().await;
    let again = store.copy_to(&folder.path().join("another")).await.unwrap_err();
    assert!(matches!(again, StoreError::Closed), "{again}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    let copied = RedbStore::open(&copy).await.unwrap();
    assert_eq!(copied.get(Table::Notes, &Key::of(&["a"])).await.unwrap().unwrap().body, b"{}");
    // Its revisions go on where those of the store were.
    assert!(copied.commit(batch([write(Table::Notes, "a", "{}", Expect::Revision(1))])).await.unwrap() > 1);
}
