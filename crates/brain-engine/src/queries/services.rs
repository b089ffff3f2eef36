//! What services hold that is shown in lists: pages over all of them, one service after the other.
//!
//! A place to go on after is the name of a service and that service's own words for it.

use brain_core::limits::LIST_ROWS_MAX;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::contract::capabilities::{Fact, Listing, ToDo};
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::error::ServiceError;

/// Between the name and the service's own words; no name holds it.
const BETWEEN: char = ' ';

/// Puts the page of the next service behind what is there.
fn add<T>(all: &mut Listing<T>, name: &str, mut page: Listing<T>) {
    let room = LIST_ROWS_MAX.saturating_sub(all.rows.len());
    if page.rows.len() > room {
        // It begins on the next page, from its beginning.
        page.more += page.rows.len();
        page.rows.clear();
        page.untrusted.clear();
        page.next = Some(String::new());
    }
    if all.next.is_none() {
        all.next = page.next.take().map(|next| format!("{name}{BETWEEN}{next}"));
    }
    all.add(page);
}

/// Where a service goes on: `None` when it is done already.
fn place<'a>(after: Option<&'a str>, name: &str, reached: &mut bool) -> Option<Option<&'a str>> {
    let Some((of, own)) = after.and_then(|after| after.split_once(BETWEEN)) else {
        return Some(None);
    };
    if *reached {
        return Some(None);
    }
    *reached = of == name;
    reached.then(|| Some(own).filter(|own| !own.is_empty()))
}

/// A page of what is open, by deadline.
pub async fn to_dos(
    services: &Registry,
    ctx: &RequestContext,
    after: Option<&str>,
) -> Result<Listing<ToDo>, ServiceError> {
    let (mut all, mut reached) = (Listing::default(), false);
    for service in services.now().iter() {
        let Some(to_dos) = service.service.to_dos() else { continue };
        let Some(after) = place(after, &service.info.name, &mut reached) else { continue };
        add(&mut all, &service.info.name, to_dos.open(ctx, after).await?);
    }
    Ok(all)
}

/// How many of them have no deadline.
pub async fn undated(services: &Registry, ctx: &RequestContext) -> Result<usize, ServiceError> {
    let mut undated = 0;
    for to_dos in services.now().iter().filter_map(|service| service.service.to_dos()) {
        undated += to_dos.undated(ctx).await?;
    }
    Ok(undated)
}

/// A page of all facts, by category.
pub async fn all_facts(
    services: &Registry,
    ctx: &RequestContext,
    after: Option<&str>,
) -> Result<Listing<Fact>, ServiceError> {
    let (mut all, mut reached) = (Listing::default(), false);
    for service in services.now().iter() {
        let Some(facts) = service.service.facts() else { continue };
        let Some(after) = place(after, &service.info.name, &mut reached) else { continue };
        add(&mut all, &service.info.name, facts.all(ctx, after).await?);
    }
    Ok(all)
}

/// The facts that fit a query, best first.
pub async fn facts(services: &Registry, ctx: &RequestContext, query: &str) -> Result<Listing<Fact>, ServiceError> {
    let mut all = Listing::default();
    for facts in services.now().iter().filter_map(|service| service.service.facts()) {
        all.add(facts.facts(ctx, query).await?);
    }
    Ok(all)
}
