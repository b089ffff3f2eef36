//! A request at the end of a message about what stands before it: "golf's off on Saturday, take it out of the diary",
//! "print my CV. Remind me on Wednesday".
//!
//! The message is said again as one clause ("take golf out of the diary") and planned as that.

use super::clauses;
use super::said::without_determiner;
use super::text::fold;
use super::{Hearing, Understood};
use crate::core::when;

/// Words of a subject; longer ones are whole stories.
const SUBJECT_WORDS_MAX: usize = 6;
const TAIL_WORDS_MAX: usize = 24;
/// Cuts that are looked at, from the end.
const PARTS_MAX: usize = 8;

/// What stands for something said before, the longest first.
const POINTERS: [&str; 13] = [
    "that reminder",
    "that task",
    "that job",
    "that event",
    "that meeting",
    "that one",
    "the event",
    "the task",
    "the reminder",
    "this one",
    "that",
    "it",
    "this",
];

/// Where the subject of a statement ends.
const STATES: [&str; 19] = [
    "is", "are", "was", "were", "has", "have", "got", "gets", "isn't", "isnt", "needs", "will", "wont", "won't", "can",
    "can't", "cant", "'s", "'re",
];

/// Who tells, and no thing.
const PEOPLE: [&str; 20] = [
    "i", "i'm", "im", "i've", "ive", "we", "we're", "you", "he", "she", "they", "it", "it's", "its", "there", "this",
    "that", "thats", "that's", "what",
];

/// How people say that something is theirs to do.
const LEADS: [&str; 18] = [
    "i really should ",
    "i really need to ",
    "i really have to ",
    "i still need to ",
    "i still have to ",
    "i need to ",
    "i have to ",
    "i should ",
    "i must ",
    "i gotta ",
    "we need to ",
    "we have to ",
    "need to ",
    "have to ",
    "gotta ",
    "must ",
    "should ",
    "got to ",
];

/// The plan of a message that is said again as one clause; `None` where it holds no such request.
pub(super) fn plan(text: &str, hearing: &Hearing, domains: &[String]) -> Option<Understood> {
    let planned = |text: &str| match clauses::plan_as_said(&Hearing { text, history: &[], ..*hearing }, domains) {
        plan @ Understood::Plan(_) => Some(plan),
        Understood::Ask { .. } | Understood::NotUnderstood => None,
    };
    let parts = parts(text);
    let told = |before: &str| planned(before).is_none();
    let about = parts.iter().find_map(|(before, tail)| {
        let again = said_again(before, tail)?;
        told(before).then(|| planned(&again)).flatten()
    });
    about.or_else(|| {
        parts.iter().find_map(|(before, tail)| {
            let again = remind_of(before, tail, hearing)?;
            planned(&again)
        })
    })
}

/// Every way to cut a message in two at the end of a sentence, a comma, a dash or an "and".
fn parts(text: &str) -> Vec<(&str, &str)> {
    const CUTS: [&str; 10] = [". ", "! ", "!! ", "; ", ", ", " - ", " – ", "\n", " so ", " and "];
    let mut cuts: Vec<(usize, usize)> =
        CUTS.iter().flat_map(|cut| text.match_indices(cut).map(|(at, cut)| (at, at + cut.len()))).collect();
    cuts.extend(text.match_indices(" remind me ").map(|(at, _)| (at, at + 1)));
    cuts.sort_unstable();
    let both = |(at, after): (usize, usize)| Some((text.get(..at)?.trim(), text.get(after..)?.trim()));
    let short = |(before, tail): &(&str, &str)| {
        let words = tail.split_whitespace().count();
        !before.is_empty() && (1..=TAIL_WORDS_MAX).contains(&words)
    };
    cuts.into_iter().rev().take(PARTS_MAX).rev().filter_map(both).filter(short).collect()
}

/// "Golf's off on Saturday" and "take it out of the diary" as "take golf out of the diary".
fn said_again(before: &str, tail: &str) -> Option<String> {
    const KEEPS: [&str; 4] = ["remember", "note", "save", "keep"];
    let subject = subject(before).filter(|_| !KEEPS.iter().any(|keep| fold(tail).starts_with(keep)))?;
    let spaced = format!(" {} ", tail.trim_end_matches(['.', '!', '?']));
    let lower = spaced.to_lowercase();
    let (pointer, at) = POINTERS.iter().find_map(|pointer| {
        let at = lower.find(&format!(" {pointer} ")).filter(|at| spaced.is_char_boundary(*at))?;
        Some((pointer, at + 1))
    })?;
    let end = at + pointer.len();
    let (left, right) = (spaced.get(..at)?, spaced.get(end..)?);
    Some(format!("{}{subject}{}", left.trim_start(), right.trim_end()))
}

