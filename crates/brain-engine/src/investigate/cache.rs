//! What questions over everything came to, kept in memory for a while: a question asked again costs what is new.
//!
//! | kept | by what it was made from | so it is no longer found once |
//! |---|---|---|
//! | what a node found | strategy, params, inputs, zone, and how fresh each source was before the look | a source has changed |
//! | what a model said of a text | stage, both parts of the prompt, the shape of the answer | the text, the question or the hour is another |
//! | a graph | the question's words, the day, the zone, what there is to ask over | it is another day |
//!
//! Invariants: each entry is its owner's alone; nothing is kept that a gap or another endpoint than the configured one
//! has a part in; what an owner had forgotten goes at once ([`EvidenceCache::forget`]); entries are bounded in bytes as
//! kept, in number and in time, and gone with the process. Not here: what may be kept (whoever keeps it knows).

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::decompose::Decomposition;
use super::features::KeptFeatures;
use super::finding::NodeOutput;
use brain_core::core::ids::UserId;
use brain_core::limits;

/// What an entry was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MadeFrom([u8; 32]);

impl MadeFrom {
    /// Of anything that has a JSON; `None` where it has none, and nothing is kept.
    pub fn of(parts: &impl Serialize) -> Option<Self> {
        let mut hashing = Hashing(Sha256::new());
        serde_json::to_writer(&mut hashing, parts).ok()?;
        Some(Self(hashing.0.finalize().into()))
    }
}

/// Hashes what is written.
struct Hashing(Sha256);

impl io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Something that is kept; what can be large, as JSON.
#[derive(Debug, Clone)]
enum CachedEvidence {
    Evidence(Arc<[u8]>),
    Answer(Arc<[u8]>),
    Graph(Arc<Decomposition>),
}

#[derive(Debug)]
struct CacheEntry {
    kept: CachedEvidence,
    bytes: usize,
    at: DateTime<Utc>,
    used: u64,
}

/// See the module. One for the whole program.
#[derive(Debug, Default)]
pub struct EvidenceCache {
    entries: Mutex<CacheEntries>,
    /// What was read of conversations.
    pub features: Arc<KeptFeatures>,
}

#[derive(Debug, Default)]
struct CacheEntries {
    by_key: HashMap<(UserId, MadeFrom), CacheEntry>,
    bytes: usize,
    uses: u64,
    /// How often somebody had something forgotten: a turn that began before keeps nothing more.
    forgotten: u64,
}

impl EvidenceCache {
    /// What of it is an owner's, at this moment.
    pub fn of<'c>(&'c self, owner: &'c UserId, now: DateTime<Utc>) -> OwnersCache<'c> {
        OwnersCache { cache: self, owner, now, forgotten: self.entries().forgotten }
    }

    /// Lets go of all that is an owner's.
    pub fn forget(&self, owner: &UserId) {
        let mut entries = self.entries();
        entries.forgotten += 1;
        entries.retain(|(whose, _), _| whose != owner);
        self.features.forget(owner);
    }

    fn entries(&self) -> MutexGuard<'_, CacheEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheEntries {
    fn retain(&mut self, keeps: impl Fn(&(UserId, MadeFrom), &CacheEntry) -> bool) {
        self.by_key.retain(|key, entry| keeps(key, entry));
        self.bytes = self.by_key.values().map(|entry| entry.bytes).sum();
    }

    /// Lets go of what is too old, then of what was not used for longest.
    fn make_room(&mut self, now: DateTime<Utc>) {
        self.retain(|_, entry| is_fresh(entry, now));
        while self.bytes > limits::EVIDENCE_CACHE_BYTES_MAX || self.by_key.len() > limits::EVIDENCE_CACHE_ENTRIES_MAX {
            let oldest = self.by_key.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(gone) = oldest.and_then(|oldest| self.by_key.remove(&oldest)) else { return };
            self.bytes -= gone.bytes;
        }
    }
}

/// A clock that was set back makes nothing young.
fn is_fresh(entry: &CacheEntry, now: DateTime<Utc>) -> bool {
    (Duration::zero()..Duration::seconds(limits::EVIDENCE_CACHE_SECS)).contains(&(now - entry.at))
}

/// What is kept of one owner, as a turn sees it.
#[derive(Debug, Clone, Copy)]
pub struct OwnersCache<'c> {
    cache: &'c EvidenceCache,
    owner: &'c UserId,
    now: DateTime<Utc>,
    /// As of when it was made.
    forgotten: u64,
}

