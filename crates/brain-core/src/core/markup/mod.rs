//! Text with parts that stand out: what a model phrased in markdown, as plain text plus spans over it.
//!
//! ```text
//! markdown ─► read (pulldown-cmark's events) ─► write (text, spans) ─► Formatted ─► split ─► messages
//! ```
//! Invariants: nothing here fails, whatever the markdown; reading it costs, and gives, little more than it is long,
//! however it nests (what nests in its own kind is not looked at again); no visible character gets lost; spans are in
//! bounds, sorted, never begin or end on white space or inside a character, and nest as Telegram wants it (a quote
//! holds anything, code holds nothing). Only a model's words are read as markdown: receipts, cards and people's own
//! titles are literal. Deliberately not here: HTML (shown as the text it is), and any channel's types.

mod gutter;
mod link;
mod read;
mod sentences;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod write;

pub use gutter::GUTTER;
use serde::{Deserialize, Serialize};

use super::text::{is_hidden, utf16_len};
use crate::limits;

/// Why a part of a text stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Style {
    /// Somebody else's words.
    Quote {
        /// Long ones are shown folded.
        folded: bool,
    },
    /// Leads somewhere.
    Link {
        /// `http` or `https`.
        url: String,
    },
    /// Strong words, and headings.
    Bold,
    /// Stressed words.
    Italic,
    /// Words that hold no more.
    Strike,
    /// A few characters of code.
    Code,
    /// Lines of code, and tables: every character takes the same width.
    Pre {
        /// As the fence named it.
        language: Option<String>,
    },
}

impl Style {
    /// Of two spans over the same words, the one with the lower rank holds the other.
    fn rank(&self) -> u8 {
        match self {
            Self::Quote { .. } => 0,
            Self::Link { .. } => 1,
            Self::Bold => 2,
            Self::Italic => 3,
            Self::Strike => 4,
            Self::Code => 5,
            Self::Pre { .. } => 6,
        }
    }

    /// Parts that read badly in two halves.
    fn keeps_together(&self) -> bool {
        match self {
            Self::Link { .. } | Self::Code | Self::Pre { .. } => true,
            Self::Quote { .. } | Self::Bold | Self::Italic | Self::Strike => false,
        }
    }
}

/// A part of a text that stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins, in UTF-16 units.
    pub start_utf16: usize,
    /// How long it is, likewise; never 0.
    pub len_utf16: usize,
    /// How it stands out.
    #[serde(flatten)]
    pub style: Style,
}

impl Span {
    fn end_utf16(&self) -> usize {
        self.start_utf16 + self.len_utf16
    }

    fn covers(&self, at_utf16: usize) -> bool {
        (self.start_utf16..self.end_utf16()).contains(&at_utf16)
    }

    /// What is left of it beside code, which holds nothing else: a quote goes on around it, stress before and behind
    /// it, and a link that crosses it is none.
    fn around(&self, code: &Span) -> Vec<Span> {
        let is_apart = self.end_utf16() <= code.start_utf16 || code.end_utf16() <= self.start_utf16;
        let is_in_parts = match self.style {
            Style::Quote { .. } => return vec![self.clone()],
            Style::Bold | Style::Italic | Style::Strike => true,
            Style::Link { .. } | Style::Code | Style::Pre { .. } => false,
        };
        if is_apart {
            return vec![self.clone()];
        }
        let parts = [(self.start_utf16, code.start_utf16), (code.end_utf16(), self.end_utf16())];
        let parts = parts.into_iter().filter(|(start, end)| is_in_parts && start < end);
        let part = |(start_utf16, end): (usize, usize)| Span {
            start_utf16,
            len_utf16: end - start_utf16,
            style: self.style.clone(),
        };
        parts.map(part).collect()
    }
}

/// A text and what stands out in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formatted {
    /// As people read it.
    pub text: String,
    /// Sorted by where they begin, the longer first.
    pub spans: Vec<Span>,
}

impl Formatted {
    /// Reads markdown; beyond [`limits::MARKDOWN_BYTES_MAX`] it stays as it stands. `given` is what its author was
    /// given to read: a link that says more than a host leads somewhere only when it stands in there.
    pub fn read(markdown: &str, given: &str) -> Self {
        let (start, rest) = markdown.split_at(end_of_start(markdown));
        let mut read = read::read(start, given).covered(given);
        // Markdown can come to nothing at all (an empty fence); its author still meant something.
        if is_blank(&read.text) {
            read = Self::plain(start.trim()).covered(given);
        }
        if !rest.trim().is_empty() {
            read.push("\n\n");
            read.push(&write::shown(rest.trim()));
            read = read.covered(given);
        }
        read
    }

    /// With the addresses in it that nobody gave its author as code, of which no channel makes links by itself: what
    /// they hold would be handed over by a tap.
    fn covered(mut self, given: &str) -> Self {
        let (mut byte, mut start_utf16) = (0, 0);
        for range in link::made_up(&self.text, given) {
            start_utf16 += utf16_len(&self.text[byte..range.start]);
            byte = range.start;
            let code = Span { start_utf16, len_utf16: utf16_len(&self.text[range]), style: Style::Code };
            let holds = |span: &Span| span.style.keeps_together() && span.covers(start_utf16);
            if !self.spans.iter().any(holds) {
                self.spans = self.spans.iter().flat_map(|span| span.around(&code)).chain([code.clone()]).collect();
            }
        }
        self.tidied()
    }

    /// Text as it stands.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), spans: Vec::new() }
    }

    /// Adds text as it stands.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds text that stands out as a whole.
    pub fn push_styled(&mut self, text: &str, style: Style) {
        if !text.is_empty() {
            let (start_utf16, len_utf16) = (utf16_len(&self.text), utf16_len(text));
            self.spans.push(Span { start_utf16, len_utf16, style });
            self.push(text);
        }
    }

    /// In messages of at most so many UTF-16 units and spans, one after the other: whoever needs few pays for few.
    /// What crosses a border goes on behind it.
    pub fn split(self, utf16_max: usize, spans_max: usize) -> impl Iterator<Item = Self> {
        split::split(self, utf16_max, spans_max)
    }

    /// Without white space around it, and with every span as its invariants say.
    fn tidied(self) -> Self {
        let text = self.text.trim();
        let cut = utf16_len(&self.text[..self.text.len() - self.text.trim_start().len()]);
        let units: Vec<u16> = text.encode_utf16().collect();
        let is_space = |at: usize| char::from_u32(u32::from(units[at])).is_some_and(char::is_whitespace);
        let mut spans = Vec::with_capacity(self.spans.len());
        for span in self.spans {
            let mut start = span.start_utf16.saturating_sub(cut);
            let mut end = span.end_utf16().saturating_sub(cut).min(units.len());
            while start < end && is_space(start) {
                start += 1;
            }
            while start < end && is_space(end - 1) {
                end -= 1;
            }
            if start < end {
                spans.push(Span { start_utf16: start, len_utf16: end - start, ..span });
            }
        }
        spans.sort_by_key(|span| (span.start_utf16, std::cmp::Reverse(span.len_utf16), span.style.rank()));
        Self { text: text.to_owned(), spans }
    }
}

/// Where the part of it ends that is read as markdown: all of it, or up to a line's end.
fn end_of_start(markdown: &str) -> usize {
    if markdown.len() <= limits::MARKDOWN_BYTES_MAX {
        return markdown.len();
    }
    let end = markdown.floor_char_boundary(limits::MARKDOWN_BYTES_MAX);
    markdown[..end].rfind('\n').map_or(end, |line| line + 1)
}

/// True when there is nothing to see: white space and characters without a shape.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_hidden(c))
}
