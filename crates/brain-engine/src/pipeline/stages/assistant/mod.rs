//! The assistant's own commands (see [`brain_services::services::assistant`]), carried out: what is taken back, set,
//! snoozed, shown further, and told of what was done.
//!
//! Invariants: what changes something counts where its person typed it, in their own chat; what it comes to is a value
//! ([`Intended`]), whose actions pass the gate like any other. Whoever asks (a phrase, a model, a button, a slash
//! command) comes to the same. Not here: who asks.

pub mod agenda;
mod intended;
pub(in crate::pipeline) mod lists;
pub(in crate::pipeline) mod memory;
pub(in crate::pipeline) mod pages;
mod record;
pub(in crate::pipeline) mod reminder;
pub mod settings;
pub(in crate::pipeline) mod undo;

pub(in crate::pipeline) use self::intended::{Intended, ToBeDone};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::waiting::StillWaiting;
use crate::pipeline::stages::doubts;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::PlannedAction;
use brain_core::core::turn::{Origin, Path, Reply};
use brain_core::ports::StoreError;
use brain_services::services::assistant::AssistantRequest;

/// Said of what only counts where its person typed it.
const NOT_HERE: &str = "I do that only when you type it yourself, in our private chat. Nothing was done.";

/// What waits for a yes or no, what was offered last among it.
async fn waiting(brain: &Brain, facts: &TurnFacts) -> Result<Answer, StoreError> {
    let offered = facts.open_question().and_then(|question| Some((question, question.offer.as_deref()?)));
    let Some((question, offer)) = offered else { return lists::pending(brain, facts, None).await };
    let waits = StillWaiting::of(brain, facts).await?;
    if waits.questions.iter().any(|question| question.id.as_str() == offer) {
        return lists::pending(brain, facts, None).await;
    }
    let mut answer = match waits.is_empty() {
        true => Answer::of(Path::Command),
        false => lists::pending(brain, facts, None).await?,
    };
    let labels: Vec<String> = question.choices.iter().map(|(_, label)| label.clone()).collect();
    let again = Reply { buttons: doubts::buttons(offer, &labels), ..Reply::text(question.question.clone()) };
    answer.replies.push(again);
    Ok(answer.holding(question.quoted.clone()).keeping_question())
}

/// What a planned action asks of the assistant itself; `None` where it is for a service.
pub(in crate::pipeline) fn asked(brain: &Brain, planned: &PlannedAction) -> Option<AssistantRequest> {
    let entry = brain.services.command(&planned.service, &planned.command)?;
    AssistantRequest::of(planned).filter(|_| entry.is_of_the_turn())
}

/// What a request comes to.
pub(in crate::pipeline) async fn carried_out(
    brain: &Brain,
    facts: &TurnFacts,
    request: AssistantRequest,
) -> Result<Intended, StoreError> {
    let is_typed = matches!(facts.origin(), Origin::Typed | Origin::PartialQuote);
    let is_here = is_typed && facts.chat().is_private_of(facts.owner());
    Ok(match request {
        AssistantRequest::TakeBack(_) | AssistantRequest::ChangeSettings(_) if !is_here => {
            Answer::says(Path::Command, NOT_HERE).into()
        }
        AssistantRequest::TakeBack(undo) => undo::asked(brain, facts, undo.what.as_deref()).await?,
        AssistantRequest::ChangeSettings(change) => settings::asked(brain, facts, &change).into(),
        AssistantRequest::ShowSettings => settings::shown(brain, facts).into(),
        AssistantRequest::Snooze(snooze) => reminder::snoozed(brain, facts, snooze.until.as_deref()).await?,
        AssistantRequest::ShowMore => match pages::more(brain, facts).await? {
            Some(page) => page,
            None => Answer::says(Path::Command, "There is no list here that goes on.").into(),
        },
        AssistantRequest::ShowDone(done) => record::told(brain, facts, done.verb.as_deref()).await?.into(),
        AssistantRequest::ShowWaiting => waiting(brain, facts).await?.into(),
        // Beside other things; alone it is looked into at once.
        AssistantRequest::LookInto => {
            Answer::says(Path::Command, "Please ask me that in a message of its own; I look into it then.").into()
        }
    })
}
