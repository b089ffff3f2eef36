//! Drawings without a script: a timeline, and bars. Whoever cannot see them finds the numbers in a table beside.

use brain_core::ports::records::{SpanOutcome, StageSpan};
use maud::{Markup, html};

use super::layout::length;

const WIDTH: f64 = 960.0;
const NAMES: f64 = 190.0;
const ROW: f64 = 20.0;
/// Narrowest that can be seen.
const NARROWEST: f64 = 2.0;
/// Nodes that are drawn; the table has all.
const NODES_MAX: usize = 200;

/// The nodes of a turn over its time: what stands above each other at one place ran side by side.
pub(super) fn timeline(spans: &[StageSpan]) -> Markup {
    let spans = &spans[..spans.len().min(NODES_MAX)];
    let end = spans.iter().map(|span| span.start_us + span.us).max().unwrap_or(1).max(1) as f64;
    let scale = |us: u64| us as f64 / end * (WIDTH - NAMES - 70.0);
    let height = ROW * spans.len() as f64 + 10.0;
    let bar = |(row, span): (usize, &StageSpan)| {
        let (x, y) = (NAMES + scale(span.start_us), 5.0 + ROW * row as f64);
        let width = scale(span.us).max(NARROWEST);
        let is_bad = matches!(span.outcome, SpanOutcome::Failed(_) | SpanOutcome::Unusable);
        html! {
            text x="6" y=(y + 14.0) { (span.name.chars().take(28).collect::<String>()) }
            rect class=(if is_bad { "failed" } else { "bar" }) x=(x) y=(y + 3.0) width=(width) height=(ROW - 6.0) rx="2" {}
            text.faint x=(x + width + 4.0) y=(y + 14.0) { (length(span.us)) }
        }
    };
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label="The nodes of this turn over its time; the table below has the numbers" {
            @for row in spans.iter().enumerate().map(bar) { (row) }
        }
    }
}

/// A bar for each label, oldest first.
pub(super) fn bars(what: &str, rows: &[(String, f64)], told: fn(f64) -> String) -> Markup {
    const HEIGHT: f64 = 160.0;
    const FOOT: f64 = 22.0;
    let most = rows.iter().map(|(_, value)| *value).fold(0.0_f64, f64::max);
    let step = WIDTH / rows.len().max(1) as f64;
    let every = rows.len().div_ceil(8).max(1);
    let bar = |(at, (label, value)): (usize, &(String, f64))| {
        let tall = if most > 0.0 { value / most * (HEIGHT - FOOT - 20.0) } else { 0.0 };
        let x = step * at as f64;
        html! {
            rect.bar x=(x + step * 0.15) y=(HEIGHT - FOOT - tall) width=(step * 0.7) height=(tall) {
                title { (label) ": " (told(*value)) }
            }
            @if at % every == 0 { text.faint x=(x + step * 0.15) y=(HEIGHT - 6.0) { (label) } }
        }
    };
    html! {
        figure {
            figcaption { (what) ", at most " (told(most)) }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (what) "; the table below has the numbers" } {
                line.rule x1="0" x2=(WIDTH) y1=(HEIGHT - FOOT) y2=(HEIGHT - FOOT) {}
                @for bar in rows.iter().enumerate().map(bar) { (bar) }
            }
        }
    }
}
