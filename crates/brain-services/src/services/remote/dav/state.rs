//! How far a person's account was read: its collections, and the token of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use brain_core::core::ids::UserId;
use brain_core::ports::{Key, Record, RecordExt as _, Store, StoreError, Table};
use brain_wire::accounts::is_chosen;
use brain_wire::dav::Collection;

/// What is known of one account of one person's, for one kind of thing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DavState {
    /// The person.
    pub owner: String,
    /// The account's id.
    pub account: String,
    /// What is kept there: the service's name.
    pub kind: String,
    /// In the order in which the server lists them.
    pub collections: Vec<KnownCollection>,
    /// Resources that hold nothing that is shown here, or cannot be read, and the state in which they were seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub passed_over: BTreeMap<String, String>,
}

/// One calendar, task list or address book.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownCollection {
    /// Its path, with a slash at its end.
    pub href: String,
    /// What it is called there.
    pub name: String,
    /// Whether anything may be written into it.
    pub is_writable: bool,
    /// Whether others see it.
    #[serde(default)]
    pub is_shared: bool,
    /// What is new goes there.
    #[serde(default)]
    pub is_default: bool,
    /// Of what was read last.
    #[serde(default)]
    pub token: Option<String>,
}

impl From<Collection> for KnownCollection {
    fn from(found: Collection) -> Self {
        let Collection { href, name, is_writable, is_shared, is_default, .. } = found;
        Self { href, name, is_writable, is_shared, is_default, token: None }
    }
}

impl Record for DavState {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Self::key_of(&self.owner, &self.account, &self.kind)
    }
}

impl DavState {
    fn key_of(owner: &str, account: &str, kind: &str) -> Key {
        Key::of(&["dav", owner, account, kind])
    }

    /// What is known of an account; of a new one nothing.
    pub async fn load(store: &dyn Store, owner: &UserId, account: &str, kind: &str) -> Result<Self, StoreError> {
        let found = store.load::<Self>(&Self::key_of(owner.as_str(), account, kind)).await?;
        Ok(found.map_or_else(
            || {
                let (owner, account, kind) = (owner.as_str().to_owned(), account.to_owned(), kind.to_owned());
                Self { owner, account, kind, ..Self::default() }
            },
            |(state, _)| state,
        ))
    }

    /// The collection that a resource lies in.
    pub fn of(&self, href: &str) -> Option<&KnownCollection> {
        self.collections.iter().find(|one| lies_in(href, &one.href))
    }

    /// Where what is new goes: the one that the person chose, whether or not it is there; else the default, else the
    /// first that can be written and is the person's alone.
    pub fn takes_new(&self, chosen: Option<&str>) -> Option<&KnownCollection> {
        if let Some(chosen) = chosen {
            return self.collections.iter().find(|one| is_chosen(&one.name, chosen));
        }
        let mut writable = self.collections.iter().filter(|one| one.is_writable);
        let default = writable.clone().find(|one| one.is_default);
        let alone = || writable.clone().find(|one| !one.is_shared);
        default.or_else(alone).or_else(|| writable.next())
    }
}

/// Whether a resource lies right in this collection.
pub(super) fn lies_in(href: &str, collection: &str) -> bool {
    href.strip_prefix(collection).is_some_and(|rest| !rest.is_empty() && !rest.trim_end_matches('/').contains('/'))
}
