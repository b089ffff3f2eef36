//! What is known of the server's folders, so that the next look at them asks for what is new: kept in the store.
//!
//! A row is written after the file that it is about: what a crash leaves is fetched once more, into the same file.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::maildir_writer::Laid;
use brain_core::core::ids::UserId;
use brain_core::ports::{Key, Record, RecordExt as _, Secondary, Store, StoreError, Stored, Table, secondary};

/// A folder as it was when it was last read to its end, or as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FolderRow {
    pub owner: UserId,
    pub account: String,
    /// Where it lies here.
    pub dir: String,
    /// UIDs mean something under this number only.
    pub validity: u32,
    /// What the server counts by; 0 where it does not.
    pub modseq: u64,
    /// The UID that the next mail gets.
    pub next: u32,
    /// How many there were.
    pub exists: u32,
    /// It was read to its end.
    pub is_whole: bool,
}

impl Record for FolderRow {
    const TABLE: Table = Table::MailFolders;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.account, &self.dir])
    }
}

/// A mail in a folder of the server's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MailRow {
    #[serde(rename = "o")]
    pub owner: UserId,
    #[serde(rename = "a")]
    pub account: String,
    #[serde(rename = "d")]
    pub dir: String,
    #[serde(rename = "u")]
    pub uid: u32,
    /// The file's name without flags; empty for one that could not be read.
    #[serde(rename = "n")]
    pub name: String,
    /// Letters of the Maildir's.
    #[serde(rename = "f")]
    pub flags: String,
    /// Its file lies in another folder, which has it as well.
    #[serde(rename = "e", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_elsewhere: bool,
}

impl MailRow {
    /// Of a mail that lies here now.
    pub fn of(owner: &UserId, account: &str, dir: &str, laid: Laid) -> Self {
        let Laid { uid, name, flags, is_elsewhere } = laid;
        let (account, dir) = (account.to_owned(), dir.to_owned());
        Self { owner: owner.clone(), account, dir, uid, name, flags, is_elsewhere }
    }
}

impl Record for MailRow {
    const TABLE: Table = Table::MailUids;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.account, &self.dir, &Key::number(self.uid.into())])
    }
}

/// The names, without flags, of a person's mails that an account of theirs keeps.
pub(in crate::services::email) async fn names_elsewhere(
    store: &dyn Store,
    owner: &UserId,
) -> Result<HashSet<String>, StoreError> {
    let rows = store.list_all::<MailRow>(&[owner.as_str()]).await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// The mails of a folder by their names.
pub(in crate::services) static MAILS_BY_NAME: Secondary =
    Secondary { name: "mails_by_name", table: Table::MailUids, version: 1, keys: by_name };

fn by_name(_: &Key, stored: &Stored) -> Vec<Key> {
    let row = secondary::readable::<MailRow>(stored).filter(|row| !row.name.is_empty());
    row.iter().map(|row| Key::of(&[row.owner.as_str(), &row.account, &row.dir, &row.name])).collect()
}
