//! One connection to a server: what it offers, and calls.
//!
//! Both protocols are spoken: a server is asked by the newer one first, and one that does not know the question is greeted
//! by the older. A server asks nothing of us: neither a model, nor folders, nor (yet) the person.
//! Invariants: a call ends by itself, when nothing was heard of it for its time or all of it took ten times that; one that
//! is let go is cancelled at the server; whatever a server sends has a largest size.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ContentBlock, ErrorCode, Implementation,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ResourceContents, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError};
use rmcp::transport::streamable_http_client::AuthRequiredError;
use rmcp::{ClientHandler, RoleClient};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::access::ServerAccess;
use super::program::Program;
use crate::limits;

/// What a server offers, as it said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolListing {
    /// In the server's order.
    pub tools: Vec<OfferedTool>,
    /// There are more than may be.
    pub is_cut: bool,
    /// How long it holds, where the server says so.
    pub holds: Option<Duration>,
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
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Texts one below the other; what is no text is named with its size.
    pub text: String,
    /// The server says that it failed.
    pub is_error: bool,
}

/// Why there is no answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It never reached the server.
    #[error("{0}")]
    Unreachable(String),
    /// The server said that it does not take it.
    #[error("{0}")]
    Rejected(String),
    /// It may have happened.
    #[error("{0}")]
    Unanswered(String),
}

/// Why a server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConnectError(pub String);

/// What arrives without being asked for.
#[derive(Debug, Clone)]
pub(super) struct McpListener {
    /// Its tools are others than before.
    pub(super) changed: Arc<Notify>,
    /// The last word about what it does, and that there was one.
    pub(super) progress: watch::Sender<String>,
}

/// A connection. It ends with its value.
#[derive(Debug)]
pub struct McpClient {
    pub(super) running: RunningService<RoleClient, McpListener>,
    pub(super) program: Option<Program>,
    pub(super) listener: McpListener,
    /// How its requests are signed in, where they go over HTTP.
    pub(super) access: Option<ServerAccess>,
}

impl ClientHandler for McpListener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_progress(&self, said: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let part =
            said.total.filter(|total| *total > 0.0).map(|total| format!("{:.0} %", 100.0 * said.progress / total));
        let words = [said.message, part].into_iter().flatten().collect::<Vec<_>>().join(", ");
        self.progress.send_replace(words);
    }

    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.client_info = Implementation::new("brain-agent", env!("CARGO_PKG_VERSION"));
        // Where there is a greeting; the newer protocol has none.
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info
    }
}

impl McpClient {
    /// What the server offers.
    pub async fn list(&self) -> Result<ToolListing, CallError> {
        let mut listing = ToolListing::default();
        let mut cursor = None;
        for _ in 0..limits::MCP_PAGES_MAX {
            let asked = self.running.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor)));
            let page = timeout(Duration::from_secs(limits::MCP_START_SECS), asked).await;
            let page = page.map_err(|_| CallError::Unanswered("it did not say what it offers".to_owned()))?;
            let page = page.map_err(|error| call_error(&error))?;
            listing.holds = page.ttl_ms.map(Duration::from_millis).into_iter().chain(listing.holds).min();
            let room = limits::MCP_TOOLS_MAX - listing.tools.len();
            listing.is_cut |= page.tools.len() > room;
            listing.tools.extend(page.tools.into_iter().take(room).map(offered));
            cursor = page.next_cursor;
            if cursor.is_none() || listing.is_cut {
                return Ok(listing);
            }
        }
        listing.is_cut = true;
        Ok(listing)
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        patience: Duration,
    ) -> Result<ToolAnswer, CallError> {
        let mut progress = self.listener.progress.subscribe();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let mut call = std::pin::pin!(self.answered(params));
        let last = Instant::now() + patience * limits::MCP_CALL_PATIENCES;
        let mut until = Instant::now() + patience;
        loop {
            tokio::select! {
                biased;
                answer = &mut call => return answer,
                () = sleep_until(until.min(last)) => {
                    let secs = patience.as_secs();
                    return Err(CallError::Unanswered(format!("it did not answer within {secs} seconds")));
                }
                changed = progress.changed() => {
                    if changed.is_ok() {
                        until = Instant::now() + patience;
                    }
                }
            }
        }
    }

    async fn answered(&self, params: CallToolRequestParams) -> Result<ToolAnswer, CallError> {
        match self.running.peer().call_tool_once(params).await.map_err(|error| call_error(&error))? {
            CallToolResponse::Complete(result) => Ok(read(result)),
            CallToolResponse::InputRequired(_) => {
                Err(CallError::Rejected("it asks for more than was said, and cannot be answered yet".to_owned()))
            }
            CallToolResponse::Task(_) => Err(CallError::Unanswered("it goes on with it by itself".to_owned())),
            _ => Err(CallError::Unanswered("it answered with something else".to_owned())),
        }
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

    /// How it ended, as far as it has said so.
    pub(super) fn end(&self) -> String {
        match self.program.as_ref().map(Program::complaint).unwrap_or_default().lines().next_back() {
            Some(last) => format!("it ended; it said “{last}”"),
            None => "it ended".to_owned(),
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

/// Every cause of an error, the last first: that is what went wrong.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
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
                if error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect) {
                    return CallError::Unreachable(causes(error));
                }
                source = error.source();
            }
            CallError::Unanswered(causes(&*sent.error))
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
    }
}

fn read(result: CallToolResult) -> ToolAnswer {
    let mut parts: Vec<String> = result.content.into_iter().map(part).collect();
    if parts.is_empty() {
        parts.extend(result.structured_content.map(|value| value.to_string()));
    }
    ToolAnswer { text: parts.join("\n"), is_error: result.is_error == Some(true) }
}

fn part(block: ContentBlock) -> String {
    // Base64 takes four characters for three bytes.
    let named = |kind: &str, data: &str| format!("[{kind}, {} KB]", data.len().div_ceil(4) * 3 / 1024 + 1);
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => named(&image.mime_type, &image.data),
        ContentBlock::Audio(audio) => named(&audio.mime_type, &audio.data),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { uri, blob, .. } => named(&uri, &blob),
            _ => "[something else]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("{} ({})", link.name, link.uri),
        _ => "[something else]".to_owned(),
    }
}
