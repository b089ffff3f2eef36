//! Starting a server, or calling at its address, and greeting it by a protocol that both speak.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig};
use tokio::time::timeout;

use super::access::ServerAccess;
use super::client::{McpClient, ServerFault};
use super::config::{McpServer, ServerReach};
use super::listener::McpListener;
use super::secrets::ServerSecrets;
use super::wire::http::{HttpLink, causes};
use super::wire::{Counted, Pipes, Traffic};
use crate::outside::{HttpPlace, Program, ProgramCommand};
use brain_core::limits;

/// A greeting that came to nothing.
struct Ungreeted {
    trouble: ServerFault,
    /// It answered the newer protocol's question in a way that says nothing of the older.
    was_confused: bool,
}

impl From<String> for Ungreeted {
    fn from(why: String) -> Self {
        Self { trouble: why.into(), was_confused: false }
    }
}

impl McpClient {
    /// Starts the server or calls at its address, and greets it: by the newer protocol, by the older where that is not
    /// known, and once more by the older alone where the answer to the newer was none.
    pub async fn connect(server: &McpServer) -> Result<Self, ServerFault> {
        let newest = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        };
        let secrets = ServerSecrets::of(server);
        let met = match greet(server, newest, &secrets).await {
            Err(Ungreeted { was_confused: true, .. }) => greet(server, ClientLifecycleMode::Initialize, &secrets).await,
            met => met,
        };
        met.map_err(|Ungreeted { trouble: ServerFault { why, last_words }, .. }| ServerFault {
            why: secrets.masked(&why),
            last_words,
        })
    }
}

async fn greet(
    server: &McpServer,
    lifecycle: ClientLifecycleMode,
    secrets: &ServerSecrets,
) -> Result<McpClient, Ungreeted> {
    let (listener, traffic) = (McpListener::new(secrets.clone()), Traffic::default());
    match &server.reach {
        ServerReach::Program(command) => {
            let (program, pipes) = started(command, &traffic)?;
            let pipes = Counted::new(pipes, traffic.clone());
            match greeted(serve_client_with_lifecycle(listener.clone(), pipes, lifecycle), &traffic).await {
                Ok(running) => Ok(McpClient { running, program: Some(program), listener, access: None, traffic }),
                Err(ungreeted) => {
                    let last_words = program.last_words_in_time().await;
                    program.stop().await;
                    Err(Ungreeted { trouble: ServerFault { last_words, ..ungreeted.trouble }, ..ungreeted })
                }
            }
        }
        ServerReach::Url(endpoint) => {
            let access = ServerAccess::of(&server.name, endpoint)?;
            let transport = called_at(&endpoint.place, access.clone(), &traffic)?;
            let transport = Counted::new(transport, traffic.clone());
            let running =
                greeted(serve_client_with_lifecycle(listener.clone(), transport, lifecycle), &traffic).await?;
            Ok(McpClient { running, program: None, listener, access: Some(access), traffic })
        }
        ServerReach::Unusable(why) => Err(why.clone().into()),
    }
}

type ProgramPipes = Pipes<tokio::process::ChildStdout, tokio::process::ChildStdin>;

fn started(command: &ProgramCommand, traffic: &Traffic) -> Result<(Program, ProgramPipes), String> {
    let (program, stdout, stdin) =
        Program::start(command).map_err(|error| format!("{} cannot be started: {error}", command.command))?;
    Ok((program, Pipes::new(stdout, stdin, traffic.clone())))
}

fn called_at(
    place: &HttpPlace,
    access: ServerAccess,
    traffic: &Traffic,
) -> Result<StreamableHttpClientTransport<HttpLink>, String> {
    let headers = place.headers()?;
    let config = StreamableHttpClientTransportConfig::with_uri(place.url.clone())
        .custom_headers(headers.into_iter().collect())
        .max_sse_event_size(limits::MCP_MESSAGE_BYTES_MAX)
        .max_json_response_size(limits::MCP_MESSAGE_BYTES_MAX)
        .reinit_on_expired_session(true);
    let link = HttpLink { client: HttpPlace::client()?, access, traffic: traffic.clone() };
    Ok(StreamableHttpClientTransport::with_client(link, config))
}

async fn greeted(
    serving: impl Future<Output = Result<RunningService<RoleClient, McpListener>, ClientInitializeError>>,
    traffic: &Traffic,
) -> Result<RunningService<RoleClient, McpListener>, Ungreeted> {
    let greeting = async {
        tokio::select! {
            biased;
            why = traffic.ended() => Err(why.into()),
            served = serving => served.map_err(|error| match error.auth_challenge() {
                // A sentence of ours: see `ServerAccess`.
                Some(refusal) => refusal.to_owned().into(),
                None => ungreeted(&error),
            }),
        }
    };
    let late = |_| format!("it did not answer within {} seconds", limits::MCP_START_SECS).into();
    timeout(Duration::from_secs(limits::MCP_START_SECS), greeting).await.map_err(late).flatten()
}

fn ungreeted(error: &ClientInitializeError) -> Ungreeted {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => ungreeted(fallback).trouble.why.into(),
        ClientInitializeError::ConnectionClosed(_) => "it ended before it had greeted".to_owned().into(),
        ClientInitializeError::TransportError { error, .. } => causes(&*error.error).into(),
        other => {
            let was_confused = matches!(
                other,
                ClientInitializeError::ExpectedInitResult(_)
                    | ClientInitializeError::ExpectedInitResponse(_)
                    | ClientInitializeError::NoCompatibleProtocolVersion { .. }
            );
            Ungreeted { was_confused, ..other.to_string().into() }
        }
    }
}
