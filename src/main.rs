//! The command line: configuration, store, recovery, and then a face.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use brain_agent::admin::{self, Request};
use brain_agent::app::{self, Faces, Parts, StartError};
use brain_agent::clock::{ManualClock, SystemClock};
use brain_agent::config::Config;
use brain_agent::console::terminal::{self, JsonSink, TerminalSink, shared};
use brain_agent::console::wire::Out;
use brain_agent::console::{ConsoleChat, Session, Sink, chat_of};
use brain_agent::control::{self, Client};
use brain_agent::core::ids::UserId;
use brain_agent::pipeline::{Brain, recover};
use brain_agent::ports::{Clock, Store, StoreError};
use brain_agent::store::RedbStore;
use brain_agent::{eval, scheduler, services, telegram};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::{Args, Parser, Subcommand};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// A personal assistant that asks before it does anything that cannot be taken back.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "Without a command: chat in this terminal, or serve Telegram when TELEGRAM_BOT_TOKEN is set."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve Telegram and deliver reminders
    Serve,
    /// Chat in this terminal
    Console(ConsoleArgs),
    /// One message, its answer, and out: exit 0 fine, 1 something failed, 2 bad configuration, 3 waits for a yes
    Ask {
        /// The message
        text: String,
        /// Who asks
        #[arg(long, default_value = DEFAULT_USER)]
        user: String,
    },
    /// See, cancel or approve what waits for a yes or no
    Pending {
        #[command(subcommand)]
        verb: Verb,
        /// One JSON object a line
        #[arg(long, global = true)]
        json: bool,
    },
    /// Write all of a person's data as JSON, as /export hands it over
    Export {
        /// Whose: a name of the console, or tg:ID
        #[arg(long, default_value = DEFAULT_USER)]
        user: String,
    },
    /// Measure understanding on a file of messages with known answers
    Eval(EvalArgs),
}

#[derive(Debug, Args)]
struct EvalArgs {
    /// What to measure
    what: eval::What,
    /// The messages and their answers; data/eval shows how they are written
    file: PathBuf,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// List every miss
    #[arg(long)]
    errors: bool,
    /// Built-in understanding, though a model is configured
    #[arg(long)]
    built_in: bool,
}

#[derive(Debug, Args)]
struct ConsoleArgs {
    /// One JSON object a line, in and out
    #[arg(long)]
    json: bool,
    /// Made-up mail, calendar, contacts, tasks, notes and memories in a throw-away folder
    #[arg(long)]
    demo: bool,
    /// A clock that stands still at this time, e.g. 2026-01-11T09:00:00Z
    #[arg(long)]
    now: Option<DateTime<Utc>>,
    /// The time zone, e.g. Europe/Berlin
    #[arg(long)]
    tz: Option<Tz>,
    /// Who is talking
    #[arg(long, default_value = DEFAULT_USER)]
    user: String,
}

#[derive(Debug, Subcommand)]
enum Verb {
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

const DEFAULT_USER: &str = "me";

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    log_to_stderr();
    // One TLS stack. It fails only when a provider was installed before, and then that one serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let outcome = match app::runtime() {
        Ok(runtime) => {
            let outcome = runtime.block_on(run(cli));
            // A thread that waits for a key press must not hold up the end.
            runtime.shutdown_timeout(std::time::Duration::from_millis(200));
            outcome
        }
        Err(error) => Err(error.into()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("brain-agent: {error:#}");
        ExitCode::from(2)
    })
}

/// Logs go to standard error; `RUST_LOG` says how much.
fn log_to_stderr() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let config = Config::load()?;
    for warning in &config.warnings {
        eprintln!("brain-agent: {warning}");
    }
    match cli.command {
        None if config.telegram.is_some() => serve(&config).await,
        None => {
            console(
                &config,
                ConsoleArgs { json: false, demo: false, now: None, tz: None, user: DEFAULT_USER.to_owned() },
            )
            .await
        }
        Some(Command::Serve) => serve(&config).await,
        Some(Command::Console(args)) => console(&config, args).await,
        Some(Command::Ask { text, user }) => ask(&config, &text, &user).await,
        Some(Command::Pending { verb, json }) => pending(&config, verb, json).await,
        Some(Command::Export { user }) => export(&config, &user).await,
        Some(Command::Eval(args)) => evaluate(&config, &args).await,
    }
}

