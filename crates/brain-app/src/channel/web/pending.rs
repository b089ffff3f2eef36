//! What waits for a yes: a list, one with its card and its transitions, and dropping it or saying yes in its owner's
//! place.

use axum::http::StatusCode;
use maud::{Markup, html};
use serde_json::json;

use super::layout::{moment, secret_field};
use super::{PAGE_ROWS, PageAnswer, PageRequest, encoded};
use crate::admin::{self, Request};
use brain_core::core::ids::{ChatId, PendingId};
use brain_core::core::pending::{Pending, State};
use brain_core::core::span::ago;
use brain_core::ports::{Key, StoreError};
use brain_engine::queries::pending::{CardView, OpenPage};
use brain_engine::queries::{View, decisions, pending, questions};

/// Cards that were decided lately, as the list shows them.
const DECIDED: usize = 20;

/// A page of the index, and the cards of it that can be read.
async fn page(asked: &PageRequest<'_>, view: &View<'_>) -> Result<(Vec<CardView>, OpenPage), StoreError> {
    let chat = asked.query.get("chat").filter(|chat| !chat.is_empty()).map(ChatId::new);
    let after = asked.query.get("after").map(|key| Key::from_stored(key));
    let page = pending::open_page(view, chat.as_ref(), after, PAGE_ROWS).await?;
    let mut cards = Vec::new();
    for entry in &page.entries {
        if let Some((card, _)) = pending::readable(&view.moment, &entry.id).await? {
            cards.push(pending::card(view, &card).await?);
        }
    }
    Ok((cards, page))
}

pub(super) async fn list(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let brain = &asked.context.brain;
    let view = brain.view().await?;
    let (cards, page) = page(asked, &view).await?;
    let chat = asked.query.get("chat").map(String::as_str).unwrap_or_default();
    let is_first = !asked.query.contains_key("after");
    let questions = if is_first { questions::waiting(&view, None).await? } else { Vec::new() };
    let decided = if is_first { decisions::lately(&view, DECIDED).await? } else { Vec::new() };
    let zone = brain.policy.zone;
    let next = page.next.as_ref().map(|key| format!("/pending?chat={}&after={}", encoded(chat), encoded(key.as_str())));
    let body = html! {
        form.row method="get" action="/pending" role="search" {
            label for="chat" { "Chat" }
            input #chat name="chat" value=(chat) placeholder="all, or e.g. tg:123456789";
            button.quiet { "Filter" }
        }
        @if cards.is_empty() && questions.is_empty() { p { "Nothing waits for a yes or a no" @if !is_first { " behind this" } "." } }
        @if !cards.is_empty() {
            div.scroll { table {
                caption.hint { "What waits for a yes, oldest first in each chat" }
                thead { tr { th { "What" } th { "Whose" } th { "State" } th { "Since" } th { "Until" } } }
                tbody { @for card in &cards { tr {
                    td { a href={ "/pending/" (encoded(card.id.as_str())) } { (card.title) } }
                    td { (card.user) }
                    td { (state(card.state)) }
                    td { (ago(view.now, card.created_at)) }
                    td { (moment(card.expires_at, zone)) }
                } } }
            } }
        }
        @if let Some(next) = &next {
            p { a href=(next) { "Next page" } }
        }
        @for question in &questions {
            p { "A costly question of " (question.owner) ": " a href={ "/pending/" (encoded(question.id.as_str())) } { (question.title()) } }
        }
        @if !decided.is_empty() {
            h2 { "What happened lately" }
            div.scroll { table {
                thead { tr { th { "When" } th { "What became of it" } th { "By" } th { "Actions" } } }
                tbody { @for row in &decided { tr {
                    td { (moment(row.at, zone)) }
                    td { @if let Some(id) = &row.pending { a href={ "/pending/" (encoded(id.as_str())) } { (row.what) } } @else { (row.what) } }
                    td { (row.by) }
                    td { (row.actions.join(", ")) }
                } } }
            } }
        }
    };
    Ok(PageAnswer::Page("Pending", body))
}

/// A state in words, with a colour of its own where it went wrong.
fn state(state: State) -> Markup {
    let class = match state {
        State::Failed | State::Unknown => Some("bad"),
        State::Succeeded => Some("good"),
        _ => None,
    };
    html! { span class=[class] { (state.to_string()) } }
}

