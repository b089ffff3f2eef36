//! `{"facts":[{"id","text","at"?}],"questions":[{"text","expect":[id…]}]}`, each line a world of its own: what is
//! remembered, and what a question brings back of it.
//!
//! Every fact is kept as the program keeps what it is told, every question looked up as the program looks up what bears on a message. A
//! question is right where all that it expects is among the first five. Beside it stands the plain way: the same
//! texts, ranked by their stems alone (BM25), which whoever changes the search has to beat.
//!
//! With an embedding endpoint a question is looked up by words and meaning, as the program does it then; [`super::run`]
//! puts words alone beside it. Invariants: the ids of a file are names and nothing else, those in the store are ours;
//! nothing is measured over a world of which a fact is not in the store; an endpoint that fails gives no figures.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::report::{EvalReport, Tally};
use super::rows::{self, EvalLine};
use super::{EvalError, EvalRequest, Measured, RowVerdict, Who};
use brain_adapters::store::MemoryStore;
use brain_app::app::{self, Parts};
use brain_app::channel::console::ConsoleChannel;
use brain_app::config::Config;
use brain_core::clock::ManualClock;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::{Batch, EmbedError, Embedder, Embedding, Expect, Store};
use brain_engine::pipeline::brain::Brain;
use brain_language::language::terms;
use brain_services::services::contract::service::{ContextRequest, Service as _};
use brain_services::services::memory::{Memory, MemoryService, NAME};

/// After the facts of a world, where they say nothing of when they were told.
const NOW: &str = "2026-06-01T09:00:00Z";
/// So many of what is found are looked at.
const LOOKED_AT: usize = 10;
const FIRST: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryWorld {
    facts: Vec<GivenFact>,
    questions: Vec<GivenQuestion>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenFact {
    id: String,
    text: String,
    at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenQuestion {
    text: String,
    expect: BTreeSet<String>,
}

impl MemoryWorld {
    fn parse(line: &str) -> Result<Self, String> {
        let world: Self = rows::json(line)?;
        let mut ids = BTreeSet::new();
        for GivenFact { id, text, .. } in &world.facts {
            if id.trim().is_empty() {
                return Err(format!("the fact “{text}” has an empty id: give it one of its own"));
            }
            if !ids.insert(id.as_str()) {
                return Err(format!("there are two facts “{id}”: give each an id of its own"));
            }
            if text.trim().is_empty() {
                return Err(format!("the fact “{id}” has no text: write one, or take it out"));
            }
        }
        if world.questions.is_empty() {
            return Err("nothing is asked: add a question, or take the line out".to_owned());
        }
        for GivenQuestion { text, expect } in &world.questions {
            if expect.is_empty() {
                return Err(format!("“{text}” expects nothing: name the facts that answer it, or take it out"));
            }
            if let Some(unknown) = expect.iter().find(|id| !ids.contains(id.as_str())) {
                return Err(format!(
                    "“{text}” expects “{unknown}”, which is no fact of its line: add that fact, or expect another"
                ));
            }
        }
        Ok(world)
    }
}

/// How well what was asked for is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RetrievalFigures {
    /// Of what each question expects, the share among the first five, on average.
    pub recall_at_5: f64,
    /// Among the first ten.
    pub recall_at_10: f64,
    /// One by the place of the first that was expected, on average.
    pub mean_reciprocal_rank: f64,
}

/// The same of the program's search and of the plain way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RetrievalComparison {
    /// How many facts were kept, and could be found; as many as the file gives.
    pub stored: usize,
    /// By the program.
    #[serde(flatten)]
    pub found: RetrievalFigures,
    /// By stems alone.
    pub bm25: RetrievalFigures,
}

#[derive(Debug, Default)]
struct RetrievalSum {
    figures: RetrievalFigures,
    questions: usize,
}

impl RetrievalSum {
    fn add(&mut self, found: &[&str], expected: &BTreeSet<String>) {
        let among = |first: usize| {
            let right = found.iter().take(first).filter(|id| expected.contains(**id)).count();
            right as f64 / expected.len().min(first) as f64
        };
        self.figures.recall_at_5 += among(FIRST);
        self.figures.recall_at_10 += among(LOOKED_AT);
        let place = found.iter().position(|id| expected.contains(*id));
        self.figures.mean_reciprocal_rank += place.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        self.questions += 1;
    }

    fn mean(&self) -> RetrievalFigures {
        let mean = |sum: f64| sum / self.questions.max(1) as f64;
        RetrievalFigures {
            recall_at_5: mean(self.figures.recall_at_5),
            recall_at_10: mean(self.figures.recall_at_10),
            mean_reciprocal_rank: mean(self.figures.mean_reciprocal_rank),
        }
    }
}

const UNSET: &str = "set EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL";

