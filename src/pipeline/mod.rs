//! One turn, top to bottom.
//!
//! ```text
//! message or press
//!   ├─ begun in an earlier life? ──────────────────────────────► carried through from its journal
//!   ├─ a button, a command, an answer to an open card? ──────► decide, no model
//!   ├─ guard ∥ route ∥ context
//!   │     blocked ─────► refuse politely
//!   │     chat ────────► respond
//!   │     otherwise ───► plan ─► gate ─► execute ─► reflect ─► respond
//!   │                               └──► card, where a yes is needed
//!   └─ one commit: answer, conversation, journal's end, inbox ─► deliver
//! ```
//!
//! The pipeline knows ports, not adapters. Everything a turn comes to is committed at once (see
//! [`answer::Answer`]) before a word of it is shown.

mod act;
pub mod agenda;
pub mod answer;
mod ask;
pub mod breath;
pub mod buttons;
pub mod cards;
pub mod closed;
pub mod commands;
pub mod consent;
pub(crate) mod context;
mod conversation;
pub mod decisions;
pub mod delivery;
pub mod due;
mod execute;
mod gate;
mod guard;
mod later;
pub mod offers;
pub mod outbox;
pub(crate) mod plan;
mod progressing;
pub mod public;
pub mod recover;
mod reflect;
mod resolve;
pub mod respond;
pub mod rings;
mod rounds;
pub(crate) mod route;
pub mod settings;
mod speak;
pub(crate) mod times;
pub mod turn;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use futures::future::{Either, select};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::catalog::{Catalog, working};
use crate::core::ids::{ChatId, UserId, short_id};
use crate::core::markup::Formatted;
use crate::core::settings::Settings;
use crate::core::turn::{Done, Incoming, Input, Path};
use crate::core::when::DateOrder;
use crate::limits;
use crate::ports::{AddressBook, Batch, Chat, Clock, Key, Model, RecordExt, Scene, Service, Store, StoreError, Table};
use crate::prompts::Prompts;
use crate::records::{ChatState, User};
use crate::understanding::{Guess, Kind};
use answer::Answer;
use breath::Breath;
use consent::Intake;
use context::Context;
use outbox::Locks;
use route::Route;
use turn::{Turn, TurnError};

/// The account that actions are taken on; one a person until services have several.
pub const ACCOUNT: &str = "default";

/// What the operator decided.
#[derive(Debug, Clone)]
pub struct Policy {
    /// How long a card waits.
    pub pending_ttl: Duration,
    /// The zone of people who have not chosen one.
    pub zone: Tz,
    /// True when that zone was not set but taken from the host; it is then named once.
    pub zone_assumed: bool,
    /// How numeric dates are read.
    pub order: DateOrder,
    /// Who may see and cancel other people's pending actions.
    pub admins: HashSet<UserId>,
    /// Whether they may approve them, too.
    pub admin_may_approve: bool,
    /// Whether messages that built-in understanding is sure about go without the model router.
    pub skip_router: bool,
}

/// Everything a turn works with.
#[derive(Debug)]
pub struct Brain {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The language model, if there is one.
    pub model: Option<Arc<dyn Model>>,
    /// Behind the catalog's commands.
    pub services: Vec<Arc<dyn Service>>,
    /// Who "Bob" may be.
    pub people: Arc<dyn AddressBook>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where people read and press.
    pub face: Arc<dyn Chat>,
    /// What can be done.
    pub catalog: Catalog,
    /// What models are told.
    pub prompts: Prompts,
    /// What the operator decided.
    pub policy: Policy,
    /// Wakes the scheduler when something new falls due.
    pub due_changed: Notify,
    /// One writer a chat.
    pub writing: Locks,
    /// One deliverer a chat.
    pub delivering: Locks,
    /// Turns under way, for `/cancel`.
    pub running: Mutex<HashMap<ChatId, CancellationToken>>,
    /// Since when this process runs.
    pub since: DateTime<Utc>,
}

