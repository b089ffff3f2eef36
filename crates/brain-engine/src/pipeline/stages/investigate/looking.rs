//! A question of a turn being looked into: what it reads from, what it may use, and what its calls took.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Duration, Utc};

use super::investigation_reply::InvestigationRun;
use crate::investigate::asker::{InvestigationModel, ModelSpan};
use crate::investigate::cache::OwnersCache;
use crate::investigate::estimate::CostEstimate;
use crate::investigate::finding::Finding;
use crate::investigate::metrics::metrics;
use crate::investigate::model_worker::ModelWorker;
use crate::investigate::node::{EvidenceNode, KeywordSearch, Strategy};
use crate::investigate::refine::{RefineContext, described};
use crate::investigate::run::{BudgetLimits, RunLimits, RunProgress, RunWith, TurnBudget, run, whole};
use crate::investigate::strategies::EvidenceSources;
use crate::investigate::worker::EvidenceWorker;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::Turn;
use brain_core::core::metrics::InvestigationMetrics;
use brain_core::core::progress::Progress;
use brain_core::limits;
use brain_core::ports::records::SpanOutcome;
use brain_core::ports::{Model, Stage, Usage};
use brain_services::services::catalog::registry::Services;
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::searchable::ItemKind;
use brain_services::services::contract::show::Moment;

/// The lane of the model's endpoint; which endpoint answers a stage is the adapter's to know.
const ENDPOINT: &str = "model";

/// How much of a question's words a thing has to say to be told before anything is looked for.
const KNOWN_SCORE_MIN: f32 = 0.2;

/// See the module. Lives as long as the work on one question.
pub(super) struct Looking<'t> {
    pub turn: &'t Turn<'t>,
    pub services: Arc<Services>,
    pub ctx: RequestContext,
    /// What came before is not looked at.
    since: Option<DateTime<Utc>>,
    budget: TurnBudget,
    calls: Mutex<Vec<ModelSpan>>,
    began_us: u64,
    cache: OwnersCache<'t>,
}

/// What strategies read from; nothing that came before `since`.
pub(super) fn sources<'a>(
    brain: &'a Brain,
    services: &'a Services,
    ctx: &'a RequestContext,
    since: Option<DateTime<Utc>>,
) -> EvidenceSources<'a> {
    EvidenceSources {
        services,
        people: brain.people.as_ref(),
        index: brain.index.as_ref(),
        ctx,
        pool: &brain.pool,
        features: &brain.evidence.features,
        since,
    }
}

impl<'t> Looking<'t> {
    /// At a question of this turn, with a budget of its own.
    pub fn at(turn: &'t Turn<'t>, since: Option<DateTime<Utc>>) -> Self {
        let is_slow = turn.brain.model.as_ref().is_some_and(|model| model.is_slow(Stage::Decompose));
        let time_ms = if is_slow { limits::SLOW_TURN_MS_MAX } else { limits::TURN_MS_MAX };
        Self {
            turn,
            services: turn.brain.services.now(),
            ctx: turn.facts.as_written(),
            since,
            budget: TurnBudget::new(BudgetLimits { time_ms, ..BudgetLimits::default() }),
            calls: Mutex::default(),
            began_us: turn.account.elapsed_us(),
            cache: turn.brain.evidence.of(turn.facts.owner(), turn.facts.ctx.now),
        }
    }

    fn is_slow(&self) -> bool {
        self.turn.brain.model.as_ref().is_some_and(|model| model.is_slow(Stage::Extract))
    }

