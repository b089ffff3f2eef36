//! Tokens that still know where in the message they came from.
//!
//! Invariants: spans are byte ranges of the text on character borders, in order; at most [`TOKENS_MAX`]
//! tokens, whatever comes in; a word that is spelled in a known wrong way is read as the right one, but its
//! span keeps what the person typed. Not here: what a word means (see `lexicon`).

use std::ops::Range;

use super::lexicon::{RequestLexicon, WordId};
use crate::language::tokens::{WordRules, cut, is_apostrophe, is_sign, lower};

/// Bytes of a message that are looked at; an everyday request is a few dozen words.
pub const HEARD_BYTES_MAX: usize = 4_000;
/// Tokens of a message that are looked at.
pub const TOKENS_MAX: usize = 400;

/// One word, number, address or mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Where it stands in the text. The second half of a contraction is empty.
    pub span: Range<usize>,
    /// The word as read; `WordId::UNKNOWN` for names and everything else that no frame mentions.
    pub id: WordId,
    pub mark: TokenMark,
}

/// What a token is to the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenMark {
    Word,
    /// Comma, quote, dash, emoji: seen only by those who look for it.
    Soft,
    /// `.`, `!`, `?`, `;` or a line end: a sentence may end here.
    Stop,
}

/// The person's own words: quoted lines and the sounds of somebody who thinks are left out, single quotation marks are
/// double ones, and there are no more than [`HEARD_BYTES_MAX`] bytes.
pub fn own_words(text: &str) -> String {
    let text = without_sounds(&without_quoted_lines(text));
    double_quoted(&text)
}

/// Hesitation sounds; one of them is a preposition of time in a message that is not English.
const SOUNDS: [&str; 9] = ["uh", "uhh", "umm", "uhm", "erm", "hmm", "hmmm", "mmm", "um"];
const ENGLISH: [&str; 16] =
    ["the", "my", "i", "to", "and", "you", "me", "it", "that", "with", "for", "of", "remind", "put", "is", "add"];

/// Sounds between other words, outside quotation marks.
fn without_sounds(text: &str) -> String {
    let plain = |word: &str| lower(word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_sound = |word: &str| SOUNDS.contains(&plain(word).as_str()) && !word.contains(['"', '“', '„', '«']);
    let words = || text.split(' ');
    let english = words().any(|word| ENGLISH.contains(&plain(word).as_str()));
    let any = words().any(is_sound) && words().any(|word| !is_sound(word) && !word.trim().is_empty());
    if !any || !english {
        return text.to_owned();
    }
    let mut quoted = false;
    let kept = words().filter(|word| {
        let inside = quoted;
        quoted ^= word.matches('"').count() % 2 == 1;
        inside || !is_sound(word) || word.contains('\n')
    });
    kept.collect::<Vec<_>>().join(" ")
}

/// Single quotation marks around some words, which are no apostrophes, as double ones.
fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Where nothing closes one mark, nothing closes those behind it.
    let mut may_close = true;
    while let Some(open) = rest.find('\'') {
        let begins = rest[..open].chars().next_back().map_or(out.is_empty(), |before| before.is_whitespace());
        let inner = &rest[open + 1..];
        let ends = |at: &usize| {
            let next = inner[at + 1..].chars().next();
            let before = inner[..*at].chars().next_back();
            next.is_none_or(|c| !c.is_alphanumeric()) && before.is_some_and(|c| !c.is_whitespace())
        };
        let opens = may_close && begins && inner.starts_with(|c: char| c.is_alphanumeric());
        let close = if opens { inner.match_indices('\'').map(|(at, _)| at).find(ends) } else { None };
        may_close &= !opens || close.is_some();
        match close {
            Some(close) => {
                out.push_str(&rest[..open]);
                out.push_str(&format!("\"{}\"", &inner[..close]));
                rest = &inner[close + 1..];
            }
            None => {
                out.push_str(&rest[..=open]);
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out
}

fn without_quoted_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(HEARD_BYTES_MAX));
    for line in text.lines().filter(|line| !line.trim_start().starts_with('>')) {
        if !out.is_empty() {
            out.push('\n');
        }
        let room = HEARD_BYTES_MAX.saturating_sub(out.len());
        if line.len() > room {
            out.push_str(&line[..line.floor_char_boundary(room)]);
            break;
        }
        out.push_str(line);
    }
    out
}

/// What belongs to a word of a request: an address or link whole, else letters and digits with apostrophes inside, and
/// `:`, `.`, `,` or `/` between digits.
pub const RULES: WordRules = WordRules {
    is_word: |c| c.is_alphanumeric() || matches!(c, '+' | '#' | '_' | '@' | '$' | '€' | '%' | '&'),
    joins: |before, c, after| {
        let divides_digits = matches!(c, ':' | '.' | '/' | ',') && before.is_ascii_digit() && after.is_ascii_digit();
        divides_digits || is_apostrophe(c) && after.is_alphanumeric() || is_sign(c)
    },
    whole: address_len,
    is_space: |c| c.is_whitespace() && c != '\n',
};

/// Whether a text is one phrase of a class of words.
pub fn is_phrase(class: &str, text: &str, lexicon: RequestLexicon) -> bool {
    let ids: Vec<_> = tokens(text, lexicon).into_iter().map(|token| token.id).collect();
    lexicon.is_phrase(class, &ids)
}

/// Splits a text into tokens.
pub fn tokens(text: &str, lexicon: RequestLexicon) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(text.len() / 4 + 1);
    for cut in cut(text, TOKENS_MAX, &RULES) {
        if cut.is_word {
            push_word(&mut out, text, cut.span, lexicon);
            continue;
        }
        let mark = &text[cut.span.clone()];
        // The stop of a title before a name is no end.
        let is_shortened = |last: &Token| lexicon.is_phrase("shortened", &[last.id]);
        let shortened = mark == "." && !cut.spaced && out.last().is_some_and(is_shortened);
        let stops = matches!(mark, "." | "!" | "?" | ";" | "\n" | "…") && !shortened;
        let mark = if stops { TokenMark::Stop } else { TokenMark::Soft };
        out.push(Token { span: cut.span, id: WordId::UNKNOWN, mark });
    }
    out.truncate(TOKENS_MAX);
    out
}

fn push_word(out: &mut Vec<Token>, text: &str, span: Range<usize>, lexicon: RequestLexicon) {
    let lower = lower(&text[span.clone()]);
    let end = span.end;
    let mut read_as = lexicon.spelling(&lower).into_iter().flatten().copied();
    let first = read_as.next().unwrap_or_else(|| lexicon.read_word(&lower));
    out.push(Token { span, id: first, mark: TokenMark::Word });
    out.extend(read_as.map(|id| Token { span: end..end, id, mark: TokenMark::Word }));
}

/// Bytes of the address or link that the text begins with.
fn address_len(text: &str) -> usize {
    let chunk_end = text.find(char::is_whitespace).unwrap_or(text.len());
    let chunk = text[..chunk_end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '>', '\'']);
    let is_address = chunk.find('@').is_some_and(|i| i > 0 && chunk[i..].contains('.'));
    if is_address || chunk.starts_with("http://") || chunk.starts_with("https://") { chunk.len() } else { 0 }
}
