//! A server that answers by a script, for the tests of whoever speaks with one.

#![allow(clippy::unwrap_used, reason = "a kit of tests: what fails here fails the test")]

use std::sync::{Arc, Mutex};

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::DavClient;
use crate::accounts::FixedLogin;

/// What it was asked, in order.
pub type Requests = Arc<Mutex<Vec<String>>>;

/// A server that answers each request (head and body) with what `answer` makes of it; empty: it hangs up.
pub async fn server(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> (DavClient, Requests) {
    let (url, said) = listening(answer).await;
    let login = Arc::new(FixedLogin::new("anna", "hush"));
    (DavClient::connected(&url, login, None).unwrap(), said)
}

pub(super) async fn listening(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> (Url, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://127.0.0.1:{}/dav/", listener.local_addr().unwrap().port());
    let said = Requests::default();
    let (heard, answer) = (said.clone(), Arc::new(answer));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (heard, answer) = (heard.clone(), answer.clone());
            tokio::spawn(async move {
                let mut stream = stream;
                let Some(request) = request(&mut stream).await else { return };
                heard.lock().unwrap().push(request.clone());
                let _ = stream.write_all(&answer(&request)).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    (url.parse().unwrap(), said)
}

async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= length.unwrap_or(0_usize) {
                return Some(text);
            }
        }
        let mut part = [0; 8192];
        match stream.read(&mut part).await {
            // TLS, which it does not know.
            Ok(_) if part[0] == 0x16 => return None,
            Ok(read) if read > 0 => bytes.extend_from_slice(&part[..read]),
            _ => return None,
        }
    }
}

pub fn says(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
        .into_bytes()
}

pub fn parts(responses: &str) -> Vec<u8> {
    let body = format!(
        r#"<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:a="urn:ietf:params:xml:ns:carddav" xmlns:cs="http://calendarserver.org/ns/">{responses}</d:multistatus>"#
    );
    says("207 Multi-Status", "", &body)
}

pub fn prop(href: &str, props: &str) -> String {
    format!(
        "<d:response><d:href>{href}</d:href><d:propstat><d:prop>{props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )
}

pub fn etag(href: &str, etag: &str) -> String {
    prop(href, &format!("<d:getetag>{etag}</d:getetag>"))
}
