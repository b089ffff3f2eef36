//! A program that can be killed at any commit, a chat that loses messages and answers, and a record of both.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use brain_agent::core::button::Role;
use brain_agent::core::ids::{ChatId, MessageId, RunId, UserId};
use brain_agent::core::markup::Formatted;
use brain_agent::core::settings::Settings;
use brain_agent::core::turn::{Edit, Incoming, Input, Reply};
use brain_agent::language::time::DateOrder;
use brain_agent::pipeline::brain::{Brain, Policy};
use brain_agent::pipeline::{handle_turn, recover};
use brain_agent::ports::records::{Due, User};
use brain_agent::ports::{
    Batch, ChangeLog, Channel, Clock, Expect, Index, Key, Reader, RecordExt, Scan, SendError, Snapshot, Store,
    StoreError, Stored, Table,
};
use brain_agent::prompts::Prompts;
use brain_agent::scheduler;
use brain_agent::search::plain::PlainIndex;
use brain_agent::services;
use brain_agent::services::address_book::{AddressBook, KnownNames, PeopleQuery, Person};
use brain_agent::services::calendar::CalendarService;
use brain_agent::services::error::ServiceError;
use brain_agent::services::registry::Registry;
use brain_agent::services::task::TaskService;
use brain_agent::store::MemoryStore;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::rig::HandClock;

pub const ME: &str = "alex";

pub fn my_chat() -> ChatId {
    ChatId::new("console:alex")
}

/// A message that reached the person.
#[derive(Debug, Clone)]
pub struct Told {
    pub at: DateTime<Utc>,
    pub reply: Reply,
    /// The program never learned that it arrived, so it will come again.
    pub doubtful: bool,
}

/// What the next messages come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    /// Nothing arrives.
    Lost,
    /// It arrives, and Telegram's answer does not.
    AnswerLost,
    /// The bot is blocked.
    Blocked,
}

/// A chat with a fate.
#[derive(Debug)]
pub struct Phone {
    clock: Arc<HandClock>,
    pub told: Mutex<Vec<Told>>,
    pub fate: Mutex<Fate>,
    /// How often somebody tried to write here.
    pub tries: AtomicU64,
    last_id: AtomicI64,
}

#[async_trait]
impl Channel for Phone {
    async fn typing(&self, _: &ChatId) {}

    async fn status(&self, _: &ChatId, _: &str) {}

    fn shows_drafts(&self, _: &ChatId) -> bool {
        false
    }

    async fn draft(&self, _: &ChatId, _: &Formatted) {}

    async fn send(&self, _: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        let fate = *self.fate.lock().unwrap();
        match fate {
            Fate::Lost => return Err(SendError::Later("the network is down".to_owned())),
            Fate::Blocked => return Err(SendError::Blocked("bot was blocked by the user".to_owned())),
            Fate::AnswerLost | Fate::Arrives => {}
        }
        self.told.lock().unwrap().push(Told { at: self.clock.now(), reply: reply.clone(), doubtful: true });
        if fate == Fate::AnswerLost {
            return Err(SendError::Later("no answer".to_owned()));
        }
        Ok(MessageId(self.last_id.fetch_add(1, Ordering::SeqCst) + 1))
    }

    async fn edit(&self, _: &ChatId, _: &Edit) -> Result<(), SendError> {
        Ok(())
    }

    fn try_again(&self, _: &ChatId) {}
}

/// A store that is there until it is not.
#[derive(Debug)]
pub struct Mortal {
    inner: Arc<dyn Store>,
    phone: Arc<Phone>,
    /// Commits until the machine stops; negative: it does not.
    commits_left: AtomicI64,
}

impl Mortal {
    pub fn dies_after(&self, commits: i64) {
        self.commits_left.store(commits, Ordering::SeqCst);
    }

    pub fn is_dead(&self) -> bool {
        self.commits_left.load(Ordering::SeqCst) == 0
    }
}

#[async_trait]
impl Reader for Mortal {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        if self.is_dead() {
            return Err(StoreError::Closed);
        }
        self.inner.get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        if self.is_dead() {
            return Err(StoreError::Closed);
        }
        self.inner.scan(scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.commit(noted).await.map(|_| ())
    }
}

