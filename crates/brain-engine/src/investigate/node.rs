//! A node of an investigation as a template or a model writes it: which strategy gathers what, and from what.
//!
//! References to earlier nodes are texts, `{{node.items}}` or `{{node.people}}`; they are typed, and checked with the
//! graph before anything runs. Deliberately not here: how a strategy works, and what it gives.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use brain_core::core::graph::{Node, OnFailure, OutputRef};
use brain_services::services::contract::searchable::{ItemKind, ItemMark};

/// What an output of a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputType {
    /// Things that were found, in order.
    Items,
    /// People, with how often.
    People,
}

/// The name of a node's things among its outputs.
pub const ITEMS: &str = "items";
/// The name of a node's people among its outputs.
pub const PEOPLE: &str = "people";

/// How the ids of nodes begin that code has put before those of a model: they ask none.
pub const KNOWN: &str = "known_";

/// One piece of evidence to gather.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceNode {
    /// Unique in its graph: small letters, digits and `_`.
    pub id: String,
    /// What it is for, in a few words.
    #[serde(default)]
    pub description: String,
    /// How it is gathered.
    #[serde(flatten)]
    pub strategy: Strategy,
    /// Nodes that come before it, besides those it refers to.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// The ways to gather evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "strategy", content = "params", rename_all = "snake_case")]
pub enum Strategy {
    /// Things by people, time and marks. No model.
    MetadataFilter(MetadataFilter),
    /// Things by words. No model.
    KeywordSearch(KeywordSearch),
    /// Reads things, one by one.
    BatchThreadRead(BatchThreadRead),
    /// Puts lists together, or what is in one against another.
    CrossReference(CrossReference),
    /// Keeps what is of some sort.
    SemanticAnalysis(SemanticAnalysis),
}

impl Strategy {
    /// Its name in graphs and drawings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MetadataFilter(_) => "metadata_filter",
            Self::KeywordSearch(_) => "keyword_search",
            Self::BatchThreadRead(_) => "batch_thread_read",
            Self::CrossReference(_) => "cross_reference",
            Self::SemanticAnalysis(_) => "semantic_analysis",
        }
    }
}

/// Which people: names and addresses, or `{{node.people}}`.
pub type PeopleParam = Vec<String>;

/// Params of [`Strategy::MetadataFilter`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetadataFilter {
    /// Kinds of things; none: all.
    pub over: Vec<ItemKind>,
    /// One of these takes part.
    pub people: PeopleParam,
    /// From when on: an ISO time.
    pub from: Option<String>,
    /// Until when: an ISO time.
    pub until: Option<String>,
    /// All of these are true of it.
    pub with: Vec<ItemMark>,
    /// None of these is.
    pub without: Vec<ItemMark>,
    /// At most so many.
    pub max_results: Option<usize>,
}

/// Params of [`Strategy::KeywordSearch`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KeywordSearch {
    /// The words; several searches are put together.
    pub words: Vec<String>,
    /// Some of the words are enough; to be read before anybody relies on it.
    pub any: bool,
    /// `{{node.items}}`: what is called like one of these.
    pub like: Option<String>,
    /// Kinds of things; none: all.
    pub over: Vec<ItemKind>,
    /// One of these takes part.
    pub people: PeopleParam,
    /// From when on: an ISO time.
    pub from: Option<String>,
    /// Until when: an ISO time.
    pub until: Option<String>,
    /// All of these are true of it.
    pub with: Vec<ItemMark>,
    /// None of these is.
    pub without: Vec<ItemMark>,
    /// At most so many.
    pub max_results: Option<usize>,
}

/// What is taken from things that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadField {
    /// Who owes whom an answer.
    Waiting,
    /// What was promised.
    Promises,
    /// Amounts of money.
    Amounts,
    /// What it is about.
    Topic,
}

/// Params of [`Strategy::BatchThreadRead`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BatchThreadRead {
    /// `{{node.items}}`.
    pub items: String,
    /// What is taken from each.
    pub fields: Vec<ReadField>,
    /// What is looked for in them.
    pub about: Option<String>,
    /// Words of which one should stand in them as well.
    pub also: Vec<String>,
    /// At most so many are read, best first.
    pub max_items: Option<usize>,
    /// Of which sort is read first; without one whoever waits for the person.
    pub first: Option<FindingSort>,
}

/// How lists are put together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetOperation {
    /// What is in any.
    #[default]
    Union,
    /// What is in all.
    Intersection,
    /// What is in the first and in no other.
    Difference,
}

/// By what things are the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchBy {
    /// They are the same thing.
    #[default]
    Item,
    /// The same people take part.
    People,
}

/// In which order things come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankBy {
    /// What fits best first.
    #[default]
    Relevance,
    /// The latest first.
    Newest,
    /// What takes place first, first.
    Soonest,
    /// What is due first, then what waits longest.
    Urgency,
    /// Whoever takes part most often first.
    Frequency,
}

