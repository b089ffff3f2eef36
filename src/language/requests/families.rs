//! Families of questions over everything that a person has: "who waits for me?", "what did Anna promise me?".
//!
//! The ways to ask them are data (`data/language/requests/families.*.txt`); people, periods and topics are slots. A
//! message is a question of a family when a phrase covers all of it, so nothing of it is dropped. A second question may
//! stand behind the first where it only narrows it: "…, and do I meet them this week?" Not here: who or what is meant by
//! the words of a slot, and how a question is answered.

use serde::{Deserialize, Serialize};

use super::Hearing;
use super::phrases::{self, Phrases};
use super::reading::{tidy, without_determiner};
use crate::core::plan::PlannedAction;
use crate::language::time;
use crate::language::time::{Problem, Reference, When};

#[cfg(test)]
const TEXTS: [&str; 2] = [
    include_str!("../../../data/language/requests/families.en.txt"),
    include_str!("../../../data/language/requests/families.de.txt"),
];

static FRAMES: Phrases = Phrases::compiled(include_bytes!("../../../data/language/requests/families.bin"));

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    Find,
}

impl QuestionFamily {
    /// Whether a single search answers it.
    pub fn is_direct(self) -> bool {
        match self {
            Self::FindInvoice | Self::FindBooking | Self::FindAttachment | Self::FindAmount | Self::Find => true,
            Self::WaitingOnMe | Self::WaitingOnOthers | Self::PromisedToMe | Self::PromisedByMe | Self::About => false,
            Self::NeedsMe | Self::Prepare | Self::Unanswered | Self::WritesMost | Self::MeetsMost => false,
        }
    }
}

/// A question of a family, in the person's words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FamilyQuestion {
    /// What is asked.
    pub family: QuestionFamily,
    /// About whom.
    pub who: Option<String>,
    /// About what; of a preparation, which meeting.
    pub topic: Option<String>,
    /// In which time.
    pub when: Option<String>,
    /// Only what is still open.
    pub open: bool,
    /// Only what is overdue.
    pub late: bool,
    /// What narrows the answer.
    pub then: Option<Refinement>,
}

/// What narrows an answer that there is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Refinement {
    /// Whom of them does the person meet?
    Meet {
        /// In which time.
        when: Option<String>,
    },
    /// Only those of somebody, about something, or of a time.
    Only {
        /// Of whom.
        who: Option<String>,
        /// About what.
        topic: Option<String>,
        /// Of which time.
        when: Option<String>,
    },
    /// Only what is still open.
    StillOpen,
}

/// Whether a message asks something: by its mark, or by its first word.
pub fn is_question(text: &str) -> bool {
    const WORDS: [&str; 26] = [
        "who", "whom", "whose", "what", "what's", "whats", "when", "where", "where's", "which", "how", "why", "did",
        "does", "is", "are", "was", "were", "has", "have", "wer", "was", "wann", "wo", "welche", "wie",
    ];
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase().replace('’', "'");
    text.trim_end().ends_with(['?', '？', '؟']) || WORDS.contains(&first.as_str())
}

/// What divides a question from what narrows it.
const DIVIDERS: [&str; 5] = [", and ", " and ", ", ", " und ", "? "];

/// The question of a family that a message is, if it is nothing else.
pub fn question(text: &str, reference: &Reference) -> Option<FamilyQuestion> {
    if let Some(question) = whole(text, reference) {
        return Some(question);
    }
    let divided = DIVIDERS.iter().flat_map(|divider| text.match_indices(divider));
    divided.into_iter().find_map(|(at, divider)| {
        let first = whole(&text[..at], reference)?;
        let tail = &text[at + divider.len()..];
        let then = refinement(tail, reference).or_else(|| refinement(&format!("and {tail}"), reference))?;
        Some(FamilyQuestion { then: Some(then), ..first })
    })
}