/// A process that owns the store: its brain, and everything that runs beside the face.
struct Home {
    brain: Arc<Brain>,
    console: Arc<ConsoleChat>,
    store: Arc<RedbStore>,
    beside: tokio::task::JoinSet<()>,
    /// What falls due, when this process sees to it. It ends by itself, so that what is being delivered arrives.
    time: Option<AbortOnDropHandle<()>>,
    /// Nothing new begins.
    stop: CancellationToken,
}

/// Which parts a process needs beside its face.
struct Wanted<'a> {
    data_dir: &'a Path,
    clock: Arc<dyn Clock>,
    zone: Option<Tz>,
    telegram: Option<Arc<dyn brain_agent::ports::Chat>>,
}

impl Home {
    async fn open(config: &Config, wanted: Wanted<'_>) -> Result<Self, StartError> {
        let Wanted { data_dir, clock, zone, telegram } = wanted;
        let file = app::open_store(data_dir).await?;
        let store: Arc<dyn Store> = file.clone();
        let console = Arc::new(app::console_chat(&store, data_dir).await?);
        let face = Arc::new(Faces { console: console.clone(), telegram });
        let parts = Parts { store, data_dir: data_dir.to_owned(), clock, face, zone };
        let brain = Arc::new(app::build(config, parts)?);
        // Beside the start, so that neither it nor the first message waits.
        tokio::task::spawn_blocking(app::warm_up);
        recover::recover(&brain).await?;
        let (beside, stop) = (tokio::task::JoinSet::new(), CancellationToken::new());
        Ok(Self { brain, console, store: file, beside, time: None, stop })
    }

    /// Lets other processes reach this one.
    fn listen(&mut self, data_dir: &Path) {
        match control::listen(data_dir) {
            Ok(listener) => {
                self.beside.spawn(control::serve(listener, self.brain.clone(), self.console.clone()));
            }
            Err(error) => {
                eprintln!("brain-agent: other commands cannot reach this process ({error}); it works all the same")
            }
        }
    }

    /// Delivers what falls due, by the real clock.
    fn keep_time(&mut self) {
        let (brain, stop) = (self.brain.clone(), self.stop.clone());
        let time = tokio::spawn(async move { scheduler::run(&brain, &stop).await });
        self.time = Some(AbortOnDropHandle::new(time));
    }

    async fn close(mut self, data_dir: &Path) {
        self.stop.cancel();
        if let Some(time) = self.time.take() {
            // It has a limit of its own. If it broke, the next start finds what it has left.
            let _ = time.await;
        }
        self.beside.shutdown().await;
        let _ = std::fs::remove_file(control::path(data_dir));
        drop(self.brain);
        self.store.close().await;
    }
}

async fn serve(config: &Config) -> anyhow::Result<ExitCode> {
    let telegram_config = config
        .telegram
        .as_ref()
        .context("TELEGRAM_BOT_TOKEN is not set; get a token from @BotFather, or use “brain-agent console”")?;
    let telegram = telegram::Telegram::new(telegram_config, config)?.listening_with(app::transcriber(config)?);
    let wanted = Wanted {
        data_dir: &config.data_dir,
        clock: Arc::new(SystemClock::new()),
        zone: None,
        telegram: Some(telegram.chat()),
    };
    let mut home = Home::open(config, wanted).await?;
    home.listen(&config.data_dir);
    home.keep_time();
    let stopping = home.stop.clone();
    home.beside.spawn(async move {
        termination().await;
        stopping.cancel();
    });
    let ended = telegram.run(home.brain.clone(), home.stop.clone()).await;
    home.close(&config.data_dir).await;
    ended?;
    Ok(ExitCode::SUCCESS)
}

/// Returns on SIGTERM or Ctrl-C.
async fn termination() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

async fn console(config: &Config, args: ConsoleArgs) -> anyhow::Result<ExitCode> {
    let demo = args.demo.then(tempfile::tempdir).transpose().context("the demo needs a temporary folder")?;
    let data_dir: PathBuf = demo.as_ref().map_or_else(|| config.data_dir.clone(), |folder| folder.path().to_owned());
    let manual = args.now.map(|now| Arc::new(ManualClock::new(now)));
    let clock: Arc<dyn Clock> = match &manual {
        Some(clock) => clock.clone(),
        None => Arc::new(SystemClock::new()),
    };
    let opened =
        Home::open(config, Wanted { data_dir: &data_dir, clock: clock.clone(), zone: args.tz, telegram: None }).await;
    let mut home = match opened {
        Ok(home) => home,
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => {
            return remote_console(config, &args, locked).await;
        }
        Err(error) => return Err(error.into()),
    };
    if demo.is_some() {
        fill_demo(&home.brain, &data_dir, &args, clock.now()).await?;
    }
    home.listen(&data_dir);
    if manual.is_none() {
        home.keep_time();
    }
    let (lines, sink, typed) = open_terminal(&args);
    let session = Session::open(home.brain.clone(), home.console.clone(), sink, manual, args.user.clone()).await;
    converse(&home.brain, lines, typed.as_deref(), |line| {
        let session = &session;
        async move {
            session.line(&line).await;
            true
        }
    })
    .await;
    drop(session);
    home.close(&data_dir).await;
    Ok(ExitCode::SUCCESS)
}

