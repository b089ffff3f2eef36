//! What a mail server replies, counted before anybody reads it: the transport holds a line for as long as it does not end,
//! and reads a reply anew with every line of it.
//!
//! Invariants: between two commands no more comes through than a reply may be long; of a server that has not proven yet
//! who it is three replies are read, and nothing that came behind one of them counts afterwards (RFC 3207, 6).

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use lettre::transport::smtp::client::AsyncTokioStream;
use lettre::transport::smtp::commands::{Ehlo, Starttls};
use lettre::transport::smtp::extension::ClientId;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};

use super::super::super::socket::Socket;
use crate::services::email::message::read::one_line;
use brain_core::core::text::shorten;
use brain_core::limits::{SMTP_REPLY_BYTES_MAX, SMTP_REPLY_LINES_MAX};
use brain_core::ports::why_not;

/// A connection whose replies are counted.
#[derive(Debug)]
pub(super) struct Replies {
    socket: Socket,
    /// What the transport is given first.
    greeting: &'static [u8],
    /// Of the reply under way.
    bytes: usize,
    lines: usize,
}

impl Replies {
    /// Nobody has said anything yet.
    pub fn of(socket: Socket) -> Self {
        Self { socket, greeting: b"", bytes: 0, lines: 0 }
    }

    /// The server greeted before the connection was secured, and does it once; the transport waits for it.
    pub fn after_greeting(socket: Socket) -> Self {
        Self { greeting: b"220 \r\n", ..Self::of(socket) }
    }

    fn count(&mut self, came: &[u8]) -> io::Result<()> {
        self.bytes += came.len();
        self.lines += came.iter().filter(|byte| **byte == b'\n').count();
        let is_fine = self.bytes <= SMTP_REPLY_BYTES_MAX && self.lines <= SMTP_REPLY_LINES_MAX;
        if is_fine { Ok(()) } else { Err(io::Error::other("it said more than an answer may hold")) }
    }
}

impl AsyncTokioStream for Replies {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        // Nobody asks.
        Ok((Ipv4Addr::UNSPECIFIED, 0).into())
    }
}

impl AsyncRead for Replies {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if !self.greeting.is_empty() {
            let (now, later) = self.greeting.split_at(into.remaining().min(self.greeting.len()));
            into.put_slice(now);
            self.greeting = later;
            return Poll::Ready(Ok(()));
        }
        let before = into.filled().len();
        match Pin::new(&mut self.socket).poll_read(cx, into) {
            Poll::Ready(Ok(())) => Poll::Ready(self.count(&into.filled()[before..])),
            other => other,
        }
    }
}

impl AsyncWrite for Replies {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        (self.bytes, self.lines) = (0, 0);
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

/// Hears the greeting and asks whether the connection may be secured; false where that is not offered.
pub(super) async fn may_be_secured(socket: &mut Socket, hello: &ClientId) -> Result<bool, String> {
    positive(socket).await?;
    let features = asked(socket, &Ehlo::new(hello.clone()).to_string()).await?;
    let offered = |line: &str| line.get(4..).is_some_and(|word| word.trim().eq_ignore_ascii_case("STARTTLS"));
    if !features.lines().any(offered) {
        return Ok(false);
    }
    asked(socket, &Starttls.to_string()).await?;
    Ok(true)
}

async fn asked(socket: &mut Socket, command: &str) -> Result<String, String> {
    let sent = async {
        socket.write_all(command.as_bytes()).await?;
        socket.flush().await
    };
    sent.await.map_err(|cause| why_not(&cause))?;
    positive(socket).await
}

/// The next reply, which says yes, and behind which nothing came.
async fn positive(socket: &mut Socket) -> Result<String, String> {
    let (mut said, mut chunk) = (Vec::new(), [0; 1024]);
    let end = loop {
        match socket.read(&mut chunk).await {
            Ok(0) => return Err("it broke off".to_owned()),
            Ok(count) => said.extend_from_slice(&chunk[..count]),
            Err(cause) => return Err(why_not(&cause)),
        }
        if said.len() > SMTP_REPLY_BYTES_MAX {
            return Err("it said more than an answer may hold".to_owned());
        }
        if let Some(end) = end_of_reply(&said) {
            break end;
        }
    };
    // Whoever is on the way could have put it there, to be taken for the server's word afterwards.
    if end < said.len() {
        return Err("it said more than it was asked before the connection was secure".to_owned());
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    if said.starts_with('2') { Ok(said) } else { Err(shorten(&one_line(&said), 200)) }
}

/// Where the first whole reply ends: behind a line without a dash after its number.
fn end_of_reply(said: &[u8]) -> Option<usize> {
    let mut end = 0;
    for line in said.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        end += line.len();
        if line.get(3) != Some(&b'-') {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_ends_with_the_line_that_has_no_dash() {
        for (said, end) in [
            ("", None),
            ("220 ready", None),
            ("220 ready\r\n", Some(11)),
            ("250-a\r\n250-b\r\n", None),
            ("250-a\r\n250 b\r\n250 c\r\n", Some(14)),
            ("x\n", Some(2)),
        ] {
            assert_eq!(end_of_reply(said.as_bytes()), end, "{said:?}");
        }
    }

    #[test]
    fn fuzzed_replies_of_mail_servers_are_read_or_refused() {
        let seeds = [
            "220 mail.example ready\r\n",
            "250-mail.example\r\n250-SIZE 1000\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n",
            "550-5.7.25 no\r\n550 5.7.25 such user\r\n",
        ];
        let tokens = ["250-", "250 ", "\r\n", "\n", "-", " ", "5.7.25", "\u{2003}", "\u{0}"];
        brain_testing::fuzzing::fuzz("smtp", &seeds, &tokens, |bytes| {
            let _ = end_of_reply(bytes);
            // As much of it as comes through.
            let lines = bytes.split_inclusive(|byte| *byte == b'\n').take(SMTP_REPLY_LINES_MAX);
            let through: Vec<u8> = lines.flatten().copied().take(SMTP_REPLY_BYTES_MAX).collect();
            let text = String::from_utf8_lossy(&through);
            for end in text.match_indices('\n').map(|(at, _)| at + 1) {
                let _ = text[..end].parse::<lettre::transport::smtp::response::Response>();
            }
        });
    }
}
