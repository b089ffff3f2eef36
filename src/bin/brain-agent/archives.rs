//! A person's data out of the program, and into it again.
//!
//! Exporting goes through the process that holds the store, where one does; importing waits until none does.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use brain_agent::admin::{self, Response};
use brain_agent::app::StartError;
use brain_agent::channel::console::terminal;
use brain_agent::channel::control::Client;
use brain_agent::config::Config;
use brain_agent::core::text::visible;
use brain_agent::pipeline::import::ImportSource;
use brain_agent::ports::StoreError;

use crate::errands::answered;
use crate::runtime::{Runtime, RuntimeParts};

/// The document alone.
pub(crate) async fn document(config: &Config, user: &str) -> anyhow::Result<ExitCode> {
    let response = match Runtime::open(config, RuntimeParts::by(config)).await {
        Ok(runtime) => {
            let response = admin::export(&runtime.brain, user).await;
            runtime.close(&config.data_dir).await;
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

/// All of it, as an archive.
pub(crate) async fn export(config: &Config, user: &str, out: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let now = chrono::Local::now().format("%Y-%m-%d-%H%M%S");
    let out = out.unwrap_or_else(|| PathBuf::from(format!("brain-agent-{now}.zip")));
    if out.exists() {
        anyhow::bail!("{} is there already; nothing was written", out.display());
    }
    let folder = config.data_dir.join("exports");
    let response = match Runtime::open(config, RuntimeParts::by(config)).await {
        Ok(runtime) => {
            let response = admin::archive(&runtime.brain, user, &folder).await;
            runtime.close(&config.data_dir).await;
            response
        }
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => match Client::connect(&config.data_dir).await {
            Ok(client) => client.archive(user).await?,
            Err(_) => return Err(locked.into()),
        },
        Err(error) => return Err(error.into()),
    };
    let Some(made) = written(&response) else { return answered(&response, false) };
    let moved = moved(&made, &out);
    let _ = std::fs::remove_file(&made);
    moved.with_context(|| format!("{} could not be written", out.display()))?;
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{}", terminal::on_screen(&out.display().to_string()));
    if let Some(remark) = response.records[0]["remark"].as_str() {
        eprintln!("brain-agent: {}", visible(remark));
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the archive was written.
fn written(response: &Response) -> Option<PathBuf> {
    response.records.first()?["file"].as_str().filter(|_| response.ok).map(PathBuf::from)
}

/// Copies it, perhaps onto another disk, over nothing that is there.
fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut made = File::open(from)?;
    let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let copied = std::io::copy(&mut made, &mut out).and_then(|_| out.sync_all());
    // Half an archive is none.
    copied.inspect_err(|_| _ = std::fs::remove_file(to))
}

/// Takes an archive in. What it is, is settled before anything is opened or made.
pub(crate) async fn import(config: &Config, file: &Path, user: Option<&str>) -> anyhow::Result<ExitCode> {
    let path = file.to_owned();
    let source = match tokio::task::spawn_blocking(move || ImportSource::open(&path)).await? {
        Ok(source) => source,
        Err(error) => return Ok(refused(&format!("{}: {error}", file.display()))),
    };
    let runtime = Runtime::open(config, RuntimeParts::by(config)).await?;
    let taken = source.take_in(&runtime.brain, user).await;
    runtime.close(&config.data_dir).await;
    match taken {
        Ok(report) => {
            let _ = writeln!(std::io::stdout().lock(), "{}", terminal::on_screen(&report.to_text()));
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Ok(refused(&format!("{}: {error}", file.display()))),
    }
}

fn refused(why: &str) -> ExitCode {
    eprintln!("brain-agent: {}", visible(why));
    ExitCode::from(1)
}
