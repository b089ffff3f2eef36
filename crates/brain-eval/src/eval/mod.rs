//! How good is the understanding of this installation? Files of messages with known answers, in; figures, out.
//!
//! ```text
//! file ─► rows (one a line) ─► answered by built-in understanding, or by the configured model through the very
//!      stages of a turn ─► judged against what was expected ─► Report
//! ```
//!
//! A file may be sampled, and a second configuration and built-in understanding asked beside the first: `columns`. What
//! is wrong is told by its kind: `wrong`.
//!
//! One file a stage: [`consent`], [`route`], [`when`], [`plan`] (with `alike`: when is a plan the expected one?); and
//! [`scenario`] for all of them together, judged by what has changed in the end. [`memory`] asks the search behind them.
//! Each stage is measured alone: `route` without planning, `plan` over all services without routing, so that a
//! figure belongs to one stage. Consent and times are read by code whatever is configured; they call no model.
//!
//! Invariants: a line that cannot be read ends the evaluation with its number, since figures over part of a
//! file would mislead; judging is not timed; a model's stage that fell back to built-in understanding is
//! counted. Deliberately not here: what counts as good enough. That is for the reader, or a test, to say.

mod alike;
mod asker;
mod columns;
mod consent;
pub mod example;
#[cfg(test)]
mod grounded;
mod memory;
#[cfg(test)]
mod omissions;
mod plan;
mod report;
mod route;
mod rows;
mod sample;
mod scenario;
mod when;
mod wrong;

use std::path::Path;
use std::time::Instant;

pub use memory::{RetrievalComparison, RetrievalFigures};
pub use report::EvalReport;
pub use sample::Sample;

use asker::Asker;
use brain_app::app::StartError;
use brain_app::config::Config;
use brain_core::core::turn::Done;
use brain_core::limits;
use brain_core::ports::{EmbedError, Stage, StoreError};
use report::Tally;
use rows::EvalLine;
use wrong::Wrong;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Measured {
    /// Is a message a yes, a no, or neither?
    Consent,
    /// Which services does a message need?
    Route,
    /// Which time does it speak of?
    When,
    /// Which commands with which parameters does it ask for?
    Plan,
    /// What has changed after a whole conversation?
    Scenario,
    /// What does a question bring back of what is remembered?
    Memory,
}

