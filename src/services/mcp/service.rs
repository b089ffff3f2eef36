//! A server as a service: who may use it, and what a call comes to.

use std::sync::Arc;

use async_trait::async_trait;

use crate::core::ids::UserId;
use crate::core::text::capital;
use crate::mcp::KeptServer;
use crate::services::command::Completed;
use crate::services::error::ServiceError;
use crate::services::holder::Holder;
use crate::services::service::Service;
use crate::services::tool::{KeptAnswers, ToolInvocation, ToolResult, Tools, answered, not_open};

/// See the module.
#[derive(Debug)]
pub(super) struct ServerService {
    pub(super) kept: Arc<KeptServer>,
    pub(super) holders: Vec<Holder>,
    pub(super) answers: Arc<KeptAnswers>,
}

impl Service for ServerService {}

impl ServerService {
    fn title(&self) -> String {
        capital(&self.kept.server.name)
    }
}

#[async_trait]
impl Tools for ServerService {
    fn kept(&self) -> Option<&KeptAnswers> {
        Some(&self.answers)
    }

    fn refusal(&self, owner: &UserId) -> Option<String> {
        not_open(&self.title(), &self.holders, owner)
    }

    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        let (name, arguments) = (&call.action.command, call.action.params.clone());
        answered(&self.title(), call.effect, self.kept.call(name, arguments).await)
    }
}
