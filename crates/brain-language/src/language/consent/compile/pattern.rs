//! One pattern of a phrase book: a row of places, each with its choices.
//!
//! Purpose: read `@pls? send|post it|this` into parts; the file format is told in
//! `data/language/consent/README.md`. Invariant: every word of a part is in small letters, in composed form
//! and of one script, so that no look-alike enters through the books.
//! Deliberately absent: nesting. A phrase that needs it is two lines.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::super::lexicon::NUMBER;

/// The sets of a book: for each name its alternatives.
pub(super) type PhraseSets = HashMap<String, Vec<Vec<String>>>;

/// One place of a pattern.
#[derive(Debug)]
pub(super) struct PatternPart {
    pub(super) choices: Vec<Vec<String>>,
    pub(super) optional: bool,
}

/// The places of a pattern: words in order, `a|b` alternatives, `?` optional, `_` a space inside an
/// alternative, `@name` a set of the same book.
pub(super) fn parts(pattern: &str, sets: &PhraseSets) -> Result<Vec<PatternPart>, String> {
    let part = |part: &str| {
        let (part, optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
        let mut choices = Vec::new();
        for choice in part.split('|') {
            match choice.strip_prefix('@') {
                Some(name) => {
                    let set = sets.get(name).ok_or_else(|| format!("no set @{name}"))?;
                    choices.extend(set.iter().cloned());
                }
                None => choices.push(words_of(choice)?),
            }
        }
        Ok(PatternPart { choices, optional })
    };
    pattern.split_whitespace().map(part).collect()
}

/// The alternatives of a set.
pub(super) fn set(alternatives: &str) -> Result<Vec<Vec<String>>, String> {
    alternatives.split('|').map(words_of).collect()
}

/// The words of one alternative: lowercase, composed, of one script, or one symbol.
fn words_of(choice: &str) -> Result<Vec<String>, String> {
    let word_ok = |word: &str| {
        let bare = word.strip_prefix('=').unwrap_or(word);
        let letters = |c: char| c.is_alphabetic() || c == '\'' || is_combining_mark(c);
        let symbol = bare == NUMBER || (bare.chars().count() == 1 && !bare.is_ascii());
        let lower = bare.nfc().eq(bare.chars()) && bare.to_lowercase() == bare;
        !bare.is_empty() && lower && (symbol || bare.chars().all(letters)) && one_script(bare)
    };
    let words: Vec<String> = choice.split('_').map(str::to_owned).collect();
    match words.iter().find(|word| !word_ok(word)) {
        Some(word) => Err(format!("{word:?} is not a word of one script in small letters")),
        None => Ok(words),
    }
}

fn one_script(word: &str) -> bool {
    let script = |c: char| match c {
        '\u{400}'..='\u{52f}' => 1,
        '\u{600}'..='\u{6ff}' => 2,
        '\u{900}'..='\u{97f}' => 3,
        _ => 0,
    };
    let mut scripts = word.chars().filter(|c| c.is_alphabetic()).map(script);
    scripts.next().is_none_or(|first| scripts.all(|other| other == first))
}
