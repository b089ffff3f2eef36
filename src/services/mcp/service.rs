//! A server as a service: who may use it, and what a call comes to.

use std::sync::Arc;

use async_trait::async_trait;

use crate::core::ids::UserId;
use crate::core::text::{capital, head_and_tail, one_line, shorten, visible};
use crate::limits;
use crate::mcp::{CallError, KeptServer, ToolAnswer};
use crate::services::command::{Completed, Effect};
use crate::services::error::ServiceError;
use crate::services::holder::Holder;
use crate::services::service::Service;
use crate::services::tool::{KeptAnswers, ToolInvocation, ToolResult, Tools, framed_answer};

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
        let may = self.holders.iter().any(|holder| holder.is(owner));
        (!may).then(|| format!("{} is not open to you; whoever runs me decides that. Nothing was done.", self.title()))
    }

    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError> {
        let (name, arguments) = (&call.action.command, call.action.params.clone());
        let said = |words: &str| visible(&shorten(&one_line(words), limits::TOOL_SUMMARY_CHARS_MAX));
        match self.kept.call(name, arguments).await {
            Ok(ToolAnswer { text, is_error: false }) => Ok(Completed::read(ToolResult::new(text))),
            Ok(ToolAnswer { text, is_error: true }) => {
                Err(ServiceError::Refused(format!("{} says that it failed: {}", self.title(), whole(&text))))
            }
            Err(CallError::Unreachable(why)) => Err(ServiceError::Unreachable { place: self.title(), why: said(&why) }),
            Err(CallError::Rejected(why)) => Err(ServiceError::Refused(format!(
                "{} did not take it, and nothing was done: {}",
                self.title(),
                whole(&why)
            ))),
            Err(CallError::Unanswered(why)) => match call.effect {
                Effect::Read | Effect::ReadElsewhere => {
                    Err(ServiceError::Refused(format!("{} gave no answer: {}.", self.title(), said(&why))))
                }
                Effect::WriteHere | Effect::WriteElsewhere => Ok(Completed::Doubtful(format!(
                    "{} did not say whether it did it: {}. Look there before you ask again.",
                    self.title(),
                    said(&why)
                ))),
            },
        }
    }
}

/// A failure's words: quoted where they are short, else in a frame, as there may be an address in them.
fn whole(words: &str) -> String {
    let line = one_line(words);
    if line.chars().count() <= limits::TOOL_SUMMARY_CHARS_MAX {
        return format!("“{line}”");
    }
    format!("\n{}", framed_answer(&head_and_tail(words.trim(), limits::TOOL_RECEIPT_CHARS_MAX)))
}
