//! How long ahead of a time a person wants to hear of it: "remind me a day and an hour before".

use std::ops::Range;

use super::super::TimeRole;
use super::super::words::{LEXICONS, Link, TokenLine};
use super::phrase::{Date, Phrase, SpanPhrase};
use super::span::{span, unit};
use super::{Mention, ends_clause, first_request};

const LENGTHS_MAX: usize = 4;

/// Lengths before something, and the request in front of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetMention {
    /// ISO 8601 durations, as they were said: `P1D`, `PT1H30M`.
    pub lengths: Vec<String>,
    /// Bytes of "remind me".
    pub request: Range<usize>,
    /// Bytes of "a day and an hour before".
    pub span: Range<usize>,
}

/// The first request of a text to be told some time ahead.
pub fn offset_in(text: &str) -> Option<OffsetMention> {
    LEXICONS.iter().find_map(|lexicon| {
        let line = TokenLine::new(text, lexicon);
        (0..line.tokens.len()).find_map(|i| ahead(&line, i))
    })
}

fn ahead(line: &TokenLine, i: usize) -> Option<OffsetMention> {
    let from = line.link(i, Link::Request)?;
    let start = line.skip(from, &[Link::Filler, Link::At, Link::Pronoun]);
    let (mut at, mut lengths) = (start, Vec::new());
    loop {
        let (length, next) = span(line, at).or_else(|| the_one(line, at))?;
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
    Some(OffsetMention { lengths, request: bytes(i, from), span: bytes(start, said) })
}

/// "The day (before)".
fn the_one(line: &TokenLine, i: usize) -> Option<(SpanPhrase, usize)> {
    let (unit, next) = unit(line, line.link(i, Link::The)?)?;
    before(line, next).map(|_| (SpanPhrase::of(unit, 100), next))
}

fn before(line: &TokenLine, i: usize) -> Option<usize> {
    line.link(i, Link::Beforehand).or_else(|| line.link(i, Link::Before))
}

fn iso(length: SpanPhrase) -> Option<String> {
    let SpanPhrase { months, days, workdays, seconds } = length;
    if months != 0 || workdays != 0 || days < 0 || seconds < 0 || seconds % 60 != 0 || days + seconds == 0 {
        return None;
    }
    let part = |n: i64, unit: &str| if n > 0 { format!("{n}{unit}") } else { String::new() };
    let time = format!("{}{}", part(seconds / 3600, "H"), part(seconds / 60 % 60, "M"));
    let time = if time.is_empty() { time } else { format!("T{time}") };
    Some(format!("P{}{time}", part(days, "D")))
}

/// "My flight is at 6:40 tomorrow, wake me 3 hours before", "remind me 15 min before the call, it is at 3", "taxes by
/// the 15th, remind me the day before": counted from the time that was told.
pub fn count_back(line: &TokenLine, heard: &mut Vec<Mention>) {
    let Some(request) = first_request(line) else {
        return;
    };
    let place = |i: usize| line.tokens.get(i).map_or(line.text.len(), |t| t.span.start);
    for i in request..line.tokens.len() {
        let Some((length, next)) = span(line, i).or_else(|| the_one(line, i)) else {
            continue;
        };
        // "15 min before the call" goes on.
        let goes_on = |at: usize| [Link::The, Link::Own].iter().any(|link| line.link(at, *link).is_some());
        let closing = line.link(next, Link::Beforehand).filter(|next| ends_clause(line, *next) && !goes_on(*next));
        let Some(end) = closing.or_else(|| line.link(next, Link::Before)) else {
            continue;
        };
        let own = |h: &Mention| h.span.start <= place(i) && place(i) < h.span.end;
        if heard.iter().any(|h| own(h) && h.phrase.only_length().is_none()) {
            return;
        }
        let timed = |p: &Phrase| p.clock.is_some() || p.date.as_ref().is_some_and(Date::is_one_day);
        let told = match closing {
            Some(_) => heard.iter().rev().find(|h| h.span.end <= place(i) && timed(&h.phrase)),
            None => heard.iter().find(|h| h.span.start >= place(end) && timed(&h.phrase)),
        };
        let Some(told) = told.map(|h| h.phrase.clone()) else {
            return;
        };
        let whole = place(i)..line.tokens[end - 1].span.end;
        // "The day before 12: …": its last word is of another time.
        if heard.iter().any(|h| !own(h) && h.span.start < whole.end && whole.start < h.span.end) {
            return;
        }
        heard.retain(|h| !own(h));
        let phrase = Phrase { shift: Some(length.back()), to: None, length: None, role: TimeRole::Plain, ..told };
        let at = heard.iter().position(|h| h.span.start > place(i)).unwrap_or(heard.len());
        heard.insert(at, Mention { span: whole, phrase, excluded: false });
        return;
    }
}
