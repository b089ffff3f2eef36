//! One connection to a server: what it offers, and calls.
//!
//! Both protocols are spoken: a server is asked by the newer one first, and one that does not know the question is greeted
//! by the older. A server asks neither a model of us nor folders. Invariant: whatever it sends has a largest size. Not
//! here: calls (see [`super::call`]), and what arrives without being asked for (see [`super::listener`]).

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, PaginatedRequestParams, SubscriptionFilter};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::streamable_http_client::AuthRequiredError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::{sleep, timeout};

use super::access::ServerAccess;
use super::listener::McpListener;
use super::wire::{Traffic, http};
use crate::outside::{CallError, Program};
use brain_core::limits;

/// What a server offers, as it said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolListing {
    /// In the server's order.
    pub tools: Vec<OfferedTool>,
    /// Where it ends.
    pub end: ListingEnd,
    /// How long it holds, where the server says so.
    pub holds: Option<Duration>,
}

/// Where a list of tools ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListingEnd {
    /// There are no more.
    #[default]
    Whole,
    /// There are more than may be.
    Cut,
    /// It leads back to a page that was there before, so nobody can tell.
    Circular,
}

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedTool {
    pub name: String,
    pub title: String,
    pub description: String,
    /// JSON schema of its parameters.
    pub schema: Value,
    /// What the server declares, which is a hint and no more.
    pub says_read_only: bool,
    /// The same of the contrary; a server may say neither.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub says_it_changes: bool,
}

/// Why a server cannot be used. As a text it is for whoever runs this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", .last_words.iter().map(|said| format!("; {said}")).collect::<String>())]
pub struct ServerFault {
    /// In our words, or those of the protocol's errors: for everybody.
    pub why: String,
    /// What its program complained of, which may be anything: for whoever runs this alone.
    pub last_words: Option<String>,
}

impl From<String> for ServerFault {
    fn from(why: String) -> Self {
        Self { why, last_words: None }
    }
}

impl ToolListing {
    /// Of what is there twice, the same both times, one.
    fn forget_repeats(&mut self) {
        let mut whole: Vec<OfferedTool> = Vec::new();
        for tool in self.tools.drain(..) {
            if !whole.contains(&tool) {
                whole.push(tool);
            }
        }
        self.tools = whole;
    }
}

/// A connection. It ends with its value.
#[derive(Debug)]
pub struct McpClient {
    pub(super) running: RunningService<RoleClient, McpListener>,
    pub(super) program: Option<Program>,
    pub(super) listener: McpListener,
    /// How its requests are signed in, where they go over HTTP.
    pub(super) access: Option<ServerAccess>,
    pub(super) traffic: Traffic,
}

