//! "Push it back by half an hour", "an hour earlier": a time that is told by how far it is from the old one.

use std::ops::Range;

use super::super::TimeRole;
use super::super::words::{LEXICONS, Link, TokenLine};
use super::leading_words::LeadingWords;
use super::phrase::{Phrase, SpanPhrase};
use super::span::span;
use super::{Mention, bytes, ends_clause, moves};

/// How far something is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedBy {
    /// The length, to the past if it is earlier.
    pub span: SpanPhrase,
    /// Bytes of "half an hour".
    pub words: Range<usize>,
    pub direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Later,
    Earlier,
    /// "Move it forward an hour" is either, to one half of the people each.
    Unclear,
}

/// The first such length of a text.
pub fn moved_by(text: &str) -> Option<MovedBy> {
    LEXICONS.iter().find_map(|lexicon| {
        let line = TokenLine::new(text, lexicon);
        (0..line.tokens.len()).find_map(|i| by_length(&line, i))
    })
}

fn by_length(line: &TokenLine, i: usize) -> Option<MovedBy> {
    let (length, next) = span(line, i)?;
    let directs = |at: usize| [Link::Later, Link::Sooner, Link::Forward].iter().find_map(|link| line.link(at, *link));
    let led = (i.saturating_sub(2)..i).any(|at| line.link(at, Link::MoveBy) == Some(i) || directs(at) == Some(i));
    // "Delay it two days", but not "delay the call for two days off".
    let bare = || LeadingWords::read(line, i.saturating_sub(1), true).link.is_none() && ends_clause(line, next);
    let delayed = || (0..i).any(|at| line.link(at, Link::Delays).is_some()) && bare();
    if !led && directs(next).is_none() && !delayed() {
        return None;
    }
    let says = |link| (0..line.tokens.len()).any(|at| line.link(at, link).is_some());
    let direction = match says(Link::Forward) {
        _ if says(Link::Sooner) => Direction::Earlier,
        true if says(Link::Pull) => Direction::Earlier,
        true => Direction::Unclear,
        false => Direction::Later,
    };
    let span = if direction == Direction::Earlier { length.back() } else { length };
    Some(MovedBy { span, words: bytes(line, i, next), direction })
}

/// "Push my 2pm back by half an hour": takes the length out, so that what stands around it comes together.
pub fn take_out(line: &TokenLine, heard: &mut Vec<Mention>) -> Option<(MovedBy, Mention)> {
    let again = (0..line.tokens.len()).any(|i| line.link(i, Link::Corrects).is_some());
    if !again && !moves(line) {
        return None;
    }
    let by = (0..line.tokens.len()).find_map(|i| by_length(line, i))?;
    let at = heard.iter().position(|h| h.span.start <= by.words.start && by.words.end <= h.span.end)?;
    let phrase = &heard[at].phrase;
    let alone = Phrase { offset: None, ..phrase.clone() }.is_empty() || phrase.only_length().is_some();
    alone.then(|| (by, heard.remove(at)))
}

/// Puts it back as the time that results, or as a length and no time where the old time is not told.
pub fn put_back(taken: Option<(MovedBy, Mention)>, heard: &mut Vec<Mention>) {
    let Some((by, own)) = taken else { return };
    let timed = |h: &&Mention| h.phrase.clock.is_some() && h.phrase.shift.is_none();
    let old = heard.iter().find(timed).filter(|_| by.direction != Direction::Unclear);
    let length = if by.direction == Direction::Earlier { by.span.back() } else { by.span };
    let phrase = match old {
        Some(old) => Phrase { role: TimeRole::To, shift: Some(by.span), to: None, length: None, ..old.phrase.clone() },
        None => Phrase { length: Some(length), ..Phrase::default() },
    };
    let at = heard.iter().position(|h| h.span.start > own.span.start).unwrap_or(heard.len());
    heard.insert(at, Mention { phrase, ..own });
}
