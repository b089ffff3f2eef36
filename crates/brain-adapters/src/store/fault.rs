//! Error mapping: redb's errors in the words of the port.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::process::geteuid;

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
        ErrorKind::PermissionDenied => disk(path, &forbidden(path)),
        _ => disk(path, &cause.to_string()),
    }
}

/// Whose the file is, or the folder in which it would be, and how whoever runs this may use it.
fn forbidden(path: &Path) -> String {
    let there = path.ancestors().find_map(|place| Some((place, fs::metadata(place).ok()?)));
    match there {
        Some((place, about)) => told_forbidden(place, about.uid(), geteuid().as_raw(), about.mode() & 0o7777),
        None => "it may not be used by the user that runs this".to_owned(),
    }
}

fn told_forbidden(place: &Path, owner: u32, me: u32, mode: u32) -> String {
    let place = place.display();
    if owner == me {
        return format!("{place} may not be used by its own user (mode {mode:o}). Run: chmod u+rwX {place}");
    }
    format!(
        "{place} belongs to user {owner} (mode {mode:o}), and this runs as user {me}. Run as root: chown -R {me} {place}, \
         or set BRAIN_DATA_DIR to a folder of your own"
    )
}

/// The content is broken.
pub(super) fn damaged(path: &Path, why: &str) -> StoreError {
    StoreError::Damaged { path: path.display().to_string(), why: why.to_owned() }
}

/// The disk does not do it.
pub(super) fn disk(path: &Path, why: &str) -> StoreError {
    StoreError::Disk { path: path.display().to_string(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_used_is_told_with_whose_it_is_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("none").join("brain.redb");
        let cause = std::io::Error::from(ErrorKind::PermissionDenied);
        let StoreError::Disk { why, .. } = translate_io(&place, &cause) else { panic!("no fault of the disk") };
        assert!(why.contains(&format!("{} may not be used by its own user", folder.path().display())), "{why}");
        let why = told_forbidden(Path::new("/srv/brain"), 1_000, 1_001, 0o755);
        assert!(why.starts_with("/srv/brain belongs to user 1000 (mode 755), and this runs as user 1001"), "{why}");
        assert!(why.contains("chown -R 1001 /srv/brain"), "{why}");
    }
}
