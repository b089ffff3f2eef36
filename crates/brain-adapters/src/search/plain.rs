//! Full scan: an index that keeps nothing; each call looks through all of the owner's records.
//!
//! For those who have little, for programs without a data folder, and what an engine is held against: it is right by
//! being short. Its cost grows with what there is.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use brain_core::core::ids::UserId;
use brain_core::limits::INDEX_PLAIN_READ_MAX;
use brain_core::ports::{
    BuildProgress, Candidates, Description, Document, Found, Hit, Index, IndexError, Key, Needs, Query, Ranking,
    Source, Store, Table, Update, WordMatch,
};
use brain_language::language::terms;

/// What a word of the body is worth beside one of the title.
const BODY: f32 = 0.6;

/// Looks through everything, every time.
#[derive(Debug)]
pub struct PlainIndex {
    store: Arc<dyn Store>,
    sources: Vec<Source>,
    /// What feeds other than the store brought, by owner.
    brought: Mutex<HashMap<UserId, Brought>>,
    /// Records that were read already, at their revision.
    read: Mutex<HashMap<(Table, Key), AtRevision>>,
}

/// A record's document, and the revision it is of.
type AtRevision = (u64, Option<Arc<DocumentWords>>);

#[derive(Debug, Default)]
struct Brought {
    marks: HashMap<String, String>,
    documents: Vec<Arc<DocumentWords>>,
}

/// A document as the words it is found by.
#[derive(Debug)]
struct DocumentWords {
    document: Document,
    exact: String,
    title: Vec<String>,
    body: Vec<String>,
}

impl DocumentWords {
    fn of(document: Document) -> Self {
        let exact = terms::fold(&document.title);
        let people = document.people.iter().flat_map(|person| [&person.name, &person.address]);
        let body = people.chain([&document.body]).flat_map(|text| terms::stems(&terms::fold(text))).collect();
        Self { title: terms::stems(&exact), body, exact, document }
    }

    fn holds(&self, stem: &str) -> bool {
        self.title.iter().chain(&self.body).any(|word| word == stem)
    }

    fn quality(&self, word: &WordMatch) -> f32 {
        let best = |words: &[String], worth: f32| {
            let fits = word.stems.iter().filter(|(stem, _)| words.contains(stem));
            fits.map(|(_, likeness)| likeness * worth).fold(0.0, f32::max)
        };
        best(&self.title, 1.0).max(best(&self.body, BODY))
    }

    /// `any_flags` are those of the query.
    fn fits(&self, query: &Query, any_flags: &HashSet<&str>) -> bool {
        let Document { kind, people, at, flags, group, .. } = &self.document;
        let takes_part = |(role, words): &(String, String)| {
            people.iter().filter(|person| role.is_empty() || person.role == *role).any(|person| {
                let has = terms::stems(&terms::fold(&format!("{} {}", person.name, person.address)));
                terms::stems(&terms::fold(words)).iter().all(|word| has.contains(word))
            })
        };
        (query.kinds.is_empty() || query.kinds.contains(kind))
            && query.flags.iter().all(|flag| flags.contains(flag))
            && (any_flags.is_empty() || flags.iter().any(|flag| any_flags.contains(flag.as_str())))
            && !query.without.iter().any(|flag| flags.contains(flag))
            && (query.group.is_none() || query.group == *group)
            && query.from.is_none_or(|from| at.is_some_and(|at| at >= from))
            && query.until.is_none_or(|until| at.is_some_and(|at| at < until))
            && query.people.iter().all(takes_part)
            && terms::stems(&terms::fold(&query.in_title)).iter().all(|word| self.title.contains(word))
    }
}

/// What each of these words matches.
fn matches(documents: &[Arc<DocumentWords>], stems: &[String]) -> Vec<WordMatch> {
    let known: HashSet<&str> =
        documents.iter().flat_map(|words| words.title.iter().chain(&words.body)).map(String::as_str).collect();
    let matched = |stem: &String| {
        let mut stems = terms::matching(stem, known.iter().copied());
        stems.sort_by(|(a, _), (b, _)| a.cmp(b));
        let holds = |words: &&Arc<DocumentWords>| stems.iter().any(|(stem, _)| words.holds(stem));
        WordMatch { documents: documents.iter().filter(holds).count(), stems }
    };
    stems.iter().map(matched).collect()
}

