//! Words as they are compared: folded (case, accents, width), split by Unicode's rules, stemmed.
//!
//! What a person types and what a text holds meet here, so both must come through the same function.
//! Deliberately not here: ranking, and any list of words of one language.

use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// The only words of a text that are shaped like these, figure for figure and letter for letter, with the marks between,
/// and are others: a number like a number, an address like an address. Words without either have no shape to go by.
pub fn shaped_like<'t>(text: &'t str, value: &str) -> Option<&'t str> {
    let shape = |word: &str| {
        let kind = |c: char| {
            if c.is_numeric() {
                '9'
            } else if c.is_alphabetic() {
                'a'
            } else {
                c
            }
        };
        let mut shape: Vec<char> = word.chars().map(kind).collect();
        shape.dedup();
        shape
    };
    let edges = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"' | '\'');
    let wanted: Vec<Vec<char>> = value.split_whitespace().map(|word| shape(word.trim_matches(edges))).collect();
    let tells = wanted.iter().flatten().any(|c| matches!(c, '9' | '@'));
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(edges)).collect();
    let fits = |words: &&[&str]| words.iter().map(|word| shape(word)).eq(wanted.iter().cloned());
    let mut found = words.windows(wanted.len().max(1)).filter(fits).filter(|_| tells);
    let (only, None) = (found.next()?, found.next()) else { return None };
    let begin = only.first()?.as_ptr().addr() - text.as_ptr().addr();
    let last = only.last()?;
    let found = text.get(begin..last.as_ptr().addr() - text.as_ptr().addr() + last.len())?;
    (found != value).then_some(found)
}

/// Lower case, compatibility forms unified, accents gone: `Dvořák` and `dvorak` are the same.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => folded.push_str("ss"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            '’' | 'ʼ' => folded.push('\''),
            _ => folded.push(c),
        }
    }
    // Lower-casing may bring marks of its own (İ).
    folded.retain(|c| !is_combining_mark(c));
    folded
}

/// A folded text as it is where umlauts cannot be written, so that a city and its domain come out alike.
pub fn without_digraphs(folded: &str) -> String {
    folded.replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// The folded words of a text, in order; a possessive `'s` is left out.
pub fn words(text: &str) -> Vec<String> {
    fold(text).unicode_words().map(|word| word.strip_suffix("'s").unwrap_or(word).to_owned()).collect()
}

/// The folded words of a text, each brought to its stem: Russian for Cyrillic, English for the rest.
pub fn stems(text: &str) -> Vec<String> {
    stems_of(&words(text))
}

/// The stem of each folded word.
pub fn stems_of(words: &[String]) -> Vec<String> {
    let english = Stemmer::create(Algorithm::English);
    let russian = Stemmer::create(Algorithm::Russian);
    words
        .iter()
        .map(|word| {
            let cyrillic = word.chars().any(|c| ('\u{400}'..='\u{4FF}').contains(&c));
            let stemmer = if cyrillic { &russian } else { &english };
            stemmer.stem(word).into_owned()
        })
        .collect()
}

/// How many single edits (insert, delete, replace, swap of neighbours) lie between two words, or `None`
/// when they are more than `max`.
pub fn distance(a: &str, b: &str, max: usize) -> Option<usize> {
    let head = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (a, b) = (a.get(head..)?, b.get(head..)?);
    let tail =
        a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
    let (a, b) = (a.get(..a.len() - tail)?, b.get(..b.len() - tail)?);
    if a.is_empty() || b.is_empty() {
        return Some(a.chars().count() + b.chars().count()).filter(|edits| *edits <= max);
    }
    if max == 1 {
        // One letter for another, or two swapped; asked of thousands of words, so nothing is allocated.
        let [mut x, mut y] = [a.chars(), b.chars()];
        let ([x1, x2, x3], [y1, y2, y3]) = ([x.next(), x.next(), x.next()], [y.next(), y.next(), y.next()]);
        let swapped = (x1, x2, x3) == (y2, y1, None) && y3.is_none();
        return (x2.is_none() && y2.is_none() || swapped).then_some(1);
    }
    let too_far = a.chars().count().abs_diff(b.chars().count()) > max;
    (!too_far).then(|| strsim::osa_distance(a, b)).filter(|edits| *edits <= max)
}

/// What stands between spaces, without the marks around it: where it stands, and folded.
pub fn spaced(text: &str) -> Vec<(Range<usize>, String)> {
    let mut all = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            let start = at + piece.find(word).unwrap_or_default();
            all.push((start..start + word.len(), words(word).join(" ")));
        }
        at += piece.len();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_case_and_width_do_not_matter() {
        for (a, b) in [
            ("Dvořák", "dvorak"),
            ("JÖRG", "jorg"),
            ("Straße", "strasse"),
            ("Ｂｏｂ", "bob"),
            ("İzmir", "izmir"),
            ("Łukasz", "lukasz"),
        ] {
            assert_eq!(fold(a), b);
        }
        assert_eq!(fold("Ольга"), "ольга");
    }

    #[test]
    fn a_plural_has_the_stem_of_its_singular() {
        assert_eq!(stems("dentists’ Appointments"), stems("Dentist appointment"));
        assert_eq!(stems("узлами"), stems("узлы"));
        assert_eq!(words("Bob's mail, e-mail!"), ["bob", "mail", "e", "mail"]);
    }

    #[test]
    fn distance_counts_edits_and_swaps() {
        for (a, b, edits) in [
            ("priya", "priya", Some(0)),
            ("pirya", "priya", Some(1)),
            ("katrn", "katrin", Some(1)),
            ("bob", "rob", Some(1)),
            ("anna", "dana", Some(2)),
            ("anna", "marek", None),
            ("", "a", Some(1)),
            ("form", "from", Some(1)),
            ("remnid", "remind", Some(1)),
            ("tomorow", "tomorrow", Some(1)),
            ("tuseday", "tuesday", Some(1)),
            ("añb", "anb", Some(1)),
            ("abcd", "xbcdy", Some(2)),
            ("aaa", "aa", Some(1)),
        ] {
            assert_eq!(distance(a, b, 2), edits, "{a} {b}");
            assert_eq!(distance(b, a, 1), edits.filter(|edits| *edits < 2), "{a} {b}");
        }
    }

    #[test]
    fn a_value_stands_for_the_only_words_of_its_shape() {
        for (text, value, found) in [
            ("the door code is 4712", "4713", Some("4712")),
            ("Rent 900 €, due on the 3rd", "950", Some("900")),
            ("call 0151 234567", "0151 234568", Some("0151 234567")),
            ("write to ann@example.com.", "anna@example.com", Some("ann@example.com")),
            ("gate 12B at 5pm", "6pm", None),
            ("from 9 to 5", "6", None),
            ("the code is 4712", "4712", None),
            ("the code is blue", "green", None),
            ("", "5", None),
            ("5", "", None),
        ] {
            assert_eq!(shaped_like(text, value), found, "{text} {value}");
        }
    }
}
