//! Messages that decide no card: what they said is kept, so that a press can change them and a reply is about them.
//!
//! Invariants: the record and the edit commit together, on the record as it is then; a message loses only the buttons
//! that the press has settled.

use super::answer::{Answer, Rewrite};
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::{Button, Press};
use brain_core::core::history::ItemRef;
use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::turn::{Edit, Input, Reply};
use brain_core::limits;
use brain_core::ports::records::{CardMessage, Shown};
use brain_core::ports::{Batch, Expect, RecordExt, Scan, StoreError};

/// Notes a message that was just delivered, if it has buttons, reminds of something or answers somebody.
pub fn note(
    brain: &Brain,
    chat: &ChatId,
    message: MessageId,
    reply: &Reply,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    if reply.buttons.is_empty() && reply.notifications.is_empty() && reply.said.is_none() {
        return Ok(());
    }
    let at = brain.clock.now();
    let (text, buttons) = (reply.text.clone(), reply.buttons.clone());
    let about = reply.notifications.iter().map(|of| ItemRef { id: of.item.clone(), label: of.title.clone() }).collect();
    let untrusted =
        reply.notifications.iter().flat_map(|notification| notification.untrusted.iter().cloned()).collect();
    let chat = chat.clone();
    // What the channel shows under this number now.
    let said = reply.said;
    batch.put(&Shown { chat, message, text, buttons, at, about, untrusted, said, before: None }, Expect::Any)?;
    Ok(())
}

/// The message a press belongs to: the one it sits on, or else the newest with that button.
pub async fn pressed(brain: &Brain, facts: &TurnFacts, data: &str) -> Result<Option<Shown>, StoreError> {
    if let Input::Press { message: Some(message), .. } = &facts.incoming.input {
        let key = Shown::key_of(facts.chat(), *message);
        let mut shown = brain.store.load::<Shown>(&key).await?;
        if shown.is_none() {
            // A quick press can come before the record of what was just shown.
            brain.delivered_so_far(facts.chat()).await;
            shown = brain.store.load::<Shown>(&key).await?;
        }
        if let Some((shown, _)) = shown {
            return Ok(Some(shown).filter(|shown| has(shown, data) || reminds_of(shown, data)));
        }
    }
    with_button(brain, facts, data).await
}

/// The message that was pressed, when nothing is on record under its number: a copy of one whose sending was never
/// confirmed, so that it was sent again.
pub async fn copy(brain: &Brain, facts: &TurnFacts) -> Result<Option<MessageId>, StoreError> {
    let Input::Press { message: Some(message), .. } = &facts.incoming.input else { return Ok(None) };
    let (store, chat) = (&brain.store, facts.chat());
    let is_known = || async {
        let card = CardMessage::key_of(chat, *message);
        let shown = store.load::<Shown>(&Shown::key_of(chat, *message)).await?;
        Ok::<_, StoreError>(shown.is_some() || store.load::<CardMessage>(&card).await?.is_some())
    };
    if is_known().await? {
        return Ok(None);
    }
    brain.delivered_so_far(chat).await;
    Ok((!is_known().await?).then_some(*message))
}

/// The newest message of the chat with this button.
pub async fn with_button(brain: &Brain, facts: &TurnFacts, data: &str) -> Result<Option<Shown>, StoreError> {
    Ok(all_with_button(brain, facts.chat(), data).await?.into_iter().next())
}

/// The messages of a chat with this button, newest first.
pub async fn all_with_button(brain: &Brain, chat: &ChatId, data: &str) -> Result<Vec<Shown>, StoreError> {
    Ok(newest(brain, chat).await?.into_iter().filter(|shown| has(shown, data)).collect())
}

/// The message that a press changed whose effect this undo takes back.
pub async fn changed_by(brain: &Brain, facts: &TurnFacts, undo: &str) -> Result<Option<Shown>, StoreError> {
    let by = |shown: &Shown| shown.before.as_ref().is_some_and(|before| before.undos.iter().any(|id| id == undo));
    Ok(newest(brain, facts.chat()).await?.into_iter().find(by))
}

