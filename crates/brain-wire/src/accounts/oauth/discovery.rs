//! Who gives tokens for a server, as it says itself: protected-resource metadata (RFC 9728), and the metadata of its
//! authorization server (RFC 8414, or OpenID Connect Discovery).
//!
//! Invariants:
//! - nothing goes to an address that is not encrypted, but on this machine, and to this machine only for a server on it;
//! - metadata counts only where it names whom it was asked of: the server, and the issuer, letter by letter.

use std::net::IpAddr;

use reqwest::Url;
use serde::Deserialize;

use super::binding::SecretWay;
use super::challenge::{AuthChallenge, scopes};
use super::http::TokenHttp;
use crate::accounts::server::{is_loopback, is_private};

/// Why it is not known who gives tokens. The texts are sentences without their end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DiscoveryError(pub String);

/// A server by its own metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceMetadata {
    /// Its name for itself, letter by letter.
    pub resource: String,
    /// Who gives tokens for it, one at least; the first one counts, unless somebody knows better.
    pub issuers: Vec<String>,
    /// What there is to ask for.
    pub scopes: Vec<String>,
}

/// An authorization server by its own metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerMetadata {
    /// Its name.
    pub issuer: String,
    /// Where a browser goes.
    pub auth_url: Option<Url>,
    /// Where tokens come from.
    pub token_url: Url,
    /// Where a client makes itself known.
    pub registration_url: Option<Url>,
    /// What there is to ask for, as far as it says.
    pub scopes: Vec<String>,
    /// PKCE with SHA-256 (RFC 7636).
    pub takes_s256: bool,
    /// Its answers say who it is (RFC 9207).
    pub names_issuer: bool,
    /// How clients prove themselves there; nobody: it does not say.
    secret_ways: Vec<String>,
}

#[derive(Deserialize)]
struct ResourceDocument {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

#[derive(Deserialize)]
struct IssuerDocument {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

/// An address that metadata of `server` may name.
fn address(text: &str, server: &Url) -> Result<Url, DiscoveryError> {
    let is_here = |url: &Url| url.host_str().is_some_and(leads_here);
    let may = |url: &Url| is_private(url) && (!is_here(url) || is_here(server)) && url.fragment().is_none();
    let url = Url::parse(text).ok().filter(may);
    url.ok_or_else(|| DiscoveryError(format!("“{text}” cannot be asked: it has to begin with https://")))
}

/// Whether whatever has this name answers on this machine, in any of the ways to write that.
fn leads_here(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    let is_here = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(ip) => is_here(ip.to_canonical()),
        Err(_) => is_loopback(name) || name.ends_with(".localhost"),
    }
}

/// `/.well-known/NAME` before the path (RFC 8615).
fn well_known(url: &Url, name: &str) -> Url {
    let mut known = url.clone();
    known.set_path(&format!("/.well-known/{name}{}", url.path().trim_end_matches('/')));
    known.set_query(None);
    known
}

impl ResourceMetadata {
    /// What a server says of itself: where its challenge points, else at the places of RFC 9728.
    pub async fn of(http: &TokenHttp, server: &Url, challenge: &AuthChallenge) -> Result<Self, DiscoveryError> {
        const NAME: &str = "oauth-protected-resource";
        let mut places = match &challenge.resource_metadata {
            Some(place) => vec![address(place, server)?],
            None => vec![well_known(server, NAME), well_known(&root(server), NAME)],
        };
        places.dedup();
        let Some(document) = http.first_json::<ResourceDocument>(&places).await? else {
            let host = server.host_str().unwrap_or_default();
            return Err(DiscoveryError(format!("{host} does not say who gives access to it (RFC 9728)")));
        };
        Self::read(document, server)
    }

    fn read(document: ResourceDocument, server: &Url) -> Result<Self, DiscoveryError> {
        if !is_named(&document.resource, server) {
            let named = document.resource;
            return Err(DiscoveryError(format!("the metadata is of another server, “{named}”, and is not used")));
        }
        let issuers = document.authorization_servers;
        if issuers.is_empty() {
            return Err(DiscoveryError("its metadata names nobody who gives access".to_owned()));
        }
        Ok(Self { resource: document.resource, issuers, scopes: scopes(&document.scopes_supported.join(" ")) })
    }

