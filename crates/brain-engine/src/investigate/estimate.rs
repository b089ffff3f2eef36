//! What a graph will cost, before it runs: our own sums over its nodes, never the model's word.
//!
//! | node | items it gives | calls | tokens in, out of each |
//! |---|---|---|---|
//! | `metadata_filter`, `keyword_search` | its maximum | 0 | |
//! | `batch_thread_read` | at most what it is given | one for each of the best | 2,000, 300 |
//! | `cross_reference` | sum, least or first of its sources | one, if it has criteria | 100 an item, 10 an item |
//! | `semantic_analysis` | what it is given | one for ten, if it asks a question | 1,300, 300 |
//! | decompose, synthesize | | one each | 2,500 and 1,200; 500 + 100 an item shown and 800 |
//!
//! Seconds are those of the longest way through the graph. Everything is told a fifth higher: who is asked about a cost
//! shall not be surprised by it. Invariant: pure, and more work never costs less. Deliberately not here: what was spent
//! in the end ([`metrics`](super::metrics)), and hard caps (the run's budget).

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::asker::ModelSpan;
use super::node::{EvidenceNode, SetOperation, Strategy, reference};
use brain_core::limits;
use brain_core::ports::{Stage, TokenPrice};

/// What small hosted models cost, as `.env.example` shows it.
pub const HOSTED: TokenPrice = TokenPrice { input_usd: 0.25, output_usd: 2.0 };

/// What each stage's tokens cost, where somebody has said so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StagePrices(BTreeMap<Stage, TokenPrice>);

impl StagePrices {
    /// These; stages that are not among them cost what small hosted models do.
    pub fn of(prices: impl IntoIterator<Item = (Stage, TokenPrice)>) -> Self {
        Self(prices.into_iter().collect())
    }

    /// The same for every stage.
    pub fn all(price: TokenPrice) -> Self {
        Self::of(Stage::ALL.map(|stage| (stage, price)))
    }

    /// Of a stage.
    pub fn price(&self, stage: Stage) -> TokenPrice {
        self.0.get(&stage).copied().unwrap_or(HOSTED)
    }

    /// What calls came to, in US dollars.
    pub fn usd<'s>(&self, spans: impl IntoIterator<Item = &'s ModelSpan>) -> f64 {
        let of = |span: &ModelSpan| self.price(span.stage).of(span.usage.tokens_in, span.usage.tokens_out);
        spans.into_iter().map(of).sum()
    }
}

/// What a graph will cost at most, as far as anybody can tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CostEstimate {
    /// Nodes of the graph.
    pub nodes: usize,
    /// Nodes in a row, counted from 1.
    pub stages: usize,
    /// Things that are looked at.
    pub items: usize,
    /// Model calls, decompose and synthesize included.
    pub calls: u32,
    /// Sent to models.
    pub tokens_in: u64,
    /// Received from them.
    pub tokens_out: u64,
    /// Until the answer is there.
    pub seconds: f64,
    /// US dollars.
    pub usd: f64,
}

impl CostEstimate {
    /// In and out.
    pub fn tokens(&self) -> u64 {
        self.tokens_in + self.tokens_out
    }

    /// Whether the person is asked first.
    pub fn is_above(&self, usd: f64) -> bool {
        self.usd > usd
    }
}

/// On top of every figure, in hundredths.
const MARGIN_PERCENT: u64 = 20;
/// A look into an index or at a mail server.
const LOOK_SECONDS: f64 = 0.3;
/// A short answer of a model of ordinary speed.
const CALL_SECONDS: f64 = 2.0;
/// A long one: a graph, an answer.
const LONG_CALL_SECONDS: f64 = 4.0;

/// Calls of one sort.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct EstimatedCalls {
    count: usize,
    each_in: usize,
    each_out: usize,
    seconds: f64,
}

/// A node on the way through the graph.
#[derive(Debug, Clone, Copy, Default)]
struct EstimateStep {
    items: usize,
    /// Counted from 1.
    depth: usize,
    /// When it is over.
    seconds: f64,
}

