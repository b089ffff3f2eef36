//! Current draft: the one that a message may speak of, which is replied to, or was shown last.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, shown};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::Press;
use brain_core::core::history::PastAction;
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance;
use brain_core::core::turn::Edit;
use brain_core::ports::StoreError;
use brain_core::ports::records::Speaker;

/// Answers of ours back in which a draft is looked for.
const BACK_MAX: usize = 4;

/// The addresses among these to which the draft in sight goes.
pub(in crate::pipeline) async fn goes_to(brain: &Brain, facts: &TurnFacts, addresses: &[String]) -> Vec<String> {
    let draft =
        Draft::in_sight(brain, facts).await.inspect_err(|error| tracing::warn!(%error, "no draft was looked for"));
    let Some(draft) = draft.ok().flatten() else { return Vec::new() };
    let to = provenance::addresses(&draft.writing.params);
    to.into_iter().filter(|to| addresses.iter().any(|address| address.eq_ignore_ascii_case(to))).collect()
}

/// A draft in the conversation.
pub(in crate::pipeline) struct Draft {
    pub id: String,
    /// The action that writes it.
    pub writing: PlannedAction,
    /// Whether nothing was done or shown since, or it is replied to.
    pub is_last: bool,
}

impl Draft {
    /// The one that the message speaks of, if any.
    pub async fn in_sight(brain: &Brain, facts: &TurnFacts) -> Result<Option<Self>, StoreError> {
        if let Some(replied) = &facts.replied_message {
            return Ok(Self::among(brain, facts, &replied.actions, true).await);
        }
        let ours = facts.history.iter().rev().filter(|message| message.speaker == Speaker::Assistant).take(BACK_MAX);
        let mut is_last = true;
        for message in ours.filter(|message| !message.actions.is_empty()) {
            if let Some(draft) = Self::among(brain, facts, &message.actions, is_last).await {
                return Ok(Some(draft));
            }
            is_last = false;
        }
        Ok(None)
    }

    /// Takes it back, now that another stands in its place.
    pub async fn replaced(self, brain: &Brain, facts: &TurnFacts, answer: &mut Answer) -> Result<(), StoreError> {
        let services = brain.services.now();
        if let Some(drafts) = services.find(&self.writing.service).and_then(|service| service.service.drafts()) {
            drafts.discard(&facts.ctx, &self.id).await;
        }
        let before = shown::with_button(brain, facts, &Press::Send(self.id).encode()).await?;
        answer.edits.extend(before.map(|shown| Edit::buttons(shown.message, Vec::new())));
        Ok(())
    }

    /// The only one that these actions made.
    async fn among(brain: &Brain, facts: &TurnFacts, actions: &[PastAction], is_last: bool) -> Option<Self> {
        let services = brain.services.now();
        let mut found = None;
        for past in actions {
            let (Some(item), Some(service)) = (&past.item, services.find(&past.service)) else { continue };
            let Some(drafts) = service.service.drafts() else { continue };
            if let Some(writing) = drafts.rewriting(&facts.ctx, &item.id).await {
                let draft = Self { id: item.id.clone(), writing, is_last };
                if found.replace(draft).is_some() {
                    return None;
                }
            }
        }
        found
    }
}
