//! One endpoint with one model: a call becomes requests, and their answers become a completion.
//!
//! In order: the breaker lets a request through; it is sent in the dialect known to work; a refusal that is
//! about the dialect is answered with a simpler one; an outage is waited out, at most
//! `MODEL_ATTEMPTS_MAX` attempts in all. The stage's time-out bounds everything until the first word;
//! after it, the pause between words and [`STREAM_FACTOR`] times the time-out do.
//!
//! An endpoint that did not answer a stage in time is not asked again in the same turn.
//!
//! Invariant: once words have gone out, the call is not tried again, here or elsewhere.

use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use chrono::Utc;
use reqwest::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::breaker::Breaker;
use super::failure::{Failure, Said, retry_after};
use super::repair::{self, Ending};
use super::stream::{Intake, Trouble};
use super::structured::{Dialect, Format, Lesson, Memory, has_required};
use super::thoughts::{self, Words};
use super::wire::{Piece, error_status};
use crate::limits::{MODEL_ATTEMPTS_MAX, MODEL_REPLY_BYTES_MAX, MODEL_RETRY_AFTER_SECS_MAX};
use crate::ports::{Call, Completion, Usage};

/// A stream that has begun may take this many times the stage's time-out in all.
const STREAM_FACTOR: u32 = 4;
/// A stream that pauses longer than this between chunks is broken.
const IDLE_MAX: Duration = Duration::from_secs(20);
/// Of an error body; its message is at the start.
const ERROR_BYTES_MAX: usize = 8 * 1024;
/// After `[DONE]`, the end of the body is awaited this long, so that the connection can be used again.
const DRAIN: Duration = Duration::from_millis(20);
/// Counts beyond the bytes that were sent can only be the template around them.
const TEMPLATE_TOKENS_MAX: u64 = 4_096;

/// One call on its way through one or two endpoints.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub call: &'a Call,
    pub words: Words,
    pub usage: Usage,
    pub timeout: Duration,
}

/// One endpoint and model, shared by the stages that use it.
pub(super) struct Link {
    url: Url,
    pub model: String,
    key: Option<SecretString>,
    header: Option<HeaderValue>,
    prefix: &'static str,
    breaker: Breaker,
    memory: Memory,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.place())
    }
}

impl Link {
    pub fn new(
        url: Url,
        model: String,
        key: Option<SecretString>,
        header: Option<HeaderValue>,
        prefix: &'static str,
    ) -> Self {
        Self { url, model, key, header, prefix, breaker: Breaker::default(), memory: Memory::default() }
    }

    /// The same endpoint, model and key?
    pub fn is_same(&self, other: &Self) -> bool {
        self.url == other.url && self.model == other.model && self.header == other.header
    }

