//! The service against real folders and a misbehaving mail server.

mod borders;
mod demo;
mod filing;
mod finding;
mod forwarding;
mod hostile;
mod light;
mod nested;
mod server;
mod size;
mod threads;
mod writing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use chrono::{TimeZone, Utc};
use serde_json::{Value, json};

use super::mail::Mail;
use super::mailbox::Mailboxes;
use super::send::smtp::Smtp;
use super::*;
use crate::core::ids::{ChatId, UserId};
use crate::core::outcome::Outcome;
use crate::core::plan::Action;
use crate::language::time::DateOrder;
use crate::ports::{
    Batch, ChangeLog, Expect, Index, Key, Query, Ranking, Reader, Scan, Snapshot, Store, StoreError, Stored, Table,
};
use crate::search::plain::PlainIndex;
use crate::services::contacts::Contacts;
use crate::services::context::RequestContext;
use crate::services::email::accounts::{Holder, MailAccount, MailAccounts};
use crate::services::registry::Registration;
use crate::services::service::{Attempt, Performed, Prepared};
use crate::services::testing::authorized;

/// A store in memory, as far as contacts need one.
#[derive(Debug, Default)]
pub struct RecordStore(Mutex<(u64, Rows)>);

type Rows = BTreeMap<(Table, Key), Stored>;

#[async_trait]
impl Reader for RecordStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Ok(self.0.lock().unwrap().1.get(&(table, key.clone())).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        let prefix = scan.prefix.as_ref().map_or("", |key| key.as_str());
        let inner = self.0.lock().unwrap();
        let rows = inner.1.iter().filter(|((table, key), _)| *table == scan.table && key.as_str().starts_with(prefix));
        Ok(rows.map(|((_, key), stored)| (key.clone(), stored.clone())).take(scan.limit).collect())
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.commit(noted).await.map(|_| ())
    }
}

#[async_trait]
impl Store for RecordStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::of(self))
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let mut inner = self.0.lock().unwrap();
        for change in &batch.changes {
            let at = inner.1.get(&(change.table, change.key.clone()));
            let fine = match change.expect {
                Expect::Any => true,
                Expect::Absent => at.is_none(),
                Expect::Revision(revision) => at.is_some_and(|s| s.revision == revision),
            };
            if !fine {
                return Err(StoreError::Conflict { table: change.table, key: change.key.clone() });
            }
        }
        inner.0 += 1;
        let revision = inner.0;
        for change in batch.changes {
            let key = (change.table, change.key);
            match change.put {
                Some((version, body)) => {
                    let stored = Stored { revision, version, body };
                    inner.1.insert(key, stored);
                }
                None => {
                    inner.1.remove(&key);
                }
            }
        }
        Ok(revision)
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn change_log(&self) -> &dyn ChangeLog {
        unreachable!("nobody follows these records")
    }
}

/// A data folder with the two services over it.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub store: Arc<RecordStore>,
    pub index: Arc<dyn Index>,
    pub mailboxes: Arc<Mailboxes>,
    pub contacts: Arc<Contacts>,
    pub people: Registration,
    pub email: Registration,
    pub ctx: RequestContext,
}

impl Home {
    pub fn new() -> Self {
        Self::with(None)
    }

    pub fn with(smtp: Option<Smtp>) -> Self {
        let store = Arc::new(RecordStore::default());
        Self::over(store.clone(), Arc::new(PlainIndex::new(store, crate::services::sources())), smtp)
    }

    pub fn over(store: Arc<RecordStore>, index: Arc<dyn Index>, smtp: Option<Smtp>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let accounts = smtp.map(|smtp| MailAccount::of(smtp, [Holder::Everybody]));
        let accounts = MailAccounts::new(accounts.into_iter().collect::<Vec<_>>());
        let mailboxes = Mailboxes::of_accounts(dir.path(), accounts.clone(), index.clone());
        let contacts = Arc::new(Contacts::new(store.clone(), index.clone(), mailboxes.clone()));
        Self {
            people: contacts.clone().registration(),
            email: Arc::new(Email::new(mailboxes.clone(), contacts.clone(), accounts)).registration(),
            ctx: request_context("me"),
            dir,
            store,
            index,
            mailboxes,
            contacts,
        }
    }

