//! Follow-ups to an answer that an investigation gave: to narrow its rows, to open or act on one by its number, to ask
//! why it is there.
//!
//! Invariants: rows are narrowed by code, from what is kept, without starting over; a number stands for the row's id
//! and nothing else, so that whatever is done with it is planned, tainted and gated like any other request. Not here:
//! further pages (`pages`), lists of services ([`salient`]), and what is kept (`stages::investigate`).

use super::Taken;
use super::salient;
use crate::investigate::synthesize::AnswerRow;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::answers;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::stages::investigate::{self, KeptAnswer};
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::turn::Path;
use brain_core::ports::records::Clarification;
use brain_language::language::requests;
use brain_language::language::requests::{Hearing, Refinement};
use brain_language::language::work::Work;
use brain_services::services::filling::BUILDERS;
use brain_services::services::searchable::ItemKind;

/// What asks how an answer came about, and nothing else.
const WHY: [&str; 12] = [
    "why",
    "how come",
    "how do you know",
    "how so",
    "explain",
    "explain that",
    "trace",
    "show the trace",
    "warum",
    "wieso",
    "woher weisst du das",
    "woher weißt du das",
];
/// What shows a row.
const OPEN: [&str; 20] = [
    "open",
    "show",
    "show me",
    "read",
    "read me",
    "see",
    "tell me more about",
    "more about",
    "what is",
    "what's",
    "what does",
    "what about",
    "details of",
    "öffne",
    "zeig",
    "zeig mir",
    "lies",
    "lies mir",
    "mehr zu",
    "expand",
];
/// What is said before a number that stands for a row.
const ABOUT: [&str; 34] = [
    "reply to",
    "answer",
    "respond to",
    "write back to",
    "remind me about",
    "remind me of",
    "remind me to do",
    "forward",
    "archive",
    "delete",
    "mark",
    "star",
    "unstar",
    "complete",
    "finish",
    "cancel",
    "tick",
    "tick off",
    "snooze",
    "move",
    "reschedule",
    "postpone",
    "push",
    "add",
    "note",
    "make a task of",
    "make a task from",
    "make a task for",
    "antworte auf",
    "beantworte",
    "erinnere mich an",
    "archiviere",
    "lösche",
    "verschiebe",
];
/// What can be done to mails alone.
const MAIL_ONLY: [&str; 7] =
    ["reply to", "answer", "respond to", "write back to", "forward", "antworte auf", "beantworte"];
/// Places in words.
const ORDINALS: [(&str, usize); 22] = [
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("1st", 1),
    ("2nd", 2),
    ("3rd", 3),
    ("4th", 4),
    ("5th", 5),
    ("erste", 1),
    ("ersten", 1),
    ("zweite", 2),
    ("zweiten", 2),
    ("dritte", 3),
    ("dritten", 3),
    ("vierte", 4),
];
/// Numbers in words, which may be an amount as well.
const CARDINALS: [(&str, usize); 10] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
];

