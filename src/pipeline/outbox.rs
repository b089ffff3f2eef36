//! The end of a turn: one commit for everything it came to, then delivery from the durable outbox.
//!
//! Invariants: nothing is shown before it is committed; a message leaves the outbox only once the face has
//! returned its number (so messages are at least once); messages of a chat are delivered in order, by one
//! deliverer at a time; a chat's state has one writer at a time.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use super::settings::{self, UserChange};
use super::turn::{Answer, Question, Turn, TurnError};
use super::{Brain, consent, conversation};
use crate::core::button::Press;
use crate::core::ids::{ChatId, MessageId, PendingId, UserId};
use crate::core::markup::Formatted;
use crate::core::pending::Event;
use crate::core::ring;
use crate::core::turn::{CardPart, Done, Incoming, Path, Reply};
use crate::failpoint::fail_point;
use crate::limits;
use crate::ports::{Batch, Expect, Key, Record, RecordExt, Scan, SendError, StoreError, Table};
use crate::records::{CardMessage, ChatState, InboxEntry, OutboxEntry, Show, Turn as TurnRecord};

/// Said by what `/cancel` has stopped.
pub const STOPPED: &str = "Stopped. Nothing more was done.";

/// What comes after one entry of an outbox.
enum Then {
    /// The next.
    GoesOn,
    /// Others have changed with it.
    LooksAgain,
    /// The chat has to wait.
    Waits,
}

/// A lock a chat.
#[derive(Debug, Default)]
pub struct Locks(Mutex<HashMap<ChatId, Arc<tokio::sync::Mutex<()>>>>);

impl Locks {
    /// Waits for the chat's lock.
    pub async fn lock(&self, chat: &ChatId) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Locks nobody holds or waits for are dropped from time to time.
            if locks.len() > limits::CONCURRENT_TURNS_MAX * 2 {
                locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            }
            locks.entry(chat.clone()).or_default().clone()
        };
        lock.lock_owned().await
    }
}

/// Ends a turn: commits its answer and shows it.
pub async fn finish(turn: &Turn<'_>, answer: Result<Answer, TurnError>) -> Done {
    let answer = match answer {
        Ok(answer) => answer,
        Err(TurnError::Cancelled) => Answer::says(Path::Command, STOPPED).keeping_question(),
        Err(TurnError::Store(error)) => trouble(&error),
    };
    let (mut path, mut reports) = (answer.path, answer.reports.clone());
    let hinges_on = answer.hinges_on.clone();
    let direct: Vec<Reply> = answer.replies.clone();
    fail_point("answer-before");
    // A question may be answered by the words that are still on their way.
    if answer.path == Path::Clarify {
        turn.breath.before_asking().await;
    } else {
        turn.breath.before_writing().await;
    }
    let mut committed = commit(turn, answer).await;
    if let (Err(StoreError::Conflict { table: Table::Pending, .. }), Some(card)) = (&committed, hinges_on) {
        // The first decision stands.
        let told = consent::too_late(turn, &card).await.unwrap_or_else(|error| trouble(&error));
        (path, reports) = (told.path, told.reports.clone());
        committed = commit(turn, told).await;
    }
    fail_point("answer-durable");
    let (mut done, _) = turn.sum_up(path, reports);
    match committed {
        Ok(()) => {
            // What is committed can no longer be stopped, so that `/cancel` does not claim to.
            turn.brain.end(turn.incoming);
            turn.brain.deliver(turn.chat()).await;
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be stored");
            done.path = Path::Error;
            // What was done is in the journal; it is told again after a restart. Say now what can be said.
            for reply in direct.into_iter().filter(|reply| reply.card.is_none()).chain([Reply::text(sorry(&error))]) {
                let _ = turn.brain.face.send(turn.chat(), &Reply { buttons: Vec::new(), ..reply }).await;
            }
        }
    }
    done
}

/// A turn that cannot even read the store.
pub async fn cannot_even_begin(brain: &Brain, incoming: &Incoming, error: &StoreError) -> Done {
    tracing::error!(%error, "a turn could not begin");
    let _ = brain.face.send(&incoming.chat, &Reply::text(sorry(error))).await;
    Done::quiet(Path::Error)
}

fn trouble(error: &StoreError) -> Answer {
    tracing::error!(%error, "a turn failed");
    Answer::says(Path::Error, sorry(error)).keeping_question()
}

