//! The real binary in a clean room: no environment but what a test gives, an empty working folder (so that
//! no `.env` is read), a data folder that can outlive a kill.
//!
//! [`Program`] is the installation; it runs once ([`Program::run`]), as a terminal chat
//! ([`Program::console`]) or as the Telegram daemon ([`Program::daemon`]), one after the other on the same
//! data. Invariants: nothing that was started outlives its value; every wait has a limit and shows what was
//! printed when it is reached.

mod child;
mod console;
mod daemon;
mod pty;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use super::bot_api::FakeBotApi;
use super::model_server::ModelServer;
use super::smtp_server::SmtpServer;
use child::Child;
pub use child::{Finished, wait_reached};
pub use console::{
    Console, Lines, button, buttons_of, did, done_of, errors_of, messages_of, outcomes_of, params_of, path_of,
    pending_id, pending_ids, text_of,
};
pub use daemon::Daemon;
pub use pty::Terminal;

/// How long a one-shot command may take.
const RUN_LIMIT: Duration = Duration::from_secs(30);

/// One installation of the program.
#[derive(Clone, Debug)]
pub struct Program {
    binary: PathBuf,
    env: BTreeMap<String, String>,
    cwd: Arc<TempDir>,
    /// Held so that it lives as long as the program may be started.
    own_data: Option<Arc<TempDir>>,
    data: PathBuf,
}

impl Default for Program {
    fn default() -> Self {
        Self::new()
    }
}

impl Program {
    /// With an empty data folder of its own.
    pub fn new() -> Self {
        let own = Arc::new(TempDir::new().expect("a data folder"));
        let data = own.path().join("state");
        Self { own_data: Some(own), ..Self::with_data_dir(&data) }
    }

    /// On a data folder that belongs to the test.
    pub fn with_data_dir(data: &Path) -> Self {
        let program = Self {
            binary: PathBuf::from(env!("CARGO_BIN_EXE_brain-agent")),
            env: BTreeMap::new(),
            cwd: Arc::new(TempDir::new().expect("a working folder")),
            own_data: None,
            data: data.to_owned(),
        };
        let data = data.to_str().expect("a data folder in UTF-8");
        program.env("BRAIN_DATA_DIR", data).env("RUST_LOG", "off")
    }

    /// Another executable in the same clean room.
    pub fn binary(self, path: &Path) -> Self {
        Self { binary: path.to_owned(), ..self }
    }

    pub fn env(mut self, key: &str, value: &str) -> Self {
        self.env.insert(key.to_owned(), value.to_owned());
        self
    }

    pub fn without_env(mut self, key: &str) -> Self {
        self.env.remove(key);
        self
    }

    /// A model server for every stage. Router and words are always asked for: scripts say what is answered, turn by turn.
    pub fn model(self, server: &ModelServer) -> Self {
        self.env("LLM_BASE_URL", &server.url())
            .env("LLM_API_KEY", "test-key")
            .env("LLM_MODEL", "scripted")
            .env("BRAIN_SKIP_ROUTER", "false")
            .env("BRAIN_SKIP_PLANNER", "false")
            .env("BRAIN_RESPOND", "always")
            .env("BRAIN_PLANNING", "conversation")
    }

    /// The same, planning by one large call: scripts say what each stage of that way answers.
    pub fn whole_plans(self, server: &ModelServer) -> Self {
        self.model(server).env("BRAIN_PLANNING", "whole")
    }

    /// The account of the terminal's person, and on Telegram of Anna: it is the first admin's.
    pub fn smtp(self, server: &SmtpServer) -> Self {
        self.env("SMTP_URL", &server.url()).env("BRAIN_ADMINS", "1001")
    }

    pub fn bot_api(self, api: &FakeBotApi) -> Self {
        self.env("TELEGRAM_BOT_TOKEN", api.token()).env("TELEGRAM_API_URL", &api.url())
    }

    /// Stops dead at this failpoint (the feature `failpoints` has to be built in); see [`Self::reached_file`].
    pub fn fail_at(self, name: &str) -> Self {
        let file = self.reached_file();
        let _ = std::fs::remove_file(&file);
        self.env("FAIL_AT", name).env("FAIL_REACHED", file.to_str().expect("UTF-8"))
    }

