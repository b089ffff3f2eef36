//! One formatted text in several messages: cut at an empty line, a line end, a sentence, a word, and only then
//! between two visible characters; spans that cross a border go on behind it.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Formatted, Span, is_blank};
use crate::core::text::{prefix_within, utf16_len};

/// See [`Formatted::split`]. Parts without anything to see are left out.
pub(super) fn split(whole: Formatted, utf16_max: usize, spans_max: usize) -> impl Iterator<Item = Formatted> {
    let mut rest = Some(whole.tidied());
    let parts = std::iter::from_fn(move || {
        let whole = rest.take()?;
        match border(&whole, utf16_max, spans_max) {
            Some(border) => {
                let (head, tail) = cut(whole, border);
                rest = Some(tail);
                Some(head)
            }
            None => Some(whole),
        }
    });
    parts.filter(|part| !is_blank(&part.text))
}

/// Both sides of a border, given in bytes.
fn cut(whole: Formatted, border: usize) -> (Formatted, Formatted) {
    let (before, behind) = whole.text.split_at(border);
    let at = utf16_len(before);
    let end = at + utf16_len(behind);
    let within = |range: Range<usize>| {
        whole.spans.iter().filter_map(move |span| {
            let start = span.start_utf16.max(range.start);
            let end = span.end_utf16().min(range.end);
            let part = Span { start_utf16: start - range.start, len_utf16: end.checked_sub(start)?, ..span.clone() };
            (part.len_utf16 > 0).then_some(part)
        })
    };
    let head = Formatted { text: before.to_owned(), spans: within(0..at).collect() };
    let tail = Formatted { text: behind.to_owned(), spans: within(at..end).collect() };
    (head.tidied(), tail.tidied())
}

/// How good a place for a border is; the best one late enough is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BorderQuality {
    Paragraph,
    Line,
    Sentence,
    Word,
}

/// In this order; a border outside of links and code comes before one inside.
const ORDER: [(BorderQuality, bool); 7] = [
    (BorderQuality::Paragraph, false),
    (BorderQuality::Line, false),
    (BorderQuality::Sentence, false),
    (BorderQuality::Line, true),
    (BorderQuality::Word, false),
    (BorderQuality::Paragraph, true),
    (BorderQuality::Word, true),
];

/// Where to cut, in bytes; `None` when it fits as it is. Never 0.
fn border(text: &Formatted, utf16_max: usize, spans_max: usize) -> Option<usize> {
    let fits = utf16_len(&text.text) <= utf16_max;
    let first_too_many = text.spans.get(spans_max).map(|span| span.start_utf16);
    if fits && first_too_many.is_none() {
        return None;
    }
    let max = first_too_many.map_or(utf16_max, |start| start.clamp(1, utf16_max));
    let limit = prefix_within(&text.text, max);
    let borders = borders(&text.text, limit);
    let inside = |utf16: usize| {
        let mut before = text.spans.iter().take_while(|span| span.start_utf16 < utf16);
        before.any(|span| span.style.keeps_together() && utf16 < span.end_utf16())
    };
    let latest = |(kind, may_be_inside): (BorderQuality, bool)| {
        let mut fitting = borders.iter().rev().filter(|border| border.kind == kind && border.byte > limit / 3);
        fitting.find(|border| may_be_inside || !inside(border.utf16)).map(|border| border.byte)
    };
    Some(ORDER.into_iter().find_map(latest).unwrap_or(limit))
}

/// The sentences of a text, in bytes, each with the white space behind it.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let ends = borders(text, text.len()).into_iter().filter(|border| border.kind != BorderQuality::Word);
    // The white space behind a sentence goes with it.
    let next = |byte: usize| text.len() - text[byte..].trim_start().len();
    let starts: Vec<usize> = std::iter::once(0).chain(ends.map(|border| next(border.byte))).collect();
    let until = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(until).map(|(start, end)| start..end).filter(|range| !range.is_empty()).collect()
}

#[derive(Debug)]
struct TextBorder {
    kind: BorderQuality,
    byte: usize,
    utf16: usize,
}

/// Whether a full stop behind a number ends no sentence: "am 5. Januar".
fn is_ordinal(before: &str, after: &str) -> bool {
    let number = before.strip_suffix('.').unwrap_or_default();
    let digits = number.len() - number.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let is_within = number[..number.len() - digits].ends_with(char::is_whitespace);
    (1..=2).contains(&digits) && is_within && after.starts_with(char::is_alphabetic)
}

/// Every place up to `limit` at which white space begins.
fn borders(text: &str, limit: usize) -> Vec<TextBorder> {
    let mut borders = Vec::new();
    let mut utf16 = 0;
    let mut before = "";
    let mut ended = false;
    for (byte, grapheme) in text.grapheme_indices(true).take_while(|(byte, _)| *byte <= limit) {
        let is_space = is_space(grapheme);
        if is_space && !is_space_or_start(before) {
            let rest = &text[byte..];
            let spaces = &rest[..rest.len() - rest.trim_start().len()];
            let kind = match spaces.matches('\n').count() {
                0 if ended && !is_ordinal(&text[..byte], rest.trim_start()) => BorderQuality::Sentence,
                0 => BorderQuality::Word,
                1 => BorderQuality::Line,
                _ => BorderQuality::Paragraph,
            };
            borders.push(TextBorder { kind, byte, utf16 });
        }
        if ["。", "！", "？"].contains(&before) && !is_space {
            borders.push(TextBorder { kind: BorderQuality::Sentence, byte, utf16 });
        }
        if !is_space {
            ended = ends_sentence(grapheme) || (ended && [")", "\"", "”", "’", "'", "»"].contains(&grapheme));
        }
        utf16 += utf16_len(grapheme);
        before = grapheme;
    }
    borders
}

fn is_space(grapheme: &str) -> bool {
    grapheme.chars().all(char::is_whitespace)
}

fn is_space_or_start(grapheme: &str) -> bool {
    grapheme.is_empty() || is_space(grapheme)
}

fn ends_sentence(grapheme: &str) -> bool {
    [".", "!", "?", "…", "。", "！", "？", "؟", "।"].contains(&grapheme)
}
