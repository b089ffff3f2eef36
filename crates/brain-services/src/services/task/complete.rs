//! `complete`: mark a task as done; of a repeating one, the time that reminded or the coming one.

use async_trait::async_trait;
use chrono::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{NAME, Task, TaskStatus};
use super::service::TaskService;
use super::view::TaskChanged;
use crate::services::contract::command::{Command, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::helpers::described::{self, Timing};
use crate::services::helpers::items::{self, label};
use crate::services::helpers::preparing;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::Action;
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::ClauseReading;

/// A second press within this is the same press twice, not the next occurrence done early.
const SAME_DONE_SECS: i64 = 120;

/// Mark a task as done.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteTask {
    /// The task's id or words from its title; of several their ids with commas between, or “all” and words.
    pub find_by: String,
}

impl Command for CompleteTask {
    type Output = TaskChanged;

    const NAME: &'static str = "complete";
    const SUMMARY: &'static str = "mark a task as done";
    const EXAMPLE: &'static str = "I'm done with the report";
    const STATUS: &'static str = "Ticking that off…";
    const STAKES: Stakes = Stakes::Low;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Mark this task as done?").words("Task", label(subject.action, &self.find_by))
    }

    fn receipt(&self, output: &TaskChanged, receipt: &Receipt<'_>) -> String {
        let task = &output.task;
        match task.deadline.as_deref().filter(|_| task.status == TaskStatus::Open) {
            Some(next) => format!("✅ Done: {} — next {}", task.title, show::time(next, receipt.reference)),
            None => format!("✅ Done: {}", task.title),
        }
    }

    fn attempt(&self, action: &Action) -> String {
        format!("mark “{}” as done", label(action, &self.find_by))
    }

    fn made(&self, output: &TaskChanged) -> Option<ItemRef> {
        Some(output.task.named())
    }
}

#[async_trait]
impl Edits<CompleteTask> for TaskService {
    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: CompleteTask,
    ) -> Result<Prepared<CompleteTask>, ServiceError> {
        let words = command.find_by.clone();
        let open = |task: &Task| task.status == TaskStatus::Open;
        let prepared = preparing::prepare(&self.store, &self.index, ctx, command, "find_by", &words, open).await?;
        Ok(preparing::not_found_instead(prepared, "task", "open task"))
    }

    async fn edits(&self, call: Invocation<'_, CompleteTask>) -> Result<PlannedEdits<Task, TaskChanged>, ServiceError> {
        let Invocation { ctx, action, .. } = call;
        let (before, revision) = items::held::<Task>(&self.store, ctx, action).await?;
        if before.status == TaskStatus::Done {
            return Err(ServiceError::Refused(format!("“{}” is done already.", before.title)));
        }
        if before.done_at.is_some_and(|at| ctx.now - at < Duration::seconds(SAME_DONE_SECS)) {
            let there = RecordEdit::update(before.clone(), revision, before);
            return Ok(PlannedEdits::new(vec![there], TaskChanged::told(ctx, None)));
        }
        let mut task = before.clone();
        task.done_at = Some(ctx.now);
        task.snoozed = None;
        // Done is the time that was reminded of, which the series has left behind; else the coming one, done early.
        let goes_on = match before.due_moment().filter(|_| before.repeat.is_some()) {
            Some(_) if before.is_unanswered() => true,
            Some(due) => task.advance(task.instant_of(due).max(ctx.now)),
            None => false,
        };
        if !goes_on {
            task.status = TaskStatus::Done;
        }
        Ok(PlannedEdits::new(vec![RecordEdit::update(before, revision, task)], TaskChanged::told(ctx, None)))
    }
}

/// A task to mark as done, from the slots of a message; only tasks can be done.
pub(super) fn built(said: &ClauseReading) -> Built {
    // An aside names no task.
    if said.found.frame.weak && said.holds("what", "aside") {
        return Built::No;
    }
    let Some(found) = described::find_by(said, "what", NAME, Timing::Nothing) else {
        return Built::No;
    };
    let mut action = said.action(NAME, "complete");
    set(&mut action, "find_by", Some(found));
    Built::Act(action)
}
