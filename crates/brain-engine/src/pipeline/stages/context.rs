//! Context: what may matter for the message, fetched before anybody knows. Speculative, read-only, and
//! never in the way: each fetch has its own time-out, and what did not arrive is named as missing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::{Turn, TurnAccount, TurnFacts};
use brain_core::core::provenance::UntrustedText;
use brain_core::limits;
use brain_core::ports::Usage;
use brain_language::language::routing::{Guess, Kind};
use brain_services::services::catalog::registry::Registration;
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::service::{ContextRequest, ContextRole, Noticed};

/// What was found.
#[derive(Debug, Default)]
pub struct Context {
    /// What was noticed, of all services.
    pub items: Vec<ContextItem>,
    /// What is remembered about the person.
    pub memories: Vec<String>,
    /// Texts of others among them.
    pub untrusted: Vec<UntrustedText>,
    /// Those of the lines that are the person's own throughout.
    pub own: Vec<String>,
    /// Services that did not answer.
    pub missing: Vec<String>,
}

/// One thing that a planner may be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextItem {
    /// Whose it is.
    pub service: String,
    /// Its id there, usable in `find_by`; none of what is no item.
    pub id: Option<String>,
    /// One line.
    pub line: String,
}

impl fmt::Display for ContextItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.id {
            Some(id) => write!(f, "{} {id}: {}", self.service, self.line),
            None => write!(f, "{}: {}", self.service, self.line),
        }
    }
}

/// A fetch under way; dropping it cancels it.
#[derive(Debug)]
pub struct Fetching {
    task: JoinHandle<Context>,
    services: Vec<String>,
}

impl Drop for Fetching {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Fetching {
    /// Waits for the end of it.
    pub async fn all(mut self, account: &TurnAccount) -> Context {
        let started = account.elapsed_us();
        let context = self.found().await;
        let outcome = if context.missing.is_empty() {
            "ok".to_owned()
        } else {
            format!("missing: {}", context.missing.join(", "))
        };
        account.traced(
            "context",
            started,
            context.items.iter().map(|item| item.line.len()).sum(),
            Usage::default(),
            outcome,
        );
        context
    }

    /// What has already arrived; waits for nothing.
    pub async fn arrived(mut self) -> Context {
        if self.task.is_finished() { self.found().await } else { Context::default() }
    }

    /// A fetch that broke is known to be missing.
    async fn found(&mut self) -> Context {
        match (&mut self.task).await {
            Ok(context) => context,
            Err(error) => {
                tracing::error!(%error, "fetching context broke");
                Context { missing: std::mem::take(&mut self.services), ..Context::default() }
            }
        }
    }
}

/// How sure the guess must be for a narrow fetch; below it everything is fetched.
const NARROW_FROM: f32 = 0.6;

/// Starts fetching what the guess suggests, or everything when it is unsure; nothing where no model would be told.
pub fn fetch(brain: &Brain, facts: &TurnFacts, guess: &Guess) -> Fetching {
    let narrow = guess.confidence >= NARROW_FROM;
    let is_told = brain.model.is_some();
    let wants = |service: &Arc<Registration>| match service.service.context_role() {
        ContextRole::None => false,
        ContextRole::AboutPerson => is_told,
        ContextRole::Items => {
            is_told && (!narrow || (guess.kind != Kind::Chat && guess.domains.contains(&service.info.name)))
        }
    };
    fetch_from(facts, brain.services.now().iter().filter(|service| wants(service)).cloned().collect())
}

/// What was fetched, and what was not guessed and is routed now.
pub async fn routed(turn: &Turn<'_>, fetching: Fetching, domains: &[String]) -> Context {
    let is_told = turn.brain.model.is_some();
    let is_missing = |service: &Arc<Registration>| {
        let name = &service.info.name;
        is_told
            && service.service.context_role() == ContextRole::Items
            && domains.contains(name)
            && !fetching.services.contains(name)
    };
    let services: Vec<_> = turn.brain.services.now().iter().filter(|service| is_missing(service)).cloned().collect();
    if services.is_empty() {
        return fetching.all(turn.account).await;
    }
    let late = fetch_from(&turn.facts, services);
    let (mut context, late) = futures::join!(fetching.all(turn.account), late.all(turn.account));
    context.items.extend(late.items);
    context.untrusted.extend(late.untrusted);
    context.own.extend(late.own);
    context.missing.extend(late.missing);
    context
}

fn fetch_from(facts: &TurnFacts, services: Vec<Arc<Registration>>) -> Fetching {
    let wanted = ContextRequest {
        message: facts.words().to_owned(),
        limit: limits::CONTEXT_ITEMS_MAX,
        in_sight_from: facts.in_sight_from(),
    };
    let ctx = facts.ctx.clone();
    let names = services.iter().map(|service| service.info.name.clone()).collect();
    let gathering = async move { gather(&services, &ctx, wanted).await };
    Fetching { task: tokio::spawn(gathering.in_current_span()), services: names }
}

async fn gather(services: &[Arc<Registration>], ctx: &RequestContext, wanted: ContextRequest) -> Context {
    let time_out = Duration::from_millis(limits::CONTEXT_FETCH_MS);
    let fetches = services.iter().map(|service| {
        let limit = match service.service.context_role() {
            ContextRole::AboutPerson => limits::CONTEXT_FACTS_MAX,
            ContextRole::None | ContextRole::Items => wanted.limit,
        };
        let wanted = ContextRequest { limit, ..wanted.clone() };
        async move { (service, tokio::time::timeout(time_out, service.service.notice(ctx, &wanted)).await) }
    });
    let mut context = Context::default();
    for (service, fetched) in join_all(fetches).await {
        match fetched {
            Ok(Ok(items)) => items.into_iter().for_each(|item| context.add(service, item)),
            Ok(Err(error)) => {
                tracing::warn!(service = service.info.name, %error, "context is incomplete");
                context.missing.push(service.info.name.clone());
            }
            Err(_) => context.missing.push(service.info.name.clone()),
        }
    }
    context
}

impl Context {
    fn add(&mut self, service: &Registration, item: Noticed) {
        let Noticed { id, line, untrusted } = item;
        let item = ContextItem { service: service.info.name.clone(), id, line };
        if service.service.context_role() == ContextRole::AboutPerson {
            self.memories.push(item.line.clone());
        }
        if untrusted.is_empty() {
            self.own.push(item.to_string());
        }
        self.items.push(item);
        self.untrusted.extend(untrusted);
    }
}
