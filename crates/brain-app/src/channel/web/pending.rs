//! What waits for a yes: a list, one with its card and its transitions, and dropping it or saying yes in its owner's
//! place.

use axum::http::StatusCode;
use maud::{Markup, html};
use serde_json::json;

use super::changes::LiveList;
use super::filters::{ContinuedList, FilterField, chosen};
use super::layout::{moment, secret_field};
use super::{PAGE_ROWS, PageAnswer, PageRequest, encoded, filters};
use crate::admin::{self, Request};
use brain_core::core::ids::{ChatId, PendingId, UserId};
use brain_core::core::pending::{Pending, State};
use brain_core::core::span::ago;
use brain_core::ports::{Key, StoreError};
use brain_engine::queries::pending::{CardFilter, CardView, FilteredCards};
use brain_engine::queries::{View, decisions, pending, questions};

/// Cards that were decided lately, as the list shows them.
const DECIDED: usize = 20;

/// States as they are looked for: what waits, and what a card can come to.
const STATES: [State; 7] =
    [State::Pending, State::Succeeded, State::Failed, State::Unknown, State::Denied, State::Expired, State::Superseded];

fn fields() -> [FilterField; 3] {
    let state = |state: State| (state.to_string(), state.to_string());
    [
        FilterField::Choice("state", "State", STATES.into_iter().map(state).collect()),
        FilterField::Typed("user", "Person", "all, or e.g. tg:123456789"),
        FilterField::Typed("chat", "Chat", "all, or e.g. tg:123456789"),
    ]
}

/// What is asked for; what waits, where nothing is said.
fn filter(asked: &PageRequest<'_>) -> CardFilter {
    let state = chosen(asked, "state").and_then(|name| STATES.into_iter().find(|state| state.to_string() == name));
    CardFilter {
        state: state.unwrap_or(State::Pending),
        owner: chosen(asked, "user").map(UserId::new),
        chat: chosen(asked, "chat").map(ChatId::new),
    }
}

/// A page of the cards that fit.
async fn page(asked: &PageRequest<'_>, view: &View<'_>) -> Result<(Vec<CardView>, FilteredCards), StoreError> {
    let after = asked.query.get("after").map(|key| Key::from_stored(key));
    let page = pending::filtered(view, &filter(asked), after, PAGE_ROWS).await?;
    let mut cards = Vec::new();
    for card in &page.cards {
        cards.push(pending::card(view, card).await?);
    }
    Ok((cards, page))
}

pub(super) async fn list(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let brain = &asked.context.brain;
    let view = brain.view().await?;
    let (cards, page) = page(asked, &view).await?;
    let is_first = !asked.query.contains_key("after");
    let is_plain = is_first && filter(asked) == CardFilter { state: State::Pending, owner: None, chat: None };
    let questions = if is_plain { questions::waiting(&view, None).await? } else { Vec::new() };
    let decided = if is_plain { decisions::lately(&view, DECIDED).await? } else { Vec::new() };
    let zone = brain.policy.zone;
    let list = html! {
        @if cards.is_empty() && questions.is_empty() && page.next.is_none() {
            p { @if is_plain { "Nothing waits for a yes or a no." } @else { "Nothing that fits" @if !is_first { " behind this" } "." } }
        }
        @if !cards.is_empty() {
            div.scroll { table {
                caption.hint { @if filter(asked).state.is_open() { "What waits for a yes, oldest first" } @else { "What was decided, newest first" } }
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
        @if let Some(next) = &page.next {
            (filters::further(asked, &ContinuedList {
                place: "/pending", fields: &fields(), from: "after", key: next.as_str(), words: "Next page",
                rows: cards.len(), looked_at: page.looked_at,
            }))
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
    let list = LiveList::Pending.kept_up(&view, &list).await?;
    let body = html! { (filters::form(asked, "/pending", &fields())) (list) };
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
    Ok(PageAnswer::Data(
        json!({"pending": cards, "next": page.next.as_ref().map(Key::as_str), "looked_at": page.looked_at}),
    ))
}
