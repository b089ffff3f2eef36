//! Tokenizer: a text cut into words, numbers and marks.

use std::ops::Range;

use crate::language::tokens::{Cut, WordRules, cut, is_apostrophe, is_invisible, is_sign};

/// More than any message of 4,096 characters needs; what lies beyond is not examined.
pub const TOKENS_MAX: usize = 2_000;
/// Words and marks that are read as one line: a long message. Every word of a line is held against every other, so a
/// letter of ten times as many is ten lines.
pub const LINE_TOKENS_MAX: usize = 400;

#[derive(Debug, Clone, PartialEq)]
pub enum TokenKind {
    Word,
    /// `None`: more digits than any time has.
    Number {
        value: Option<u32>,
        digits: usize,
    },
    Mark(char),
}

#[derive(Debug, Clone)]
pub struct TimeToken {
    pub span: Range<usize>,
    pub kind: TokenKind,
    /// Lower case, umlauts as ae/oe/ue, without apostrophes and possessive 's; digits as written.
    pub key: String,
    /// Is there a space (or the beginning) before it?
    pub spaced: bool,
    pub possessive: bool,
}

/// What belongs to a word: letters and digits, apostrophes inside, and the dots of "a.m.".
const RULES: WordRules = WordRules {
    is_word: char::is_alphanumeric,
    joins: |_, c, after| is_apostrophe(c) && after.is_alphabetic() || is_sign(c),
    whole: initials_len,
    is_space: |c| c.is_whitespace() || is_invisible(c),
};

/// The parts of a text that are lines of their own: all of it, where it is no longer than a line; else up to the ends
/// of sentences, or to commas where a sentence is longer.
pub fn pieces(text: &str) -> Vec<Range<usize>> {
    if text.len() <= LINE_TOKENS_MAX {
        return std::iter::once(0..text.len()).collect();
    }
    let cuts = cut(text, TOKENS_MAX, &RULES);
    let ends = |cut: &Cut, marks: &[&str]| !cut.is_word && marks.contains(&&text[cut.span.clone()]);
    let mut pieces = Vec::new();
    let (mut first, mut start) = (0, 0);
    while cuts.len() - first > LINE_TOKENS_MAX {
        let line = &cuts[first..first + LINE_TOKENS_MAX];
        // A dot inside a word or figure ends nothing.
        let spaced = |at: &usize| cuts.get(first + at + 1).is_none_or(|next| next.spaced);
        let last = |marks: &[&str]| (0..line.len()).rev().find(|at| ends(&line[*at], marks) && spaced(at));
        let len = last(&[".", "!", "?", ";", "…"]).or_else(|| last(&[","])).map_or(line.len(), |at| at + 1);
        let end = line[len - 1].span.end;
        pieces.push(start..end);
        (first, start) = (first + len, end);
    }
    pieces.push(start..text.len());
    pieces
}

/// `known` says whether a mixture of digits and letters ("2moro") is a word of its own.
pub fn tokens(text: &str, known: impl Fn(&str) -> bool) -> Vec<TimeToken> {
    let mut tokens = Vec::new();
    for Cut { span, is_word, spaced } in cut(text, TOKENS_MAX, &RULES) {
        match text[span.clone()].chars().next() {
            Some(c) if !is_word => tokens.push(mark(c, span, spaced)),
            Some(_) | None => push_run(&mut tokens, text, span, spaced, &known),
        }
    }
    tokens.truncate(TOKENS_MAX);
    tokens
}

fn mark(c: char, span: Range<usize>, spaced: bool) -> TimeToken {
    // Phones write several dashes; the grammar knows one of each kind.
    let c = match c {
        '‐' | '‑' | '−' => '-',
        c => c,
    };
    TimeToken { span, kind: TokenKind::Mark(c), key: c.to_string(), spaced, possessive: false }
}

/// Bytes of "a.m." or "p. m.", digits before it included, when a text begins with it.
fn initials_len(text: &str) -> usize {
    let letters = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(rest) = letters.strip_prefix(['a', 'p', 'A', 'P']) else { return 0 };
    let tails = [".m.", ".M.", ".m", ".M", ". m.", ". M."];
    let ends = |tail: &&&str| rest.strip_prefix(**tail).is_some_and(|after| !after.starts_with(char::is_alphanumeric));
    tails.iter().find(ends).map_or(0, |tail| text.len() - rest.len() + tail.len())
}

fn push_run(tokens: &mut Vec<TimeToken>, text: &str, run: Range<usize>, spaced: bool, known: &impl Fn(&str) -> bool) {
    let whole = word(text, run.clone(), spaced);
    let has_digit = whole.key.bytes().any(|b| b.is_ascii_digit());
    if !has_digit || known(&whole.key) {
        tokens.push(whole);
        return;
    }
    let mut at = run.start;
    let mut spaced = spaced;
    while at < run.end {
        let rest = &text[at..run.end];
        let digit = rest.starts_with(|c: char| c.is_ascii_digit());
        let len = rest.find(|c: char| c.is_ascii_digit() != digit).unwrap_or(rest.len());
        let span = at..at + len;
        tokens.push(if digit { number(text, span, spaced) } else { word(text, span, spaced) });
        spaced = false;
        at += len;
    }
}

fn number(text: &str, span: Range<usize>, spaced: bool) -> TimeToken {
    let key = text[span.clone()].to_owned();
    let value = if key.len() <= 9 { key.parse().ok() } else { None };
    let kind = TokenKind::Number { value, digits: key.len() };
    TimeToken { span, kind, key, spaced, possessive: false }
}

fn word(text: &str, span: Range<usize>, spaced: bool) -> TimeToken {
    let raw = &text[span.clone()];
    let mut key = String::with_capacity(raw.len());
    let mut apostrophe_at = None;
    for c in raw.chars().flat_map(char::to_lowercase) {
        match c {
            'ä' => key.push_str("ae"),
            'ö' => key.push_str("oe"),
            'ü' => key.push_str("ue"),
            'ß' => key.push_str("ss"),
            '.' | ' ' => {}
            c if is_apostrophe(c) => apostrophe_at = Some(key.len()),
            c => key.push(c),
        }
    }
    let possessive = apostrophe_at.is_some_and(|at| &key[at..] == "s");
    if possessive {
        key.pop();
    }
    TimeToken { span, kind: TokenKind::Word, key, spaced, possessive }
}
