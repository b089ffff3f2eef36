//! Ten thousand facts of one person: what it takes to find those that a question in other words is about, beside a
//! plain stemmed BM25 over the same facts, all of whose words lie in memory.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use brain_agent::core::ids::UserId;
use brain_agent::core::outcome::Outcome;
use brain_agent::core::plan::Action;
use brain_agent::core::stakes::{Stakes, assess, authorize_low};
use brain_agent::language::terms;
use brain_agent::limits::CONTEXT_FACTS_MAX;
use brain_agent::ports::{Batch, Expect, Record as _, RecordExt as _};
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Attempt, ContextRequest};
use brain_agent::services::memory::Memory;
use chrono::TimeDelta;
use serde_json::json;

use crate::report::{Report, Row, median, ms, quantile};
use crate::talk::{OWNER, Talk};

const FACTS: usize = 10_000;
/// Facts that are asked for, each once.
const ASKED: usize = 400;
/// For a turn to feel none of it.
const AIM: Duration = Duration::from_millis(2);
/// Facts of one commit.
const AT_ONCE: usize = 2_000;

const WHO: [&str; 25] = [
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Henry", "Ida", "Jonas", "Klara", "Leo", "Mia", "Noah",
    "Olga", "Paul", "Rosa", "Sven", "Tilda", "Vera", "Wanda", "Xaver", "Yara", "Zeno", "Ruth",
];
const WHAT: [&str; 20] = [
    "tea", "cheese", "museum", "bakery", "novel", "composer", "flower", "perfume", "soup", "colour", "beach", "jacket",
    "pizza", "poem", "airline", "hotel", "painter", "salad", "song", "train",
];
const WHERE: [&str; 20] = [
    "Berlin", "Lisbon", "Oslo", "Vienna", "Madrid", "Dublin", "Athens", "Prague", "Zurich", "Geneva", "Naples",
    "Porto", "Warsaw", "Bergen", "Krakow", "Malaga", "Ghent", "Turin", "Lyon", "Graz",
];

/// Who, what and where: no two facts are about the same.
fn about(number: usize) -> (&'static str, &'static str, &'static str) {
    let (who, rest) = (number % WHO.len(), number / WHO.len());
    (WHO[who], WHAT[rest % WHAT.len()], WHERE[rest / WHAT.len()])
}

fn value(number: usize) -> String {
    format!("number{number:05}")
}

fn fact(number: usize, ctx: &RequestContext) -> Memory {
    let (who, what, place) = about(number);
    let text = format!("{who}'s favourite {what} in {place} is the one called {}", value(number));
    Memory::told(&format!("fact{number}"), &ctx.owner, &text, ctx.now - TimeDelta::minutes(number as i64))
}

fn question(number: usize) -> String {
    let (who, what, place) = about(number);
    format!("Which {what} does {who} like best when we are in {place}?")
}

/// Okapi BM25 (k1 = 1.2, b = 0.75) over the stems of all facts.
#[derive(Default)]
struct PlainRanking {
    /// By stem: the facts that hold it, and how often.
    postings: HashMap<String, BTreeMap<usize, f32>>,
    lengths: Vec<f32>,
}

impl PlainRanking {
    fn of(facts: &[Memory]) -> Self {
        let mut ranking = Self::default();
        for (number, fact) in facts.iter().enumerate() {
            let stems = terms::stems(&terms::fold(&format!("{} {} {}", fact.category, fact.key, fact.value)));
            ranking.lengths.push(stems.len() as f32);
            for stem in stems {
                *ranking.postings.entry(stem).or_default().entry(number).or_default() += 1.0;
            }
        }
        ranking
    }

    /// The numbers of the best, best first.
    fn best(&self, question: &str, limit: usize) -> Vec<usize> {
        let average = self.lengths.iter().sum::<f32>() / self.lengths.len() as f32;
        let mut scores = vec![0.0_f32; self.lengths.len()];
        for held in terms::stems(&terms::fold(question)).iter().filter_map(|stem| self.postings.get(stem)) {
            let weight = terms::telling(held.len(), scores.len());
            for (number, times) in held {
                let length = 0.25 + 0.75 * self.lengths[*number] / average;
                scores[*number] += weight * times * 2.2 / (times + 1.2 * length);
            }
        }
        let mut numbers: Vec<usize> = (0..scores.len()).filter(|number| scores[*number] > 0.0).collect();
        numbers.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        numbers.truncate(limit);
        numbers
    }
}

