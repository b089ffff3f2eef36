//! `delete`: delete a task for good.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Task;
use super::service::TaskService;
use super::view::{TaskChanged, TaskView};
use crate::services::contract::command::{Command, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::helpers::items::{self, label};
use crate::services::helpers::preparing;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::Action;
use brain_core::core::stakes::Stakes;

/// Delete a task for good.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteTask {
    /// The task's id or words from its title; of several their ids with commas between, or “all” and words.
    find_by: String,
}

impl Command for DeleteTask {
    type Output = TaskChanged;

    const NAME: &'static str = "delete";
    const SUMMARY: &'static str = "delete a task for good";
    const EXAMPLE: &'static str = "Delete the dentist task";
    const STATUS: &'static str = "Deleting your task…";
    const STAKES: Stakes = Stakes::High;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.before::<TaskView>();
        let when = before.as_ref().map(|task| task.due(subject.reference)).unwrap_or_default();
        CardBody::titled("Delete this task?")
            .words("Task", label(subject.action, &self.find_by))
            .words("Details", before.and_then(|task| task.description).unwrap_or_default())
            .row("When", when)
    }

    fn approve(&self) -> &'static str {
        "🗑 Delete"
    }

    fn done(&self) -> &'static str {
        "Deleted"
    }

    fn receipt(&self, _: &TaskChanged, receipt: &Receipt<'_>) -> String {
        format!("🗑 Deleted: {}", label(receipt.action, &self.find_by))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("delete “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &TaskChanged) -> Option<ItemRef> {
        Some(output.task.named())
    }
}

#[async_trait]
impl Edits<DeleteTask> for TaskService {
    async fn prepare(&self, ctx: &RequestContext, command: DeleteTask) -> Result<Prepared<DeleteTask>, ServiceError> {
        let words = command.find_by.clone();
        preparing::prepare::<Task, _>(&self.store, &self.index, ctx, command, "find_by", &words, |_| true).await
    }

    async fn edits(&self, call: Invocation<'_, DeleteTask>) -> Result<PlannedEdits<Task, TaskChanged>, ServiceError> {
        let Invocation { ctx, action, .. } = call;
        let (task, revision) = items::held::<Task>(&self.store, ctx, action).await?;
        Ok(PlannedEdits::new(vec![RecordEdit::delete(task, revision)], TaskChanged::told(ctx, None)))
    }
}
