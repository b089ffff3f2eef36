//! How people write a word on a phone.
//!
//! Purpose: "yesss", "nao" and "İPTAL" are the words of the books, without being listed there.
//! Invariant: a spelling never turns one letter into another of a different alphabet.
//! Deliberately absent: distance between words; a typo is either listed or not understood.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How a word may be written: its letters with runs taken as one, and the length of each run.
#[derive(Debug)]
pub(super) struct Form {
    runs: Vec<usize>,
    /// No lengthening: "suuure" is not "sure", "kkk" is laughter.
    fixed: bool,
    pub(super) word: u32,
}

impl Form {
    /// A letter may be drawn out at the end of a word ("yess") or, three times and more, anywhere
    /// ("nooope"). Two inside a word are spelling: "noon" is not "non".
    pub(super) fn matches(&self, drawn: &[usize]) -> bool {
        if self.runs == drawn {
            return true;
        }
        let last = drawn.len().saturating_sub(1);
        let fits =
            |(at, (have, want)): (usize, (&usize, &usize))| have == want || (have > want && (*have >= 3 || at == last));
        !self.fixed && drawn.iter().zip(&self.runs).enumerate().all(fits)
    }
}

/// All forms of the word `written` in a book (`=` before it: only as written), each under its letters.
pub(super) fn forms(written: &str, word: u32, turkish: bool) -> Vec<(String, Form)> {
    let (fixed, plain) = written.strip_prefix('=').map_or((false, written), |word| (true, word));
    let spellings = if fixed { vec![plain.to_owned()] } else { spellings(plain, turkish) };
    let form = |spelling: String| {
        let (letters, runs) = runs(&spelling);
        let fixed = fixed || runs.len() < 2;
        (letters, Form { runs, fixed, word })
    };
    spellings.into_iter().map(form).collect()
}

/// The letters of a word with each run taken once, and how long the runs are.
pub(super) fn runs(word: &str) -> (String, Vec<usize>) {
    let (mut letters, mut lengths) = (String::with_capacity(word.len()), Vec::new());
    let mut before = None;
    for c in word.chars() {
        match lengths.last_mut() {
            Some(length) if before == Some(c) => *length += 1,
            Some(_) | None => {
                letters.push(c);
                lengths.push(1);
            }
        }
        before = Some(c);
    }
    (letters, lengths)
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
