//! The conversation in a terminal, in the process that owns the store.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use brain_agent::app::StartError;
use brain_agent::channel::console::terminal;
use brain_agent::channel::console::terminal::{JsonSink, TerminalSink, shared};
use brain_agent::channel::console::{Session, Sink, chat_of};
use brain_agent::clock::{ManualClock, SystemClock};
use brain_agent::config::Config;
use brain_agent::core::ids::UserId;
use brain_agent::limits;
use brain_agent::pipeline::brain::Brain;
use brain_agent::ports::{Clock, StoreError};
use brain_agent::services;
use chrono::{DateTime, Utc};

use crate::cli::ConsoleArgs;
use crate::logs::Logs;
use crate::remote;
use crate::runtime::{Runtime, Wanted, termination};

pub(crate) async fn console(config: &Config, args: ConsoleArgs, logs: &Logs) -> anyhow::Result<ExitCode> {
    let demo = args.demo.then(tempfile::tempdir).transpose().context("the demo needs a temporary folder")?;
    let data_dir: PathBuf = demo.as_ref().map_or_else(|| config.data_dir.clone(), |folder| folder.path().to_owned());
    if !args.json {
        logs.go_to_file(&data_dir);
    }
    let manual = args.now.map(|now| Arc::new(ManualClock::new(now)));
    let clock: Arc<dyn Clock> = match &manual {
        Some(clock) => clock.clone(),
        None => Arc::new(SystemClock::new()),
    };
    let opened =
        Runtime::open(config, Wanted { data_dir: &data_dir, clock: clock.clone(), zone: args.tz, telegram: None })
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
    if manual.is_none() {
        runtime.keep_time();
    }
    let (lines, sink, typed) = open_terminal(&args);
    let session = Session::open(runtime.brain.clone(), runtime.console.clone(), sink, manual, args.user.clone()).await;
    converse(&runtime.brain, lines, typed.as_deref(), |line| {
        let session = &session;
        async move {
            session.line(&line).await;
            true
        }
    })
    .await;
    drop(session);
    runtime.close(&data_dir).await;
    Ok(ExitCode::SUCCESS)
}

async fn fill_demo(brain: &Brain, data_dir: &Path, args: &ConsoleArgs, now: DateTime<Utc>) -> anyhow::Result<()> {
    let zone = args.tz.unwrap_or(brain.policy.zone);
    let owner = UserId::new(args.user.clone());
    brain.commit(services::demo::fill(&owner, &chat_of(&args.user), now, zone)?).await?;
    services::demo::fill_files(data_dir, &owner, now, zone)?;
    Ok(())
}

pub(crate) type Terminal = (tokio::sync::mpsc::Receiver<String>, Arc<dyn Sink>, Option<Arc<TerminalSink>>);

/// Where lines come from and go to.
pub(crate) fn open_terminal(args: &ConsoleArgs) -> Terminal {
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
                let patience = std::time::Duration::from_millis(limits::SHUTDOWN_MS);
                let _ = tokio::time::timeout(patience, turn).await;
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}
