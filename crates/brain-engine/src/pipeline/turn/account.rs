//! Account of a turn: calls of models, stages and how long they took, what is said of it meanwhile.
//!
//! Stages that run at once write to it at once, so that it is the one part of a turn that changes behind a shared
//! reference. Not here: what the turn goes by ([`super::facts`]).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use tokio::sync::{OnceCell, oneshot};
use tokio::time::Instant;

use super::TurnError;
use super::status;
use super::waiting::ModelWait;
use brain_core::core::ids::{RunId, UserId};
use brain_core::core::outcome::Report;
use brain_core::core::progress::Progress;
use brain_core::core::turn::{Done, Path};
use brain_core::limits;
use brain_core::ports::records::{GatedAction, NodeContents, PlannedTurn, ROUTED_OTHERWISE, SpanOutcome, StageSpan};
use brain_core::ports::{Meter, Patience, Usage};

/// See the module.
#[derive(Debug)]
pub struct TurnAccount {
    /// What it has learned about the models' endpoints.
    pub patience: Patience,
    /// Whose it is, for the operator's log.
    turn: RunId,
    began: Instant,
    entries: Mutex<AccountEntries>,
    pub(super) waiting: ModelWait,
    /// Guard and router have agreed: words may be shown as they come.
    agreed: AtomicBool,
    /// They are being shown.
    speaking: AtomicBool,
    /// The message answers the question that was open.
    answers_question: AtomicBool,
    /// Most of a budget is used.
    frugal: AtomicBool,
    /// Why the operator's policy rules it out, once that was asked.
    ruled_out: OnceCell<Option<String>>,
    /// It is a shadow: it ends where anything would be done.
    is_shadow: bool,
}

#[derive(Debug)]
struct AccountEntries {
    /// Counts its calls of models, once it is known whose they are.
    meter: Meter,
    usage: Usage,
    fallbacks: BTreeSet<String>,
    spans: Vec<StageSpan>,
    doing: Progress,
    /// Receipts, from the moment they are known.
    known: String,
    /// What it plans, where that is kept.
    planned: PlannedTurn,
    /// Told once it is committed; dropped where it never is.
    committed: Option<oneshot::Sender<DateTime<Utc>>>,
}

impl TurnAccount {
    /// Of a turn that begins now.
    pub fn new(turn: RunId) -> Self {
        let entries = AccountEntries {
            meter: Meter::default(),
            usage: Usage::default(),
            fallbacks: BTreeSet::new(),
            spans: Vec::new(),
            doing: status::thinking(),
            known: String::new(),
            planned: PlannedTurn::default(),
            committed: None,
        };
        Self {
            patience: Patience::default(),
            turn,
            began: Instant::now(),
            entries: Mutex::new(entries),
            waiting: ModelWait::default(),
            agreed: AtomicBool::new(false),
            speaking: AtomicBool::new(false),
            answers_question: AtomicBool::new(false),
            frugal: AtomicBool::new(false),
            ruled_out: OnceCell::new(),
            is_shadow: false,
        }
    }

    /// The same of a shadow.
    #[must_use]
    pub fn of_shadow(self) -> Self {
        Self { is_shadow: true, ..self }
    }

    /// Whether it is one.
    pub fn is_shadow(&self) -> bool {
        self.is_shadow
    }

    /// A shadow goes no further than here.
    pub fn ends_shadow(&self) -> Result<(), TurnError> {
        if self.is_shadow { Err(TurnError::Cancelled) } else { Ok(()) }
    }

    /// When it began, once it is committed.
    pub fn watched(&self) -> oneshot::Receiver<DateTime<Utc>> {
        let (committed, watched) = oneshot::channel();
        self.entries(|entries| entries.committed = Some(committed));
        watched
    }

    /// It began then, and is committed.
    pub fn committed(&self, began: DateTime<Utc>) {
        if let Some(committed) = self.entries(|entries| entries.committed.take()) {
            let _ = committed.send(began);
        }
    }

