//! Spelling variants that the compiler adds to a word of the books.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::super::spelling::runs;

/// How a word may be written: its letters with runs taken as one, and the length of each run.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) runs: Vec<usize>,
    /// No lengthening.
    pub(super) fixed: bool,
    pub(super) word: usize,
}

/// All forms of the word `written` in a book (`=` before it: only as written), each under its letters.
pub(super) fn forms(written: &str, word: usize, turkish: bool) -> Vec<(String, Form)> {
    let (fixed, plain) = written.strip_prefix('=').map_or((false, written), |word| (true, word));
    let spellings = if fixed { vec![plain.to_owned()] } else { spellings(plain, turkish) };
    let form = |spelling: String| {
        let (letters, runs) = runs(&spelling);
        let fixed = fixed || runs.len() < 2;
        (letters, Form { runs, fixed, word })
    };
    spellings.into_iter().map(form).collect()
}

/// The ways people type a word on a phone: as in the book, without accents, without its apostrophe,
/// with the other keyboard's Arabic letters; in Turkish also what its capitals are lowered to.
fn spellings(word: &str, turkish: bool) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    let mut and = |change: &dyn Fn(&str) -> String| {
        let mut more: Vec<String> = all.iter().map(|spelling| change(spelling)).collect();
        more.retain(|spelling| !all.contains(spelling));
        all.extend(more);
    };
    and(&unaccented);
    and(&|w| w.replace('\'', ""));
    and(&|w| w.replace('ё', "е"));
    and(&|w| w.replace('ی', "ي").replace('ک', "ك"));
    and(&|w| w.strip_suffix('ا').map_or(w.to_owned(), |stem| format!("{stem}\u{64b}ا")));
    and(&|w| w.strip_suffix('ا').map_or(w.to_owned(), |stem| format!("{stem}ا\u{64b}")));
    if turkish {
        and(&|w| w.replace('i', "i\u{307}").replace('ı', "i"));
    }
    all
}

/// Latin and Arabic letters without their marks. In Devanagari and Cyrillic the marks are part of
/// the letter (й, ї, vowel signs) and stay.
fn unaccented(word: &str) -> String {
    let own_marks = |c: char| matches!(c, '\u{400}'..='\u{4ff}' | '\u{900}'..='\u{97f}');
    if word.chars().any(own_marks) {
        return word.to_owned();
    }
    let bare = word.nfd().filter(|c| !is_combining_mark(*c)).collect::<String>();
    bare.replace('ı', "i").replace('ß', "ss").nfc().collect()
}
