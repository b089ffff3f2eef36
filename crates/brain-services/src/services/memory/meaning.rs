//! Facts by their meaning: a vector for each, by an embedding endpoint, made while nobody waits.
//!
//! Whoever is asked about gets their vectors looked through once their facts have changed; what has none of its present
//! words by the present model gets one, what has no fact any more goes. Vectors are measured one by one: one person's
//! are few.
//!
//! Invariants: no answer needs them, and an endpoint that fails is left alone for a while; a vector only names a fact,
//! whose record decides what it says; no word of a fact is kept with it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::record::Memory;
use brain_core::core::ids::UserId;
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::{Batch, EmbedError, Embedder, Embedding, Expect, Key, Record, RecordExt, Store, Table};

/// How many standard deviations above all of a person's facts one lies that answers a question.
const STANDS_OUT: f32 = 2.0;
/// The same where there are only a few of them, none of which can stand out so far.
const STANDS_OUT_OF_FEW: f32 = 0.5;
const FEW: usize = 20;

/// A fact's vector, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FactVector {
    owner: UserId,
    /// The fact's id.
    fact: String,
    /// Which words by which model it is of, as a digest.
    of: String,
    /// [`Embedding::to_bytes`] in base 64.
    vector: String,
}

impl Record for FactVector {
    const TABLE: Table = Table::Vectors;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.fact])
    }
}

/// What is known of one person's facts.
#[derive(Debug, Default)]
struct KnownVectors {
    /// Up to which change of their facts.
    seen: Option<u64>,
    /// By the facts' ids.
    vectors: Arc<Vec<(String, Embedding)>>,
}

/// The vectors of everybody's facts, and who makes them.
#[derive(Debug)]
pub(super) struct Meanings {
    embedder: Arc<dyn Embedder>,
    store: Arc<dyn Store>,
    known: Mutex<HashMap<UserId, KnownVectors>>,
    /// Whose facts have changed since.
    behind: Mutex<BTreeSet<UserId>>,
    is_behind: Notify,
    /// The endpoint is left alone until then.
    rests_until: Mutex<Option<Instant>>,
}

impl Meanings {
    pub(super) fn new(embedder: Arc<dyn Embedder>, store: Arc<dyn Store>) -> Self {
        let (known, behind, is_behind, rests_until) = Default::default();
        Self { embedder, store, known, behind, is_behind, rests_until }
    }

    /// The ids of the facts that a question may be about, best first; none while nothing can be said of it.
    pub(super) async fn near(&self, owner: &UserId, question: &str, limit: usize) -> Vec<String> {
        self.name_if_behind(owner);
        let known = lock(&self.known).get(owner).map(|known| known.vectors.clone());
        let Some(vectors) = known.filter(|vectors| !vectors.is_empty() && !self.rests()) else { return Vec::new() };
        let patience = Duration::from_millis(limits::EMBED_QUESTION_MS);
        let asked = [shorten(question, limits::EMBED_CHARS_MAX)];
        let answer = match tokio::time::timeout(patience, self.embedder.embed(&asked)).await {
            Ok(Ok(mut embeddings)) => embeddings.pop(),
            Ok(Err(error)) => self.rest(&error),
            Err(_) => self.rest(&EmbedError("took too long".to_owned())),
        };
        let Some(question) = answer else { return Vec::new() };
        let near = move || standing_out(&vectors, &question, limit);
        tokio::task::spawn_blocking(near).await.unwrap_or_default()
    }

    /// Keeps them as the facts are, until this is dropped.
    pub(super) async fn keep(&self) {
        let mut changes = self.store.change_log().watch_changes();
        loop {
            let next = lock(&self.behind).pop_first();
            let Some(owner) = next else {
                tokio::select! {
                    () = self.is_behind.notified() => {}
                    Ok(()) = changes.changed() => self.name_who_is_behind(),
                }
                continue;
            };
            let rest = lock(&self.rests_until).unwrap_or_else(Instant::now);
            tokio::time::sleep_until(rest).await;
            if let Err(error) = self.bring_up(&owner).await {
                tracing::warn!(%error, "some facts are found by their words alone for now");
                self.rest::<()>(&error);
                self.name_if_behind(&owner);
            }
        }
    }

    fn name_who_is_behind(&self) {
        let known: Vec<UserId> = lock(&self.known).keys().cloned().collect();
        known.iter().for_each(|owner| self.name_if_behind(owner));
    }

    fn name_if_behind(&self, owner: &UserId) {
        let seen = lock(&self.known).get(owner).and_then(|known| known.seen);
        if (seen.is_none() || seen != self.changed(owner)) && lock(&self.behind).insert(owner.clone()) {
            self.is_behind.notify_one();
        }
    }

