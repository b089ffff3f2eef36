//! The keyboard: one edits a line, with a history and Tab, while answers go on appearing above it.
//!
//! | key                    | what it does                                                                     |
//! |------------------------|----------------------------------------------------------------------------------|
//! | Ctrl-C, something runs | stops it; once more, the program ends                                            |
//! | Ctrl-C, a line         | clears it                                                                        |
//! | Ctrl-C, an empty line  | the program ends                                                                 |
//! | Ctrl-D, `quit`, `exit` | the program ends once what was said before is answered                           |
//! | ↑ ↓                    | what was said before, in earlier lives as well                                   |
//! | Tab                    | completes a command                                                              |
//!
//! Invariant: a yes, a no or a number decides nothing that its writer could not see: it is handed on only when nothing
//! runs and nothing has appeared since its line was begun.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustyline::completion::{Completer, Pair};
use rustyline::error::{ReadlineError, Signal};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::{ConsoleChannel, Line};
use super::TerminalSink;
use super::screen::SeenScreen;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_engine::pipeline::intake::commands::COMMANDS;
use brain_engine::pipeline::running::Stopped;
use brain_language::language::consent::{self, Consent};

const PROMPT: &str = "› ";
/// What is said so is not kept in the history: it names what is to be forgotten.
const NOT_KEPT: &str = "/forget";
const STOPPING: &str = "Stopping. Ctrl-C once more ends the program.";
const CANNOT_STOP: &str = "That has begun and can't be stopped any more. Ctrl-C once more ends the program.";
const NOTHING_RUNS: &str = "Nothing is running any more.";
const STILL_WORKING: &str =
    "I'm still working on what you said before, so I took that for nothing. Say it once you see the answer.";
const NOT_SEEN: &str =
    "Something new appeared while you typed that, so I took it for nothing. Please look, and say it again.";

/// How what runs is stopped.
pub enum Interrupt {
    /// In this process; says what that came to.
    Here(Box<dyn Fn() -> Stopped + Send + Sync>),
    /// In the process that answers, by saying so.
    InWords,
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Here(_) => "Here",
            Self::InWords => "InWords",
        })
    }
}

/// Where somebody types.
pub struct Keyboard {
    terminal: Arc<TerminalSink>,
    /// Who numbers what is said.
    numbers: Arc<ConsoleChannel>,
    /// Lines go here until the last one.
    lines: Mutex<Option<mpsc::Sender<Line>>>,
    interrupt: Interrupt,
    /// What runs was asked to stop.
    interrupted: AtomicBool,
    /// The program is to end at once.
    pub leaves: CancellationToken,
}

impl std::fmt::Debug for Keyboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyboard").finish_non_exhaustive()
    }
}

impl Keyboard {
    /// Begins to read what is typed at `terminal`. `history`: the file of what was said before.
    pub fn listen(
        terminal: Arc<TerminalSink>,
        numbers: Arc<ConsoleChannel>,
        history: PathBuf,
        interrupt: Interrupt,
    ) -> (Arc<Self>, mpsc::Receiver<Line>) {
        let (sender, lines) = mpsc::channel(limits::LINES_AHEAD_MAX);
        let keyboard = Arc::new(Self {
            terminal,
            numbers,
            lines: Mutex::new(Some(sender)),
            interrupt,
            interrupted: AtomicBool::new(false),
            leaves: CancellationToken::new(),
        });
        let listening = keyboard.clone();
        std::thread::spawn(move || {
            listening.read_lines(&history);
            listening.terminal.has_left();
            drop(listening.lines.lock().unwrap_or_else(PoisonError::into_inner).take());
        });
        (keyboard, lines)
    }

