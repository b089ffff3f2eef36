//! Parameter errors: what the person is asked or told, and what a planner can mend.

use brain_core::core::provenance::UntrustedText;

/// Why parameters do not make a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// A required one is missing or empty.
    #[error("{param} is missing")]
    Missing {
        /// The parameter's name.
        param: String,
        /// What to ask the person.
        question: String,
        /// Values to choose from, with their labels; empty if anything may be answered.
        choices: Vec<(String, String)>,
    },
    /// Somebody else asks it through us, before they go on.
    #[error("{param} is missing")]
    Asked {
        /// The parameter's name.
        param: String,
        /// What to ask the person.
        question: String,
        /// Values to choose from, with their labels, each a button as well; other words may be an answer, too.
        choices: Vec<(String, String)>,
        /// What of the question is somebody else's.
        quoted: Box<UntrustedText>,
    },
    /// They are understood and cannot be: a sentence for the person.
    #[error("{0}")]
    Invalid(String),
    /// They do not fit the types. What a planner wrote: a person is told which part was not understood.
    #[error("I could not make sense of {}. Nothing was done about it; please say it once more, in other words.", part(.param.as_deref()))]
    Unfit {
        /// Which of them, where one alone is to blame.
        param: Option<String>,
        /// For whoever planned it.
        why: String,
    },
}

impl ParamError {
    /// What a planner can mend, in words for it; `None` for what only the person can.
    pub fn for_planner(&self) -> Option<String> {
        match self {
            Self::Missing { .. } | Self::Asked { .. } | Self::Invalid(_) => None,
            Self::Unfit { param: Some(param), why } => Some(format!("{param}: {why}")),
            Self::Unfit { param: None, why } => Some(why.clone()),
        }
    }
}

fn part(param: Option<&str>) -> String {
    match param {
        Some(param) => format!("one part of that (the {})", param.replace('_', " ")),
        None => "a part of that".to_owned(),
    }
}
