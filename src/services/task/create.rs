//! `create`: add a task or a reminder. A task with a deadline reminds.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TaskService;
use super::offsets::{also, due, durations, one_or_many, repeating, times, unreadable};
use super::record::{Priority, Task, TaskStatus};
use super::schedule::{self, Schedule};
use super::view::{TaskChanged, TaskView};
use crate::core::card::CardBody;
use crate::core::history::ItemRef;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::ports::{Change, Expect};
use crate::services::command::{Base, Called, Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject};
use crate::services::error::ServiceError;
use crate::services::items::Item;
use crate::services::provenance::{self, Others};
use crate::services::texts;

/// Add a task or a reminder.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTask {
    /// What to do, without the time.
    pub title: String,
    pub description: Option<String>,
    pub priority: Option<Priority>,
    /// When to be reminded: ISO local time or the person's own words.
    pub deadline: Option<String>,
    /// How often, in the person's own words; only where they say that it repeats.
    pub repeat: Option<String>,
    /// Reminders before the deadline, each a length of time.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    pub remind_before: Option<Vec<String>>,
    /// Further times to be reminded at.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Vec<String>>,
}

impl CreateTask {
    fn schedule(&self) -> Schedule<'_> {
        Schedule {
            deadline: self.deadline.as_deref(),
            repeat: self.repeat.as_deref(),
            remind_before: self.remind_before.as_deref(),
            remind_at: self.remind_at.as_deref(),
            snooze: None,
        }
    }
}

impl Command for CreateTask {
    type Output = TaskChanged;

    const NAME: &'static str = "create";
    const SUMMARY: &'static str = "add a task or a reminder";
    const EXAMPLE: &'static str = "Remind me to call mom tomorrow at 5pm";
    const STATUS: &'static str = "Noting that down…";
    const STAKES: Stakes = Stakes::Low;
    const LENGTHS: &'static [&'static str] = &["remind_before"];
    const NAMES: &'static [&'static str] = &["title"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let mut slots = repeating(&mut self.repeat, &mut self.deadline, Base::Now);
        slots.extend(times(&mut self.remind_at, Base::Now));
        slots
    }

    fn called(&self) -> Called {
        Called::Errand(self.title.clone())
    }

    fn complete(&mut self, _: Option<&Target>) {
        durations(&mut self.remind_before);
    }

    fn problem(&self) -> Option<String> {
        unreadable(self.remind_before.as_deref())
    }

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add this task?")
            .words("Task", &self.title)
            .words("Details", self.description.clone().unwrap_or_default())
            .row("When", due(self.deadline.as_deref(), self.repeat.as_deref(), subject.reference))
            .row("Also", also(self.remind_before.as_deref(), self.remind_at.as_deref(), subject.reference))
            .row("Priority", self.priority.map(Priority::word).unwrap_or_default())
    }

    fn receipt(&self, output: &TaskChanged, receipt: &Receipt<'_>) -> String {
        let TaskView { title, .. } = &output.task;
        let when = output.task.due(receipt.reference);
        let also = output.task.also(receipt.reference);
        let mut told = match (when.is_empty(), also.is_empty()) {
            (true, true) => format!("📌 Added: {title}"),
            (true, false) => format!("⏰ Reminder set: {title} — {also}"),
            (false, _) => format!("⏰ Reminder set: {title} — {when}{}", output.task.hour_taken()),
        };
        if !when.is_empty() && !also.is_empty() {
            told.push_str(&format!("; also {also}"));
        }
        told + output.quiet_note()
    }

    fn attempt(&self, _: &Action) -> String {
        format!("add “{}”", self.title)
    }

    fn made(&self, output: &TaskChanged) -> Option<ItemRef> {
        Some(output.task.named())
    }
}

#[async_trait]
impl Handle<CreateTask> for TaskService {
    fn effect(&self) -> Effect {
        Effect::WriteHere
    }

    async fn perform(&self, call: Invocation<'_, CreateTask>) -> Result<Completed<TaskChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let mut task = Task {
            id: texts::new_id(attempt),
            owner: ctx.owner.clone(),
            chat: ctx.chat.clone(),
            title: texts::title(&command.title, Task::NOUN)?,
            description: texts::filled(command.description.as_deref()),
            priority: command.priority,
            deadline: None,
            zone: ctx.zone,
            repeat: None,
            anchor: None,
            status: TaskStatus::Open,
            created_at: ctx.now,
            done_at: None,
            reminded_at: None,
            before: Vec::new(),
            also: Vec::new(),
            snoozed: None,
            hour: None,
            others: Others::default(),
        };
        task.others.write("title", &task.title, provenance::source(action, "title"));
        let description = task.description.as_deref().unwrap_or_default();
        task.others.write("description", description, provenance::source(action, "description"));
        schedule::set(&mut task, &command.schedule(), ctx)?;
        let mut changes = vec![Change::put(&task, Expect::Absent)?];
        changes.extend(self.due_changes(None, Some(&task), ctx.now).await?);
        self.changed_with_quiet(&task, ctx, changes).await
    }
}
