//! Dovecot as the tests start it, seen by another client.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::SOON;
use crate::support::dovecot::{Certificate, Delivered, Dovecot};

const MARA: &str = "mara@example.com";
const MAIL: &str = "From: Bob <bob@work.example>\r\nMessage-ID: <b1@work.example>\r\nSubject: Hi\r\n\r\nHello\r\n";

fn mail(number: usize) -> String {
    format!("From: bob@work.example\r\nMessage-ID: <n{number}@work.example>\r\nSubject: {number}\r\n\r\nbody\r\n")
}

#[test]
fn what_is_delivered_another_client_reads() {
    let started = Instant::now();
    let server = Dovecot::setup().user(MARA, "secret").start();
    let took = started.elapsed();
    server.deliver(MARA, "INBOX", MAIL);
    let how = Delivered { flags: &["\\Seen", "\\Flagged"], arrived: Some(1_700_000_000) };
    server.deliver_as(MARA, "Archive/2023", mail(2), how);
    let client = server.other_client(MARA);
    let message = client.only("INBOX", "b1@work.example");
    assert_eq!((message.uid, &*message.text()), (1, MAIL));
    assert!(message.flags.is_empty(), "{message:?}");
    let old = client.only("Archive/2023", "n2@work.example");
    assert_eq!(old.flags, ["\\Flagged", "\\Seen"]);
    assert!(old.internal_date.starts_with("14-Nov-2023"), "{old:?}");
    assert!(took < SOON, "{took:?}");
    eprintln!("started in {took:?}");
}

#[test]
fn another_client_changes_what_it_likes() {
    let server = Dovecot::setup().user(MARA, "secret").start();
    server.deliver_all(MARA, "INBOX", (0..3).map(mail));
    let client = server.other_client(MARA);
    let numbers: Vec<_> = client.ids("INBOX").iter().map(|m| (m.uid, m.message_id.clone())).collect();
    assert_eq!(numbers, (0..3).map(|n| (n + 1, format!("<n{n}@work.example>"))).collect::<Vec<_>>());
    client.flag("INBOX", 1, &["\\Seen", "\\Answered"]);
    client.unflag("INBOX", 1, &["\\Seen"]);
    client.move_to("INBOX", 2, "Trash");
    client.copy_to("INBOX", 3, "Archive");
    client.expunge("INBOX", 3);
    assert_eq!(client.messages("INBOX").len(), 1);
    assert_eq!(client.only("INBOX", "n0@work.example").flags, ["\\Answered"]);
    assert_eq!(client.only("Trash", "n1@work.example").uid, 1);
    client.only("Archive", "n2@work.example");

    client.create("Café & Söhne");
    client.append("Café & Söhne", &["\\Seen"], "Subject: Grüße\r\n\r\nü".as_bytes());
    assert_eq!(client.messages("Café & Söhne")[0].text(), "Subject: Grüße\r\n\r\nü");
    let before = client.uid_validity("Café & Söhne");
    client.recreate("Café & Söhne");
    assert_ne!(client.uid_validity("Café & Söhne"), before);
    assert!(client.messages("Café & Söhne").is_empty());
    let before = client.uid_validity("INBOX");
    server.renumber(MARA, "INBOX");
    assert_ne!(client.uid_validity("INBOX"), before);
    assert_eq!(client.messages("INBOX").len(), 1);
    let folders = client.folders();
    for name in ["Drafts", "Sent", "Trash", "Junk", "Archive"] {
        let (_, marks) = folders.iter().find(|(folder, _)| folder == name).unwrap();
        assert!(marks.contains(&format!("\\{name}")), "{folders:?}");
    }
}

#[test]
fn ten_thousand_messages_are_there_quickly() {
    let server = Dovecot::setup().user(MARA, "secret").start();
    let started = Instant::now();
    server.deliver_all(MARA, "INBOX", (0..10_000).map(mail));
    eprintln!("delivered in {:?}", started.elapsed());
    assert_eq!(server.files(MARA, "INBOX"), 10_000);
    let ids = server.other_client(MARA).ids("INBOX");
    assert_eq!(ids.len(), 10_000);
    assert!(ids.iter().enumerate().all(|(n, id)| id.message_id == format!("<n{n}@work.example>")));
    eprintln!("read after {:?}", started.elapsed());
}

#[test]
fn capabilities_can_be_taken_away() {
    let names = ["CONDSTORE", "QRESYNC", "MOVE", "UIDPLUS", "IDLE", "SPECIAL-USE", "LITERAL+"];
    let offered = Dovecot::setup().user(MARA, "secret").start().capabilities();
    assert!(names.iter().all(|name| offered.iter().any(|offered| offered == name)), "{offered:?}");
    let bare = Dovecot::setup().user(MARA, "secret").without(&names).start();
    let left = bare.capabilities();
    assert_eq!(left.len(), offered.len() - names.len(), "{left:?}");
    assert!(!names.iter().any(|name| left.iter().any(|left| left == name)), "{left:?}");
    bare.deliver(MARA, "INBOX", MAIL);
    bare.other_client(MARA).only("INBOX", "b1@work.example");
}

