//! Who is served: since when, by which clock, at what cost; letting somebody in, not hearing somebody any more, and erasing
//! what is kept of them.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use brain_core::core::ids::UserId;
use brain_core::core::span::ago;
use brain_core::limits::WEB_ROWS_COUNTED_MAX;
use brain_core::ports::StoreError;
use brain_core::ports::metering::UsageSum;
use brain_engine::queries::people::ServedPerson;
use brain_engine::queries::usage::dollars;
use brain_engine::queries::{View, people, usage};
use maud::{Markup, html};

use super::layout::{moment, secret_field};
use super::{PageAnswer, PageRequest, encoded};
use crate::admin::people::{PersonVerb, blocked, decide, erase, goes_with, pair};
use brain_engine::pipeline::show::overview::summed;

pub(super) async fn page(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let brain = &asked.context.brain;
    let view = brain.view().await?;
    let people = people::served(&view, &brain.policy.admins, WEB_ROWS_COUNTED_MAX).await?;
    let blocked = blocked(&view.moment).await?;
    let today = view.now.with_timezone(&brain.policy.zone).date_naive();
    let used = usage::of_everybody(&view.moment, today, WEB_ROWS_COUNTED_MAX).await?;
    let spent = summed(&used, |one| one.owner.clone());
    let unknown: Vec<&UserId> = blocked.iter().filter(|id| !people.contains_key(*id)).collect();
    let body = html! {
        @if people.is_empty() { p { "Nobody is served yet." } }
        @else { (table(asked, &view, &people, &blocked, &spent)) }
        @for id in unknown { p.row { (id) " is blocked. " (deciding(asked, id, true)) } }
        h2 { "Let somebody in" }
        form method="post" action="/people/pair" {
            (secret_field(asked.caller.secret()))
            p { "A pairing code lets one person in who sends it to the bot on Telegram within ten minutes." }
            button { "Make a pairing code" }
        }
        p.hint { "Or list their number in BRAIN_ALLOWED_USERS. Who is blocked is not heard; reminders that they have set still come, and what is kept of them stays until it is erased." }
    };
    Ok(PageAnswer::Page("People", body))
}

fn table(
    asked: &PageRequest<'_>,
    view: &View<'_>,
    people: &BTreeMap<UserId, ServedPerson>,
    blocked: &BTreeSet<UserId>,
    spent: &BTreeMap<UserId, UsageSum>,
) -> Markup {
    let policy = &asked.context.brain.policy;
    let zone = policy.zone;
    let of_budget = |budget: Option<f64>| budget.map(|usd| format!(" of {}", dollars(usd))).unwrap_or_default();
    html! {
        div.scroll { table {
            thead { tr {
                th { "Who" } th { "Served since" } th { "Last turn" } th { "Zone" } th { "Language" }
                th.number { "Calls today" } th.number { "Cost today" } th { "" }
            } }
            tbody { @for (id, person) in people { tr {
                @let is_blocked = blocked.contains(id);
                @let sum = spent.get(id).copied().unwrap_or_default();
                td {
                    (id)
                    @if person.admin { span.faint { " admin" } }
                    @if is_blocked { span.bad { " blocked" } }
                }
                td { @if let Some(since) = person.since { (moment(since, zone)) } }
                td { @if let Some(last) = person.last_turn { (ago(view.now, last)) } }
                td { @if let Some(own) = person.zone { (own.name()) } @else { span.faint { (zone.name()) ", not chosen" } } }
                td { @if let Some(own) = &person.language { (own) } @else { span.faint { "as they write" } } }
                td.number { (sum.usage.calls) }
                td.number { (dollars(sum.usd)) (of_budget(policy.budgets.daily)) }
                td { @if is_blocked || !(person.admin || id.is_of_terminal()) { (deciding(asked, id, is_blocked)) } }
            } } }
        } }
        @if let Some(month) = policy.budgets.monthly { p.hint { "In a month a person has " (dollars(month)) "." } }
    }
}

fn deciding(asked: &PageRequest<'_>, id: &UserId, is_blocked: bool) -> Markup {
    let verb = if is_blocked { "unblock" } else { "block" };
    html! {
        form method="post" action={ "/people/" (encoded(id.as_str())) "/" (verb) } {
            (secret_field(asked.caller.secret()))
            @if is_blocked { button.quiet aria-label={ "Unblock " (id) } { "Unblock" } }
            @else { button.harm aria-label={ "Block " (id) } { "Block" } }
        }
        @if is_blocked { a href=(erasing(id)) aria-label={ "Erase " (id) } { "Erase…" } }
    }
}

/// A code is made, and shown this once.
pub(super) async fn paired(asked: &PageRequest<'_>) -> PageAnswer {
    let response = pair(&asked.context.brain).await;
    if !response.ok {
        return PageAnswer::Refused(StatusCode::CONFLICT, response.text);
    }
    PageAnswer::Page("People", html! { pre role="status" { (response.text) } p { a href="/people" { "All people" } } })
}

/// Somebody is blocked, or heard again.
pub(super) async fn decided(asked: &PageRequest<'_>, id: &str, verb: &str) -> PageAnswer {
    let verb = if verb == "block" { PersonVerb::Block } else { PersonVerb::Unblock };
    let response = decide(&asked.context.brain, &UserId::new(id), verb).await;
    if !response.ok {
        return PageAnswer::Refused(StatusCode::CONFLICT, response.text);
    }
    let body = html! { p.told role="status" { (response.text) } p { a href="/people" { "All people" } } };
    PageAnswer::Page("People", body)
}

fn erasing(id: &UserId) -> String {
    format!("/people/{}/erase", encoded(id.as_str()))
}

/// What would go with somebody, and the question whether it shall.
pub(super) async fn erase_asked(asked: &PageRequest<'_>, id: &str) -> Result<PageAnswer, StoreError> {
    let id = UserId::new(id);
    let brain = &asked.context.brain;
    if !blocked(&brain.view().await?.moment).await?.contains(&id) {
        return Ok(PageAnswer::Refused(
            StatusCode::CONFLICT,
            format!("Block {id} first, then erase what is kept of them."),
        ));
    }
    let rows = goes_with(brain, &id).await?;
    let body = html! {
        h2 { "Erase " (id) }
        p { "This goes for good, from my file on the disk as well, with their mailbox in the data folder:" }
        @if rows.is_empty() { p { "Nothing is kept of them in the store." } }
        @else { ul { @for (what, count) in &rows { li { (count) " " (what) } } } }
        p { "This stays: who decided what and what models cost (ids, times and counts, no words), what was said in groups, backups, and what is in accounts elsewhere. An account of theirs in accounts.toml is read again, so take it out first." }
        form method="post" action=(erasing(&id)) {
            (secret_field(asked.caller.secret()))
            label for="confirm" { "Type " code { (id) } " to confirm" }
            input #confirm name="confirm" autocomplete="off" required;
            div.row { button.harm { "Erase all of it" } a href="/people" { "Leave it" } }
        }
    };
    Ok(PageAnswer::Page("People", body))
}

/// It shall.
pub(super) async fn erased(asked: &PageRequest<'_>, id: &str) -> PageAnswer {
    let confirmed = asked.form.get("confirm").map(String::as_str).unwrap_or_default();
    let (brain, data_dir) = (&asked.context.brain, asked.context.console.data_dir());
    let response = erase(brain, data_dir, &UserId::new(id), confirmed).await;
    if !response.ok {
        return PageAnswer::Refused(StatusCode::CONFLICT, response.text);
    }
    let body = html! { p.told role="status" { (response.text) } p { a href="/people" { "All people" } } };
    PageAnswer::Page("People", body)
}
