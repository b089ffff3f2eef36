//! The two directions of one connection, and what is done to them.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Direction, Fault, Manner, Place, Shared};

/// How long a line waits for the one it is to change places with.
const REORDER_WAIT: Duration = Duration::from_millis(500);
/// An answer is whole when nothing follows it for so long.
const ANSWER_PAUSE: Duration = Duration::from_millis(200);
/// How long an answer is waited for that is to be swallowed.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// How long a cut connection may take to notice: what arrives until then would reset it before the peer has read all.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// The answer to what was last sent in this direction is not passed.
    Swallowing(Direction),
    Black,
    Cut,
}

/// Passes bytes until both directions have ended.
pub(super) async fn run(client: TcpStream, server: TcpStream, manner: &Manner, shared: Arc<Shared>, number: usize) {
    for stream in [&client, &server] {
        let _ = stream.set_nodelay(true);
    }
    let (state, _) = watch::channel(State::Open);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let pump = |direction, from, to| Pump {
        direction,
        from,
        to,
        plan: manner.of(direction),
        pending: Vec::new(),
        bytes: 0,
        lines: 0,
        state: state.clone(),
        shared: Arc::clone(&shared),
        number,
    };
    let up = pump(Direction::ToServer, from_client, to_server);
    let down = pump(Direction::ToClient, from_server, to_client);
    let (up, down) = tokio::join!(up.run(), down.run());
    let _ = timeout(CLOSE_LIMIT, async { tokio::join!(up.close(), down.close()) }).await;
}

struct Pump {
    direction: Direction,
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
    /// What has not happened yet.
    plan: Vec<(Place, Fault)>,
    /// Read and not yet passed.
    pending: Vec<u8>,
    bytes: u64,
    lines: u64,
    state: watch::Sender<State>,
    shared: Arc<Shared>,
    number: usize,
}

impl Pump {
    async fn run(mut self) -> Self {
        while *self.state.borrow() == State::Open {
            let (bytes, lines) = (self.bytes, self.lines);
            let due = self.plan.iter().position(|(place, _)| match place {
                Place::Byte(at) => bytes >= *at,
                Place::Line(at) => lines >= *at,
                Place::Before(words) => self.whole_lines().next().is_some_and(|line| has(line, words)),
            });
            if let Some(due) = due {
                let (_, fault) = self.plan.remove(due);
                self.shared.dialogues.lock().unwrap()[self.number].faults += 1;
                if !self.happens(fault).await {
                    break;
                }
            } else if let count @ 1.. = self.passable() {
                let taken = self.take(count);
                self.pass(&taken).await;
            } else if !self.read().await {
                if *self.state.borrow() == State::Open {
                    // A line without its end waited for the rest of its words.
                    let rest = self.take(self.pending.len());
                    self.pass(&rest).await;
                    // The end of this direction passes too.
                    let _ = self.to.shutdown().await;
                    return self;
                }
                break;
            }
        }
        self.discard().await;
        self
    }

    /// Whether this direction goes on afterwards.
    async fn happens(&mut self, fault: Fault) -> bool {
        match fault {
            Fault::Cut => {
                self.state.send_replace(State::Cut);
                false
            }
            Fault::CutOneWay => {
                let _ = self.to.shutdown().await;
                false
            }
            Fault::Blackhole => {
                self.state.send_replace(State::Black);
                false
            }
            Fault::Mute => false,
            Fault::SwallowAnswer => {
                let line = self.line().await;
                // Before the line leaves, so that no answer is quicker.
                self.state.send_replace(State::Swallowing(self.direction));
                let _ = self.to.write_all(&line).await;
                false
            }
            Fault::Delay(pause) => {
                let mut state = self.state.subscribe();
                tokio::select! {
                    _ = state.wait_for(|state| *state != State::Open) => {}
                    () = tokio::time::sleep(pause) => {}
                }
                true
            }
            Fault::Repeat => {
                let line = self.line().await;
                self.pass(&[&line[..], &line[..]].concat()).await;
                true
            }
            Fault::Lose => {
                self.line().await;
                true
            }
            Fault::Reorder => {
                let first = self.line().await;
                let second = timeout(REORDER_WAIT, self.line()).await.unwrap_or_default();
                self.pass(&[second, first].concat()).await;
                true
            }
            Fault::Garble => {
                let line = self.line().await;
                self.pass(&garbled(&line)).await;
                true
            }
            Fault::Insert(bytes) => {
                self.pass(&bytes).await;
                true
            }
        }
    }