#[async_trait]
impl Store for Mortal {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::of(self))
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        match self.commits_left.load(Ordering::SeqCst) {
            0 => return Err(StoreError::Closed),
            left if left > 0 => self.commits_left.store(left - 1, Ordering::SeqCst),
            _ => {}
        }
        // The answer came, and is written down.
        let outbox: Vec<_> = batch.changes.iter().filter(|change| change.table == Table::Outbox).collect();
        let records_a_delivery = matches!(outbox.as_slice(), [only] if only.put.is_none());
        let revision = self.inner.commit(batch).await?;
        if let (true, Some(last)) = (records_a_delivery, self.phone.told.lock().unwrap().last_mut()) {
            last.doubtful = false;
        }
        Ok(revision)
    }

    async fn give_back(&self) -> Result<bool, StoreError> {
        self.inner.give_back().await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.inner.scrub().await
    }

    fn change_log(&self) -> &dyn ChangeLog {
        self.inner.change_log()
    }
}

#[derive(Debug)]
struct Nobody;

#[async_trait]
impl AddressBook for Nobody {
    async fn people(&self, _: &UserId, _: &PeopleQuery) -> Result<Vec<Person>, ServiceError> {
        Ok(Vec::new())
    }

    async fn names_of(&self, _: &UserId, _: &BTreeSet<String>) -> Result<KnownNames, ServiceError> {
        Ok(KnownNames::default())
    }
}

/// One life of the program after another, over one store.
pub struct World {
    pub brain: Arc<Brain>,
    pub clock: Arc<HandClock>,
    pub phone: Arc<Phone>,
    pub store: Arc<Mortal>,
    zone: Tz,
    turns: u64,
}

impl World {
    pub fn new(now: DateTime<Utc>, zone: Tz) -> Self {
        Self::over(Arc::new(MemoryStore::new()), now, zone)
    }

