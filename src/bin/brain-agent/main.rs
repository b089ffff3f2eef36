//! The command line: configuration, store, recovery, and then a channel.
//!
//! Which commands there are is in [`cli`]; each group of them has a file. Not here: anything an assistant does.

mod archives;
mod backups;
mod cli;
mod doctor;
mod errands;
mod explain;
mod logs;
mod mcp;
mod remote;
mod runtime;
mod setup;
mod talk;

use std::process::ExitCode;

use brain_agent::admin::looks::OperatorView;
use brain_agent::app;
use brain_agent::config::{Config, tell, tell_failure};
use brain_agent::core::text::visible;
use clap::Parser;
use cli::{Cli, CliCommand, ConsoleArgs, ShadowVerb};
use logs::Logs;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let logs = logs::start();
    // One TLS stack. It fails only when a provider was installed before, and then that one serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let outcome = match app::runtime() {
        Ok(runtime) => {
            let outcome = runtime.block_on(run(cli, &logs));
            // A thread that waits for a key press must not hold up the end.
            runtime.shutdown_timeout(std::time::Duration::from_millis(200));
            outcome
        }
        Err(error) => Err(error.into()),
    };
    outcome.unwrap_or_else(|error| {
        tell_failure(&format!("brain-agent: {}", visible(&format!("{error:#}"))));
        ExitCode::from(2)
    })
}

async fn run(cli: Cli, logs: &Logs) -> anyhow::Result<ExitCode> {
    // It mends what would not load.
    let command = match cli.command {
        Some(CliCommand::Setup(args)) => return setup::run(args).await,
        // These work where the rest of the configuration does not: that may lie in what is put back.
        Some(CliCommand::Check { file, json }) => return Ok(backups::check(&file, json).await),
        Some(CliCommand::Restore { file }) => return backups::restore(&Config::load_without_accounts()?, &file).await,
        Some(CliCommand::Backup { file, with_tokens }) => {
            return backups::backup(&Config::load_without_accounts()?, file, with_tokens).await;
        }
        other => other,
    };
    let config = Config::load().inspect_err(|error| {
        if let Some(CliCommand::Doctor { json, .. }) = &command {
            doctor::unreadable(error, *json);
        }
    })?;
    logs.write_as(config.log_format);
    // The doctor has lines of its own for them.
    let is_told = !matches!(command, Some(CliCommand::Doctor { .. }));
    for line in config.origin.taken().iter().chain(&config.warnings).filter(|_| is_told) {
        tell(&format!("brain-agent: {}", visible(line)));
    }
    match command {
        None if config.telegram.is_some() => runtime::serve(&config).await,
        None => talk::console(&config, ConsoleArgs::default(), logs).await,
        Some(CliCommand::Serve) => runtime::serve(&config).await,
        Some(CliCommand::Console(args)) => talk::console(&config, args, logs).await,
        Some(CliCommand::Ask { text, explain: true, .. }) => Ok(errands::explain(&config, &text)),
        Some(CliCommand::Ask { text, user, explain: false }) => errands::ask(&config, &text, &user, logs).await,
        Some(CliCommand::Pending { verb, json }) => errands::pending(&config, verb, json).await,
        Some(CliCommand::Turns { limit, json }) => errands::look(&config, OperatorView::Turns { limit }, json).await,
        Some(CliCommand::Stats { json }) => errands::look(&config, OperatorView::Stats, json).await,
        Some(CliCommand::Users { json }) => errands::look(&config, OperatorView::Users, json).await,
        Some(CliCommand::Shadow { verb: ShadowVerb::Report, limit, json }) => {
            errands::look(&config, OperatorView::Shadow { limit }, json).await
        }
        Some(CliCommand::Shadow { verb: ShadowVerb::Replay, limit, json }) => {
            errands::replay(&config, limit, json).await
        }
        Some(CliCommand::Setup(args)) => setup::run(args).await,
        Some(CliCommand::Check { file, json }) => Ok(backups::check(&file, json).await),
        Some(CliCommand::Restore { file }) => backups::restore(&config, &file).await,
        Some(CliCommand::Backup { file, with_tokens }) => backups::backup(&config, file, with_tokens).await,
        Some(CliCommand::Doctor { json, running: true }) => Ok(doctor::running(&config, json).await),
        Some(CliCommand::Doctor { json, running: false }) => doctor::doctor(config, json).await,
        Some(CliCommand::Export { user, json: true, .. }) => archives::document(&config, &user).await,
        Some(CliCommand::Export { user, out, json: false }) => archives::export(&config, &user, out).await,
        Some(CliCommand::Import { file, user }) => archives::import(&config, &file, user.as_deref()).await,
        Some(CliCommand::Mcp { verb, json }) => mcp::run(&config, verb, json).await,
        Some(CliCommand::Eval(args)) => errands::evaluate(&config, &args).await,
    }
}
