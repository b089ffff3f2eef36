//! A program of this machine that a file names: a process group of its own, so that what it starts ends with it. One
//! that serves stays ([`Program::start`]); one that does one thing is waited for ([`finished`]).
//!
//! Invariants: it gets an environment of a few plain variables and its own, never this program's secrets; what it says
//! on standard error is read and only its end kept, and told without the secrets that it was given; its group is killed
//! before its process is waited for, so no other process can be meant.

use std::collections::BTreeMap;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use secrecy::{ExposeSecret, SecretString};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::answer::{BodyEnd, CallError, ToolAnswer, read_as_text};
use super::secrets::KnownSecrets;
use brain_core::limits;

/// How long an end may take.
const END_LIMIT: Duration = Duration::from_millis(limits::PROGRAM_END_MS);

/// A program and what it gets.
#[derive(Debug, Clone)]
pub struct ProgramCommand {
    pub command: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, SecretString>,
    /// The folder that it runs in; the one of this program otherwise.
    pub cwd: Option<String>,
}

/// What a program needs of the environment to be found and to find its files.
const PASSED_ON: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
];

/// A running one. It is killed with its value.
#[derive(Debug)]
pub struct Program {
    /// Until it is waited for.
    child: Mutex<Option<Child>>,
    group: Option<Pid>,
    complaint: Arc<Mutex<Vec<u8>>>,
    /// What it was given, and may complain of.
    secrets: KnownSecrets,
    /// Reads what it complains of.
    hearing: Mutex<Option<JoinHandle<()>>>,
}

/// It, what to read and what to write.
pub type StartedProgram = (Program, ChildStdout, ChildStdin);

impl Program {
    /// Starts it.
    pub fn start(program: &ProgramCommand) -> std::io::Result<StartedProgram> {
        let mut command = Command::new(&program.command);
        command.args(&program.args).env_clear();
        command.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.envs(program.env.iter().map(|(name, value)| (name, value.expose_secret())));
        if let Some(cwd) = &program.cwd {
            command.current_dir(cwd);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no standard input and output"));
        };
        let complaint = Arc::default();
        let hearing = child.stderr.take().map(|stderr| tokio::spawn(keep_end(stderr, Arc::clone(&complaint))));
        let (child, hearing) = (Mutex::new(Some(child)), Mutex::new(hearing));
        let secrets = KnownSecrets::of(program.env.values());
        Ok((Self { child, group, complaint, secrets, hearing }, stdout, stdin))
    }

    /// The last of what it said on standard error, without its secrets.
    pub fn complaint(&self) -> String {
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        self.secrets.masked(String::from_utf8_lossy(&complaint).trim())
    }

    /// The last lines of that, as a clause; behind a cause there often stands where a log is.
    pub fn last_words(&self) -> Option<String> {
        last_lines(&self.complaint())
    }

    /// The same of one that may just be ending: what it said last is waited for, a moment.
    pub async fn last_words_in_time(&self) -> Option<String> {
        if timeout(Duration::from_millis(limits::PROGRAM_LAST_WORDS_MS), self.ended()).await.is_err() {
            return self.last_words();
        }
        last_lines(&self.last_complaint().await)
    }

    /// Asks it to end, and kills what is left a moment later.
    pub async fn stop(&self) {
        signal(self.running_group(), Signal::TERM);
        let _ = timeout(END_LIMIT, self.ended()).await;
        self.wait().await;
    }

    /// Waits until its process has ended. It is not waited for: its number could be another one's by then.
    async fn ended(&self) {
        while self.is_there() {
            sleep(Duration::from_millis(limits::PROGRAM_LOOK_MS)).await;
        }
    }

    /// Kills what is left of its group, and gives how it ended; `None` where nobody can tell.
    async fn wait(&self) -> Option<ExitStatus> {
        signal(self.running_group(), Signal::KILL);
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        timeout(END_LIMIT, child.wait()).await.ok()?.ok()
    }

    /// All that it has complained of: for one that has ended.
    async fn last_complaint(&self) -> String {
        let hearing = self.hearing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(hearing) = hearing {
            let _ = timeout(END_LIMIT, hearing).await;
        }
        self.complaint()
    }