    pub fn without_failpoint(self) -> Self {
        self.without_env("FAIL_AT").without_env("FAIL_REACHED")
    }

    /// Where the program writes the name of the failpoint it has stopped at.
    pub fn reached_file(&self) -> PathBuf {
        self.cwd.path().join("reached")
    }

    pub fn data_dir(&self) -> &Path {
        &self.data
    }

    /// The working folder, empty until a test puts something there.
    pub fn cwd(&self) -> &Path {
        self.cwd.path()
    }

    /// Chat in the terminal: `brain-agent console --json` and these arguments.
    pub fn console(&self, args: &[&str]) -> Console {
        Console::new(self.start(&[&["console", "--json"], args].concat()))
    }

    /// The same with a clock that stands still, in UTC.
    pub fn at(&self, now: &str) -> Console {
        self.console(&["--now", now, "--tz", "UTC"])
    }

    /// The same over the demo, on the morning of Monday, 12 January 2026.
    pub fn demo(&self) -> Console {
        self.console(&["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "UTC"])
    }

    /// A mail that lies in the inbox of `me`, unread.
    pub fn receives(&self, name: &str, mail: impl AsRef<[u8]>) -> PathBuf {
        let folder = self.data.join("mail/me/new");
        std::fs::create_dir_all(&folder).expect("an inbox");
        let file = folder.join(name);
        std::fs::write(&file, mail).expect("a mail");
        file
    }

    /// The record of a card, whatever became of it.
    pub fn card(&self, id: &str) -> serde_json::Value {
        let shown = self.run(&["pending", "show", id, "--json"]);
        assert_eq!(shown.code, 0, "{shown:?}");
        shown.json_lines().remove(0)
    }

    /// The ids of the open cards, as the operator sees them.
    pub fn open_cards(&self) -> Vec<String> {
        let listed = self.run(&["pending", "list", "--json"]);
        assert_eq!(listed.code, 0, "{listed:?}");
        listed.json_lines().iter().map(|card| card["id"].as_str().expect("an id").to_owned()).collect()
    }

    /// `brain-agent serve` against this Bot API. Not ready yet: see [`Daemon::wait_ready`].
    pub fn daemon(&self, api: &FakeBotApi) -> Daemon {
        let program = self.clone().bot_api(api);
        let polled_before = api.calls("getUpdates").len();
        Daemon::new(program.start(&["serve"]), api.clone(), polled_before, self.reached_file())
    }

    /// One command to its end, without input.
    pub fn run(&self, args: &[&str]) -> Finished {
        self.run_with_stdin(args, "")
    }

    pub fn run_with_stdin(&self, args: &[&str], stdin: &str) -> Finished {
        let mut child = self.start(args);
        child.write(stdin.as_bytes());
        child.close_stdin();
        child.finish(RUN_LIMIT)
    }

    /// The same with a person at a terminal.
    pub fn terminal(&self, args: &[&str]) -> Terminal {
        self.terminal_of(100, args)
    }

    /// The same, so many columns wide.
    pub fn terminal_of(&self, columns: u16, args: &[&str]) -> Terminal {
        self.in_terminal(columns, &[&["console"], args].concat())
    }

    /// Another command in such a terminal.
    pub fn terminal_command(&self, args: &[&str]) -> Terminal {
        self.in_terminal(100, args)
    }

    fn in_terminal(&self, columns: u16, args: &[&str]) -> Terminal {
        // The terminal is the program's own, so that Ctrl-C reaches it as it does from a shell.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(&self.binary);
        Terminal::start(self.prepared(command, args), self.clone(), columns)
    }

    fn start(&self, args: &[&str]) -> Child {
        Child::spawn(self.prepared(Command::new(&self.binary), args), args, self.clone())
    }

    fn prepared(&self, mut command: Command, args: &[&str]) -> Command {
        command.args(args).current_dir(self.cwd.path()).env_clear().envs(&self.env);
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }
}

/// A one-shot command in a new clean room: its exit code, standard output and standard error.
pub fn run(args: &[&str], env: &[(&str, &str)]) -> (i32, String, String) {
    let program = env.iter().fold(Program::new(), |program, (key, value)| program.env(key, value));
    let finished = program.run(args);
    (finished.code, finished.stdout, finished.stderr)
}