    /// Host and port: what an operator needs, without path, query and password.
    fn place(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Asks until there is an answer or a reason to stop.
    pub async fn ask(&self, http: &reqwest::Client, ask: &mut Ask<'_>) -> Result<Completion, Failure> {
        let stage = ask.call.stage;
        if ask.call.patience.is_lost_with(self.number()) {
            return Err(Failure::given_up());
        }
        let deadline = Instant::now() + ask.timeout;
        let mut pauses = pauses();
        let mut dialect = self.memory.of(stage);
        let mut lesson = Lesson::Endpoint;
        let mut earlier: Option<Failure> = None;
        loop {
            let permit = match self.breaker.admit(Instant::now()) {
                Ok(permit) => permit,
                Err(left) => return Err(earlier.unwrap_or_else(|| Failure::resting(left))),
            };
            ask.words.restart();
            ask.usage.calls += 1;
            let failure = match self.exchange(http, ask, dialect, deadline).await {
                Ok(answer) => {
                    permit.answered();
                    self.memory.learn(stage, dialect, lesson);
                    return self.completion(ask, answer, dialect);
                }
                Err(failure) => failure,
            };
            if failure.is_outage() {
                permit.failed(Instant::now());
            } else {
                permit.answered();
            }
            if ask.words.begun() {
                return Err(failure);
            }
            if let Some((next, about_schema)) = simpler(dialect, &failure, ask) {
                dialect = next;
                if about_schema {
                    lesson = Lesson::Schema;
                }
                continue;
            }
            let Some(pause) = pause(&failure, pauses.next(), deadline) else {
                return Err(failure);
            };
            earlier = Some(failure);
            sleep(pause).await;
        }
    }

    /// One request and its answer.
    async fn exchange(
        &self,
        http: &reqwest::Client,
        ask: &mut Ask<'_>,
        dialect: Dialect,
        deadline: Instant,
    ) -> Result<Piece, Failure> {
        let system = dialect.system(ask.call);
        let body = dialect.request(&self.model, ask.call, &system, ask.words.wanted());
        let body = serde_json::to_vec(&body).map_err(|error| Failure::unreadable(error.to_string()))?;
        drop(system);
        let mut request = http
            .post(self.url.clone())
            .header("X-Brain-Stage", ask.call.stage.name())
            .header(CONTENT_TYPE, "application/json")
            .header(CONTENT_LENGTH, body.len())
            .body(sent_once(body));
        if let Some(header) = &self.header {
            request = request.header(AUTHORIZATION, header.clone());
        }
        let response = timeout_at(deadline, request.send())
            .await
            .map_err(|_| self.too_late(ask))?
            .map_err(|error| Failure::transport(error, &self.place()))?;
        if !response.status().is_success() {
            return Err(self.refusal(response, ask, deadline).await);
        }
        let mut intake = Intake::default();
        let read = self.read(response, &mut intake, ask, deadline).await;
        let bytes_out = intake.words_bytes();
        let answer = read.and_then(|()| self.finish(intake, ask));
        if answer.is_err() && bytes_out > 0 {
            // Part of an answer is paid for like a whole one.
            ask.usage.tokens_in += estimate(sent_bytes(ask.call));
            ask.usage.tokens_out += estimate(bytes_out);
        }
        answer
    }

    async fn read(
        &self,
        mut response: Response,
        intake: &mut Intake,
        ask: &mut Ask<'_>,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let last = Instant::now() + ask.timeout * STREAM_FACTOR;
        loop {
            let until = if ask.words.wanted() && intake.has_begun() {
                last.min(Instant::now() + IDLE_MAX.min(ask.timeout))
            } else {
                deadline
            };
            let chunk = match timeout_at(until, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => return Ok(()),
                Ok(Err(error)) => {
                    return Err(broken(Failure::transport(error, &self.place()), ask));
                }
                Err(_) => return Err(broken(self.too_late(ask), ask)),
            };
            let mut words = String::new();
            let taken = intake.feed(&chunk, &mut words);
            ask.words.push(&words);
            taken.map_err(|trouble| self.trouble(trouble, ask))?;
            if intake.is_done() {
                let drained = async { while let Ok(Some(_)) = response.chunk().await {} };
                // Either way the answer is complete.
                let _ = timeout(DRAIN, drained).await;
                return Ok(());
            }
        }
    }

    fn finish(&self, intake: Intake, ask: &mut Ask<'_>) -> Result<Piece, Failure> {
        let mut words = String::new();
        let answer = intake.finish(&mut words);
        ask.words.push(&words);
        let answer = answer.map_err(|trouble| self.trouble(trouble, ask))?;
        ask.words.finish();
        Ok(answer)
    }

    /// An answer with an error status. Its body may fail to arrive; the status is enough then.
    async fn refusal(&self, mut response: Response, ask: &Ask<'_>, deadline: Instant) -> Failure {
        let status = response.status().as_u16();
        let wait = retry_after(response.headers(), Utc::now());
        let mut body = Vec::new();
        while body.len() < ERROR_BYTES_MAX
            && let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(ERROR_BYTES_MAX);
        let body = String::from_utf8_lossy(&body).into_owned();
        Failure::refused(status, body, &self.said(ask), wait)
    }

    fn trouble(&self, trouble: Trouble, ask: &Ask<'_>) -> Failure {
        match trouble {
            Trouble::TooLong => Failure::unreadable(format!("it is longer than {} KiB", MODEL_REPLY_BYTES_MAX / 1024)),
            Trouble::Garbage => Failure::unreadable(format!(
                "it is no chat completion; check {}BASE_URL, which usually ends in /v1",
                self.prefix
            )),
            Trouble::BrokenOff => {
                broken(Failure::unreachable(format!("the transfer from {} broke off", self.place())), ask)
            }
            Trouble::Error(error) => {
                let status = error_status(&error).unwrap_or(200);
                broken(Failure::refused(status, error.to_string(), &self.said(ask), None), ask)
            }
        }
    }

    /// For [`Patience`](crate::ports::Patience): where it is kept, for as long as the program runs.
    fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn too_late(&self, ask: &Ask<'_>) -> Failure {
        ask.call.patience.loses(self.number());
        Failure::unreachable(format!("no answer from {} within {:?}", self.place(), ask.timeout))
    }

    fn said<'a>(&'a self, ask: &Ask<'a>) -> Said<'a> {
        Said { key: self.key.as_ref().map(ExposeSecret::expose_secret), user: &ask.call.user, prefix: self.prefix }
    }

    fn completion(&self, ask: &mut Ask<'_>, answer: Piece, dialect: Dialect) -> Result<Completion, Failure> {
        let call = ask.call;
        count(&mut ask.usage, call, &answer);
        let is_cut = is_cut(&answer, call.tokens_max);
        let mut text = thoughts::strip(&answer.content);
        if text.is_empty() && call.schema.is_some() && answer.thoughts.trim_start().starts_with(['{', '`']) {
            // Some servers file a constrained answer under reasoning.
            text = answer.thoughts.trim();
        }
        if text.is_empty() {
            return Err(Failure::unreadable(if is_cut {
                "it ran into its token limit before the first word"
            } else {
                "it is empty"
            }));
        }
        let ending = if is_cut { Ending::Cut } else { Ending::Stopped };
        let json = call.schema.as_ref().and_then(|schema| {
            let json = repair::find(text, ending);
            let fits = json.as_ref().is_some_and(|json| has_required(schema.value(), json));
            if !fits
                && !is_cut
                && !answer.declined
                && dialect.format == Format::JsonSchema
                && let Some(lower) = dialect.lower_format()
            {
                // The parameter was taken and ignored; from now on the prompt says it.
                self.memory.learn(call.stage, lower, Lesson::Schema);
            }
            json
        });
        Ok(Completion { text: text.to_owned(), json, usage: ask.usage })
    }
}

/// A simpler dialect to try after a refusal, and whether the refusal was about one schema.
fn simpler(dialect: Dialect, failure: &Failure, ask: &Ask<'_>) -> Option<(Dialect, bool)> {
    let refusal = failure.as_refusal()?;
    let next = dialect.after_refusal(&refusal, ask.call, ask.words.wanted())?;
    Some((next, refusal.is_about_one_schema()))
}

/// A body that is let go of once it is sent: most of a call is waiting for the answer, and many wait at once.
fn sent_once(body: Vec<u8>) -> Body {
    let body = body.into_boxed_slice();
    Body::wrap_stream(futures::stream::once(async move { Ok::<_, Infallible>(Vec::from(body)) }))
}

/// A transfer that broke after the first words has given part of an answer, which nobody can use.
fn broken(failure: Failure, ask: &Ask<'_>) -> Failure {
    if ask.words.begun() {
        Failure::unreadable(format!("it broke off in the middle: {}", failure.why))
    } else {
        failure
    }
}

fn pauses() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(250))
        .with_max_delay(Duration::from_secs(2))
        .with_max_times(MODEL_ATTEMPTS_MAX.saturating_sub(1))
        .with_jitter()
        .build()
}

