//! The commands and their arguments, as `--help` shows them.

use std::path::PathBuf;

use brain_agent::core::people::{ConsoleUser, DEFAULT_USER};
use brain_agent::eval;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::{Args, Parser, Subcommand};

use crate::setup::SetupArgs;

/// A personal assistant that asks before it does anything that cannot be taken back.
#[derive(Debug, Parser)]
#[command(
    version = env!("VERSION_AS_BUILT"),
    about,
    after_help = "Without a command: chat in this terminal, or serve Telegram when TELEGRAM_BOT_TOKEN is set."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Serve Telegram and deliver reminders
    Serve,
    /// Chat in this terminal
    Console(ConsoleArgs),
    /// One message, its answer, and out: exit 0 fine, 1 something failed, 2 bad configuration, 3 waits for a yes
    Ask {
        /// The message
        text: String,
        /// Who asks: somebody of this terminal
        #[arg(long, default_value = DEFAULT_USER)]
        user: ConsoleUser,
        /// Do nothing: print what built-in understanding makes of each part of the message
        #[arg(long)]
        explain: bool,
    },
    /// See, cancel or approve what waits for a yes or no
    Pending {
        #[command(subcommand)]
        verb: Verb,
        /// One JSON object a line
        #[arg(long, global = true)]
        json: bool,
    },
    /// How the last turns went: path, time, calls, tokens, what came of them
    Turns {
        /// At most so many
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// How long turns took, what became of cards, what models cost
    Stats {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Who is served
    Users {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// What other models or prompts make of the same messages (BRAIN_SHADOW), with nothing done
    Shadow {
        #[command(subcommand)]
        verb: ShadowVerb,
        /// At most so many of the last turns
        #[arg(long, global = true, default_value_t = 200)]
        limit: usize,
        /// One JSON object
        #[arg(long, global = true)]
        json: bool,
    },
    /// Bot token, model and accounts: asked for, tried, written
    Setup(SetupArgs),
    /// Write a person's data as an archive, all of it: JSON, .ics, .vcf and Maildir
    Export {
        /// Whose: a name of the console, or tg:ID
        #[arg(long, default_value = DEFAULT_USER)]
        user: String,
        /// Where to; else brain-agent-DATE.zip in this folder, whose name is printed. What is there stays
        #[arg(long, value_name = "FILE", conflicts_with = "json")]
        out: Option<PathBuf>,
        /// The document alone, on standard output
        #[arg(long)]
        json: bool,
    },
    /// Take an archive of /export in again, or its data.json: without rights, cards or queues. What is here stays as it is
    Import {
        /// The archive
        file: PathBuf,
        /// Whose it becomes; else whose it was
        #[arg(long)]
        user: Option<String>,
    },
    /// Write the whole data folder into one file, whether or not it is in use; a file that is there is replaced when the
    /// new one is whole
    Backup {
        /// The backup
        file: PathBuf,
        /// What gives access to accounts goes into it as well: whoever has the file then has your mail
        #[arg(long)]
        with_tokens: bool,
    },
    /// Put a backup back as the data folder, where there is none
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Read a backup through, every record of it: exit 0 it is fine, 1 it is not
    Check {
        /// The backup
        file: PathBuf,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Look at everything that is needed, and say what to do: exit 0 it works, 1 something does not, 2 bad configuration
    Doctor {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        /// Only whether a brain-agent runs in this data folder and answers, as a health check asks
        #[arg(long)]
        running: bool,
    },
    /// Servers that bring tools (BRAIN_MCP_CONFIG): see them, try them
    Mcp {
        #[command(subcommand)]
        verb: McpVerb,
        /// One JSON object a line
        #[arg(long, global = true)]
        json: bool,
    },
    /// Measure understanding on a file of messages with known answers
    Eval(EvalArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ConsoleArgs {
    /// One JSON object a line, in and out
    #[arg(long)]
    pub(crate) json: bool,
    /// Made-up mail, calendar, contacts, tasks, notes and memories in a throw-away folder
    #[arg(long)]
    pub(crate) demo: bool,
    /// A clock that stands still at this time, e.g. 2026-01-11T09:00:00Z
    #[arg(long)]
    pub(crate) now: Option<DateTime<Utc>>,
    /// The time zone, e.g. Europe/Berlin
    #[arg(long)]
    pub(crate) tz: Option<Tz>,
    /// Who is talking: somebody of this terminal
    #[arg(long, default_value = DEFAULT_USER)]
    pub(crate) user: ConsoleUser,
}

/// Without a command.
impl Default for ConsoleArgs {
    fn default() -> Self {
        Self { json: false, demo: false, now: None, tz: None, user: ConsoleUser::default() }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Everything that waits
    List,
    /// One card, as its owner sees it
    Show { id: String },
    /// Drop one
    Cancel { id: String },
    /// Say yes in the owner's place, where BRAIN_ADMIN_MAY_APPROVE allows it
    Approve {
        id: String,
        /// The first 12 characters of its digest, as `show` prints it
        digest: Option<String>,
        /// The same, by name
        #[arg(long = "digest", conflicts_with = "digest")]
        digest_option: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum ShadowVerb {
    /// Where they agree with what counted and where not, what both took and cost
    Report,
    /// Take the turns again whose contents are kept, over the things of today
    Replay,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpVerb {
    /// Every server: whether it answers, by which protocol, with how many tools
    List,
    /// The tools of one: what they do and take, which need a yes, which cannot be used
    Tools {
        /// Its name in the file; or a URL, or a command with its arguments in one pair of quotes
        server: String,
    },
    /// Sign in to one that wants it (OAuth), in a browser: its page is named, and access is kept in the data folder
    Login {
        /// Its name in the file
        server: String,
        /// Something to have access to beside what was given before, as the server names it
        #[arg(long, value_name = "SCOPE")]
        scope: Vec<String>,
        /// What opens the page: a command whose last argument becomes its address, such as xdg-open
        #[arg(long, value_name = "COMMAND")]
        browser: Option<String>,
    },
    /// Forget what was given by `login`
    Logout {
        /// Its name in the file
        server: String,
    },
    /// Call a tool, at once and without a card: you are the one who says yes
    Call {
        /// As for `tools`
        server: String,
        /// Its name
        tool: String,
        /// Its parameters, as a JSON object
        #[arg(default_value = "{}")]
        parameters: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// What to measure
    pub(crate) what: eval::Measured,
    /// The messages and their answers; data/eval shows how they are written
    pub(crate) file: PathBuf,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// List every miss
    #[arg(long)]
    pub(crate) errors: bool,
    /// Built-in understanding, though a model is configured; for memory, words alone
    #[arg(long)]
    pub(crate) built_in: bool,
    /// So many rows of the file only, drawn by --seed
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Which draw; the same seed draws the same rows
    #[arg(long, value_name = "S", requires = "sample", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The same rows once more with these keys of the environment, in the next column
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    pub(crate) beside: Vec<String>,
    /// The next column goes without grounding: what of a plan nobody said is done all the same
    #[arg(long)]
    pub(crate) ungrounded: bool,
}
