//! Everybody's mailboxes, as the rest of the service asks for them: by words, by ids, by conversation.
//!
//! What a mail says lies in the search index; which mails are one conversation, and who was seen in them, is kept in
//! memory for those who use it ([`Summary`](crate::services::email::message::summary::Summary)). Asking costs what is asked for, not what there
//! is, as long as no folder has changed. All file work happens on threads of its own ([`Pool`]).
//!
//! Invariant: a view belongs to one owner and is made from that owner's folder alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::Notify;

use super::accounts::MailAccounts;
use super::arriving::Arrivals;
use super::correspondents::Correspondent;
use super::indexing::{IndexedMailbox, SoFar, not_done};
use super::pool::{Haste, Pool};
use super::source::maildir::Maildir;
use super::suspects::SuspectLock;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Freshness;
use crate::services::email::message::mail::{Mail, MailId, NAME};
use crate::services::email::message::thread::Thread;
use brain_core::core::ids::UserId;
use brain_core::limits::{CONVERSATION_MAILS_MAX, MAIL_PATIENCE_MS, MAILS_REMEMBERED_MAX};
use brain_core::ports::{Index, Query};

/// The mailboxes of everybody, below one data folder.
#[derive(Debug)]
pub struct Mailboxes {
    data: PathBuf,
    own: OwnAddresses,
    index: Arc<dyn Index>,
    pool: Arc<Pool>,
    quiet: Arc<SuspectLock>,
    held: Mutex<OpenMailboxes>,
    pub(in crate::services::email) arrivals: Arrivals,
    news: Notify,
}

/// The addresses that outgoing mail carries.
#[derive(Debug)]
enum OwnAddresses {
    /// The same for everybody, or none.
    One(Option<String>),
    /// Those of everybody's accounts.
    Accounts(MailAccounts),
}

/// Those in use, each with the number of its last use.
#[derive(Debug, Default)]
struct OpenMailboxes {
    by_owner: HashMap<UserId, (u64, Arc<IndexedMailbox>)>,
    uses: u64,
}

impl OpenMailboxes {
    /// Lets go of those that were not used for longest, when more is remembered than there is room for.
    fn make_room(&mut self) {
        let mut remembered: usize = self.by_owner.values().map(|(_, held)| held.summary().len()).sum();
        let mut by_use: Vec<(u64, UserId)> = self.by_owner.iter().map(|(o, (used, _))| (*used, o.clone())).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        by_use.pop();
        for (_, owner) in by_use {
            if remembered <= MAILS_REMEMBERED_MAX {
                return;
            }
            if self.by_owner.get(&owner).is_some_and(|(_, held)| held.is_idle())
                && let Some((_, held)) = self.by_owner.remove(&owner)
            {
                remembered -= held.summary().len();
            }
        }
    }
}

impl Mailboxes {
    /// Mailboxes in `DATA/mail`, found through `index`; `own` is the address of everybody's outgoing mail, if any.
    pub fn new(data: impl Into<PathBuf>, own: Option<String>, index: Arc<dyn Index>) -> Arc<Self> {
        Self::with(data.into(), OwnAddresses::One(own.map(|address| address.to_lowercase())), index)
    }

    /// The same, where each person's mail carries the address of their account.
    pub fn of_accounts(data: impl Into<PathBuf>, accounts: MailAccounts, index: Arc<dyn Index>) -> Arc<Self> {
        Self::with(data.into(), OwnAddresses::Accounts(accounts), index)
    }

    fn with(data: PathBuf, own: OwnAddresses, index: Arc<dyn Index>) -> Arc<Self> {
        Arc::new(Self {
            data,
            own,
            index,
            pool: Arc::default(),
            quiet: Arc::default(),
            held: Mutex::default(),
            arrivals: Arrivals::default(),
            news: Notify::new(),
        })
    }

    fn own(&self, owner: &UserId) -> Vec<String> {
        match &self.own {
            OwnAddresses::One(address) => address.iter().cloned().collect(),
            OwnAddresses::Accounts(accounts) => accounts.addresses(owner),
        }
    }

    /// Somebody's mailbox has changed: whoever brings mail says so, and those who wait for some look sooner.
    pub fn mail_came(&self) {
        self.news.notify_one();
    }