/// The answer to what is asked of rows; `None` for everything else. A message that points at a row goes on, read as if
/// it named that.
pub(super) async fn answer(turn: &Turn<'_>) -> Result<Option<Taken>, TurnError> {
    if !turn.facts.origin().is_own_words() {
        return Ok(None);
    }
    let asks = asked(turn.facts.words());
    let refinement =
        requests::refinement(&Hearing::new(turn.facts.words(), &turn.facts.reference(), BUILDERS), &Work::default());
    if asks.is_none() && refinement.is_none() {
        return Ok(None);
    }
    // What answers the open question word for word means that: a narrowing may be one of its choices.
    let is_chosen = |question: &Clarification| answers::chosen(&question.choices, turn.facts.words()).is_some();
    if turn.facts.open_question().is_some_and(is_chosen) {
        return Ok(None);
    }
    let kept = KeptAnswer::of(turn.brain, &turn.facts).await?;
    if salient::shows_a_list_since(&turn.facts, kept.as_ref()) {
        return Ok(None);
    }
    // Whoever goes down a list answers one mail after the other; nothing else has such numbers.
    let is_mail = matches!(&asks, Some(Asks::Row { lead, .. }) if is_of_mail(lead));
    let is_meant = |kept: &KeptAnswer| is_mail || kept.is_fresh(&turn.facts);
    let Some(kept) = kept.filter(is_meant) else { return Ok(None) };
    if let Some(refinement) = refinement {
        return narrowed(turn, &kept, &refinement).await.map(|taken| Some(taken.into()));
    }
    match asks {
        Some(Asks::Why) => Ok(Some(Answer::says(Path::Command, kept.drawing()).keeping_question().into())),
        Some(Asks::Open(n)) => opened(turn.brain, &turn.facts, &kept, n).await.map(|taken| Some(taken.into())),
        Some(Asks::Row { lead, n, rest, .. }) => {
            if let Some(row) = kept.row(n) {
                let wants_mail = is_of_mail(&lead);
                if wants_mail && row.item.kind != ItemKind::Thread {
                    let title = brain_core::core::text::visible(&brain_core::core::text::shorten(&row.item.title, 80));
                    return Ok(Some(no_mail(&title, n).into()));
                }
                if matches!(row.item.kind, ItemKind::Talk | ItemKind::Person) {
                    return Ok(Some(nothing_to_point_at(row, n).into()));
                }
                let named = salient::named((&lead, &rest), Some(row.item.kind), (&row.item.id, &row.item.title));
                return Ok(Some(Taken::ReadAs(named)));
            }
            Ok(Some(no_such_row(kept.rows.len(), n).into()))
        }
        None => Ok(None),
    }
}

pub(super) fn no_mail(title: &str, n: usize) -> Answer {
    let words = format!("Number {n} is “{title}”, and no mail. Nothing was done.");
    Answer::says(Path::Clarify, words).keeping_question()
}

pub(super) fn is_of_mail(lead: &str) -> bool {
    MAIL_ONLY.iter().any(|verb| lead.eq_ignore_ascii_case(verb))
}

/// A row that no command takes.
fn nothing_to_point_at(row: &AnswerRow, n: usize) -> Answer {
    let title = brain_core::core::text::visible(&brain_core::core::text::shorten(&row.item.title, 80));
    let what = if row.item.kind == ItemKind::Talk { "what you told me" } else { "a person" };
    let words = format!("Number {n} is {what}: “{title}”. Please say it in words; nothing was done.");
    Answer::says(Path::Clarify, words).keeping_question()
}

/// What is asked of rows.
#[derive(Debug, PartialEq)]
pub(super) enum Asks {
    Why,
    Open(usize),
    /// Something is to be done about one.
    Row {
        lead: String,
        n: usize,
        rest: String,
        /// Whether it says the place of a row, and no amount: an ordinal, or a number behind a verb or a noun for one.
        is_place: bool,
    },
}

pub(super) fn asked(text: &str) -> Option<Asks> {
    let plain = text.trim().trim_end_matches(['?', '!', '.', ' ']);
    let lower = plain.to_lowercase();
    if WHY.contains(&lower.as_str()) {
        return Some(Asks::Why);
    }
    // Lower case may be of another length; then nothing is pointed at.
    if lower.len() != plain.len() {
        return None;
    }
    let polite = ["please ", "can you ", "could you ", "bitte ", "and ", "then ", "now "];
    let skip = polite.iter().find(|polite| lower.starts_with(**polite)).map_or(0, |polite| polite.len());
    let (words, original) = (&lower[skip..], &plain[skip..]);
    let behind = |lead: &str| words.strip_prefix(lead)?.strip_prefix(' ');
    let longest = |leads: &[&'static str]| {
        leads.iter().copied().filter(|lead| behind(lead).is_some()).max_by_key(|lead| lead.len())
    };
    if let Some((n, "", _)) = longest(&OPEN).and_then(|lead| number(behind(lead)?)) {
        return Some(Asks::Open(n));
    }
    let lead = longest(&ABOUT)?;
    let tail = behind(lead)?;
    let (n, rest, is_place) = number(tail)?;
    let rest = &original[original.len() - rest.len()..];
    Some(Asks::Row {
        lead: original[..lead.len()].to_owned(),
        n,
        rest: format!("{}{rest}", if rest.is_empty() { "" } else { " " }),
        is_place: is_place || rest.is_empty() || is_of_mail(lead),
    })
}