/// Said when the store is in the way.
pub(super) fn sorry(error: &StoreError) -> String {
    let why = match error {
        StoreError::Conflict { .. } => "Something else changed it at the same moment, so I stopped.",
        _ => "I could not save that on the disk of this machine, so I stopped.",
    };
    format!(
        "{why} Nothing more was done, and what I confirmed before is kept. Please try again; if it happens again, tell whoever runs me."
    )
}

async fn commit(turn: &Turn<'_>, answer: Answer) -> Result<(), StoreError> {
    let brain = turn.brain;
    let Answer {
        path,
        replies,
        edits,
        reports,
        deeds,
        foreign,
        mut batch,
        clarification,
        editing,
        snoozing,
        mut user,
        zone_named,
        hinges_on: _,
    } = answer;
    let guard = brain.writing.lock(turn.chat()).await;
    let mut state = brain.chat_state(turn.chat()).await?;
    match clarification {
        Question::Keep => state.snoozing = snoozing.or(state.snoozing.take()),
        Question::Settled => (state.clarification, state.snoozing) = (None, snoozing),
        Question::Open(question) => (state.clarification, state.snoozing) = (Some(*question), snoozing),
    }
    state.editing = editing;
    // Whoever writes lets us answer.
    state.blocked = None;
    let now = brain.clock.now();
    conversation::remember(turn, &mut state, &replies, deeds, foreign, now, &mut batch)?;
    for edit in edits {
        enqueue(&mut state, Show::Edit(edit), now, &mut batch)?;
    }
    for reply in replies {
        for part in split(reply) {
            enqueue(&mut state, Show::Send(part), now, &mut batch)?;
        }
    }
    batch.put(&state, Expect::Any)?;
    brain.close_inbox(turn.incoming, &mut batch).await?;
    if zone_named {
        user.push(UserChange::ZoneNamed);
    }
    super::buttons::undo::prune(brain, now, &mut batch).await?;
    let (mut done, spans) = turn.sum_up(path, reports);
    done.outcomes.iter_mut().for_each(|report| report.params = crate::core::plan::Params::new());
    let id = turn.incoming.turn.as_str().to_owned();
    let trace =
        TurnRecord { id, user: turn.owner().clone(), chat: turn.chat().clone(), at: turn.scene.now, done, spans };
    batch.put(&trace, Expect::Any)?;
    settings::commit(turn, &user, batch).await?;
    drop(guard);
    Ok(())
}

/// Puts something to show into the outbox.
pub fn enqueue(
    state: &mut ChatState,
    show: Show,
    at: chrono::DateTime<chrono::Utc>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let entry = OutboxEntry { chat: state.chat.clone(), number: state.next_outbox, show, at };
    state.next_outbox += 1;
    batch.put(&entry, Expect::Absent)?;
    Ok(())
}

/// A reply in messages that fit; the buttons go with the last one. Cards are split already.
fn split(reply: Reply) -> Vec<Reply> {
    // What a card shows is not touched again, white space included; a reminder gets its words at delivery.
    if !reply.rings.is_empty() || (reply.card.is_some() && !reply.text.trim().is_empty()) {
        return vec![reply];
    }
    let words = Formatted { text: reply.text, spans: reply.spans };
    let words = words.split(limits::MESSAGE_UTF16_MAX, limits::MESSAGE_SPANS_MAX);
    let mut parts: Vec<Reply> = words.into_iter().map(Reply::from).collect();
    match parts.last_mut() {
        Some(last) => {
            last.buttons = reply.buttons;
            last.card = reply.card;
            last.reminder = reply.reminder;
            last.attachment = reply.attachment;
        }
        None => parts.push(Reply { text: "…".to_owned(), spans: Vec::new(), ..reply }),
    }
    parts
}

impl Brain {
    /// Closes every inbox entry that a turn was read from; their words are forgotten.
    async fn close_inbox(&self, incoming: &Incoming, batch: &mut Batch) -> Result<(), StoreError> {
        let parts = incoming.parts.iter().filter_map(|part| part.inbox.as_ref());
        let names: BTreeSet<&String> = incoming.inbox.iter().chain(parts).collect();
        for name in names {
            if let Some((mut entry, _)) = self.store.load::<InboxEntry>(&Key::from_stored(name)).await? {
                entry.done = true;
                entry.raw = String::new();
                entry.heard = None;
                batch.put(&entry, Expect::Any)?;
            }
        }
        Ok(())
    }