/// Asks every question of a file in its world: by words, and by meaning as well where there is an endpoint for that.
/// Where there is none, or it fails, the figures are those of words alone, and say so.
pub(super) async fn measure(order: &EvalRequest<'_>, config: &Config) -> Result<EvalReport, EvalError> {
    let lines: Vec<EvalLine<MemoryWorld>> = rows::read(order.file, order.sample, MemoryWorld::parse)?;
    if order.who == Who::BuiltIn {
        return asked_in_all(order.file, &lines, config, None).await;
    }
    let unmeasured = match app::embedder(config)?.map(PatientEmbedder::over) {
        Some(embedder) => match asked_in_all(order.file, &lines, config, Some(embedder)).await {
            Err(failed @ EvalError::Embeddings { .. }) => failed.to_string(),
            measured => return measured,
        },
        None => UNSET.to_owned(),
    };
    let by_words = asked_in_all(order.file, &lines, config, None).await?;
    Ok(EvalReport { unmeasured: Some(unmeasured), ..by_words })
}

async fn asked_in_all(
    file: &Path,
    lines: &[EvalLine<MemoryWorld>],
    config: &Config,
    embedder: Option<Arc<dyn Embedder>>,
) -> Result<EvalReport, EvalError> {
    let mut tally = Tally::new(Measured::Memory, embedder.as_ref().map(|embedder| embedder.model()));
    let mut stored = 0;
    let (mut found, mut bm25) = (RetrievalSum::default(), RetrievalSum::default());
    for EvalLine { number, row } in lines {
        let (line, name) = (*number, file.display().to_string());
        let failed = |why: String| EvalError::World { file: name.clone(), line, why };
        let no_vectors = |why: EmbedError| EvalError::Embeddings { file: name.clone(), line, why };
        let world = KnownWorld::open(row, config, embedder.clone()).await?;
        stored += world.stored(row).await.map_err(failed)?;
        world.memory.embed_now(&world.owner).await.map_err(no_vectors)?;
        let plain = PlainRanking::of(&row.facts);
        for question in &row.questions {
            let begun = Instant::now();
            if let Some(embedder) = &embedder {
                let text = shorten(&question.text, limits::EMBED_CHARS_MAX);
                embedder.embed(&[text]).await.map_err(no_vectors)?;
            }
            let ids = world.asked(&question.text).await.map_err(failed)?;
            let ids: Vec<&str> =
                ids.iter().filter_map(|id| row.facts.get(place_of(id)?)).map(|f| f.id.as_str()).collect();
            let took = begun.elapsed();
            found.add(&ids, &question.expect);
            bm25.add(&plain.ranked(&question.text), &question.expect);
            tally.add(line, &question.text, verdict(&ids, question), took, None, None);
        }
    }
    let retrieval = RetrievalComparison { stored, found: found.mean(), bm25: bm25.mean() };
    Ok(EvalReport { retrieval: Some(retrieval), ..tally.report(None) })
}

/// The id in the store of the fact at this place of its line.
fn id_of(place: usize) -> String {
    format!("{place:06}")
}

fn place_of(id: &str) -> Option<usize> {
    id.parse().ok()
}

/// An endpoint that is waited for, and asked for each text once: what is measured is what meaning finds, not whether it
/// was there within what a turn waits for it.
#[derive(Debug)]
struct PatientEmbedder {
    endpoint: Arc<dyn Embedder>,
    known: Mutex<HashMap<String, Embedding>>,
}

impl PatientEmbedder {
    fn over(endpoint: Arc<dyn Embedder>) -> Arc<dyn Embedder> {
        Arc::new(Self { endpoint, known: Mutex::default() })
    }
}

#[async_trait]
impl Embedder for PatientEmbedder {
    fn model(&self) -> &str {
        self.endpoint.model()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let all = || texts.iter().map(|text| known().get(text).cloned()).collect::<Option<Vec<_>>>();
        if let Some(all) = all() {
            return Ok(all);
        }
        let made = self.endpoint.embed(texts).await?;
        known().extend(texts.iter().cloned().zip(made.iter().cloned()));
        Ok(made)
    }
}

fn verdict(ids: &[&str], question: &GivenQuestion) -> RowVerdict {
    let first = &ids[..ids.len().min(FIRST)];
    let is_right = question.expect.iter().all(|id| first.contains(&id.as_str()));
    let got = if is_right { "found" } else { "missed" };
    RowVerdict {
        is_right,
        class: "found".to_owned(),
        got_class: got.to_owned(),
        expected: question.expect.iter().cloned().collect::<Vec<_>>().join(", "),
        got: if first.is_empty() { "nothing".to_owned() } else { first.join(", ") },
        ..RowVerdict::default()
    }
}

