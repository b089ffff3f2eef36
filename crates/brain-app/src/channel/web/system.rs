//! Which accounts and servers there are and how they are, and what is set.

use brain_core::core::span::ago;
use brain_core::ports::StoreError;
use brain_engine::queries::health;
use brain_services::services::mcp::ServerState;
use brain_wire::accounts::AccountPerson;
use maud::{Markup, html};

use super::layout::moment;
use super::{PageAnswer, PageRequest};

pub(super) async fn page(asked: &PageRequest<'_>) -> Result<PageAnswer, StoreError> {
    let brain = &asked.context.brain;
    let view = brain.view().await?;
    let zone = brain.policy.zone;
    let store = health::of_store(&view).await?;
    let body = html! {
        p {
            "Version " (env!("CARGO_PKG_VERSION")) ", running since " (moment(brain.since, zone))
            @if let Some(last) = store.last_turn { "; the last turn was " (ago(view.now, last)) }
            "."
        }
        @if store.unreadable > 0 { p.warning { (store.unreadable) " records could not be read and were set aside; /status names them." } }
        @if store.messages_given_up > 0 { p.warning { (store.messages_given_up) " messages were given up, because the process ended each time they were handled." } }
        h2 { "Accounts" }
        (accounts(asked))
        h2 { "Servers" }
        (servers(asked))
        h2 { "Language model" }
        (models(asked))
        h2 { "Settings" }
        (settings(asked))
    };
    Ok(PageAnswer::Page("System", body))
}

fn accounts(asked: &PageRequest<'_>) -> Markup {
    let brain = &asked.context.brain;
    let (now, zone) = (brain.clock.now(), brain.policy.zone);
    html! {
        @if brain.accounts.listed.is_empty() { p { "None is set up yet: “brain-agent setup” does that." } }
        @else {
            div.scroll { table {
                thead { tr { th { "Account" } th { "Whose" } th { "How it is" } th { "Sign in again, on this machine" } } }
                tbody { @for account in brain.accounts.listed.iter() { tr {
                    @let is_off = brain.accounts.states.of(&account.id).disconnected.is_some();
                    th { (account.shown()) }
                    td { @match &account.person { AccountPerson::First => "the first admin", AccountPerson::Id(id) => (id) } }
                    td { span class=[is_off.then_some("bad")] { (brain.accounts.state_in_words(account, now, zone)) } }
                    td { code { (account.sign_in_command()) } }
                } } }
            } }
            p.hint { "Access is given in a browser that leads back to this machine, or with a password; so it is asked for there. What runs takes it up by itself." }
        }
    }
}

fn servers(asked: &PageRequest<'_>) -> Markup {
    let standing = asked.context.brain.servers.standing();
    html! {
        @if standing.is_empty() { p { "None brings tools (BRAIN_MCP_CONFIG)." } }
        @else {
            table { tbody { @for server in &standing { tr {
                th { (server.name) }
                td { @match &server.state {
                    ServerState::Starting => "starting",
                    ServerState::Up => span.good { "there" },
                    ServerState::Down(why) => span.bad { "not there: " (why.to_string()) },
                } }
                td {
                    @if !server.withheld.is_empty() { (server.withheld.len()) " changed and not used until an admin takes them (/status) " }
                    @if !server.left_out.is_empty() { (server.left_out.len()) " cannot be used" }
                }
            } } } }
        }
    }
}

fn models(asked: &PageRequest<'_>) -> Markup {
    let hosts: Vec<_> = asked.context.brain.model.iter().flat_map(|model| model.hosts()).collect();
    html! {
        @if hosts.is_empty() { p { "None: built-in understanding does it all." } }
        @else { ul { @for host in &hosts { li { (host.place) @if host.is_own { " (your own)" } } } } }
    }
}

/// Which keys are set, and by what: names, never values.
fn settings(asked: &PageRequest<'_>) -> Markup {
    let origin = &asked.context.settings;
    let keys = |keys: &[String]| html! { @if keys.is_empty() { "none" } @else { code { (keys.join(", ")) } } };
    html! {
        table { tbody {
            tr { th { "From " (origin.file.display().to_string()) } td { (keys(&origin.of_file)) } }
            tr { th { "From the environment" } td { (keys(&origin.of_environment)) } }
        } }
        @if let Some(told) = origin.told() { p.warning { (told) } }
        p.hint { "All of it is read at the start: what is changed counts after a restart. “brain-agent doctor” tries everything." }
    }
}
