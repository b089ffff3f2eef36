//! A year, or less, of one person's life: the rig without a model, with time that goes from one due moment to the
//! next, and a record of what was told and whether the program learned that it arrived.

use std::ops::Deref;
use std::sync::Mutex;

use brain_agent::core::button::Role;
use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::outcome::Outcome;
use brain_agent::core::plan::Action;
use brain_agent::core::settings::Settings;
use brain_agent::core::stakes::{Rule, Stakes, assess, authorize_low};
use brain_agent::core::turn::{Input, Reply};
use brain_agent::pipeline::commit::user::settings_changed;
use brain_agent::ports::records::{Due, User};
use brain_agent::ports::{Batch, Clock, Expect, Table};
use brain_agent::services::contract::service::{Attempt, Prepared};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::rig::{Event, Fate, ME, Rig, Setup, Shown, chat_of};

pub fn my_chat() -> ChatId {
    chat_of(ME)
}

/// A message that reached the person.
#[derive(Debug, Clone)]
pub struct Told {
    pub at: DateTime<Utc>,
    pub reply: Reply,
    /// The program never learned that it arrived, so it will come again.
    pub doubtful: bool,
}

/// One life of the program after another.
pub struct World {
    rig: Rig,
    told: Mutex<Vec<Told>>,
    zone: Tz,
}

impl Deref for World {
    type Target = Rig;

    fn deref(&self) -> &Rig {
        &self.rig
    }
}

/// The rule is not what is tested here.
struct Harmless;

impl Rule for Harmless {
    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }
}

impl World {
    pub fn new(now: DateTime<Utc>, zone: Tz) -> Self {
        let rig = Rig::new(Setup { model: false, zone, now, ..Setup::default() });
        Self { rig, told: Mutex::default(), zone }
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
        let (model, zone) = (false, self.zone);
        self.rig.restart(Setup { model, zone, ..Setup::default() }).await;
        self.works().await;
    }

    /// The operator starts it again with another zone for those who chose none.
    pub async fn restart_in(&mut self, zone: Tz) {
        self.zone = zone;
        self.restart().await;
    }

    pub async fn dues(&self) -> Vec<Due> {
        self.all().await
    }

    /// The clock goes on to `end`, and everything on the way is handled at its time.
    pub async fn live_until(&self, end: DateTime<Utc>) {
        while let Some(next) = self.next_due().await.filter(|next| *next <= end) {
            self.go_to(next.max(self.now()));
            self.works().await;
        }
        self.go_to(end);
    }

    /// A task command; see [`Self::acts`].
    pub async fn does(&self, command: &str, params: Value) -> Value {
        self.acts("task", command, params).await
    }

    /// A command, done the way an action is: its result.
    pub async fn acts(&self, service: &str, command: &str, params: Value) -> Value {
        let user = self.user().await;
        let ctx = self.brain.request_context(&user, &my_chat());
        let entry = self.brain.services.command(service, command).unwrap();
        let params = entry.check(params.as_object().unwrap().clone()).unwrap();
        let Prepared::Ready { params, target, .. } = entry.prepare(&ctx, params, "").await.unwrap() else {
            panic!("{command} was not ready");
        };
        let params = entry.complete(params, target.as_ref()).unwrap();
        let action = Action { service: service.into(), command: command.into(), params, target, ..Action::default() };
        let attempt = Attempt { key: uuid::Uuid::new_v4().simple().to_string(), begun: ctx.now };
        let authorized = authorize_low(assess(&Harmless, action, Stakes::Low)).unwrap();
        let performed = entry.perform(&ctx, &authorized, &attempt).await;
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
        let settled = settings_changed(&self.brain, &before, &after).await.unwrap();
        let mut batch = Batch { changes: settled.changes };
        batch.put(&after, Expect::Any).unwrap();
        self.brain.commit(batch).await.unwrap();
    }

    /// Presses a button of a message.
    pub async fn presses(&self, reply: &Reply, role: Role) {
        let button = reply.buttons.iter().flatten().find(|button| button.role == role).unwrap().clone();
        self.sends(Input::Press { data: button.data, message: None }).await;
    }

    pub async fn sends(&self, input: Input) {
        self.me().sends(input).await;
    }

    pub fn told(&self) -> Vec<Told> {
        self.told_since(0)
    }

    /// What was told beyond the first so many.
    pub fn told_since(&self, count: usize) -> Vec<Told> {
        self.read_log();
        self.told.lock().unwrap()[count..].to_vec()
    }

    /// The words of what was told since the last look.
    pub fn heard(&self) -> Vec<String> {
        self.read_log();
        std::mem::take(&mut *self.told.lock().unwrap()).into_iter().map(|told| told.reply.text).collect()
    }

    fn read_log(&self) {
        let mut told = self.told.lock().unwrap();
        for event in self.log.take() {
            match event {
                Event::Shown(Shown { at, reply, .. }) => told.push(Told { at, reply, doubtful: true }),
                Event::Committed(batch) if records_a_delivery(&batch) => {
                    if let Some(last) = told.last_mut() {
                        last.doubtful = false;
                    }
                }
                Event::Committed(_) | Event::Performed { .. } => {}
            }
        }
    }

    pub fn fate(&self, fate: Fate) {
        self.channel.fate(fate);
    }
}

/// The channel's answer came, and is written down.
fn records_a_delivery(batch: &Batch) -> bool {
    let outbox: Vec<_> = batch.changes.iter().filter(|change| change.table == Table::Outbox).collect();
    matches!(outbox.as_slice(), [only] if only.put.is_none())
}
