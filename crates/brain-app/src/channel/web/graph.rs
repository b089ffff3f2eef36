//! The graph that answered a question over everything: a column for each depth, an arrow from what came before, how each
//! node ended in words as well as in colour; and the same as a table for whoever cannot see it.

use std::collections::HashMap;

use brain_core::core::metrics::{InvestigationMetrics, TracedNode};
use brain_core::ports::records::{SpanOutcome, StageSpan};
use maud::{Markup, html};

use super::layout::length;

const BOX: (f64, f64) = (176.0, 44.0);
const GAP: (f64, f64) = (56.0, 14.0);
const EDGE: f64 = 6.0;
/// Nodes that are drawn; the table has all.
const DRAWN_MAX: usize = 120;
/// Characters of a line in a box.
const LINE_CHARS: usize = 26;

/// A node and its span, where it began.
struct GraphNode<'a> {
    node: &'a TracedNode,
    span: Option<&'a StageSpan>,
    /// Of its upper left corner.
    at: (f64, f64),
}

impl GraphNode<'_> {
    fn is_bad(&self) -> bool {
        self.span.is_none_or(|span| matches!(span.outcome, SpanOutcome::Failed(_) | SpanOutcome::Unusable))
    }

    /// How it ended: `3 found`, `failed: …`.
    fn ended(&self) -> String {
        match self.span.map(|span| span.outcome.to_string()) {
            None => "never began".to_owned(),
            Some(told) => match told.strip_prefix("ok: ") {
                Some(found) => format!("{found} found"),
                None => told,
            },
        }
    }

    fn took(&self) -> String {
        self.span.map(|span| length(span.us)).unwrap_or_default()
    }
}

/// The graph and its table; nothing where no graph was kept.
pub(super) fn drawn(metrics: &InvestigationMetrics, spans: &[StageSpan]) -> Markup {
    if metrics.graph.is_empty() {
        return html! {};
    }
    let by_name: HashMap<&str, &StageSpan> = spans.iter().map(|span| (span.name.as_str(), span)).collect();
    let mut rows: HashMap<usize, usize> = HashMap::new();
    let nodes: Vec<GraphNode<'_>> = metrics
        .graph
        .iter()
        .map(|node| {
            let row = rows.entry(node.depth).or_default();
            let at = (EDGE + (BOX.0 + GAP.0) * node.depth as f64, EDGE + (BOX.1 + GAP.1) * *row as f64);
            *row += 1;
            let span = by_name.get(TracedNode::span_name(&node.id).as_str()).copied();
            GraphNode { node, span, at }
        })
        .collect();
    html! {
        h2 { "How the question was looked into" }
        p.hint { (metrics.nodes) " nodes, " (metrics.stages) " deep, " (metrics.failed) " failed. What an arrow leads to came after what it comes from." }
        div.scroll { (picture(&nodes[..nodes.len().min(DRAWN_MAX)])) }
        (table(&nodes))
    }
}

fn picture(nodes: &[GraphNode<'_>]) -> Markup {
    let places: HashMap<&str, (f64, f64)> = nodes.iter().map(|drawn| (drawn.node.id.as_str(), drawn.at)).collect();
    let most = |of: fn(&(f64, f64)) -> f64| places.values().map(of).fold(0.0_f64, f64::max);
    let (width, height) = (most(|at| at.0) + BOX.0 + EDGE, most(|at| at.1) + BOX.1 + EDGE);
    let lines = nodes.iter().flat_map(|drawn| {
        let to = drawn.at;
        drawn.node.after.iter().filter_map(|before| places.get(before.as_str())).map(move |from| edge(*from, to))
    });
    html! {
        svg.graph width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img"
            aria-label="The graph of this question; the table below says the same in words" {
            @for line in lines { path.edge d=(line) {} }
            @for drawn in nodes { (boxed(drawn)) }
        }
    }
}

/// From the right side of a box to the left side of another.
fn edge(from: (f64, f64), to: (f64, f64)) -> String {
    let (x, y) = (from.0 + BOX.0, from.1 + BOX.1 / 2.0);
    let (to_x, to_y) = (to.0, to.1 + BOX.1 / 2.0);
    let bend = (to_x - x) / 2.0;
    let tip = to_x - 5.0;
    format!(
        "M{x} {y} C{} {y} {} {to_y} {to_x} {to_y} M{tip} {} L{to_x} {to_y} L{tip} {}",
        x + bend,
        to_x - bend,
        to_y - 4.0,
        to_y + 4.0
    )
}

fn boxed(drawn: &GraphNode<'_>) -> Markup {
    let (x, y) = drawn.at;
    let cut = |text: &str| -> String {
        let is_long = text.chars().count() > LINE_CHARS;
        text.chars().take(LINE_CHARS - usize::from(is_long)).chain(is_long.then_some('…')).collect()
    };
    let told = [drawn.ended(), drawn.took()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    html! {
        g {
            title { (drawn.node.id) ": " (told) }
            rect class=(if drawn.is_bad() { "node failed-node" } else { "node" }) x=(x) y=(y) width=(BOX.0) height=(BOX.1) rx="6" {}
            text x=(x + 10.0) y=(y + 18.0) { (cut(&drawn.node.id)) }
            text.faint x=(x + 10.0) y=(y + 34.0) { (cut(&told)) }
        }
    }
}

fn table(nodes: &[GraphNode<'_>]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th.number { "Depth" } th { "Node" } th { "After" } th { "How it ended" } th.number { "Time" } } }
            tbody { @for drawn in nodes { tr {
                td.number { (drawn.node.depth + 1) }
                td { (drawn.node.id) }
                td { (drawn.node.after.join(", ")) }
                td { span class=[drawn.is_bad().then_some("bad")] { (drawn.ended()) } }
                td.number { (drawn.took()) }
            } } }
        } }
    }
}
