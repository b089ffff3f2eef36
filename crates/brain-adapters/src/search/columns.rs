//! Columns: what is known of a document beside its words.

use tantivy::columnar::{BytesColumn, Column, StrColumn};
use tantivy::{DocId, Searcher, TantivyError};

use super::shape::{AT, ID, KEPT, KIND};

/// The columns of all segments.
pub(super) struct Columns(Vec<SegmentColumns>);

struct SegmentColumns {
    id: Option<StrColumn>,
    kind: Option<StrColumn>,
    kept: Option<BytesColumn>,
    at: Column<i64>,
}

fn text(column: Option<&StrColumn>, doc: DocId) -> tantivy::Result<String> {
    let mut text = String::new();
    if let Some(column) = column
        && let Some(ord) = column.term_ords(doc).next()
        && !column.ord_to_str(ord, &mut text)?
    {
        return Err(TantivyError::InternalError("a document has no such value".to_owned()));
    }
    Ok(text)
}

impl Columns {
    /// Of what this searcher sees.
    pub(super) fn of(searcher: &Searcher) -> tantivy::Result<Self> {
        let of_segment = |segment: &tantivy::SegmentReader| {
            let columns = segment.fast_fields();
            let (id, kind, kept) = (columns.str(ID)?, columns.str(KIND)?, columns.bytes(KEPT)?);
            Ok(SegmentColumns { id, kind, kept, at: columns.i64(AT)? })
        };
        searcher.segment_readers().iter().map(of_segment).collect::<tantivy::Result<Vec<_>>>().map(Self)
    }

    /// The latest time of all documents.
    pub(super) fn newest(&self) -> i64 {
        self.0
            .iter()
            .filter(|columns| columns.at.num_docs() > 0)
            .map(|columns| columns.at.max_value())
            .max()
            .unwrap_or(0)
    }

    pub(super) fn id(&self, segment: usize, doc: DocId) -> tantivy::Result<String> {
        text(self.0[segment].id.as_ref(), doc)
    }

    pub(super) fn kind(&self, segment: usize, doc: DocId) -> tantivy::Result<String> {
        text(self.0[segment].kind.as_ref(), doc)
    }

    pub(super) fn at(&self, segment: usize, doc: DocId) -> Option<i64> {
        self.0[segment].at.first(doc)
    }

    pub(super) fn kept(&self, segment: usize, doc: DocId) -> tantivy::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Some(column) = &self.0[segment].kept
            && let Some(ord) = column.term_ords(doc).next()
        {
            column.ord_to_bytes(ord, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Ids of many documents of all segments, in their order, at the price of reading each block once.
    pub(super) fn ids(&self, docs: impl Iterator<Item = (usize, DocId)>) -> tantivy::Result<Vec<String>> {
        let mut by_segment: Vec<Vec<(u64, usize)>> = vec![Vec::new(); self.0.len()];
        let mut ids = Vec::new();
        for (place, (segment, doc)) in docs.enumerate() {
            let ord = self.0[segment].id.as_ref().and_then(|column| column.term_ords(doc).next());
            by_segment[segment].extend(ord.map(|ord| (ord, place)));
            ids.push(String::new());
        }
        for (columns, mut ords) in self.0.iter().zip(by_segment) {
            ords.sort_unstable();
            if let Some(column) = &columns.id {
                each(column.dictionary(), &ords, |place, id| ids[place] = String::from_utf8_lossy(id).into_owned())?;
            }
        }
        Ok(ids)
    }

    /// Id and kept bytes of many documents of a segment, at the price of reading each block once.
    pub(super) fn many(&self, segment: usize, docs: &[DocId]) -> tantivy::Result<Vec<(String, Vec<u8>)>> {
        let columns = &self.0[segment];
        let ids =
            columns.id.as_ref().map(|column| (column.dictionary(), ords(docs, |doc| column.term_ords(doc).next())));
        let kept =
            columns.kept.as_ref().map(|column| (column.dictionary(), ords(docs, |doc| column.term_ords(doc).next())));
        let mut found: Vec<(String, Vec<u8>)> = vec![Default::default(); docs.len()];
        if let Some((dictionary, ords)) = ids {
            each(dictionary, &ords, |place, bytes| found[place].0 = String::from_utf8_lossy(bytes).into_owned())?;
        }
        if let Some((dictionary, ords)) = kept {
            each(dictionary, &ords, |place, bytes| found[place].1 = bytes.to_vec())?;
        }
        Ok(found)
    }
}

/// The ordinal of each document's value and the place of the document, in order of the ordinals.
fn ords(docs: &[DocId], ord: impl Fn(DocId) -> Option<u64>) -> Vec<(u64, usize)> {
    let mut ords: Vec<(u64, usize)> =
        docs.iter().enumerate().filter_map(|(place, doc)| Some((ord(*doc)?, place))).collect();
    ords.sort_unstable();
    ords
}

fn each(
    dictionary: &tantivy::columnar::Dictionary,
    ords: &[(u64, usize)],
    mut each: impl FnMut(usize, &[u8]),
) -> tantivy::Result<()> {
    let mut distinct: Vec<u64> = ords.iter().map(|(ord, _)| *ord).collect();
    distinct.dedup();
    let mut values = Vec::with_capacity(distinct.len());
    dictionary.sorted_ords_to_term_cb(&distinct, |bytes| values.push(bytes.to_vec()))?;
    let mut at = 0;
    for (ord, place) in ords {
        while distinct.get(at).is_some_and(|distinct| distinct != ord) {
            at += 1;
        }
        if let Some(value) = values.get(at) {
            each(*place, value);
        }
    }
    Ok(())
}
