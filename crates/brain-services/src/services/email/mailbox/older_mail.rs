//! What is looked for among mail that is older than what an account keeps here.

use chrono::{DateTime, Utc};

/// What a mail must say, in words as the person wrote them: a server takes them as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OlderMail {
    /// Anywhere in it, all of them.
    pub text: Vec<String>,
    /// Words and addresses of its sender, one of each row.
    pub from: Vec<Vec<String>>,
    /// Words of whom it went to, all of them.
    pub to: Vec<String>,
    /// In its subject, all of them.
    pub subject: Vec<String>,
    /// Not before.
    pub since: Option<DateTime<Utc>>,
    /// Not after.
    pub before: Option<DateTime<Utc>>,
    /// Something was found here: older mail is wanted only where a time was named that goes further back.
    pub is_found: bool,
}

impl OlderMail {
    /// A mail that somebody describes in words.
    pub fn described(words: Vec<String>) -> Self {
        Self { text: words, ..Self::default() }
    }

    /// Whether mails of before `kept_since` are wanted at all.
    pub fn reaches_before(&self, kept_since: DateTime<Utc>) -> bool {
        let is_named = self.since.is_some_and(|since| since < kept_since)
            || self.before.is_some_and(|before| before <= kept_since);
        let says_nothing =
            self.text.is_empty() && self.from.is_empty() && self.to.is_empty() && self.subject.is_empty();
        is_named || (!self.is_found && !says_nothing && self.since.is_none())
    }
}
