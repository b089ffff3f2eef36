//! Edited messages.
//!
//! An edit of a message whose turn has not begun to act replaces its words (see [`super::debounce`]). What still waits
//! because of the old words, a card or a question of ours, is withdrawn, and the new words are handled as a request.
//! Where something was done already, an edit leads to an offer: do it again, and take back first what can still be
//! taken back. An edit that changes no word is nothing, and one of a message that nobody remembers is too old to
//! matter. Invariants: an edit approves nothing, neither itself nor what is done again; of a message there is one offer at
//! most, with its newest words; withdrawing or taking back, the end of an offer, and the intent to do it again are one
//! commit.

use chrono::Duration;
use serde_json::{Value, json};

use super::context::{TelegramContext, UpdateJob};
use super::inbox::Inbox;
use super::turns;
use super::updates;
use super::updates::incoming::{IncomingEvent, IncomingMessage};
use crate::config::telegram_user;
use brain_core::core::button::{Button, Press};
use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::turn::{Edit, Incoming, Input, Reply};
use brain_core::limits;
use brain_core::ports::records::{InboxEntry, Message, Show, Speaker, Undo};
use brain_core::ports::{Batch, Expect, Key, RecordExt, Scan, StoreError, Table, optimistic};
use brain_engine::pipeline::consent::{undo, withdrawn};
use brain_engine::pipeline::turn::debounce::Debounce;
use brain_engine::queries::offers::{GONE, Offer, Offered};

const CHANGED: &str =
    "What I did then was changed since, so I left it as it is and did nothing again. Tell me what you need now.";

/// What an earlier offer says once there is another.
const REPLACED: &str = "✏️ Replaced: you changed that message once more.";
/// What an offer says once its message reads as it did.
const SAME_AGAIN: &str = "✏️ Withdrawn: your message reads as before.";

/// A handled message was changed: shall it be done again?
pub async fn offer(context: &TelegramContext, job: &UpdateJob, edit: &IncomingMessage) -> Result<(), StoreError> {
    let chat = job.update.place.id();
    let Some((before, undo)) = remembered(context, &chat, edit.number).await? else {
        return context.inbox.close(&job.entry).await;
    };
    if !edit.origin.is_own_words() {
        return context.inbox.close(&job.entry).await;
    }
    if same_words(&before, &edit.text) {
        return RedoOffer::of(context, job, edit).withdraw(SAME_AGAIN).await;
    }
    let undo = live(context, job, undo).await?;
    let undo: Vec<String> = undo.into_iter().map(|(undo, _)| undo.id).collect();
    let owner = telegram_user(job.update.who);
    let anew = as_message(context, &job.entry.raw, job.entry.update).filter(|_| undo.is_empty());
    let mut batch = Batch::default();
    if let Some((raw, _)) = &anew {
        batch.put(&InboxEntry { raw: raw.clone(), ..job.entry.clone() }, Expect::Any)?;
    }
    if withdrawn::request(&context.brain, &owner, &chat, &before, &batch).await? {
        context.brain.deliver(&chat).await;
        if let Some((raw, message)) = anew {
            return again(context, job, &InboxEntry { raw, ..job.entry.clone() }, message).await;
        }
    }
    RedoOffer::of(context, job, edit).make(undo).await
}

/// The offer to do a changed message again: there is one a message.
struct RedoOffer<'a> {
    context: &'a TelegramContext,
    job: &'a UpdateJob,
    chat: ChatId,
    id: String,
}

impl<'a> RedoOffer<'a> {
    fn of(context: &'a TelegramContext, job: &'a UpdateJob, edit: &IncomingMessage) -> Self {
        // A chat with topics counts its messages once.
        let id = format!("changed-{}-{}", job.update.place.chat, edit.number.0);
        Self { context, job, chat: job.update.place.id(), id }
    }

