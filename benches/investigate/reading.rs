//! Questions over a mailbox of two hundred conversations, twenty of which wait for the owner: from the question to the
//! answer by the program's own parts, with the strategies, the model's worker, the budget and the client.
//!
//! What was read is what went over the wire. Tokens are counted by the endpoint, a quarter of the characters of prompt
//! and answer; schemas are not among them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use brain_agent::app::{self, Parts};
use brain_agent::clock::SystemClock;
use brain_agent::config::Config;
use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::investigate::asker::{InvestigationModel, ModelSpan};
use brain_agent::investigate::cache::OwnersCache;
use brain_agent::investigate::decompose::{DecomposeInput, keep_graph, things};
use brain_agent::investigate::estimate::StagePrices;
use brain_agent::investigate::finding::NodeOutput;
use brain_agent::investigate::model_worker::ModelWorker;
use brain_agent::investigate::node::EvidenceNode;
use brain_agent::investigate::question::{CostAllowed, RanQuestion, run_question};
use brain_agent::investigate::refine::{RefineContext, gathered_as};
use brain_agent::investigate::run::{BudgetLimits, RunEnd, RunLimits, RunWith, TurnBudget, run, whole};
use brain_agent::investigate::strategies::EvidenceSources;
use brain_agent::investigate::synthesize_by_model::{AnswerPart, SynthesisInput, synthesize_by_model};
use brain_agent::investigate::worker::EvidenceWorker;
use brain_agent::language::time::DateOrder;
use brain_agent::pipeline::brain::Brain;
use brain_agent::ports::{Call, Model, Patience, Stage, Store, Usage};
use brain_agent::services::catalog::registry::Services;
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::email::mailbox::source::maildir::Maildir;
use brain_agent::store::MemoryStore;
use chrono::NaiveTime;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::Effort;
use crate::answers::{ALL, EXAMPLE, TOLD_APART, title};
use crate::graphs::asking;
use crate::mailbox::{self, THREADS, WAITING, waits};
use crate::report::{Report, Row, median, ms};
use crate::schedule::ideal_ms;
use crate::work::{AT_ONCE, Bench, Took};

const OWNER: &str = "me";
/// What a question may take.
const TOKENS_MAX: u64 = 60_000;

/// A person with a mailbox.
struct Person {
    brain: Brain,
    ctx: RequestContext,
    _folder: tempfile::TempDir,
}

/// A question that was answered.
struct Answered {
    took: Took,
    /// Calls by stage.
    stages: Vec<Stage>,
    /// Tokens that it was expected to take at most.
    expected: u64,
    /// Prompts that each showed one conversation, in the order in which they came: system and user.
    shown: Vec<(String, String)>,
    /// The graph.
    nodes: Vec<EvidenceNode>,
    /// What the search gave.
    given: usize,
    /// What fits the search and lies behind its maximum.
    behind: usize,
    /// What the answer was made of.
    told: NodeOutput,
    /// What was kept as waiting.
    kept: NodeOutput,
    text: String,
}

pub async fn measure(report: &mut Report, effort: Effort, bench: &Bench) {
    let person = Person::with_mail().await;
    // Letters are indexed and code is loaded before anything is timed.
    person.ask(bench, ALL).await;
    let mut all = Vec::new();
    for _ in 0..effort.of(3, 15) {
        all.push(person.ask(bench, ALL).await);
    }
    let first = all.remove(0);
    cost(report, "200 threads", &first);
    read(report, "200 threads", &first);
    in_time(report, bench, &first, &all);
    by_code(report, effort, &person, &first.nodes).await;
    in_a_loop(report, bench, &first).await;
    once_more(report, bench, &person, &first).await;
    // The simulated model knows by a title what waits, so of this one only the cost says anything.
    cost(report, "200 threads, told apart by a model as well", &person.ask(bench, TOLD_APART).await);
    let example = person.ask(bench, EXAMPLE).await;
    cost(report, "200 threads, the prompt's example", &example);
    read(report, "200 threads, the prompt's example", &example);
}

