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

// The suites use different parts of it.
#![allow(dead_code)]

pub mod mail_place;
pub mod parts;
pub mod place;
mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use brain_agent::core::button::{Button, Role};
use brain_agent::core::ids::{ChatId, MessageId, PendingId, RunId, UserId};
use brain_agent::core::pending::{Pending, State};
use brain_agent::core::plan::Action;
use brain_agent::core::turn::{Done, Edit, Incoming, Input, Origin};
use brain_agent::language::time::DateOrder;
use brain_agent::limits::kept::Keep;
use brain_agent::pipeline::brain::{Brain, Policy};
use brain_agent::pipeline::handle_turn;
use brain_agent::pipeline::recover;
use brain_agent::ports::records::Audit;
use brain_agent::ports::{Change, Clock, Expect, Index, Key, Planning, Reader, RecordExt, Scan, Store, Table, Wording};
use brain_agent::prompts::Prompts;
use brain_agent::scheduler;
use brain_agent::search::plain::PlainIndex;
use brain_agent::services;
use brain_agent::services::Accounts;
use brain_agent::services::demo;
use brain_agent::services::email;
use brain_agent::services::email::mailbox::Mailboxes;
use brain_agent::services::entry::Entry;
use brain_agent::services::registry::{Registration, Registry};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use watched::Watched;

pub use parts::{Event, HandClock, Log, RecordingChannel, Script, Sending, Shown, WatchedStore};

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
    pub whole_schemas: bool,
    /// Whether the demo's data is there.
    pub demo: bool,
    /// What people have elsewhere.
    pub accounts: Accounts,
    /// What becomes of mail that is sent.
    pub sending: Sending,
    pub admin_may_approve: bool,
    pub pending_ttl: Duration,
    pub zone: Tz,
    pub now: DateTime<Utc>,
    /// How long what only grows is kept.
    pub ask_above_usd: f64,
    pub keep: Keep,
    /// Commands, as `service.command`, that claim low stakes whatever they do.
    pub liars: &'static [&'static str],
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            model: true,
            grounds_plans: false,
            planning: Planning::Whole,
            whole_schemas: false,
            demo: false,
            accounts: Accounts::default(),
            sending: Sending::Accepted,
            admin_may_approve: false,
            pending_ttl: Duration::from_secs(24 * 3600),
            zone: Tz::UTC,
            // A Monday.
            now: "2026-01-12T09:00:00Z".parse().unwrap(),
            ask_above_usd: 0.05,
            keep: Keep::default(),
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
    turns: Arc<AtomicU64>,
}

/// One person in one chat.
#[derive(Clone)]
pub struct Person<'a> {
    rig: &'a Rig,
    pub user: UserId,
    pub chat: ChatId,
}

/// What came of one input.
#[derive(Debug)]
pub struct Answer {
    pub done: Done,
    pub shown: Vec<Shown>,
    pub edits: Vec<Edit>,
}

