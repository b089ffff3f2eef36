//! A text cut into words, numbers and marks.

use std::ops::Range;

/// More than any message of 4,096 characters needs; what lies beyond is not examined.
pub const TOKENS_MAX: usize = 2_000;

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
pub struct Token {
    pub span: Range<usize>,
    pub kind: TokenKind,
    /// Lower case, umlauts as ae/oe/ue, without apostrophes and possessive 's; digits as written.
    pub key: String,
    /// Is there a space (or the beginning) before it?
    pub spaced: bool,
    pub possessive: bool,
}

/// `known` says whether a mixture of digits and letters ("2moro") is a word of its own.
pub fn tokens(text: &str, known: impl Fn(&str) -> bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut spaced = true;
    while let Some(c) = text[at..].chars().next() {
        if tokens.len() >= TOKENS_MAX {
            break;
        }
        if !is_word(c) {
            let end = at + c.len_utf8();
            if c.is_whitespace() || is_invisible(c) {
                spaced = true;
            } else {
                tokens.push(mark(c, at..end, spaced));
                spaced = false;
            }
            at = end;
            continue;
        }
        let end = run_end(text, at);
        push_run(&mut tokens, text, at..end, spaced, &known);
        spaced = false;
        at = end;
    }
    tokens
}

fn mark(c: char, span: Range<usize>, spaced: bool) -> Token {
    // Phones write several dashes; the grammar knows one of each kind.
    let c = match c {
        '‐' | '‑' | '−' => '-',
        c => c,
    };
    Token { span, kind: TokenKind::Mark(c), key: c.to_string(), spaced, possessive: false }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`' | '´')
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// The end of a run of letters and digits; apostrophes inside belong to it, and so do the dots of
/// initials ("a.m.").
fn run_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut chars = text[start..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let inner = is_apostrophe(c) && offset > 0 && next.is_some_and(char::is_alphabetic);
        if !is_word(c) && !inner {
            break;
        }
        end = start + offset + c.len_utf8();
    }
    initials_end(text, start, end)
}

/// For a single letter (possibly after digits) followed by ".x": the end of "a.m." or "p. m.".
fn initials_end(text: &str, start: usize, end: usize) -> usize {
    let letters = text[start..end].trim_start_matches(|c: char| c.is_ascii_digit());
    if !matches!(letters, "a" | "p" | "A" | "P") {
        return end;
    }
    let rest = &text[end..];
    for tail in [".m.", ".M.", ".m", ".M", ". m.", ". M."] {
        let after = rest.get(tail.len()..).and_then(|r| r.chars().next());
        if rest.starts_with(tail) && !after.is_some_and(is_word) {
            return end + tail.len();
        }
    }
    end
}

fn push_run(tokens: &mut Vec<Token>, text: &str, run: Range<usize>, spaced: bool, known: &impl Fn(&str) -> bool) {
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

fn number(text: &str, span: Range<usize>, spaced: bool) -> Token {
    let key = text[span.clone()].to_owned();
    let value = if key.len() <= 9 { key.parse().ok() } else { None };
    let kind = TokenKind::Number { value, digits: key.len() };
    Token { span, kind, key, spaced, possessive: false }
}

fn word(text: &str, span: Range<usize>, spaced: bool) -> Token {
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
    Token { span, kind: TokenKind::Word, key, spaced, possessive }
}