    /// Tells a chat something outside a turn, together with other changes, in one commit; then delivers.
    pub async fn tell(&self, chat: &ChatId, shows: Vec<Show>, mut batch: Batch) -> Result<(), StoreError> {
        {
            let _guard = self.writing.lock(chat).await;
            let mut state = self.chat_state(chat).await?;
            let now = self.clock.now();
            for show in shows {
                match show {
                    Show::Edit(edit) => enqueue(&mut state, Show::Edit(edit), now, &mut batch)?,
                    Show::Send(reply) => {
                        for part in split(reply) {
                            enqueue(&mut state, Show::Send(part), now, &mut batch)?;
                        }
                    }
                }
            }
            batch.put(&state, Expect::Any)?;
            fail_point("tell-before");
            self.commit(batch).await?;
            fail_point("tell-durable");
        }
        self.deliver(chat).await;
        Ok(())
    }

    /// Waits until what is being delivered in a chat is on record, but not for long: a deliverer may have to wait
    /// for the face.
    pub async fn delivered_so_far(&self, chat: &ChatId) {
        let patience = std::time::Duration::from_millis(limits::DELIVERY_PATIENCE_MS);
        // Nobody is kept from delivering: the lock is given back at once.
        let _ = tokio::time::timeout(patience, self.delivering.lock(chat)).await;
    }

    /// Shows what waits in a chat's outbox, in order. What cannot be shown now stays.
    pub async fn deliver(&self, chat: &ChatId) {
        let _one = self.delivering.lock(chat).await;
        loop {
            let waiting = match self.store.list::<OutboxEntry>(Scan::of::<OutboxEntry>(&[chat.as_str()], 32)).await {
                Ok(waiting) if waiting.is_empty() => return,
                Ok(waiting) => waiting,
                Err(error) => {
                    tracing::error!(%error, "the outbox cannot be read");
                    return;
                }
            };
            let ready = match self.ready(chat, waiting).await {
                Ok(Some(ready)) => ready,
                Ok(None) => continue,
                Err(error) => {
                    tracing::error!(%error, "the outbox cannot be put in order");
                    return;
                }
            };
            if ready.is_empty() {
                return;
            }
            for entry in ready {
                match self.show(entry).await {
                    Then::GoesOn => {}
                    Then::LooksAgain => break,
                    Then::Waits => return,
                }
            }
        }
    }

    /// Shows one entry.
    async fn show(&self, mut entry: OutboxEntry) -> Then {
        if let Err(error) = self.withhold_altered(&mut entry).await {
            tracing::error!(%error, "a card cannot be checked, so it waits");
            return Then::Waits;
        }
        if let Show::Send(reply) = &mut entry.show {
            *reply = ring::said(std::mem::take(reply), self.clock.now());
        }
        let shown = match &entry.show {
            Show::Send(reply) => self.face.send(&entry.chat, reply).await.map(Some),
            Show::Edit(edit) => self.face.edit(&entry.chat, edit).await.map(|()| None),
        };
        fail_point("shown");
        let recorded = match shown {
            Ok(message) => self.delivered(&entry, message).await,
            Err(SendError::Later(why)) => {
                tracing::warn!(chat = %entry.chat, why, "a message has to wait");
                return Then::Waits;
            }
            Err(SendError::Blocked(why)) => {
                if let Err(error) = self.blocked(&entry.chat, &why).await {
                    tracing::error!(%error, "a closed chat could not be noted");
                }
                return Then::Waits;
            }
            Err(SendError::Never(why)) => {
                tracing::error!(chat = %entry.chat, why, "a message cannot be delivered and is put aside");
                if let Show::Send(Reply { card: Some(card), .. }) = &entry.show {
                    return match self.withdraw(&entry.chat, &card.pending).await {
                        Ok(()) => Then::LooksAgain,
                        Err(error) => {
                            tracing::error!(%error, "a card that cannot be shown could not be withdrawn; it is tried again");
                            Then::Waits
                        }
                    };
                }
                self.delivered(&entry, None).await
            }
        };
        match recorded {
            Ok(()) => Then::GoesOn,
            Err(error) => {
                tracing::error!(%error, "a delivery could not be recorded; the message may be repeated");
                Then::Waits
            }
        }
    }

