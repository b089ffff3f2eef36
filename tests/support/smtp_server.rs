//! A mail server that keeps what it was given, and misbehaves on demand.
//!
//! Speaks ESMTP as far as a submission client needs it (RFC 5321, AUTH of RFC 4954, PIPELINING, 8BITMIME,
//! SIZE). Invariants: a mail counts as delivered from the moment its final dot has been read in a mode that
//! takes it, whether or not the client ever hears so; the stored bytes are exactly those of the wire without
//! dot-stuffing. Modes are switched at run time and hold from the next command on.
//! Not here: TLS, relaying, refusing by size.

mod session;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mail_parser::MessageParser;
use tokio::net::TcpListener;

use super::wire::Background;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Accept,
    /// Keeps the mail after its final dot, then closes the connection without a reply.
    TakeMailAndDropAnswer,
    /// Closes the connection when the client asks to send DATA.
    DropBeforeData,
    /// 550 to every RCPT TO.
    RejectRecipient,
    /// 451 after the final dot; the mail is not kept.
    Busy,
    /// Accepts the connection and says nothing.
    HangAtGreeting,
    /// Keeps the mail after its final dot, then never answers.
    HangAfterData,
    /// 535 to every AUTH.
    AuthFails,
}

/// One delivered mail.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The envelope.
    pub from: String,
    pub to: Vec<String>,
    /// The message as it came, without dot-stuffing.
    pub data: Vec<u8>,
    /// Without angle brackets; empty when the mail has none.
    pub message_id: String,
    /// The addresses of the To header.
    pub header_to: Vec<String>,
    /// Decoded.
    pub subject: String,
    /// The user that had signed in.
    pub user: Option<String>,
    pub at: Instant,
}

impl Mail {
    /// Every value of this header, unfolded but not decoded.
    pub fn header(&self, name: &str) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.data);
        let head = text.split("\r\n\r\n").next().unwrap_or_default();
        let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
        let fields = unfolded.split("\r\n").filter_map(|line| line.split_once(':'));
        fields.filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim().to_owned()).collect()
    }

    /// The text of the mail, decoded.
    pub fn body(&self) -> String {
        let parsed = MessageParser::default().parse(&self.data);
        parsed.and_then(|m| m.body_text(0).map(|text| text.into_owned())).unwrap_or_default()
    }

    fn new(from: String, to: Vec<String>, data: Vec<u8>, user: Option<String>) -> Self {
        let parsed = MessageParser::default().parse(&data).unwrap_or_default();
        let message_id = parsed.message_id().unwrap_or_default().to_owned();
        let subject = parsed.subject().unwrap_or_default().to_owned();
        let header_to = parsed.to().into_iter().flat_map(mail_parser::Address::iter);
        let header_to = header_to.filter_map(|addr| addr.address().map(str::to_owned)).collect();
        Self { from, to, message_id, header_to, subject, user, at: Instant::now(), data }
    }
}

#[derive(Debug)]
struct Shared {
    mode: Mutex<Mode>,
    mails: Mutex<Vec<Mail>>,
    /// User and password of every AUTH, refused ones too.
    logins: Mutex<Vec<(String, String)>>,
    connections: Mutex<usize>,
    /// Tokens of OAuth 2 that it does not take any more.
    stale: Mutex<Vec<String>>,
    /// What it offers for AUTH.
    mechanisms: Mutex<&'static str>,
}

/// The server; stops when dropped.
#[derive(Debug)]
pub struct SmtpServer {
    background: Background,
    shared: Arc<Shared>,
}

pub const USER: &str = "user";
pub const PASSWORD: &str = "pass";

impl SmtpServer {
    pub fn start(mode: Mode) -> Self {
        let shared = Arc::new(Shared {
            mode: Mutex::new(mode),
            mails: Mutex::default(),
            logins: Mutex::default(),
            connections: Mutex::default(),
            stale: Mutex::default(),
            mechanisms: Mutex::new("PLAIN LOGIN"),
        });
        let served = Arc::clone(&shared);
        let background = Background::start("smtp-server", |listener| accept(listener, served));
        Self { background, shared }
    }

    pub fn port(&self) -> u16 {
        self.background.addr().port()
    }

    /// As `SMTP_URL` takes it. Any user and password are accepted and recorded.
    pub fn url(&self) -> String {
        format!("smtp://{USER}:{PASSWORD}@127.0.0.1:{}?from=me@example.com", self.port())
    }

    pub fn set_mode(&self, mode: Mode) {
        *self.shared.mode.lock().unwrap() = mode;
    }

    /// What it offers for AUTH from now on; it takes whatever is offered.
    pub fn offers(&self, mechanisms: &'static str) {
        *self.shared.mechanisms.lock().unwrap() = mechanisms;
    }

    /// This token is not taken.
    pub fn makes_stale(&self, token: &str) {
        self.shared.stale.lock().unwrap().push(token.to_owned());
    }

    pub fn mails(&self) -> Vec<Mail> {
        self.shared.mails.lock().unwrap().clone()
    }

    pub fn logins(&self) -> Vec<(String, String)> {
        self.shared.logins.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        *self.shared.connections.lock().unwrap()
    }

    /// How often a mail of this Message-ID was delivered; angle brackets do not matter.
    pub fn deliveries(&self, message_id: &str) -> usize {
        let wanted = message_id.trim_matches(['<', '>']);
        self.shared.mails.lock().unwrap().iter().filter(|mail| mail.message_id == wanted).count()
    }

    /// Waits for at least `count` mails; panics with those there are when they do not come.
    pub async fn wait_mails(&self, count: usize, limit: Duration) -> Vec<Mail> {
        let started = Instant::now();
        loop {
            let mails = self.mails();
            if mails.len() >= count {
                return mails;
            }
            assert!(started.elapsed() < limit, "no {count} mails within {limit:?}, but {mails:#?}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let _ = stream.set_nodelay(true);
        *shared.connections.lock().unwrap() += 1;
        let shared = Arc::clone(&shared);
        // A client that goes away in the middle ends its session, nothing else.
        tokio::spawn(async move { drop(session::run(stream, shared).await) });
    }
}