/// "Golf" of "golf's off on Saturday"; a bare name of a thing is its own.
fn subject(sentence: &str) -> Option<String> {
    let last = sentence.rsplit(['.', '!', '?', ';', '\n']).next()?.trim();
    let mut words: Vec<&str> = Vec::new();
    let mut told = false;
    for word in last.split_whitespace() {
        let plain = fold(word.trim_matches(','));
        let bare = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        if STATES.contains(&plain.as_str()) {
            told = true;
            break;
        }
        words.push(bare.unwrap_or(word));
        // "Golf's off", but not "Tuesday's lecture".
        if bare.is_some() && last.split_whitespace().nth(words.len()).is_some_and(|next| OFF.contains(&next)) {
            told = true;
            break;
        }
    }
    let named = last.split_whitespace().next().is_some_and(|first| ["the", "my"].contains(&fold(first).as_str()));
    let thing = words.first().is_some_and(|first| !PEOPLE.contains(&fold(first).as_str()));
    let fits = thing && (told || named) && words.len() <= SUBJECT_WORDS_MAX + usize::from(named);
    let subject = words.join(" ");
    let subject = without_determiner(subject.trim_end_matches(','));
    let subject = subject.strip_prefix("reminder to ").or_else(|| subject.strip_prefix("task to ")).unwrap_or(subject);
    (fits && !subject.is_empty()).then(|| subject.to_owned())
}

const OFF: [&str; 8] = ["off", "cancelled", "canceled", "done", "paid", "sorted", "finished", "fixed"];

/// "Send the timesheet every Friday at 4" and "remind me": as "remind me: send the timesheet every Friday at 4".
fn remind_of(before: &str, tail: &str, hearing: &Hearing) -> Option<String> {
    let tail = tail.trim_end_matches(['.', '!', '?', ' ']);
    let lower = tail.to_lowercase();
    let asked = lower.strip_prefix("please ").or_else(|| lower.strip_prefix("pls ")).unwrap_or(&lower);
    let rest = asked.strip_prefix("remind me").or_else(|| asked.strip_prefix("dont let me forget"))?;
    let rest = rest.trim_start_matches("of it").trim_start_matches("about it").trim();
    let rest = rest.trim_end_matches("please").trim_end_matches("pls").trim_matches([' ', ',']);
    let timed = match &when::find(rest, hearing.reference)[..] {
        [only] => rest.get(only.span.clone()).is_some_and(|words| words.trim() == rest),
        _ => false,
    };
    if !rest.is_empty() && !timed {
        return None;
    }
    let last = before.trim_end_matches(['.', '!', ' ', ',', '-', '–']);
    let folded = last.to_lowercase();
    let lead = LEADS.iter().find(|lead| folded.starts_with(**lead)).map_or(0, |lead| lead.len());
    let thing = last.get(lead..)?;
    let starts = fold(thing.split_whitespace().next()?);
    (!PEOPLE.contains(&starts.as_str())).then(|| format!("remind me {rest}: {thing}").replace(" :", ":"))
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;

    use super::*;
    use crate::core::when::{DateOrder, Reference};

    /// The commands of a message with what they name.
    fn planned(text: &str) -> Option<String> {
        let reference =
            Reference { now: "2026-01-12T09:00:00Z".parse().unwrap(), zone: Tz::UTC, order: DateOrder::DayFirst };
        let hearing = Hearing { text, reference: &reference, history: &[] };
        let Understood::Plan(plan) = super::plan(text, &hearing, &[])? else { return None };
        let told = plan.actions.iter().map(|action| {
            let named = ["find_by", "title"].iter().find_map(|name| action.params.get(*name)?.as_str());
            format!("{}.{} {}", action.service, action.command, named.unwrap_or_default())
        });
        Some(told.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn it_is_what_the_sentence_before_tells_of() {
        for (text, expected) in [
            ("golf's off on saturday, take it out of the diary", "calendar.delete_event golf"),
            ("the nursery deposit is paid. tick it off pls", "task.complete nursery deposit"),
            ("dinner with josh is cancelled. delete that", "calendar.delete_event dinner with josh"),
        ] {
            let got = planned(text).unwrap_or_default();
            assert!(got.starts_with(expected), "{text}: {got}");
        }
    }

    #[test]
    fn remind_me_at_the_end_is_of_what_stands_before() {
        for (text, expected) in [
            ("send timesheet every friday at 4pm - remind me", "task.create Send timesheet"),
            ("gotta print my cv. remind me wednesday evening", "task.create Print my cv"),
            ("pick up prescription remind me 11am today", "task.create Pick up prescription"),
        ] {
            assert_eq!(planned(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_asks_by_itself_is_not_said_again() {
        for text in [
            "add tape to the shopping list and remind me at 6 to go shopping",
            "my favourite colour is green, remember that",
            "i'm ill, cancel it",
            "my boss is late again, it sucks",
            "book a table for friday and cancel it",
            "it",
            ", it",
        ] {
            assert_eq!(planned(text), None, "{text}");
        }
    }
}
