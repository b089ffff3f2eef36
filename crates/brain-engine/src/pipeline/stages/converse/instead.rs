//! What a model's actions take the place of: the card that waits, the draft in hand, or what is offered, by the id that
//! stands in its prompt.
//!
//! Invariants: what is named with nothing in its place is withdrawn, which does nothing (a draft stays kept); a yes is
//! never a model's. What was offered and is not named stays offered, beside what is offered now. Not here: what the
//! actions do.

use super::Exchange;
use super::says::ModelTurn;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::cards;
use crate::pipeline::consent::drafts::Draft;
use crate::pipeline::stages::progressing::Progressing;
use crate::pipeline::stages::topic::Amended;
use crate::pipeline::turn::{TurnAccount, TurnFacts};
use crate::queries::offers::{Offer, Offered};
use brain_core::core::ids::PendingId;
use brain_core::core::pending::Pending;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::provenance::UntrustedText;
use brain_core::limits;
use brain_core::ports::{Change, Expect, RecordExt, StoreError, Table};
use brain_language::language::grounding::ValueKind;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::planning::values::typed_values;

/// See the module.
pub(super) enum InsteadOf<'a> {
    Card(&'a Pending),
    Draft(Draft),
    Offer(StandingOffer),
}

/// What was offered with one tap, and waits for it.
pub(super) struct StandingOffer {
    id: String,
    pub plan: Plan,
    request: String,
    /// What it holds of others' words.
    pub untrusted: Vec<UntrustedText>,
    revision: u64,
}

/// What the exchange came to, as far as it matters to what it was about.
#[derive(Debug, Clone, Copy)]
pub(super) struct CameOfIt {
    /// Something was done, asked about or offered in its place.
    has_successor: bool,
    /// Something was done.
    has_changed: bool,
    /// Nothing was to stand in its place.
    is_withdrawn: bool,
}

impl CameOfIt {
    pub fn of(so_far: &Progressing, offers: &[PlannedAction], is_withdrawn: bool) -> Self {
        let has_changed = so_far.results.changed;
        let has_successor = has_changed || so_far.asks_consent() || !offers.is_empty();
        Self { has_successor, has_changed, is_withdrawn }
    }
}

impl<'a> InsteadOf<'a> {
    /// What the model named; `None` where nothing of that id is in sight.
    pub async fn named(brain: &Brain, facts: &'a TurnFacts, said: &ModelTurn) -> Result<Option<Self>, StoreError> {
        let Some(id) = said.instead_of.as_deref() else { return Ok(None) };
        if let Some(card) = facts.open.iter().find(|pending| pending.id.as_str() == id) {
            return Ok(Some(Self::Card(card)));
        }
        if let Some(offer) = StandingOffer::of(brain, facts).await?.filter(|offer| offer.id == id) {
            return Ok(Some(Self::Offer(offer)));
        }
        let draft = Draft::in_sight(brain, facts).await?;
        Ok(draft.filter(|draft| draft.id == id).map(Self::Draft))
    }

    /// For whoever plans it anew.
    pub fn amended(&self, services: &Registry) -> Option<Amended<'a>> {
        match self {
            Self::Card(card) => Some(Amended::card(card)),
            Self::Draft(draft) => Some(Amended::draft(services, draft.writing.clone())),
            Self::Offer(_) => None,
        }
    }

    /// What is offered, where that is what it is.
    pub fn offered(&self) -> Option<&StandingOffer> {
        match self {
            Self::Offer(offer) => Some(offer),
            Self::Card(_) | Self::Draft(_) => None,
        }
    }

    /// Takes it away in the commit of its successor. Gives the card that was decided meanwhile instead.
    pub async fn replaced(
        self,
        (brain, facts, account): (&Brain, &TurnFacts, &TurnAccount),
        came: CameOfIt,
        answer: &mut Answer,
    ) -> Result<Option<PendingId>, StoreError> {
        let goes = came.has_successor || came.is_withdrawn;
        match self {
            Self::Card(card) if goes && !cards::superseded_with(brain, facts, card, answer).await? => {
                return Ok(Some(card.id.clone()));
            }
            Self::Offer(offer) if goes => {
                account.takes_question();
                answer.batch.extend([offer.withdrawal()]);
            }
            Self::Draft(draft) if came.has_changed => draft.replaced(brain, facts, answer).await?,
            Self::Card(_) | Self::Offer(_) | Self::Draft(_) => {}
        }
        Ok(None)
    }
}

impl StandingOffer {
    /// What is offered, if a yes would take it.
    pub async fn of(brain: &Brain, facts: &TurnFacts) -> Result<Option<Self>, StoreError> {
        let question = facts.open_question().filter(|question| question.takes_yes);
        let Some(id) = question.and_then(|question| question.offer.as_deref()) else { return Ok(None) };
        let stored = brain.store.load::<Offer>(&Offer::key_of(id)).await?;
        let open = stored.filter(|(offer, _)| is_open(offer, facts));
        Ok(open.and_then(|(offer, revision)| match offer.what {
            Offered::Readings { mut plans, request, untrusted, .. } if plans.len() == 1 => {
                Some(Self { id: offer.id, plan: plans.remove(0), request, untrusted, revision })
            }
            Offered::Readings { .. }
            | Offered::Actions { .. }
            | Offered::Investigation { .. }
            | Offered::Answers { .. }
            | Offered::Redo { .. } => None,
        }))
    }

    /// Joins what is offered now, as far as both are one answer's, with its words and whose they are; what is said anew
    /// takes its place. Its own button is gone then: nothing of it can be done twice.
    pub fn joins(self, brain: &Brain, exchange: &mut Exchange, so_far: &mut Progressing) {
        let offers = &mut exchange.offers;
        if self.plan.actions.len() + offers.len() > limits::PLAN_ACTIONS_MAX {
            return;
        }
        so_far.answer.batch.extend([self.withdrawal()]);
        // What depends on another stands or falls with it.
        if self.plan.actions.iter().any(|old| offers.iter().any(|new| is_same_thing(brain, old, new))) {
            return;
        }
        let before = self.plan.actions.len();
        offers.iter_mut().flat_map(|new| &mut new.depends_on).for_each(|on| *on += before);
        offers.splice(0..0, self.plan.actions);
        so_far.sources.untrusted.extend(self.untrusted);
        exchange.earlier = Some(self.request);
    }

    fn withdrawal(&self) -> Change {
        Change::delete(Table::Meta, Offer::key_of(&self.id), Expect::Revision(self.revision))
    }
}

fn is_open(offer: &Offer, facts: &TurnFacts) -> bool {
    offer.is_open_to(facts.owner(), facts.chat(), facts.ctx.now)
}

/// Whether two actions are about the same thing: one command, and one name or description.
fn is_same_thing(brain: &Brain, one: &PlannedAction, other: &PlannedAction) -> bool {
    if one.service != other.service || one.command != other.command {
        return false;
    }
    let Some(entry) = brain.services.command(&one.service, &one.command) else { return false };
    let names = |planned: &PlannedAction| -> Vec<String> {
        let values = entry.check(planned.params.clone()).map(|params| typed_values(entry.as_ref(), &params));
        let values = values.unwrap_or_default().into_iter();
        let named = values.filter(|value| matches!(value.kind, ValueKind::Name | ValueKind::Reference));
        named.map(|value| value.text.to_lowercase()).collect()
    };
    let (one, other) = (names(one), names(other));
    one.iter().any(|name| other.contains(name))
}
