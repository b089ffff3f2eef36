//! One endpoint with one model: a call becomes requests, and their answers become a completion.
//!
//! In order: the breaker lets a request through; it is sent in the dialect known to work; a refusal that is
//! about the dialect is answered with a simpler one; an outage is waited out, at most
//! `MODEL_ATTEMPTS_MAX` attempts in all. Every answer is streamed where the endpoint can: the stage's time-out bounds
//! the wait for the first word and each pause between words, [`STREAM_FACTOR`] times as much the whole. It is read
//! no further than to its end, which a closing brace or a marker may be as well as the server's word.
//!
//! An endpoint that did not answer a stage in time is not asked again in the same turn.
//!
//! Invariant: once words have gone out, the call is not tried again, here or elsewhere.

use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use chrono::Utc;
use reqwest::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::answer;
use super::closing::Closing;
use super::failure::{EchoGuard, Failure, retry_after};
use super::pace::EndpointPace;
use super::room::Room;
use super::size::KnownSize;
use super::stream::{BodyFault, Intake};
use super::structured::{Dialect, FormatMemory, Lesson};
use super::thoughts::SpokenWords;
use super::wire::{AnswerPiece, error_status};
use brain_core::core::breaker::Breaker;
use brain_core::limits::{
    MODEL_ATTEMPTS_MAX, MODEL_OUTAGES_MAX, MODEL_REPLY_BYTES_MAX, MODEL_REST_SECS, MODEL_RETRY_AFTER_SECS_MAX,
};
use brain_core::ports::{Call, Completion, Stage, Usage};

/// A stream that has begun may take this many times the stage's time-out in all.
const STREAM_FACTOR: u32 = 4;
/// Of an error body; its message is at the start.
const ERROR_BYTES_MAX: usize = 8 * 1024;
/// After `[DONE]`, the end of the body is awaited this long, so that the connection can be used again.
const DRAIN: Duration = Duration::from_millis(20);
/// After the end of an answer so long for the server to see it, too, and to count. Then it is hung up on: whatever it
/// still writes keeps a machine busy that the next question needs.
const LAST_WORD: Duration = Duration::from_millis(200);

/// One call on its way through one or two endpoints.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub call: &'a Call,
    pub words: SpokenWords,
    pub usage: Usage,
    pub timeout: Duration,
}

/// One endpoint and model, shared by the stages that use it.
pub(super) struct ModelLink {
    url: Url,
    pub model: String,
    key: Option<SecretString>,
    header: Option<HeaderValue>,
    prefix: &'static str,
    breaker: Breaker,
    /// The last outage: why it is left alone while the breaker is open.
    outage: Mutex<Option<Failure>>,
    pub memory: FormatMemory,
    pub room: Room,
    pub size: KnownSize,
    pace: EndpointPace,
    /// The last stream broke off: the next answer is asked for in one piece.
    stream_broke: AtomicBool,
}

impl fmt::Debug for ModelLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.place())
    }
}

impl ModelLink {
    pub fn new(
        url: Url,
        model: String,
        key: Option<SecretString>,
        header: Option<HeaderValue>,
        prefix: &'static str,
    ) -> Self {
        let size = KnownSize::of(&model);
        Self {
            url,
            model,
            key,
            header,
            prefix,
            breaker: Breaker::new(MODEL_OUTAGES_MAX, Duration::from_secs(MODEL_REST_SECS)),
            outage: Mutex::default(),
            memory: FormatMemory::default(),
            room: Room::default(),
            size,
            pace: EndpointPace::default(),
            stream_broke: AtomicBool::new(false),
        }
    }

    /// The same endpoint, model and key?
    pub fn is_same(&self, other: &Self) -> bool {
        self.url == other.url && self.model == other.model && self.header == other.header
    }

