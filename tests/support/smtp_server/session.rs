//! One connection of a mail client: lines in, replies out.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

use super::{Mail, Mode, Shared};

struct Session {
    wire: BufStream<TcpStream>,
    shared: Arc<Shared>,
    user: Option<String>,
    from: Option<String>,
    to: Vec<String>,
}

/// Whether the conversation goes on.
enum Next {
    Go,
    Close,
}

pub async fn run(stream: TcpStream, shared: Arc<Shared>) -> io::Result<()> {
    if *shared.mode.lock().unwrap() == Mode::HangAtGreeting {
        return hang(stream).await;
    }
    let wire = BufStream::new(stream);
    let mut session = Session { wire, shared, user: None, from: None, to: Vec::new() };
    session.say("220 test.invalid ESMTP").await?;
    while let Some(line) = session.line().await? {
        let line = String::from_utf8_lossy(&line).into_owned();
        if let Next::Close = session.command(&line).await? {
            break;
        }
    }
    session.wire.flush().await
}

/// Holds the connection open until the server stops.
async fn hang(_stream: TcpStream) -> io::Result<()> {
    std::future::pending().await
}

impl Session {
    fn mode(&self) -> Mode {
        *self.shared.mode.lock().unwrap()
    }

    async fn say(&mut self, reply: &str) -> io::Result<Next> {
        self.wire.write_all(reply.as_bytes()).await?;
        self.wire.write_all(b"\r\n").await?;
        self.wire.flush().await?;
        Ok(Next::Go)
    }