    pub fn over(inner: Arc<dyn Store>, now: DateTime<Utc>, zone: Tz) -> Self {
        let clock = Arc::new(HandClock::at(now));
        let phone = Arc::new(Phone {
            clock: clock.clone(),
            told: Mutex::default(),
            fate: Mutex::new(Fate::Arrives),
            tries: AtomicU64::new(0),
            last_id: AtomicI64::new(0),
        });
        let store = Arc::new(Mortal { inner, phone: phone.clone(), commits_left: AtomicI64::new(-1) });
        let brain = brain(&store, &clock, &phone, zone);
        Self { brain, clock, phone, store, zone, turns: 0 }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn go_to(&self, at: DateTime<Utc>) {
        let by = at - self.now();
        assert!(by >= chrono::Duration::zero(), "time goes forward");
        self.clock.go_on(by);
    }

    /// The program is gone, and comes back over the same store.
    pub async fn restart(&mut self) {
        self.store.dies_after(-1);
        self.brain = brain(&self.store, &self.clock, &self.phone, self.zone);
        recover::recover(&self.brain).await.unwrap();
        self.redeliver().await;
        self.work().await;
    }

    /// The operator starts it again with another zone for those who chose none.
    pub async fn restart_in(&mut self, zone: Tz) {
        self.zone = zone;
        self.restart().await;
    }

    /// What falls due is handled; a machine that stops meanwhile is no failure here.
    pub async fn work(&self) {
        if let Err(error) = scheduler::run_due(&self.brain).await {
            assert!(self.store.is_dead(), "{error}");
        }
    }

    /// As the Telegram channel does after a pause.
    pub async fn redeliver(&self) {
        let Ok(chats) = recover::undelivered(&self.brain).await else {
            assert!(self.store.is_dead());
            return;
        };
        for chat in chats {
            self.brain.deliver(&chat).await;
        }
    }

    pub async fn dues(&self) -> Vec<Due> {
        let store: &dyn Store = self.store.as_ref();
        store.list::<Due>(Scan::of::<Due>(&[], 10_000)).await.unwrap().into_iter().map(|(due, _)| due).collect()
    }

    /// When the program would wake: what falls due is kept in the order of its time.
    pub async fn next_due(&self) -> Option<DateTime<Utc>> {
        let store: &dyn Store = self.store.as_ref();
        store.list::<Due>(Scan::of::<Due>(&[], 1)).await.unwrap().first().map(|(due, _)| due.at)
    }

    /// The clock goes on to `end`, and everything on the way is handled at its time.
    pub async fn live_until(&self, end: DateTime<Utc>) {
        while let Some(next) = self.next_due().await.filter(|next| *next <= end) {
            self.go_to(next.max(self.now()));
            self.work().await;
        }
        self.go_to(end);
    }

    /// A task command; see [`Self::acts`].
    pub async fn does(&self, command: &str, params: Value) -> Value {
        self.acts("task", command, params).await
    }

    /// A command, done the way an action is: its result.
    pub async fn acts(&self, service: &str, command: &str, params: Value) -> Value {
        use brain_agent::core::outcome::Outcome;
        use brain_agent::core::plan::Action;
        use brain_agent::core::stakes::{Rule, Stakes, assess, authorize_low};
        use brain_agent::services::service::{Attempt, Prepared};
        struct Harmless;
        impl Rule for Harmless {
            fn stakes(&self, _: &Action) -> Stakes {
                Stakes::Low
            }
        }
        let user = self.user().await;
        let ctx = self.brain.request_context(&user, &my_chat());
        let entry = self.brain.services.command(service, command).unwrap();
        let params = entry.check(params.as_object().unwrap().clone()).unwrap();
        let Prepared::Ready { params, target, .. } = entry.prepare(&ctx, params, "").await.unwrap() else {
            panic!("{command} was not ready");
        };
        let params = entry.complete(params, target.as_ref()).unwrap();
        let action = Action { service: service.into(), command: command.into(), params, target, ..Action::default() };
        let attempt = Attempt { key: uuid::Uuid::new_v4().simple().to_string() };
        let performed =
            entry.perform(&ctx, &authorize_low(assess(&Harmless, action, Stakes::Low)).unwrap(), &attempt).await;
        let Outcome::Succeeded { result } = performed.outcome else { panic!("{command}: {:?}", performed.outcome) };
        self.brain.commit(Batch { changes: performed.changes }).await.unwrap();
        result
    }

    pub async fn user(&self) -> User {
        self.brain.user(&UserId::new(ME), &my_chat()).await.unwrap()
    }

    /// The person chooses, as `/settings` does.
    pub async fn chooses(&self, zone: Option<Tz>, settings: Settings) {
        let before = self.user().await;
        let after = User { zone: zone.or(before.zone), settings, ..before.clone() };
        let settled =
            brain_agent::pipeline::commit::user::settings_changed(&self.brain, &before, &after).await.unwrap();
        let mut batch = Batch { changes: settled.changes };
        batch.put(&after, Expect::Any).unwrap();
        self.brain.commit(batch).await.unwrap();
    }

    /// Presses a button of a message.
    pub async fn presses(&mut self, reply: &Reply, role: Role) {
        let button = reply.buttons.iter().flatten().find(|button| button.role == role).unwrap().clone();
        self.sends(Input::Press { data: button.data, message: None }).await;
    }

    pub async fn sends(&mut self, input: Input) {
        self.turns += 1;
        let incoming = Incoming {
            turn: RunId::new(format!("turn{}", self.turns)),
            user: UserId::new(ME),
            chat: my_chat(),
            message_id: MessageId(1_000_000 + i64::try_from(self.turns).unwrap()),
            at: self.now(),
            input,
            inbox: None,
            parts: Vec::new(),
            quote: None,
        };
        handle_turn(&self.brain, &incoming).await;
    }

    pub fn told(&self) -> Vec<Told> {
        self.phone.told.lock().unwrap().clone()
    }

    /// What was told beyond the first so many.
    pub fn told_since(&self, count: usize) -> Vec<Told> {
        self.phone.told.lock().unwrap()[count..].to_vec()
    }

    /// The words of what was told since the last look.
    pub fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.phone.told.lock().unwrap()).into_iter().map(|told| told.reply.text).collect()
    }

    pub fn fate(&self, fate: Fate) {
        *self.phone.fate.lock().unwrap() = fate;
    }
}

fn brain(store: &Arc<Mortal>, clock: &Arc<HandClock>, phone: &Arc<Phone>, zone: Tz) -> Arc<Brain> {
    let shared: Arc<dyn Store> = store.clone();
    let index: Arc<dyn Index> = Arc::new(PlainIndex::new(shared.clone(), services::sources()));
    Arc::new(Brain {
        store: shared.clone(),
        index: index.clone(),
        model: None,
        services: Registry::new([
            Arc::new(TaskService::new(shared.clone(), index.clone())).registration(),
            Arc::new(CalendarService::new(shared, index)).registration(),
        ]),
        people: Arc::new(Nobody),
        clock: clock.clone(),
        channel: phone.clone(),
        prompts: Prompts::load(None).unwrap(),
        policy: Policy {
            grounds_plans: false,
            pending_ttl: std::time::Duration::from_secs(24 * 3600),
            zone,
            zone_assumed: false,
            order: DateOrder::DayFirst,
            admins: [].into(),
            first_admin: Default::default(),
            admin_may_approve: false,
            skip_router: true,
            skip_planner: false,
            planning: brain_agent::ports::Planning::Whole,
            whole_schemas: false,
            wording: brain_agent::ports::Wording::Always,
            ask_above_usd: 0.05,
            prices: Default::default(),
            keep: brain_agent::limits::kept::Keep::default(),
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
