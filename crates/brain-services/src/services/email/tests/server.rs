//! A mail server that ends a conversation at any border it is told to.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::services::email::delivery::send::smtp::Smtp;

/// What it does when it meets this command; `.` is the final dot, `*` the greeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    Say(&'static str),
    Drop,
    Hang,
}

#[derive(Debug, Default)]
pub struct Log {
    /// Every line of the client, without texts.
    pub lines: Vec<String>,
    /// Texts whose final dot was read, dot-stuffing undone.
    pub mails: Vec<Vec<u8>>,
}

#[derive(Debug)]
pub struct Server {
    pub port: u16,
    pub log: Arc<Mutex<Log>>,
    patience: Duration,
}

impl Server {
    /// Behaves well but for these commands (beginning of the line, upper case).
    pub async fn start(quirks: &[(&'static str, Then)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let log = Arc::new(Mutex::new(Log::default()));
        let (served, served_quirks) = (log.clone(), quirks.to_vec());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, served_quirks.clone(), served.clone()));
            }
        });
        // Silence before the dot may be found out early; after it the rest must have had time.
        let patience = match quirks.iter().find(|(_, then)| *then == Then::Hang) {
            Some((".", _)) => Duration::from_secs(5),
            Some(_) => Duration::from_millis(300),
            None => Duration::from_secs(60),
        };
        Self { port, log, patience }
    }

    pub fn smtp(&self) -> Smtp {
        let url = format!(
            "smtp://me%40example.com:se%3Acret@127.0.0.1:{}?from=Me%20Myself%20%3Cme@example.com%3E",
            self.port
        );
        Smtp::from_url(&url.into()).unwrap().with_timeout(self.patience)
    }

    pub fn mails(&self) -> Vec<Vec<u8>> {
        self.log.lock().unwrap().mails.clone()
    }

    pub fn saw(&self, beginning: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.lines.iter().filter(|line| line.starts_with(beginning)).count()
    }
}

async fn talk(stream: TcpStream, quirks: Vec<(&'static str, Then)>, log: Arc<Mutex<Log>>) {
    let mut wire = BufReader::new(stream);
    let mut line = "*".to_owned();
    loop {
        let quirk = quirks.iter().find(|(begin, _)| line.to_uppercase().starts_with(begin));
        let usual = match line.to_uppercase().split([' ', ':']).next().unwrap_or_default() {
            "*" => "220 test.example ready",
            "EHLO" => "250-test.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
            "AUTH" => "235 2.7.0 welcome",
            "DATA" => "354 go on",
            "QUIT" => "221 bye",
            _ => "250 2.0.0 fine",
        };
        let reply = match quirk.map(|(_, then)| *then) {
            Some(Then::Drop) => return,
            Some(Then::Hang) => std::future::pending().await,
            Some(Then::Say(reply)) => reply,
            None => usual,
        };
        if wire.get_mut().write_all(format!("{reply}\r\n").as_bytes()).await.is_err() {
            return;
        }
        if reply.starts_with("354") {
            // A quirk of its own: the connection ends in the middle of the text.
            if quirks.iter().any(|(begin, _)| *begin == "TEXT") {
                return;
            }
            let Some(mail) = text(&mut wire).await else {
                return;
            };
            log.lock().unwrap().mails.push(mail);
            line = ".".to_owned();
            continue;
        }
        let mut next = Vec::new();
        match wire.read_until(b'\n', &mut next).await {
            Ok(n) if n > 0 => line = String::from_utf8_lossy(&next).trim_end().to_owned(),
            _ => return,
        }
        log.lock().unwrap().lines.push(line.clone());
    }
}

async fn text(wire: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut mail = Vec::new();
    loop {
        let mut line = Vec::new();
        if wire.read_until(b'\n', &mut line).await.ok()? == 0 {
            return None;
        }
        if line == b".\r\n" {
            return Some(mail);
        }
        mail.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
    }
}
