//! How much a server may say unasked, and how much may wait to be taken by it.
//!
//! | what comes                                | beyond its bound                                   |
//! |--------------------------------------------|----------------------------------------------------|
//! | a question to us                            | the connection is ended: each one wants an answer   |
//! | “my tools changed”, before they were looked at | it says nothing new, and is left out             |
//! | any other word that wants no answer         | it is left out                                      |
//! | whatever else, lines that are no message included | the connection is ended                       |
//!
//! Invariant: bytes that wait to be sent have a largest sum, beyond which the connection is ended.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage, ServerNotification};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Duration, Instant};

use brain_core::limits;

/// What goes over one connection; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Traffic(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    questions: Mutex<Budget<{ limits::MCP_QUESTIONS_AT_ONCE }, { limits::MCP_QUESTIONS_PER_SEC }>>,
    notices: Mutex<Budget<{ limits::MCP_QUESTIONS_AT_ONCE }, { limits::MCP_QUESTIONS_PER_SEC }>>,
    lines: Mutex<Budget<{ limits::MCP_LINES_AT_ONCE }, { limits::MCP_LINES_PER_SEC }>>,
    streams: Mutex<Budget<{ limits::MCP_STREAMS_AT_ONCE }, 1>>,
    waiting: AtomicUsize,
    /// It has said that its tools changed, and nobody has looked since.
    is_list_stale: AtomicBool,
    ended: watch::Sender<Option<String>>,
}

/// So many at once, and so many more each second.
#[derive(Debug, Default)]
struct Budget<const AT_ONCE: u64, const PER_SEC: u64> {
    /// Thousandths of one that were taken and have not come back.
    taken: u64,
    at: Option<Instant>,
}

impl<const AT_ONCE: u64, const PER_SEC: u64> Budget<AT_ONCE, PER_SEC> {
    /// Takes so many; false: there are not enough.
    fn take(&mut self, count: u64, now: Instant) -> bool {
        let passed = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        let back = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX).saturating_mul(PER_SEC);
        // Only what came back whole moves the time on.
        if back > 0 || self.at.is_none() {
            (self.taken, self.at) = (self.taken.saturating_sub(back), Some(now));
        }
        let wanted = count.saturating_mul(1_000);
        let is_there = self.taken.saturating_add(wanted) <= AT_ONCE * 1_000;
        self.taken += if is_there { wanted } else { 0 };
        is_there
    }
}

/// Bytes that wait to be sent, until this is dropped.
#[derive(Debug)]
struct UntakenBytes(Arc<Counters>, usize);

impl Drop for UntakenBytes {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// What becomes of a message.
#[derive(Debug, PartialEq, Eq)]
enum TrafficEvent {
    PassedOn,
    LeftOut,
}

fn take<const A: u64, const P: u64>(budget: &Mutex<Budget<A, P>>, count: u64) -> bool {
    budget.lock().unwrap_or_else(PoisonError::into_inner).take(count, Instant::now())
}

/// A long one counts as many.
fn weight(bytes: usize) -> u64 {
    1 + (bytes / limits::MCP_QUESTION_BYTES) as u64
}

impl Traffic {
    /// Ends the connection; the first reason counts.
    pub fn end(&self, why: &str) {
        self.0.ended.send_if_modified(|ended| {
            let is_first = ended.is_none();
            if is_first {
                *ended = Some(why.to_owned());
            }
            is_first
        });
    }

    /// Why the connection was ended.
    pub fn end_said(&self) -> Option<String> {
        self.0.ended.borrow().clone()
    }

    /// Waits until the connection is ended, and says why.
    pub async fn ended(&self) -> String {
        let mut ended = self.0.ended.subscribe();
        match ended.wait_for(Option::is_some).await.ok().and_then(|why| why.clone()) {
            Some(why) => why,
            None => std::future::pending().await,
        }
    }

    /// What it offers is looked at now: from here on it may say again that this changed.
    pub fn list_is_read(&self) {
        self.0.is_list_stale.store(false, Ordering::Relaxed);
    }

    /// A line came, whatever it is.
    pub(super) fn line(&self, bytes: usize) {
        if !take(&self.0.lines, weight(bytes)) {
            self.end("it says more than anybody can listen to, and was ended");
        }
    }

    /// Waits until a stream may be asked for once more: a server says itself how soon, and that may be at once, for ever.
    pub(super) async fn next_stream(&self) {
        while !take(&self.0.streams, 1) {
            tokio::time::sleep(Duration::from_millis(limits::MCP_STREAM_PAUSE_MS)).await;
        }
    }

