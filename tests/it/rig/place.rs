//! A place elsewhere that keeps records of a kind, and misbehaves when it is told to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use brain_agent::core::ids::UserId;
use brain_agent::services::Accounts;
use brain_agent::services::contract::command::Effect;
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::holder::Holder;
use brain_agent::services::contract::service::Attempt;
use brain_agent::services::remote::backend::{
    Backend, BackendAccount, Backends, Mirror, RecordEdit, RecordOrigin, Replicated, Unwritten,
};

/// How it behaves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Manner {
    /// As it should.
    #[default]
    Works,
    /// Answers after this time.
    Slow(Duration),
    /// Says no, and does nothing.
    Refuses,
    /// Does it or not, and cannot say.
    Doubts { done: bool },
    /// Does it or not, and never answers: whoever asked is dead by then.
    Dies { done: bool },
    /// Says that it did it, and did not.
    Lies,
    /// Keeps something else than it was given.
    Rewrites,
}

/// What is there, by the key of the record, each with its revision.
type Kept<T> = BTreeMap<String, (T, u64)>;

/// The place.
#[derive(Debug)]
pub struct Place<T> {
    account: String,
    kept: Mutex<Kept<T>>,
    manner: Mutex<Manner>,
    writes: AtomicUsize,
    /// What it makes of a record in [`Manner::Rewrites`].
    rewrite: fn(&mut T),
}

impl<T: Replicated> Place<T> {
    pub fn new(account: &str, rewrite: fn(&mut T)) -> Arc<Self> {
        let (account, kept, manner) = (account.to_owned(), Mutex::default(), Mutex::default());
        Arc::new(Self { account, kept, manner, writes: AtomicUsize::new(0), rewrite })
    }

    /// An account of this person's there.
    pub fn account(self: &Arc<Self>, owner: &str) -> BackendAccount<T> {
        let (id, label) = (self.account.clone(), self.account.clone());
        BackendAccount { id, holders: vec![Holder::Person(UserId::new(owner))], label, backend: self.clone() }
    }

    pub fn behaves(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// How often something was to be written.
    pub fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }

    /// The names of what is there.
    pub fn names(&self) -> Vec<String> {
        self.kept.lock().unwrap().values().map(|(kept, _)| kept.name().to_owned()).collect()
    }

    /// Somebody else changes everything there.
    pub fn is_changed(&self, change: impl Fn(&mut T)) {
        for (kept, revision) in self.kept.lock().unwrap().values_mut() {
            change(kept);
            *revision += 1;
        }
    }

    fn apply(&self, edits: Vec<RecordEdit<T>>, manner: Manner) -> Result<Vec<RecordEdit<T>>, Unwritten> {
        let mut kept = self.kept.lock().unwrap();
        for RecordEdit { before, .. } in &edits {
            let Some((before, _)) = before else { continue };
            let there = kept.get(before.key().as_str()).map(|(_, revision)| revision.to_string());
            if there.as_ref() != before.origin().map(|origin| &origin.revision) {
                return Err(Unwritten::ChangedElsewhere);
            }
        }
        let write = |RecordEdit { before, after }: RecordEdit<T>| {
            let after = after.map(|mut after| {
                if manner == Manner::Rewrites {
                    (self.rewrite)(&mut after);
                }
                let id = after.key().as_str().to_owned();
                let revision = kept.get(&id).map_or(1, |(_, revision)| revision + 1);
                after.set_origin(self.origin(&id, revision));
                if manner != Manner::Lies {
                    kept.insert(id, (after.clone(), revision));
                }
                after
            });
            if let (Some((before, _)), None, true) = (&before, &after, manner != Manner::Lies) {
                kept.remove(before.key().as_str());
            }
            RecordEdit { before, after }
        };
        Ok(edits.into_iter().map(write).collect())
    }

    fn origin(&self, id: &str, revision: u64) -> Option<RecordOrigin> {
        Some(RecordOrigin::new(&self.account, id, revision.to_string()))
    }
}

/// What says where it is kept is not part of what it is.
fn content<T: Replicated>(record: &T) -> T {
    let mut content = record.clone();
    content.set_origin(None);
    content
}

#[async_trait]
impl<T: Replicated> Backend<T> for Place<T> {
    fn effect(&self) -> Effect {
        Effect::WriteElsewhere
    }

