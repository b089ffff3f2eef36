//! A conversation inside this process: the real pipeline, registry and services over a store in memory, a clock
//! that is moved by hand, a chat that only remembers, and a model that says what the test wants.
//!
//! ```ignore
//! let rig = Rig::new(Setup::default());
//! rig.plans(json!([send("bob@example.com", "Late", "It is late.")]));
//! let card = rig.says("tell bob it is late").await.card();
//! rig.presses(&card.approve()).await;
//! assert_eq!(rig.effects().len(), 1);
//! ```
//!
//! Everything that is committed, performed or shown goes into one log, in order: what must be durable before
//! something else happens is read from there.

mod channel;
mod clock;
mod log;
pub mod mail_place;
mod person;
pub mod place;
pub mod real_collections;
pub mod real_mail;
mod records;
mod script;
mod store;
mod watched;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use brain_agent::accounts::AccountDirectory;
use brain_agent::core::button::Button;
use brain_agent::core::history::Compression;
use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::tasks::TaskLimits;
use brain_agent::language::time::DateOrder;
use brain_agent::limits::kept::Keep;
use brain_agent::metering::{BudgetLedger, Budgets, Metered, PricedModel, PricedModels};
use brain_agent::pipeline::brain::{Brain, Policy};
use brain_agent::pipeline::recover;
use brain_agent::ports::{Clock, Index, Key, Model, Planning, Stage, Store, TokenPrice, Wording};
use brain_agent::prompts::Prompts;
use brain_agent::scheduler;
use brain_agent::search::conversation;
use brain_agent::search::plain::PlainIndex;
use brain_agent::services;
use brain_agent::services::Accounts;
use brain_agent::services::across::demo;
use brain_agent::services::catalog::registry::{Registration, Registry};
use brain_agent::services::contract::entry::Entry;
use brain_agent::services::email;
use brain_agent::services::email::mailbox::mailboxes::Mailboxes;
use brain_agent::shadow::{Shadow, ShadowParts};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use real_collections::RealCollections;
use real_mail::RealMail;
use watched::Watched;

pub use channel::{Fate, RecordingChannel, Shown};
pub use clock::HandClock;
pub use log::{Event, Log};
pub use person::{Answer, Card, Person};
pub use records::{is_high_stakes, states_in};
pub use script::Script;
pub use store::WatchedStore;
pub use watched::Sending;

/// The person who talks when nobody else is named.
pub const ME: &str = "alex";

/// How a rig is made.
pub struct Setup {
    /// Whether there is a model; its script can be changed at any time.
    pub model: bool,
    /// Whether plans are held against what was said; without, what is behind that has to hold by itself.
    pub grounds_plans: bool,
    /// How the scripted model plans.
    pub planning: Planning,
    pub whole_schemas: Option<bool>,
    pub tasks: TaskLimits,
    /// Whether what is read exactly needs no model.
    pub skip_planner: bool,
    /// Whether a guess that is sure goes without the router, or bounds it.
    pub skip_router: bool,
    /// Whether what is asked again asks no model; off, as scripts answer the same words in other ways.
    pub keeps_answers: bool,
    /// Whether what was said long ago is shown in short.
    pub compresses: bool,
    pub learns: bool,
    /// What the assistant is for.
    pub topics: Option<String>,
    pub compression: Compression,
    /// Whether the demo's data is there.
    pub demo: bool,
    /// What people have elsewhere.
    pub accounts: Accounts,
    /// Which of them people are told about, and how they are.
    pub directory: AccountDirectory,
    /// What becomes of mail that is sent.
    pub sending: Sending,
    pub admin_may_approve: bool,
    pub pending_ttl: Duration,
    pub zone: Tz,
    pub now: DateTime<Utc>,
    /// How long what only grows is kept.
    pub ask_above_usd: f64,
    /// What each call's tokens cost; unknown.
    pub price: Option<TokenPrice>,
    pub budgets: Budgets,
    pub keep: Keep,
    /// Of how many turns of a person it is kept what their nodes got and gave.
    pub contents_kept: usize,
    /// What a shadow's model says, if there is one.
    pub shadow: Option<Arc<Script>>,
    /// Commands, as `service.command`, that claim low stakes whatever they do.
    pub liars: &'static [&'static str],
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            model: true,
            grounds_plans: false,
            planning: Planning::Whole,
            whole_schemas: Some(false),
            tasks: TaskLimits::default(),
            skip_planner: false,
            skip_router: false,
            keeps_answers: false,
            compresses: true,
            learns: false,
            topics: None,
            compression: Compression::PLAN,
            demo: false,
            accounts: Accounts::default(),
            directory: AccountDirectory::default(),
            sending: Sending::Accepted,
            admin_may_approve: false,
            pending_ttl: Duration::from_secs(24 * 3600),
            zone: Tz::UTC,
            // A Monday.
            now: "2026-01-12T09:00:00Z".parse().unwrap(),
            ask_above_usd: 0.05,
            price: None,
            budgets: Budgets::default(),
            keep: Keep::default(),
            contents_kept: 0,
            shadow: None,
            liars: &[],
        }
    }
}