/// How far apart two times are; what has none is farthest.
fn apart(at: Option<DateTime<Utc>>, near: Option<DateTime<Utc>>) -> i64 {
    at.zip(near).map_or(i64::MAX, |(at, near)| (at - near).num_seconds().abs())
}

impl PlainIndex {
    /// Over the records of `store` that `sources` make documents of.
    pub fn new(store: Arc<dyn Store>, sources: Vec<Source>) -> Self {
        Self { store, sources, brought: Mutex::default(), read: Mutex::default() }
    }

    /// Documents of the records whose keys begin so.
    async fn under(&self, owner: &UserId, source: &Source, prefix: Key) -> Result<Vec<Arc<DocumentWords>>, IndexError> {
        let table = source.table;
        let records = self.store.scan(source.scan(prefix, None, usize::MAX)).await?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() > INDEX_PLAIN_READ_MAX.max(records.len()) {
            read.clear();
        }
        let words = records.into_iter().filter_map(|(key, stored)| {
            let known = read.get(&(table, key.clone())).filter(|(revision, _)| *revision == stored.revision);
            if let Some((_, words)) = known {
                return words.clone();
            }
            let document = (source.document)(&key, &stored).filter(|(of, _)| of == owner);
            let words = document.map(|(_, document)| Arc::new(DocumentWords::of(document)));
            read.insert((table, key), (stored.revision, words.clone()));
            words
        });
        Ok(words.collect())
    }

    /// All documents of an owner.
    async fn documents(&self, owner: &UserId, kinds: &[String]) -> Result<Vec<Arc<DocumentWords>>, IndexError> {
        let wanted = |kind: &str| kinds.is_empty() || kinds.iter().any(|wanted| wanted == kind);
        let mut all = Vec::new();
        for source in self.sources.iter().filter(|source| wanted(source.kind)) {
            for prefix in (source.prefixes)(owner) {
                all.extend(self.under(owner, source, prefix).await?);
            }
        }
        let brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        let others = brought.get(owner).into_iter().flat_map(|brought| &brought.documents);
        all.extend(others.filter(|words| wanted(&words.document.kind)).cloned());
        Ok(all)
    }
}

/// The words of a query as typed that have to begin a word, and the others.
fn typed(text: &str) -> (Vec<String>, Vec<String>) {
    let (begin, whole): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.ends_with('*'));
    let begin = begin.iter().map(|word| terms::fold(word.trim_end_matches('*'))).collect();
    (begin, terms::stems(&terms::fold(&whole.join(" "))))
}

