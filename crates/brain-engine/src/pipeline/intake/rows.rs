//! Rows: follow-ups to what was shown, the answer of an investigation or the list of a service: to narrow it, to open or
//! act on a row by its place, to ask why it is there.
//!
//! Invariants: rows are narrowed by code, from what is kept, without starting over; a place stands for the row's id and
//! nothing else, so that whatever is done with it is planned, tainted and gated like any other request. Not here:
//! further pages (`pages`), and what is kept (`stages::investigate`).

use super::Taken;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::stages::investigate::{self, KeptAnswer};
use crate::pipeline::stages::{answers, converse};
use crate::pipeline::turn::{Referent, Turn, TurnError, TurnFacts};
use brain_core::core::history::ItemRef;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::records::{Clarification, Message};
use brain_language::language::requests::{self, ParseInput, Refinement};
use brain_language::language::rows::{self, RowRequest};
use brain_language::language::work::Work;
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::contract::searchable::{FoundItem, ItemKind};

/// Messages back in which a list of a service is looked for.
const LISTED_BACK_MAX: usize = 10;

/// The answer to what is asked of rows; `None` for everything else. A message that points at a row goes on, read as if
/// it named that.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Taken>, TurnError> {
    let (brain, facts) = (turn.brain, &turn.facts);
    if !facts.origin().is_own_words() {
        return Ok(None);
    }
    let asked = rows::asked(facts.words());
    let refinement =
        requests::refinement(&ParseInput::new(facts.words(), &facts.reference(), BUILDERS), &Work::default());
    if asked.is_none() && refinement.is_none() {
        return Ok(None);
    }
    // What answers the open question word for word means that: a narrowing may be one of its choices.
    let is_chosen = |question: &Clarification| answers::chosen(&question.choices, facts.words()).is_some();
    if facts.open_question().is_some_and(is_chosen) {
        return Ok(None);
    }
    let kept = KeptAnswer::of(brain, facts).await?;
    if let Some(list) = ShownRows::listed(facts, kept.as_ref()) {
        // A model that sees the conversation has the list before it, and a place may answer the open question.
        let skips = converse::is_held(brain, facts) || facts.open_question().is_some() || facts.pointed_at().is_some();
        return asked.filter(|_| !skips).map_or(Ok(None), |asked| list.taken(brain, facts, asked));
    }
    // Whoever goes down a list answers one mail after the other; nothing else has such numbers.
    let is_mail = matches!(asked, Some(RowRequest::About { is_of_mail: true, .. }));
    let Some(kept) = kept.filter(|kept| is_mail || kept.is_fresh(facts)) else { return Ok(None) };
    if let Some(refinement) = refinement {
        return narrowed(turn, &kept, &refinement).await.map(|answer| Some(answer.into()));
    }
    asked.map_or(Ok(None), |asked| ShownRows::Found(kept).taken(brain, facts, asked))
}

/// What is left of the rows, as an answer of its own.
async fn narrowed(turn: &Turn<'_>, kept: &KeptAnswer, refinement: &Refinement) -> Result<Answer, TurnError> {
    match refinement {
        Refinement::Meet { when } => Box::pin(investigate::met(turn, kept, when.as_deref())).await,
        Refinement::Only { who, topic, when } => {
            investigate::only(turn.brain, &turn.facts, kept, who.as_deref(), topic.as_deref(), when.as_deref()).await
        }
        Refinement::StillOpen => investigate::still_open(turn.brain, &turn.facts, kept),
    }
}

/// Rows that were shown last.
enum ShownRows<'t> {
    /// Of an investigation, with numbers before them.
    Found(KeptAnswer),
    /// Of a service, without: only what is certainly the place of one means it.
    Listed { service: &'t str, rows: &'t [ItemRef] },
}

/// One of them.
struct ShownRow<'a> {
    n: usize,
    service: &'a str,
    kind: Option<ItemKind>,
    id: &'a str,
    label: &'a str,
}

