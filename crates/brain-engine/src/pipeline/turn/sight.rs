//! What the person has before them as they write ([`Sight`]), of the facts of a turn. Nothing is read for it: whoever
//! wants it at another place in the turn is told the same. Not here: which stage is shown what.

use super::facts::TurnFacts;
use brain_core::core::history::PastAction;
use brain_core::core::ids::PendingId;
use brain_core::core::pending::Pending;
use brain_core::core::plan::Target;
use brain_core::core::sight::{InHand, OpenCard, OpenQuestion, RepliedTo, Sight};
use brain_core::core::text::{one_line, quoted};
use brain_core::limits;
use brain_core::ports::records::{Clarification, Message, Speaker};
use brain_services::services::catalog::registry::Registry;

impl TurnFacts {
    /// What is in sight.
    pub fn sight(&self, services: &Registry) -> Sight<'_> {
        Sight {
            now: self.as_written().now.with_timezone(&self.ctx.zone),
            history: self.conversation(),
            in_hand: self.in_hand(),
            cards: self.cards_in_sight().map(open_card).collect(),
            question: self.open_question().map(|question| open_question(question, services)),
        }
    }

    /// The same beside what the message is about already, which is shown as that.
    pub fn sight_beside(&self, services: &Registry, question: bool, card: Option<&PendingId>) -> Sight<'_> {
        let mut sight = self.sight(services);
        sight.question.take_if(|_| question);
        sight.cards.retain(|open| card.is_none_or(|card| card.as_str() != open.id));
        sight
    }

    /// The last of the open cards.
    pub(super) fn cards_in_sight(&self) -> impl Iterator<Item = &Pending> {
        self.open.iter().skip(self.open.len().saturating_sub(limits::WAITING_SHOWN_MAX))
    }

    fn in_hand(&self) -> InHand<'_> {
        let newest = || self.replied_message.iter().chain(self.history.iter().rev());
        let actions = || newest().flat_map(|message| message.actions.iter().rev());
        let mut touched: Vec<&PastAction> = Vec::new();
        for past in actions().filter(|past| past.item.as_ref().is_some_and(|item| !item.id.is_empty())) {
            if touched.len() == limits::SIGHT_ITEMS_MAX {
                break;
            }
            if touched.iter().all(|known| known.item != past.item || known.service != past.service) {
                touched.push(past);
            }
        }
        let is_cut = |message: &&Message| one_line(&message.text).chars().count() > limits::ANSWER_IN_HISTORY_CHARS;
        let last = self.history.iter().rev().find(|message| message.speaker == Speaker::Assistant);
        InHand {
            listed: actions().find(|past| !past.rows.is_empty()),
            touched,
            answer: last.filter(is_cut).map(|message| message.text.as_str()),
            replied: self.replied_message.as_ref().map(|message| RepliedTo {
                text: &message.text,
                about: &message.actions,
                quote: self.incoming.quote.as_deref(),
            }),
            files: self.ctx.files.iter().map(|file| file.name.as_str()).collect(),
        }
    }
}

fn open_card(pending: &Pending) -> OpenCard<'_> {
    let named = |target: &Target| format!("{} {}", target.id, quoted(&target.label, limits::SIGHT_LABEL_CHARS));
    OpenCard { id: pending.id.as_str(), request: &pending.request, actions: pending.planned(named) }
}

/// A question as code words it is without the values in it, and has nothing of what a model asked.
fn open_question<'q>(question: &'q Clarification, services: &Registry) -> OpenQuestion<'q> {
    let worded = question.partial.as_ref().and_then(|(partial, param)| {
        let entry = services.command(&partial.service, &partial.command)?;
        let param = param.split('=').next().unwrap_or_default();
        Some(format!("assistant asked ({}): {}", partial.name(), entry.question(param)))
    });
    let by_code = match (worded, question.offers.as_slice()) {
        (Some(worded), _) => worded,
        (None, []) => format!("assistant asked back about: {}", question.domains.join(", ")),
        (None, offers) => format!("assistant offered, and asked whether to: {}", offers.join(", ")),
    };
    OpenQuestion {
        request: &question.request,
        question: &question.question,
        by_code,
        choices: question.choices.iter().map(|(_, label)| label.as_str()).collect(),
        offer: question.offer.as_deref().filter(|_| question.takes_yes),
    }
}
