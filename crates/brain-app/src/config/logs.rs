//! How what stands on standard error is written: lines for people, or a JSON object each for what collects logs; and where
//! traces go.
//!
//! Invariant: with JSON every line there is an object, news for whoever started this included. Not here: where logs go,
//! which the binary decides.

use tracing::Level;

use super::reader::ConfigReader;

/// The target of news for whoever started this. It is heard where every line has to be an object; elsewhere it is off, and
/// news are printed as they are.
pub const NEWS: &str = "brain_agent::news";

/// `BRAIN_LOG_FORMAT`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// An object a line.
    Json,
}

impl LogFormat {
    /// By the name that it is set by.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Tells whoever started this something on standard error, whatever `RUST_LOG` says.
pub fn tell(news: &str) {
    if tracing::enabled!(target: NEWS, Level::INFO) {
        tracing::info!(target: NEWS, "{}", news.trim_end());
    } else {
        eprintln!("{news}");
    }
}

/// The same of what ends it.
pub fn tell_failure(why: &str) {
    if tracing::enabled!(target: NEWS, Level::ERROR) {
        tracing::error!(target: NEWS, "{why}");
    } else {
        eprintln!("{why}");
    }
}

impl ConfigReader {
    pub(super) fn otlp_url(&mut self) -> Option<reqwest::Url> {
        let url = self.url("BRAIN_OTLP_URL")?;
        if !cfg!(feature = "otel") {
            let why =
                "BRAIN_OTLP_URL is set, and this program is built without OpenTelemetry (cargo build --features otel)";
            self.problems.push(why.to_owned());
        }
        Some(url)
    }

    pub(super) fn log_format(&mut self) -> LogFormat {
        self.parsed("BRAIN_LOG_FORMAT", "text or json", LogFormat::named).unwrap_or_default()
    }
}
