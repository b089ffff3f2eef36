//! The console for people: what lines look like on a terminal, and what typed lines mean.
//!
//! A line that is a number presses that button of the last message; `:2` does when others stand below it.
//!
//! Invariant: whatever is printed here goes through [`on_screen`]: the only control characters that reach the terminal
//! are ours, and a line that is too long for it goes on behind the same gutter, so that no words can begin a line of
//! their own at its left.

mod fit;
mod screen;
mod transcript;
mod typing;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use serde_json::{Value, json};

use super::channel::Sink;
use super::wire::Out;
use brain_core::limits;
use fit::dim;
use screen::{Screen, SeenScreen};
use transcript::{Printer, Transcript};

pub use fit::on_screen;
pub use typing::{Interrupt, Keyboard};

/// Standard output, one JSON object a line.
#[derive(Debug, Default)]
pub struct JsonSink;

impl Sink for JsonSink {
    fn put(&self, out: &Out) -> bool {
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", out.json()).and_then(|()| stdout.flush()).is_ok()
    }
}

/// A terminal.
#[derive(Debug, Default)]
pub struct TerminalSink {
    page: Mutex<Screen>,
    /// Where somebody types on the same screen.
    typed_at: Option<TypedAt>,
}

/// A screen on which somebody types.
#[derive(Debug)]
struct TypedAt {
    paper: Transcript,
    /// How the terminal was before.
    found: Option<Termios>,
    /// Nobody types any more.
    has_left: AtomicBool,
}

impl TerminalSink {
    /// A terminal at which somebody is going to type.
    pub fn typed_at() -> Self {
        let typed_at = TypedAt {
            paper: Transcript::new(),
            found: tcgetattr(std::io::stdin()).ok(),
            has_left: AtomicBool::new(false),
        };
        Self { typed_at: Some(typed_at), ..Self::default() }
    }

    /// The line to send for what was written, where it was not typed at a keyboard.
    pub fn line(&self, text: &str) -> Value {
        let seen = self.seen();
        self.page().said();
        seen.pressed(text).map_or_else(|| json!({"text": text}), |button| json!({"press": button.data}))
    }

    /// Leaves the terminal as it was found, with everything printed.
    pub fn close(&self) {
        let Some(typed_at) = &self.typed_at else { return };
        typed_at.paper.flush(Duration::from_millis(limits::LAST_WORDS_MS));
        let (Some(found), false) = (&typed_at.found, typed_at.has_left.load(Ordering::SeqCst)) else { return };
        // Somebody was in the middle of a line: the line ends, and what is pasted is not marked any more.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Drain, found);
        let mut stdout = std::io::stdout().lock();
        let _ = writeln!(stdout, "\u{1b}[?2004l").and_then(|()| stdout.flush());
    }

    fn page(&self) -> MutexGuard<'_, Screen> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn paper(&self) -> Option<&Transcript> {
        self.typed_at.as_ref().map(|typed_at| &typed_at.paper)
    }

    fn seen(&self) -> SeenScreen {
        self.page().seen()
    }

    fn print_through(&self, printer: Printer) {
        if let Some(paper) = self.paper() {
            paper.print_through(printer);
        }
    }

    /// A line is handed on.
    fn begins(&self) {
        self.page().said();
        self.paper().into_iter().for_each(Transcript::begins);
    }

    fn is_busy(&self) -> bool {
        self.paper().is_some_and(Transcript::is_busy)
    }

    fn settled(&self, patience: Option<Duration>) -> bool {
        self.paper().is_none_or(|paper| paper.settled(patience))
    }

    fn has_left(&self) {
        self.typed_at.iter().for_each(|typed_at| typed_at.has_left.store(true, Ordering::SeqCst));
    }

    /// Something that the terminal itself has to say.
    fn notes(&self, text: &str) {
        self.print(dim(&on_screen(text)));
    }

    fn print(&self, shown: String) -> bool {
        match self.paper() {
            Some(paper) => paper.put(format!("{shown}\n")),
            None => {
                let mut stdout = std::io::stdout().lock();
                writeln!(stdout, "{shown}").and_then(|()| stdout.flush()).is_ok()
            }
        }
    }

    fn show(&self, out: &Out) -> Option<String> {
        let mut page = self.page();
        match out {
            Out::Typing { .. } | Out::Draft { .. } | Out::Done { .. } => None,
            Out::Status { text, .. } => Some(dim(&on_screen(text))),
            Out::Error { error, .. } => Some(on_screen(&format!("⚠️ {error}"))),
            Out::Edit { id, text, buttons, .. } => page.edit(*id, text.as_deref(), buttons),
            Out::Message { id, text, buttons, .. } => Some(page.message(*id, text, buttons)),
        }
    }
}

impl Sink for TerminalSink {
    fn put(&self, out: &Out) -> bool {
        let printed = self.show(out).is_none_or(|shown| self.print(shown));
        if let (Out::Done { .. }, Some(paper)) = (out, self.paper()) {
            paper.ends();
        }
        printed
    }
}

/// People press the enter key for no reason.
pub fn is_said(line: &str) -> bool {
    !line.trim().is_empty()
}

/// Lines of any length and encoding: what is no UTF-8 is shown as such, what is too long is cut, the rest of
/// it passed over. `wanted` says which ones count; whoever they are handed on to says whether more are wanted.
pub fn piped_lines(wanted: fn(&str) -> bool, hand_on: impl Fn(String) -> bool) {
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
        if wanted(&text) && !hand_on(text) {
            return;
        }
    }
}

/// What a terminal shows first.
pub fn greet(demo: bool) {
    let mut stdout = std::io::stdout().lock();
    let hint = if demo {
        "This is the demo: everything is made up and thrown away afterwards. Try:\n  what do I have tomorrow?\n  any unread mail?\n  remind me to call mom tomorrow at 5pm\n  delete the mail from Sarah about lunch"
    } else {
        "Try: remind me to call mom tomorrow at 5pm"
    };
    let _ = writeln!(
        stdout,
        "Brain Agent. Say what you need; /help shows everything, a number presses a button, quit leaves.\n{hint}\n"
    );
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
