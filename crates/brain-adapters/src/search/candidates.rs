//! Candidate retrieval: for each word of a description the stems it matches, and the documents with most of them.
//!
//! Counted and looked for within one kind. This only narrows down; which of several is meant, the service decides with
//! its own measure over the records.

use std::cmp::Ordering;

use tantivy::{DocId, Searcher, SegmentReader, Term};

use super::columns::Columns;
use super::dictionary::{self, FoundWords, IndexVocabulary};
use super::shape::{self, IndexFields};
use super::spelling::SpellingCandidates;
use brain_core::ports::{Candidates, Description, WordMatch};
use brain_language::language::terms;

/// What a word in the body is worth beside one in the title.
const BODY: f32 = 0.6;

/// One document, and why it stands where it does.
struct Ranked {
    segment: usize,
    doc: DocId,
    first: bool,
    exact: bool,
    score: f32,
    distance: i64,
}

impl Ranked {
    fn better(&self, other: &Self) -> Ordering {
        let flags = (other.first, other.exact).cmp(&(self.first, self.exact));
        flags.then(other.score.total_cmp(&self.score)).then(self.distance.cmp(&other.distance))
    }
}

/// See [`brain_core::ports::Index::candidates`].
pub(super) fn candidates(
    searcher: &Searcher,
    fields: &IndexFields,
    slips: &SpellingCandidates,
    sought: &Description,
) -> tantivy::Result<Candidates> {
    let prefix = shape::joined(&sought.kind, "");
    let vocabulary = IndexVocabulary { searcher, slips, fields: &[fields.stem], prefix: &prefix };
    let kind = Term::from_field_text(fields.kind, &sought.kind);
    let documents = dictionary::frequency(searcher, &kind)?;
    let mut words = Vec::with_capacity(sought.words.len());
    for word in &sought.words {
        let stem = terms::stem(word);
        let whole = vocabulary.whole(&stem)?;
        words.push(if whole.is_empty() { vocabulary.slips(&stem)? } else { whole });
    }
    let matched: Vec<WordMatch> = words.iter().map(|found| word_match(found, documents)).collect();
    let weights: Vec<f32> = matched.iter().map(|word| terms::telling(word.documents, documents)).collect();
    let mut ranked = Vec::new();
    for (number, segment) in searcher.segment_readers().iter().enumerate() {
        let looked = Segment { searcher: segment, fields, prefix: &prefix, sought };
        looked.rank(number, &words, &weights, &mut ranked)?;
    }
    let found = ranked.len();
    ranked.sort_by(Ranked::better);
    let beyond = ranked.split_off(sought.limit.min(found));
    ranked.extend(beyond.into_iter().filter(|document| document.exact).take(sought.limit));
    let ids = Columns::of(searcher)?.ids(ranked.iter().map(|document| (document.segment, document.doc)))?;
    Ok(Candidates { words: matched, documents, more: found - ids.len(), ids })
}

fn word_match(found: &FoundWords, documents: usize) -> WordMatch {
    let stems = found.iter().map(|(stem, (likeness, _))| (stem.clone(), *likeness)).collect();
    let sum: usize = found.values().map(|(_, documents)| documents).sum();
    WordMatch { stems, documents: sum.min(documents) }
}

struct Segment<'a> {
    searcher: &'a SegmentReader,
    fields: &'a IndexFields,
    prefix: &'a str,
    sought: &'a Description,
}

impl Segment<'_> {
    fn rank(
        &self,
        number: usize,
        words: &[FoundWords],
        weights: &[f32],
        ranked: &mut Vec<Ranked>,
    ) -> tantivy::Result<()> {
        let size = self.searcher.max_doc() as usize;
        let mut fits = vec![false; size];
        let mut score = vec![0.0_f32; size];
        let mut exact = vec![false; size];
        let mut first = vec![false; size];
        if words.is_empty() {
            self.mark(&self.term(self.fields.kind, &self.sought.kind), &mut fits)?;
        }
        for (found, weight) in words.iter().zip(weights) {
            self.add(found, *weight, &mut score, &mut fits)?;
        }
        if !self.sought.exact.is_empty() {
            let exactly = shape::exact(&self.sought.kind, &self.sought.exact);
            self.mark(&self.term(self.fields.exact, &exactly), &mut exact)?;
        }
        if let Some(flag) = &self.sought.first {
            self.mark(&self.term(self.fields.flag, flag), &mut first)?;
        }
        let at = self.searcher.fast_fields().i64(shape::AT)?;
        let near = self.sought.near.map(shape::millis);
        let distance = |doc: DocId| match (near, at.first(doc)) {
            (Some(near), Some(at)) => near.saturating_sub(at).saturating_abs(),
            (Some(_), None) => i64::MAX,
            (None, at) => at.map_or(i64::MAX, i64::saturating_neg),
        };
        for doc in 0..self.searcher.max_doc() {
            let at = doc as usize;
            if fits[at] || exact[at] {
                let distance = distance(doc);
                let (first, exact, score) = (first[at], exact[at], score[at]);
                ranked.push(Ranked { segment: number, doc, first, exact, score, distance });
            }
        }
        Ok(())
    }

    fn term(&self, field: tantivy::schema::Field, word: &str) -> Term {
        Term::from_field_text(field, word)
    }

    fn mark(&self, term: &Term, marked: &mut [bool]) -> tantivy::Result<()> {
        dictionary::documents(self.searcher, term, |doc| marked[doc as usize] = true)
    }

    /// Adds what a word is worth: the best of its matches, in the title or elsewhere.
    fn add(&self, found: &FoundWords, weight: f32, score: &mut [f32], fits: &mut [bool]) -> tantivy::Result<()> {
        let mut quality: Vec<(DocId, f32)> = Vec::new();
        for (stem, (likeness, _)) in found {
            let word = format!("{}{stem}", self.prefix);
            for (field, worth) in [(self.fields.stem, BODY), (self.fields.title_stem, 1.0)] {
                let term = self.term(field, &word);
                dictionary::documents(self.searcher, &term, |doc| quality.push((doc, likeness * worth)))?;
            }
        }
        quality.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then(y.total_cmp(x)));
        quality.dedup_by_key(|(doc, _)| *doc);
        for (doc, quality) in quality {
            score[doc as usize] += weight * quality;
            fits[doc as usize] = true;
        }
        Ok(())
    }
}