/// What a graph costs with a model, from its decomposition to its answer. Of nodes in any order; what refers to nothing
/// gets nothing.
pub fn estimate(nodes: &[EvidenceNode], prices: &StagePrices) -> CostEstimate {
    let mut steps: HashMap<&str, EstimateStep> = HashMap::new();
    let mut sum = Sum::default();
    sum.add(
        Stage::Decompose,
        EstimatedCalls { count: 1, each_in: 2_500, each_out: 1_200, seconds: LONG_CALL_SECONDS },
        prices,
    );
    // A node comes behind those it depends on: one round more for each that was written too early.
    let mut left: Vec<&EvidenceNode> = nodes.iter().collect();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|node| {
            let Some(given) = given(node, nodes, &steps) else { return true };
            let (items, looked_at, calls) = work(node, &given);
            let calls = if node.is_known() { EstimatedCalls::default() } else { calls };
            sum.items += looked_at;
            sum.add(stage(&node.strategy), calls, prices);
            let step = EstimateStep {
                items,
                depth: 1 + given.iter().map(|step| step.depth).max().unwrap_or(0),
                seconds: calls.seconds + LOOK_SECONDS + given.iter().map(|step| step.seconds).fold(0.0, f64::max),
            };
            steps.insert(&node.id, step);
            false
        });
        if left.len() == before {
            // A circle, which does not run.
            break;
        }
    }
    let uses = |node: &EvidenceNode, id: &str| before(node).iter().any(|on| on == id);
    let last = nodes.iter().filter(|node| !node.is_known() && !nodes.iter().any(|other| uses(other, &node.id)));
    let shown: usize =
        last.filter_map(|node| steps.get(node.id.as_str())).map(|s| s.items.min(limits::SYNTHESIS_ITEMS_MAX)).sum();
    let answer = EstimatedCalls { count: 1, each_in: 500 + 100 * shown, each_out: 800, seconds: LONG_CALL_SECONDS };
    sum.add(Stage::Synthesize, answer, prices);
    let longest = steps.values().map(|step| step.seconds).fold(0.0, f64::max);
    sum.told(nodes.len(), steps.values().map(|step| step.depth).max().unwrap_or(0), 2.0 * LONG_CALL_SECONDS + longest)
}

/// What a strategy asks a model for; those that ask for nothing make no calls.
fn stage(strategy: &Strategy) -> Stage {
    match strategy {
        Strategy::MetadataFilter(_) | Strategy::KeywordSearch(_) | Strategy::BatchThreadRead(_) => Stage::Extract,
        Strategy::CrossReference(_) => Stage::Rank,
        Strategy::SemanticAnalysis(_) => Stage::Classify,
    }
}

/// What comes before a node.
fn before(node: &EvidenceNode) -> Vec<String> {
    let referred = node.references().into_iter().filter_map(|(text, _)| reference(text)).map(|from| from.node);
    node.depends_on.iter().cloned().chain(referred).collect()
}

/// The steps of what comes before a node; nothing while one of them is not known, and without those that are not there.
fn given(
    node: &EvidenceNode,
    nodes: &[EvidenceNode],
    steps: &HashMap<&str, EstimateStep>,
) -> Option<Vec<EstimateStep>> {
    let there = before(node).into_iter().filter(|id| nodes.iter().any(|node| node.id == *id));
    there.map(|id| steps.get(id.as_str()).copied()).collect()
}

