//! Answers as servers of several makes give them, and the borders of a write, over a server on this machine that says
//! what a test wants.

mod hostile;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tokio::net::TcpListener;

use super::href::{ServerHosts, canonical};
use super::multistatus::parsed;
use super::scripted::{etag, listening, parts, prop, says, server};
use super::{DavClient, DavError, DavKind, ListedResource};
use crate::accounts::{Credential, FixedLogin, Login, LoginError};

fn listed(href: &str, etag: &str) -> ListedResource {
    ListedResource { href: href.to_owned(), etag: etag.to_owned() }
}

#[test]
fn one_thing_has_one_name_however_it_is_written() {
    let rows = [
        ("/a%40b/%c3%a4.ics", "/a@b/%C3%A4.ics"),
        ("/a@b/ä.ics", "/a@b/%C3%A4.ics"),
        ("/a b%20c", "/a%20b%20c"),
        // What is encoded and means something stays.
        ("/a%2fb", "/a%2Fb"),
        ("/a%2541", "/a%2541"),
        ("/100%", "/100%25"),
        ("/%7euser", "/~user"),
    ];
    for (written, expected) in rows {
        assert_eq!(canonical(written).as_deref(), Some(expected), "{written}");
        assert_eq!(canonical(expected).as_deref(), Some(expected), "once more: {written}");
    }
    assert_eq!(canonical("/a%0ab"), None);
}

#[test]
fn names_lead_to_no_other_host_and_to_no_other_place() {
    let home = ServerHosts { url: "https://caldav.icloud.com/".parse().unwrap() };
    let name = |text: &str| home.href(text, &home.url);
    assert_eq!(
        name("https://p34-caldav.icloud.com:443/1/x.ics").as_deref(),
        Some("https://p34-caldav.icloud.com/1/x.ics")
    );
    assert_eq!(name("https://caldav.icloud.com/x").as_deref(), Some("/x"));
    for hostile in
        ["https://evil.example/x", "//evil.example/x", "/a/../b", "/a/%2E%2e/b", "/a\\..\\b", "/a\u{1}b", "/a%00b", ""]
    {
        assert_eq!(name(hostile), None, "{hostile}");
    }
    // A name of a host that lies right below what is lent or sold has no neighbours.
    for (own, other) in [
        ("anna.duckdns.org", "eve.duckdns.org"),
        ("anna.co.uk", "eve.co.uk"),
        ("anna.info.pl", "eve.info.pl"),
        ("anna.com", "eve.com"),
        ("10.0.0.1", "11.0.0.1"),
    ] {
        let home = ServerHosts { url: format!("https://{own}/").parse().unwrap() };
        assert!(!home.trusts(&format!("https://{other}/").parse().unwrap()), "{own} {other}");
    }
    let home = ServerHosts { url: "https://dav.example.com/".parse().unwrap() };
    assert!(!home.trusts(&"http://dav.example.com/".parse().unwrap()), "without TLS");
}

