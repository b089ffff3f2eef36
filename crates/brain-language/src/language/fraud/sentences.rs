//! A letter as sentences, each with the classes of words that it holds (`data/language/fraud/words.*.txt`).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::word_classes::WordClasses;
use crate::language::words::words;
use brain_core::limits::FRAUD_TEXT_CHARS_MAX;

const TEXTS: [&str; 3] = [
    include_str!("../../../../../data/language/fraud/words.en.txt"),
    include_str!("../../../../../data/language/fraud/words.de.txt"),
    include_str!("../../../../../data/language/fraud/words.other.txt"),
];

/// Words of the longest phrase that is looked for.
const PHRASE_WORDS_MAX: usize = 4;
/// So many words before another what negates it stands at most.
const NEGATED_WORDS: usize = 3;

macro_rules! classes {
    ($($name:ident = $data:literal,)*) => {
        /// A class of the data.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Class { $($name,)* }

        /// Their names there, in the order of the classes.
        const NAMES: &[&str] = &[$($data,)*];
    };
}

classes! {
    Warns = "warns",
    Negates = "negates",
    Condition = "condition",
    Yours = "yours",
    Pay = "pay",
    Fee = "fee",
    Amount = "amount",
    Give = "give",
    ToMe = "to_me",
    Cards = "cards",
    Codes = "codes",
    Returned = "returned",
    Account = "account",
    Changed = "changed",
    PaysOut = "pays_out",
    Confirm = "confirm",
    Secret = "secret",
    Keys = "keys",
    Seed = "seed",
    Threat = "threat",
    Haste = "haste",
    Hush = "hush",
    Number = "number",
    Kin = "kin",
    Trouble = "trouble",
    Prize = "prize",
    Lure = "lure",
    Crypto = "crypto",
    Extort = "extort",
    Profit = "profit",
    Invests = "invests",
    Remote = "remote",
    Infected = "infected",
    CallUs = "call_us",
    Charged = "charged",
    Undo = "undo",
    Denied = "denied",
    Job = "job",
    Handles = "handles",
    Unseen = "unseen",
    Advance = "advance",
    Love = "love",
    LureHost = "lure_host",
    FreeMail = "free_mail",
    Body = "body",
    Brand = "brand",
}

/// Some classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ClassSet(u64);

impl ClassSet {
    fn of(class: Class) -> Self {
        Self(1 << class as u8)
    }

    fn has(self, class: Class) -> bool {
        self.0 & Self::of(class).0 != 0
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Which classes a word or a phrase belongs to.
struct FraudPhrases {
    whole: HashMap<String, ClassSet>,
    /// By their first letter: each phrase of a letter is held against them.
    begins: HashMap<char, Vec<(String, ClassSet)>>,
}

static PHRASES: LazyLock<FraudPhrases> = LazyLock::new(|| {
    let mut classes = WordClasses::read(&TEXTS);
    let mut phrases = FraudPhrases { whole: HashMap::new(), begins: HashMap::new() };
    for (at, name) in NAMES.iter().enumerate() {
        let (class, set) = (classes.take(name), ClassSet(1 << at));
        for phrase in class.iter() {
            // As a text is cut: an apostrophe and a dash stand the same in both.
            phrases.whole.entry(words(phrase).join(" ")).or_default().add(set);
        }
        for begin in class.begins() {
            let Some(first) = begin.chars().next() else { continue };
            phrases.begins.entry(first).or_default().push((begin.to_owned(), set));
        }
    }
    debug_assert!(classes.left().is_empty(), "classes that nobody knows: {:?}", classes.left());
    phrases
});

impl FraudPhrases {
    fn classes(&self, phrase: &str) -> ClassSet {
        let mut set = self.whole.get(phrase).copied().unwrap_or_default();
        let alike = phrase.chars().next().and_then(|first| self.begins.get(&first)).into_iter().flatten();
        alike.filter(|(begin, _)| phrase.starts_with(begin.as_str())).for_each(|(_, one)| set.add(*one));
        set
    }
}

/// Whether a folded word is of a class.
pub(super) fn is_of(word: &str, class: Class) -> bool {
    PHRASES.classes(word).has(class)
}

/// One sentence: what it holds, and what of that nothing negates.
#[derive(Debug, Default)]
pub(super) struct SentenceClasses {
    holds: ClassSet,
    says: ClassSet,
}

impl SentenceClasses {
    fn of(text: &str) -> Self {
        let words = words(text);
        let found: Vec<(usize, ClassSet)> = (0..words.len())
            .flat_map(|at| (1..=PHRASE_WORDS_MAX.min(words.len() - at)).map(move |length| (at, length)))
            .map(|(at, length)| (at, PHRASES.classes(&words[at..at + length].join(" "))))
            .filter(|(_, set)| *set != ClassSet::default())
            .collect();
        let is_behind = |at: usize, class: Class, within: usize| {
            found.iter().any(|(of, set)| set.has(class) && *of < at && at - of <= within)
        };
        let mut sentence = Self::default();
        for (at, set) in &found {
            let mut set = *set;
            // One's own account is no new one of somebody else's.
            if is_behind(*at, Class::Yours, 1) {
                set.0 &= !ClassSet::of(Class::Account).0;
            }
            sentence.holds.add(set);
            if !is_behind(*at, Class::Negates, NEGATED_WORDS) {
                sentence.says.add(set);
            }
        }
        sentence
    }

    /// Whether it holds words of a class, whatever it says by them.
    pub fn holds(&self, class: Class) -> bool {
        self.holds.has(class)
    }

    /// Whether it says all of these.
    pub fn says(&self, classes: &[Class]) -> bool {
        classes.iter().all(|class| self.says.has(*class))
    }
}

/// The sentences of a letter, its subject the first; without those that warn of frauds.
pub(super) fn sentences(subject: &str, text: &str) -> Vec<SentenceClasses> {
    let end = text.char_indices().nth(FRAUD_TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let (mut all, mut one) = (vec![SentenceClasses::of(subject)], String::new());
    for line in text[..end].lines() {
        for word in line.split_whitespace().filter(|word| !word.contains("://")) {
            one.push_str(word);
            one.push(' ');
            if word.ends_with(['.', '!', '?', ':', ';']) {
                all.push(SentenceClasses::of(&std::mem::take(&mut one)));
            }
        }
        all.push(SentenceClasses::of(&std::mem::take(&mut one)));
    }
    all.retain(|sentence| sentence.holds != ClassSet::default() && !sentence.holds(Class::Warns));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_words_and_none_is_forgotten() {
        assert!(NAMES.len() < 64);
        let mut classes = WordClasses::read(&TEXTS);
        for name in NAMES {
            let class = classes.take(name);
            assert!(class.iter().next().is_some() || class.begins().next().is_some(), "{name}");
        }
        assert_eq!(classes.left(), Vec::<&str>::new());
    }

    #[test]
    fn what_is_negated_is_not_said() {
        let one = |text: &str| SentenceClasses::of(text);
        assert!(one("Please send me the code").says(&[Class::Give, Class::Codes, Class::ToMe]));
        assert!(!one("Do not share this code with anyone").says(&[Class::Give]));
        assert!(one("Do not share this code").holds(Class::Give));
    }
}