/// How many things a node gives and looks at, and which calls it makes.
fn work(node: &EvidenceNode, given: &[EstimateStep]) -> (usize, usize, EstimatedCalls) {
    let most = given.iter().map(|step| step.items).max().unwrap_or(0);
    match &node.strategy {
        Strategy::MetadataFilter(filter) => {
            let items = filter.max_results.unwrap_or(limits::FOUND_ITEMS_MAX);
            (items, items, EstimatedCalls::default())
        }
        Strategy::KeywordSearch(search) => {
            let items = search.max_results.unwrap_or(limits::FOUND_ITEMS_MAX);
            (items, items, EstimatedCalls::default())
        }
        Strategy::BatchThreadRead(read) => {
            // What features tell of a thing goes on, read or not.
            let items = most.min(limits::READ_ITEMS_MAX);
            let wanted = read.max_items.map_or(items, |most| items.min(most));
            let count = wanted.min(limits::EXTRACTS_MAX);
            let rounds = count.div_ceil(limits::EXTRACTS_AT_ONCE);
            let seconds = rounds as f64 * CALL_SECONDS;
            (items, wanted, EstimatedCalls { count, each_in: limits::EXTRACT_TOKENS_IN_USUAL, each_out: 150, seconds })
        }
        Strategy::CrossReference(cross) => {
            let sources = given.iter().map(|step| step.items);
            let together = match cross.operation {
                SetOperation::Union => sources.sum(),
                SetOperation::Intersection => sources.min().unwrap_or(0),
                SetOperation::Difference => given.first().map_or(0, |step| step.items),
            };
            let ranked = together.min(limits::RANKED_MAX);
            let count = usize::from(cross.criteria.is_some() && ranked > 1);
            let calls = EstimatedCalls {
                count,
                each_in: 400 + 100 * ranked,
                each_out: 10 * ranked,
                seconds: count as f64 * CALL_SECONDS,
            };
            (together.min(cross.take_top.unwrap_or(limits::FOUND_ITEMS_MAX)), 0, calls)
        }
        Strategy::SemanticAnalysis(analysis) => {
            let asked = if analysis.question.is_some() { most.min(limits::CLASSIFIED_MAX) } else { 0 };
            let count = asked.div_ceil(limits::CLASSIFY_BATCH);
            let seconds = count.div_ceil(limits::EXTRACTS_AT_ONCE) as f64 * CALL_SECONDS;
            (most, 0, EstimatedCalls { count, each_in: 1_300, each_out: 300, seconds })
        }
    }
}

/// All of it, before the margin.
#[derive(Debug, Default)]
struct Sum {
    items: usize,
    calls: usize,
    tokens_in: usize,
    tokens_out: usize,
    usd: f64,
}

impl Sum {
    fn add(&mut self, stage: Stage, calls: EstimatedCalls, prices: &StagePrices) {
        self.calls += calls.count;
        self.tokens_in += calls.count * calls.each_in;
        self.tokens_out += calls.count * calls.each_out;
        let (tokens_in, tokens_out) = (calls.count * calls.each_in, calls.count * calls.each_out);
        self.usd += prices.price(stage).of(tokens_in as u64, tokens_out as u64);
    }