/// A card as a person sees it.
#[derive(Debug, Clone)]
pub struct Card {
    pub id: PendingId,
    /// One a message.
    pub parts: Vec<String>,
    pub messages: Vec<MessageId>,
    pub buttons: Vec<Button>,
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
        let channel = Arc::new(RecordingChannel::new(log.clone()));
        let script = Arc::new(Script::default());
        let folder = tempfile::tempdir().unwrap();
        let (demo, zone) = (setup.demo, setup.zone);
        let rig = Self {
            brain: brain(setup, &store, &clock, &channel, &script, &log, &folder),
            store,
            clock,
            channel,
            script,
            log,
            folder,
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

    /// Another life of the program over the same store, folder and chat: recovered, then delivered.
    pub async fn restarts(self, setup: Setup) -> Self {
        let Self { store, clock, channel, script, log, folder, turns, .. } = self;
        store.works();
        let brain = brain(setup, &store, &clock, &channel, &script, &log, &folder);
        recover::recover(&brain).await.unwrap();
        for chat in recover::undelivered(&brain).await.unwrap() {
            brain.deliver(&chat).await;
        }
        Self { brain, store, clock, channel, script, log, folder, turns }
    }

    /// Another process over the same store, folder and channel: it shares nothing else with this one.
    pub fn replica(&self, setup: Setup) -> Arc<Brain> {
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
        scheduler::run_due(&self.brain).await.unwrap();
    }

    /// The stored card.
    pub async fn pending(&self, id: &PendingId) -> Pending {
        self.brain.pending(id).await.unwrap().unwrap().0
    }

    /// Every card of any state.
    pub async fn all_pending(&self) -> Vec<Pending> {
        let store: &dyn Store = self.store.as_ref();
        let scan = Scan::of::<Pending>(&[], 1_000);
        let found = store.list::<Pending>(scan).await.unwrap();
        found.into_iter().map(|(pending, _)| pending).collect()
    }

    /// Changes the stored bytes of a card behind the program's back.
    pub async fn alters(&self, id: &PendingId, change: impl FnOnce(&mut Pending)) {
        let mut pending = self.pending(id).await;
        change(&mut pending);
        let change = Change::put(&pending, Expect::Any).unwrap();
        self.store.put_quietly(brain_agent::ports::Batch { changes: vec![change] });
    }

    pub async fn audit(&self) -> Vec<Audit> {
        let store: &dyn Store = self.store.as_ref();
        let rows = store.list::<Audit>(Scan::of::<Audit>(&[], 10_000)).await;
        rows.unwrap().into_iter().map(|(row, _)| row).collect()
    }

    /// Every action a service was told to perform, in order.
    pub fn performed(&self) -> Vec<Action> {
        let performed = self.log.events().into_iter().filter_map(|event| match event {
            Event::Performed { action, .. } => Some(action),
            Event::Committed(_) | Event::Shown(_) => None,
        });
        performed.collect()
    }

    /// Those among them that send, destroy, or change what others see.
    pub fn effects(&self) -> Vec<Action> {
        let mut performed = self.performed();
        performed.retain(is_high_stakes);
        performed
    }

    /// How many records of a service the store holds.
    pub async fn count(&self, table: Table) -> usize {
        self.records(table).await.len()
    }

    /// Everything that a table says.
    pub async fn bodies(&self, table: Table) -> String {
        let records = self.records(table).await.into_iter();
        records.map(|(_, stored)| String::from_utf8(stored.body).unwrap()).collect::<Vec<_>>().join("\n")
    }

    async fn records(&self, table: Table) -> Vec<(Key, brain_agent::ports::Stored)> {
        let scan = Scan {
            table,
            by: None,
            prefix: None,
            before: None,
            after: None,
            order: brain_agent::ports::Order::Ascending,
            limit: 10_000,
        };
        self.store.scan(scan).await.unwrap()
    }
}

impl Person<'_> {
    pub async fn says(&self, text: &str) -> Answer {
        self.writes(text, Origin::Typed, None).await
    }

    pub async fn replies(&self, text: &str, to: MessageId) -> Answer {
        self.writes(text, Origin::Typed, Some(to)).await
    }

    pub async fn writes(&self, text: &str, origin: Origin, reply_to: Option<MessageId>) -> Answer {
        self.sends(Input::Message { text: text.to_owned(), origin, reply_to }).await
    }

    pub async fn presses(&self, data: &str) -> Answer {
        self.sends(Input::Press { data: data.to_owned(), message: None }).await
    }

    /// A message whose number is older than those of the cards.
    pub async fn says_as_message(&self, text: &str, id: MessageId) -> Answer {
        let input = Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None };
        self.takes(self.incoming(input, id)).await
    }

    async fn sends(&self, input: Input) -> Answer {
        let id = self.rig.channel.next_id();
        self.takes(self.incoming(input, id)).await
    }

    /// The input as the pipeline gets it, for tests that send several at once.
    pub fn incoming(&self, input: Input, message_id: MessageId) -> Incoming {
        let number = self.rig.turns.fetch_add(1, Ordering::SeqCst);
        Incoming {
            turn: RunId::new(format!("turn{number}")),
            user: self.user.clone(),
            chat: self.chat.clone(),
            message_id,
            at: self.rig.clock.now(),
            input,
            inbox: None,
            parts: Vec::new(),
            quote: None,
        }
    }

    async fn takes(&self, incoming: Incoming) -> Answer {
        let (shown, edits) = self.rig.channel.counts();
        let done = handle_turn(&self.rig.brain, &incoming).await;
        let (shown, edits) = self.rig.channel.since(shown, edits);
        Answer { done, shown, edits }
    }
}