    /// Makes it, in place of that for earlier words.
    async fn make(&self, undo: Vec<String>) -> Result<(), StoreError> {
        let (question, label) = if undo.is_empty() {
            ("You changed your message. Shall I do it again with the new words?", "🔁 Do it again")
        } else {
            ("You changed your message. Shall I take back what I did and do it with the new words?", "🔁 Undo and redo")
        };
        let offer = Offer {
            id: self.id.clone(),
            owner: telegram_user(self.job.update.who),
            chat: self.chat.clone(),
            until: self.context.brain.clock.now() + Duration::seconds(limits::OFFER_SECS),
            what: Offered::Redo { raw: self.job.entry.raw.clone(), undo },
        };
        let button = Button::new(label, &Press::Redo(self.id.clone()));
        let reply = Reply { buttons: vec![vec![button]], ..Reply::text(question) };
        self.replace(REPLACED, Some(&offer), vec![Show::Send(reply)]).await
    }

    /// Takes it back, if there is one.
    async fn withdraw(&self, words: &'static str) -> Result<(), StoreError> {
        self.replace(words, None, Vec::new()).await
    }

    /// Puts another in place of what there is; messages that offered it before say so in these words.
    async fn replace(&self, words: &'static str, with: Option<&Offer>, then: Vec<Show>) -> Result<(), StoreError> {
        optimistic(&[Table::Meta, Table::Shown], || self.try_to_replace(words, with, &then)).await?;
        self.context.brain.deliver(&self.chat).await;
        Ok(())
    }

    /// One attempt, in one commit with the end of the update.
    async fn try_to_replace(&self, words: &'static str, with: Option<&Offer>, then: &[Show]) -> Result<(), StoreError> {
        let brain = &self.context.brain;
        let mut batch = Batch::default();
        let stored = brain.store.load::<Offer>(&Offer::key_of(&self.id)).await?;
        match (with, stored.map(|(_, revision)| Expect::Revision(revision))) {
            (Some(offer), known) => {
                batch.put(offer, known.unwrap_or(Expect::Absent))?;
            }
            (None, Some(known)) => {
                batch.delete(Table::Meta, Offer::key_of(&self.id), known);
            }
            (None, None) => {}
        }
        batch.put(&Inbox::closed(&self.job.entry), Expect::Any)?;
        let press = Press::Redo(self.id.clone());
        let mut shows = withdrawn::button(brain, &self.chat, &press, words, &mut batch).await?;
        shows.extend(then.iter().cloned());
        brain.commit_told(&self.chat, shows, batch).await
    }
}

