//! Circumstances: what a request may depend on, as far as a service can look it up.

use chrono::{DateTime, Duration, Utc};

use brain_core::core::provenance::UntrustedText;

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
    pub(in crate::services) fn is_daylong(from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        to - from >= DAYLONG
    }
}

/// What was found out about a circumstance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Whether it is so.
    pub holds: bool,
    /// What shows it, as it is called, with its hours.
    pub shown: Option<String>,
    /// What of that is not the person's own words.
    pub untrusted: Vec<UntrustedText>,
}
