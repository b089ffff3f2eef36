//! A call of a tool, to its answer or to what the server asks first.
//!
//! Invariants: it ends by itself, when nothing was heard of it for its time or all of it took ten times that; one that is
//! let go is cancelled at the server.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest, ContentBlock,
    RequestId, ResourceContents, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::asking::{CallAnswers, Elicitation};
use super::client::McpClient;
use crate::outside::{CallError, ToolAnswer};
use brain_core::limits;

/// What is called.
#[derive(Debug, Clone, Default)]
pub struct McpCall {
    /// The tool's name.
    pub tool: String,
    /// Its parameters.
    pub arguments: Map<String, Value>,
    /// For what the server asked before.
    pub answers: CallAnswers,
    /// The last word about what it does.
    pub progress: watch::Sender<String>,
}

impl McpCall {
    /// Of this tool with these parameters.
    pub fn new(tool: &str, arguments: Map<String, Value>) -> Self {
        Self { tool: tool.to_owned(), arguments, ..Self::default() }
    }
}

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpCallError {
    /// There is none.
    #[error(transparent)]
    Outside(#[from] CallError),
    /// It asks something before it goes on.
    #[error("it asks something before it goes on, and nobody can answer it here; ask for it in a chat")]
    Asks(Box<Elicitation>),
}

/// Cancels a request at the server, unless it was answered.
struct Abandoning<'a> {
    peer: &'a Peer<RoleClient>,
    request: Option<RequestId>,
}

impl Drop for Abandoning<'_> {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let peer = self.peer.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let let_go = Some("nobody waits for it any more".to_owned());
                let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(request), let_go)).await;
            });
        }
    }
}

impl McpClient {
    /// Calls a tool.
    pub async fn call(&self, call: McpCall, patience: Duration) -> Result<ToolAnswer, McpCallError> {
        let mut progress = call.progress.subscribe();
        let mut call = std::pin::pin!(self.answered(call));
        let last = Instant::now() + patience * limits::MCP_CALL_PATIENCES;
        let mut until = Instant::now() + patience;
        loop {
            tokio::select! {
                biased;
                answer = &mut call => return answer.map(|answer| self.without_secrets(answer)),
                () = sleep_until(until.min(last)) => {
                    let secs = patience.as_secs();
                    return Err(CallError::Unanswered(format!("it did not answer within {secs} seconds")).into());
                }
                changed = progress.changed() => {
                    if changed.is_ok() {
                        until = Instant::now() + patience;
                    }
                }
            }
        }
    }

    /// What went along with the call comes back to nobody.
    fn without_secrets(&self, answer: ToolAnswer) -> ToolAnswer {
        let secrets = &self.listener.secrets;
        let ToolAnswer { text, is_error } = answer;
        let text = if is_error { secrets.masked(&text) } else { secrets.keys_masked(&text) };
        ToolAnswer { text, is_error }
    }

    async fn answered(&self, call: McpCall) -> Result<ToolAnswer, McpCallError> {
        let McpCall { tool, arguments, answers, progress } = call;
        let under_way = self.listener.calls.begin(progress, answers.given.clone());
        let mut params = CallToolRequestParams::new(tool).with_arguments(arguments);
        (params.input_responses, params.request_state) = (answers.responses(), answers.state);
        let mut result = Err(CallError::Rejected("it wants to be asked again and again".to_owned()).into());
        for _ in 0..limits::MCP_CALLED_AGAIN_MAX {
            result = match self.sent(params.clone(), &under_way).await {
                // It only wants to be called again.
                Err(McpCallError::Asks(asked)) if asked.forms.is_empty() && asked.state.is_some() => {
                    (params.input_responses, params.request_state) = (None, asked.state);
                    continue;
                }
                result => result,
            };
            break;
        }
        let (forms, is_unclear) = under_way.end();
        match result {
            // What was asked about who knows what call hinders none that has its answer.
            Ok(ToolAnswer { text, is_error }) if !forms.is_empty() || is_unclear && is_error => {
                Err(McpCallError::Asks(Box::new(Elicitation {
                    forms,
                    state: None,
                    said: self.listener.secrets.masked(&text),
                    is_unclear,
                })))
            }
            result => result,
        }
    }

    async fn sent(
        &self,
        params: CallToolRequestParams,
        under_way: &super::listener::CallUnderWay<'_>,
    ) -> Result<ToolAnswer, McpCallError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let peer = self.running.peer();
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(|error| self.call_error(&error))?;
        under_way.is_told_by(handle.progress_token.clone());
        let mut abandoning = Abandoning { peer, request: Some(handle.id.clone()) };
        let result = handle.await_response().await;
        abandoning.request = None;
        match result.map_err(|error| self.call_error(&error))? {
            ServerResult::CallToolResult(result) => Ok(read(result)),
            ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => Ok(read(CallToolResult::default())),
            ServerResult::InputRequiredResult(result) => asks(result.into()),
            ServerResult::CreateTaskResult(_) => {
                Err(CallError::Unanswered("it goes on with it by itself".to_owned()).into())
            }
            ServerResult::CustomResult(result) => match Elicitation::unread(&result.0) {
                Some(asked) => asks(asked),
                None if result.0.as_object().is_some_and(|map| map.keys().all(|key| key == "_meta")) => {
                    Ok(read(CallToolResult::default()))
                }
                None => Err(CallError::Unanswered("it answered with something else".to_owned()).into()),
            },
            _ => Err(CallError::Unanswered("it answered with something else".to_owned()).into()),
        }
    }
}

fn asks(asked: Elicitation) -> Result<ToolAnswer, McpCallError> {
    let is_too_much = asked.forms.len() > limits::MCP_ASKED_FORMS_MAX
        || asked.state.as_ref().is_some_and(|state| state.len() > limits::MCP_STATE_BYTES_MAX);
    if is_too_much {
        return Err(CallError::Rejected("it asks for more than can be asked at once".to_owned()).into());
    }
    Err(McpCallError::Asks(Box::new(asked)))
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