/// Params of [`Strategy::CrossReference`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrossReference {
    /// `{{node.items}}`, each.
    pub sources: Vec<String>,
    /// How they are put together.
    pub operation: SetOperation,
    /// By what they are the same.
    pub by: MatchBy,
    /// In which order.
    pub rank_by: RankBy,
    /// By what a model ranks them, in words; without one `rank_by` does.
    pub criteria: Option<String>,
    /// Only what fits about as well as the best.
    pub only_best: bool,
    /// Only what fits at least so well: from 0 to 1.
    pub score_min: f32,
    /// At most so many.
    pub take_top: Option<usize>,
}

/// Of what sort things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingSort {
    /// Somebody waits for the person.
    WaitsForMe,
    /// The person waits for somebody.
    WaitsForOthers,
    /// Something was promised to the person.
    PromisedToMe,
    /// The person promised something.
    PromisedByMe,
    /// It is about what is asked.
    About,
    /// Something of it is open.
    Open,
    /// The person was asked and has not answered.
    Unanswered,
    /// Something promised to the person is open.
    OpenPromiseToMe,
    /// Something the person promised is open.
    OpenPromiseByMe,
    /// It names an amount.
    Amount,
}

/// Params of [`Strategy::SemanticAnalysis`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemanticAnalysis {
    /// `{{node.items}}`.
    pub items: String,
    /// What is of one of these sorts is kept.
    pub keep: Vec<FindingSort>,
    /// Only what is with one of these.
    pub people: PeopleParam,
    /// Only what came last from then on: an ISO time.
    pub last_from: Option<String>,
    /// Only what came last before: an ISO time.
    pub last_until: Option<String>,
    /// Only what is due before, or overdue: an ISO time.
    pub due_until: Option<String>,
    /// What has no day is kept as well.
    pub undated: bool,
    /// What is asked of each, in words, for a model; without one the sorts are told by code.
    pub question: Option<String>,
}

/// A text that is a reference to another node.
pub fn reference(text: &str) -> Option<OutputRef<String>> {
    OutputRef::from_str(text).ok()
}

impl EvidenceNode {
    /// One without description.
    pub fn new(id: &str, strategy: Strategy) -> Self {
        Self { id: id.to_owned(), description: String::new(), strategy, depends_on: Vec::new() }
    }

    /// Whether code has put it before those of a model.
    pub fn is_known(&self) -> bool {
        self.id.starts_with(KNOWN)
    }

    /// Calls it and what it refers to apart from the nodes of another graph.
    pub fn rename(&mut self, prefix: &str) {
        let apart = |text: &mut String| *text = text.replace("{{", &format!("{{{{{prefix}"));
        self.id.insert_str(0, prefix);
        self.depends_on.iter_mut().for_each(|on| on.insert_str(0, prefix));
        match &mut self.strategy {
            Strategy::MetadataFilter(MetadataFilter { people, .. }) => people.iter_mut().for_each(apart),
            Strategy::KeywordSearch(KeywordSearch { people, like, .. }) => {
                people.iter_mut().chain(like).for_each(apart);
            }
            Strategy::BatchThreadRead(BatchThreadRead { items, .. }) => apart(items),
            Strategy::SemanticAnalysis(SemanticAnalysis { items, people, .. }) => {
                people.iter_mut().chain([items]).for_each(apart);
            }
            Strategy::CrossReference(CrossReference { sources, .. }) => sources.iter_mut().for_each(apart),
        }
    }

    /// What it refers to, and of what type that has to be.
    pub fn references(&self) -> Vec<(&str, OutputType)> {
        let is_reference = |who: &&String| who.trim_start().starts_with("{{");
        match &self.strategy {
            Strategy::MetadataFilter(MetadataFilter { people, .. }) => {
                people.iter().filter(is_reference).map(|who| (who.as_str(), OutputType::People)).collect()
            }
            Strategy::KeywordSearch(KeywordSearch { people, like, .. }) => {
                let people = people.iter().filter(is_reference).map(|who| (who.as_str(), OutputType::People));
                people.chain(like.iter().map(|like| (like.as_str(), OutputType::Items))).collect()
            }
            Strategy::BatchThreadRead(BatchThreadRead { items, .. }) => vec![(items, OutputType::Items)],
            Strategy::SemanticAnalysis(SemanticAnalysis { items, people, .. }) => {
                let people = people.iter().filter(is_reference).map(|who| (who.as_str(), OutputType::People));
                people.chain([(items.as_str(), OutputType::Items)]).collect()
            }
            Strategy::CrossReference(CrossReference { sources, .. }) => {
                sources.iter().map(|source| (source.as_str(), OutputType::Items)).collect()
            }
        }
    }

    /// Its place in the graph. What it only puts together goes on without a part that failed; what it reads or filters
    /// by has to be there.
    pub fn placed(&self) -> Node<String, OutputType> {
        let goes_on =
            matches!(&self.strategy, Strategy::CrossReference(cross) if cross.operation == SetOperation::Union);
        let on_failure = if goes_on { OnFailure::GoOn } else { OnFailure::Stop };
        let mut node = Node::new(self.id.clone()).giving(ITEMS, OutputType::Items).giving(PEOPLE, OutputType::People);
        for on in &self.depends_on {
            node = node.after(on.clone(), on_failure);
        }
        for (text, wants) in self.references() {
            if let Some(from) = reference(text) {
                node = node.after(from.node.clone(), on_failure).taking(from, wants);
            }
        }
        node
    }
}
