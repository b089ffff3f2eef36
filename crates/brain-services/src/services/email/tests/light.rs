//! An index for many mails: it compares beginnings of words, and nothing is ranked. One of its updates can be held up,
//! or not come through.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use super::*;
use brain_core::ports::{BuildProgress, Candidates, Description, Document, Found, Hit, IndexError, Update};

/// What becomes of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Becomes {
    Applied,
    Lost,
    /// Applied as soon as [`LightIndex::go`] has a permit.
    Late,
}

#[derive(Debug)]
pub struct LightIndex {
    documents: Mutex<BTreeMap<(UserId, String), Document>>,
    mark: Mutex<BTreeMap<UserId, String>>,
    applied: AtomicUsize,
    /// The most documents that were asked for by id at once.
    pub most_at_once: AtomicUsize,
    /// What becomes of all updates but the first.
    pub later: Mutex<Becomes>,
    pub go: Semaphore,
}

impl LightIndex {
    pub fn new(later: Becomes) -> Arc<Self> {
        Arc::new(Self {
            documents: Mutex::default(),
            mark: Mutex::default(),
            applied: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
            later: Mutex::new(later),
            go: Semaphore::new(0),
        })
    }
}

fn fits(document: &Document, query: &Query) -> bool {
    let has = |texts: [&str; 2], words: &str| {
        let has =
            |word: &str| texts.iter().any(|text| text.to_lowercase().split([' ', '\n']).any(|w| w.starts_with(word)));
        words.split_whitespace().all(has)
    };
    query.flags.iter().all(|flag| document.flags.contains(flag))
        && !query.without.iter().any(|flag| document.flags.contains(flag))
        && has([&document.title, ""], &query.in_title)
        && has([&document.title, &document.body], &query.text)
        && query.people.iter().all(|(role, words)| {
            let mut people = document.people.iter().filter(|person| role.is_empty() || person.role == *role);
            people.any(|person| {
                let text = format!("{} {}", person.name, person.address).to_lowercase();
                words.split(' ').all(|word| text.split([' ', '@']).any(|has| has == word))
            })
        })
}

#[async_trait]
impl Index for LightIndex {
    async fn search(&self, owner: &UserId, query: &Query) -> Result<Found, IndexError> {
        let documents = self.documents.lock().unwrap();
        let mut fitting: Vec<&Document> = documents
            .iter()
            .filter(|((of, _), document)| of == owner && fits(document, query))
            .map(|(_, d)| d)
            .collect();
        fitting.sort_by_key(|document| std::cmp::Reverse(document.at));
        let hit = |document: &&Document| Hit {
            kind: document.kind.clone(),
            id: document.id.clone(),
            at: document.at,
            kept: document.kept.clone(),
            ..Hit::default()
        };
        let total = fitting.len();
        Ok(Found { hits: fitting.iter().skip(query.skip).take(query.limit).map(hit).collect(), total })
    }

    async fn candidates(&self, _: &UserId, _: &Description) -> Result<Candidates, IndexError> {
        Ok(Candidates::default())
    }

    async fn all(&self, owner: &UserId, _: &str) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let documents = self.documents.lock().unwrap();
        let all = documents.iter().filter(|((of, _), _)| of == owner);
        Ok(all.map(|((_, id), document)| (id.clone(), document.kept.clone())).collect())
    }

    async fn get(&self, owner: &UserId, _: &str, ids: &[String]) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        self.most_at_once.fetch_max(ids.len(), Ordering::Relaxed);
        let documents = self.documents.lock().unwrap();
        let one = |id: &String| Some((id.clone(), documents.get(&(owner.clone(), id.clone()))?.kept.clone()));
        Ok(ids.iter().filter_map(one).collect())
    }

    async fn apply(&self, owner: &UserId, update: Update) -> Result<(), IndexError> {
        let later = *self.later.lock().unwrap();
        if self.applied.fetch_add(1, Ordering::SeqCst) > 0 && later != Becomes::Applied {
            if later == Becomes::Lost {
                return Err(IndexError::Broken("lost".to_owned()));
            }
            let _permit = self.go.acquire().await.unwrap();
        }
        let mut documents = self.documents.lock().unwrap();
        if !update.clear.is_empty() {
            documents.retain(|(of, _), _| of != owner);
        }
        for (_, id) in update.delete {
            documents.remove(&(owner.clone(), id));
        }
        documents.extend(update.put.into_iter().map(|document| ((owner.clone(), document.id.clone()), document)));
        self.mark.lock().unwrap().insert(owner.clone(), update.mark);
        Ok(())
    }

    async fn mark(&self, owner: &UserId, _: &str) -> Result<Option<String>, IndexError> {
        Ok(self.mark.lock().unwrap().get(owner).cloned())
    }

    fn progress(&self, _: &UserId) -> Option<BuildProgress> {
        None
    }

    async fn purge(&self, _: &UserId) -> Result<(), IndexError> {
        Ok(())
    }
}
