//! The words of an index and how often they occur, walked by ranges.
//!
//! What is deleted stays in tantivy's dictionaries until segments merge, so occurrences are counted among the living.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

use super::spelling::{MisspelledWord, SpellingCandidates};
use brain_core::limits;
use brain_language::language::likeness;

/// The living documents of a segment that have this word.
pub(super) fn documents(segment: &SegmentReader, term: &Term, mut each: impl FnMut(DocId)) -> tantivy::Result<()> {
    let Some(mut postings) = segment.inverted_index(term.field())?.read_postings(term, IndexRecordOption::Basic)?
    else {
        return Ok(());
    };
    let _ = postings.term_freq();
    let mut doc = postings.doc();
    while doc != TERMINATED {
        if !segment.is_deleted(doc) {
            each(doc);
        }
        doc = postings.advance();
    }
    Ok(())
}

/// In how many living documents a word occurs.
pub(super) fn frequency(searcher: &Searcher, term: &Term) -> tantivy::Result<usize> {
    let mut found = 0;
    for segment in searcher.segment_readers() {
        if segment.has_deletes() {
            documents(segment, term, |_| found += 1)?;
        } else {
            found += segment.inverted_index(term.field())?.doc_freq(term)? as usize;
        }
    }
    Ok(found)
}

/// Calls for every word of a field that begins so and is not before `from`, of each segment.
pub(super) fn walk(
    searcher: &Searcher,
    field: Field,
    (beginning, from): (&str, &str),
    mut each: impl FnMut(&str) -> ControlFlow<()>,
) -> tantivy::Result<()> {
    for segment in searcher.segment_readers() {
        walk_segment(segment, field, (beginning, from), &mut each)?;
    }
    Ok(())
}

/// The same of one segment.
pub(super) fn walk_segment(
    segment: &SegmentReader,
    field: Field,
    (beginning, from): (&str, &str),
    mut each: impl FnMut(&str) -> ControlFlow<()>,
) -> tantivy::Result<()> {
    let inverted = segment.inverted_index(field)?;
    let mut terms = inverted.terms().range().ge(from.as_bytes()).into_stream()?;
    while terms.advance() {
        let Ok(word) = std::str::from_utf8(terms.key()) else { continue };
        if !word.starts_with(beginning) || each(word).is_break() {
            break;
        }
    }
    Ok(())
}

/// A vocabulary: the words of fields behind a prefix that is not part of the word.
pub(super) struct IndexVocabulary<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) slips: &'a SpellingCandidates,
    pub(super) fields: &'a [Field],
    pub(super) prefix: &'a str,
}

/// Words that were found, each with its likeness and the living documents that have it.
pub(super) type FoundWords = BTreeMap<String, (f32, usize)>;

impl IndexVocabulary<'_> {
    /// A word as the index has it.
    pub(super) fn term(&self, field: Field, word: &str) -> Term {
        Term::from_field_text(field, &format!("{}{word}", self.prefix))
    }

    /// In how many living documents a word occurs; of several fields the most.
    pub(super) fn frequency(&self, word: &str) -> tantivy::Result<usize> {
        let mut counted = self.fields.iter().map(|field| frequency(self.searcher, &self.term(*field, word)));
        counted.try_fold(0, |most, found| Ok(most.max(found?)))
    }

    fn add(&self, found: &mut FoundWords, word: &str, likeness: f32) -> tantivy::Result<()> {
        if !found.contains_key(word) {
            let documents = self.frequency(word)?;
            if documents > 0 {
                found.insert(word.to_owned(), (likeness, documents));
            }
        }
        Ok(())
    }

    /// Words that begin with this one, but for itself.
    pub(super) fn beginning_with(&self, word: &str) -> tantivy::Result<Vec<String>> {
        let mut longer = Vec::new();
        for field in self.fields {
            let beginning = format!("{}{word}", self.prefix);
            walk(self.searcher, *field, (&beginning, &beginning), |known| {
                longer.extend(known.strip_prefix(self.prefix).map(str::to_owned));
                if longer.len() < limits::INDEX_BEGINNINGS_MAX {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })?;
        }
        longer.retain(|known| known != word);
        longer.sort_unstable();
        longer.dedup();
        Ok(longer)
    }

    /// The same word, what begins it, and what it begins.
    pub(super) fn whole(&self, word: &str) -> tantivy::Result<FoundWords> {
        let mut found = FoundWords::new();
        self.add(&mut found, word, likeness::SAME)?;
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).skip(likeness::BEGINNING_CHARS).collect();
        for shorter in ends.into_iter().filter_map(|end| word.get(..end)) {
            self.add(&mut found, shorter, likeness::BEGINNING)?;
        }
        if word.chars().count() >= likeness::BEGINNING_CHARS {
            for longer in self.beginning_with(word)? {
                self.add(&mut found, &longer, likeness::BEGINNING)?;
            }
        }
        Ok(found)
    }

    /// Words this one may be a slip of. Those with the same first letter are all looked at, others up to a limit.
    pub(super) fn slips(&self, word: &str) -> tantivy::Result<FoundWords> {
        let mut found = FoundWords::new();
        let Some(sought) = MisspelledWord::of(word) else { return Ok(found) };
        let mut like: BTreeMap<String, f32> = BTreeMap::new();
        for field in self.fields {
            for segment in self.searcher.segment_readers() {
                let mut look = |known: &str| {
                    like.extend(likeness::slip(word, known).map(|likeness| (known.to_owned(), likeness)));
                };
                let known = self.slips.of(self.searcher, segment, *field, self.prefix)?;
                known.like(&sought).for_each(&mut look);
                if known.is_part {
                    let beginning = format!("{}{}", self.prefix, sought.first);
                    walk_segment(segment, *field, (&beginning, &beginning), |known| {
                        let known = known.strip_prefix(self.prefix).unwrap_or(known);
                        if sought.may_be_like(known) {
                            look(known);
                        }
                        ControlFlow::Continue(())
                    })?;
                }
            }
        }
        for (known, likeness) in like {
            self.add(&mut found, &known, likeness)?;
        }
        Ok(found)
    }
}
