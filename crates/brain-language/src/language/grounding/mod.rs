//! Grounding: whether the values of a plan follow from what was said, whoever planned.
//!
//! A value is grounded when the person's own words carry it: a time a mention that it follows from, a repetition one
//! that repeats, a person, place or description their words, a choice a word for it. Values differ by the kind of their
//! type ([`ValueKind`]), never by the command they belong to. Pure; steps are bounded by the words of both.
//!
//! Not here: what becomes of a value without a ground (the pipeline leaves it out, or asks), how words become values,
//! and whose words somebody else's text is (`core::provenance`).

mod added;
mod choices;
mod listed;
mod names;
mod own_words;
mod somebody;
#[cfg(test)]
mod tests;
mod times;

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::reading::{Clause, Mood, Payload, Reading};
use super::requests;
use super::time::{self, Reference};
use super::{likeness, terms, words};

/// So many traces of doubt in a value, or words of a request that no value carries, make a plan only likely. One number
/// in `data/`, fitted on the first half of the scenarios: see `docs/understanding.md`.
pub const BORDER: u32 =
    match u32::from_str_radix(include_str!("../../../../../data/language/reading/border.txt").trim_ascii(), 10) {
        Ok(border) => border,
        Err(_) => panic!("border.txt holds one number"),
    };

pub use added::{added, specifics, without_placeholders};
pub use listed::{listed, listed_left_out};
pub use own_words::{NUMBER_BITS, OwnWords, bits_of, is_round, links};
pub use somebody::{PersonPronoun, only_name};
pub use times::TimeGround;

/// What a value is, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A point in time, or a span's border: words, or ISO 8601.
    Time,
    /// Words or an RRULE.
    Repetition,
    /// How long before something.
    Length,
    /// A name, a group or an address.
    Person,
    /// One of a few words that the type allows.
    Choice,
    /// What is meant is found by it.
    Reference,
    /// What something new is called.
    Name,
    /// The same of entries of a list, which commas divide.
    Entries,
    /// Words of the person's that are kept or shown.
    Text,
    /// Words to somebody, which a planner may choose: shown before they go.
    Composed,
    /// A number or a truth value.
    Plain,
}

impl ValueKind {
    /// Whether it is words of the person's that stay as they were said.
    fn is_kept_as_said(self) -> bool {
        match self {
            Self::Name | Self::Entries | Self::Text | Self::Composed => true,
            Self::Time
            | Self::Repetition
            | Self::Length
            | Self::Person
            | Self::Choice
            | Self::Reference
            | Self::Plain => false,
        }
    }
}

/// What may be told of something beside its name, and only with words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Introduced<'a> {
    /// The value of a parameter of this name: a place, details.
    Value(&'a str),
    /// Another name.
    Name,
    /// How many, how long.
    Number,
}

/// What values leave out of what was said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Words of requests.
    pub words: usize,
    /// Mentions of times to come.
    pub times: usize,
}

/// Of the words of a title, a place or a description that say something, so many of ten have to be the person's own.
const TEXT_TENTHS: usize = 6;
/// A short text has no words to spare.
const SHORT_TEXT_WORDS: usize = 2;

/// The stems of those words of a text that say something.
pub fn telling_stems(text: &str) -> FxHashSet<String> {
    words::words(text).into_iter().filter(|word| !is_light(word)).map(|word| terms::stem(&word)).collect()
}

/// Whether a text has a word for this value of a choice; no text has one for what is no such value.
pub fn says_choice(value: &str, text: &str) -> bool {
    choices::is_said(value, &words::words(text).join(" "))
}

/// Whether the name of something new holds more than a name.
pub fn is_odd_name(name: &str, reference: &Reference) -> bool {
    names::is_odd_name(name, reference)
}

/// Whether a name holds a time that it is not called by.
pub fn holds_a_time(name: &str, reference: &Reference) -> bool {
    names::holds_a_time(name, reference)
}

