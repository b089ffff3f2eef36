//! One pass over an account: what changed there since the last one becomes the replica's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::place::{DavPlace, uid_of};
use super::reading::SliceReading;
use super::record::DavRecord;
use super::state::{DavState, KnownCollection, lies_in};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::remote::backend::{Mirror, RecordEdit};
use brain_core::core::digest::hex;
use brain_core::limits::{
    DAV_FETCH_SLICE, DAV_KNOWN_COLLECTIONS_MAX, DAV_LOOK_SECS, DAV_PARTS_MAX, DAV_PASSED_OVER_MAX, DAV_SINGLY_MAX,
};
use brain_core::ports::{Batch, Change, Expect, Key, RecordExt as _, StoreError};
use brain_wire::dav::{DavError, Fetched, ListedResource, Resource};

/// Why a pass did not come to its end. What it has brought until then is kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum PassError {
    /// The server.
    #[error(transparent)]
    Server(#[from] DavError),
    /// It leaves too much out of its answers.
    #[error(
        "the server leaves out what it is asked for, so I fetched {fetched} entries one by one and stopped; \
         {left} are left, and I go on with them at the next look"
    )]
    LeftOut { fetched: usize, left: usize },
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
            PassError::Server(_) | PassError::LeftOut { .. } => {
                Self::Unreachable { place: "The account".to_owned(), why: error.to_string() }
            }
            PassError::Here(error) => error,
        }
    }
}

/// What of a collection may still be asked for by itself in a pass.
struct Singly {
    left: usize,
    /// How much was not asked for, because nothing was left.
    not_asked: usize,
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
        let (mut news, mut fetched, mut left) = (false, 0, 0);
        // Each its part: one that is broken keeps no other waiting.
        let singly_max = (DAV_SINGLY_MAX / state.collections.len().max(1)).max(1);
        for at in 0..state.collections.len() {
            let collection = state.collections[at].clone();
            let mut singly = Singly { left: singly_max, not_asked: 0 };
            let (token, came) = self.collection(&collection, &mut state.passed_over, &mut singly).await?;
            news |= came;
            state.collections[at].token = token;
            (fetched, left) = (fetched + singly_max - singly.left, left + singly.not_asked);
            // What comes next may fail; this one need not be read again for it.
            self.keep(&state, &before).await?;
        }
        for collection in gone {
            // A server that lists others at every look does not make the list longer with each.
            let has_room = state.collections.len() < DAV_KNOWN_COLLECTIONS_MAX;
            if has_room && self.is_there(&collection).await? {
                state.collections.push(collection);
            } else {
                news |= self.left(&collection).await?;
            }
        }
        self.keep(&state, &before).await?;
        if left > 0 { Err(PassError::LeftOut { fetched, left }) } else { Ok(news) }
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

