//! Secondary indexes in the file: kept in the transaction that changes their records.
//!
//! An index is a table of its own, `by:NAME`. An entry's key is the index's key and, behind a separator, the record's;
//! its value says where the record's begins. [`KEPT`] says which indexes there are and of which version. What a
//! change lists a record under follows from the record's bytes before and after it, by the same function; so a group
//! that is taken back takes its entries back as well.
//!
//! A program that knows no indexes leaves them behind when it commits. Hence [`KEPT_TO`]: where it is not the store's
//! last revision, all are built anew.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition, TableHandle,
    WriteTransaction,
};

use super::layout::{ABOUT, REVISION_KEY, bounds, decode, records};
use super::opening::{begin, read_about};
use super::reading::RawRecord;
use brain_core::limits;
use brain_core::ports::{Key, Order, Scan, Secondary, Stored, Table};

/// The indexes in the file and their versions.
const KEPT: TableDefinition<'static, &'static str, u64> = TableDefinition::new("secondary");
/// Key in [`ABOUT`]: the revision up to which all of them are kept.
pub(super) const KEPT_TO: &str = "secondary_revision";

/// Where the record's own key begins in an entry, by entry.
type IndexEntries<'t> = redb::Table<'t, &'static str, u32>;

fn name_of(index: &str) -> String {
    format!("by:{index}")
}

/// The entries of a record: each as it stands in the file, and where the record's own key begins in it.
pub(super) fn entries_of(index: &Secondary, key: &Key, stored: &Stored) -> BTreeMap<String, u32> {
    let entry = |by: Key| {
        let entry = Key::of(&[by.as_str(), key.as_str()]);
        let start = entry.as_str().len() - key.as_str().len();
        (entry.as_str().to_owned(), u32::try_from(start).unwrap_or(u32::MAX))
    };
    (index.keys)(key, stored).into_iter().map(entry).collect()
}

/// Those of what is stored; none for bytes that are no record.
fn entries_in(index: &Secondary, key: &Key, bytes: Option<&[u8]>) -> BTreeMap<String, u32> {
    let stored = bytes.map(|bytes| decode(bytes.to_vec()));
    stored.map(|stored| entries_of(index, key, &stored)).unwrap_or_default()
}

/// The indexes inside one transaction.
pub(super) struct IndexTables<'t> {
    transaction: &'t WriteTransaction,
    indexes: &'t [&'static Secondary],
    open: BTreeMap<&'static str, IndexEntries<'t>>,
}