    async fn write(
        &self,
        _: &RequestContext,
        edits: Vec<RecordEdit<T>>,
        _: &Attempt,
    ) -> Result<Vec<RecordEdit<T>>, Unwritten> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        let manner = *self.manner.lock().unwrap();
        match manner {
            Manner::Works | Manner::Lies | Manner::Rewrites => self.apply(edits, manner),
            Manner::Slow(time) => {
                tokio::time::sleep(time).await;
                self.apply(edits, manner)
            }
            Manner::Refuses => Err(Unwritten::Refused("The calendar server is full; nothing was done.".to_owned())),
            Manner::Doubts { done } => {
                if done {
                    self.apply(edits, manner)?;
                }
                Err(Unwritten::Doubtful("the server went silent; please look there".to_owned()))
            }
            Manner::Dies { done } => {
                if done {
                    self.apply(edits, manner)?;
                }
                std::future::pending().await
            }
        }
    }

    async fn settled(&self, _: &RequestContext, edits: &[RecordEdit<T>], _: &Attempt) -> Option<bool> {
        let kept = self.kept.lock().unwrap();
        let is_there = |wanted: &Option<T>, key: &str| {
            kept.get(key).map(|(kept, _)| content(kept)) == wanted.as_ref().map(content)
        };
        let mut all = edits.iter().map(|RecordEdit { before, after }| {
            let before = before.as_ref().map(|(before, _)| before.clone());
            let key = after.as_ref().or(before.as_ref())?.key();
            match (is_there(after, key.as_str()), is_there(&before, key.as_str())) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                (false, false) => None,
            }
        });
        let first = all.next()??;
        all.all(|one| one == Some(first)).then_some(first)
    }

    async fn sync(&self, ctx: &RequestContext, mirror: &dyn Mirror<T>) -> Result<(), ServiceError> {
        let ids: Vec<String> = mirror.origins().await?.into_iter().map(|origin| origin.id).collect();
        let replica = mirror.held(&ids).await?;
        let edits = self.news(&ctx.owner, replica);
        mirror.apply(edits).await
    }
}

impl<T: Replicated> Place<T> {
    /// What the replica lacks.
    fn news(&self, owner: &UserId, replica: Vec<(T, u64)>) -> Vec<RecordEdit<T>> {
        let kept = self.kept.lock().unwrap();
        let of_owner = |key: &str| key.starts_with(owner.as_str());
        let mut edits = Vec::new();
        for (key, (there, revision)) in kept.iter().filter(|(key, _)| of_owner(key)) {
            let mut there = there.clone();
            there.set_origin(self.origin(key, *revision));
            let here = replica.iter().find(|(here, _)| here.key().as_str() == key);
            match here {
                Some((here, _)) if *here == there => {}
                here => edits.push(RecordEdit { before: here.cloned(), after: Some(there) }),
            }
        }
        let gone = replica.into_iter().filter(|(here, _)| !kept.contains_key(here.key().as_str()));
        edits.extend(gone.map(|(here, revision)| RecordEdit::delete(here, revision)));
        edits
    }
}

/// The places of one person's accounts, one for each kind of thing.
#[derive(Clone)]
pub struct Places {
    pub tasks: Arc<Place<brain_agent::services::task::Task>>,
    pub events: Arc<Place<brain_agent::services::calendar::Event>>,
    pub contacts: Arc<Place<brain_agent::services::contacts::Contact>>,
}

impl Places {
    pub fn new() -> Self {
        Self {
            tasks: Place::new("lists", |task| task.title.push_str(" (shortened)")),
            events: Place::new("work", |event| event.summary.push_str(" (shortened)")),
            contacts: Place::new("people", |contact| contact.name.push_str(" (shortened)")),
        }
    }

    pub fn behave(&self, manner: Manner) {
        self.tasks.behaves(manner);
        self.events.behaves(manner);
        self.contacts.behaves(manner);
    }

    /// One account each for this person.
    pub fn accounts(&self, owner: &str) -> Accounts {
        Accounts {
            tasks: Backends::new(vec![self.tasks.account(owner)]),
            events: Backends::new(vec![self.events.account(owner)]),
            contacts: Backends::new(vec![self.contacts.account(owner)]),
            ..Accounts::default()
        }
    }
}