async fn fill_demo(brain: &Brain, data_dir: &Path, args: &ConsoleArgs, now: DateTime<Utc>) -> anyhow::Result<()> {
    let zone = args.tz.unwrap_or(brain.policy.zone);
    let owner = UserId::new(args.user.clone());
    brain.commit(services::demo::fill(&owner, &chat_of(&args.user), now, zone)?).await?;
    services::email::demo::fill(data_dir, &owner, now, zone)?;
    Ok(())
}

type Terminal = (tokio::sync::mpsc::Receiver<String>, Arc<dyn Sink>, Option<Arc<TerminalSink>>);

/// Where lines come from and go to.
fn open_terminal(args: &ConsoleArgs) -> Terminal {
    if args.json {
        let (sender, lines) = tokio::sync::mpsc::channel(16);
        std::thread::spawn(move || terminal::piped_lines(&sender, |_| true)); // An empty one, too, is answered: somebody waits.
        return (lines, shared(JsonSink).1, None);
    }
    terminal::greet(args.demo);
    let (typed, sink) = shared(TerminalSink::default());
    (terminal::typed_lines(), sink, Some(typed))
}

/// Hands each line on, until the input ends, the program is told to stop, or nobody listens. A turn under way
/// is then stopped; what it cannot stop may end in time, or is found in the journal by the next start.
async fn converse<F: Future<Output = bool>>(
    brain: &Brain,
    mut lines: tokio::sync::mpsc::Receiver<String>,
    typed: Option<&TerminalSink>,
    mut hand_on: impl FnMut(String) -> F,
) {
    let stop = termination();
    let mut stop = std::pin::pin!(stop);
    loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            () = &mut stop => None,
        };
        let Some(line) = line else { return };
        let line = typed.map_or(line.clone(), |typed| typed.typed(&line).to_string());
        let mut turn = std::pin::pin!(hand_on(line));
        let goes_on = tokio::select! {
            goes_on = &mut turn => goes_on,
            () = &mut stop => {
                brain.stop_turns();
                let patience = std::time::Duration::from_millis(brain_agent::limits::SHUTDOWN_MS);
                let _ = tokio::time::timeout(patience, turn).await;
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}

/// The same console, through the process that owns the store.
async fn remote_console(config: &Config, args: &ConsoleArgs, locked: StoreError) -> anyhow::Result<ExitCode> {
    if args.now.is_some() || args.tz.is_some() {
        return Err(
            anyhow::Error::new(locked).context("--now and --tz need a data folder of their own (BRAIN_DATA_DIR)")
        );
    }
    let Ok(mut client) = Client::connect(&config.data_dir).await else {
        return Err(locked.into());
    };
    client.console(&args.user).await?;
    let (mut lines, sink, typed) = open_terminal(args);
    loop {
        tokio::select! {
            answer = client.next() => match answer {
                Some(answer) => show_remote(&answer, &sink, args.json),
                None => anyhow::bail!("the running brain-agent has stopped"),
            },
            line = lines.recv() => {
                let Some(line) = line else { break };
                let line = typed.as_ref().map_or(line.clone(), |typed| typed.typed(&line).to_string());
                client.send_raw(&line).await?;
                wait_for_done(&mut client, &sink, args.json).await?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows what comes back, up to the end of the turn.
async fn wait_for_done(client: &mut Client, sink: &Arc<dyn Sink>, json: bool) -> anyhow::Result<serde_json::Value> {
    loop {
        let answer = client.next().await.context("the running brain-agent has stopped")?;
        show_remote(&answer, sink, json);
        let value: serde_json::Value = serde_json::from_str(&answer)?;
        if value["type"] == "done" {
            return Ok(value);
        }
    }
}

fn show_remote(line: &str, sink: &Arc<dyn Sink>, json: bool) {
    use std::io::Write as _;
    if json {
        let mut stdout = std::io::stdout().lock();
        let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    } else if let Ok(out) = serde_json::from_str::<Out>(line) {
        sink.put(&out);
    }
}

async fn ask(config: &Config, text: &str, user: &str) -> anyhow::Result<ExitCode> {
    let line = serde_json::json!({"text": text}).to_string();
    let (_, sink) = shared(TerminalSink::default());
    let wanted = Wanted { data_dir: &config.data_dir, clock: Arc::new(SystemClock::new()), zone: None, telegram: None };
    let done = match Home::open(config, wanted).await {
        Ok(home) => {
            let session = Session::open(home.brain.clone(), home.console.clone(), sink, None, user.to_owned()).await;
            let done = session.line(&line).await;
            drop(session);
            home.close(&config.data_dir).await;
            serde_json::to_value(done)?
        }
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => {
            let Ok(mut client) = Client::connect(&config.data_dir).await else {
                return Err(locked.into());
            };
            client.console(user).await?;
            client.send_raw(&line).await?;
            wait_for_done(&mut client, &sink, false).await?
        }
        Err(error) => return Err(error.into()),
    };
    Ok(exit_code(&done))
}

/// 0 fine, 1 something failed, 3 something waits for consent.
fn exit_code(done: &serde_json::Value) -> ExitCode {
    let statuses: Vec<&str> =
        done["outcomes"].as_array().into_iter().flatten().filter_map(|o| o["status"].as_str()).collect();
    if done["path"] == "error" || statuses.iter().any(|s| ["failed", "unknown", "refused"].contains(s)) {
        ExitCode::from(1)
    } else if statuses.contains(&"pending") {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    }
}

async fn pending(config: &Config, verb: Verb, json: bool) -> anyhow::Result<ExitCode> {
    let request = match verb {
        Verb::List => Request::List,
        Verb::Show { id } => Request::Show { id },
        Verb::Cancel { id } => Request::Cancel { id },
        Verb::Approve { id, digest, digest_option } => Request::Approve { id, digest: digest.or(digest_option) },
    };
    let wanted = Wanted { data_dir: &config.data_dir, clock: Arc::new(SystemClock::new()), zone: None, telegram: None };
    let response = match Home::open(config, wanted).await {
        Ok(home) => {
            let response = admin::handle(&home.brain, &request).await;
            home.close(&config.data_dir).await;
            response
        }
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => match Client::connect(&config.data_dir).await {
            Ok(client) => client.request(&request).await?,
            Err(_) => return Err(locked.into()),
        },
        Err(error) => return Err(error.into()),
    };
    answered(&response, json)
}

async fn export(config: &Config, user: &str) -> anyhow::Result<ExitCode> {
    let wanted = Wanted { data_dir: &config.data_dir, clock: Arc::new(SystemClock::new()), zone: None, telegram: None };
    let response = match Home::open(config, wanted).await {
        Ok(home) => {
            let response = admin::export(&home.brain, user).await;
            home.close(&config.data_dir).await;
            response
        }
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => match Client::connect(&config.data_dir).await {
            Ok(client) => client.export(user).await?,
            Err(_) => return Err(locked.into()),
        },
        Err(error) => return Err(error.into()),
    };
    answered(&response, true)
}

fn answered(response: &admin::Response, json: bool) -> anyhow::Result<ExitCode> {
    show_response(response, json);
    Ok(if response.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn show_response(response: &admin::Response, json: bool) {
    use std::io::Write as _;
    let mut stdout = std::io::stdout().lock();
    if json {
        for record in &response.records {
            let _ = writeln!(stdout, "{record}");
        }
        if !response.ok {
            eprintln!("brain-agent: {}", response.text);
        }
    } else if response.ok {
        let _ = writeln!(stdout, "{}", response.text);
    } else {
        eprintln!("brain-agent: {}", response.text);
    }
}

/// Figures are no failure, however bad: 0 when there are any.
async fn evaluate(config: &Config, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    use std::io::Write as _;
    let who = if args.built_in { eval::Who::BuiltIn } else { eval::Who::Configured };
    let mut report = eval::run(args.what, &args.file, who, config).await?;
    let misses = std::mem::take(&mut report.errors);
    let misses = if args.errors { misses } else { Vec::new() };
    let mut stdout = std::io::stdout().lock();
    if args.json {
        report.errors = misses;
        writeln!(stdout, "{}", serde_json::to_string(&report)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    write!(stdout, "{}", report.to_text())?;
    if !misses.is_empty() {
        writeln!(stdout)?;
    }
    for miss in &misses {
        writeln!(stdout, "{miss}")?;
    }
    Ok(ExitCode::SUCCESS)
}