impl<'t> IndexTables<'t> {
    /// Nothing is opened before it is needed.
    pub(super) fn of(transaction: &'t WriteTransaction, indexes: &'t [&'static Secondary]) -> Self {
        Self { transaction, indexes, open: BTreeMap::new() }
    }

    /// Follows a change of one record.
    pub(super) fn follow(
        &mut self,
        table: Table,
        key: &Key,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<(), redb::Error> {
        for index in self.indexes.iter().filter(|index| index.table == table) {
            let (old, new) = (entries_in(index, key, before), entries_in(index, key, after));
            if old == new {
                continue;
            }
            let entries = self.entries(index)?;
            for gone in old.keys().filter(|entry| !new.contains_key(*entry)) {
                entries.remove(gone.as_str())?;
            }
            for (come, start) in new.iter().filter(|(entry, _)| !old.contains_key(*entry)) {
                entries.insert(come.as_str(), start)?;
            }
        }
        Ok(())
    }

    fn entries(&mut self, index: &'static Secondary) -> Result<&mut IndexEntries<'t>, redb::Error> {
        use std::collections::btree_map::Entry;
        match self.open.entry(index.name) {
            Entry::Occupied(open) => Ok(open.into_mut()),
            Entry::Vacant(free) => {
                Ok(free.insert(self.transaction.open_table(TableDefinition::new(&name_of(index.name)))?))
            }
        }
    }
}

/// Makes the file hold exactly these indexes, each of its version; what is missing or older is built in one
/// transaction, so that a start that is cut short begins again. Writes only when there is something to do.
pub(super) fn settle(database: &Database, indexes: &[&'static Secondary]) -> Result<(), redb::Error> {
    let there = there(database)?;
    let is_fine = |index: &&&'static Secondary| there.get(index.name) == Some(&u64::from(index.version));
    let missing: Vec<&'static Secondary> = indexes.iter().filter(|index| !is_fine(index)).copied().collect();
    let wanted: BTreeSet<&str> = indexes.iter().map(|index| index.name).collect();
    let gone: Vec<&str> = there.keys().map(String::as_str).filter(|name| !wanted.contains(name)).collect();
    if missing.is_empty() && gone.is_empty() {
        return Ok(());
    }
    let transaction = begin(database)?;
    {
        let mut kept = transaction.open_table(KEPT)?;
        for name in gone.into_iter().chain(missing.iter().map(|index| index.name)) {
            kept.remove(name)?;
            transaction.delete_table(TableDefinition::<&str, u32>::new(&name_of(name)))?;
        }
        for index in missing {
            build(&transaction, index)?;
            kept.insert(index.name, u64::from(index.version))?;
        }
        let mut about = transaction.open_table(ABOUT)?;
        let revision = about.get(REVISION_KEY)?.map_or(0, |revision| revision.value());
        about.insert(KEPT_TO, revision)?;
    }
    transaction.commit()?;
    Ok(())
}

/// What the file has, with versions; as version 0, which no index has, what commits of another program have passed by.
fn there(database: &Database) -> Result<BTreeMap<String, u64>, redb::Error> {
    let reading = database.begin_read()?;
    if !reading.list_tables()?.any(|table| table.name() == KEPT.name()) {
        return Ok(BTreeMap::new());
    }
    let is_current = read_about(database, KEPT_TO)? == read_about(database, REVISION_KEY)?.or(Some(0));
    let mut there = BTreeMap::new();
    for entry in reading.open_table(KEPT)?.iter()? {
        let (name, version) = entry?;
        there.insert(name.value().to_owned(), if is_current { version.value() } else { 0 });
    }
    Ok(there)
}

fn build(transaction: &WriteTransaction, index: &'static Secondary) -> Result<(), redb::Error> {
    let table = transaction.open_table(records(index.table))?;
    let all = table.len()?;
    let mut entries: IndexEntries<'_> = transaction.open_table(TableDefinition::new(&name_of(index.name)))?;
    for (done, record) in (1_u64..).zip(table.iter()?) {
        let (key, bytes) = record?;
        for (entry, start) in entries_in(index, &Key::from_stored(key.value()), Some(bytes.value())) {
            entries.insert(entry.as_str(), start)?;
        }
        if done % limits::INDEX_PROGRESS_EVERY == 0 {
            tracing::info!(index = index.name, done, all, "building an index of the store");
        }
    }
    tracing::debug!(index = index.name, all, "an index of the store is built");
    Ok(())
}

/// At most `most` records of a scan by `index`, with the entries they stand at, and whether there may be more of it.
pub(super) fn read_range(
    reading: &ReadTransaction,
    index: &Secondary,
    scan: &Scan,
    most: usize,
) -> Result<(Vec<RawRecord>, ControlFlow<()>), redb::Error> {
    let table = reading.open_table(records(scan.table))?;
    let mut found = Vec::new();
    let wanted = scan.limit.min(most);
    let all = each(reading, index, scan, |entry, start| {
        if found.len() == wanted {
            return Ok(ControlFlow::Break(()));
        }
        let key = entry.get(start as usize..).unwrap_or_default();
        if let Some(bytes) = table.get(key)? {
            found.push((Key::from_stored(entry), bytes.value().to_vec()));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let is_all = all.is_continue() || found.len() == scan.limit;
    Ok((found, if is_all { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }))
}

/// How many records a scan finds, up to its limit.
pub(super) fn count(reading: &ReadTransaction, scan: &Scan) -> Result<usize, redb::Error> {
    let mut found = 0;
    let mut see = || {
        let is_enough = found == scan.limit;
        found += usize::from(!is_enough);
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    match scan.by {
        Some(index) => {
            let _ = each(reading, index, scan, |_, _| Ok(see()))?;
        }
        None => {
            let Some((lower, upper)) = bounds(scan) else { return Ok(0) };
            let table = reading.open_table(records(scan.table))?;
            for entry in table.range::<&str>((lower, upper.as_ref().map(String::as_str)))? {
                entry?;
                if see().is_break() {
                    break;
                }
            }
        }
    }
    Ok(found)
}

/// Gives the entries of a range until `see` has had enough; says whether that was all of them.
fn each(
    reading: &ReadTransaction,
    index: &Secondary,
    scan: &Scan,
    mut see: impl FnMut(&str, u32) -> Result<ControlFlow<()>, redb::Error>,
) -> Result<ControlFlow<()>, redb::Error> {
    let Some((lower, upper)) = bounds(scan) else {
        return Ok(ControlFlow::Continue(()));
    };
    let entries = reading.open_table(TableDefinition::<&str, u32>::new(&name_of(index.name)))?;
    let upper = upper.as_ref().map(String::as_str);
    let mut range = entries.range::<&str>((lower, upper))?;
    loop {
        let next = match scan.order {
            Order::Ascending => range.next(),
            Order::Descending => range.next_back(),
        };
        let Some(entry) = next else { return Ok(ControlFlow::Continue(())) };
        let (entry, start) = entry?;
        if see(entry.value(), start.value())?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

/// Copies all of them into a store that is written anew.
pub(super) fn copy(from: &ReadTransaction, to: &WriteTransaction) -> Result<(), redb::Error> {
    if !from.list_tables()?.any(|table| table.name() == KEPT.name()) {
        return Ok(());
    }
    let mut kept = to.open_table(KEPT)?;
    for entry in from.open_table(KEPT)?.iter()? {
        let (name, version) = entry?;
        kept.insert(name.value(), version.value())?;
        let definition = name_of(name.value());
        let definition = TableDefinition::<&str, u32>::new(&definition);
        let mut entries = to.open_table(definition)?;
        for entry in from.open_table(definition)?.iter()? {
            let (entry, start) = entry?;
            entries.insert(entry.value(), start.value())?;
        }
    }
    Ok(())
}
