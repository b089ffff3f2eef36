//! What the scripted endpoint is asked, what it answers, and a queue of answers by stage.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

/// One request to `/v1/chat/completions`.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Header `X-Brain-Stage`, empty when it is missing. A conversation is scripted by what it takes the place of: what is
    /// said first is a plan, and what is said after that are words about what came of it.
    pub stage: String,
    /// It is one: words are wrapped as its answers are.
    pub in_conversation: bool,
    pub model: String,
    /// Role and text; parts of a content list are joined by line breaks.
    pub messages: Vec<(String, String)>,
    pub response_format: Option<Value>,
    pub stream: bool,
    pub authorization: Option<String>,
    /// How many requests of this stage came before; always 0 on the simulated server, which counts nothing.
    pub nth: usize,
    pub body: Value,
}

impl ModelRequest {
    /// All text of `role`, joined by line breaks.
    pub fn said_by(&self, role: &str) -> String {
        let texts: Vec<&str> = self.messages.iter().filter(|(r, _)| r == role).map(|(_, text)| text.as_str()).collect();
        texts.join("\n")
    }

    pub fn prompt(&self) -> String {
        let texts: Vec<&str> = self.messages.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("\n")
    }

    pub fn prompt_chars(&self) -> usize {
        self.messages.iter().map(|(_, text)| text.chars().count()).sum()
    }
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The text of the assistant's message.
    Text(String),
    /// The whole HTTP body, whatever it is.
    Raw(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Whole,
    /// Never answers; the connection stays open.
    Hang,
    /// Half of the body, then the connection closes.
    CutMidway,
    /// The connection closes without a byte.
    Refuse,
}

/// One answer of the scripted endpoint.
#[derive(Clone, Debug)]
pub struct ModelReply {
    pub(super) content: Content,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delay: Duration,
    /// Waits for [`ModelServer::release`](super::ModelServer::release).
    pub(super) is_held: bool,
    pub(super) manner: Manner,
    pub(super) chunk_chars: usize,
    pub(super) chunk_delay: Duration,
    pub(super) ignores_stream: bool,
    pub(super) usage: Usage,
    pub(super) finish_reason: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Usage {
    /// A quarter of the characters, as most tokenizers come out on English.
    Estimated,
    Exactly {
        prompt: u64,
        completion: u64,
    },
    Missing,
}

impl ModelReply {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: Content::Text(text.into()),
            status: 200,
            headers: Vec::new(),
            delay: Duration::ZERO,
            is_held: false,
            manner: Manner::Whole,
            chunk_chars: 12,
            chunk_delay: Duration::ZERO,
            ignores_stream: false,
            usage: Usage::Estimated,
            finish_reason: Some("stop".to_owned()),
        }
    }

    /// What the router takes a message for.
    pub fn route(kind: &str, domains: &[&str]) -> Self {
        Self::json(json!({"type": kind, "domains": domains, "is_followup": false}))
    }

    /// A plan of these actions, with nothing left open.
    pub fn plan(actions: &[Value]) -> Self {
        Self::json(json!({"actions": actions, "question": null, "open": null}))
    }

    /// Structured output: the message is `value` as JSON.
    pub fn json(value: Value) -> Self {
        Self::text(value.to_string())
    }

    /// A status with the error body that such endpoints send.
    pub fn status(status: u16) -> Self {
        let error = json!({"error": {"message": format!("scripted status {status}"), "type": "server_error", "param": null, "code": null}});
        Self { status, ..Self::raw(error.to_string()) }
    }

    /// The whole HTTP body, to be as wrong as a test needs it.
    pub fn raw(body: impl Into<String>) -> Self {
        Self { content: Content::Raw(body.into()), ..Self::text("") }
    }

    pub fn hang() -> Self {
        Self { manner: Manner::Hang, ..Self::text("") }
    }

    /// Status and headers arrive, then half of the body, then the connection closes.
    pub fn half_json() -> Self {
        let text = json!({"answer": "this answer is never heard to its end, however long one listens"}).to_string();
        Self { manner: Manner::CutMidway, ..Self::text(text) }
    }

    /// The connection closes without a byte of an answer.
    pub fn refuse() -> Self {
        Self { manner: Manner::Refuse, ..Self::text("") }
    }