    /// Returns when a mailbox has changed since this was asked last.
    pub(in crate::services::email) async fn came(&self) {
        self.news.notified().await;
    }

    /// The folder everything is below.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The files of one owner.
    pub fn maildir(&self, owner: &UserId) -> Maildir {
        Maildir::of(&self.data, owner)
    }

    /// The owner's mail as it is now; of a mailbox that is being read, what is there after a short wait.
    pub async fn mail(&self, owner: &UserId) -> Result<MailView, ServiceError> {
        self.mail_within(owner, Duration::from_millis(MAIL_PATIENCE_MS)).await
    }

    /// The same after another wait.
    pub async fn mail_within(&self, owner: &UserId, patience: Duration) -> Result<MailView, ServiceError> {
        let held = self.held(owner);
        let so_far = held.refresh(patience).await?;
        Ok(self.view(owner, held, so_far))
    }

    /// The same for whoever only looks: while an account brings a great deal, what the index has of it is enough.
    pub async fn mail_by_now(&self, owner: &UserId, patience: Duration) -> Result<MailView, ServiceError> {
        let held = self.held(owner);
        let known = held.summary().len();
        match self.arrivals.of(owner).filter(|_| known > 0) {
            Some(there) => {
                let so_far = SoFar { done: known, total: there.total.max(known) };
                Ok(self.view(owner, held, Some(so_far)))
            }
            None => self.mail_within(owner, patience).await,
        }
    }

    /// The same after the usual wait.
    pub async fn looked_into(&self, owner: &UserId) -> Result<MailView, ServiceError> {
        self.mail_by_now(owner, Duration::from_millis(MAIL_PATIENCE_MS)).await
    }

    fn view(&self, owner: &UserId, held: Arc<IndexedMailbox>, so_far: Option<SoFar>) -> MailView {
        let configured = self.own(owner);
        let own = held.summary().own(&configured);
        MailView { own, configured, so_far, held }
    }

    /// How fresh the owner's mail is; `None` while not all of it was read, or it cannot be.
    pub async fn freshness(&self, owner: &UserId) -> Option<Freshness> {
        if self.arrivals.of(owner).is_some() {
            return None;
        }
        let held = self.held(owner);
        let so_far = held.refresh(Duration::from_millis(MAIL_PATIENCE_MS)).await.ok()?;
        so_far.is_none().then(|| Freshness::of([held.generation()]))
    }

    pub(in crate::services::email) fn held(&self, owner: &UserId) -> Arc<IndexedMailbox> {
        let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        all.uses += 1;
        let uses = all.uses;
        let made = || {
            IndexedMailbox::new(owner, self.maildir(owner), self.index.clone(), self.pool.clone(), self.quiet.clone())
        };
        let entry = all.by_owner.entry(owner.clone()).or_insert_with(|| (uses, made()));
        entry.0 = uses;
        let held = Arc::clone(&entry.1);
        all.make_room();
        held
    }

    /// How far reading an owner's mail has come, while a turn of theirs waits for it.
    pub fn waited_for(&self, owner: &UserId) -> Option<SoFar> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).by_owner.get(owner)?.1.clone();
        held.waited_for()
    }

    /// Does short work on somebody's mail files.
    pub async fn files<T: Send + 'static>(
        &self,
        owner: &UserId,
        work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        self.pool.run(owner, Haste::Short, work).await.map_err(not_done)?
    }

    /// The threads that mail files are read on.
    #[cfg(test)]
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }
}

/// One owner's mail at one moment.
#[derive(Debug, Clone)]
pub struct MailView {
    held: Arc<IndexedMailbox>,
    own: Vec<String>,
    configured: Vec<String>,
    /// How much was read, when not everything was.
    pub so_far: Option<SoFar>,
}

/// A conversation with its mails.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// What it is called, and what belongs to it.
    pub thread: Thread,
    /// Of its first mail.
    pub subject: String,
    /// Oldest first; of a very long one the newest.
    pub mails: Vec<Mail>,
}

impl Conversation {
    /// The newest mail that somebody else wrote.
    pub fn last_of_others(&self) -> Option<&Mail> {
        self.mails.iter().rfind(|mail| !mail.is_own())
    }
}

impl MailView {
    /// Whose it is.
    pub fn owner(&self) -> &UserId {
        &self.held.owner
    }

