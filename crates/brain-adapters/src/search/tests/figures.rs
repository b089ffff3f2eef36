//! Prints what the index costs here; asserts nothing about time.

use std::time::Instant;

use super::*;
use brain_core::ports::{Description, Update};

fn documents(count: usize) -> Vec<Document> {
    let words = ["call", "report", "invoice", "dentist", "garden", "summer", "meeting", "flight", "paper", "house"];
    let made = |n: usize| Document {
        kind: "email".to_owned(),
        id: format!("n{n}"),
        title: format!("{} {} number{n}", words[n % 10], words[(n / 10) % 10]),
        body: format!("{} and some more words about item{}", words[(n / 100) % 10], n % 997),
        at: chrono::DateTime::from_timestamp(n as i64 * 600, 0),
        flags: if n.is_multiple_of(2) { vec!["open".to_owned()] } else { Vec::new() },
        kept: vec![b'x'; 100],
        ..Document::default()
    };
    (0..count).map(made).collect()
}

fn mails(text: &str) -> Query {
    Query { kinds: vec!["email".to_owned()], ..query(text) }
}

#[tokio::test]
async fn figures_of_an_index() {
    let largest = std::env::var("INDEX_FIGURES").ok().and_then(|most| most.parse().ok()).unwrap_or(1_000);
    for count in [100, 10_000, 100_000].into_iter().filter(|count| *count <= largest) {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = open_store(folder.path()).await;
        let owner = user("u");
        {
            let index = open_index(&store, folder.path());
            let began = Instant::now();
            for chunk in documents(count).chunks(5_000) {
                let update = Update { feed: "mail".to_owned(), put: chunk.to_vec(), ..Update::default() };
                index.apply(&owner, update).await.unwrap();
            }
            let took = began.elapsed();
            closed(index).await;
            println!("{count}: {:.0} documents a second", count as f64 / took.as_secs_f64());
        }
        let began = Instant::now();
        let index = open_index(&store, folder.path());
        assert_eq!(ids(&index, "u", &mails("number7")).await.len(), 1);
        println!("{count}: open and first answer {:?}", began.elapsed());
        for words in ["call number77", "call", "dentits", "callx"] {
            let sought = Description {
                kind: "email".to_owned(),
                words: words.split(' ').map(str::to_owned).collect(),
                first: Some("open".to_owned()),
                limit: 50,
                ..Description::default()
            };
            let (began, times) = (Instant::now(), 20);
            for _ in 0..times {
                index.candidates(&owner, &sought).await.unwrap();
            }
            let candidates = began.elapsed() / times;
            let began = Instant::now();
            for _ in 0..times {
                index.search(&owner, &mails(words)).await.unwrap();
            }
            println!("{count}: {words}: candidates {candidates:?}, search {:?}", began.elapsed() / times);
        }
        let began = Instant::now();
        write(store.as_ref(), "u", "late", "a late one").await;
        let committed = began.elapsed();
        assert_eq!(found(&index, "u", "late").await, ["late"]);
        println!("{count}: commit {committed:?}, and its words found {:?}", began.elapsed());
    }
}