/// What a message asks of an answer that there is, if it asks nothing else.
pub fn refinement(text: &str, reference: &Reference) -> Option<Refinement> {
    let PlannedAction { command, params, .. } = covered(text, reference)?;
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

fn whole(text: &str, reference: &Reference) -> Option<FamilyQuestion> {
    let PlannedAction { command, params, .. } = covered(text, reference)?;
    let said = |name: &str| params.get(name).and_then(|value| value.as_str());
    let family = match (command.as_str(), said("by").or(said("how")).or(said("what"))) {
        ("waiting_on_me", _) => QuestionFamily::WaitingOnMe,
        ("waiting_on_others", _) => QuestionFamily::WaitingOnOthers,
        ("promised", Some("them")) => QuestionFamily::PromisedToMe,
        ("promised", _) => QuestionFamily::PromisedByMe,
        ("about", _) => QuestionFamily::About,
        ("needs_me", _) => QuestionFamily::NeedsMe,
        ("prepare", _) => QuestionFamily::Prepare,
        ("unanswered", _) => QuestionFamily::Unanswered,
        ("most", Some("meet")) => QuestionFamily::MeetsMost,
        ("most", _) => QuestionFamily::WritesMost,
        ("find", Some("invoice")) => QuestionFamily::FindInvoice,
        ("find", Some("booking")) => QuestionFamily::FindBooking,
        ("find", Some("attachment")) => QuestionFamily::FindAttachment,
        ("find", Some("amount")) => QuestionFamily::FindAmount,
        ("find", _) => QuestionFamily::Find,
        _ => return None,
    };
    let slot = |name: &str| said(name).map(tidied).filter(|words| !words.is_empty());
    let question = FamilyQuestion {
        family,
        who: slot("who").or_else(|| slot("with")).filter(|who| !ANYBODY.contains(&who.to_lowercase().as_str())),
        topic: slot("topic").map(|words| topic(&with_more(&words, slot("more")))).or_else(|| slot("meeting")),
        when: said("when").map(str::to_owned),
        open: said("open") == Some("true"),
        late: said("open") == Some("late"),
        then: None,
    };
    question.is_settled(reference).then_some(question)
}

fn covered(text: &str, reference: &Reference) -> Option<PlannedAction> {
    let planned = |text: &str| {
        let hearing = Hearing { text, reference, history: &[], phrases: &[&FRAMES] };
        phrases::planned(&hearing, &[])
    };
    let plain = without_fillers(text);
    planned(&plain).or_else(|| (plain != text).then(|| planned(text)).flatten())
}

/// What people put into a question and could leave out.
const FILLERS: [&str; 40] = [
    "at the moment",
    "at present",
    "right now",
    "currently",
    "presently",
    "so far",
    "by any chance",
    "actually",
    "really",
    "exactly",
    "basically",
    "in general",
    "generally",
    "please",
    "all in all",
    "as of now",
    "for now",
    "these days",
    "out there",
    "by the way",
    "as well",
    "in the meantime",
    "meanwhile",
    "after all",
    "in all",
    "again",
    "kindly",
    "eigentlich",
    "denn",
    "gerade",
    "momentan",
    "zurzeit",
    "im moment",
    "bitte",
    "alles",
    "mal",
    "and by when",
    "and until when",
    "and when",
    "already",
];

/// A question without what could be left out of it; what stands in quotation marks stays.
fn without_fillers(text: &str) -> String {
    if text.contains(['"', '“', '„', '«']) {
        return text.to_owned();
    }
    let mut plain = format!(" {} ", text.trim());
    // "Tomorrow's call" takes place tomorrow.
    for day in
        ["today", "tomorrow", "tonight", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    {
        for own in ["'s ", "’s "] {
            let capital = format!("{}{}", day[..1].to_uppercase(), &day[1..]);
            plain = plain
                .replace(&format!("{day}{own}"), &format!("{day} "))
                .replace(&format!("{capital}{own}"), &format!("{capital} "));
        }
    }
    for filler in FILLERS {
        loop {
            let lower = plain.to_lowercase();
            // Lower case may be of another length; then nothing is left out.
            let found = lower.find(&format!(" {filler} ")).filter(|_| lower.len() == plain.len());
            let Some(at) = found.or_else(|| {
                let ends = ["?", "!", "."].iter().find_map(|end| lower.find(&format!(" {filler}{end}")));
                ends.filter(|_| lower.len() == plain.len())
            }) else {
                break;
            };
            plain.replace_range(at..at + filler.len() + 1, "");
        }
    }
    plain.trim().to_owned()
}

/// A topic that was said in two places: "the flight booking for Berlin".
fn with_more(words: &str, more: Option<String>) -> String {
    more.map_or_else(|| words.to_owned(), |more| format!("{words} {more}"))
}

/// Words for whoever it is.
const ANYBODY: [&str; 20] = [
    "others",
    "other people",
    "people",
    "anyone",
    "anybody",
    "someone",
    "somebody",
    "everyone",
    "everybody",
    "anyone else",
    "somebody else",
    "someone else",
    "who",
    "whom",
    "others yet",
    "anderen",
    "andere",
    "jemand",
    "jemandem",
    "allen",
];

/// Words for *some matter*: they say nothing when the topic has others.
const MATTERS: [&str; 40] = [
    "trip",
    "travel",
    "journey",
    "visit",
    "project",
    "thing",
    "things",
    "topic",
    "matter",
    "story",
    "affair",
    "business",
    "stuff",
    "issue",
    "situation",
    "question",
    "case",
    "plan",
    "plans",
    "event",
    "reise",
    "projekt",
    "sache",
    "thema",
    "fahrt",
    "the",
    "my",
    "our",
    "der",
    "die",
    "das",
    "den",
    "dem",
    "to",
    "of",
    "for",
    "nach",
    "zu",
    "mit",
    "with",
];

/// A topic by the words that tell it from others: "the trip to Berlin" is Berlin.
fn topic(words: &str) -> String {
    let spaced = words.replace('-', " ");
    let all: Vec<&str> = spaced.split_whitespace().collect();
    let says = |word: &&&str| !MATTERS.contains(&word.to_lowercase().as_str());
    let has_matter = all.iter().any(|word| MATTERS[..25].contains(&word.to_lowercase().as_str()));
    let telling: Vec<&str> = all.iter().filter(says).copied().collect();
    if has_matter && !telling.is_empty() { telling.join(" ") } else { words.to_owned() }
}

fn tidied(words: &str) -> String {
    let words = tidy(words);
    let bare = words.strip_suffix("'s").or_else(|| words.strip_suffix("’s")).unwrap_or(&words);
    without_determiner(bare).to_owned()
}

impl FamilyQuestion {
    /// Whether its time is one, and nobody stands in it who only points at somebody.
    fn is_settled(&self, reference: &Reference) -> bool {
        const POINTERS: [&str; 16] = [
            "he", "she", "they", "him", "her", "them", "it", "that", "this", "those", "these", "you", "me", "i", "we",
            "us",
        ];
        let points = |words: &Option<String>| {
            words.as_ref().is_some_and(|words| POINTERS.contains(&words.to_lowercase().as_str()))
        };
        let is_time = |words: &String| {
            let found = time::resolve(words, reference);
            !matches!(found, None | Some(Err(Problem::Impossible { .. } | Problem::Unclear { .. })))
        };
        !points(&self.who) && !points(&self.topic) && self.when.as_ref().is_none_or(is_time)
    }

    /// The span of time that its words name.
    pub fn span(
        &self,
        reference: &Reference,
    ) -> Option<(chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::Utc>)> {
        self.when.as_ref().and_then(|when| span(when, reference))
    }
}

/// From when until when words for a time last; of a day to its end, of a point in the past up to now.
pub fn span(
    words: &str,
    reference: &Reference,
) -> Option<(chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::Utc>)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::compiled;
    use crate::language::requests::tests::monday;

    #[test]
    fn the_frames_in_use_follow_from_their_texts_and_these_hold_no_mistake() {
        let read = Phrases::read("", &TEXTS.concat()).unwrap();
        compiled::check("requests/families.bin", read.tables());
    }

    fn read(text: &str) -> Option<(QuestionFamily, Option<String>, Option<String>, Option<String>)> {
        question(text, &monday()).map(|q| (q.family, q.who, q.topic, q.when))
    }

    #[test]
    fn questions_of_a_family_are_told_with_their_slots() {
        use QuestionFamily as F;
        let mut wrong = Vec::new();
        for (text, family, who, topic, when) in [
            ("what mails am I blocking people on?", F::WaitingOnMe, "", "", ""),
            ("who's waiting for a reply from me?", F::WaitingOnMe, "", "", ""),
            ("Who is still waiting on me", F::WaitingOnMe, "", "", ""),
            ("which emails need a reply", F::WaitingOnMe, "", "", ""),
            ("do I owe anyone an answer?", F::WaitingOnMe, "", "", ""),
            ("wer wartet auf mich?", F::WaitingOnMe, "", "", ""),
            ("whose answer am I waiting for?", F::WaitingOnOthers, "", "", ""),
            ("who hasn't replied to me yet", F::WaitingOnOthers, "", "", ""),
            ("who owes me an answer?", F::WaitingOnOthers, "", "", ""),
            ("what am I waiting for", F::WaitingOnOthers, "", "", ""),
            ("what did Anna promise me?", F::PromisedToMe, "Anna", "", ""),
            ("what did I promise Priya", F::PromisedByMe, "Priya", "", ""),
            ("what have I promised people?", F::PromisedByMe, "", "", ""),
            ("everything about the Berlin trip", F::About, "", "Berlin", ""),
            ("find everything about the office move", F::About, "", "office move", ""),
            ("what's still open with the Berlin trip?", F::About, "", "Berlin", ""),
            ("what needs me today?", F::NeedsMe, "", "", "today"),
            ("what needs my attention this week", F::NeedsMe, "", "", "this week"),
            ("prepare me for the call with Northwind", F::Prepare, "", "call with Northwind", ""),
            ("prep me for my meeting with Sarah tomorrow", F::Prepare, "", "meeting with Sarah", "tomorrow"),
            ("who do I write with most?", F::WritesMost, "", "", ""),
            ("who do I meet most often this month", F::MeetsMost, "", "", "this month"),
            ("find the invoice from Inkwell", F::FindInvoice, "", "Inkwell", ""),
            ("where is the flight booking?", F::FindBooking, "", "flight", ""),
            ("how much was the hotel deposit?", F::FindAmount, "", "hotel deposit", ""),
        ] {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let (found, wanted) = (read(text), Some((family, some(who), some(topic), some(when))));
            if found != wanted {
                wrong.push(format!("{text}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_question_may_be_narrowed_in_the_same_breath() {
        let found =
            question("who have I not answered since Thursday, and do I meet them this week?", &monday()).unwrap();
        assert_eq!(found.family, QuestionFamily::Unanswered);
        assert_eq!(found.when.as_deref(), Some("since Thursday"));
        assert_eq!(found.then, Some(Refinement::Meet { when: Some("this week".to_owned()) }));
        let only = |who: &str| Refinement::Only { who: Some(who.to_owned()), topic: None, when: None };
        assert_eq!(refinement("only from Anna", &monday()), Some(only("Anna")));
        let meets = refinement("and of those, who do I meet next week?", &monday());
        assert_eq!(meets, Some(Refinement::Meet { when: Some("next week".to_owned()) }));
    }

    #[test]
    fn requests_and_talk_are_no_questions_of_a_family() {
        for text in [
            "",
            "hello",
            "remind me to call mom tomorrow at 5pm",
            "email Bob that I'm late",
            "what's on my calendar tomorrow?",
            "show my tasks",
            "what did I just do?",
            "did you send it?",
            "find my note about the garden",
            "who am I?",
            "what is the weather in Berlin",
            "cancel the meeting with Sarah",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
