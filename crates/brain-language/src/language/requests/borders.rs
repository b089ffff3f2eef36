//! Where one part of a message may end and the next begin: at a stop, beside a connector, behind a time, and before the
//! subject of another statement. Whether anything is divided there, is for `chart` to weigh.

use std::ops::Range;

use super::annotated::AnnotatedText;
use super::grammar::GRAMMAR;
use super::text::TokenMark;
use crate::language::tokens::lower;

/// Borders looked at in one message; every two of them may hold a request between them.
const BORDERS_MAX: usize = 20;
/// Words of the longest phrase that opens a condition.
const CONDITION_WORDS_MAX: usize = 5;
const CONNECTORS: [&str; 16] =
    [",", "and", "then", "also", "plus", "+", "&", "und", "dann", "so", "-", "–", "—", ":", "n", "but"];

/// Where one part ends and the next begins; what stands between belongs to neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Border {
    pub end: usize,
    pub start: usize,
    /// Number of the sentence that begins or goes on here.
    pub sentence: usize,
    pub kind: BorderKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BorderKind {
    /// Where a message or a sentence begins or ends.
    Stop,
    /// A comma, or a conjunction or adverb that joins.
    Joint,
    /// What announces, or sets against: a colon, a dash, a conjunction.
    Turn,
    /// No mark and no word.
    Bare,
}

/// The borders of some tokens, first and last included.
pub(super) fn borders(heard: &AnnotatedText, range: &Range<usize>) -> Vec<Border> {
    let mut borders = vec![Border { end: range.start, start: range.start, sentence: 0, kind: BorderKind::Stop }];
    for (sentence, range) in sentences(heard, range).into_iter().enumerate() {
        if let Some(first) = borders.last_mut() {
            (first.start, first.sentence) = (range.start, sentence);
        }
        let inner = inside(heard, &range);
        borders.extend(inner.into_iter().map(|(end, start, kind)| Border { end, start, sentence, kind }));
        borders.push(Border { end: range.end, start: range.end, sentence, kind: BorderKind::Stop });
    }
    // Of too many the last are one part; what is in it has its price.
    let last = borders.last().copied();
    borders.truncate(BORDERS_MAX);
    if let (Some(kept), Some(last)) = (borders.last_mut(), last) {
        *kept = last;
    }
    borders
}

/// Places inside a sentence: where the left part ends, where the right one begins, and what stands there.
fn inside(heard: &AnnotatedText, range: &Range<usize>) -> Vec<(usize, usize, BorderKind)> {
    let mut out: Vec<(usize, usize, BorderKind)> = Vec::new();
    for at in range.start + 1..range.end {
        if heard.quoted[at] || heard.hidden_by(at).is_some() {
            continue;
        }
        let word = lower(heard.typed(at));
        let connects = CONNECTORS.contains(&word.as_str());
        let turns = matches!(word.as_str(), ":" | "-" | "–" | "—" | "so" | "but");
        let part = out.last().map_or(range.start, |(_, after, _)| *after);
        if connects {
            match out.last_mut() {
                Some((_, after, _)) if *after == at => *after = at + 1,
                _ => out.push((at, at + 1, if turns { BorderKind::Turn } else { BorderKind::Joint })),
            }
        } else if part < at && begins_bare(heard, part, at..range.end) {
            out.push((at, at, BorderKind::Bare));
        }
    }
    out.retain(|(_, after, _)| *after < range.end);
    out
}

