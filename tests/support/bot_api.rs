//! A Telegram Bot API that behaves like the real one as far as a bot can tell, and misbehaves on demand.
//!
//! Invariants: the server remembers everything, so a bot may be killed and started again against it; an
//! update is delivered until it is acknowledged; a call is written down before anything else happens to it;
//! only people open chats, a bot that writes to an unknown one is refused.
//! Not here: files sent by the bot other than documents, `parse_mode`, flood limits of its own (ask for them with [`Fault`]).

mod check;
mod faults;
mod incoming;
mod methods;
mod request;
mod serve;
mod state;
mod transcript;
mod webhook;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use super::internals;
use super::wire::Background;
pub use faults::Fault;
use faults::{Planned, Weather};
pub use incoming::Say;
use state::State;
pub use state::{BOT_ID, BOT_NAME, Call};
pub use transcript::{Button, SentMessage};

pub const TOKEN: &str = "4242:AAfake-token-for-the-test-Bot-API_000";

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
}

impl Shared {
    fn look<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state.lock().unwrap())
    }

    /// A change that nobody waits for.
    fn look_mut<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap())
    }

    /// A change that wakes whoever waits.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = self.look_mut(change);
        self.changed.send_modify(|version| *version += 1);
        result
    }
}

#[derive(Debug)]
struct Server {
    background: Background,
    shared: Arc<Shared>,
}

/// The fake; clones are the same server, which stops with the last of them.
#[derive(Clone, Debug)]
pub struct FakeBotApi(Arc<Server>);

impl FakeBotApi {
    #[allow(clippy::unused_async)]
    pub async fn start() -> Self {
        Self::start_blocking()
    }

    /// For tests without a runtime.
    pub fn start_blocking() -> Self {
        let shared = Arc::new(Shared { state: Mutex::new(State::new()), changed: watch::Sender::new(0) });
        let served = Arc::clone(&shared);
        let background = Background::start("bot-api", |listener| serve::serve(listener, served));
        Self(Arc::new(Server { background, shared }))
    }

    fn shared(&self) -> &Shared {
        &self.0.shared
    }

    /// As `TELEGRAM_API_URL` takes it.
    pub fn url(&self) -> String {
        format!("http://{}", self.0.background.addr())
    }

    pub fn token(&self) -> &'static str {
        TOKEN
    }
}

/// What people do.
impl FakeBotApi {
    /// A text in the private chat of `user`; its message id.
    pub fn user_says(&self, user: i64, text: &str) -> i64 {
        self.say(Say::by(user, text))
    }

    pub fn user_replies(&self, user: i64, to_message: i64, text: &str) -> i64 {
        self.say(Say::by(user, text).reply_to(to_message))
    }

    /// Any message; its id.
    pub fn say(&self, say: Say) -> i64 {
        let chat = say.chat();
        self.shared().change(|state| {
            let message = say.render(state);
            let message = state.add_message(chat, false, message);
            let id = message["message_id"].as_i64().unwrap();
            state.push_update("message", message);
            id
        })
    }

    /// An `edited_message` update in the private chat of `user`.
    pub fn user_edits(&self, user: i64, message: i64, text: &str) {
        self.shared().change(|state| incoming::edit(state, user, message, text));
    }

    /// A press in the private chat of `user`; the id of the callback query.
    pub fn press(&self, user: i64, message: i64, data: &str) -> String {
        self.press_in(user, user, message, data)
    }

    /// A press by anybody in any chat, with any data: clients can be made to send what they like.
    pub fn press_in(&self, chat: i64, user: i64, message: i64, data: &str) -> String {
        self.shared().change(|state| incoming::press(state, user, chat, message, data))
    }

    /// Makes a chat known without an update, as if the person had written long ago.
    pub fn open_chat(&self, user: i64) {
        self.shared().change(|state| {
            state.open_chat(user);
        });
    }

    /// Files a message of the bot from an earlier life; its id.
    pub fn bot_said_earlier(&self, chat: i64, text: &str) -> i64 {
        let message = incoming::earlier_bot_message(text);
        let filed = self.shared().change(|state| state.add_message(chat, true, message));
        filed["message_id"].as_i64().unwrap()
    }

    /// An update as it stands; without an `update_id` it gets the next one. Its id.
    pub fn push_raw(&self, update: Value) -> i64 {
        self.shared().change(|state| state.push_raw(update))
    }

    /// The id of the newest update.
    pub fn last_update_id(&self) -> i64 {
        self.shared().look(|state| state.last_update_id)
    }

    /// Delivers an update a second time, acknowledged or not.
    pub fn push_again(&self, update_id: i64) {
        self.shared().change(|state| {
            let update = state.updates[&update_id].clone();
            state.queue.push_back(state::Queued { id: update_id, update, again: true });
        });
    }

    /// Delivers what an update brought once more, under a number of its own.
    pub fn push_anew(&self, update_id: i64) {
        self.shared().change(|state| {
            let mut update = state.updates[&update_id].clone();
            update.as_object_mut().unwrap().remove("update_id");
            state.push_raw(update);
        });
    }