    fn told(&self, nodes: usize, stages: usize, seconds: f64) -> CostEstimate {
        let higher = |exact: usize| (exact as u64 * (100 + MARGIN_PERCENT)).div_ceil(100);
        let (tokens_in, tokens_out) = (higher(self.tokens_in), higher(self.tokens_out));
        CostEstimate {
            nodes,
            stages,
            items: usize::try_from(higher(self.items)).unwrap_or(usize::MAX),
            calls: u32::try_from(higher(self.calls)).unwrap_or(u32::MAX),
            tokens_in,
            tokens_out,
            seconds: seconds * (100 + MARGIN_PERCENT) as f64 / 100.0,
            usd: self.usd * (100 + MARGIN_PERCENT) as f64 / 100.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn node(id: &str, strategy: &str, params: Value) -> EvidenceNode {
        serde_json::from_value(json!({"id": id, "strategy": strategy, "params": params})).unwrap()
    }

    fn search(id: &str, most: usize) -> EvidenceNode {
        node(id, "metadata_filter", json!({"max_results": most}))
    }

    fn read(id: &str, from: &str) -> EvidenceNode {
        node(id, "batch_thread_read", json!({"items": format!("{{{{{from}.items}}}}")}))
    }

    fn cross(id: &str, from: &[&str], operation: &str, more: Value) -> EvidenceNode {
        let sources: Vec<String> = from.iter().map(|from| format!("{{{{{from}.items}}}}")).collect();
        let mut params = json!({"sources": sources, "operation": operation});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        node(id, "cross_reference", params)
    }

    /// nodes, stages, items, calls, tokens, tenths of seconds.
    fn drawn(nodes: &[EvidenceNode]) -> [u64; 6] {
        let told = estimate(nodes, &StagePrices::default());
        let tenths = (told.seconds * 10.0).round() as u64;
        [told.nodes as u64, told.stages as u64, told.items as u64, u64::from(told.calls), told.tokens(), tenths]
    }

    #[test]
    fn figures_follow_from_the_graph_and_are_a_fifth_higher() {
        // Before the margin: 2 calls, 3,700 + 1,300 tokens, 8 s; one item shown is 100 tokens, one look 0.3 s.
        let wide = [search("a", 10), search("b", 5), search("c", 1)];
        assert_eq!(drawn(&wide), [3, 1, 20, 3, 7_920, 100]);
        let chain = [search("a", 50), read("b", "a"), cross("c", &["b"], "union", json!({"take_top": 5}))];
        // 40 of 50 are read closely: 40 × 1,150 tokens, in five rounds.
        assert_eq!(drawn(&chain), [3, 3, 120, 51, 61_800, 227]);
        let diamond = |operation: &str, more: Value| {
            let (top, left, right) = (search("a", 8), read("b", "a"), read("c", "a"));
            [top, left, right, cross("d", &["b", "c"], operation, more)]
        };
        let [union, both] = ["union", "intersection"].map(|operation| drawn(&diamond(operation, json!({}))));
        assert_eq!(union[..4], [4, 3, 29, 22]);
        assert!(union[4] > both[4], "more is shown of more");
        let ranked = drawn(&diamond("union", json!({"criteria": "what matters"})));
        assert_eq!((ranked[3], ranked[5]), (23, union[5] + 24));
    }

    #[test]
    fn classes_are_told_in_tens_and_only_where_something_is_asked() {
        let keep = |question: Value| {
            let params = json!({"items": "{{a.items}}", "keep": ["about"], "question": question});
            [search("a", 25), node("b", "semantic_analysis", params)]
        };
        assert_eq!(drawn(&keep(Value::Null))[3], 3);
        assert_eq!(drawn(&keep(json!("is it about money?")))[3], 6, "three calls more");
    }

    #[test]
    fn the_order_of_nodes_changes_nothing_and_a_circle_ends() {
        let nodes = vec![search("a", 50), read("b", "a"), cross("c", &["a", "b"], "union", json!({}))];
        let turned: Vec<EvidenceNode> = nodes.iter().rev().cloned().collect();
        assert_eq!(drawn(&nodes), drawn(&turned));
        let circle = [read("a", "b"), read("b", "a")];
        assert_eq!(drawn(&circle)[..4], [2, 0, 0, 3]);
        assert_eq!(drawn(&[read("a", "gone")])[..4], [1, 1, 0, 3]);
    }

    #[test]
    fn an_ordinary_question_is_below_the_threshold_and_three_of_them_are_not() {
        let nodes = |times: usize| -> Vec<EvidenceNode> {
            let one = |at: usize| [search(&format!("a{at}"), 60), read(&format!("b{at}"), &format!("a{at}"))];
            (0..times).flat_map(one).collect()
        };
        let told = |times| estimate(&nodes(times), &StagePrices::default());
        assert!(!told(1).is_above(limits::ASK_ABOVE_USD), "{:?}", told(1));
        assert!(told(3).is_above(limits::ASK_ABOVE_USD), "{:?}", told(3));
        let free = StagePrices::all(TokenPrice { input_usd: 0.0, output_usd: 0.0 });
        assert!(!estimate(&nodes(9), &free).is_above(0.0), "what costs nothing is not asked about");
        let dear = StagePrices::of([(Stage::Extract, TokenPrice { input_usd: 10.0, output_usd: 30.0 })]);
        assert!(estimate(&nodes(1), &dear).usd > 10.0 * told(1).usd, "each stage has its price");
    }
}
