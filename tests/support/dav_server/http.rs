//! One HTTP request by hand: what a test says to a DAV server itself, and how its collections are made.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use base64::Engine as _;

/// A calendar of 20,000 takes a server minutes, the first time.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpAnswer {
    pub status: u16,
    /// As they came; see [`Self::header`].
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl HttpAnswer {
    /// The first of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// By HTTP/1.0: the answer ends with the connection, and comes in one piece.
pub(super) fn request(
    port: u16,
    signed_in: Option<(&str, &str)>,
    method: &str,
    href: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> HttpAnswer {
    let mut head = format!("{method} {href} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {}\r\n", body.len());
    if let Some((user, password)) = signed_in {
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        head += &format!("Authorization: Basic {pair}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_read_timeout(Some(TIME_LIMIT)).expect("a time-out");
    stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).expect("it reads");
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).expect("an answer");
    parse(&raw).unwrap_or_else(|| panic!("{method} {href}: {:?}", String::from_utf8_lossy(&raw)))
}

fn parse(raw: &[u8]) -> Option<HttpAnswer> {
    let end = raw.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&raw[..end]);
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect();
    Some(HttpAnswer { status, headers, body: raw[end + 4..].to_vec() })
}

/// Method and body that make a calendar of these components, or an address book when there are none.
pub(super) fn make_collection(name: &str, components: &[&str]) -> (&'static str, String) {
    let declared =
        "xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\" xmlns:A=\"urn:ietf:params:xml:ns:carddav\"";
    let name = format!("<D:displayname>{name}</D:displayname>");
    if components.is_empty() {
        let kind = "<D:resourcetype><D:collection/><A:addressbook/></D:resourcetype>";
        return ("MKCOL", format!("<D:mkcol {declared}><D:set><D:prop>{kind}{name}</D:prop></D:set></D:mkcol>"));
    }
    let listed: String = components.iter().map(|component| format!("<C:comp name=\"{component}\"/>")).collect();
    let listed = format!("<C:supported-calendar-component-set>{listed}</C:supported-calendar-component-set>");
    let props = format!("<D:set><D:prop>{name}{listed}</D:prop></D:set>");
    ("MKCALENDAR", format!("<C:mkcalendar {declared}>{props}</C:mkcalendar>"))
}

/// One name in a path, percent-encoded but for what may always stand there and what is `plain` too.
pub(super) fn path_segment(name: &str, plain: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || plain.as_bytes().contains(&byte);
    let encoded = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(encoded).collect()
}