pub(super) async fn one(asked: &PageRequest<'_>, id: &str) -> Result<PageAnswer, StoreError> {
    let brain = &asked.context.brain;
    let view = brain.view().await?;
    let Some((stored, _)) = pending::readable(&view.moment, &PendingId::new(id)).await? else {
        return Ok(match questions::one(&view, id).await? {
            Some(question) => {
                let body =
                    html! { pre { (question.line(brain.policy.zone)) } (cancelling(asked, id, "Drop the question")) };
                PageAnswer::Page("Pending", body)
            }
            None => PageAnswer::none_there("pending action"),
        });
    };
    let card = pending::card(&view, &stored).await?;
    let history = decisions::of_pending(&view, &stored.id, stored.created_at).await?;
    let zone = brain.policy.zone;
    let body = html! {
        h2 { (card.title) }
        pre aria-label="The card, as its owner sees it" { (card.card) }
        div.scroll { table { tbody {
            tr { th { "State" } td { (state(card.state)) } }
            tr { th { "Owner" } td { (card.user) " in " (stored.chat) } }
            tr { th { "Made" } td { (moment(card.created_at, zone)) ", " (ago(view.now, card.created_at)) } }
            tr { th { "Until" } td { (moment(card.expires_at, zone)) } }
            tr { th { "Digest" } td { code { (card.digest) } } }
            @if let Some(decision) = &stored.decision {
                tr { th { "Decided" } td { "by " (decision.by) " (" (format!("{:?}", decision.means).to_lowercase()) "), " (moment(decision.at, zone)) } }
            }
            @if let Some(other) = &stored.superseded_by {
                tr { th { "In its place" } td { a href={ "/pending/" (encoded(other.as_str())) } { (other) } } }
            }
        } } }
        @if !history.is_empty() {
            h2 { "How it came to this" }
            ol { @for row in &history { li { (moment(row.at, zone)) ": " (row.what) " by " (row.by) } } }
        }
        @if stored.state.is_open() { (decisions_of(asked, &stored)) }
    };
    Ok(PageAnswer::Page("Pending", body))
}

/// What the operator may do with it.
fn decisions_of(asked: &PageRequest<'_>, pending: &Pending) -> Markup {
    let id = pending.id.as_str();
    html! {
        div.row {
            (cancelling(asked, id, "Cancel it"))
            @if asked.context.brain.policy.admin_may_approve {
                form method="post" action={ "/pending/" (encoded(id)) "/approve" } {
                    (secret_field(asked.caller.secret()))
                    input type="hidden" name="digest" value=(pending.digest.prefix());
                    button { "Approve in its owner's place" }
                }
            } @else {
                p.hint { "Only its owner may approve it; BRAIN_ADMIN_MAY_APPROVE=true would allow you." }
            }
        }
        p.hint { "Its owner is told what you decide." }
    }
}

fn cancelling(asked: &PageRequest<'_>, id: &str, words: &str) -> Markup {
    html! {
        form method="post" action={ "/pending/" (encoded(id)) "/cancel" } {
            (secret_field(asked.caller.secret()))
            button.harm { (words) }
        }
    }
}

/// A decision of the operator, by the same way as on the command line.
pub(super) async fn decided(asked: &PageRequest<'_>, id: &str, verb: &str) -> PageAnswer {
    let id = id.to_owned();
    let back = format!("/pending/{}", encoded(&id));
    let request = match verb {
        "approve" => Request::Approve { id, digest: asked.form.get("digest").cloned() },
        _ => Request::Cancel { id },
    };
    let response = admin::handle(&asked.context.brain, &request).await;
    if !response.ok {
        return PageAnswer::Refused(StatusCode::CONFLICT, response.text);
    }
    let body = html! { p.told role="status" { (response.text) } p { a href=(back) { "See it" } " · " a href="/pending" { "All that waits" } } };
    PageAnswer::Page("Pending", body)
}

/// The same list for programs.
pub(super) async fn data(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let view = asked.context.brain.view().await?;
    let (cards, page) = page(asked, &view).await?;
    Ok(PageAnswer::Data(json!({"pending": cards, "next": page.next.as_ref().map(Key::as_str)})))
}
