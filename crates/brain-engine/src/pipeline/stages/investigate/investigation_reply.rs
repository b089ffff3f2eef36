//! What an answer says around its rows: a heading, what could not be looked at, and how it came about.

use std::collections::HashSet;

use crate::investigate::finding::NodeOutput;
use crate::investigate::graph::{AnswerKind, EvidenceGraph};
use crate::investigate::node::OutputType;
use crate::investigate::run::{EvidenceRun, NodeOutcome, RanNode, RunEnd};
use crate::investigate::synthesize::AnswerRow;
use brain_core::core::metrics::InvestigationMetrics;

pub(super) type InvestigationRun = EvidenceRun<NodeOutput, OutputType>;

/// See the module.
pub(super) struct InvestigationReply {
    pub heading: String,
    pub remarks: Vec<String>,
    pub answers: AnswerKind,
    pub topic: String,
    pub trace: Vec<String>,
    /// None for what is told again from rows that are kept.
    pub metrics: Option<InvestigationMetrics>,
}

/// Rows, each thing once.
pub(super) fn distinct(rows: impl Iterator<Item = AnswerRow>) -> Vec<AnswerRow> {
    let mut seen = HashSet::new();
    rows.filter(|row| seen.insert((row.item.service.clone(), row.item.id.clone()))).collect()
}

/// What there is of a node. Where somebody stopped it before it was done: of what it works on, unsifted.
pub(super) fn so_far<'r>(ran: &'r InvestigationRun, id: &str) -> Option<&'r NodeOutput> {
    let node = ran.node(id)?;
    let is_stopped = matches!(ran.end, RunEnd::Cancelled | RunEnd::OutOfTime);
    let before = || node.after.iter().filter(|_| is_stopped).find_map(|id| so_far(ran, id));
    node.output().or_else(before)
}

/// A run in text: a line a node, by the stage it would be in, with what it found and what it took; then all of it.
pub(super) fn drawing(graph: &EvidenceGraph, ran: &InvestigationRun, metrics: &InvestigationMetrics) -> Vec<String> {
    let nodes = (0..ran.stages()).flat_map(|depth| ran.nodes.iter().filter(move |node| node.depth == depth));
    nodes.map(|node| drawn(graph, node)).chain(metrics.to_string().lines().map(str::to_owned)).collect()
}

fn drawn(graph: &EvidenceGraph, node: &RanNode<NodeOutput>) -> String {
    let spec = graph.nodes.iter().find(|spec| spec.id == node.id);
    let strategy = spec.map_or("", |spec| spec.strategy.name());
    let after = if node.after.is_empty() { String::new() } else { format!(" ← {}", node.after.join(", ")) };
    let came = match (node.output(), node.outcome.why_not()) {
        (Some(output), _) if output.is_kept => format!("{} found, as a while ago", output.findings.len()),
        (Some(output), _) => format!("{} found", output.findings.len()),
        (None, why) => format!("✗ {}", why.unwrap_or_default()),
    };
    let ms = node.ended_us.zip(node.started_us).map(|(end, start)| end.saturating_sub(start) / 1_000);
    let time = ms.map_or_else(String::new, |ms| format!(", {ms} ms"));
    let cost = if node.calls == 0 { String::new() } else { format!(", {} calls, {} tokens", node.calls, node.tokens) };
    let indent = "  ".repeat(node.depth);
    format!("{indent}{}. {} ({strategy}){after}: {came}{time}{cost}", node.depth + 1, node.id)
}

/// That a run ended before it was done.
pub(super) fn ended(ran: &InvestigationRun) -> Option<String> {
    let why = match &ran.end {
        RunEnd::Complete => return None,
        RunEnd::Cancelled => "⏹ Stopped on request: this is what I had found by then.",
        RunEnd::OutOfTime => "⌛ I ran out of time: this is what I had found by then.",
        RunEnd::Broken(_) => "❗ I could not look into all of it.",
    };
    Some(why.to_owned())
}

/// What could not be looked at, each once; of what is shown, how much more there is.
pub(super) fn remarks<'o>(ran: &InvestigationRun, shown: impl Iterator<Item = &'o NodeOutput>) -> Vec<String> {
    // What is unread in one part is so in the next, too.
    let (more, unread) = shown.fold((0, 0), |(more, unread), of| (more + of.more, of.unread.max(unread)));
    let mut remarks: Vec<String> = ended(ran).into_iter().collect();
    let gaps = ran.outputs().flat_map(|(_, output)| output.gaps.clone());
    let failed = ran.nodes.iter().filter_map(|node| match &node.outcome {
        NodeOutcome::Failed(trouble) => Some(format!("I could not look at everything: {trouble}")),
        NodeOutcome::Done(_) | NodeOutcome::GivenUp { .. } | NodeOutcome::Unfinished => None,
    });
    for gap in gaps.chain(failed) {
        let gap = format!("❗ {}", gap.trim_start_matches("❗ "));
        if !remarks.contains(&gap) {
            remarks.push(gap);
        }
    }
    if unread > 0 {
        remarks.push(format!("({unread} more were not read, the less likely ones.)"));
    }
    if more > 0 {
        remarks.push(format!("({more} more fit the search and were not looked at.)"));
    }
    remarks
}