/// The same question, with what was kept of it a moment ago.
async fn once_more(report: &mut Report, bench: &Bench, person: &Person, first: &Answered) {
    let cache = person.brain.evidence.of(&person.ctx.owner, person.ctx.now);
    person.asked(bench, ALL, Some(cache)).await;
    let again = person.asked(bench, ALL, Some(cache)).await;
    let ratio = first.took.time.as_secs_f64() / again.took.time.as_secs_f64();
    report.add(Row::new("200 threads: the same question once more", costs(&again)).beside(costs(first), ratio));
}

/// Tokens and calls of the whole question.
fn cost(report: &mut Report, name: &str, asked: &Answered) {
    let tokens = tokens(asked.took.usage);
    report.add(
        Row::new(format!("{name}: the whole question, beside what it is expected to take at most"), costs(asked))
            .beside(format!("{} tokens", asked.expected), asked.expected as f64 / tokens as f64)
            .target("≤ 60,000 tokens", tokens <= TOKENS_MAX),
    );
}

/// What was read, what was not, and which of them wait.
fn read(report: &mut Report, name: &str, asked: &Answered) {
    let (read, unread, left) = (asked.shown.len(), asked.told.unread, THREADS - asked.given);
    let is_said = asked.text.contains(&format!("Not looked at: {unread} less likely ones"));
    let left_out = match left {
        0 => String::new(),
        left => format!(", {} behind the search's maximum, {} left out by it", asked.behind, left - asked.behind),
    };
    report.add(
        Row::new(
            format!("{name}: read by a model, declared unread in the answer"),
            format!("{read} + {unread}{left_out}"),
        )
        .target("all accounted for, and said", read + unread == asked.given && is_said),
    );
    let waiting = asked.shown.iter().filter(|(_, user)| waits(title(user))).count();
    report.add(
        Row::new(format!("{name}: best first, of the {WAITING} that wait among those read"), waiting.to_string())
            .target(format!("{WAITING}"), waiting == WAITING),
    );
    let found = asked.kept.findings.iter().filter(|finding| waits(&finding.item.title)).count();
    let others = asked.kept.findings.len() - found;
    report.add(Row::new(format!("{name}: kept as waiting"), format!("{found} of {WAITING}, and {others} others")));
}

fn in_time(report: &mut Report, bench: &Bench, first: &Answered, more: &[Answered]) {
    let count = |stage: Stage| first.stages.iter().filter(|asked| **asked == stage).count();
    let nodes = [
        asking("decompose", &[], Stage::Decompose, 1),
        asking("read", &["decompose"], Stage::Extract, count(Stage::Extract)),
        asking("answer", &["read"], Stage::Synthesize, 1),
    ];
    let ideal = Duration::from_secs_f64(ideal_ms(&nodes, &bench.call_times(), AT_ONCE) / 1_000.0);
    let times: Vec<Duration> = [first].into_iter().chain(more).map(|asked| asked.took.time).collect();
    let (time, over) = (median(&times), median(&times).as_secs_f64() / ideal.as_secs_f64());
    report.add(
        Row::new("200 threads: beside the ideal schedule of its calls", ms(time))
            .beside(ms(ideal), over)
            .target("≤ 1.03", over <= 1.03),
    );
}

/// What the graph takes without a model, and what features see by themselves: all that a reading order can go by.
async fn by_code(report: &mut Report, effort: Effort, person: &Person, nodes: &[EvidenceNode]) {
    let nodes: Vec<EvidenceNode> = nodes.iter().map(|node| gathered_as(node).into_owned()).collect();
    let (mut times, mut seen) = (Vec::new(), (0, 0));
    for _ in 0..effort.of(3, 15) {
        let begun = Instant::now();
        let kept = person.gathered(nodes.clone()).await;
        times.push(begun.elapsed());
        let waiting = kept.findings.iter().filter(|finding| waits(&finding.item.title)).count();
        seen = (waiting, kept.findings.len() - waiting);
    }
    report.add(Row::new("200 threads: the same graph without a model", ms(median(&times))));
    let figure = format!("{} of {WAITING}, and {} others", seen.0, seen.1);
    report.add(Row::new("200 threads: kept as waiting by code alone", figure));
}

