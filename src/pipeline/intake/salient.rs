//! What was shown or spoken of last, where a message means it without naming it: "answer the first one", "write her".
//!
//! Invariants: the place of a row stands for the row's id, and a pronoun for a name that the person said themself: nothing
//! of somebody else's becomes the person's own words. A message that means such a thing goes on, read as if it named it.
//! Not here: rows of investigations (`findings`), and what "it" is (`language::requests`).

use super::findings::{Asks, asked, is_of_mail, no_mail, no_such_row};
use crate::core::history::ItemRef;
use crate::core::plan::PlannedAction;
use crate::core::text::{shorten, visible};
use crate::core::turn::Path;
use crate::language::grounding::{PersonPronoun, only_name};
use crate::language::people::{self, Candidate, Familiarity, NamedBy};
use crate::limits;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::act;
use crate::pipeline::stages::investigate::KeptAnswer;
use crate::pipeline::turn::{PointedAt, Turn, TurnError};
use crate::ports::records::Message;
use crate::services::address_book::PeopleQuery;
use crate::services::searchable::{FoundItem, ItemKind};

/// Messages back in which a list of a service is looked for.
const LISTED_BACK_MAX: usize = 10;
/// What shows a row.
const OPENS: &str = "show";
/// Own messages back in which somebody may have been named.
const NAMED_BACK_MAX: usize = 3;

/// Reads a message as if it named what it means; an answer only where there is no such thing.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    if !turn.origin().is_own_words() || turn.pointed_at().is_some() {
        return Ok(None);
    }
    // A place may answer the open question; a pronoun answers nothing.
    let asks = asked(turn.words()).filter(|_| turn.open_question().is_none());
    if asks.is_some()
        && let Some(listed) = SalientList::last(turn, KeptAnswer::of(turn).await?.as_ref())
    {
        return listed.answer(turn, asks.as_ref()).await;
    }
    if let Some(text) = with_name(turn).await {
        turn.reads_as(text).await;
    }
    Ok(None)
}

/// Whether a service has listed something since an investigation answered.
pub(super) fn shows_a_list_since(turn: &Turn<'_>, kept: Option<&KeptAnswer>) -> bool {
    SalientList::last(turn, kept).is_some()
}

/// The message with a name in place of the pronoun: the only one that the person named lately.
async fn with_name(turn: &Turn<'_>) -> Option<String> {
    let pronoun = PersonPronoun::only_one(turn.words())?;
    let earlier: Vec<&str> =
        turn.own_messages().rev().take(NAMED_BACK_MAX).map(|message| message.text.as_str()).collect();
    let said = std::iter::once(turn.words()).chain(earlier.iter().copied()).collect::<Vec<_>>().join("\n");
    let asked = PeopleQuery::default().and_said(&said);
    let known = turn.brain.people.people(turn.owner(), &asked).await;
    let known = known.inspect_err(|error| tracing::warn!(%error, "nobody can tell who is meant")).ok()?;
    let known: Vec<Candidate> = known
        .iter()
        .filter(|person| person.named_by != NamedBy::Themself && person.known > Familiarity::Seen)
        .map(Candidate::from)
        .collect();
    let names_somebody = |word: &str| known.iter().any(|person| people::is_named(person, &[word.to_owned()]));
    // Whoever is named in the message itself may be meant.
    let says_who = turn.words().split(|c: char| !c.is_alphanumeric()).any(|word| names_somebody(&word.to_lowercase()));
    let name = earlier.into_iter().find_map(|text| only_name(text, names_somebody)).filter(|_| !says_who)?;
    Some(pronoun.named(turn.words(), name))
}

/// From now on the message is read with the thing's id in place of its number.
pub(super) async fn points_at(
    turn: &Turn<'_>,
    (lead, rest): (&str, &str),
    kind: Option<ItemKind>,
    (id, label): (&str, &str),
) {
    let noun = match kind {
        Some(ItemKind::Thread) if !is_of_mail(lead) => "the mail about ",
        Some(ItemKind::Event) => "the event ",
        Some(ItemKind::Task) => "the task ",
        Some(ItemKind::Thread | ItemKind::Note | ItemKind::Fact | ItemKind::Talk | ItemKind::Person) | None => "",
    };
    let text = format!("{lead} {noun}{id}{rest}");
    turn.points_at(PointedAt { text, id: id.to_owned(), label: label.to_owned() }).await;
}

/// What a service listed, where that was shown last.
struct SalientList<'t> {
    service: &'t str,
    rows: &'t [ItemRef],
}

impl<'t> SalientList<'t> {
    /// The list that is replied to, or the last one of a moment ago.
    fn last(turn: &'t Turn<'_>, kept: Option<&KeptAnswer>) -> Option<Self> {
        let shown = turn.history.iter().rev().take(LISTED_BACK_MAX);
        let shown = shown.filter(|message| kept.is_none_or(|kept| message.number > kept.said));
        let of = |message: &'t Message| {
            let listed = message.actions.iter().rev().find(|past| !past.rows.is_empty())?;
            Some(Self { service: &listed.service, rows: &listed.rows })
        };
        match &turn.replied_message {
            Some(message) => of(message),
            None => shown.into_iter().find_map(of),
        }
    }

    /// Reads the message as if it named the row. Its rows have no numbers before them, so that only what is certainly
    /// the place of one means it.
    async fn answer(&self, turn: &Turn<'_>, asks: Option<&Asks>) -> Result<Option<Answer>, TurnError> {
        let (lead, n, rest) = match asks {
            Some(Asks::Row { lead, n, rest, is_place: true }) => (lead.as_str(), *n, rest.as_str()),
            Some(Asks::Open(n)) => (OPENS, *n, ""),
            Some(Asks::Row { is_place: false, .. } | Asks::Why) | None => return Ok(None),
        };
        let Some(row) = n.checked_sub(1).and_then(|at| self.rows.get(at)) else {
            return Ok(Some(no_such_row(self.rows.len(), n)));
        };
        let kind = turn.brain.services.now().find(self.service).and_then(|of| Some(of.service.searchable()?.kind()));
        let title = visible(&shorten(&row.label, limits::ACTION_NAMED_CHARS));
        if is_of_mail(lead) && kind != Some(ItemKind::Thread) {
            return Ok(Some(no_mail(&title, n)));
        }
        if row.id.is_empty() {
            let words = format!("Number {n} is “{title}”. Please call it by its name; nothing was done.");
            return Ok(Some(Answer::says(Path::Clarify, words).keeping_question()));
        }
        if lead == OPENS
            && let Some(opening) = self.opening(turn, kind, row)
        {
            let answer = act::one_action(turn, opening).await?;
            return Ok(Some(Answer { path: Path::Action, ..answer.keeping_question() }));
        }
        points_at(turn, (lead, rest), kind, (&row.id, &row.label)).await;
        Ok(None)
    }

    /// The action that shows a row.
    fn opening(&self, turn: &Turn<'_>, kind: Option<ItemKind>, row: &ItemRef) -> Option<PlannedAction> {
        let services = turn.brain.services.now();
        let service = services.find(self.service)?;
        service.service.searchable()?.opening(&FoundItem::named(self.service, kind?, row))
    }
}