    /// One line without its end; `None` when the client has gone.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        if self.wire.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        while line.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
            line.pop();
        }
        Ok(Some(line))
    }

    async fn command(&mut self, line: &str) -> io::Result<Next> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb.to_ascii_uppercase().as_str() {
            "EHLO" => {
                let mechanisms = *self.shared.mechanisms.lock().unwrap();
                let features = "250-test.invalid\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SIZE 26214400";
                self.say(&format!("{features}\r\n250 AUTH {mechanisms}")).await
            }
            "HELO" => self.say("250 test.invalid").await,
            "AUTH" => self.auth(rest).await,
            "MAIL" => self.mail_from(rest).await,
            "RCPT" => self.rcpt_to(rest).await,
            "DATA" => self.data().await,
            "RSET" => {
                self.reset();
                self.say("250 2.0.0 Forgotten").await
            }
            "NOOP" => self.say("250 2.0.0 Still here").await,
            "QUIT" => {
                self.say("221 2.0.0 Bye").await?;
                Ok(Next::Close)
            }
            _ => self.say("500 5.5.2 Unknown command").await,
        }
    }

    fn reset(&mut self) {
        self.from = None;
        self.to.clear();
    }

    async fn auth(&mut self, rest: &str) -> io::Result<Next> {
        let (mechanism, initial) = rest.split_once(' ').unwrap_or((rest, ""));
        let login = match mechanism.to_ascii_uppercase().as_str() {
            "PLAIN" => {
                let answer = if initial.is_empty() { self.ask("").await? } else { initial.to_owned() };
                // [authzid] NUL user NUL password (RFC 4616)
                let decoded = base64(&answer).unwrap_or_default();
                let mut parts = decoded.split('\0').skip(1).map(str::to_owned);
                parts.next().zip(parts.next())
            }
            "LOGIN" => {
                let user = if initial.is_empty() { self.ask("VXNlcm5hbWU6").await? } else { initial.to_owned() };
                let password = self.ask("UGFzc3dvcmQ6").await?;
                base64(&user).zip(base64(&password))
            }
            // Both carry the token behind "auth=Bearer " (RFC 7628, 3.1), and name the user before it.
            "XOAUTH2" | "OAUTHBEARER" => {
                let decoded = base64(initial).unwrap_or_default();
                let user = decoded
                    .split(['\u{1}', ','])
                    .find_map(|part| part.strip_prefix("user=").or_else(|| part.strip_prefix("a=")));
                let token = decoded.split('\u{1}').find_map(|part| part.strip_prefix("auth=Bearer "));
                if token.is_some_and(|token| self.shared.stale.lock().unwrap().iter().any(|stale| stale == token)) {
                    let stale = (user.unwrap_or_default().to_owned(), token.unwrap_or_default().to_owned());
                    self.shared.logins.lock().unwrap().push(stale);
                    self.ask("eyJzdGF0dXMiOiI0MDEifQ==").await?;
                    return self.say("535 5.7.8 The token has expired").await;
                }
                user.map(str::to_owned).zip(token.map(str::to_owned))
            }
            _ => return self.say("504 5.5.4 Unknown mechanism").await,
        };
        let Some((user, password)) = login else {
            return self.say("501 5.5.2 Cannot decode that").await;
        };
        self.shared.logins.lock().unwrap().push((user.clone(), password.clone()));
        if self.mode() == Mode::AuthFails {
            // Some repeat what they were shown.
            return self.say(&format!("535 5.7.8 Username and password not accepted: {password}")).await;
        }
        self.user = Some(user);
        self.say("235 2.7.0 Welcome").await
    }

    async fn ask(&mut self, challenge: &str) -> io::Result<String> {
        self.say(&format!("334 {challenge}")).await?;
        let answer = self.line().await?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    async fn mail_from(&mut self, rest: &str) -> io::Result<Next> {
        let Some(address) = path(rest, "FROM:") else {
            return self.say("501 5.1.7 MAIL FROM:<address>").await;
        };
        self.reset();
        self.from = Some(address);
        self.say("250 2.1.0 Ok").await
    }

    async fn rcpt_to(&mut self, rest: &str) -> io::Result<Next> {
        if self.from.is_none() {
            return self.say("503 5.5.1 MAIL first").await;
        }
        let Some(address) = path(rest, "TO:").filter(|address| !address.is_empty()) else {
            return self.say("501 5.1.3 RCPT TO:<address>").await;
        };
        if self.mode() == Mode::RejectRecipient {
            return self.say(&format!("550 5.1.1 <{address}>: no such user here")).await;
        }
        self.to.push(address);
        self.say("250 2.1.5 Ok").await
    }

    async fn data(&mut self) -> io::Result<Next> {
        let Some(from) = self.from.clone().filter(|_| !self.to.is_empty()) else {
            return self.say("503 5.5.1 MAIL and RCPT first").await;
        };
        if self.mode() == Mode::DropBeforeData {
            return Ok(Next::Close);
        }
        self.say("354 End with a dot on a line by itself").await?;
        let Some(data) = self.read_mail().await? else {
            return Ok(Next::Close);
        };
        let mode = self.mode();
        if mode == Mode::Busy {
            self.reset();
            return self.say("451 4.3.0 Try again later").await;
        }
        let mail = Mail::new(from, std::mem::take(&mut self.to), data, self.user.clone());
        self.shared.mails.lock().unwrap().push(mail);
        self.reset();
        match mode {
            Mode::TakeMailAndDropAnswer => Ok(Next::Close),
            Mode::HangAfterData => std::future::pending().await,
            Mode::Accept
            | Mode::DropBeforeData
            | Mode::RejectRecipient
            | Mode::Busy
            | Mode::HangAtGreeting
            | Mode::AuthFails => self.say("250 2.0.0 Ok: queued").await,
        }
    }

    /// The mail up to the line with the single dot; `None` when the client went away before it.
    async fn read_mail(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut data = Vec::new();
        loop {
            let mut line = Vec::new();
            if self.wire.read_until(b'\n', &mut line).await? == 0 {
                return Ok(None);
            }
            if line == b".\r\n" {
                return Ok(Some(data));
            }
            let stuffed = usize::from(line.first() == Some(&b'.'));
            data.extend_from_slice(&line[stuffed..]);
        }
    }
}

/// The address of `FROM:<a@b> SIZE=…`; empty for the null sender.
fn path(rest: &str, keyword: &str) -> Option<String> {
    let head = rest.get(..keyword.len())?;
    let tail = head.eq_ignore_ascii_case(keyword).then(|| rest[keyword.len()..].trim_start())?;
    let (address, _) = tail.strip_prefix('<')?.split_once('>')?;
    Some(address.to_owned())
}

/// Standard base64 with padding, as text. Small enough not to need a crate.
fn base64(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0_u32, 0);
    for byte in text.trim().trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xFF).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}