    /// Who gives tokens, where nobody knows better.
    pub fn issuer(&self) -> &str {
        self.issuers.first().map_or("", String::as_str)
    }
}

fn root(url: &Url) -> Url {
    let mut root = url.clone();
    root.set_path("/");
    root
}

/// Whether metadata with this name is that of the server: its own address, or one above it.
fn is_named(resource: &str, server: &Url) -> bool {
    let Ok(named) = Url::parse(resource) else { return false };
    let (above, below) = (named.path().trim_end_matches('/'), server.path());
    let is_above = below.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_same_query = named.query().is_none_or(|query| server.query() == Some(query));
    named.origin() == server.origin() && is_above && is_same_query && named.fragment().is_none()
}

impl IssuerMetadata {
    /// What an authorization server says of itself. `server`: whose metadata named it.
    pub async fn of(http: &TokenHttp, issuer: &str, server: &Url) -> Result<Self, DiscoveryError> {
        const NAME: &str = "oauth-authorization-server";
        const OPENID: &str = "openid-configuration";
        let url = address(issuer, server)?;
        let path = url.path().trim_end_matches('/');
        let mut behind = url.clone();
        behind.set_path(&format!("{path}/.well-known/{OPENID}"));
        let mut places = vec![well_known(&url, NAME), well_known(&url, OPENID), behind];
        places.dedup();
        let Some(document) = http.first_json::<IssuerDocument>(&places).await? else {
            return Err(DiscoveryError(format!("“{issuer}” does not say how it gives access (RFC 8414)")));
        };
        Self::read(document, issuer, server)
    }

    fn read(document: IssuerDocument, issuer: &str, server: &Url) -> Result<Self, DiscoveryError> {
        if document.issuer != issuer {
            let other = document.issuer;
            return Err(DiscoveryError(format!("“{issuer}” calls itself “{other}”, and its metadata is not used")));
        }
        let place = |text: Option<String>| text.map(|text| address(&text, server)).transpose();
        Ok(Self {
            issuer: document.issuer,
            auth_url: place(document.authorization_endpoint)?,
            token_url: address(&document.token_endpoint, server)?,
            registration_url: place(document.registration_endpoint)?,
            scopes: scopes(&document.scopes_supported.join(" ")),
            takes_s256: document.code_challenge_methods_supported.iter().any(|method| method == "S256"),
            names_issuer: document.authorization_response_iss_parameter_supported,
            secret_ways: document.token_endpoint_auth_methods_supported,
        })
    }

    /// How a client with a secret proves itself.
    pub fn secret_way(&self) -> SecretWay {
        let takes = |way: &str| self.secret_ways.iter().any(|known| known == way);
        if takes("client_secret_post") && !takes("client_secret_basic") { SecretWay::Post } else { SecretWay::Basic }
    }

