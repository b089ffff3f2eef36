//! From a message to tokens that still know where they came from.
//!
//! Invariants: spans are byte ranges of the text on character borders, in order; at most [`TOKENS_MAX`]
//! tokens, whatever comes in; a word that is spelled in a known wrong way is read as the right one, but its
//! span keeps what the person typed. Not here: what a word means (see `lexicon`).

use std::ops::Range;

use super::lexicon::{Lexicon, WordId};

/// Bytes of a message that are looked at; an everyday request is a few dozen words.
pub(crate) const HEARD_BYTES_MAX: usize = 4_000;
/// Tokens of a message that are looked at.
pub(crate) const TOKENS_MAX: usize = 400;

/// One word, number, address or mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    /// Where it stands in the text. The second half of a contraction is empty.
    pub span: Range<usize>,
    /// The word as read; `WordId::UNKNOWN` for names and everything else that no frame mentions.
    pub id: WordId,
    pub mark: Mark,
}

/// What a token is to the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Word,
    /// Comma, quote, dash, emoji: seen only by those who look for it.
    Soft,
    /// `.`, `!`, `?`, `;` or a line end: a sentence may end here.
    Stop,
}

/// The person's own words: quoted lines are left out, and no more than [`HEARD_BYTES_MAX`].
pub(crate) fn own_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(HEARD_BYTES_MAX));
    for line in text.lines().filter(|line| !line.trim_start().starts_with('>')) {
        if !out.is_empty() {
            out.push('\n');
        }
        let room = HEARD_BYTES_MAX.saturating_sub(out.len());
        if line.len() > room {
            out.push_str(&line[..floor_boundary(line, room)]);
            break;
        }
        out.push_str(line);
    }
    out
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Splits a text into tokens.
pub(crate) fn tokens(text: &str, lexicon: Lexicon) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(text.len() / 4 + 1);
    let mut at = 0;
    while at < text.len() && out.len() < TOKENS_MAX {
        let Some(c) = text[at..].chars().next() else {
            break;
        };
        if c.is_whitespace() && c != '\n' {
            at += c.len_utf8();
            continue;
        }
        if !is_word(c) {
            // "Mr. Patel" is no end.
            let shortened =
                c == '.' && out.last().is_some_and(|t| t.span.end == at && lexicon.is_phrase("shortened", &[t.id]));
            let stops = matches!(c, '.' | '!' | '?' | ';' | '\n' | '…') && !shortened;
            let mark = if stops { Mark::Stop } else { Mark::Soft };
            let end = at + c.len_utf8();
            out.push(Token { span: at..end, id: WordId::UNKNOWN, mark });
            at = end;
            continue;
        }
        let end = at + word_len(&text[at..]);
        push_word(&mut out, text, at..end, lexicon);
        at = end;
    }
    out
}

fn push_word(out: &mut Vec<Token>, text: &str, span: Range<usize>, lexicon: Lexicon) {
    let lower = fold(&text[span.clone()]);
    let end = span.end;
    let mut read_as = lexicon.spelling(&lower).into_iter().flatten();
    let first = read_as.next().unwrap_or_else(|| lexicon.read_word(&lower));
    out.push(Token { span, id: first, mark: Mark::Word });
    out.extend(read_as.map(|id| Token { span: end..end, id, mark: Mark::Word }));
}

/// Lower case, one kind of apostrophe.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '+' | '#' | '_' | '@' | '$' | '€' | '%' | '&')
}

/// Bytes of the word that the text begins with: an address or link whole, else letters and digits with
/// apostrophes inside, and `:`, `.`, `,` or `/` between digits.
fn word_len(text: &str) -> usize {
    let chunk_end = text.find(char::is_whitespace).unwrap_or(text.len());
    let chunk = text[..chunk_end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '>', '\'']);
    let is_address = chunk.find('@').is_some_and(|i| i > 0 && chunk[i..].contains('.'));
    if is_address || chunk.starts_with("http://") || chunk.starts_with("https://") {
        return chunk.len();
    }
    let mut before = '\0';
    let mut chars = text.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let after = chars.peek().map_or('\0', |&(_, next)| next);
        let inside = matches!(c, '\'' | '’') && after.is_alphanumeric()
            || matches!(c, ':' | '.' | '/' | ',') && before.is_ascii_digit() && after.is_ascii_digit()
            || is_combining(c);
        if !is_word(c) && !inside {
            return i;
        }
        before = c;
    }
    text.len()
}

/// Marks that belong to the letter before them (Devanagari signs, accents typed on their own).
fn is_combining(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x900..=0x903 | 0x93A..=0x94F | 0x610..=0x61A | 0x64B..=0x65F | 0x200C..=0x200D)
}

/// First letter capital, the rest as typed.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
