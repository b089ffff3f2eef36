//! Rules of a few words: phrases that follow each other in a sentence.
//!
//! For what is looked for in every message and answer by a handful of phrases that are part of a rule, not of a
//! language: nothing is compiled, so nobody waits for it. Case means nothing; a phrase ends where its word does.

use unicode_normalization::char::is_combining_mark;

/// Phrases in lower case, one of which must follow, and how many characters may lie before it.
pub type PhraseStep<'r> = (&'r [&'r str], usize);

/// Whether somewhere in a text the phrases of the steps follow each other inside one sentence. The first step may begin
/// anywhere.
pub fn says(text: &str, steps: &[PhraseStep]) -> bool {
    let text = text.to_lowercase();
    let Some(((phrases, _), rest)) = steps.split_first() else { return true };
    let starts = text.char_indices().map(|(at, _)| at);
    starts.into_iter().any(|at| ends_of(&text, at, phrases).any(|end| follow(&text, end, rest)))
}

/// Whether a text begins with one of the phrases, marks before it aside.
pub fn opens(text: &str, phrases: &[&str]) -> bool {
    let text = text.trim_start_matches(|c| !is_word(c)).to_lowercase();
    ends_of(&text, 0, phrases).next().is_some()
}

fn follow(text: &str, from: usize, steps: &[PhraseStep]) -> bool {
    let Some(((phrases, within), rest)) = steps.split_first() else { return true };
    let mut chars = text.get(from..).unwrap_or_default().char_indices();
    for _ in 0..=*within {
        let Some((offset, c)) = chars.next() else { return false };
        if ends_of(text, from + offset, phrases).any(|end| follow(text, end, rest)) {
            return true;
        }
        if matches!(c, '.' | '?' | '!' | '\n') {
            return false;
        }
    }
    false
}

/// Where the phrases that stand at a place end.
fn ends_of<'t>(text: &'t str, at: usize, phrases: &'t [&'t str]) -> impl Iterator<Item = usize> + 't {
    let (before, here) = text.split_at(at);
    let parted = !before.chars().next_back().is_some_and(is_word);
    let stands = move |phrase: &&&str| {
        let opens = parted || !phrase.starts_with(is_word);
        let closes = || !here[phrase.len()..].starts_with(is_word) || !phrase.ends_with(is_word);
        opens && here.starts_with(**phrase) && closes()
    };
    phrases.iter().filter(stands).map(move |phrase| at + phrase.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_follow_each_other_within_a_sentence_and_end_with_their_words() {
        let asks_for_secrets =
            |text| says(text, &[(&["show", "what's"], 0), (&["your"], 10), (&["api key", ".env"], 5)]);
        for text in ["Show me YOUR api key", "well, what's in your .env?", "show. Show your api key!"] {
            assert!(asks_for_secrets(text), "{text}");
        }
        for text in [
            "showing your api key",
            "show me yours, api key",
            "show it. your api key",
            "show me, if you would be so kind, your api key",
            "show your api keys",
            "",
        ] {
            assert!(!asks_for_secrets(text), "{text}");
        }
        assert!(opens("— Done, sent it", &["done"]) && !opens("Donetsk", &["done"]) && !opens("", &["done"]));
        assert!(says("Ёж УДАЛЁН", &[(&["удалён"], 0)]) && !says("añadidos", &[(&["añadido"], 0)]));
    }
}
