//! On-disk layout: how records and ranges look in the file.
//!
//! A value is the record's version (1 byte), its revision (8 bytes, little endian) and its JSON. Keys are the
//! text of [`Key`]; redb sorts them by their bytes, as Rust sorts strings.

use std::ops::Bound;

use redb::TableDefinition;

use brain_core::ports::{Expect, Key, Scan, Stored, Table};

/// A table of records.
pub(super) type Records = TableDefinition<'static, &'static str, &'static [u8]>;

/// What the store knows about itself.
pub(super) const ABOUT: TableDefinition<'static, &'static str, u64> = TableDefinition::new("about");
/// Key in [`ABOUT`]: the format of the file.
pub(super) const FORMAT_KEY: &str = "format";
/// Key in [`ABOUT`]: the last revision given.
pub(super) const REVISION_KEY: &str = "revision";

/// Key in [`ABOUT`]: the last revision that was given by somebody who keeps the change log.
pub(super) const LOGGED_KEY: &str = "logged";
/// Key in [`ABOUT`]: which tables the change log follows, see [`Schema::fingerprint`](super::Schema).
pub(super) const FOLLOWED_KEY: &str = "followed";
/// Key in [`ABOUT`]: lines of the change log up to this revision are gone.
pub(super) const TRIMMED_KEY: &str = "changes_trimmed";

/// The change log: by revision, JSON of the tables and keys.
pub(super) const CHANGES: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("changes");

/// Bytes before the JSON.
const HEAD: usize = 9;

/// The records of `table` in the file.
pub(super) fn records(table: Table) -> Records {
    TableDefinition::new(table.name())
}

/// A record as bytes.
pub(super) fn encode(version: u8, revision: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.push(version);
    bytes.extend_from_slice(&revision.to_le_bytes());
    bytes.extend_from_slice(body);
    bytes
}

/// The revision of stored bytes; `None` when they are too short to be a record.
pub(super) fn revision_of(bytes: &[u8]) -> Option<u64> {
    let revision = bytes.get(1..HEAD)?.try_into().ok()?;
    Some(u64::from_le_bytes(revision))
}

/// The record behind stored bytes. Bytes too short for one have no version and no revision, and are what is found.
pub(super) fn decode(mut bytes: Vec<u8>) -> Stored {
    match (bytes.first().copied(), revision_of(&bytes)) {
        (Some(version), Some(revision)) => {
            bytes.drain(..HEAD);
            Stored { revision, version, body: bytes }
        }
        (None, _) | (_, None) => Stored { revision: 0, version: 0, body: bytes },
    }
}

/// Whether a change may happen where `found` is the revision that is there.
pub(super) fn holds(expect: Expect, found: Option<u64>) -> bool {
    match expect {
        Expect::Any => true,
        Expect::Absent => found.is_none(),
        Expect::Revision(revision) => found == Some(revision),
    }
}

/// The first and the last key of a scan; `None` when no key can lie between them.
pub(super) fn bounds(scan: &Scan) -> Option<(Bound<&str>, Bound<String>)> {
    let prefix = scan.prefix.as_ref().map_or("", Key::as_str);
    let lower = match scan.after.as_ref().map(Key::as_str) {
        Some(after) if after >= prefix => Bound::Excluded(after),
        Some(_) | None => Bound::Included(prefix),
    };
    let end = following(prefix);
    let before = scan.before.as_ref().map(|key| key.as_str().to_owned());
    let upper = match (end, before) {
        (Some(end), Some(before)) => Bound::Excluded(end.min(before)),
        (Some(only), None) | (None, Some(only)) => Bound::Excluded(only),
        (None, None) => Bound::Unbounded,
    };
    let possible = match (&lower, &upper) {
        (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high)) => *low < high.as_str(),
        _ => true,
    };
    possible.then_some((lower, upper))
}

/// The smallest text greater than everything that begins with `prefix`; `None` when there is none.
fn following(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        if last == char::MAX {
            continue;
        }
        // The scalar values have one gap, the surrogates.
        let next = char::from_u32(u32::from(last) + 1).unwrap_or('\u{e000}');
        text.push(next);
        return Some(text);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_prefix_is_the_next_scalar_value() {
        assert_eq!(following("ab"), Some("ac".to_owned()));
        assert_eq!(following("a\u{1}"), Some("a\u{2}".to_owned()));
        assert_eq!(following("a\u{d7ff}"), Some("a\u{e000}".to_owned()));
        assert_eq!(following("a\u{10ffff}"), Some("b".to_owned()));
        assert_eq!(following("\u{10ffff}"), None);
        assert_eq!(following(""), None);
    }

    #[test]
    fn a_record_reads_back_and_a_stump_is_no_version_of_one() {
        let bytes = encode(3, u64::MAX - 1, b"{}");
        let stored = decode(bytes);
        assert_eq!((stored.version, stored.revision), (3, u64::MAX - 1));
        assert_eq!(stored.body, b"{}");
        for length in 0..HEAD {
            let stump = vec![1; length];
            let stored = decode(stump.clone());
            assert_eq!((stored.version, stored.revision, stored.body), (0, 0, stump));
        }
    }
}
