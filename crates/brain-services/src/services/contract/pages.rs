//! Pages: a list is read as far as it is shown, and goes on by key where it ended, so that what came or went meanwhile
//! is neither repeated nor hidden.

use std::sync::Arc;

use super::show::Paging;
use brain_core::limits::{ANSWER_ROWS_MAX, LIST_ROWS_MAX, RESULT_ROWS_MAX};
use brain_core::ports::{Key, Record, Scan, Store, StoreError, from_stored};

/// A part of a list.
#[derive(Debug)]
pub(in crate::services) struct Page<T> {
    /// In order: what a model sees.
    pub rows: Vec<T>,
    /// How many more there are behind them.
    pub more: usize,
    /// What the next page goes on after. People are shown fewer rows than models, so it may lie among `rows`.
    pub next: Option<String>,
}

/// Rows that people are shown of an answer: few first, more of whoever goes on behind `after`.
pub(in crate::services) fn shown(after: Option<&str>) -> usize {
    if after.is_some() { LIST_ROWS_MAX } else { ANSWER_ROWS_MAX }
}

/// What a parameter may hold in place of the separator of keys.
const SEPARATOR: (char, char) = ('\u{1}', '\u{2401}');

/// A key as a place to go on after.
fn cursor(key: &Key) -> String {
    key.as_str().replace(SEPARATOR.0, &SEPARATOR.1.to_string())
}

fn key(cursor: &str) -> Key {
    Key::from_stored(&cursor.replace(SEPARATOR.1, &SEPARATOR.0.to_string()))
}

/// The rows of these ranges behind `after`, one range after the other, and how many there are in all of them. Each
/// begins with its own prefix: no cursor leads out of them. Their keys must ascend, and their limits count for nothing.
/// People are shown `shown` of them.
pub(in crate::services) async fn page<R: Record>(
    store: &Arc<dyn Store>,
    scans: Vec<Scan>,
    after: Option<&str>,
    shown: usize,
) -> Result<Page<R>, StoreError> {
    let mut page = Page { rows: Vec::new(), more: 0, next: None };
    let mut keys: Vec<Key> = Vec::new();
    for mut scan in scans {
        scan.after = scan.after.max(after.map(key));
        scan.limit = RESULT_ROWS_MAX - page.rows.len();
        let rows = store.scan(scan.clone()).await?;
        if let Some((last, _)) = rows.last() {
            scan.after = Some(last.clone());
        }
        if rows.len() == scan.limit {
            scan.limit = usize::MAX;
            page.more += store.count(scan).await?;
        }
        for (key, stored) in rows {
            page.rows.push(from_stored(&stored)?);
            keys.push(key);
        }
    }
    if page.rows.len() + page.more > shown {
        page.next = keys.get(shown - 1).map(cursor);
    }
    Ok(page)
}

/// The same of those alone that are wanted.
pub(in crate::services) async fn picked<R: Record>(
    store: &Arc<dyn Store>,
    scans: Vec<Scan>,
    after: Option<&str>,
    is_wanted: impl Fn(&R) -> bool,
) -> Result<Page<R>, StoreError> {
    let mut wanted: Vec<(String, R)> = Vec::new();
    for scan in scans {
        for (key, stored) in store.scan(scan).await? {
            let row: R = from_stored(&stored)?;
            if is_wanted(&row) {
                wanted.push((cursor(&key), row));
            }
        }
    }
    let Page { rows, more, next } = behind(wanted, after, |(place, _)| place.clone());
    Ok(Page { rows: rows.into_iter().map(|(_, row)| row).collect(), more, next })
}

/// How many more there are than people are shown of so many rows, and what the next page goes on after.
pub(in crate::services) fn rest(paging: Paging<'_>, rows: usize) -> Option<(usize, String)> {
    Some((rows.saturating_sub(shown(paging.after)) + paging.more, paging.next?.to_owned()))
}

/// A page of the best of `total`, best first: `rows` are as many of them as are looked at, and the page goes on behind
/// the one of id `after`. Behind the last of them it does not go on: whoever looks for what fits worse than a hundred
/// others says more of it.
pub(in crate::services) fn ranked<T>(
    mut rows: Vec<T>,
    total: usize,
    after: Option<&str>,
    id: impl Fn(&T) -> &str,
) -> Page<T> {
    rows.truncate(RESULT_ROWS_MAX);
    let place = |after: &str| rows.iter().position(|row| id(row) == after).map_or(rows.len(), |at| at + 1);
    let behind = after.map_or(0, place);
    let rows = rows.split_off(behind);
    let shown = shown(after);
    let next = (rows.len() > shown).then(|| id(&rows[shown - 1]).to_owned());
    Page { more: total.saturating_sub(behind + rows.len()), rows, next }
}

/// Rows as people are shown them in an order of their own: those behind `after`; `place` tells a row's place.
pub(in crate::services) fn behind<T>(mut rows: Vec<T>, after: Option<&str>, place: impl Fn(&T) -> String) -> Page<T> {
    if let Some(after) = after {
        rows.retain(|row| place(row).as_str() > after);
    }
    let shown = shown(after);
    let next = (rows.len() > shown).then(|| place(&rows[shown - 1]));
    let more = rows.len().saturating_sub(RESULT_ROWS_MAX);
    rows.truncate(RESULT_ROWS_MAX);
    Page { rows, more, next }
}
