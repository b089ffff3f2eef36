//! Undo: once, for its owner, for ten minutes, if nothing has changed since; by button or by `/undo`.
//!
//! What was changed in the store is restored there. What was changed elsewhere is taken back by the command that its
//! own command names (see [`Command::reversal`](brain_services::services::contract::command::Command::reversal)), through the gate like
//! any other; whether it worked is what its receipt says.
//!
//! Invariants: the restoring changes and the mark that the undo was used commit together, so it works once; a reversal
//! is about the very thing that was changed, so a second one finds nothing to do, and only one that was done counts as
//! used; every refusal has a sentence of its own; a used undo is remembered for a while; what told of something that
//! was taken back says so from then on.

use chrono_tz::Tz;

use super::intended::Intended;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::commit::shown;
use crate::pipeline::consent::recorded;
use crate::pipeline::consent::undo::{mark, recent, taken_back};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::{Button, CardVerb, Press, Role};
use brain_core::core::ids::MessageId;
use brain_core::core::outcome::Status;
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance::{Sources, WrittenBy};
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::{NoticeKind, Path, Reply};
use brain_core::limits;
use brain_core::ports::records::Undo;
use brain_core::ports::{Batch, Change, Expect, Key, RecordExt, StoreError, Table};
use brain_language::language::terms;

const NOTHING: &str = "There is nothing to undo: in the last 10 minutes I did nothing here that can be taken back. \
                       What has been sent or erased after your yes can't be.";
/// Characters of what a button takes back.
const LABEL_CHARS: usize = 30;
/// A shorter word names nothing.
const NAMING_CHARS: usize = 3;

/// A press on an Undo button.
pub(in crate::pipeline) async fn press(brain: &Brain, facts: &TurnFacts, id: &str) -> Result<Intended, StoreError> {
    let stored = brain.store.load::<Undo>(&Key::of(&[id])).await?;
    let undo = Press::Undo(id.to_owned());
    let pressed = shown::pressed(brain, facts, &undo.encode()).await?.map(|shown| shown.message);
    let taken = match &stored {
        None => told(facts, "That was too long ago to undo: it works for 10 minutes.", NoticeKind::Alert).into(),
        Some((undo, _)) if undo.owner != *facts.owner() => {
            // The button stays: it is somebody else's.
            return Ok(told(facts, "Only the person who did that can undo it.", NoticeKind::Alert).into());
        }
        Some((undo, revision)) => take_back(brain, facts, undo, *revision, pressed).await?,
    };
    Ok(taken.then(move |answer| without(pressed, undo, answer)))
}

/// An answer that takes a button off a message.
fn without(message: Option<MessageId>, button: Press, mut answer: Answer) -> Answer {
    if let Some(message) = message {
        shown::without(message, move |press| *press == button, &mut answer);
    }
    answer
}

/// `/undo`: the last thing this person had done in this chat that can still be taken back.
pub(in crate::pipeline) async fn last(brain: &Brain, facts: &TurnFacts) -> Result<Intended, StoreError> {
    let mine = recent(brain, facts).await?;
    let open = mine.iter().find(|(undo, _)| undo.used.is_none());
    let decided = facts.state.decided.as_ref().map(|decided| &decided.pending);
    let is_of_the_card = |undo: &Undo| undo.card.is_some() && undo.card.as_ref() == decided;
    // What came last was a card: what was done before it is offered, not taken back unasked.
    if !open.is_some_and(|(undo, _)| is_of_the_card(undo))
        && let Some(mut result) = recorded(brain, facts, CardVerb::Cancel).await?
    {
        result.path = Path::Command;
        if let (Some((undo, _)), Some(reply)) = (open, result.replies.last_mut()) {
            reply.buttons.push(vec![button(undo)]);
        }
        return Ok(result.into());
    }
    let Some((undo, revision)) = open else {
        let said = match mine.iter().max_by_key(|(undo, _)| undo.used) {
            Some((undo, _)) => format!("{} There is nothing else to undo.", already(undo, facts.ctx.zone)),
            None => NOTHING.to_owned(),
        };
        return Ok(Answer::says(Path::Command, said).into());
    };
    let press = Press::Undo(undo.id.clone());
    let shown = shown::with_button(brain, facts, &press.encode()).await?.map(|shown| shown.message);
    let taken = take_back(brain, facts, undo, *revision, shown).await?;
    Ok(taken.then(move |answer| without(shown, press, Answer { path: Path::Command, ..answer })))
}

