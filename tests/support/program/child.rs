//! A child process whose pipes are served by threads, so that neither it nor the test ever blocks on a full one.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Program;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// 128 + n after signal n, as a shell shows it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// Standard output as one JSON value a line; panics with everything printed when a line is something else.
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        let parse =
            |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?} of {self:#?}"));
        self.stdout.lines().map(parse).collect()
    }
}

#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    stdin: Option<Sender<Vec<u8>>>,
    stdout: Receiver<String>,
    /// All lines received so far, for failure messages.
    printed: Vec<String>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: Option<JoinHandle<()>>,
    what: String,
    /// Its folders stay as long as the process does.
    _home: Program,
}

impl Child {
    pub fn spawn(mut command: Command, args: &[&str], home: Program) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (lines, stdout) = channel();
        let mut out = BufReader::new(process.stdout.take().expect("a pipe"));
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while out.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stderr);
        let mut err = process.stderr.take().expect("a pipe");
        let stderr_reader = std::thread::spawn(move || {
            let mut piece = [0; 4_096];
            while let Ok(read @ 1..) = err.read(&mut piece) {
                kept.lock().unwrap().extend_from_slice(&piece[..read]);
            }
        });
        let (stdin, input) = channel::<Vec<u8>>();
        let mut pipe = process.stdin.take().expect("a pipe");
        std::thread::spawn(move || {
            // A program that has gone away is noticed by what it does not answer, not here.
            while let Ok(bytes) = input.recv() {
                if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                    return;
                }
            }
        });
        Self {
            process,
            stdin: Some(stdin),
            stdout,
            printed: Vec::new(),
            stderr,
            stderr_reader: Some(stderr_reader),
            what: args.join(" "),
            _home: home,
        }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &self.stdin {
            let _ = stdin.send(bytes.to_vec());
        }
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The next line of standard output, with its end if it has one.
    pub fn line(&mut self, deadline: Instant) -> Result<String, &'static str> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.stdout.recv_timeout(left) {
            Ok(line) => {
                self.printed.push(line.clone());
                Ok(line)
            }
            Err(RecvTimeoutError::Timeout) => Err("too slow"),
            Err(RecvTimeoutError::Disconnected) => Err("it has closed its output"),
        }
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().expect("a status")
    }

    /// What a failure message shows.
    pub fn story(&self) -> String {
        let printed = self.printed.concat();
        format!("── brain-agent {}\n── standard output\n{printed}\n── standard error\n{}", self.what, self.stderr())
    }

    /// SIGKILL, and gone when this returns.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -{name}\n{}", self.story());
    }

    pub fn wait(&mut self, limit: Duration) -> ExitStatus {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.ended() {
                self.hear_out();
                return status;
            }
            assert!(Instant::now() < deadline, "still running after {limit:?}\n{}", self.story());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for the last words of a process that is gone: its pipes end soon, unless it has left children behind.
    fn hear_out(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.stderr_reader.as_ref().is_some_and(|reader| !reader.is_finished()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn finish(mut self, limit: Duration) -> Finished {
        let status = self.wait(limit);
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.line(deadline).is_ok() {}
        Finished { code: exit_code(status), stdout: self.printed.concat(), stderr: self.stderr() }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("{}", self.story());
        }
    }
}

pub(super) fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Waits until the program has stopped at the failpoint `name`, as it says in the file `path`.
pub fn wait_reached(path: &Path, name: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let reached = std::fs::read_to_string(path).unwrap_or_default();
        if reached.lines().any(|line| line.trim() == name) {
            return;
        }
        assert!(Instant::now() < deadline, "failpoint {name} was never reached, only {reached:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
