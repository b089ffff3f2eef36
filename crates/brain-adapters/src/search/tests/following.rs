//! The index follows the store: in order, at once, whatever happens in between.

use std::sync::atomic::Ordering;

use proptest::prelude::*;

use super::*;
use crate::search::feed;
use brain_core::ports::Update;

#[tokio::test]
async fn what_a_commit_wrote_is_found_by_the_next_question() {
    let (store, index) = in_memory();
    for n in 0..20 {
        let word = format!("word{n}x");
        write(store.as_ref(), "u", "a", &word).await;
        assert_eq!(found(&index, "u", &word).await, ["a"]);
    }
    delete(store.as_ref(), "u", "a").await;
    assert!(content(&index, "u").await.is_empty());
}

#[tokio::test]
async fn a_restart_goes_on_where_the_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    let shared: Arc<dyn Store> = store.clone();
    {
        let index = open_index(&shared, folder.path());
        write(shared.as_ref(), "u", "a", "alpha").await;
        let update = Update { feed: "mail".to_owned(), mark: "3".to_owned(), ..Update::default() };
        index.apply(&user("u"), update).await.unwrap();
        write(shared.as_ref(), "u", "b", "beta").await;
        assert_eq!(content(&index, "u").await.len(), 2);
        closed(index).await;
    }
    // Written while nobody followed.
    write(shared.as_ref(), "u", "c", "gamma").await;
    let index = open_index(&shared, folder.path());
    assert_eq!(index.mark(&user("u"), "mail").await.unwrap().as_deref(), Some("3"), "it was not built again");
    assert_eq!(content(&index, "u").await.len(), 3);
    closed(index).await;
    // Other sources make other documents: the store's are made again, others stay.
    let mut newer = SOURCES[0];
    newer.version = 2;
    let sources = vec![newer];
    let index = SearchIndex::with_few(shared, sources, Some(folder.path().join("search")), 0);
    assert_eq!(content(&index, "u").await.len(), 3);
    assert_eq!(index.mark(&user("u"), "mail").await.unwrap().as_deref(), Some("3"));
}

#[tokio::test]
async fn a_restart_reads_nothing_again_that_is_known_to_be_durable() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = open_store(folder.path()).await;
    for n in 0..20 {
        write(store.as_ref(), "u", &n.to_string(), "alpha").await;
    }
    let written = *store.change_log().watch_changes().borrow();
    let index = open_index(&store, folder.path());
    assert_eq!(content(&index, "u").await.len(), 20);
    closed(index).await;
    let index = open_index(&store, folder.path());
    feed::begin(&index.house).await.unwrap();
    assert_eq!(index.house.applied.load(Ordering::Acquire), written);
    assert_eq!(content(&index, "u").await.len(), 20);
}

#[tokio::test]
async fn an_index_of_another_time_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = open_store(folder.path()).await;
    let index = open_index(&store, folder.path());
    write(store.as_ref(), "u", "a", "alpha").await;
    assert_eq!(content(&index, "u").await.len(), 1);
    closed(index).await;
    // The store went on for a while without a log.
    drop(store);
    let path = folder.path().join("brain.redb");
    let store = loop {
        // The index's task lets go of the store a moment later.
        if let Ok(store) = RedbStore::open(&path).await {
            break store;
        }
        tokio::task::yield_now().await;
    };
    delete(&store, "u", "a").await;
    write(&store, "u", "b", "beta").await;
    store.close().await;
    let store: Arc<dyn Store> = open_store(folder.path()).await;
    let index = open_index(&store, folder.path());
    assert_eq!(content(&index, "u").await.into_keys().collect::<Vec<_>>(), ["b"]);
}

#[tokio::test]
async fn more_people_than_are_kept_open_are_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = open_store(folder.path()).await;
    let index = open_index(&store, folder.path());
    let people = brain_core::limits::INDEXES_OPEN_MAX + 4;
    for round in 0..2 {
        for n in 0..people {
            write(store.as_ref(), &format!("u{n}"), &format!("{round}"), "alpha").await;
            assert_eq!(found(&index, &format!("u{n}"), "alpha").await.len(), round + 1);
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(u8, u8, u8),
    Delete(u8, u8),
    Ask(u8),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..2, 0_u8..6, 0_u8..5).prop_map(|(owner, id, word)| Step::Write(owner, id, word)),
        3 => (0_u8..2, 0_u8..6).prop_map(|(owner, id)| Step::Delete(owner, id)),
        3 => (0_u8..2).prop_map(Step::Ask),
        1 => Just(Step::Restart),
    ]
}

const WORDS: [&str; 5] = ["alpha", "beta", "gamma delta", "delta", "alpha beta"];

/// Follows, with and without an index for those who have few records.
async fn follows(steps: Vec<Step>, few: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = open_store(folder.path()).await;
    let search = folder.path().join("search");
    let open = || SearchIndex::with_few(store.clone(), SOURCES.to_vec(), Some(search.clone()), few);
    let mut index = open();
    for step in steps {
        match step {
            Step::Write(owner, id, word) => {
                write(store.as_ref(), &format!("u{owner}"), &id.to_string(), WORDS[usize::from(word)]).await;
            }
            Step::Delete(owner, id) => delete(store.as_ref(), &format!("u{owner}"), &id.to_string()).await,
            Step::Restart => {
                closed(index).await;
                index = open();
            }
            Step::Ask(owner) => {
                let owner = format!("u{owner}");
                let afresh = SearchIndex::with_few(store.clone(), SOURCES.to_vec(), None, 0);
                assert_eq!(content(&index, &owner).await, content(&afresh, &owner).await);
                for word in WORDS {
                    let (mut a, mut b) = (found(&index, &owner, word).await, found(&afresh, &owner, word).await);
                    a.sort_unstable();
                    b.sort_unstable();
                    assert_eq!(a, b, "{word}");
                    let words = word.split(' ').map(str::to_owned).collect();
                    let sought = brain_core::ports::Description {
                        kind: "note".to_owned(),
                        words,
                        limit: 9,
                        ..Default::default()
                    };
                    let ask = async |index: &SearchIndex| {
                        let mut found = asked(async || index.candidates(&user(&owner), &sought).await).await;
                        found.ids.sort_unstable();
                        found
                    };
                    assert_eq!(ask(&index).await, ask(&afresh).await, "{word}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_index_that_followed_is_one_built_afresh(steps in prop::collection::vec(step(), 1..30), few in 0_usize..4) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(follows(steps, few));
    }
}