impl Answer {
    /// Everything that was said, cards included.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.shown.iter().map(|s| s.reply.text.as_str()).collect();
        texts.join("\n")
    }

    pub fn has_card(&self) -> bool {
        self.shown.iter().any(|shown| shown.reply.card.is_some())
    }

    /// The card it holds; there must be one, and only one.
    pub fn card(&self) -> Card {
        let parts: Vec<&Shown> = self.shown.iter().filter(|s| s.reply.card.is_some()).collect();
        let last = parts.last().unwrap_or_else(|| panic!("no card in: {}", self.text()));
        let id = last.reply.card.clone().unwrap().pending;
        assert!(parts.iter().all(|s| s.reply.card.as_ref().unwrap().pending == id));
        Card {
            id,
            parts: parts.iter().map(|s| s.reply.text.clone()).collect(),
            messages: parts.iter().map(|s| s.id).collect(),
            buttons: last.reply.buttons.concat(),
        }
    }

    pub fn button(&self, role: Role) -> Option<Button> {
        let buttons = self.shown.iter().flat_map(|s| s.reply.buttons.iter().flatten());
        buttons.clone().find(|button| button.role == role).cloned()
    }
}

impl Card {
    pub fn text(&self) -> String {
        self.parts.join("\n")
    }

    pub fn last(&self) -> MessageId {
        *self.messages.last().unwrap()
    }

    pub fn button(&self, role: Role) -> Button {
        self.buttons.iter().find(|b| b.role == role).unwrap().clone()
    }

    pub fn approve(&self) -> Button {
        self.button(Role::Approve)
    }

    pub fn cancel(&self) -> Button {
        self.button(Role::Cancel)
    }
}

/// The states that a batch gives to pending actions.
pub fn states_in(batch: &brain_agent::ports::Batch) -> Vec<State> {
    let cards = batch.changes.iter().filter(|c| c.table == Table::Pending);
    let bodies = cards.filter_map(|change| change.put.as_ref());
    bodies.map(|(_, body)| serde_json::from_slice::<Pending>(body).unwrap().state).collect()
}

/// What DESIGN §3 marks with **H**, written down a second time and apart from the catalog on purpose: the
/// tests must not believe the code they test.
pub fn is_high_stakes(action: &Action) -> bool {
    let invites = |params: &Value| params["attendees"].as_array().is_some_and(|a| !a.is_empty());
    let by_command = match (action.service.as_str(), action.command.as_str()) {
        ("task", "delete")
        | ("calendar", "update_event" | "delete_event")
        | ("email", "send_email" | "reply_to_email" | "forward_email" | "delete_email")
        | ("memory", "forget")
        | ("keep", "delete") => true,
        ("calendar", "create_event") => invites(&Value::Object(action.params.clone())),
        ("task", "create" | "list" | "update" | "complete")
        | ("calendar", "list_events" | "find_free_time")
        | ("email", "search" | "read_thread" | "create_draft" | "mark")
        | ("memory", "store" | "update" | "recall")
        | ("keep", "create" | "append" | "tick" | "untick" | "remove" | "list" | "search")
        | ("contacts", "find" | "save")
        // What undo does.
        | ("task" | "calendar" | "contacts", "restore") => false,
        // Nobody knows what it does.
        _ => true,
    };
    by_command || !action.taints.is_empty()
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
    let index: Arc<dyn Index> = Arc::new(PlainIndex::new(shared.clone(), services::sources()));
    let mailboxes = Mailboxes::new(folder.path(), Some("alex.morgan@example.com".to_owned()), index.clone());
    let (built_in, people) = services::built_in(&shared, &index, &mailboxes, setup.accounts.clone());
    let watched = |inner: Arc<dyn Entry>| -> Arc<dyn Entry> {
        let lies = setup.liars.contains(&format!("{}.{}", inner.service(), inner.command()).as_str());
        Arc::new(Watched { inner, log: log.clone(), sending: setup.sending, lies })
    };
    let watched =
        built_in.now().iter().map(|service| Registration::clone(service).with_entries(watched)).collect::<Vec<_>>();
    Arc::new(Brain {
        store: shared,
        index,
        model: if setup.model { Some(script.clone()) } else { None },
        services: Registry::new(watched),
        people,
        clock: clock.clone(),
        channel: channel.clone(),
        prompts: Prompts::load(None).unwrap(),
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
            skip_router: false,
            skip_planner: false,
            planning: setup.planning,
            whole_schemas: setup.whole_schemas,
            wording: Wording::Always,
            ask_above_usd: setup.ask_above_usd,
            prices: Default::default(),
            keep: setup.keep,
        },
        due_changed: Default::default(),
        pool: Default::default(),
        lanes: Default::default(),
        evidence: Default::default(),
        locks: Default::default(),
        running: Default::default(),
        since: clock.now(),
    })
}

/// The key of a record of one part.
pub fn key(id: &str) -> Key {
    Key::of(&[id])
}
