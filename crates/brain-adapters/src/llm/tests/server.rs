//! A small HTTP/1.1 server that answers as a script says, down to the byte at which it hangs up.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A chat completion with these words and no usage.
pub(super) fn said(text: &str) -> Value {
    json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": ""}]})
}

/// One streamed event with these words.
pub(super) fn event(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}))
}

#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub path: String,
    headers: String,
    pub body: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_chunked: bool,
    split: Option<usize>,
    cut: Option<usize>,
    hangs: bool,
    /// Written one after the other after the body, with a pause before each.
    drips: Vec<(Duration, String)>,
}

impl Answer {
    pub fn raw(status: u16, kind: &str, body: String) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".into(), kind.into())],
            body: body.into_bytes(),
            is_chunked: false,
            split: None,
            cut: None,
            hangs: false,
            drips: Vec::new(),
        }
    }

    pub fn json(body: Value) -> Self {
        Self::raw(200, "application/json", body.to_string())
    }

    pub fn status(status: u16, body: Value) -> Self {
        Self::raw(status, "application/json", body.to_string())
    }

    pub fn events(body: &str) -> Self {
        let answer = Self::raw(200, "text/event-stream", body.to_owned());
        Self { is_chunked: true, ..answer }
    }

    /// Says this much and then nothing more; with nothing to say, not even headers.
    pub fn hang(body: Vec<u8>) -> Self {
        let answer = Self::events("");
        Self { body, hangs: true, ..answer }
    }

    /// These events, with a pause before each.
    pub fn drip(events: Vec<String>, pause: Duration) -> Self {
        let drips = events.into_iter().map(|event| (pause, event)).collect();
        Self { drips, ..Self::events(": warming up\n\n") }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Two writes with a pause between them.
    pub fn split_at(self, at: usize) -> Self {
        Self { split: Some(at), ..self }
    }

    /// Closes the connection after this many bytes of the body.
    pub fn cut_after(self, at: usize) -> Self {
        Self { cut: Some(at), ..self }
    }
}

type Script = dyn Fn(usize, &Seen) -> Answer + Send + Sync;

#[derive(Default)]
struct Log {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    hangups: AtomicUsize,
}

pub(super) struct Server {
    pub address: SocketAddr,
    log: Arc<Log>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Server {
    /// `script` gets the number of the request, from 0, and the request.
    pub async fn new(script: impl Fn(usize, &Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let log = Arc::new(Log::default());
        let script: Arc<Script> = Arc::new(script);
        let shared = log.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(socket, script.clone(), shared.clone()));
            }
        });
        Self { address, log, accepting }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.log.seen.lock().expect("log").clone()
    }

    pub fn connections(&self) -> usize {
        self.log.connections.load(Ordering::SeqCst)
    }

    /// Waits until so many clients have closed a connection on which the server hung.
    pub async fn hangups_reach(&self, count: usize) {
        while self.log.hangups.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn serve(mut socket: TcpStream, script: Arc<Script>, log: Arc<Log>) {
    let _ = socket.set_nodelay(true);
    while let Some(seen) = read(&mut socket).await {
        let number = {
            let mut all = log.seen.lock().expect("log");
            all.push(seen.clone());
            all.len() - 1
        };
        let answer = script(number, &seen);
        if !write(&mut socket, &answer).await {
            return;
        }
        if answer.hangs {
            let mut rest = [0; 1];
            let _ = socket.read(&mut rest).await;
            log.hangups.fetch_add(1, Ordering::SeqCst);
            return;
        }
    }
}

/// One request; `None` when the client has closed.
async fn read(socket: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head = loop {
        let mut buffer = [0; 4096];
        let count = socket.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
    };
    let headers = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut seen = Seen { path: headers.split(' ').nth(1)?.to_owned(), headers, body: Value::Null };
    let Some(length) = seen.header("content-length") else { return Some(seen) };
    let length: usize = length.parse().ok()?;
    let mut body = bytes.split_off(head + 4);
    let start = body.len();
    body.resize(length, 0);
    socket.read_exact(&mut body[start..]).await.ok()?;
    seen.body = serde_json::from_slice(&body).ok()?;
    Some(seen)
}

/// False when the connection is to be closed.
async fn write(socket: &mut TcpStream, answer: &Answer) -> bool {
    if answer.hangs && answer.body.is_empty() {
        return true;
    }
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&if answer.is_chunked {
        "Transfer-Encoding: chunked\r\n\r\n".to_owned()
    } else {
        format!("Content-Length: {}\r\n\r\n", answer.body.len())
    });
    if socket.write_all(head.as_bytes()).await.is_err() {
        return false;
    }
    let body = &answer.body[..answer.cut.unwrap_or(answer.body.len())];
    let (first, second) = body.split_at(answer.split.unwrap_or(body.len()));
    for (index, part) in [first, second].into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        if index > 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let framed = match answer.is_chunked {
            true => [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat(),
            false => part.to_vec(),
        };
        if socket.write_all(&framed).await.is_err() {
            return false;
        }
    }
    for (pause, event) in &answer.drips {
        tokio::time::sleep(*pause).await;
        if socket.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await.is_err() {
            return false;
        }
    }
    if answer.is_chunked && answer.cut.is_none() && !answer.hangs {
        return socket.write_all(b"0\r\n\r\n").await.is_ok();
    }
    answer.cut.is_none()
}
