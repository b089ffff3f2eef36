//! How alike two words are: the same, one the beginning of the other, or one a slip of the other.
//!
//! Words come folded, usually as stems. A slip is one edit behind the same first letter, or enough shared trigrams
//! (Dice); whoever compares tries slips only where nothing else was found. What begins with a digit is no slip of
//! anything: another number is another thing.
//! Deliberately not here: what is searched, and what a likeness is worth beside others.

use super::words;

/// What the same word is worth.
pub const SAME: f32 = 1.0;
/// What the beginning of a word is worth beside the whole.
pub const BEGINNING: f32 = 0.85;
/// Shortest beginning that counts.
pub const BEGINNING_CHARS: usize = 3;
/// Shortest word that may be a slip, or have one.
const SLIP_CHARS: usize = 4;
/// Shared trigrams (Dice) from which a word may be a slip of another.
const SLIP_DICE: f32 = 0.45;

/// True when the first is a beginning of the second that is long enough to mean it.
pub fn begins(short: &str, long: &str) -> bool {
    long.starts_with(short) && short.chars().count() >= BEGINNING_CHARS
}

/// True for words that may be a slip of another, or have one.
pub fn may_slip(word: &str) -> bool {
    word.chars().count() >= SLIP_CHARS && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// How alike two different words are when one may be a misspelling of the other.
pub fn slip(a: &str, b: &str) -> Option<f32> {
    if !may_slip(a) || !may_slip(b) {
        return None;
    }
    let dice = dice(a, b);
    // Hardly anybody mistypes the first letter; words that differ there are two words.
    let edit = a.chars().next() == b.chars().next() && words::distance(a, b, 1).is_some();
    (edit || dice >= SLIP_DICE).then_some((dice * 0.9).max(0.7))
}

/// Shared trigrams of two words: 0 for none, 1 for all.
fn dice(a: &str, b: &str) -> f32 {
    let (a, b) = (trigrams(a), trigrams(b));
    let shared = a.iter().filter(|three| b.binary_search(three).is_ok()).count();
    2.0 * shared as f32 / (a.len() + b.len()) as f32
}

/// The trigrams of a word with its ends marked, sorted, each once: pairs of words come by the thousand, and a sorted
/// list of so few is quicker to make than a set.
fn trigrams(word: &str) -> Vec<[char; 3]> {
    let mut last = [' '; 3];
    let next = |c| {
        last = [last[1], last[2], c];
        last
    };
    let mut trigrams: Vec<[char; 3]> = word.chars().chain([' ']).map(next).collect();
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_keeps_the_first_letter_or_most_of_the_word() {
        for (a, b) in [("dentits", "dentist"), ("quartely", "quarterly"), ("milk", "mlik"), ("entist", "dentist")] {
            assert!(slip(a, b).is_some_and(|likeness| likeness >= 0.7), "{a} {b}");
            assert_eq!(slip(a, b), slip(b, a));
        }
        for (a, b) in
            [("silk", "milk"), ("mik", "milk"), ("plumber", "dentist"), ("20231", "20232"), ("4711a", "711ab")]
        {
            assert_eq!(slip(a, b), None, "{a} {b}");
        }
    }

    #[test]
    fn a_beginning_has_three_letters() {
        assert!(begins("den", "dentist") && begins("dentist", "dentist"));
        assert!(!begins("de", "dentist") && !begins("dentist", "den"));
    }
}
