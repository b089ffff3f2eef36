//! The conversation in a terminal, in the process that owns the store.

use std::io::IsTerminal as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use brain_agent::app::StartError;
use brain_agent::channel::console::terminal;
use brain_agent::channel::console::terminal::{Interrupt, JsonSink, Keyboard, TerminalSink, shared};
use brain_agent::channel::console::{ConsoleChannel, Line, ReceivedLines, Session, Sink, history_of};
use brain_agent::clock::{ManualClock, SystemClock};
use brain_agent::config::Config;
use brain_agent::limits;
use brain_agent::pipeline::brain::Brain;
use brain_agent::ports::{Clock, StoreError};
use brain_agent::services;
use chrono::{DateTime, Utc};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::cli::ConsoleArgs;
use crate::logs::Logs;
use crate::remote;
use crate::runtime::{Runtime, RuntimeParts, termination};

pub(crate) async fn console(config: &Config, args: ConsoleArgs, logs: &Logs) -> anyhow::Result<ExitCode> {
    // A made-up world has nobody's accounts.
    let made_up = args.demo.then(|| Config { accounts: Vec::new(), ..config.clone() });
    let config = made_up.as_ref().unwrap_or(config);
    let demo = args.demo.then(own_folder).transpose().context("the demo needs a temporary folder")?;
    let data_dir: PathBuf = demo.as_ref().map_or_else(|| config.data_dir.clone(), |folder| folder.path().to_owned());
    if !args.json {
        logs.go_to_file(&data_dir);
    }
    let manual = args.now.map(|now| Arc::new(ManualClock::new(now)));
    let clock: Arc<dyn Clock> = match &manual {
        Some(clock) => clock.clone(),
        None => Arc::new(SystemClock::new()),
    };
    let opened = Runtime::open(
        config,
        RuntimeParts { data_dir: &data_dir, clock: clock.clone(), zone: args.tz, telegram: None },
    )
    .await;
    let mut runtime = match opened {
        Ok(runtime) => runtime,
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => {
            return remote::console(config, &args, locked).await;
        }
        Err(error) => return Err(error.into()),
    };
    if demo.is_some() {
        fill_demo(&runtime.brain, &data_dir, &args, clock.now()).await?;
    }
    runtime.listen(&data_dir);
    runtime.open_page(config, &data_dir).await?;
    runtime.start_servers();
    runtime.send_traces(config);
    if manual.is_none() {
        runtime.keep_time(&data_dir, &[args.user.id()]);
    }
    let chat = args.user.chat();
    let interrupted = runtime.brain.clone();
    let numbers = runtime.console.clone();
    let terminal =
        Terminal::open(&args, &data_dir, numbers, Interrupt::Here(Box::new(move || interrupted.running.stop(&chat))));
    let Terminal { mut heard, sink, stop, screen } = terminal;
    let session = Session::open(runtime.brain.clone(), runtime.console.clone(), sink, manual, args.user.clone()).await;
    converse(&runtime.brain, &session, &mut heard, &stop).await;
    drop(session);
    runtime.close(&data_dir).await;
    screen.iter().for_each(|screen| screen.close());
    Ok(ExitCode::SUCCESS)
}

/// A folder for a while, that nobody else may look into.
fn own_folder() -> std::io::Result<tempfile::TempDir> {
    tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o700)).tempdir()
}

async fn fill_demo(brain: &Brain, data_dir: &Path, args: &ConsoleArgs, now: DateTime<Utc>) -> anyhow::Result<()> {
    let zone = args.tz.unwrap_or(brain.policy.zone);
    let owner = args.user.id();
    brain.commit(services::across::demo::fill(&owner, &args.user.chat(), now, zone)?).await?;
    services::across::demo::fill_files(data_dir, &owner, now, zone)?;
    Ok(())
}

/// SIGTERM and SIGINT.
type Signals = (std::io::Result<Signal>, std::io::Result<Signal>);

/// Where lines come from and go to.
pub(crate) struct Terminal {
    pub(crate) heard: ReceivedLines,
    pub(crate) sink: Arc<dyn Sink>,
    /// The program is to end at once.
    pub(crate) stop: CancellationToken,
    /// To be closed at the end.
    pub(crate) screen: Option<Arc<TerminalSink>>,
}

impl Terminal {
    /// For people, where somebody sits at one; `interrupt` is what Ctrl-C does to what runs.
    pub(crate) fn open(
        args: &ConsoleArgs,
        data_dir: &Path,
        numbers: Arc<ConsoleChannel>,
        interrupt: Interrupt,
    ) -> Self {
        if args.json {
            // An empty line, too, is answered: somebody waits.
            let heard = ReceivedLines::of(piped(|_| true, move |line| numbers.line(line)));
            return Self { heard, sink: shared(JsonSink).1, stop: ends_on_signals(None), screen: None };
        }
        terminal::greet(args.demo);
        if !std::io::stdin().is_terminal() {
            let (screen, sink) = shared(TerminalSink::default());
            let line = move |line: String| numbers.line(screen.line(&line).to_string());
            let heard = ReceivedLines::of(piped(terminal::is_said, line));
            return Self { heard, sink, stop: ends_on_signals(None), screen: None };
        }
        let (screen, sink) = shared(TerminalSink::typed_at());
        // Before there is an editor: it puts back what handled Ctrl-C when it began to read.
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
        let (keyboard, lines) =
            Keyboard::listen(screen.clone(), numbers, history_of(data_dir, args.user.as_str()), interrupt);
        Self {
            heard: ReceivedLines::of(lines),
            sink,
            stop: ends_on_signals(Some((keyboard, signals))),
            screen: Some(screen),
        }
    }
}

/// Lines of standard input.
fn piped(wanted: fn(&str) -> bool, line: impl Fn(String) -> Line + Send + 'static) -> mpsc::Receiver<Line> {
    let (sender, lines) = mpsc::channel(limits::LINES_AHEAD_MAX);
    std::thread::spawn(move || terminal::piped_lines(wanted, |text| sender.blocking_send(line(text)).is_ok()));
    lines
}

/// Ends with SIGTERM, and with Ctrl-C where nobody types: there it is a key like others, whenever it is pressed.
fn ends_on_signals(typed: Option<(Arc<Keyboard>, Signals)>) -> CancellationToken {
    let stop = typed.as_ref().map_or_else(CancellationToken::new, |(keyboard, _)| keyboard.leaves.clone());
    let ends = stop.clone();
    tokio::spawn(async move {
        let Some((keyboard, signals)) = typed else {
            termination().await;
            return ends.cancel();
        };
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else { return };
        loop {
            tokio::select! {
                _ = terminate.recv() => return ends.cancel(),
                _ = interrupt.recv() => {
                    if !keyboard.interrupted(true) {
                        return ends.cancel();
                    }
                }
            }
        }
    });
    stop
}

/// Answers what is heard, until the input ends or the program is told to stop. A turn under way is then stopped; what
/// it cannot stop may end in time, or is found in the journal by the next start.
async fn converse(brain: &Brain, session: &Session, heard: &mut ReceivedLines, stop: &CancellationToken) {
    loop {
        let line = tokio::select! {
            line = heard.next() => line,
            () = stop.cancelled() => None,
        };
        let Some(line) = line else { return };
        let mut turn = std::pin::pin!(session.answer(&line, heard));
        tokio::select! {
            _ = &mut turn => {}
            () = stop.cancelled() => {
                brain.running.stop_turns();
                let patience = std::time::Duration::from_millis(limits::SHUTDOWN_MS);
                let _ = tokio::time::timeout(patience, turn).await;
                return;
            }
        }
    }
}
