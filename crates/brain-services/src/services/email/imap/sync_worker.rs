//! Keeps mailboxes here in step with the accounts: one task an account and person, in its own time, whoever else waits.
//!
//! ```text
//! connect ─► pass ─► IDLE (or wait) ─► pass ─► …
//!    └── fails ─► wait longer each time ─► connect
//! ```
//! Invariants: what one account does delays no other and no turn; what was refused until somebody reconnects it is not
//! asked of the server again before the secret has changed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::future::join_all;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::answer::ImapAnswer;
use super::connection::{Connection, ImapError, answer_time};
use super::download::SyncMemory;
use super::folders::Folders;
use super::framing::AnswerBounds;
use super::mailbox::ImapMailbox;
use super::sync::{Pass, SyncError};
use crate::services::contract::capabilities::{ContextSource, Mirroring};
use crate::services::contract::context::RequestContext;
use crate::services::contract::following::{Followed, spread};
use crate::services::contract::holder::Holder;
use crate::services::email::mailbox::arriving::Arrival;
use crate::services::email::mailbox::indexing::SoFar;
use crate::services::email::mailbox::mailboxes::Mailboxes;
use crate::services::email::mailbox::source::maildir::Maildir;
use brain_core::core::ids::UserId;
use brain_core::limits::{
    CATCH_UP_MS, IMAP_FLAGS_SECS, IMAP_IDLE_SECS, IMAP_PASSES_APART_MS, IMAP_POLL_SECS, IMAP_REFUSED_SECS,
    IMAP_RETRY_SECS, IMAP_RETRY_SECS_MAX,
};
use brain_core::ports::Clock;
use brain_wire::accounts::AccountStates;

/// How often it is asked whether a mailbox was looked at.
const LOOK_AGAIN_MS: u64 = 50;

/// An account that is kept in step.
#[derive(Debug, Clone)]
pub struct KeptAccount {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub holders: Vec<Holder>,
    /// Where it is.
    pub mailbox: Arc<ImapMailbox>,
}

impl KeptAccount {
    fn is_of(&self, person: &UserId) -> bool {
        self.holders.iter().any(|holder| holder.is(person))
    }
}

/// Those of everybody.
pub struct MailSyncWorker {
    accounts: Vec<KeptAccount>,
    mailboxes: Arc<Mailboxes>,
    states: Arc<AccountStates>,
    clock: Arc<dyn Clock>,
    followed: Followed,
}

impl fmt::Debug for MailSyncWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailKeeper").field("accounts", &self.accounts).finish_non_exhaustive()
    }
}

impl MailSyncWorker {
    /// Of these accounts.
    pub fn new(
        accounts: Vec<KeptAccount>,
        mailboxes: Arc<Mailboxes>,
        states: Arc<AccountStates>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { accounts, mailboxes, states, clock, followed: Followed::default() }
    }
}

impl MailSyncWorker {
    /// Has this person's accounts looked at now by those who keep them in step; returns when they were, or cannot be, or
    /// time is up.
    pub async fn looks_now(&self, person: &UserId) {
        let began = self.clock.now();
        self.of(person).for_each(|account| account.mailbox.poke());
        let is_through = |account: &KeptAccount| {
            let state = self.states.of(&account.id);
            state.disconnected.is_some() || state.synced.is_some_and(|synced| synced >= began)
        };
        let looked = async {
            while !self.of(person).all(is_through) {
                sleep(Duration::from_millis(LOOK_AGAIN_MS)).await;
            }
        };
        let _ = timeout(Duration::from_millis(CATCH_UP_MS), looked).await;
    }

    /// Since when a mailbox of this person's has not been reached, where one is not in reach.
    pub fn not_in_step(&self, person: &UserId) -> Option<DateTime<Utc>> {
        let states = self.of(person).map(|account| self.states.of(&account.id));
        states.filter_map(|state| state.disconnected).map(|disconnected| disconnected.since).min()
    }
}

#[async_trait]
impl Mirroring for MailSyncWorker {
    fn serves(&self, person: &UserId) {
        if self.of(person).next().is_some() {
            self.followed.add(person);
        }
    }

    async fn catch_up(&self, ctx: &RequestContext, patience: Duration) {
        let person = &ctx.owner;
        let passes = self.of(person).map(|account| async {
            let connected = Connection::open(&account.mailbox.place).await;
            let mut memory = SyncMemory::default();
            match connected {
                Ok(mut connection) => match self.pass(account, person, &mut connection, &mut memory, false).await {
                    Ok(()) => connection.close().await,
                    Err(error) => self.failed(account, &error),
                },
                Err(error) => self.failed(account, &error.into()),
            }
        });
        let _ = timeout(patience, join_all(passes)).await;
    }

    async fn follow(&self, _: &dyn ContextSource, stop: &CancellationToken) {
        let of = |person: &UserId| {
            let numbered = self.accounts.iter().enumerate();
            numbered.filter(|(_, account)| account.is_of(person)).map(|(at, _)| at).collect()
        };
        let keep = |at: usize, person: UserId| async move {
            if let Some(account) = self.accounts.get(at) {
                self.keep(account, person).await;
            }
        };
        self.followed.follow(of, keep, stop).await;
    }
}

impl MailSyncWorker {
    fn of<'k>(&'k self, person: &'k UserId) -> impl Iterator<Item = &'k KeptAccount> {
        self.accounts.iter().filter(|account| account.is_of(person))
    }

