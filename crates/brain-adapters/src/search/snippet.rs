//! Snippets: a piece of a text around the words that were found.

use unicode_segmentation::UnicodeSegmentation;

use super::text;
use brain_language::language::terms;

/// The piece of at most so many characters in which most different words stand; the beginning when none does.
pub(super) fn snippet(text: &str, forms: &[String], chars_max: usize) -> String {
    let words: Vec<&str> = text.split_word_bounds().collect();
    let found: Vec<Option<usize>> = words.iter().map(|word| which(word, forms)).collect();
    let mut best = (0, 0);
    for start in (0..words.len()).filter(|at| found[*at].is_some()) {
        let mut left = chars_max;
        let mut seen = std::collections::BTreeSet::new();
        for (word, found) in words[start..].iter().zip(&found[start..]) {
            let length = word.chars().count();
            if length > left {
                break;
            }
            left -= length;
            seen.extend(*found);
        }
        if seen.len() > best.0 {
            best = (seen.len(), start);
        }
    }
    // A few words before the first one, so that it reads.
    let mut start = best.1;
    let mut before = chars_max / 4;
    while start > 0 && words[start - 1].chars().count() <= before {
        start -= 1;
        before -= words[start].chars().count();
    }
    let mut piece = String::new();
    let mut left = chars_max;
    for word in &words[start..] {
        let length = word.chars().count();
        if length > left {
            break;
        }
        left -= length;
        piece.push_str(word);
    }
    piece.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which of the forms a word has.
fn which(word: &str, forms: &[String]) -> Option<usize> {
    if forms.is_empty() || !word.chars().any(char::is_alphanumeric) {
        return None;
    }
    let folded = terms::fold(word);
    let own = text::sought(&folded);
    forms.iter().position(|form| own.contains(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_where_most_of_the_words_are() {
        let text = "Invoice. ".to_owned() + &"Lorem ipsum dolor. ".repeat(20) + "The invoice of ACME is due on Friday.";
        let forms = ["invoic", "acme"].map(str::to_owned);
        let piece = snippet(&text, &forms, 60);
        assert!(piece.contains("invoice of ACME") && piece.chars().count() <= 60, "{piece}");
        assert_eq!(snippet("Hello there", &[], 5), "Hello");
    }
}
