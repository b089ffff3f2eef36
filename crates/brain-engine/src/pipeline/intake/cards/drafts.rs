//! A draft that was shown: sent or left in a word, and changed in words.
//!
//! Invariants: a yes to a draft makes a card, and sends nothing. Only its owner changes one, in words typed about it;
//! the new one is written before the old one is taken back. Which draft is meant: the one that is replied to, or the
//! last one that was shown; where something else was done since, only by words that fit nothing but a draft.

use super::amendments::planned_again;
use super::consent_words::verb;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::shown;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::consent::card_is_last;
use crate::pipeline::consent::drafts::Draft;
use crate::pipeline::intake::buttons as presses;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::stages::topic::Amended;
use crate::pipeline::stages::{guard, resolve};
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::button::Press;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::PlannedAction;
use brain_core::core::turn::{Input, Origin, Path};
use brain_core::ports::StoreError;
use brain_language::language::consent::{self, Consent};
use brain_language::language::requests::Understood;
use brain_language::language::words::words;
use brain_services::services::across::amendment;
use brain_services::services::helpers::address_book::PeopleQuery;

const STAYS_A_DRAFT: &str = "Okay, it stays a draft. Nothing was sent.";
const NO_REWORDING: &str = "I can't reword a draft by myself, so it is as it was. Tell me what to change: “say: …” for the \
                            text, “add: …” for a further line, “change the subject to …”, “cc Bob”.";
/// A yes or no to the draft that was just shown: a yes makes a card. `None` when none was, or for anything else.
pub(super) async fn decided(brain: &Brain, facts: &TurnFacts, said: Consent) -> Result<Option<Intended>, TurnError> {
    let Input::Message { text, origin: Origin::Typed, reply_to: None, .. } = &facts.incoming.input else {
        return Ok(None);
    };
    if verb(said).is_none() || facts.open_question().is_some() || card_is_last(facts) {
        return Ok(None);
    }
    let Some(draft) = Draft::in_sight(brain, facts).await? else { return Ok(None) };
    match said {
        Consent::Yes if draft.is_just_shown(brain, facts).await? || draft.button_says(brain, facts, text).await? => {
            let sending = presses::send(brain, facts, &draft.id).await?;
            Ok(Some(sending.then(|answer| Answer { path: Path::Action, ..answer.keeping_question() })))
        }
        Consent::No if draft.is_just_shown(brain, facts).await? => {
            Ok(Some(Answer::says(Path::Consent, STAYS_A_DRAFT).into()))
        }
        Consent::Yes | Consent::No | Consent::Wait | Consent::Other => Ok(None),
    }
}

/// A change of the draft that the message speaks of; `None` when it speaks of none.
pub(super) async fn changed(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Input::Message { text, origin: Origin::Typed, .. } = &turn.facts.incoming.input else { return Ok(None) };
    if consent::read(text) != Consent::Other || turn.facts.open_question().is_some() {
        return Ok(None);
    }
    match Draft::in_sight(turn.brain, &turn.facts).await? {
        Some(draft) if draft.is_changed_by(turn.brain, &turn.facts, text).await => {
            match turn.unless_cancelled(guard::stops(turn.brain, &turn.facts, turn.account)).await? {
                Some(stopped) => Ok(Some(stopped)),
                None => Ok(Some(draft.redrafted(turn).await?)),
            }
        }
        Some(_) | None => Ok(None),
    }
}

impl Draft {
    /// Whether it was shown last, and the message written below it.
    async fn is_just_shown(&self, brain: &Brain, facts: &TurnFacts) -> Result<bool, StoreError> {
        let Some(last) = shown::last(brain, facts).await? else { return Ok(false) };
        let send = Press::Send(self.id.clone()).encode();
        let sends_it = last.buttons.iter().flatten().any(|button| button.data == send);
        Ok(sends_it && facts.incoming.message_id > last.message)
    }

    /// Whether a word on its button is among these.
    async fn button_says(&self, brain: &Brain, facts: &TurnFacts, text: &str) -> Result<bool, StoreError> {
        let send = Press::Send(self.id.clone()).encode();
        let Some(shown) = shown::with_button(brain, facts, &send).await? else { return Ok(false) };
        let (said, mut buttons) = (words(text), shown.buttons.iter().flatten());
        let label = buttons.find(|button| button.data == send).map(|button| words(&button.text)).unwrap_or_default();
        Ok(facts.incoming.message_id > shown.message && label.iter().any(|word| said.contains(word)))
    }

    /// Whether words change it: what is a request of its own does not, and nor does adding what is nobody.
    async fn is_changed_by(&self, brain: &Brain, facts: &TurnFacts, text: &str) -> bool {
        if self.is_last && consent::amends(text) {
            return true;
        }
        let is_own = matches!(facts.understood(&[]), Understood::Plan { .. } | Understood::Ask { .. });
        let changed = amendment::amend(std::slice::from_ref(&self.writing), text, &facts.reference(), |_| false);
        let Some(changed) = changed.filter(|_| !is_own) else { return false };
        let people = |planned: &PlannedAction| {
            let entry = brain.services.command(&planned.service, &planned.command);
            entry.map(|entry| resolve::people_of(entry.as_ref(), &planned.params)).unwrap_or_default()
        };
        let before = people(&self.writing);
        let added: Vec<String> = changed.iter().flat_map(people).filter(|one| !before.contains(one)).collect();
        let asked = PeopleQuery::names(added.iter().map(String::as_str));
        let is_name = |one: &String| one.contains('@') || one.starts_with(char::is_uppercase);
        added.iter().all(is_name)
            || brain.people.people(facts.owner(), &asked).await.is_ok_and(|known| !known.is_empty())
    }

    /// The new one, told in place of the old one.
    async fn redrafted(self, turn: &Turn<'_>) -> Result<Answer, TurnError> {
        let (service, command) = (self.writing.service.clone(), self.writing.command.clone());
        let amended = Amended::draft(&turn.brain.services, self.writing.clone());
        let mut answer = planned_again(turn, std::slice::from_ref(&service), amended).await?;
        let is_it = |report: &&Report| report.service == service && report.command == command;
        if answer.reports.iter().filter(is_it).any(|report| report.status == Status::Succeeded) {
            self.replaced(turn.brain, &turn.facts, &mut answer).await?;
        } else if answer.reports.is_empty() && matches!(answer.clarification, Question::Settled) {
            return Ok(Answer::says(Path::Clarify, NO_REWORDING));
        }
        Ok(answer)
    }
}
