//! `list`: show tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{Task, TaskStatus};
use super::view::TaskView;
use super::{TaskService, schedule, sort};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::limits::RESULT_ROWS_MAX;
use crate::services::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use crate::services::error::ServiceError;
use crate::services::items::{self, Item};
use crate::services::show;
use crate::services::texts;

/// Which tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Still to do.
    #[serde(alias = "pending", alias = "todo")]
    Open,
    /// Done.
    #[serde(alias = "completed")]
    Done,
    /// Both.
    All,
}

/// Show tasks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTasks {
    status: Option<Which>,
    due_before: Option<String>,
}

/// Some of a person's tasks, by deadline.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tasks {
    tasks: Vec<TaskView>,
    /// How many more there are.
    more: usize,
}

impl Command for ListTasks {
    type Output = Tasks;

    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "show tasks";
    const EXAMPLE: &'static str = "What's on my list for today?";
    const STATUS: &'static str = "Looking through your tasks…";
    const STAKES: Stakes = Stakes::Low;

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let value = self.due_before.as_mut();
        value
            .map(|value| Slot::Time { param: "due_before", value, base: Base::Now, past: PastTimes::Fine })
            .into_iter()
            .collect()
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Show your tasks?")
    }

    fn receipt(&self, output: &Tasks, receipt: &Receipt<'_>) -> String {
        if output.tasks.is_empty() {
            return "Nothing on your list. 🎉".to_owned();
        }
        let lines = output.tasks.iter().map(|task| task.line(receipt.reference)).collect();
        format!("Your tasks:\n{}", show::list(lines, output.more))
    }

    fn attempt(&self, _: &Action) -> String {
        "look up your tasks".to_owned()
    }
}

#[async_trait]
impl Handle<ListTasks> for TaskService {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListTasks>) -> Result<Completed<Tasks>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let bound =
            texts::filled(command.due_before.as_deref()).map(|text| schedule::moment(&text, ctx)).transpose()?;
        let wanted = |task: &Task| match command.status.unwrap_or(Which::Open) {
            Which::Open => task.status == TaskStatus::Open,
            Which::Done => task.status == TaskStatus::Done,
            Which::All => true,
        };
        let mut tasks: Vec<Task> = items::all::<Task>(&self.store, &ctx.owner)
            .await?
            .into_iter()
            .map(|(task, _)| task)
            .filter(|task| wanted(task) && bound.is_none_or(|bound| task.is_due_by(bound)))
            .collect();
        sort(&mut tasks);
        let more = tasks.len().saturating_sub(RESULT_ROWS_MAX);
        tasks.truncate(RESULT_ROWS_MAX);
        let rows = tasks.iter().map(|task| task.view(ctx)).collect();
        Ok(Completed::read(Tasks { tasks: rows, more }).holding(items::untrusted(&tasks)))
    }
}
