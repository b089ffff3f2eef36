//! A clause with its reading: the slots as clean text, and the times that belong to them.

use std::ops::Range;

use serde_json::Value;

use super::annotated::AnnotatedText;
use super::grammar::{GRAMMAR, Grammar};
use super::lexicon::WordId;
use super::matching::ClauseMatch;
use super::parse_input::ParseInput;
use super::text::TokenMark;
use crate::language::entries::entries;
use crate::language::time::{self, Grain, Problem, TimeRole, When};
use crate::language::tokens::lower;
use brain_core::core::plan::{Params, PlannedAction};
use brain_core::core::text::capital;

/// One clause, read one way.
#[derive(Debug, Clone, Copy)]
pub struct ClauseReading<'a> {
    pub grammar: Grammar<'static>,
    pub input: &'a ParseInput<'a>,
    pub heard: &'a AnnotatedText<'a>,
    pub found: &'a ClauseMatch<'a>,
    pub domains: &'a [String],
}

/// A time in the person's words, and the masks it is made of.
#[derive(Debug, Clone, Default)]
pub struct TimeWords {
    pub text: String,
    pub masks: Vec<usize>,
}

impl<'a> ClauseReading<'a> {
    /// The frame's command.
    pub fn command(&self) -> &'a str {
        &self.found.frame.command
    }

    /// Tokens that belong to a slot: with the hidden ones before and after it.
    fn wide(&self, name: &str) -> Option<Range<usize>> {
        let slot = self.found.slot(name)?;
        let live = |i: usize| self.heard.tokens[i].mark == TokenMark::Word && self.heard.hidden_by(i).is_none();
        let all = &self.found.tokens;
        let live = |i: usize| live(i) || self.heard.typed(i) == ":" && self.heard.hidden_by(i).is_none();
        let first = (all.start..slot.first).rev().take_while(|&i| !live(i)).last().unwrap_or(slot.first);
        let last = (slot.last + 1..all.end).take_while(|&i| !live(i)).last().unwrap_or(slot.last);
        Some(first..last + 1)
    }

    /// A slot as the person typed it, times and all.
    pub fn raw(&self, name: &str) -> Option<String> {
        let wide = self.wide(name)?;
        Some(tidy(self.heard.raw(wide.start, wide.end - 1))).filter(|text| !text.is_empty())
    }

    /// A slot as the name of something: an urgency behind it is none of it.
    pub fn name(&self, slot: &str) -> Option<String> {
        let wide = self.wide(slot)?;
        let urgency = |i: &usize| self.heard.hidden_by(*i).is_some_and(|mask| self.heard.is_priority(mask));
        let last = wide.clone().rev().find(|i| !urgency(i)).unwrap_or(wide.end - 1);
        Some(tidy(self.heard.raw(wide.start, last))).filter(|text| !text.is_empty())
    }

    /// A slot without these times and without priority.
    pub fn clean(&self, name: &str, without: &[usize]) -> Option<String> {
        let wide = self.wide(name)?;
        let gone =
            |i: usize| self.heard.hidden_by(i).is_some_and(|p| without.contains(&p) || self.heard.is_priority(p));
        let mut pieces: Vec<String> = Vec::new();
        let mut start = wide.start;
        for at in wide.start..=wide.end {
            if at < wide.end && !gone(at) {
                continue;
            }
            if at > start {
                let piece = tidy(self.heard.raw(start, at - 1));
                let piece = trim_dangling(&piece, start > wide.start, at < wide.end);
                // The comma behind a time that is cut out stays between what is around it.
                let before = start.checked_sub(1).and_then(|hidden| self.heard.tokens.get(hidden));
                let behind_a_comma = before
                    .and_then(|hidden| self.heard.text.get(hidden.span.end..self.heard.tokens[start].span.end))
                    .is_some_and(|between| between.trim_start().starts_with(','));
                if let Some(last) = pieces.last_mut().filter(|_| behind_a_comma && !piece.is_empty()) {
                    last.push(',');
                }
                pieces.extend(Some(piece).filter(|p| !p.is_empty()));
            }
            start = at + 1;
        }
        Some(tidy(&pieces.join(" "))).filter(|text| !text.is_empty())
    }

    /// Is this time the first word of a compound that names a thing?
    pub fn names_a_thing(&self, slot: &str, mask: usize) -> bool {
        let lexicon = self.grammar.lexicon;
        let Some(wide) = self.wide(slot) else { return false };
        let hidden: Vec<usize> = wide.clone().filter(|i| self.heard.hidden_by(*i) == Some(mask)).collect();
        let ids: Vec<WordId> = hidden.iter().map(|i| self.heard.tokens[*i].id).collect();
        let next = hidden.last().map_or(wide.end, |last| last + 1);
        let noun = next < wide.end && self.heard.live(next..next + 1).len() == 1;
        noun && lexicon.is_phrase("holidayname", &ids)
    }

    /// A slot in two: up to its last time and behind it, if words stand on both sides.
    pub fn around_time(&self, name: &str, masks: &[usize]) -> Option<(String, String)> {
        let wide = self.wide(name)?;
        let timed = |i: &usize| self.heard.hidden_by(*i).is_some_and(|mask| masks.contains(&mask));
        let (first, last) = (wide.clone().find(timed)?, wide.clone().rfind(timed)?);
        let piece = |from: usize, to: usize| {
            Some(tidy(self.heard.raw(from, to.checked_sub(1)?))).filter(|text| !text.is_empty())
        };
        Some((trim_dangling(&piece(wide.start, first)?, false, true), piece(last + 1, wide.end)?))
    }

    /// The words of a slot as ids.
    pub fn ids(&self, name: &str) -> &[WordId] {
        self.found.slot(name).map_or(&[], |slot| self.heard.ids(slot.first..slot.last + 1))
    }

    /// True when the slot holds a phrase of the class.
    pub fn holds(&self, name: &str, class: &str) -> bool {
        self.grammar.lexicon.find(class, self.ids(name)).is_some()
    }

    /// True when the clause holds a phrase of the class.
    pub fn clause_holds(&self, class: &str) -> bool {
        self.grammar.lexicon.find(class, self.clause_ids()).is_some()
    }

    /// True when the clause begins with a phrase of the class.
    pub fn clause_starts(&self, class: &str) -> bool {
        self.grammar.lexicon.starts(class, self.clause_ids()).is_some()
    }

    /// The clause in lower case, with a space at either end.
    pub fn typed(&self) -> String {
        let tokens = &self.found.tokens;
        format!(" {} ", lower(self.heard.raw(tokens.start, tokens.end.saturating_sub(1))))
    }

    /// The words of the clause that frames look at.
    pub fn clause_ids(&self) -> &[WordId] {
        self.heard.ids(self.found.tokens.clone())
    }

    /// Peels of the clause that are times of a kind, in order; those inside `except` are left alone.
    pub fn times(&self, except: &[&str], is: impl Fn(Option<&When>) -> bool) -> Vec<usize> {
        let protected: Vec<Range<usize>> = except.iter().filter_map(|name| self.wide(name)).collect();
        self.heard
            .times_in(&self.found.tokens)
            .into_iter()
            .filter(|&mask| {
                let span = &self.heard.masks[mask].span;
                let inside = |r: &Range<usize>| {
                    self.heard.tokens[r.start].span.start <= span.start
                        && span.end <= self.heard.tokens[r.end - 1].span.end
                };
                !protected.iter().any(inside)
            })
            .filter(|&mask| self.heard.time(mask).is_some_and(|f| is(f.result.as_ref().ok())))
            .collect()
    }

    /// Points, ranges and recurrences of the clause outside these slots, and what is no usable time.
    pub fn moments(&self, except: &[&str]) -> Vec<usize> {
        self.times(except, |when| !matches!(when, Some(When::Duration(_))))
    }

    /// Lengths of time of the clause outside these slots.
    pub fn lengths(&self, except: &[&str]) -> Vec<usize> {
        self.times(except, |when| matches!(when, Some(When::Duration(_))))
    }

    /// The one time the clause is about: said outside the slot if there is one, two that fit together as one,
    /// else the last.
    pub fn moment(&self, inside: &str, except: &[&str]) -> Option<TimeWords> {
        let all = self.moments(except);
        if all.len() < 2 {
            return all.first().map(|&mask| self.in_context(mask));
        }
        if let Some(either) = self.either(&all) {
            return Some(either);
        }
        let is_time = |joined: &TimeWords| matches!(time::resolve(&joined.text, self.input.reference), Some(Ok(_)));
        let fit = matches!(*all.as_slice(), [one, other] if !self.are_apart(one, other));
        if let Some(joined) = fit.then(|| self.words(&all)).filter(is_time) {
            return Some(joined);
        }
        let mut around = except.to_vec();
        around.push(inside);
        let outside = self.moments(&around);
        outside.first().or(all.last()).map(|&mask| self.words(&[mask]))
    }

    /// What the words mean beside an alarm, written out where alone they would mean another instant. What a thing is
    /// called says its own half of the day, later.
    fn in_context(&self, mask: usize) -> TimeWords {
        let words = self.words(&[mask]);
        if !self.clause_holds("alarms") {
            return words;
        }
        let alone = time::resolve(&words.text, self.input.reference);
        match (self.heard.time(mask).map(|found| &found.result), alone) {
            (Some(Ok(When::Point { at, grain: Grain::Minute })), Some(Ok(When::Point { at: other, .. })))
                if *at != other =>
            {
                TimeWords { text: at.format("%Y-%m-%dT%H:%M").to_string(), ..words }
            }
            _ => words,
        }
    }

    /// An hour and a day that were understood, and not as one.
    fn are_apart(&self, one: usize, other: usize) -> bool {
        let start = |mask| self.heard.time(mask)?.result.as_ref().ok()?.start();
        start(one).zip(start(other)).is_some_and(|(one, other)| one != other)
    }

    /// One of several times, as it was said, to be asked about.
    fn either(&self, all: &[usize]) -> Option<TimeWords> {
        let doubtful = |mask: &usize| {
            let ambiguous = |f: &time::TimeMention| matches!(f.result, Err(Problem::Ambiguous { .. }));
            self.heard.time(*mask).is_some_and(ambiguous)
        };
        if !all.iter().all(doubtful) {
            return None;
        }
        let (first, last) = (&self.heard.masks[*all.first()?].span, &self.heard.masks[*all.last()?].span);
        Some(TimeWords { text: self.heard.text[first.start..last.end].trim().to_owned(), masks: all.to_vec() })
    }

    /// A bare hour that stands in a slot.
    pub fn bare_clock(&self) -> Option<TimeWords> {
        self.raw("clock").map(|hour| TimeWords { text: format!("at {hour}"), masks: Vec::new() })
    }

    /// Is this told as a time that something has been moved to?
    pub fn is_moved_to(&self, words: &TimeWords) -> bool {
        words.masks.iter().any(|&mask| self.heard.time(mask).is_some_and(|found| found.role == TimeRole::To))
    }

    /// Where something is moved to, and the times it is told from.
    pub fn target(&self) -> Option<(TimeWords, Vec<usize>)> {
        if let Some(words) = self.bare_clock() {
            return Some((words, Vec::new()));
        }
        if let Some(words) = self.shift() {
            let rest = self.moments(&[]).into_iter().filter(|p| !words.masks.contains(p)).collect();
            return Some((words, rest));
        }
        let all = self.moments(&[]);
        let to = all.iter().copied().find(|&p| self.heard.time(p).is_some_and(|f| f.role == TimeRole::To));
        let target = to.or(all.last().copied())?;
        let rest = all.into_iter().filter(|&p| p != target).collect();
        Some((self.words(&[target]), rest))
    }

    /// How far from the old time the new one is, behind a verb of moving.
    fn shift(&self) -> Option<TimeWords> {
        let tokens = &self.found.tokens;
        let clause = self.heard.raw(tokens.start, tokens.end.checked_sub(1)?);
        let shift = time::shift_in(clause)?;
        let start = self.heard.tokens[tokens.start].span.start;
        let length = start + shift.length().start..start + shift.length().end;
        let covers = |mask: &usize| {
            let span = &self.heard.masks[*mask].span;
            span.start <= length.start && length.end <= span.end
        };
        let masks = self.times(&[], |_| true).into_iter().filter(covers).collect();
        Some(TimeWords { text: shift.in_words(clause), masks })
    }

    /// Peels as words.
    pub fn words(&self, masks: &[usize]) -> TimeWords {
        let said: Vec<&str> = masks.iter().map(|&p| bare_time(self.heard.words_of(&self.heard.masks[p]))).collect();
        TimeWords { text: said.join(" "), masks: masks.to_vec() }
    }

    /// Whether the time is a rule of recurrence.
    pub fn repeats(&self, words: &TimeWords) -> bool {
        words.masks.iter().any(|&p| self.heard.time(p).is_some_and(|f| matches!(f.result, Ok(When::Recurrence { .. }))))
    }

    /// The priority said anywhere in the clause.
    pub fn priority(&self) -> Option<&'static str> {
        self.heard.priority_in(&self.found.tokens).map(|(_, level)| level)
    }

    /// The action of the frame, with what its wording gives.
    pub fn action(&self, service: &str, command: &str) -> PlannedAction {
        let mut params = Params::new();
        for (name, value) in &self.found.frame.fixed {
            let value = value.parse::<bool>().map_or_else(|_| Value::from(value.as_str()), Value::from);
            params.insert(name.clone(), value);
        }
        PlannedAction { service: service.into(), command: command.into(), params, ..PlannedAction::default() }
    }
}