    fn lines(&self) -> Option<mpsc::Sender<Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read_lines(&self, history: &Path) {
        let begun = Arc::new(Begun { terminal: self.terminal.clone(), screen: Mutex::default() });
        let Ok(mut editor) = editor(Typing(begun.clone())) else {
            return super::piped_lines(super::is_said, |line| self.takes(&line, None));
        };
        let printer = editor.create_external_printer().map(|printer| self.terminal.print_through(Box::new(printer)));
        // A quick answer stands there before the prompt does; without a printer all of it has to.
        let patience = printer.is_ok().then_some(Duration::from_millis(limits::PROMPT_WAITS_MS));
        // There may be none yet.
        let _ = editor.load_history(history);
        begun.before_the_prompt();
        loop {
            self.terminal.settled(patience);
            let read = editor.readline(PROMPT);
            let seen = begun.take();
            // Its answer may be there before this thread goes on.
            begun.before_the_prompt();
            match read {
                Ok(line) => {
                    if super::is_said(&line) && !line.trim_start().starts_with(NOT_KEPT) {
                        let _ = editor.add_history_entry(&line);
                        if let Err(cause) = editor.append_history(history) {
                            tracing::warn!(%cause, "the history of this terminal could not be kept");
                        }
                    }
                    if !self.takes(&line, seen) {
                        return;
                    }
                    fail_point("line-handed-on");
                }
                Err(ReadlineError::Interrupted) if self.interrupted(seen.is_none()) => {}
                // The editor takes signals over; one that came before the prompt stood is told by the next look at it.
                Err(ReadlineError::Signal(Signal::Interrupt)) if self.interrupted(true) => {}
                Err(ReadlineError::Signal(Signal::Resize)) => {}
                Err(_) => return,
            }
        }
    }

    /// What a typed line comes to; false when it was the last one.
    fn takes(&self, line: &str, seen: Option<SeenScreen>) -> bool {
        if !super::is_said(line) {
            return true;
        }
        if ["quit", "exit", "/quit", "/exit"].iter().any(|word| line.trim().eq_ignore_ascii_case(word)) {
            return false;
        }
        let seen = seen.unwrap_or_else(|| self.terminal.seen());
        let said = match seen.pressed(line) {
            Some(button) => json!({"press": button.data}),
            None if decides(line) && !self.terminal.settled(Some(end_of_turn(&seen))) => {
                self.terminal.notes(STILL_WORKING);
                return true;
            }
            None if decides(line) && self.terminal.seen().messages != seen.messages => {
                self.terminal.notes(NOT_SEEN);
                return true;
            }
            None => json!({"text": line}),
        };
        let Some(lines) = self.lines() else { return false };
        self.interrupted.store(false, Ordering::SeqCst);
        self.terminal.begins();
        lines.blocking_send(self.numbers.line(said.to_string())).is_ok()
    }

    /// Ctrl-C; false when the program ends.
    pub fn interrupted(&self, line_is_empty: bool) -> bool {
        if !self.terminal.is_busy() {
            if line_is_empty {
                self.leaves.cancel();
            }
            return !line_is_empty;
        }
        if self.interrupted.swap(true, Ordering::SeqCst) {
            self.leaves.cancel();
            return false;
        }
        let stopped = match &self.interrupt {
            Interrupt::Here(stop) => stop(),
            Interrupt::InWords => {
                self.terminal.begins();
                let cancel = self.numbers.line(json!({"text": "/cancel"}).to_string());
                let said = self.lines().is_some_and(|lines| lines.try_send(cancel).is_ok());
                if said { Stopped::Turn } else { Stopped::Rest }
            }
        };
        if stopped == Stopped::Nothing {
            // It ended by itself, at this very moment: there is nothing that a second key could be for.
            self.interrupted.store(false, Ordering::SeqCst);
        }
        self.terminal.notes(of_interrupt(stopped));
        true
    }
}

fn of_interrupt(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Turn => STOPPING,
        Stopped::Rest => CANNOT_STOP,
        Stopped::Nothing => NOTHING_RUNS,
    }
}

/// So long a decision waits for what runs to end.
fn end_of_turn(seen: &SeenScreen) -> Duration {
    Duration::from_millis(if seen.is_answered { limits::TURN_ENDS_MS } else { limits::PROMPT_WAITS_MS })
}

/// Whether a line may decide something. A command says what it is for, and `/cancel` is for what runs.
fn decides(line: &str) -> bool {
    let is_command = line.trim_start().starts_with('/');
    let names = || consent::names(line).is_some_and(|naming| naming.is_definite || naming.said != Consent::Other);
    !is_command && (matches!(consent::read(line), Consent::Yes | Consent::No) || names())
}

fn editor(typing: Typing) -> rustyline::Result<Editor<Typing, DefaultHistory>> {
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(limits::HISTORY_LINES_MAX)?;
    // Without colours nobody would be asked to highlight.
    let config = config.color_mode(ColorMode::Forced);
    let mut editor = Editor::with_config(config.build())?;
    editor.set_helper(Some(typing));
    Ok(editor)
}

/// What could be seen when the line on the screen was begun.
struct Begun {
    terminal: Arc<TerminalSink>,
    screen: Mutex<BegunScreen>,
}

