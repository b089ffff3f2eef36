//! A question with a model, from its words to what was found: nodes run while later ones are written.
//!
//! ```text
//! decompose ─► node, node, node … ─► without a model: runs at once
//!                  │                  with one: held until the graph is whole and its cost is known
//!                  │ whole ─► cost above what the person allows ─► not run: the caller asks
//!                  │          below ─► what was held runs as well ─► what was found
//!                  └ wrong ─► what began is dropped; the repaired graph runs as a whole
//! ```
//!
//! A question that was asked a while ago has its graph, which runs as a whole.
//!
//! Invariants: no call of a node goes out before the cost of the whole graph is allowed; what runs only reads.
//! Not here: what a node does (the worker), and the answer ([`synthesize_by_model`](super::synthesize_by_model)).

use futures::future::{Either, select};
use futures::stream::{self, Stream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::asker::InvestigationModel;
use super::decompose::{
    DecomposeInput, Decomposed, Decomposition, QuestionClass, Undecomposed, decompose, known_graph,
};
use super::estimate::{CostEstimate, StagePrices, estimate};
use super::node::EvidenceNode;
use super::refine::asks_a_model;
use super::run::{Arriving, EvidenceRun, RunEnd, RunWith, Worker, run, whole};

/// What a question may cost without being asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct CostAllowed {
    /// What tokens cost.
    pub prices: StagePrices,
    /// US dollars; above it the person is asked.
    pub ask_above_usd: f64,
}

/// What came of a question.
#[derive(Debug)]
pub enum RanQuestion<O, T> {
    /// It was looked into.
    Ran {
        /// How it was taken apart.
        decomposition: Box<Decomposition>,
        /// What it was expected to cost.
        estimate: CostEstimate,
        /// What was found.
        run: EvidenceRun<O, T>,
    },
    /// It costs more than is allowed: the person is asked, and the graph runs after a yes.
    Costly {
        /// How it was taken apart.
        decomposition: Box<Decomposition>,
        /// What to ask with.
        estimate: CostEstimate,
    },
    /// Something is to be done: the caller plans.
    WriteCommand(QuestionClass),
    /// The run ended before the graph was whole: it was stopped, or there was no time left.
    Stopped(EvidenceRun<O, T>),
}

/// Takes a question apart and looks into it.
pub async fn run_question<'a, W: Worker<Spec = EvidenceNode>>(
    model: &InvestigationModel<'_>,
    input: &DecomposeInput<'_>,
    worker: &'a W,
    with: &'a RunWith<'a>,
    allowed: &CostAllowed,
) -> Result<RanQuestion<W::Output, W::Type>, Undecomposed> {
    let (to_run, from_writer) = unbounded_channel();
    let running = std::pin::pin!(run(worker, arriving(from_writer), with));
    let writing = std::pin::pin!(written(model, input, to_run, allowed));
    let (written, run_of_it) = match select(writing, running).await {
        Either::Left((written, running)) => (written?, running.await),
        Either::Right((ended, writing)) => match ended.end {
            // The writer has said so; what it writes next is to be run.
            RunEnd::Broken(_) | RunEnd::Complete => (writing.await?, ended),
            RunEnd::Cancelled | RunEnd::OutOfTime => return Ok(RanQuestion::Stopped(ended)),
        },
    };
    Ok(match written {
        WrittenQuestion::WriteCommand(class) => RanQuestion::WriteCommand(class),
        WrittenQuestion::Costly(decomposition, estimate) => RanQuestion::Costly { decomposition, estimate },
        WrittenQuestion::Graph(decomposition, estimate) => {
            let run = match decomposition.is_streamed {
                true => run_of_it,
                false => run(worker, whole(decomposition.graph.nodes.clone()), with).await,
            };
            RanQuestion::Ran { decomposition, estimate, run }
        }
    })
}

/// What the writer came to.
enum WrittenQuestion {
    Graph(Box<Decomposition>, CostEstimate),
    Costly(Box<Decomposition>, CostEstimate),
    WriteCommand(QuestionClass),
}

