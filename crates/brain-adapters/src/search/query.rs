//! Queries as typed, and what tantivy is asked for them.

use std::ops::Bound;

use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, Occur, PhraseQuery,
    Query as Asked, RangeQuery, TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::dictionary::IndexVocabulary;
use super::shape::{self, IndexFields};
use super::spelling::SpellingCandidates;
use super::text;
use brain_core::limits::{INDEX_QUERY_WORDS_MAX, INDEX_SLIPS_MAX};
use brain_core::ports::{Needs, Query};
use brain_language::language::terms;

/// What a word in the title is worth beside one in the body.
const TITLE: f32 = 2.0;
/// What a stem is worth beside the word's own form.
const STEM: f32 = 0.9;

/// So many terms are looked up one by one.
const LOOKED_UP_MAX: usize = 16;

/// A part of what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum QueryPart {
    Word(String),
    Phrase(Vec<String>),
    Beginning(String),
}

/// Takes a query apart: `"a phrase"`, `begin*`, words.
fn parts(typed: &str) -> Vec<QueryPart> {
    let mut parts = Vec::new();
    for (number, piece) in typed.split('"').enumerate() {
        // An opening quote without a closing one is none.
        let is_quoted = number % 2 == 1 && number + 1 < typed.split('"').count();
        if is_quoted {
            let folded = terms::fold(piece);
            let words: Vec<String> = terms::words_of(&folded).map(str::to_owned).collect();
            parts.extend((!words.is_empty()).then_some(QueryPart::Phrase(words)));
            continue;
        }
        for word in piece.split_whitespace() {
            let folded = terms::fold(word.trim_end_matches('*'));
            let mut words: Vec<QueryPart> =
                terms::words_of(&folded).map(|word| QueryPart::Word(word.to_owned())).collect();
            if word.ends_with('*')
                && let Some(QueryPart::Word(last)) = words.pop()
            {
                words.push(QueryPart::Beginning(last));
            }
            parts.append(&mut words);
        }
    }
    parts.truncate(INDEX_QUERY_WORDS_MAX);
    parts
}

/// What a query comes to.
pub(super) struct BuiltQuery {
    pub(super) query: Box<dyn Asked>,
    /// All forms that were looked for, for snippets.
    pub(super) forms: Vec<String>,
}

struct QueryBuilder<'a> {
    searcher: &'a Searcher,
    fields: &'a IndexFields,
    slips: &'a SpellingCandidates,
    forms: Vec<String>,
}

/// What tantivy is asked.
pub(super) fn build(
    searcher: &Searcher,
    fields: &IndexFields,
    slips: &SpellingCandidates,
    query: &Query,
) -> tantivy::Result<BuiltQuery> {
    let mut builder = QueryBuilder { searcher, fields, slips, forms: Vec::new() };
    let mut clauses: Vec<(Occur, Box<dyn Asked>)> = Vec::new();
    let everywhere = [(fields.title, TITLE), (fields.body, 1.0)];
    let typed = parts(&query.text);
    if !typed.is_empty() {
        let occur = match query.needs {
            Needs::All => Occur::Must,
            Needs::Any => Occur::Should,
        };
        let words = typed.iter().map(|part| Ok((occur, builder.part(part, &everywhere)?)));
        let words: Vec<(Occur, Box<dyn Asked>)> = words.collect::<tantivy::Result<_>>()?;
        clauses.push((Occur::Must, Box::new(BooleanQuery::new(words))));
    }
    for part in parts(&query.in_title) {
        clauses.push((Occur::Must, builder.part(&part, &[(fields.title, TITLE)])?));
    }
    let mut filters = builder.people(&query.people)?;
    let one = |field: Field, word: &str| -> Box<dyn Asked> {
        Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::Basic))
    };
    if !query.kinds.is_empty() {
        filters.push(any(query.kinds.iter().map(|kind| Term::from_field_text(fields.kind, kind)).collect()));
    }
    filters.extend(query.flags.iter().map(|flag| one(fields.flag, flag)));
    if !query.any_flags.is_empty() {
        filters.push(any(query.any_flags.iter().map(|flag| Term::from_field_text(fields.flag, flag)).collect()));
    }
    filters.extend(query.group.iter().map(|group| one(fields.group, group)));
    if query.from.is_some() || query.until.is_some() {
        let bound = |at| Term::from_field_i64(fields.at, shape::millis(at));
        let from = query.from.map_or(Bound::Unbounded, |at| Bound::Included(bound(at)));
        let until = query.until.map_or(Bound::Unbounded, |at| Bound::Excluded(bound(at)));
        filters.push(Box::new(RangeQuery::new(from, until)));
    }
    let filter = |filter| -> (Occur, Box<dyn Asked>) { (Occur::Must, Box::new(ConstScoreQuery::new(filter, 0.0))) };
    clauses.extend(filters.into_iter().map(filter));
    if clauses.is_empty() {
        clauses.push(filter(Box::new(AllQuery)));
    }
    clauses.extend(query.without.iter().map(|flag| (Occur::MustNot, one(fields.flag, flag))));
    Ok(BuiltQuery { query: Box::new(BooleanQuery::new(clauses)), forms: builder.forms })
}

/// What has any of these terms. tantivy makes an automaton of a set and walks the dictionary with it, so a few are
/// looked up one by one.
fn any(terms: Vec<Term>) -> Box<dyn Asked> {
    if terms.len() > LOOKED_UP_MAX {
        return Box::new(TermSetQuery::new(terms));
    }
    let asked =
        |term| -> (Occur, Box<dyn Asked>) { (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::Basic))) };
    Box::new(BooleanQuery::new(terms.into_iter().map(asked).collect()))
}

