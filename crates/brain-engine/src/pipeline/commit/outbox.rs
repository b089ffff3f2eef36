//! Outbox of a chat: what is to be shown there, numbered, until the channel has shown it.
//!
//! Invariants: an answer is a few messages, and then a file with all of it; numbers are taken from the chat's state in
//! the commit that uses them, so none is given twice; every message fits. Not here: showing it ([`super::delivery`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};

use crate::pipeline::brain::Brain;
use brain_core::core::ids::{ChatId, PendingId};
use brain_core::core::markup::Formatted;
use brain_core::core::turn::{Attachment, Reply};
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::records::{ChatState, OutboxEntry, Show};
use brain_core::ports::{Batch, Change, Expect, StoreError, Table, optimistic};

/// Said with an answer that goes on in a file.
const IN_FILE: &str = "That is only the beginning: all of it would be too many messages, so it is in this file.";
/// The same when not even the file holds it.
const PART_IN_FILE: &str =
    "That is only the beginning: all of it would be too many messages. This file holds as much of it as a file may.";

/// Commits `batch` together with what `change` makes of the chat's state, as that is at this very moment; `change`
/// adds what its numbers are used for. Where it says false nothing is written. Returns what it said.
pub(super) async fn update_chat(
    brain: &Brain,
    chat: &ChatId,
    batch: &Batch,
    change: impl Fn(&mut ChatState, &mut Batch) -> Result<bool, StoreError> + Send + Sync,
) -> Result<bool, StoreError> {
    let _order = brain.locks.writing(chat).await;
    let change = &change;
    optimistic(&[Table::Chats], || async move {
        let (mut state, expect) = brain.chat_state_at(chat).await?;
        let mut batch = batch.clone();
        if !change(&mut state, &mut batch)? {
            return Ok(false);
        }
        put_first(&state, expect, &mut batch)?;
        brain.commit(batch).await.map(|_| true)
    })
    .await
}

/// Puts the chat's state before everything that follows from it: when another writer was faster, the state is what
/// has changed, not a number that was taken from it.
pub(super) fn put_first(state: &ChatState, expect: Expect, batch: &mut Batch) -> Result<(), StoreError> {
    batch.changes.insert(0, Change::put(state, expect)?);
    Ok(())
}

/// Commits what a chat is told outside a turn. `decided`: the card whose decision that is.
pub(super) async fn tell(
    brain: &Brain,
    chat: &ChatId,
    shows: &[Show],
    batch: &Batch,
    decided: Option<&PendingId>,
) -> Result<(), StoreError> {
    let now = brain.clock.now();
    let told = |state: &mut ChatState, batch: &mut Batch| {
        if let Some(card) = decided {
            state.decides(card, now);
        }
        for show in shows {
            enqueue(state, show.clone(), now, batch)?;
        }
        fail_point("tell-before");
        Ok(true)
    };
    update_chat(brain, chat, batch, told).await?;
    fail_point("tell-durable");
    Ok(())
}

/// Commits what a chat is told of accounts that wait for being reconnected. What was told stays noted, over restarts,
/// until the account is connected again, so that the next time is told again. True where something was told.
pub(super) async fn tell_disconnected(
    brain: &Brain,
    chat: &ChatId,
    waiting: &BTreeMap<String, String>,
    connected: &BTreeSet<String>,
) -> Result<bool, StoreError> {
    let now = brain.clock.now();
    let is_told = AtomicBool::new(false);
    let tell = |state: &mut ChatState, batch: &mut Batch| {
        let noted = state.told_disconnected.len();
        state.told_disconnected.retain(|id| !connected.contains(id));
        let is_new = |(id, _): &(&String, &String)| !state.told_disconnected.contains(id);
        let new: Vec<(&String, &String)> = waiting.iter().filter(is_new).collect();
        is_told.store(!new.is_empty(), Ordering::Relaxed);
        let changes = !new.is_empty() || noted != state.told_disconnected.len();
        for (id, words) in new {
            enqueue(state, Show::Send(Reply::text(words.as_str())), now, batch)?;
            state.told_disconnected.push(id.clone());
        }
        Ok(changes)
    };
    update_chat(brain, chat, &Batch::default(), tell).await?;
    Ok(is_told.load(Ordering::Relaxed))
}

/// Puts something to show into the outbox, in as many messages as it takes.
pub(super) fn enqueue(
    state: &mut ChatState,
    show: Show,
    at: DateTime<Utc>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let shows = match show {
        Show::Edit(edit) => vec![Show::Edit(edit)],
        Show::Send(reply) => split(reply, at).into_iter().map(Show::Send).collect(),
    };
    for show in shows {
        let entry = OutboxEntry { chat: state.chat.clone(), number: state.next_outbox, show, at };
        state.next_outbox += 1;
        batch.put(&entry, Expect::Absent)?;
    }
    Ok(())
}

