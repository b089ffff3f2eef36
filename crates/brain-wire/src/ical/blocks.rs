//! Where the components of a text and their lines stand.

use std::ops::Range;

use brain_core::limits::{ICAL_BYTES_MAX, ICAL_DEPTH_MAX, ICAL_LINES_MAX};

/// Why a text is no iCalendar and no vCard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A component ends that did not begin, or does not end.
    #[error("its components do not end where they should")]
    Unbalanced,
    /// More than the bounds allow.
    #[error("it is too long or too deep")]
    TooLarge,
    /// There is no component in it.
    #[error("there is nothing in it")]
    Empty,
}

/// One content line, unfolded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentLine {
    /// In capital letters, without its group.
    pub name: String,
    /// With all its folds and its last line break.
    pub span: Range<usize>,
    /// Without folds and line break.
    text: String,
    /// Where in `text` the value begins.
    value: usize,
}

impl ContentLine {
    /// What stands behind the colon, as it is written.
    pub fn value(&self) -> &str {
        &self.text[self.value..]
    }

    /// What stands before the value, its colon included: `DTSTART;TZID=Europe/Berlin:`.
    pub fn head(&self) -> &str {
        &self.text[..self.value]
    }

    /// The value of a parameter, without quotes.
    pub fn param(&self, name: &str) -> Option<&str> {
        let head = self.head().trim_end_matches(':');
        outside_quotes(head, ';').skip(1).find_map(|param| {
            let (key, value) = param.split_once('=')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
        })
    }
}

/// One component: VCALENDAR, VEVENT, VCARD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// In capital letters.
    pub name: String,
    /// From its BEGIN to the end of its END line.
    pub span: Range<usize>,
    /// Behind its BEGIN line.
    pub start: usize,
    /// Where its END line begins.
    pub end: usize,
    /// Its own lines, without those of what lies in it.
    pub lines: Vec<ContentLine>,
    /// What lies in it.
    pub blocks: Vec<Block>,
}

impl Block {
    /// Its own lines of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ContentLine> {
        self.lines.iter().filter(move |line| line.name == name)
    }

    /// The first of its own lines of this name.
    pub fn line(&self, name: &str) -> Option<&ContentLine> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// The components in it of this name.
    pub fn inner(&self, name: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.name == name)
    }
}

/// The outermost components of a text.
pub fn blocks(text: &str) -> Result<Vec<Block>, Malformed> {
    if text.len() > ICAL_BYTES_MAX {
        return Err(Malformed::TooLarge);
    }
    let mut found = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    for (count, line) in lines(text).enumerate() {
        if count >= ICAL_LINES_MAX || open.len() > ICAL_DEPTH_MAX {
            return Err(Malformed::TooLarge);
        }
        match line.name.as_str() {
            "BEGIN" => open.push(Block {
                name: line.value().trim().to_ascii_uppercase(),
                span: line.span.clone(),
                start: line.span.end,
                end: line.span.end,
                lines: Vec::new(),
                blocks: Vec::new(),
            }),
            "END" => {
                let mut ended = open.pop().ok_or(Malformed::Unbalanced)?;
                if !line.value().trim().eq_ignore_ascii_case(&ended.name) {
                    return Err(Malformed::Unbalanced);
                }
                ended.end = line.span.start;
                ended.span.end = line.span.end;
                match open.last_mut() {
                    Some(parent) => parent.blocks.push(ended),
                    None => found.push(ended),
                }
            }
            _ => {
                if let Some(block) = open.last_mut() {
                    block.lines.push(line);
                }
            }
        }
    }
    match (open.is_empty(), found.is_empty()) {
        (false, _) => Err(Malformed::Unbalanced),
        (true, true) => Err(Malformed::Empty),
        (true, false) => Ok(found),
    }
}

/// The content lines of a text, in order; what is none is part of none.
fn lines(text: &str) -> impl Iterator<Item = ContentLine> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let begin = at;
            at = line_end(text, at);
            while at < text.len() && matches!(text.as_bytes()[at], b' ' | b'\t') {
                at = line_end(text, at);
            }
            if let Some(line) = content_line(text, begin..at) {
                return Some(line);
            }
        }
        None
    })
}

fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |at| from + at + 1)
}

fn content_line(text: &str, span: Range<usize>) -> Option<ContentLine> {
    let mut unfolded = String::with_capacity(span.len());
    for (at, part) in text[span.clone()].split_inclusive('\n').enumerate() {
        let part = part.trim_end_matches(['\r', '\n']);
        // The blank of a fold is one character.
        unfolded.push_str(if at == 0 { part } else { part.get(1..).unwrap_or_default() });
    }
    let whole = unfolded.trim_start_matches('\u{feff}');
    let colon = outside_quotes(whole, ':').next()?.len();
    (colon < whole.len()).then_some(())?;
    let name = whole[..colon].split(';').next()?;
    let name = name.rsplit('.').next()?.trim().to_ascii_uppercase();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then(|| ContentLine { name, span, text: whole.to_owned(), value: colon + 1 })
}

/// The parts between marks that stand outside of quotes.
fn outside_quotes(text: &str, mark: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |c: char| {
        quoted ^= c == '"';
        c == mark && !quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_unfolded_and_stand_where_they_stood() {
        let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nitem1.SUMMARY;LANGUAGE=\"de:x\";X=a:Lun\r\n ch: now\r\nnonsense\r\n\
                    DTSTART;TZID=\"Europe/Berlin\":20260112T090000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let calendar = &blocks(text).unwrap()[0];
        let event = calendar.inner("VEVENT").next().unwrap();
        let summary = event.line("SUMMARY").unwrap();
        assert_eq!(
            (summary.value(), summary.param("x"), summary.param("language")),
            ("Lunch: now", Some("a"), Some("de:x"))
        );
        assert!(text[summary.span.clone()].ends_with("ch: now\r\n"));
        assert_eq!(event.line("DTSTART").unwrap().param("TZID"), Some("Europe/Berlin"));
        assert!(
            text[event.span.clone()].starts_with("BEGIN:VEVENT")
                && text[event.span.clone()].ends_with("END:VEVENT\r\n")
        );
        assert!(text[event.end..].starts_with("END:VEVENT"));
    }

    #[test]
    fn what_is_broken_deep_or_empty_is_an_error() {
        for (text, error) in [
            ("", Malformed::Empty),
            ("hello", Malformed::Empty),
            ("BEGIN:VCALENDAR\nEND:VEVENT\n", Malformed::Unbalanced),
            ("BEGIN:VCALENDAR\n", Malformed::Unbalanced),
            ("END:VCALENDAR\n", Malformed::Unbalanced),
        ] {
            assert_eq!(blocks(text), Err(error), "{text:?}");
        }
        assert_eq!(blocks(&"BEGIN:X\n".repeat(100)), Err(Malformed::TooLarge));
        assert_eq!(blocks(&format!("BEGIN:X\n{}END:X\n", "A:b\n".repeat(60_000))), Err(Malformed::TooLarge));
        for text in [
            "BEGIN:VEVENT\u{0}\nä:ö\n \u{1F600}\nEND:VEVENT\u{0}\n",
            "\u{feff}BEGIN:A\nEND:A",
            "BEGIN:A\n\n \n:\nEND:A\r",
        ] {
            let _ = blocks(text);
        }
        assert!(blocks("\u{feff}BEGIN:A\nEND:A").is_ok());
    }
}
