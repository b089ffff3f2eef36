//! The conversation in a terminal, through the process that owns the store.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use brain_agent::channel::console::Sink;
use brain_agent::channel::console::wire::Out;
use brain_agent::channel::control::Client;
use brain_agent::config::Config;
use brain_agent::ports::StoreError;

use crate::cli::ConsoleArgs;
use crate::talk::open_terminal;

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
pub(crate) async fn wait_for_done(
    client: &mut Client,
    sink: &Arc<dyn Sink>,
    json: bool,
) -> anyhow::Result<serde_json::Value> {
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
