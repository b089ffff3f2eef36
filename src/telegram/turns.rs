//! From a stored update to its turn, and what is done when a turn breaks.
//!
//! Invariants: every update that was stored open is closed by its turn's commit, or by one here, or stays open
//! and is handled after the next start; a panic ends one turn, is told, and what it left undone stays undone.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};

use futures::FutureExt;
use serde::de::IgnoredAny;
use teloxide_core::payloads::AnswerCallbackQuery;
use teloxide_core::types::CallbackQueryId;

use super::access::Access;
use super::convert::{self, Heard, Me, What};
use super::face::TelegramChat;
use super::inbox::{Entry, Inbox};
use super::queue::{Entrance, Full, Queues};
use crate::config::telegram_user;
use crate::core::ids::{MessageId, RunId};
use crate::core::outcome::Outcome;
use crate::core::run::{Progress, Run};
use crate::core::turn::{Incoming, Input, Reply};
use crate::pipeline::{Brain, commands, handle_turn};
use crate::ports::{Batch, Expect, Key, RecordExt, StoreError};
use crate::records::Show;

const BUSY: &str = "I'm still busy with your earlier messages and can't take more right now. Please send the newest ones again in a few minutes.";
const BROKEN: &str =
    "Something went wrong inside me, and I stopped there. Nothing more was done; please look before you ask again.";

/// What every turn on Telegram works with.
#[derive(Debug)]
pub(super) struct Desk {
    pub brain: Arc<Brain>,
    pub chat: Arc<TelegramChat>,
    pub access: Access,
    pub inbox: Inbox,
    pub me: Me,
}

/// A stored update and what it means.
#[derive(Debug)]
pub(super) struct Job {
    pub entry: Entry,
    pub heard: Heard,
}

impl Job {
    fn overtakes(&self) -> bool {
        match &self.heard.what {
            What::Turn { input, .. } => commands::overtakes(input),
            What::Wordless(_) | What::InGroup => false,
        }
    }
}

/// Gives a new update its place.
pub(super) fn begin(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, job: Job) {
    acknowledge_press(desk, queues, &job.heard);
    if job.overtakes() {
        queues.overtake(job);
        return;
    }
    let chat = job.heard.place.id();
    if let Err(Full { job, first }) = queues.push(&chat, job, Entrance::IfRoom) {
        let desk = desk.clone();
        queues.aside(async move { turn_away(&desk, &job, first).await });
    }
}

/// Handles what an earlier life left open, in order, before anything new.
pub(super) async fn resume(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, open: Vec<Entry>) {
    for entry in open {
        let heard = convert::hear(&entry.raw, &desk.me).filter(|heard| desk.access.serves(heard.who));
        let Some(heard) = heard else {
            if let Err(error) = desk.inbox.close_now(&entry).await {
                tracing::error!(%error, "an update could not be closed");
            }
            continue;
        };
        let job = Job { entry, heard };
        acknowledge_press(desk, queues, &job.heard);
        let chat = job.heard.place.id();
        if job.overtakes() {
            queues.overtake(job);
        } else {
            // A promised place is always given.
            let _ = queues.push(&chat, job, Entrance::Promised);
        }
    }
}

/// Takes the little clock off a pressed button, at once. Best effort.
pub(super) fn acknowledge_press(desk: &Arc<Desk>, queues: &Arc<Queues<Job>>, heard: &Heard) {
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
pub(super) async fn handle(desk: Arc<Desk>, job: Job) {
    let Job { entry, heard } = job;
    let ended = match heard.what {
        What::Turn { message, ref input } => turn(&desk, &entry, &heard, message, input.clone()).await,
        What::Wordless(sentence) => say(&desk, &entry, &heard, sentence).await,
        What::InGroup if heard.callback.is_some() => desk.inbox.close_now(&entry).await,
        What::InGroup => {
            let sentence = format!("Please write to me privately: https://t.me/{}", desk.me.username);
            say(&desk, &entry, &heard, &sentence).await
        }
    };
    if let Err(error) = ended {
        tracing::error!(%error, "an update stays open; it is handled again after the next start");
    }
}

async fn turn(
    desk: &Desk,
    entry: &Entry,
    heard: &Heard,
    message_id: MessageId,
    input: Input,
) -> Result<(), StoreError> {
    let overtakes = commands::overtakes(&input);
    let incoming = Incoming {
        turn: RunId::new(format!("tg-{}", entry.update)),
        user: telegram_user(heard.who),
        chat: heard.place.id(),
        message_id,
        at: entry.at,
        input,
        inbox: Some(entry.name.clone()),
    };
    let ended = AssertUnwindSafe(handle_turn(&desk.brain, &incoming)).catch_unwind().await;
    // A line that the answer did not replace. An overtaker leaves the line of what it has overtaken alone.
    if !overtakes {
        desk.chat.settle(&incoming.chat).await;
    }
    match ended {
        Ok(_done) => Ok(()),
        Err(_panic) => {
            tracing::error!(turn = %incoming.turn, "a turn broke");
            broken(desk, entry, &incoming).await
        }
    }
}

/// Tells that a turn broke. What it had begun is settled at the next start; what it had not begun is given up.
async fn broken(desk: &Desk, entry: &Entry, incoming: &Incoming) -> Result<(), StoreError> {
    if commands::stoppable(&incoming.input) {
        desk.brain.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&incoming.chat);
    }
    if desk.inbox.is_done(incoming).await? {
        // It broke after its commit: the answer is in the outbox.
        desk.chat.late.add(incoming.chat.clone());
        return Ok(());
    }
    let mut batch = Batch::default();
    Inbox::close(entry, &mut batch)?;
    let journal = Key::of(&[incoming.turn.as_str()]);
    if let Some((mut run, revision)) = desk.brain.store.load::<Run>(&journal).await? {
        run.inbox = None;
        for step in &mut run.steps {
            if step.progress == Progress::Planned {
                step.progress =
                    Progress::Done { outcome: Outcome::failed("not tried, because something went wrong inside me") };
            }
        }
        batch.put(&run, Expect::Revision(revision))?;
    }
    desk.brain.tell(&incoming.chat, vec![Show::Send(Reply::text(BROKEN))], batch).await
}

/// One sentence in reply; the update is closed with it.
async fn say(desk: &Desk, entry: &Entry, heard: &Heard, sentence: &str) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    Inbox::close(entry, &mut batch)?;
    desk.brain.tell(&heard.place.id(), vec![Show::Send(Reply::text(sentence))], batch).await
}

/// The line is full: the person is told once, so that nothing gets lost in silence.
async fn turn_away(desk: &Desk, job: &Job, first: bool) {
    let closed =
        if first { say(desk, &job.entry, &job.heard, BUSY).await } else { desk.inbox.close_now(&job.entry).await };
    if let Err(error) = closed {
        tracing::error!(%error, "an update could not be closed");
    }
}
