//! A model that says what it is told to, stage by stage.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use brain_agent::ports::{Call, Completion, Model, ModelError, Stage, Usage};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

/// What a stage of the scripted model answers: JSON, or a string for words, or null for no answer at all.
type Says = Arc<dyn Fn(&Call) -> Value + Send + Sync>;

/// A model that says what it is told to.
#[derive(Default)]
pub struct Script {
    stages: Mutex<HashMap<Stage, Says>>,
    calls: Mutex<Vec<Call>>,
    /// How long an answer takes.
    takes: Mutex<HashMap<Stage, Duration>>,
    /// Known to be slow.
    slow: AtomicBool,
    /// Known not to be small: unless a test says so it is, and plans in steps where nothing else is set.
    large: AtomicBool,
    /// Tokens of each answer.
    tokens_out: AtomicU64,
    /// The time between two words, where words are shown as they come.
    word_by_word: Mutex<Option<Duration>>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

impl Script {
    /// What a stage answers from now on.
    pub fn on(&self, stage: Stage, says: impl Fn(&Call) -> Value + Send + Sync + 'static) {
        self.stages.lock().unwrap().insert(stage, Arc::new(says));
    }

    pub fn routes(&self, route: Value) {
        self.on(Stage::Route, move |_| route.clone());
    }

    pub fn plans(&self, plan: Value) {
        self.plans_by(move |_| plan.clone());
    }

    /// However it plans.
    pub fn plans_by(&self, says: impl Fn(&Call) -> Value + Clone + Send + Sync + 'static) {
        self.on(Stage::Plan, says.clone());
        self.on(Stage::Converse, says);
    }

    /// Routed there, and answered one after the other; the last answer stays.
    pub fn converses(&self, domains: &[&str], answers: Vec<Value>) {
        self.routes(json!({"type": "action", "domains": domains, "is_followup": false}));
        let left = Mutex::new(answers);
        self.on(Stage::Converse, move |_| {
            let mut left = left.lock().unwrap();
            if left.len() > 1 { left.remove(0) } else { left[0].clone() }
        });
    }

    /// What the person is told from now on, where a model has the word.
    pub fn says(&self, words: &str) {
        let words = Value::from(words);
        self.on(Stage::Respond, move |_| words.clone());
    }

    /// How many tokens each answer has from now on.
    pub fn answers_in_tokens(&self, tokens: u64) {
        self.tokens_out.store(tokens, Ordering::SeqCst);
    }

    /// How long the answers of a stage take from now on.
    pub fn takes(&self, stage: Stage, time: Duration) {
        self.takes.lock().unwrap().insert(stage, time);
    }

    /// Words come one by one from now on, so long after each other.
    pub fn speaks_word_by_word(&self, every: Duration) {
        *self.word_by_word.lock().unwrap() = Some(every);
    }

    /// Whether it is known to be slow.
    pub fn is_known_to_be_slow(&self, slow: bool) {
        self.slow.store(slow, Ordering::SeqCst);
    }

    /// Whether it is known to be small.
    pub fn is_known_to_be_small(&self, small: bool) {
        self.large.store(!small, Ordering::SeqCst);
    }

    /// What was asked of a stage; small talk counts as words to the person.
    pub fn asked(&self, stage: Stage) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.stage == stage || words_of(call.stage) == stage).cloned().collect()
    }

    /// The stages that were asked, in order.
    pub fn stages(&self) -> Vec<Stage> {
        self.calls.lock().unwrap().iter().map(|call| call.stage).collect()
    }

    /// Everything that was asked since the last taking.
    pub fn taken(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// What a message is, and the commands that it asks for, from now on.
    pub fn selects(&self, kind: &str, commands: Value) {
        let selected = json!({"kind": kind, "commands": commands});
        self.on(Stage::Select, move |_| selected.clone());
    }

    /// The tasks that a message is divided into from now on.
    pub fn divides(&self, kind: &str, tasks: Value) {
        let divided = json!({"kind": kind, "services": tasks});
        self.on(Stage::SelectServices, move |_| divided.clone());
    }

    /// The command that is chosen from now on for each task with these words in it.
    pub fn chooses(&self, commands: &'static [(&'static str, &'static str)]) {
        self.on(Stage::SelectCommands, move |call| {
            let part = call.user.rsplit("Of it only: ").next().unwrap_or_default();
            let chosen = commands.iter().find(|(words, _)| part.contains(words));
            json!({"commands": chosen.map(|(_, command)| command).into_iter().collect::<Vec<_>>()})
        });
    }

    /// The parameters of whatever is selected from now on.
    pub fn fills(&self, params: Value) {
        self.on(Stage::BuildParams, move |_| params.clone());
    }
}

/// Small talk says what words about results would, unless a test says otherwise.
fn words_of(stage: Stage) -> Stage {
    if stage == Stage::Chat { Stage::Respond } else { stage }
}

#[async_trait]
impl Model for Script {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        let stage = call.stage;
        let stages = self.stages.lock().unwrap().clone();
        let says = stages.get(&call.stage).or_else(|| stages.get(&words_of(stage))).cloned();
        let answer = match (says, call.stage) {
            (Some(says), _) => says(&call),
            (None, Stage::Route) => json!({"type": "chat", "domains": [], "is_followup": false}),
            (None, Stage::Plan | Stage::Converse) => json!({"actions": [], "question": null, "open": null}),
            (None, Stage::Select) => json!({"kind": "remark", "commands": []}),
            (None, Stage::SelectServices) => json!({"kind": "remark", "services": []}),
            (None, Stage::SelectCommands) => json!({"commands": []}),
            (None, Stage::BuildParams) => json!({}),
            (None, Stage::Guard | Stage::Reflect | Stage::Chat | Stage::Respond) => json!("There you are."),
            // Questions over everything are answered without it, unless a test says how.
            (
                None,
                Stage::Decompose
                | Stage::Template
                | Stage::Extract
                | Stage::Rank
                | Stage::Classify
                | Stage::Synthesize
                | Stage::Summarize,
            ) => Value::Null,
        };
        let tokens_out = self.tokens_out.load(Ordering::SeqCst).max(1);
        let usage = Usage { calls: 1, tokens_in: 1, tokens_out, ..Usage::default() };
        self.calls.lock().unwrap().push(call);
        // What the script does meanwhile (a `/cancel`) is noticed before the answer.
        tokio::task::yield_now().await;
        let times = self.takes.lock().unwrap().clone();
        let time = times.get(&stage).or_else(|| times.get(&words_of(stage))).copied();
        if let Some(time) = time {
            tokio::time::sleep(time).await;
        }
        let every = *self.word_by_word.lock().unwrap();
        if let (Some(words), Some(every), Value::String(text)) = (words, every, &answer) {
            for word in text.split_inclusive(' ') {
                tokio::time::sleep(every).await;
                let _ = words.send(word.to_owned());
            }
        }
        match answer {
            Value::Null => Err(ModelError::Unreachable { why: "the script has no answer".to_owned(), usage }),
            Value::String(text) => Ok(Completion { text, json: None, calls: Vec::new(), usage, is_substitute: false }),
            json => Ok(Completion {
                text: json.to_string(),
                json: Some(json),
                calls: Vec::new(),
                usage,
                is_substitute: false,
            }),
        }
    }

    fn is_small(&self, _stage: Stage) -> bool {
        !self.large.load(Ordering::SeqCst)
    }

    fn is_slow(&self, _: Stage) -> bool {
        self.slow.load(Ordering::SeqCst)
    }
}
