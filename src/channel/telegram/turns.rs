//! From a stored update to its turn, and what is done when a turn breaks.
//!
//! Invariants: every update that was stored open is closed by its turn's commit, or by one here, or stays open
//! and is handled after the next start; a panic ends one turn, is told, and what it left undone stays undone.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use serde::de::IgnoredAny;
use teloxide_core::payloads::AnswerCallbackQuery;
use teloxide_core::types::CallbackQueryId;
use tokio_util::sync::CancellationToken;

use super::access::Access;
use super::channel::TelegramChannel;
use super::convert::{self, ChatUpdate, Me, Said, UpdateKind};
use super::inbox::{Inbox, WaitingUpdate};
use super::queue::{Entrance, Full, Lane, Queues, Rest};
use super::{edits, gather, groups};
use crate::config::telegram_user;
use crate::core::ids::{ChatId, MessageId, RunId};
use crate::core::outcome::Outcome;
use crate::core::run::{Run, StepProgress};
use crate::core::turn::{Incoming, Input, Reply};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::handle_turn_in;
use crate::pipeline::intake::commands;
use crate::pipeline::intake::debounce::Debounce;
use crate::ports::records::Show;
use crate::ports::{Batch, Expect, Key, RecordExt, StoreError, Transcriber};

const BUSY: &str = "I still have many of your messages to answer, so I did not keep this one. Please send it again in a few minutes, with anything you wrote after it.";
const BROKEN: &str = "Something went wrong inside me, and I stopped there. Nothing more was done. Please check /today or /tasks before you send it again.";

/// What every turn on Telegram works with.
#[derive(Debug)]
pub(super) struct Desk {
    pub brain: Arc<Brain>,
    pub chat: Arc<TelegramChannel>,
    pub access: Access,
    pub inbox: Inbox,
    pub me: Me,
    /// How long a person's next message may join the last one.
    pub pause: Duration,
    /// Who listens to recordings.
    pub transcriber: Option<Arc<dyn Transcriber>>,
}

impl Desk {
    /// Whether a turn of this chat is under way, apart from presses and `/cancel`.
    fn is_busy(&self, chat: &ChatId) -> bool {
        self.under_way(chat).is_some()
    }

    /// What stops the turn of this chat that is under way, when there is one.
    pub fn under_way(&self, chat: &ChatId) -> Option<CancellationToken> {
        self.brain.running.lock().unwrap_or_else(PoisonError::into_inner).get(chat).cloned()
    }

    /// Whether the person has stopped the turn of this chat that is under way.
    pub fn is_cancelled(&self, heard: &ChatUpdate) -> bool {
        self.under_way(&heard.place.id()).is_some_and(|token| token.is_cancelled())
    }

    /// How long the rest of a sentence is waited for that would otherwise be asked for.
    pub fn longest_pause(&self) -> Duration {
        self.pause * limits::DEBOUNCE_ASKING_FACTOR
    }
}

/// A stored update and what it means.
#[derive(Debug)]
pub(super) struct Job {
    pub entry: WaitingUpdate,
    pub heard: ChatUpdate,
    /// What had already joined it in an earlier life.
    pub more: Vec<(WaitingUpdate, ChatUpdate)>,
    /// Whether an earlier life may have begun it.
    pub resumed: bool,
}

impl Job {
    /// Something that has just come in.
    pub fn new(entry: WaitingUpdate, heard: ChatUpdate) -> Self {
        Self { entry, heard, more: Vec::new(), resumed: false }
    }

    /// Its line; none for what waits for nobody.
    fn lane(&self) -> Option<Lane> {
        match &self.heard.what {
            UpdateKind::Press(message, data) if commands::overtakes(&press(*message, data)) => Some(Lane::Presses),
            UpdateKind::Said(said) if is_cancel(said) => None,
            UpdateKind::Press(..) | UpdateKind::Said(_) | UpdateKind::Edited(_) | UpdateKind::Added => {
                Some(Lane::Messages)
            }
        }
    }
}

