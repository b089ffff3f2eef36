//! Presses of buttons. The data is untrusted: it names a record, and the record decides.
//!
//! Buttons of cards are decided in `consent`, those of settings in `settings`. What a press did is said on the
//! message it sits on, as well as below.

mod definitions;

use super::{offers, question};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, shown};
use crate::pipeline::consent;
use crate::pipeline::intake::cards::named;
use crate::pipeline::show::changed_tools;
use crate::pipeline::stages::assistant::{Intended, pages, reminder, settings, undo};
use crate::pipeline::turn::{Referent, Turn, TurnError, TurnFacts};
use brain_core::core::button::Press;
use brain_core::core::pending::Means;
use brain_core::core::provenance::Sources;
use brain_core::core::turn::{Edit, Input, NoticeKind, Path};
use brain_core::ports::StoreError;

/// What a press comes to; `None` for a message.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Intended>, TurnError> {
    match &turn.facts.incoming.input {
        Input::Press { data, .. } => {
            let copy = shown::copy(turn.brain, &turn.facts).await?;
            let intended = press(turn, data).await?;
            Ok(Some(intended.then(move |mut answer| {
                // What can be pressed is the message on record; nobody could change this one later.
                answer.edits.extend(copy.map(|message| Edit::buttons(message, Vec::new())));
                answer
            })))
        }
        Input::Message { .. } => Ok(None),
    }
}

async fn press(turn: &Turn<'_>, data: &str) -> Result<Intended, StoreError> {
    let intended: Intended = match Press::decode(data) {
        None => {
            let unknown = Answer::says(Path::Button, "I don't know that button. Nothing was done.");
            unknown.noticed(&turn.facts.incoming, NoticeKind::Alert).into()
        }
        Some(Press::Card { pending, digest_prefix, verb }) => {
            return Ok(consent::decide(turn, &pending, verb, Some(&digest_prefix), Means::Button).await?.into());
        }
        Some(Press::Undo(id)) => undo::press(turn.brain, &turn.facts, &id).await?,
        Some(Press::Send(draft)) => send(turn.brain, &turn.facts, &draft).await?,
        Some(Press::AddEvent(mail)) => add_event(turn.brain, &turn.facts, &mail).await,
        Some(Press::Snooze { due, until }) => reminder::snooze(turn.brain, &turn.facts, &due, until, data).await?,
        Some(Press::Done(due)) => reminder::done(turn.brain, &turn.facts, &due, data).await?,
        Some(Press::Offer { id, choice }) => {
            let Some((label, taken)) = offers::spoken(turn.brain, &turn.facts, &id, choice).await? else {
                return Ok(offers::take(turn, &id, choice).await?.into());
            };
            let mut then = turn.said_at(turn.facts.ctx.now);
            then.points_at(Referent::words(label)).await;
            return Ok(offers::answered(&turn.facts, question::answer(&then).await, taken)?.into());
        }
        // The channel that made it takes it before it gets here.
        Some(Press::Redo(_)) => Answer::says(Path::Button, "There is nothing to do again. Nothing was done.").into(),
        Some(Press::Set { key, value: Some(id) }) if key == changed_tools::KEY => {
            definitions::take(turn.brain, &turn.facts, &id, data).await?
        }
        Some(Press::Set { key, value }) => {
            settings::press(turn.brain, &turn.facts, &key, value.as_deref(), data).await?.into()
        }
        Some(Press::More(id)) => pages::press(turn.brain, &turn.facts, &id, data).await?,
        Some(Press::Show(pending)) => named::show(turn.brain, &turn.facts, &pending).await?.into(),
    };
    Ok(intended.then(Answer::keeping_question))
}

/// What a press that an earlier life began would have said on its message, besides the receipt.
pub async fn carried_through(brain: &Brain, facts: &TurnFacts, answer: &mut Answer) -> Result<(), StoreError> {
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
            | Press::AddEvent(_)
            | Press::Redo(_)
            | Press::Set { .. }
            | Press::More(_)
            | Press::Show(_),
        )
        | None => Ok(()),
    }
}

/// Puts the event in a mail on the calendar: the press is on exactly this, so the mail's words are asked about no more.
async fn add_event(brain: &Brain, facts: &TurnFacts, mail: &str) -> Intended {
    for service in brain.services.now().iter() {
        if let Some((adding, words)) = service.service.enclosed_event(&facts.ctx, mail).await {
            let sources = Sources { own: facts.own_words(), passed_on: vec![words], ..Sources::default() };
            return Intended::of(vec![adding], sources);
        }
    }
    let gone = Answer::says(Path::Button, "That mail is gone, or it holds no event any more. Nothing was done.");
    gone.noticed(&facts.incoming, NoticeKind::Alert).into()
}

/// A draft's Send button makes a card: sending is high stakes, however it is asked for.
pub(super) async fn send(brain: &Brain, facts: &TurnFacts, draft: &str) -> Result<Intended, StoreError> {
    let services = brain.services.now();
    let mut sending = None;
    for drafts in services.iter().filter_map(|service| service.service.drafts()) {
        if sending.is_none() {
            sending = drafts.sending(&facts.ctx, draft).await;
        }
    }
    let Some(sending) = sending else {
        let gone = Answer::says(Path::Button, "That draft is gone, so there is nothing to send.");
        return Ok(gone.noticed(&facts.incoming, NoticeKind::Alert).into());
    };
    // What the draft took from others is still theirs.
    let sources = Sources { own: facts.own_words(), untrusted: facts.known_to_be_others(), ..Sources::default() };
    Ok(Intended::of(vec![sending], sources))
}
