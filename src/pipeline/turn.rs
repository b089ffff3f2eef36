//! What a turn knows while it runs: who, where, when, what was said before, and what it has cost so far. Not here:
//! what it comes to (an `Answer`, see [`super::commit`]).

pub mod debounce;
mod heard;
pub(super) mod open;
mod pointed;
mod question;
mod read;
mod said;
pub(super) mod status;
mod waiting;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::debounce::Debounce;
use self::heard::Understanding;

pub use self::pointed::PointedAt;
use self::read::Beginning;
use self::waiting::ModelWait;
use super::brain::Brain;
use crate::core::ids::{ChatId, UserId};
use crate::core::markup::Formatted;
use crate::core::outcome::Report;
use crate::core::pending::Pending;
use crate::core::plan::PlannedAction;
use crate::core::progress::Progress;
use crate::core::turn::{Done, Incoming, Input, Origin, Path};
use crate::language::time::Reference;
use crate::limits;
use crate::ports::records::{ChatState, Message, PendingOpen, Shown, SpanOutcome, StageSpan, User};
use crate::ports::{Patience, StoreError, Usage};
use crate::queries::pending::OpenCards;
use crate::services::service::RequestContext;

/// Why a turn ends before its answer.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// `/cancel`.
    #[error("stopped on request")]
    Cancelled,
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One turn under way.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Everything it works with.
    pub brain: &'a Brain,
    /// What came in.
    pub incoming: &'a Incoming,
    /// For whom, when and where.
    pub ctx: RequestContext,
    /// The person.
    pub user: User,
    /// The chat as it was when the turn began.
    pub state: ChatState,
    /// The last messages, oldest first, without this one.
    pub history: Vec<Message>,
    /// The message of ours that this one replies to, as it is shown now.
    pub replied: Option<Shown>,
    /// The answer or reminder that it belongs to.
    pub replied_message: Option<Message>,
    /// The pending action whose card this message replies to, in any state and of any owner.
    pub replied_card: Option<Pending>,
    /// This person's open pending actions in this chat, oldest first.
    pub open: Vec<Pending>,
    /// What of the cards that are open in this chat cannot be read, whoever they belong to.
    pub broken: Vec<(PendingOpen, u64)>,
    /// True when other people's cards are open in this chat, too.
    pub others_wait: bool,
    /// Whether this replies to a card that cannot be read.
    pub replied_to_unreadable: bool,
    /// Ends it early.
    pub cancel: CancellationToken,
    /// What it has to wait for before it writes.
    pub debounce: Debounce,
    /// What it has learned about the models' endpoints.
    pub patience: Patience,
    began: Instant,
    account: Mutex<Account>,
    waiting: ModelWait,
    /// Guard and router have agreed: words may be shown as they come.
    agreed: AtomicBool,
    /// They are being shown.
    speaking: AtomicBool,
    /// This message answers the question that was open.
    answers_question: AtomicBool,
    /// A row of the last answer that its words point at, and what they are understood as with it.
    pointed: OnceLock<(PointedAt, Understanding)>,
    /// What its words were understood as when it began.
    understanding: OnceLock<Understanding>,
}

/// What a turn has cost and done so far.
#[derive(Debug)]
struct Account {
    usage: Usage,
    fallbacks: BTreeSet<String>,
    spans: Vec<StageSpan>,
    doing: Progress,
    /// Receipts, from the moment they are known.
    known: String,
    /// When the words were written that a press stands for.
    written: Option<DateTime<Utc>>,
}