    fn heard(&self, message: &ServerJsonRpcMessage) -> TrafficEvent {
        match message {
            JsonRpcMessage::Request(question) => {
                if take(&self.0.questions, weight(length(question))) {
                    return TrafficEvent::PassedOn;
                }
                let most = limits::MCP_QUESTIONS_PER_SEC;
                self.end(&format!("it asks without end, more than {most} things a second, and was ended"));
                TrafficEvent::LeftOut
            }
            JsonRpcMessage::Notification(notice) => {
                let is_new = match &notice.notification {
                    ServerNotification::ToolListChangedNotification(_) => {
                        !self.0.is_list_stale.swap(true, Ordering::Relaxed)
                    }
                    _ => take(&self.0.notices, weight(length(notice))),
                };
                if is_new { TrafficEvent::PassedOn } else { TrafficEvent::LeftOut }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => TrafficEvent::PassedOn,
        }
    }

    /// Room for these bytes until they are sent; `None`: there is none, and the connection ends.
    fn waits(&self, bytes: usize) -> Option<UntakenBytes> {
        let before = self.0.waiting.fetch_add(bytes, Ordering::Relaxed);
        let waiting = UntakenBytes(Arc::clone(&self.0), bytes);
        // One that is longer than all may be has to go out, too.
        if before > 0 && before.saturating_add(bytes) > limits::MCP_WAITING_BYTES_MAX {
            self.end("it does not take what it is sent, and was ended");
            return None;
        }
        Some(waiting)
    }
}

/// Bytes of something as it is sent.
fn length(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Nothing of the protocol's refuses to be written, and what does is sent by nobody.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// A way to a server, with what goes over it counted.
pub struct Counted<T> {
    way: T,
    traffic: Traffic,
}

impl<T> Counted<T> {
    pub fn new(way: T, traffic: Traffic) -> Self {
        Self { way, traffic }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Counted<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let room = self.traffic.waits(length(&message));
        let sent = room.is_some().then(|| self.way.send(message));
        async move {
            let _room = room;
            match sent {
                Some(sent) => sent.await,
                // The connection is being ended, and whoever waits for this is told so by that.
                None => std::future::pending().await,
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = tokio::select! {
                biased;
                _ = self.traffic.ended() => return None,
                message = self.way.receive() => message?,
            };
            if self.traffic.heard(&message) == TrafficEvent::PassedOn {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.way.close().await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(value: serde_json::Value) -> ServerJsonRpcMessage {
        serde_json::from_value(value).unwrap()
    }

    fn ping(id: &str) -> ServerJsonRpcMessage {
        message(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
    }

    #[tokio::test(start_paused = true)]
    async fn questions_without_end_end_the_connection_and_a_few_hundred_do_not() {
        let traffic = Traffic::default();
        for _ in 0..100 {
            for _ in 0..limits::MCP_QUESTIONS_PER_SEC {
                assert_eq!(traffic.heard(&ping("1")), TrafficEvent::PassedOn);
            }
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let passed = (0..5_000).filter(|_| traffic.heard(&ping("1")) == TrafficEvent::PassedOn).count();
        assert_eq!(passed, usize::try_from(limits::MCP_QUESTIONS_AT_ONCE).unwrap());
        assert!(traffic.ended().await.contains("asks without end"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_question_counts_as_many() {
        let traffic = Traffic::default();
        let long = ping(&"x".repeat(1_000_000));
        let passed = (0..100).filter(|_| traffic.heard(&long) == TrafficEvent::PassedOn).count();
        assert!((1..10).contains(&passed), "{passed}");
    }

    #[tokio::test(start_paused = true)]
    async fn that_tools_changed_is_heard_once_until_somebody_has_looked() {
        let traffic = Traffic::default();
        let changed = message(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
        let heard = |many: usize| (0..many).filter(|_| traffic.heard(&changed) == TrafficEvent::PassedOn).count();
        assert_eq!(heard(10_000), 1);
        traffic.list_is_read();
        assert_eq!(heard(10_000), 1);
        let log = message(
            json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}),
        );
        let heard = (0..10_000).filter(|_| traffic.heard(&log) == TrafficEvent::PassedOn).count();
        assert_eq!(heard, usize::try_from(limits::MCP_QUESTIONS_AT_ONCE).unwrap());
        assert_eq!(traffic.end_said(), None, "they want no answer");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_taken_has_a_largest_sum() {
        let traffic = Traffic::default();
        let one = traffic.waits(2 * limits::MCP_WAITING_BYTES_MAX).unwrap();
        drop(one);
        let room: Vec<_> = (0..).map_while(|_| traffic.waits(10_000)).collect();
        assert_eq!(room.len(), limits::MCP_WAITING_BYTES_MAX / 10_000);
        assert!(traffic.end_said().unwrap().contains("does not take"));
    }

    #[tokio::test(start_paused = true)]
    async fn lines_that_are_no_message_end_it_in_the_end() {
        let traffic = Traffic::default();
        (0..250_000).for_each(|_| traffic.line(10));
        assert_eq!(traffic.end_said(), None);
        (0..1_000).for_each(|_| traffic.line(8_000_000));
        assert!(traffic.end_said().unwrap().contains("listen"));
    }
}