/// The same conversations read by a loop whose context grows. It is spared finding out which of the two hundred to read,
/// taking the question apart and writing the answer.
async fn in_a_loop(report: &mut Report, bench: &Bench, asked: &Answered) {
    let begun = Instant::now();
    let (mut usage, mut context) = (Usage::default(), String::new());
    for (system, user) in &asked.shown {
        context.push_str(user);
        context.push_str("\n\n");
        let call = Call {
            stage: Stage::Extract,
            system: system.as_str().into(),
            user: context.as_str().into(),
            schema: None,
            tokens_max: 500,
            patience: Patience::default(),
            meter: Default::default(),
        };
        usage += bench.asks.model.complete(call, None).await.expect("an answer").usage;
    }
    let time = begun.elapsed();
    report.add(
        Row::new("200 threads: tokens, beside a loop over the same with a growing context", costs(asked)).beside(
            format!("{} tokens in {} calls, {}", tokens(usage), usage.calls, ms(time)),
            tokens(usage) as f64 / tokens(asked.took.usage) as f64,
        ),
    );
    report.add(
        Row::new("200 threads: time, beside the same loop", ms(asked.took.time))
            .beside(ms(time), time.as_secs_f64() / asked.took.time.as_secs_f64()),
    );
}

fn tokens(usage: Usage) -> u64 {
    usage.tokens_in + usage.tokens_out
}

fn costs(asked: &Answered) -> String {
    let Took { time, usage } = asked.took;
    format!("{} tokens in {} calls, {}", tokens(usage), usage.calls, ms(time))
}

impl Person {
    async fn with_mail() -> Self {
        let folder = crate::folder();
        let owner = UserId::new(OWNER);
        let (letters, chars) = mailbox::fill(Maildir::of(folder.path(), &owner).root());
        eprintln!("  {THREADS} threads of {letters} letters, {} characters each", chars / letters);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let channel = app::console_channel(&store, folder.path()).await.expect("a channel");
        let config = Config::parse(vec![("BRAIN_TIMEZONE".to_owned(), "Europe/London".to_owned())], Vec::new());
        let parts = Parts {
            store,
            data_dir: folder.path().to_owned(),
            clock: Arc::new(SystemClock::new()),
            channel: Arc::new(channel),
            zone: None,
        };
        let brain = app::build(&config.expect("a configuration"), parts).expect("a brain");
        let ctx = RequestContext {
            owner,
            chat: ChatId::new(format!("console:{OWNER}")),
            now: mailbox::now(),
            zone: chrono_tz::Europe::London,
            order: DateOrder::DayFirst,
            hour: NaiveTime::from_hms_opt(9, 0, 0).expect("an hour"),
            files: Vec::new(),
        };
        Self { brain, ctx, _folder: folder }
    }

    fn sources<'a>(&'a self, services: &'a Services) -> EvidenceSources<'a> {
        let (people, index) = (self.brain.people.as_ref(), self.brain.index.as_ref());
        let (pool, features) = (&self.brain.pool, &self.brain.evidence.features);
        EvidenceSources { services, people, index, ctx: &self.ctx, pool, features, since: None }
    }

    /// What a graph keeps as waiting without a model.
    async fn gathered(&self, nodes: Vec<EvidenceNode>) -> NodeOutput {
        let services = self.brain.services.now();
        let plain = EvidenceWorker { sources: self.sources(&services), cache: None };
        let (budget, cancel) = (TurnBudget::new(BudgetLimits::default()), CancellationToken::new());
        let (limits, lanes) = (RunLimits::default(), &self.brain.lanes);
        let with = RunWith { limits, lanes, budget: &budget, cancel: &cancel, watch: &|_| (), seed: 1 };
        let ran = run(&plain, whole(nodes), &with).await;
        ran.node("waiting").and_then(|node| node.output()).cloned().expect("an output")
    }