impl OwnersCache<'_> {
    /// What a node found.
    pub fn evidence(&self, made_from: MadeFrom) -> Option<NodeOutput> {
        match self.get(made_from)? {
            CachedEvidence::Evidence(json) => serde_json::from_slice(&json).ok(),
            CachedEvidence::Answer(_) | CachedEvidence::Graph(_) => None,
        }
    }

    /// Keeps what a node found.
    pub fn keep_evidence(&self, made_from: MadeFrom, output: &NodeOutput) {
        if output.gaps.is_empty() {
            self.put_json(made_from, output, CachedEvidence::Evidence);
        }
    }

    /// What a model said.
    pub fn answer(&self, made_from: MadeFrom) -> Option<Value> {
        match self.get(made_from)? {
            CachedEvidence::Answer(json) => serde_json::from_slice(&json).ok(),
            CachedEvidence::Evidence(_) | CachedEvidence::Graph(_) => None,
        }
    }

    /// Keeps what a model said.
    pub fn keep_answer(&self, made_from: MadeFrom, answer: &Value) {
        self.put_json(made_from, answer, CachedEvidence::Answer);
    }

    /// How a question was taken apart.
    pub fn graph(&self, made_from: MadeFrom) -> Option<Arc<Decomposition>> {
        match self.get(made_from)? {
            CachedEvidence::Graph(graph) => Some(graph),
            CachedEvidence::Evidence(_) | CachedEvidence::Answer(_) => None,
        }
    }

    /// Keeps how a question was taken apart.
    pub fn keep_graph(&self, made_from: MadeFrom, graph: &Decomposition) {
        let bytes = serde_json::to_vec(&graph.graph).map_or(0, |json| json.len() * GRAPH_PER_JSON);
        self.put(made_from, CachedEvidence::Graph(Arc::new(graph.clone())), bytes);
    }

    fn get(&self, made_from: MadeFrom) -> Option<CachedEvidence> {
        let mut entries = self.cache.entries();
        entries.uses += 1;
        let uses = entries.uses;
        let entry = entries.by_key.get_mut(&(self.owner.clone(), made_from))?;
        entry.used = uses;
        is_fresh(entry, self.now).then(|| entry.kept.clone())
    }

    fn put_json(&self, made_from: MadeFrom, value: &impl Serialize, kept: impl Fn(Arc<[u8]>) -> CachedEvidence) {
        let Ok(json) = serde_json::to_vec(value) else { return };
        let bytes = json.len();
        self.put(made_from, kept(json.into()), bytes);
    }

    fn put(&self, made_from: MadeFrom, kept: CachedEvidence, bytes: usize) {
        let mut entries = self.cache.entries();
        let bytes = bytes + ENTRY_BYTES;
        if bytes > limits::EVIDENCE_CACHE_BYTES_MAX || entries.forgotten != self.forgotten {
            return;
        }
        entries.uses += 1;
        let entry = CacheEntry { kept, bytes, at: self.now, used: entries.uses };
        if let Some(before) = entries.by_key.insert((self.owner.clone(), made_from), entry) {
            entries.bytes -= before.bytes;
        }
        entries.bytes += bytes;
        entries.make_room(self.now);
    }
}

/// What an entry takes beside what is kept, about.
const ENTRY_BYTES: usize = 256;
/// Bytes of a graph for one of its JSON, about: it is small, and used as it is.
const GRAPH_PER_JSON: usize = 8;

#[cfg(test)]
mod tests {
    use chrono::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::investigate::finding::Finding;
    use brain_core::core::provenance::UntrustedText;
    use brain_services::services::contract::searchable::{FoundItem, ItemKind, Party};

