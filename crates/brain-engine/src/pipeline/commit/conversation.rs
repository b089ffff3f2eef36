//! What a turn leaves in the conversation: what the person said, message by message, and the answer; and what a
//! reminder leaves there.
//!
//! Invariants: whose words each message holds is kept with it; what is changed later is found by its number; the
//! answer names what can undo it. Not here: reading the conversation (see [`crate::pipeline::turn`]).

use chrono::{DateTime, Utc};

use super::answer::Answer;
use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::history::{ItemRef, PastAction, REMINDED};
use brain_core::core::ids::{MessageId, PendingId};
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::Action;
use brain_core::core::provenance;
use brain_core::core::text::shorten;
use brain_core::core::turn::{Along, Input, Origin, Part, Path, Reply};
use brain_core::limits;
use brain_core::ports::records::{ActionRecord, ChatState, Message, Speaker};
use brain_core::ports::{Batch, Expect, StoreError};

/// Characters of an answer that are remembered: what was shown of it in messages.
const REMEMBERED_CHARS: usize = limits::ANSWER_MESSAGES_MAX * limits::MESSAGE_UTF16_MAX;

/// Adds both sides of the turn to the conversation; gives the number of the answer.
pub fn remember(
    brain: &Brain,
    facts: &TurnFacts,
    answer: &Answer,
    state: &mut ChatState,
    at: DateTime<Utc>,
    batch: &mut Batch,
) -> Result<Option<u64>, StoreError> {
    let Answer { replies, actions, untrusted, .. } = answer;
    let mut add = |message: Message| {
        let message = Message { chat: state.chat.clone(), number: state.next_message, ..message };
        state.next_message += 1;
        batch.put(&message, Expect::Absent).map(|_| message.number)
    };
    let blank = |speaker, text, origin| Message {
        chat: facts.chat().clone(),
        number: 0,
        speaker,
        text,
        origin,
        at,
        actions: Vec::new(),
        message: None,
        by: None,
        source: None,
        undo: Vec::new(),
        outcomes: Vec::new(),
        untrusted: Vec::new(),
        only_proposes: false,
    };
    if let Input::Message { text, origin, .. } = &facts.incoming.input {
        let by = Some(facts.owner().clone());
        let whole = Part::words(facts.incoming.message_id, text.clone(), *origin);
        let parts = if facts.incoming.parts.is_empty() { std::slice::from_ref(&whole) } else { &facts.incoming.parts };
        for part in parts.iter().filter(|part| !part.text.is_empty()) {
            let said = blank(Speaker::Person, part.text.clone(), part.origin);
            let source = part.along.as_ref().map(Along::label);
            add(Message { message: Some(part.message), by: by.clone(), source, ..said })?;
        }
    }
    let said: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    if !said.is_empty() || !actions.is_empty() {
        let reply = blank(Speaker::Assistant, said.join("\n"), Origin::Typed);
        // Later planners read what was said, what it was done to, and with which values.
        let labels = actions.iter().flat_map(|past| past.item.iter().chain(&past.rows)).map(|item| item.label.clone());
        let labels = labels.chain(actions.iter().flat_map(|past| past.details.iter().cloned()));
        let values = actions.iter().flat_map(|past| provenance::untainted(&past.params, &[], &[]));
        let read = [reply.text.clone()].into_iter().chain(labels).chain(values).collect::<Vec<_>>().join("\n");
        let untrusted = provenance::repeated(&read, untrusted.iter().cloned().chain(facts.known_to_be_others()));
        let text = shorten(&reply.text, REMEMBERED_CHARS);
        let card = replies.iter().find_map(|reply| Some(&reply.card.as_ref()?.pending));
        let outcomes = answer.reports.iter().map(|report| outcome(brain, report, card)).collect();
        let only_proposes = matches!(answer.path, Path::Clarify | Path::Consent);
        let (actions, undo) = (actions.clone(), answer.undos());
        return add(Message { text, actions, undo, outcomes, untrusted, only_proposes, ..reply }).map(Some);
    }
    Ok(None)
}

/// What became of an action, in words.
fn outcome(brain: &Brain, report: &Report, card: Option<&PendingId>) -> ActionRecord {
    let bare = || Action {
        service: report.service.clone(),
        command: report.command.clone(),
        params: report.params.clone(),
        ..Action::default()
    };
    let action = report.action.as_deref().cloned().unwrap_or_else(bare);
    let pending = card.filter(|_| report.status == Status::Pending).cloned();
    ActionRecord {
        label: show::wording(&brain.services, &action),
        status: report.status,
        error: report.error.clone(),
        command: Some((report.service.clone(), report.command.clone())),
        pending,
    }
}

/// Adds a reminder that was told: a pronoun means what was told last, and of several none. `reply` as it was shown;
/// gives its number.
pub fn notified(
    state: &mut ChatState,
    reply: &Reply,
    message: MessageId,
    at: DateTime<Utc>,
    batch: &mut Batch,
) -> Result<Option<u64>, StoreError> {
    let Some(first) = reply.notifications.first() else { return Ok(None) };
    let only = (reply.notifications.len() == 1).then(|| ItemRef { id: first.item.clone(), label: first.title.clone() });
    let told = Message {
        chat: state.chat.clone(),
        number: state.next_message,
        speaker: Speaker::Assistant,
        text: reply.text.clone(),
        origin: Origin::Typed,
        at,
        actions: vec![PastAction::reminder(&first.service, only)],
        message: Some(message),
        by: None,
        source: None,
        undo: Vec::new(),
        outcomes: Vec::new(),
        untrusted: reply.notifications.iter().flat_map(|notification| notification.untrusted.iter().cloned()).collect(),
        only_proposes: false,
    };
    state.next_message += 1;
    batch.put(&told, Expect::Absent).map(|_| Some(told.number))
}

/// The one thing that a message of the conversation reminds of, and the number of the message.
pub fn reminds_of(message: &Message) -> Option<(&str, MessageId)> {
    match message.actions.as_slice() {
        [PastAction { command, item: Some(item), .. }] if command == REMINDED => Some((&item.id, message.message?)),
        _ => None,
    }
}