/// The whole of a reply that is too long for messages, as a file, and what is said beside it. A file that comes with
/// the reply anyway goes first.
fn rest_as_file(
    mut text: String,
    attachment: Option<Box<Attachment>>,
    at: DateTime<Utc>,
) -> (&'static str, Attachment) {
    if let Some(file) = attachment {
        return ("The rest would be too many messages, so I left it out.", *file);
    }
    let fits = text.len() <= limits::ATTACHMENT_BYTES_MAX;
    text.truncate(text.floor_char_boundary(limits::ATTACHMENT_BYTES_MAX));
    let name = at.format("answer-%Y%m%d-%H%M%S.txt").to_string();
    let file = Attachment { name, mime: "text/plain".to_owned(), content: text.into_bytes() };
    (if fits { IN_FILE } else { PART_IN_FILE }, file)
}

/// A reply in messages that fit, and a few at most; the buttons go with the last one. Cards are split already.
fn split(reply: Reply, at: DateTime<Utc>) -> Vec<Reply> {
    // What a card shows is not touched again, white space included; a reminder gets its words at delivery.
    if !reply.notifications.is_empty() || (reply.card.is_some() && !reply.text.trim().is_empty()) {
        return vec![reply];
    }
    let whole = Formatted { text: reply.text.clone(), spans: reply.spans.clone() };
    let words = whole.split(limits::MESSAGE_UTF16_MAX, limits::MESSAGE_SPANS_MAX);
    let mut parts: Vec<Reply> = words.take(limits::ANSWER_MESSAGES_MAX + 1).map(Reply::from).collect();
    parts.iter_mut().for_each(|part| part.said = reply.said);
    let mut attachment = reply.attachment;
    if parts.len() > limits::ANSWER_MESSAGES_MAX {
        parts.truncate(limits::ANSWER_MESSAGES_MAX - 1);
        let (words, file) = rest_as_file(reply.text, attachment, at);
        parts.push(Reply { said: reply.said, ..Reply::text(words) });
        attachment = Some(Box::new(file));
    }
    match parts.last_mut() {
        Some(last) => {
            last.buttons = reply.buttons;
            last.card = reply.card;
            last.reminder = reply.reminder;
            last.attachment = attachment;
            last.notice = reply.notice;
            last.placeholder = reply.placeholder;
            last.sources = reply.sources;
        }
        None => parts.push(Reply { text: "…".to_owned(), spans: Vec::new(), attachment, ..reply }),
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: String) -> Vec<Reply> {
        split(Reply::text(text), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn an_answer_that_is_too_long_is_its_beginning_and_a_file_with_all_of_it() {
        let line = "A line of an answer that goes on.\n";
        let full = line.repeat(limits::ANSWER_MESSAGES_MAX * limits::MESSAGE_UTF16_MAX / line.len() - 50);
        let few = shown(full.clone());
        assert_eq!((few.len(), few.iter().all(|part| part.attachment.is_none())), (limits::ANSWER_MESSAGES_MAX, true));

        for times in [2, 400] {
            let text = full.repeat(times);
            let parts = shown(text.clone());
            assert_eq!(parts.len(), limits::ANSWER_MESSAGES_MAX);
            let last = parts.last().unwrap();
            assert_eq!(last.text, IN_FILE);
            let file = last.attachment.as_ref().unwrap();
            assert_eq!((file.name.as_str(), file.content == text.as_bytes()), ("answer-19700101-000000.txt", true));
        }
    }

    #[test]
    fn a_file_holds_no_more_than_a_file_may_and_says_so() {
        let parts = shown("é".repeat(limits::ATTACHMENT_BYTES_MAX));
        let last = parts.last().unwrap();
        assert_eq!(last.text, PART_IN_FILE);
        assert_eq!(last.attachment.as_ref().unwrap().content.len(), limits::ATTACHMENT_BYTES_MAX);
    }

    #[test]
    fn a_file_that_comes_with_a_long_answer_is_kept() {
        let file =
            Attachment { name: "export.json".to_owned(), mime: "application/json".to_owned(), content: b"{}".to_vec() };
        let reply = Reply { attachment: Some(Box::new(file.clone())), ..Reply::text("word ".repeat(100_000)) };
        let parts = split(reply, DateTime::UNIX_EPOCH);
        assert_eq!(parts.len(), limits::ANSWER_MESSAGES_MAX);
        assert_eq!(parts.last().unwrap().attachment.as_deref(), Some(&file));
    }
}
