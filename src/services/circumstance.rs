//! What a request may depend on, as far as a service can look it up.

use chrono::{DateTime, Duration, Utc};

use super::finding::{Choice, Finder};
use super::items::Item;
use super::service::RequestContext;
use crate::core::provenance::UntrustedText;
use crate::services::error::ServiceError;

/// A span as long as this is a day or more of them: one thing in it leaves room for others.
const DAYLONG: Duration = Duration::hours(10);

/// Something that is so, or is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Circumstance {
    /// The person has nothing else from a moment to another.
    Free {
        /// Inclusive.
        from: DateTime<Utc>,
        /// Exclusive.
        to: DateTime<Utc>,
    },
    /// There is something that is called so.
    Exists {
        /// In the person's words.
        words: String,
    },
}

impl Circumstance {
    /// Whether what is there in it leaves doubt about who is free.
    pub(super) fn is_daylong(from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        to - from >= DAYLONG
    }
}

/// What was found out about a circumstance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Whether it is so.
    pub holds: bool,
    /// What shows it, as it is called: "Northwind call (14:00–15:00)".
    pub shown: Option<String>,
    /// What of that is not the person's own words.
    pub untrusted: Vec<UntrustedText>,
}

impl Finder<'_> {
    /// Whether there is something of these words. `None`: perhaps.
    pub(super) async fn exists<T: Item>(
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
