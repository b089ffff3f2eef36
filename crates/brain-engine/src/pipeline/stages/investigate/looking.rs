//! A question of a turn being looked into: what it reads from, what it may use, and what its calls took.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::told::InvestigationRun;
use crate::investigate::asker::{InvestigationModel, ModelSpan};
use crate::investigate::cache::OwnersCache;
use crate::investigate::estimate::CostEstimate;
use crate::investigate::metrics::metrics;
use crate::investigate::model_worker::ModelWorker;
use crate::investigate::refine::RefineContext;
use crate::investigate::run::{BudgetLimits, RunLimits, RunProgress, RunWith, TurnBudget};
use crate::investigate::strategies::EvidenceSources;
use crate::investigate::worker::EvidenceWorker;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::Turn;
use brain_core::core::metrics::InvestigationMetrics;
use brain_core::core::progress::Progress;
use brain_core::limits;
use brain_core::ports::records::SpanOutcome;
use brain_core::ports::{Model, Stage, Usage};
use brain_services::services::context::RequestContext;
use brain_services::services::registry::Services;

/// The lane of the model's endpoint; which endpoint answers a stage is the adapter's to know.
const ENDPOINT: &str = "model";

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
    ) -> ModelWorker<'a> {
        let about = RefineContext { question: self.turn.facts.words(), now: self.ctx.now, zone: self.ctx.zone };
        ModelWorker { plain, model: asker.clone(), endpoint: ENDPOINT, about }
    }

    /// Who asks the model; `trace` is to call [`Self::called`].
    pub fn asker<'a>(
        &'a self,
        model: &'a dyn Model,
        trace: &'a (dyn Fn(ModelSpan) + Send + Sync),
    ) -> InvestigationModel<'a> {
        let (prompts, patience) = (&self.turn.brain.prompts, self.turn.account.patience.clone());
        InvestigationModel { model, prompts, patience, gate: &self.budget, trace, cache: Some(self.cache()) }
    }

    /// What a run of it works with; `watch` is to call [`Self::says`].
    pub fn with<'a>(&'a self, watch: &'a (dyn Fn(RunProgress) + Send + Sync)) -> RunWith<'a> {
        RunWith {
            limits: RunLimits::default(),
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
