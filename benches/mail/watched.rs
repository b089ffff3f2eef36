//! The program with the account, and what it says of how far it is.

use std::time::{Duration, Instant};

use crate::mailbox::{OLDEST, Served};
use crate::support::program::{Console, text_of};

/// So long a first synchronisation may take before the bench gives up.
const LIMIT: Duration = Duration::from_secs(1_800);
/// Whose account it is where it is not that of whoever talks.
pub const STRANGER: &str = "ina";
const LOOKS: Duration = Duration::from_millis(100);

/// A console over a data folder.
pub struct Watched {
    pub console: Console,
    pub began: Instant,
    /// Whose account it is, and who asks how far it is.
    owner: &'static str,
}

impl Watched {
    /// Started now; of a stranger's account nothing is read before [`Self::is_read`] is asked.
    pub fn start(served: &Served, folder: &std::path::Path, is_strangers: bool) -> Self {
        let program = served.program(folder, is_strangers.then_some(STRANGER));
        let began = Instant::now();
        let console = program.console(&[]).limit(LIMIT);
        Self { console, began, owner: if is_strangers { STRANGER } else { "me" } }
    }

    /// Whether the account is there as a whole, by its own word.
    pub fn is_read(&mut self) -> bool {
        let told = text_of(&self.console.say_as(self.owner, "/status"));
        assert!(!told.contains("not connected") && self.began.elapsed() < LIMIT, "{told}");
        told.contains(": read ")
    }

    /// Waits until it is; since the start.
    pub fn read(&mut self) -> Duration {
        while !self.is_read() {
            std::thread::sleep(LOOKS);
        }
        self.began.elapsed()
    }

    /// Waits until every mail can be found; since the start.
    pub fn found(&mut self) -> Duration {
        while !self.finds(OLDEST) {
            std::thread::sleep(LOOKS);
        }
        self.began.elapsed()
    }

    /// Whether a mail with this word is found, and nothing is left to read.
    pub fn finds(&mut self, word: &str) -> bool {
        let told = text_of(&self.console.say_as(self.owner, &format!("find emails about {word}")));
        assert!(self.began.elapsed() < LIMIT, "{told}");
        told.contains(&format!("About the {word}")) && !told.contains(" so far")
    }
}