    async fn keep(&self, account: &KeptAccount, person: UserId) {
        let mut memory = SyncMemory::default();
        let mut failures = 0;
        loop {
            let ended = self.converse(account, &person, &mut memory, &mut failures).await;
            self.failed(account, &ended);
            failures += 1;
            // Who is not let in is not let in a moment later either, and may be locked out for asking.
            let is_refused = matches!(ended, SyncError::Server(ImapError::NotSignedIn { .. }));
            let wait = match is_refused {
                true => IMAP_RETRY_SECS_MAX,
                false => (IMAP_RETRY_SECS << failures.min(10)).min(IMAP_RETRY_SECS_MAX),
            };
            let at_least = if is_refused { IMAP_REFUSED_SECS } else { 1 };
            // Not all accounts of a server at the same moment.
            let wait = Duration::from_secs(wait).mul_f64(0.75 + spread(&account.id) / 2.0);
            tokio::select! {
                () = sleep(wait) => {}
                // Somebody wants something of it: it is tried at once, but not more often than this.
                () = account.mailbox.poked.notified() => sleep(Duration::from_secs(at_least)).await,
            }
        }
    }

    fn failed(&self, account: &KeptAccount, error: &SyncError) {
        let until_reconnected =
            matches!(error, SyncError::Server(ImapError::NotSignedIn { until_reconnected: true, .. }));
        if self.states.failed(&account.id, self.clock.now(), error.to_string(), until_reconnected) {
            tracing::warn!(account = account.id, %error, "a mail account is not connected");
        }
    }

    /// One conversation, for as long as it lasts; how it ended.
    async fn converse(
        &self,
        account: &KeptAccount,
        person: &UserId,
        memory: &mut SyncMemory,
        failures: &mut u32,
    ) -> SyncError {
        let mut connection = match Connection::open(&account.mailbox.place).await {
            Ok(connection) => connection,
            Err(error) => return error.into(),
        };
        let mut flags_at = Instant::now();
        loop {
            let began = Instant::now();
            let looks_at_flags = Instant::now() >= flags_at;
            if let Err(error) = self.pass(account, person, &mut connection, memory, looks_at_flags).await {
                return error;
            }
            *failures = 0;
            if looks_at_flags {
                flags_at = Instant::now() + Duration::from_secs(IMAP_FLAGS_SECS);
            }
            match wait(account, &mut connection).await {
                Ok(Woken::Otherwise) => {}
                // A server that has news without an end is not read without an end: others want to be served, too.
                Ok(Woken::ByNews) => tokio::select! {
                    () = sleep_until(began + Duration::from_millis(IMAP_PASSES_APART_MS)) => {}
                    () = account.mailbox.poked.notified() => {}
                },
                Err(error) => return error.into(),
            }
        }
    }

    async fn pass(
        &self,
        account: &KeptAccount,
        person: &UserId,
        connection: &mut Connection,
        memory: &mut SyncMemory,
        looks_at_flags: bool,
    ) -> Result<(), SyncError> {
        let maildir: Maildir = self.mailboxes.maildir(person);
        let arrival = Arrival::of(&self.mailboxes, person, &account.id);
        let came = |mails, so_far: SoFar| {
            self.states.progressed(&account.id, so_far.done, so_far.total);
            arrival.came(mails, so_far);
        };
        let mut pass = Pass {
            place: &account.mailbox.place,
            owner: person,
            store: &account.mailbox.store,
            maildir: &maildir,
            now: self.clock.now(),
            looks_at_flags,
            memory,
            came: &came,
            earlier: 0,
        };
        let news = pass.run(connection).await?;
        self.states.synced(&account.id, self.clock.now());
        if news {
            self.mailboxes.mail_came();
        }
        Ok(())
    }
}

/// Why a mailbox is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Woken {
    /// The server says that there is something new.
    ByNews,
    /// Somebody asked for it, or it is time to.
    Otherwise,
}

/// Until there is something new, somebody pokes, or it is time to look.
async fn wait(account: &KeptAccount, connection: &mut Connection) -> Result<Woken, ImapError> {
    if !connection.offers("IDLE") {
        tokio::select! {
            () = sleep(Duration::from_secs(IMAP_POLL_SECS)) => {}
            () = account.mailbox.poked.notified() => {}
        }
        return Ok(Woken::Otherwise);
    }
    let folders = Folders::of(connection).await?;
    if let Some(inbox) = folders.at("") {
        connection.select(inbox).await?;
    }
    connection.idle(&account.mailbox.poked).await
}

impl Connection {
    /// Waits until the server tells of something. It is asked anew before routers forget the conversation; one that does
    /// not answer then has died.
    async fn idle(&mut self, poked: &tokio::sync::Notify) -> Result<Woken, ImapError> {
        self.allow(AnswerBounds::SMALL);
        let tag = self.begin("IDLE").await?;
        if let Some(ended) = self.asked_for_more(&tag).await? {
            return ended.map(|()| Woken::ByNews);
        }
        let until = Instant::now() + Duration::from_secs(IMAP_IDLE_SECS);
        let mut is_news = false;
        while !is_news {
            let left = until.saturating_duration_since(Instant::now());
            // It may also only say that it is still there.
            let each = |part: ImapAnswer| is_news = !matches!(part, ImapAnswer::Said(_));
            let next = tokio::select! {
                next = timeout(left, self.next(&tag, left + answer_time(), each)) => next,
                () = poked.notified() => break,
            };
            match next {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(ended))) => return ended.map(|()| Woken::ByNews),
                Ok(Err(error)) => return Err(error),
                Err(_) => break,
            }
        }
        self.allow(AnswerBounds::SMALL);
        self.line(b"DONE").await?;
        self.answered(&tag, |_| {}).await?;
        Ok(if is_news { Woken::ByNews } else { Woken::Otherwise })
    }
}