/// Compiles the patterns that turns look for; see [`crate::app::warm_up`].
pub fn warm_up() {
    guard::judge("");
    respond::claims_a_change("");
}

/// One turn: answers what came in, commits, delivers.
pub async fn handle_turn(brain: &Brain, incoming: &Incoming) -> Done {
    handle_turn_in(brain, incoming, Breath::over()).await
}

/// The same while more may still come: nothing is written before the breath allows it.
pub async fn handle_turn_in(brain: &Brain, incoming: &Incoming, breath: Breath) -> Done {
    brain.face.typing(&incoming.chat).await;
    let cancel = brain.begin(incoming);
    let done = match Turn::open(brain, incoming, cancel).await {
        Ok(mut turn) => {
            turn.breath = breath;
            let answer = brain.with_status(turn.chat(), || turn.what_it_does(), answer(&turn)).await;
            outbox::finish(&turn, answer).await
        }
        Err(error) => outbox::cannot_even_begin(brain, incoming, &error).await,
    };
    brain.end(incoming);
    done
}

async fn answer(turn: &Turn<'_>) -> Result<Answer, TurnError> {
    if let Some(mut answer) = rounds::carried_through(turn).await? {
        buttons::carried_through(turn, &mut answer).await?;
        return Ok(answer);
    }
    if let Input::Press { data, .. } = &turn.incoming.input {
        return Ok(buttons::press(turn, data).await?);
    }
    if let Some(answer) = offers::passed_on(turn).await? {
        return Ok(answer);
    }
    if let Some(answer) = commands::answer(turn).await? {
        return Ok(answer);
    }
    match consent::intake(turn).await? {
        Intake::Answered(answer) => return Ok(*answer),
        Intake::Amends(pending) => return act::amend(turn, *pending).await,
        Intake::Unrelated => {}
    }
    if let Some(answer) = settings::said(turn) {
        return Ok(answer.keeping_question());
    }
    if let Some(answer) = buttons::reminder::until(turn).await? {
        return Ok(answer);
    }
    if let Some(answer) = act::completes_a_question(turn).await? {
        return Ok(answer);
    }

    let guess = route::guess(turn);
    let context = context::fetch(turn, &guess);
    let verdict = guard::check(turn);
    if let guard::Verdict::Blocked(why) = verdict {
        return Ok(Answer::says(Path::Blocked, why));
    }
    let (route, early) = turn.unless_cancelled(route_and_maybe_reply(turn, &guess)).await?;
    turn.agreed();
    turn.doing(match route.kind {
        Kind::Chat => working::writing(),
        Kind::Action | Kind::Investigate | Kind::Followup => working::planning(&route.domains),
    });
    match route.kind {
        Kind::Chat => {
            let (reply, foreign) = match early {
                Some(reply) => (reply, Vec::new()),
                None => {
                    let Context { memories, foreign, .. } = context.arrived().await;
                    (turn.unless_cancelled(respond::chat(turn, memories)).await?, foreign)
                }
            };
            Ok(Answer::says(Path::Chat, reply).holding(foreign))
        }
        Kind::Action | Kind::Investigate | Kind::Followup => act::act(turn, route, context).await,
    }
}

/// Routes; when built-in understanding is sure that this is small talk, the reply is already being written
/// meanwhile. Nothing of it is shown before the router agrees; if it thinks otherwise, it is thrown away.
async fn route_and_maybe_reply(turn: &Turn<'_>, guess: &Guess) -> (Route, Option<Formatted>) {
    const SURE: f32 = 0.9;
    let routing = Box::pin(route::decide(turn, guess));
    if turn.brain.model.is_none() || guess.kind != Kind::Chat || guess.confidence < SURE {
        return (routing.await, None);
    }
    let replying = Box::pin(respond::chat(turn, Vec::new()));
    match select(routing, replying).await {
        Either::Left((route, replying)) if route.kind == Kind::Chat => {
            turn.agreed();
            (route, Some(replying.await))
        }
        Either::Left((route, _)) => (route, None),
        Either::Right((reply, routing)) => {
            let route = routing.await;
            let reply = (route.kind == Kind::Chat).then_some(reply);
            (route, reply)
        }
    }
}