/// Whether a clause begins here without any mark: an alternative that threatens, or a statement with its subject.
fn begins_bare(heard: &AnnotatedText, part: usize, rest: Range<usize>) -> bool {
    let (at, end) = (rest.start, rest.end);
    let begins = |from: usize, class: &str| from < end && GRAMMAR.lexicon.starts(class, heard.ids(from..end)).is_some();
    // A conjunction of several words opens one condition, and is not cut.
    let ids = &heard.words[..end];
    let mut before = part.max(at.saturating_sub(CONDITION_WORDS_MAX))..at;
    let spans = |from: usize| GRAMMAR.lexicon.starts("dearcondition", &ids[from..]).is_some_and(|len| from + len > at);
    if before.any(spans) {
        return false;
    }
    let why = GRAMMAR.lexicon.is_phrase("why", &[heard.tokens[at].id]);
    let joined = why && (begins(at + 1, "subject") || begins(at + 2, "told") || begins(at + 3, "told"));
    // A time of the past behind a comma begins a clause of its own.
    let behind_a_number =
        heard.typed(at - 1).bytes().all(|byte| byte.is_ascii_digit()) && !heard.typed(at - 1).is_empty();
    let behind_a_time = behind_a_number || heard.hidden_by(at - 1).is_some() && !heard.live(part..at).is_empty();
    joined || behind_a_time && ["subject", "sigh", "remindme"].iter().any(|class| begins(at, class))
}

/// Token ranges between stops; quoted text is not divided.
pub(super) fn sentences(heard: &AnnotatedText, all: &Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = all.start;
    let mut quoted = false;
    for at in all.clone() {
        let token = &heard.tokens[at];
        let text = &heard.text[token.span.clone()];
        quoted = match text {
            "\"" => !quoted,
            "“" | "„" | "«" => true,
            "”" | "»" => false,
            _ => quoted,
        };
        let divides = token.mark == TokenMark::Stop && !is_inner_stop(heard, at) && !details_follow(heard, at);
        let numbers = counts_up(heard, at..all.end);
        if (divides || numbers) && !quoted && heard.hidden_by(at).is_none() {
            out.push(start..at);
            start = at + if numbers { 2 } else { 1 };
        }
    }
    out.push(start..all.end);
    out.iter_mut().for_each(|range| range.start = behind_a_bullet(heard, range.clone()));
    out.retain(|range| !heard.live(range.clone()).is_empty() || !heard.times_in(range).is_empty());
    out
}

/// Where a point begins, behind what marks it: a bullet, or a number in words with a colon.
fn behind_a_bullet(heard: &AnnotatedText, range: Range<usize>) -> usize {
    const MARKS: [&str; 6] = ["+", "-", "–", "—", "*", "•"];
    let counts = |at: usize| GRAMMAR.lexicon.is_phrase("counting", &[heard.tokens[at].id]);
    let start = range.start;
    if range.len() > 2 && counts(start) && heard.typed(start + 1) == ":" {
        return start + 2;
    }
    range.clone().find(|at| !MARKS.contains(&heard.typed(*at))).unwrap_or(range.end)
}

/// The number of a point, and its mark; the numbers count up.
fn counts_up(heard: &AnnotatedText, rest: Range<usize>) -> bool {
    let number = heard.typed(rest.start);
    let is_number = number.len() <= 2 && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && rest.len() > 2 && heard.typed(rest.start + 1) == ")"
}

/// Whether the details of somebody follow behind the mark of a question that asks to keep them.
fn details_follow(heard: &AnnotatedText, at: usize) -> bool {
    const DIGITS_MIN: usize = 7;
    let (mark, behind) = heard.text[heard.tokens[at].span.start..].split_at(heard.tokens[at].span.len());
    let first = behind.split_whitespace().next().unwrap_or_default();
    let is_number = first.chars().filter(char::is_ascii_digit).count() >= DIGITS_MIN;
    mark == "?" && (is_number || first.find('@').is_some_and(|i| i > 0))
}

/// The stop of an abbreviation: glued to a letter on the right, or known by its word.
fn is_inner_stop(heard: &AnnotatedText, at: usize) -> bool {
    let token = &heard.tokens[at];
    if &heard.text[token.span.clone()] != "." {
        return false;
    }
    let glued = heard.text[token.span.end..].chars().next().is_some_and(char::is_alphanumeric);
    let before = at.checked_sub(1).map(|i| lower(heard.typed(i)));
    glued
        || before.is_some_and(|word| {
            matches!(word.as_str(), "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "approx" | "nr" | "bzw")
        })
}