/// The stage, and everybody on it.
pub struct Rig {
    pub brain: Arc<Brain>,
    pub store: Arc<WatchedStore>,
    pub clock: Arc<HandClock>,
    pub channel: Arc<RecordingChannel>,
    pub script: Arc<Script>,
    pub log: Arc<Log>,
    folder: tempfile::TempDir,
    real_mail: Option<RealMail>,
    real_collections: Option<RealCollections>,
    turns: Arc<AtomicU64>,
}

/// The chat of a person who talks alone with the assistant.
pub fn chat_of(user: &str) -> ChatId {
    ChatId::new(format!("console:{user}"))
}

/// A proposed action.
pub fn action(service: &str, command: &str, params: Value) -> Value {
    json!({"service": service, "command": command, "params": params, "reasoning": "", "depends_on": []})
}

/// A proposed mail.
pub fn send(to: &str, subject: &str, body: &str) -> Value {
    action("email", "send_email", json!({"to": [to], "subject": subject, "body": body}))
}

impl Rig {
    pub fn new(setup: Setup) -> Self {
        let log = Arc::new(Log::default());
        let store = Arc::new(WatchedStore::new(log.clone()));
        let clock = Arc::new(HandClock::at(setup.now));
        let channel = Arc::new(RecordingChannel::new(log.clone(), clock.clone()));
        let script = Arc::new(Script::default());
        let folder = tempfile::tempdir().unwrap();
        let (demo, zone) = (setup.demo, setup.zone);
        let real_mail = RealMail::asked_for(&setup);
        let setup = real_mail.iter().fold(setup, |setup, mail| mail.over(setup));
        let real_collections = RealCollections::asked_for(&setup);
        let shared: Arc<dyn Store> = store.clone();
        let setup = real_collections.iter().fold(setup, |setup, there| there.over(setup, &shared));
        let rig = Self {
            brain: brain(setup, &store, &clock, &channel, &script, &log, &folder),
            store,
            clock,
            channel,
            script,
            log,
            folder,
            real_mail,
            real_collections,
            turns: Arc::default(),
        };
        if demo {
            rig.fill_demo(zone);
        }
        rig
    }

    /// With a model, and nothing in the services.
    pub fn plain() -> Self {
        Self::new(Setup::default())
    }

    fn fill_demo(&self, zone: Tz) {
        let (owner, now) = (UserId::new(ME), self.clock.now());
        let batch = demo::fill(&owner, &chat_of(ME), now, zone).unwrap();
        self.store.put_quietly(batch);
        email::demo::fill(self.folder.path(), &owner, now, zone).unwrap();
    }

    /// The folder mail lives in.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Whether what is new in it goes to a real server, where the test said nothing about it.
    pub fn has_real_collections(&self) -> bool {
        self.real_collections.is_some()
    }

    /// The same, where a test looks at the server.
    pub fn real_collections(&self) -> Option<&RealCollections> {
        self.real_collections.as_ref()
    }

    /// Whether its mail is on a real server, where the test said nothing about it.
    pub fn has_real_mail(&self) -> bool {
        self.real_mail.is_some()
    }

    /// Another life of the program over the same store, folder and chat: recovered, then delivered.
    pub async fn restarts(mut self, setup: Setup) -> Self {
        self.restart(setup).await;
        self
    }

    /// The same, in place.
    pub async fn restart(&mut self, setup: Setup) {
        self.store.works();
        self.brain = self.replica(setup);
        recover::recover(&self.brain).await.unwrap();
        self.redelivers().await;
    }

    /// As a channel does after a pause. A machine that has stopped delivers nothing.
    pub async fn redelivers(&self) {
        let waiting = recover::undelivered(&self.brain).await;
        for chat in waiting.or_else(|why| if self.store.is_dead() { Ok(Vec::new()) } else { Err(why) }).unwrap() {
            self.brain.deliver(&chat).await;
        }
    }

    /// What falls due is handled; a machine that stops meanwhile is no failure here.
    pub async fn works(&self) {
        if let Err(error) = scheduler::run_due(&self.brain).await {
            assert!(self.store.is_dead(), "{error}");
        }
    }

    /// Another process over the same store, folder and channel: it shares nothing else with this one.
    pub fn replica(&self, setup: Setup) -> Arc<Brain> {
        let setup = self.real_mail.iter().fold(setup, |setup, mail| mail.over(setup));
        let shared: Arc<dyn Store> = self.store.clone();
        let setup = self.real_collections.iter().fold(setup, |setup, there| there.over(setup, &shared));
        brain(setup, &self.store, &self.clock, &self.channel, &self.script, &self.log, &self.folder)
    }

