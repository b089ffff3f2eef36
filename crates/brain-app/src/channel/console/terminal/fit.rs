//! What a terminal can show: escaped, as wide as the screen, framed lines behind their frame.
//!
//! Invariant: no control characters but ours, and no words of a frame at the left of the screen.

use std::io::IsTerminal;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use brain_core::core::markup::GUTTER;
use brain_core::core::text::visible;

/// What a terminal is taken to be wide that does not say.
const COLUMNS: usize = 80;
/// Narrower ones are not believed: every line would be a word.
const COLUMNS_MIN: usize = 20;
/// Begins the rest of a line that was too long.
const INDENT: &str = "   ";

/// Text as a terminal may show it.
pub fn on_screen(text: &str) -> String {
    let columns = std::io::stdout().is_terminal().then(|| {
        let size = rustix::termios::tcgetwinsize(std::io::stdout());
        size.map_or(COLUMNS, |size| usize::from(size.ws_col).max(COLUMNS_MIN))
    });
    fitted(text, columns)
}

/// `columns`: the width of the screen, where there is one.
fn fitted(text: &str, columns: Option<usize>) -> String {
    let text = visible(text);
    let Some(columns) = columns else { return text };
    let lines: Vec<String> = text.split('\n').map(|line| wrapped(&line.replace('\t', "    "), columns)).collect();
    lines.join("\n")
}

/// A line in as many as it takes.
fn wrapped(line: &str, columns: usize) -> String {
    let indent = if line.starts_with(GUTTER) { GUTTER } else { INDENT };
    let (mut out, mut rest, mut room) = (String::new(), line, columns);
    // Measured as where signs of doubtful width are wide: too early is better than by the terminal.
    while rest.width_cjk() > room {
        let mut width = 0;
        let fits = rest.grapheme_indices(true).find(|(_, grapheme)| {
            width += grapheme.width_cjk();
            width > room
        });
        let end = fits.map_or(rest.len(), |(at, _)| at);
        // Of what the line begins with, a frame or a sign, no part is cut off.
        let begin = if out.is_empty() { rest.ceil_char_boundary(indent.len()).min(end) } else { 0 };
        let cut = rest.get(begin..end).and_then(|head| head.rfind(' ')).map_or(end, |at| begin + at + 1);
        // A single sign that is wider than the screen is shown all the same.
        let cut = if cut == 0 { rest.graphemes(true).next().map_or(rest.len(), str::len) } else { cut };
        out.push_str(rest[..cut].trim_end());
        out.push('\n');
        out.push_str(indent);
        rest = &rest[cut..];
        room = columns.saturating_sub(indent.width_cjk()).max(1);
    }
    out + rest
}

/// Text that stands back, where the terminal can show it so.
pub(super) fn dim(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_line_of_a_terminal_begins_with_words_of_a_frame(text in "[a-z \u{1100}│\t\u{1b}\u{9b}\u{7}]{0,300}", columns in 20usize..90) {
            let shown = fitted(&format!("Send?\n{GUTTER}{text}\nReply yes"), Some(columns));
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()));
            let lines: Vec<&str> = shown.split('\n').collect();
            prop_assert!(lines.iter().all(|line| line.width() <= columns), "{}", shown);
            let framed = &lines[1..lines.len() - 1];
            prop_assert!(framed.iter().all(|line| line.starts_with(GUTTER) || *line == GUTTER.trim_end()), "{}", shown);
            let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '│').collect::<String>();
            prop_assert_eq!(squeeze(&framed.concat()), squeeze(&visible(&text)));
        }
    }

    #[test]
    fn what_is_too_long_for_the_screen_goes_on_indented() {
        let shown = fitted("To: bob.miller@example.com, anna@example.com", Some(30));
        assert_eq!(shown, "To: bob.miller@example.com,\n   anna@example.com");
        let shown = fitted("🔧 Search gives a title and a snippet", Some(30));
        assert_eq!(shown, "🔧 Search gives a title and a\n   snippet", "a sign is longer than the indent");
    }
}
