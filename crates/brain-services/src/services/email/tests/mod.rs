//! The service against real folders and a misbehaving mail server.

mod borders;
mod demo;
mod filing;
mod finding;
mod forwarding;
mod frauds;
mod hostile;
mod light;
mod nested;
mod server;
mod size;
mod threads;
mod writing;

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use chrono::{TimeZone, Utc};
use serde_json::{Value, json};

use super::*;
use crate::services::catalog::registry::Registration;
use crate::services::contacts::Contacts;
use crate::services::contract::context::RequestContext;
use crate::services::contract::holder::Holder;
use crate::services::contract::service::{Attempt, Performed, Prepared};
use crate::services::email::delivery::send::smtp::Smtp;
use crate::services::email::mailbox::accounts::{MailAccount, MailAccounts};
use crate::services::email::mailbox::mailboxes::Mailboxes;
use crate::services::email::message::mail::Mail;
use crate::testing::{self, World, authorized, ready};
use brain_core::core::ids::UserId;
use brain_core::core::outcome::Outcome;
use brain_core::core::plan::Action;
use brain_core::ports::{Index, Query, Ranking};

/// A person with mail, and perhaps with a server that sends it.
pub struct MailWorld {
    world: World,
    pub mailboxes: Arc<Mailboxes>,
    pub contacts: Arc<Contacts>,
    pub people: Registration,
    pub email: Registration,
}

impl Deref for MailWorld {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl DerefMut for MailWorld {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

impl MailWorld {
    pub fn new() -> Self {
        Self::over(World::of(request_context("me")), None)
    }

    pub fn with(smtp: Smtp) -> Self {
        Self::over(World::of(request_context("me")), Some(smtp))
    }

    pub fn over(world: World, smtp: Option<Smtp>) -> Self {
        let accounts = smtp.map(|smtp| MailAccount::of(smtp, [Holder::Everybody]));
        let accounts = MailAccounts::new(accounts.into_iter().collect::<Vec<_>>());
        let mailboxes = Mailboxes::of_accounts(world.dir.path(), accounts.clone(), world.index.clone());
        let contacts = Arc::new(Contacts::new(world.store.clone(), world.index.clone(), mailboxes.clone()));
        let email = Email::new(world.store.clone(), mailboxes.clone(), contacts.clone(), accounts);
        let email = Arc::new(email).registration();
        Self { people: contacts.clone().registration(), email, world, mailboxes, contacts }
    }

    /// What was read of the mails of a folder, newest first.
    pub async fn listed(&self, folder: mailbox::source::maildir::Folder) -> Vec<Mail> {
        let view = self.mailboxes.mail(&self.ctx.owner).await.unwrap();
        let query = Query { ranking: Ranking::Newest, limit: 1_000, ..Query::default() };
        let (mails, _) = view.search(query).await.unwrap();
        mails.into_iter().filter(|mail| mail.file.folder == folder).collect()
    }

    /// The decoded texts of a folder's mails.
    pub async fn mails(&self, folder: mailbox::source::maildir::Folder) -> Vec<message::read::Parsed> {
        let root = self.mailboxes.maildir(&self.ctx.owner).root().to_owned();
        self.listed(folder).await.iter().map(|mail| mail.read(&root)).collect()
    }

    /// Everybody seen in mail.
    pub async fn correspondents(&self) -> Vec<mailbox::correspondents::Correspondent> {
        self.mailboxes.mail(&self.ctx.owner).await.unwrap().people().to_vec()
    }

    pub async fn prepare(&self, command: &str, params: Value) -> Prepared {
        self.email.prepare(&self.ctx, command, params).await.unwrap()
    }

    /// What can be seen of an attempt.
    pub async fn happened(&self, command: &str, params: Value, key: &str) -> Option<Outcome> {
        let params = params.as_object().unwrap().clone();
        let action = Action { service: "email".to_owned(), command: command.to_owned(), params, ..Action::default() };
        self.email.happened(&self.ctx, &action, &attempt(&self.ctx, key)).await
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
    let action = ready(service, command, service.prepare(ctx, command, params).await.unwrap());
    service.perform(ctx, &authorized(action), &attempt(ctx, key)).await
}

fn attempt(ctx: &RequestContext, key: &str) -> Attempt {
    Attempt { key: format!("{key:0>32}"), begun: ctx.now }
}

pub fn request_context(owner: &str) -> RequestContext {
    let now = Utc.with_ymd_and_hms(2026, 5, 4, 9, 0, 0).unwrap();
    testing::request_context(owner, now, chrono_tz::Europe::Berlin)
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
