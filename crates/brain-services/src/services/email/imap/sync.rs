//! One pass over an account: what the server has and the mailbox here lacks is fetched, what has gone there goes here.
//!
//! ```text
//! EXAMINE ─► SEARCH ─► vanished, new ─► FETCH newest first ─► files ─► rows
//!                                   └─► flags that changed
//! ```
//! Invariants: a pass can end anywhere and the next goes on from there; a mail that cannot be fetched holds up no other;
//! a file goes only once every folder was looked at, so that a mail that was moved there is never missing here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Days, Utc};

use super::connection::{Connection, ImapError};
use super::download::SyncMemory;
use super::fetch::FetchedMail;
use super::folders::{Folders, ServerFolder};
use super::maildir_writer::MaildirWriter;
use super::name;
use super::place::ImapPlace;
use super::rows::{FolderRow, MailRow};
use crate::services::email::mailbox::indexing::SoFar;
use crate::services::email::mailbox::source::maildir::{Listed, Maildir};
use crate::services::email::mailbox::source::moves::{TRASH, folder_of};
use brain_core::core::ids::UserId;
use brain_core::limits::IMAP_ROWS_AT_ONCE;
use brain_core::ports::{Batch, Change, Expect, Key, Record, RecordExt, Store, StoreError, why_not};