/// A time without the preposition of its slot; prepositions of length, deadline and beginning mean more and stay, and
/// without its preposition a date in figures may be a clock time.
fn bare_time(words: &str) -> &str {
    let said = |rest: &&str| !(rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('.'));
    let bare = ["to ", "on ", "To ", "On "].iter().find_map(|link| words.strip_prefix(link).filter(said));
    let bare = bare.unwrap_or(words);
    let after_for = bare.strip_prefix("for ").filter(|rest| {
        !rest.starts_with(|c: char| c.is_ascii_digit())
            && !matches!(rest.split(' ').next(), Some("a" | "an" | "half" | "one" | "two" | "three"))
    });
    after_for.unwrap_or(bare)
}

/// Without the white space, the marks and the smileys that a cut leaves at the ends.
pub fn tidy(text: &str) -> String {
    const MARKS: [char; 8] = [',', ':', ';', '-', '–', '—', '.', '!'];
    const FACES: [&str; 9] = [" :(", " :)", " :-(", " :-)", " ;)", " ;-)", " :/", " :D", " xD"];
    let opens = |c: char| c == ' ' || MARKS.contains(&c);
    let text = text.trim().trim_start_matches(opens);
    let text = text.strip_prefix('"').filter(|rest| !rest.contains('"')).unwrap_or(text).trim_start_matches(opens);
    let text = FACES.iter().find_map(|face| text.strip_suffix(face)).unwrap_or(text);
    unquoted(text.trim_end_matches(|c: char| opens(c) || matches!(c, '?' | '\n')).trim()).to_owned()
}

