//! A person, a store, a mail folder and a clock: actions go the way the pipeline sends them, from a
//! command's check through prepare and perform to the commit.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a kit of tests: what fails here fails the test")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::services::catalog::registry::{Registration, Registry};
use crate::services::contacts::Contacts;
use crate::services::contract::command::Receipt;
use crate::services::contract::context::RequestContext;
use crate::services::contract::entry::Entry;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::{Attempt, ContextRequest, Performed, Prepared};
use crate::services::email::mailbox::mailboxes::Mailboxes;
use crate::services::helpers::recurrence::instant;
use crate::services::{built_in, sources};
use brain_adapters::search::plain::PlainIndex;
use brain_adapters::store::MemoryStore;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::notification::MORNING;
use brain_core::core::outcome::Outcome;
use brain_core::core::plan::{Action, Params, Taint};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::{Authorized, Rule, Stakes, assess, authorize_low};
use brain_core::ports::records::Due;
use brain_core::ports::{Batch, Index, RecordExt, Scan, Store, StoreError};
use brain_language::language::time::DateOrder;

/// The gate is not what is tested here.
struct Harmless;

impl Rule for Harmless {
    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }
}

pub fn authorized(action: Action) -> Authorized {
    authorize_low(assess(&Harmless, action, Stakes::Low)).expect("harmless")
}

/// An object as parameters.
pub fn params(value: &Value) -> Params {
    value.as_object().expect("an object").clone()
}

/// The built-in services over nothing.
pub fn registry() -> Registry {
    World::at(Tz::UTC, "2026-01-12 12:00").services().0
}

pub fn request_context(owner: &str, now: DateTime<Utc>, zone: Tz) -> RequestContext {
    let (owner, chat) = (UserId::new(owner), ChatId::new(owner));
    RequestContext { owner, chat, now, zone, order: DateOrder::DayFirst, hour: MORNING, files: Vec::new() }
}

/// Its commands by name; a name that is none is a mistake of the test.
impl Registration {
    fn entry(&self, command: &str) -> Arc<dyn Entry> {
        self.command(command).or_else(|| self.of_button(command)).expect("a command")
    }

    /// Parameters as they are, unchecked.
    pub async fn prepare(&self, ctx: &RequestContext, command: &str, given: Value) -> Result<Prepared, ServiceError> {
        self.entry(command).prepare(ctx, params(&given), "").await
    }

    /// Carries a command out, whoever authorised it.
    pub async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        self.entry(&authorized.action().command).perform(ctx, authorized, attempt).await
    }

    /// What the world shows of an attempt.
    pub async fn happened(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Option<Outcome> {
        self.entry(&action.command).happened(ctx, action, attempt).await
    }
}

/// What was prepared, as an action; its values are as they were given.
pub fn ready(service: &Registration, command: &str, prepared: Prepared) -> Action {
    let Prepared::Ready { params, target, notes, .. } = prepared else {
        panic!("{command} is not ready: {prepared:?}");
    };
    let (service, command) = (service.info.name.clone(), command.to_owned());
    Action { service, command, params, target, notes, ..Action::default() }
}

#[derive(Debug)]
pub struct World {
    /// Mail lives here.
    pub dir: tempfile::TempDir,
    pub store: Arc<dyn Store>,
    pub index: Arc<dyn Index>,
    pub ctx: RequestContext,
    attempts: AtomicU64,
}

pub fn local(zone: Tz, text: &str) -> DateTime<Utc> {
    let local = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a local time");
    instant(zone, local).to_utc()
}

impl World {
    /// At this local time.
    pub fn at(zone: Tz, text: &str) -> Self {
        Self::of(request_context("tg:1", local(zone, text), zone))
    }

