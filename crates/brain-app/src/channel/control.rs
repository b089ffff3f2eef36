//! `control.sock`: how `console`, `ask`, `pending`, `backup` and `doctor` reach the process that owns the store.
//!
//! A Unix socket in the data folder, mode 0600 from the moment it is there: whoever may read the store may talk to it,
//! and decide as somebody of this machine. What this process has started itself decides nothing here ([`peers`]).
//! The first line says what it is about; then a console speaks its own lines, and a request gets one response line.
//! Invariant: somebody who connects and says nothing keeps nobody out: the first line has a deadline, and where all
//! seats are taken whoever has been silent for longest gives up theirs.

mod connection_slots;
mod peers;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use connection_slots::{ConnectionSlot, ConnectionSlots};
use peers::Peer;

use crate::admin::looks::{self, OperatorView};
use crate::admin::{self, Request, Response};
use crate::channel::console::terminal::{SenderSink, shared};
use crate::channel::console::wire::{LINE_BYTES_MAX, Out};
use crate::channel::console::{ConsoleChannel, ReceivedLines, Session};
use brain_core::core::people::ConsoleUser;
use brain_core::core::text::visible;
use brain_core::core::turn::{Done, Path};
use brain_core::limits;
use brain_engine::pipeline::brain::Brain;

/// The longest line a process takes from the one that owns the store: ten thousand cards in full.
const RESPONSE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Said to a console that was silent for longest when somebody else needed its place.
const GIVEN_UP: &str = "This console was silent for long, and somebody else needed its place. Start it again to go on.";

/// Said to a program that this one has started.
const STARTED_BY_US: &str = "This was called by a program that Brain Agent itself has started: such a one decides nothing, and \
                             says nothing in anybody's place. Nothing was done. Call it from a terminal.";

/// The first line of a connection.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Hello {
    Console { console: String },
    Export { export: String },
    Archive { archive: String },
    Backup { backup: bool },
    Health { health: bool },
    View(OperatorView),
    Request(Request),
}

/// The socket of a data folder.
pub fn path(data_dir: &std::path::Path) -> PathBuf {
    data_dir.join("control.sock")
}

/// Listens; a socket left by a dead process is replaced (the caller owns the store, so nobody else is alive).
///
/// The socket is made inside a folder that nobody else may enter, and moved to its place once it has its mode.
pub fn listen(data_dir: &std::path::Path) -> std::io::Result<UnixListener> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    let nursery = data_dir.join(".sock");
    match std::fs::remove_dir_all(&nursery) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(cause),
        Ok(()) | Err(_) => {}
    }
    std::fs::DirBuilder::new().mode(0o700).create(&nursery)?;
    let newborn = nursery.join("new");
    let listener = UnixListener::bind(&newborn)?;
    std::fs::set_permissions(&newborn, std::fs::Permissions::from_mode(0o600))?;
    std::fs::rename(&newborn, path(data_dir))?;
    std::fs::remove_dir(&nursery)?;
    Ok(listener)
}

