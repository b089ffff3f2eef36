//! A formatted text without some of its sentences, or below a line of its own.

use std::ops::Range;

use super::split::sentences;
use super::{Formatted, Span, utf16_len};

impl Formatted {
    /// Below a line of plain text, an empty line between them; the line alone when there is nothing to see.
    #[must_use]
    pub fn below(mut self, line: &str) -> Self {
        if super::is_blank(&self.text) {
            return Self::plain(line);
        }
        let above = format!("{line}\n\n");
        let by = utf16_len(&above);
        for span in &mut self.spans {
            span.start_utf16 += by;
        }
        Self { text: above + &self.text, spans: self.spans }
    }

    /// Without the sentences that `leaves_out` names, and the signs (a bullet, a tick) that stood beside them alone.
    #[must_use]
    pub fn without_sentences(&self, leaves_out: impl Fn(&str) -> bool) -> Self {
        let sentences = sentences(&self.text);
        let named: Vec<bool> = sentences.iter().map(|range| leaves_out(&self.text[range.clone()])).collect();
        let is_named = |at: Option<usize>| at.is_some_and(|at| named.get(at) == Some(&true));
        let has_words = |range: &Range<usize>| self.text[range.clone()].chars().any(char::is_alphanumeric);
        let is_bullet = |range: &Range<usize>| !self.text[range.clone()].chars().any(char::is_alphabetic);
        let kept = sentences.iter().enumerate().filter(|(at, range)| {
            let bullet_of_it = is_bullet(range) && is_named(at.checked_add(1));
            let sign_behind_it = !has_words(range) && is_named(at.checked_sub(1));
            !(is_named(Some(*at)) || bullet_of_it || sign_behind_it)
        });
        self.only(kept.map(|(_, range)| range.clone()))
    }

    /// Without the signs of receipts and cards that sentences begin with: they tell people that code says what follows.
    #[must_use]
    pub fn without_signs(&self) -> Self {
        let signs = |range: &Range<usize>| {
            let sentence = &self.text[range.clone()];
            let rest = sentence.trim_start_matches(|c: char| is_sign(c) || c.is_whitespace());
            let has_sign = sentence.trim_start().starts_with(is_sign);
            if has_sign && rest.contains(char::is_alphanumeric) { sentence.len() - rest.len() } else { 0 }
        };
        let kept = sentences(&self.text).into_iter().map(|range| range.start + signs(&range)..range.end);
        self.only(kept)
    }

    /// Only these parts of the text, given in order, in bytes.
    fn only(&self, kept: impl Iterator<Item = Range<usize>>) -> Self {
        let mut text = String::new();
        let mut parts: Vec<KeptSpan> = Vec::new();
        // Units and bytes counted so far, before and behind.
        let (mut byte, mut utf16, mut to) = (0, 0, 0);
        for range in kept {
            utf16 += utf16_len(&self.text[byte..range.start]);
            let len = utf16_len(&self.text[range.clone()]);
            parts.push(KeptSpan { from: utf16..utf16 + len, to });
            byte = range.end;
            utf16 += len;
            to += len;
            text.push_str(&self.text[range]);
        }
        // What a span loses in its middle closes up: it stays one.
        let moved = |span: &Span| {
            let first = parts.get(parts.partition_point(|part| part.from.end <= span.start_utf16))?;
            let last = &parts[parts.partition_point(|part| part.from.start < span.end_utf16()).checked_sub(1)?];
            let start = first.to + span.start_utf16.saturating_sub(first.from.start);
            let end = last.to + span.end_utf16().min(last.from.end) - last.from.start;
            (start < end).then(|| Span { start_utf16: start, len_utf16: end - start, style: span.style.clone() })
        };
        let spans = self.spans.iter().filter_map(moved).collect();
        Self { text, spans }.tidied()
    }
}

/// What receipts, cards and code's own remarks begin with, and what shapes it.
const SIGNS: &str = "✅❗❓❔❌✖✔☑☐⏳⌛⏰⏹🚫↩✏✋⚠ℹ▫🔵📨📝📅🗓🗒📌🗑🧠👤🔁💤🔎🔍📬📭\u{fe0f}";

fn is_sign(c: char) -> bool {
    SIGNS.contains(c)
}

/// A part of a text that is kept, in UTF-16 units.
struct KeptSpan {
    /// Where it stood.
    from: Range<usize>,
    /// Where it begins now.
    to: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, named: &str, want: &str) {
        let left = Formatted::read(markdown, "").without_sentences(|sentence| sentence.contains(named));
        assert_eq!(left, Formatted::read(want, ""), "{markdown}");
    }

    #[test]
    fn a_long_text_is_gone_through_once() {
        let line = "**Kept** here. This is left *out*. ";
        let left = Formatted::read(&line.repeat(1_000), "").without_sentences(|sentence| sentence.contains("out"));
        let want = Formatted::read(&"**Kept** here. ".repeat(1_000), "");
        assert_eq!(left, want);
        let plain = Formatted::plain(line.repeat(20_000)).without_sentences(|sentence| sentence.contains("out"));
        assert_eq!(plain.text.matches("here").count(), 20_000);
    }

    #[test]
    fn a_sentence_goes_with_its_bullet_and_what_stands_out_stays_in_place() {
        check("One *two*. Three **four**! Five.", "Three", "One *two*. Five.");
        check("Ein 😀 **a**. Zwei **b**. Drei **c**.", "Zwei", "Ein 😀 **a**. Drei **c**.");
        check("First **bold. Second**.", "First", "**Second**.");
        check("Gone! ✅\n\nHere.", "Gone", "Here.");
        check("Gone! ✅", "Gone", "");
        check("Here.\n\nGone.\n\nThere.", "Gone", "Here.\n\nThere.");
        check("Nothing goes.", "x", "Nothing goes.");
    }

    #[test]
    fn a_sentence_begins_with_no_sign_and_ends_with_any() {
        let check = |markdown: &str, want: &str| assert_eq!(Formatted::read(markdown, "").without_signs().text, want);
        check("✅ Forwarded to Bob.", "Forwarded to Bob.");
        check("Good morning! ☀️ Sleep well? 📨 **To Bob**: hi", "Good morning! ☀️ Sleep well? To Bob: hi");
        check("One.\n✔️ Two.\n\n🗑 Three.", "One.\nTwo.\n\nThree.");
        check("☀️ Good morning! 👋🏽 Hi.", "☀️ Good morning! 👋🏽 Hi.");
        check("Sent! ✅", "Sent! ✅");
        check("• one\n• two", "• one\n• two");
        check("12 → 13", "12 → 13");
    }

    #[test]
    fn a_line_stands_above() {
        let below = Formatted::read("a **b**", "").below("Ein 😀");
        assert_eq!(below.text, "Ein 😀\n\na b");
        assert_eq!(below.spans[0].start_utf16, utf16_len("Ein 😀\n\na "));
        assert_eq!(Formatted::plain(" ").below("Alone").text, "Alone");
    }
}