/// Writes the graph; lets nodes go as far as nothing is spent by it, and the rest once that is allowed.
async fn written(
    model: &InvestigationModel<'_>,
    input: &DecomposeInput<'_>,
    to_run: UnboundedSender<Arriving<EvidenceNode>>,
    allowed: &CostAllowed,
) -> Result<WrittenQuestion, Undecomposed> {
    let mut letting = Letting { to_run, held: Vec::new() };
    if let Some(known) = input.known {
        letting.part(Arriving::Nodes(known.nodes.clone()));
    }
    let decomposed = match known_graph(model, input) {
        Some(known) => {
            letting.part(Arriving::Broken { why: "it is known whole".to_owned() });
            Decomposed::Graph(Box::new(known))
        }
        None => streamed(model, input, &mut letting).await?,
    };
    let decomposition = match decomposed {
        Decomposed::Graph(decomposition) => decomposition,
        Decomposed::WriteCommand(class) => return Ok(WrittenQuestion::WriteCommand(class)),
    };
    let estimate = estimate(&decomposition.graph.nodes, &allowed.prices);
    if estimate.is_above(allowed.ask_above_usd) {
        letting.part(Arriving::Broken { why: "it is asked about first".to_owned() });
        return Ok(WrittenQuestion::Costly(decomposition, estimate));
    }
    letting.all();
    Ok(WrittenQuestion::Graph(decomposition, estimate))
}

/// The graph as it is written, its nodes let go as they come.
async fn streamed(
    model: &InvestigationModel<'_>,
    input: &DecomposeInput<'_>,
    letting: &mut Letting,
) -> Result<Decomposed, Undecomposed> {
    let (to, mut nodes) = unbounded_channel();
    let mut decomposing = std::pin::pin!(decompose(model, input, Some(to)));
    let decomposed = loop {
        tokio::select! {
            biased;
            Some(part) = nodes.recv() => letting.part(part),
            done = &mut decomposing => break done?,
        }
    };
    while let Ok(part) = nodes.try_recv() {
        letting.part(part);
    }
    Ok(decomposed)
}

/// Nodes on their way into the run. From the first one that asks a model on they are held, for the order stays.
struct Letting {
    to_run: UnboundedSender<Arriving<EvidenceNode>>,
    held: Vec<EvidenceNode>,
}

impl Letting {
    fn part(&mut self, part: Arriving<EvidenceNode>) {
        match part {
            Arriving::Broken { why } => {
                self.held.clear();
                self.send(Arriving::Broken { why });
            }
            Arriving::Nodes(nodes) => {
                for node in nodes {
                    if self.held.is_empty() && !asks_a_model(&node) {
                        self.send(Arriving::Nodes(vec![node]));
                    } else {
                        self.held.push(node);
                    }
                }
            }
        }
    }

    fn all(&mut self) {
        for node in std::mem::take(&mut self.held) {
            self.send(Arriving::Nodes(vec![node]));
        }
    }

    fn send(&self, part: Arriving<EvidenceNode>) {
        // A run that is over needs none.
        let _ = self.to_run.send(part);
    }
}