impl<'a> Turn<'a> {
    /// Reads what a turn needs to know.
    pub async fn open(
        brain: &'a Brain,
        incoming: &'a Incoming,
        cancel: CancellationToken,
        debounce: Debounce,
    ) -> Result<Self, StoreError> {
        let began = Instant::now();
        let Beginning {
            user,
            state,
            history,
            replied,
            replied_message,
            replied_card,
            replied_to_unreadable,
            open: all_open,
        } = read::beginning(brain, incoming).await?;
        let OpenCards { cards: all_open, broken, is_one_hidden } = all_open;
        let ctx = brain.request_context(&user, &incoming.chat);
        let of_all = all_open.len();
        let open: Vec<Pending> = all_open.into_iter().filter(|pending| pending.owner == incoming.user).collect();
        let account = Account {
            usage: Usage::default(),
            fallbacks: BTreeSet::new(),
            spans: Vec::new(),
            doing: status::thinking(),
            known: String::new(),
            written: None,
        };
        Ok(Self {
            brain,
            incoming,
            ctx,
            user,
            state,
            history,
            replied,
            replied_message,
            replied_card,
            replied_to_unreadable,
            others_wait: is_one_hidden || open.len() < of_all,
            open,
            broken,
            cancel,
            debounce,
            patience: Patience::default(),
            began,
            account: Mutex::new(account),
            waiting: ModelWait::default(),
            agreed: AtomicBool::new(false),
            speaking: AtomicBool::new(false),
            answers_question: AtomicBool::new(false),
            pointed: OnceLock::new(),
            understanding: OnceLock::new(),
        })
    }

    /// What the person's words for times are relative to: the moment they wrote them.
    pub fn reference(&self) -> Reference {
        self.as_written().reference()
    }

    /// The ctx at the moment of writing: what "tomorrow's meeting" is looked for in.
    pub fn as_written(&self) -> RequestContext {
        let at = self.account(|account| account.written).unwrap_or(self.incoming.at);
        RequestContext { now: at.min(self.ctx.now), ..self.ctx.clone() }
    }

    /// What is carried out now was said at an earlier moment: "tomorrow" is the day after that one.
    pub fn was_said(&self, at: DateTime<Utc>) {
        self.account(|account| account.written = Some(at));
    }

    /// The words of this message; none for a button.
    pub fn words(&self) -> &str {
        match (&self.incoming.input, self.pointed.get()) {
            (_, Some((pointed, _))) => &pointed.text,
            (Input::Message { text, .. }, None) => text,
            (Input::Press { .. }, _) => "",
        }
    }

    /// Where the words come from.
    pub fn origin(&self) -> Origin {
        match &self.incoming.input {
            Input::Message { origin, .. } => *origin,
            Input::Press { .. } => Origin::Typed,
        }
    }

    /// Who is asking.
    pub fn owner(&self) -> &UserId {
        &self.incoming.user
    }

    /// Where.
    pub fn chat(&self) -> &ChatId {
        &self.incoming.chat
    }

    /// Adds what a model call cost.
    pub fn spent(&self, usage: Usage) {
        self.account(|account| account.usage += usage);
    }

    /// Whether anything of it was asked of a model.
    pub fn asked_a_model(&self) -> bool {
        self.account(|account| account.usage.calls > 0)
    }

    /// Notes that a stage fell back, and why, for the operator.
    pub fn fell_back(&self, stage: &str, why: &str) {
        tracing::warn!(turn = %self.incoming.turn.as_str(), stage, why, "a stage fell back");
        self.account(|account| account.fallbacks.insert(stage.to_owned()));
    }

    /// What the status line says from now on.
    pub fn doing(&self, what: Progress) {
        self.account(|account| account.doing = what);
    }

    /// Receipts that need not wait for what the turn still does.
    pub fn knows(&self, receipts: &[String]) {
        let receipts = receipts.join("\n");
        self.account(|account| account.known = receipts);
    }

    /// The receipts that are known by now.
    pub fn known(&self) -> String {
        self.account(|account| account.known.clone())
    }

    /// What the status line says, below the receipts that are known; nothing once the answer itself can be seen.
    pub fn what_it_does(&self) -> Option<String> {
        if self.speaking.load(Ordering::Relaxed) {
            return None;
        }
        let waits = self.brain.services.now().iter().find_map(|service| service.service.waited_for(self.owner()));
        let doing = waits.map(|waits| waits.to_string());
        let mut doing = doing.unwrap_or_else(|| self.account(|account| account.doing.to_string()));
        if let Some(slow) = self.waiting.told() {
            doing.push_str(&format!("\n{slow}"));
        }
        let known = Some(self.known()).filter(|known| !known.is_empty() && self.may_be_shown());
        Some(known.map_or_else(|| doing.clone(), |known| format!("{}\n\n{doing}", beginning(known))))
    }