/// The whole program over a store in memory, with what it was told.
struct KnownWorld {
    brain: Brain,
    memory: MemoryService,
    owner: UserId,
    /// Gone with this value.
    _folder: tempfile::TempDir,
}

impl KnownWorld {
    async fn open(row: &MemoryWorld, config: &Config, embedder: Option<Arc<dyn Embedder>>) -> Result<Self, EvalError> {
        let folder = tempfile::tempdir().map_err(EvalError::Folder)?;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let now: DateTime<Utc> = NOW.parse().unwrap_or_default();
        let last = row.facts.iter().filter_map(|fact| fact.at).chain([now]).max().unwrap_or(now);
        let owner = UserId::new("me");
        let mut batch = Batch::default();
        for (place, fact) in row.facts.iter().enumerate() {
            let at = fact.at.unwrap_or(now);
            batch.put(&Memory::told(&id_of(place), &owner, &fact.text, at), Expect::Absent)?;
        }
        store.commit(batch).await?;
        let parts = Parts {
            store,
            data_dir: folder.path().to_owned(),
            clock: Arc::new(ManualClock::new(last)),
            channel: Arc::new(ConsoleChannel::default()),
            zone: Some(chrono_tz::UTC),
        };
        let brain = app::build(config, parts)?;
        let memory = MemoryService::new(brain.store.clone(), brain.index.clone()).embedded_by(embedder);
        Ok(Self { brain, memory, owner, _folder: folder })
    }

    /// How many facts can be found: all of them, or why nothing is measured.
    async fn stored(&self, row: &MemoryWorld) -> Result<usize, String> {
        let all = self.brain.index.all(&self.owner, NAME).await.map_err(|error| error.to_string())?;
        let (stored, given) = (all.len(), row.facts.len());
        if stored == given { Ok(stored) } else { Err(format!("of {given} facts {stored} are stored")) }
    }

    /// The ids of what a question brings back, best first.
    async fn asked(&self, question: &str) -> Result<Vec<String>, String> {
        let chat = ChatId::alone_with(&self.owner);
        let user = self.brain.user(&self.owner, &chat).await.map_err(|error| error.to_string())?;
        let ctx = self.brain.request_context(&user, &chat);
        let wanted = ContextRequest { message: question.to_owned(), limit: LOOKED_AT, in_sight_from: None };
        let noticed = self.memory.notice(&ctx, &wanted).await.map_err(|error| error.to_string())?;
        Ok(noticed.into_iter().filter_map(|noticed| noticed.id).collect())
    }
}

/// Texts by their stems alone: Okapi BM25 with the usual constants.
struct PlainRanking<'a> {
    texts: Vec<(&'a str, HashMap<String, f64>, f64)>,
    mean_length: f64,
}

impl<'a> PlainRanking<'a> {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;

    fn of(facts: &'a [GivenFact]) -> Self {
        let counted = |fact: &'a GivenFact| {
            let stems = terms::stems(&terms::fold(&fact.text));
            let length = stems.len() as f64;
            let mut counts: HashMap<String, f64> = HashMap::new();
            stems.into_iter().for_each(|stem| *counts.entry(stem).or_default() += 1.0);
            (fact.id.as_str(), counts, length)
        };
        let texts: Vec<_> = facts.iter().map(counted).collect();
        let mean_length = texts.iter().map(|(_, _, length)| length).sum::<f64>() / texts.len().max(1) as f64;
        Self { texts, mean_length }
    }

    fn ranked(&self, question: &str) -> Vec<&'a str> {
        let stems: BTreeSet<String> = terms::stems(&terms::fold(question)).into_iter().collect();
        let all = self.texts.len() as f64;
        let weight = |stem: &String| {
            let holding = self.texts.iter().filter(|(_, counts, _)| counts.contains_key(stem)).count() as f64;
            ((all - holding + 0.5) / (holding + 0.5) + 1.0).ln()
        };
        let weights: Vec<(&String, f64)> = stems.iter().map(|stem| (stem, weight(stem))).collect();
        let score = |counts: &HashMap<String, f64>, length: f64| -> f64 {
            let room = Self::K1 * (1.0 - Self::B + Self::B * length / self.mean_length);
            let of = |(stem, weight): &(&String, f64)| {
                let count = counts.get(*stem).copied().unwrap_or(0.0);
                weight * count * (Self::K1 + 1.0) / (count + room)
            };
            weights.iter().map(of).sum()
        };
        let mut ranked: Vec<(f64, &'a str)> =
            self.texts.iter().map(|(id, counts, length)| (score(counts, *length), *id)).collect();
        ranked.retain(|(score, _)| *score > 0.0);
        ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        ranked.into_iter().take(LOOKED_AT).map(|(_, id)| id).collect()
    }
}
