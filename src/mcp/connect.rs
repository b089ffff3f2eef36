//! Starting a server, or calling at its address, and greeting it by a protocol that both speak.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig};
use tokio::time::timeout;

use super::access::ServerAccess;
use super::client::{ConnectError, McpClient};
use super::config::{McpServer, ServerReach};
use super::http::{HttpLink, causes};
use super::listener::McpListener;
use crate::limits;
use crate::outside::{HttpPlace, Program, ProgramCommand};

/// A greeting that came to nothing.
struct Ungreeted {
    why: String,
    /// It answered the newer protocol's question in a way that says nothing of the older.
    was_confused: bool,
}

impl From<ConnectError> for Ungreeted {
    fn from(error: ConnectError) -> Self {
        Self { why: error.0, was_confused: false }
    }
}

impl McpClient {
    /// Starts the server or calls at its address, and greets it: by the newer protocol, by the older where that is not
    /// known, and once more by the older alone where the answer to the newer was none.
    pub async fn connect(server: &McpServer) -> Result<Self, ConnectError> {
        let newest = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        };
        match greet(server, newest).await {
            Ok(client) => Ok(client),
            Err(Ungreeted { was_confused: true, .. }) => {
                let again = greet(server, ClientLifecycleMode::Initialize).await;
                again.map_err(|ungreeted| ConnectError(ungreeted.why))
            }
            Err(Ungreeted { why, .. }) => Err(ConnectError(why)),
        }
    }
}

async fn greet(server: &McpServer, lifecycle: ClientLifecycleMode) -> Result<McpClient, Ungreeted> {
    let listener = McpListener::default();
    match &server.reach {
        ServerReach::Program(command) => {
            let (program, pipes) = started(command)?;
            match greeted(serve_client_with_lifecycle(listener.clone(), pipes, lifecycle)).await {
                Ok(running) => Ok(McpClient { running, program: Some(program), listener, access: None }),
                Err(ungreeted) => {
                    let last_words = program.last_words();
                    program.stop().await;
                    let said = last_words.map(|said| format!("; {said}"));
                    Err(Ungreeted { why: ungreeted.why + &said.unwrap_or_default(), ..ungreeted })
                }
            }
        }
        ServerReach::Url(endpoint) => {
            let access = ServerAccess::of(&server.name, endpoint).map_err(ConnectError)?;
            let transport = called_at(&endpoint.place, access.clone())?;
            let running = greeted(serve_client_with_lifecycle(listener.clone(), transport, lifecycle)).await?;
            Ok(McpClient { running, program: None, listener, access: Some(access) })
        }
        ServerReach::Unusable(why) => Err(ConnectError(why.clone()).into()),
    }
}

type Pipes = AsyncRwTransport<RoleClient, tokio::process::ChildStdout, tokio::process::ChildStdin>;

fn started(command: &ProgramCommand) -> Result<(Program, Pipes), ConnectError> {
    let (program, stdout, stdin) = Program::start(command)
        .map_err(|error| ConnectError(format!("{} cannot be started: {error}", command.command)))?;
    Ok((program, AsyncRwTransport::new(stdout, stdin).with_max_line_length(limits::MCP_MESSAGE_BYTES_MAX)))
}

fn called_at(place: &HttpPlace, access: ServerAccess) -> Result<StreamableHttpClientTransport<HttpLink>, ConnectError> {
    let headers = place.headers().map_err(ConnectError)?;
    let config = StreamableHttpClientTransportConfig::with_uri(place.url.clone())
        .custom_headers(headers.into_iter().collect())
        .max_sse_event_size(limits::MCP_MESSAGE_BYTES_MAX)
        .max_json_response_size(limits::MCP_MESSAGE_BYTES_MAX)
        .reinit_on_expired_session(true);
    let link = HttpLink { client: HttpPlace::client().map_err(ConnectError)?, access };
    Ok(StreamableHttpClientTransport::with_client(link, config))
}

async fn greeted(
    serving: impl Future<Output = Result<RunningService<RoleClient, McpListener>, ClientInitializeError>>,
) -> Result<RunningService<RoleClient, McpListener>, Ungreeted> {
    let clear = |why: String| Ungreeted { why, was_confused: false };
    match timeout(Duration::from_secs(limits::MCP_START_SECS), serving).await {
        Ok(Ok(running)) => Ok(running),
        Ok(Err(error)) => Err(match error.auth_challenge() {
            // A sentence of ours: see `ServerAccess`.
            Some(refusal) => clear(refusal.to_owned()),
            None => ungreeted(&error),
        }),
        Err(_) => Err(clear(format!("it did not answer within {} seconds", limits::MCP_START_SECS))),
    }
}

fn ungreeted(error: &ClientInitializeError) -> Ungreeted {
    let clear = |why: String| Ungreeted { why, was_confused: false };
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => clear(ungreeted(fallback).why),
        ClientInitializeError::ConnectionClosed(_) => clear("it ended before it had greeted".to_owned()),
        ClientInitializeError::TransportError { error, .. } => clear(causes(&*error.error)),
        other => {
            let was_confused = matches!(
                other,
                ClientInitializeError::ExpectedInitResult(_)
                    | ClientInitializeError::ExpectedInitResponse(_)
                    | ClientInitializeError::NoCompatibleProtocolVersion { .. }
            );
            Ungreeted { why: other.to_string(), was_confused }
        }
    }
}