impl McpClient {
    /// What the server offers.
    pub async fn list(&self) -> Result<ToolListing, CallError> {
        self.traffic.list_is_read();
        let mut listing = ToolListing::default();
        let (mut cursor, mut read) = (None, BTreeSet::new());
        for _ in 0..limits::MCP_PAGES_MAX {
            let asked = self.running.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor.clone())));
            let page = timeout(Duration::from_secs(limits::MCP_START_SECS), asked).await;
            let page = page.map_err(|_| CallError::Unanswered("it did not say what it offers".to_owned()))?;
            let page = page.map_err(|error| self.call_error(&error))?;
            listing.holds = page.ttl_ms.map(Duration::from_millis).into_iter().chain(listing.holds).min();
            let room = limits::MCP_TOOLS_MAX - listing.tools.len();
            if page.tools.len() > room {
                listing.end = ListingEnd::Cut;
            }
            listing.tools.extend(page.tools.into_iter().take(room).map(offered));
            read.insert(cursor);
            cursor = page.next_cursor;
            if cursor.is_none() || listing.end == ListingEnd::Cut {
                return Ok(listing);
            }
            if read.contains(&cursor) {
                listing.end = ListingEnd::Circular;
                listing.forget_repeats();
                return Ok(listing);
            }
        }
        listing.end = ListingEnd::Cut;
        Ok(listing)
    }

    /// Waits until the server has said that its tools changed.
    pub(super) async fn changed(&self) {
        self.listener.changed.notified().await;
    }

    /// Listens to what the server announces by the newer protocol; by the older one it does so by itself.
    pub(super) async fn announcements(&self) -> Infallible {
        while self.is_newer() {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            match self.running.peer().listen(filter).await {
                Ok(mut subscription) => {
                    while let Ok(Some(_)) = subscription.next().await {
                        self.listener.changed.notify_one();
                    }
                }
                Err(ServiceError::McpError(_)) => break,
                Err(error) => tracing::debug!(%error, "what a server announces is not heard"),
            }
            sleep(Duration::from_secs(limits::MCP_LIST_HOLDS_SECS)).await;
            // What was announced meanwhile was not heard.
            self.listener.changed.notify_one();
        }
        std::future::pending().await
    }

    /// Waits until nothing more can be said.
    pub(super) async fn over(&self) {
        while !self.is_over() {
            sleep(Duration::from_millis(limits::MCP_LOOK_MS)).await;
        }
    }

    /// How it ended, as far as that is known.
    pub(super) fn end(&self) -> ServerFault {
        ServerFault {
            why: self.traffic.end_said().unwrap_or_else(|| "it ended".to_owned()),
            last_words: self.program.as_ref().and_then(Program::last_words),
        }
    }

    /// Whether it had to be ended, for what it did.
    pub(super) fn was_put_out(&self) -> bool {
        self.traffic.end_said().is_some()
    }

    pub(super) fn call_error(&self, error: &ServiceError) -> CallError {
        let secrets = &self.listener.secrets;
        match (call_error(error), self.traffic.end_said()) {
            (CallError::Unanswered(_), Some(why)) => CallError::Unanswered(why),
            (CallError::Unanswered(why), None) => CallError::Unanswered(secrets.masked(&why)),
            (CallError::Unreachable(why), _) => CallError::Unreachable(secrets.masked(&why)),
            (CallError::Rejected(why), _) => CallError::Rejected(secrets.masked(&why)),
        }
    }

    fn is_newer(&self) -> bool {
        let info = self.running.peer().peer_info();
        info.is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// The protocol that is spoken, by its date.
    pub fn protocol(&self) -> String {
        self.running.peer().peer_info().map(|info| info.protocol_version.to_string()).unwrap_or_default()
    }

    /// Whether nothing more can be said.
    pub fn is_over(&self) -> bool {
        self.running.is_closed() || self.running.peer().is_transport_closed()
    }

    /// Says goodbye, and ends the program.
    pub async fn stop(&self) {
        // The library's service ends, and with it the program's standard input.
        self.running.cancellation_token().cancel();
        if let Some(program) = &self.program {
            program.stop().await;
        }
    }
}

fn call_error(error: &ServiceError) -> CallError {
    match error {
        ServiceError::McpError(said) => {
            let refusals = [
                ErrorCode::METHOD_NOT_FOUND,
                ErrorCode::INVALID_PARAMS,
                ErrorCode::INVALID_REQUEST,
                ErrorCode::PARSE_ERROR,
            ];
            let text = said.message.to_string();
            if refusals.contains(&said.code) { CallError::Rejected(text) } else { CallError::Unanswered(text) }
        }
        ServiceError::TransportSend(sent) => {
            let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&*sent.error);
            while let Some(error) = source {
                if let Some(refused) = error.downcast_ref::<AuthRequiredError>() {
                    // A sentence of ours: see `ServerAccess`.
                    return CallError::Rejected(refused.www_authenticate_header.clone());
                }
                if http::trouble(error).is_some_and(http::never_arrived) {
                    return CallError::Unreachable(http::causes(error));
                }
                source = error.source();
            }
            CallError::Unanswered(http::causes(&*sent.error))
        }
        ServiceError::TransportClosed => CallError::Unanswered("it ended before it answered".to_owned()),
        other => CallError::Unanswered(other.to_string()),
    }
}

fn offered(tool: rmcp::model::Tool) -> OfferedTool {
    let annotations = tool.annotations.unwrap_or_default();
    OfferedTool {
        name: tool.name.into_owned(),
        title: tool.title.or(annotations.title).unwrap_or_default(),
        description: tool.description.unwrap_or_default().into_owned(),
        schema: Value::Object(Map::clone(&tool.input_schema)),
        says_read_only: annotations.read_only_hint == Some(true),
        says_it_changes: annotations.read_only_hint == Some(false),
    }
}