/// The same in words, which may name which of the last things is meant: the one whose receipt has most of them.
pub(super) async fn asked(brain: &Brain, facts: &TurnFacts, what: Option<&str>) -> Result<Intended, StoreError> {
    let Some(what) = what.map(str::trim).filter(|what| !what.is_empty()) else { return last(brain, facts).await };
    let open: Vec<Undo> = recent(brain, facts).await?.into_iter().map(|(undo, _)| undo).collect();
    let open: Vec<Undo> = open.into_iter().filter(|undo| undo.used.is_none() && facts.ctx.now <= undo.until).collect();
    let wanted = terms::stems(&terms::fold(what));
    let fit = |undo: &Undo| {
        let label = terms::stems(&terms::fold(&undo.label));
        wanted.iter().filter(|word| word.chars().count() >= NAMING_CHARS && label.contains(word)).count()
    };
    let best = open.iter().map(fit).max().unwrap_or_default();
    let named: Vec<&Undo> = open.iter().filter(|undo| best > 0 && fit(undo) == best).collect();
    if let [only] = named.as_slice() {
        return press(brain, facts, &only.id).await;
    }
    let shown = if named.is_empty() { open.iter().collect() } else { named };
    let said = match (shown.is_empty(), best > 0) {
        (true, _) => NOTHING.to_owned(),
        (false, true) => "Which of these shall I take back?".to_owned(),
        (false, false) => {
            let what = visible(&shorten(what, LABEL_CHARS));
            format!("Nothing that I can take back is called “{what}”. Which of these is it?")
        }
    };
    let buttons = shown.into_iter().take(limits::UNDO_BUTTONS_MAX).map(|undo| vec![button(undo)]).collect();
    Ok(Answer::says(Path::Command, Reply { buttons, ..Reply::text(said) }).into())
}

/// The button that takes something back, by its name.
fn button(undo: &Undo) -> Button {
    Button::new(format!("↩️ Undo: {}", shorten(&undo.label, LABEL_CHARS)), &Press::Undo(undo.id.clone()))
}

/// Takes something back. `told_in`: the message that told of it.
async fn take_back(
    brain: &Brain,
    facts: &TurnFacts,
    undo: &Undo,
    revision: u64,
    told_in: Option<MessageId>,
) -> Result<Intended, StoreError> {
    if undo.used.is_some() {
        return Ok(told(facts, already(undo, facts.ctx.zone), NoticeKind::Toast).into());
    }
    if facts.ctx.now > undo.until {
        let words = format!("Too late to undo that ({}): it works for 10 minutes.", undo.label);
        return Ok(told(facts, words, NoticeKind::Alert).into());
    }
    let used = Undo { changes: Vec::new(), reversal: None, used: Some(facts.ctx.now), ..undo.clone() };
    if let Some(reversal) = &undo.reversal {
        return reverse(facts, reversal, &used, revision, told_in);
    }
    // The mark comes first: of two presses at once the later one is told that it was used.
    let mut batch = Batch::default();
    batch.put(&used, Expect::Revision(revision))?.extend(undo.changes.iter().cloned());
    match brain.commit(batch).await {
        Ok(restored) => {
            rest_on(brain, facts, undo, restored).await?;
            let mut answer = told(facts, taken_back(undo), NoticeKind::Toast);
            told_in.iter().for_each(|message| mark(*message, undo, &mut answer));
            restore_message(brain, facts, undo, &mut answer).await?;
            Ok(answer.into())
        }
        // Pressed twice at once: the other press has done it.
        Err(StoreError::Conflict { table: Table::Undo, .. }) => {
            Ok(told(facts, already(&used, facts.ctx.zone), NoticeKind::Toast).into())
        }
        Err(StoreError::Conflict { .. }) => {
            let words = format!(
                "I left that as it is: it was changed since, so I can't undo it any more ({}). Nothing was undone.",
                undo.label
            );
            Ok(told(facts, words, NoticeKind::Alert).into())
        }
        Err(error) => Err(error),
    }
}

