//! One account's place for one kind of record.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::Mutex;

use super::record::{DavReader, DavRecord};
use super::state::DavState;
use crate::services::contract::context::RequestContext;
use crate::services::contract::holder::Holder;
use crate::services::remote::backend::BackendAccount;
use brain_core::core::ids::UserId;
use brain_core::ports::{Store, StoreError};
use brain_wire::accounts::AccountConfig;
use brain_wire::dav::{DavClient, DavError};

/// Where records of a kind are kept in an account.
pub struct DavPlace<T> {
    pub(super) account: String,
    pub(super) client: DavClient,
    pub(super) store: Arc<dyn Store>,
    pub(super) own: Vec<String>,
    /// The collection that takes what is new, where the person chose one.
    pub(super) chosen: Option<String>,
    /// The server has no collection of this kind, as far as was seen.
    pub(super) has_none: AtomicBool,
    /// One pass at a time, and when collections were last looked for.
    pub(super) looked: Mutex<Option<Instant>>,
    /// Of a collection that did not come to its end: the resource that comes first in the next pass.
    pub(super) stopped_at: std::sync::Mutex<BTreeMap<String, String>>,
    /// How far a first pass has come.
    pub(super) progress: std::sync::Mutex<Option<(usize, usize)>>,
    kind: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for DavPlace<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DavPlace").field("account", &self.account).finish_non_exhaustive()
    }
}

impl<T: DavRecord> DavPlace<T> {
    /// That of an account which has one.
    pub fn of(account: &AccountConfig, store: &Arc<dyn Store>) -> Option<Result<Arc<Self>, DavError>> {
        let client = match DavClient::of(account, account.dav(T::KIND)?) {
            Ok(client) => client,
            Err(error) => return Some(Err(error)),
        };
        let own = account.addresses.iter().map(|sender| sender.address.to_string().to_lowercase()).collect();
        Some(Ok(Arc::new(Self {
            account: account.id.clone(),
            client,
            store: store.clone(),
            own,
            chosen: account.chosen.of(T::KIND).map(str::to_owned),
            has_none: AtomicBool::new(false),
            looked: Mutex::default(),
            stopped_at: std::sync::Mutex::default(),
            progress: std::sync::Mutex::default(),
            kind: PhantomData,
        })))
    }

    /// That of an account at this server.
    #[cfg(test)]
    pub(super) fn reaching(client: DavClient, store: Arc<dyn Store>) -> Self {
        Self {
            account: "a".to_owned(),
            client,
            store,
            own: Vec::new(),
            chosen: None,
            has_none: AtomicBool::new(false),
            looked: Mutex::default(),
            stopped_at: std::sync::Mutex::default(),
            progress: std::sync::Mutex::default(),
            kind: PhantomData,
        }
    }

    pub(super) async fn state(&self, owner: &UserId) -> Result<DavState, StoreError> {
        let kind = T::TABLE.name();
        DavState::load(self.store.as_ref(), owner, &self.account, kind).await
    }

    pub(super) fn reader<'r>(&'r self, ctx: &'r RequestContext, is_shared: bool) -> DavReader<'r> {
        DavReader { owner: &ctx.owner, chat: &ctx.chat, zone: ctx.zone, own: &self.own, is_shared, now: ctx.now }
    }
}

/// An account and its place.
#[derive(Debug)]
pub struct PlacedAccount<T: DavRecord> {
    /// Where its records are written.
    pub account: BackendAccount<T>,
    /// What keeps them in step.
    pub place: Arc<DavPlace<T>>,
}

/// The places of everybody for a kind of record. An account whose server cannot be spoken to at all is told of.
pub fn dav_places<T: DavRecord>(
    configured: &[AccountConfig],
    first_admin: &Arc<OnceLock<UserId>>,
    store: &Arc<dyn Store>,
) -> Vec<PlacedAccount<T>> {
    let mut placed = Vec::new();
    for account in configured {
        match DavPlace::<T>::of(account, store) {
            Some(Ok(place)) => {
                let (id, label) = (account.id.clone(), account.name.clone());
                let holders = Holder::of(account, first_admin);
                placed.push(PlacedAccount {
                    account: BackendAccount { id, label, holders, backend: place.clone() },
                    place,
                });
            }
            Some(Err(error)) => tracing::error!(account = account.id, %error, "an account's server cannot be used"),
            None => {}
        }
    }
    placed
}

/// The UID of what is made here under this id.
pub(in crate::services) fn uid_of(id: &str) -> String {
    format!("{id}@brain-agent")
}
