//! A card that is named: by its place in a list that was just shown, or by words that stand on it; a costly question,
//! in the same ways.
//!
//! Invariants: a name decides only together with a yes or a no, in these words or in those that the list asks about;
//! without one the card is shown again. It decides under the conditions of a bare yes on the message: typed, after the
//! card was complete. A place counts only right below its list, words only when they fit exactly one open card.

use super::consent_words::{not_typed, verb};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::commit::shown;
use crate::pipeline::consent::listed::below;
use crate::pipeline::consent::waiting::waiting_here;
use crate::pipeline::consent::{closed, decide, which};
use crate::pipeline::intake::offers;
use crate::pipeline::show;
use crate::pipeline::stages::assistant::lists;
use crate::pipeline::stages::investigate;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use crate::queries::questions::CostlyQuestion;
use brain_core::core::button::{CardVerb, Press};
use brain_core::core::ids::PendingId;
use brain_core::core::pending::{Means, Pending};
use brain_core::core::turn::{Input, NoticeKind, Origin, Path};
use brain_core::ports::StoreError;
use brain_core::ports::records::Shown;
use brain_language::language::consent;
use brain_language::language::consent::{CardName, CardNaming, Consent};

/// A press on a row of a list: that card, or question, once more.
pub(in crate::pipeline) async fn show(brain: &Brain, facts: &TurnFacts, id: &PendingId) -> Result<Answer, StoreError> {
    if let Some(question) = waiting_here(brain, facts).await?.iter().find(|question| question.id == *id) {
        return Ok(investigate::ask_again(facts, question));
    }
    let Some(pending) = facts.open.iter().find(|open| open.id == *id) else {
        let recorded = brain.readable_pending(id).await?.map(|(pending, _)| pending);
        let words = match recorded.filter(|pending| pending.owner == *facts.owner()) {
            Some(pending) => closed::recorded(brain, &pending, None, &facts.ctx),
            None => "I don't know that card (any more). Nothing was done.".to_owned(),
        };
        return Ok(Answer::says(Path::Button, words).noticed(&facts.incoming, NoticeKind::Toast));
    };
    Ok(shown_again(brain, facts, pending, Path::Button))
}

fn shown_again(brain: &Brain, facts: &TurnFacts, pending: &Pending, path: Path) -> Answer {
    let mut answer = Answer::of(path).keeping_question();
    below(brain, facts, pending, &mut answer);
    answer
}

/// Decides or shows the card that a message names; `None` when it names none.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Input::Message { text, origin, reply_to: None } = &turn.facts.incoming.input else { return Ok(None) };
    let Some(naming) = consent::names(text) else { return Ok(None) };
    let list =
        shown::last(turn.brain, &turn.facts).await?.map(|shown| CardRow::all(&shown)).filter(|rows| !rows.is_empty());
    // What was asked last gets the answer.
    let asked_last = turn.facts.open_question().is_some()
        || turn.facts.state.editing.is_some()
        || turn.facts.state.snoozing.is_some();
    // A yes or no to a place in a list that has gone by is asked about.
    let decides = verb(naming.said).is_some() && !matches!(naming.which, CardName::Words(_));
    if list.is_none() && (asked_last || !(naming.is_definite || decides)) {
        return Ok(None);
    }
    let questions = waiting_here(turn.brain, &turn.facts).await?;
    if turn.facts.open.is_empty() && questions.is_empty() {
        return Ok(None);
    }
    let rows = list.unwrap_or_default();
    let Some(named) = named(turn.brain, &turn.facts, &questions, &naming, &rows) else { return Ok(None) };
    let of_list = rows.iter().find_map(|row| row.verb);
    let wants = verb(naming.said).or(of_list);
    let pending = match named {
        NamedCard::One(pending) => pending,
        NamedCard::Question(question) => return question_named(turn, question, wants, &rows).await.map(Some),
        NamedCard::Several if questions.is_empty() => return Ok(Some(which(turn.brain, &turn.facts, wants))),
        NamedCard::Several => return Ok(Some(lists::pending(turn.brain, &turn.facts, None).await?)),
    };
    let Some(wants) = wants else { return Ok(Some(shown_again(turn.brain, &turn.facts, pending, Path::Consent))) };
    if *origin != Origin::Typed {
        return Ok(Some(Answer::says(Path::Consent, not_typed(*origin)).keeping_question()));
    }
    let is_after = |card| turn.facts.incoming.message_id > card;
    if turn.facts.others_wait || !is_below(&turn.facts, &rows) || !pending.last_card_message().is_some_and(is_after) {
        return Ok(Some(which(turn.brain, &turn.facts, Some(wants))));
    }
    Ok(Some(decide(turn, &pending.id, wants, Some(pending.digest.prefix()), Means::Text).await?))
}

