//! What went wrong with a file, in words for people.

use std::io::{Error, ErrorKind};

/// True when no room is left: on the disk, for this user, or for a file of this size.
pub fn is_full(cause: &Error) -> bool {
    matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

/// Why a file was not written or read.
pub fn why_not(cause: &Error) -> String {
    if is_full(cause) {
        return "the disk is full; free some space, then say it again".to_owned();
    }
    match cause.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "it may not be written there".to_owned(),
        // The system's own words without its numbers.
        _ => cause.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_errors_and_no_number_is_shown() {
        for (number, told) in [
            (28, "the disk is full; free some space, then say it again"),
            (122, "the disk is full; free some space, then say it again"),
            (27, "the disk is full; free some space, then say it again"),
            (13, "it may not be written there"),
            (30, "it may not be written there"),
            (5, "Input/output error"),
        ] {
            assert_eq!(why_not(&Error::from_raw_os_error(number)), told, "{number}");
        }
    }
}
