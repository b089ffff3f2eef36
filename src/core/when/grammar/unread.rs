//! What was said about time and not understood: the rest must not be taken for all of it.
//!
//! Three kinds, all by the tables: words that can only be about time ("Friday" that fitted nowhere),
//! phrases that point at a time known to people only ("same time", "the day of the concert"), and a
//! day with a name of its own beside a clock time ("pancake day at 4", "freeday at 5"). A phrase
//! next to one of these is widened to it, so that whoever copies the words copies the doubt.

use std::ops::Range;

use super::super::words::{Kind, Line, Link, Sense};
use super::phrase::Doubt;
use super::{Heard, bytes};

/// Words of a name: "on mother in law's day", "the day of my sister's wedding".
const NAME_WORDS_MAX: usize = 3;

/// Marks every phrase of a line in which part of the time was not understood.
pub fn doubt(line: &Line, heard: &mut [Heard]) {
    let rests: Vec<Range<usize>> = (0..line.tokens.len())
        .filter_map(|i| {
            names_time(line, i).or_else(|| points_elsewhere(line, i, heard)).or_else(|| own_name(line, i, heard))
        })
        .map(|(from, to)| bytes(line, from, to))
        .filter(|rest| !heard.iter().any(|h| h.span.start <= rest.start && rest.end <= h.span.end))
        .collect();
    let Some(first) = rests.first().and_then(|rest| line.text.get(rest.clone())) else {
        return;
    };
    for h in heard.iter_mut() {
        h.phrase.doubt = Some(Doubt::Unread(first.to_owned()));
        for rest in &rests {
            if touches(line.text, &h.span, rest) {
                h.span = h.span.start.min(rest.start)..h.span.end.max(rest.end);
            }
        }
    }
    // Two phrases with what was not read between them are one.
    for i in 1..heard.len() {
        let end = heard[i - 1].span.end;
        if heard[i].span.start < end {
            heard[i].span.start = end.min(heard[i].span.end);
        }
    }
}

fn touches(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    let (left, right) = if one.start <= other.start { (one, other) } else { (other, one) };
    right.start <= left.end
        || text.get(left.end..right.start).is_some_and(|between| between.chars().all(|c| c.is_whitespace() || c == ','))
}

/// Can this token only be about time: "Friday", "tomorrow", the minutes of "5:30"?
pub fn names_time(line: &Line, i: usize) -> Option<(usize, usize)> {
    let says = |sense: Sense| {
        matches!(
            sense,
            Sense::Weekday(_)
                | Sense::Weekdays(_)
                | Sense::WeekdayPart(..)
                | Sense::Day(_)
                | Sense::DayPart(..)
                | Sense::Month(_)
                | Sense::Clock(..)
        )
    };
    let half_day = line.link(i, Link::Am).or(line.link(i, Link::Pm)).is_some();
    let after_digits = i > 0 && line.digits(i - 1).is_some();
    let named = line.pick(i, |a| (says(a.sense) && !a.weak).then_some(())).map(|(_, next)| (i, next));
    named.or_else(|| (half_day && after_digits).then_some((i, i + 1)))
}

/// "Same time", "on the hour", "the day of (the concert)": up to a phrase soon after it.
fn points_elsewhere(line: &Line, i: usize, heard: &[Heard]) -> Option<(usize, usize)> {
    let next = line.link(i, Link::Unread)?;
    let starts = |at: &usize| line.tokens.get(*at).is_some_and(|t| heard.iter().any(|h| h.span.start == t.span.start));
    Some((i, (next..=next + NAME_WORDS_MAX).find(starts).unwrap_or(next)))
}

/// A day with a name of its own, beside a clock time that has no day: from its preposition to its end.
fn own_name(line: &Line, i: usize, heard: &[Heard]) -> Option<(usize, usize)> {
    let (sure, next) = line.pick(i, |a| (a.sense == Sense::Link(Link::DayName)).then_some(!a.weak))?;
    let here = bytes(line, i, next);
    let clocks = || heard.iter().filter(|h| h.phrase.is_clock_alone());
    if let Some(from) = preposition(line, i) {
        // "On the birthday of grandma".
        let next = line
            .link(next, Link::Of)
            .map_or(next, |of| (line.link(of, Link::The).unwrap_or(of) + 1).min(line.tokens.len()));
        let whole = bytes(line, from, next);
        return clocks().any(|h| touches(line.text, &h.span, &whole)).then_some((from, next));
    }
    let from = if compound(line, i) { i } else { name_before(line, i)? };
    let leads = clocks().any(|h| here.end <= h.span.start && touches(line.text, &here, &h.span));
    (sure && leads).then_some((from, next))
}

/// The "on" before a name of at most [`NAME_WORDS_MAX`] words.
fn preposition(line: &Line, i: usize) -> Option<usize> {
    for from in (i.saturating_sub(NAME_WORDS_MAX + 1)..i).rev() {
        if line.link(from, Link::On).is_some() && line.link(from, Link::The).is_none() {
            return Some(from);
        }
        if line.tokens.get(from).is_none_or(|t| t.kind != Kind::Word) {
            return None;
        }
    }
    None
}

/// The name in one word: "freeday", "Ruhetag".
fn compound(line: &Line, i: usize) -> bool {
    line.pick(i, |a| matches!(a.sense, Sense::Unit(_)).then_some(())).is_none()
}

/// "Pancake day", but not "my day", "5 day".
fn name_before(line: &Line, i: usize) -> Option<usize> {
    let before = i.checked_sub(1)?;
    let is_name = line.tokens.get(before)?.kind == Kind::Word && line.atoms(before).is_empty();
    is_name.then_some(before)
}
