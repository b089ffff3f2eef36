//! Tokens of an answer: from a message to its words, or to nothing.
//!
//! Purpose: admit only characters an ordinary short answer is made of, and say where punctuation
//! parts the words. It is a list of what is allowed, so that hidden characters, look-alike letters
//! outside the four alphabets, digits, quotes, links and whatever Unicode adds next all end here.
//!
//! Invariants: `answer` returns at most `WORDS_MAX` words, lowercase, in composed form, each of
//! letters (with inner apostrophes) or one emoji without its skin tone. Deliberately absent:
//! the cutter of `language::tokens`, which takes any text where this one refuses what it does not know;
//! compatibility folding (fullwidth or mathematical letters are not letters here) and the removal of
//! characters: what does not belong makes the message no answer.

use unicode_normalization::UnicodeNormalization;

/// Longest message looked at, in bytes; the longest courteous yes in Devanagari needs about 200.
const BYTES_MAX: usize = 320;
/// Most words of an answer.
const WORDS_MAX: usize = 14;
/// Most exclamation marks in a row.
const EXCLAMATIONS_MAX: usize = 10;

/// One word or emoji of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Punctuation or an emoji parts this word from the next one.
    pub(super) break_after: bool,
}

/// The words of a message that could be an answer, or `None` when it holds anything else.
pub(super) fn answer(message: &str) -> Option<Vec<Word>> {
    if message.len() > BYTES_MAX {
        return None;
    }
    // The inverted mark opens a Spanish exclamation: "¡sí!".
    let ascii_space = |c: char| matches!(c, ' ' | '\n' | '\r' | '\t');
    let mut rest = message.trim_matches(ascii_space).trim_start_matches('¡');
    let mut words: Vec<Word> = Vec::new();
    while let Some(first) = rest.chars().next() {
        if words.len() == WORDS_MAX {
            return None;
        }
        let (word, used) = if is_letter(first) { letters(rest)? } else { emoji(rest)? };
        let is_emoji = !is_letter(first);
        rest = rest.get(used..)?;
        let (parted, used) = gap(rest, is_emoji)?;
        if is_emoji && let Some(before) = words.last_mut() {
            before.break_after = true;
        }
        words.push(Word { text: word, break_after: parted || is_emoji });
        rest = rest.get(used..)?;
    }
    (!words.is_empty()).then_some(words)
}

/// Letters of the four alphabets of the phrase books. Presentation forms and the look-alikes among
/// the letter-like symbols (the Kelvin sign lowers to a plain k) are left out on purpose.
fn is_letter(c: char) -> bool {
    matches!(c,
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{17e}'
        | '\u{218}'..='\u{21b}'
        | '\u{401}'..='\u{45f}' | '\u{490}'..='\u{491}'
        | '\u{621}'..='\u{63a}' | '\u{641}'..='\u{64a}' | '\u{671}'..='\u{6d3}'
        | '\u{904}'..='\u{939}' | '\u{958}'..='\u{95f}')
}

/// Marks that change a letter visibly: Latin accents typed in decomposed form, Arabic vowel signs,
/// Devanagari vowel signs. Joiners and selectors are not among them.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{304}' | '\u{306}'..='\u{308}' | '\u{30a}' | '\u{30c}' | '\u{327}'
        | '\u{64b}'..='\u{654}' | '\u{900}'..='\u{903}' | '\u{93c}' | '\u{93e}'..='\u{94d}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '`' | '\u{b4}')
}

/// One word from the start of `rest` and the bytes it took. An apostrophe belongs to a word only
/// between two letters; elsewhere it is a quotation mark and ends the reading later.
fn letters(rest: &str) -> Option<(String, usize)> {
    let mut raw = String::new();
    let mut chars = rest.char_indices().peekable();
    let mut used = 0;
    while let Some((at, c)) = chars.next() {
        let next_is_letter = chars.peek().is_some_and(|(_, next)| is_letter(*next));
        if is_letter(c) || is_mark(c) {
            raw.push(c);
        } else if is_apostrophe(c) && next_is_letter {
            raw.push('\'');
        } else {
            break;
        }
        used = at + c.len_utf8();
    }
    let lower: String = raw.chars().flat_map(char::to_lowercase).nfc().collect();
    (!lower.is_empty()).then_some((lower, used))
}

/// One emoji from the start of `rest`, without skin tone, selector and gender, and the bytes it
/// took. At most one selector and one skin tone, in the order the standard allows (UTS #51).
fn emoji(rest: &str) -> Option<(String, usize)> {
    let mut chars = rest.chars();
    let base = chars.next().filter(|c| is_emoji_base(*c))?;
    let mut tail = chars.as_str();
    let body = matches!(base, '👍' | '👎' | '👌' | '🙅' | '🙏' | '🙆' | '🙌' | '🤝' | '🫡');
    if let Some(after) = tail.strip_prefix('\u{fe0f}') {
        tail = after;
    } else if body {
        tail = tail.strip_prefix(|c: char| matches!(c, '\u{1f3fb}'..='\u{1f3ff}')).unwrap_or(tail);
    }
    if matches!(base, '🙅' | '🙆')
        && let Some(gender) = tail.strip_prefix("\u{200d}♂").or_else(|| tail.strip_prefix("\u{200d}♀"))
    {
        tail = gender.strip_prefix('\u{fe0f}').unwrap_or(gender);
    }
    Some((base.to_string(), rest.len() - tail.len()))
}

/// Symbols that may be emoji of an answer; which of them mean something is the lexicon's matter.
fn is_emoji_base(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}'..='\u{2b55}' | '\u{1f100}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1fbff}')
}

/// The space and punctuation at the start of `rest`: whether it parts two words, and the bytes it
/// took. `None` when it holds more than one mark, a mark no answer has, or nothing where a word and
/// another thing must be parted. A comma or dash at the very end announces more to come: `None`.
fn gap(rest: &str, after_emoji: bool) -> Option<(bool, usize)> {
    let spaced = rest.trim_start_matches(' ');
    let had_space = spaced.len() < rest.len();
    let Some(mark) = spaced.chars().next() else {
        return Some((true, rest.len()));
    };
    let tail = match mark {
        '!' => spaced.trim_start_matches('!'),
        '.' | ',' | '،' | '।' | '۔' => spaced.get(mark.len_utf8()..)?,
        '-' | '–' | '—' if had_space == spaced.get(mark.len_utf8()..)?.starts_with(' ') => {
            spaced.get(mark.len_utf8()..)?
        }
        _ if had_space || after_emoji || is_emoji_base(mark) => {
            return Some((false, rest.len() - spaced.len()));
        }
        _ => return None,
    };
    if spaced.len() - tail.len() > EXCLAMATIONS_MAX {
        return None;
    }
    // "vas-y" and "да-да": a hyphen inside a word joins the parts of one phrase.
    let joins = matches!(mark, '-') && !had_space;
    let after = tail.trim_start_matches(' ');
    match after.chars().next() {
        None if matches!(mark, '!' | '.' | '।' | '۔') => Some((true, rest.len())),
        Some(c) if is_letter(c) || is_emoji_base(c) => Some((!joins, rest.len() - after.len())),
        Some('¡') => Some((true, rest.len() - after.trim_start_matches('¡').len())),
        None | Some(_) => None,
    }
}
