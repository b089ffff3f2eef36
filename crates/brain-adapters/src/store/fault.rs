//! Error mapping: redb's errors in the words of the port.

use std::io::ErrorKind;
use std::path::Path;

use brain_core::ports::{StoreError, is_full};

/// What went wrong with the file at `path`.
pub(super) fn translate(path: &Path, cause: &redb::Error) -> StoreError {
    use redb::Error as E;
    match cause {
        E::DatabaseAlreadyOpen => StoreError::Locked { path: path.display().to_string() },
        E::DatabaseClosed => StoreError::Closed,
        E::Io(io) => translate_io(path, io),
        E::PreviousIo => disk(path, "an earlier error has not been overcome yet"),
        E::UpgradeRequired(version) => damaged(path, &format!("it has redb's old format {version}")),
        E::Corrupted(_)
        | E::TableTypeMismatch { .. }
        | E::TableIsMultimap(_)
        | E::TableIsNotMultimap(_)
        | E::TypeDefinitionChanged { .. }
        | E::TableDoesNotExist(_)
        | E::RepairAborted => damaged(path, &cause.to_string()),
        // redb's error grows with its releases; what is left is about failing to do, not about what is there.
        other => disk(path, &other.to_string()),
    }
}

/// What went wrong when the file was read or written.
pub(super) fn translate_io(path: &Path, cause: &std::io::Error) -> StoreError {
    match cause.kind() {
        // redb says so when the content is not its own, or ends too early.
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => damaged(path, &cause.to_string()),
        _ if is_full(cause) => StoreError::Full { path: path.display().to_string() },
        _ => disk(path, &cause.to_string()),
    }
}

/// The content is broken.
pub(super) fn damaged(path: &Path, why: &str) -> StoreError {
    StoreError::Damaged { path: path.display().to_string(), why: why.to_owned() }
}

/// The disk does not do it.
pub(super) fn disk(path: &Path, why: &str) -> StoreError {
    StoreError::Disk { path: path.display().to_string(), why: why.to_owned() }
}