    /// Where the message goes, as that was settled last, and whether code alone would have it go there.
    pub fn routed(&self, nodes: &[&str], route: String, is_guessed: bool) {
        self.entries(|entries| entries.planned.route.clone_from(&route));
        self.came_to(nodes, if is_guessed { route } else { format!("{route}{ROUTED_OTHERWISE}") });
    }

    /// What one plan came to at the gate.
    pub fn gated(&self, actions: impl FnOnce(u8) -> Vec<GatedAction>) {
        if self.meter().is_collecting() {
            self.entries(|entries| {
                let gated = &mut entries.planned.gated;
                let round = gated.last().map_or(0, |last| last.round.saturating_add(1));
                gated.extend(actions(round));
                gated.truncate(limits::CONTENTS_NODES_MAX);
            });
        }
    }

    /// What it has planned by now.
    pub fn planned(&self) -> PlannedTurn {
        let ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.entries(|entries| PlannedTurn {
            fallbacks: entries.fallbacks.iter().cloned().collect(),
            ms,
            ..entries.planned.clone()
        })
    }

    /// Its calls of models are those of this person, on this day of theirs.
    pub fn is_of(&self, owner: &UserId, day: NaiveDate) {
        self.entries(|entries| entries.meter = Meter::of(owner.clone(), day));
    }

    /// Most of a budget is used: a model is asked only for what is needed by then.
    pub fn becomes_frugal(&self) {
        self.frugal.store(true, Ordering::Relaxed);
    }

    /// Whether it is.
    pub fn is_frugal(&self) -> bool {
        self.frugal.load(Ordering::Relaxed)
    }

    /// What its nodes get and give is collected from here on.
    pub fn collects_contents(&self) {
        self.entries(|entries| entries.meter = entries.meter.collecting(self.began));
    }

    /// Adds to that what a node got and gave which began then, in microseconds after the turn did.
    pub fn noted(&self, start_us: u64, node: impl FnOnce() -> NodeContents) {
        self.meter().note(self.began + Duration::from_micros(start_us), node);
    }

    /// What counts its calls.
    pub fn meter(&self) -> Meter {
        self.entries(|entries| entries.meter.clone())
    }

    /// Adds what a model call cost.
    pub fn spent(&self, usage: Usage) {
        self.entries(|entries| entries.usage += usage);
    }

    /// What its calls of models have cost so far.
    pub fn usage(&self) -> Usage {
        self.entries(|entries| entries.usage)
    }

    /// Whether anything of it was asked of a model.
    pub fn asked_a_model(&self) -> bool {
        self.entries(|entries| entries.usage.calls > 0)
    }

    /// Notes that a stage fell back, and why, for the operator.
    pub fn fell_back(&self, stage: &str, why: &str) {
        tracing::warn!(turn = %self.turn.as_str(), stage, why, "a stage fell back");
        self.entries(|entries| entries.fallbacks.insert(stage.to_owned()));
    }

    /// What the status line says from now on.
    pub fn doing(&self, what: Progress) {
        self.entries(|entries| entries.doing = what);
    }

    /// Receipts that need not wait for what the turn still does.
    pub fn knows(&self, receipts: &[String]) {
        let receipts = receipts.join("\n");
        self.entries(|entries| entries.known = receipts);
    }

    /// The receipts that are known by now.
    pub fn known(&self) -> String {
        self.entries(|entries| entries.known.clone())
    }

    /// What it does at the moment, for the status line.
    pub(super) fn does(&self) -> String {
        self.entries(|entries| entries.doing.to_string())
    }

    /// Why the operator's policy rules the message out: asked once a turn, whoever waits for it.
    pub async fn ruled_out(&self, asked: impl Future<Output = Option<String>>) -> Option<String> {
        self.ruled_out.get_or_init(|| asked).await.clone()
    }

    /// What is left of the time in which words about receipts are worth waiting for.
    pub fn time_for_words(&self) -> Duration {
        let left = Duration::from_millis(limits::TURN_MS).saturating_sub(self.began.elapsed());
        left.max(Duration::from_millis(limits::WORDS_MS_MIN))
    }

