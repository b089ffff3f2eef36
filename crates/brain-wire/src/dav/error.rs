//! Why something was not done at a DAV server, or may have been.

/// A sentence each, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DavError {
    /// It does not let the account in.
    #[error("{why}")]
    NotSignedIn {
        /// What it said, or why there was nothing to sign in with.
        why: String,
        /// It stays so until somebody reconnects the account.
        until_reconnected: bool,
    },
    /// It was not reached, or said that it has no time: certainly nothing was done.
    #[error("{0}")]
    Unreachable(String),
    /// A write that may have been done.
    #[error("{0}")]
    Doubtful(String),
    /// It is in another state there than the write named, or something of that name is there already.
    #[error("it was changed there meanwhile")]
    ChangedThere,
    /// It is not there any more.
    #[error("it is not there any more")]
    Gone,
    /// The server said no; nothing was done.
    #[error("{0}")]
    Refused(String),
    /// What is at the address is something else.
    #[error("{0}")]
    NotDav(String),
    /// An answer that cannot be read.
    #[error("{0}")]
    Unexpected(String),
}

/// Of an answer that cannot be read.
pub(super) fn garbled() -> DavError {
    DavError::Unexpected("the server's answer cannot be read".to_owned())
}
