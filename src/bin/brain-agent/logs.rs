//! Where logs go: to standard error, and to a file in the data folder while a person reads the terminal.
//!
//! A panic is a line of the log like any other: where it was, and no word of what was being worked on, which may be a
//! person's. Whoever waits for the turn that broke is told by the channel.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use brain_agent::config::{LogFormat, NEWS};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layered, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

/// A file larger than this is begun anew: it is there for what went wrong lately.
const LOG_BYTES_MAX: u64 = 1024 * 1024;

/// The one log of this process.
#[derive(Clone)]
pub(crate) struct Logs {
    target: TargetOfLogs,
    shape: reload::Handle<LogShape, Registry>,
    filter: reload::Handle<EnvFilter, Layered<reload::Layer<LogShape, Registry>, Registry>>,
}

/// What writes a line.
type LogShape = Box<dyn Layer<Registry> + Send + Sync>;

#[derive(Clone, Default)]
struct TargetOfLogs(Arc<Mutex<LogTarget>>);

#[derive(Default)]
enum LogTarget {
    #[default]
    StandardError,
    /// Made when there is something to write.
    File(PathBuf),
    Open(File),
}

/// Begins logging, in the format that the environment names; `RUST_LOG` says how much.
pub(crate) fn start() -> Logs {
    let target = TargetOfLogs::default();
    let format = std::env::var("BRAIN_LOG_FORMAT").ok().and_then(|name| LogFormat::named(name.trim()));
    let format = format.unwrap_or_default();
    let (shape_layer, shape) = reload::Layer::new(shape(format, &target));
    let (filter_layer, filter) = reload::Layer::new(filter(format));
    tracing_subscriber::registry().with(shape_layer).with(filter_layer).init();
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(ToString::to_string);
        tracing::error!(at, "something broke; what was being done there was given up");
        tracing::debug!(why = panic.payload_as_str(), "what it said");
    }));
    Logs { target, shape, filter }
}

fn shape(format: LogFormat, target: &TargetOfLogs) -> LogShape {
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(target.clone());
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).boxed(),
    }
}

/// News are lines of the log where each line has to be an object.
fn filter(format: LogFormat) -> EnvFilter {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    let news = match format {
        LogFormat::Text => "off",
        LogFormat::Json => "info",
    };
    // That library would write down whatever a server says that is no message.
    let more = ["rmcp=off".to_owned(), format!("{NEWS}={news}")];
    more.iter().filter_map(|directive| directive.parse().ok()).fold(filter, EnvFilter::add_directive)
}

impl Logs {
    /// From now on in this format.
    pub(crate) fn write_as(&self, format: LogFormat) {
        // They fail only when nothing is logged any more.
        let _ = self.shape.reload(shape(format, &self.target));
        let _ = self.filter.reload(filter(format));
    }

    /// From now on into the data folder; what stands on standard error is for people then.
    pub(crate) fn go_to_file(&self, data_dir: &Path) {
        *self.target.place() = LogTarget::File(data_dir.join("brain-agent.log"));
        let _ = self.filter.reload(filter(LogFormat::Text));
    }
}

impl TargetOfLogs {
    fn place(&self) -> std::sync::MutexGuard<'_, LogTarget> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for TargetOfLogs {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for TargetOfLogs {
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
