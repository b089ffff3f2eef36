//! Servers that mean harm, or whoever is on the way to one.

use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::*;
use brain_wire::accounts::{FixedLogin, ServerAddress};

/// A server that says this, one line of the client's after the other; the first before any.
async fn saying(tls: ServerTls, answers: Vec<Vec<u8>>) -> ImapPlace {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        for answer in answers {
            // Whoever is refused hangs up.
            if writer.write_all(&answer).await.is_err() || !matches!(lines.next_line().await, Ok(Some(_))) {
                return;
            }
        }
        let _ = lines.next_line().await;
    });
    let server = ServerAddress { host: "127.0.0.1".to_owned(), port, tls };
    let login = Arc::new(FixedLogin::new("mara", "secret"));
    ImapPlace { account: "acct:mara".to_owned(), server, login, authorities: None, days: 7 }
}

async fn refused(tls: ServerTls, answers: Vec<Vec<u8>>) -> String {
    let greeted = Connection::greeted(&saying(tls, answers).await).await;
    match greeted {
        Err(ImapError::Unreachable(why)) => why.strip_prefix("127.0.0.1 cannot be reached: ").unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn deep() -> Vec<u8> {
    format!("* 1 FETCH (BODYSTRUCTURE {}\r\n", "(".repeat(100_000)).into_bytes()
}

#[tokio::test]
async fn a_greeting_is_a_short_status_or_nothing() {
    for tls in [ServerTls::Plain, ServerTls::StartTls] {
        for (greeting, why) in [
            (b"* 1 FETCH (BODYSTRUCTURE (((((((((\r\n".to_vec(), "it is no IMAP server"),
            (b"* CAPABILITY IMAP4rev1\r\n".to_vec(), "it is no IMAP server"),
            (b"* LIST () NIL {20}\r\n".to_vec(), "its greeting is longer than any"),
            (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), "it is no IMAP server"),
            (b"* BYE too many\r\n".to_vec(), "too many"),
            (b"* PREAUTH welcome, somebody\r\n".to_vec(), "welcome, somebody"),
            (deep(), "its greeting is longer than any"),
            (vec![b'x'; 1_000_000], "its greeting is longer than any"),
        ] {
            let shown = String::from_utf8_lossy(&greeting[..greeting.len().min(40)]).into_owned();
            assert_eq!(refused(tls, vec![greeting]).await, why, "{shown}");
        }
    }
}

#[tokio::test]
async fn before_the_connection_is_secure_nothing_but_a_status_is_read_and_nothing_behind_it() {
    let greeting = || b"* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n".to_vec();
    for (answer, why) in [
        (deep(), "before the connection was secure, 127.0.0.1 sent more than it was asked for"),
        (
            b"* CAPABILITY IMAP4rev1\r\nB1 OK go\r\n".to_vec(),
            "before the connection was secure, 127.0.0.1 sent what nothing had asked for",
        ),
        (
            b"B1 OK go\r\nB2 OK done\r\n".to_vec(),
            "something was said behind its word that the connection may be secured",
        ),
        (b"B1 NO not here\r\n".to_vec(), "it offers no encryption (STARTTLS)"),
    ] {
        assert_eq!(refused(ServerTls::StartTls, vec![greeting(), answer]).await, why);
    }
}

#[tokio::test]
async fn what_a_server_nests_or_was_not_asked_for_ends_the_conversation_and_nothing_else() {
    let greeting = || b"* OK ready\r\n".to_vec();
    let nested = format!("* FLAGS {}\r\n", "(".repeat(3_000)).into_bytes();
    for (answer, why) in [
        (deep(), "127.0.0.1 sent more than it was asked for"),
        (nested, "127.0.0.1 nested an answer deeper than any mailbox needs"),
        (b"* 1 FETCH (BODYSTRUCTURE (((\r\n".to_vec(), "127.0.0.1 sent what nothing had asked for"),
        (b"* METADATA \"\xff\" (/private/comment \"\xff\")\r\n".to_vec(), "127.0.0.1 sent what nothing had asked for"),
        (b"* LIST () \"/\" {5000}\r\n".to_vec(), "127.0.0.1 sent more than it was asked for"),
        (b"B7 OK done\r\n".to_vec(), "127.0.0.1 sent what nothing had asked for"),
    ] {
        assert_eq!(refused(ServerTls::Plain, vec![greeting(), answer]).await, why);
    }
}

#[tokio::test]
async fn a_conversation_that_was_refused_is_not_gone_on_with() {
    let offers = b"* CAPABILITY IMAP4rev1\r\nB1 OK\r\n".to_vec();
    let answers = vec![b"* OK ready\r\n".to_vec(), offers, b"* X\r\n".to_vec(), b"B2 OK\r\nB3 OK\r\n".to_vec()];
    let mut connection = Connection::greeted(&saying(ServerTls::Plain, answers).await).await.unwrap();
    let first = connection.run("NOOP", |_| {}).await;
    assert_eq!(first, Err(ImapError::Lost("127.0.0.1 sent what nothing had asked for".to_owned())));
    assert!(!connection.is_alive(Duration::from_secs(5)).await);
}