/// How long to wait before the next attempt; `None` when there is none: the failure will not pass, the
/// attempts are used up, or the time is.
fn pause(failure: &Failure, next: Option<Duration>, deadline: Instant) -> Option<Duration> {
    let next = next.filter(|_| failure.is_transient())?;
    let wait = failure.retry_after.unwrap_or_default();
    let pause = next.max(wait);
    let is_worth_it = wait <= Duration::from_secs(MODEL_RETRY_AFTER_SECS_MAX) && Instant::now() + pause < deadline;
    is_worth_it.then_some(pause)
}

fn is_cut(answer: &Piece, tokens_max: u32) -> bool {
    let said = answer.finish.as_deref().unwrap_or_default().to_ascii_lowercase();
    let is_full = || answer.counts.tokens_out.is_some_and(|count| count >= u64::from(tokens_max));
    said.contains("length") || said.contains("max_") || (said.is_empty() && is_full())
}

/// The endpoint's counts where they are possible, else bytes / 4.
fn count(usage: &mut Usage, call: &Call, answer: &Piece) {
    let bytes_in = sent_bytes(call);
    let bytes_out = answer.content.len() + answer.thoughts.len();
    let possible = |count: Option<u64>, most: u64| count.filter(|count| (1..=most).contains(count));
    usage.tokens_in +=
        possible(answer.counts.tokens_in, bytes_in as u64 + TEMPLATE_TOKENS_MAX).unwrap_or_else(|| estimate(bytes_in));
    usage.tokens_out +=
        possible(answer.counts.tokens_out, MODEL_REPLY_BYTES_MAX as u64).unwrap_or_else(|| estimate(bytes_out));
}

fn sent_bytes(call: &Call) -> usize {
    call.system.len() + call.user.len()
}

fn estimate(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