/// The assistant's last message, if it has buttons that decide no card of its own.
pub async fn last(brain: &Brain, facts: &TurnFacts) -> Result<Option<Shown>, StoreError> {
    let Some(last) = facts.state.last_bot_message else { return Ok(None) };
    let last = brain.store.load::<Shown>(&Shown::key_of(facts.chat(), last)).await?;
    Ok(last.map(|(shown, _)| shown).filter(|shown| !shown.buttons.is_empty() || !shown.about.is_empty()))
}

async fn newest(brain: &Brain, chat: &ChatId) -> Result<Vec<Shown>, StoreError> {
    let scan = Scan::of::<Shown>(&[chat.as_str()], limits::SHOWN_LOOKED_THROUGH).newest_first();
    Ok(brain.store.list::<Shown>(scan).await?.into_iter().map(|(shown, _)| shown).collect())
}

fn has(shown: &Shown, data: &str) -> bool {
    shown.buttons.iter().flatten().any(|button| button.data == data)
}

/// Whether it reminds of what a button is about: pressed twice, the second press counts, though the first one has taken
/// the buttons away.
fn reminds_of(shown: &Shown, data: &str) -> bool {
    let about = |due: &str| shown.about.iter().any(|item| item.id == due);
    match Press::decode(data) {
        Some(Press::Done(due) | Press::Snooze { due, .. }) => about(&due),
        Some(
            Press::Card { .. }
            | Press::Undo(_)
            | Press::Send(_)
            | Press::AddEvent(_)
            | Press::Set { .. }
            | Press::Offer { .. }
            | Press::Redo(_)
            | Press::More(_)
            | Press::Show(_),
        )
        | None => false,
    }
}

/// Makes the changes of an answer on the records as they are now. Gives what the messages look like from then on; one
/// that is not kept any more stays as it is.
pub(in crate::pipeline) async fn rewritten(
    brain: &Brain,
    chat: &ChatId,
    rewrites: &[Rewrite],
    batch: &mut Batch,
) -> Result<Vec<Edit>, StoreError> {
    let mut changed: Vec<(Shown, u64, Shown)> = Vec::new();
    for Rewrite { message, change } in rewrites {
        if let Some((shown, _, _)) = changed.iter_mut().find(|(shown, _, _)| shown.message == *message) {
            change(shown);
        } else if let Some((mut shown, revision)) = brain.store.load::<Shown>(&Shown::key_of(chat, *message)).await? {
            let before = shown.clone();
            change(&mut shown);
            changed.push((shown, revision, before));
        }
    }
    let mut edits = Vec::with_capacity(changed.len());
    // What reads as before costs no call: a second tap has nothing left to change.
    changed.retain(|(shown, _, before)| shown != before);
    for (shown, revision, before) in changed {
        batch.put(&shown, Expect::Revision(revision))?;
        let text = (shown.text != before.text).then_some(shown.text);
        edits.push(Edit { text, ..Edit::buttons(shown.message, shown.buttons) });
    }
    Ok(edits)
}

/// The words of a message with a line below them, once; what has no room for it stays as it is.
pub fn said_below(text: &str, line: &str) -> String {
    let is_there = text.lines().any(|known| known == line);
    let told = format!("{text}\n{line}");
    if is_there || told.encode_utf16().count() > limits::MESSAGE_UTF16_MAX { text.to_owned() } else { told }
}

/// Takes the buttons off a message that `settled` says are of no use any more.
pub fn without(message: MessageId, settled: impl Fn(&Press) -> bool + Send + Sync + 'static, answer: &mut Answer) {
    answer.rewrite(message, move |shown| shown.buttons = left(shown, &settled));
}

/// The buttons that are left without those.
pub fn left(shown: &Shown, settled: impl Fn(&Press) -> bool) -> Vec<Vec<Button>> {
    let stays = |button: &&Button| Press::decode(&button.data).is_none_or(|press| !settled(&press));
    let rows = shown.buttons.iter().map(|row| row.iter().filter(stays).cloned().collect::<Vec<_>>());
    rows.filter(|row| !row.is_empty()).collect()
}