/// `/cancel`, however it is written.
pub(super) fn is_cancel(said: &Said) -> bool {
    let Said { text, origin, reply_to, .. } = said.clone();
    commands::overtakes(&Input::Message { text, origin, reply_to })
}

fn press(message: MessageId, data: &str) -> Input {
    Input::Press { data: data.to_owned(), message: Some(message) }
}

/// Gives a new update its place.
pub(super) fn begin(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, job: Job) {
    acknowledge_press(desk, queues, &job.heard);
    let Some(lane) = job.lane() else {
        queues.overtake(job);
        return;
    };
    let chat = job.heard.place.id();
    if let Err(Full { job, first }) = queues.push(&chat, lane, job, Entrance::IfRoom) {
        let desk = desk.clone();
        queues.aside(async move { turn_away(&desk, &job, first).await });
    }
}

/// Handles what an earlier life left open, in order, before anything new. What had joined is still together.
pub(super) async fn resume(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, open: Vec<WaitingUpdate>) {
    let mut jobs: Vec<Job> = Vec::new();
    for entry in open {
        let heard = convert::hear(&entry.raw, &desk.me).filter(|heard| desk.access.serves(heard.who));
        let Some(heard) = heard else {
            if let Err(error) = desk.inbox.close_now(&entry).await {
                tracing::error!(%error, "an update could not be closed");
            }
            continue;
        };
        match entry.joins.and_then(|first| jobs.iter_mut().find(|job| job.entry.update == first)) {
            Some(job) => job.more.push((entry, heard)),
            None => jobs.push(Job { resumed: true, ..Job::new(entry, heard) }),
        }
    }
    for job in jobs {
        acknowledge_press(desk, queues, &job.heard);
        let chat = job.heard.place.id();
        match job.lane() {
            // A promised place is always given.
            Some(lane) => drop(queues.push(&chat, lane, job, Entrance::Promised)),
            None => queues.overtake(job),
        }
    }
}

/// Takes the little clock off a pressed button, at once. Best effort.
pub(super) fn acknowledge_press(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, heard: &ChatUpdate) {
    let Some(query) = heard.callback.clone() else { return };
    let desk = desk.clone();
    queues.aside(async move {
        let call = AnswerCallbackQuery::new(CallbackQueryId(query));
        if let Err(error) = desk.chat.wire.api.call::<_, IgnoredAny>(&call).await {
            tracing::debug!(%error, "a press could not be acknowledged");
        }
    });
}

/// Does a job, whatever comes of it.
pub(super) async fn handle(desk: Arc<Desk>, job: Job, rest: Rest<Job>) {
    let ended = AssertUnwindSafe(dispatch(&desk, job, &rest)).catch_unwind().await;
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "an update stays open; it is handled again after the next start"),
        // A turn that breaks is caught and told where it runs; this is the last net under its line.
        Err(_panic) => tracing::error!("an update broke before its turn; it is handled again after the next start"),
    }
}

async fn dispatch(desk: &Desk, job: Job, rest: &Rest<Job>) -> Result<(), StoreError> {
    let private = job.heard.private;
    if let UpdateKind::Said(_) | UpdateKind::Added = job.heard.what {
        // Who writes to us, or lets us in, lets us answer.
        desk.brain.unblocked(&job.heard.place.id()).await?;
    }
    match job.heard.what.clone() {
        UpdateKind::Said(_) if private => gather::said(desk, job, rest).await,
        UpdateKind::Said(said) => groups::said(desk, job, said, rest).await,
        UpdateKind::Edited(said) => edits::offer(desk, &job, &said).await,
        UpdateKind::Press(message, data) if private => pressed(desk, &job, message, &data).await,
        // Cards are never shown in a group.
        UpdateKind::Press(..) => desk.inbox.close_now(&job.entry).await,
        UpdateKind::Added if private => desk.inbox.close_now(&job.entry).await,
        UpdateKind::Added => groups::added(desk, &job).await,
    }
}

