//! What services give to the commands that show things.

use crate::pipeline::brain::Brain;
use crate::services::error::ServiceError;
use crate::services::service::{Fact, Listing, RequestContext, ToDo};

fn add<T>(all: &mut Listing<T>, one: Listing<T>) {
    all.rows.extend(one.rows);
    all.more += one.more;
    all.untrusted.extend(one.untrusted);
}

/// Everything open, by deadline.
pub(super) async fn to_dos(brain: &Brain, ctx: &RequestContext) -> Result<Listing<ToDo>, ServiceError> {
    let mut all = Listing { rows: Vec::new(), more: 0, untrusted: Vec::new() };
    for to_dos in brain.services.now().iter().filter_map(|service| service.service.to_dos()) {
        add(&mut all, to_dos.open(ctx).await?);
    }
    Ok(all)
}

/// The facts that fit a query, best first.
pub(super) async fn facts(brain: &Brain, ctx: &RequestContext, query: &str) -> Result<Listing<Fact>, ServiceError> {
    let mut all = Listing { rows: Vec::new(), more: 0, untrusted: Vec::new() };
    for facts in brain.services.now().iter().filter_map(|service| service.service.facts()) {
        add(&mut all, facts.facts(ctx, query).await?);
    }
    Ok(all)
}