    /// What is left of the time in which words about receipts are worth waiting for.
    pub fn time_for_words(&self) -> Duration {
        let left = Duration::from_millis(limits::TURN_MS).saturating_sub(self.began.elapsed());
        left.max(Duration::from_millis(limits::WORDS_MS_MIN))
    }

    /// Guard and router have agreed to this turn: its words may be shown from now on.
    pub fn agreed(&self) {
        self.agreed.store(true, Ordering::Relaxed);
    }

    /// Whether words may be shown before the answer is complete: not while it may still be begun anew.
    pub fn may_be_shown(&self) -> bool {
        self.agreed.load(Ordering::Relaxed) && self.debounce.is_over()
    }

    /// The answer is being shown as it is written; the status line has nothing to say any more.
    pub fn speaks(&self) {
        self.speaking.store(true, Ordering::Relaxed);
    }

    /// Microseconds since the turn began.
    pub fn elapsed_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Adds a node to the trace.
    pub fn traced(
        &self,
        name: impl Into<String>,
        start_us: u64,
        input_bytes: usize,
        usage: Usage,
        outcome: impl Into<SpanOutcome>,
    ) {
        let span = StageSpan {
            name: name.into(),
            start_us,
            us: self.elapsed_us().saturating_sub(start_us),
            input_bytes,
            tokens: (usage.tokens_in, usage.tokens_out),
            tokens_cached: usage.tokens_cached,
            outcome: outcome.into(),
        };
        tracing::info!(turn = %self.incoming.turn.as_str(), node = span.name, input_bytes = span.input_bytes,
            tokens_in = span.tokens.0, tokens_cached = span.tokens_cached, tokens_out = span.tokens.1, us = span.us, outcome = %span.outcome, "node");
        self.account(|account| account.spans.push(span));
    }

    /// Adds a node to the trace that began and ended before now.
    pub fn traced_for(&self, name: String, start_us: u64, us: u64, usage: Usage, outcome: SpanOutcome) {
        let (tokens, tokens_cached) = ((usage.tokens_in, usage.tokens_out), usage.tokens_cached);
        let span = StageSpan { name, start_us, us, input_bytes: 0, tokens, tokens_cached, outcome };
        self.account(|account| account.spans.push(span));
    }

    /// Runs something that may be stopped by `/cancel`.
    pub async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, TurnError> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(TurnError::Cancelled),
            result = work => Ok(result),
        }
    }

    /// How the turn ended, and its trace.
    pub fn sum_up(&self, path: Path, outcomes: Vec<Report>) -> (Done, Vec<StageSpan>) {
        let ms = self.began.elapsed().as_secs_f64() * 1_000.0;
        self.account(|account| {
            let done = Done {
                path,
                llm_calls: account.usage.calls,
                tokens_in: account.usage.tokens_in,
                tokens_out: account.usage.tokens_out,
                ms,
                fallbacks: account.fallbacks.iter().cloned().collect(),
                outcomes,
            };
            (done, std::mem::take(&mut account.spans))
        })
    }

    fn account<T>(&self, f: impl FnOnce(&mut Account) -> T) -> T {
        f(&mut self.account.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// As much of the receipts as one message of the channel holds; the answer has them whole.
fn beginning(receipts: String) -> String {
    let parts = Formatted::plain(receipts).split(limits::DRAFT_UTF16_MAX, limits::MESSAGE_SPANS_MAX);
    parts.into_iter().next().unwrap_or_default().text
}

/// What a planned action is called before it is settled.
pub fn report_name(planned: &PlannedAction) -> String {
    format!("{}.{}", planned.service, planned.command)
}
