//! A language model, as the stages use it.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::{AnswerSchema, Meter};

/// The stages that may call a model; the name goes out as `X-Brain-Stage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Is this message allowed?
    Guard,
    /// Which services does it need?
    Route,
    /// What is it, and which commands does it ask for?
    Select,
    /// Which services does it need, where there are too many commands to choose from at once?
    SelectServices,
    /// Which commands of one service?
    SelectCommands,
    /// Which parameters has one command?
    BuildParams,
    /// Which commands with which parameters?
    Plan,
    /// What is to be done and said, in one growing exchange?
    Converse,
    /// Is anything still missing?
    Reflect,
    /// Small talk.
    Chat,
    /// One to three warm, honest sentences.
    Respond,
    /// Which pieces of evidence answer a question?
    Decompose,
    /// Which of the questions that there are graphs for is it?
    Template,
    /// What does one thing say?
    Extract,
    /// Which findings fit best?
    Rank,
    /// Of what sort are findings?
    Classify,
    /// An answer from findings.
    Synthesize,
    /// What was said so far, in short.
    Summarize,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 18] = [
        Self::Guard,
        Self::Route,
        Self::Select,
        Self::SelectServices,
        Self::SelectCommands,
        Self::BuildParams,
        Self::Plan,
        Self::Converse,
        Self::Reflect,
        Self::Chat,
        Self::Respond,
        Self::Decompose,
        Self::Template,
        Self::Extract,
        Self::Rank,
        Self::Classify,
        Self::Synthesize,
        Self::Summarize,
    ];

    /// Its name in headers, settings, prompts and traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Route => "route",
            Self::Select => "select",
            Self::SelectServices => "select_services",
            Self::SelectCommands => "select_commands",
            Self::BuildParams => "build_params",
            Self::Plan => "plan",
            Self::Converse => "converse",
            Self::Reflect => "reflect",
            Self::Chat => "chat",
            Self::Respond => "respond",
            Self::Decompose => "decompose",
            Self::Template => "template",
            Self::Extract => "extract",
            Self::Rank => "rank",
            Self::Classify => "classify",
            Self::Synthesize => "synthesize",
            Self::Summarize => "summarize",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a turn has learned about endpoints: one that let a stage wait in vain is not waited for again. Shared by the
/// calls of one turn.
#[derive(Debug, Clone, Default)]
pub struct Patience(Arc<Mutex<HashSet<usize>>>);

impl Patience {
    /// This endpoint did not answer in time. `endpoint`: a number that is its own while the program runs.
    pub fn loses(&self, endpoint: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(endpoint);
    }

    /// Whether it did so before.
    pub fn is_lost_with(&self, endpoint: usize) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&endpoint)
    }
}

/// One question to a model. Cheap to clone: what is long is shared.
#[derive(Debug, Clone)]
pub struct Call {
    /// For which stage.
    pub stage: Stage,
    /// The stable part: instructions, byte-identical between calls of a stage with the same domains.
    pub system: Arc<str>,
    /// The volatile part: conversation, context, message.
    pub user: Arc<str>,
    /// The shape of the answer; `None` for plain words.
    pub schema: Option<AnswerSchema>,
    /// Most tokens the answer may have.
    pub tokens_max: u32,
    /// Of the turn that asks.
    pub patience: Patience,
    /// Likewise: whose call it is, and what it comes to.
    pub meter: Meter,
}

/// What calls cost. Sums with `+=`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Requests sent, retries included.
    pub calls: u32,
    /// As reported by the endpoint, else estimated as bytes / 4.
    pub tokens_in: u64,
    /// Likewise.
    pub tokens_out: u64,
    /// Those of `tokens_in` that the endpoint had read before and kept; 0 where it does not say.
    pub tokens_cached: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.tokens_cached += other.tokens_cached;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
    }
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenPrice {
    /// Sent.
    pub input_usd: f64,
    /// Received.
    pub output_usd: f64,
}

impl TokenPrice {
    /// Whether calls cost nothing.
    pub fn is_free(self) -> bool {
        self.input_usd == 0.0 && self.output_usd == 0.0
    }