    /// The owner's own addresses, lower case.
    pub fn own(&self) -> &[String] {
        &self.own
    }

    /// True when this address is the owner's.
    pub fn is_me(&self, address: &str) -> bool {
        let address = address.to_lowercase();
        self.own.contains(&address)
    }

    /// Everybody seen in mail, by name.
    pub fn people(&self) -> Arc<Vec<Correspondent>> {
        self.held.summary_mut().people(&self.configured)
    }

    /// What the owner calls whoever has this address, as far as their mails tell.
    pub fn named(&self, address: &str) -> Option<String> {
        self.held.summary().named(&address.to_lowercase())
    }

    /// Whether the owner has written to this address.
    pub fn is_written_to(&self, address: &str) -> bool {
        self.held.summary().is_written_to(&address.to_lowercase())
    }

    /// Mails that fit, a page of them, and how many there are in all.
    pub async fn search(&self, query: Query) -> Result<(Vec<Mail>, usize), ServiceError> {
        let query = Query { kinds: vec![NAME.to_owned()], ..query };
        let found = self.held.index.search(&self.held.owner, &query).await?;
        Ok((found.hits.iter().filter_map(|hit| Mail::kept(&hit.kept)).collect(), found.total))
    }

    /// The mail of this id.
    pub async fn mail_of(&self, id: MailId) -> Result<Option<Mail>, ServiceError> {
        Ok(self.held.mails(&[id]).await?.pop())
    }

    /// The conversation that a mail belongs to.
    pub fn thread_of(&self, mail: MailId) -> Option<Thread> {
        self.held.summary().threads.of(mail)
    }

    /// The conversation of this id.
    pub fn thread(&self, id: &str) -> Option<Thread> {
        self.held.summary().threads.find(id)
    }

    /// Conversations whose last mail came in `from..until`, the newest first.
    pub fn threads_between(&self, from: Option<DateTime<Utc>>, until: Option<DateTime<Utc>>) -> Vec<Thread> {
        self.held.summary().threads.between(from, until)
    }

    /// How many conversations have a mail like that.
    pub fn count(&self, fits: impl Fn(bool, DateTime<Utc>) -> bool) -> usize {
        let summary = self.held.summary();
        summary.threads.count(|mail, date| fits(summary.is_unread(mail), date))
    }

    /// True when a mail of a conversation is new to the owner.
    pub fn is_unread(&self, thread: &Thread) -> bool {
        let summary = self.held.summary();
        thread.mails.iter().any(|mail| summary.is_unread(*mail))
    }

    /// These conversations with the first and the newest mails of each; those that have gone are left out.
    pub async fn conversations(
        &self,
        threads: impl IntoIterator<Item = Thread>,
        newest: usize,
    ) -> Result<Vec<Conversation>, ServiceError> {
        let threads: Vec<Thread> = threads.into_iter().collect();
        let newest_of = |thread: &Thread| thread.mails[thread.mails.len().saturating_sub(newest)..].to_vec();
        let wanted = |thread: &Thread| thread.mails.first().copied().into_iter().chain(newest_of(thread));
        let mut ids: Vec<MailId> = threads.iter().flat_map(wanted).collect();
        ids.sort_unstable();
        ids.dedup();
        let mails: HashMap<MailId, Mail> =
            self.held.mails(&ids).await?.into_iter().map(|mail| (mail.id(), mail)).collect();
        let conversation = |thread: Thread| {
            let subject = mails.get(thread.mails.first()?)?.head.parsed.subject.clone();
            let mails = newest_of(&thread).iter().filter_map(|id| mails.get(id).cloned()).collect();
            Some(Conversation { thread, subject, mails })
        };
        Ok(threads.into_iter().filter_map(conversation).collect())
    }

    /// One conversation, as much of it as is ever shown.
    pub async fn conversation(&self, thread: Thread) -> Result<Option<Conversation>, ServiceError> {
        Ok(self.conversations([thread], CONVERSATION_MAILS_MAX).await?.pop())
    }

    /// Does short work with the owner's mail files, given where they lie.
    pub async fn files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let root = self.held.maildir.root().to_owned();
        self.held.pool.run(&self.held.owner, Haste::Short, move || work(&root)).await.map_err(not_done)
    }
}