    /// The last change of their facts.
    fn changed(&self, owner: &UserId) -> Option<u64> {
        self.store.change_log().touched(Memory::TABLE, owner.as_str())
    }

    /// Makes what is missing and takes away what is too much.
    pub(super) async fn bring_up(&self, owner: &UserId) -> Result<(), EmbedError> {
        let stored = |error: &dyn std::fmt::Display| EmbedError(format!("was not asked: {error}"));
        let seen = self.changed(owner);
        let facts: Vec<Memory> = self.store.list_all(&[owner.as_str()]).await.map_err(|error| stored(&error))?;
        let kept: Vec<FactVector> = self.store.list_all(&[owner.as_str()]).await.map_err(|error| stored(&error))?;
        let mut kept: HashMap<String, FactVector> = kept.into_iter().map(|kept| (kept.fact.clone(), kept)).collect();
        let (mut vectors, mut missing) = (Vec::new(), Vec::new());
        for fact in facts.into_iter().take(limits::EMBEDDED_FACTS_MAX) {
            let (text, id) = (text_of(&fact), fact.id);
            let of = digest(self.embedder.model(), &text);
            match kept.remove(&id).filter(|kept| kept.of == of).and_then(|kept| kept.embedding()) {
                Some(embedding) => vectors.push((id, embedding)),
                None => missing.push((id, of, text)),
            }
        }
        let mut batch = Batch::default();
        for gone in kept.values() {
            batch.delete(Table::Vectors, gone.key(), Expect::Any);
        }
        for some in missing.chunks(limits::EMBEDDED_AT_ONCE) {
            let texts: Vec<String> = some.iter().map(|(_, _, text)| text.clone()).collect();
            for ((id, of, _), embedding) in some.iter().zip(self.embedder.embed(&texts).await?) {
                let vector = STANDARD_NO_PAD.encode(embedding.to_bytes());
                let made = FactVector { owner: owner.clone(), fact: id.clone(), of: of.clone(), vector };
                batch.put(&made, Expect::Any).map_err(|error| stored(&error))?;
                vectors.push((id.clone(), embedding));
            }
            // What was made is kept, whatever becomes of the rest.
            self.store.commit(std::mem::take(&mut batch)).await.map_err(|error| stored(&error))?;
        }
        if !batch.changes.is_empty() {
            self.store.commit(batch).await.map_err(|error| stored(&error))?;
        }
        let known = KnownVectors { seen, vectors: Arc::new(vectors) };
        lock(&self.known).insert(owner.clone(), known);
        Ok(())
    }

    fn rests(&self) -> bool {
        lock(&self.rests_until).is_some_and(|until| Instant::now() < until)
    }

    /// Leaves the endpoint alone for a while.
    fn rest<T>(&self, error: &EmbedError) -> Option<T> {
        tracing::warn!(%error, "facts are found by their words alone for a while");
        *lock(&self.rests_until) = Some(Instant::now() + Duration::from_secs(limits::EMBED_REST_SECS));
        None
    }
}

impl FactVector {
    fn embedding(&self) -> Option<Embedding> {
        STANDARD_NO_PAD.decode(&self.vector).ok().map(|bytes| Embedding::from_bytes(&bytes))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text_of(fact: &Memory) -> String {
    shorten(&format!("{}: {}", fact.key, fact.value), limits::EMBED_CHARS_MAX)
}

fn digest(model: &str, text: &str) -> String {
    STANDARD_NO_PAD.encode(Sha256::new().chain_update(model).chain_update([0]).chain_update(text).finalize())
}

/// The ids of those that lie nearer to the question than most do, best first.
fn standing_out(vectors: &[(String, Embedding)], question: &Embedding, limit: usize) -> Vec<String> {
    let mut near: Vec<(f32, &str)> =
        vectors.iter().map(|(id, vector)| (vector.cosine(question), id.as_str())).collect();
    let count = near.len() as f32;
    let mean = near.iter().map(|(cosine, _)| cosine).sum::<f32>() / count;
    let variance = near.iter().map(|(cosine, _)| (cosine - mean).powi(2)).sum::<f32>() / count;
    let far_enough = if near.len() < FEW { STANDS_OUT_OF_FEW } else { STANDS_OUT };
    let least = mean + far_enough * variance.sqrt() - f32::EPSILON;
    near.retain(|(cosine, _)| *cosine >= least);
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter().take(limit).map(|(_, id)| id.to_owned()).collect()
}