    /// Somebody else, in their own chat.
    pub fn as_user(&self, user: &str) -> Person<'_> {
        self.in_chat(user, &chat_of(user))
    }

    /// Somebody in some chat.
    pub fn in_chat(&self, user: &str, chat: &ChatId) -> Person<'_> {
        Person { rig: self, user: UserId::new(user), chat: chat.clone() }
    }

    pub fn me(&self) -> Person<'_> {
        self.as_user(ME)
    }

    pub async fn says(&self, text: &str) -> Answer {
        self.me().says(text).await
    }

    pub async fn presses(&self, button: &Button) -> Answer {
        self.me().presses(&button.data).await
    }

    /// The next plan; the router agrees with it.
    pub fn plans(&self, actions: Value) {
        let services = actions.as_array().unwrap().iter();
        let domains: Vec<Value> = services.map(|a| a["service"].clone()).collect();
        self.script.routes(json!({"type": "action", "domains": domains, "is_followup": false}));
        self.script.plans(json!({"actions": actions, "question": null, "open": null}));
    }

    /// Plans these actions and gives the card they come to.
    pub async fn card_for(&self, actions: Value) -> Card {
        self.plans(actions);
        self.says("here is what I want").await.card()
    }

    /// Both clocks go on, and what falls due is handled.
    pub async fn moves_clock(&self, by: chrono::Duration) {
        self.clock.go_on(by);
        self.works().await;
    }
}

fn brain(
    setup: Setup,
    store: &Arc<WatchedStore>,
    clock: &Arc<HandClock>,
    channel: &Arc<RecordingChannel>,
    script: &Arc<Script>,
    log: &Arc<Log>,
    folder: &tempfile::TempDir,
) -> Arc<Brain> {
    let shared: Arc<dyn Store> = store.clone();
    let sources = services::sources().into_iter().chain([conversation::SOURCE]).collect();
    let index: Arc<dyn Index> = Arc::new(PlainIndex::new(shared.clone(), sources));
    let mailboxes = match setup.accounts.mail.is_empty() {
        true => Mailboxes::new(folder.path(), Some("alex.morgan@example.com".to_owned()), index.clone()),
        false => Mailboxes::of_accounts(folder.path(), setup.accounts.mail.clone(), index.clone()),
    };
    let (built_in, people) = services::built_in(&shared, &index, &mailboxes, setup.accounts.clone(), None);
    let watched = |inner: Arc<dyn Entry>| -> Arc<dyn Entry> {
        let lies = setup.liars.contains(&format!("{}.{}", inner.service(), inner.command()).as_str());
        Arc::new(Watched { inner, log: log.clone(), sending: setup.sending, lies })
    };
    let watched =
        built_in.now().iter().map(|service| Registration::clone(service).with_entries(watched)).collect::<Vec<_>>();
    let ledger = Arc::new(BudgetLedger::new(setup.budgets.clone(), shared.clone()));
    let model = setup.model.then(|| metered(&setup, script, &ledger));
    let shadow_model = setup.shadow.as_ref().map(|script| metered(&setup, script, &ledger));
    let mut brain = Brain {
        store: shared,
        index,
        model,
        services: Registry::new(watched),
        people,
        accounts: setup.directory,
        clock: clock.clone(),
        channel: channel.clone(),
        prompts: Prompts::load(None).unwrap().into(),
        shadow: None,
        policy: Policy {
            grounds_plans: setup.grounds_plans,
            pending_ttl: setup.pending_ttl,
            zone: setup.zone,
            zone_assumed: false,
            order: DateOrder::DayFirst,
            admins: [UserId::new("root")].into(),
            first_admin: Default::default(),
            admin_may_approve: setup.admin_may_approve,
            // Scripts say what the router answers, turn by turn.
            skip_router: setup.skip_router,
            skip_planner: setup.skip_planner,
            planning: setup.planning,
            tasks: setup.tasks,
            keeps_answers: setup.keeps_answers,
            whole_schemas: setup.whole_schemas,
            wording: Wording::Always,
            ask_above_usd: setup.ask_above_usd,
            prices: Default::default(),
            budgets: setup.budgets.clone(),
            keep: setup.keep,
            contents_kept: setup.contents_kept,
            compresses: setup.compresses,
            compression: setup.compression,
            learns: setup.learns,
            topics: setup.topics,
        },
        due_changed: Default::default(),
        pool: Default::default(),
        lanes: Default::default(),
        evidence: Default::default(),
        locks: Default::default(),
        running: Default::default(),
        long_chats: Default::default(),
        servers: Default::default(),
        since: clock.now(),
    };
    if shadow_model.is_some() {
        let (prompts, policy) = (brain.prompts.clone(), brain.policy.clone());
        let shadow = Shadow::of(&brain, ShadowParts { model: shadow_model, prompts, policy });
        brain.shadow = Some(Arc::new(shadow));
    }
    Arc::new(brain)
}

/// The script, counted; each call has the price that the setup names.
fn metered(setup: &Setup, script: &Arc<Script>, ledger: &Arc<BudgetLedger>) -> Arc<dyn Model> {
    let priced = PricedModel { name: "scripted".to_owned(), price: setup.price };
    let stages = Stage::ALL.map(|stage| (stage, priced.clone())).into();
    Arc::new(Metered::new(script.clone(), PricedModels { stages, substitute: None }, ledger.clone()))
}

/// The key of a record of one part.
pub fn key(id: &str) -> Key {
    Key::of(&[id])
}
