//! What is worth remembering of what a person tells in passing.

use super::record::{Memory, NAME};
use super::service::MemoryService;
use super::store::{ParsedFact, StoreFact, formed};
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::telling::only_tells;
use brain_core::core::plan::PlannedAction;
use brain_core::limits::LEARNED_CHARS_MAX;
use brain_language::language::grounding::Ground;
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::{terms, time};

/// What is said of so near a day is news, and no lasting fact.
const NEWS_DAYS: i64 = 8;

impl MemoryService {
    /// What a statement says of the person that lasts and is not known yet.
    pub(super) async fn learned(
        &self,
        ctx: &RequestContext,
        said: &str,
    ) -> Result<Option<PlannedAction>, ServiceError> {
        let (said, reference) = (said.trim(), ctx.reference());
        if said.chars().count() > LEARNED_CHARS_MAX || !Ground::is_own(said) {
            return Ok(None);
        }
        let near = |found: &time::TimeMention| {
            let start = found.result.as_ref().ok().and_then(time::When::start);
            start.is_none_or(|start| (start.to_utc() - ctx.now).num_days().abs() <= NEWS_DAYS)
        };
        if time::find(said, &reference).iter().any(near) || !only_tells(said, &reference) {
            return Ok(None);
        }
        let Some(ParsedFact { category, key, value }) = formed(*GRAMMAR, said) else { return Ok(None) };
        let says_so = |(fact, _): &(Memory, u64)| terms::fold(&fact.value) == terms::fold(&value);
        let is_known = self.called(ctx, &key).await?.is_some_and(|known| says_so(&known))
            || self.says_the_same(ctx, &key, &value).await?.is_some();
        let category = category.to_owned();
        Ok((!is_known).then(|| planned(NAME, &StoreFact { category, key, value })))
    }
}