    /// In US dollars.
    pub fn of(self, tokens_in: u64, tokens_out: u64) -> f64 {
        (tokens_in as f64 * self.input_usd + tokens_out as f64 * self.output_usd) / 1e6
    }
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// As it came, without surrounding white space.
    pub text: String,
    /// The JSON inside, repaired in form only, when a schema was asked for and one was found.
    pub json: Option<Value>,
    /// Tools that the model called in place of an answer, though none was offered; only where a schema was asked for.
    pub calls: Vec<ToolCall>,
    /// What it cost.
    pub usage: Usage,
    /// The endpoint that stands in for the stage's own gave it.
    pub is_substitute: bool,
}

/// A call of a tool as a model writes it: what it would have done, in its own form. Nothing in it is trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// As the model calls it, e.g. `task.create` or `create_task`.
    pub name: String,
    /// An object; empty where there were none, or none that can be read.
    pub arguments: Value,
}

/// How a model plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Planning {
    /// By its size: a conversation, or where it is known to be small in steps, and whole only what depends on something.
    #[default]
    Auto,
    /// One call chooses the commands, one a command fills in its parameters.
    Steps,
    /// One call routes, one plans everything.
    Whole,
    /// One call routes, and beside it everything is one growing exchange.
    Conversation,
}

/// When a model is asked for words about what a turn did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wording {
    /// Where receipts do not say everything already.
    #[default]
    Auto,
    /// Whenever something was done or looked up.
    Always,
    /// Never: receipts alone.
    Never,
}

/// Why there is no answer. Never holds keys or message texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No answer at all: refused connection, broken transfer, open circuit breaker.
    #[error("the model endpoint cannot be reached: {why}")]
    Unreachable {
        /// The reason, in words for the operator.
        why: String,
        /// What the attempts cost.
        usage: Usage,
    },
    /// It was waited for as long as its stage may be.
    #[error("the model did not answer in time: {why}")]
    TooSlow {
        /// The reason, in words for the operator.
        why: String,
        /// What the attempts cost.
        usage: Usage,
    },
    /// The endpoint answered with an error.
    #[error("the model endpoint answered {status}: {why}")]
    Rejected {
        /// HTTP status.
        status: u16,
        /// For the operator: what to do.
        why: String,
        /// What the attempts cost.
        usage: Usage,
    },
    /// The call was not made: there is not enough left of what may be spent.
    #[error("{why}")]
    OverBudget {
        /// Which budget, in words for the person.
        why: String,
    },
    /// The endpoint answered with something that is no completion.
    #[error("the model endpoint's answer cannot be read: {why}")]
    Unreadable {
        /// The reason, in words for the operator.
        why: String,
        /// What the attempts cost.
        usage: Usage,
    },
}

impl ModelError {
    /// What the attempts cost.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Unreachable { usage, .. }
            | Self::TooSlow { usage, .. }
            | Self::Rejected { usage, .. }
            | Self::Unreadable { usage, .. } => *usage,
            Self::OverBudget { .. } => Usage::default(),
        }
    }
}

/// A language model. Retries, fallback endpoints and time-outs are the adapter's; what an answer means is
/// the stage's.
#[async_trait]
pub trait Model: Send + Sync + fmt::Debug {
    /// One answer. With `words`, each piece of the answer is also sent there as it arrives.
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError>;

    /// The most tokens of a prompt that the endpoint of this stage reads, where it is known to cut them off; `None`
    /// while nothing is known.
    fn reads_tokens_max(&self, _stage: Stage) -> Option<u64> {
        None
    }

    /// Whether the model of this stage is known to be small, so that it plans in steps unless something else is set;
    /// false while nothing is known.
    fn is_small(&self, _stage: Stage) -> bool {
        false
    }

    /// Whether an answer to this stage is known to take long; false while nothing is known.
    fn is_slow(&self, _stage: Stage) -> bool {
        false
    }

    /// How long an answer to this stage takes, as its last ones did; `None` while nothing is known.
    fn takes(&self, _stage: Stage) -> Option<Duration> {
        None
    }

    /// Sends this call to the endpoint that stands in for the stage's own; false where there is no other.
    fn substitute(&self, _call: &Call) -> bool {
        false
    }

    /// Who is sent what is asked, each once; none where it is not known.
    fn hosts(&self) -> Vec<ModelHost> {
        Vec::new()
    }
}

/// Where a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelHost {
    /// Host and port, as people may be told them.
    pub place: String,
    /// Whether it is on the net of whoever runs this.
    pub is_own: bool,
}
