//! Salience: what was shown or spoken of last, where a message means it by an ordinal or a pronoun.
//!
//! Invariants: the place of a row stands for the row's id, and a pronoun for a name that the person said themself:
//! nothing of somebody else's becomes the person's own words. A message that means such a thing goes on, read as if it
//! named it. Not here: rows of investigations (`findings`), and pronouns for things (`language::requests`).

use super::Taken;
use super::findings::{Asks, asked, is_of_mail, no_mail, no_such_row};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::stages::investigate::KeptAnswer;
use crate::pipeline::turn::{PointedAt, TurnError, TurnFacts};
use brain_core::core::history::ItemRef;
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::records::Message;
use brain_language::language::grounding::{PersonPronoun, only_name};
use brain_language::language::people::{self, Candidate, Familiarity, NamedBy};
use brain_services::services::address_book::PeopleQuery;
use brain_services::services::searchable::{FoundItem, ItemKind};

/// Messages back in which a list of a service is looked for.
const LISTED_BACK_MAX: usize = 10;
/// What shows a row.
const OPENS: &str = "show";
/// Own messages back in which somebody may have been named.
const NAMED_BACK_MAX: usize = 3;

/// Reads a message as if it named what it means; an answer only where there is no such thing.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Taken>, TurnError> {
    if !facts.origin().is_own_words() || facts.pointed_at().is_some() {
        return Ok(None);
    }
    // A place may answer the open question; a pronoun answers nothing.
    let asks = asked(facts.words()).filter(|_| facts.open_question().is_none());
    if asks.is_some()
        && let Some(listed) = SalientList::last(facts, KeptAnswer::of(brain, facts).await?.as_ref())
    {
        return listed.answer(brain, facts, asks.as_ref());
    }
    Ok(with_name(brain, facts).await.map(|text| Taken::ReadAs(PointedAt::words(text))))
}

/// Whether a service has listed something since an investigation answered.
pub(super) fn shows_a_list_since(facts: &TurnFacts, kept: Option<&KeptAnswer>) -> bool {
    SalientList::last(facts, kept).is_some()
}

/// The message with a name in place of the pronoun: the only one that the person named lately.
async fn with_name(brain: &Brain, facts: &TurnFacts) -> Option<String> {
    let pronoun = PersonPronoun::only_one(facts.words())?;
    let earlier: Vec<&str> = facts.conversation().own_words().rev().take(NAMED_BACK_MAX).collect();
    let said = std::iter::once(facts.words()).chain(earlier.iter().copied()).collect::<Vec<_>>().join("\n");
    let asked = PeopleQuery::default().and_said(&said);
    let known = brain.people.people(facts.owner(), &asked).await;
    let known = known.inspect_err(|error| tracing::warn!(%error, "nobody can tell who is meant")).ok()?;
    let known: Vec<Candidate> = known
        .iter()
        .filter(|person| person.named_by == NamedBy::Person && person.known > Familiarity::Seen)
        .map(Candidate::from)
        .collect();
    let names_somebody = |word: &str| known.iter().any(|person| people::is_named(person, &[word.to_owned()]));
    // Whoever is named in the message itself may be meant.
    let says_who = facts.words().split(|c: char| !c.is_alphanumeric()).any(|word| names_somebody(&word.to_lowercase()));
    let name = earlier.into_iter().find_map(|text| only_name(text, names_somebody)).filter(|_| !says_who)?;
    Some(pronoun.named(facts.words(), name))
}

/// The message with the thing's id in place of its number.
pub(super) fn named((lead, rest): (&str, &str), kind: Option<ItemKind>, (id, label): (&str, &str)) -> PointedAt {
    let noun = match kind {
        Some(ItemKind::Thread) if !is_of_mail(lead) => "the mail about ",
        Some(ItemKind::Event) => "the event ",
        Some(ItemKind::Task) => "the task ",
        Some(ItemKind::Thread | ItemKind::Note | ItemKind::Fact | ItemKind::Talk | ItemKind::Person) | None => "",
    };
    let text = format!("{lead} {noun}{id}{rest}");
    PointedAt { text, id: id.to_owned(), label: label.to_owned() }
}

/// What a service listed, where that was shown last.
struct SalientList<'t> {
    service: &'t str,
    rows: &'t [ItemRef],
}

impl<'t> SalientList<'t> {
    /// The list that is replied to, or the last one of a moment ago.
    fn last(facts: &'t TurnFacts, kept: Option<&KeptAnswer>) -> Option<Self> {
        let shown = facts.history.iter().rev().take(LISTED_BACK_MAX);
        let shown = shown.filter(|message| kept.is_none_or(|kept| message.number > kept.said));
        let of = |message: &'t Message| {
            let listed = message.actions.iter().rev().find(|past| !past.rows.is_empty())?;
            Some(Self { service: &listed.service, rows: &listed.rows })
        };
        match &facts.replied_message {
            Some(message) => of(message),
            None => shown.into_iter().find_map(of),
        }
    }

    /// Reads the message as if it named the row. Its rows have no numbers before them, so that only what is certainly
    /// the place of one means it.
    fn answer(&self, brain: &Brain, facts: &TurnFacts, asks: Option<&Asks>) -> Result<Option<Taken>, TurnError> {
        let (lead, n, rest) = match asks {
            Some(Asks::Row { lead, n, rest, is_place: true }) => (lead.as_str(), *n, rest.as_str()),
            Some(Asks::Open(n)) => (OPENS, *n, ""),
            Some(Asks::Row { is_place: false, .. } | Asks::Why) | None => return Ok(None),
        };
        let Some(row) = n.checked_sub(1).and_then(|at| self.rows.get(at)) else {
            return Ok(Some(no_such_row(self.rows.len(), n).into()));
        };
        let kind = brain.services.now().find(self.service).and_then(|of| Some(of.service.searchable()?.kind()));
        let title = visible(&shorten(&row.label, limits::ACTION_NAMED_CHARS));
        if is_of_mail(lead) && kind != Some(ItemKind::Thread) {
            return Ok(Some(no_mail(&title, n).into()));
        }
        if row.id.is_empty() {
            let words = format!("Number {n} is “{title}”. Please call it by its name; nothing was done.");
            return Ok(Some(Answer::says(Path::Clarify, words).keeping_question().into()));
        }
        if lead == OPENS
            && let Some(opening) = self.opening(brain, kind, row)
        {
            let opening = Intended::actions(facts, vec![opening]);
            let opening = opening.then(|answer| Answer { path: Path::Action, ..answer.keeping_question() });
            return Ok(Some(opening.into()));
        }
        Ok(Some(Taken::ReadAs(named((lead, rest), kind, (&row.id, &row.label)))))
    }

    /// The action that shows a row.
    fn opening(&self, brain: &Brain, kind: Option<ItemKind>, row: &ItemRef) -> Option<PlannedAction> {
        let services = brain.services.now();
        let service = services.find(self.service)?;
        service.service.searchable()?.opening(&FoundItem::named(self.service, kind?, row))
    }
}
