//! Question families over everything that a person has: debts, promises, meetings, trips, papers.
//!
//! The ways to ask them are data (`data/language/requests/families.*.txt`); people, periods and topics are slots. A
//! message is a question of a family when a phrase covers all of it, so nothing of it is dropped. A second question may
//! stand behind the first where it narrows it or is one of a family as well. Not here: who or what is meant by the
//! words of a slot, and how a question is answered.

mod meetings;
#[cfg(test)]
mod tests;
mod wording;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use wording::{
    apostrophes, asked_for, circle_elsewhere, is_earlier, is_joining, is_money, is_question, without_meeting,
};
pub(super) use wording::{begins_asking, is_light, topic, without_fillers};
use wording::{pointing_resolved, says_nothing, tidied, with_more};

use super::parse_input::ParseInput;
use super::phrases::{self, Phrases};
use super::question_words::WORDS;
use super::reading::without_determiner;
use crate::language::tables::MadeTables;
use crate::language::time;
use crate::language::time::{Problem, Reference, When};
use crate::language::words::fold;
use crate::language::work::Work;
use brain_core::core::plan::PlannedAction;
use brain_core::limits::FAMILY_QUESTION_BYTES_MAX;

const TEXTS: [&str; 2] = [
    include_str!("../../../../../data/language/requests/families.en.txt"),
    include_str!("../../../../../data/language/requests/families.de.txt"),
];

static FRAMES: MadeTables<Phrases> = MadeTables::new(|| Phrases::own(&TEXTS.concat()));

/// Makes the frames, unless they are made.
pub(super) fn ready() {
    MadeTables::force(&FRAMES);
    meetings::ready();
}

/// What is asked; the phrases name them as they are written down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionFamily {
    /// Who waits for an answer from the person?
    WaitingOnMe,
    /// For whose answer does the person wait?
    WaitingOnOthers,
    /// What did others promise the person?
    PromisedToMe,
    /// What did the person promise?
    PromisedByMe,
    /// Everything about a topic or somebody.
    About,
    /// What needs the person in a span of time?
    NeedsMe,
    /// What is to be known before a meeting?
    Prepare,
    /// Whom has the person not answered?
    Unanswered,
    /// With whom does the person write most?
    WritesMost,
    /// Whom does the person meet most?
    MeetsMost,
    /// Where is the invoice?
    FindInvoice,
    /// Where is the booking?
    FindBooking,
    /// Where is the file?
    FindAttachment,
    /// How much was it?
    FindAmount,
    /// Where is it?
    #[default]
    Find,
}

impl QuestionFamily {
    /// Whether a single search answers it.
    pub fn is_direct(self) -> bool {
        matches!(self, Self::FindInvoice | Self::FindBooking | Self::FindAttachment | Self::FindAmount | Self::Find)
    }

    /// Whether it asks for conversations of one sort.
    pub(super) fn is_of_a_kind(self) -> bool {
        let waits = matches!(self, Self::WaitingOnMe | Self::WaitingOnOthers | Self::Unanswered);
        waits || matches!(self, Self::PromisedToMe | Self::PromisedByMe)
    }
}

/// A question of a family, in the person's words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FamilyQuestion {
    /// What is asked.
    pub family: QuestionFamily,
    /// A person or a group, in the words of the question.
    pub who: Option<String>,
    /// About what; of a preparation, which meeting.
    pub topic: Option<String>,
    /// A time, in the words of the question.
    pub when: Option<String>,
    /// Only what is still open.
    pub open: bool,
    /// Only what is overdue.
    pub late: bool,
    /// Only what nobody has read yet.
    #[serde(default)]
    pub unread: bool,
    /// What narrows the answer.
    pub then: Option<Refinement>,
    /// A second question in the same message, answered beside it.
    #[serde(default)]
    pub beside: Option<Box<FamilyQuestion>>,
}

/// What narrows an answer that there is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Refinement {
    /// Whom of them does the person meet?
    Meet {
        /// A time, in the words of the question.
        when: Option<String>,
    },
    /// Only those of somebody, about something, or of a time.
    Only {
        /// A person or a group, in the words of the question.
        who: Option<String>,
        /// A topic, in the words of the question.
        topic: Option<String>,
        /// A time, in the words of the question.
        when: Option<String>,
    },
    /// Only what is still open.
    StillOpen,
}

/// Words of a name behind a preposition of source.
const NAME_WORDS_MAX: usize = 3;

/// Places where a question may be divided that are tried; people narrow what they ask once.
const DIVISIONS_MAX: usize = 16;

/// What divides a question from what narrows it.
const DIVIDERS: [&str; 5] = [", and ", " and ", ", ", " und ", "? "];