/// Serves connections until dropped.
pub async fn serve(listener: UnixListener, brain: Arc<Brain>, channel: Arc<ConsoleChannel>) {
    let seats = Arc::new(ConnectionSlots::default());
    let mut connections = tokio::task::JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let seat = seats.take().await;
                let (brain, channel) = (brain.clone(), channel.clone());
                connections.spawn(async move {
                    if let Err(error) = connection(stream, &seat, brain, channel).await {
                        tracing::debug!(%error, "a control connection ended");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a control connection could not be accepted");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn connection(
    stream: UnixStream,
    seat: &ConnectionSlot,
    brain: Arc<Brain>,
    channel: Arc<ConsoleChannel>,
) -> std::io::Result<()> {
    let peer = Peer::of(&stream);
    let (read, mut write) = stream.into_split();
    let mut lines = Lines { read: BufReader::new(read), max: LINE_BYTES_MAX as u64 };
    let deadline = Duration::from_millis(limits::CONTROL_HELLO_MS);
    let hello = tokio::time::timeout(deadline, seat.hears(lines.next())).await;
    let Some(first) = hello.map_err(|_| std::io::ErrorKind::TimedOut)?.transpose()?.flatten() else {
        return Ok(());
    };
    match serde_json::from_str::<Hello>(&first) {
        Ok(Hello::Request(Request::Cancel { .. } | Request::Approve { .. }) | Hello::Backup { .. })
            if peer == Peer::StartedByUs =>
        {
            let response = Response { ok: false, records: Vec::new(), text: STARTED_BY_US.to_owned() };
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::Console { console }) if peer == Peer::StartedByUs => {
            refused(&mut write, &console, STARTED_BY_US).await
        }
        Ok(Hello::Request(request)) => {
            let response = admin::handle(&brain, &request).await;
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::Export { export }) => {
            let response = admin::export(&brain, &export).await;
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::Archive { archive }) => {
            let response = admin::archive(&brain, &archive, channel.files()).await;
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::Backup { .. }) => {
            let response = admin::copy_of_store(&brain, channel.data_dir()).await;
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::Health { .. }) => {
            let response = admin::health(&brain).await;
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::View(look)) => {
            let response = looks::look(&brain, look).await;
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
        Ok(Hello::Console { console }) => match ConsoleUser::named(&console) {
            Ok(user) => serve_console(lines, seat, write, brain, channel, user).await,
            Err(why) => refused(&mut write, &console, &why.to_string()).await,
        },
        Err(cause) => {
            let response = Response { ok: false, records: Vec::new(), text: format!("that is no request: {cause}") };
            write_line(&mut write, &serde_json::to_value(response).unwrap_or_default()).await
        }
    }
}

/// Ends a console that is not opened, so that whoever waits for an answer has one.
async fn refused(write: &mut OwnedWriteHalf, user: &str, why: &str) -> std::io::Result<()> {
    write_line(write, &Out::error(user, why).json()).await?;
    write_line(write, &Out::Done { user: visible(user), done: Done::quiet(Path::Error) }.json()).await
}

async fn serve_console(
    mut lines: Lines,
    seat: &ConnectionSlot,
    mut write: OwnedWriteHalf,
    brain: Arc<Brain>,
    channel: Arc<ConsoleChannel>,
    user: ConsoleUser,
) -> std::io::Result<()> {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Value>();
    let (_, sink) = shared(SenderSink(sender));
    let writer = tokio::spawn(async move {
        while let Some(line) = receiver.recv().await {
            if write_line(&mut write, &line).await.is_err() {
                break;
            }
        }
    });
    let session = Session::open(brain, channel.clone(), sink.clone(), None, user.clone()).await;
    let (hand_on, received) = mpsc::channel(limits::LINES_AHEAD_MAX);
    // Read by a task of its own, so that `/cancel` is heard while something else is being answered.
    let numbered = channel.clone();
    let reader = AbortOnDropHandle::new(tokio::spawn(async move {
        while let Some(line) = lines.next().await? {
            if hand_on.send(numbered.line(line)).await.is_err() {
                break;
            }
        }
        std::io::Result::Ok(())
    }));
    let mut heard = ReceivedLines::of(received);
    while let Some(line) = seat.hears(heard.next()).await.flatten() {
        session.answer(&line, &mut heard).await;
    }
    if seat.was_given_up() {
        sink.put(&Out::error(user.as_str(), GIVEN_UP));
    }
    channel.detach(&sink);
    drop((session, sink));
    let _ = writer.await;
    if seat.was_given_up() { Ok(()) } else { reader.await.map_err(std::io::Error::other)? }
}

/// Lines of a bounded length.
struct Lines {
    read: BufReader<OwnedReadHalf>,
    max: u64,
}

impl Lines {
    async fn next(&mut self) -> std::io::Result<Option<String>> {
        use tokio::io::AsyncReadExt as _;
        let mut line = Vec::new();
        let read = (&mut self.read).take(self.max + 2).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") && read as u64 > self.max {
            return Err(std::io::Error::other("a line is too long"));
        }
        Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()))
    }
}

/// Writes a line; whoever does not read it in time is not waited for.
async fn write_line(write: &mut OwnedWriteHalf, value: &Value) -> std::io::Result<()> {
    let patience = Duration::from_millis(limits::CONTROL_WRITE_MS);
    let line = format!("{value}\n");
    tokio::time::timeout(patience, write.write_all(line.as_bytes())).await.map_err(|_| std::io::ErrorKind::TimedOut)?
}

/// The other end: a connection to the process that owns the store.
#[derive(Debug)]
pub struct Client {
    lines: mpsc::Receiver<String>,
    write: OwnedWriteHalf,
}

impl Client {
    /// Connects, if somebody listens.
    pub async fn connect(data_dir: &std::path::Path) -> std::io::Result<Self> {
        let (read, write) = UnixStream::connect(path(data_dir)).await?.into_split();
        let (sender, lines) = mpsc::channel(64);
        tokio::spawn(async move {
            let mut read = Lines { read: BufReader::new(read), max: RESPONSE_BYTES_MAX };
            while let Ok(Some(line)) = read.next().await {
                if sender.send(line).await.is_err() {
                    break;
                }
            }
        });
        Ok(Self { lines, write })
    }

    /// Opens a console there.
    pub async fn console(&mut self, user: &ConsoleUser) -> std::io::Result<()> {
        self.send(&serde_json::to_value(Hello::Console { console: user.to_string() }).unwrap_or_default()).await
    }

    /// Sends one line.
    pub async fn send(&mut self, line: &Value) -> std::io::Result<()> {
        write_line(&mut self.write, line).await
    }

    /// Sends one line as it is.
    pub async fn send_raw(&mut self, line: &str) -> std::io::Result<()> {
        self.write.write_all(format!("{line}\n").as_bytes()).await
    }

    /// The next line, or `None` when the other process is gone.
    pub async fn next(&mut self) -> Option<String> {
        self.lines.recv().await
    }

    /// One request, one response.
    pub async fn request(self, request: &impl Serialize) -> std::io::Result<Response> {
        self.asked(&serde_json::to_value(request).unwrap_or_default()).await
    }

    /// A person's data.
    pub async fn export(self, user: &str) -> std::io::Result<Response> {
        self.asked(&serde_json::to_value(Hello::Export { export: user.to_owned() }).unwrap_or_default()).await
    }

    /// A person's data as an archive, which lies where the answer says: whoever asked takes it from there.
    pub async fn archive(self, user: &str) -> std::io::Result<Response> {
        self.asked(&serde_json::to_value(Hello::Archive { archive: user.to_owned() }).unwrap_or_default()).await
    }

    /// A copy of the store, which lies where the answer says: whoever asked takes it from there.
    pub async fn backup(self) -> std::io::Result<Response> {
        self.asked(&serde_json::to_value(Hello::Backup { backup: true }).unwrap_or_default()).await
    }

    /// How the other process is.
    pub async fn health(self) -> std::io::Result<Response> {
        self.asked(&serde_json::to_value(Hello::Health { health: true }).unwrap_or_default()).await
    }

    async fn asked(mut self, line: &Value) -> std::io::Result<Response> {
        self.send(line).await?;
        let line = self.next().await.ok_or_else(|| std::io::Error::other("the daemon closed the connection"))?;
        serde_json::from_str(&line).map_err(std::io::Error::other)
    }
}
