//! Names of things at a server: paths, or whole addresses of hosts beside the configured one.

use http::Uri;
use reqwest::Url;

/// A server and the hosts that belong to it.
#[derive(Debug, Clone)]
pub(super) struct ServerHosts {
    /// The address that is configured.
    pub url: Url,
}

impl ServerHosts {
    /// What an answer calls something, as it is called here: a path on the configured host, else a whole address.
    /// `None`: it lies where no password of this account goes, or is no address.
    pub fn href(&self, text: &str, base: &Url) -> Option<String> {
        let text = text.trim();
        if text.is_empty()
            || text.len() > 4_096
            || text.contains(|c: char| c.is_control() || c == '\\')
            || has_dots(text)
        {
            return None;
        }
        let url = base.join(text).ok()?;
        if !self.trusts(&url) {
            return None;
        }
        let path = canonical(url.path())?;
        if is_same_origin(&url, &self.url) {
            return Some(path);
        }
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        Some(format!("{}://{}{port}{path}", url.scheme(), url.host_str()?))
    }

    /// The address behind a name.
    pub fn url(&self, href: &str) -> Option<Url> {
        self.url.join(href).ok().filter(|url| self.trusts(url))
    }

    /// Whether the password may go there: the configured host, with TLS if that has it, or over TLS a host beside it in
    /// the same domain.
    pub fn trusts(&self, url: &Url) -> bool {
        if is_same_origin(url, &self.url) {
            return true;
        }
        let (Some(own), Some(host)) = (self.url.host_str(), url.host_str()) else { return false };
        let is_upgrade = host == own && url.scheme() == "https";
        let beside = url.scheme() == "https"
            && self.url.scheme() == "https"
            && domain(own).is_some_and(|d| domain(host) == Some(d));
        is_upgrade || beside
    }
}

/// What registries of countries call their second level, where it has more than three letters.
const GENERIC: [&str; 6] = ["info", "name", "firm", "mobi", "priv", "asso"];
/// Domains whose hosts belong to somebody else each; a list to be safer by, not a complete one.
const LENT: [&str; 14] = [
    "duckdns.org",
    "ddns.net",
    "dyndns.org",
    "no-ip.org",
    "hopto.org",
    "zapto.org",
    "dynv6.net",
    "synology.me",
    "myqnapcloud.com",
    "herokuapp.com",
    "github.io",
    "fly.dev",
    "web.app",
    "ts.net",
];

/// One spelling for every way to write a path, as it goes out in a request: what may stand there as itself does, the
/// rest is encoded, and what was encoded and means something (`/`, `%`) stays so. `None`: it has a control character.
pub(super) fn canonical(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut out = String::with_capacity(path.len());
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        let decoded = match (first, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        at += if decoded.is_some() { 3 } else { 1 };
        match decoded.unwrap_or(first) {
            byte if byte.is_ascii_control() => return None,
            b'/' if decoded.is_none() => out.push('/'),
            byte if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(out)
}

/// What `caldav.example.com` and `p34.example.com` have in common. A host right below a top level has no neighbours:
/// what lies beside it is somebody else's.
fn domain(host: &str) -> Option<&str> {
    if host.parse::<std::net::IpAddr>().is_ok() {
        return None;
    }
    let (_, rest) = host.split_once('.')?;
    // `example.co.uk` is a host of its own, and `co.uk` no domain of anybody's.
    let labels: Vec<&str> = rest.split('.').collect();
    let is_registry = match labels.as_slice() {
        [] | [_] => true,
        [second, top] => top.len() == 2 && (second.len() <= 3 || GENERIC.contains(second)),
        _ => false,
    };
    (!is_registry && !LENT.contains(&rest)).then_some(rest)
}

fn is_same_origin(a: &Url, b: &Url) -> bool {
    (a.scheme(), a.host_str(), a.port_or_known_default()) == (b.scheme(), b.host_str(), b.port_or_known_default())
}

fn has_dots(text: &str) -> bool {
    let path = text.split(['?', '#']).next().unwrap_or_default().replace("%2e", ".").replace("%2E", ".");
    path.split('/').any(|part| part == "..")
}

/// Scheme and host of an address, for a request.
pub(super) fn base_of(url: &Url) -> Option<Uri> {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}/", url.scheme(), url.host_str()?).parse().ok()
}
