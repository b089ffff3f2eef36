//! The text as it grows: gaps between blocks, indented lists, and spans that begin with their first character.

use super::{Formatted, Span, Style};
use crate::core::text::utf16_len;
use crate::limits;

/// Text and spans so far.
#[derive(Debug, Default)]
pub(super) struct MarkupWriter {
    out: Formatted,
    utf16: usize,
    open: Vec<OpenMarkup>,
    /// Of everything begun and not ended, whether it is among the open ones; see [`MarkupWriter::begin`].
    begun: Vec<bool>,
    /// Line ends wanted before the next character.
    gap: usize,
    /// Width of each list the text stands in.
    lists: Vec<usize>,
    /// What begins the item, until its first character does.
    bullet: Option<String>,
}

/// Begun, and not ended yet.
#[derive(Debug)]
struct OpenMarkup {
    style: Style,
    /// UTF-16 units and bytes, once it has a first character.
    since: Option<(usize, usize)>,
}

impl MarkupWriter {
    pub fn finish(self) -> Formatted {
        self.out.tidied()
    }

    /// At least so many line ends before what comes next.
    pub fn gap(&mut self, lines: usize) {
        self.gap = self.gap.max(lines);
    }

    /// The gap between blocks: less inside a list.
    pub fn block(&mut self) {
        if self.bullet.is_none() {
            self.gap(if self.lists.is_empty() { 2 } else { 1 });
        }
    }

    /// A list that nests too deep goes on in the one around it, and an item that holds nothing else gives its bullet
    /// to that.
    pub fn begin_list(&mut self, width: usize) {
        if self.bullet.is_some() && self.lists.len() < limits::MARKDOWN_LISTS_MAX {
            self.place();
        }
        self.block();
        self.lists.push(width);
    }

    pub fn end_list(&mut self) {
        self.lists.pop();
        self.block();
    }

    pub fn depth(&self) -> usize {
        self.lists.len()
    }

    pub fn begin_item(&mut self, bullet: String) {
        self.gap(1);
        self.bullet = Some(bullet);
    }

    /// Another sign in place of the bullet.
    pub fn tick(&mut self, sign: &str) {
        match &mut self.bullet {
            Some(bullet) => *bullet = sign.to_owned(),
            None => self.push(sign),
        }
    }

    /// An item without words still has its bullet.
    pub fn end_item(&mut self) {
        if self.bullet.is_some() {
            self.place();
        }
        self.gap(1);
    }

    /// Begins a span. Inside one of its kind it would say nothing new and is none; so few are ever open. A link is
    /// one in any case: whoever begins links sees to their depth.
    pub fn begin(&mut self, style: Style) {
        let is_new =
            matches!(style, Style::Link { .. }) || !self.open.iter().any(|open| same_kind(&open.style, &style));
        self.begun.push(is_new);
        if is_new {
            self.open.push(OpenMarkup { style, since: None });
        }
    }

    /// Ends what was begun last.
    pub fn end(&mut self) {
        if let Some(open) = self.ended() {
            self.cover(open);
        }
    }

    /// Ends a quote, which was begun last.
    pub fn end_quote(&mut self) {
        if let Some(open) = self.ended() {
            let folded = open.since.is_some_and(|(start, _)| self.utf16 - start > limits::QUOTE_UTF16_OPEN);
            self.cover(OpenMarkup { style: Style::Quote { folded }, ..open });
        }
    }

    /// Ends what was begun last, which turned out to be something else, or nothing.
    pub fn end_as(&mut self, style: Option<Style>) {
        if let (Some(open), Some(style)) = (self.ended(), style) {
            self.cover(OpenMarkup { style, ..open });
        }
    }

    fn ended(&mut self) -> Option<OpenMarkup> {
        self.begun.pop().filter(|is_open| *is_open).and_then(|_| self.open.pop())
    }

    /// The words of what was begun last, so far.
    pub fn words(&self) -> &str {
        self.open.last().and_then(|open| open.since).map_or("", |(_, byte)| &self.out.text[byte..])
    }

    pub fn is_in_link(&self) -> bool {
        self.open.iter().any(|open| matches!(open.style, Style::Link { .. }))
    }

    /// Adds text as it stands, apart from what nobody can see and Telegram would take out.
    pub fn push(&mut self, text: &str) {
        self.put(text, |_| true);
    }

    /// Adds code, which holds nothing else: stress around it ends before it and goes on behind.
    pub fn push_code(&mut self, code: &str, style: Style) {
        if self.is_in_link() {
            return self.push(code);
        }
        for index in 0..self.open.len() {
            if is_emphasis(&self.open[index].style)
                && let Some(since) = self.open[index].since.take()
            {
                self.cover(OpenMarkup { style: self.open[index].style.clone(), since: Some(since) });
            }
        }
        self.begin(style);
        self.put(code, |style| !is_emphasis(style));
        self.end();
    }

    /// Adds text to what is open and `marked`.
    fn put(&mut self, text: &str, marked: fn(&Style) -> bool) {
        let text = shown(text);
        if text.is_empty() {
            return;
        }
        self.place();
        let here = (self.utf16, self.out.text.len());
        for open in self.open.iter_mut().filter(|open| marked(&open.style)) {
            open.since.get_or_insert(here);
        }
        self.write(&text);
    }

    /// The span of what has just ended. A link inside a link leads nowhere of its own.
    fn cover(&mut self, OpenMarkup { style, since }: OpenMarkup) {
        let is_inside = self.open.iter().any(|outer| outer.since.is_some() && same_kind(&outer.style, &style));
        if let (Some((start, _)), false) = (since, is_inside)
            && start < self.utf16
        {
            self.out.spans.push(Span { start_utf16: start, len_utf16: self.utf16 - start, style });
        }
    }

    /// Writes what stands before the next character: line ends, indentation, a bullet.
    fn place(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if gap == 0 && self.bullet.is_none() {
            return;
        }
        if !self.out.text.is_empty() {
            self.write(&"\n".repeat(gap.max(1)));
        }
        let bullet = self.bullet.take();
        let levels = self.lists.len() - usize::from(bullet.is_some()).min(self.lists.len());
        let indent: usize = self.lists[..levels.min(limits::MARKDOWN_LISTS_MAX)].iter().sum();
        self.write(&" ".repeat(indent));
        self.write(&bullet.unwrap_or_default());
    }

    fn write(&mut self, text: &str) {
        self.out.text.push_str(text);
        self.utf16 += utf16_len(text);
    }
}

fn is_emphasis(style: &Style) -> bool {
    match style {
        Style::Bold | Style::Italic | Style::Strike => true,
        Style::Quote { .. } | Style::Link { .. } | Style::Code | Style::Pre { .. } => false,
    }
}

fn same_kind(one: &Style, other: &Style) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// Text without what nobody can see and Telegram would take out.
pub(super) fn shown(text: &str) -> String {
    text.chars().filter_map(seen).collect()
}

/// Control characters and what turns the direction of text around are left out; joiners and marks that scripts
/// need stay.
fn seen(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => Some(c),
        '\u{2028}' | '\u{2029}' | '\u{85}' => Some('\n'),
        '\u{202A}'..='\u{202E}' | '\u{FEFF}' => None,
        _ => (!c.is_control()).then_some(c),
    }
}