#[derive(Default)]
struct BegunScreen {
    /// When the line was begun; nothing while it is empty.
    seen: Option<SeenScreen>,
    /// Before the last line was handed on, until the next prompt stands: whatever is there to be read by then was typed
    /// before, and nobody knows when.
    before: Option<SeenScreen>,
    /// When the editor last painted the prompt. What came since waits behind the keys that were typed already.
    painted: Option<SeenScreen>,
}

impl Begun {
    fn screen(&self) -> MutexGuard<'_, BegunScreen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<SeenScreen> {
        self.screen().seen.take()
    }

    fn before_the_prompt(&self) {
        self.screen().before = Some(self.terminal.seen());
    }

    fn shows(&self, line: &str) {
        let mut screen = self.screen();
        // The editor asks for the first time right before it shows the prompt.
        let before = screen.before.take();
        if before.is_some() && is_typed_ahead() {
            screen.seen = before;
        } else if line.is_empty() {
            screen.seen = None;
        } else if screen.seen.is_none() {
            screen.seen = screen.painted.clone().or_else(|| Some(self.terminal.seen()));
        }
    }

    fn paints(&self) {
        self.screen().painted = Some(self.terminal.seen());
    }
}

/// Whether something waits to be read.
fn is_typed_ahead() -> bool {
    rustix::io::ioctl_fionread(std::io::stdin()).is_ok_and(|waiting| waiting > 0)
}

/// Looks on while a line is typed, and knows the commands.
struct Typing(Arc<Begun>);

impl Hinter for Typing {
    type Hint = String;

    /// Gives no hint; asked after every change of the line.
    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        self.0.shows(line);
        None
    }
}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok((0, commands_like(line.get(..at).unwrap_or_default())))
    }
}

impl Highlighter for Typing {
    /// Highlights nothing; asked whenever the prompt is painted, also below what was printed above it.
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        self.0.paints();
        Cow::Borrowed(prompt)
    }
}
impl Validator for Typing {}
impl Helper for Typing {}

/// The commands that begin so.
fn commands_like(begun: &str) -> Vec<Pair> {
    let Some(begun) = begun.strip_prefix('/') else { return Vec::new() };
    let candidates = COMMANDS.iter().filter(|command| command.name.starts_with(begun));
    candidates
        .map(|command| Pair {
            display: format!("/{}", command.name),
            replacement: format!("/{}{}", command.name, if command.argument.is_empty() { "" } else { " " }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_completes_commands_and_nothing_else() {
        let like = |begun: &str| commands_like(begun).into_iter().map(|pair| pair.replacement).collect::<Vec<_>>();
        assert_eq!(like("/pen"), ["/pending"]);
        assert_eq!(like("/st"), ["/status", "/start"]);
        assert_eq!(like("/forg"), ["/forget "]);
        assert_eq!(like("/").len(), COMMANDS.len());
        assert!(like("pen").is_empty() && like("/pending now").is_empty() && like("").is_empty());
    }

    #[test]
    fn ctrl_c_at_the_end_of_an_answer_says_that_nothing_runs_and_a_second_one_ends_nothing() {
        for (stopped, told, ends) in [
            (Stopped::Nothing, "Nothing is running", false),
            (Stopped::Turn, "Stopping.", true),
            (Stopped::Rest, "can't be stopped", true),
        ] {
            assert!(of_interrupt(stopped).contains(told));
            let terminal = Arc::new(TerminalSink::typed_at());
            let keyboard = Keyboard {
                terminal: terminal.clone(),
                numbers: Arc::default(),
                lines: Mutex::default(),
                interrupt: Interrupt::Here(Box::new(move || stopped)),
                interrupted: AtomicBool::new(false),
                leaves: CancellationToken::new(),
            };
            // Its words are out, and the end of it is not on the screen yet.
            terminal.begins();
            assert!(keyboard.interrupted(true) && !keyboard.leaves.is_cancelled());
            assert_eq!((keyboard.interrupted(true), keyboard.leaves.is_cancelled()), (!ends, ends), "{stopped:?}");
        }
    }

    #[test]
    fn what_may_decide_something_is_known() {
        for line in ["yes", "no", "2", "yes, the dentist one", "👍"] {
            assert!(decides(line), "{line}");
        }
        for line in ["add milk", "/pending", "/cancel", "what do I have tomorrow?"] {
            assert!(!decides(line), "{line}");
        }
    }
}