/// Why a pass ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum SyncError {
    #[error(transparent)]
    Server(#[from] ImapError),
    #[error("the mail could not be kept here: {0}")]
    Files(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A pass under way.
pub(super) struct Pass<'p> {
    pub place: &'p ImapPlace,
    pub owner: &'p UserId,
    pub store: &'p Arc<dyn Store>,
    pub maildir: &'p Maildir,
    pub now: DateTime<Utc>,
    /// Flags are looked at where the server does not count changes, too.
    pub looks_at_flags: bool,
    pub memory: &'p mut SyncMemory,
    /// Called where many mails come, after some: how many those were, and how much is there of how much.
    pub came: &'p (dyn Fn(usize, SoFar) + Send + Sync),
    /// Mails of the folders that were looked at before.
    pub earlier: usize,
}

/// What has gone, and is taken away at the end.
#[derive(Debug, Default)]
pub(super) struct Gone {
    pub files: Vec<Listed>,
    pub rows: Vec<Key>,
    /// The folders that were looked at: they are whole once that is done.
    pub folders: Vec<FolderRow>,
}

impl Pass<'_> {
    /// All folders. True when something changed here.
    pub async fn run(&mut self, connection: &mut Connection) -> Result<bool, SyncError> {
        let folders = Folders::of(connection).await?;
        let (mut gone, mut changed) = (Gone::default(), false);
        for folder in folders.0.iter().filter(|folder| folder.is_kept()) {
            match self.folder(connection, folder, &mut gone).await {
                Ok(news) => changed |= news,
                // One that cannot be opened says nothing about the others.
                Err(SyncError::Server(ImapError::Refused(why))) => {
                    tracing::warn!(folder = folder.dir, why, "a mail folder was left out");
                }
                Err(error) => return Err(error),
            }
        }
        self.forget_missing(&folders, &mut gone).await?;
        changed |= !gone.files.is_empty();
        if changed {
            self.reconcile_all_mail(&folders, &mut gone).await?;
        }
        self.take_away(gone).await?;
        Ok(changed)
    }

    async fn folder(
        &mut self,
        connection: &mut Connection,
        folder: &ServerFolder,
        gone: &mut Gone,
    ) -> Result<bool, SyncError> {
        let was = self.store.load::<FolderRow>(&self.folder_key(&folder.dir)).await?.map(|(row, _)| row);
        let flags_by_count = connection.offers("CONDSTORE") || connection.offers("QRESYNC");
        let looks_at_flags = self.looks_at_flags && !flags_by_count;
        if let Some(was) = was.as_ref().filter(|was| was.is_whole && !looks_at_flags)
            && connection.status(folder, flags_by_count).await? == was.state()
        {
            self.earlier += was.exists as usize;
            return Ok(false);
        }
        let state = connection.examine(folder, flags_by_count).await?;
        let (maildir, account, place) = (self.maildir.clone(), self.place.account.clone(), folder.clone());
        let mut laying = on_files(move || MaildirWriter::open(maildir, &account, &place)).await?;
        if folder.holds_all {
            laying.elsewhere = self.names_elsewhere(folder).await?;
        }
        let mut known = self.known(&folder.dir).await?;
        let is_fresh = was.as_ref().is_some_and(|was| was.validity != state.validity);
        // Numbers of another validity mean nothing, and a mail whose file has gone from here is fetched again.
        let lost = |row: &MailRow| {
            is_fresh || (!row.name.is_empty() && !row.is_elsewhere && !laying.present.contains_key(&row.name))
        };
        let (stale, kept): (Vec<MailRow>, Vec<MailRow>) = known.into_values().partition(|row| lost(row));
        self.commit(stale.iter().map(|row| Change::delete(MailRow::TABLE, row.key(), Expect::Any))).await?;
        known = kept.into_iter().map(|row| (row.uid, row)).collect();

        let there: BTreeSet<u32> = connection.numbers("ALL").await?.into_iter().collect();
        // An answer that was lost on its way is not taken for an empty folder.
        if there.is_empty() && state.exists > 0 {
            return Err(connection.lost("counts mails and names none").into());
        }
        let since = self.now.checked_sub_days(Days::new(self.place.days.into())).unwrap_or_default();
        let recent = connection.numbers(&format!("SINCE {}", since.format("%-d-%b-%Y"))).await?;
        let vanished = vanish(&mut known, &there, &laying, gone);
        let mut changed = !vanished.is_empty();
        // Before it is told what is new: what is no longer as good as gone is that, too.
        if !known.is_empty() {
            let since = was.as_ref().filter(|was| flags_by_count && !is_fresh && was.is_whole).map(|was| was.modseq);
            if since.is_some_and(|modseq| modseq > 0 && modseq != state.modseq) || since.is_none() {
                changed |= self.flags(connection, &mut laying, &mut known, since).await?;
            }
        }
        let is_new = |uid: &u32| !known.contains_key(uid) && !self.memory.is_given_up(&folder.dir, *uid);
        let mut wanted: Vec<u32> = recent.into_iter().filter(is_new).collect();
        wanted.reverse();
        changed |= !wanted.is_empty();
        let row = FolderRow {
            owner: self.owner.clone(),
            account: self.place.account.clone(),
            dir: folder.dir.clone(),
            validity: state.validity,
            modseq: state.modseq,
            next: state.next,
            exists: state.exists,
            is_whole: false,
        };
        self.commit([Change::put(&row, Expect::Any)?]).await?;
        let mut laying = self.download(connection, laying, &wanted, known.len()).await?;
        self.earlier += known.len() + wanted.len();
        self.keep_what_stays(folder, &vanished, is_fresh, &mut laying, gone).await?;
        gone.folders.push(FolderRow { is_whole: true, ..row });
        Ok(changed)
    }

    /// Takes out of what goes what came back under another number, and adds what numbers of another validity left here.
    async fn keep_what_stays(
        &self,
        folder: &ServerFolder,
        vanished: &[u32],
        is_fresh: bool,
        laying: &mut MaildirWriter,
        gone: &mut Gone,
    ) -> Result<(), SyncError> {
        if !vanished.is_empty() {
            // What left and came back meanwhile has another number and the same file.
            let rows = self.known(&folder.dir).await?.into_values().filter(|row| !vanished.contains(&row.uid));
            let names: BTreeSet<String> = rows.map(|row| row.name).collect();
            gone.files.retain(|file| folder_of(file) != Path::new(&folder.dir) || !names.contains(&file.base));
        }
        if is_fresh {
            let names: BTreeSet<String> = self.known(&folder.dir).await?.into_values().map(|row| row.name).collect();
            let ours = |base: &str| name::is_of_account(base, &self.place.account) == Some(true);
            let left = laying.present.drain().filter(|(base, _)| ours(base) && !names.contains(base));
            gone.files.extend(left.map(|(_, file)| file));
        }
        Ok(())
    }

    /// Flags that changed there, here.
    async fn flags(
        &self,
        connection: &mut Connection,
        laying: &mut MaildirWriter,
        known: &mut BTreeMap<u32, MailRow>,
        since: Option<u64>,
    ) -> Result<bool, SyncError> {
        let (Some(first), Some(last)) = (known.keys().next(), known.keys().last()) else { return Ok(false) };
        let now: Vec<FetchedMail> = connection.flags(&format!("{first}:{last}"), since).await?;
        let (mut puts, mut here) = (Vec::new(), Vec::new());
        for mail in now {
            let Some(row) = known.get_mut(&mail.uid) else { continue };
            match (mail.flags.is_deleted, row.name.is_empty()) {
                // It is as good as gone, or back again.
                (true, false) => {
                    let file = laying.present.remove(&row.name);
                    if let Some(file) = file {
                        let maildir = self.maildir.clone();
                        on_files(move || maildir.drop_file(&file)).await?;
                    }
                    row.name.clear();
                    puts.push(Change::put(row, Expect::Any)?);
                }
                (false, true) => {
                    puts.push(Change::delete(MailRow::TABLE, row.key(), Expect::Any));
                    known.remove(&mail.uid);
                }
                (_, _) if row.flags != mail.flags.letters => {
                    row.flags.clone_from(&mail.flags.letters);
                    here.push((row.name.clone(), mail.flags.letters));
                    puts.push(Change::put(row, Expect::Any)?);
                }
                (_, _) => {}
            }
        }
        let changed = !puts.is_empty();
        laying.flag(&here).map_err(|cause| SyncError::Files(why_not(&cause)))?;
        self.commit(puts).await?;
        Ok(changed)
    }

    /// Folders that the server has no more.
    async fn forget_missing(&self, folders: &Folders, gone: &mut Gone) -> Result<(), SyncError> {
        let rows = self.store.list_all::<FolderRow>(&[self.owner.as_str(), &self.place.account]).await?;
        for row in rows.into_iter().filter(|row| folders.at(&row.dir).is_none()) {
            let known = self.known(&row.dir).await?;
            let folder = ServerFolder { name: String::new(), dir: row.dir.clone(), holds_all: false };
            let (maildir, account) = (self.maildir.clone(), self.place.account.clone());
            let laying = on_files(move || MaildirWriter::open(maildir, &account, &folder)).await?;
            gone.files.extend(known.values().filter_map(|mail| laying.present.get(&mail.name)).cloned());
            gone.rows.extend(known.values().map(Record::key));
            self.commit([Change::delete(FolderRow::TABLE, row.key(), Expect::Any)]).await?;
        }
        Ok(())
    }

    pub(super) fn folder_key(&self, dir: &str) -> Key {
        Key::of(&[self.owner.as_str(), &self.place.account, dir])
    }

    async fn take_away(&self, gone: Gone) -> Result<(), SyncError> {
        let (maildir, files) = (self.maildir.clone(), gone.files);
        // Files first: a row whose file has gone is mended by the next pass.
        on_files(move || files.iter().try_for_each(|file| maildir.drop_file(file))).await?;
        self.commit(gone.rows.into_iter().map(|key| Change::delete(MailRow::TABLE, key, Expect::Any))).await?;
        let whole: Result<Vec<Change>, StoreError> =
            gone.folders.iter().map(|row| Change::put(row, Expect::Any)).collect();
        self.commit(whole?).await
    }

    async fn known(&self, dir: &str) -> Result<BTreeMap<u32, MailRow>, StoreError> {
        let rows = self.store.list_all::<MailRow>(&[self.owner.as_str(), &self.place.account, dir]).await?;
        Ok(rows.into_iter().map(|row| (row.uid, row)).collect())
    }

    pub(super) async fn commit(&self, changes: impl IntoIterator<Item = Change>) -> Result<(), SyncError> {
        let changes: Vec<Change> = changes.into_iter().collect();
        for some in changes.chunks(IMAP_ROWS_AT_ONCE) {
            self.store.commit(Batch { changes: some.to_vec() }).await?;
        }
        Ok(())
    }
}

