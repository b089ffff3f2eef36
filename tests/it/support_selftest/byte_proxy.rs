//! Each manner of the byte proxy, before a server that greets and answers every line.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::SOON;
use crate::support::byte_proxy::{ByteProxy, Dialogue, Direction, Fault, Manner, Place};
use Direction::{ToClient, ToServer};

/// Says "hello", then "got …" to every line; keeps what it read, and "end" at the end of a connection.
struct Greeter {
    port: u16,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Greeter {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(stream, &kept));
            }
        });
        Self { port, heard }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    fn wait_heard(&self, wanted: &[&str]) {
        let started = Instant::now();
        while self.heard() != wanted {
            assert!(started.elapsed() < SOON, "{:?} instead of {wanted:?}", self.heard());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn serve(stream: TcpStream, heard: &Mutex<Vec<Vec<u8>>>) {
    let mut write = stream.try_clone().unwrap();
    let mut read = BufReader::new(stream);
    let _ = write.write_all(b"hello\n");
    loop {
        let mut line = Vec::new();
        if !read.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            heard.lock().unwrap().push(b"end".to_vec());
            return;
        }
        let answer = [b"got ", &line[..]].concat();
        heard.lock().unwrap().push(line);
        let _ = write.write_all(&answer);
    }
}

struct Client {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Client {
    fn of(proxy: &ByteProxy) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        Self { lines: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    fn send(&mut self, text: &str) {
        let _ = self.stream.write_all(text.as_bytes());
    }

    /// The next line, or "" at the end.
    fn line(&mut self) -> String {
        let mut line = Vec::new();
        let _ = self.lines.read_until(b'\n', &mut line);
        String::from_utf8_lossy(&line).into_owned()
    }

    fn says(&mut self, line: &str, answer: &str) {
        self.send(line);
        assert_eq!(self.line(), answer);
    }

    /// That nothing comes for a while although the connection is open.
    fn hears_nothing(&mut self) {
        self.stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let error = self.lines.read(&mut [0; 1]).unwrap_err();
        assert!(matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut), "{error}");
        self.stream.set_read_timeout(Some(SOON)).unwrap();
    }
}

/// A dialogue of two lines as far as it comes: what the client read.
fn dialogue(proxy: &ByteProxy) -> Vec<String> {
    let mut client = Client::of(proxy);
    let mut read = vec![client.line()];
    for line in ["one\n", "two\n"] {
        client.send(line);
        read.push(client.line());
    }
    let _ = client.stream.shutdown(Shutdown::Write);
    read.retain(|line| !line.is_empty());
    read
}

fn before(fault: Fault, direction: Direction, place: Place) -> (Greeter, ByteProxy, Vec<String>) {
    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    proxy.next(Manner::clean().at(direction, place, fault));
    let read = dialogue(&proxy);
    proxy.wait("the end", SOON, |seen| seen[0].ended);
    (server, proxy, read)
}

const ALL: [&str; 3] = ["hello\n", "got one\n", "got two\n"];

#[test]
fn a_clean_dialogue_passes_unchanged_and_is_counted() {
    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    assert_eq!(dialogue(&proxy), ALL);
    server.wait_heard(&["one\n", "two\n", "end"]);
    proxy.wait("the end", SOON, |seen| seen[0].ended);
    let seen = proxy.dialogues().remove(0);
    assert_eq!((&*seen.to_server, &*seen.to_client), (&b"one\ntwo\n"[..], &b"hello\ngot one\ngot two\n"[..]));
    assert_eq!((seen.lines(ToServer), seen.lines(ToClient), seen.faults), (2, 3, 0));
    assert_eq!(seen.borders().len(), 3 + 4);
    assert_eq!(seen.line_before(ToServer, "two"), Place::Line(1));
}

#[test]
fn it_cuts_at_every_border_and_byte_of_a_dialogue() {
    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    dialogue(&proxy);
    proxy.wait("the end", SOON, |seen| seen[0].ended);
    let borders = proxy.dialogues()[0].borders();
    for (direction, place) in borders {
        let (server, proxy, read) = before(Fault::Cut, direction, place);
        let (Place::Line(line) | Place::Byte(line)) = place else { panic!("{place:?}") };
        let line = usize::try_from(line).unwrap();
        match direction {
            ToClient => assert_eq!(read, ALL[..line]),
            // Cut when the line has passed: its answer does not.
            ToServer if line == 0 => assert_eq!(read, Vec::<String>::new()),
            ToServer => {
                server.wait_heard(&[&["one\n", "two\n"][..line], &["end"]].concat());
                assert_eq!(read, ALL[..line]);
            }
        }
        assert_eq!(proxy.faults(), 1);
    }
    for byte in 0..21 {
        let (_, _, read) = before(Fault::Cut, ToClient, Place::Byte(byte));
        assert_eq!(read.concat(), ALL.concat()[..usize::try_from(byte).unwrap()]);
    }
}

#[test]
fn it_ends_one_direction_and_the_other_flows_on() {
    // A line by its words.
    let (_, _, read) = before(Fault::Cut, ToClient, Place::Before("got t"));
    assert_eq!(read, ALL[..2]);
    let (_, _, read) = before(Fault::Cut, ToServer, Place::Before("two"));
    assert_eq!(read, ALL[..2]);
    let (server, _, read) = before(Fault::CutOneWay, ToServer, Place::Line(1));
    assert_eq!(read, ALL[..2]);
    server.wait_heard(&["one\n", "end"]);
    let (server, _, read) = before(Fault::CutOneWay, ToClient, Place::Line(2));
    assert_eq!(read, ALL[..2]);
    server.wait_heard(&["one\n", "two\n", "end"]);
}

#[test]
fn a_black_hole_stays_open_and_passes_nothing() {
    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    proxy.next(Manner::clean().at(ToServer, Place::Line(1), Fault::Blackhole));
    let mut client = Client::of(&proxy);
    assert_eq!(client.line(), "hello\n");
    client.send("one\n");
    client.send("two\n");
    client.hears_nothing();
    server.wait_heard(&["one\n"]);
    drop(client);
    proxy.wait("the end", SOON, |seen| seen[0].ended);
}

#[test]
fn a_mute_direction_is_open_while_the_other_passes() {
    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    proxy.next(Manner::clean().at(ToClient, Place::Line(1), Fault::Mute));
    let mut client = Client::of(&proxy);
    assert_eq!(client.line(), "hello\n");
    client.send("one\ntwo\n");
    server.wait_heard(&["one\n", "two\n"]);
    client.hears_nothing();
}

#[test]
fn an_answer_is_swallowed_after_the_server_gave_it() {
    let (server, proxy, read) = before(Fault::SwallowAnswer, ToServer, Place::Line(1));
    assert_eq!(read, ALL[..2]);
    server.wait_heard(&["one\n", "two\n", "end"]);
    assert_eq!(proxy.dialogues()[0].lines(ToClient), 2, "the third was not passed");
}

#[test]
fn it_delays() {
    let started = Instant::now();
    let (_, _, read) = before(Fault::Delay(Duration::from_millis(300)), ToClient, Place::Line(1));
    assert_eq!(read, ALL);
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[test]
fn lines_are_repeated_lost_exchanged_garbled_and_added() {
    let (server, _, read) = before(Fault::Repeat, ToServer, Place::Line(0));
    assert_eq!(read, ["hello\n", "got one\n", "got one\n"]);
    server.wait_heard(&["one\n", "one\n", "two\n", "end"]);

    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    let lost = Manner::clean().at(ToServer, Place::Line(0), Fault::Lose);
    proxy.next(lost.at(ToClient, Place::Line(1), Fault::Insert(b"* BYE\n".to_vec())));
    let mut client = Client::of(&proxy);
    assert_eq!((client.line(), client.line()), ("hello\n".to_owned(), "* BYE\n".to_owned()));
    client.send("one\n");
    client.says("two\n", "got two\n");

    // Two lines at once change places; one that is alone passes.
    for (place, answers) in [(0, ["got two\n", "got one\n"]), (1, ["got one\n", "got two\n"])] {
        proxy.next(Manner::clean().at(ToServer, Place::Line(place), Fault::Reorder));
        let mut client = Client::of(&proxy);
        assert_eq!(client.line(), "hello\n");
        client.send("one\ntwo\n");
        assert_eq!([client.line(), client.line()], answers);
    }

    let (_, _, read) = before(Fault::Garble, ToClient, Place::Line(1));
    assert_eq!((&*read[0], &*read[2], read.len()), ("hello\n", "got two\n", 3));
    assert!(read[1].ends_with('\n') && !read[1].contains("got") && !read[1].contains("one"), "{read:?}");
    let (_, _, read) = before(Fault::Garble, ToClient, Place::Byte(10));
    assert!(read[1].starts_with("got ") && read[1].ends_with('\n') && read[1] != "got one\n", "{read:?}");
}

#[test]
fn only_the_connections_misbehave_that_were_spoken_of() {
    let server = Greeter::start();
    let proxy = ByteProxy::start(server.port);
    proxy.next(Manner::refused());
    proxy.next(Manner::clean());
    proxy.otherwise(Manner::clean().at(ToClient, Place::Line(1), Fault::Cut));
    assert_eq!(dialogue(&proxy), Vec::<String>::new());
    assert_eq!(dialogue(&proxy), ALL);
    assert_eq!(dialogue(&proxy), ALL[..1]);
    proxy.otherwise(Manner::clean());
    assert_eq!(dialogue(&proxy), ALL);
    let other = Greeter::start();
    proxy.lead_to(other.port);
    assert_eq!(dialogue(&proxy), ALL);
    other.wait_heard(&["one\n", "two\n", "end"]);
    let faults: Vec<_> = proxy.dialogues().iter().map(|dialogue: &Dialogue| dialogue.faults).collect();
    assert_eq!(faults, [1, 0, 1, 0, 0]);
}
