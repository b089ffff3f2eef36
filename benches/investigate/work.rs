//! Nodes that ask the model, and everything around them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use brain_agent::core::graph::{Node, OnFailure};
use brain_agent::investigate::run::{
    Arriving, Attempting, BudgetLimits, EvidenceRun, NodeFailure, NodeInputs, RunEnd, RunLimits, RunWith, TurnBudget,
    WorkLane, WorkLanes, Worker, run,
};
use brain_agent::llm::{self, ClientSettings, OpenAiClient};
use brain_agent::ports::{Call, Model, Patience, Stage, Usage};
use futures::{Stream, StreamExt};
use tokio_util::sync::CancellationToken;

use crate::endpoint::Endpoint;
use crate::graphs::Asking;
use crate::report::median;
use crate::schedule::CallTimes;

/// A conversation of some length, as one call reads it: about 1,500 tokens.
pub const THREAD_CHARS: usize = 6_000;
/// Most tokens of an answer.
const ANSWER_TOKENS: u32 = 500;
/// Calls that the endpoint answers at once.
pub const AT_ONCE: usize = 8;

#[derive(Debug)]
pub struct Asks {
    pub model: OpenAiClient,
    lane: WorkLane,
}

pub struct Bench {
    pub asks: Asks,
    pub endpoint: Endpoint,
}

/// One way to do the work, once.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    pub time: Duration,
    pub usage: Usage,
}

impl Asks {
    /// One call about `items` threads.
    pub async fn ask(&self, stage: Stage, items: usize) -> Usage {
        let call = Call {
            stage,
            system: "Say what is open in these mails.".into(),
            user: "word ".repeat(items * THREAD_CHARS / 5).into(),
            schema: None,
            tokens_max: ANSWER_TOKENS,
            patience: Patience::default(),
            meter: Default::default(),
        };
        self.model.complete(call, None).await.expect("an answer").usage
    }

    async fn ask_within(&self, stage: Stage, attempting: &Attempting<'_>) -> Result<u64, NodeFailure> {
        let reserved = attempting.reserve(THREAD_CHARS as u64 / 4 + 100 + u64::from(ANSWER_TOKENS))?;
        let usage = self.ask(stage, 1).await;
        reserved.settle(&usage);
        Ok(usage.tokens_out)
    }
}

#[async_trait]
impl Worker for Asks {
    type Spec = Asking;
    type Output = u64;
    type Type = ();

    fn node(&self, spec: &Asking) -> Node<String> {
        spec.after.iter().fold(Node::new(spec.id.clone()), |node, on| node.after(on.clone(), OnFailure::Stop))
    }

    fn lanes(&self, spec: &Asking) -> Vec<WorkLane> {
        if spec.calls == 1 { vec![self.lane.clone()] } else { Vec::new() }
    }

    fn bytes(&self, _output: &u64) -> usize {
        size_of::<u64>()
    }

    async fn attempt(
        &self,
        spec: &Asking,
        _inputs: NodeInputs<'_, u64>,
        attempting: &Attempting<'_>,
    ) -> Result<u64, NodeFailure> {
        if spec.calls == 1 {
            return self.ask_within(spec.stage, attempting).await;
        }
        let calls = (0..spec.calls).map(|_| attempting.in_lane(&self.lane, self.ask_within(spec.stage, attempting)));
        Ok(futures::future::try_join_all(calls).await?.into_iter().sum())
    }
}

impl Bench {
    pub fn new(endpoint: Endpoint) -> Self {
        let at = llm::Endpoint { base_url: endpoint.url.clone(), api_key: None, model: "simulated".to_owned() };
        let stages: HashMap<_, _> = Stage::ALL.into_iter().map(|stage| (stage, at.clone())).collect();
        let settings = ClientSettings { stages, ..ClientSettings::default() };
        let model = OpenAiClient::new(settings).expect("a client");
        Self { asks: Asks { model, lane: WorkLane::Endpoint("simulated".to_owned()) }, endpoint }
    }

    /// Connections are open and code is loaded before anything is timed.
    pub async fn warm_up(&self) {
        for stage in [Stage::Route, Stage::Plan, Stage::Respond] {
            futures::future::join_all((0..AT_ONCE).map(|_| self.asks.ask(stage, 1))).await;
        }
    }

    /// What calls took at the endpoint up to now: from the request to its answer.
    pub fn call_times(&self) -> CallTimes {
        let mut times: HashMap<Stage, Vec<f64>> = HashMap::new();
        for call in self.endpoint.calls() {
            let stage = Stage::ALL.into_iter().find(|stage| stage.name() == call.stage).expect("a stage");
            times.entry(stage).or_default().push((call.sent_us - call.received_us) as f64 / 1_000.0);
        }
        times.into_iter().map(|(stage, times)| (stage, median(&times))).collect()
    }

    /// Runs a graph as the program does.
    pub async fn run(&self, specs: impl Stream<Item = Asking> + Send) -> Took {
        let (budget, cancel) = (TurnBudget::new(BudgetLimits::default()), CancellationToken::new());
        let (lanes, limits) = (WorkLanes::default(), RunLimits::default());
        let with = RunWith { limits, lanes: &lanes, budget: &budget, cancel: &cancel, watch: &|_| (), seed: 1 };
        let begun = Instant::now();
        let ran: EvidenceRun<u64, ()> = run(&self.asks, specs.map(|spec| Arriving::Nodes(vec![spec])), &with).await;
        let time = begun.elapsed();
        assert!(ran.end == RunEnd::Complete && ran.failed() == 0, "{ran:?}");
        Took { time, usage: Usage { calls: ran.calls(), tokens_in: ran.tokens(), ..Usage::default() } }
    }
}
