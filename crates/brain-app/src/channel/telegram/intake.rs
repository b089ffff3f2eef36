//! The way of an update from its arrival to the dispatcher.
//!
//! Invariants: an update is in the durable inbox before the listener confirms it or the dispatcher sees it; what was
//! received before is recognised; of strangers, and of what leads to nothing, no words are kept,
//! and the dispatcher does not see it; what an earlier life has left open comes first, in order. Every update that
//! was stored open is closed by its turn's commit, or where it turns out to need none, or stays open until the next
//! start.

use std::sync::{Arc, PoisonError};

use serde_json::Value;
use teloxide::types::{Update, UpdateId};

use super::access::StrangerAnswer;
use super::context::{TelegramContext, UpdateJob};
use super::inbox::Inbox;
use super::place::ChatPlace;
use super::updates;
use super::updates::incoming::IncomingUpdate;
use brain_core::ports::StoreError;
use brain_core::ports::records::InboxEntry;

/// An update that has come in, and what it means.
#[derive(Debug)]
pub(super) struct Received {
    pub entry: InboxEntry,
    pub update: Option<IncomingUpdate>,
}

impl TelegramContext {
    /// What has come in. `None` without a number: it cannot even be confirmed.
    pub fn received(&self, raw: &str) -> Option<Received> {
        let json: Value = serde_json::from_str(raw).ok()?;
        self.channel.sender.moves.met(&json);
        let update = updates::read(&json, &self.me);
        // By the number that it has there: in a chat that has moved, messages are counted anew.
        let message = update.as_ref().and_then(IncomingUpdate::new_message);
        let update = update.map(|update| self.kept_as(update));
        let entry = Inbox::entry(json["update_id"].as_u64()?, raw, self.brain.clock.now());
        Some(Received { entry: InboxEntry { message, ..entry }, update })
    }

    /// Stores a batch and returns what is new in it, for the dispatcher. While somebody may be let in, updates are
    /// taken one by one: who stands behind the pairing code in a batch is served. What of a batch that fails halfway
    /// is stored already is taken up by the next start.
    pub async fn admit(self: &Arc<Self>, mut batch: Vec<Received>) -> Result<Vec<Update>, StoreError> {
        self.access.renew(&self.brain).await?;
        let mut admitted = Vec::new();
        while !batch.is_empty() {
            let behind = if self.access.is_pairing() { batch.split_off(1) } else { Vec::new() };
            for Received { entry, update } in &mut batch {
                if !update.as_ref().is_some_and(|update| self.access.serves(update.who)) {
                    *entry = Inbox::closed(entry);
                }
            }
            let mut fresh = self.inbox.admit(batch.iter().map(|received| &received.entry)).await?;
            for Received { entry, update } in std::mem::replace(&mut batch, behind) {
                match update.filter(|_| fresh.remove(&entry.update)) {
                    Some(stranger) if entry.done => self.turn_away(stranger).await,
                    Some(update) => admitted.extend(self.dispatch(UpdateJob::new(entry, update))),
                    None => {}
                }
            }
        }
        Ok(admitted)
    }

    /// What an earlier life has left open, in order. What had joined another update is still together with it.
    pub async fn resume(&self, open: Vec<InboxEntry>) -> Vec<Update> {
        let mut jobs: Vec<UpdateJob> = Vec::new();
        for entry in open {
            let Some(update) = self.read(&entry).filter(|update| self.access.serves(update.who)) else {
                if let Err(error) = self.inbox.close(&entry).await {
                    tracing::error!(%error, "an update could not be closed");
                }
                continue;
            };
            match entry.joins.and_then(|first| jobs.iter_mut().find(|job| job.entry.update == first)) {
                Some(job) => job.joined.push((entry, update)),
                None => jobs.push(UpdateJob { resumed: true, ..UpdateJob::new(entry, update) }),
            }
        }
        jobs.into_iter().filter_map(|job| self.dispatch(job)).collect()
    }

    /// What a stored update means.
    pub fn read(&self, entry: &InboxEntry) -> Option<IncomingUpdate> {
        Some(self.kept_as(updates::read(&serde_json::from_str(&entry.raw).ok()?, &self.me)?))
    }

    /// An update in the chat that it is kept in.
    fn kept_as(&self, update: IncomingUpdate) -> IncomingUpdate {
        let place = ChatPlace { chat: self.channel.sender.moves.first(update.place.chat), ..update.place };
        IncomingUpdate { place, ..update }
    }

    fn dispatch(&self, job: UpdateJob) -> Option<Update> {
        let Some(envelope) = job.update.envelope(job.entry.update) else {
            tracing::error!(update = job.entry.update, "an update has no envelope; it waits for the next start");
            return None;
        };
        self.dispatched.lock().unwrap_or_else(PoisonError::into_inner).insert(envelope.id, job);
        Some(envelope)
    }

    /// The job of an update that the dispatcher was given; once.
    pub fn take(&self, update: UpdateId) -> Option<UpdateJob> {
        self.dispatched.lock().unwrap_or_else(PoisonError::into_inner).remove(&update)
    }

    /// Nothing of a stranger is kept, and in groups nothing is said to them.
    async fn turn_away(self: &Arc<Self>, update: IncomingUpdate) {
        self.acknowledge(&update);
        let Some(text) = update.private_text() else { return };
        let word = self.access.stranger(&self.brain, update.who, update.place, text).await;
        let let_in = self.access.serves(update.who);
        self.aside(|context| async move {
            match word {
                Some(StrangerAnswer::OfTheCode(sentence)) => context.channel.mention(update.place, &sentence).await,
                Some(StrangerAnswer::ToAStranger(sentence)) => {
                    let told = context.channel.turn_away(update.place, &sentence).await;
                    if !told {
                        context.access.not_answered(update.who);
                    }
                }
                None if let_in => context.brain.deliver(&update.place.id()).await,
                None => {}
            }
        });
    }
}