    /// A question from its words to its answer, as the turn asks it.
    async fn ask(&self, bench: &Bench, question: &str) -> Answered {
        self.asked(bench, question, None).await
    }

    /// The same; what is kept is neither looked for nor asked again.
    async fn asked(&self, bench: &Bench, question: &str, cache: Option<OwnersCache<'_>>) -> Answered {
        let services = self.brain.services.now();
        let sources = self.sources(&services);
        let (budget, cancel) = (TurnBudget::new(BudgetLimits::default()), CancellationToken::new());
        let spans: Mutex<Vec<ModelSpan>> = Mutex::default();
        let trace = |span: ModelSpan| spans.lock().unwrap().push(span);
        let asker = InvestigationModel {
            model: &bench.asks.model,
            prompts: &self.brain.prompts,
            patience: Patience::default(),
            meter: Default::default(),
            gate: &budget,
            trace: &trace,
            cache,
        };
        let with = RunWith {
            limits: RunLimits::default(),
            lanes: &self.brain.lanes,
            budget: &budget,
            cancel: &cancel,
            watch: &|_| (),
            seed: 1,
        };
        let plain = EvidenceWorker { sources, cache };
        let about = RefineContext { question, now: self.ctx.now, zone: self.ctx.zone, known: &[], is_trusted: true };
        let worker = ModelWorker { plain: &plain, model: asker.clone(), endpoint: "model", about };
        let (there, reference) = (things(&services), self.ctx.reference());
        let input = DecomposeInput {
            question,
            history: &[],
            things: &there,
            dates: &[],
            reference: &reference,
            known: None,
            beside: &[],
        };
        let allowed = CostAllowed { prices: StagePrices::default(), ask_above_usd: f64::MAX };
        bench.endpoint.record();
        let begun = Instant::now();
        let came = run_question(&asker, &input, &worker, &with, &allowed).await.expect("a graph");
        let RanQuestion::Ran { decomposition, estimate, run } = came else { panic!("it was not looked into") };
        assert!(run.end == RunEnd::Complete && run.failed() == 0, "{run:?}");
        keep_graph(&asker, &input, &decomposition);
        let output = |id: &str| run.node(id).and_then(|node| node.output()).cloned().expect("an output");
        let told = output("first");
        let synthesis = SynthesisInput {
            question,
            order: &decomposition.synthesis,
            parts: &[AnswerPart { title: "most urgent first", output: &told }],
            gaps: &[],
            manner: "",
            reference: &reference,
        };
        let answer = synthesize_by_model(&asker, &synthesis, None).await.expect("an answer");
        let time = begun.elapsed();
        let mut usage = Usage::default();
        let spans = std::mem::take(&mut *spans.lock().unwrap());
        spans.iter().for_each(|span| usage += span.usage);
        Answered {
            took: Took { time, usage },
            stages: spans.iter().map(|span| span.stage).collect(),
            expected: estimate.tokens(),
            shown: shown(bench),
            nodes: decomposition.graph.nodes.clone(),
            behind: output("mail").more,
            given: output("mail").findings.len(),
            kept: output("waiting"),
            told,
            text: answer.text,
        }
    }
}

/// What was read since recording began, as it went over the wire.
fn shown(bench: &Bench) -> Vec<(String, String)> {
    let recorded = bench.endpoint.recorded();
    let reads = recorded.iter().filter(|call| call.stage == Stage::Extract.name());
    let prompt = |body: &[u8]| {
        let body: Value = serde_json::from_slice(body).expect("JSON");
        let said = |at: usize| body["messages"][at]["content"].as_str().unwrap_or_default().to_owned();
        (said(0), said(1))
    };
    reads.map(|call| prompt(&call.body)).collect()
}
