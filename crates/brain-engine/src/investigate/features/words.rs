//! Words that letters are cut and dated by (`data/language/letters/words.*.txt`). Not here: cues.

use std::collections::HashMap;
use std::sync::LazyLock;

use brain_language::language::word_classes::{class_names, pairs};

const TEXTS: [&str; 3] = [
    include_str!("../../../../../data/language/letters/words.en.txt"),
    include_str!("../../../../../data/language/letters/words.de.txt"),
    include_str!("../../../../../data/language/letters/words.other.txt"),
];

class_names! {
    /// The classes of the data, by their names there.
    LetterWords {
        /// What only joins a clause to the one before.
        join,
        /// What joins one of the same mood.
        and,
        writer,
        intends,
        abbreviation,
        /// How the line before a letter begins that is quoted.
        head,
        wrote_on,
        wrote,
        weekday,
        this_day,
        ahead,
        dated,
        role,
        /// First parts of addresses that several people answer behind.
        desk,
        slip,
        /// What asks for nothing by itself where it answers a question.
        polite,
    }
}

pub(super) static WORDS: LazyLock<LetterWords> = LazyLock::new(|| LetterWords::read(&TEXTS));

/// Contractions and what they are read as, in the order in which they are written out.
static CONTRACTIONS: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let pairs = pairs(include_str!("../../../../../data/language/letters/contractions.txt"));
    // What is written out of an ending is a word of its own.
    let read = |(short, long): (&'static str, &str)| match short.strip_prefix('*') {
        Some(end) => (end, format!(" {long}")),
        None => (short, long.to_owned()),
    };
    pairs.map(read).collect()
});

/// Words as they are typed in a hurry.
static SHORTHAND: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| pairs(include_str!("../../../../../data/language/letters/shorthand.txt")).collect());

/// What a word means that may be typed in a hurry; what means several comes out with spaces.
pub(super) fn meant(word: String) -> String {
    SHORTHAND.get(word.as_str()).map_or(word, |meant| (*meant).to_owned())
}

/// Contractions written out; what is left of apostrophes divides words.
pub(super) fn written_out(folded: &str) -> String {
    let mut text = folded.to_owned();
    for (short, long) in CONTRACTIONS.iter().filter(|_| folded.contains('\'')) {
        text = text.replace(short, long);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_letters_has_words() {
        assert_eq!(WORDS.empty(), Vec::<&str>::new());
        let read = written_out("i'd like it, they'll, can't, don't, it's");
        assert_eq!(read, "i would like it, they will, can not, do not, it is");
    }
}
