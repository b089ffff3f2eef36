//! Facts found by their meaning, with a model that knows a few synonyms.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono_tz::UTC;
use serde_json::json;

use super::*;
use crate::services::memory::meaning::FactVector;
use crate::testing::World;
use brain_core::limits;
use brain_core::ports::{EmbedError, Embedder, Embedding};
use brain_language::language::words::words;

/// Words of one line mean the same; every other word is far from all of them.
const SAME: [&[&str]; 3] = [&["rabbit", "bunny"], &["car", "van", "vehicle"], &["doctor", "gp", "physician"]];

/// The axes of what it knows, and what it was asked for.
#[derive(Debug, Default)]
struct Synonyms {
    model: &'static str,
    is_down: AtomicBool,
    asked: Mutex<Vec<Vec<String>>>,
}

#[async_trait]
impl Embedder for Synonyms {
    fn model(&self) -> &str {
        self.model
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
        self.asked.lock().unwrap().push(texts.to_vec());
        if self.is_down.load(Ordering::SeqCst) {
            return Err(EmbedError("answered 503".to_owned()));
        }
        let axis = |word: &String| SAME.iter().position(|same| same.contains(&word.as_str())).unwrap_or(SAME.len());
        let of = |text: &String| {
            let mut numbers = [0.0_f32, 0.0, 0.0, 0.3];
            words(text).iter().map(axis).filter(|axis| *axis < SAME.len()).for_each(|axis| numbers[axis] += 1.0);
            Embedding::of(&numbers).unwrap()
        };
        Ok(texts.iter().map(of).collect())
    }
}

/// A world whose facts are embedded, and the task that does it.
struct Embedded {
    world: World,
    memory: Registration,
    embedder: Arc<Synonyms>,
    task: tokio::task::JoinHandle<()>,
}

impl Embedded {
    fn over(world: World, model: &'static str) -> Self {
        let embedder = Arc::new(Synonyms { model, ..Synonyms::default() });
        let service =
            Arc::new(MemoryService::new(world.store.clone(), world.index.clone()).embedded_by(Some(embedder.clone())));
        let kept = service.clone();
        let task = tokio::spawn(async move { kept.keep_ready().await });
        Self { world, memory: service.registration(), embedder, task }
    }

    async fn tell(&self, key: &str, value: &str) {
        self.world.run(&self.memory, "store", json!({"category": "fact", "key": key, "value": value})).await;
    }

    /// The lines that a question brings into a prompt, once whatever runs in the background is done.
    async fn noticed(&self, question: &str) -> Vec<String> {
        let wanted = ContextRequest { message: question.to_owned(), limit: 5, in_sight_from: None };
        self.memory.service.notice(&self.world.ctx, &wanted).await.unwrap();
        settle().await;
        let noticed = self.memory.service.notice(&self.world.ctx, &wanted).await.unwrap();
        noticed.into_iter().map(|noticed| noticed.line).collect()
    }

    /// How many texts were embedded that are no questions.
    fn embedded(&self) -> usize {
        self.embedder.asked.lock().unwrap().iter().flatten().filter(|text| !text.ends_with('?')).count()
    }

    async fn vectors(&self) -> Vec<FactVector> {
        self.world.store.list_all(&[]).await.unwrap()
    }

    fn end(self) -> World {
        self.task.abort();
        self.world
    }
}