    /// Somebody's, at some time.
    pub fn of(ctx: RequestContext) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let index = Arc::new(PlainIndex::new(store.clone(), sources()));
        Self { dir: tempfile::tempdir().expect("a folder"), index, store, ctx, attempts: AtomicU64::new(0) }
    }

    /// The built-in services, and the people they know.
    pub fn services(&self) -> (Registry, Arc<Contacts>) {
        let mailboxes = Mailboxes::new(self.dir.path(), None, self.index.clone());
        built_in(&self.store, &self.index, &mailboxes, Default::default(), None)
    }

    /// One of them.
    pub fn service(&self, name: &str) -> Registration {
        Registration::clone(self.services().0.now().find(name).expect("a service"))
    }

    /// A file in a folder of the person's mailbox.
    pub fn lay(&self, folder: &str, name: &str, bytes: &[u8]) -> PathBuf {
        let folder = self.dir.path().join("mail").join(self.ctx.owner.folder_name()).join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    }

    /// A mail that came in; unread.
    pub fn receive(&self, name: &str, text: &str) -> PathBuf {
        self.lay("new", name, text.replace('\n', "\r\n").as_bytes())
    }

    pub fn move_to(&mut self, text: &str) {
        self.ctx.now = local(self.ctx.zone, text);
    }

    pub fn attempt(&self) -> Attempt {
        let number = self.attempts.fetch_add(1, Ordering::Relaxed);
        Attempt { key: format!("{number:08x}{}", "0123456789abcdef01234567"), begun: self.ctx.now }
    }

    pub async fn prepare(&self, service: &Registration, command: &str, params: Value) -> Prepared {
        let checked = service.entry(command).check(self::params(&params)).expect("valid");
        service.prepare(&self.ctx, command, Value::Object(checked)).await.expect("prepared")
    }

    /// The action, ready to execute.
    pub async fn action(&self, service: &Registration, command: &str, params: Value) -> Action {
        let mut action = ready(service, command, self.prepare(service, command, params).await);
        action.params = service.entry(command).complete(action.params, action.target.as_ref()).expect("complete");
        action
    }

    pub async fn commit(&self, performed: &Performed) -> Result<u64, StoreError> {
        self.store.commit(Batch { changes: performed.changes.clone() }).await
    }

    /// The result of a command and its receipt, with its changes committed.
    pub async fn run_told(&self, service: &Registration, command: &str, params: Value) -> (Value, String) {
        let action = self.action(service, command, params).await;
        let performed = service.perform(&self.ctx, &authorized(action.clone()), &self.attempt()).await;
        self.commit(&performed).await.expect("committed");
        let Outcome::Succeeded { result } = performed.outcome else {
            panic!("{command}: {:?}", performed.outcome);
        };
        let reference = self.ctx.reference();
        let receipt = Receipt { action: &action, reference: &reference };
        let told = service.entry(command).receipt(&result, &receipt);
        (result, told)
    }

    /// A command whose parameters are words of somebody else, from where these are; what it gives back of theirs.
    pub async fn run_of(
        &self,
        service: &Registration,
        command: &str,
        params: Value,
        words: &UntrustedText,
    ) -> Vec<UntrustedText> {
        let mut action = self.action(service, command, params).await;
        let taint = |(param, value): (&String, &Value)| Taint {
            param: param.clone(),
            value: value.to_string(),
            source: words.source.clone(),
            kept_in: words.kept_in.clone(),
        };
        action.passed_on = action.params.iter().map(taint).collect();
        let performed = service.perform(&self.ctx, &authorized(action), &self.attempt()).await;
        self.commit(&performed).await.expect("committed");
        performed.untrusted
    }

    /// What a command gives back of others' words, and what is noticed of them.
    pub async fn untrusted(
        &self,
        service: &Registration,
        command: &str,
        params: Value,
    ) -> (Vec<UntrustedText>, Vec<UntrustedText>) {
        let action = self.action(service, command, params).await;
        let performed = service.perform(&self.ctx, &authorized(action), &self.attempt()).await;
        self.commit(&performed).await.expect("committed");
        let wanted = ContextRequest { message: "plumber".to_owned(), limit: 10, in_sight_from: None };
        let noticed = service.service.notice(&self.ctx, &wanted).await.expect("noticed");
        (performed.untrusted, noticed.into_iter().flat_map(|noticed| noticed.untrusted).collect())
    }

    pub async fn run(&self, service: &Registration, command: &str, params: Value) -> Value {
        self.run_told(service, command, params).await.0
    }

    /// Why a command fails.
    pub async fn fails(&self, service: &Registration, action: Action) -> String {
        let performed = service.perform(&self.ctx, &authorized(action), &self.attempt()).await;
        assert!(performed.changes.is_empty(), "a failure changes nothing");
        performed.outcome.error().expect("a failure").to_owned()
    }

    /// What `find_by` finds: the title, the candidates' labels, or nothing.
    pub async fn found(&self, service: &Registration, command: &str, words: &str) -> Vec<String> {
        let mut params = serde_json::json!({"find_by": words});
        if command.starts_with("update") {
            params["changes"] = serde_json::json!({"location": "x"});
        }
        if command == "append" {
            params["text"] = "x".into();
        }
        match self.prepare(service, command, params).await {
            Prepared::Ready { target, .. } => vec![target.expect("a target").label],
            Prepared::Several { candidates, .. } => {
                assert!(!candidates.is_empty());
                let mut labels: Vec<String> = candidates.into_iter().map(|c| c.label).collect();
                labels.insert(0, "?".to_owned());
                labels
            }
            Prepared::Every { ids } => ids,
            Prepared::NotFound { what } => {
                assert!(what.starts_with("I found no "), "{what}");
                Vec::new()
            }
        }
    }

    pub async fn due(&self) -> Vec<Due> {
        let scan = Scan::of::<Due>(&[], 10_000);
        self.store.list::<Due>(scan).await.expect("listed").into_iter().map(|(due, _)| due).collect()
    }
}