    /// Structured output the way chatty models give it: fenced, with prose before and after.
    pub fn prose_around(value: Value) -> Self {
        Self::text(format!(
            "Sure! Here is the JSON you asked for:\n\n```json\n{value:#}\n```\n\nLet me know if it helps."
        ))
    }

    /// Answers after this long.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Answers once the server is told to release what it holds: as late as a test needs it, on any machine.
    pub fn held(self) -> Self {
        Self { is_held: true, ..self }
    }

    pub fn retry_after(self, seconds: u64) -> Self {
        self.header("Retry-After", &seconds.to_string())
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// When the request asks to stream: pieces of `chars` characters, `delay` between them.
    pub fn chunks(self, chars: usize, delay: Duration) -> Self {
        Self { chunk_chars: chars.max(1), chunk_delay: delay, ..self }
    }

    /// Answers in one piece even when the request asks to stream.
    pub fn ignoring_stream(self) -> Self {
        Self { ignores_stream: true, ..self }
    }

    pub fn midway(self) -> Self {
        Self { manner: Manner::CutMidway, ..self }
    }

    pub fn usage(self, prompt: u64, completion: u64) -> Self {
        Self { usage: Usage::Exactly { prompt, completion }, ..self }
    }

    pub fn no_usage(self) -> Self {
        Self { usage: Usage::Missing, ..self }
    }

    /// `None` leaves the field out.
    pub fn finish_reason(self, reason: Option<&str>) -> Self {
        Self { finish_reason: reason.map(str::to_owned), ..self }
    }

    /// Words as a conversation has them; anything else as it is.
    pub(super) fn into_said(self) -> Self {
        let words = match &self.content {
            Content::Text(text) if !text.trim_start().starts_with(['{', '`']) => text.clone(),
            Content::Text(_) | Content::Raw(_) => return self,
        };
        let said = json!({"actions": [], "question": null, "open": null, "reply": words}).to_string();
        Self { content: Content::Text(said), ..self }
    }

    pub(super) fn usage_for(&self, request: &ModelRequest) -> Option<Value> {
        let quarter = |chars: usize| chars.div_ceil(4) as u64;
        let (prompt, completion) = match (self.usage, &self.content) {
            (Usage::Missing, _) => return None,
            (Usage::Exactly { prompt, completion }, _) => (prompt, completion),
            (Usage::Estimated, Content::Text(text) | Content::Raw(text)) => {
                (quarter(request.prompt_chars()), quarter(text.chars().count()))
            }
        };
        Some(json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}))
    }
}

/// Answers queued by stage. A stage whose queue is empty gives its standing answer, then the default; without
/// either, the call is one too many and fails the test.
#[derive(Debug, Default)]
pub struct Script {
    queues: Mutex<BTreeMap<String, VecDeque<ModelReply>>>,
    standing: BTreeMap<String, ModelReply>,
    otherwise: Option<ModelReply>,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next answer of `stage`, once.
    pub fn then(self, stage: &str, reply: ModelReply) -> Self {
        self.queues.lock().unwrap().entry(stage.to_owned()).or_default().push_back(reply);
        self
    }

    /// What `stage` answers whenever its queue is empty.
    pub fn always(mut self, stage: &str, reply: ModelReply) -> Self {
        self.standing.insert(stage.to_owned(), reply);
        self
    }

    pub fn otherwise(mut self, reply: ModelReply) -> Self {
        self.otherwise = Some(reply);
        self
    }

    pub(super) fn answer(&self, request: &ModelRequest) -> ModelReply {
        // Small talk says what words about results would, unless a test says otherwise; so does a conversation.
        let words = if request.stage == "chat" || request.in_conversation { "respond" } else { &request.stage };
        let mut queues = self.queues.lock().unwrap();
        let stages = [request.stage.as_str(), words];
        let queued = stages.iter().find_map(|stage| queues.get_mut(*stage).and_then(VecDeque::pop_front));
        let standing = || stages.iter().find_map(|stage| self.standing.get(*stage).cloned());
        queued.or_else(standing).or_else(|| self.otherwise.clone()).unwrap_or_else(|| {
            panic!("the script has no answer for call {} of stage {:?}", request.nth + 1, request.stage)
        })
    }
}
