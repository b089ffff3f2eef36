//! The program as it is put together for its users, over a model that is a script.

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use brain_agent::app::{self, Parts};
use brain_agent::clock::SystemClock;
use brain_agent::config::Config;
use brain_agent::core::history::tokens;
use brain_agent::core::ids::{ChatId, MessageId, RunId, UserId};
use brain_agent::core::markup::Formatted;
use brain_agent::core::turn::{Edit, Incoming, Input, Origin, Reply};
use brain_agent::pipeline::brain::Brain;
use brain_agent::pipeline::handle_turn;
use brain_agent::pipeline::stages::compress;
use brain_agent::ports::records::{Message, TurnTrace};
use brain_agent::ports::{
    Call, Channel, Completion, Model, ModelError, Planning, RecordExt as _, SendError, Stage, Usage, Wording,
};
use brain_agent::store::RedbStore;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

pub const OWNER: &str = "me";

pub struct Talk {
    pub brain: Brain,
    store: Arc<RedbStore>,
    asked: Arc<Script>,
    channel: Arc<Listening>,
}

/// What one turn took.
pub struct Taken {
    pub turn: Duration,
    /// If there was anything to shorten.
    pub shortening: Option<Duration>,
    /// The tokens of what each stage was asked.
    pub prompts: Vec<(Stage, usize)>,
    /// What was asked of a planner.
    pub plans: Vec<String>,
    pub answer: String,
}

impl Talk {
    pub async fn open(data: &Path) -> Self {
        let store = app::open_store(data).await.expect("a store");
        let channel = Arc::new(Listening::default());
        let env = [
            ("LLM_BASE_URL", "http://127.0.0.1:9/v1"),
            ("LLM_API_KEY", "bench"),
            ("LLM_MODEL", "script"),
            ("BRAIN_TIMEZONE", "UTC"),
        ];
        let env = env.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let config = Config::parse(env, Vec::new()).expect("a configuration");
        let parts = Parts {
            store: store.clone(),
            data_dir: data.to_owned(),
            clock: Arc::new(SystemClock::new()),
            channel: channel.clone(),
            zone: None,
        };
        let mut brain = app::build(&config, parts).expect("a brain");
        let asked = Arc::new(Script::default());
        brain.model = Some(asked.clone());
        brain.policy.skip_router = false;
        brain.policy.skip_planner = false;
        brain.policy.planning = Planning::Whole;
        brain.policy.wording = Wording::Always;
        Self { brain, store, asked, channel }
    }

    pub fn chat() -> ChatId {
        ChatId::new(format!("console:{OWNER}"))
    }

    /// One turn, and what is done after it.
    pub async fn says(&self, text: &str) -> Taken {
        let number = self.channel.next_id();
        let incoming = Incoming {
            turn: RunId::new(self.brain.new_id()),
            user: UserId::new(OWNER),
            chat: Self::chat(),
            message_id: number,
            at: self.brain.clock.now(),
            input: Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None },
            inbox: None,
            parts: Vec::new(),
            quote: None,
        };
        let began = Instant::now();
        handle_turn(&self.brain, &incoming).await;
        let turn = began.elapsed();
        let began = Instant::now();
        compress::shorten(&self.brain, &incoming.chat, &incoming.user).await.expect("a summary");
        let took = began.elapsed();
        let calls = std::mem::take(&mut *self.asked.calls.lock().unwrap());
        let is_made = calls.iter().any(|call| call.stage == Stage::Summarize);
        let prompts = calls.iter().map(|call| (call.stage, tokens(&call.system) + tokens(&call.user))).collect();
        let plans = calls.iter().filter(|call| call.stage == Stage::Plan).map(|call| call.user.to_string()).collect();
        let answer = std::mem::take(&mut *self.channel.said.lock().unwrap());
        Taken { turn, shortening: is_made.then_some(took), prompts, plans, answer }
    }

    /// Everything that was said, oldest first.
    pub async fn messages(&self) -> Vec<String> {
        let messages = self.store.list_all::<Message>(&[]).await.expect("the conversation");
        messages.into_iter().map(|message| message.text).collect()
    }

    /// How long the last turns were after what may matter for a prompt, those that asked a planner.
    pub async fn fetching(&self, last: usize) -> Vec<Duration> {
        let traces = self.store.list_all::<TurnTrace>(&[]).await.expect("the traces");
        let spans = traces.iter().rev().take(last).flat_map(|trace| &trace.spans);
        spans.filter(|span| span.name == "context").map(|span| Duration::from_micros(span.us)).collect()
    }

    pub async fn close(self) {
        self.store.close().await;
    }
}

