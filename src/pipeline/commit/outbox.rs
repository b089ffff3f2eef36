//! The end of a turn: one commit for everything it came to. What it has to show goes into the durable outbox of
//! its chat, as does what is told outside a turn.
//!
//! Invariants: nothing is shown before it is committed, and what is committed to be shown is numbered in the order
//! in which it will be; every message fits; a chat's state has one writer at a time. Not here: showing it (see
//! [`super::delivery`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use super::answer::{Answer, Question};
use super::conversation;
use crate::core::ids::ChatId;
use crate::core::markup::Formatted;
use crate::core::turn::{Done, Incoming, Path, Reply};
use crate::failpoint::fail_point;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::consent;
use crate::pipeline::intake::settings;
use crate::pipeline::intake::settings::UserChange;
use crate::pipeline::turn::{Turn, TurnError};
use crate::ports::records::{ChatState, InboxEntry, OutboxEntry, Show, Turn as TurnRecord};
use crate::ports::{Batch, Expect, Key, RecordExt, StoreError, Table};

/// Said by what `/cancel` has stopped.
pub const STOPPED: &str = "Stopped. Nothing more was done.";

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
        turn.debounce.before_asking().await;
    } else {
        turn.debounce.before_writing().await;
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
                let _ = turn.brain.channel.send(turn.chat(), &Reply { buttons: Vec::new(), ..reply }).await;
            }
        }
    }
    done
}

/// A turn that cannot even read the store.
pub async fn cannot_even_begin(brain: &Brain, incoming: &Incoming, error: &StoreError) -> Done {
    tracing::error!(%error, "a turn could not begin");
    let _ = brain.channel.send(&incoming.chat, &Reply::text(sorry(error))).await;
    Done::quiet(Path::Error)
}

fn trouble(error: &StoreError) -> Answer {
    tracing::error!(%error, "a turn failed");
    Answer::says(Path::Error, sorry(error)).keeping_question()
}

/// Said when the store is in the way.
pub(crate) fn sorry(error: &StoreError) -> String {
    let why = match error {
        StoreError::Conflict { .. } => "Something else changed it at the same moment, so I stopped.",
        _ => "I could not read or save what I keep on the disk of this machine, so I stopped.",
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
        actions,
        untrusted,
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
    conversation::remember(turn, &mut state, &replies, actions, untrusted, now, &mut batch)?;
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
    crate::pipeline::consent::undo::prune(brain, now, &mut batch).await?;
    let (mut done, spans) = turn.sum_up(path, reports);
    done.outcomes.iter_mut().for_each(|report| report.params = crate::core::plan::Params::new());
    let id = turn.incoming.turn.as_str().to_owned();
    let trace = TurnRecord { id, user: turn.owner().clone(), chat: turn.chat().clone(), at: turn.ctx.now, done, spans };
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
    if !reply.notifications.is_empty() || (reply.card.is_some() && !reply.text.trim().is_empty()) {
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
    pub async fn tell(&self, chat: &ChatId, shows: Vec<Show>, batch: Batch) -> Result<(), StoreError> {
        self.commit_told(chat, shows, batch).await?;
        self.deliver(chat).await;
        Ok(())
    }

    /// The same commit; whoever calls this sees to the delivery.
    pub async fn commit_told(&self, chat: &ChatId, shows: Vec<Show>, mut batch: Batch) -> Result<(), StoreError> {
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
        Ok(())
    }
}
