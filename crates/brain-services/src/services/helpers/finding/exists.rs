//! Whether there is something of some words.

use super::{Choice, Finder};
use crate::services::contract::circumstance::Evidence;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::items::Item;
use brain_core::core::provenance::UntrustedText;

impl Finder<'_> {
    /// Whether there is something of these words. `None`: perhaps.
    pub(in crate::services) async fn exists<T: Item>(
        &self,
        words: &str,
        allowed: impl Fn(&T) -> bool,
        told: impl Fn(&T, &RequestContext) -> (String, Vec<UntrustedText>),
    ) -> Result<Option<Evidence>, ServiceError> {
        let shown = |item: &T| {
            let (shown, untrusted) = told(item, self.ctx);
            Evidence { holds: true, shown: Some(shown), untrusted }
        };
        Ok(match self.find::<T>(words, allowed).await? {
            Choice::One((item, _)) => Some(shown(&item)),
            Choice::Several { items, sure: true, .. } => items.first().map(shown),
            Choice::Several { .. } => None,
            Choice::None => Some(Evidence::default()),
        })
    }
}
