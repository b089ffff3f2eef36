//! The endpoint for benchmarks: fixed latencies by stage, and a log of the unavoidable time.
//!
//! It is made to run in a process of its own, so that it takes no time from the program that is measured:
//! bind a listener, call [`serve_simulated`], and read the file with [`read_simulated_log`] afterwards.
//! A line is `STAGE⇥RECEIVED_US⇥SENT_US`, microseconds since the UNIX epoch, written when the answer is sent.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::net::TcpListener;

use super::{Answer, ModelReply, ModelRequest, Shared, http};

/// What the simulated endpoint answers, and how long each stage takes.
pub struct Simulated {
    latencies: BTreeMap<String, Duration>,
    answer: Box<Answer>,
}

impl std::fmt::Debug for Simulated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulated").field("latencies", &self.latencies).finish_non_exhaustive()
    }
}

impl Simulated {
    /// `answer` gives the content by simple rules; its own delay is replaced by the latency of the stage.
    pub fn new(answer: impl Fn(&ModelRequest) -> ModelReply + Send + Sync + 'static) -> Self {
        Self { latencies: BTreeMap::new(), answer: Box::new(answer) }
    }

    /// Stages without a latency answer at once.
    pub fn latency(mut self, stage: &str, latency: Duration) -> Self {
        self.latencies.insert(stage.to_owned(), latency);
        self
    }
}

/// Serves until it is dropped; the log file is begun anew.
pub async fn serve_simulated(listener: TcpListener, config: Simulated, log_path: &Path) {
    let log = Log::create(log_path);
    let script = move |request: &ModelRequest| {
        let latency = config.latencies.get(&request.stage).copied().unwrap_or_default();
        (config.answer)(request).after(latency)
    };
    http::serve(listener, Arc::new(Shared::new(Box::new(script), Some(log)))).await;
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedCall {
    pub stage: String,
    pub received_us: u64,
    pub sent_us: u64,
}

pub fn read_simulated_log(path: &Path) -> Vec<SimulatedCall> {
    let text = std::fs::read_to_string(path).expect("the log of the simulated model server");
    let complete = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
    complete
        .lines()
        .map(|line| {
            let mut fields = line.split('\t');
            let mut next = || fields.next().expect("three fields");
            let (stage, received, sent) = (next().to_owned(), next(), next());
            SimulatedCall {
                stage,
                received_us: received.parse().expect("microseconds"),
                sent_us: sent.parse().expect("microseconds"),
            }
        })
        .collect()
}

pub(super) struct Log(Mutex<File>);

impl Log {
    fn create(path: &Path) -> Self {
        let file = OpenOptions::new().create(true).write(true).truncate(true).open(path);
        Self(Mutex::new(file.expect("a log file")))
    }

    pub(super) fn write(&self, stage: &str, received_us: u64, sent_us: u64) {
        let stage = stage.replace(char::is_whitespace, "_");
        let line = format!("{stage}\t{received_us}\t{sent_us}\n");
        self.0.lock().unwrap().write_all(line.as_bytes()).expect("a line in the log");
    }
}

pub(super) fn unix_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