/// The question of a family that a message is, if it is nothing else; none where the steps do not suffice.
pub fn question(input: &ParseInput, work: &Work) -> Option<FamilyQuestion> {
    let text = input.text;
    if is_too_long(text) {
        return None;
    }
    if let Some(question) = meetings::prepared(input, work).or_else(|| whole(input, work)) {
        return Some(question);
    }
    let divided = DIVIDERS.iter().flat_map(|divider| text.match_indices(divider)).take(DIVISIONS_MAX);
    divided.into_iter().find_map(|(at, divider)| {
        let first = whole(&input.alone(&text[..at]), work)?;
        let tail = &text[at + divider.len()..];
        let narrows = |tail: &str| refinement(&input.alone(tail), work);
        if let Some(then) = narrows(tail).or_else(|| narrows(&format!("and {tail}"))) {
            return first.narrowed(then);
        }
        let second = whole(&input.alone(&pointing_resolved(tail, first.who.as_deref())), work)?;
        Some(FamilyQuestion { beside: Some(Box::new(second)), ..first })
    })
}

/// What a message asks of an answer that there is, if it asks nothing else.
pub fn refinement(input: &ParseInput, work: &Work) -> Option<Refinement> {
    if is_too_long(input.text) {
        return None;
    }
    let PlannedAction { command, params, .. } = covered_by(&FRAMES, input, work)?;
    let said = |name: &str| params.get(name).and_then(|value| value.as_str());
    let slot = |name: &str| said(name).map(tidied).filter(|words| !words.is_empty());
    let when = said("when").map(str::to_owned);
    Some(match command.as_str() {
        "meet" => Refinement::Meet { when },
        "only" => Refinement::Only { who: slot("who"), topic: slot("topic"), when },
        "still_open" => Refinement::StillOpen,
        _ => return None,
    })
}

/// Whether nobody asks so: phrases cover a question as a whole, and each of its words is held against each.
fn is_too_long(text: &str) -> bool {
    text.len() > FAMILY_QUESTION_BYTES_MAX
}

fn whole(input: &ParseInput, work: &Work) -> Option<FamilyQuestion> {
    let PlannedAction { command, params, .. } = covered_by(&FRAMES, input, work)?;
    let said = |name: &str| params.get(name).and_then(|value| value.as_str());
    let family = serde_json::from_value(command.into()).ok()?;
    let slot = |name: &str| said(name).map(tidied).filter(|words| !words.is_empty());
    let mut question = FamilyQuestion {
        family,
        who: slot("who").or_else(|| slot("with")).filter(|who| !WORDS.anybody.holds(&fold(who))),
        topic: slot("topic").map(|words| topic(&with_more(&words, slot("more")))).or_else(|| slot("meeting")),
        // A preposition of purpose before the span is no part of it.
        when: said("when").map(|when| when.strip_prefix("for ").unwrap_or(when).to_owned()),
        open: said("open") == Some("true"),
        late: said("open") == Some("late"),
        then: said("meet").map(|when| Refinement::Meet { when: Some(when.to_owned()) }),
        ..FamilyQuestion::default()
    };
    // A topic that says nothing was the words of the question itself.
    if question.widened().is_some() && question.topic.as_deref().is_some_and(says_nothing) {
        return None;
    }
    question.tell_apart_what_somebody_is_asked_about();
    question.tell_apart_whom_it_is_from();
    question.is_settled(input.reference).then_some(question)
}

/// What phrases that cover a message make of it.
fn covered_by(frames: &Phrases, input: &ParseInput, work: &Work) -> Option<PlannedAction> {
    let text = apostrophes(input.text);
    let text = text.as_str();
    let planned = |text: &str| {
        let input = ParseInput { phrases: &[frames], ..input.alone(text) };
        phrases::planned(&input, &[], work)
    };
    let plain = without_fillers(text);
    planned(&plain).or_else(|| (plain != text).then(|| planned(text)).flatten())
}

impl FamilyQuestion {
    /// A name, and behind it what it is about, which may be a time.
    fn tell_apart_what_somebody_is_asked_about(&mut self) {
        let Some(who) = self.who.as_ref().filter(|_| self.topic.is_none()) else { return };
        let is_about = |word: &&str| WORDS.about.holds(&fold(word));
        let words: Vec<&str> = who.split_whitespace().collect();
        let Some(at) = words.iter().position(is_about).filter(|at| *at > 0) else { return };
        let (name, rest) = (words[..at].join(" "), words[at + 1..].join(" "));
        let about = if rest.is_empty() { self.when.take() } else { Some(rest) };
        (self.who, self.topic) = (Some(name), about.map(|about| tidied(&about)));
    }