/// Whether a name is beyond doubt nothing but a name: no time, no clause inside, no mark that divides.
pub fn is_plain_name(name: &str, reference: &Reference) -> bool {
    names::is_plain_name(name, reference)
}

/// Whether a text that is kept holds more than one thing.
pub fn is_odd_text(text: &str, reference: &Reference) -> bool {
    names::is_odd_text(text, reference)
}

/// The person's own words that values may come from.
#[derive(Debug)]
pub struct Ground<'a> {
    /// This message.
    pub reading: &'a Reading,
    /// Stems of all own words: this message, what it completes, the conversation.
    stems: FxHashSet<String>,
    /// The same, folded, with spaces around words.
    folded: String,
    /// What is said now, with what it completes and what it points at.
    said_now: String,
    times: times::Mentioned,
}

impl<'a> Ground<'a> {
    /// From this message, from the request that it completes (its times count as this message's), from what the person
    /// said before, and from what is in sight that they may point at.
    pub fn of(
        reading: &'a Reading,
        completes: &[&str],
        earlier: &[&str],
        in_sight: &[&str],
        reference: &Reference,
    ) -> Ground<'a> {
        // Others' words are a ground where the person points at them; whose they are stays known.
        let points = choices::points_at_something(&reading.text) || choices::points_at_somebody(&reading.text);
        let shown = in_sight.iter().filter(move |_| points);
        let all = || completes.iter().chain(earlier).chain(shown.clone()).copied().chain([reading.text.as_str()]);
        let spoken: Vec<String> = all().flat_map(words::words).collect();
        let folded = format!(" {} ", spoken.join(" "));
        let now = completes.iter().chain(earlier.iter().filter(|_| points)).copied().chain([reading.text.as_str()]);
        let said_now = format!(" {} ", now.flat_map(words::words).collect::<Vec<_>>().join(" "));
        let stems = words::stems_of(&spoken).into_iter().collect();
        let mut times = times::Mentioned::of(&reading.mentions, &reading.text, reference);
        completes.iter().for_each(|text| times.add_text(text, reference));
        // Only who names no time now means one that was named before.
        if times.is_empty() {
            earlier.iter().rev().take(EARLIER_TIMES_MAX).for_each(|text| times.add_text(text, reference));
        }
        Ground { reading, stems, folded, said_now, times }
    }

    /// Whether a word is among the person's, in any form.
    pub fn has_word(&self, word: &str) -> bool {
        let stem = terms::stem(word);
        // A slip is one of a single word: what looks like several of those that were said is another.
        let alike = || terms::matching(&stem, self.stems.iter().map(String::as_str));
        let is_alike = |alike: Vec<(String, f32)>| match alike.as_slice() {
            [] => false,
            [_] => true,
            [(_, first), ..] => *first >= likeness::BEGINNING,
        };
        self.stems.contains(&stem)
            || is_alike(alike())
            || word.chars().count() >= INSIDE_LETTERS_MIN && self.folded.contains(word)
    }

    /// Whether a text is made of the person's words: most of those that say something, each name, and not only those
    /// that requests are worded with. Who said "write to Anna" said nothing of writing to Ben.
    pub fn has_text(&self, text: &str) -> bool {
        let said = words::words(text);
        // Of an address or a number every part counts: half of one is another.
        let is_exact = |word: &&String| text.contains('@') || word.contains(|c: char| c.is_ascii_digit());
        if !said.iter().filter(is_exact).all(|word| self.folded.contains(&format!(" {word} "))) {
            return false;
        }
        if !names::called_in(text).all(|name| self.has_word(&name)) {
            return false;
        }
        let telling: Vec<String> = said.into_iter().filter(|word| !is_light(word)).collect();
        // What requests are worded with ("write", "call") says of none what it is about.
        let mut particular = telling.iter().filter(|word| !requests::is_worded_with(word)).peekable();
        let tells = match telling.len() {
            few if few <= SHORT_TEXT_WORDS => particular.all(|word| self.has_word(word)),
            _ => particular.peek().is_none() || particular.any(|word| self.has_word(word)),
        };
        if !tells {
            return false;
        }
        let own = telling.iter().filter(|word| self.has_word(word)).count();
        match telling.len() {
            0 => true,
            few if few <= SHORT_TEXT_WORDS => own > 0 && own + 1 >= few,
            many => own * 10 >= many * TEXT_TENTHS,
        }
    }

    /// Whether any word of a text that says something is the person's.
    pub fn shares_a_word(&self, text: &str) -> bool {
        let telling = words::words(text).into_iter().filter(|word| !is_light(word));
        telling.into_iter().any(|word| self.has_word(&word))
    }

    /// Whether words speak of the person's own things.
    pub fn is_own(text: &str) -> bool {
        choices::is_own(text)
    }

    /// Whether words point at something that was named or is in sight.
    pub fn points_at_something(text: &str) -> bool {
        choices::points_at_something(text)
    }

    /// Whether words point at somebody who was named or is in sight.
    pub fn points_at_somebody(text: &str) -> bool {
        choices::points_at_somebody(text)
    }

    /// Whether a time follows from what was said.
    pub fn time(&self, value: &str, reference: &Reference) -> TimeGround {
        self.times.ground(value, &self.folded, reference)
    }

    /// The times that were named, in the person's words: those that repeat, or the others.
    pub fn time_words(&self, repeating: bool) -> Vec<&str> {
        self.times.words(repeating)
    }

    /// The only time that was named, if it is one to come and was named in asking for something.
    pub fn only_time(&self, repeating: bool) -> Option<&str> {
        let only = self.times.only_one(repeating)?;
        let asks = |clause: &&Clause| clause.mood.is_request() || clause.mood == Mood::Arrangement;
        self.reading.clauses.iter().filter(asks).any(|clause| self.reading.words(clause).contains(only)).then_some(only)
    }

    /// Whether this message asks to be told some time ahead.
    pub fn has_length_ahead(&self) -> bool {
        time::offset_in(&self.reading.text).is_some()
    }

    /// Whether a word is said outside times that a text beside the name of something, or a new name, is given with.
    pub fn introduces(&self, what: Introduced<'_>) -> bool {
        let clauses = self.reading.clauses.iter().map(|clause| self.without_times(clause));
        let said: Vec<String> = clauses.flat_map(|clause| words::words(&clause)).collect();
        choices::introduces(what, &format!(" {} ", said.join(" ")))
    }

    /// Whether something that repeats was said.
    pub fn has_repetition(&self) -> bool {
        self.times.repeats
    }

    /// Whether one of the names of somebody, or their address, was said, or stands in what is pointed at.
    pub fn has_person<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> bool {
        // Somebody else may have an address at the same place.
        let own = |name: &'n str| name.split_once('@').map_or(name, |(own, _)| own);
        let mut names = names.into_iter().map(own).flat_map(words::words);
        names.any(|name| !is_light(&name) && self.has_word(&name))
    }

    /// Whether a word for one of the values of a choice was said.
    pub fn has_choice(&self, value: &str) -> bool {
        let is_word = |word: &String| self.said_now.contains(&format!(" {word} "));
        choices::is_said(value, &self.said_now) || words::words(value).iter().any(is_word)
    }

    /// The clauses that an action with these texts was said in: those that share most with it.
    pub fn clauses(&self, texts: &[String]) -> Vec<&'a Clause> {
        let wanted: FxHashSet<String> = texts.iter().flat_map(|text| telling_stems(text)).collect();
        let shared = |clause: &Clause| {
            let said = words::stems(self.reading.words(clause));
            said.iter().filter(|stem| wanted.contains(*stem)).count()
        };
        self.reading.clauses.iter().filter(|clause| shared(clause) > 0).collect()
    }

    /// How much of what was asked for these values leave out: words of requests that say something, that no value
    /// carries and that no request is worded with, and times that no value has.
    pub fn left_out(&self, values: &[String], reference: &Reference) -> LeftOut {
        let carried: FxHashSet<String> =
            values.iter().flat_map(|value| words::words(value)).map(|word| terms::stem(&word)).collect();
        let is_carried = |word: &str| {
            let stem = terms::stem(word);
            carried.contains(&stem) || !terms::matching(&stem, carried.iter().map(String::as_str)).is_empty()
        };
        let mut words_left = 0;
        for clause in self.reading.clauses.iter().filter(|clause| clause.mood.is_request()) {
            let without_times = self.without_times(clause);
            let telling = words::words(&without_times).into_iter().filter(|word| !is_light(word));
            words_left += telling.filter(|word| !is_carried(word) && !requests::is_worded_with(word)).count();
        }
        LeftOut { words: words_left, times: self.times.unused(self.reading, values, reference) }
    }

    fn without_times(&self, clause: &Clause) -> String {
        let mut text = self.reading.text.get(clause.span.clone()).unwrap_or_default().to_owned();
        let is_inside = |span: &Range<usize>| clause.span.start <= span.start && span.end <= clause.span.end;
        let spans = self.reading.mentions.iter().map(|mention| &mention.span).filter(|span| is_inside(span));
        for span in spans.rev() {
            text.replace_range(span.start - clause.span.start..span.end - clause.span.start, " ");
        }
        text
    }

    /// Whether a value is what an order hands over: most of its words stand there. What finds
    /// something that is there is one of nothing but an order.
    pub fn is_handed_over(&self, kind: ValueKind, text: &str) -> bool {
        let wanted = telling_stems(text);
        let is_in = |payload: &Payload| {
            let said = telling_stems(self.reading.text.get(payload.span.clone()).unwrap_or_default());
            let own = wanted.iter().filter(|stem| said.contains(*stem)).count();
            own * 10 >= wanted.len() * TEXT_TENTHS
        };
        let may_be = |payload: &&Payload| payload.is_whole_order || kind.is_kept_as_said();
        !wanted.is_empty() && self.reading.payloads.iter().filter(may_be).any(is_in)
    }

    /// In which mood an action with these texts was said: as a request, if any of its clauses is one; else as the first
    /// of them. Where nothing shows which clauses are its own, all of them may be. Not here: what an order hands over.
    pub fn mood(&self, texts: &[String]) -> Mood {
        let own = self.clauses(texts);
        let requests = |clauses: &[&Clause]| clauses.iter().map(|clause| clause.mood).find(|mood| mood.is_request());
        if let Some(mood) = requests(&own) {
            return mood;
        }
        let all: Vec<&Clause> = self.reading.clauses.iter().collect();
        // A request whose pronoun points to what the sentence before it states.
        let pointing = all.iter().filter(|clause| clause.mood.is_request()).copied();
        let pointing: Vec<&Clause> =
            pointing.filter(|clause| choices::points_at_something(self.reading.words(clause))).collect();
        let told = own.iter().all(|clause| clause.mood.tells());
        match (own.first(), pointing.first(), all.first()) {
            (Some(_), Some(pointing), _) if told => pointing.mood,
            (Some(first), _, _) => first.mood,
            (None, _, Some(first)) => requests(&all).unwrap_or(first.mood),
            (None, _, None) => Mood::Fragment,
        }
    }
}

/// Earlier messages whose times may still be meant.
const EARLIER_TIMES_MAX: usize = 2;
/// Shorter words stand inside others.
const INSIDE_LETTERS_MIN: usize = 4;

/// Whether a folded word says nothing by itself.
pub fn is_light(word: &str) -> bool {
    choices::is_light(word) || word.chars().count() < 2 && !word.chars().all(|c| c.is_ascii_digit())
}

/// Whether a folded word tells what somebody thinks of a thing, and names none.
pub fn is_liking(word: &str) -> bool {
    choices::is_liking(word)
}
