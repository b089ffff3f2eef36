//! From a text to its words and marks: where each stands, and what parts it from the one before.
//!
//! One cutter for requests, times and changes of a card; what belongs into a word (addresses, "10:30") differs between
//! them and is given by the caller. Invariants: spans are byte ranges on character borders, ascending, not overlapping,
//! and never empty; no text makes more than the number of tokens that the caller allows.
//!
//! Not cut here: an answer to a card (`consent::text` is a list of what is admitted, and has to refuse a text at the
//! first character beyond it), and what is searched in (`words` follows Unicode's borders of words, in every script).

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// A word or a mark of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub span: Range<usize>,
    /// A word; otherwise one mark.
    pub is_word: bool,
    /// Whether space, a line end, or the beginning of the text is before it.
    pub spaced: bool,
}

/// What a word is made of.
#[derive(Clone, Copy)]
pub struct WordRules {
    /// A character that begins and continues a word.
    pub is_word: fn(char) -> bool,
    /// Whether the one in the middle continues a word between the two beside it; `'\0'` at an end.
    pub joins: fn(char, char, char) -> bool,
    /// Bytes of a word that only its whole spelling shows, at the beginning of a text; 0 when there is none.
    pub whole: fn(&str) -> usize,
    /// Whether a character is passed over as a space is.
    pub is_space: fn(char) -> bool,
}

impl std::fmt::Debug for WordRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WordRules")
    }
}

/// The first tokens of a text, at most so many.
pub fn cut(text: &str, tokens_max: usize, rules: &WordRules) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let (mut at, mut spaced) = (0, true);
    while let Some(c) = text[at..].chars().next().filter(|_| cuts.len() < tokens_max) {
        if (rules.is_space)(c) {
            (at, spaced) = (at + c.len_utf8(), true);
            continue;
        }
        let is_word = (rules.is_word)(c);
        let len = if is_word { word_len(&text[at..], rules) } else { c.len_utf8() };
        cuts.push(Cut { span: at..at + len, is_word, spaced });
        (at, spaced) = (at + len, false);
    }
    cuts
}

/// Bytes of the word that a text begins with.
fn word_len(text: &str, rules: &WordRules) -> usize {
    let whole = (rules.whole)(text);
    if whole > 0 {
        return whole;
    }
    let mut before = '\0';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map_or('\0', |(_, next)| *next);
        if !(rules.is_word)(c) && (before == '\0' || !(rules.joins)(before, c, after)) {
            return at;
        }
        before = c;
    }
    text.len()
}

/// However a keyboard writes it.
pub fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`' | '´')
}

/// A mark that belongs to the letter before it: an accent typed on its own, a vowel sign.
pub fn is_accent(c: char) -> bool {
    is_combining_mark(c) && !matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// The same, or what joins two letters and is not seen.
pub fn is_sign(c: char) -> bool {
    is_accent(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Nothing to be seen, and no reason to part a word from the next.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// Lower case, one kind of apostrophe: how the phrases of `data/language/requests` are written. Accents stay, since
/// they tell words apart; `words::fold` is for what is searched, where they do not.
pub fn lower(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase().replace('`', "'");
    }
    word.chars().flat_map(char::to_lowercase).map(|c| if is_apostrophe(c) { '\'' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: WordRules = WordRules {
        is_word: char::is_alphanumeric,
        joins: |_, c, after| is_sign(c) || is_apostrophe(c) && after.is_alphabetic(),
        whole: |text| if text.starts_with("a.m.") { 4 } else { 0 },
        is_space: char::is_whitespace,
    };

    #[test]
    fn words_and_marks_know_where_they_stand() {
        let shown = |text: &str, max| {
            let cuts = cut(text, max, &PLAIN).into_iter();
            let shown = |c: Cut| {
                let kind = if c.is_word { "" } else { "!" };
                format!("{}{kind}{}", if c.spaced { " " } else { "" }, &text[c.span])
            };
            cuts.map(shown).collect::<Vec<_>>()
        };
        assert_eq!(shown("don’t, at 7a.m.", 9), [" don’t", "!,", " at", " 7a", "!.", "m", "!."]);
        assert_eq!(shown("'7 a.m.' नमस्ते", 9), [" !'", "7", " a.m.", "!'", " नमस्ते"]);
        assert_eq!(shown("a b c", 2), [" a", " b"]);
        assert_eq!(shown(" ", 2), Vec::<String>::new());
    }
}