    /// A paper, and behind a preposition whose it is.
    fn tell_apart_whom_it_is_from(&mut self) {
        let Some(topic) = self.topic.as_ref().filter(|_| self.family.is_direct() && self.who.is_none()) else { return };
        let words: Vec<&str> = topic.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| WORDS.from.holds(&fold(word))).filter(|at| *at > 0) else { return };
        let (paper, from) = (words[..at].join(" "), words[at + 1..].join(" "));
        if !from.is_empty() && from.split(' ').count() <= NAME_WORDS_MAX {
            (self.topic, self.who) = (Some(paper), Some(without_determiner(&from).to_owned()));
        }
    }

    /// The same, narrowed in the same message; `None` where that cannot be, so that none of it is dropped.
    fn narrowed(self, by: Refinement) -> Option<Self> {
        use QuestionFamily as F;
        match (by, self.family) {
            (by @ Refinement::Meet { .. }, _) => Some(Self { then: Some(by), ..self }),
            // Everything about a topic, narrowed to what of it is open.
            (Refinement::StillOpen, F::About) if !self.open => {
                let open = Self { open: true, ..self.clone() };
                Some(Self { beside: Some(Box::new(open)), ..self })
            }
            (Refinement::StillOpen, F::About | F::PromisedToMe | F::PromisedByMe) => Some(Self { open: true, ..self }),
            (Refinement::Only { who, topic, when }, family) if family.is_of_a_kind() => {
                let one = |own: Option<String>, more: Option<String>| match (own, more) {
                    (Some(_), Some(_)) => None,
                    (own, more) => Some(own.or(more)),
                };
                let (who, topic) = (one(self.who, who)?, one(self.topic, topic)?);
                Some(Self { who, topic, when: one(self.when, when)?, ..self })
            }
            (Refinement::StillOpen | Refinement::Only { .. }, _) => None,
        }
    }

    /// The same question without its topic, for where nothing fits that; `None` where it would ask for everything.
    pub fn widened(&self) -> Option<Self> {
        use QuestionFamily as F;
        // The person behind the preposition may have sent it, or only stand in it.
        if self.family.is_direct() {
            let who = self.who.as_deref()?;
            let all = [self.topic.as_deref(), Some(who)].into_iter().flatten().collect::<Vec<_>>().join(" ");
            return Some(Self { topic: Some(all), who: None, ..self.clone() });
        }
        self.topic.as_ref()?;
        // Where there is no such meeting, what there is about it.
        if self.family == F::Prepare {
            return Some(Self { family: F::About, ..self.clone() }).filter(|_| self.when.is_none());
        }
        self.family.is_of_a_kind().then(|| Self { topic: None, ..self.clone() })
    }

    /// The same question, of somebody who is called as what it is about is; `None` where somebody is named already.
    pub fn of_somebody(&self) -> Option<Self> {
        let wider = self.widened().filter(|_| self.who.is_none() && self.family != QuestionFamily::Prepare)?;
        Some(Self { who: self.topic.clone(), ..wider })
    }

    /// What or whom it is about; empty where it names nothing.
    pub fn subject(&self) -> String {
        self.topic.clone().or_else(|| self.who.clone()).unwrap_or_default()
    }

    /// Whether its time is one, and nobody stands in it who only points at somebody.
    fn is_settled(&self, reference: &Reference) -> bool {
        let points = |words: &Option<String>| words.as_ref().is_some_and(|words| WORDS.pointer.holds(&fold(words)));
        let is_time = |words: &String| {
            let found = time::resolve(words, reference);
            !matches!(found, None | Some(Err(Problem::Impossible { .. } | Problem::Unclear { .. })))
        };
        !points(&self.who) && !points(&self.topic) && self.when.as_ref().is_none_or(is_time)
    }

    /// The span of time that its words name.
    pub fn span(&self, reference: &Reference) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        self.when.as_ref().and_then(|when| span(when, reference))
    }
}

/// Whether words for a time mean all until then.
pub fn is_until(words: &str, reference: &Reference) -> bool {
    let role = time::find(words, reference).first().map(|mention| mention.role);
    is_earlier(words) || matches!(role, Some(time::TimeRole::By | time::TimeRole::Until))
}

/// From when until when words for a time last; of a day to its end, of a point in the past up to now.
pub fn span(words: &str, reference: &Reference) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let (start, end) = match time::resolve(words, reference)? {
        Ok(When::Range { start, end, .. }) => (start.to_utc(), end.to_utc()),
        Ok(When::Point { at, grain }) => (at.to_utc(), time::end_of(at, grain)),
        Ok(When::Duration(length)) => (reference.now - length, reference.now),
        Ok(When::Recurrence { first, .. }) => (first.to_utc(), first.to_utc() + chrono::Duration::days(1)),
        Err(Problem::Past { at }) => (at.to_utc(), reference.now),
        Err(Problem::Ambiguous { candidates, .. }) => {
            let first = candidates.iter().min()?;
            (first.to_utc(), first.to_utc() + chrono::Duration::days(1))
        }
        Err(_) => return None,
    };
    let folded = words.trim().to_lowercase();
    let since = ["since ", "seit ", "after "].iter().any(|word| folded.starts_with(word));
    Some(if since && start < reference.now { (start, reference.now) } else { (start, end) })
}
