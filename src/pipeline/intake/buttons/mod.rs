//! Presses of buttons. The data is untrusted: it names a record, and the record decides.
//!
//! Buttons of cards are decided in `consent`, those of settings in `settings`. What a press did is said on the
//! message it sits on, as well as below.

pub mod reminder;

use super::{offers, pages, settings};
use crate::core::button::Press;
use crate::core::pending::Means;
use crate::core::provenance::Sources;
use crate::core::turn::{Edit, Input, NoticeKind, Path};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, shown};
use crate::pipeline::consent;
use crate::pipeline::intake::cards::{named, undo};
use crate::pipeline::stages::act;
use crate::pipeline::turn::{Facts, Turn, TurnError};
use crate::ports::StoreError;

/// What a press comes to; `None` for a message.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    match &turn.facts.incoming.input {
        Input::Press { data, .. } => {
            let copy = shown::copy(turn.brain, &turn.facts).await?;
            let mut answer = press(turn, data).await?;
            // What can be pressed is the message on record; nobody could change this one later.
            answer.edits.extend(copy.map(|message| Edit::buttons(message, Vec::new())));
            Ok(Some(answer))
        }
        Input::Message { .. } => Ok(None),
    }
}

async fn press(turn: &Turn<'_>, data: &str) -> Result<Answer, StoreError> {
    let answer = match Press::decode(data) {
        None => {
            let unknown = Answer::says(Path::Button, "I don't know that button. Nothing was done.");
            unknown.noticed(&turn.facts, NoticeKind::Alert)
        }
        Some(Press::Card { pending, digest_prefix, verb }) => {
            return consent::decide(turn, &pending, verb, Some(&digest_prefix), Means::Button).await;
        }
        Some(Press::Undo(id)) => undo::press(turn, &id).await?,
        Some(Press::Send(draft)) => send(turn, &draft).await?,
        Some(Press::Snooze { due, until }) => reminder::snooze(turn, &due, until, data).await?,
        Some(Press::Done(due)) => reminder::done(turn, &due, data).await?,
        Some(Press::Offer { id, choice }) => return offers::take(turn, &id, choice).await,
        // The channel that made it takes it before it gets here.
        Some(Press::Redo(_)) => Answer::says(Path::Button, "There is nothing to do again. Nothing was done."),
        Some(Press::Set { key, value }) => {
            settings::press(turn.brain, &turn.facts, &key, value.as_deref(), data).await?
        }
        Some(Press::More(id)) => pages::press(turn, &id, data).await?,
        Some(Press::Show(pending)) => named::show(turn.brain, &turn.facts, &pending).await?,
    };
    Ok(answer.keeping_question())
}

/// What a press that an earlier life began would have said on its message, besides the receipt.
pub async fn carried_through(brain: &Brain, facts: &Facts, answer: &mut Answer) -> Result<(), StoreError> {
    let Input::Press { data, .. } = &facts.incoming.input else {
        reminder::answer_carried_through(brain, facts, answer);
        return Ok(());
    };
    match Press::decode(data) {
        Some(Press::Snooze { due, .. } | Press::Done(due)) => {
            let message = shown::pressed(brain, facts, data).await?.map(|shown| shown.message);
            reminder::carried_through(brain, facts, &due, message, answer);
            Ok(())
        }
        Some(Press::Offer { .. }) => {
            offers::is_taken(facts, answer);
            Ok(())
        }
        // These begin no journal.
        Some(
            Press::Card { .. }
            | Press::Undo(_)
            | Press::Send(_)
            | Press::Redo(_)
            | Press::Set { .. }
            | Press::More(_)
            | Press::Show(_),
        )
        | None => Ok(()),
    }
}

/// A draft's Send button makes a card: sending is high stakes, however it is asked for.
pub(in crate::pipeline) async fn send(turn: &Turn<'_>, draft: &str) -> Result<Answer, StoreError> {
    let services = turn.brain.services.now();
    let mut sending = None;
    for drafts in services.iter().filter_map(|service| service.service.drafts()) {
        if sending.is_none() {
            sending = drafts.sending(&turn.facts.ctx, draft).await;
        }
    }
    let Some(sending) = sending else {
        let gone = Answer::says(Path::Button, "That draft is gone, so there is nothing to send.");
        return Ok(gone.noticed(&turn.facts, NoticeKind::Alert));
    };
    // What the draft took from others is still theirs.
    let sources =
        Sources { own: turn.facts.own_words(), untrusted: turn.facts.known_to_be_others(), ..Sources::default() };
    act::given(turn, vec![sending], sources, Vec::new()).await
}
