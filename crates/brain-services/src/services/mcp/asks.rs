//! Which tools of a server ask for a yes, and why.
//!
//! Invariant: without one runs what the operator names, unless its server says of it that it changes something; what a
//! server says never suffices.

use std::collections::BTreeMap;

use crate::services::catalog::registry::Registration;
use brain_core::core::text::{shorten, visible};
use brain_core::limits;
use brain_wire::mcp::{McpServer, OfferedTool, ToolListing};

/// Why a tool needs a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyItAsks {
    /// Its server says so, whatever the operator's file says.
    SaysItChanges,
    /// The operator's file does not name it, though its server says that it only reads.
    ReadsUnlisted,
    /// The operator's file does not name it, and its server says nothing.
    Unlisted,
}

impl WhyItAsks {
    fn in_words(self) -> &'static str {
        match self {
            Self::SaysItChanges => "changes something",
            Self::ReadsUnlisted => "only reads, it says; not in readOnly",
            Self::Unlisted => "not in readOnly",
        }
    }
}

/// Why this one needs a yes; `None`: it runs without.
pub(super) fn why_it_asks(server: &McpServer, tool: &OfferedTool) -> Option<WhyItAsks> {
    match (tool.says_it_changes, server.read_only.contains(&tool.name)) {
        (true, _) => Some(WhyItAsks::SaysItChanges),
        (false, true) => None,
        (false, false) if tool.says_read_only => Some(WhyItAsks::ReadsUnlisted),
        (false, false) => Some(WhyItAsks::Unlisted),
    }
}

/// The tools of a server that can be used and need a yes, by name.
pub fn asking_tools(
    server: &McpServer,
    listing: &ToolListing,
    registration: &Registration,
) -> BTreeMap<String, WhyItAsks> {
    let usable = listing.tools.iter().filter(|tool| registration.command(&tool.name).is_some());
    usable.filter_map(|tool| Some((tool.name.clone(), why_it_asks(server, tool)?))).collect()
}

/// "ask first: write_file, move_file (changes something); stat (not in readOnly)"; `None` where none does.
pub fn asking_in_words(asks: &BTreeMap<String, WhyItAsks>) -> Option<String> {
    let mut by_reason: BTreeMap<WhyItAsks, Vec<&str>> = BTreeMap::new();
    for (name, why) in asks {
        by_reason.entry(*why).or_default().push(name);
    }
    let reason = |(why, names): (WhyItAsks, Vec<&str>)| {
        let more = names.len().saturating_sub(limits::ASKING_TOOLS_NAMED_MAX);
        let named: Vec<String> =
            names.iter().take(limits::ASKING_TOOLS_NAMED_MAX).map(|name| shorten(name, NAME_CHARS_MAX)).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more} ({})", named.join(", "), why.in_words())
    };
    let reasons: Vec<String> = by_reason.into_iter().map(reason).collect();
    (!reasons.is_empty()).then(|| visible(&format!("ask first: {}", reasons.join("; "))))
}

/// Of a tool's name where many are listed.
const NAME_CHARS_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_names_its_tools_and_many_are_counted() {
        let reads = (0..9).map(|n| (format!("r{n}"), WhyItAsks::Unlisted));
        let asks = reads.chain([("write".to_owned(), WhyItAsks::SaysItChanges)]).collect();
        let told = asking_in_words(&asks).unwrap();
        assert_eq!(told, "ask first: write (changes something); r0, r1, r2, r3, r4, r5 and 3 more (not in readOnly)");
        assert_eq!(asking_in_words(&BTreeMap::new()), None);
    }
}
