//! Where logs go: to standard error, and to a file in the data folder while a person reads the terminal.
//!
//! A panic is a line of the log like any other: where it was, and no word of what was being worked on, which may be a
//! person's. Whoever waits for the turn that broke is told by the channel.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// A file larger than this is begun anew: it is there for what went wrong lately.
const LOG_BYTES_MAX: u64 = 1024 * 1024;

/// The one log of this process.
#[derive(Clone, Default)]
pub(crate) struct Logs(Arc<Mutex<LogTarget>>);

#[derive(Default)]
enum LogTarget {
    #[default]
    StandardError,
    /// Made when there is something to write.
    File(PathBuf),
    Open(File),
}

/// Begins logging; `RUST_LOG` says how much.
pub(crate) fn start() -> Logs {
    let logs = Logs::default();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // It would write down whatever a server says that is no message.
    let filter = "rmcp=off".parse().into_iter().fold(filter, EnvFilter::add_directive);
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(logs.clone()).init();
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(ToString::to_string);
        tracing::error!(at, "something broke; what was being done there was given up");
        tracing::debug!(why = panic.payload_as_str(), "what it said");
    }));
    logs
}

impl Logs {
    /// From now on into the data folder.
    pub(crate) fn go_to_file(&self, data_dir: &Path) {
        *self.place() = LogTarget::File(data_dir.join("brain-agent.log"));
    }

    fn place(&self) -> std::sync::MutexGuard<'_, LogTarget> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for Logs {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut place = self.place();
        if let LogTarget::File(path) = &*place {
            *place = LogTarget::Open(open(path)?);
        }
        match &mut *place {
            LogTarget::StandardError => io::stderr().write(bytes),
            LogTarget::Open(file) => file.write(bytes),
            LogTarget::File(_) => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let is_large = std::fs::metadata(path).is_ok_and(|known| known.len() > LOG_BYTES_MAX);
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    if is_large { options.write(true).truncate(true) } else { options.append(true) }.open(path)
}
