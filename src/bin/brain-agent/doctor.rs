//! `brain-agent doctor`: shows what was found, and says by its exit code whether something does not work.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use brain_agent::app;
use brain_agent::channel::console::terminal;
use brain_agent::config::{Config, ConfigError};
use brain_agent::core::text::visible;
use brain_agent::doctor::{self, Check, CheckLimits, CheckStatus, Subjects};

/// Takes the line of progress away again.
const CLEAR_LINE: &str = "\r\x1b[2K";

/// 0: all of it works, 1: something does not. Configuration that cannot be read was told before.
pub(crate) async fn doctor(config: Config, json: bool) -> anyhow::Result<ExitCode> {
    let problems = app::problems(&config);
    if !problems.is_empty() {
        let error = ConfigError(problems);
        unreadable(&error, json);
        return Err(error.into());
    }
    let warnings = config.warnings.clone().into_iter();
    let taken = config.origin.taken();
    let subjects = Subjects {
        accounts: config.accounts.clone(),
        config,
        probe: Arc::new(app::account_probe()),
        working_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        limits: CheckLimits::default(),
    };
    let is_shown = std::io::stderr().is_terminal();
    let mut was_shown = false;
    let found = doctor::examine(&subjects, |waiting| {
        if is_shown {
            was_shown = true;
            eprint!("{CLEAR_LINE}looking at: {}", visible(&waiting.join(", ")));
        }
    });
    let mut checks: Vec<Check> = warnings.map(Check::of_configuration).collect();
    checks.extend(taken.map(Check::of_settings));
    checks.extend(found.await);
    if was_shown {
        eprint!("{CLEAR_LINE}");
    }
    show(&checks, json);
    Ok(exit_code(&checks))
}

/// 0: the process that serves this data folder answers, 1: it does not. Nothing else is looked at or asked.
pub(crate) async fn running(config: &Config, json: bool) -> ExitCode {
    let checks = [doctor::running(&config.data_dir, CheckLimits::default()).await];
    show(&checks, json);
    exit_code(&checks)
}

fn exit_code(checks: &[Check]) -> ExitCode {
    match checks.iter().map(|check| check.status).max() {
        Some(CheckStatus::Error) => ExitCode::from(1),
        Some(CheckStatus::Ok | CheckStatus::Warning) | None => ExitCode::SUCCESS,
    }
}

/// The configuration cannot be read: each problem is a line for scripts, and told as every command tells it.
pub(crate) fn unreadable(error: &ConfigError, json: bool) {
    if json {
        show(&error.0.iter().map(Check::unreadable_configuration).collect::<Vec<_>>(), json);
    }
}

fn show(checks: &[Check], json: bool) {
    let mut stdout = std::io::stdout().lock();
    for check in checks {
        let line = match json {
            true => serde_json::to_string(check).unwrap_or_default(),
            false => terminal::on_screen(&check.to_string()),
        };
        let _ = writeln!(stdout, "{line}");
    }
    let _ = stdout.flush();
}