    /// The numbering goes on at `next`, as after a week of silence. Wants everything acknowledged before.
    pub fn renumber_updates(&self, next: i64) {
        self.shared().change(|state| state.last_update_id = next - 1);
    }

    /// How many updates the bot has not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.shared().look(|state| state.queue.len())
    }
}

/// What goes wrong.
impl FakeBotApi {
    /// The next call of `method` (`*`: of any) meets `fault`. Faults are met in the order they were planned.
    pub fn fail_once(&self, method: &str, fault: Fault) {
        self.fail_times(method, fault, 1);
    }

    pub fn fail_times(&self, method: &str, fault: Fault, times: usize) {
        self.plan(Planned { method: method.to_owned(), chat: None, fault, left: Some(times) });
    }

    pub fn fail_until_cleared(&self, method: &str, fault: Fault) {
        self.plan(Planned { method: method.to_owned(), chat: None, fault, left: None });
    }

    /// Until cleared, in one chat only.
    pub fn fail_in_chat(&self, chat: i64, method: &str, fault: Fault) {
        self.plan(Planned { method: method.to_owned(), chat: Some(chat), fault, left: None });
    }

    /// From now on so many of 1,000 calls of these methods meet one of these faults.
    pub fn weather(&self, seed: u64, per_mille: u64, methods: &[&str], kinds: Vec<Fault>) {
        let methods = methods.iter().map(|&m| m.to_owned()).collect();
        let weather = Weather { state: seed, per_mille, kinds, methods, met: 0 };
        self.shared().change(|state| state.weather = Some(weather));
    }

    /// How many calls the weather has struck.
    pub fn struck(&self) -> usize {
        self.shared().look(|state| state.weather.as_ref().map_or(0, |weather| weather.met))
    }

    /// Calls that hang already go on hanging.
    pub fn clear_faults(&self) {
        self.shared().change(|state| state.faults.clear());
    }

    fn plan(&self, plan: Planned) {
        self.shared().change(|state| state.faults.push(plan));
    }
}

/// What the bot did.
impl FakeBotApi {
    /// The bot's messages in this chat that are not deleted, as they read now.
    pub fn messages(&self, chat: i64) -> Vec<SentMessage> {
        self.all_messages(chat).into_iter().filter(|message| !message.deleted).collect()
    }

    /// Deleted ones too.
    pub fn all_messages(&self, chat: i64) -> Vec<SentMessage> {
        let sent = self.shared().look(|state| transcript::sent(state, chat));
        sent.iter().for_each(|message| internals::are_not_in(&message.text));
        sent
    }

    /// The calls of `method` so far, refused and unanswered ones too.
    pub fn calls(&self, method: &str) -> Vec<Call> {
        let calls = self.all_calls().into_iter();
        calls.filter(|call| call.method.eq_ignore_ascii_case(method)).collect()
    }

    pub fn all_calls(&self) -> Vec<Call> {
        self.shared().look(|state| state.calls.clone())
    }

    /// The parameters of the bot's answer to this callback query.
    pub fn callback_answer(&self, query: &str) -> Option<serde_json::Map<String, Value>> {
        self.shared().look(|state| state.callbacks.get(query).cloned().flatten())
    }

    /// Everything said and done so far, for a failure message.
    pub fn transcript(&self) -> String {
        self.shared().look(transcript::render)
    }

    /// The first message of the bot in `chat` that fits; panics with the transcript when none comes in time.
    pub async fn wait_message(&self, chat: i64, fits: impl Fn(&SentMessage) -> bool, limit: Duration) -> SentMessage {
        self.wait_for(&format!("a fitting message in chat {chat}"), limit, |api| {
            api.messages(chat).into_iter().find(|message| fits(message))
        })
        .await
    }

    /// Waits until `method` was called `count` times.
    pub async fn wait_calls(&self, method: &str, count: usize, limit: Duration) -> Vec<Call> {
        self.wait_for(&format!("{count} calls of {method}"), limit, |api| {
            Some(api.calls(method)).filter(|calls| calls.len() >= count)
        })
        .await
    }

    pub async fn wait_callback_answer(&self, query: &str, limit: Duration) -> serde_json::Map<String, Value> {
        self.wait_for("an answer to the button", limit, |api| api.callback_answer(query)).await
    }

    /// Waits until the bot has acknowledged every update.
    pub async fn wait_acknowledged(&self, limit: Duration) {
        self.wait_for("every update acknowledged", limit, |api| (api.unacknowledged() == 0).then_some(())).await;
    }

    /// Looks again after every change until `look` finds something.
    pub async fn wait_for<T>(&self, what: &str, limit: Duration, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let deadline = Instant::now() + limit;
        let mut changed = self.shared().changed.subscribe();
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if tokio::time::timeout(left, changed.changed()).await.is_err() {
                panic!("waited {limit:?} in vain for {what}\n{}", self.transcript());
            }
        }
    }
}
