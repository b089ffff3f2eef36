//! Addresses of servers, as a person writes them: `imaps://host:993`, `smtp://host`, `https://host/dav/`.
//!
//! Invariant: an error holds nothing of what was written; a special character of a password that is not escaped ends
//! the host early, and any part of the address may then be a part of the password.

use std::net::IpAddr;

use reqwest::Url;
use secrecy::SecretString;

use super::account::{Sender, ServerAddress, ServerTls};
use super::sender::parse_sender;

/// What is spoken at a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailProtocol {
    /// RFC 9051, RFC 3501.
    Imap,
    /// RFC 6409.
    Smtp,
}

impl MailProtocol {
    /// Schemes with TLS from the first byte, and without, with their ports.
    fn schemes(self) -> [(&'static str, u16); 2] {
        match self {
            Self::Imap => [("imaps", 993), ("imap", 143)],
            Self::Smtp => [("smtps", 465), ("smtp", 587)],
        }
    }
}

/// What is wrong with an address of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ServerUrlError {
    /// No URL, or one with parts that none of ours has.
    #[error("is no address that can be read; in user and password write @ as %40, / as %2F, # as %23, % as %25")]
    NotAUrl,
    /// Another scheme.
    #[error("must begin with {0}")]
    Scheme(&'static str),
    /// No host.
    #[error("names no host")]
    NoHost,
    /// An unknown parameter, or an unknown value of a known one.
    #[error("has a parameter that I don't know; there are ?from=ADDRESS, ?tls=required and ?tls=none")]
    Parameter,
    /// A sender that is none.
    #[error("has a ?from= that is no mail address")]
    BadSender,
    /// Calendars over plain HTTP, on another machine.
    #[error("would send the password without encryption: use https://, or add ?tls=none to allow it")]
    Plain,
}

/// An address with what stood before the host.
#[derive(Debug, Clone)]
pub struct SignedUrl<T> {
    /// The server.
    pub server: T,
    /// Who signs in, if that stood there.
    pub user: Option<String>,
    /// With what, if that stood there.
    pub password: Option<SecretString>,
    /// Whose account it is, if that stood there.
    pub from: Option<Sender>,
}

/// Reads `imaps://USER:PASSWORD@HOST:PORT` and the like. Without TLS from the start it is STARTTLS, except on this
/// machine or with `?tls=none`.
pub fn mail_server(text: &str, protocol: MailProtocol) -> Result<SignedUrl<ServerAddress>, ServerUrlError> {
    let url = parsed(text)?;
    let [(wrapped, wrapped_port), (plain, plain_port)] = protocol.schemes();
    let (is_wrapped, port) = match url.scheme() {
        scheme if scheme == wrapped => (true, wrapped_port),
        scheme if scheme == plain => (false, plain_port),
        _ => {
            return Err(ServerUrlError::Scheme(match protocol {
                MailProtocol::Imap => "imaps:// or imap://",
                MailProtocol::Smtp => "smtps:// or smtp://",
            }));
        }
    };
    let host = host(&url)?;
    if !matches!(url.path(), "" | "/") {
        return Err(ServerUrlError::NotAUrl);
    }
    let parameters = UrlParameters::of(&url)?;
    let tls = match (is_wrapped, parameters.tls) {
        (true, None) => ServerTls::Wrapped,
        (true, Some(_)) => return Err(ServerUrlError::Parameter),
        (false, Some(tls)) => tls,
        (false, None) if is_loopback(&host) => ServerTls::Plain,
        (false, None) => ServerTls::StartTls,
    };
    let server = ServerAddress { port: url.port().unwrap_or(port), host, tls };
    Ok(signed(server, &url, parameters.from))
}

/// Reads `https://USER:PASSWORD@HOST/path/`. `http://` on this machine, or with `?tls=none`.
pub fn dav_server(text: &str) -> Result<SignedUrl<Url>, ServerUrlError> {
    let url = parsed(text)?;
    let is_plain = match url.scheme() {
        "https" => false,
        "http" => true,
        _ => return Err(ServerUrlError::Scheme("https://")),
    };
    let host = host(&url)?;
    if url.path().contains('@') && url.password().is_none() && url.path().contains(':') {
        return Err(ServerUrlError::NotAUrl);
    }
    let parameters = UrlParameters::of(&url)?;
    match parameters.tls {
        Some(_) if !is_plain => return Err(ServerUrlError::Parameter),
        Some(ServerTls::Plain) => {}
        Some(_) => return Err(ServerUrlError::Plain),
        None if is_plain && !is_loopback(&host) => return Err(ServerUrlError::Plain),
        None => {}
    }
    let mut server = url.clone();
    server.set_query(None);
    let bare = server.set_username("").and_then(|()| server.set_password(None));
    bare.map_err(|()| ServerUrlError::NotAUrl)?;
    Ok(signed(server, &url, parameters.from))
}

/// Whether a name is this machine's.
pub fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// An address that a secret may be sent to: encrypted, or on this machine.
pub fn is_private(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => url.host_str().is_some_and(is_loopback),
        _ => false,
    }
}

