//! A server that is a program of this machine: a process group of its own, so that what it starts ends with it.
//!
//! Invariants: it gets an environment of a few plain variables and its own, never this program's secrets; what it says
//! on standard error is read and only its end kept; its group is killed before its process is waited for, so no other
//! process can be meant.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use secrecy::ExposeSecret;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep, timeout};

use super::config::ProgramCommand;
use crate::limits;

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
pub(super) struct Program {
    /// Until it is waited for.
    child: Mutex<Option<Child>>,
    group: Option<Pid>,
    complaint: Arc<Mutex<Vec<u8>>>,
}

/// It, what to read and what to write.
pub(super) type Started = (Program, ChildStdout, ChildStdin);

impl Program {
    pub(super) fn start(program: &ProgramCommand) -> std::io::Result<Started> {
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
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(keep_end(stderr, Arc::clone(&complaint)));
        }
        Ok((Self { child: Mutex::new(Some(child)), group, complaint }, stdout, stdin))
    }

    /// The last lines of what it said on standard error; behind the cause there often stands where a log is.
    pub(super) fn complaint(&self) -> Option<String> {
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        last_lines(&String::from_utf8_lossy(&complaint))
    }

    /// Asks it to end, and kills what is left a moment later.
    pub(super) async fn stop(&self) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(mut child), limit) = (child, Duration::from_millis(limits::MCP_END_MS)) else { return };
        let began = Instant::now();
        signal(self.group, Signal::TERM);
        // Not waited for: the number of a process that was could be another one's by now.
        while is_there(&child) && began.elapsed() < limit {
            sleep(Duration::from_millis(limits::MCP_END_MS / 100)).await;
        }
        signal(self.group, Signal::KILL);
        let _ = timeout(limit, child.wait()).await;
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

/// Whether its process still runs; one that has ended and was not waited for does not.
fn is_there(child: &Child) -> bool {
    let Some(id) = child.id() else { return false };
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

async fn keep_end(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..read]);
        let excess = kept.len().saturating_sub(limits::MCP_COMPLAINT_BYTES_MAX);
        kept.drain(..excess);
    }
}

fn last_lines(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(limits::MCP_COMPLAINT_LINES)..];
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