/// Whether a message came below the list that it names a row of.
fn is_below(facts: &TurnFacts, rows: &[CardRow]) -> bool {
    rows.is_empty() || facts.state.last_bot_message.is_none_or(|list| facts.incoming.message_id > list)
}

/// Decides a costly question as its buttons do, or asks it again.
async fn question_named(
    turn: &Turn<'_>,
    question: &CostlyQuestion,
    wants: Option<CardVerb>,
    rows: &[CardRow],
) -> Result<Answer, TurnError> {
    let choice = match wants {
        Some(CardVerb::Approve) => 0,
        Some(CardVerb::Cancel) => investigate::LEAVE,
        Some(CardVerb::Edit | CardVerb::Drop(_)) | None => return Ok(investigate::ask_again(&turn.facts, question)),
    };
    if turn.facts.origin() != Origin::Typed {
        return Ok(Answer::says(Path::Consent, not_typed(turn.facts.origin())).keeping_question());
    }
    if turn.facts.others_wait || !is_below(&turn.facts, rows) {
        return Ok(investigate::ask_again(&turn.facts, question));
    }
    let mut answer = offers::take(turn, question.id.as_str(), choice).await?;
    if answer.path == Path::Button {
        answer.path = Path::Consent;
    }
    Ok(answer)
}

/// What a name comes to.
enum NamedCard<'t> {
    One(&'t Pending),
    Question(&'t CostlyQuestion),
    Several,
}

/// A row of a list of cards, as its button holds it.
struct CardRow {
    pending: PendingId,
    /// The digest and what is said of it, in a list that asks which card a yes or no is for.
    digest: Option<String>,
    verb: Option<CardVerb>,
}

impl CardRow {
    fn all(shown: &Shown) -> Vec<Self> {
        let presses = shown.buttons.iter().flatten().filter_map(|button| Press::decode(&button.data));
        let row = |press| match press {
            Press::Card { pending, digest_prefix, verb } => {
                Some(Self { pending, digest: Some(digest_prefix), verb: Some(verb) })
            }
            Press::Show(pending) => Some(Self { pending, digest: None, verb: None }),
            Press::Undo(_)
            | Press::Send(_)
            | Press::AddEvent(_)
            | Press::Snooze { .. }
            | Press::Done(_)
            | Press::Offer { .. } => None,
            Press::Redo(_) | Press::Set { .. } | Press::More(_) => None,
        };
        presses.filter_map(row).collect()
    }
}

fn named<'t>(
    brain: &'t Brain,
    facts: &'t TurnFacts,
    questions: &'t [CostlyQuestion],
    naming: &CardNaming,
    rows: &[CardRow],
) -> Option<NamedCard<'t>> {
    let at = |row: &CardRow| {
        let same = |open: &&Pending| {
            open.id == row.pending && row.digest.as_ref().is_none_or(|digest| open.digest.matches(digest))
        };
        let card = facts.open.iter().find(same).map(NamedCard::One);
        card.or_else(|| questions.iter().find(|question| question.id == row.pending).map(NamedCard::Question))
    };
    let place = match &naming.which {
        CardName::Place(place) => Some(place.checked_sub(1)),
        CardName::Last => Some(rows.len().checked_sub(1)),
        CardName::Words(_) => None,
    };
    if let Some(place) = place {
        // A number that is no row of a list right above is about something else, unless it decides: then it is asked.
        let row = place.and_then(|place| rows.get(place));
        return match row {
            Some(row) => Some(at(row).unwrap_or(NamedCard::Several)),
            None => (!rows.is_empty() || naming.said != Consent::Other).then_some(NamedCard::Several),
        };
    }
    let about = |open: &Pending| format!("{}\n{}", show::title(&brain.services, open), open.request);
    let cards = facts.open.iter().filter(|open| naming.fits(&about(open))).map(NamedCard::One);
    let asked = questions.iter().filter(|question| naming.fits(&question.question)).map(NamedCard::Question);
    let mut fitting = cards.chain(asked);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) => Some(NamedCard::Several),
        (None, _) => None,
    }
}
