//! The operator's page: where it listens, and what opens it.

use std::net::SocketAddr;

use brain_core::limits::WEB_TOKEN_CHARS_MIN;
use secrecy::SecretString;

use super::reader::ConfigReader;

/// Where the page listens, and what opens it.
#[derive(Debug, Clone)]
pub struct WebConfig {
    /// `BRAIN_ADMIN_ADDR`.
    pub addr: SocketAddr,
    /// `BRAIN_ADMIN_TOKEN`; `None`: one that is made once and kept in the data folder.
    pub token: Option<SecretString>,
}

impl ConfigReader {
    pub(super) fn web(&mut self) -> Option<WebConfig> {
        let addr = self.parsed("BRAIN_ADMIN_ADDR", "an address to listen on, such as 127.0.0.1:8790", |text| {
            text.parse::<SocketAddr>().ok()
        });
        let token = self.parsed("BRAIN_ADMIN_TOKEN", "at least 16 characters without spaces", |text| {
            let is_fine = text.len() >= WEB_TOKEN_CHARS_MIN && text.bytes().all(|byte| byte.is_ascii_graphic());
            is_fine.then(|| SecretString::from(text.to_owned()))
        });
        self.goes_to("BRAIN_ADMIN_TOKEN", "BRAIN_ADMIN_ADDR");
        let is_set = |key: &str| self.values.contains_key(key);
        match addr {
            None if is_set("BRAIN_ADMIN_TOKEN") && !is_set("BRAIN_ADMIN_ADDR") => {
                self.problems.push("BRAIN_ADMIN_ADDR is missing: where should the page be?".to_owned());
            }
            Some(addr) if !addr.ip().is_loopback() && !is_set("BRAIN_ADMIN_TOKEN") => {
                self.problems.push(format!(
                    "BRAIN_ADMIN_ADDR={addr} is no address of this machine alone: others can reach it, so set \
                     BRAIN_ADMIN_TOKEN as well, and let something in front end TLS"
                ));
            }
            _ => {}
        }
        addr.map(|addr| WebConfig { addr, token })
    }
}