fn same_words(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// The words of a message as they were, and what its answer can take back. What was changed twice is
/// remembered as it was done last.
async fn remembered(
    context: &TelegramContext,
    chat: &ChatId,
    number: MessageId,
) -> Result<Option<(String, Vec<String>)>, StoreError> {
    let scan = Scan::of::<Message>(&[chat.as_str()], limits::EDITS_REMEMBERED).newest_first();
    let mut undo = Vec::new();
    for (message, _) in context.brain.store.list::<Message>(scan).await? {
        match message.speaker {
            Speaker::Assistant => undo = message.undo,
            Speaker::Person if message.message == Some(number) => return Ok(Some((message.text, undo))),
            Speaker::Person => {}
        }
    }
    Ok(None)
}

/// What of the store can still be undone by this person, with its revision. What was changed elsewhere is taken back by
/// a command of its own, and only where it was asked for.
async fn live(context: &TelegramContext, job: &UpdateJob, ids: Vec<String>) -> Result<Vec<(Undo, u64)>, StoreError> {
    let (owner, now) = (telegram_user(job.update.who), context.brain.clock.now());
    let mut live = Vec::new();
    for id in ids {
        let undo = context.brain.store.load::<Undo>(&Key::of(&[&id])).await?;
        let is_live = |undo: &Undo| undo.reversal.is_none() && undo.used.is_none() && now <= undo.until;
        live.extend(undo.filter(|(undo, _)| undo.owner == owner && is_live(undo)));
    }
    Ok(live)
}

/// Does a changed message again. The press becomes that message, durably, so that a stop in between loses
/// nothing and undoes nothing twice.
pub(super) async fn redo(
    context: &TelegramContext,
    job: &UpdateJob,
    button: MessageId,
    id: &str,
) -> Result<(), StoreError> {
    let chat = job.update.place.id();
    let who = telegram_user(job.update.who);
    let stored = context.brain.store.load::<Offer>(&Offer::key_of(id)).await?;
    let open = stored.filter(|(offer, _)| offer.is_open_to(&who, &chat, context.brain.clock.now()));
    let Some((Offer { what: Offered::Redo { raw, undo }, .. }, revision)) = open else {
        return turns::say(context, &[&job.entry], &chat, GONE).await;
    };
    let Some((raw, message)) = as_message(context, &raw, job.entry.update) else {
        return turns::say(context, &[&job.entry], &chat, GONE).await;
    };
    let undo = live(context, job, undo).await?;
    let entry = InboxEntry { raw, ..job.entry.clone() };
    let mut batch = Batch::default();
    batch.delete(Table::Meta, Offer::key_of(id), Expect::Revision(revision));
    batch.put(&entry, Expect::Any)?;
    for (undo, revision) in &undo {
        // It stays, marked: its button is told the truth.
        let used = Undo { changes: Vec::new(), used: Some(context.brain.clock.now()), ..undo.clone() };
        batch.put(&used, Expect::Revision(*revision))?.extend(undo.changes.clone());
    }
    let bare = Show::Edit(Edit::buttons(button, Vec::new()));
    let marked = undo::marked(&context.brain, &chat, &undo, &mut batch).await?;
    let undone = undo.iter().map(|(undo, _)| undo::taken_back(undo));
    let undone = undone.collect::<Vec<_>>().join("\n");
    let told = (!undone.is_empty()).then(|| Show::Send(Reply::text(undone)));
    let shows = std::iter::once(bare).chain(marked.into_iter().map(Show::Edit)).chain(told);
    match context.brain.tell(&chat, shows.collect(), batch).await {
        Ok(()) => {}
        Err(StoreError::Conflict { table: Table::Meta, .. }) => {
            return turns::say(context, &[&job.entry], &chat, GONE).await;
        }
        Err(StoreError::Conflict { .. }) => return turns::say(context, &[&job.entry], &chat, CHANGED).await,
        Err(error) => return Err(error),
    }
    again(context, job, &entry, message).await
}

/// The turn of a changed message.
async fn again(
    context: &TelegramContext,
    job: &UpdateJob,
    entry: &InboxEntry,
    message: IncomingMessage,
) -> Result<(), StoreError> {
    let at = message.written(job.entry.received_at);
    let input = Input::Message { text: message.text, origin: message.origin, reply_to: None };
    // Relative times count from the first writing, as the changed words stand in its place.
    let incoming = Incoming { at, ..turns::incoming(job, message.number, input) };
    turns::run(context, &[entry], &incoming, Debounce::over()).await
}

/// The edit as a message under the number of the press. It keeps its date of edit, so it never counts as typed.
fn as_message(context: &TelegramContext, raw: &str, number: u64) -> Option<(String, IncomingMessage)> {
    let mut edit: Value = serde_json::from_str(raw).ok()?;
    let mut message = edit.get_mut("edited_message")?.take();
    if message.get("edit_date").is_none() {
        message["edit_date"] = json!(0);
    }
    if let Some(message) = message.as_object_mut() {
        // It is done again by its words, not by what it once replied to.
        message.remove("reply_to_message");
    }
    let raw = json!({"update_id": number, "message": message});
    match updates::read(&raw, &context.me)?.event {
        IncomingEvent::Message(message) => Some((raw.to_string(), message)),
        IncomingEvent::Edited(_) | IncomingEvent::Press { .. } | IncomingEvent::Joined => None,
    }
}
