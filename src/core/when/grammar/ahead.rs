//! How long ahead of a time a person wants to hear of it: "remind me a day and an hour before".

use std::ops::Range;

use super::super::Role;
use super::super::words::{Line, Link, lexicons};
use super::phrase::{Date, Phrase, Span};
use super::span::span;
use super::{Heard, ends_clause};

const LENGTHS_MAX: usize = 4;

/// Lengths before something, and the request in front of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ahead {
    /// ISO 8601 durations, as they were said: `P1D`, `PT1H30M`.
    pub lengths: Vec<String>,
    /// Bytes of "remind me".
    pub request: Range<usize>,
    /// Bytes of "a day and an hour before".
    pub span: Range<usize>,
}

/// The first request of a text to be told some time ahead.
pub fn ahead_in(text: &str) -> Option<Ahead> {
    lexicons().iter().find_map(|lexicon| {
        let line = Line::new(text, lexicon);
        (0..line.tokens.len()).find_map(|i| ahead(&line, i))
    })
}

fn ahead(line: &Line, i: usize) -> Option<Ahead> {
    let from = line.link(i, Link::Request)?;
    let start = line.skip(from, &[Link::Filler, Link::At, Link::Pronoun]);
    let (mut at, mut lengths) = (start, Vec::new());
    loop {
        let (length, next) = span(line, at)?;
        lengths.push(iso(length)?);
        let next = before(line, next).unwrap_or(next);
        match line.link(next, Link::And) {
            Some(after) if lengths.len() < LENGTHS_MAX && span(line, after).is_some() => at = after,
            Some(_) | None => {
                at = next;
                break;
            }
        }
    }
    // The last of them has the word: "a day and an hour before".
    let said = (start..at).rev().find_map(|b| before(line, b)).filter(|end| *end == at)?;
    let bytes = |from: usize, to: usize| line.tokens[from].span.start..line.tokens[to - 1].span.end;
    Some(Ahead { lengths, request: bytes(i, from), span: bytes(start, said) })
}

fn before(line: &Line, i: usize) -> Option<usize> {
    line.link(i, Link::Beforehand).or_else(|| line.link(i, Link::Before))
}

fn iso(length: Span) -> Option<String> {
    let Span { months, days, workdays, seconds } = length;
    if months != 0 || workdays != 0 || days < 0 || seconds < 0 || seconds % 60 != 0 || days + seconds == 0 {
        return None;
    }
    let part = |n: i64, unit: &str| if n > 0 { format!("{n}{unit}") } else { String::new() };
    let time = format!("{}{}", part(seconds / 3600, "H"), part(seconds / 60 % 60, "M"));
    let time = if time.is_empty() { time } else { format!("T{time}") };
    Some(format!("P{}{time}", part(days, "D")))
}

/// "My flight is at 6:40 tomorrow, wake me 3 hours before", "remind me 15 min before the call, it is at 3": counted from
/// the time that was told.
pub fn count_back(line: &Line, heard: &mut [Heard]) {
    let requests = (0..line.tokens.len()).filter(|i| line.link(*i, Link::Request).is_some());
    let Some(request) = requests.map(|i| line.tokens[i].span.start).next() else {
        return;
    };
    for i in 0..heard.len() {
        let Some(length) = heard[i].phrase.only_length().filter(|_| request < heard[i].span.start) else {
            continue;
        };
        let Some(after) = line.tokens.iter().position(|t| t.span.start >= heard[i].span.end) else {
            continue;
        };
        let closing = line.link(after, Link::Beforehand).filter(|next| ends_clause(line, *next));
        let (next, told) = match (closing, line.link(after, Link::Before)) {
            (Some(next), _) if i > 0 => (next, heard.get(i - 1)),
            (None, Some(next)) => (next, heard.get(i + 1)),
            _ => continue,
        };
        let timed = |p: &Phrase| p.clock.is_some() || p.date.as_ref().is_some_and(Date::is_one_day);
        let Some(told) = told.map(|h| h.phrase.clone()).filter(timed) else {
            continue;
        };
        let end = line.tokens[next - 1].span.end;
        heard[i].phrase = Phrase { shift: Some(length.back()), to: None, length: None, role: Role::Plain, ..told };
        heard[i].span.end = end;
    }
}