    /// The same for one that makes itself known now, as RFC 7591 names it: without a secret where that may be.
    pub(super) fn method_wanted(&self) -> &'static str {
        match self.secret_way() {
            _ if self.secret_ways.iter().any(|way| way == "none") || self.secret_ways.is_empty() => "none",
            SecretWay::Basic => "client_secret_basic",
            SecretWay::Post => "client_secret_post",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_testing::fuzzing::fuzz;

    #[test]
    fn metadata_is_of_the_server_or_of_one_above_it_and_of_no_other() {
        let server = Url::parse("https://a.example/mcp/one").unwrap();
        for (resource, is) in [
            ("https://a.example/mcp/one", true),
            ("https://a.example/mcp", true),
            ("https://a.example", true),
            ("https://a.example/mc", false),
            ("https://a.example/mcp/one/two", false),
            ("https://b.example/mcp/one", false),
            ("http://a.example/mcp/one", false),
            ("https://a.example:8443/mcp/one", false),
            ("https://a.example/mcp/one?x=1", false),
            ("a.example", false),
        ] {
            assert_eq!(is_named(resource, &server), is, "{resource}");
        }
    }

    #[test]
    fn what_is_not_encrypted_is_not_asked_and_this_machine_only_for_a_server_on_it() {
        let (elsewhere, here) = ("https://a.example/mcp".parse().unwrap(), "http://127.0.0.1:1/mcp".parse().unwrap());
        assert!(address("https://b.example", &elsewhere).is_ok() && address("http://localhost:9", &here).is_ok());
        for (text, server) in [
            ("http://b.example", &elsewhere),
            ("http://b.example", &here),
            ("http://localhost:9", &elsewhere),
            ("https://127.0.0.1/x", &elsewhere),
            ("https://localhost./x", &elsewhere),
            ("https://a.localhost/x", &elsewhere),
            ("https://0.0.0.0/x", &elsewhere),
            ("https://[::ffff:127.0.0.1]/x", &elsewhere),
            ("https://[::1]/x", &elsewhere),
            ("https://2130706433/x", &elsewhere),
            ("file:///etc/passwd", &here),
        ] {
            assert!(address(text, server).is_err(), "{text}");
        }
    }

    #[test]
    fn fuzzed_metadata_of_servers() {
        let seeds = [
            r#"{"resource":"https://a.example/mcp","authorization_servers":["https://b.example"],"scopes_supported":["x y"]}"#,
            r#"{"issuer":"https://b.example","authorization_endpoint":"https://b.example/a","token_endpoint":"https://b.example/t","registration_endpoint":"https://b.example/r","scopes_supported":["x"],"code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true,"token_endpoint_auth_methods_supported":["none"]}"#,
            r#"{"client_id":"x","client_secret":"y","token_endpoint_auth_method":"client_secret_post"}"#,
            r#"{"access_token":"x","token_type":"bearer","expires_in":1e3,"refresh_token":"y","scope":"a b"}"#,
            r#"{"device_code":"x","user_code":"y","verification_uri":"https://b.example","expires_in":1,"interval":0}"#,
            r#"{"error":"invalid_grant","error_description":"x"}"#,
        ];
        let tokens = ["{", "}", "[", "]", "{\"a\":", "\"", ",", ":", "null", "1e999", "-1", "\\u0000", "\\ud800"];
        let server = Url::parse("https://a.example/mcp").unwrap();
        fuzz("oauth_answers", &seeds, &tokens, move |bytes| {
            let resource =
                serde_json::from_slice(bytes).ok().and_then(|read| ResourceMetadata::read(read, &server).ok());
            assert!(resource.is_none_or(|resource| !resource.issuers.is_empty()));
            let issuer = serde_json::from_slice(bytes).ok();
            let issuer = issuer.and_then(|read| IssuerMetadata::read(read, "https://b.example", &server).ok());
            assert!(issuer.is_none_or(|issuer| is_private(&issuer.token_url)));
            let _ = serde_json::from_slice::<super::super::registration::Registered>(bytes);
            let _ = serde_json::from_slice::<oauth2::basic::BasicTokenResponse>(bytes);
            let _ = serde_json::from_slice::<oauth2::basic::BasicErrorResponse>(bytes);
            let _ = serde_json::from_slice::<oauth2::StandardDeviceAuthorizationResponse>(bytes);
        });
    }

    #[test]
    fn fuzzed_challenges_of_servers() {
        let seeds = [
            r#"Basic realm="a, \"x\"", Bearer error="insufficient_scope", scope="a b", resource_metadata="https://a.example""#,
            "Bearer scope=one, DPoP algs=\"ES256\"",
        ];
        fuzz("oauth_challenges", &seeds, &["\"", "\\", ",", "=", " ", "Bearer ", "scope=", "é"], |bytes| {
            let header = String::from_utf8_lossy(bytes);
            let challenge = AuthChallenge::parse([&*header].into_iter());
            assert!(challenge.scopes.iter().all(|scope| scope.is_ascii()));
        });
    }

    #[test]
    fn a_hundred_thousand_levels_are_skipped_or_make_no_sense() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(serde_json::from_str::<IssuerDocument>(&deep).is_err());
        assert!(serde_json::from_str::<ResourceDocument>(&format!(r#"{{"resource":{deep}}}"#)).is_err());
        let beside = format!(r#"{{"issuer":"x","token_endpoint":"y","z":{deep}}}"#);
        assert_eq!(serde_json::from_str::<IssuerDocument>(&beside).unwrap().issuer, "x");
    }

    #[test]
    fn the_well_known_part_stands_before_the_path() {
        let known = |url: &str| well_known(&url.parse().unwrap(), "x").to_string();
        assert_eq!(known("https://a.example/tenant/"), "https://a.example/.well-known/x/tenant");
        assert_eq!(known("https://a.example?q=1"), "https://a.example/.well-known/x");
    }
}
