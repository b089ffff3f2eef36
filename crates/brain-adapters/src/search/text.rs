//! Texts as the index holds them: each word in its own form, and in its stems.
//!
//! A document's language is told by its function words; its words get the stems of that language beside those that
//! everything gets. A word of a query has no language, so it is looked for in its own form and in all stems it may
//! have: mixed mailboxes work.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};
use tantivy::tokenizer::{PreTokenizedString, Token};

use brain_core::limits::INDEX_WORD_BYTES_MAX;
use brain_language::language::terms;

/// Languages with stems of their own, and words that tell them apart, folded. English and Russian need none: every
/// word gets their stems.
const LANGUAGES: [(Algorithm, &[&str]); 6] = [
    (Algorithm::German, &["der", "die", "und", "das", "nicht", "ist", "ich", "mit", "fur", "wir", "zu", "auf", "ein"]),
    (Algorithm::French, &["le", "les", "et", "des", "est", "pour", "dans", "vous", "nous", "une", "je", "du", "pas"]),
    (Algorithm::Spanish, &["el", "los", "las", "por", "para", "con", "una", "del", "y", "que", "es", "mi", "su"]),
    (Algorithm::Italian, &["il", "di", "che", "per", "sono", "della", "non", "gli", "una", "con", "ho", "mi"]),
    (Algorithm::Portuguese, &["o", "os", "uma", "para", "com", "nao", "em", "que", "do", "da", "por", "um"]),
    (Algorithm::Dutch, &["het", "een", "van", "en", "niet", "dat", "ik", "je", "op", "voor", "zijn", "wij"]),
];

/// Function words of a language that have to occur before a text is taken for it.
const TELLING_MIN: usize = 2;
/// Words from which a text's language is told: more say the same.
const TOLD_FROM: usize = 200;

/// The language of a text whose words these are, when it has stems of its own.
fn language(words: &[&str]) -> Option<Algorithm> {
    let count = |telling: &[&str]| words.iter().take(TOLD_FROM).filter(|word| telling.contains(word)).count();
    let counted = LANGUAGES.iter().map(|(language, telling)| (count(telling), *language));
    counted.filter(|(count, _)| *count >= TELLING_MIN).max_by_key(|(count, _)| *count).map(|(_, language)| language)
}

/// A word's own form and the parts of a compound one (`example.com`), which have its place in the text.
fn own_forms(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(|c: char| !c.is_alphanumeric()).filter(move |part| *part != word && !part.is_empty());
    std::iter::once(word).chain(parts).filter(|form| form.len() <= INDEX_WORD_BYTES_MAX)
}

/// The forms under which each word of a text is kept.
pub(super) fn indexed(text: &str) -> PreTokenizedString {
    let folded = terms::fold(text);
    let words: Vec<&str> = terms::words_of(&folded).collect();
    let stemmer = language(&words).map(Stemmer::create);
    let mut tokens = Vec::with_capacity(words.len() * 2);
    for (position, word) in words.iter().enumerate() {
        let mut forms = BTreeSet::new();
        for form in own_forms(word) {
            forms.insert(form.to_owned());
            forms.insert(terms::stem(form));
            forms.extend(stemmer.as_ref().map(|stemmer| stemmer.stem(form).into_owned()));
        }
        tokens.extend(forms.into_iter().map(|text| Token { position, text, position_length: 1, ..Token::default() }));
    }
    PreTokenizedString { text: String::new(), tokens }
}

/// All forms under which a word of a query may be kept, its own first.
pub(super) fn sought(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned(), terms::stem(word)];
    forms.extend(LANGUAGES.iter().map(|(language, _)| Stemmer::create(*language).stem(word).into_owned()));
    let mut seen = BTreeSet::new();
    forms.retain(|form| !form.is_empty() && seen.insert(form.clone()));
    forms
}

/// These words and nothing else, as one value.
pub(super) fn exactly(words: impl IntoIterator<Item = String>) -> PreTokenizedString {
    let short = words.into_iter().filter(|word| word.len() <= INDEX_WORD_BYTES_MAX * 4);
    let token = |(position, text)| Token { position, text, position_length: 1, ..Token::default() };
    PreTokenizedString { text: String::new(), tokens: short.enumerate().map(token).collect() }
}

/// The words of a name or an address: its parts, and the whole of an address.
pub(super) fn name_words(text: &str) -> Vec<String> {
    let folded = terms::fold(text);
    let parts = folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_owned);
    let whole = folded.split_whitespace().filter(|word| word.contains('@')).map(str::to_owned);
    parts.chain(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<String> {
        indexed(text).tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn a_word_is_found_by_any_form_of_it_in_its_language() {
        for (text, query) in [
            ("Call the dentists", "dentist"),
            ("Ich habe die Rechnungen und das Angebot", "rechnung"),
            ("Les factures et les offres pour vous", "facture"),
            ("Las facturas por los servicios", "factura"),
            ("мы ждём узлы", "узлами"),
            ("see example.com/offers", "example"),
            ("🎂", "🎂"),
        ] {
            let kept = forms(text);
            assert!(sought(query).iter().any(|form| kept.contains(form)), "{query} in {kept:?}");
        }
        assert!(!sought("plumber").iter().any(|form| forms("Call the dentist").contains(form)));
    }

    #[test]
    fn names_and_addresses_fall_into_words() {
        assert_eq!(name_words("Zoë O'Hara"), ["zoe", "o", "hara"]);
        assert_eq!(name_words("z.ohara@example.com"), ["z", "ohara", "example", "com", "z.ohara@example.com"]);
    }
}