    /// Guard and router have agreed to this turn: its words may be shown from now on.
    pub fn agreed(&self) {
        self.agreed.store(true, Ordering::Relaxed);
    }

    /// Whether they have.
    pub(super) fn is_agreed(&self) -> bool {
        self.agreed.load(Ordering::Relaxed)
    }

    /// The answer is being shown as it is written; the status line has nothing to say any more.
    pub fn speaks(&self) {
        self.speaking.store(true, Ordering::Relaxed);
    }

    /// Whether it is.
    pub(super) fn is_speaking(&self) -> bool {
        self.speaking.load(Ordering::Relaxed)
    }

    /// The message is about the question that was open.
    pub fn takes_question(&self) {
        self.answers_question.store(true, Ordering::Relaxed);
    }

    /// Whether it is.
    pub fn took_question(&self) -> bool {
        self.answers_question.load(Ordering::Relaxed)
    }

    /// Microseconds since the turn began.
    pub fn elapsed_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Adds a node to the trace.
    pub fn traced(
        &self,
        name: impl Into<String>,
        start_us: u64,
        input_bytes: usize,
        usage: Usage,
        outcome: impl Into<SpanOutcome>,
    ) {
        let span = StageSpan {
            name: name.into(),
            start_us,
            us: self.elapsed_us().saturating_sub(start_us),
            input_bytes,
            tokens: (usage.tokens_in, usage.tokens_out),
            tokens_cached: usage.tokens_cached,
            outcome: outcome.into(),
            gives: String::new(),
        };
        tracing::info!(turn = %self.turn.as_str(), node = span.name, input_bytes = span.input_bytes,
            tokens_in = span.tokens.0, tokens_cached = span.tokens_cached, tokens_out = span.tokens.1, us = span.us, outcome = %span.outcome, "node");
        self.entries(|entries| entries.spans.push(span));
    }

    /// Adds a node to the trace that began and ended before now.
    pub fn traced_for(&self, name: String, start_us: u64, us: u64, usage: Usage, outcome: SpanOutcome) {
        let (tokens, tokens_cached) = ((usage.tokens_in, usage.tokens_out), usage.tokens_cached);
        let gives = String::new();
        let span = StageSpan { name, start_us, us, input_bytes: 0, tokens, tokens_cached, outcome, gives };
        self.entries(|entries| entries.spans.push(span));
    }

    /// What came of the last node of one of these names: names and counts, no word of anybody's.
    pub fn came_to(&self, nodes: &[&str], what: String) {
        self.entries(|entries| {
            let last = entries.spans.iter_mut().rev().find(|span| nodes.contains(&span.name.as_str()));
            if let Some(span) = last {
                span.gives = what;
            }
        });
    }

    /// The nodes that are over, each with its time, for whoever waits for long.
    pub(super) fn nodes_over(&self) -> Option<Vec<(String, u64)>> {
        let is_long = self.began.elapsed() >= Duration::from_millis(limits::NODES_TOLD_AFTER_MS);
        is_long.then(|| self.entries(|entries| entries.spans.iter().map(|span| (span.name.clone(), span.us)).collect()))
    }

    /// How the turn ended, and its trace.
    pub fn sum_up(&self, path: Path, outcomes: Vec<Report>) -> (Done, Vec<StageSpan>) {
        let ms = self.began.elapsed().as_secs_f64() * 1_000.0;
        self.entries(|entries| {
            let done = Done {
                path,
                llm_calls: entries.usage.calls,
                tokens_in: entries.usage.tokens_in,
                tokens_out: entries.usage.tokens_out,
                ms,
                fallbacks: entries.fallbacks.iter().cloned().collect(),
                outcomes,
            };
            (done, std::mem::take(&mut entries.spans))
        })
    }

    fn entries<T>(&self, f: impl FnOnce(&mut AccountEntries) -> T) -> T {
        f(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
