//! Figures: gathered row by row, shown as one JSON object or as text.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::Serialize;

use super::memory::{RetrievalComparison, RetrievalFigures};
use super::{Measured, RowVerdict, columns};
use brain_core::core::turn::Done;
use brain_core::ports::TokenPrice;

/// What an evaluation came to. Serialised, it is what `--json` prints.
#[derive(Debug, Serialize)]
pub struct EvalReport {
    /// What was measured.
    pub stage: &'static str,
    /// How many messages.
    pub total: usize,
    /// How many answers were right.
    pub correct: usize,
    /// `correct / total`.
    pub accuracy: f64,
    /// Expected, then got, then how often.
    pub confusion: BTreeMap<String, BTreeMap<String, usize>>,
    /// How often each verdict was given, where there are several (`scenario`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub verdicts: BTreeMap<String, usize>,
    /// In which way wrong answers are wrong, and how often (`route`, `plan`, `scenario`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub wrong: BTreeMap<String, usize>,
    /// Rows that ended with an offer whose first choice does something that nobody expected (`scenario`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed_wrongly: Option<usize>,
    /// How much of what was asked for is found, and how much in the plain way (`memory`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieval: Option<RetrievalComparison>,
    /// Why only words were measured, where meaning was to be as well (`memory`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmeasured: Option<String>,
    /// The whole run on the wall's clock, in seconds; rows of scenarios run beside each other.
    pub seconds: f64,
    /// Half of the messages took at most so many microseconds.
    pub p50_us: u64,
    /// And 99 of 100 at most so many.
    pub p99_us: u64,
    /// Requests to a model, retries included.
    pub llm_calls: u32,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// What the tokens cost; `None` where nobody said what they cost.
    pub cost_usd: Option<f64>,
    /// The model's name, for `memory` that of the vectors; or `built-in`.
    pub by: String,
    /// Messages that built-in understanding answered in the model's place, or nobody, because it failed.
    pub fallbacks: usize,
    /// The misses, in the order of the file; empty in JSON unless they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Miss>,
    /// What differs from the first configuration, in the report of a second one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    /// The same rows by a second configuration, and by built-in understanding where a model answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<EvalReport>,
}

/// What a miss of a scenario is told with.
#[derive(Debug, Default, Serialize)]
pub struct MissDetail {
    /// What the row is called.
    pub name: String,
    /// What was answered, in order.
    pub answers: Vec<String>,
}

/// A wrong answer.
#[derive(Debug, Serialize)]
pub struct Miss {
    /// 1-based line of the file.
    pub line: usize,
    /// The message, as in the file.
    pub input: String,
    /// What would have been right.
    pub expected: String,
    /// What it was.
    pub got: String,
    /// What else there is to tell.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub aside: Option<MissDetail>,
}

impl fmt::Display for Miss {
    /// Quoted so that hidden characters show and every miss stays on its line; answers stand on lines of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let (expected, got) = (one_line(&self.expected), one_line(&self.got));
        let name = self.aside.as_ref().map(|aside| format!(" ({})", aside.name)).unwrap_or_default();
        write!(f, "line {}{name}: {:?} expected {expected}, got {got}", self.line, self.input)?;
        let answers = self.aside.iter().flat_map(|aside| &aside.answers);
        answers.into_iter().try_for_each(|answer| write!(f, "\n    {answer:?}"))
    }
}

