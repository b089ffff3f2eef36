//! The console for people: what lines look like on a terminal, and what typed lines mean.
//!
//! A line that begins with `:` and a number presses that button of the last message that had some.
//!
//! Invariant: whatever is printed here goes through [`on_screen`]: the only control characters that reach the terminal are
//! ours, and a line that is too long for it goes on behind the same gutter, so that no words can begin a line of their
//! own at its left.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::channel::Sink;
use super::wire::Out;
use crate::core::button::Button;
use crate::core::markup::GUTTER;
use crate::core::text::visible;

/// Standard output, one JSON object a line.
#[derive(Debug, Default)]
pub struct JsonSink;

impl Sink for JsonSink {
    fn put(&self, out: &Out) -> bool {
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", out.json()).and_then(|()| stdout.flush()).is_ok()
    }
}

/// Messages that an edit is shown as a change of.
const SHOWN_MAX: usize = 64;

/// What a terminal is taken to be wide that does not say.
const COLUMNS: usize = 80;
/// Narrower ones are not believed: every line would be a word.
const COLUMNS_MIN: usize = 20;
/// Begins the rest of a line that was too long.
const INDENT: &str = "   ";

/// A terminal.
#[derive(Debug, Default)]
pub struct TerminalSink {
    page: Mutex<Page>,
}

/// What is on the screen.
#[derive(Debug, Default)]
struct Page {
    /// The buttons that can be pressed, and the message they belong to.
    buttons: Vec<Button>,
    of: Option<i64>,
    /// The latest messages, oldest first.
    shown: VecDeque<(i64, String)>,
}

impl Page {
    fn remember(&mut self, id: i64, text: &str) {
        self.shown.retain(|(shown, _)| *shown != id);
        self.shown.push_back((id, text.to_owned()));
        if self.shown.len() > SHOWN_MAX {
            self.shown.pop_front();
        }
    }

    fn message(&mut self, id: i64, text: &str, buttons: &[Vec<Button>]) -> String {
        self.remember(id, text);
        let flat: Vec<Button> = buttons.iter().flatten().cloned().collect();
        if flat.is_empty() {
            return format!("\n{}\n", on_screen(text));
        }
        let names: Vec<String> = flat.iter().enumerate().map(|(i, b)| format!("[:{}] {}", i + 1, b.text)).collect();
        (self.buttons, self.of) = (flat, Some(id));
        format!("\n{}\n{}\n", on_screen(text), dim(&on_screen(&names.join("   "))))
    }

    /// A message above changes: what is new in it is shown, and the buttons it has now.
    fn edit(&mut self, id: i64, text: Option<&str>, buttons: &[Vec<Button>]) -> Option<String> {
        let before =
            self.shown.iter().find(|(shown, _)| *shown == id).map(|(_, text)| text.clone()).unwrap_or_default();
        let now = text.map_or_else(|| before.clone(), str::to_owned);
        if self.of == Some(id) {
            (self.buttons, self.of) = (Vec::new(), None);
        }
        if !buttons.is_empty() {
            return Some(self.message(id, &now, buttons));
        }
        let added: Vec<&str> = now.lines().filter(|line| !before.lines().any(|known| known == *line)).collect();
        let added = added.join("\n").trim().to_owned();
        self.remember(id, &now);
        (!added.is_empty()).then(|| on_screen(&added))
    }
}

impl TerminalSink {
    /// The line to send for what was typed.
    pub fn typed(&self, text: &str) -> Value {
        let number = text.trim().strip_prefix(':').and_then(|number| number.trim().parse::<usize>().ok());
        let page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        match number.and_then(|n| page.buttons.get(n.checked_sub(1)?)) {
            Some(button) => json!({"press": button.data}),
            None => json!({"text": text}),
        }
    }

    fn show(&self, out: &Out) -> Option<String> {
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        match out {
            Out::Typing { .. } | Out::Done { .. } => None,
            Out::Status { text, .. } => Some(dim(&on_screen(text))),
            Out::Error { error, .. } => Some(on_screen(&format!("⚠️ {error}"))),
            Out::Edit { id, text, buttons, .. } => page.edit(*id, text.as_deref(), buttons),
            Out::Message { id, text, buttons, .. } => Some(page.message(*id, text, buttons)),
        }
    }
}

impl Sink for TerminalSink {
    fn put(&self, out: &Out) -> bool {
        let Some(shown) = self.show(out) else {
            return true;
        };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{shown}").and_then(|()| stdout.flush()).is_ok()
    }
}

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
        let begin = if out.is_empty() { indent.len().min(end) } else { 0 };
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