fn parsed(text: &str) -> Result<Url, ServerUrlError> {
    let url = Url::parse(text.trim()).map_err(|_| ServerUrlError::NotAUrl)?;
    if url.fragment().is_some() { Err(ServerUrlError::NotAUrl) } else { Ok(url) }
}

fn host(url: &Url) -> Result<String, ServerUrlError> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    if host.is_empty() { Err(ServerUrlError::NoHost) } else { Ok(host) }
}

#[derive(Default)]
struct UrlParameters {
    from: Option<Sender>,
    tls: Option<ServerTls>,
}

impl UrlParameters {
    fn of(url: &Url) -> Result<Self, ServerUrlError> {
        let mut all = Self::default();
        for (name, value) in url.query_pairs() {
            match (name.as_ref(), value.as_ref()) {
                ("from", value) => all.from = Some(parse_sender(value).ok_or(ServerUrlError::BadSender)?),
                ("tls", "required") => all.tls = Some(ServerTls::StartTls),
                ("tls", "none") => all.tls = Some(ServerTls::Plain),
                (_, _) => return Err(ServerUrlError::Parameter),
            }
        }
        Ok(all)
    }
}

fn signed<T>(server: T, url: &Url, from: Option<Sender>) -> SignedUrl<T> {
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = Some(url.username()).filter(|user| !user.is_empty()).map(decoded);
    let password = url.password().map(|password| decoded(password).into());
    SignedUrl { server, user, password, from }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn an_address_says_how_its_server_is_reached() {
        use ServerTls::{Plain, StartTls, Wrapped};
        for (text, protocol, host, port, tls) in [
            ("imaps://imap.example.com", MailProtocol::Imap, "imap.example.com", 993, Wrapped),
            ("imaps://imap.example.com:1993/", MailProtocol::Imap, "imap.example.com", 1993, Wrapped),
            ("imap://imap.example.com", MailProtocol::Imap, "imap.example.com", 143, StartTls),
            ("imap://imap.example.com?tls=none", MailProtocol::Imap, "imap.example.com", 143, Plain),
            ("imap://localhost:1143", MailProtocol::Imap, "localhost", 1143, Plain),
            ("imap://127.0.0.1:1143?tls=required", MailProtocol::Imap, "127.0.0.1", 1143, StartTls),
            ("imap://[::1]:1143", MailProtocol::Imap, "::1", 1143, Plain),
            ("smtps://smtp.example.com", MailProtocol::Smtp, "smtp.example.com", 465, Wrapped),
            ("smtp://smtp.example.com", MailProtocol::Smtp, "smtp.example.com", 587, StartTls),
        ] {
            let got = mail_server(text, protocol).unwrap();
            assert_eq!(got.server, ServerAddress { host: host.to_owned(), port, tls }, "{text}");
            assert!(got.user.is_none() && got.password.is_none(), "{text}");
        }
    }

    #[test]
    fn user_password_and_sender_are_taken_out_of_an_address() {
        let text = "imaps://anna%40example.com:p%40ss%2F@imap.example.com?from=Anna%20%3Canna@example.org%3E";
        let got = mail_server(text, MailProtocol::Imap).unwrap();
        assert_eq!(got.user.as_deref(), Some("anna@example.com"));
        assert_eq!(got.password.as_ref().unwrap().expose_secret(), "p@ss/");
        assert_eq!(got.from.as_ref().unwrap().address.to_string(), "anna@example.org");
        assert!(!format!("{got:?}").contains("ss/"));
        let got = dav_server("https://anna:geheim@cloud.example.com/remote.php/dav/?from=anna@example.org").unwrap();
        assert_eq!(got.server.as_str(), "https://cloud.example.com/remote.php/dav/");
        assert_eq!(got.password.unwrap().expose_secret(), "geheim");
    }

    #[test]
    fn what_is_no_address_of_a_server_is_refused_with_the_reason() {
        use ServerUrlError::{BadSender, NoHost, NotAUrl, Parameter, Plain, Scheme};
        for (text, why) in [
            ("imap.example.com", NotAUrl),
            ("https://imap.example.com", Scheme("imaps:// or imap://")),
            ("imaps://", NotAUrl),
            ("imaps:///x", NoHost),
            ("imaps://anna:ge/heim@host", NotAUrl),
            ("imaps://anna:ge#heim@host", NotAUrl),
            ("imaps://host/INBOX", NotAUrl),
            ("imaps://host?tls=none", Parameter),
            ("imap://host?tls=maybe", Parameter),
            ("imap://host?user=x", Parameter),
            ("imap://host?from=nobody", BadSender),
        ] {
            let got = mail_server(text, MailProtocol::Imap).map(|_| ()).unwrap_err();
            assert!(got == why || text == "imaps://", "{text}: {got:?}");
            assert!(!got.to_string().contains("heim"), "{text}");
        }
        assert_eq!(dav_server("http://nas.example/dav").map(|_| ()), Err(Plain));
        assert_eq!(dav_server("https://nas.example/dav?tls=none").map(|_| ()), Err(Parameter));
        assert!(dav_server("http://nas.example/dav?tls=none").is_ok() && dav_server("http://127.0.0.1:80/").is_ok());
        assert_eq!(dav_server("imaps://nas.example/dav").map(|_| ()), Err(Scheme("https://")));
    }
}