impl<'a> QueryBuilder<'a> {
    fn vocabulary<'v>(&self, fields: &'v [Field], prefix: &'v str) -> IndexVocabulary<'v>
    where
        'a: 'v,
    {
        IndexVocabulary { searcher: self.searcher, slips: self.slips, fields, prefix }
    }

    fn part(&mut self, part: &QueryPart, fields: &[(Field, f32)]) -> tantivy::Result<Box<dyn Asked>> {
        match part {
            QueryPart::Word(word) => self.word(word, fields),
            QueryPart::Phrase(words) => Ok(self.phrase(words, fields)),
            QueryPart::Beginning(word) => self.beginning(word, fields),
        }
    }

    /// Any form of the word in any of the fields; what it may be a slip of, when nothing has it.
    fn word(&mut self, word: &str, fields: &[(Field, f32)]) -> tantivy::Result<Box<dyn Asked>> {
        let of_fields: Vec<Field> = fields.iter().map(|(field, _)| *field).collect();
        let vocabulary = self.vocabulary(&of_fields, "");
        let mut forms: Vec<(String, f32)> = Vec::new();
        for (place, form) in text::sought(word).into_iter().enumerate() {
            if vocabulary.frequency(&form)? > 0 {
                forms.push((form, if place == 0 { 1.0 } else { STEM }));
            }
        }
        if forms.is_empty() {
            let mut slips: Vec<(String, (f32, usize))> = vocabulary.slips(word)?.into_iter().collect();
            slips.sort_by(|(_, (a, _)), (_, (b, _))| b.total_cmp(a));
            slips.truncate(INDEX_SLIPS_MAX);
            forms.extend(slips.into_iter().map(|(word, (likeness, _))| (word, likeness)));
        }
        if forms.is_empty() {
            return Ok(Box::new(EmptyQuery));
        }
        self.forms.extend(forms.iter().map(|(form, _)| form.clone()));
        let asked = fields.iter().flat_map(|(field, worth)| {
            forms.iter().map(move |(form, likeness)| -> Box<dyn Asked> {
                let term = TermQuery::new(Term::from_field_text(*field, form), IndexRecordOption::WithFreqs);
                Box::new(BoostQuery::new(Box::new(term), worth * likeness))
            })
        });
        Ok(Box::new(DisjunctionMaxQuery::with_tie_breaker(asked.collect(), 0.1)))
    }

    fn phrase(&mut self, words: &[String], fields: &[(Field, f32)]) -> Box<dyn Asked> {
        self.forms.extend_from_slice(words);
        let asked = fields.iter().map(|(field, worth)| -> Box<dyn Asked> {
            let terms: Vec<Term> = words.iter().map(|word| Term::from_field_text(*field, word)).collect();
            let asked: Box<dyn Asked> = match <[Term; 1]>::try_from(terms) {
                Ok([only]) => Box::new(TermQuery::new(only, IndexRecordOption::WithFreqs)),
                Err(terms) => Box::new(PhraseQuery::new(terms)),
            };
            Box::new(BoostQuery::new(asked, *worth))
        });
        Box::new(DisjunctionMaxQuery::with_tie_breaker(asked.collect(), 0.1))
    }

    fn beginning(&mut self, word: &str, fields: &[(Field, f32)]) -> tantivy::Result<Box<dyn Asked>> {
        let mut terms = Vec::new();
        for (field, _) in fields {
            let vocabulary = self.vocabulary(std::slice::from_ref(field), "");
            let mut known = vocabulary.beginning_with(word)?;
            known.push(word.to_owned());
            terms.extend(known.iter().map(|known| Term::from_field_text(*field, known)));
            self.forms.append(&mut known);
        }
        Ok(Box::new(ConstScoreQuery::new(any(terms), 1.0)))
    }

    /// Each of them takes part: all words of a name or address, each as it is, as a beginning, or misspelt.
    fn people(&self, people: &[(String, String)]) -> tantivy::Result<Vec<Box<dyn Asked>>> {
        let mut filters: Vec<Box<dyn Asked>> = Vec::new();
        for (role, name) in people {
            let prefix = shape::joined(role, "");
            let vocabulary = self.vocabulary(std::slice::from_ref(&self.fields.person), &prefix);
            let words = text::name_words(name);
            // A whole address says everything.
            let address: Vec<String> = words.iter().filter(|word| word.contains('@')).cloned().collect();
            let words = if address.is_empty() { words } else { address };
            if words.is_empty() {
                filters.push(Box::new(EmptyQuery));
            }
            for word in words {
                let mut known = vec![word.clone()];
                known.extend(vocabulary.beginning_with(&word)?);
                let mut found = false;
                for word in &known {
                    found |= vocabulary.frequency(word)? > 0;
                }
                if !found {
                    known.extend(vocabulary.slips(&word)?.into_keys());
                }
                filters.push(any(known.iter().map(|word| vocabulary.term(self.fields.person, word)).collect()));
            }
        }
        Ok(filters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_words_phrases_and_beginnings() {
        let word = |word: &str| QueryPart::Word(word.to_owned());
        let cases = [
            ("Invoice ACME", vec![word("invoice"), word("acme")]),
            ("\"see you\" soon", vec![QueryPart::Phrase(vec!["see".to_owned(), "you".to_owned()]), word("soon")]),
            ("inv*", vec![QueryPart::Beginning("inv".to_owned())]),
            ("\"half open", vec![word("half"), word("open")]),
            ("\"\" *", vec![]),
        ];
        for (typed, expected) in cases {
            assert_eq!(parts(typed), expected, "{typed}");
        }
    }
}
