//! Changes of single lines, with every other byte as it was.

use std::ops::Range;

use super::blocks::{Block, ContentLine};

/// Octets of a line before it is folded (RFC 5545 §3.1).
const LINE_OCTETS: usize = 75;

/// What is to change of a text.
#[derive(Debug, Clone)]
pub struct Patch<'t> {
    text: &'t str,
    line_break: &'static str,
    cuts: Vec<(Range<usize>, String)>,
}

impl<'t> Patch<'t> {
    /// Nothing yet.
    pub fn new(text: &'t str) -> Self {
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Self { text, line_break, cuts: Vec::new() }
    }

    /// The component has one line of this name, this one; `None`: it has none.
    pub fn set(&mut self, block: &Block, name: &str, line: Option<&str>) {
        let mut lines = block.all(name);
        match (lines.next(), line) {
            (Some(first), Some(line)) if same(first, line) => {}
            (Some(first), Some(line)) => self.cut(first.span.clone(), self.broken(line)),
            (Some(first), None) => self.cut(first.span.clone(), String::new()),
            (None, Some(line)) => self.add(block, line),
            (None, None) => {}
        }
        for further in lines {
            self.cut(further.span.clone(), String::new());
        }
    }

    /// The component has this line, too.
    pub fn add(&mut self, block: &Block, line: &str) {
        // Before what lies in it: some programs read a component's own lines only so far.
        let at = block.blocks.first().map_or(block.end, |inner| inner.span.start);
        self.cut(at..at, self.broken(line));
    }

    /// This line is another one, or gone.
    pub fn replace(&mut self, line: &ContentLine, with: Option<&str>) {
        let with = with.map(|with| self.broken(with)).unwrap_or_default();
        self.cut(line.span.clone(), with);
    }

    /// The component goes.
    pub fn remove(&mut self, block: &Block) {
        self.cut(block.span.clone(), String::new());
    }

    /// One more component in this one, behind those that are there: whole lines, with the line breaks of this text.
    pub fn insert(&mut self, into: &Block, component: &str) {
        self.cut(into.end..into.end, component.to_owned());
    }

    /// A line as this text has them.
    pub fn broken(&self, line: &str) -> String {
        folded(line, self.line_break)
    }

    /// Nothing changes.
    pub fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// This text takes the place of what stands there.
    pub fn cut(&mut self, span: Range<usize>, with: String) {
        self.cuts.push((span, with));
    }

    /// The text with all of that. Of two changes of one place both stand, in the order in which they were made.
    pub fn apply(mut self) -> String {
        self.cuts.sort_by_key(|(span, _)| span.start);
        let mut changed = String::with_capacity(self.text.len() + 256);
        let mut at = 0;
        for (span, with) in self.cuts {
            if span.start >= at {
                changed.push_str(&self.text[at..span.start]);
                at = span.start;
            }
            changed.push_str(&with);
            at = at.max(span.end);
        }
        changed.push_str(&self.text[at..]);
        changed
    }
}

fn same(line: &ContentLine, text: &str) -> bool {
    text.strip_prefix(line.head()).is_some_and(|value| value == line.value())
}

/// A content line, folded, with its line break. What would end a line inside of it is left out.
pub fn folded(line: &str, line_break: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut octets = 0;
    for c in line.chars().filter(|c| *c == '\t' || !c.is_control()) {
        if octets + c.len_utf8() > LINE_OCTETS {
            out.push_str(line_break);
            out.push(' ');
            octets = 1;
        }
        out.push(c);
        octets += c.len_utf8();
    }
    out.push_str(line_break);
    out
}

/// Words as the value of a line of type TEXT (RFC 5545 §3.3.11).
pub fn text_value(words: &str) -> String {
    let mut value = String::with_capacity(words.len() + 8);
    for c in words.replace("\r\n", "\n").chars() {
        match c {
            '\\' | ';' | ',' => value.extend(['\\', c]),
            '\n' | '\r' => value.push_str("\\n"),
            c if c.is_control() && c != '\t' => {}
            c => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::blocks;
    use super::*;

    const TEXT: &str = "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Old\r\n name\r\nX-MINE;a=b:c\r\nLOCATION:here\r\nLOCATION:there\r\n\
                        BEGIN:VALARM\r\nSUMMARY:stays\r\nEND:VALARM\r\nEND:VEVENT\r\n";

    #[test]
    fn only_what_is_changed_changes() {
        let event = &blocks(TEXT).unwrap()[0];
        let mut patch = Patch::new(TEXT);
        patch.set(event, "SUMMARY", Some("SUMMARY:New"));
        patch.set(event, "LOCATION", None);
        patch.set(event, "UID", Some("UID:1"));
        patch.set(event, "SEQUENCE", Some("SEQUENCE:1"));
        let expected = "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:New\r\nX-MINE;a=b:c\r\nSEQUENCE:1\r\n\
                        BEGIN:VALARM\r\nSUMMARY:stays\r\nEND:VALARM\r\nEND:VEVENT\r\n";
        assert_eq!(patch.apply(), expected);
        let mut patch = Patch::new(TEXT);
        patch.remove(&event.blocks[0]);
        patch.insert(event, "BEGIN:VALARM\r\nEND:VALARM\r\n");
        assert!(patch.apply().ends_with("LOCATION:there\r\nBEGIN:VALARM\r\nEND:VALARM\r\nEND:VEVENT\r\n"));
        assert_eq!(Patch::new(TEXT).apply(), TEXT);
    }

    #[test]
    fn long_lines_are_folded_between_characters_and_nothing_breaks_out() {
        let line = format!("SUMMARY:{}", "ä".repeat(100));
        let folded = folded(&line, "\r\n");
        assert!(folded.lines().all(|part| part.len() <= LINE_OCTETS), "{folded}");
        assert_eq!(blocks(&format!("BEGIN:X\r\n{folded}END:X\r\n")).unwrap()[0].lines[0].value(), "ä".repeat(100));
        assert_eq!(text_value("a,b;c\\d\r\ne\u{7}\nEND:VEVENT"), "a\\,b\\;c\\\\d\\ne\\nEND:VEVENT");
        assert_eq!(super::folded("A:b\r\nEND:VEVENT", "\n"), "A:bEND:VEVENT\n");
    }
}