    /// Host and port: what an operator needs, without path, query and password.
    pub fn place(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Its address.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// What its key is sent in.
    pub fn header(&self) -> Option<&HeaderValue> {
        self.header.as_ref()
    }

    /// Whether a question of this stage will have to wait, as far as the last ones tell.
    pub fn is_slow(&self, stage: Stage) -> bool {
        self.pace.is_slow(stage)
    }

    pub fn takes(&self, stage: Stage) -> Option<Duration> {
        self.pace.takes(stage)
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
            let permit = match self.breaker.admit(Instant::now().into_std()) {
                Ok(permit) => permit,
                Err(left) => return Err(earlier.unwrap_or_else(|| self.resting(left))),
            };
            ask.words.restart();
            ask.usage.calls += 1;
            let failure = match self.exchange(http, ask, dialect, deadline).await {
                Ok(answer) => {
                    permit.answered();
                    self.memory.learn(stage, dialect, lesson);
                    return answer::completion(&self.memory, &self.room, ask, answer, dialect);
                }
                Err(failure) => failure,
            };
            if failure.is_outage() {
                permit.failed(Instant::now().into_std());
                *self.outage.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Failure::new(failure.kind, failure.why.clone()));
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

    /// It is not asked for so long, after what its last outage was.
    fn resting(&self, left: Duration) -> Failure {
        let outage = self.outage.lock().unwrap_or_else(PoisonError::into_inner);
        Failure::resting(left, outage.as_ref())
    }

    /// One request and its answer.
    async fn exchange(
        &self,
        http: &reqwest::Client,
        ask: &mut Ask<'_>,
        dialect: Dialect,
        deadline: Instant,
    ) -> Result<AnswerPiece, Failure> {
        let in_one_piece = dialect.no_stream || self.stream_broke.swap(false, Ordering::Relaxed);
        let dialect = Dialect { no_stream: in_one_piece, ..dialect };
        let system = dialect.system(ask.call);
        let body = dialect.request(&self.model, ask.call, &system);
        let body = serde_json::to_vec(&body).map_err(|error| Failure::unreadable(error.to_string()))?;
        drop(system);
        let begun = Instant::now();
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
        let answer = read.and_then(|first| Ok((first, self.finish(intake, ask)?)));
        if answer.is_err() && bytes_out > 0 {
            // Part of an answer is paid for like a whole one.
            answer::count_part(&mut ask.usage, ask.call, bytes_out);
        }
        let (first, answer) = answer?;
        // Words can be read as they come; anything else is of use when it is whole.
        let there = first.filter(|_| ask.call.schema.is_none()).unwrap_or_else(Instant::now);
        self.pace.took(ask.call.stage, there - begun);
        Ok(answer)
    }

    /// Reads to the end of the answer. Gives when its first word was there.
    async fn read(
        &self,
        mut response: Response,
        intake: &mut Intake,
        ask: &mut Ask<'_>,
        deadline: Instant,
    ) -> Result<Option<Instant>, Failure> {
        let last = Instant::now() + ask.timeout * STREAM_FACTOR;
        let (mut first, mut closing) = (None, Closing::default());
        loop {
            let until = if first.is_some() { last.min(Instant::now() + ask.timeout) } else { deadline };
            let chunk = match timeout_at(until, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => return Ok(first),
                Ok(Err(error)) => {
                    self.stream_broke.store(first.is_some(), Ordering::Relaxed);
                    return Err(broken(Failure::transport(error, &self.place()), ask));
                }
                Err(_) => return Err(broken(self.too_late(ask), ask)),
            };
            let mut words = String::new();
            let taken = intake.feed(&chunk, &mut words);
            ask.words.push(&words);
            taken.map_err(|trouble| self.trouble(trouble, ask))?;
            if first.is_none() && intake.has_begun() {
                first = Some(Instant::now());
            }
            if intake.is_done() {
                let drained = async { while let Ok(Some(_)) = response.chunk().await {} };
                // Either way the answer is complete.
                let _ = timeout(DRAIN, drained).await;
                return Ok(first);
            }
            if let Some(end) = end_of(intake, &mut closing, ask) {
                intake.ends_at(end);
                let rest = async {
                    while !intake.is_done()
                        && let Ok(Some(chunk)) = response.chunk().await
                        && intake.feed(&chunk, &mut String::new()).is_ok()
                    {}
                };
                let _ = timeout(LAST_WORD, rest).await;
                return Ok(first);
            }
        }
    }

    fn finish(&self, intake: Intake, ask: &mut Ask<'_>) -> Result<AnswerPiece, Failure> {
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

    fn trouble(&self, trouble: BodyFault, ask: &Ask<'_>) -> Failure {
        match trouble {
            BodyFault::TooLong => {
                Failure::unreadable(format!("it is longer than {} KiB", MODEL_REPLY_BYTES_MAX / 1024))
            }
            BodyFault::Garbage => Failure::unreadable(format!(
                "it is no chat completion; check {}BASE_URL, which usually ends in /v1",
                self.prefix
            )),
            BodyFault::BrokenOff => {
                self.stream_broke.store(true, Ordering::Relaxed);
                broken(Failure::unreachable(format!("the transfer from {} broke off", self.place())), ask)
            }
            BodyFault::Error(error) => {
                let status = error_status(&error).unwrap_or(200);
                broken(Failure::refused(status, error.to_string(), &self.said(ask), None), ask)
            }
        }
    }

    /// For [`Patience`](brain_core::ports::Patience): where it is kept, for as long as the program runs.
    pub fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn too_late(&self, ask: &Ask<'_>) -> Failure {
        ask.call.patience.loses(self.number());
        self.pace.took(ask.call.stage, ask.timeout);
        Failure::too_slow(format!("no answer from {} within {:?}", self.place(), ask.timeout))
    }

    fn said<'a>(&'a self, ask: &Ask<'a>) -> EchoGuard<'a> {
        EchoGuard { key: self.key.as_ref().map(ExposeSecret::expose_secret), user: &ask.call.user, prefix: self.prefix }
    }
}

/// Where the answer has ended although the server goes on: behind the brace that closes it, or at a marker of the
/// chat template.
fn end_of(intake: &Intake, closing: &mut Closing, ask: &Ask<'_>) -> Option<usize> {
    let answer = intake.answer();
    let closed = ask.call.schema.as_ref().and_then(|schema| closing.end(answer, schema.value()));
    closed.or_else(|| (ask.words.are_over() && !closing.is_open()).then_some(answer.len()))
}

/// A simpler dialect to try after a refusal, and whether the refusal was about one schema.
fn simpler(dialect: Dialect, failure: &Failure, ask: &Ask<'_>) -> Option<(Dialect, bool)> {
    let refusal = failure.as_refusal()?;
    let next = dialect.after_refusal(&refusal, ask.call)?;
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
