//! A terminal that a test types into and reads back: the program runs in a pseudo-terminal, and the screen is what a
//! person would see of it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::Program;

const ROWS: u16 = 60;
/// Lines that have left the screen at its top are kept.
const KEPT: usize = 1_000;
const LIMIT: Duration = Duration::from_secs(180);

/// A program at whose terminal somebody sits; killed when dropped.
pub struct Terminal {
    process: std::process::Child,
    master: File,
    screen: Arc<Mutex<vt100::Parser>>,
    _home: Program,
}

impl Terminal {
    pub(super) fn start(mut program: Command, home: Program, columns: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("its other side");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let slave = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the other side");
        tcsetwinsize(&slave, Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
        let side = |fd: &OwnedFd| Stdio::from(fd.try_clone().expect("one more of it"));
        program.stdin(side(&slave)).stdout(side(&slave)).stderr(side(&slave)).env("TERM", "xterm");
        let process = program.spawn().expect("setsid of util-linux starts the program");
        drop((program, slave));
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, columns, KEPT)));
        let (shown, mut printed) = (screen.clone(), File::from(master.try_clone().expect("one more of it")));
        std::thread::spawn(move || {
            let mut piece = [0; 4_096];
            // Linux says EIO once nobody is on the other side.
            while let Ok(read @ 1..) = printed.read(&mut piece) {
                shown.lock().unwrap().process(&piece[..read]);
            }
        });
        Self { process, master: File::from(master), screen, _home: home }
    }

    /// Presses keys.
    pub fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("a terminal takes keys");
    }

    /// Types a line and the enter key.
    pub fn says(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
    }

    /// The lines of the screen down to the cursor, those that have left it at its top before them.
    pub fn lines(&self) -> Vec<String> {
        let mut parser = self.screen.lock().unwrap();
        let row = usize::from(parser.screen().cursor_position().0);
        let mut lines: Vec<String> = parser.screen().rows(0, u16::MAX).take(row + 1).collect();
        parser.screen_mut().set_scrollback(usize::MAX);
        let mut above = Vec::new();
        let mut back = parser.screen().scrollback();
        while back > 0 {
            parser.screen_mut().set_scrollback(back);
            above.push(parser.screen().rows(0, u16::MAX).next().unwrap_or_default());
            back -= 1;
        }
        parser.screen_mut().set_scrollback(0);
        above.append(&mut lines);
        above.into_iter().map(|line| line.trim_end().to_owned()).collect()
    }

    /// The screen in one text.
    pub fn screen(&self) -> String {
        self.lines().join("\n")
    }

    /// The line with the cursor.
    pub fn cursor_line(&self) -> String {
        self.lines().pop().unwrap_or_default()
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub fn waits(&self, what: &str, wanted: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !wanted(self) {
            assert!(Instant::now() < deadline, "no {what} on the screen:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for words, and for the prompt below them.
    #[track_caller]
    pub fn waits_for(&self, words: &str) {
        self.waits(words, |terminal| terminal.screen().contains(words) && terminal.cursor_line() == "›");
    }

    /// How the program ended.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        self.ended_within(LIMIT).unwrap_or_else(|| panic!("it still runs:\n{}", self.screen()))
    }

    /// The same; `None` where it still runs by then.
    pub fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.process.try_wait().expect("a status");
            if status.is_some() || Instant::now() >= deadline {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The same after Ctrl-C, which still stops the turn where that ends a moment after its answer is shown.
    #[track_caller]
    pub fn ended_by(&mut self, key: &str, instead: &str) -> ExitStatus {
        let deadline = Instant::now() + LIMIT;
        let mut pressed = 0;
        loop {
            if let Some(status) = self.process.try_wait().expect("a status") {
                return status;
            }
            // Pressed once more for each time that it did something else.
            if pressed <= self.screen().matches(instead).count() {
                self.types(key);
                pressed += 1;
            }
            assert!(Instant::now() < deadline, "it still runs:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether what is typed is shown by the terminal itself and comes line by line, as a shell expects it.
    pub fn is_as_found(&self) -> bool {
        use rustix::termios::{LocalModes, tcgetattr};
        let modes = tcgetattr(&self.master).expect("a terminal").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            eprintln!("── the screen\n{}", self.screen());
        }
    }
}