impl<'t> ShownRows<'t> {
    /// The list that is replied to, or the last one of a moment ago that was shown behind the answer.
    fn listed(facts: &'t TurnFacts, kept: Option<&KeptAnswer>) -> Option<Self> {
        let shown = facts.history.iter().rev().take(LISTED_BACK_MAX);
        let mut shown = shown.filter(|message| kept.is_none_or(|kept| message.number > kept.said));
        let of = |message: &'t Message| {
            let listed = message.actions.iter().rev().find(|past| !past.rows.is_empty())?;
            Some(Self::Listed { service: &listed.service, rows: &listed.rows })
        };
        match &facts.replied_message {
            Some(message) => of(message),
            None => shown.find_map(of),
        }
    }

    fn row(&self, brain: &Brain, n: usize) -> Option<ShownRow<'_>> {
        match self {
            Self::Found(kept) => kept.row(n).map(|row| {
                let item = &row.item;
                ShownRow { n, service: &item.service, kind: Some(item.kind), id: &item.id, label: &item.title }
            }),
            Self::Listed { service, rows } => {
                let ItemRef { id, label } = rows.get(n.checked_sub(1)?)?;
                let services = brain.services.now();
                let kind = services.find(service).and_then(|of| Some(of.service.searchable()?.kind()));
                Some(ShownRow { n, service, kind, id, label })
            }
        }
    }

    /// What is made of a request; `None` where it means none of these.
    fn taken(&self, brain: &Brain, facts: &TurnFacts, asked: RowRequest) -> Result<Option<Taken>, TurnError> {
        let (n, about) = match asked {
            RowRequest::Why => {
                let Self::Found(kept) = self else { return Ok(None) };
                return Ok(Some(Answer::says(Path::Command, kept.drawing()).keeping_question().into()));
            }
            RowRequest::Open(n) => (n, None),
            RowRequest::About { is_place: false, .. } if matches!(self, Self::Listed { .. }) => return Ok(None),
            RowRequest::About { lead, n, rest, is_of_mail, .. } => (n, Some((lead, rest, is_of_mail))),
        };
        let Some(row) = self.row(brain, n) else {
            let last = match self {
                Self::Found(kept) => kept.rows.len(),
                Self::Listed { rows, .. } => rows.len(),
            };
            let words = format!("There is no number {n} in that list; it ends with {last}. Nothing was done.");
            return Ok(Some(says(words)));
        };
        if let Some((lead, rest, is_of_mail)) = about {
            return Ok(Some(row.read_as(&lead, &rest, is_of_mail)));
        }
        if let Some(opening) = row.opening(brain, facts) {
            return Ok(Some(opening.into()));
        }
        Ok(Some(match self {
            Self::Found(kept) => {
                let answer = investigate::one_row(brain, facts, kept, n)?;
                Answer { path: Path::Investigate, ..answer }.into()
            }
            Self::Listed { .. } => row.read_as("show", "", false),
        }))
    }
}

impl ShownRow<'_> {
    /// The row, as its service shows it.
    fn opening(&self, brain: &Brain, facts: &TurnFacts) -> Option<Intended> {
        let services = brain.services.now();
        let item = ItemRef { id: self.id.to_owned(), label: self.label.to_owned() };
        let item = FoundItem::named(self.service, self.kind?, &item);
        let action = services.find(self.service)?.service.searchable()?.opening(&item)?;
        let opening = Intended::actions(facts, vec![action]);
        Some(opening.then(|answer| Answer { path: Path::Action, ..answer.keeping_question() }))
    }

    /// The message with the row's id in place of its number, where a command takes such a row.
    fn read_as(&self, lead: &str, rest: &str, is_of_mail: bool) -> Taken {
        let (n, title) = (self.n, visible(&shorten(self.label, limits::ACTION_NAMED_CHARS)));
        let in_words = "Please say it in words; nothing was done.";
        let noun = match self.kind {
            _ if is_of_mail && self.kind != Some(ItemKind::Thread) => {
                return says(format!("Number {n} is “{title}”, and no mail. Nothing was done."));
            }
            Some(ItemKind::Talk) => return says(format!("Number {n} is what you told me: “{title}”. {in_words}")),
            Some(ItemKind::Person) => return says(format!("Number {n} is a person: “{title}”. {in_words}")),
            _ if self.id.is_empty() => {
                return says(format!("Number {n} is “{title}”. Please call it by its name; nothing was done."));
            }
            Some(ItemKind::Thread) if !is_of_mail => "the mail about ",
            Some(ItemKind::Event) => "the event ",
            Some(ItemKind::Task) => "the task ",
            Some(ItemKind::Thread | ItemKind::Note | ItemKind::Fact) | None => "",
        };
        let text = format!("{lead} {noun}{}{rest}", self.id);
        Taken::ReadAs(Referent { text, id: self.id.to_owned(), label: self.label.to_owned() })
    }
}

fn says(words: String) -> Taken {
    Answer::says(Path::Clarify, words).keeping_question().into()
}