    /// What is new in one collection; gives the token of it: the old one where something was left out.
    async fn collection(
        &self,
        collection: &KnownCollection,
        passed_over: &mut BTreeMap<String, String>,
        singly: &mut Singly,
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
            let wanted = self.in_turn(collection, listed.iter().filter(is_new).collect());
            let may_hold_others = changes.is_whole.then_some(&held);
            news |= self.brought(collection, wanted, may_hold_others, (&mut gone, passed_over), singly).await?;
            gone.iter().for_each(|href| drop(passed_over.remove(href)));
            news |= self.taken(&gone).await?;
            // With the same token the rest is listed once more.
            if singly.not_asked > 0 {
                return Ok((token, news));
            }
            // A token that goes on to itself leads nowhere: all is listed next time.
            let is_stuck = changes.is_partial && changes.token == token;
            token = changes.token.filter(|_| !is_stuck);
            if is_stuck || !changes.is_partial {
                return Ok((token, news));
            }
        }
        Ok((token, news))
    }

    /// From where the pass before this one stopped: what it asked for in vain comes last.
    fn in_turn<'l>(
        &self,
        collection: &KnownCollection,
        mut wanted: Vec<&'l ListedResource>,
    ) -> Vec<&'l ListedResource> {
        let stopped = self.place.stopped_at.lock().unwrap_or_else(PoisonError::into_inner).remove(&collection.href);
        let from = stopped.and_then(|href| wanted.iter().position(|one| one.href == href));
        wanted.rotate_left(from.unwrap_or_default());
        wanted
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

    /// Reads what is wanted, in slices: while one comes into the replica, the next is asked for. Calendars may hold events
    /// and tasks: where `may_hold_others`, beside these that are held, and most of the first slice was of another kind,
    /// the rest is fetched only as far as it is of this one. To ask that is dear to a server.
    async fn brought(
        &self,
        collection: &KnownCollection,
        mut wanted: Vec<&ListedResource>,
        may_hold_others: Option<&BTreeMap<String, String>>,
        (gone, passed_over): (&mut Vec<String>, &mut BTreeMap<String, String>),
        singly: &mut Singly,
    ) -> Result<bool, PassError> {
        if wanted.is_empty() {
            return Ok(false);
        }
        let mut rest = wanted.split_off(wanted.len().min(DAV_FETCH_SLICE));
        let fetched = self.fetched(collection, &wanted, singly).await?;
        let left_out = self.slice(collection, &wanted, fetched, (gone, passed_over)).await?;
        if 2 * left_out > wanted.len()
            && !rest.is_empty()
            && singly.not_asked == 0
            && let Some(held) = may_hold_others
            && let Some(holding) = self.place.client.holding(T::KIND, &collection.href).await?
        {
            rest.retain(|one| holding.contains(&one.href) || held.contains_key(&one.href));
        }
        let (mut done, all) = (wanted.len(), wanted.len() + rest.len());
        let mut slices = rest.chunks(DAV_FETCH_SLICE).peekable();
        let mut fetched = self.fetched(collection, slices.peek().copied().unwrap_or_default(), singly).await?;
        while let Some(slice) = slices.next() {
            self.shows_progress(Some((done, all)));
            let next = slices.peek().copied().unwrap_or_default();
            let (laid, ahead) = futures::join!(
                self.slice(collection, slice, fetched, (&mut *gone, &mut *passed_over)),
                self.fetched(collection, next, singly)
            );
            laid?;
            fetched = ahead?;
            done += slice.len();
        }
        while passed_over.len() > DAV_PASSED_OVER_MAX {
            passed_over.pop_last();
        }
        self.shows_progress(None);
        Ok(true)
    }

    fn shows_progress(&self, progress: Option<(usize, usize)>) {
        *self.place.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// Once something was left out, nothing is asked for any more.
    async fn fetched(
        &self,
        collection: &KnownCollection,
        slice: &[&ListedResource],
        singly: &mut Singly,
    ) -> Result<Fetched, DavError> {
        if singly.not_asked > 0 {
            singly.not_asked += slice.len();
            return Ok(Fetched::default());
        }
        let hrefs: Vec<String> = slice.iter().map(|one| one.href.clone()).collect();
        let fetched = self.place.client.fetch(T::KIND, &collection.href, &hrefs, singly.left).await?;
        singly.left = singly.left.saturating_sub(fetched.singly);
        singly.not_asked = fetched.not_asked.len();
        if let Some(first) = fetched.not_asked.first() {
            let mut stopped_at = self.place.stopped_at.lock().unwrap_or_else(PoisonError::into_inner);
            stopped_at.insert(collection.href.clone(), first.clone());
        }
        Ok(fetched)
    }

    /// A slice comes into the replica; gives how many of it hold nothing of this kind, or cannot be read.
    async fn slice(
        &self,
        collection: &KnownCollection,
        slice: &[&ListedResource],
        fetched: Fetched,
        (gone, passed_over): (&mut Vec<String>, &mut BTreeMap<String, String>),
    ) -> Result<usize, PassError> {
        let wanted: BTreeSet<&str> = slice.iter().map(|one| one.href.as_str()).collect();
        gone.extend(fetched.gone.into_iter().filter(|href| wanted.contains(href.as_str())));
        let mut left_out = fetched.unreadable;
        let resources = fetched.resources.into_iter().filter(|one| wanted.contains(one.href.as_str()));
        self.laid(collection, resources.collect(), &mut left_out).await?;
        let unread: BTreeSet<&String> = left_out.iter().collect();
        for one in slice {
            if unread.contains(&one.href) {
                passed_over.insert(one.href.clone(), one.etag.clone());
            } else {
                passed_over.remove(&one.href);
            }
        }
        // What holds nothing any more, or cannot be read, is not shown as it was.
        self.taken(&left_out).await?;
        Ok(left_out.len())
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
        let mut named = Vec::new();
        for resource in resources {
            let before = held.get(&resource.href).cloned();
            let id = match &before {
                Some((held, _)) => held.id().to_owned(),
                None => self.new_id(collection, &resource).await?,
            };
            named.push((resource, id, before));
        }
        let reading = SliceReading {
            account: self.place.account.clone(),
            own: self.place.own.clone(),
            ctx: self.ctx.clone(),
            is_shared: collection.is_shared,
        };
        let (edits, unread) = reading.of(named).await?;
        left_out.extend(unread);
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

    /// Whether a collection that is not listed any more is there nevertheless; not, once the server says that it is gone or
    /// nobody's business of the person's.
    async fn is_there(&self, collection: &KnownCollection) -> Result<bool, DavError> {
        match self.place.client.changes(&collection.href, None).await {
            Ok(_) => Ok(true),
            Err(DavError::Gone | DavError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What lies in a collection that is followed no more goes.
    async fn left(&self, collection: &KnownCollection) -> Result<bool, ServiceError> {
        let origins = self.mirror.origins().await?;
        let inside = origins.into_iter().map(|origin| origin.id).filter(|id| lies_in(id, &collection.href));
        self.taken(&inside.collect::<Vec<_>>()).await
    }
}

/// The id of a record that was first seen there: the same wherever and whenever it is read.
fn id_of(account: &str, href: &str) -> String {
    let digest = hex(&Sha256::digest(format!("{account}\n{href}").as_bytes()));
    digest.chars().take(12).collect()
}
