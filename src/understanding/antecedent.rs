//! A request at the end of a message about what stands before it: "golf's off on Saturday, take it out of the diary",
//! "print my CV. Remind me on Wednesday".
//!
//! The message is said again as one clause ("take golf out of the diary") and planned as that.

use super::clauses::{self, Tries};
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::matching;
use super::said::without_determiner;
use super::text::{Mark, Token, tokens};
use super::{Hearing, Understood};
use crate::core::when;

/// Words of a subject; longer ones are whole stories.
const SUBJECT_WORDS_MAX: usize = 6;
const TAIL_WORDS_MAX: usize = 24;
/// Cuts that are looked at, the last ones.
const PARTS_MAX: usize = 8;

/// The plan of a message that is said again as one clause; `None` where it holds no such request.
pub(super) fn plan(text: &str, hearing: &Hearing, domains: &[String]) -> Option<Understood> {
    let tries = Tries::default();
    let planned = |text: &str| match clauses::plan_as_said(&Hearing { text, history: &[], ..*hearing }, domains, &tries)
    {
        plan @ Understood::Plan(_) => Some(plan),
        Understood::Ask { .. } | Understood::NotUnderstood => None,
    };
    let tokens = tokens(text, &GRAMMAR.lexicon);
    let parts = parts(text, &tokens);
    let about = parts.iter().find_map(|(before, tail)| {
        let again = said_again(before, tail)?;
        planned(before.text()).is_none().then(|| planned(&again)).flatten()
    });
    about.or_else(|| parts.iter().find_map(|(before, tail)| planned(&remind_of(before, tail, hearing)?)))
}

/// Some words of a message that follow each other.
#[derive(Clone, Copy)]
struct Words<'t> {
    message: &'t str,
    tokens: &'t [Token],
}

impl<'t> Words<'t> {
    /// Without the marks at both ends.
    fn new(message: &'t str, tokens: &'t [Token]) -> Words<'t> {
        let is_word = |token: &Token| token.mark == Mark::Word;
        let first = tokens.iter().position(is_word).unwrap_or(tokens.len());
        let end = tokens.iter().rposition(is_word).map_or(first, |last| last + 1);
        Words { message, tokens: &tokens[first..end] }
    }

    fn text(&self) -> &'t str {
        match self.tokens {
            [first, .., last] => &self.message[first.span.start..last.span.end],
            [only] => &self.message[only.span.clone()],
            [] => "",
        }
    }

    fn split_at(&self, at: usize) -> (Words<'t>, Words<'t>) {
        let (left, right) = self.tokens.split_at(at.min(self.tokens.len()));
        (Words::new(self.message, left), Words::new(self.message, right))
    }

    fn ids(&self) -> Vec<WordId> {
        self.tokens.iter().map(|token| token.id).collect()
    }

    fn typed(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.message[token.span.clone()])
    }

    /// The words of a phrase at the start; 0 where none of the class stands there.
    fn starts(&self, class: &str) -> usize {
        GRAMMAR.lexicon.starts(class, &self.ids()).unwrap_or(0)
    }

    /// What follows a phrase of the class, if one stands at the start.
    fn behind(&self, class: &str) -> Words<'t> {
        self.split_at(self.starts(class)).1
    }

    /// What stands before a phrase of the class, if one stands at the end.
    fn before(&self, class: &str) -> Words<'t> {
        let ids = self.ids();
        let cut = (0..ids.len()).find(|at| GRAMMAR.lexicon.is_phrase(class, &ids[*at..]));
        self.split_at(cut.unwrap_or(ids.len())).0
    }
}

/// Every way to cut a message in two at the end of a sentence, a comma, a dash, an "and" or before "remind me".
fn parts<'t>(text: &'t str, tokens: &'t [Token]) -> Vec<(Words<'t>, Words<'t>)> {
    let is_cut = |at: &usize| match (tokens[*at].mark, &text[tokens[*at].span.clone()]) {
        (Mark::Stop, _) | (Mark::Soft, "," | "-" | "–" | "—") => true,
        _ => {
            ["joins", "remindme"].iter().any(|class| Words { message: text, tokens: &tokens[*at..] }.starts(class) > 0)
        }
    };
    let cut = |at: usize| {
        let tail = Words::new(text, &tokens[at..]);
        (Words::new(text, &tokens[..at]), tail.behind("joins"))
    };
    let fits = |(before, tail): &(Words, Words)| {
        !before.tokens.is_empty() && (1..=TAIL_WORDS_MAX).contains(&tail.tokens.len())
    };
    let mut parts: Vec<_> = (1..tokens.len()).rev().filter(is_cut).map(cut).filter(fits).take(PARTS_MAX).collect();
    parts.reverse();
    parts
}

/// "Golf's off on Saturday" and "take it out of the diary" as "take golf out of the diary".
fn said_again(before: &Words, tail: &Words) -> Option<String> {
    if tail.starts("keeper") > 0 {
        return None;
    }
    let (at, len) = GRAMMAR.lexicon.find("antecedent", &tail.ids())?;
    let subject = subject(before)?;
    let (left, right) = (tail.split_at(at).0.text(), tail.split_at(at + len).1.text());
    Some(format!("{left} {subject} {right}").trim().to_owned())
}

/// "Golf" of "golf's off on Saturday"; a bare name of a thing is its own.
fn subject<'t>(before: &Words<'t>) -> Option<&'t str> {
    let last = before.tokens.iter().rposition(|token| token.mark == Mark::Stop).map_or(0, |stop| stop + 1);
    let sentence = before.split_at(last).1;
    let after = |at: usize| sentence.split_at(at).1;
    // "Golf's off", but not "Tuesday's lecture".
    let is_over = |at: usize| of_owner(sentence.typed(at)).is_some() && after(at + 1).starts("ended") > 0;
    let told = (0..sentence.tokens.len()).find(|at| after(*at).starts("told") > 0 || is_over(*at));
    let named = sentence.starts("thingarticle") > 0;
    let words = match told {
        Some(at) if is_over(at) => sentence.split_at(at + 1).0,
        Some(at) => sentence.split_at(at).0,
        None => sentence,
    };
    let fits = sentence.starts("teller") == 0
        && (told.is_some() || named)
        && words.tokens.len() <= SUBJECT_WORDS_MAX + usize::from(named);
    let thing = words.behind("thingarticle").behind("taskabout").text();
    let thing = without_determiner(of_owner(thing).unwrap_or(thing));
    (fits && !thing.is_empty()).then_some(thing)
}

/// "Golf" of "golf's".
fn of_owner(word: &str) -> Option<&str> {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"))
}

/// "Send the timesheet every Friday at 4" and "remind me": as "remind me: send the timesheet every Friday at 4".
fn remind_of(before: &Words, tail: &Words, hearing: &Hearing) -> Option<String> {
    let asked = tail.behind("please");
    if asked.starts("remindme") == 0 {
        return None;
    }
    let time = asked.behind("remindme").behind("ofit").before("please").text();
    let timed = match &when::find(time, hearing.reference)[..] {
        [only] => time.get(only.span.clone()).is_some_and(|words| words.trim() == time),
        _ => time.is_empty(),
    };
    let starts = matching::starts(&GRAMMAR, &before.ids());
    let thing = starts.last().map_or(*before, |at| before.split_at(*at).1).behind("duty");
    let tells = thing.starts("teller") > 0 || thing.tokens.is_empty();
    (timed && !tells).then(|| format!("remind me {time}: {}", thing.text()).replace(" :", ":"))
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
