//! A server as a service: who may use it, and what a call comes to.

use std::sync::Arc;

use async_trait::async_trait;

use super::progress::CallsOfPeople;
use crate::services::contract::command::Completed;
use crate::services::contract::error::ServiceError;
use crate::services::contract::holder::Holder;
use crate::services::contract::service::Service;
use crate::services::tool::{KeptQuestions, ResultCache, ToolInvocation, ToolResult, Tools, answered, not_open};
use brain_core::core::ids::UserId;
use brain_core::core::progress::Progress;
use brain_core::core::text::{capital, one_line, shorten};
use brain_core::limits;
use brain_wire::mcp::{KeptServer, McpCall, McpCallError, ServerReach};

/// See the module.
#[derive(Debug)]
pub(super) struct ServerService {
    pub(super) kept: Arc<KeptServer>,
    pub(super) holders: Vec<Holder>,
    pub(super) answers: Arc<ResultCache>,
    pub(super) questions: Arc<KeptQuestions>,
    pub(super) under_way: Arc<CallsOfPeople>,
}

impl Service for ServerService {
    fn is_open_to(&self, owner: &UserId) -> bool {
        self.holders.iter().any(|holder| holder.is(owner))
    }

    fn waited_for(&self, owner: &UserId) -> Option<Progress> {
        let words = self.under_way.told(owner)?;
        Some(Progress::of(format!("Asking {}… {}", self.title(), said(&words))))
    }
}

/// A server's words on one line.
fn said(words: &str) -> String {
    one_line(&shorten(words, limits::TOOL_SUMMARY_CHARS_MAX))
}

impl ServerService {
    fn title(&self) -> String {
        capital(&self.kept.server.name)
    }
}

#[async_trait]
impl Tools for ServerService {
    fn kept(&self) -> Option<&ResultCache> {
        Some(&self.answers)
    }

    fn questions(&self) -> Option<&KeptQuestions> {
        Some(&self.questions)
    }

    fn refusal(&self, owner: &UserId) -> Option<String> {
        not_open(&self.title(), &self.holders, owner)
    }

    fn host(&self) -> Option<String> {
        match &self.kept.server.reach {
            ServerReach::Url(endpoint) => endpoint.place.host(),
            ServerReach::Program(_) | ServerReach::Unusable(_) => None,
        }
    }

    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        let ToolInvocation { ctx, action, arguments, given, effect, attempt } = call;
        let made = McpCall { answers: given.answers.clone(), ..McpCall::new(&action.command, arguments) };
        let _under_way = self.under_way.begin(&ctx.owner, &made);
        match self.kept.call(made).await {
            Err(McpCallError::Asks(mut asked)) => {
                let end = std::mem::take(&mut asked.said);
                let end =
                    if end.trim().is_empty() { String::new() } else { format!("; it ended with “{}”", said(&end)) };
                let kept = self.questions.keep(&ctx.owner, &action.command, &attempt.key, *asked, &given, ctx.now);
                let why = kept.err().unwrap_or_else(|| "asks something first".to_owned());
                Err(ServiceError::Refused(format!("{} {why}{end}.", self.title())))
            }
            Err(McpCallError::Outside(error)) => answered(&self.title(), effect, Err(error)),
            Ok(answer) => answered(&self.title(), effect, Ok(answer)),
        }
    }
}
