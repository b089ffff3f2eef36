//! How turns went: a list, and one as a timeline of its nodes.

use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::turn::Path;
use brain_core::ports::records::{
    NodeContents, PlannedTurn, ShadowTurn, SpanOutcome, StageSpan, TurnContents, TurnTrace, millis,
};
use brain_core::ports::{Key, StoreError};
use brain_engine::queries::turns::{TurnFilter, TurnWent, TurnsPage};
use brain_engine::queries::{View, turns};
use chrono::DateTime;
use maud::{Markup, html};
use serde_json::json;

use super::changes::LiveList;
use super::filters::{ContinuedList, FilterField, chosen};
use super::layout::{length, moment};
use super::{PAGE_ROWS, PageAnswer, PageRequest, encoded, filters, graph, plot};
use brain_engine::pipeline::show::overview::{outcome, word};

fn place(trace: &TurnTrace) -> String {
    format!("/turns/{}/{}", millis(trace.at), encoded(&trace.id))
}

/// Paths that turns in chats take.
const PATHS: [Path; 9] = [
    Path::Chat,
    Path::Action,
    Path::Consent,
    Path::Investigate,
    Path::Clarify,
    Path::Command,
    Path::Button,
    Path::Blocked,
    Path::Error,
];

fn fields() -> [FilterField; 4] {
    let any = || vec![(String::new(), "any".to_owned())];
    let path = |path: Path| (word(&path), word(&path));
    let went = |went: TurnWent| (word(&went), word(&went).replace('_', " "));
    [
        FilterField::Choice("path", "Path", any().into_iter().chain(PATHS.into_iter().map(path)).collect()),
        FilterField::Choice(
            "went",
            "How it went",
            any().into_iter().chain(TurnWent::ALL.into_iter().map(went)).collect(),
        ),
        FilterField::Typed("user", "Person", "all, or e.g. tg:123456789"),
        FilterField::Typed("chat", "Chat", "all, or e.g. tg:123456789"),
    ]
}

/// A page of the turns that are asked for, and how many were looked at for it.
async fn page(asked: &PageRequest<'_>, view: &View<'_>) -> Result<(TurnsPage, usize), StoreError> {
    let before = asked.query.get("before").map(|key| Key::from_stored(key));
    let filter = TurnFilter {
        user: chosen(asked, "user").map(UserId::new),
        chat: chosen(asked, "chat").map(ChatId::new),
        path: chosen(asked, "path").and_then(|name| PATHS.into_iter().find(|path| word(path) == name)),
        went: chosen(asked, "went").and_then(|name| TurnWent::ALL.into_iter().find(|went| word(went) == name)),
    };
    turns::filtered(view, &filter, before, PAGE_ROWS).await
}

pub(super) async fn list(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let (page, looked_at) = page(asked, &view).await?;
    let zone = asked.context.brain.policy.zone;
    let list = html! {
        @if page.turns.is_empty() {
            @if page.next.is_none() { p { @if looked_at == 0 { "No turn is kept here." } @else { "No turn fits." } } }
        } @else {
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
        @if let Some(next) = &page.next {
            (filters::further(asked, &ContinuedList {
                place: "/turns", fields: &fields(), from: "before", key: next.as_str(), words: "Older turns",
                rows: page.turns.len(), looked_at,
            }))
        }
    };
    let list = LiveList::Turns.kept_up(&view, &list).await?;
    let body = html! { (filters::form(asked, "/turns", &fields())) (list) };
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
        @if let Some(metrics) = &trace.investigation { (graph::drawn(metrics, &trace.spans)) }
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
        @if let Some(shadow) = &contents.shadow { (shadowed(contents, shadow)) }
    }
}

/// What the second set of models or prompts made of the same message.
fn shadowed(contents: &TurnContents, shadow: &ShadowTurn) -> Markup {
    html! {
        h2 { "The shadow" }
        @if shadow.is_replay { p.hint { "Taken long afterwards: what it found may have changed since the turn that counted." } }
        @if let Some(why) = &shadow.failed { p.warning { "It came to nothing: " (why) } }
        div.scroll { table {
            thead { tr { th scope="col" { "" } th scope="col" { "what counted" } th scope="col" { "the shadow" } } }
            tbody {
                @for (name, counted, other) in beside(&contents.planned, &shadow.planned) {
                    tr { th scope="row" { (name) } td { (counted) } td { (other) } }
                }
            }
        } }
        @for node in &shadow.nodes { (node_contents(node)) }
    }
}

fn beside(counted: &PlannedTurn, shadow: &PlannedTurn) -> [(&'static str, String, String); 4] {
    let of = |value: fn(&PlannedTurn) -> String| (value(counted), value(shadow));
    let row = |name, (counted, shadow)| (name, counted, shadow);
    let actions = |planned: &PlannedTurn| {
        let lines = planned.decisive().into_iter().map(|action| {
            let values = serde_json::to_string(&action.params).unwrap_or_default();
            format!("{} ({}) {values}", action.name, word(&action.verdict))
        });
        lines.collect::<Vec<_>>().join("; ")
    };
    [
        row("route", of(|planned| planned.route.clone())),
        row("actions", of(actions)),
        row("asked", of(|planned| planned.asks.clone().unwrap_or_default())),
        row(
            "time, tokens",
            of(|planned| {
                let tokens = planned.usage.tokens_in + planned.usage.tokens_out;
                format!("{}, {tokens}", length(planned.ms.saturating_mul(1_000)))
            }),
        ),
    ]
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
    let (page, looked_at) = page(asked, &view).await?;
    Ok(PageAnswer::Data(
        json!({"turns": page.turns, "next": page.next.as_ref().map(Key::as_str), "looked_at": looked_at}),
    ))
}