async fn pressed(desk: &Desk, job: &Job, message: MessageId, data: &str) -> Result<(), StoreError> {
    if let Some(id) = edits::redo_of(data) {
        return edits::redo(desk, job, message, &id).await;
    }
    let incoming = incoming(job, message, press(message, data));
    run(desk, &[&job.entry], &incoming, Debounce::over()).await
}

/// A single update as a turn.
pub(super) fn incoming(job: &Job, message_id: MessageId, input: Input) -> Incoming {
    let at = match &job.heard.what {
        UpdateKind::Said(said) | UpdateKind::Edited(said) => said.written(job.entry.at),
        UpdateKind::Press(..) | UpdateKind::Added => job.entry.at,
    };
    Incoming {
        turn: RunId::new(format!("tg-{}", job.entry.update)),
        user: telegram_user(job.heard.who),
        chat: job.heard.place.id(),
        message_id,
        at,
        input,
        inbox: Some(job.entry.name.clone()),
        parts: Vec::new(),
    }
}

/// One turn, made of these updates.
pub(super) async fn run(
    desk: &Desk,
    entries: &[&WaitingUpdate],
    incoming: &Incoming,
    breath: Debounce,
) -> Result<(), StoreError> {
    let overtakes = commands::overtakes(&incoming.input);
    let ended = AssertUnwindSafe(handle_turn_in(&desk.brain, incoming, breath)).catch_unwind().await;
    // A line that the answer did not replace. An overtaker leaves the line of what it has overtaken alone.
    if !overtakes || !desk.is_busy(&incoming.chat) {
        desk.chat.settle(&incoming.chat).await;
    }
    match ended {
        Ok(_done) => Ok(()),
        Err(_panic) => {
            tracing::error!(turn = %incoming.turn, "a turn broke");
            broken(desk, entries, incoming).await
        }
    }
}

/// Tells that a turn broke. What it had begun is settled at the next start; what it had not begun is given up.
pub(super) async fn broken(desk: &Desk, entries: &[&WaitingUpdate], incoming: &Incoming) -> Result<(), StoreError> {
    if commands::stoppable(&incoming.input) {
        desk.brain.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&incoming.chat);
    }
    if desk.inbox.is_done(incoming).await? {
        // It broke after its commit: the answer is in the outbox.
        desk.chat.late.add(incoming.chat.clone());
        return Ok(());
    }
    let mut batch = Batch::default();
    for entry in entries {
        Inbox::close(entry, &mut batch)?;
    }
    let journal = Key::of(&[incoming.turn.as_str()]);
    if let Some((mut run, revision)) = desk.brain.store.load::<Run>(&journal).await? {
        run.inbox = None;
        for step in &mut run.steps {
            if step.progress == StepProgress::Planned {
                step.progress = StepProgress::Done {
                    outcome: Outcome::failed("not tried, because something went wrong inside me"),
                };
            }
        }
        batch.put(&run, Expect::Revision(revision))?;
    }
    desk.brain.tell(&incoming.chat, vec![Show::Send(Reply::text(BROKEN))], batch).await
}

/// One sentence in reply; the updates are closed with it.
pub(super) async fn say(
    desk: &Desk,
    entries: &[&WaitingUpdate],
    chat: &ChatId,
    sentence: &str,
) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    for entry in entries {
        Inbox::close(entry, &mut batch)?;
    }
    desk.brain.tell(chat, vec![Show::Send(Reply::text(sentence))], batch).await
}

/// The same as the answer to what was being read: its status line is gone afterwards.
pub(super) async fn answer(
    desk: &Desk,
    entries: &[&WaitingUpdate],
    chat: &ChatId,
    sentence: &str,
) -> Result<(), StoreError> {
    let said = say(desk, entries, chat, sentence).await;
    desk.chat.settle(chat).await;
    said
}

/// The line is full: the person is told once, so that nothing gets lost in silence.
async fn turn_away(desk: &Desk, job: &Job, first: bool) {
    let closed = if first {
        say(desk, &[&job.entry], &job.heard.place.id(), BUSY).await
    } else {
        desk.inbox.close_now(&job.entry).await
    };
    if let Err(error) = closed {
        tracing::error!(%error, "an update could not be closed");
    }
}