impl Brain {
    /// Does something for a chat, and says there what it is doing once it takes longer than two seconds.
    pub async fn with_status<T>(
        &self,
        chat: &ChatId,
        doing: impl Fn() -> Option<String>,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = std::pin::pin!(work);
        let mut shown = None;
        let mut wait = Duration::from_millis(limits::STATUS_AFTER_MS);
        loop {
            tokio::select! {
                biased;
                result = &mut work => return result,
                () = tokio::time::sleep(wait) => {
                    let now = doing();
                    if let Some(doing) = now.as_deref().filter(|_| now != shown) {
                        self.face.status(chat, doing).await;
                        shown = now;
                    }
                    self.face.typing(chat).await;
                    wait = Duration::from_secs(1);
                }
            }
        }
    }

    /// A service by name.
    pub fn service(&self, name: &str) -> Option<&dyn Service> {
        self.services.iter().find(|service| service.name() == name).map(AsRef::as_ref)
    }

    /// A new id that nobody can guess.
    pub fn new_id(&self) -> String {
        short_id(uuid::Uuid::new_v4().as_u128())
    }

    /// Commits a batch, and wakes the scheduler when it touches what falls due.
    pub async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let due = batch.changes.iter().any(|change| change.table == Table::Due);
        let revision = self.store.commit(batch).await?;
        if due {
            self.due_changed.notify_one();
        }
        Ok(revision)
    }

    /// Where a person's local times are meant.
    pub fn zone_of(&self, user: &User) -> Tz {
        user.zone.unwrap_or(self.policy.zone)
    }

    /// For whom, when and where.
    pub fn scene(&self, user: &User, chat: &ChatId) -> Scene {
        Scene {
            owner: user.id.clone(),
            chat: chat.clone(),
            now: self.clock.now(),
            zone: self.zone_of(user),
            order: self.policy.order,
        }
    }

    /// A person's record; a new one is made for somebody who was let in.
    pub async fn user(&self, id: &UserId, chat: &ChatId) -> Result<User, StoreError> {
        let stored = self.store.load::<User>(&Key::of(&[id.as_str()])).await?;
        Ok(stored.map_or_else(
            || User {
                id: id.clone(),
                chat: chat.clone(),
                admin: self.policy.admins.contains(id),
                zone: None,
                zone_named: false,
                settings: Settings::default(),
                since: self.clock.now(),
            },
            |(user, _)| user,
        ))
    }

    /// What is going on in a chat.
    pub async fn chat_state(&self, chat: &ChatId) -> Result<ChatState, StoreError> {
        let stored = self.store.load::<ChatState>(&Key::of(&[chat.as_str()])).await?;
        Ok(stored.map_or_else(|| ChatState::new(chat.clone()), |(state, _)| state))
    }

    /// Stops every turn under way, as `/cancel` does: what is being executed ends by itself.
    pub fn stop_turns(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.values().for_each(CancellationToken::cancel);
    }

    /// Registers a turn, so that `/cancel` finds it. Commands and presses overtake and are not registered.
    fn begin(&self, incoming: &Incoming) -> CancellationToken {
        let token = CancellationToken::new();
        if commands::stoppable(&incoming.input) {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            // Stopped while its message was still being read: stopped.
            if running.insert(incoming.chat.clone(), token.clone()).is_some_and(|before| before.is_cancelled()) {
                token.cancel();
            }
        }
        token
    }

    fn end(&self, incoming: &Incoming) {
        if commands::stoppable(&incoming.input) {
            self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&incoming.chat);
        }
    }
}