/// What comes out of a channel, as a run takes it.
pub fn arriving<S: Send>(from: UnboundedReceiver<Arriving<S>>) -> impl Stream<Item = Arriving<S>> + Send {
    stream::unfold(from, async |mut from| Some((from.recv().await?, from)))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use chrono::{TimeZone, Utc};
    use serde_json::json;

    use super::*;
    use crate::investigate::node::OutputType;
    use crate::investigate::run::{Attempting, NodeFailure, NodeInputs, WorkLane};
    use crate::testing::asking::{AskingWorld, ScriptedModel};
    use brain_core::core::graph::Node;
    use brain_language::language::time::{DateOrder, Reference};

    /// Writes down which nodes ran, and how often the model had been asked by then.
    struct Noting<'a> {
        world: &'a AskingWorld,
        ran: Mutex<Vec<String>>,
    }

    #[async_trait]
    impl Worker for Noting<'_> {
        type Spec = EvidenceNode;
        type Output = usize;
        type Type = OutputType;

        fn node(&self, spec: &EvidenceNode) -> Node<String, OutputType> {
            spec.placed()
        }

        fn lanes(&self, _: &EvidenceNode) -> Vec<WorkLane> {
            Vec::new()
        }

        fn bytes(&self, _: &usize) -> usize {
            8
        }

        async fn attempt(
            &self,
            spec: &EvidenceNode,
            _: NodeInputs<'_, usize>,
            _: &Attempting<'_>,
        ) -> Result<usize, NodeFailure> {
            let calls = self.world.script.asked().len();
            self.ran.lock().unwrap().push(format!("{}@{calls}", spec.id));
            Ok(1)
        }
    }

    fn graph(kind: &str, items: &str) -> String {
        let nodes = json!([
            {"id": "mail", "strategy": "metadata_filter", "params": {"over": ["thread"]}},
            {"id": "read", "strategy": "batch_thread_read", "params": {"items": items}},
            {"id": "late", "strategy": "keyword_search", "params": {"words": ["Berlin"]}},
        ]);
        format!(r#"{{"classification": {{"type": "{kind}"}}, "nodes": {nodes}, "synthesis": {{}}}}"#)
    }

    /// Instead of a threshold: the person did not want to wait.
    const STOPPED: f64 = f64::NAN;

    /// What came of a question, and what ran.
    async fn asked(answers: &[&str], ask_above_usd: f64) -> (String, String) {
        let world = AskingWorld::of(ScriptedModel::of(answers));
        let worker = Noting { world: &world, ran: Mutex::default() };
        let reference = Reference {
            now: Utc.with_ymd_and_hms(2026, 3, 10, 9, 0, 0).unwrap(),
            zone: chrono_tz::Europe::Berlin,
            order: DateOrder::DayFirst,
        };
        let input = DecomposeInput {
            question: "q",
            history: &[],
            things: &[],
            dates: &[],
            reference: &reference,
            known: None,
            beside: &[],
        };
        if ask_above_usd.is_nan() {
            world.bounds.cancel.cancel();
        }
        let with = world.bounds.with(&|_| {});
        let allowed = CostAllowed { prices: StagePrices::default(), ask_above_usd };
        let came = world.with(async |model| run_question(model, &input, &worker, &with, &allowed).await).await;
        let came = match came {
            Ok(RanQuestion::Ran { run, estimate, .. }) => {
                format!("ran {} of {}: {:?}", run.outputs().count(), estimate.nodes, run.end)
            }
            Ok(RanQuestion::Costly { estimate, .. }) => format!("costly: {} calls", estimate.calls),
            Ok(RanQuestion::WriteCommand(_)) => "to do".to_owned(),
            Ok(RanQuestion::Stopped(run)) => format!("stopped: {:?}", run.end),
            Err(error) => error.to_string(),
        };
        (came, worker.ran.into_inner().unwrap().join(" "))
    }

    #[tokio::test]
    async fn all_of_a_graph_runs_once_its_cost_is_allowed() {
        let good = graph("investigative", "{{mail.items}}");
        let (came, ran) = asked(&[&good], 1.0).await;
        assert_eq!((came.as_str(), ran.split(' ').count()), ("ran 3 of 3: Complete", 3));
        let (came, ran) = asked(&[&good], 0.001).await;
        assert!(came.starts_with("costly: ") && !ran.contains("read"), "{came}; {ran}");
    }

    #[tokio::test]
    async fn a_repaired_graph_runs_as_a_whole() {
        let (wrong, good) = (graph("investigative", "{{post.items}}"), graph("investigative", "{{mail.items}}"));
        let (came, ran) = asked(&[&wrong, &good], 1.0).await;
        assert_eq!(came, "ran 3 of 3: Complete");
        assert!(ran.ends_with("mail@2 late@2 read@2") || ran.ends_with("mail@2 read@2 late@2"), "{ran}");
        let (came, _) = asked(&[&wrong, &wrong], 1.0).await;
        assert!(came.starts_with("the graph could not be used: read refers to {{post.items}}"), "{came}");
    }

    #[tokio::test]
    async fn what_is_stopped_waits_for_no_graph() {
        let (came, _) = asked(&[&graph("investigative", "{{mail.items}}")], STOPPED).await;
        assert_eq!(came, "stopped: Cancelled");
    }

    #[tokio::test]
    async fn what_is_to_be_done_runs_nothing() {
        let (came, ran) = asked(&[&graph("write_command", "{{mail.items}}")], 1.0).await;
        assert_eq!((came.as_str(), ran.as_str()), ("to do", ""));
    }
}