/// The number that words begin with, what stands behind it, and whether it is a place for certain.
fn number(words: &str) -> Option<(usize, &str, bool)> {
    let mut rest = words.trim_start();
    let mut is_led = false;
    for article in ["the ", "die ", "den ", "das "] {
        rest = rest.strip_prefix(article).unwrap_or(rest);
    }
    for lead in ["number ", "no. ", "no ", "nr. ", "nr ", "item ", "mail ", "row ", "#"] {
        is_led |= rest.starts_with(lead);
        rest = rest.strip_prefix(lead).unwrap_or(rest);
    }
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    let in_words = |all: &[(&str, usize)]| all.iter().find(|(name, _)| *name == word).map(|(_, n)| *n);
    let ordinal = in_words(&ORDINALS);
    let n = ordinal.or_else(|| word.parse().ok()).or_else(|| in_words(&CARDINALS))?;
    let mut behind = behind.trim_start();
    let mut is_noun = behind.is_empty();
    for noun in ["one", "mail", "thread", "item", "event", "entry", "conversation"] {
        let after = behind.strip_prefix(noun).filter(|after| after.is_empty() || after.starts_with([' ', ',', ':']));
        is_noun |= after.is_some();
        behind = after.map_or(behind, str::trim_start);
    }
    (n > 0).then_some((n, behind, is_led || ordinal.is_some() && is_noun))
}

/// A row, shown as its service shows it.
async fn opened(brain: &Brain, facts: &TurnFacts, kept: &KeptAnswer, n: usize) -> Result<Intended, TurnError> {
    let Some(row) = kept.row(n) else { return Ok(no_such_row(kept.rows.len(), n).into()) };
    let services = brain.services.now();
    let service = services.find(&row.item.service);
    let opening = service.and_then(|service| service.service.searchable()?.opening(&row.item));
    match opening {
        Some(action) => {
            let opening = Intended::actions(facts, vec![action]);
            Ok(opening.then(|answer| Answer { path: Path::Action, ..answer.keeping_question() }))
        }
        None => {
            let mut answer = investigate::one_row(brain, facts, kept, n)?;
            answer.path = Path::Investigate;
            Ok(answer.into())
        }
    }
}

pub(super) fn no_such_row(rows: usize, n: usize) -> Answer {
    let words = format!("There is no number {n} in that list; it ends with {rows}. Nothing was done.");
    Answer::says(Path::Clarify, words).keeping_question()
}

/// What is left of the rows, as an answer of its own.
async fn narrowed(turn: &Turn<'_>, kept: &KeptAnswer, refinement: &Refinement) -> Result<Answer, TurnError> {
    match refinement {
        Refinement::Meet { when } => investigate::met(turn, kept, when.as_deref()).await,
        Refinement::Only { who, topic, when } => {
            investigate::only(turn.brain, &turn.facts, kept, who.as_deref(), topic.as_deref(), when.as_deref()).await
        }
        Refinement::StillOpen => investigate::still_open(turn.brain, &turn.facts, kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_point_at_rows() {
        for (text, asks) in [
            ("open 2", Some(Asks::Open(2))),
            ("show me the second one", Some(Asks::Open(2))),
            ("what's 3?", Some(Asks::Open(3))),
            ("öffne 4", Some(Asks::Open(4))),
            ("why?", Some(Asks::Why)),
            ("open the window", None),
            ("show my tasks", None),
            ("what is 2 plus 2", None),
            ("remind me about the dentist", None),
        ] {
            assert_eq!(asked(text), asks, "{text}");
        }
        let row = |lead: &str, n, rest: &str, is_place| {
            Some(Asks::Row { lead: lead.to_owned(), n, rest: rest.to_owned(), is_place })
        };
        assert_eq!(asked("Reply to 3 that I'm Fine with it"), row("Reply to", 3, " that I'm Fine with it", true));
        let first = row("remind me about", 1, " tomorrow at 9", true);
        assert_eq!(asked("remind me about the first one tomorrow at 9"), first);
        assert_eq!(asked("archive 2"), row("archive", 2, "", true));
        assert_eq!(asked("add 2 eggs to the list"), row("add", 2, " eggs to the list", false));
    }
}
