//! What everything that handles an update works with, and the queues it is handled in.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use teloxide::types::UpdateId;
use tokio_util::sync::CancellationToken;

use super::access::Access;
use super::callback_acks;
use super::channel::TelegramChannel;
use super::inbox::{Inbox, turn_of};
use super::queue::ChatQueues;
use super::updates::incoming::{BotIdentity, IncomingEvent, IncomingUpdate};
use brain_core::core::ids::ChatId;
use brain_core::kept_files::KeptFiles;
use brain_core::limits;
use brain_core::ports::Transcriber;
use brain_core::ports::records::InboxEntry;
use brain_engine::pipeline::brain::Brain;

/// A stored update and what it means.
#[derive(Debug, Clone)]
pub(super) struct UpdateJob {
    pub entry: InboxEntry,
    pub update: IncomingUpdate,
    /// What had already joined it in an earlier life.
    pub joined: Vec<(InboxEntry, IncomingUpdate)>,
    /// Whether an earlier life may have begun it.
    pub resumed: bool,
}

impl UpdateJob {
    pub fn new(entry: InboxEntry, update: IncomingUpdate) -> Self {
        Self { entry, update, joined: Vec::new(), resumed: false }
    }
}

#[derive(Debug)]
pub(super) struct TelegramContext {
    pub brain: Arc<Brain>,
    pub channel: Arc<TelegramChannel>,
    pub access: Access,
    pub inbox: Inbox,
    pub me: BotIdentity,
    /// How long a person's next message may join the last one.
    pub debounce: Duration,
    pub transcriber: Option<Arc<dyn Transcriber>>,
    /// What people send to go along with their mail.
    pub files: KeptFiles,
    pub queues: Arc<ChatQueues<UpdateJob>>,
    /// What the dispatcher was given and no endpoint has taken yet.
    pub dispatched: Mutex<HashMap<UpdateId, UpdateJob>>,
    /// Held by the one update at a time that an earlier life has died with more than once.
    pub suspects: tokio::sync::Mutex<()>,
}

impl TelegramContext {
    /// What stops the turn of this chat that is running, when there is one; presses and `/cancel` do not count.
    pub fn running(&self, chat: &ChatId) -> Option<CancellationToken> {
        self.brain.running.turn_in(chat)
    }

    /// Whether the person has stopped the running turn of this chat.
    pub fn is_cancelled(&self, update: &IncomingUpdate) -> bool {
        self.running(&update.place.id()).is_some_and(|token| token.is_cancelled())
    }

    /// How long the rest of a sentence is waited for that would otherwise be asked for.
    pub fn longest_debounce(&self) -> Duration {
        self.debounce * limits::DEBOUNCE_ASKING_FACTOR
    }

    /// Takes the little clock off a pressed button that nothing comes of. Best effort.
    pub fn acknowledge(self: &Arc<Self>, update: &IncomingUpdate) {
        let IncomingEvent::Press { query, .. } = &update.event else { return };
        let query = query.clone();
        self.aside(|context| async move { callback_acks::acknowledge(&context.channel.sender.api, query).await });
    }

    /// Sees to it that a pressed button is answered soon, whatever its turn waits for. One of an earlier life may have
    /// been answered then, and takes no words any more.
    pub fn tapped(self: &Arc<Self>, job: &UpdateJob) {
        let IncomingEvent::Press { query, .. } = &job.update.event else { return };
        if job.resumed {
            return self.acknowledge(&job.update);
        }
        let turn = turn_of(&job.entry);
        self.channel.taps.add(turn.clone(), query.clone());
        self.aside(|context| async move {
            tokio::time::sleep(Duration::from_millis(limits::TAP_ANSWER_MS)).await;
            context.channel.taps.settle(&context.channel.sender.api, &turn).await;
        });
    }

    /// Something small that belongs to no line; it ends with the queues.
    pub fn aside<F: Future<Output = ()> + Send + 'static>(self: &Arc<Self>, task: impl FnOnce(Arc<Self>) -> F) {
        self.queues.aside(task(self.clone()));
    }
}
