//! OAuth 2 for accounts and servers elsewhere (RFC 6749, 7636, 8252, 8628): how access is given once, and how it is kept.
//!
//! ```text
//! setup ─► authorize (browser, PKCE, loopback)  ─┐
//!      └─► device (a code on another device)    ─┴─► tokens ─► file beside accounts.toml
//! sign-in ─► login ─► the file's access token, renewed ahead of its end ─► file
//! ```
//! Where no configuration says who gives access, a server does: challenge ─► discovery ─► registration ─► authorize; what
//! was found is kept with the tokens (binding).
//!
//! Invariants:
//! - tokens go to the token server that gave them, access tokens besides to the account's own servers;
//! - one renewal at a time, over all processes; what was renewed is in the file before it is used;
//! - what was refused for good is not asked again until the file changes, and what failed not before its pause is over.
//!
//! Not here: what people are asked and told about it; that is setup's.

mod authorize;
mod binding;
mod challenge;
mod device;
mod discovery;
mod http;
mod login;
mod registration;
mod store;

use reqwest::Url;

use super::secret::SecretPlace;

pub use authorize::{Authorization, CodeError, GrantedCode, Loopback};
pub use binding::{SecretWay, TokenBinding, TokenGrant};
pub use challenge::AuthChallenge;
pub use device::DeviceAuthorization;
pub use discovery::{DiscoveryError, IssuerMetadata, ResourceMetadata};
pub use http::{GrantError, TokenHttp, TokenServer};
pub use login::OAuthLogin;
pub(super) use login::{reconnect_command, shell_word};
pub use registration::RegisteredClient;
pub use store::{TokenError, TokenLock, TokenStore, Tokens};

/// Where access is given, and to whom.
#[derive(Debug, Clone)]
pub struct OAuthSettings {
    /// Where a browser goes.
    pub auth_url: Option<Url>,
    /// Where tokens come from.
    pub token_url: Url,
    /// Where codes for another device come from.
    pub device_url: Option<Url>,
    /// Who we are there.
    pub client_id: String,
    /// And how we prove it, where that is wanted.
    pub client_secret: Option<SecretPlace>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// What else the authorization page is told.
    pub extra: Vec<(String, String)>,
    /// The name of this machine in the address that the browser is sent back to.
    pub redirect_host: String,
    /// What the tokens are bound to, where a server has said it and not a configuration.
    pub binding: Option<TokenBinding>,
}