    fn at(minute: i64) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 3, 10, 9, 0, 0).unwrap() + Duration::minutes(minute)
    }

    fn key(n: usize) -> MadeFrom {
        MadeFrom::of(&("test", n)).unwrap()
    }

    /// Others' words count as well: they are most of what a look finds.
    fn large(bytes: usize) -> NodeOutput {
        let item = FoundItem {
            service: "email".to_owned(),
            id: "1".to_owned(),
            kind: ItemKind::Thread,
            title: "Boiler".to_owned(),
            at: Some(at(0)),
            until: None,
            people: vec![Party { name: "Kim".to_owned(), address: "kim@example.com".to_owned(), known_as: None }],
            snippet: "It leaks.".to_owned(),
            marks: Vec::new(),
            untrusted: vec![UntrustedText::new("a mail", "x".repeat(bytes))],
        };
        NodeOutput::of(vec![Finding { score: 0.1, ..Finding::of(item) }])
    }

    #[test]
    fn what_is_kept_is_found_by_its_owner_for_a_while() {
        let (cache, ann, ben) = (EvidenceCache::default(), UserId::new("ann"), UserId::new("ben"));
        cache.of(&ann, at(0)).keep_answer(key(1), &json!({"summary": "x"}));
        let last = limits::EVIDENCE_CACHE_SECS / 60;
        for (owner, minute, number, expected) in [
            (&ann, 0, 1, true),
            (&ann, last - 1, 1, true),
            (&ann, last, 1, false),
            (&ann, -1, 1, false),
            (&ann, 0, 2, false),
            (&ben, 0, 1, false),
        ] {
            let found = cache.of(owner, at(minute)).answer(key(number)).is_some();
            assert_eq!(found, expected, "{owner:?} {minute} {number}");
        }
        assert!(cache.of(&ann, at(0)).evidence(key(1)).is_none() && cache.of(&ann, at(0)).graph(key(1)).is_none());
    }

    #[test]
    fn what_has_a_gap_is_not_kept() {
        let (cache, ann) = (EvidenceCache::default(), UserId::new("ann"));
        let whole = NodeOutput { more: 3, ..NodeOutput::default() };
        let partial = NodeOutput { gaps: vec!["I've read 200 of 4,000 mails so far".to_owned()], ..whole.clone() };
        let of_ann = cache.of(&ann, at(0));
        of_ann.keep_evidence(key(1), &whole);
        of_ann.keep_evidence(key(2), &partial);
        assert_eq!(of_ann.evidence(key(1)).as_ref(), Some(&whole));
        assert!(of_ann.evidence(key(2)).is_none());
    }

    #[test]
    fn it_never_grows_over_its_bounds_and_keeps_what_is_used() {
        let (cache, ann) = (EvidenceCache::default(), UserId::new("ann"));
        let of_ann = cache.of(&ann, at(0));
        let part = limits::EVIDENCE_CACHE_BYTES_MAX / 9;
        for number in 0..20 {
            of_ann.keep_evidence(key(number), &large(part));
            assert!(of_ann.evidence(key(0)).is_some(), "used, and let go after {number}");
            let taken = |entry: &CacheEntry| match &entry.kept {
                CachedEvidence::Evidence(json) | CachedEvidence::Answer(json) => json.len(),
                CachedEvidence::Graph(_) => 0,
            };
            let taken: usize = cache.entries().by_key.values().map(taken).sum();
            assert!(taken <= limits::EVIDENCE_CACHE_BYTES_MAX && taken <= cache.entries().bytes, "{taken}");
        }
        assert!(of_ann.evidence(key(1)).is_none());
        assert_eq!(of_ann.evidence(key(19)), Some(large(part)), "as it was");
        for number in 0..limits::EVIDENCE_CACHE_ENTRIES_MAX + 10 {
            of_ann.keep_answer(key(number), &json!(number));
        }
        assert!(cache.entries().by_key.len() <= limits::EVIDENCE_CACHE_ENTRIES_MAX);
        // One that is too large takes nobody's place.
        let before = cache.entries().by_key.len();
        of_ann.keep_evidence(key(99_999), &large(limits::EVIDENCE_CACHE_BYTES_MAX));
        assert!(of_ann.evidence(key(99_999)).is_none() && cache.entries().by_key.len() == before);
    }

    #[test]
    fn what_was_forgotten_is_gone_for_that_owner_alone() {
        let (cache, ann, ben) = (EvidenceCache::default(), UserId::new("ann"), UserId::new("ben"));
        for owner in [&ann, &ben] {
            cache.of(owner, at(0)).keep_answer(key(1), &json!("the boiler"));
        }
        let begun_before = cache.of(&ann, at(0));
        cache.forget(&ann);
        begun_before.keep_answer(key(1), &json!("the boiler"));
        assert!(cache.of(&ann, at(0)).answer(key(1)).is_none() && cache.of(&ben, at(0)).answer(key(1)).is_some());
    }
}
