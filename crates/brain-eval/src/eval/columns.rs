//! Several configurations on the same rows, a column each.
//!
//! ```text
//!                    qwen   qwen, BRAIN_PLANNING=steps   built-in
//! right                12                           14          9
//! proposed              3                            2          4
//! wrong                 2                            1          1
//!   invented            1                            0          0
//! right: task           5                            6          4
//! calls               131                          160          0
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::memory::RetrievalFigures;
use super::report::{EvalReport, RIGHT};

type RetrievalLine = (&'static str, fn(&RetrievalFigures) -> f64);
const RETRIEVAL: [RetrievalLine; 3] = [
    ("recall at 5", |figures| figures.recall_at_5),
    ("recall at 10", |figures| figures.recall_at_10),
    ("mean reciprocal rank", |figures| figures.mean_reciprocal_rank),
];

/// The table of these reports.
pub(super) fn side_by_side(reports: &[&EvalReport]) -> String {
    let heads = reports.iter().map(|report| match &report.setting {
        Some(setting) => format!("{}, {setting}", report.head()),
        None => report.head(),
    });
    let mut lines = vec![(String::new(), heads.collect::<Vec<_>>())];
    let mut line = |name: String, cell: &dyn Fn(&EvalReport) -> String| {
        lines.push((name, reports.iter().map(|report| cell(report)).collect()));
    };
    let has_verdicts = reports.iter().any(|report| !report.verdicts.is_empty());
    if has_verdicts {
        for verdict in keys(reports, |report| report.verdicts.keys()) {
            line(verdict.clone(), &|report| count(report.verdicts.get(&verdict)));
        }
        line("proposed wrongly".to_owned(), &|report| report.proposed_wrongly.unwrap_or(0).to_string());
    } else {
        line(RIGHT.to_owned(), &|report| report.correct.to_string());
    }
    for kind in keys(reports, |report| report.wrong.keys()) {
        line(format!("wrong: {kind}"), &|report| count(report.wrong.get(&kind)));
    }
    if has_verdicts {
        for area in keys(reports, |report| report.confusion.keys()) {
            line(format!("right: {area}"), &|report| count(report.confusion.get(&area).and_then(|got| got.get(RIGHT))));
        }
    }
    if reports.iter().any(|report| report.retrieval.is_some()) {
        for (name, of) in RETRIEVAL {
            line(name.to_owned(), &|report| {
                report.retrieval.map_or_else(String::new, |retrieval| format!("{:.3}", of(&retrieval.found)))
            });
        }
    } else {
        line("calls".to_owned(), &|report| report.llm_calls.to_string());
        line("tokens in".to_owned(), &|report| report.tokens_in.to_string());
        line("tokens out".to_owned(), &|report| report.tokens_out.to_string());
        line("could not be answered".to_owned(), &|report| report.fallbacks.to_string());
    }
    line("p50, s".to_owned(), &|report| format!("{:.2}", report.p50_us as f64 / 1e6));
    line("in all, s".to_owned(), &|report| format!("{:.1}", report.seconds));
    table(&lines)
}

fn keys<'a, I: Iterator<Item = &'a String>>(
    reports: &[&'a EvalReport],
    of: impl Fn(&'a EvalReport) -> I,
) -> BTreeSet<String> {
    reports.iter().flat_map(|report| of(report)).cloned().collect()
}

fn count(count: Option<&usize>) -> String {
    count.copied().unwrap_or(0).to_string()
}

fn table(lines: &[(String, Vec<String>)]) -> String {
    let width = |text: &String| text.chars().count();
    let first = lines.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let columns = lines.first().map_or(0, |(_, cells)| cells.len());
    let widths: Vec<usize> =
        (0..columns).map(|at| lines.iter().map(|(_, cells)| width(&cells[at])).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (name, cells) in lines {
        let _ = write!(text, "{name:first$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(text, "   {cell:>width$}");
        }
        text.push('\n');
    }
    text
}
