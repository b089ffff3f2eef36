//! How turns went: a list, and one as a timeline of its nodes.

use brain_core::core::ids::UserId;
use brain_core::ports::records::{NodeContents, SpanOutcome, StageSpan, TurnContents, TurnTrace, millis};
use brain_core::ports::{Key, StoreError};
use brain_engine::queries::turns;
use chrono::DateTime;
use maud::{Markup, html};
use serde_json::json;

use super::layout::{length, moment};
use super::{PAGE_ROWS, PageAnswer, PageRequest, encoded, plot};
use crate::admin::looks::{outcome, word};

fn place(trace: &TurnTrace) -> String {
    format!("/turns/{}/{}", millis(trace.at), encoded(&trace.id))
}

pub(super) async fn list(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let before = asked.query.get("before").map(|key| Key::from_stored(key));
    let page = turns::page(&view, before, PAGE_ROWS).await?;
    let zone = asked.context.brain.policy.zone;
    let next = page.next.as_ref().map(|key| format!("/turns?before={}", encoded(key.as_str())));
    let body = html! {
        @if page.turns.is_empty() { p { "No turn is kept here." } }
        @else {
            div.scroll { table {
                caption.hint { "Newest first" }
                thead { tr {
                    th { "When" } th { "Whose" } th { "Path" } th.number { "Time" } th.number { "Calls" }
                    th.number { "Tokens" } th { "What came of it" }
                } }
                tbody { @for trace in &page.turns { tr {
                    td { a href=(place(trace)) { (moment(trace.at, zone)) } }
                    td { (trace.user) }
                    td { (word(&trace.done.path)) }
                    td.number { (length((trace.done.ms * 1_000.0) as u64)) }
                    td.number { (trace.done.llm_calls) }
                    td.number { (trace.done.tokens_in + trace.done.tokens_out) }
                    td { (outcome(&trace.done)) }
                } } }
            } }
        }
        @if let Some(next) = &next { p { a href=(next) { "Older turns" } } }
    };
    Ok(PageAnswer::Page("Turns", body))
}

pub(super) async fn one(asked: &PageRequest<'_>, at: &str, id: &str) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let began = at.parse().ok().and_then(DateTime::from_timestamp_millis);
    let trace = match began {
        Some(began) => turns::one(&view, began, id).await?,
        None => None,
    };
    let Some(trace) = trace else { return Ok(PageAnswer::none_there("turn")) };
    let contents = turns::contents(&view, &trace.user, trace.at, &trace.id).await?;
    let zone = asked.context.brain.policy.zone;
    let done = &trace.done;
    let body = html! {
        p { (moment(trace.at, zone)) ", " (trace.user) " in " (trace.chat) }
        div.tiles {
            div.tile { b { (word(&done.path)) } "path" }
            div.tile { b { (length((done.ms * 1_000.0) as u64)) } "time" }
            div.tile { b { (done.llm_calls) } "calls of a model" }
            div.tile { b { (done.tokens_in) " + " (done.tokens_out) } "tokens in and out" }
        }
        @if !outcome(done).is_empty() { p { (outcome(done)) } }
        h2 { "Its nodes" }
        (plot::timeline(&trace.spans))
        (nodes(&trace.spans))
        @if let Some(contents) = &contents { (said(contents)) }
        @else { p.hint { "What its nodes got and gave was not kept (BRAIN_KEEP_CONTENTS; of other people only once they agreed)." } }
    };
    Ok(PageAnswer::Page("Turns", body))
}

/// The same as numbers.
fn nodes(spans: &[StageSpan]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr {
                th { "Node" } th.number { "From" } th.number { "Time" } th.number { "Bytes in" } th.number { "Tokens in" }
                th.number { "kept" } th.number { "out" } th { "How it ended" } th { "What it gave" }
            } }
            tbody { @for span in spans { tr {
                td { (span.name) }
                td.number { (length(span.start_us)) }
                td.number { (length(span.us)) }
                td.number { (span.input_bytes) }
                td.number { (span.tokens.0) }
                td.number { (span.tokens_cached) }
                td.number { (span.tokens.1) }
                td { span class=[matches!(span.outcome, SpanOutcome::Failed(_) | SpanOutcome::Unusable).then_some("bad")] { (span.outcome.to_string()) } }
                td { (span.gives) }
            } } }
        } }
    }
}

/// What was said, and what each node got and gave.
fn said(contents: &TurnContents) -> Markup {
    html! {
        h2 { "What was said" }
        pre aria-label="The message" { (contents.message) }
        pre aria-label="The answer" { (contents.answer) }
        h2 { "What each node got and gave" }
        @for node in &contents.nodes { (node_contents(node)) }
        @if contents.nodes_left_out > 0 { p.hint { (contents.nodes_left_out) " more nodes were not kept." } }
        @if contents.is_cut { p.hint { "Something was too long and is shown in part." } }
    }
}

fn node_contents(node: &NodeContents) -> Markup {
    html! {
        details {
            summary {
                (node.name)
                @if let Some(model) = &node.model { " by " (model) }
                @if node.is_substitute { ", which stands in" }
                ", after " (length(node.start_us))
                @if let Some(why) = &node.failed { span.bad { ": " (why) } }
            }
            @if node.system_bytes > 0 {
                p.hint { "Before it stood what is the same for every call of this stage: " (node.system_bytes) " bytes, “" (node.system_begins) "”…" }
            }
            pre aria-label="Got" { (node.got) }
            pre aria-label="Gave" { (node.gave) }
        }
    }
}

/// The same list for programs.
pub(super) async fn data(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let before = asked.query.get("before").map(|key| Key::from_stored(key));
    let owner = asked.query.get("user").map(UserId::new);
    let mut page = turns::page(&view, before, PAGE_ROWS).await?;
    page.turns.retain(|trace| owner.as_ref().is_none_or(|owner| trace.user == *owner));
    Ok(PageAnswer::Data(json!({"turns": page.turns, "next": page.next.as_ref().map(Key::as_str)})))
}
