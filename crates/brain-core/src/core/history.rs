//! Conversation history: what was said and done earlier, so that a pronoun can be resolved ([`PastAction`]), and as
//! each stage is shown it ([`History`]), and what is older in short ([`HistorySummary`]). Not here: the messages
//! themselves (a stored record), and which of them a message means (`language::requests`).

mod entry;
mod results;
mod summary;
mod views;

use serde::{Deserialize, Serialize};

pub use self::entry::{HistoryEntry, Voice};
pub use self::results::results_within;
pub use self::summary::{Compression, Fold, FoldPart, HistorySummary, SummaryPart, newest_within, tokens, whole_turns};
pub use self::views::History;
use super::plan::Params;

/// What an earlier turn did or asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PastAction {
    /// The service's name.
    pub service: String,
    /// The command's name.
    pub command: String,
    /// As it was settled: times resolved, people looked up.
    pub params: Params,
    /// What it made or touched; `None` when it was about no single thing, such as a search.
    pub item: Option<ItemRef>,
    /// What it listed, in the order shown: an ordinal counts in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<ItemRef>,
    /// What else was known of each row then, in their order; shorter where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// Stands in [`PastAction::command`] for what was found or pointed at: no command, but an antecedent for pronouns.
pub const FOUND: &str = "found";
/// Stands in [`PastAction::command`] for a reminder that was told: no command, but something to answer.
pub const REMINDED: &str = "remind";

impl PastAction {
    /// A reminder that was told; of several, of no single thing.
    pub fn reminder(service: &str, item: Option<ItemRef>) -> Self {
        Self { service: service.to_owned(), command: REMINDED.to_owned(), item, ..Self::default() }
    }
}

/// A thing that a service holds, as it was known at that moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemRef {
    /// The service's own id of it; empty when only its name is known.
    pub id: String,
    /// What people call it: its title, summary, subject.
    pub label: String,
}
