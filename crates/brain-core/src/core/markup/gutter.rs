//! What stands out, where there is plain text only, and text whose hidden characters are shown.

use super::{Formatted, Span, Style};
use crate::core::text::{is_plain, utf16_len, visible};

/// Begins every line of a quote in plain text.
pub const GUTTER: &str = "│ ";

impl Formatted {
    /// As plain text: every line of a quote begins with [`GUTTER`], whatever is in it.
    pub fn with_gutters(&self) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut utf16 = 0;
        let mut quotes = self.spans.iter().filter(|span| matches!(span.style, Style::Quote { .. })).peekable();
        let mut line_begins = true;
        for c in self.text.chars() {
            while quotes.next_if(|quote| quote.end_utf16() <= utf16).is_some() {}
            if let Some(quote) = quotes.peek().filter(|quote| quote.start_utf16 <= utf16)
                && (line_begins || quote.start_utf16 == utf16)
            {
                text.push_str(GUTTER);
            }
            text.push(c);
            line_begins = c == '\n';
            utf16 += c.len_utf16();
        }
        text
    }

    /// With every hidden character shown, as [`visible`] shows it; what stands out goes on standing out.
    #[must_use]
    pub fn visible(self) -> Self {
        if is_plain(&self.text) {
            return self;
        }
        let mut borders: Vec<usize> = self.spans.iter().flat_map(|span| [span.start_utf16, span.end_utf16()]).collect();
        borders.sort_unstable();
        borders.dedup();
        let (mut text, mut moved, mut done) = (String::new(), Vec::with_capacity(borders.len()), 0);
        for border in &borders {
            let at = byte_at(&self.text, *border);
            text.push_str(&visible(&self.text[done..at]));
            moved.push(utf16_len(&text));
            done = at;
        }
        text.push_str(&visible(&self.text[done..]));
        let place = |utf16: usize| borders.binary_search(&utf16).map_or(0, |index| moved[index]);
        let spans = self.spans.into_iter().map(|span| {
            let (start_utf16, end) = (place(span.start_utf16), place(span.end_utf16()));
            Span { start_utf16, len_utf16: end - start_utf16, ..span }
        });
        Self { text, spans: spans.collect() }
    }
}

/// The byte at which so many UTF-16 units have gone by.
fn byte_at(text: &str, utf16: usize) -> usize {
    let mut units = 0;
    let behind = text.char_indices().find(|(_, c)| {
        let is_behind = units >= utf16;
        units += c.len_utf16();
        is_behind
    });
    behind.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bold(text: &str, start_utf16: usize, len_utf16: usize) -> Formatted {
        Formatted { text: text.to_owned(), spans: vec![Span { start_utf16, len_utf16, style: Style::Bold }] }
    }

    #[test]
    fn what_stands_out_still_does_when_hidden_characters_are_shown() {
        let shown = bold("a\u{1b}😀b\u{202E}c", 2, 3).visible();
        assert_eq!(shown, bold("a⟨U+001B⟩😀b⟨U+202E⟩c", 9, 3));
        assert_eq!(bold("a\u{202E}c", 1, 1).visible(), bold("a⟨U+202E⟩c", 1, 8));
    }

    #[test]
    fn a_gutter_begins_every_line_of_a_quote_and_no_other() {
        let mut text = Formatted::plain("Before\n");
        text.push_styled("one\n\n│ two", Style::Quote { folded: false });
        text.push("\nafter");
        assert_eq!(text.with_gutters(), "Before\n│ one\n│ \n│ │ two\nafter");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_spans_hold_the_same_words(before in "\\PC{0,9}|[\u{0}-\u{1f}\u{E0041}]{1,3}", within in "a\\PC{0,9}b", after in "\\PC{0,9}") {
            let text = bold(&format!("{before}{within}{after}"), utf16_len(&before), utf16_len(&within)).visible();
            prop_assert!(is_plain(&text.text));
            let units: Vec<u16> = text.text.encode_utf16().collect();
            let Span { start_utf16, len_utf16, .. } = text.spans[0];
            prop_assert_eq!(String::from_utf16_lossy(&units[start_utf16..start_utf16 + len_utf16]), visible(&within));
        }
    }
}
