//! Words that one of a query may be a slip of: the dictionary of each segment, read once, as a segment never changes.
//!
//! Every word of a message that nobody has written before is looked for here, so the known words lie ready, each with a
//! mask of its trigrams by which nearly all of them are passed over.
//!
//! Invariant: of a field behind a prefix so many words are kept ([`INDEX_SLIPS_WALKED_MAX`]), and none of a segment
//! that has gone. Deliberately not here: how alike two words are ([`likeness`]).

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use tantivy::index::SegmentId;
use tantivy::schema::Field;
use tantivy::{Searcher, SegmentReader};

use super::dictionary;
use super::engine::locked;
use brain_core::limits::INDEX_SLIPS_WALKED_MAX;
use brain_language::language::likeness;

/// Sorts behind all words that begin with a digit: numbers are no slips, and in a large vocabulary most words are.
const BEHIND_DIGITS: char = ':';
/// Trigrams that a slip shares with the word, unless it is one edit behind the same first letter.
const SHARED_MIN: usize = 2;
/// What one edit changes of a word's length, in bytes.
const EDIT_BYTES_MAX: usize = 4;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct SpellingCandidates(Mutex<HashMap<(SegmentId, Field, String), Arc<SegmentWords>>>);

/// Those of one segment, in order.
#[derive(Debug, Default)]
pub(super) struct SegmentWords {
    text: String,
    /// Where each ends in the text.
    ends: Vec<usize>,
    /// A bit for each of its trigrams; some share one.
    masks: Vec<u128>,
    /// There are more than are kept.
    pub(super) is_part: bool,
}

impl SpellingCandidates {
    /// Those of a field behind a prefix.
    pub(super) fn of(
        &self,
        searcher: &Searcher,
        segment: &SegmentReader,
        field: Field,
        prefix: &str,
    ) -> tantivy::Result<Arc<SegmentWords>> {
        let place = (segment.segment_id(), field, prefix.to_owned());
        let known = locked(&self.0).get(&place).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let read = Arc::new(SegmentWords::read(segment, field, prefix)?);
        let living: HashSet<SegmentId> = searcher.segment_readers().iter().map(SegmentReader::segment_id).collect();
        let mut all = locked(&self.0);
        all.retain(|(segment, ..), _| living.contains(segment));
        all.insert(place, Arc::clone(&read));
        Ok(read)
    }
}

impl SegmentWords {
    fn read(segment: &SegmentReader, field: Field, prefix: &str) -> tantivy::Result<Self> {
        let mut read = Self::default();
        let from = format!("{prefix}{BEHIND_DIGITS}");
        dictionary::walk_segment(segment, field, (prefix, &from), |known| {
            let known = known.strip_prefix(prefix).unwrap_or(known);
            if read.ends.len() == INDEX_SLIPS_WALKED_MAX {
                read.is_part = true;
                return ControlFlow::Break(());
            }
            if likeness::may_slip(known) {
                read.text.push_str(known);
                read.ends.push(read.text.len());
                read.masks.push(trigrams(known).fold(0, |mask, three| mask | bit(three)));
            }
            ControlFlow::Continue(())
        })?;
        Ok(read)
    }

    /// Those that may be like it; all that are, are among them.
    pub(super) fn like<'w>(&'w self, sought: &'w MisspelledWord) -> impl Iterator<Item = &'w str> {
        let known = |at: usize| {
            let begins = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.text[begins..self.ends[at]]
        };
        let like = move |(at, mask): (usize, &u128)| {
            let shared = (mask & sought.mask).count_ones() as usize;
            let known = (shared > 0).then(|| known(at))?;
            let is_near = || known.starts_with(sought.first) && known.len().abs_diff(sought.bytes) <= EDIT_BYTES_MAX;
            ((shared >= SHARED_MIN || is_near()) && sought.may_be_like(known)).then_some(known)
        };
        self.masks.iter().enumerate().filter_map(like)
    }
}

/// A word that nothing has as it is.
pub(super) struct MisspelledWord {
    pub(super) first: char,
    bytes: usize,
    chars: usize,
    trigrams: Vec<u64>,
    mask: u128,
}

impl MisspelledWord {
    /// `None` where it is no slip of anything.
    pub(super) fn of(word: &str) -> Option<Self> {
        let first = word.chars().next().filter(|_| likeness::may_slip(word))?;
        let trigrams: Vec<u64> = trigrams(word).collect();
        let mask = trigrams.iter().fold(0, |mask, three| mask | bit(*three));
        Some(Self { first, bytes: word.len(), chars: word.chars().count(), trigrams, mask })
    }

    /// A quick look that leaves out most of what is no slip.
    pub(super) fn may_be_like(&self, known: &str) -> bool {
        let shared = trigrams(known).filter(|three| self.trigrams.contains(three)).count();
        let is_edited = || known.starts_with(self.first) && known.chars().count().abs_diff(self.chars) <= 1;
        shared >= SHARED_MIN || is_edited()
    }
}

/// The trigrams of a word with its ends marked, each as a number.
fn trigrams(word: &str) -> impl Iterator<Item = u64> {
    let blank = u64::from(u32::from(' '));
    let mut last = blank << 21 | blank;
    word.chars().chain([' ']).map(move |c| {
        last = (last << 21 | u64::from(u32::from(c))) & (u64::MAX >> 1);
        last
    })
}

fn bit(trigram: u64) -> u128 {
    1 << (trigram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_a_slip_passes_the_quick_look() {
        let words = ["dentist", "dentits", "entist", "milk", "mlik", "quarterly", "quartely", "garden", "gardening"];
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            let mask = trigrams(b).fold(0, |mask, three| mask | bit(three));
            let known = SegmentWords { text: (*b).to_owned(), ends: vec![b.len()], masks: vec![mask], is_part: false };
            let passes = MisspelledWord::of(a).is_some_and(|sought| known.like(&sought).next().is_some());
            assert!(passes || likeness::slip(a, b).is_none(), "{a} {b}");
        }
        let sought = MisspelledWord::of("dentits").unwrap();
        assert!(!sought.may_be_like("plumber") && MisspelledWord::of("20231").is_none());
    }
}
