//! Terminal output while somebody types: lines appear one after the other, each above the prompt.
//!
//! Invariant: whoever has something to show never waits for the screen. A thread of its own prints, so that a terminal
//! that is stopped (Ctrl-S, a search in the history) stops no turn.

use std::io::Write as _;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustyline::ExternalPrinter;

/// Prints above the line that is being typed.
pub(super) type Printer = Box<dyn ExternalPrinter + Send>;

enum Sheet {
    Text(String),
    /// The end of what a line asked for.
    Done,
    /// From now on through this.
    Through(Printer),
    /// Everything before this has been printed.
    Flush(SyncSender<()>),
}

/// The way to the screen.
pub(super) struct Transcript {
    sheets: Sender<Sheet>,
    turns: Arc<Turns>,
}

impl std::fmt::Debug for Transcript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paper").finish_non_exhaustive()
    }
}

/// Lines whose answers are not complete on the screen yet.
#[derive(Default)]
struct Turns {
    under_way: Mutex<usize>,
    fewer: Condvar,
}

impl Turns {
    fn under_way(&self) -> MutexGuard<'_, usize> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transcript {
    pub(super) fn new() -> Self {
        let (sheets, printed) = channel();
        let turns = Arc::new(Turns::default());
        let counted = turns.clone();
        std::thread::spawn(move || print(&printed, &counted));
        Self { sheets, turns }
    }

    /// False when nobody prints any more.
    pub(super) fn put(&self, text: String) -> bool {
        self.sheets.send(Sheet::Text(text)).is_ok()
    }

    pub(super) fn print_through(&self, printer: Printer) {
        let _ = self.sheets.send(Sheet::Through(printer));
    }

    /// A line is handed on.
    pub(super) fn begins(&self) {
        *self.turns.under_way() += 1;
    }

    /// Its answer is complete.
    pub(super) fn ends(&self) {
        let _ = self.sheets.send(Sheet::Done);
    }

    pub(super) fn is_busy(&self) -> bool {
        *self.turns.under_way() > 0
    }

    /// Waits until all answers are complete on the screen, `patience` at most. True when they are.
    pub(super) fn settled(&self, patience: Option<Duration>) -> bool {
        let (turns, is_busy) = (self.turns.under_way(), |turns: &mut usize| *turns > 0);
        match patience {
            Some(patience) => {
                let waited = self.turns.fewer.wait_timeout_while(turns, patience, is_busy);
                !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
            }
            None => {
                drop(self.turns.fewer.wait_while(turns, is_busy).unwrap_or_else(PoisonError::into_inner));
                true
            }
        }
    }

    /// Waits until everything that was put is printed, `patience` at most.
    pub(super) fn flush(&self, patience: Duration) {
        let (printed, wait) = sync_channel(1);
        if self.sheets.send(Sheet::Flush(printed)).is_ok() {
            let _ = wait.recv_timeout(patience);
        }
    }
}

fn print(sheets: &Receiver<Sheet>, turns: &Turns) {
    let mut through: Option<Printer> = None;
    while let Ok(sheet) = sheets.recv() {
        match sheet {
            Sheet::Text(text) => {
                let printed = through.as_mut().is_some_and(|printer| printer.print(text.clone()).is_ok());
                if !printed {
                    let mut stdout = std::io::stdout().lock();
                    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
                }
            }
            Sheet::Done => {
                let mut under_way = turns.under_way();
                *under_way = under_way.saturating_sub(1);
                turns.fewer.notify_all();
            }
            Sheet::Through(printer) => through = Some(printer),
            Sheet::Flush(printed) => {
                let _ = printed.try_send(());
            }
        }
    }
}
