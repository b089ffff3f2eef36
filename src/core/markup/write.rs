//! The text as it grows: gaps between blocks, indented lists, and spans that begin with their first character.

use super::{Formatted, Span, Style};
use crate::core::text::utf16_len;

/// Text and spans so far.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: Formatted,
    utf16: usize,
    open: Vec<Open>,
    /// Line ends wanted before the next character.
    gap: usize,
    /// Width of each list the text stands in.
    lists: Vec<usize>,
    /// What begins the item, until its first character does.
    bullet: Option<String>,
}

/// Begun, and not ended yet.
#[derive(Debug)]
struct Open {
    style: Style,
    /// UTF-16 units and bytes, once it has a first character.
    since: Option<(usize, usize)>,
}

impl Writer {
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

    pub fn begin_list(&mut self, width: usize) {
        if self.bullet.is_some() {
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

    pub fn begin(&mut self, style: Style) {
        self.open.push(Open { style, since: None });
    }

    /// Ends what was begun last.
    pub fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.cover(open);
        }
    }

    /// Ends what was begun last, which turned out to be something else, or nothing.
    pub fn end_as(&mut self, style: Option<Style>) {
        if let (Some(open), Some(style)) = (self.open.pop(), style) {
            self.cover(Open { style, ..open });
        }
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
                self.cover(Open { style: self.open[index].style.clone(), since: Some(since) });
            }
        }
        self.begin(style);
        self.put(code, |style| !is_emphasis(style));
        self.end();
    }

    /// Adds text to what is open and `marked`.
    fn put(&mut self, text: &str, marked: fn(&Style) -> bool) {
        let text: String = text.chars().filter_map(seen).collect();
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

    /// The span of what has just ended. Inside one of its kind it says nothing new.
    fn cover(&mut self, Open { style, since }: Open) {
        let outer = self.open.iter().filter(|outer| outer.since.is_some() && same_kind(&outer.style, &style));
        if let (Some((start, _)), 0) = (since, outer.count())
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
        let indent: usize = self.lists[..levels].iter().sum();
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