/// What was done before it can be taken back next: the records are as that left them, at the revision `restored`.
async fn rest_on(brain: &Brain, facts: &TurnFacts, undone: &Undo, restored: u64) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    for (undo, revision) in recent(brain, facts).await? {
        let mut older = undo.clone();
        for change in &mut older.changes {
            let same = |(other, prior): &(&Change, &Option<u64>)| {
                other.table == change.table
                    && other.key == change.key
                    && prior.is_some_and(|prior| change.expect == Expect::Revision(prior))
            };
            if undone.changes.iter().zip(&undone.prior).any(|pair| same(&pair)) {
                change.expect = Expect::Revision(restored);
            }
        }
        if older.changes != undo.changes {
            batch.put(&older, Expect::Revision(revision))?;
        }
    }
    if batch.changes.is_empty() {
        return Ok(());
    }
    match brain.commit(batch).await {
        // One of them was pressed at this moment; it is told why it could not be.
        Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Takes an effect elsewhere back, and tells what came of it.
fn reverse(
    facts: &TurnFacts,
    reversal: &PlannedAction,
    used: &Undo,
    revision: u64,
    told_in: Option<MessageId>,
) -> Result<Intended, StoreError> {
    let mut marked = Batch::default();
    marked.put(used, Expect::Revision(revision))?;
    let (incoming, used) = (facts.incoming.clone(), used.clone());
    let sources = Sources { own: facts.own_words(), written_by: WrittenBy::Undo, ..Sources::default() };
    Ok(Intended::of(vec![reversal.clone()], sources).then(move |mut answer| {
        let is_done = answer.reports.iter().any(|report| report.status == Status::Succeeded);
        if is_done {
            // What took something back is no new thing to take back.
            answer.batch.changes.retain(|change| change.table != Table::Undo);
            for reply in &mut answer.replies {
                reply.buttons.iter_mut().for_each(|row| row.retain(|button| button.role != Role::Undo));
                reply.buttons.retain(|row| !row.is_empty());
            }
            answer.batch.extend(marked.changes);
            told_in.iter().for_each(|message| mark(*message, &used, &mut answer));
        }
        let kind = if is_done { NoticeKind::Toast } else { NoticeKind::Alert };
        answer.noticed(&incoming, kind).keeping_question()
    }))
}

fn told(facts: &TurnFacts, words: impl Into<Reply>, kind: NoticeKind) -> Answer {
    Answer::says(Path::Button, words).noticed(&facts.incoming, kind)
}

fn already(undo: &Undo, zone: Tz) -> String {
    let at = undo.used.map_or_else(String::new, |at| format!(" at {}", at.with_timezone(&zone).format("%H:%M")));
    format!("That was already taken back{at}: {}.", undo.label)
}

/// A reminder that was marked as done says what it said before once that was taken back.
async fn restore_message(brain: &Brain, facts: &TurnFacts, undo: &Undo, answer: &mut Answer) -> Result<(), StoreError> {
    if let Some(changed) = shown::changed_by(brain, facts, &undo.id).await? {
        answer.rewrite(changed.message, |shown| {
            if let Some(before) = shown.before.take() {
                (shown.text, shown.buttons) = (before.text, before.buttons);
            }
        });
    }
    Ok(())
}