    /// Reads more into `pending`; false at the end and where nothing is to pass any more.
    async fn read(&mut self) -> bool {
        let mut state = self.state.subscribe();
        tokio::select! {
            biased;
            _ = state.wait_for(|state| *state != State::Open) => false,
            read = self.from.read_buf(&mut self.pending) => read.is_ok_and(|read| read > 0),
        }
    }

    /// A peer that no longer reads ends its direction by what it no longer sends.
    async fn pass(&mut self, bytes: &[u8]) {
        let mut state = self.state.subscribe();
        tokio::select! {
            biased;
            _ = state.wait_for(|state| *state != State::Open) => {}
            _ = self.to.write_all(bytes) => {}
        }
    }

    /// How much of `pending` comes before the next place where something happens.
    fn passable(&self) -> usize {
        let until = |place: &Place| match place {
            Place::Byte(at) => usize::try_from(at - self.bytes).unwrap_or(usize::MAX),
            Place::Line(at) => {
                let ends = self.pending.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                let nth = usize::try_from(at - self.lines - 1).unwrap_or(usize::MAX);
                ends.map(|(index, _)| index + 1).nth(nth).unwrap_or(usize::MAX)
            }
            // A line that has not come whole may still turn out to be the one.
            Place::Before(words) => self.whole_lines().take_while(|line| !has(line, words)).map(<[u8]>::len).sum(),
        };
        self.plan.iter().map(|(place, _)| until(place)).min().unwrap_or(usize::MAX).min(self.pending.len())
    }

    /// What has come and ends as a line does.
    fn whole_lines(&self) -> impl Iterator<Item = &[u8]> {
        self.pending.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"))
    }

    /// The next line with its end, or what there is before the end of the direction.
    async fn line(&mut self) -> Vec<u8> {
        let mut seen = 0;
        loop {
            if let Some(end) = self.pending[seen..].iter().position(|byte| *byte == b'\n') {
                return self.take(seen + end + 1);
            }
            seen = self.pending.len();
            if !self.read().await {
                return self.take(self.pending.len());
            }
        }
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let taken: Vec<u8> = self.pending.drain(..count).collect();
        self.bytes += taken.len() as u64;
        self.lines += taken.iter().filter(|byte| **byte == b'\n').count() as u64;
        let dialogue = &mut self.shared.dialogues.lock().unwrap()[self.number];
        match self.direction {
            Direction::ToServer => dialogue.to_server.extend_from_slice(&taken),
            Direction::ToClient => dialogue.to_client.extend_from_slice(&taken),
        }
        taken
    }

    /// Reads on without passing anything, until the peer has ended or the connection is cut.
    async fn discard(&mut self) {
        let mut state = self.state.subscribe();
        let (mut heard, mut buffer) = (false, vec![0; 65_536]);
        loop {
            let now = *state.borrow_and_update();
            let limit = match now {
                State::Cut => return,
                State::Swallowing(direction) if direction != self.direction && heard => ANSWER_PAUSE,
                State::Swallowing(direction) if direction != self.direction => ANSWER_LIMIT,
                State::Open | State::Black | State::Swallowing(_) => Duration::from_secs(3_600),
            };
            tokio::select! {
                biased;
                changed = state.changed() => if changed.is_err() { return },
                read = timeout(limit, self.from.read(&mut buffer)) => match read {
                    Ok(Ok(1..)) => heard = true,
                    Ok(_) => {
                        // Whoever went away first: a black hole tells the client nothing of the server's end.
                        if now != State::Open && !(now == State::Black && self.direction == Direction::ToClient) {
                            self.state.send_replace(State::Cut);
                        }
                        return;
                    }
                    Err(_) => {
                        self.state.send_replace(State::Cut);
                        return;
                    }
                },
            }
        }
    }

    /// Ends both ways of its two peers, after everything that passed has arrived.
    async fn close(mut self) {
        let _ = self.to.shutdown().await;
        let mut buffer = vec![0; 65_536];
        while self.from.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
    }
}

fn has(line: &[u8], words: &str) -> bool {
    line.windows(words.len()).any(|part| part == words.as_bytes())
}

/// Other bytes in the place of these, some of them no text; the end of the line stays.
fn garbled(line: &[u8]) -> Vec<u8> {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    let other = |(index, byte): (usize, &u8)| match byte ^ [0x15, 0x8a, 0x60][index % 3] {
        b'\r' | b'\n' => b'?',
        other => other,
    };
    line[..end].iter().enumerate().map(other).chain(line[end..].iter().copied()).collect()
}