async fn fill(talk: &Talk, ctx: &RequestContext) -> Vec<Memory> {
    let facts: Vec<Memory> = (0..FACTS).map(|number| fact(number, ctx)).collect();
    for some in facts.chunks(AT_ONCE) {
        let mut batch = Batch::default();
        for fact in some {
            batch.put(fact, Expect::Any).expect("a record");
        }
        talk.brain.store.commit(batch).await.expect("a commit");
    }
    facts
}

/// What a planner is told of them for a message.
async fn noticed(talk: &Talk, ctx: &RequestContext, message: &str) -> Result<Vec<String>, ServiceError> {
    let memory = talk.brain.services.now().find("memory").expect("a service").clone();
    let wanted = ContextRequest { message: message.to_owned(), limit: CONTEXT_FACTS_MAX, in_sight_from: None };
    Ok(memory.service.notice(ctx, &wanted).await?.into_iter().map(|noticed| noticed.line).collect())
}

/// What is answered to a question.
async fn recalled(talk: &Talk, ctx: &RequestContext, question: &str) -> String {
    let entry = talk.brain.services.command("memory", "recall").expect("a command");
    let params = entry.check([("query".to_owned(), json!(question))].into_iter().collect()).expect("its parameters");
    let action = Action { service: "memory".to_owned(), command: "recall".to_owned(), params, ..Action::default() };
    let authorized = authorize_low(assess(entry.as_ref(), action, Stakes::Low)).expect("low stakes");
    let attempt = Attempt { key: "0".repeat(32), begun: ctx.now };
    match entry.perform(ctx, &authorized, &attempt).await.outcome {
        Outcome::Succeeded { result } => result.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The same by the plain ranking, read from the store.
async fn plainly(talk: &Talk, ranking: &PlainRanking, facts: &[Memory], question: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for number in ranking.best(question, CONTEXT_FACTS_MAX) {
        let read = talk.brain.store.load::<Memory>(&facts[number].key()).await.expect("a read");
        lines.extend(read.map(|(fact, _)| format!("{}: {}", fact.key, fact.value)));
    }
    lines
}

/// How long each took, and how often what was asked for was in it.
#[derive(Default)]
struct Found {
    times: Vec<Duration>,
    right: usize,
}

impl Found {
    fn add(&mut self, began: Instant, number: usize, told: &str) {
        self.times.push(began.elapsed());
        self.right += usize::from(told.contains(&value(number)));
    }

    fn figure(&self) -> String {
        let right = 100.0 * self.right as f64 / self.times.len() as f64;
        format!("{}, p99 {}, {right:.0} % found", ms(median(&self.times)), ms(quantile(&self.times, 0.99)))
    }

    fn add_to(&self, report: &mut Report, what: &str, plain: &Self) {
        let (ours, beside) = (median(&self.times), median(&plain.times));
        let row = Row::new(format!("recall among {FACTS} facts: {what}"), self.figure());
        let row = row.beside(format!("{}, BM25", plain.figure()), ours.as_secs_f64() / beside.as_secs_f64());
        report.add(row.target(format!("≤ {}", ms(AIM)), ours <= AIM));
    }
}

pub async fn measure(report: &mut Report, data: &Path) {
    let talk = Talk::open(data).await;
    let user = talk.brain.user(&UserId::new(OWNER), &Talk::chat()).await.expect("a person");
    let ctx = talk.brain.request_context(&user, &Talk::chat());
    let facts = fill(&talk, &ctx).await;
    let ranking = PlainRanking::of(&facts);
    // Until all of it is indexed.
    while noticed(&talk, &ctx, &question(FACTS - 1)).await.map_or(true, |lines| lines.is_empty()) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let [mut told, mut answered, mut plain] = [Found::default(), Found::default(), Found::default()];
    for number in (0..FACTS).step_by(FACTS / ASKED) {
        let question = question(number);
        let began = Instant::now();
        let lines = noticed(&talk, &ctx, &question).await.expect("facts");
        told.add(began, number, &lines.join("\n"));
        let began = Instant::now();
        let answer = recalled(&talk, &ctx, &question).await;
        answered.add(began, number, &answer);
        let began = Instant::now();
        let lines = plainly(&talk, &ranking, &facts, &question).await;
        plain.add(began, number, &lines.join("\n"));
    }
    told.add_to(report, "what a planner is told for a question in other words", &plain);
    answered.add_to(report, "its answer", &plain);
    talk.close().await;
}