impl ServerFolder {
    /// What is thrown away is not kept here.
    pub(super) fn is_kept(&self) -> bool {
        ![TRASH, super::folders::JUNK].contains(&self.dir.as_str())
    }
}

/// Work on files, off the runtime.
pub(super) async fn on_files<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, SyncError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| SyncError::Files("it broke off".to_owned()))?;
    done.map_err(|cause| SyncError::Files(why_not(&cause)))
}

/// Takes the mails out of what is known that are not there any more, and notes what goes with them.
fn vanish(
    known: &mut BTreeMap<u32, MailRow>,
    there: &BTreeSet<u32>,
    laying: &MaildirWriter,
    gone: &mut Gone,
) -> Vec<u32> {
    let vanished: Vec<u32> = known.keys().filter(|uid| !there.contains(uid)).copied().collect();
    let left: Vec<MailRow> = vanished.iter().filter_map(|uid| known.remove(uid)).collect();
    if !left.is_empty() {
        let there_twice: HashSet<&str> = known.values().map(|row| row.name.as_str()).collect();
        gone.rows.extend(left.iter().map(Record::key));
        let names: BTreeSet<&str> = left.iter().map(|row| row.name.as_str()).collect();
        let names = names.into_iter().filter(|name| !there_twice.contains(name));
        gone.files.extend(names.filter_map(|name| laying.present.get(name)).cloned());
    }
    vanished
}
