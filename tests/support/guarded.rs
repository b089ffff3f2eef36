//! A server of the system (Dovecot, Postfix) as a child of the test process.
//!
//! Invariants: it and everything it started is killed, by process group, when its value is dropped, and when the test
//! process ends in any other way (`tests/servers/guard.sh` waits for the end of a pipe); its folder goes with it.
//! What is missing on this machine is an error that says who installs it, never a skipped test.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a start is tried when another process took one of its ports in between.
const STARTS_MAX: usize = 5;
/// How long a server may take until it answers.
const START_LIMIT: Duration = Duration::from_secs(120);

/// Below it are ports that servers of a system use.
const FIRST_PORT: u16 = 10_000;

/// A running server of the system.
#[derive(Debug)]
pub struct Guarded {
    guard: Child,
    log: PathBuf,
}

impl Guarded {
    /// Has `shell` run `command` in the foreground; `log` receives what it prints. Returns at once.
    pub fn start(mut shell: Command, folder: &Path, log: &Path, command: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/guard.sh");
        shell.arg(script).arg(folder).arg(log).args(command).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { guard: shell.spawn().unwrap_or_else(|error| panic!("{shell:?}: {error}")), log: log.to_owned() }
    }

    /// Waits until `ready` says so; an error with the log when the server ends instead. Panics with the log when it does
    /// neither.
    pub fn wait_ready(&self, mut ready: impl FnMut() -> bool) -> Result<(), String> {
        let started = Instant::now();
        while !ready() {
            let log = self.log();
            if log.contains("the server ended with") {
                return Err(log);
            }
            assert!(started.elapsed() < START_LIMIT, "no answer within {START_LIMIT:?}: {log}");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Kills the server and keeps its folder.
    pub fn stop_and_keep(mut self) {
        if let Some(pipe) = self.guard.stdin.as_mut() {
            pipe.write_all(b"keep\n").expect("the guard lives");
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}:\n{}", self.log.display(), self.log());
        }
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Where this program of the system is; panics with what to do when it is not installed.
pub fn program_path(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = ["/usr/bin", "/usr/sbin", "/usr/lib/postfix/sbin", "/usr/libexec/postfix"].map(PathBuf::from);
    // The system's own first: a shim of a version manager starts slowly.
    let mut folders = more.into_iter().chain(std::env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file())).unwrap_or_else(|| {
        panic!("{name} is not installed: tests/run.sh installs the mail servers that this test needs")
    })
}

/// What a program of the system prints; panics with its error otherwise.
pub fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// So many different ports of 127.0.0.1 that are free now and were not given to another server of this process. The system
/// gives none of them to anybody who asks for any port or connects, so a server that was stopped finds its own again.
pub fn free_ports<const N: usize>() -> [u16; N] {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let ports = FIRST_PORT..first_ephemeral_port();
    let among = ports.len() as u64;
    let fresh = || loop {
        let any = RandomState::new().hash_one(()) % among;
        let port = ports.start + u16::try_from(any).expect("a port");
        if TcpListener::bind(("127.0.0.1", port)).is_ok()
            && GIVEN.lock().expect("no panic while it is held").insert(port)
        {
            return port;
        }
    };
    [(); N].map(|()| fresh())
}

fn first_ephemeral_port() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let first = range.split_whitespace().next().and_then(|first| first.parse().ok());
    // The default of Linux; where the range leaves too few below it, a port may be taken after all.
    first.filter(|first| *first > FIRST_PORT + 1000).unwrap_or(32_768)
}

/// Tries `start` again while it fails because a port was taken in between.
pub fn start_on_free_ports<T>(mut start: impl FnMut() -> Result<T, String>) -> T {
    for left in (0..STARTS_MAX).rev() {
        match start() {
            Ok(started) => return started,
            Err(why) => assert!(left > 0 && why.contains("in use"), "the server did not start: {why}"),
        }
    }
    unreachable!("the last try has returned or panicked")
}

/// Whether this port of 127.0.0.1 greets with these words: another process may have been quicker to take it.
pub fn greets(port: u16, words: &str) -> bool {
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let _ = stream.set_read_timeout(Some(START_LIMIT));
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).is_ok() && line.contains(words)
}

/// Whom the mail belongs to: nobody when root runs the tests, else who does.
#[derive(Clone, Debug)]
pub struct MailOwner {
    pub root: bool,
    pub uid: u32,
    pub gid: u32,
    /// Name and group of who runs the tests.
    pub user: String,
    pub group: String,
}

impl MailOwner {
    pub fn here() -> Self {
        let id = |what: &str| output_of(Command::new("id").arg(what)).trim().to_owned();
        let root = id("-u") == "0";
        let number = |what: &str| if root { 65_534 } else { id(what).parse().expect("a number") };
        Self { root, uid: number("-u"), gid: number("-g"), user: id("-un"), group: id("-gn") }
    }

    /// This program with root's rights: as it is, or by a `sudo` that asks for no password.
    pub fn as_root(&self, program: &Path) -> Command {
        if self.root {
            return Command::new(program);
        }
        let mut command = Command::new(program_path("sudo"));
        command.arg("-n").arg(program);
        command
    }

    pub fn give(&self, path: &Path) {
        if self.root {
            std::os::unix::fs::chown(path, Some(self.uid), Some(self.gid)).expect("root may give files away");
        }
    }
}
