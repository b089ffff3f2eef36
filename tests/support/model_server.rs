//! A scripted OpenAI-compatible endpoint: `POST /v1/chat/completions`, answered as a test says.
//!
//! Invariants: the script is asked once a request, in order of arrival; every request is in the log before
//! its answer is made; a script that panics (a failed assertion, a call too many) fails the test when the
//! server is dropped, so that the program under test cannot hide it as "endpoint unreachable".
//! Not here: embeddings, transcription, TLS.

mod http;
mod reply;
mod simulated;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use super::wire::Background;
pub use reply::{ModelReply, ModelRequest, Script};
pub use simulated::{Simulated, SimulatedCall, read_simulated_log, serve_simulated};

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub struct Call {
    pub stage: String,
    pub at_received: Instant,
    /// When the last byte of the answer was handed over; `None` while it is being made, or if it never was.
    pub at_answered: Option<Instant>,
    pub prompt_chars: usize,
    pub messages: Vec<(String, String)>,
    pub response_format: Option<Value>,
    pub model: String,
    pub stream: bool,
    pub authorization: Option<String>,
    pub body: Value,
}

type Answer = dyn Fn(&ModelRequest) -> ModelReply + Send + Sync;

struct Shared {
    script: Box<Answer>,
    calls: Mutex<Vec<Call>>,
    script_panic: Mutex<Option<String>>,
    released: watch::Sender<bool>,
    /// Wanted by the simulated server only.
    log: Option<simulated::Log>,
}

/// The endpoint; stops when dropped.
pub struct ModelServer {
    background: Background,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for ModelServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelServer").field("url", &self.url()).finish_non_exhaustive()
    }
}

impl ModelServer {
    pub fn start(script: impl Fn(&ModelRequest) -> ModelReply + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared::new(Box::new(script), None));
        let served = Arc::clone(&shared);
        let background = Background::start("model-server", |listener| http::serve(listener, served));
        Self { background, shared }
    }

    pub fn scripted(script: Script) -> Self {
        Self::start(move |request| script.answer(request))
    }

    /// The base URL, as `LLM_BASE_URL` takes it.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.background.addr())
    }

    pub fn calls(&self) -> Vec<Call> {
        self.shared.calls.lock().unwrap().clone()
    }

    pub fn calls_of(&self, stage: &str) -> Vec<Call> {
        // Small talk is words to the person as well.
        let is_asked = |asked: &str| asked == stage || asked == "chat" && stage == "respond";
        self.calls().into_iter().filter(|call| is_asked(&call.stage)).collect()
    }

    /// The stages in order of arrival.
    pub fn stages(&self) -> Vec<String> {
        self.calls().into_iter().map(|call| call.stage).collect()
    }

    /// Lets the answers go that are [held](ModelReply::held), now and later.
    pub fn release(&self) {
        self.shared.released.send_replace(true);
    }

    pub fn forget_calls(&self) {
        self.shared.calls.lock().unwrap().clear();
    }

    /// The most requests that were being answered at one moment.
    pub fn most_at_once(&self) -> usize {
        let calls = self.calls();
        let open_at = |at: Instant| {
            calls.iter().filter(|c| c.at_received <= at && c.at_answered.is_none_or(|end| end > at)).count()
        };
        calls.iter().map(|call| open_at(call.at_received)).max().unwrap_or(0)
    }

    /// Waits until `stage` was called `count` times; panics with the stages seen when it was not.
    pub async fn wait_calls(&self, stage: &str, count: usize, limit: Duration) -> Vec<Call> {
        let started = Instant::now();
        loop {
            let calls = self.calls_of(stage);
            if calls.len() >= count {
                return calls;
            }
            assert!(started.elapsed() < limit, "no {count} calls of {stage}; stages: {:?}", self.stages());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let failure = self.shared.script_panic.lock().unwrap().take();
        if let (Some(message), false) = (failure, std::thread::panicking()) {
            panic!("the model script failed: {message}");
        }
    }
}

impl Shared {
    fn new(script: Box<Answer>, log: Option<simulated::Log>) -> Self {
        Self {
            script,
            calls: Mutex::new(Vec::new()),
            script_panic: Mutex::new(None),
            released: watch::Sender::new(false),
            log,
        }
    }
}
