//! A line of the doctor's.

use std::fmt;

use serde::Serialize;

use brain_core::core::text::one_line;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// It works, and somebody should know.
    Warning,
    /// Something does not work.
    Error,
}

/// What was found about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at: `model`, `account work imap`.
    pub check: String,
    /// How it is.
    pub status: CheckStatus,
    /// What was found, in a sentence.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Check {
    fn new(check: impl Into<String>, status: CheckStatus, message: impl AsRef<str>) -> Self {
        Self { check: check.into(), status, message: sentence(message.as_ref()), advice: None }
    }

    /// A remark about the configuration, which is used all the same.
    pub fn of_configuration(remark: impl AsRef<str>) -> Self {
        Self::warning("configuration", remark)
    }

    /// Which setting was taken from where.
    pub fn of_settings(taken: impl AsRef<str>) -> Self {
        Self::ok("settings", taken)
    }

    /// A problem of the configuration, for which nothing can be looked at.
    pub fn unreadable_configuration(problem: impl AsRef<str>) -> Self {
        Self::error("configuration", problem).advised("Mend that first: nothing starts before")
    }

    pub(super) fn ok(check: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self::new(check, CheckStatus::Ok, message)
    }

    pub(super) fn warning(check: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self::new(check, CheckStatus::Warning, message)
    }

    pub(super) fn error(check: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self::new(check, CheckStatus::Error, message)
    }

    #[must_use]
    pub(super) fn advised(mut self, advice: impl AsRef<str>) -> Self {
        self.advice = Some(sentence(advice.as_ref()));
        self
    }
}

/// One line, hidden characters shown, with a full stop at its end.
fn sentence(text: &str) -> String {
    let text = one_line(text.trim());
    if text.ends_with(['.', '!', '?', ')']) { text } else { format!("{text}.") }
}

/// As a terminal shows it: `warning  disk: … — what to do`.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = match self.status {
            CheckStatus::Ok => "ok     ",
            CheckStatus::Warning => "warning",
            CheckStatus::Error => "error  ",
        };
        write!(f, "{status}  {}: {}", one_line(&self.check), self.message)?;
        match &self.advice {
            Some(advice) => write!(f, "\n         → {advice}"),
            None => Ok(()),
        }
    }
}
