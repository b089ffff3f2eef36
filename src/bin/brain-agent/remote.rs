//! The conversation in a terminal, through the process that owns the store.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use brain_agent::channel::console::terminal::Interrupt;
use brain_agent::channel::console::wire::Out;
use brain_agent::channel::console::{ConsoleChannel, Sink};
use brain_agent::channel::control::Client;
use brain_agent::config::Config;
use brain_agent::limits;
use brain_agent::ports::StoreError;

use crate::cli::ConsoleArgs;
use crate::talk::Terminal;

/// The same console, through the process that owns the store.
pub(crate) async fn console(config: &Config, args: &ConsoleArgs, locked: StoreError) -> anyhow::Result<ExitCode> {
    if args.now.is_some() || args.tz.is_some() {
        return Err(
            anyhow::Error::new(locked).context("--now and --tz need a data folder of their own (BRAIN_DATA_DIR)")
        );
    }
    let Ok(mut client) = Client::connect(&config.data_dir).await else {
        return Err(locked.into());
    };
    client.console(&args.user).await?;
    // Who answers there numbers what is said when it arrives.
    let numbers = Arc::new(ConsoleChannel::default());
    let mut terminal = Terminal::open(args, &config.data_dir, numbers, Interrupt::InWords);
    let ended = relay(&mut client, &mut terminal, args.json).await;
    terminal.screen.iter().for_each(|screen| screen.close());
    ended.map(|()| ExitCode::SUCCESS)
}

/// Hands lines there and shows what comes back, until everything that was said is answered.
async fn relay(client: &mut Client, terminal: &mut Terminal, json: bool) -> anyhow::Result<()> {
    let (mut unanswered, mut has_ended) = (0_usize, false);
    while !has_ended || unanswered > 0 {
        tokio::select! {
            answer = client.next() => {
                let answer = answer.context("the running brain-agent has stopped")?;
                if show_remote(&answer, &terminal.sink, json)? {
                    unanswered = unanswered.saturating_sub(1);
                }
            }
            line = terminal.heard.next(), if !has_ended && unanswered < limits::LINES_AHEAD_MAX => match line {
                Some(line) => {
                    unanswered += 1;
                    client.send_raw(&line.text).await?;
                }
                None => has_ended = true,
            },
            () = terminal.stop.cancelled() => return Ok(()),
        }
    }
    Ok(())
}

/// Shows what comes back, up to the end of the turn.
pub(crate) async fn wait_for_done(
    client: &mut Client,
    sink: &Arc<dyn Sink>,
    json: bool,
) -> anyhow::Result<serde_json::Value> {
    loop {
        let answer = client.next().await.context("the running brain-agent has stopped")?;
        if show_remote(&answer, sink, json)? {
            return Ok(serde_json::from_str(&answer)?);
        }
    }
}

/// True for the end of an answer.
fn show_remote(line: &str, sink: &Arc<dyn Sink>, json: bool) -> anyhow::Result<bool> {
    use std::io::Write as _;
    if json {
        let mut stdout = std::io::stdout().lock();
        let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    } else if let Ok(out) = serde_json::from_str::<Out>(line) {
        sink.put(&out);
    }
    let value: serde_json::Value = serde_json::from_str(line)?;
    Ok(value["type"] == "done")
}