async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn pets(all: &Embedded) {
    for (key, value) in [
        ("rabbit", "Flo"),
        ("car", "parked on level 3"),
        ("physician", "Dr. Weber on Main Street"),
        ("bins", "Tuesdays"),
        ("shoes", "size 42"),
    ] {
        all.tell(key, value).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_fact_is_found_by_what_it_means_and_each_is_embedded_once() {
    let all = Embedded::over(World::at(UTC, "2026-01-12 12:00"), "a");
    pets(&all).await;
    assert_eq!(all.noticed("what's our bunny called?").await.first().unwrap(), "rabbit: Flo");
    assert_eq!(all.noticed("where did I leave the van?").await.first().unwrap(), "car: parked on level 3");
    assert_eq!((all.embedded(), all.vectors().await.len()), (5, 5));
    let kept = all.vectors().await;
    assert!(kept.iter().all(|vector| !serde_json::to_string(vector).unwrap().contains("Flo")), "{kept:?}");
    // Beside a list that answers in other words, the person is told that these are not theirs.
    let (_, told) = all.world.run_told(&all.memory, "recall", json!({"query": "bunny"})).await;
    assert_eq!(told, "🧠 I remember nothing in these words. Closest to it:\n▫️ rabbit: Flo");
    let (_, told) = all.world.run_told(&all.memory, "recall", json!({"query": "rabbit"})).await;
    assert_eq!(told, "🧠 I remember:\n▫️ rabbit: Flo");
}

#[tokio::test(start_paused = true)]
async fn a_fact_in_other_words_is_not_crowded_out_by_facts_that_share_some() {
    let all = Embedded::over(World::at(UTC, "2026-01-12 12:00"), "a");
    pets(&all).await;
    for month in ["May", "June", "July", "August", "October", "December"] {
        all.tell(&format!("{month} leave"), &format!("did I leave in {month}, I did")).await;
    }
    let noticed = all.noticed("where did I leave the van?").await;
    assert_eq!(noticed.len(), 5, "{noticed:?}");
    assert!(noticed[..2].contains(&"car: parked on level 3".to_owned()), "{noticed:?}");
}

#[tokio::test(start_paused = true)]
async fn what_changes_is_embedded_anew_and_what_is_forgotten_leaves_no_vector() {
    let all = Embedded::over(World::at(UTC, "2026-01-12 12:00"), "a");
    pets(&all).await;
    all.noticed("what's our bunny called?").await;
    all.world.run(&all.memory, "update", json!({"key": "bins", "new_value": "the van takes them"})).await;
    settle().await;
    assert_eq!(all.embedded(), 6);
    all.world.run(&all.memory, "forget", json!({"find_by": "rabbit"})).await;
    settle().await;
    assert_eq!((all.embedded(), all.vectors().await.len()), (6, 4));
    assert!(!all.noticed("what's our bunny called?").await.contains(&"rabbit: Flo".to_owned()));
    // Another process: what is there is not made again; by another model all of it is.
    let again = Embedded::over(all.end(), "a");
    again.noticed("where is the vehicle?").await;
    assert_eq!(again.embedded(), 0);
    let other = Embedded::over(again.end(), "b");
    assert!(other.noticed("where is the vehicle?").await.contains(&"car: parked on level 3".to_owned()));
    assert_eq!((other.embedded(), other.vectors().await.len()), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_fails_is_left_alone_for_a_while_and_words_go_on() {
    let all = Embedded::over(World::at(UTC, "2026-01-12 12:00"), "a");
    pets(&all).await;
    all.embedder.is_down.store(true, Ordering::SeqCst);
    for _ in 0..5 {
        assert_eq!(all.noticed("what is the rabbit called?").await.first().unwrap(), "rabbit: Flo");
    }
    assert_eq!(all.embedder.asked.lock().unwrap().len(), 1);
    all.embedder.is_down.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(limits::EMBED_REST_SECS + 1)).await;
    assert_eq!(all.noticed("what's our bunny called?").await.first().unwrap(), "rabbit: Flo");
    // A question that it fails at is answered by words, at once.
    all.embedder.is_down.store(true, Ordering::SeqCst);
    let asked = all.embedder.asked.lock().unwrap().len();
    assert_eq!(all.noticed("what is the rabbit called?").await.first().unwrap(), "rabbit: Flo");
    assert_eq!(all.embedder.asked.lock().unwrap().len(), asked + 1);
}