#[test]
fn it_is_killed_started_again_and_gone_with_its_value() {
    let mut server = Dovecot::setup().user(MARA, "old").start();
    server.deliver(MARA, "INBOX", MAIL);
    let mut open = BufReader::new(TcpStream::connect(("127.0.0.1", server.port())).unwrap());
    let mut line = String::new();
    open.read_line(&mut line).unwrap();
    assert!(line.starts_with("* OK"), "{line}");
    server.stop();
    assert!(open.read_line(&mut line).unwrap_or(0) == 0, "{line}");
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
    server.set_users(&[(MARA, "new")]);
    server.start_again();
    server.other_client(MARA).only("INBOX", "b1@work.example");
    // It writes that down a moment later.
    let began = std::time::Instant::now();
    while server.logins(MARA) != 1 {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{} logins", server.logins(MARA));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let (port, folder) = (server.port(), server.folder().to_owned());
    drop(server);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!folder.exists());
}

#[test]
fn a_panic_takes_it_along() {
    let kept = std::panic::catch_unwind(|| {
        let server = Dovecot::setup().user(MARA, "secret").start();
        std::panic::panic_any((server.port(), server.folder().to_owned()));
    });
    let kept = kept.unwrap_err().downcast::<(u16, std::path::PathBuf)>().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", kept.0)).is_err());
    assert!(!kept.1.exists());
}

#[test]
fn a_shared_one_takes_users_while_it_runs() {
    let server = Dovecot::shared();
    server.add_user("shared-a@example.com", "one");
    server.add_user("shared-b@example.com", "two");
    server.deliver("shared-a@example.com", "INBOX", MAIL);
    assert_eq!(server.other_client("shared-a@example.com").messages("INBOX").len(), 1);
    assert_eq!(server.other_client("shared-b@example.com").messages("INBOX").len(), 0);
}

#[test]
fn a_refused_password_slows_nobody_down() {
    let server = Dovecot::setup().user(MARA, "secret").start();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let started = Instant::now();
    for _ in 0..3 {
        write!(stream, "a LOGIN {MARA} wrong\r\n").unwrap();
        let refused = lines.find(|line| line.as_ref().unwrap().starts_with("a ")).unwrap().unwrap();
        assert!(refused.contains("[AUTHENTICATIONFAILED]"), "{refused}");
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

/// What openssl says of the certificate that is shown, after checking it against the authority.
fn verified(server: &Dovecot, extra: &[&str]) -> String {
    let mut command = std::process::Command::new("openssl");
    command.args(["s_client", "-verify_return_error", "-verify_ip", "127.0.0.1", "-CAfile"]).arg(server.ca_file());
    command.args(extra).stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn certificates_are_good_or_bad_as_asked() {
    for (certificate, says) in [
        (Certificate::Good, "Verify return code: 0 (ok)"),
        (Certificate::OtherHost, "IP address mismatch"),
        (Certificate::Expired, "certificate has expired"),
    ] {
        let server = Dovecot::setup().user(MARA, "secret").tls(certificate).start();
        let wrapped = verified(&server, &["-connect", &format!("127.0.0.1:{}", server.tls_port())]);
        assert!(wrapped.contains(says), "{certificate:?}: {wrapped}");
        let upgraded = verified(&server, &["-starttls", "imap", "-connect", &format!("127.0.0.1:{}", server.port())]);
        assert!(upgraded.contains(says), "{certificate:?}: {upgraded}");
    }
}

/// An introspection endpoint that knows one token, as Dovecot asks it; for as long as the process lives.
fn introspection(token: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/introspect", listener.local_addr().unwrap());
    let wanted = format!("Authorization: Bearer {token}");
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let head: Vec<_> =
                BufReader::new(&stream).lines().map_while(Result::ok).take_while(|l| !l.is_empty()).collect();
            let known = head.iter().any(|line| line.eq_ignore_ascii_case(&wanted));
            let (status, body) = match known {
                true => ("200 OK", format!("{{\"active\":true,\"username\":\"{MARA}\"}}")),
                false => ("401 Unauthorized", "{\"error\":\"invalid_token\"}".to_owned()),
            };
            let kind = "Content-Type: application/json\r\nConnection: close";
            let _ = write!(&stream, "HTTP/1.1 {status}\r\n{kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    url
}

#[test]
fn a_token_signs_in_as_a_password_does() {
    let server = Dovecot::setup().user(MARA, "secret").oauth(&introspection("good")).start();
    server.deliver(MARA, "INBOX", MAIL);
    server.other_client(MARA).only("INBOX", "b1@work.example");
    // What imaplib sends, in both forms; a refused token is told in a challenge before the refusal.
    for (mechanism, token, answer) in [
        ("XOAUTH2", "good", "OK"),
        ("OAUTHBEARER", "good", "OK"),
        ("XOAUTH2", "bad", "NO"),
        ("OAUTHBEARER", "bad", "NO"),
    ] {
        assert_eq!(server.other_client(MARA).signs_in_by(mechanism, token), answer, "{mechanism} {token}");
    }
}
