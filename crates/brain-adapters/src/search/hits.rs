//! Collector: what fits, in the order asked for.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, DocId, Score, Searcher, SegmentOrdinal, SegmentReader, TantivyDocument};

use super::columns::Columns;
use super::query;
use super::shape::{AT, IndexFields};
use super::snippet::snippet;
use super::spelling::SpellingCandidates;
use brain_core::ports::{Found, Hit, Query, Ranking};

/// How much more the newest document is worth than an ancient one that fits as well.
const RECENT: f32 = 0.1;
/// After so long a document is worth half of that.
const FADES_MILLIS: f32 = 180.0 * 24.0 * 3_600.0 * 1_000.0;

/// See [`brain_core::ports::Index::search`].
pub(super) fn search(
    searcher: &Searcher,
    fields: &IndexFields,
    slips: &SpellingCandidates,
    query: &Query,
) -> tantivy::Result<Found> {
    let built = query::build(searcher, fields, slips, query)?;
    let columns = Columns::of(searcher)?;
    let newest = columns.newest();
    let top = Top { ranking: query.ranking, most: query.skip.saturating_add(query.limit), newest };
    let (mut ranked, total) = searcher.search(&built.query, &top)?;
    ranked.sort_by(|a, b| b.cmp(a));
    let page = ranked.into_iter().skip(query.skip).take(query.limit);
    let hits = page.map(|ranked| {
        let (segment, doc) = (ranked.at.segment_ord as usize, ranked.at.doc_id);
        let snippet = match query.snippet_chars {
            0 => None,
            chars => {
                let stored: TantivyDocument = searcher.doc(ranked.at)?;
                let text = stored.get_first(fields.text).and_then(|text| text.as_str()).unwrap_or_default();
                Some(snippet(text, &built.forms, chars))
            }
        };
        Ok(Hit {
            kind: columns.kind(segment, doc)?,
            id: columns.id(segment, doc)?,
            score: ranked.score,
            at: columns.at(segment, doc).and_then(chrono::DateTime::from_timestamp_millis),
            kept: columns.kept(segment, doc)?,
            snippet,
        })
    });
    Ok(Found { hits: hits.collect::<tantivy::Result<_>>()?, total })
}

/// One document and its place in the order; greater is better.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RankedHit {
    score: f32,
    time: i64,
    at: DocAddress,
}

impl Eq for RankedHit {}

impl Ord for RankedHit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.time.cmp(&other.time)).then_with(|| other.at.cmp(&self.at))
    }
}

impl PartialOrd for RankedHit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Copy)]
struct Top {
    ranking: Ranking,
    most: usize,
    newest: i64,
}

struct SegmentHits {
    top: Top,
    segment: SegmentOrdinal,
    at: Column<i64>,
    best: BinaryHeap<Reverse<RankedHit>>,
    total: usize,
}

impl Collector for Top {
    type Fruit = (Vec<RankedHit>, usize);
    type Child = SegmentHits;

    fn for_segment(&self, segment: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<SegmentHits> {
        let at = reader.fast_fields().i64(AT)?;
        Ok(SegmentHits { top: *self, segment, at, best: BinaryHeap::new(), total: 0 })
    }

    fn requires_scoring(&self) -> bool {
        self.ranking == Ranking::Relevance
    }

    fn merge_fruits(&self, fruits: Vec<Self::Fruit>) -> tantivy::Result<Self::Fruit> {
        let mut all = (Vec::new(), 0);
        for (mut best, total) in fruits {
            all.0.append(&mut best);
            all.1 += total;
        }
        Ok(all)
    }
}

impl SegmentCollector for SegmentHits {
    type Fruit = (Vec<RankedHit>, usize);

    fn collect(&mut self, doc: DocId, score: Score) {
        self.total += 1;
        let at = DocAddress::new(self.segment, doc);
        let time = self.at.first(doc);
        let ranked = match self.top.ranking {
            Ranking::Relevance => {
                let age = time.map_or(f32::MAX, |time| self.top.newest.saturating_sub(time) as f32);
                let recent = RECENT / (1.0 + age / FADES_MILLIS);
                RankedHit { score: score * (1.0 + recent), time: time.unwrap_or(i64::MIN), at }
            }
            Ranking::Newest => RankedHit { score: 0.0, time: time.unwrap_or(i64::MIN), at },
            Ranking::Oldest => RankedHit { score: 0.0, time: time.map_or(i64::MIN, i64::saturating_neg), at },
        };
        self.best.push(Reverse(ranked));
        if self.best.len() > self.top.most {
            self.best.pop();
        }
    }

    fn harvest(self) -> Self::Fruit {
        (self.best.into_iter().map(|Reverse(ranked)| ranked).collect(), self.total)
    }
}