impl Measured {
    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consent => "consent",
            Self::Route => "route",
            Self::When => "when",
            Self::Plan => "plan",
            Self::Scenario => "scenario",
            Self::Memory => "memory",
        }
    }
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The model where one is configured and the stage asks models.
    Configured,
    /// Built-in understanding, whatever is configured; for `memory`, words alone.
    BuiltIn,
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The file cannot be opened, is too large, or is no UTF-8.
    #[error("{file} cannot be read: {why}")]
    File {
        /// As it was given.
        file: String,
        /// In words for the person who measures.
        why: String,
    },
    /// A line is not what its format says.
    #[error("{file}:{line}: {why}")]
    EvalLine {
        /// As it was given.
        file: String,
        /// 1-based.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A line can be read, and its world cannot be played.
    #[error("{file}:{line} cannot be played: {why}")]
    World {
        /// As it was given.
        file: String,
        /// 1-based.
        line: usize,
        /// What came in between.
        why: String,
    },
    /// The embedding endpoint failed.
    #[error("{file}:{line}: {why}")]
    Embeddings {
        /// As it was given.
        file: String,
        /// 1-based.
        line: usize,
        /// What became of it.
        why: EmbedError,
    },
    /// The stages cannot be set up.
    #[error(transparent)]
    Start(#[from] StartError),
    /// They need a folder that is thrown away afterwards.
    #[error("a temporary folder cannot be made")]
    Folder(#[source] std::io::Error),
    /// The stages cannot be run.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How one answer compares with what was expected.
#[derive(Debug, Default)]
struct RowVerdict {
    is_right: bool,
    /// Row of the confusion table.
    class: String,
    /// Column of the confusion table.
    got_class: String,
    /// The expected answer in full, for the list of misses.
    expected: String,
    /// The given answer in full.
    got: String,
    /// In which way it is wrong, where that is told apart.
    wrong: Option<Wrong>,
    /// It offered something that nobody expected.
    is_proposed_wrongly: bool,
}

/// One example of a stage.
trait EvalRow: Sized {
    /// What the stage answers.
    type Answer;
    /// Reads a line of the file; the error says what is wrong with it.
    fn parse(line: &str) -> Result<Self, String>;
    /// The message that the stage is given.
    fn input(&self) -> &str;
    /// Built-in understanding's answer.
    fn built_in(&self) -> Self::Answer;
    /// The answer of the same stage with a model, and what it took.
    async fn ask(&self, asker: &Asker) -> Result<(Self::Answer, Done), StoreError>;
    /// Compares.
    fn judge(&self, answer: &Self::Answer) -> RowVerdict;
}

/// What to measure, and on what.
#[derive(Debug, Clone)]
pub struct EvalRequest<'a> {
    /// The stage that is measured.
    pub what: Measured,
    /// The messages and their answers.
    pub file: &'a Path,
    /// Who answers.
    pub who: Who,
    /// Some of the rows only.
    pub sample: Option<Sample>,
}

/// A second configuration, to be measured on the same rows.
#[derive(Debug)]
pub struct ComparedConfig {
    /// What differs, for people.
    pub label: String,
    /// All of it.
    pub config: Config,
}

/// Measures a stage on a file, and beside it the second configuration; where a model answers, built-in understanding as
/// well, and where meaning is looked up, words alone.
pub async fn run(
    order: &EvalRequest<'_>,
    config: &Config,
    beside: Option<&ComparedConfig>,
) -> Result<EvalReport, EvalError> {
    let mut report = column(order, config).await?;
    let is_by_model = !report.is_built_in();
    let mut columns = Vec::new();
    if let Some(ComparedConfig { label, config }) = beside {
        columns.push(EvalReport { setting: Some(label.clone()), ..column(order, config).await? });
    }
    if is_by_model {
        let order = EvalRequest { who: Who::BuiltIn, ..order.clone() };
        columns.push(column(&order, config).await?);
    }
    report.beside = columns;
    Ok(report)
}

async fn column(order: &EvalRequest<'_>, config: &Config) -> Result<EvalReport, EvalError> {
    let begun = Instant::now();
    let report = measured(order, config).await?;
    Ok(EvalReport { seconds: begun.elapsed().as_secs_f64(), ..report })
}

async fn measured(order: &EvalRequest<'_>, config: &Config) -> Result<EvalReport, EvalError> {
    let EvalRequest { what, file, who, .. } = *order;
    match what {
        Measured::Consent => measure(order, consent::ConsentExample::parse, None).await,
        Measured::When => measure(order, when::TimeExample::parse, None).await,
        Measured::Route => {
            let asker = Asker::open(Stage::Route, who, config)?;
            measure(order, route::RouteExample::parse, asker.as_ref()).await
        }
        Measured::Plan => {
            let asker = Asker::open(Stage::Plan, who, config)?;
            measure(order, plan::PlanExample::parse, asker.as_ref()).await
        }
        Measured::Scenario => scenario::measure(file, order.sample, who, config).await,
        Measured::Memory => memory::measure(order, config).await,
    }
}

/// Whether a line is a scenario that can be played; the error says what is wrong with it.
pub fn check_scenario(line: &str) -> Result<(), String> {
    scenario::check(line)
}

async fn measure<R: EvalRow>(
    order: &EvalRequest<'_>,
    parse: fn(&str) -> Result<R, String>,
    asker: Option<&Asker>,
) -> Result<EvalReport, EvalError> {
    let rows = rows::read(order.file, order.sample, parse)?;
    let mut tally = Tally::new(order.what, asker.map(Asker::name));
    if asker.is_none() {
        rows.iter().take(limits::EVAL_WARM_UP_ROWS).for_each(|line| drop(line.row.built_in()));
    }
    for EvalLine { number, row } in &rows {
        let begun = Instant::now();
        let (answer, done) = match asker {
            Some(asker) => row.ask(asker).await.map(|(answer, done)| (answer, Some(done)))?,
            None => (row.built_in(), None),
        };
        let took = begun.elapsed();
        tally.add(*number, row.input(), row.judge(&answer), took, done.as_ref(), None);
    }
    Ok(tally.report(asker.and_then(Asker::price)))
}
