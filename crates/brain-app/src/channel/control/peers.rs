//! Who is at the other end of a connection: whether this process has started it, as far as the system tells.
//!
//! A program of a tool runs as the same user and may open every file that we may, so this keeps no secret from it: it
//! keeps what was written for such a program, or smuggled into one, from deciding by the way that stands open to every
//! program. One that leaves its parents (a daemon of its own) is not known any more; docs/decisions.md says what is left.

use tokio::net::UnixStream;

use brain_core::limits::ANCESTORS_MAX;

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// This process has started it, or one of those that it has started; or it is gone, and nobody can tell.
    StartedByUs,
    /// Anybody else of this machine's user.
    Other,
}

impl Peer {
    pub(super) fn of(stream: &UnixStream) -> Self {
        match stream.peer_cred().ok().and_then(|peer| peer.pid()) {
            // Of another machine, as it were: what we have started has a number here.
            None | Some(..=0) => Self::Other,
            Some(pid) => Self::of_process(pid),
        }
    }

    fn of_process(pid: i32) -> Self {
        let me = std::process::id().cast_signed();
        // A system that tells nothing of anybody.
        if pid == me || parent_of(me).is_none() {
            return Self::Other;
        }
        let mut process = pid;
        for _ in 0..ANCESTORS_MAX {
            match parent_of(process) {
                None => return Self::StartedByUs,
                Some(parent) if parent == me => return Self::StartedByUs,
                Some(..=1) => return Self::Other,
                Some(parent) => process = parent,
            }
        }
        Self::StartedByUs
    }
}

/// The process that a process was started by; `None` where that cannot be told.
fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses, and may hold some.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_this_process_has_started_is_known_as_that_and_nobody_else() {
        let me = std::process::id().cast_signed();
        assert_eq!(Peer::of_process(me), Peer::Other);
        assert_eq!(Peer::of_process(parent_of(me).unwrap()), Peer::Other);
        assert_eq!(Peer::of_process(1), Peer::Other);
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; read line"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stdout.take().unwrap()), &mut said).unwrap();
        let grandchild: i32 = said.trim().parse().unwrap();
        assert_eq!(Peer::of_process(shell.id().cast_signed()), Peer::StartedByUs);
        assert_eq!(Peer::of_process(grandchild), Peer::StartedByUs);
        Command::new("kill").arg(said.trim()).status().unwrap();
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert_eq!(Peer::of_process(shell.id().cast_signed()), Peer::StartedByUs, "it is gone: nobody can tell");
    }
}
