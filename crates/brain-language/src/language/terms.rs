//! Search terms: stems of a text's words, and the words a misspelt one may have been.
//!
//! Texts are folded, cut into words, stemmed ([`stems`]). A word of a description matches the words of a collection
//! that have its stem, or that it begins or is begun by; and only if there is none of those in the whole collection,
//! the words it looks like a slip of. Whoever keeps words to be found, and whoever judges what was found, has to come
//! through here: then both mean the same.
//!
//! Deliberately not here: which of several things fits best, where they come from, and when two words are alike
//! ([`likeness`]).

use unicode_segmentation::UnicodeSegmentation;

use super::likeness;
use super::words;

/// Compatibility forms, lower case, no diacritics, no control characters, apostrophes and underscores,
/// single spaces. A text that is nothing else stays as it is: it is still told from others.
pub fn fold(text: &str) -> String {
    let separates = |c: char| c.is_control() || matches!(c, '_' | '\'');
    let plain: String = words::fold(text).chars().map(|c| if separates(c) { ' ' } else { c }).collect();
    let folded = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.is_empty() { text.trim().to_owned() } else { folded }
}

/// The words of a folded text; a picture is one, too.
pub fn words_of(folded: &str) -> impl Iterator<Item = &str> {
    folded.split_word_bounds().filter(|word| word.chars().any(|c| c.is_alphanumeric() || is_picture(c)))
}

/// An emoji or another symbol, no punctuation.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// The stems of a folded text's words, in order.
pub fn stems(folded: &str) -> Vec<String> {
    words::stems_of(&words_of(folded).map(str::to_owned).collect::<Vec<_>>())
}

/// The stem of one folded word.
pub fn stem(word: &str) -> String {
    words::stems_of(&[word.to_owned()]).pop().unwrap_or_default()
}

/// Which of the `known` stems this one matches, and how well: 1 for the same.
pub fn matching<'a>(stem: &str, known: impl Iterator<Item = &'a str> + Clone) -> Vec<(String, f32)> {
    let whole = |known: &str| {
        let begins = || likeness::begins(stem, known) || likeness::begins(known, stem);
        let alike = if known == stem { Some(likeness::SAME) } else { begins().then_some(likeness::BEGINNING) };
        alike.map(|alike| (known.to_owned(), alike))
    };
    let found: Vec<(String, f32)> = known.clone().filter_map(whole).collect();
    if !found.is_empty() {
        return found;
    }
    known.filter_map(|known| Some((known.to_owned(), likeness::slip(stem, known)?))).collect()
}

/// How much a word says that occurs in `found` of `all` documents.
pub fn telling(found: usize, all: usize) -> f32 {
    let (found, all) = (found as f32, all as f32);
    (1.0 + (all - found.min(all) + 0.5) / (found + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_takes_away_what_people_do_not_type() {
        for (text, folded) in [
            ("  Zoë’s CAFÉ\n", "zoe s cafe"),
            ("ﬁnal Ⅷ", "final viii"),
            ("home_office", "home office"),
            ("a\u{0}b", "a b"),
            ("\u{ec8}", "\u{ec8}"),
            (" \u{301} ", "\u{301}"),
            (" ", ""),
            ("שָׁלוֹם", "שלום"),
            ("Straße", "strasse"),
        ] {
            assert_eq!(fold(text), folded);
        }
    }

    #[test]
    fn a_picture_is_a_word_and_punctuation_is_none() {
        assert_eq!(stems(&fold("🎂 Anna's parties, 買い物!")), ["🎂", "anna", "s", "parti", "買", "い", "物"]);
        assert!(stems("… — ??? <>").is_empty());
    }

    #[test]
    fn a_slip_counts_only_where_nothing_is_meant_literally() {
        let matches = |word: &str, known: &[&str]| -> Vec<String> {
            matching(word, known.iter().copied()).into_iter().map(|(stem, _)| stem).collect()
        };
        assert_eq!(matches("dentit", &["dentist", "mom"]), ["dentist"]);
        assert_eq!(matches("dentist", &["dentists", "dentist", "dentit"]), ["dentists", "dentist"]);
        assert_eq!(matches("rep", &["report", "rap"]), ["report"]);
        assert!(matches("milk", &["silk", "mil", "ilk"]).len() < 2);
    }
}
