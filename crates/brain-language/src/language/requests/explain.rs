//! Trace of a reading: what became of a message, without any word of it.

use std::fmt;

use super::account::{PartAccount, SpanRole};
use super::prices::TokenClass;
use super::understood::Understood;

impl Understood {
    /// The outcome and how many words each role has: nothing of what was said.
    pub fn in_short(&self) -> String {
        let part = |account: &PartAccount| -> String {
            let words = |part| account.words(part).split_whitespace().count();
            account.parts.iter().map(|part| format!(" · {} {}", part.role, words(part))).collect()
        };
        format!("built in: {}{}", self.name(), self.account().map(part).unwrap_or_default())
    }

    /// The account of its parts, where it was read to its end.
    pub fn account(&self) -> Option<&PartAccount> {
        match self {
            Self::Plan { account, .. } | Self::Partly { account, .. } => Some(account),
            Self::Ask { .. } | Self::Which { .. } | Self::NotUnderstood { .. } | Self::SmallTalk | Self::TooMuch => {
                None
            }
        }
    }

    /// What came of it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plan { condition: None, .. } => "plan",
            Self::Plan { condition: Some(_), .. } => "plan on a condition",
            Self::Ask { .. } => "ask",
            Self::Which { .. } => "which",
            Self::Partly { .. } => "partly",
            Self::NotUnderstood { .. } => "not understood",
            Self::SmallTalk => "small talk",
            Self::TooMuch => "too much",
        }
    }
}

impl fmt::Display for SpanRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command => f.pad("command"),
            Self::Param(name) => f.pad(name),
            Self::Time => f.pad("time"),
            Self::Politeness => f.pad("politeness"),
            Self::Connector => f.pad("connector"),
            Self::Reason => f.pad("reason"),
            Self::Condition => f.pad("condition"),
            Self::Correction => f.pad("correction"),
            Self::SmallTalk => f.pad("small talk"),
            Self::Skipped(TokenClass::Mark) => f.pad("mark"),
            Self::Skipped(class) => f.pad(&format!("left out ({class})")),
        }
    }
}
