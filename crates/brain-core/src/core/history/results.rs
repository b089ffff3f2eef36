//! What the rounds of one turn have come to, for the next of them: the last results as they are, those before in short.

use super::summary::Compression;
use crate::core::text::shorten;
use crate::limits;

/// A result that is shortened keeps so many characters at least: what it is, and of what.
const CHARS_MIN: usize = 40;

/// These lines, oldest first, from so many on within the budget: the last ones whole, of the others the beginning. None
/// is left out, as a result that is not seen is sought again.
pub fn results_within(lines: &[String], compression: Compression) -> Vec<String> {
    let older = lines.len().saturating_sub(compression.recent);
    if lines.len() < compression.from || older == 0 {
        return lines.to_vec();
    }
    let (first, last) = lines.split_at(older);
    let taken: usize = last.iter().map(String::len).sum();
    let left = (compression.tokens * limits::TOKEN_BYTES).saturating_sub(taken);
    let each = (left / older).max(CHARS_MIN);
    first.iter().map(|line| shorten(line, each)).chain(last.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_rounds_take_two_fifths_less_and_the_last_ones_are_whole() {
        let lines: Vec<String> = (0..10).map(|n| format!("result {n}: {}", "x ".repeat(195))).collect();
        let bytes = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
        let short = results_within(&lines, Compression::ROUNDS);
        assert!(bytes(&short) * 100 <= bytes(&lines) * 61, "{} of {}", bytes(&short), bytes(&lines));
        assert_eq!(short[6..], lines[6..]);
        assert!(short.iter().enumerate().all(|(n, line)| line.starts_with(&format!("result {n}: "))));
        assert_eq!(results_within(&lines[..4], Compression::ROUNDS), lines[..4]);
    }
}
