//! A proxy of HTTP before a real server, which loses requests or answers by their method.
//!
//! One request a connection; the server sees `Connection: close`. What is lost ends the connection without a byte of an
//! answer. Invariants: it listens on 127.0.0.1 only, on a free port; what is not lost passes unchanged. Not here: bytes
//! and lines, see `byte_proxy`.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Passes,
    /// The server never sees it.
    RequestLost,
    /// The server does it, and nobody hears.
    AnswerLost,
}

type Rule = Arc<Mutex<Box<dyn Fn(&str) -> Fate + Send>>>;

pub struct HttpProxy {
    port: u16,
    rule: Rule,
    lost: Arc<AtomicUsize>,
}

impl HttpProxy {
    pub fn start(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let rule: Rule = Arc::new(Mutex::new(Box::new(|_: &str| Fate::Passes)));
        let lost = Arc::new(AtomicUsize::new(0));
        let (rules, count) = (rule.clone(), lost.clone());
        // It ends with the process of the test.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (rules, count) = (rules.clone(), count.clone());
                thread::spawn(move || {
                    let _ = pass(client, server, &rules, &count);
                });
            }
        });
        Self { port, rule, lost }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on this becomes of requests, by their method.
    pub fn rules(&self, rule: impl Fn(&str) -> Fate + Send + 'static) {
        *self.rule.lock().expect("a rule") = Box::new(rule);
    }

    /// How many were lost.
    pub fn lost(&self) -> usize {
        self.lost.load(Ordering::SeqCst)
    }
}

fn pass(mut client: TcpStream, server: u16, rule: &Rule, lost: &AtomicUsize) -> std::io::Result<()> {
    let request = request(&mut client)?;
    let line_end = request.windows(2).position(|pair| pair == b"\r\n").unwrap_or(request.len());
    let method = String::from_utf8_lossy(&request[..line_end]).split(' ').next().unwrap_or_default().to_owned();
    let fate = (rule.lock().expect("a rule"))(&method);
    if fate == Fate::RequestLost {
        lost.fetch_add(1, Ordering::SeqCst);
        return client.shutdown(Shutdown::Both);
    }
    let mut there = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    there.write_all(&request[..line_end])?;
    there.write_all(b"\r\nConnection: close")?;
    there.write_all(&request[line_end..])?;
    let mut answer = Vec::new();
    there.read_to_end(&mut answer)?;
    if fate == Fate::AnswerLost {
        lost.fetch_add(1, Ordering::SeqCst);
        return client.shutdown(Shutdown::Both);
    }
    client.write_all(&answer)?;
    client.shutdown(Shutdown::Both)
}

/// A whole request: its head, and as much of a body as that says.
fn request(client: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let (mut read, mut part) = (Vec::new(), [0_u8; 16 * 1024]);
    let length = |read: &[u8]| {
        let head = read.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
        let text = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
        let body = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        Some(head + body.unwrap_or(0))
    };
    while length(&read).is_none_or(|length| read.len() < length) {
        match client.read(&mut part)? {
            0 => break,
            count => read.extend_from_slice(&part[..count]),
        }
    }
    Ok(read)
}
