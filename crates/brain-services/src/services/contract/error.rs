//! Why a service could not do its work, by kind; the words for people are made here and nowhere else.
//!
//! Each says what happened, what was kept, and what to do. Deliberately not here: doubt about an effect elsewhere,
//! which is an outcome of its own and not an error (see [`Completed`](super::command::Completed)).

use brain_core::core::text::capital;
use brain_core::ports::{IndexError, StoreError};

/// A service could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// The configuration lacks what this needs; a sentence that names the key.
    #[error("{0}")]
    NotSetUp(String),
    /// What the action is about was there when it was planned, and is not any more.
    #[error("The {noun} “{label}” is not there any more; nothing was changed.")]
    NotFound {
        /// What kind of thing: `task`.
        noun: &'static str,
        /// What the person calls it.
        label: String,
    },
    /// An action reached the service without the one item it is about.
    #[error("I don't know which {noun} you mean; nothing was changed.")]
    Several {
        /// What kind of thing.
        noun: &'static str,
    },
    /// The item changed after the person was shown it.
    #[error("“{label}” has changed meanwhile, so I left it as it is. Ask me again and I'll look at it afresh.")]
    Conflict {
        /// What the person calls it.
        label: String,
    },
    /// Another machine did not answer.
    #[error("{place} could not be reached ({why}); nothing was changed.")]
    Unreachable {
        /// Which service elsewhere.
        place: String,
        /// What the network said.
        why: String,
    },
    /// The values cannot be carried out as they are; a sentence that says what is wrong with them.
    #[error("{0}")]
    Refused(String),
    /// Something of ours is damaged or in the way: the store, a file, a program error.
    #[error("{0}")]
    Broken(String),
}

const UNREADABLE: &str = "Something I keep for that cannot be read, so I left it as it is. Please tell whoever runs me; the log says what it is.";

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unreadable { .. } => {
                tracing::error!(%error, "a service met a record that cannot be read");
                Self::Broken(UNREADABLE.to_owned())
            }
            StoreError::Conflict { .. }
            | StoreError::Locked { .. }
            | StoreError::Damaged { .. }
            | StoreError::Newer { .. }
            | StoreError::NewerRecord { .. }
            | StoreError::Full { .. }
            | StoreError::Disk { .. }
            | StoreError::NoIndex { .. }
            | StoreError::Closed => Self::Broken(error.to_string()),
        }
    }
}

impl From<IndexError> for ServiceError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::Building(_) | IndexError::Broken(_) => Self::Broken(capital(&format!("{error}."))),
        }
    }
}

impl From<serde_json::Error> for ServiceError {
    fn from(error: serde_json::Error) -> Self {
        tracing::error!(%error, "a service met something it cannot read");
        Self::Broken(UNREADABLE.to_owned())
    }
}