    /// A mail that came in; unread.
    pub fn receive(&self, name: &str, text: &str) -> PathBuf {
        self.lay("new", name, text.replace('\n', "\r\n").as_bytes())
    }

    /// A file in a folder of the mailbox.
    pub fn lay(&self, folder: &str, name: &str, bytes: &[u8]) -> PathBuf {
        let owner = self.ctx.owner.folder_name();
        let folder = self.dir.path().join("mail").join(owner).join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// What was read of the mails of a folder, newest first.
    pub async fn listed(&self, folder: source::maildir::Folder) -> Vec<Mail> {
        let view = self.mailboxes.mail(&self.ctx.owner).await.unwrap();
        let query = Query { ranking: Ranking::Newest, limit: 1_000, ..Query::default() };
        let (mails, _) = view.search(query).await.unwrap();
        mails.into_iter().filter(|mail| mail.file.folder == folder).collect()
    }

    /// The decoded texts of a folder's mails.
    pub async fn mails(&self, folder: source::maildir::Folder) -> Vec<read::Parsed> {
        let root = self.mailboxes.maildir(&self.ctx.owner).root().to_owned();
        self.listed(folder).await.iter().map(|mail| mail.read(&root)).collect()
    }

    /// Everybody seen in mail.
    pub async fn correspondents(&self) -> Vec<correspondents::Correspondent> {
        self.mailboxes.mail(&self.ctx.owner).await.unwrap().people().to_vec()
    }

    pub async fn prepare(&self, command: &str, params: Value) -> Prepared {
        self.email.prepare(&self.ctx, command, params).await.unwrap()
    }

    /// What can be seen of an attempt.
    pub async fn happened(&self, command: &str, params: Value, key: &str) -> Option<Outcome> {
        let params = params.as_object().unwrap().clone();
        let action = Action { service: "email".to_owned(), command: command.to_owned(), params, ..Action::default() };
        self.email.happened(&self.ctx, &action, &Attempt { key: format!("{key:0>32}") }).await
    }

    /// Prepares and performs.
    pub async fn run(&self, command: &str, params: Value, key: &str) -> Performed {
        run(&self.email, &self.ctx, command, params, key).await
    }

    pub async fn search(&self, params: Value) -> Value {
        result(self.run("search", params, "0").await)
    }
}

pub async fn run(service: &Registration, ctx: &RequestContext, command: &str, params: Value, key: &str) -> Performed {
    let prepared = service.prepare(ctx, command, params).await.unwrap();
    let Prepared::Ready { params, target, notes, .. } = prepared else {
        panic!("{command} is not ready: {prepared:?}");
    };
    let action = Action {
        service: service.info.name.clone(),
        command: command.to_owned(),
        params,
        target,
        notes,
        ..Action::default()
    };
    let key = format!("{key:0>32}");
    service.perform(ctx, &authorized(action), &Attempt { key }).await
}

pub fn request_context(owner: &str) -> RequestContext {
    RequestContext {
        owner: UserId::new(owner),
        chat: ChatId::new(owner),
        now: Utc.with_ymd_and_hms(2026, 5, 4, 9, 0, 0).unwrap(),
        zone: chrono_tz::Europe::Berlin,
        order: DateOrder::DayFirst,
        hour: crate::core::notification::MORNING,
    }
}

pub fn result(performed: Performed) -> Value {
    match performed.outcome {
        Outcome::Succeeded { result } => result,
        other => panic!("not done: {other:?}"),
    }
}

/// The subjects of a search result, in order.
pub fn subjects(result: &Value) -> Vec<&str> {
    let rows = result["threads"].as_array().unwrap();
    rows.iter().map(|row| row["subject"].as_str().unwrap()).collect()
}

/// A mail with the usual headers.
pub fn mail(from: &str, subject: &str, date: &str, more: &str, body: &str) -> String {
    format!("From: {from}\nTo: Me <me@example.com>\nSubject: {subject}\nDate: {date}\n{more}\n{body}\n")
}

pub fn letter() -> Value {
    json!({"to": ["bob@example.com"], "subject": "Late", "body": "Sorry, I am late.\n.\nMe  "})
}