    /// What strategies read from.
    pub fn sources(&self) -> EvidenceSources<'_> {
        sources(self.turn.brain, &self.services, &self.ctx, self.since)
    }

    /// What is kept of earlier questions.
    pub fn cache(&self) -> OwnersCache<'_> {
        self.cache
    }

    /// The strategies over the owner's sources, with what is kept of earlier questions.
    pub fn worker(&self) -> EvidenceWorker<'_> {
        EvidenceWorker { sources: self.sources(), cache: Some(self.cache()) }
    }

    /// The strategies, and what a model adds to them.
    pub fn model_worker<'a>(
        &'a self,
        plain: &'a EvidenceWorker<'a>,
        asker: &InvestigationModel<'a>,
        known: &'a [String],
    ) -> ModelWorker<'a> {
        let about = RefineContext {
            question: self.turn.facts.words(),
            now: self.ctx.now,
            zone: self.ctx.zone,
            known,
            is_trusted: self.turn.brain.converses(),
        };
        ModelWorker { plain, model: asker.clone(), endpoint: ENDPOINT, about }
    }

    /// What the person has told, whom they know and what is on their calendar soon, as far as their question speaks of
    /// it: a line each.
    pub async fn known(&self, with: &RunWith<'_>) -> Vec<String> {
        let day = |days: i64| (self.ctx.now + Duration::days(days)).with_timezone(&self.ctx.zone).date_naive();
        let iso = |days: i64| Some(Moment::Day(day(days)).store());
        let search = |over: &[ItemKind], from: Option<String>, until: Option<String>| {
            Strategy::KeywordSearch(KeywordSearch {
                words: vec![self.turn.facts.words().to_owned()],
                any: true,
                over: over.to_vec(),
                from,
                until,
                max_results: Some(limits::KNOWN_LINES_MAX),
                ..KeywordSearch::default()
            })
        };
        let nodes = vec![
            EvidenceNode::new("told", search(&[ItemKind::Fact, ItemKind::Person], None, None)),
            EvidenceNode::new("soon", search(&[ItemKind::Event], iso(-1), iso(14))),
        ];
        let ran = run(&self.worker(), whole(nodes), with).await;
        let found = ran.outputs().flat_map(|(_, output)| output.findings.iter().take(limits::KNOWN_LINES_MAX));
        // What others wrote is looked for, and steers no search.
        let is_own = |finding: &&Finding| finding.item.untrusted.is_empty() && finding.score >= KNOWN_SCORE_MIN;
        found.filter(is_own).map(|finding| described(finding, self.ctx.zone)).collect()
    }

    /// Who asks the model; `trace` is to call [`Self::called`].
    pub fn asker<'a>(
        &'a self,
        model: &'a dyn Model,
        trace: &'a (dyn Fn(ModelSpan) + Send + Sync),
    ) -> InvestigationModel<'a> {
        let (prompts, account) = (&self.turn.brain.prompts, self.turn.account);
        let (patience, meter) = (account.patience.clone(), account.meter());
        InvestigationModel { model, prompts, patience, meter, gate: &self.budget, trace, cache: Some(self.cache()) }
    }

    /// What a run of it works with; `watch` is to call [`Self::says`].
    pub fn with<'a>(&'a self, watch: &'a (dyn Fn(RunProgress) + Send + Sync)) -> RunWith<'a> {
        RunWith {
            limits: match self.is_slow() {
                true => RunLimits { node_ms: limits::SLOW_EVIDENCE_NODE_MS_MAX, ..RunLimits::default() },
                false => RunLimits::default(),
            },
            lanes: &self.turn.brain.lanes,
            budget: &self.budget,
            cancel: &self.turn.cancel,
            watch,
            seed: self.turn.facts.state.next_message,
        }
    }

    /// Says in the status line how far a run is.
    pub fn says(&self, progress: RunProgress) {
        let what = match progress.part {
            Some((_, part)) => part,
            None => Progress::of("Looking through your things…").counting(progress.done, progress.of),
        };
        self.turn.account.doing(what);
    }

    /// Adds a call to the turn's account and trace.
    pub fn called(&self, span: ModelSpan) {
        self.turn.account.spent(span.usage);
        let start = self.turn.account.elapsed_us().saturating_sub(span.us);
        self.turn.account.traced_for(span.stage.name().to_owned(), start, span.us, span.usage, span.outcome.clone());
        self.calls().push(span);
    }

    /// Adds the nodes of a run that has just ended to the trace of the turn.
    pub fn ran(&self, ran: &InvestigationRun) {
        let began = self.turn.account.elapsed_us().saturating_sub(ran.us);
        for node in &ran.nodes {
            let outcome = match node.output() {
                Some(output) => SpanOutcome::Other(format!("ok: {}", output.findings.len())),
                None => SpanOutcome::Failed(node.outcome.why_not().unwrap_or_default()),
            };
            let start = node.started_us.unwrap_or(node.arrived_us);
            let us = node.ended_us.unwrap_or(ran.us).saturating_sub(start);
            self.turn.account.traced_for(format!("node {}", node.id), began + start, us, Usage::default(), outcome);
        }
    }

    /// What all of it took by now.
    pub fn metrics(&self, ran: &InvestigationRun, estimate: Option<&CostEstimate>) -> InvestigationMetrics {
        let ms = self.turn.account.elapsed_us().saturating_sub(self.began_us) / 1_000;
        let estimated = estimate.map_or(0.0, |estimate| estimate.usd);
        metrics(ms, ran, &self.calls(), estimated, &self.turn.brain.policy.prices)
    }

    fn calls(&self) -> MutexGuard<'_, Vec<ModelSpan>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
