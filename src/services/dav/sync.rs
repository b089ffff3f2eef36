//! One pass over an account: what changed there since the last one becomes the replica's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::place::{DavPlace, uid_of};
use super::record::{DavRecord, ResourceName};
use super::state::{DavState, KnownCollection, lies_in};
use crate::core::digest::hex;
use crate::dav::{DavError, ListedResource, Resource};
use crate::limits::{DAV_FETCH_SLICE, DAV_LOOK_SECS, DAV_PARTS_MAX, DAV_PASSED_OVER_MAX};
use crate::ports::{Batch, Change, Expect, Key, RecordExt as _, StoreError};
use crate::services::backend::{Mirror, RecordEdit, RecordOrigin};
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;

/// Why a pass did not come to its end. What it has brought until then is kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum PassError {
    /// The server.
    #[error(transparent)]
    Server(#[from] DavError),
    /// Something of ours.
    #[error(transparent)]
    Here(#[from] ServiceError),
}

impl From<StoreError> for PassError {
    fn from(error: StoreError) -> Self {
        Self::Here(error.into())
    }
}

impl From<PassError> for ServiceError {
    fn from(error: PassError) -> Self {
        match error {
            PassError::Server(error) => Self::Unreachable { place: "The account".to_owned(), why: error.to_string() },
            PassError::Here(error) => error,
        }
    }
}

/// One pass.
pub(super) struct DavPass<'p, T: DavRecord> {
    pub place: &'p DavPlace<T>,
    pub ctx: &'p RequestContext,
    pub mirror: &'p dyn Mirror<T>,
}