/// Answers at once.
#[derive(Debug, Default)]
struct Script {
    calls: Mutex<Vec<Call>>,
}

/// The message at the end of a prompt.
fn message(user: &str) -> &str {
    let said = user.rsplit("\nRequest: ").next().unwrap_or_default();
    said.rsplit("Message: ").next().unwrap_or_default().trim()
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(from)?;
    Some(rest.split_once(to).map_or(rest, |(found, _)| found))
}

fn route(said: &str) -> Value {
    let domain = match said {
        _ if said.starts_with("please put") => "task",
        _ if said.starts_with("remember") || said.starts_with("what did") => "memory",
        _ => return json!({"type": "chat", "domains": [], "is_followup": false}),
    };
    json!({"type": "action", "domains": [domain], "is_followup": false})
}

fn plan(said: &str) -> Value {
    let (service, command, params) = if let Some(title) = between(said, "please put the ", " on my list") {
        ("task", "create", json!({"title": title}))
    } else if let Some(place) = between(said, "the code of the ", " locker") {
        let code = said.rsplit(' ').next().unwrap_or_default();
        ("memory", "store", json!({"key": format!("code of the {place} locker"), "value": code}))
    } else {
        ("memory", "recall", json!({"query": said.trim_start_matches("what did I tell you about ")}))
    };
    let action = json!({"service": service, "command": command, "params": params, "reasoning": "", "depends_on": []});
    json!({"actions": [action], "question": null, "open": null})
}

/// A third of what is to be summed up, line by line, the newest of it.
fn summary(user: &str) -> Value {
    let source = user.replace("Notes so far", "").replace("Said since", "").replace("Notes, up to date:", "");
    let mut left = (source.len() / 3).min(700);
    let mut copied: Vec<&str> = Vec::new();
    for line in source.lines().rev() {
        let Some(rest) = left.checked_sub(line.len() + 1) else { break };
        left = rest;
        copied.push(line);
    }
    copied.reverse();
    json!(copied.join("\n"))
}

#[async_trait]
impl Model for Script {
    async fn complete(&self, call: Call, _: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        let said = message(&call.user).to_owned();
        let usage = Usage { calls: 1, tokens_in: 1, tokens_out: 1, ..Usage::default() };
        let answer = match call.stage {
            Stage::Route => route(&said),
            Stage::Plan => plan(&said),
            Stage::Summarize => summary(&call.user),
            Stage::Guard | Stage::Reflect | Stage::Chat | Stage::Respond => json!("There you are, as you wanted it."),
            Stage::Select
            | Stage::SelectServices
            | Stage::SelectCommands
            | Stage::BuildParams
            | Stage::Decompose
            | Stage::Template
            | Stage::Extract
            | Stage::Rank
            | Stage::Classify
            | Stage::Synthesize
            | Stage::Converse => Value::Null,
        };
        self.calls.lock().unwrap().push(call);
        let text = match &answer {
            Value::Null => {
                return Err(ModelError::Unreachable { why: "the script has no answer".to_owned(), usage });
            }
            Value::String(text) => text.clone(),
            json => json.to_string(),
        };
        let json = (!answer.is_string()).then_some(answer);
        Ok(Completion { text, json, calls: Vec::new(), usage, is_substitute: false })
    }

    fn is_slow(&self, _: Stage) -> bool {
        false
    }
}

/// Keeps what was said last.
#[derive(Debug, Default)]
struct Listening {
    last_id: AtomicI64,
    said: Mutex<String>,
}

impl Listening {
    fn next_id(&self) -> MessageId {
        MessageId(self.last_id.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

#[async_trait]
impl Channel for Listening {
    async fn typing(&self, _: &ChatId) {}

    async fn status(&self, _: &ChatId, _: &str) {}

    fn shows_drafts(&self, _: &ChatId) -> bool {
        false
    }

    async fn draft(&self, _: &ChatId, _: &Formatted) {}

    async fn send(&self, _: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        self.said.lock().unwrap().push_str(&reply.text);
        Ok(self.next_id())
    }

    async fn edit(&self, _: &ChatId, _: &Edit) -> Result<(), SendError> {
        Ok(())
    }

    fn try_again(&self, _: &ChatId) {}
}