#[test]
fn depth_is_bounded_and_text_has_none() {
    let deep = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    assert!(parsed(&deep(100)).is_ok());
    assert!(parsed(&deep(101)).is_err());
    assert!(parsed(&deep(200_000)).is_err());
    // A description in HTML.
    assert!(parsed(&format!("<a><![CDATA[{}]]></a>", "<br><p>".repeat(500))).is_ok());
    assert!(parsed(&format!("<a b='{}'/>", "&lt;>".repeat(500))).is_ok());
    assert!(parsed("<a c='/' b='>'/>").is_ok());
    assert!(parsed(r#"<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#).is_err());
    // In linear time.
    let begun = std::time::Instant::now();
    assert!(parsed(&"<".repeat(4_000_000)).is_err());
    assert!(parsed(&"<a b='".repeat(1_000_000)).is_err());
    assert!(begun.elapsed().as_secs() < 20);
}

#[tokio::test]
async fn changes_are_read_entry_by_entry() {
    let (client, _) = server(|_| {
        parts(&format!(
            "{}{}{}{}{}{}{}<d:sync-token> t2 </d:sync-token>",
            etag("/dav/c/", "\"itself\""),
            etag("/dav/c/a%2eics", "W/\"1\""),
            prop("/dav/c/no-state.ics", ""),
            prop("/dav/c/below/", ""),
            etag("/dav/../etc/x.ics", "\"2\""),
            etag("https://evil.example/x.ics", "\"3\""),
            "<d:response><d:href>/dav/c/gone.ics</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
        ))
    })
    .await;
    let changes = client.changes("/dav/c/", Some("t1")).await.unwrap();
    assert_eq!(changes.changed, vec![listed("/dav/c/a.ics", "W/\"1\""), listed("/dav/c/no-state.ics", "")]);
    assert_eq!(changes.gone, vec!["/dav/c/gone.ics"]);
    assert_eq!((changes.token.as_deref(), changes.is_whole, changes.is_partial), (Some("t2"), false, false));
}

#[tokio::test]
async fn a_token_that_counts_no_more_leads_to_a_whole_list() {
    for refusal in [
        "403 Forbidden",
        "409 Conflict",
        "412 Precondition Failed",
        "410 Gone",
        "507 Insufficient Storage",
        "400 Bad Request",
    ] {
        let (client, _) = server(move |request| match request {
            request if request.contains(">t1<") => {
                says(refusal, "", "<d:error xmlns:d=\"DAV:\"><d:valid-sync-token/></d:error>")
            }
            _ => parts(&format!("{}<d:sync-token>t9</d:sync-token>", etag("/dav/c/a.ics", "\"1\""))),
        })
        .await;
        let changes = client.changes("/dav/c/", Some("t1")).await.unwrap();
        assert_eq!(
            (changes.is_whole, changes.token.as_deref(), changes.changed.len()),
            (true, Some("t9"), 1),
            "{refusal}"
        );
    }
}

#[tokio::test]
async fn a_server_without_reports_is_listed() {
    let (client, _) = server(|request| match request {
        request if request.starts_with("REPORT") => says("501 Not Implemented", "", ""),
        _ => parts(&format!(
            "{}{}",
            prop("/dav/c/", "<d:resourcetype><d:collection/></d:resourcetype>"),
            etag("/dav/c/a.ics", "\"1\"")
        )),
    })
    .await;
    let changes = client.changes("/dav/c/", Some("t1")).await.unwrap();
    assert_eq!((changes.is_whole, changes.token, changes.changed), (true, None, vec![listed("/dav/c/a.ics", "\"1\"")]));
}

#[tokio::test]
async fn what_of_a_calendar_is_of_a_kind_is_asked_where_it_can_be() {
    let (client, said) = server(|request| match request {
        request if request.contains("VTODO") => parts(&etag("/dav/c/a.ics", "\"1\"")),
        _ => says("501 Not Implemented", "", ""),
    })
    .await;
    let tasks = client.holding(DavKind::Tasks, "/dav/c/").await.unwrap();
    assert_eq!(tasks, Some(["/dav/c/a.ics".to_owned()].into()));
    assert_eq!(client.holding(DavKind::Events, "/dav/c/").await.unwrap(), None);
    assert_eq!(client.holding(DavKind::Contacts, "/dav/c/").await.unwrap(), None);
    assert_eq!(said.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_whole_list_in_parts_is_whole_at_its_end_only() {
    const CUT: &str = "<d:response><d:href>/dav/c/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status><d:error><d:number-of-matches-within-limits/></d:error></d:response>";
    let (client, _) = server(|request| match request {
        request if request.contains(">t1<") => parts(&format!(
            "{}{}<d:sync-token>t2</d:sync-token>",
            etag("/dav/c/b.ics", "\"2\""),
            etag("/dav/c/a.ics", "\"9\"")
        )),
        _ => parts(&format!("{}{CUT}<d:sync-token>t1</d:sync-token>", etag("/dav/c/a.ics", "\"1\""))),
    })
    .await;
    let all = client.changes("/dav/c/", None).await.unwrap();
    assert_eq!((all.is_whole, all.is_partial, all.token.as_deref()), (true, false, Some("t2")));
    assert_eq!(all.changed, vec![listed("/dav/c/b.ics", "\"2\""), listed("/dav/c/a.ics", "\"9\"")]);
}

#[tokio::test]
async fn one_broken_resource_costs_itself_alone() {
    let (client, _) = server(|request| match request {
        // The whole answer is no XML for the sake of one byte in it.
        request if request.starts_with("REPORT") => {
            parts(&prop("/dav/c/a.ics", "<d:getetag>\"1\"</d:getetag><c:calendar-data>\u{1}</c:calendar-data>"))
        }
        request if request.contains("/bad.ics") => {
            b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\netag: \"2\"\r\n\r\n\xff\xfe".to_vec()
        }
        request if request.contains("/big.ics") => says("200 OK", "etag: \"3\"\r\n", &"x".repeat(1024 * 1024 + 1)),
        request if request.contains("/five.ics") => says("500 Internal Server Error", "", ""),
        request if request.contains("/none.ics") => says("404 Not Found", "", ""),
        _ => says("200 OK", "etag: \"1\"\r\n", "BEGIN:VCALENDAR"),
    })
    .await;
    let hrefs = ["a", "bad", "big", "five", "none"].map(|name| format!("/dav/c/{name}.ics"));
    let fetched = client.fetch(DavKind::Events, "/dav/c/", &hrefs, 100).await.unwrap();
    assert_eq!(fetched.resources.len(), 1);
    assert_eq!(fetched.gone, vec![hrefs[4].clone()]);
    let mut unreadable = fetched.unreadable;
    unreadable.sort();
    assert_eq!(unreadable, hrefs[1..4].to_vec());
    // When it fails at everything, it is the server that is broken.
    let error = client.fetch(DavKind::Events, "/dav/c/", &hrefs[3..4], 100).await.unwrap_err();
    assert!(matches!(error, DavError::Unreachable(_)), "{error:?}");
}

#[tokio::test]
async fn what_a_write_was_answered_says_whether_it_was_done() {
    let uid = "<d:error xmlns:d=\"DAV:\"><c:no-uid-conflict xmlns:c=\"urn:ietf:params:xml:ns:caldav\"/></d:error>";
    let failed_part = String::from_utf8(parts(
        "<d:response><d:href>/dav/c/a.ics</d:href><d:status>HTTP/1.1 423 Locked</d:status></d:response>",
    ))
    .unwrap();
    let status = |status: &str| String::from_utf8(says(status, "", "")).unwrap();
    let rows: Vec<(String, &str)> = vec![
        (status("201 Created"), "done"),
        // The head has said it; what breaks after it changes nothing.
        ("HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\nhalf".to_owned(), "done"),
        (failed_part, "refused"),
        (status("412 Precondition Failed"), "changed"),
        (String::from_utf8(says("409 Conflict", "", uid)).unwrap(), "refused"),
        (status("404 Not Found"), "gone"),
        (status("403 Forbidden"), "refused"),
        (status("413 Too Large"), "refused"),
        (status("302 Found"), "refused"),
        ("HTTP/1.1 307 Elsewhere\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n".to_owned(), "refused"),
        (status("500 Oops"), "doubtful"),
        (status("502 Oops"), "doubtful"),
        (status("504 Oops"), "doubtful"),
        (status("507 Full"), "refused"),
        ("HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n".to_owned(), "refused"),
        (String::new(), "doubtful"),
        ("HTTP/1.1 2".to_owned(), "doubtful"),
        ("no HTTP at all\r\n\r\n".to_owned(), "doubtful"),
        (status("401 Unauthorized"), "not signed in"),
    ];
    for (answer, expected) in rows {
        let given = answer.clone();
        let (client, said) = server(move |_| given.clone().into_bytes()).await;
        let outcome = |error: &DavError| match error {
            DavError::NotSignedIn { .. } => "not signed in",
            DavError::Unreachable(_) => "unreachable",
            DavError::Doubtful(_) => "doubtful",
            DavError::ChangedThere => "changed",
            DavError::Gone => "gone",
            DavError::Refused(_) => "refused",
            DavError::NotDav(_) | DavError::Unexpected(_) => "odd",
        };
        let done = client.replace(DavKind::Events, "/dav/c/a.ics", "W/\"1\"", "text".to_owned()).await;
        assert_eq!(done.as_ref().map_or_else(outcome, |_| "done"), expected, "{answer}: {done:?}");
        let said = said.lock().unwrap();
        assert_eq!(said.len(), 1, "never sent a second time: {answer}");
        assert!(said[0].to_lowercase().contains("\r\nif-match: w/\"1\"\r\n"), "{}", said[0]);
    }
}

#[tokio::test]
async fn nothing_was_done_where_nobody_was_reached() {
    // Nobody listens; and somebody who knows no TLS.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (plain, said) = listening(|_| says("201 Created", "", "")).await;
    let login = Arc::new(FixedLogin::new("anna", "hush"));
    for url in [format!("http://127.0.0.1:{port}/"), format!("https://127.0.0.1:{}/", plain.port().unwrap())] {
        let client = DavClient::connected(&url.parse().unwrap(), login.clone(), None).unwrap();
        let error = client.create(DavKind::Tasks, "/a.ics", "text".to_owned()).await.unwrap_err();
        assert!(matches!(error, DavError::Unreachable(_)), "{url}: {error:?}");
    }
    assert!(said.lock().unwrap().is_empty());
}

/// Gives another token each time.
#[derive(Debug, Default)]
struct Tokens {
    refused: AtomicUsize,
}

#[async_trait]
impl Login for Tokens {
    fn user(&self) -> &str {
        "anna"
    }

    async fn credential(&self) -> Result<Credential, LoginError> {
        Ok(Credential::Bearer(format!("token-{}", self.refused.load(Ordering::SeqCst)).into()))
    }

    fn was_refused(&self) {
        self.refused.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once() {
    for (right, expected) in [("token-1", 2), ("token-9", 2)] {
        let (url, said) = listening(move |request| match request {
            request if request.contains(&format!("Bearer {right}\r\n")) => says("201 Created", "", ""),
            _ => says("401 Unauthorized", "", ""),
        })
        .await;
        let client = DavClient::connected(&url, Arc::new(Tokens::default()), None).unwrap();
        let done = client.create(DavKind::Events, "/dav/a.ics", "text".to_owned()).await;
        assert_eq!((done.is_ok(), said.lock().unwrap().len()), (right == "token-1", expected));
    }
}

#[tokio::test]
async fn a_secret_in_an_address_is_neither_shown_nor_sent() {
    let (url, said) = listening(|_| says("404 Not Found", "", "")).await;
    let with = url.as_str().replace("http://", "http://eve:topsecret@");
    let client = DavClient::connected(&with.parse().unwrap(), Arc::new(FixedLogin::new("anna", "hush")), None).unwrap();
    assert_eq!(client.get("/dav/a.ics").await.unwrap(), None);
    assert!(!format!("{client:?}").contains("secret"));
    let said = said.lock().unwrap();
    assert_eq!(said[0].to_lowercase().matches("authorization:").count(), 1);
    assert!(said[0].contains("YW5uYTpodXNo"), "{}", said[0]);
}