    /// A card that cannot be shown cannot be decided: it is withdrawn, with what is left of it in the outbox.
    async fn withdraw(&self, chat: &ChatId, id: &PendingId) -> Result<(), StoreError> {
        let shows = |entry: &OutboxEntry| match &entry.show {
            Show::Send(reply) => reply.card.as_ref().is_some_and(|card| card.pending == *id),
            Show::Edit(_) => false,
        };
        let _guard = self.writing.lock(chat).await;
        loop {
            let mut batch = Batch::default();
            let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], limits::GATHER_MAX);
            for (entry, _) in self.store.list::<OutboxEntry>(scan).await?.iter().filter(|(entry, _)| shows(entry)) {
                batch.delete(Table::Outbox, entry.key(), Expect::Any);
            }
            if let Some((mut pending, revision)) = self.pending(id).await?
                && pending.state.is_open()
                && pending.apply(Event::Supersede).is_ok()
            {
                batch.put(&pending, Expect::Revision(revision))?;
                self.leave_open(&pending, &mut batch);
                let nobody = UserId::new("outbox");
                batch.put(&self.audit_pending(&nobody, self.clock.now(), &pending), Expect::Absent)?;
            }
            match self.commit(batch).await {
                // Somebody decided it at this very moment; then it is not open any more.
                Err(StoreError::Conflict { .. }) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    /// A card whose record no longer has the digest it was made with is not shown: nobody could decide it.
    async fn withhold_altered(&self, entry: &mut OutboxEntry) -> Result<(), StoreError> {
        let Show::Send(reply) = &entry.show else {
            return Ok(());
        };
        let Some(card) = &reply.card else {
            return Ok(());
        };
        let stored = self.pending(&card.pending).await?;
        let intact = stored.is_some_and(|(pending, _)| {
            let made_for = reply.buttons.iter().flatten().next();
            let made_for = made_for.and_then(|button| Press::decode(&button.data));
            pending.digest == pending.compute_digest()
                && match made_for {
                    Some(Press::Card { digest_prefix, .. }) => pending.digest.matches(&digest_prefix),
                    Some(_) => false,
                    None => !card.is_last(),
                }
        });
        if !intact {
            tracing::error!(pending = %card.pending, "a card's record was altered; it is not shown");
            let why = format!(
                "A card ({}) was altered in my store, so I don't show it. Nothing was done; please ask again.",
                card.pending
            );
            entry.show = Show::Send(Reply::text(why));
        }
        Ok(())
    }

    /// Takes an entry out of the outbox, and notes which message shows which card.
    async fn delivered(&self, entry: &OutboxEntry, message: Option<MessageId>) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch.delete(Table::Outbox, entry.key(), Expect::Any);
        let _guard = self.writing.lock(&entry.chat).await;
        if let (Some(message), Show::Send(reply)) = (message, &entry.show) {
            let mut state = self.chat_state(&entry.chat).await?;
            let said = ring::said(reply.clone(), self.clock.now());
            conversation::rang(&mut state, &said, message, self.clock.now(), &mut batch)?;
            state.last_bot_message = Some(message);
            // A reminder stands beside the line of a turn; everything else takes its place.
            if reply.reminder.is_none() {
                state.status_line = None;
            }
            batch.put(&state, Expect::Any)?;
            if let Some(card) = &reply.card {
                return self.card_shown(entry, card, message, batch).await;
            }
            super::buttons::shown::note(self, &entry.chat, message, &said, &mut batch).await?;
        }
        self.commit(batch).await?;
        Ok(())
    }

    async fn card_shown(
        &self,
        entry: &OutboxEntry,
        card: &CardPart,
        message: MessageId,
        mut batch: Batch,
    ) -> Result<(), StoreError> {
        batch.put(&CardMessage { chat: entry.chat.clone(), message, pending: card.pending.clone() }, Expect::Any)?;
        // Somebody else may decide it at this very moment; then its record is read again.
        loop {
            let mut attempt = batch.clone();
            if let Some((mut pending, revision)) = self.pending(&card.pending).await? {
                // A card shown again after a crash starts over, so that its last part is the one shown last.
                if card.part == 1 {
                    pending.card_messages.clear();
                }
                pending.card_messages.push(message);
                attempt.put(&pending, Expect::Revision(revision))?;
            }
            match self.commit(attempt).await {
                Err(StoreError::Conflict { .. }) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    /// Notes the message that shows what a running turn is doing, so that a next life finds it. `is_shown` is
    /// asked once nobody else can write: an answer that took its place in between must not be noted.
    pub async fn note_status(
        &self,
        chat: &ChatId,
        message: MessageId,
        is_shown: impl Fn() -> bool + Send,
    ) -> Result<(), StoreError> {
        let _guard = self.writing.lock(chat).await;
        let mut state = self.chat_state(chat).await?;
        if !is_shown() {
            return Ok(());
        }
        state.status_line = Some(message);
        let mut batch = Batch::default();
        batch.put(&state, Expect::Any)?;
        self.commit(batch).await?;
        Ok(())
    }
}