impl<T: DavRecord> DavPass<'_, T> {
    /// Whether anything was new.
    pub async fn run(&self) -> Result<bool, PassError> {
        let mut looked = self.place.looked.lock().await;
        let kind = T::TABLE.name();
        let store = self.place.store.as_ref();
        let mut state = DavState::load(store, &self.ctx.owner, &self.place.account, kind).await?;
        let before = state.clone();
        let is_due = looked.is_none_or(|at| at.elapsed() > Duration::from_secs(DAV_LOOK_SECS));
        let mut gone = Vec::new();
        if is_due || state.collections.is_empty() {
            gone = self.look(&mut state).await?;
            *looked = Some(Instant::now());
        }
        let mut news = false;
        for at in 0..state.collections.len() {
            let collection = state.collections[at].clone();
            let (token, came) = self.collection(&collection, &mut state.passed_over).await?;
            news |= came;
            state.collections[at].token = token;
            // What comes next may fail; this one need not be read again for it.
            self.keep(&state, &before).await?;
        }
        for collection in gone {
            match self.left(&collection).await? {
                Some(came) => news |= came,
                None => state.collections.push(collection),
            }
        }
        self.keep(&state, &before).await?;
        Ok(news)
    }

    /// There is one pass at a time, and nobody else writes it.
    async fn keep(&self, state: &DavState, before: &DavState) -> Result<(), StoreError> {
        if state != before {
            let changes = vec![Change::put(state, Expect::Any)?];
            self.place.store.commit(Batch { changes }).await?;
        }
        Ok(())
    }

    /// Which collections there are now; gives those that there were.
    async fn look(&self, state: &mut DavState) -> Result<Vec<KnownCollection>, DavError> {
        let found = self.place.client.collections(T::KIND).await?;
        self.place.has_none.store(found.is_empty(), Ordering::Relaxed);
        let mut known: BTreeMap<String, KnownCollection> =
            state.collections.drain(..).map(|one| (one.href.clone(), one)).collect();
        for one in found {
            let token = known.remove(&one.href).and_then(|known| known.token);
            state.collections.push(KnownCollection { token, ..one.into() });
        }
        Ok(known.into_values().collect())
    }

    /// What is new in one collection; gives the token of it.
    async fn collection(
        &self,
        collection: &KnownCollection,
        passed_over: &mut BTreeMap<String, String>,
    ) -> Result<(Option<String>, bool), PassError> {
        let mut token = collection.token.clone();
        let mut news = false;
        for _ in 0..DAV_PARTS_MAX {
            let changes = self.place.client.changes(&collection.href, token.as_deref()).await?;
            let is_in = |href: &String| lies_in(href, &collection.href);
            let mut gone: Vec<String> = changes.gone.into_iter().filter(is_in).collect();
            let listed: Vec<ListedResource> = changes.changed.into_iter().filter(|one| is_in(&one.href)).collect();
            let held = self.held(collection, changes.is_whole, &listed).await?;
            if changes.is_whole && !changes.is_partial {
                let there: BTreeSet<&str> = listed.iter().map(|one| one.href.as_str()).collect();
                gone.extend(held.keys().filter(|href| !there.contains(href.as_str())).cloned());
            }
            let is_new = |one: &&ListedResource| {
                held.get(&one.href) != Some(&one.etag) && passed_over.get(&one.href) != Some(&one.etag)
            };
            let wanted: Vec<&ListedResource> = listed.iter().filter(is_new).collect();
            let may_hold_others = changes.is_whole.then_some(&held);
            news |= self.brought(collection, wanted, may_hold_others, (&mut gone, passed_over)).await?;
            gone.iter().for_each(|href| drop(passed_over.remove(href)));
            news |= self.taken(&gone).await?;
            token = changes.token;
            if !changes.is_partial {
                return Ok((token, news));
            }
        }
        Ok((token, news))
    }

    /// The states in which the replica holds what was listed; of a whole list all that lies in the collection.
    async fn held(
        &self,
        collection: &KnownCollection,
        is_whole: bool,
        listed: &[ListedResource],
    ) -> Result<BTreeMap<String, String>, ServiceError> {
        let origins = if is_whole {
            self.mirror.origins().await?
        } else {
            let ids: Vec<String> = listed.iter().map(|one| one.href.clone()).collect();
            let held = self.mirror.held(&ids).await?;
            held.iter().filter_map(|(record, _)| record.origin().cloned()).collect()
        };
        let inside = origins.into_iter().filter(|origin| lies_in(&origin.id, &collection.href));
        Ok(inside.map(|origin| (origin.id, origin.revision)).collect())
    }

    /// Reads what is wanted, in slices, each of which is in the replica before the next is asked for. Calendars may hold
    /// events and tasks: where `may_hold_others`, beside these that are held, and most of the first slice was of another
    /// kind, the rest is fetched only as far as it is of this one. To ask that is dear to a server.
    async fn brought(
        &self,
        collection: &KnownCollection,
        mut wanted: Vec<&ListedResource>,
        may_hold_others: Option<&BTreeMap<String, String>>,
        (gone, passed_over): (&mut Vec<String>, &mut BTreeMap<String, String>),
    ) -> Result<bool, PassError> {
        let mut done = 0;
        while done < wanted.len() {
            let slice = &wanted[done..wanted.len().min(done + DAV_FETCH_SLICE)];
            let hrefs: Vec<String> = slice.iter().map(|one| one.href.clone()).collect();
            let fetched = self.place.client.fetch(T::KIND, &collection.href, &hrefs).await?;
            gone.extend(fetched.gone.into_iter().filter(|href| hrefs.contains(href)));
            let mut left_out: Vec<String> = fetched.unreadable;
            let resources: Vec<Resource> =
                fetched.resources.into_iter().filter(|one| hrefs.contains(&one.href)).collect();
            self.laid(collection, resources, &mut left_out).await?;
            for one in slice {
                if left_out.contains(&one.href) {
                    passed_over.insert(one.href.clone(), one.etag.clone());
                } else {
                    passed_over.remove(&one.href);
                }
            }
            // What holds nothing any more, or cannot be read, is not shown as it was.
            self.taken(&left_out).await?;
            let are_others = 2 * left_out.len() > slice.len();
            let is_first = done == 0;
            done += slice.len();
            if is_first
                && are_others
                && done < wanted.len()
                && let Some(held) = may_hold_others
                && let Some(holding) = self.place.client.holding(T::KIND, &collection.href).await?
            {
                let rest = wanted.split_off(done);
                let is_of_kind = |one: &&ListedResource| holding.contains(&one.href) || held.contains_key(&one.href);
                wanted.extend(rest.into_iter().filter(is_of_kind));
            }
            *self.place.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some((done, wanted.len()));
        }
        while passed_over.len() > DAV_PASSED_OVER_MAX {
            passed_over.pop_last();
        }
        *self.place.progress.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(!wanted.is_empty())
    }

    /// Texts become records of the replica.
    async fn laid(
        &self,
        collection: &KnownCollection,
        resources: Vec<Resource>,
        left_out: &mut Vec<String>,
    ) -> Result<(), ServiceError> {
        let ids: Vec<String> = resources.iter().map(|one| one.href.clone()).collect();
        let held = self.mirror.held(&ids).await?;
        let held: BTreeMap<String, (T, u64)> =
            held.into_iter().filter_map(|one| Some((one.0.origin()?.id.clone(), one))).collect();
        let reader = self.place.reader(self.ctx, collection.is_shared);
        let mut edits = Vec::new();
        for resource in resources {
            let before = held.get(&resource.href).cloned();
            let id = match &before {
                Some((held, _)) => held.id().to_owned(),
                None => self.new_id(collection, &resource).await?,
            };
            let origin = RecordOrigin::new(&self.place.account, &resource.href, &resource.etag);
            let held = before.as_ref().map(|(held, _)| held);
            match T::read(&resource.text, ResourceName { id, origin }, held, &reader) {
                Ok(Some(after)) => edits.push(RecordEdit { before, after: Some(after) }),
                Ok(None) => left_out.push(resource.href),
                Err(why) => {
                    tracing::warn!(account = self.place.account, why, "a resource cannot be read");
                    left_out.push(resource.href);
                }
            }
        }
        self.mirror.apply(edits).await
    }

    /// The id of what is new here: the one that it was made under, where we made it and have not recorded it yet.
    async fn new_id(&self, collection: &KnownCollection, resource: &Resource) -> Result<String, ServiceError> {
        let name = resource.href.strip_prefix(&collection.href).and_then(|name| name.strip_suffix(T::SUFFIX));
        if let Some(id) = name.filter(|id| resource.text.contains(&uid_of(id))) {
            let taken = self.place.store.load::<T>(&Key::of(&[self.ctx.owner.as_str(), id])).await?;
            if taken.is_none() {
                return Ok(id.to_owned());
            }
        }
        Ok(id_of(&self.place.account, &resource.href))
    }

    /// What is there no more goes.
    async fn taken(&self, gone: &[String]) -> Result<bool, ServiceError> {
        let held = self.mirror.held(gone).await?;
        let edits: Vec<RecordEdit<T>> =
            held.into_iter().map(|(record, revision)| RecordEdit::delete(record, revision)).collect();
        let news = !edits.is_empty();
        self.mirror.apply(edits).await?;
        Ok(news)
    }

    /// A collection is not listed any more: what lies in it goes once the server says that it is gone or nobody's
    /// business of the person's; `None` where it says that it is there.
    async fn left(&self, collection: &KnownCollection) -> Result<Option<bool>, PassError> {
        match self.place.client.changes(&collection.href, None).await {
            Ok(_) => return Ok(None),
            Err(DavError::Gone | DavError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let origins = self.mirror.origins().await?;
        let inside = origins.into_iter().map(|origin| origin.id).filter(|id| lies_in(id, &collection.href));
        Ok(Some(self.taken(&inside.collect::<Vec<_>>()).await?))
    }
}

/// The id of a record that was first seen there: the same wherever and whenever it is read.
fn id_of(account: &str, href: &str) -> String {
    let digest = hex(&Sha256::digest(format!("{account}\n{href}").as_bytes()));
    digest.chars().take(12).collect()
}
