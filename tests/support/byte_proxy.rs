//! A proxy of bytes before a real server, which misbehaves at a chosen place of a chosen connection.
//!
//! A place is so many bytes or so many whole lines into one direction, counted as they come in, or a line by its words. A test first runs a clean
//! dialogue, asks [`Dialogue::borders`], and then runs it once for each. Invariants: after a cut not one more byte passes,
//! and what had passed before arrives; a connection that nobody said anything of passes unchanged; dropping the proxy
//! closes everything. It knows lines, not protocols: the lines of an IMAP literal count as well. Not here: TLS, whose
//! records it can only cut, delay and garble.

mod pump;

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};

use super::wire::Background;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    ToClient,
}

/// Where in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// After so many bytes.
    Byte(u64),
    /// After so many whole lines.
    Line(u64),
    /// Before the first line with these words in it.
    Before(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Both directions end.
    Cut,
    /// This direction ends; the other flows on.
    CutOneWay,
    /// The connection stays open and passes nothing more in either direction.
    Blackhole,
    /// It stays open and passes nothing more in this direction.
    Mute,
    /// The next line still passes and is answered, but no answer comes back; then both directions end.
    SwallowAnswer,
    /// Nothing passes in this direction for a while.
    Delay(Duration),
    /// The next line passes twice.
    Repeat,
    /// The next line does not pass.
    Lose,
    /// The next two lines change places; where no second one comes within half a second, the first passes alone.
    Reorder,
    /// The bytes of the next line, up to its end, are others.
    Garble,
    /// These bytes pass beside what was sent.
    Insert(Vec<u8>),
}

/// What is done to one connection; nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    faults: Vec<(Direction, Place, Fault)>,
}

impl Manner {
    pub fn clean() -> Self {
        Self::default()
    }

    pub fn at(mut self, direction: Direction, place: Place, fault: Fault) -> Self {
        self.faults.push((direction, place, fault));
        self
    }

    /// Accepted and closed.
    pub fn refused() -> Self {
        Self::clean().at(Direction::ToClient, Place::Byte(0), Fault::Cut)
    }

    fn of(&self, direction: Direction) -> Vec<(Place, Fault)> {
        let here = self.faults.iter().filter(|(of, _, _)| *of == direction);
        here.map(|(_, place, fault)| (*place, fault.clone())).collect()
    }
}

/// What came in from both sides of one connection, up to where it was cut.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    pub to_server: Vec<u8>,
    pub to_client: Vec<u8>,
    /// How many of its faults have happened.
    pub faults: usize,
    /// Whether it is over.
    pub ended: bool,
}

impl Dialogue {
    pub fn lines(&self, direction: Direction) -> u64 {
        let bytes = match direction {
            Direction::ToServer => &self.to_server,
            Direction::ToClient => &self.to_client,
        };
        bytes.iter().filter(|byte| **byte == b'\n').count() as u64
    }

    /// Every place of this dialogue between two lines of either direction, before the first and after the last included.
    pub fn borders(&self) -> Vec<(Direction, Place)> {
        let of = |direction| (0..=self.lines(direction)).map(move |line| (direction, Place::Line(line)));
        of(Direction::ToServer).chain(of(Direction::ToClient)).collect()
    }

    /// After how many lines of this direction the first line stands that contains `part`.
    pub fn line_before(&self, direction: Direction, part: &str) -> Place {
        let text = String::from_utf8_lossy(match direction {
            Direction::ToServer => &self.to_server,
            Direction::ToClient => &self.to_client,
        });
        let found = text.split('\n').position(|line| line.contains(part));
        Place::Line(found.unwrap_or_else(|| panic!("no {part:?} in {text}")) as u64)
    }
}

#[derive(Debug, Default)]
struct Script {
    next: VecDeque<Manner>,
    otherwise: Manner,
}

#[derive(Debug)]
struct Shared {
    server: Mutex<u16>,
    script: Mutex<Script>,
    dialogues: Mutex<Vec<Dialogue>>,
}

/// The running proxy.
#[derive(Debug)]
pub struct ByteProxy {
    background: Background,
    shared: Arc<Shared>,
}

impl ByteProxy {
    /// Before this port of 127.0.0.1.
    pub fn start(server: u16) -> Self {
        let shared =
            Arc::new(Shared { server: Mutex::new(server), script: Mutex::default(), dialogues: Mutex::default() });
        let served = Arc::clone(&shared);
        let background = Background::start("byte-proxy", |listener| accept(listener, served));
        Self { background, shared }
    }

    pub fn port(&self) -> u16 {
        self.background.addr().port()
    }

    /// From the next connection on, before this port of 127.0.0.1.
    pub fn lead_to(&self, server: u16) {
        *self.shared.server.lock().unwrap() = server;
    }

    /// How the next connection fares that nothing was said of yet. Later calls are for later connections.
    pub fn next(&self, manner: Manner) {
        self.shared.script.lock().unwrap().next.push_back(manner);
    }

    /// How every connection fares that nothing else was said of, from now on.
    pub fn otherwise(&self, manner: Manner) {
        self.shared.script.lock().unwrap().otherwise = manner;
    }

    /// All connections since the start, by when they were accepted.
    pub fn dialogues(&self) -> Vec<Dialogue> {
        self.shared.dialogues.lock().unwrap().clone()
    }

    /// How many faults have happened so far.
    pub fn faults(&self) -> usize {
        self.shared.dialogues.lock().unwrap().iter().map(|dialogue| dialogue.faults).sum()
    }

    /// Waits until this holds of the connections; panics with them when it never does.
    pub fn wait(&self, what: &str, limit: Duration, mut holds: impl FnMut(&[Dialogue]) -> bool) {
        let started = Instant::now();
        while !holds(&self.dialogues()) {
            assert!(started.elapsed() < limit, "not within {limit:?}: {what}; {:#?}", self.dialogues());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let (client, _) = listener.accept().await.expect("a connection");
        let manner = {
            let mut script = shared.script.lock().unwrap();
            script.next.pop_front().unwrap_or_else(|| script.otherwise.clone())
        };
        let number = {
            let mut dialogues = shared.dialogues.lock().unwrap();
            dialogues.push(Dialogue::default());
            dialogues.len() - 1
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let port = *shared.server.lock().unwrap();
            // Without a server the client sees its connection closed.
            if let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
                pump::run(client, server, &manner, Arc::clone(&shared), number).await;
            }
            shared.dialogues.lock().unwrap()[number].ended = true;
        });
    }
}
