//! Secondary indexes: further orders over the records of a table, for what is asked by state and time.
//!
//! A [`Secondary`] says under which keys a record is listed; the store keeps them in the commit that changes the
//! record, so that a scan by one ([`Scan::by`]) is never behind. A record may have no key, or several. One that cannot
//! be read has none: it is in no order, and stops nobody.
//!
//! Deliberately not here: search by words (see [`super::Index`]).

use std::fmt;

use super::records;
use super::store::{Key, Order, Record, Scan, Stored, from_stored};
use super::table::Table;

/// A further order over the records of one table.
#[derive(Clone, Copy)]
pub struct Secondary {
    /// Unique among all; its name in the file.
    pub name: &'static str,
    /// The table whose records it orders.
    pub table: Table,
    /// Raised with every change of `keys`: an index of another version is built anew at start.
    pub version: u32,
    /// Where a record is listed. It must follow from the two alone, and is empty for what cannot be read.
    pub keys: fn(&Key, &Stored) -> Vec<Key>,
}

impl fmt::Debug for Secondary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (version {})", self.name, self.version)
    }
}

impl PartialEq for Secondary {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.version) == (other.name, other.version)
    }
}

impl Eq for Secondary {}

/// The record behind `stored`, for the keys of an index; `None` for what cannot be read.
pub fn readable<R: Record>(stored: &Stored) -> Option<R> {
    from_stored(stored).ok()
}

/// The indexes over the ports' own records; services bring their own.
pub static OF_RECORDS: [&Secondary; 5] = [
    &records::CARDS_BY_OWNER,
    &records::DUE_BY_OWNER,
    &records::OPEN_UPDATES,
    &records::UNDOS_BY_CHAT,
    &records::UPDATES_BY_MESSAGE,
];

impl Scan {
    /// The records that `index` lists under these leading key parts (none: all of them), in its order. The keys that a
    /// scan gives, and those of [`Scan::before`] and [`Scan::after`], are then the index's, each followed by the
    /// record's own.
    pub fn by(index: &'static Secondary, parts: &[&str], limit: usize) -> Self {
        let prefix = if parts.is_empty() { None } else { Some(Key::prefix(parts)) };
        let (before, after) = (None, None);
        Self { table: index.table, by: Some(index), prefix, before, after, order: Order::Ascending, limit }
    }
}