    /// Its group, as long as no other one can have its number.
    fn running_group(&self) -> Option<Pid> {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.as_ref().and(self.group)
    }

    /// Whether its process still runs; one that has ended and was not waited for does not.
    fn is_there(&self) -> bool {
        let Some(pid) = self.running_group() else { return false };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(pid), look).is_ok_and(|ended| ended.is_none())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.child.get_mut().is_ok_and(|child| child.is_some()) {
            signal(self.group, Signal::KILL);
        }
    }
}

fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // All of it may have ended by itself.
        let _ = kill_process_group(group, signal);
    }
}

/// Runs a program to its end, which comes after `patience` at the latest: what it prints is its answer, a code that is not
/// 0 is a failure with the last line of what it complained of, and one that was ended has perhaps done it.
pub async fn finished(command: &ProgramCommand, stdin: &str, patience: Duration) -> Result<ToolAnswer, CallError> {
    let (program, stdout, pipe) =
        Program::start(command).map_err(|error| CallError::Unreachable(format!("it cannot be started: {error}")))?;
    let mut printed = PrintedOutput::default();
    let within = {
        let output = std::pin::pin!(async {
            tokio::join!(hand_in(pipe, stdin), printed.read(stdout));
        });
        timeout(patience, run(&program, output)).await
    };
    if within.is_err() {
        program.stop().await;
        let secs = patience.as_secs();
        return Err(CallError::Unanswered(format!("it did not end within {secs} seconds, and was ended")));
    }
    let Some(status) = program.wait().await else {
        return Err(CallError::Unanswered("nobody can tell how it ended".to_owned()));
    };
    match status.code() {
        Some(0) => Ok(ToolAnswer { text: printed.text(), is_error: false }),
        Some(code) => {
            let complaint = program.last_complaint().await;
            let last = complaint.lines().next_back().map(str::to_owned);
            Ok(ToolAnswer { text: last.unwrap_or_else(|| format!("it ended with code {code}")), is_error: true })
        }
        None => Err(CallError::Unanswered(format!("it was ended: {status}"))),
    }
}

/// Until its process has ended, and what it had printed is read. What it leaves behind may hold its output for ever.
async fn run(program: &Program, mut output: std::pin::Pin<&mut impl Future<Output = ()>>) {
    tokio::select! {
        () = &mut output => program.ended().await,
        () = program.ended() => {
            signal(program.running_group(), Signal::KILL);
            let _ = timeout(END_LIMIT, output).await;
        }
    }
}

async fn hand_in(mut pipe: ChildStdin, text: &str) {
    // One that does not read it does not need it.
    let _ = pipe.write_all(text.as_bytes()).await;
}

/// What a program has printed, as far as that may be kept.
#[derive(Default)]
struct PrintedOutput {
    kept: Vec<u8>,
    is_cut: bool,
}

impl PrintedOutput {
    /// Reads to the end: a program whose output nobody takes would never get on.
    async fn read(&mut self, mut stdout: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = stdout.read(&mut buffer).await {
            let taken = read.min(limits::OUTSIDE_ANSWER_BYTES_MAX - self.kept.len());
            self.kept.extend_from_slice(&buffer[..taken]);
            self.is_cut |= taken < read;
        }
    }

    fn text(&self) -> String {
        read_as_text(&self.kept, if self.is_cut { BodyEnd::TooLong } else { BodyEnd::Whole })
    }
}

async fn keep_end(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..read]);
        let excess = kept.len().saturating_sub(limits::PROGRAM_COMPLAINT_BYTES_MAX);
        kept.drain(..excess);
    }
}

fn last_lines(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(limits::PROGRAM_COMPLAINT_LINES)..];
    (!last.is_empty()).then(|| format!("it said “{}”", last.join(" / ")))
}

#[cfg(test)]
mod tests {
    use super::last_lines;

    #[test]
    fn the_cause_is_told_though_it_is_not_the_last_line() {
        let text =
            "npm warn old\nnpm error code E404\n\nnpm error 404 Not Found\nA complete log of this run: /tmp/log\n";
        let told = last_lines(text).unwrap();
        assert_eq!(
            told,
            "it said “npm error code E404 / npm error 404 Not Found / A complete log of this run: /tmp/log”"
        );
        assert_eq!(last_lines(" \n"), None);
    }
}