impl EvalReport {
    /// For people, without the misses.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{}: {} of {} right ({:.1} %), by {}\n\n",
            self.stage,
            self.correct,
            self.total,
            self.accuracy * 100.0,
            self.by_whom()
        );
        text.push_str(&self.table());
        if !self.verdicts.is_empty() {
            let counts: Vec<String> =
                self.verdicts.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
            let _ = writeln!(text, "\nin all: {}", counts.join(", "));
        }
        if let Some(wrongly @ 1..) = self.proposed_wrongly {
            let _ = writeln!(text, "proposed wrongly: {wrongly} (they count as what they ended with)");
        }
        if !self.wrong.is_empty() {
            let kinds: Vec<String> = self.wrong.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let _ = writeln!(text, "wrong by kind: {}", kinds.join(", "));
        }
        if let Some(RetrievalComparison { stored, found, bm25 }) = &self.retrieval {
            let _ = writeln!(text, "{stored} facts stored");
            for (name, of) in [("found", found), ("by stems alone (BM25)", bm25)] {
                let RetrievalFigures { recall_at_5, recall_at_10, mean_reciprocal_rank } = of;
                let _ = writeln!(
                    text,
                    "{name}: recall at 5 {recall_at_5:.3}, at 10 {recall_at_10:.3}, mean reciprocal rank {mean_reciprocal_rank:.3}"
                );
            }
        }
        for EvalReport { unmeasured, setting, .. } in std::iter::once(self).chain(&self.beside) {
            let setting = setting.as_ref().map(|setting| format!("{setting}: ")).unwrap_or_default();
            if let Some(why) = unmeasured {
                let _ = writeln!(text, "{setting}only words were measured, not meaning: {why}");
            }
        }
        let _ =
            write!(text, "\np50 {} µs, p99 {} µs a message, {:.1} s in all\n", self.p50_us, self.p99_us, self.seconds);
        let _ = writeln!(
            text,
            "{} model calls, {} tokens in, {} tokens out",
            self.llm_calls, self.tokens_in, self.tokens_out
        );
        if self.llm_calls > 0 {
            let _ = match self.cost_usd {
                Some(usd) => {
                    writeln!(text, "cost ${usd:.4}, ${:.4} a thousand messages", usd * 1e3 / self.total.max(1) as f64)
                }
                None => writeln!(text, "cost unknown: set LLM_PRICE_IN and LLM_PRICE_OUT"),
            };
        }
        if self.fallbacks > 0 {
            let _ = writeln!(text, "{} messages could not be answered by the model", self.fallbacks);
        }
        if !self.beside.is_empty() {
            let all: Vec<&Self> = std::iter::once(self).chain(&self.beside).collect();
            let _ = write!(text, "\n{}", columns::side_by_side(&all));
        }
        text
    }

    /// Whether no model was asked.
    pub fn is_built_in(&self) -> bool {
        self.by == BUILT_IN
    }

    /// Who answered, as a column is headed.
    pub(super) fn head(&self) -> String {
        match (self.stage, self.is_built_in()) {
            ("memory", true) => "words alone".to_owned(),
            ("memory", false) => format!("words and meaning ({})", self.by),
            _ => self.by.clone(),
        }
    }

    fn by_whom(&self) -> String {
        match self.stage {
            "consent" | "when" => "code alone (no model is asked for this)".to_owned(),
            "memory" => self.head(),
            _ if self.is_built_in() => "built-in understanding".to_owned(),
            _ => format!("the model “{}”", self.by),
        }
    }

    /// The confusion table: a row for each expected answer, a column for each that was got.
    fn table(&self) -> String {
        let mut columns: Vec<&str> = self.confusion.values().flat_map(|got| got.keys().map(String::as_str)).collect();
        columns.sort_unstable();
        columns.dedup();
        // Sets of services give many columns; then each row names only what it was taken for.
        if columns.len() > COLUMNS_MAX { self.sparse() } else { self.dense(&columns) }
    }

    fn dense(&self, columns: &[&str]) -> String {
        let first = width(self.confusion.keys().map(String::as_str).chain([EXPECTED]));
        let cell = |column: &str| column.chars().count().max(6);
        let mut text = format!("{EXPECTED:first$}");
        for column in columns {
            let _ = write!(text, "  {column:>width$}", width = cell(column));
        }
        text.push('\n');
        for (expected, got) in &self.confusion {
            let _ = write!(text, "{expected:first$}");
            for column in columns {
                let count = got.get(*column).copied().unwrap_or(0);
                let _ = write!(text, "  {count:>width$}", width = cell(column));
            }
            text.push('\n');
        }
        text
    }

    fn sparse(&self) -> String {
        let first = width(self.confusion.keys().map(String::as_str).chain([EXPECTED]));
        let mut text = format!("{EXPECTED:first$}   rows  right  taken for\n");
        for (expected, got) in &self.confusion {
            let rows: usize = got.values().sum();
            let right = got.get(expected).copied().unwrap_or(0);
            let others = got.iter().filter(|(name, _)| *name != expected);
            let others: Vec<String> = others.map(|(name, count)| format!("{name} {count}")).collect();
            let line = format!("{expected:first$}  {rows:>5}  {right:>5}  {}", others.join(", "));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

const BUILT_IN: &str = "built-in";
/// The verdict of a scenario in which everything was.
pub(super) const RIGHT: &str = "right";
const EXPECTED: &str = "expected";
/// Columns that fit a terminal side by side.
const COLUMNS_MAX: usize = 6;

fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}

/// Figures under way.
#[derive(Debug)]
pub(super) struct Tally {
    report: EvalReport,
    took_us: Vec<u64>,
}

impl Tally {
    /// Nothing yet; `model` is who answers, or `None` for built-in understanding.
    pub(super) fn new(what: Measured, model: Option<&str>) -> Self {
        let report = EvalReport {
            stage: what.name(),
            total: 0,
            correct: 0,
            accuracy: 0.0,
            confusion: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            p50_us: 0,
            p99_us: 0,
            llm_calls: 0,
            tokens_in: 0,
            tokens_out: 0,
            cost_usd: None,
            by: model.unwrap_or(BUILT_IN).to_owned(),
            fallbacks: 0,
            errors: Vec::new(),
            wrong: BTreeMap::new(),
            proposed_wrongly: (what == Measured::Scenario).then_some(0),
            retrieval: None,
            unmeasured: None,
            seconds: 0.0,
            setting: None,
            beside: Vec::new(),
        };
        Self { report, took_us: Vec::new() }
    }

    /// One more message; the turns say what a model's answers took.
    pub(super) fn add<'a>(
        &mut self,
        line: usize,
        input: &str,
        verdict: RowVerdict,
        took: Duration,
        turns: impl IntoIterator<Item = &'a Done>,
        aside: Option<MissDetail>,
    ) {
        let RowVerdict { is_right, class, got_class, expected, got, wrong, is_proposed_wrongly } = verdict;
        let report = &mut self.report;
        if let Some(wrong) = wrong {
            *report.wrong.entry(wrong.to_string()).or_default() += 1;
        }
        if let Some(wrongly) = &mut report.proposed_wrongly {
            *wrongly += usize::from(is_proposed_wrongly);
        }
        report.total += 1;
        report.correct += usize::from(is_right);
        if aside.is_some() {
            *report.verdicts.entry(got_class.clone()).or_default() += 1;
        }
        *report.confusion.entry(class).or_default().entry(got_class).or_default() += 1;
        if !is_right {
            report.errors.push(Miss { line, input: input.to_owned(), expected, got, aside });
        }
        for turn in turns {
            report.llm_calls += turn.llm_calls;
            report.tokens_in += turn.tokens_in;
            report.tokens_out += turn.tokens_out;
            report.fallbacks += usize::from(!turn.fallbacks.is_empty());
        }
        // Rounded up: nothing takes no time.
        let us = took.as_nanos().div_ceil(1_000);
        self.took_us.push(u64::try_from(us).unwrap_or(u64::MAX));
    }

    /// The end of it; `price` is that of the model's tokens.
    pub(super) fn report(mut self, price: Option<TokenPrice>) -> EvalReport {
        self.took_us.sort_unstable();
        let mut report = self.report;
        report.accuracy = report.correct as f64 / report.total.max(1) as f64;
        report.cost_usd = match report.llm_calls {
            0 => Some(0.0),
            _ => price.map(|price| price.of(report.tokens_in, report.tokens_out)),
        };
        report.p50_us = percentile(&self.took_us, 50);
        report.p99_us = percentile(&self.took_us, 99);
        report
    }
}

/// The smallest value that at least `percent` of all do not exceed (nearest rank).
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!((percentile(&hundred, 50), percentile(&hundred, 99)), (50, 99));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 99), percentile(&[], 50)), (7, 7, 0));
        assert_eq!((percentile(&[1, 9], 50), percentile(&[1, 9], 99)), (1, 9));
    }
}