/// Without the quotation marks around the whole of it.
pub fn unquoted(text: &str) -> &str {
    for (open, close) in [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('\'', '\'')] {
        if let Some(inner) = text.strip_prefix(open).and_then(|t| t.strip_suffix(close)) {
            return inner.trim();
        }
    }
    text
}

fn trim_dangling(piece: &str, at_front: bool, at_back: bool) -> String {
    let mut words: Vec<&str> = piece.split_whitespace().collect();
    while at_back && words.last().is_some_and(|w| GRAMMAR.lexicon.has_word("dangling", &lower(w))) {
        words.pop();
    }
    let front =
        if at_front { words.iter().take_while(|w| matches!(lower(w).as_str(), "and" | "," | "to")).count() } else { 0 };
    words[front.min(words.len())..].join(" ")
}

/// As a title is written.
pub fn title(text: &str) -> String {
    capital(text.trim())
}

/// Text without the articles and possessives at its start.
pub fn without_determiner(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((_, tail)) =
        rest.split_once(' ').filter(|(first, _)| GRAMMAR.lexicon.has_word("determiner", &lower(first)))
    {
        rest = tail.trim_start();
    }
    rest
}

/// Names divided by commas and conjunctions, as said.
pub fn people(text: &str) -> Vec<Value> {
    let spaced = text.replace(" & ", " and ").replace(" und ", " and ");
    spaced
        .split(',')
        .flat_map(|part| part.split(" and "))
        .map(|name| name.trim().trim_start_matches("and ").trim().to_owned())
        .filter(|name| !name.is_empty())
        .map(Value::from)
        .collect()
}

/// Things divided by commas and conjunctions.
pub fn things(text: &str) -> Vec<Value> {
    let things = entries(&text.replace(" n ", " and "));
    things.iter().map(|thing| Value::from(behind(thing, &["some ", "a ", "an "]))).collect()
}

/// What stands behind the first of these that the text begins with; without one, all of it.
pub fn behind<'t>(text: &'t str, leads: &[&str]) -> &'t str {
    leads.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text)
}
