//! What can be taken back: the buttons that say so, what of it is on record, and what is said where it was told. Not
//! here: taking it back (`stages::assistant::undo`).

use chrono::Utc;
use chrono::{DateTime, Duration};

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, shown};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::{Button, Press};
use brain_core::core::ids::{ChatId, MessageId, PendingId};
use brain_core::core::text::shorten;
use brain_core::core::turn::{Edit, Path};
use brain_core::limits;
use brain_core::ports::records::{UNDOS_BY_CHAT, Undo};
use brain_core::ports::{Batch, Expect, Key, RecordExt, Scan, StoreError};

/// The buttons of these undos, which are written with the answer that shows them.
pub fn buttons<'u>(
    undos: impl IntoIterator<Item = &'u Undo> + Clone,
    batch: &mut Batch,
) -> Result<Vec<Vec<Button>>, StoreError> {
    let count = undos.clone().into_iter().count();
    if let Some(all) = all_at_once(undos.clone()).filter(|_| count > limits::UNDO_BUTTONS_MAX) {
        batch.put(&all, Expect::Absent)?;
        return Ok(vec![vec![Button::new(format!("↩️ Undo all {count}"), &Press::Undo(all.id.clone()))]]);
    }
    let many = count > 1;
    let mut buttons = Vec::new();
    for undo in undos {
        let text = if many { format!("↩️ Undo: {}", shorten(&undo.label, 30)) } else { "↩️ Undo".to_owned() };
        batch.put(undo, Expect::Absent)?;
        buttons.push(vec![Button::new(text, &Press::Undo(undo.id.clone()))]);
    }
    Ok(buttons)
}

/// One undo for all of these, if each restores what is in the store.
fn all_at_once<'u>(undos: impl IntoIterator<Item = &'u Undo>) -> Option<Undo> {
    let mut undos = undos.into_iter();
    let mut all = undos.next().filter(|first| first.reversal.is_none())?.clone();
    let mut others = 0;
    for undo in undos {
        if undo.reversal.is_some() {
            return None;
        }
        all.changes.extend(undo.changes.iter().cloned());
        all.prior.extend(undo.prior.iter().copied());
        all.order = all.order.max(undo.order);
        all.until = all.until.min(undo.until);
        others += 1;
    }
    all.label = format!("{} and {others} more", all.label);
    Some(all)
}

/// What still takes back what this card did.
pub(in crate::pipeline) async fn of_card(
    brain: &Brain,
    facts: &TurnFacts,
    card: &PendingId,
) -> Result<Option<Undo>, StoreError> {
    let is_open = |undo: &Undo| undo.card.as_ref() == Some(card) && undo.used.is_none() && facts.ctx.now <= undo.until;
    Ok(recent(brain, facts).await?.into_iter().map(|(undo, _)| undo).find(is_open))
}

/// This person's undos of this chat from the last hour, newest first.
pub(in crate::pipeline) async fn recent(brain: &Brain, facts: &TurnFacts) -> Result<Vec<(Undo, u64)>, StoreError> {
    let since = Undo::first_id_at(facts.ctx.now - Duration::hours(1));
    let here = [facts.owner().as_str(), facts.chat().as_str()];
    let scan = Scan::by(&UNDOS_BY_CHAT, &here, usize::MAX).after(Key::of(&[here[0], here[1], &since]));
    let mut found = brain.store.list::<Undo>(scan).await?;
    found.sort_by_key(|(undo, _)| std::cmp::Reverse((undo.until, undo.order)));
    Ok(found)
}

/// What this person took back lately in this chat, and when.
pub(in crate::pipeline) async fn used(
    brain: &Brain,
    facts: &TurnFacts,
) -> Result<Vec<(String, DateTime<Utc>)>, StoreError> {
    let recent = recent(brain, facts).await?;
    Ok(recent.into_iter().filter_map(|(undo, _)| Some((undo.label, undo.used?))).collect())
}

/// What the messages that told of these look like once they are taken back with this batch.
pub async fn marked(
    brain: &Brain,
    chat: &ChatId,
    undone: &[(Undo, u64)],
    batch: &mut Batch,
) -> Result<Vec<Edit>, StoreError> {
    let mut answer = Answer::of(Path::Button);
    for (undo, _) in undone {
        let press = Press::Undo(undo.id.clone());
        if let Some(shown) = shown::all_with_button(brain, chat, &press.encode()).await?.first() {
            mark(shown.message, undo, &mut answer);
            shown::without(shown.message, move |other| *other == press, &mut answer);
        }
    }
    shown::rewritten(brain, chat, &answer.rewrites, batch).await
}

/// The message that told of something says that it was taken back.
pub(in crate::pipeline) fn mark(told_in: MessageId, undo: &Undo, answer: &mut Answer) {
    let line = taken_back(undo);
    answer.rewrite(told_in, move |shown| shown.text = shown::said_below(&shown.text, &line));
}

/// What is said once something was taken back.
pub fn taken_back(undo: &Undo) -> String {
    format!("↩️ Taken back: {}.", undo.label)
}
