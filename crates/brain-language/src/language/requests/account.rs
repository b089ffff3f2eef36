//! Accounting: what became of each part of a message, so that nothing that was said is dropped in silence.
//!
//! Invariant: the parts of a [`PartAccount`] follow each other without a gap, from its text's first byte to the last.

use std::ops::Range;

use super::prices::TokenClass;

/// A message, part by part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartAccount {
    /// The person's own words: the message without the lines that it quotes.
    pub text: String,
    pub parts: Vec<AccountedPart>,
}

/// Some words that follow each other, and what they are to the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountedPart {
    /// Bytes of the account's text, the space behind them included.
    pub span: Range<usize>,
    pub role: SpanRole,
}

/// What words are to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanRole {
    /// They say which command is meant.
    Command,
    /// They are the value of a parameter; the name is the slot's.
    Param(String),
    /// A time that an action has.
    Time,
    Politeness,
    /// A conjunction, an adverb of order, a mark.
    Connector,
    /// Why something is asked for, or what is told beside it.
    Reason,
    Condition,
    /// What takes back something said before, and does so in the plan.
    Correction,
    SmallTalk,
    /// Nothing of the plan.
    Skipped(TokenClass),
}

/// Slots that are said to somebody.
const LETTERS: [&str; 4] = ["body", "ask", "clause", "request"];

impl SpanRole {
    /// Whether it is said to somebody.
    pub(super) fn is_letter(&self) -> bool {
        matches!(self, SpanRole::Param(slot) if LETTERS.contains(&slot.as_str()))
    }
}

/// A part of a message that nothing of the plan carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Residue {
    /// In the person's words.
    pub text: String,
    /// The dearest thing in it.
    pub class: TokenClass,
}

impl PartAccount {
    /// From the roles of tokens that begin at these bytes, in order.
    pub(super) fn new(text: &str, tokens: impl Iterator<Item = (usize, SpanRole)>) -> PartAccount {
        let mut parts: Vec<AccountedPart> = Vec::new();
        for (start, role) in tokens {
            let start = if parts.is_empty() { 0 } else { start };
            match parts.last_mut() {
                Some(last) if last.role == role => {}
                last => {
                    last.into_iter().for_each(|last| last.span.end = start);
                    parts.push(AccountedPart { span: start..text.len(), role });
                }
            }
        }
        if parts.is_empty() && !text.is_empty() {
            parts.push(AccountedPart { span: 0..text.len(), role: SpanRole::Skipped(TokenClass::Mark) });
        }
        PartAccount { text: text.to_owned(), parts }
    }

    /// The same, with some of its bytes in another role.
    pub(super) fn with(&self, span: Range<usize>, role: SpanRole) -> PartAccount {
        let mut parts: Vec<AccountedPart> = Vec::new();
        let mut put = |start: usize, end: usize, role: &SpanRole| {
            if start < end {
                parts.push(AccountedPart { span: start..end, role: role.clone() });
            }
        };
        for part in &self.parts {
            put(part.span.start, part.span.end.min(span.start), &part.role);
            if part.span.contains(&span.start) {
                put(span.start, span.end, &role);
            }
            put(part.span.start.max(span.end), part.span.end, &part.role);
        }
        PartAccount { text: self.text.clone(), parts }
    }

    /// The words of a part.
    pub fn words(&self, part: &AccountedPart) -> &str {
        self.text.get(part.span.clone()).unwrap_or_default().trim()
    }
}
