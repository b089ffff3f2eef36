//! A bare client: a socket, the commands, and the bytes that come. It understands nothing and keeps nothing in order.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::mailbox::{FOLDERS, PASSWORD, USER};
use crate::support::dovecot::Dovecot;

/// Signed in.
pub struct BareClient {
    stream: BufReader<TcpStream>,
    literal: Vec<u8>,
}

impl BareClient {
    pub fn of(server: &Dovecot) -> Self {
        let socket = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
        socket.set_nodelay(true).expect("a socket");
        let mut client = Self { stream: BufReader::with_capacity(64 * 1024, socket), literal: Vec::new() };
        let mut greeting = String::new();
        client.stream.read_line(&mut greeting).expect("a greeting");
        client.run(&format!("LOGIN {USER} {PASSWORD}"), |_| {});
        client
    }

    /// Everything once: how many mails, and their bytes.
    pub fn read_all(&mut self, mut each: impl FnMut(&[u8])) -> (usize, usize) {
        let (mut count, mut bytes) = (0, 0);
        for folder in FOLDERS {
            self.run(&format!("SELECT {folder}"), |_| {});
            self.run("UID FETCH 1:* (UID FLAGS INTERNALDATE BODY.PEEK[])", |mail| {
                count += 1;
                bytes += mail.len();
                each(mail);
            });
        }
        (count, bytes)
    }

    /// Puts a mail into the inbox; it is there when this returns.
    pub fn append(&mut self, mail: &str) {
        self.send(&format!("APPEND INBOX {{{}}}", mail.len()));
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("an answer");
        assert!(line.starts_with('+'), "{line}");
        let socket = self.stream.get_mut();
        socket.write_all(mail.as_bytes()).and_then(|()| socket.write_all(b"\r\n")).expect("a connection");
        self.ended(|_| {});
    }

    /// A command, and each literal of its answer.
    fn run(&mut self, command: &str, each: impl FnMut(&[u8])) {
        self.send(command);
        self.ended(each);
    }

    fn send(&mut self, command: &str) {
        self.stream.get_mut().write_all(format!("a {command}\r\n").as_bytes()).expect("a connection");
    }

    fn ended(&mut self, mut each: impl FnMut(&[u8])) {
        let mut line = Vec::new();
        loop {
            line.clear();
            self.stream.read_until(b'\n', &mut line).expect("a connection");
            if let Some(length) = literal(&line) {
                self.literal.resize(length, 0);
                self.stream.read_exact(&mut self.literal).expect("a connection");
                each(&self.literal);
            } else if line.starts_with(b"a ") {
                assert!(line.starts_with(b"a OK"), "{}", String::from_utf8_lossy(&line));
                return;
            }
            assert!(!line.is_empty(), "the connection has ended");
        }
    }
}

/// How long what follows this line is: `… {123}`.
fn literal(line: &[u8]) -> Option<usize> {
    let rest = line.strip_suffix(b"}\r\n")?;
    let digits = rest.rsplit(|byte| *byte == b'{').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
