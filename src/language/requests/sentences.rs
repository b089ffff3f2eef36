//! Where a sentence ends: not inside quotation marks, not behind "dr.", and not before the number that was asked to be saved.

use std::ops::Range;

use super::annotated::AnnotatedText;
use super::text::Mark;
use crate::language::tokens::lower;

/// Token ranges between stops; quoted text is not divided.
pub(super) fn sentences(heard: &AnnotatedText) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    for (at, token) in heard.tokens.iter().enumerate() {
        let text = &heard.text[token.span.clone()];
        quoted = match text {
            "\"" => !quoted,
            "“" | "„" | "«" => true,
            "”" | "»" => false,
            _ => quoted,
        };
        let divides = token.mark == Mark::Stop && !is_inner_stop(heard, at) && !details_follow(heard, at);
        if divides && !quoted && heard.hidden_by(at).is_none() {
            out.push(start..at);
            start = at + 1;
        }
    }
    out.push(start..heard.tokens.len());
    out.retain(|range| !heard.live(range.clone()).is_empty() || !heard.times_in(range).is_empty());
    out
}

/// "Can you add Tasha to my contacts? 443-555-0199".
fn details_follow(heard: &AnnotatedText, at: usize) -> bool {
    const DIGITS_MIN: usize = 7;
    let (mark, behind) = heard.text[heard.tokens[at].span.start..].split_at(heard.tokens[at].span.len());
    let first = behind.split_whitespace().next().unwrap_or_default();
    let is_number = first.chars().filter(char::is_ascii_digit).count() >= DIGITS_MIN;
    mark == "?" && (is_number || first.find('@').is_some_and(|i| i > 0))
}

/// The stop of "dr. Smith" or "e.g.": glued to a letter on the right, or after an abbreviation.
fn is_inner_stop(heard: &AnnotatedText, at: usize) -> bool {
    let token = &heard.tokens[at];
    if &heard.text[token.span.clone()] != "." {
        return false;
    }
    let glued = heard.text[token.span.end..].chars().next().is_some_and(char::is_alphanumeric);
    let before = at.checked_sub(1).map(|i| lower(heard.typed(i)));
    glued
        || before.is_some_and(|word| {
            matches!(word.as_str(), "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "approx" | "nr" | "bzw")
        })
}
