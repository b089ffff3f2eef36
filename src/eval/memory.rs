//! `{"facts":[{"id","text","at"?}],"questions":[{"text","expect":[id…]}]}`, each line a world of its own: what is
//! remembered, and what a question brings back of it.
//!
//! Every fact is kept as the program keeps what it is told, every question looked up as the program looks up what bears on a message. A
//! question is right where all that it expects is among the first five. Beside it stands the plain way: the same
//! texts, ranked by their stems alone (BM25), which whoever changes the search has to beat.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::report::{EvalReport, Tally};
use super::rows::{self, EvalLine};
use super::{EvalError, Measured, RowVerdict, Sample};
use crate::app::{self, Parts};
use crate::channel::console::ConsoleChannel;
use crate::clock::ManualClock;
use crate::config::Config;
use crate::core::ids::{ChatId, UserId};
use crate::language::terms;
use crate::pipeline::brain::Brain;
use crate::ports::{Batch, Expect, Store};
use crate::services::memory::Memory;
use crate::services::service::{ContextRole, Wanted};
use crate::store::MemoryStore;

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
        let world: Self = serde_json::from_str(line).map_err(|cause| cause.to_string())?;
        let mut ids = BTreeSet::new();
        if let Some(twice) = world.facts.iter().find(|fact| !ids.insert(fact.id.as_str())) {
            return Err(format!("there are two facts “{}”", twice.id));
        }
        for question in &world.questions {
            if question.expect.is_empty() {
                return Err(format!("“{}” expects nothing", question.text));
            }
            if let Some(unknown) = question.expect.iter().find(|id| !ids.contains(id.as_str())) {
                return Err(format!("“{}” expects “{unknown}”, which is no fact of its line", question.text));
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
pub struct RetrievalBeside {
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
    fn add(&mut self, found: &[String], expected: &BTreeSet<String>) {
        let among = |first: usize| {
            let right = found.iter().take(first).filter(|id| expected.contains(*id)).count();
            right as f64 / expected.len().min(first) as f64
        };
        self.figures.recall_at_5 += among(FIRST);
        self.figures.recall_at_10 += among(LOOKED_AT);
        let place = found.iter().position(|id| expected.contains(id));
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

/// Asks every question of a file in its world.
pub(super) async fn measure(file: &Path, sample: Option<Sample>, config: &Config) -> Result<EvalReport, EvalError> {
    let lines: Vec<EvalLine<MemoryWorld>> = rows::read(file, sample, MemoryWorld::parse)?;
    let mut tally = Tally::new(Measured::Memory, None);
    let (mut found, mut bm25) = (RetrievalSum::default(), RetrievalSum::default());
    for EvalLine { number, row } in &lines {
        let failed = |why: String| EvalError::World { file: file.display().to_string(), line: *number, why };
        let world = KnownWorld::open(row, config).await?;
        let plain = PlainRanking::of(&row.facts);
        for question in &row.questions {
            let begun = Instant::now();
            let ids = world.asked(&question.text).await.map_err(failed)?;
            let took = begun.elapsed();
            found.add(&ids, &question.expect);
            bm25.add(&plain.ranked(&question.text), &question.expect);
            tally.add(*number, &question.text, verdict(&ids, question), took, None, None);
        }
    }
    let retrieval = RetrievalBeside { found: found.mean(), bm25: bm25.mean() };
    Ok(EvalReport { retrieval: Some(retrieval), ..tally.report(None) })
}

fn verdict(ids: &[String], question: &GivenQuestion) -> RowVerdict {
    let first: Vec<&str> = ids.iter().take(FIRST).map(String::as_str).collect();
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
    owner: UserId,
    /// Gone with this value.
    _folder: tempfile::TempDir,
}

impl KnownWorld {
    async fn open(row: &MemoryWorld, config: &Config) -> Result<Self, EvalError> {
        let folder = tempfile::tempdir().map_err(EvalError::Folder)?;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let now: DateTime<Utc> = NOW.parse().unwrap_or_default();
        let last = row.facts.iter().filter_map(|fact| fact.at).chain([now]).max().unwrap_or(now);
        let owner = UserId::new("me");
        let mut batch = Batch::default();
        for fact in &row.facts {
            let at = fact.at.unwrap_or(now);
            batch.put(&Memory::told(&fact.id, &owner, &fact.text, at), Expect::Absent)?;
        }
        store.commit(batch).await?;
        let parts = Parts {
            store,
            data_dir: folder.path().to_owned(),
            clock: Arc::new(ManualClock::new(last)),
            channel: Arc::new(ConsoleChannel::default()),
            zone: Some(chrono_tz::UTC),
        };
        Ok(Self { brain: app::build(config, parts)?, owner, _folder: folder })
    }

    /// The ids of what a question brings back, best first.
    async fn asked(&self, question: &str) -> Result<Vec<String>, String> {
        let chat = ChatId::alone_with(&self.owner);
        let user = self.brain.user(&self.owner, &chat).await.map_err(|error| error.to_string())?;
        let ctx = self.brain.request_context(&user, &chat);
        let services = self.brain.services.now();
        let wanted = Wanted { message: question.to_owned(), limit: LOOKED_AT, in_sight_from: None };
        let mut ids = Vec::new();
        for service in services.iter().filter(|service| service.service.context_role() == ContextRole::AboutPerson) {
            let noticed = service.service.notice(&ctx, &wanted).await.map_err(|error| error.to_string())?;
            ids.extend(noticed.into_iter().filter_map(|noticed| noticed.id));
        }
        Ok(ids)
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

    fn ranked(&self, question: &str) -> Vec<String> {
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
        let mut ranked: Vec<(f64, &str)> =
            self.texts.iter().map(|(id, counts, length)| (score(counts, *length), *id)).collect();
        ranked.retain(|(score, _)| *score > 0.0);
        ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        ranked.into_iter().take(LOOKED_AT).map(|(_, id)| id.to_owned()).collect()
    }
}