#[async_trait]
impl Index for PlainIndex {
    async fn search(&self, owner: &UserId, query: &Query) -> Result<Found, IndexError> {
        let documents = self.documents(owner, &query.kinds).await?;
        let (begin, stems) = typed(&query.text);
        let mut asked: Vec<WordMatch> = matches(&documents, &stems);
        for word in &mut asked {
            // A beginning has to be asked for.
            let best = word.stems.iter().map(|(_, likeness)| *likeness).fold(0.0, f32::max);
            word.stems.retain(|(_, likeness)| best < 1.0 || *likeness == 1.0);
        }
        let any_flags: HashSet<&str> = query.any_flags.iter().map(String::as_str).collect();
        let fits = |words: &DocumentWords| {
            if !words.fits(query, &any_flags) {
                return false;
            }
            let whole = asked.iter().map(|word| words.quality(word) > 0.0);
            let begun = begin.iter().map(|begin| words.title.iter().chain(&words.body).any(|w| w.starts_with(begin)));
            let mut each = whole.chain(begun);
            match query.needs {
                Needs::All => each.all(|fits| fits),
                Needs::Any => asked.is_empty() && begin.is_empty() || each.any(|fits| fits),
            }
        };
        let score = |words: &DocumentWords| asked.iter().map(|word| words.quality(word)).sum::<f32>();
        let mut found: Vec<(f32, &Arc<DocumentWords>)> =
            documents.iter().filter(|words| fits(words)).map(|w| (score(w), w)).collect();
        let newest = |words: &DocumentWords| (words.document.at.is_none(), Reverse(words.document.at));
        match query.ranking {
            Ranking::Relevance => found.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(newest(x).cmp(&newest(y)))),
            Ranking::Newest => found.sort_by_key(|(_, words)| newest(words)),
            Ranking::Oldest => found.sort_by_key(|(_, words)| (words.document.at.is_none(), words.document.at)),
        }
        let hit = |(score, words): &(f32, &Arc<DocumentWords>)| Hit {
            kind: words.document.kind.clone(),
            id: words.document.id.clone(),
            score: *score,
            at: words.document.at,
            kept: words.document.kept.clone(),
            snippet: (query.snippet_chars > 0).then(|| words.document.body.chars().take(query.snippet_chars).collect()),
        };
        let hits = found.iter().skip(query.skip).take(query.limit).map(hit).collect();
        Ok(Found { hits, total: found.len() })
    }

    async fn candidates(&self, owner: &UserId, description: &Description) -> Result<Candidates, IndexError> {
        let documents = self.documents(owner, std::slice::from_ref(&description.kind)).await?;
        let stems: Vec<String> = description.words.iter().map(|word| terms::stem(word)).collect();
        let words = matches(&documents, &stems);
        let score = |document: &DocumentWords| -> f32 {
            let exact = !description.exact.is_empty() && document.exact == description.exact;
            let worth = |word: &WordMatch| document.quality(word) * terms::telling(word.documents, documents.len());
            if exact { f32::MAX } else { words.iter().map(worth).sum() }
        };
        let mut found: Vec<(bool, f32, &Arc<DocumentWords>)> = documents
            .iter()
            .map(|document| {
                let later = description.first.as_ref().is_some_and(|flag| !document.document.flags.contains(flag));
                (later, score(document), document)
            })
            .filter(|(_, score, _)| *score > 0.0)
            .collect();
        found.sort_by(|(a, x, p), (b, y, q)| {
            let near = |words: &DocumentWords| apart(words.document.at, description.near);
            a.cmp(b).then(y.total_cmp(x)).then(near(p).cmp(&near(q))).then(p.document.id.cmp(&q.document.id))
        });
        let ids: Vec<String> =
            found.iter().take(description.limit).map(|(_, _, words)| words.document.id.clone()).collect();
        Ok(Candidates { more: found.len() - ids.len(), words, documents: documents.len(), ids })
    }

    async fn all(&self, owner: &UserId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let documents = self.documents(owner, &[kind.to_owned()]).await?;
        Ok(documents.iter().map(|words| (words.document.id.clone(), words.document.kept.clone())).collect())
    }

    async fn apply(&self, owner: &UserId, update: Update) -> Result<(), IndexError> {
        let mut all = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        let brought = all.entry(owner.clone()).or_default();
        brought.marks.insert(update.feed, update.mark);
        let replaced = |document: &Document| {
            let is = |kind: &String, id: &String| *kind == document.kind && *id == document.id;
            update.clear.contains(&document.kind)
                || update.delete.iter().any(|(kind, id)| is(kind, id))
                || update.put.iter().any(|put| is(&put.kind, &put.id))
        };
        brought.documents.retain(|words| !replaced(&words.document));
        brought.documents.extend(update.put.into_iter().map(|document| Arc::new(DocumentWords::of(document))));
        Ok(())
    }

    async fn mark(&self, owner: &UserId, feed: &str) -> Result<Option<String>, IndexError> {
        let brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(brought.get(owner).and_then(|brought| brought.marks.get(feed).cloned()))
    }

    fn progress(&self, _: &UserId) -> Option<BuildProgress> {
        None
    }

    async fn purge(&self, _: &UserId) -> Result<(), IndexError> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }
}