fn dim(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Lines typed at a terminal, or piped in. Reading ends with the end of input.
pub fn typed_lines() -> tokio::sync::mpsc::Receiver<String> {
    let (sender, receiver) = tokio::sync::mpsc::channel(16);
    std::thread::spawn(move || {
        if std::io::stdin().is_terminal() {
            edited_lines(&sender);
        } else {
            piped_lines(&sender, is_said);
        }
    });
    receiver
}

fn edited_lines(sender: &tokio::sync::mpsc::Sender<String>) {
    let Ok(mut editor) = rustyline::DefaultEditor::new() else {
        return piped_lines(sender, is_said);
    };
    while let Ok(line) = editor.readline("› ") {
        let _ = editor.add_history_entry(&line);
        if is_said(&line) && sender.blocking_send(line).is_err() {
            return;
        }
    }
}

/// People press the enter key for no reason.
fn is_said(line: &str) -> bool {
    !line.trim().is_empty()
}

/// Lines of any length and encoding: what is no UTF-8 is shown as such, what is too long is cut, the rest of
/// it passed over. `wanted` says which ones count.
pub fn piped_lines(sender: &tokio::sync::mpsc::Sender<String>, wanted: fn(&str) -> bool) {
    use std::io::{BufRead, Read};
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let limit = super::wire::LINE_BYTES_MAX as u64 + 1;
        match input.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if !line.ends_with(b"\n") && line.len() as u64 == limit {
            let _ = input.skip_until(b'\n');
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']).to_owned();
        if wanted(&text) && sender.blocking_send(text).is_err() {
            return;
        }
    }
}

/// What a terminal shows first.
pub fn greet(demo: bool) {
    let mut stdout = std::io::stdout().lock();
    let hint = if demo {
        "This is the demo: everything is made up and thrown away afterwards. Try:\n  what do I have tomorrow?\n  any unread mail?\n  remind me to call mom tomorrow at 5pm\n  send an email to bob.miller@example.com saying the report is late"
    } else {
        "Try: remind me to call mom tomorrow at 5pm"
    };
    let _ = writeln!(stdout, "Brain Agent. Say what you need; /help shows everything, Ctrl-D leaves.\n{hint}\n");
}

/// A sink that hands lines on, for sockets and tests.
#[derive(Debug)]
pub struct SenderSink(pub tokio::sync::mpsc::UnboundedSender<Value>);

impl Sink for SenderSink {
    fn put(&self, out: &Out) -> bool {
        self.0.send(out.json()).is_ok()
    }
}

/// Shares a sink as the trait object sessions take.
pub fn shared<S: Sink + 'static>(sink: S) -> (Arc<S>, Arc<dyn Sink>) {
    let sink = Arc::new(sink);
    let shared: Arc<dyn Sink> = sink.clone();
    (sink, shared)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::button::Role;

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
    }

    fn button(data: &str) -> Vec<Vec<Button>> {
        vec![vec![Button { text: data.to_owned(), data: data.to_owned(), role: Role::Set }]]
    }

    fn message(id: i64, text: &str, buttons: Vec<Vec<Button>>) -> Out {
        Out::Message { user: "me".into(), id, text: text.into(), buttons, pending: None }
    }

    fn edit(id: i64, text: Option<&str>, buttons: Vec<Vec<Button>>) -> Out {
        Out::Edit { user: "me".into(), id, text: text.map(str::to_owned), buttons }
    }

    #[test]
    fn a_page_that_changes_is_pressed_as_it_stands() {
        let terminal = TerminalSink::default();
        assert!(terminal.show(&message(1, "Settings", button("quiet"))).is_some());
        let choices = terminal.show(&edit(1, Some("Quiet hours?"), button("off"))).unwrap();
        assert!(choices.contains("Quiet hours?") && choices.contains("[:1] off"), "{choices}");
        assert_eq!(terminal.typed(":1"), json!({"press": "off"}));
        terminal.show(&edit(1, None, vec![]));
        assert_eq!(terminal.typed(":1"), json!({"text": ":1"}), "buttons that are gone");
    }

    #[test]
    fn of_a_card_that_is_decided_only_the_decision_is_new() {
        let terminal = TerminalSink::default();
        terminal.show(&message(1, "Send this?", button("yes")));
        terminal.show(&message(2, "Another card", button("other")));
        assert_eq!(terminal.show(&edit(1, Some("Send this?\n\n✅ Sent"), vec![])).as_deref(), Some("✅ Sent"));
        assert_eq!(terminal.typed(":1"), json!({"press": "other"}), "those of the other card stay");
    }
}
