//! A person, a store and a clock for the services' tests: actions go the way the pipeline sends them, from
//! the catalog's check through prepare and perform to the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::core::ids::{ChatId, UserId};
use crate::core::outcome::Outcome;
use crate::core::plan::{Action, Taint};
use crate::core::provenance::UntrustedText;
use crate::core::stakes::{Authorized, Rule, Stakes, assess, authorize_low};
use crate::language::time::DateOrder;
use crate::ports::records::Due;
use crate::ports::{Batch, RecordExt, Scan, Store, StoreError};
use crate::services::command::Receipt;
use crate::services::recurrence::instant;
use crate::services::registry::Catalog;
use crate::services::service::{Attempt, Performed, Prepared, RequestContext, Service, Wanted};
use crate::store::MemoryStore;

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

pub struct World {
    pub store: Arc<dyn Store>,
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
        let ctx = RequestContext {
            owner: UserId::new("tg:1"),
            chat: ChatId::new("tg:1"),
            now: local(zone, text),
            zone,
            order: DateOrder::DayFirst,
        };
        Self { store: Arc::new(MemoryStore::new()), ctx, attempts: AtomicU64::new(0) }
    }

    pub fn move_to(&mut self, text: &str) {
        self.ctx.now = local(self.ctx.zone, text);
    }

    pub fn attempt(&self) -> Attempt {
        let number = self.attempts.fetch_add(1, Ordering::Relaxed);
        Attempt { key: format!("{number:08x}{}", "0123456789abcdef01234567") }
    }

    pub async fn prepare(&self, service: &dyn Service, command: &str, params: Value) -> Prepared {
        let catalog = Catalog::built_in();
        let entry = catalog.find(service.name(), command).expect("a command");
        let params = entry.check(params.as_object().expect("an object").clone()).expect("valid");
        service.prepare(&self.ctx, command, params).await.expect("prepared")
    }

    /// The action, ready to execute.
    pub async fn action(&self, service: &dyn Service, command: &str, params: Value) -> Action {
        let catalog = Catalog::built_in();
        let entry = catalog.find(service.name(), command).expect("a command");
        let Prepared::Ready { params, target, notes, .. } = self.prepare(service, command, params).await else {
            panic!("{command} was not ready");
        };
        let params = entry.complete(params, target.as_ref()).expect("complete");
        Action {
            service: service.name().to_owned(),
            command: command.to_owned(),
            params,
            target,
            notes,
            ..Action::default()
        }
    }

    pub async fn commit(&self, performed: &Performed) -> Result<u64, StoreError> {
        self.store.commit(Batch { changes: performed.changes.clone() }).await
    }

    /// The result of a command and its receipt, with its changes committed.
    pub async fn run_told(&self, service: &dyn Service, command: &str, params: Value) -> (Value, String) {
        let action = self.action(service, command, params).await;
        let performed = service.perform(&self.ctx, &authorized(action.clone()), &self.attempt()).await;
        self.commit(&performed).await.expect("committed");
        let Outcome::Succeeded { result } = performed.outcome else {
            panic!("{command}: {:?}", performed.outcome);
        };
        let reference = self.ctx.reference();
        let receipt = Receipt { result: &result, action: &action, reference: &reference };
        let catalog = Catalog::built_in();
        let told = catalog.of(&action).expect("a command").receipt(&receipt);
        (result, told)
    }

    /// A command whose parameters come from somebody else; what it gives back of theirs.
    pub async fn run_of(
        &self,
        service: &dyn Service,
        command: &str,
        params: Value,
        source: &str,
    ) -> Vec<UntrustedText> {
        let mut action = self.action(service, command, params).await;
        let taint = |(param, value): (&String, &Value)| Taint {
            param: param.clone(),
            value: value.to_string(),
            source: source.to_owned(),
        };
        action.passed_on = action.params.iter().map(taint).collect();
        let performed = service.perform(&self.ctx, &authorized(action), &self.attempt()).await;
        self.commit(&performed).await.expect("committed");
        performed.untrusted
    }

    /// What a command gives back of others' words, and what is noticed of them.
    pub async fn untrusted(
        &self,
        service: &dyn Service,
        command: &str,
        params: Value,
    ) -> (Vec<UntrustedText>, Vec<UntrustedText>) {
        let action = self.action(service, command, params).await;
        let performed = service.perform(&self.ctx, &authorized(action), &self.attempt()).await;
        self.commit(&performed).await.expect("committed");
        let wanted = Wanted { message: "plumber".to_owned(), limit: 10 };
        let noticed = service.notice(&self.ctx, &wanted).await.expect("noticed");
        (performed.untrusted, noticed.into_iter().flat_map(|noticed| noticed.untrusted).collect())
    }

    pub async fn run(&self, service: &dyn Service, command: &str, params: Value) -> Value {
        self.run_told(service, command, params).await.0
    }

    /// Why a command fails.
    pub async fn fails(&self, service: &dyn Service, action: Action) -> String {
        let performed = service.perform(&self.ctx, &authorized(action), &self.attempt()).await;
        assert!(performed.changes.is_empty(), "a failure changes nothing");
        performed.outcome.error().expect("a failure").to_owned()
    }

    /// What `find_by` finds: the title, the candidates' labels, or nothing.
    pub async fn found(&self, service: &dyn Service, command: &str, words: &str) -> Vec<String> {
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
