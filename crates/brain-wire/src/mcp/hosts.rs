//! Who takes part in a sign-in, where nobody but the server itself says so.
//!
//! A server may name the page of an honest provider and a place of its own for the code, and so come by access to that
//! provider (a mix-up, RFC 9700 4.4). Invariants: what a file does not name, its `issuer` or the host of the `url`, is
//! asked about once, both hosts by their names, before anything goes out; a secret of the file goes to none that was not
//! named. Not here: who is asked, and in which words.

use reqwest::Url;

use super::config::McpEndpoint;
use crate::accounts::oauth::{IssuerMetadata, Tokens};

/// Where a person gives access, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInHosts {
    /// The server's own.
    pub server: String,
    /// Who gives access, as the server says.
    pub issuer: String,
    /// Where the page is that a browser opens; `None`: nobody has to say yes.
    pub page: Option<String>,
    /// Who gets the code, and gives the tokens for it.
    pub tokens: String,
}

/// What is said about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostsAnswer {
    /// Both are right.
    Agreed,
    /// They are not.
    Declined,
    /// There is nobody to ask.
    NobodyThere,
}

/// Is asked about hosts that no file names.
pub type HostsQuestion<'q> = dyn Fn(&SignInHosts) -> HostsAnswer + Sync + 'q;

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

impl SignInHosts {
    pub(super) fn of(server: &Url, issuer: &IssuerMetadata, page: Option<&Url>) -> Self {
        let (page, tokens) = (page.map(host), host(&issuer.token_url));
        Self { server: host(server), issuer: issuer.issuer.clone(), page, tokens }
    }

    /// Whether they may be dealt with.
    ///
    /// # Errors
    /// Why not, as a sentence without its end.
    pub(super) fn agreed(
        &self,
        endpoint: &McpEndpoint,
        before: Option<&Tokens>,
        question: &HostsQuestion<'_>,
    ) -> Result<(), String> {
        let is_server = |name: &String| *name == self.server;
        let is_named = endpoint.oauth.issuer.is_some() || self.page.iter().chain([&self.tokens]).all(is_server);
        if is_named || before.is_some_and(|before| self.were_before(before)) {
            return Ok(());
        }
        let Self { server, issuer, page, tokens } = self;
        let page = page.as_ref().map(|page| format!("the page is at {page}, and ")).unwrap_or_default();
        let hosts = format!("{server} says that access is given by “{issuer}”: {page}what is given goes to {tokens}");
        let remedy = format!("If that is right, put “{issuer}” as \"issuer\" into its \"oauth\" of the file");
        if endpoint.oauth.client_secret.is_some() {
            return Err(format!("{hosts}, and your clientSecret would, too. {remedy}"));
        }
        match question(self) {
            HostsAnswer::Agreed => Ok(()),
            HostsAnswer::Declined => Err("the hosts are not the right ones, you said".to_owned()),
            HostsAnswer::NobodyThere => Err(format!("{hosts}, and nobody is here to ask about that. {remedy}")),
        }
    }

    /// Whether it was them that gave these tokens.
    fn were_before(&self, before: &Tokens) -> bool {
        let tokens = before.token_url.parse().ok().as_ref().map(host);
        before.binding.as_ref().is_some_and(|binding| binding.issuer == self.issuer)
            && tokens.as_ref() == Some(&self.tokens)
    }
}
